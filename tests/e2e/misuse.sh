#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What goes wrong at a shell: wrong arguments, files that are not there or not
# what they should be, full disks.  The exit code and the message say what it
# was, and standard output stays empty, but for the findings of "xt2 check".
top=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
PATH=$build/links:$build:$PATH
XT2_IMAGE=$tmp/image
export XT2_IMAGE
cd "$top/examples" || exit 99
count=0
failed=0

bad() {
	echo "FAIL: $*"
	cat "$tmp/out" "$tmp/err"
	failed=1
}

no() {	# STATUS MESSAGE PROGRAM ARGUMENTS...
	count=$((count + 1))
	status=$1
	message=$2
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	[ $got = "$status" ] || bad "$*: exit code $got, not $status"
	grep -qF -e "$message" "$tmp/err" || bad "$*: no '$message'"
	[ ! -s "$tmp/out" ] || bad "$*: something on standard output"
	[ "$(grep -c Try "$tmp/err")" -lt 2 ] || bad "$*: says it twice"
}

ok() {	# MESSAGE PROGRAM ARGUMENTS...
	count=$((count + 1))
	message=$1
	shift
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null || bad "$*: exit code $?"
	grep -qF -e "$message" "$tmp/out" || bad "$*: no '$message'"
}

replay() {
	xt2 replay -r server.rules -H INPUT -i eth0 --ctstate NEW "$@"
}

# shellcheck disable=SC2317 # called by no and ok
explain() {
	xt2 explain server.rules -H INPUT -i eth0 --ctstate NEW "$@"
}

xt2tables-restore server.rules || exit 99
head -c 5000 /dev/zero >"$tmp/zeros"
mkdir "$tmp/folder"

no 2 'Usage: xt2 COMMAND' xt2
no 2 'no arguments, please' xt2 history server.rules
no 2 '-n takes a number' xt2 history -n x
no 2 '--persist is of all that is live' xt2 save --persist server.rules
no 2 '--live and --image exclude each other' xt2 history --live --image x
no 2 'netns and --pin are for --live' xt2 history --netns x
no 2 'one or two generations are needed' xt2 diff
no 2 'one or two generations are needed' xt2 diff 1 2 3
no 2 'a generation is a number' xt2 diff 1 x
no 2 'generation 99 is not there' xt2 diff 99
no 2 '--live and --image exclude each other' xt2 diff --live --image x 1
no 2 'one generation is needed' xt2 rollback
no 2 'one generation is needed' xt2 rollback 1 2
no 2 'a generation is a number' xt2 rollback 1x
no 2 'netns and --pin are for --live' xt2 rollback --pin x 1
no 2 'generation 99 is not there' xt2 rollback 99
no 2 'no arguments, please' xt2 monitor server.rules
no 2 '--live and --image exclude each other' xt2 monitor --live --image x
no 2 '-n takes a number' xt2 monitor -n 0
no 2 'no arguments, please' xt2 edit server.rules
no 2 '--wait takes seconds' xt2 edit --wait soon
no 2 '--live and --image exclude each other' xt2 edit --live --image "$tmp/image"
no 2 '--live is for IPv4 and IPv6' xt2 edit --live --arp
no 2 '--netns and --pin are for --live' xt2 edit --netns x
no 2 '--live and --image exclude each other' xt2 run --live --image "$tmp/image" true
no 2 '--live and --preload exclude each other' xt2 run --live --preload true
no 2 '--netns and --pin are for --live' xt2 run --netns x true
no 2 '--netns and --pin are for --live' xt2 run --pin x true
no 2 '--beside is for --live' xt2 run --beside true
no 2 'which command?' xt2 run --live
no 2 '--live and --image exclude each other' xt2tables -L --live --image "$tmp/image"
no 2 '--live is for IPv4 and IPv6' xt2arptables -L --live
no 2 '--image needs a name' xt2tables -L --image=
no 2 'no command specified' xt2tables
no 2 'unknown option "--nosuch"' xt2tables -L --nosuch
ok 'Usage: xt2 edit' xt2 edit --help
ok 'Usage: xt2tables' xt2tables -h
ok 'limit match options' xt2tables -m limit -h
for name in iptables ip6tables-legacy arptables iptables-legacy-save ip6tables-restore nosuchtables; do
	ln -s "$build/xt2tables-restore" "$tmp/$name"
