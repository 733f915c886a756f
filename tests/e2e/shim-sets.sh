#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Rules with ipsets: unmodified iptables, which deals in the kernel's numbers,
# and xt2's own tools, which know names, on the same image; sets that are gone,
# or have other numbers by now; and tables with numbers that nobody knows.
# All of it in a network namespace, which has sets of its own.
# shellcheck disable=SC2016 # single quotes are for the inner shells
if [ "$1" != inside ]; then
	PATH=$PATH:/usr/sbin:/sbin
	command -v ipset >/dev/null || { echo "SKIP: no ipset"; exit 77; }
	unshare -n ipset create x hash:ip 2>/dev/null || { echo "SKIP: no ipsets here"; exit 77; }
	exec unshare -n "$0" inside
fi
# shellcheck source=tests/e2e/shim-common.sh
. "${top_srcdir:-.}/tests/e2e/shim-common.sh"
preload=--preload
[ -z "$SANITIZE_CFLAGS" ] || preload= # the sanitizer's library must come first
can_supervise || { echo "SKIP: no seccomp notifications"; exit 77; }

ipset create blocked hash:ip
ipset create nets hash:net
ipset create ports hash:ip,port
ipset create six hash:net family inet6

cat >"$tmp/rules" <<END
*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:log - [0:0]
:accept - [0:0]
-A log -m set --match-set nets src -j LOG
-A INPUT -m set --match-set blocked src -j DROP
-A INPUT -m set ! --match-set ports src,dst -m set --match-set nets dst --return-nomatch --packets-gt 3 -j log
-A INPUT -j SET --del-set nets dst
-A INPUT -m comment --comment "two in one" -j SET --add-set blocked src --exist --timeout 60
-A accept -j SET --add-set ports src,src --del-set nets dst
COMMIT
*mangle
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
-A PREROUTING -j SET --map-set nets src --map-mark
COMMIT
END

# TEXT: what the image says
image_says() {
	rules_of "$image" | grep -- -A >"$tmp/says"
	echo "$1" | diff - "$tmp/says" || bad "the image says something else"
}

# As the kernel does it, and as text does it.
both_ways() {
	gives 0 shim iptables-legacy-restore "$tmp/rules"
	gives 0 shim iptables-legacy-save -c
	plain <"$tmp/out" >"$tmp/shim"
	unshare -n sh -c 'ipset create ports hash:ip,port; ipset create other hash:ip
		ipset create nets hash:net; ipset create blocked hash:ip
		iptables-legacy-restore "$1" && iptables-legacy-save -c' sh "$tmp/rules" |
		plain >"$tmp/kernel"
	diff "$tmp/kernel" "$tmp/shim" || bad "not what a kernel has"
	gives 0 xt2tables-save -c --image "$image"
	plain <"$tmp/out" | diff "$tmp/shim" - || bad "xt2tables-save says something else"
	gives 0 xt2tables-restore --image "$tmp/text" "$tmp/rules"
	gives 0 xt2 digest "$image" "$tmp/text" "$tmp/rules"
	[ "$(cut -c 1-64 "$tmp/out" | sort -u | wc -l)" = 1 ] || bad "another digest than the text's"
	image=$tmp/text
	gives 0 shim iptables-legacy-save -c
	plain <"$tmp/out" | diff "$tmp/shim" - || bad "an image from text as iptables-legacy saves it"
	gives 0 shim iptables-legacy -L INPUT -n
	grep -q 'match-set blocked src' "$tmp/out" || bad "an image from text, -L"
	gives 0 shim iptables-legacy -S
	[ "$(grep -c -- '-set ' "$tmp/out")" = 6 ] || bad "an image from text, -S"
	gives 0 xt2 run $preload --image "$image" -- iptables-legacy -S
	[ "$(grep -c -- '-set ' "$tmp/out")" = 6 ] || bad "with --preload"
	image=$tmp/image
}

