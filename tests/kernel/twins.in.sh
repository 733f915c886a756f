# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# In a virtual machine: two network namespaces in one kernel, whose rules are in the kernel's tables in one and in
# the module's in the other: random rulesets count and do the same.  SEEDS: first-last.
. "$HERE/lib.sh"
TABLES=xt1
load_tables
check insmod "$MODULE" sockopts=N
python3 "$HERE/../bpf/twins.py" --xt2 "$top_builddir/xt2" --inject "$top_builddir/tests/lib/inject" --host kernel \
	--seeds "${SEEDS:-1-4}" || fail "twins.py: exit code $?"
end
