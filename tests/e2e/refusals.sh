#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What xt2 apply refuses: all of it at once, by name, with place, text and one
# hint of a kind; xt2 check --live and xt2tables-restore --live say the same.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
cd "$tmp" || exit 99
try xt2 check --live /dev/null
if grep -q 'not in this build' err; then
	echo "SKIP: $(cat err)"
	exit 77
fi
none=xt2-none-$$ # no such network namespace: if a ruleset is not refused, this is

# FILE: the rules, and what is said of them
cat >rules <<'EOF'
*mangle
:PREROUTING ACCEPT [0:0]
-A PREROUTING -p tcp -j MARK --set-xmark 0x1/0xffffffff
-A PREROUTING -p udp -m quota --quota 9 -m connlimit --connlimit-upto 5 -j QUEUE
-A PREROUTING -m quota --quota 9 -m bpf --bytecode "1,6 0 0 1"
COMMIT
*nat
:PREROUTING ACCEPT [7:700]
:OUTPUT ACCEPT [0:0]
:DOCKER - [0:0]
[3:30] -A PREROUTING -m addrtype --dst-type LOCAL -j DOCKER
[0:0] -A DOCKER -p tcp -m tcp --dport 80 -j DNAT --to-destination 10.0.0.2
COMMIT
*filter
:INPUT DROP [0:0]
:ssh - [0:0]
:unused - [0:0]
-A INPUT -i lo -j ACCEPT
-A INPUT -p tcp --dport 22 -j ssh
-A INPUT -m set --match-set bad src -j REJECT --reject-with icmp-admin-prohibited
-A OUTPUT -m owner --uid-owner 7 -j ACCEPT
-A ssh -m recent --name ssh --rcheck --seconds 60 --hitcount 200 -j REJECT
-A ssh -m quota --quota 9 -m connlimit --connlimit-upto 5 -j ACCEPT
-A unused -m connlimit --connlimit-upto 5
COMMIT
EOF
mark="let iptables' own table mangle, which works beside the live ones and comes before filter, mark such packets (-j MARK), and match -m mark here"
cat >expected <<EOF
rules:4: error[E_UNSUPPORTED]: mangle/PREROUTING:2: a live ruleset cannot match connlimit
   4 | -A PREROUTING -p udp -m quota --quota 9 -m connlimit --connlimit-upto 5 --connlimit-mask 32 --connlimit-saddr -j QUEUE
   hint: keep the rule in iptables' own table, which works beside the live ones
rules:4: error[E_UNSUPPORTED]: mangle/PREROUTING:2: a live ruleset cannot do QUEUE
   4 | -A PREROUTING -p udp -m quota --quota 9 -m connlimit --connlimit-upto 5 --connlimit-mask 32 --connlimit-saddr -j QUEUE
rules:22: error[E_UNSUPPORTED]: filter/ssh:1: a live ruleset cannot match recent
  22 | -A ssh -m recent --rcheck --seconds 60 --hitcount 200 --name ssh --mask 255.255.255.255 --rsource -j REJECT --reject-with icmp-port-unreachable
   hint: xt2 keeps 128 times of an address: --hitcount 128 at most
rules:23: error[E_UNSUPPORTED]: filter/ssh:2: a live ruleset cannot match connlimit
  23 | -A ssh -m quota --quota 9 -m connlimit --connlimit-upto 5 --connlimit-mask 32 --connlimit-saddr -j ACCEPT
   hint: $mark
rules:5: error[E_UNSUPPORTED]: mangle/PREROUTING:3: a live ruleset cannot match bpf after a rule of the table that changes what it looks at
   5 | -A PREROUTING -m quota --quota 9 -m bpf --bytecode "1,6 0 0 1"
   hint: put the rule before those that change packets, or into a table that comes before
EOF

# WHAT FILE: is it what was expected?
said() {
	diff expected "$2" >difference || { bad "$1"; cat difference; }
}

gives 3 xt2 apply --netns $none rules
said "xt2 apply" err
gives 3 xt2 check --live rules
grep -q '^rules: 12 rules in 15 chains, 5 that cannot be live, 1 warning$' out || bad "$(tail -n 1 out)"
sed '/ warning: /,$d' out >list
said "xt2 check --live" list
[ ! -s err ] || bad "xt2 check --live: $(cat err)"

# An image knows the lines as well, and says the family, since it may have both.
xt2tables-restore --image image rules || bad "restore"
sed 's/: \([a-z]*\/[A-Za-z]*:[0-9]: \)/: ipv4 \1/' expected >other
mv other expected
gives 3 xt2 apply --netns $none image
said "xt2 apply image" err

# What no packet reaches, and tables without effect, are fine.
printf '%s\n' '*nat' ':PREROUTING ACCEPT [9:99]' ':DOCKER - [0:0]' '[1:1] -A DOCKER -j RETURN' COMMIT \
	'*filter' ':unused - [0:0]' '-A INPUT -j DROP' '-A INPUT -j NFQUEUE' '-A unused -j NFQUEUE' COMMIT >idle