# The tools in turn, with each other's rules.
edits() {
	rm -f "$image"
	gives 0 shim iptables-legacy -A INPUT -m set --match-set nets src -j DROP
	printf '*filter\n-A INPUT -m set --match-set blocked src -j ACCEPT\nCOMMIT\n' >"$tmp/more"
	gives 0 xt2tables-restore -n --image "$image" "$tmp/more"
	gives 0 shim iptables-legacy -I INPUT -j SET --add-set nets src
	gives 0 shim iptables-legacy -C INPUT -m set --match-set blocked src -j ACCEPT
	gives 1 shim iptables-legacy -C INPUT -m set --match-set ports src,src -j ACCEPT
	gives 0 shim iptables-legacy -D INPUT -m set --match-set blocked src -j ACCEPT
	printf '*filter\n-D INPUT -m set --match-set nets src -j DROP\nCOMMIT\n' >"$tmp/more"
	gives 0 xt2tables-restore -n --image "$image" "$tmp/more"
	image_says '[0:0] -A INPUT -j SET --add-set nets src'
	gives 0 xt2 run $preload --image "$image" -- iptables-legacy -A INPUT -m set --match-set ports src,src
	image_says '[0:0] -A INPUT -j SET --add-set nets src
[0:0] -A INPUT -m set --match-set ports src,src'
	rm -f "$image"
	gives 0 shim ip6tables-legacy -A INPUT -m set --match-set six src -j DROP
	xt2ip6tables-save --image "$image" | grep -q -- '-A INPUT -m set --match-set six src -j DROP' ||
		bad "IPv6"
	gives 0 shim ip6tables-legacy -D INPUT -m set --match-set six src -j DROP
}

# WORD: a listing that is refused says it, and why; the image stays
refused() {
	before=$(cksum <"$image")
	gives 3 shim iptables-legacy -S
	[ ! -s "$tmp/out" ] || bad "half a listing"
	grep -q "table filter, chain INPUT, rule 1: .*$1" "$tmp/err" || bad "no reason: $(cat "$tmp/err")"
	grep -q hint: "$tmp/err" || bad "no hint"
	gives 3 shim iptables-legacy -A INPUT -j DROP
	# shellcheck disable=SC2086 # words
	gives 3 $as xt2 run $preload --image "$image" -- iptables-legacy -S
	grep -q "$1" "$tmp/err" || bad "no reason with --preload"
	[ "$before" = "$(cksum <"$image")" ] || bad "the image has changed"
}

# Sets come, go and change places; rules mean the names.
other_sets() {
	rm -f "$image"
	rule='-A INPUT -m set --match-set blocked src -j DROP'
	# shellcheck disable=SC2086 # words
	gives 0 shim iptables-legacy $rule
	ipset swap blocked ports 2>/dev/null || { ipset create aside hash:ip; ipset swap blocked aside; }
	image_says "[0:0] $rule"
	shim iptables-legacy -S | grep -qx -- "$rule" || bad "after swap"
	ipset destroy blocked
	refused "no ipset 'blocked'"
	gives 2 shim iptables-legacy -A INPUT -m set --match-set blocked src
	ipset create thief hash:ip # has the number now
	refused "no ipset 'blocked'"
	ipset create blocked hash:ip
	shim iptables-legacy -S | grep -qx -- "$rule" || bad "after destroy and create"
	gives 0 shim iptables-legacy -A INPUT -m set --match-set thief src -j ACCEPT
	ipset rename thief honest
	gives 3 shim iptables-legacy -S
	grep -q "rule 2: .*'thief'" "$tmp/err" || bad "after rename: $(cat "$tmp/err")"
	ipset rename honest thief
	image_says "[0:0] $rule
[0:0] -A INPUT -m set --match-set thief src -j ACCEPT"
}

# Sets are those of the network namespace that the command is in.
namespaces() {
	gives 0 shim unshare -n sh -c 'ipset create thief hash:ip; ipset create blocked hash:ip
		iptables-legacy -S && iptables-legacy -A INPUT -m set --match-set thief dst'
	grep -q -- '-A INPUT -m set --match-set blocked src -j DROP' "$tmp/out" ||
		bad "in another namespace"
	rules_of "$image" | grep -q -- '--match-set thief dst' || bad "from another namespace"
	gives 3 shim unshare -n iptables-legacy -S
	grep -q "no ipset 'blocked'" "$tmp/err" || bad "in an empty namespace"
	gives 0 shim unshare -n sh -c 'ipset create a hash:net family inet6; ipset create six hash:net family inet6
		ip6tables-legacy -A INPUT -m set --match-set six dst && ip6tables-legacy -S'
	grep -q 'match-set six dst' "$tmp/out" || bad "IPv6 in another namespace"
}

