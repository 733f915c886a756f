# Command-line programs: the only part that links libxtables.
noinst_LTLIBRARIES += libtext.la
libtext_la_SOURCES = \
	xt2tables/text/addresses.c \
	xt2tables/text/alone.c \
	xt2tables/text/alone.h \
	xt2tables/text/bridge/bridge-ext.c \
	xt2tables/text/bridge/bridge-parse.c \
	xt2tables/text/bridge/bridge-print.c \
	xt2tables/text/bridge/bridge.h \
	xt2tables/text/commands.c \
	xt2tables/text/commands.h \
	xt2tables/live/live-refused.c \
	xt2tables/live/live-refused.h \
	xt2tables/text/interface.c \
	xt2tables/text/cache-hash.h \
	xt2tables/text/libxt.c \
	xt2tables/text/libxt.h \
	xt2tables/text/resolve.c \
	xt2tables/text/resolve.h \
	xt2tables/text/nearest.c \
	xt2tables/text/nearest.h \
	xt2tables/files/opened-file.c \
	xt2tables/files/opened-file.h \
	xt2tables/text/extension-checks.c \
	xt2tables/files/output.c \
	xt2tables/files/output.h \
	xt2tables/files/short-file.c \
	xt2tables/files/short-file.h \
	xt2tables/files/usage.c \
	xt2tables/files/usage.h \
	xt2tables/text/fast/fast-address.c \
	xt2tables/text/fast/fast-cache.c \
	xt2tables/text/fast/fast-line.h \
	xt2tables/text/fast/fast-match.c \
	xt2tables/text/fast/fast-target.c \
	xt2tables/text/fast/fast-word.c \
	xt2tables/text/fast/fast-read.c \
	xt2tables/text/fast/fast-read.h \
	xt2tables/text/print/print-cache.c \
	xt2tables/text/print/print-cache.h \
	xt2tables/text/print/counter-units.c \
	xt2tables/text/print/digits.c \
	xt2tables/text/print/digits.h \
	xt2tables/text/hook-rules.c \
	xt2tables/text/hook-rules.h \
	xt2tables/text/print/reject-names.h \
	xt2tables/text/restore.c \
	xt2tables/text/restore.h \
	xt2tables/text/rule-options.c \
	xt2tables/text/rule-pack.c \
	xt2tables/text/rule-parse.c \
	xt2tables/text/print/listing-arp.c \
	xt2tables/text/print/listing.c \
	xt2tables/text/print/listing.h \
	xt2tables/text/print/rule-print.c \
	xt2tables/text/print/rule-print.h \
	xt2tables/text/print/print-fast.c \
	xt2tables/text/print/print-fast.h \
	xt2tables/text/line.h \
	xt2tables/text/print/save.c \
	xt2tables/text/sets.c \
	xt2tables/text/sets.h \
	xt2tables/text/text-lines.c \
	xt2tables/text/text-lines.h \
	xt2tables/text/text.h \
	xt2tables/text/words.c
libtext_la_CFLAGS = $(AM_CFLAGS) $(XTABLES_CFLAGS)
libtext_la_LIBADD = libxt2-internal.la $(XTABLES_LIBS)

# Live rulesets: kinds of store, which the programs of a build without BPF lack.
if BPF
LIVE_STORE = libxt2/store/bpf/bpf-backend.c libxt2/store/kernel/kernel-store.c
LIVE_COMMANDS = $(LIVE_STORE) xt2tables/cmd/cmd-apply.c xt2tables/cmd/cmd-confirm.c xt2tables/cmd/cmd-confirm.h \
	xt2tables/cmd/cmd-live.c xt2tables/cmd/live-kernel.c xt2tables/cmd/live-kernel.h xt2tables/cmd/cmd-log.c xt2tables/live/live-all.c xt2tables/live/live-all.h \
	xt2tables/live/log-pcapng.c xt2tables/live/log-pcapng.h xt2tables/live/log-text.c xt2tables/live/log-text.h \
	xt2tables/host/cmd-doctor.c xt2tables/host/daemons.c xt2tables/host/daemons.h \
	xt2tables/host/hook-list.c xt2tables/host/hook-list.h \
	xt2tables/host/kernel-tables.c xt2tables/host/kernel-tables.h \
	xt2tables/host/take-over.c xt2tables/host/take-over.h xt2tables/host/taken.c xt2tables/host/taken.h \
	xt2tables/host/tool.c xt2tables/host/tool.h
