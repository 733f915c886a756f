# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the end-to-end tests share: a folder $tmp that goes away, the programs
# of this build first in PATH, and bad() for what is wrong.
top=$(cd "${top_srcdir:-.}" && pwd)
# shellcheck disable=SC2034 # for who includes this
build=$(cd "${top_builddir:-.}" && pwd)
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' HUP INT TERM
PATH=$build/links:$build:$PATH
LC_ALL=C
export LC_ALL
failed=0
count=0

bad() {
	echo "FAIL: $*"
	failed=1
}

# PROGRAM ARGUMENTS...: its output in $tmp/out and $tmp/err, its exit code in $status
try() {
	count=$((count + 1))
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	[ "$status" -lt 126 ] || {
		bad "$*: exit code $status"
		tail -n 20 "$tmp/err"
	}
}

# STATUSES PROGRAM ARGUMENTS...: one of these exit codes, and a message unless 0
gives() {
	statuses=$1
	shift
	try "$@"
	case " $statuses " in
	*" $status "*) ;;
	*)
		bad "$*: exit code $status, not one of $statuses"
		head -n 5 "$tmp/err"
		;;
	esac
	[ "$status" = 0 ] || [ -s "$tmp/err" ] || [ -s "$tmp/out" ] || bad "$*: exit code $status, silent"
}

# IMAGE -> the IPv4 rules in it, without comments
rules_of() {
	xt2tables-save -c --image "$1" | grep -v '^#'
}

done_with() {
	echo "$count calls"
	exit $failed
}
