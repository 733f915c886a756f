# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the scripts in user-mode Linux share.  TABLES says whose they are: xt1, xt2; PARAMETERS: of the module,
# with commas between them.
FAILED=0
modprobe -a x_tables nf_conntrack nf_nat 2>/dev/null # what insmod does not load; or they are built in
ip link set lo up

fail() {
	echo "FAIL: $*"
	FAILED=1
}

check() {
	"$@" || fail "$*: exit code $?"
}

refused() {
	! "$@" 2>/dev/null || fail "$*: not refused"
}

# The tables of the kernel's own, or the module in their place.
load_tables() {
	case $TABLES in
	xt1)
		for family in ip ip6; do
			for table in filter nat mangle raw security; do
				modprobe "${family}table_$table" || fail "no table $table of $family"
			done
		done
		check modprobe arptable_filter
		;;
	xt2) use_module ;;
	esac
}

# As an installation: whoever asks for the kernel's own tables, also by an extension that is not there, gets the module.
use_module() {
	[ -w /etc/modprobe.d ] || mount -t tmpfs tmpfs /etc/modprobe.d
	cp "$HERE/../../kernel/module/modprobe.conf" /etc/modprobe.d/xt2.conf
	# shellcheck disable=SC2046 # parameters
	check insmod "$MODULE" $(echo "$PARAMETERS" | tr , ' ')
}

# A match or a target that asks for the kernel's own tables would have them answer in the module's place.
end() {
	[ "$TABLES" = xt1 ] || ! grep -qE '^(ip|ip6|arp)_tables' /proc/modules || fail "the kernel's own tables are loaded"
	exit "$FAILED"
}
