#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Golden cases of the text programs.
#
#   accept/NAME.{v4,v6,arp}      a file to restore; NAME....ok is what -save -c then prints,
#                                NAME....base is restored first
#   reject/NAME.{v4,v6,arp}      a file to refuse; NAME....err is the exact message, and the
#                                image stays as it was
#
# A line "# options: ..." gives options to the program.  What is saved must come
# back the same (print, parse, print), and where iptables-legacy can be asked it
# must print the same, unless "# legacy: no" says why not.
#
#   run.sh            run all cases
#   run.sh --bless    write what the programs print into .ok and .err: look at the diff
set -u

srcdir=$(cd "$(dirname "$0")" && pwd)
bindir=$(cd "${top_builddir:-.}" && pwd)
bless=${1:-}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
XT2_IMAGE=$tmp/image
export XT2_IMAGE
LC_ALL=C
export LC_ALL
count=0
failed=0

if [ ! -x "$bindir/xt2tables-save" ]; then
	echo "SKIP: xt2tables-save is not in $bindir"
	exit 77
fi
witness=no
if unshare -n iptables-legacy-save -t filter >/dev/null 2>&1 &&
   unshare -n ip6tables-legacy-save -t filter >/dev/null 2>&1; then
	witness=yes
else
	echo "SKIP: iptables-legacy cannot be asked here: cases are not compared with it"
fi

program() {	# FILE -> prefix of its programs
	case $1 in
	*.v4*) echo xt2tables ;;
	*.v6*) echo xt2ip6tables ;;
	*) echo xt2arptables ;;
	esac
}

options() {	# FILE -> options
	sed -n 's/^# options: //p' "$1"
}

bad() {
	echo "FAIL: $*"
	failed=$((failed + 1))
}

same() {	# WHAT EXPECTED GOT
	if [ "$bless" = --bless ] && [ "$2" != "$tmp/before" ]; then
		cp "$3" "$2"
	fi
	cmp -s "$2" "$3" && return
	bad "$1"
	diff -u "$2" "$3" | head -40
}

save() {	# FILE -> its family's tables without comments
	"$bindir/$(program "$1")-save" -c | grep -v '^#'
}

ask_legacy() {	# FILE: what iptables-legacy makes of it
	case $1 in
	*.v4) tool=iptables-legacy ;;
	*.v6) tool=ip6tables-legacy ;;
	*) return 1 ;;
	esac
	[ $witness = yes ] && ! grep -q '^# legacy: no' "$1" || return 1
	# shellcheck disable=SC2016
	unshare -n sh -c '
		if [ -e "$1.base" ]; then "$2-restore" -c < "$1.base" || exit; fi
		"$2-restore" $3 < "$1" && "$2-save" -c' sh "$1" "$tool" "$(options "$1")" \
		> "$tmp/legacy.all" 2> "$tmp/legacy.err" || {
		bad "$1: iptables-legacy does not load it"
		cat "$tmp/legacy.err"
		return 1
	}
	grep -v '^#' "$tmp/legacy.all" > "$tmp/legacy"
}

accept() {
	rm -f "$XT2_IMAGE"
	restore=$bindir/$(program "$1")-restore
	if [ -e "$1.base" ]; then
		"$restore" -c "$1.base" || bad "$1.base"
	fi
	# shellcheck disable=SC2046
	"$restore" $(options "$1") "$1" 2> "$tmp/err" || {
		bad "$1 is refused"
		cat "$tmp/err"
		return
	}
	save "$1" > "$tmp/got"
	same "$1" "$1.ok" "$tmp/got"
	if ask_legacy "$1"; then
		cmp -s "$tmp/legacy" "$tmp/got" || {
			bad "$1: iptables-legacy prints"
			diff -u "$tmp/legacy" "$tmp/got" | head -40
		}
	fi
	cp "$tmp/got" "$tmp/before"
	"$restore" -c "$tmp/before" || bad "$1: what was saved is refused"
	save "$1" > "$tmp/got"
	same "$1: what was saved does not come back" "$tmp/before" "$tmp/got"
}

reject() {
	rm -f "$XT2_IMAGE"
	restore=$bindir/$(program "$1")-restore
	if [ -e "$1.base" ]; then
		"$restore" -c "$1.base" || bad "$1.base"
	else
		printf '*filter\n:INPUT DROP [0:0]\n-A INPUT -j ACCEPT\nCOMMIT\n' | "$restore" ||
			bad "setup"
	fi
	cp "$XT2_IMAGE" "$tmp/before"
	# shellcheck disable=SC2046
	(cd "$srcdir/reject" && "$restore" $(options "$1") "${1##*/}") > "$tmp/out" 2> "$tmp/err"
	echo "exit status $?" >> "$tmp/err"
	same "$1" "$1.err" "$tmp/err"
	same "$1: the image is not as it was" "$tmp/before" "$XT2_IMAGE"
	grep -q 'exit status [1-4]' "$tmp/err" || bad "$1 is not refused"
}

for file in "$srcdir"/accept/*.v4 "$srcdir"/accept/*.v6 "$srcdir"/accept/*.arp; do
	accept "$file"
	count=$((count + 1))
done
for file in "$srcdir"/reject/*.v4 "$srcdir"/reject/*.v6 "$srcdir"/reject/*.arp; do
	reject "$file"
	count=$((count + 1))
done
echo "$count cases, $failed failures"
[ $failed = 0 ] && [ $count -gt 30 ]