done
ok 'iptables v1.8.9 (legacy)' "$tmp/iptables" -V
ok 'ip6tables v1.8.9 (legacy)' "$tmp/ip6tables-legacy" --version
ok 'arptables v0.0.5' "$tmp/arptables" -V
ok 'iptables-save v1.8.9 (legacy)' "$tmp/iptables-legacy-save" -V
ok 'ip6tables-restore v1.8.9 (legacy)' "$tmp/ip6tables-restore" -V
ok 'iptables v1.8.9 (xt2 ' xt2tables -V
no 2 'this program goes by its name' "$tmp/nosuchtables" -V
no 2 'no such command: replya' xt2 replya
ok 'Usage: xt2 COMMAND' xt2 -h
ok 'Usage: xt2 replay' xt2 help replay
ok 'Usage: xt2 convert' xt2 convert --help
ok 'Usage: xt2 dump' xt2 dump --help
ok 'Usage: xt2 replace' xt2 replace --help
no 2 "xt2 replay: unrecognized option '--bogus'" replay --bogus
no 2 "xt2 check: invalid option -- 'z'" xt2 check -z

# numbers and words of options
no 2 "--loop: bad number '0'" replay --loop 0 server.pcap
no 2 "--seed: bad number 'x'" replay --seed x server.pcap
no 2 "--number: bad number '0'" explain --capture server.pcap --number 0
no 2 '--number is for packets of a --capture' explain -s 192.0.2.1 --number 2
no 2 'by --hex, or by its fields' explain -s 192.0.2.1 --hex 45
no 2 "unknown protocol 'tpc'" explain -p tpc
no 2 "--in: bad argument '0123456789abcdef'" explain -i 0123456789abcdef -s 192.0.2.1
ok 'in interface is 0123456789abcde)' explain -i 0123456789abcde -s 192.0.2.1 # 15 bytes are a name
no 2 "--mark: bad argument '0x100000000'" explain --mark 0x100000000 -s 192.0.2.1
ok 'verdict: ' explain --mark 0xffffffff -s 192.0.2.1 # the largest
no 2 "ICMP type: 'echo'" explain -p icmp --icmp-type echo
no 2 'hint: rules of filter/SSH: 3' explain -s 192.0.2.1 --why-not SSH:4
no 2 "hint: server.rules has no chain 'SHS'" explain -s 192.0.2.1 --why-not SHS:1
no 2 "hint: write CHAIN:NUMBER" explain -s 192.0.2.1 --why-not SSH

# tables and hooks: one that is misspelt must not look like one that lets all pass
no 2 'hooks are PREROUTING, INPUT' xt2 explain server.rules -H input
no 2 'hooks are PREROUTING, INPUT' xt2 replay -r server.rules -H input server.pcap
no 2 "the rules have no table 'filer'" explain -t filer
no 2 "the rules have no table 'filer'" replay -t filer server.pcap
no 2 "table 'filter' has no hook 'PREROUTING'" xt2 explain server.rules -t filter -H PREROUTING
no 2 'more than one file of rules' replay -r server6.rules server.pcap
no 2 "has no chain 'NOPE': there are INPUT, FORWARD, OUTPUT, LOGDROP, SSH" xt2 dump -c NOPE "$XT2_IMAGE"
no 2 "has no chain 'INPTU': did you mean 'INPUT'?" xt2 dump -c INPTU "$XT2_IMAGE"
for rules in server.rules "$XT2_IMAGE"; do
	no 2 "$rules has no chain 'ssh': did you mean 'SSH'?" xt2 counters --chain ssh "$rules"
	no 2 "$rules has no chain 'NOPE': there are INPUT, FORWARD, OUTPUT, LOGDROP, SSH" \
		xt2 counters --chain NOPE "$rules"
	no 2 "$rules has no chain 'NOPE' in table filter: there are" xt2 counters -t filter --chain NOPE "$rules"
	no 2 "$rules has no table 'fitler': did you mean 'filter'?" xt2 counters -t fitler "$rules"
	no 2 "$rules has no table 'mangle': there is filter" xt2 counters -t mangle "$rules"
	no 1 "$rules has no table fitler: did you mean 'filter'?" xt2 save -t fitler "$rules"
	no 2 "have no table 'fitler': did you mean 'filter'?" xt2 bench -t fitler "$rules"
	no 2 "have no table 'fitler': did you mean 'filter'?" xt2 explain -t fitler -H INPUT "$rules"
	no 2 "has no chain 'ssh' in this family's tables: did you mean 'SSH'?" \
		xt2 explain -H INPUT --why-not ssh:1 "$rules"
done
no 2 "have no table 'fitler': did you mean 'filter'?" replay -t fitler server.pcap
no 2 "no table 'fitler' in it: did you mean 'filter'?" xt2 convert -t fitler server.rules --from save \
	-o "$tmp/blob" --to replace --family 4
