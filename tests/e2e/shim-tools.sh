#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Unmodified iptables-legacy and its kin on an image: load, list, edit, save;
# as root and as somebody who may do nothing; xt2's own tools see the same.
# shellcheck source=tests/e2e/shim-common.sh
. "${top_srcdir:-.}/tests/e2e/shim-common.sh"
can_supervise || { echo "SKIP: no seccomp notifications"; exit 77; }
rulesets=$top/tests/e2e/rulesets
kernel=''
if can_ask_kernel; then kernel=yes; else echo "SKIP: no kernel to compare with"; fi

# PROGRAM FILE: the image has what the kernel would have
loads_as_kernel() {
	rm -f "$image"
	gives 0 shim "$1-restore" "$2"
	shim "$1-save" -c | plain >"$tmp/shim"
	[ -s "$tmp/shim" ] || bad "$2 as saved is empty"
	if [ $kernel ]; then
		# shellcheck disable=SC2016 # the inner shell's
		unshare -n sh -c '"$1-restore" "$2" && "$1-save" -c' sh "$1" "$2" | plain >"$tmp/kernel"
		diff "$tmp/kernel" "$tmp/shim" || bad "$2: not as the kernel has it"
	fi
	gives 0 shim "$1-restore" -c "$tmp/shim"
	shim "$1-save" -c | plain | diff "$tmp/shim" - || bad "$2 does not come back"
}

# SAVE RESTORE FILE: text and binary formats lead to the same ruleset
same_as_text() {
	shim_text=$("$1" -c --image "$image" | plain)
	rm -f "$image.text"
	gives 0 "$2" --image "$image.text" "$3"
	[ "$("$1" -c --image "$image.text" | plain)" = "$shim_text" ] || bad "$3: not the same as text"
	[ "$(xt2 digest "$image" | cut -d" " -f1)" = "$(xt2 digest "$image.text" | cut -d" " -f1)" ] ||
		bad "$3: another digest than the text's"
}

# Commands one by one, and what is left of them.
edits() {
	rm -f "$image"
	for words in "-N user" "-A user -s 10.0.0.1 -j DROP" "-A INPUT -p tcp --dport 22 -j user" \
		"-I INPUT 1 -i lo -j ACCEPT" "-A INPUT -j LOG --log-prefix x" \
		"-R INPUT 3 -m limit --limit 5/min -j ACCEPT" "-E user renamed" "-N gone" "-X gone" \
		"-P FORWARD DROP" "-A OUTPUT -j DROP" "-D OUTPUT -j DROP" "-A FORWARD -j DROP" \
		"-F FORWARD" "-Z" "-C INPUT -i lo -j ACCEPT" "-t nat -A PREROUTING -j DNAT --to 1.2.3.4"; do
		# shellcheck disable=SC2086 # words
		gives 0 shim iptables-legacy $words
		[ ! -s "$tmp/err" ] || bad "$words: $(cat "$tmp/err")"
	done
	gives 1 shim iptables-legacy -C INPUT -i eth9 -j ACCEPT
	gives 1 shim iptables-legacy -N renamed
	gives 1 shim iptables-legacy -X renamed
	gives 3 shim iptables-legacy -t nosuch -L
	gives 1 shim iptables-legacy -D OUTPUT 1
	shim iptables-legacy-save | plain >"$tmp/out"
	diff - "$tmp/out" <<-EOF || bad "the edited ruleset"
	*nat
	:PREROUTING ACCEPT [0:0]
	:INPUT ACCEPT [0:0]
	:OUTPUT ACCEPT [0:0]
	:POSTROUTING ACCEPT [0:0]
	-A PREROUTING -j DNAT --to-destination 1.2.3.4
	COMMIT
	*filter
	:INPUT ACCEPT [0:0]
	:FORWARD DROP [0:0]
	:OUTPUT ACCEPT [0:0]
	:renamed - [0:0]
	-A INPUT -i lo -j ACCEPT
	-A INPUT -p tcp -m tcp --dport 22 -j renamed
	-A INPUT -m limit --limit 5/min -j ACCEPT
	-A renamed -s 10.0.0.1/32 -j DROP
	COMMIT
	EOF
}

arp_and_bridge() {
	rm -f "$image"
	gives 0 shim arptables-legacy -N user
	gives 0 shim arptables-legacy -A INPUT -s 10.0.0.1 -j user
	gives 0 shim arptables-legacy -A user --opcode 1 -j DROP
	gives 0 shim arptables-legacy -P OUTPUT DROP
	gives 0 shim arptables-legacy -Z
	gives 0 shim arptables-legacy -L -n
	printf '%s\n' 'Chain INPUT (policy ACCEPT)' '-j user -s 10.0.0.1 ' '' \
		'Chain OUTPUT (policy DROP)' '' 'Chain FORWARD (policy ACCEPT)' '' \
		'Chain user (1 references)' '-j DROP --opcode 1 ' | diff - "$tmp/out" || bad "arptables -L"
	gives 0 shim ebtables-legacy -N user
	gives 0 shim ebtables-legacy -A INPUT -p IPv4 --ip-src 10.0.0.0/8 -j user
	gives 0 shim ebtables-legacy -A user -i eth0 -j DROP
	gives 0 shim ebtables-legacy -P OUTPUT DROP
	gives 0 shim ebtables-legacy -L
	printf '%s\n' 'Bridge table: filter' '' 'Bridge chain: INPUT, entries: 1, policy: ACCEPT' \
		'-p IPv4 --ip-src 10.0.0.0/8 -j user' '' \
		'Bridge chain: FORWARD, entries: 0, policy: ACCEPT' '' \
		'Bridge chain: OUTPUT, entries: 0, policy: DROP' '' \
		'Bridge chain: user, entries: 1, policy: ACCEPT' '-i eth0 -j DROP ' |
		diff - "$tmp/out" || bad "ebtables -L"
}

