# Units, mirrored on the sources: a row in UNIT_TESTS per file.
if HAVE_CMOCKA
UNIT_TESTS =
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
UNIT_LIBS = libxt2-internal.la $(PCAP_LIBS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/test-pkt
tests_unit_test_pkt_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-capture
tests_unit_test_capture_LDADD = $(UNIT_LIBS)
endif
