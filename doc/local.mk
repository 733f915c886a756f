dist_man_MANS += \
	doc/xt2-apply.1 \
	doc/xt2-bench.1 \
	doc/xt2-check.1 \
	doc/xt2-confirm.1 \
	doc/xt2-convert.1 \
	doc/xt2-counters.1 \
	doc/xt2-diff.1 \
	doc/xt2-digest.1 \
	doc/xt2-doctor.1 \
	doc/xt2-dump.1 \
	doc/xt2-edit.1 \
	doc/xt2-explain.1 \
	doc/xt2-history.1 \
	doc/xt2-log.1 \
	doc/xt2-monitor.1 \
	doc/xt2-replace.1 \
	doc/xt2-replay.1 \
	doc/xt2-restore.8 \
	doc/xt2-rollback.1 \
	doc/xt2-run.1 \
	doc/xt2-save.1 \
	doc/xt2-state.1 \
	doc/xt2.1 \
	doc/xt2arptables-restore.8 \
	doc/xt2arptables-save.8 \
	doc/xt2arptables.8 \
	doc/xt2ip6tables-restore.8 \
	doc/xt2ip6tables-save.8 \
	doc/xt2ip6tables.8 \
	doc/xt2tables-restore.8 \
	doc/xt2tables-save.8 \
	doc/xt2tables.8
EXTRA_DIST += doc/README.md doc/design.md doc/extensions.md doc/format.md doc/index.md
EXTRA_DIST += doc/legacy.md
EXTRA_DIST += doc/json.md doc/xt2.schema.json