LIVE_LIBS = libhost.la
endif

# One program under nine names, and iptables' own.
bin_PROGRAMS += xt2tables-restore
WHERE_SOURCES = xt2tables/tables/where.c xt2tables/tables/where.h \
	xt2tables/tables/whole-tables.c xt2tables/tables/whole-tables.h \
	xt2tables/tables/past-text.c xt2tables/tables/past-text.h \
	xt2tables/live/live-trace.c xt2tables/live/live-trace.h
RESTORE_SOURCES = xt2tables/cmd/xt2tables.c $(WHERE_SOURCES) \
	xt2tables/tables/tables-help.c xt2tables/tables/tables-main.c xt2tables/tables/tables-main.h \
	xt2tables/tables/unread.c xt2tables/tables/unread.h
xt2tables_restore_SOURCES = $(RESTORE_SOURCES) $(LIVE_STORE)
xt2tables_restore_CFLAGS = $(AM_CFLAGS) $(XTABLES_CFLAGS)
xt2tables_restore_LDFLAGS = $(AM_LDFLAGS) $(PIE_LDFLAGS)
xt2tables_restore_LDADD = $(LIVE_LIBS) libtext.la

# Rulesets as JSON, for xt2 and for the tests.
noinst_LTLIBRARIES += libjson.la
libjson_la_SOURCES = \
	xt2tables/json/json-fields.c \
	xt2tables/json/json-fields.h \
	xt2tables/json/json-load.c \
	xt2tables/json/json-load.h \
	xt2tables/json/json-matches.c \
	xt2tables/json/json-members.c \
	xt2tables/json/json-members.h \
	xt2tables/json/json-position.c \
	xt2tables/json/json-position.h \
	xt2tables/json/json-rule.c \
	xt2tables/json/json-rule.h \
	xt2tables/json/json-targets.c \
	xt2tables/json/json-print.c \
	xt2tables/json/json-read.c \
	xt2tables/json/json-write.c \
	xt2tables/json/json-ruleset.h
libjson_la_CFLAGS = $(AM_CFLAGS) $(XTABLES_CFLAGS) $(JANSSON_CFLAGS)
libjson_la_LIBADD = $(JANSSON_LIBS)