# What arptables has no program for: saved text, line by line.
arptables_load() {	# FILE
	rm -f "$image"
	while read -r line; do
		chain=${line%% *} chain=${chain#:}
		case $line in
		':'*' -') words="-N $chain" ;;
		':'*) words="-P $chain ${line#* }" ;;
		-A*) words=$line ;;
		*) continue ;;
		esac
		# shellcheck disable=SC2086 # words
		gives 0 shim arptables-legacy $words
	done <"$1"
}

everything() {
	for f in "$rulesets"/v4-*.rules "$top/examples/server.rules"; do
		cp "$f" "$tmp/rules" && chmod 644 "$tmp/rules"
		loads_as_kernel iptables-legacy "$tmp/rules"
		same_as_text xt2tables-save xt2tables-restore "$tmp/rules"
	done
	for f in "$rulesets"/v6-*.rules "$top/examples/server6.rules"; do
		cp "$f" "$tmp/rules" && chmod 644 "$tmp/rules"
		loads_as_kernel ip6tables-legacy "$tmp/rules"
		same_as_text xt2ip6tables-save xt2ip6tables-restore "$tmp/rules"
	done
	edits
	arp_and_bridge
	for f in "$rulesets"/arp-*.rules; do
		arptables_load "$f"
		gives 0 shim arptables-legacy -L -n
		[ "$(grep -c '^-j' "$tmp/out")" = "$(grep -c '^-A.*-j' "$f")" ] || bad "$f as listed"
	done
	for f in "$rulesets"/ebt-*.rules; do
		rm -f "$image"
		cp "$f" "$tmp/rules" && chmod 644 "$tmp/rules"
		# shellcheck disable=SC2016 # the inner shell's
		gives 0 shim sh -c 'ebtables-legacy-restore <"$1"' sh "$tmp/rules"
		# shellcheck disable=SC2016 # the inner shell's
		gives 0 shim sh -c 'for t in filter nat broute; do ebtables-legacy -t $t -L --Lc; done'
		diff "${f%.rules}.listed" "$tmp/out" || bad "$f as listed"
	done
}

everything
if can_be_other; then
	mkdir "$tmp/theirs" && chmod 777 "$tmp/theirs"
	image=$tmp/theirs/image
	as=$UNPRIVILEGED
	everything
	[ "$(stat -c %u "$image")" = 65534 ] || bad "whose image is this?"
	as=''
else
	echo "SKIP: no other user to be"
fi

# counters: of a replay, zeroed, and those of deleted rules are gone
image=$tmp/image
rm -f "$image"
gives 0 xt2 replay -r "$top/examples/server.rules" -H INPUT -i eth0 --ctstate NEW \
	--counters "$tmp/counters" "$top/examples/server.pcap"
gives 0 xt2tables-restore --image "$image" "$top/examples/server.rules"
gives 0 xt2 replay --image "$image" --update -H INPUT -i eth0 --ctstate NEW "$top/examples/server.pcap"
gives 0 shim iptables-legacy -L INPUT -v -x -n
cp "$tmp/out" "$tmp/listing"
total=$(awk 'NR > 2 { n += $1 } END { print n }' "$tmp/listing")
[ "$total" -gt 0 ] || bad "no counters in the listing"
want=$(sed -n 's/^\[\([0-9]*\):.*-A INPUT.*/\1/p' "$tmp/counters" | awk '{ n += $1 } END { print n }')
[ "$total" = "$want" ] || bad "$total packets listed, $want counted"
gives 0 shim iptables-legacy -A INPUT -p udp --dport 9 -j ACCEPT
rules_of "$image" | grep -q -- '-A INPUT -p udp -m udp --dport 9 -j ACCEPT' || bad "-A does not show"
after=$(shim iptables-legacy -L INPUT -v -x -n | awk 'NR > 2 { n += $1 } END { print n }')
[ "$after" = "$total" ] || bad "-A changes the counters: $after, not $total"
gives 0 shim iptables-legacy -Z INPUT
rules_of "$image" | grep -- '-A INPUT' | grep -v '^\[0:0\]' && bad "-Z leaves counters"
shim iptables-legacy -L -v -x -n | grep -q '^ *[1-9][0-9]* .*LOG' || bad "-Z INPUT zeroes other chains"
done_with