unprivileged() {
	mkdir "$tmp/theirs" && chmod 777 "$tmp/theirs"
	cp "$image" "$tmp/theirs/image" && chmod 666 "$tmp/theirs/image"
	image=$tmp/theirs/image as=$UNPRIVILEGED
	refused "cannot be asked for ipset 'blocked': Operation not permitted"
	as='' image=$tmp/image
}

# A table with a kernel's numbers, of which a blob has nothing but the number:
# ttl's payload is as long as that of set, revision 1.
numbers() {
	printf '*filter\n-A INPUT -j ACCEPT\n-A INPUT -m ttl --ttl-eq 5 -j DROP\nCOMMIT\n' >"$tmp/ttl"
	gives 0 xt2 convert "$tmp/ttl" -o "$tmp/blob" --from save --to replace --family 4
	python3 - "$tmp/blob" <<END || bad "no ttl in it"
import sys
bytes = open(sys.argv[1], "rb").read()
at = bytes.index(b"\x28\x00ttl\x00")
new = b"\x28\x00set".ljust(31, b"\x00") + b"\x01" + b"\x02\x00\x01\x01".ljust(8, b"\x00")
open(sys.argv[1], "wb").write(bytes[:at] + new + bytes[at + len(new):])
END
	gives 0 xt2 convert "$tmp/blob" -o "$tmp/again" --from replace --to replace --family 4
	cmp "$tmp/blob" "$tmp/again" || bad "numbers do not come back"
	gives 0 xt2 convert "$tmp/blob" -o "$tmp/32" --from replace --to replace --family 4 --to-width 32
	gives 0 xt2 convert "$tmp/32" -o "$tmp/again" --from replace --to replace --family 4 --from-width 32
	cmp "$tmp/blob" "$tmp/again" || bad "numbers do not come back from 32 bits"
	for form in save json; do
		gives 3 xt2 convert "$tmp/blob" -o "$tmp/as-$form" --from replace --to $form --family 4
		grep -q 'table filter, chain INPUT, rule 2: ipset number 2 ' "$tmp/err" ||
			bad "$form: no reason: $(cat "$tmp/err")"
		[ ! -e "$tmp/as-$form" ] || bad "$form: there is something"
	done
	rm -f "$image"
	gives 0 xt2 replace --family 4 --width 64 --image "$image" "$tmp/blob"
	for command in "xt2tables-save --image" "xt2 save"; do
		# shellcheck disable=SC2086 # words
		gives "1 3" $command "$image"
		[ ! -s "$tmp/out" ] || bad "$command: half a ruleset"
		grep -q 'table filter, chain INPUT, rule 2: ipset number 2 .*under xt2 run' "$tmp/err" ||
			bad "$command: no reason: $(cat "$tmp/err")"
	done
	gives 3 shim iptables-legacy -S
	grep -q 'table filter, chain INPUT, rule 2: ipset number 2 ' "$tmp/err" || bad "a stranger's number"
	gives 0 xt2 convert "$tmp/blob" -o "$tmp/again" --from replace --to replace --family 4
	# sets that are known do not lend it their names
	printf '*filter\n-I INPUT -m set --match-set a src -m set --match-set b src -m set --match-set c src\nCOMMIT\n' >"$tmp/more"
	gives 0 xt2tables-restore -n --image "$image" "$tmp/more"
	gives "1 3" xt2tables-save --image "$image"
	grep -q 'rule 3: ipset number 2 ' "$tmp/err" || bad "whose name is it? $(cat "$tmp/out")"
}

both_ways
edits
other_sets
namespaces
if can_be_other; then unprivileged; else echo "SKIP: no other user to be"; fi
if command -v python3 >/dev/null; then numbers; else echo "SKIP: no python3"; fi
done_with