gives 0 xt2 check --live idle
xt2arptables-restore --image image2 "$top/tests/golden/accept/201-arp.arp" || bad "arp"
gives 3 xt2 check --live image2
grep -q 'cannot have table filter of arp with rules' out || bad "arp: $(cat out)"

# Many of a kind hide no other kind; hints come once.
{
	echo '*filter'
	for i in $(seq 1 250); do echo "-A INPUT -s 10.0.0.$i/32 -j QUEUE"; done
	for i in $(seq 1 12); do echo "-A INPUT -m recent --name s$i --rcheck --hitcount 200"; done
	echo COMMIT
} >many
gives 3 xt2 apply --netns $none many
[ "$(grep -c 'cannot do QUEUE' err)" = 10 ] || bad "QUEUE: $(grep -c 'do QUEUE' err)"
[ "$(grep -c 'cannot match recent' err)" = 10 ] || bad "recent: $(grep -c 'match recent' err)"
[ "$(grep -c 'hint:' err)" = 2 ] || bad "$(grep -c 'hint:' err) hints"
tail -n 1 err | grep -q '^many: 242 more, .*: 240 QUEUE, 2 recent$' || bad "$(tail -n 1 err)"
gives 3 xt2 check --live many
grep -q '^many: 242 more, .*: 240 QUEUE, 2 recent$' out || bad "check: $(tail -n 3 out)"
gives 3 xt2 check --live --json many
[ "$(grep -o '"severity":"unsupported"' out | wc -l)" = 262 ] || bad "JSON leaves some out"
[ "$(grep -o '"hint"' out | wc -l)" = 262 ] || bad "JSON leaves hints out"

# More kinds than are printed.
{
	echo '*filter'
	for c in INPUT FORWARD; do
		for m in '-m recent --name a --rcheck --hitcount 200' '-m quota --quota 9 -m connlimit --connlimit-above 1' '-m quota --quota 9 -m nfacct --nfacct-name a' \
			'-p tcp -m quota --quota 9 -m osf --genre Linux' '-m connlabel --label 1 --set' \
			'-m quota --quota 9 -m cluster --cluster-total-nodes 2 --cluster-local-node 1 --cluster-hash-seed 1' \
			'-p udp -j QUEUE' '-p tcp -j SYNPROXY --mss 1460' \
			'-m hashlimit --hashlimit-name x --hashlimit-above 10kb/s --hashlimit-rate-match --hashlimit-rate-interval 1' \
			'-j HMARK --hmark-tuple src --hmark-mod 7 --hmark-rnd 1'; do
			for _ in 1 2 3 4 5 6; do echo "-A $c $m"; done
		done
	done
	echo COMMIT
} >kinds
gives 3 xt2 apply --netns $none kinds
[ "$(grep -c 'error\[' err)" = 100 ] || bad "$(grep -c 'error\[' err) of many kinds"
grep -q '^kinds: 20 more, ' err || bad "$(tail -n 1 err)"

# All files at once; the worst of them decides.
gives 3 xt2 apply --netns $none -6 idle -4 idle rules many
for i in 'rules:22' 'many: 242'; do
	grep -q "^$i" err || bad "not all files: $i"
done
gives 2 xt2 apply --netns $none rules nosuch
gives 2 xt2 check --live rules nosuch
gives 2 xt2 apply --netns $none nosuch rules
gives 2 xt2 check --live idle --live --netns x

# Whatever the ruleset: what xt2 check --live says, xt2 apply does.
for i in "$top"/tests/golden/*/*.v[46] "$top"/tests/e2e/rulesets/v*.rules "$top"/examples/*.rules; do
	case ${i##*/} in
	v6* | *6.rules | *.v6) family=-6 ;;
	*) family=-4 ;;
	esac
	gives "0 2 3 4" xt2 check --live $family "$i"
	code=$status
	gives "2 3 4" xt2 apply --netns $none $family "$i"
	grep -q "network namespace $none" err && status=0
	[ $status = $code ] || bad "$i: check --live says $code, apply $status"
done

# What a text changes is checked with what is live, so restoring needs root.
if [ "$(id -u)" = 0 ] && unshare -n true 2>/dev/null; then
	sed 's/^rules:/<stdin>:/; s/: ipv4 \([a-z]*\/\)/: \1/' expected >other
	mv other expected
	count=$((count + 1))
	unshare -n xt2tables-restore --live <rules >out 2>err
	status=$?
	[ $status = 3 ] || bad "xt2tables-restore --live: exit code $status"
	said "xt2tables-restore --live" err
	gives 3 unshare -n xt2tables-restore --live -t many
	grep -q '^many: 242 more' err || bad "restore --test: $(tail -n 1 err)"
fi
done_with