xt2 convert -t filter server.rules --from save -o "$tmp/blob" --to replace --family 4 || bad convert
no 2 "has no chain 'ssh': did you mean 'SSH'?" xt2 dump --chain ssh "$tmp/blob"
no 2 "has no chain 'NOPE': there are INPUT, FORWARD, OUTPUT, LOGDROP, SSH" xt2 dump --chain NOPE --json "$tmp/blob"
ok 'name SSH' xt2 dump --chain SSH "$tmp/blob"
ok 'ipv4 filter SSH 1 0 0' xt2 counters --chain SSH server.rules
no 2 "not a valid image" xt2 state server.rules
no 2 "netns" xt2 state --netns x "$XT2_IMAGE"
xt2 replay -r server.rules -H PREROUTING server.pcap 2>&1 >/dev/null |
	grep -q 'note: no table of the rules' || bad "a hook without tables"

# files
no 2 'No such file' xt2 replay -r "$tmp/nosuch" -H INPUT server.pcap
no 2 'No such file' replay "$tmp/nosuch"
no 2 'Is a directory' xt2 replay -r "$tmp/folder" -H INPUT server.pcap
no 2 'Is a directory' replay "$tmp/folder"
no 2 'Is a directory' xt2 dump "$tmp/folder"
for words in "replay -r server.rules -H INPUT" check dump "convert -o - --from json --to save --family 4" \
	"replace --family 4 --width 64"; do
	no 2 'Is a directory' sh -c "xt2 $words - <'$tmp/folder' >&2"
	no 4 'Bad file descriptor' sh -c "xt2 $words - <&- >&2"
done
no 2 'not a capture' replay server.rules
no 2 'a binary file, not text' xt2 replay -r server.pcap -H INPUT server.pcap
no 2 'a binary file, not text' xt2tables-restore "$tmp/zeros"
no 2 'not a valid image' xt2 dump server.rules
"$build/xt2tables-save" --image "$tmp/nosuch" >"$tmp/out" 2>"$tmp/err" || bad "save: exit code $?"
grep -q 'note: there is no image' "$tmp/err" || bad "save without image"
[ ! -s "$tmp/out" ] || bad "save without image prints"
no 2 'No such file' replay --verdicts "$tmp/nosuch/file" server.pcap
no 2 'No such file' replay --accepted "$tmp/nosuch/file" server.pcap
if [ -w /dev/full ]; then
	for command in "check server.rules" "dump $XT2_IMAGE" "explain server.rules -H INPUT" \
		"replay -r server.rules -H INPUT server.pcap" --help; do
		# shellcheck disable=SC2086 # a list of words
		xt2 $command >/dev/full 2>"$tmp/err"
		[ $? = 4 ] || bad "$command: a full disk does not matter"
		grep -q 'standard output: No space left' "$tmp/err" || bad "$command: no message"
	done
fi

# a pipe is read once, from its first byte
for rules in - /dev/stdin; do
	replay -q --json server.pcap >"$tmp/want"
	# shellcheck disable=SC2002 # a pipe is the point
	cat server.rules | xt2 replay -r $rules -H INPUT -i eth0 --ctstate NEW -q --json \
		server.pcap >"$tmp/got" 2>"$tmp/err"
	sed -i 's/"seconds".*//' "$tmp/want" "$tmp/got"
	grep -q '"packets":600' "$tmp/want" || bad "packets"
	cmp "$tmp/want" "$tmp/got" || bad "rules from $rules"
done
for image in - /dev/stdin; do
	# shellcheck disable=SC2002
	cat "$XT2_IMAGE" | xt2 check $image | grep -q '0 warnings' || bad "image in a pipe: $image"
	# shellcheck disable=SC2002
	cat "$XT2_IMAGE" | xt2 dump $image | grep -q SSH || bad "dump of an image in a pipe: $image"
done

# every error of a file is counted and listed by check
{
	echo '*filter'
	yes -- '-A INPUT -j NOWHERE' | head -n 50
	echo COMMIT
} >"$tmp/many"
xt2 check "$tmp/many" >"$tmp/out"
[ $? = 2 ] || bad "exit code of many errors"
[ "$(grep -c 'error\[' "$tmp/out")" = 50 ] || bad "check shows not all of 50 errors"
grep -q ': 50 errors' "$tmp/out" || bad "check counts not 50 errors"
printf '*filter\n-A INPUT -m bpf --object-pinned /x -j DROP\n-A INPUT --nosuch\nCOMMIT\n' >"$tmp/two"
xt2 check "$tmp/two" >"$tmp/out"
grep -q ': 1 error, and 1 that cannot be evaluated' "$tmp/out" || bad "check: $(cat "$tmp/out")"

echo "$count calls"
exit $failed
