# Command-line programs: the only part that links libxtables.
noinst_LTLIBRARIES += libtext.la
libtext_la_SOURCES = \
	xt2tables/addresses.c \
	xt2tables/bridge-ext.c \
	xt2tables/bridge-parse.c \
	xt2tables/bridge-print.c \
	xt2tables/bridge.h \
	xt2tables/commands.c \
	xt2tables/commands.h \
	xt2tables/image-path.c \
	xt2tables/image-path.h \
	xt2tables/interface.c \
	xt2tables/known-hash.h \
	xt2tables/libxt.c \
	xt2tables/libxt.h \
	xt2tables/names.c \
	xt2tables/names.h \
	xt2tables/nearest.c \
	xt2tables/nearest.h \
	xt2tables/opened-file.c \
	xt2tables/opened-file.h \
	xt2tables/option-checks.c \
	xt2tables/output.c \
	xt2tables/output.h \
	xt2tables/places.c \
	xt2tables/plain-address.c \
	xt2tables/plain-known.c \
	xt2tables/plain-line.h \
	xt2tables/plain-match.c \
	xt2tables/plain-target.c \
	xt2tables/plain.c \
	xt2tables/plain.h \
	xt2tables/print-known.c \
	xt2tables/print-known.h \
	xt2tables/put.c \
	xt2tables/put.h \
	xt2tables/reach.c \
	xt2tables/reach.h \
	xt2tables/reject-names.h \
	xt2tables/restore.c \
	xt2tables/restore.h \
	xt2tables/rule-options.c \
	xt2tables/rule-pack.c \
	xt2tables/rule-parse.c \
	xt2tables/rule-print.c \
	xt2tables/rule-print.h \
	xt2tables/rule-text.c \
	xt2tables/rule-text.h \
	xt2tables/rule.h \
	xt2tables/save.c \
	xt2tables/sets.c \
	xt2tables/sets.h \
	xt2tables/text-lines.c \
	xt2tables/text-lines.h \
	xt2tables/text.h \
	xt2tables/words.c
libtext_la_CFLAGS = $(AM_CFLAGS) $(XTABLES_CFLAGS)
libtext_la_LIBADD = libxt2-internal.la $(XTABLES_LIBS)

# Live rulesets, for the programs that have --live.
noinst_LTLIBRARIES += libabsent.la
libabsent_la_SOURCES = xt2tables/live-place-absent.c xt2tables/live-place.h xt2tables/live-refused.h \
	xt2tables/live-trace.c xt2tables/live-trace.h
libabsent_la_LIBADD = libxt2-internal.la
if BPF
noinst_LTLIBRARIES += liblive.la
liblive_la_SOURCES = xt2tables/live-place.c xt2tables/live-place.h xt2tables/live-refused.c \
	xt2tables/live-refused.h xt2tables/live-trace.c xt2tables/live-trace.h
liblive_la_LIBADD = libhost.la
LIVE_LIBS = liblive.la
else
LIVE_LIBS = libabsent.la
endif

# One program under six names.
bin_PROGRAMS += xt2tables-restore
xt2tables_restore_SOURCES = xt2tables/main.c
xt2tables_restore_CFLAGS = $(AM_CFLAGS) $(XTABLES_CFLAGS)
xt2tables_restore_LDFLAGS = $(AM_LDFLAGS) $(PIE_LDFLAGS)
xt2tables_restore_LDADD = $(LIVE_LIBS) libtext.la

# Rulesets as JSON, for xt2 and for the tests.
noinst_LTLIBRARIES += libjson.la
libjson_la_SOURCES = \
	xt2tables/json-fields.c \
	xt2tables/json-fields.h \
	xt2tables/json-load.c \
	xt2tables/json-load.h \
	xt2tables/json-matches.c \
	xt2tables/json-members.c \
	xt2tables/json-members.h \
	xt2tables/json-place.c \
	xt2tables/json-place.h \
	xt2tables/json-rule.c \
	xt2tables/json-rule.h \
	xt2tables/json-targets.c \
	xt2tables/json.c \
	xt2tables/ruleset-json-read.c \
	xt2tables/ruleset-json.c \
	xt2tables/ruleset-json.h
libjson_la_CFLAGS = $(AM_CFLAGS) $(XTABLES_CFLAGS) $(JANSSON_CFLAGS)
libjson_la_LIBADD = $(JANSSON_LIBS)

# Everything else: its subcommands, a row each in xt2.c.
bin_PROGRAMS += xt2
XT2_COMMANDS = \
	xt2tables/bench-packets.c \
	xt2tables/bench-run.c \
	xt2tables/bench.c \
	xt2tables/bench.h \
	xt2tables/check.c \
	xt2tables/convert.c \
	xt2tables/counters.c \
	xt2tables/digest.c \
	xt2tables/dump-base.c \
	xt2tables/dump-base.h \
	xt2tables/dump-blob.c \
	xt2tables/dump.c \
	xt2tables/dump.h \
	xt2tables/explain-index.c \
	xt2tables/explain-index.h \
	xt2tables/explain.c \
	xt2tables/file.c \
	xt2tables/file.h \
	xt2tables/host.c \
	xt2tables/input-files.c \
	xt2tables/input-live.c \
	xt2tables/input-rule.c \
	xt2tables/input.c \
	xt2tables/packet-words.c \
	xt2tables/packet.c \
	xt2tables/packet.h \
	xt2tables/replace.c \
	xt2tables/replay-output.c \
	xt2tables/replay-run.c \
	xt2tables/replay-summary.c \
	xt2tables/replay.c \
	xt2tables/replay.h \
	xt2tables/represent.c \
	xt2tables/represent.h \
	xt2tables/rows.c \
	xt2tables/run.c \
	xt2tables/sandbox.c \
	xt2tables/sandbox.h \
	xt2tables/save-command.c \
	xt2tables/xt2.c \
	xt2tables/xt2.h
xt2_SOURCES = $(XT2_COMMANDS)
if BPF
xt2_SOURCES += xt2tables/apply.c xt2tables/live-all.c xt2tables/live-all.h xt2tables/live-confirm.c xt2tables/live-confirm.h xt2tables/live-log.c xt2tables/live.c xt2tables/log-pcapng.c \
	xt2tables/log-pcapng.h xt2tables/log-text.c xt2tables/log-text.h
else
xt2_SOURCES += xt2tables/live-absent.c
endif
xt2_LDFLAGS = $(AM_LDFLAGS) $(PIE_LDFLAGS)
xt2_LDADD = $(LIVE_LIBS) libshim.la libjson.la liboracle.la libtext.la $(PCAP_LIBS)

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
	for i in $(XT2_WRAPPERS); do \
		ln -sf iptables-xt2 "$(DESTDIR)$(bindir)/$$i" || exit 1; \
	done

uninstall-hook:
	cd "$(DESTDIR)$(bindir)" && rm -f $(XT2TABLES_LINKS) $(XT2_WRAPPERS)
