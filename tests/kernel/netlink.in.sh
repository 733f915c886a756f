# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# In a virtual machine: xt2's own commands with --host kernel, beside iptables' on the same tables.
. "$HERE/lib.sh"
xt2=$top_builddir/xt2
tables=$top_builddir/links/xt2tables
PATH=$PATH:/usr/sbin
run=/run/netlink
mkdir -p $run
kernel() {	# COMMAND ARGUMENTS...
	command=$1
	shift
	"$xt2" "$command" --host kernel "$@"
}
rules() { iptables-legacy-save "$@" | grep -v '^[#:]'; }
live() { kernel save --live "$@" | grep -v '^[#:]'; }
same() {
	rules -c >$run/have.legacy
	live -c >$run/have.live
	diff $run/have.legacy $run/have.live || fail "$1: what iptables-save and xt2 save print"
}

kernel status 2>$run/err && fail "status without the module"
grep -q 'modprobe xt2' $run/err || fail "$(cat $run/err)"
load_tables
kernel status >$run/out && fail "status of no tables: $(cat $run/out)"
grep -qx 'generation 0' $run/out || fail "$(cat $run/out)"

cat >$run/v4 <<'END'
*raw
-A PREROUTING -p udp -m udp --dport 53 -j NOTRACK
COMMIT
*mangle
-A PREROUTING -p icmp -j MARK --set-xmark 0x7/0xffffffff
COMMIT
*nat
-A POSTROUTING -s 10.9.0.0/24 -j MASQUERADE
COMMIT
*filter
:INPUT ACCEPT [0:0]
:FORWARD DROP [0:0]
:OUTPUT ACCEPT [0:0]
:own - [0:0]
-A INPUT -i lo -m mark --mark 0x7 -j own
-A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -m comment --comment "what is known" -j ACCEPT
-A INPUT -p tcp -m tcp --dport 23 -j REJECT --reject-with tcp-reset
-A INPUT -m limit --limit 5/sec -m recent --set --name seen --mask 255.255.255.255 --rsource
-A own -m quota --quota 1000000
-A own -m statistic --mode nth --every 2 --packet 0
-A own -p icmp
COMMIT
END
cat >$run/v6 <<'END'
*filter
-A INPUT -p ipv6-icmp -j ACCEPT
-A INPUT -m hashlimit --hashlimit-above 5/sec --hashlimit-burst 5 --hashlimit-mode srcip --hashlimit-name h6 -j DROP
COMMIT
END
check kernel apply $run/v4 -6 $run/v6
# As iptables prints its own rules of this text.
grep '^-A' $run/v4 | sort >$run/want
rules | grep '^-A' | sort >$run/have
diff $run/want $run/have || fail "the rules that iptables-save prints"
ip6tables-legacy-save | grep '^-A' | diff - $run/v6 | grep '^[<] -A' && fail "IPv6"
same "applied"
[ "$(iptables-legacy -S FORWARD | head -n 1)" = '-P FORWARD DROP' ] || fail "policy"
[ "$(kernel status | grep -c '^table')" = 5 ] || fail "$(kernel status)"
refused rmmod xt2

# Rules that stay go on counting, and only tables that change are sent.
ping -q -c 5 -i 0.01 127.0.0.1 >/dev/null
rules -c | grep -q '^\[10:840\] -A own -p icmp' || fail "$(rules -c)"
same "counted"
generation() { kernel status | sed -n 's/^generation //p'; }
before=$(generation)
check "$tables" --live --host kernel -I INPUT 1 -p tcp -m tcp --dport 99 -j DROP
[ "$(generation)" = $((before + 1)) ] || fail "generation $(generation) after $before"
rules -c | grep -q '^\[10:840\] -A own -p icmp' || fail "after an insertion: $(rules -c)"
rules -c | grep -q '^\[0:0\] -A INPUT -p tcp -m tcp --dport 99 -j DROP' || fail "the new rule: $(rules -c)"
same "inserted"
ping -q -c 5 -i 0.01 127.0.0.1 >/dev/null
check iptables-legacy -D INPUT 1
check kernel apply $run/v4
rules -c | grep -q '^\[20:1680\] -A own -p icmp' || fail "after all: $(rules -c)"
same "deleted by iptables"
before=$(generation)
check kernel apply $run/v4
[ "$(generation)" = "$before" ] || fail "nothing has changed, and there is a generation"
check kernel apply --counters reset $run/v4
rules -c | grep -q '^\[0:0\] -A own -p icmp' || fail "reset: $(rules -c)"

# Single commands are carried out where the rules are; what fails is told in iptables' words.
ping -q -c 5 -i 0.01 127.0.0.1 >/dev/null
while read -r words; do
	# shellcheck disable=SC2086 # words
	check "$tables" --live --host kernel $words
done <<'END'
-N fresh
-A fresh -s 192.0.2.1,192.0.2.2 -m limit --limit 3/min -j REJECT
-I INPUT 2 -m conntrack --ctstate INVALID -j fresh
-R fresh 1 -d 192.0.2.3 -j LOG --log-prefix seen
-A fresh -g own
-E fresh renamed
-I INPUT -p udp -j DROP
-D INPUT 1
-N LOGS
-A OUTPUT -j LOGS
-D OUTPUT -j LOGS
-X LOGS
END
iptables-legacy -S >$run/have
for rule in '-N renamed' '-A INPUT -m conntrack --ctstate INVALID -j renamed' '-A renamed -g own' \
	'-A renamed -d 192.0.2.3/32 -j LOG --log-prefix seen' \
	'-A renamed -s 192.0.2.2/32 -m limit --limit 3/min -j REJECT --reject-with icmp-port-unreachable'; do
	grep -qxF -- "$rule" $run/have || fail "no $rule: $(cat $run/have)"