# Everything else: its subcommands, a row each in xt2.c.
bin_PROGRAMS += xt2
XT2_COMMANDS = \
	xt2tables/cmd/bench-packets.c \
	xt2tables/cmd/bench-run.c \
	xt2tables/cmd/cmd-bench.c \
	xt2tables/cmd/bench.h \
	xt2tables/cmd/cmd-check.c \
	xt2tables/cmd/cmd-convert.c \
	xt2tables/cmd/cmd-counters.c \
	xt2tables/cmd/cmd-digest.c \
	xt2tables/cmd/cmd-state.c \
	xt2tables/cmd/past/cmd-diff.c \
	xt2tables/cmd/cmd-edit.c \
	xt2tables/cmd/past/cmd-history.c \
	xt2tables/cmd/dump/dump-base.c \
	xt2tables/cmd/dump/dump-base.h \
	xt2tables/cmd/dump/dump-blob.c \
	xt2tables/cmd/dump/cmd-dump.c \
	xt2tables/cmd/dump/dump.h \
	xt2tables/cmd/explain-index.c \
	xt2tables/cmd/explain-index.h \
	xt2tables/cmd/explain-output.c \
	xt2tables/cmd/explain-run.c \
	xt2tables/cmd/explain.h \
	xt2tables/cmd/cmd-explain.c \
	xt2tables/files/file.c \
	xt2tables/files/file.h \
	xt2tables/packet/context.c \
	xt2tables/files/input-files.c \
	xt2tables/files/input-live.c \
	xt2tables/cmd/captured.c \
	xt2tables/cmd/input-rule.c \
	xt2tables/files/input.c \
	xt2tables/files/input.h \
	xt2tables/files/options.c \
	xt2tables/files/options.h \
	xt2tables/packet/packet-words.c \
	xt2tables/packet/packet.c \
	xt2tables/packet/packet.h \
	xt2tables/cmd/past/cmd-monitor.c \
	xt2tables/cmd/cmd-replace.c \
	xt2tables/cmd/past/cmd-rollback.c \
	xt2tables/cmd/replay-output.c \
	xt2tables/cmd/replay-run.c \
	xt2tables/cmd/replay-summary.c \
	xt2tables/cmd/cmd-replay.c \
	xt2tables/cmd/replay.h \
	xt2tables/cmd/index-report.c \
	xt2tables/cmd/index-report.h \
	xt2tables/cmd/dump/dump-rows.c \
	xt2tables/cmd/cmd-run.c \
	xt2tables/files/sandbox.c \
	xt2tables/files/sandbox.h \
	xt2tables/cmd/cmd-save.c \
	xt2tables/host/persist.c \
	xt2tables/host/persist.h \
	xt2tables/cmd/say.c \
	xt2tables/cmd/say.h \
	xt2tables/cmd/xt2.c \
	xt2tables/cmd/cmd.h \
	xt2tables/tables/edit.c \
	xt2tables/tables/edit.h \
	xt2tables/cmd/past/past.c \
	xt2tables/cmd/past/past.h \
	$(WHERE_SOURCES)
xt2_SOURCES = $(XT2_COMMANDS) $(LIVE_COMMANDS)
xt2_LDFLAGS = $(AM_LDFLAGS) $(PIE_LDFLAGS)
xt2_LDADD = $(LIVE_LIBS) libshim.la libjson.la liboracle.la libtext.la $(PCAP_LIBS)

# The second evaluator, for explain and for the tests.
noinst_LTLIBRARIES += liboracle.la
liboracle_la_SOURCES = xt2tables/packet/oracle.c xt2tables/packet/oracle.h

XT2TABLES_LINKS = xt2ip6tables-restore xt2arptables-restore \
	xt2tables-save xt2ip6tables-save xt2arptables-save
CLEANFILES += $(XT2TABLES_LINKS)

$(XT2TABLES_LINKS): xt2tables-restore$(EXEEXT)
	$(AM_V_GEN)ln -sf xt2tables-restore$(EXEEXT) $@

# A folder of its own: beside the others, the first one would be the folder of the sources.
TABLES_NAMES = xt2tables xt2ip6tables xt2arptables
TABLES_LINKS = links/xt2tables links/xt2ip6tables links/xt2arptables
CLEANFILES += $(TABLES_LINKS)

$(TABLES_LINKS): xt2tables-restore$(EXEEXT)
	$(AM_V_at)$(MKDIR_P) links
	$(AM_V_GEN)ln -sf ../xt2tables-restore$(EXEEXT) $@

all-local: $(XT2TABLES_LINKS) $(TABLES_LINKS) $(BOOT_FILES)

install-exec-hook:
	for i in $(XT2TABLES_LINKS) $(TABLES_NAMES); do \
		ln -sf xt2tables-restore$(EXEEXT) "$(DESTDIR)$(bindir)/$$i" || exit 1; \
	done
	for i in $(XT2_WRAPPERS); do \
		ln -sf iptables-xt2 "$(DESTDIR)$(bindir)/$$i" || exit 1; \
	done

uninstall-hook: $(UNINSTALL_BOOT)
	cd "$(DESTDIR)$(bindir)" && rm -f $(XT2TABLES_LINKS) $(TABLES_NAMES) $(XT2_WRAPPERS)
