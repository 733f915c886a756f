# Golden cases of the text programs, and iptables' own extension tests.
TESTS += tests/golden/run.sh tests/golden/xtables-suite.py
dist_check_SCRIPTS += tests/golden/run.sh tests/golden/xtables-suite.py
# The source package that xtables-suite.py fetches.
clean-local:
	rm -rf cache
EXTRA_DIST += $(GOLDEN_CASES)
GOLDEN_CASES = \
	tests/golden/accept/001-server.v4 \
	tests/golden/accept/001-server.v4.ok \
	tests/golden/accept/002-router.v4 \
	tests/golden/accept/002-router.v4.ok \
	tests/golden/accept/003-grammar.v4 \
	tests/golden/accept/003-grammar.v4.ok \
	tests/golden/accept/004-noflush.v4 \
	tests/golden/accept/004-noflush.v4.base \
	tests/golden/accept/004-noflush.v4.ok \
	tests/golden/accept/005-nocounters.v4 \
	tests/golden/accept/005-nocounters.v4.ok \
	tests/golden/accept/006-table.v4 \
	tests/golden/accept/006-table.v4.ok \
	tests/golden/accept/007-carried.v4 \
	tests/golden/accept/007-carried.v4.ok \
	tests/golden/accept/008-wildcards.v4 \
	tests/golden/accept/008-wildcards.v4.ok \
	tests/golden/accept/009-state.v4 \
	tests/golden/accept/009-state.v4.ok \
	tests/golden/accept/010-empty.v4 \
	tests/golden/accept/010-empty.v4.ok \
	tests/golden/accept/011-attached.v4 \
	tests/golden/accept/011-attached.v4.ok \
	tests/golden/accept/012-sets.v4 \
	tests/golden/accept/012-sets.v4.ok \
	tests/golden/accept/013-sets-noflush.v4 \
	tests/golden/accept/013-sets-noflush.v4.base \
	tests/golden/accept/013-sets-noflush.v4.ok \
	tests/golden/accept/101-server.v6 \
	tests/golden/accept/101-server.v6.ok \
	tests/golden/accept/102-grammar.v6 \
	tests/golden/accept/102-grammar.v6.ok \
	tests/golden/accept/201-arp.arp \
	tests/golden/accept/201-arp.arp.ok \
	tests/golden/reject/001-typo.v4 \
	tests/golden/reject/001-typo.v4.err \
	tests/golden/reject/002-target.v4 \
	tests/golden/reject/002-target.v4.err \
	tests/golden/reject/003-table.v4 \
	tests/golden/reject/003-table.v4.err \
	tests/golden/reject/004-loop.v4 \
	tests/golden/reject/004-loop.v4.err \
	tests/golden/reject/005-hook.v4 \
	tests/golden/reject/005-hook.v4.err \
	tests/golden/reject/006-second-table.v4 \
	tests/golden/reject/006-second-table.v4.err \
	tests/golden/reject/007-options.v4 \
	tests/golden/reject/007-options.v4.err \
	tests/golden/reject/008-commands.v4 \
	tests/golden/reject/008-commands.v4.err \
	tests/golden/reject/009-no-commit.v4 \
	tests/golden/reject/009-no-commit.v4.err \
	tests/golden/reject/010-no-commit-between.v4 \
	tests/golden/reject/010-no-commit-between.v4.err \
	tests/golden/reject/011-outside.v4 \
	tests/golden/reject/011-outside.v4.err \
	tests/golden/reject/012-chains.v4 \
	tests/golden/reject/012-chains.v4.err \
	tests/golden/reject/013-kernel-bound.v4 \
	tests/golden/reject/013-kernel-bound.v4.err \
	tests/golden/reject/014-dos.v4 \
	tests/golden/reject/014-dos.v4.err \
	tests/golden/reject/015-quote.v4 \
	tests/golden/reject/015-quote.v4.err \
	tests/golden/reject/016-nat-drop.v4 \
	tests/golden/reject/016-nat-drop.v4.err \
	tests/golden/reject/017-many.v4 \
	tests/golden/reject/017-many.v4.err \
	tests/golden/reject/018-zero-byte.v4 \
	tests/golden/reject/018-zero-byte.v4.err \
	tests/golden/reject/019-builtin-jump.v4 \
	tests/golden/reject/019-builtin-jump.v4.err \
	tests/golden/reject/020-option-hooks.v4 \
	tests/golden/reject/020-option-hooks.v4.err \
	tests/golden/reject/021-noflush.v4 \
	tests/golden/reject/021-noflush.v4.base \
	tests/golden/reject/021-noflush.v4.err \
	tests/golden/reject/022-other-family.v4 \
	tests/golden/reject/022-other-family.v4.err \
	tests/golden/reject/023-image.v4 \
	tests/golden/reject/023-image.v4.err \
	tests/golden/reject/101-v6.v6 \
	tests/golden/reject/101-v6.v6.err \
	tests/golden/reject/201-arp.arp \
	tests/golden/reject/201-arp.arp.err