done
! grep LOGS $run/have || fail "a chain that has gone"
ping -q -c 5 -i 0.01 127.0.0.1 >/dev/null
rules -c | grep -q '^\[20:1680\] -A own -p icmp' || fail "single commands: $(rules -c)"
while read -r words; do
	# shellcheck disable=SC2086 # words
	iptables-legacy $words >$run/want 2>&1
	echo $? >>$run/want
	# shellcheck disable=SC2086 # words
	"$tables" --live --host kernel $words 2>&1 >$run/out.1 | grep -v '^xt2: ' >$run/out
	# shellcheck disable=SC2086 # words
	"$tables" --live --host kernel $words >/dev/null 2>&1
	echo $? >>$run/out
	sed 's/ (legacy)//; /^$/d' $run/want >$run/want.1
	sed 's/ (xt2 [0-9.]*)//' $run/out | diff $run/want.1 - || fail "$words"
done <<'END'
-A INPUT -j nosuch
-A nosuch -j DROP
-I INPUT 99 -j DROP
-D INPUT 99
-R INPUT 99 -j DROP
-D INPUT -s 192.0.2.99
-X renamed
-N renamed
-E nosuch other
-E renamed own
-A own -j renamed
END
"$tables" --live --host kernel -F renamed
check "$tables" --live --host kernel -D INPUT 2
check "$tables" --live --host kernel -X renamed
same "single commands"
check kernel apply --counters reset $run/v4

# Packets on their way while tables are swapped are all counted.
ping -q -f -w 6 127.0.0.1 >$run/flood &
for n in 1 2 3 4 5 6; do
	check "$tables" --live --host kernel -A INPUT -s 192.0.2.$n -j DROP
	check "$tables" --live --host kernel -D INPUT -s 192.0.2.$n -j DROP
done
wait
sent=$(sed -n 's/^\([0-9]*\) packets transmitted.*/\1/p' $run/flood)
came=$(sed -n 's/.*transmitted, \([0-9]*\) received.*/\1/p' $run/flood)
counted=$(rules -c | sed -n 's/^\[\([0-9]*\):.*-A own -p icmp$/\1/p')
[ "$counted" = $((sent + came)) ] || fail "$sent pings, $came answers, $counted counted"

# What the kernel refuses changes nothing, and is told in words.
before=$(generation)
live >$run/before
printf '%s\n' '*mangle' '-A FORWARD -p tcp -j MARK --set-mark 1' COMMIT \
	'*raw' '-A PREROUTING -i lo' '-A PREROUTING -p tcp -j CT --helper nobody' COMMIT >$run/wrong
kernel apply $run/wrong 2>$run/err && fail "a helper that is not there"
grep -q 'table raw, chain PREROUTING, rule 2: .*CT' $run/err || fail "$(cat $run/err)"
live | diff $run/before - || fail "a refused ruleset has changed the tables"
[ "$(generation)" = "$before" ] || fail "a refused ruleset is a generation"

# Who holds iptables' lock keeps others out, as among iptables' own programs.
flock /run/xtables.lock sleep 2 &
sleep 0.5
kernel apply $run/v4 2>$run/err && fail "beside a program that holds the lock"
grep -q 'another program is changing' $run/err || fail "$(cat $run/err)"
check "$tables" --live --host kernel -w 5 -A FORWARD -s 192.0.2.9 -j DROP
check "$tables" --live --host kernel -w -D FORWARD -s 192.0.2.9 -j DROP
wait
before=$(generation)
live | diff $run/before - || fail "an appended rule and its deletion"

# A transaction is one socket's, and over when that is closed.
python3 "$HERE/netlink.py" || fail "netlink.py"
live | diff $run/before - || fail "netlink.py has changed the tables"

# Namespaces have tables of their own.
check ip netns add one
check kernel apply --netns one $run/v4
[ "$(ip netns exec one iptables-legacy-save | grep -c '^-A')" = "$(grep -c '^-A' $run/v4)" ] || fail "a namespace"
check ip netns del one

check kernel detach
kernel status >$run/out && fail "status after detach: $(cat $run/out)"
[ -z "$(cat /proc/net/ip_tables_names)" ] || fail "names after detach"
kernel detach 2>$run/err && fail "a second detach"
check kernel apply $run/v4
same "applied again"
check kernel detach
for try in $(seq 20); do
	rmmod xt2 2>/dev/null && break
	sleep 0.1
done
! grep -q '^xt2 ' /proc/modules || fail "the module stays (after $try tries)"

# Beside ip_tables it leaves all interfaces to that, and both count.
rm /etc/modprobe.d/xt2.conf
check modprobe iptable_filter
check insmod "$MODULE" sockopts=N
check iptables-legacy -A INPUT -p icmp -j ACCEPT
check kernel apply $run/v4
[ "$(iptables-legacy -S INPUT | wc -l)" = 2 ] || fail "beside: $(iptables-legacy -S INPUT)"
ping -q -c 5 -i 0.01 127.0.0.1 >/dev/null
iptables-legacy-save -c | grep -q '^\[10:840\] -A INPUT -p icmp' || fail "beside: iptables has $(iptables-legacy-save -c)"
live -c | grep -q '^\[10:840\] -A own -p icmp' || fail "beside: xt2 has $(live -c)"
check kernel detach
check rmmod xt2
check iptables-legacy -F
check modprobe -r iptable_filter
end
