# Command-line programs: the only part that links libxtables.
noinst_LTLIBRARIES += libtext.la
libtext_la_SOURCES = \
	xt2tables/addresses.c \
	xt2tables/commands.c \
	xt2tables/commands.h \
	xt2tables/libxt.c \
	xt2tables/libxt.h \
	xt2tables/names.c \
	xt2tables/names.h \
	xt2tables/option-checks.c \
	xt2tables/places.c \
	xt2tables/reach.c \
	xt2tables/reach.h \
	xt2tables/restore.c \
	xt2tables/restore.h \
	xt2tables/rule-options.c \
	xt2tables/rule-pack.c \
	xt2tables/rule-parse.c \
	xt2tables/rule-print.c \
	xt2tables/rule-print.h \
	xt2tables/rule.h \
	xt2tables/save.c \
	xt2tables/sets.c \
	xt2tables/sets.h \
	xt2tables/text.h \
	xt2tables/words.c
libtext_la_CFLAGS = $(AM_CFLAGS) $(XTABLES_CFLAGS)
libtext_la_LIBADD = libxt2-internal.la $(XTABLES_LIBS)

# One program under six names.
bin_PROGRAMS += xt2tables-restore
xt2tables_restore_SOURCES = xt2tables/main.c
xt2tables_restore_CFLAGS = $(AM_CFLAGS) $(XTABLES_CFLAGS)
xt2tables_restore_LDADD = libtext.la

# Everything else: its subcommands, a row each in xt2.c.
bin_PROGRAMS += xt2
xt2_SOURCES = \
	xt2tables/check.c \
	xt2tables/dump.c \
	xt2tables/explain.c \
	xt2tables/host.c \
	xt2tables/input.c \
	xt2tables/json.c \
	xt2tables/packet-words.c \
	xt2tables/packet.c \
	xt2tables/packet.h \
	xt2tables/replay.c \
	xt2tables/xt2.c \
	xt2tables/xt2.h
xt2_LDADD = liboracle.la libtext.la $(PCAP_LIBS)

# The second evaluator, for explain and for the tests.
noinst_LTLIBRARIES += liboracle.la
liboracle_la_SOURCES = xt2tables/oracle.c xt2tables/oracle.h

XT2TABLES_LINKS = xt2ip6tables-restore xt2arptables-restore \
	xt2tables-save xt2ip6tables-save xt2arptables-save
CLEANFILES += $(XT2TABLES_LINKS)

$(XT2TABLES_LINKS): xt2tables-restore$(EXEEXT)
	$(AM_V_GEN)ln -sf xt2tables-restore$(EXEEXT) $@

all-local: $(XT2TABLES_LINKS)

install-exec-hook:
	for i in $(XT2TABLES_LINKS); do \
		ln -sf xt2tables-restore$(EXEEXT) "$(DESTDIR)$(bindir)/$$i" || exit 1; \
	done

uninstall-hook:
	cd "$(DESTDIR)$(bindir)" && rm -f $(XT2TABLES_LINKS)
