# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# In user-mode Linux: random rulesets and packets, with the module as the kernel that is compared.
. "$HERE/lib.sh"
load_tables
cd "$top_builddir" || exit 1
python3 "$top_srcdir/tests/prop/run.py" --xt2 ./xt2 --inject tests/lib/inject $ARGUMENTS || fail "counters"
[ -z "$PARAMETERS" ] || [ "$(cat /sys/module/xt2/parameters/indexed)" -gt 20 ] || fail "hardly a table had an index"
end
