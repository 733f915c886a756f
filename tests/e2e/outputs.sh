#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is written and what is read are never one file, by whatever names; files
# appear when they are whole; standard output is what it is under all of its
# names; and signals leave nothing behind.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
rules=$top/examples/server.rules
cd "$tmp" || exit 99
cp "$top/examples/server.pcap" capture
cp capture kept
cp "$rules" rules
mkdir sub
ln capture sub/hard
ln -s ../capture sub/soft
ln -s sub other
ln -s sub/new dangling

replay() {
	xt2 replay -q -r rules -H INPUT "$@"
}

names() {
	find . | sort
}

# MESSAGE OPTIONS...: refused, and nothing has changed
refused() {
	message=$1
	shift
	names >"$tmp.names"
	gives 2 replay "$@"
	grep -qF -e "$message" out || bad "$*: no '$message': $(cat err)"
	names | cmp -s - "$tmp.names" || bad "$*: files have changed: $(names)"
	cmp -s capture kept || bad "$*: the capture has changed"
	cmp -s rules "$rules" || bad "$*: the rules have changed"
	rm "$tmp.names"
}
# so that names sees the same before and after
try() {
	count=$((count + 1))
	"$@" >"$tmp.out" 2>&1 </dev/null
	status=$?
	mv "$tmp.out" out
}
: >out
: >err

for name in capture ./capture sub/hard sub/soft other/../capture "$tmp/capture"; do
	refused 'the same file as the capture' --accepted "$name" capture
	refused 'the same file as the capture' --counters capture "$name"
	refused 'the same file as the capture' --verdicts "$name" kept capture
done
for option in --accepted --dropped --verdicts --counters; do
	refused 'the same file as the rules' $option other/../rules capture
done
refused 'the same file as --counters' --verdicts new --counters ./new capture
refused 'the same file as --counters' --verdicts sub/new --counters other/new capture
refused 'the same file as --dropped' --accepted dangling --dropped sub/new capture
refused 'the same file as --counters' --verdicts - --counters - capture
refused 'the same file as --counters' --verdicts - --counters /dev/stdout capture
refused 'the same file as --dropped' --accepted /dev/fd/1 --dropped /dev/stdout capture
count=$((count + 1))
# shellcheck disable=SC2094 # that is the point
replay --accepted capture - <capture >out 2>&1 && bad "standard input is overwritten"
cmp -s capture kept || bad "standard input has been overwritten"
gives 2 xt2tables-save --image rules -f ./rules
grep -q 'the same file as the image' out || bad "save to the image"

# what may well be two things
gives 0 replay --verdicts /dev/null --counters /dev/null --accepted new --dropped sub/new2 capture

# a run that fails changes nothing; one that succeeds leaves nothing else
head -c 40000 kept >short
echo old >v
cp v a
gives 2 replay --verdicts v --accepted a --counters c --dropped d short
{ [ "$(cat v)" = old ] && [ "$(cat a)" = old ] && [ ! -e c ] && [ ! -e d ]; } || bad "a broken capture"
gives 0 replay --verdicts v --accepted a --counters c --dropped d capture
{ grep -q ACCEPT v && grep -q COMMIT c; } || bad "no results"
[ "$(xt2 replay -r rules -H INPUT --json a | sed 's/,"evaluated.*//')" = '{"packets":285' ] || bad "accepted packets"

# standard output, under all of its names: appended to what is there, and nothing else in it
for name in - /dev/stdout /dev/fd/1 /proc/self/fd/1; do
	echo begin >log
	replay --accepted "$name" capture >>log 2>/dev/null || bad "$name: exit code"
	{ echo begin && cat a; } | cmp - log || bad "$name: not what was accepted"
	echo begin >log
	xt2 convert rules -o "$name" --from save --to json --family 4 >>log || bad "convert to $name"
	[ "$(head -n 1 log)" = begin ] || bad "convert to $name: the log is overwritten"
	{ echo begin && xt2 convert rules -o - --from save --to json --family 4; } | cmp - log ||
		bad "convert to $name: something else"
done
echo begin >log
# shellcheck disable=SC2094
replay --counters log capture >>log 2>/dev/null
{ grep -q begin log && grep -q COMMIT log; } || bad "a file that is standard output as well"

# a descriptor that the shell has opened
echo begin >log
xt2 convert rules -o /dev/fd/3 --from save --to json --family 4 3>>log
{ [ "$(head -n 1 log)" = begin ] && grep -q '"tables"' log; } || bad "descriptor 3"

# a new file has the old one's owner and group; links in other people's way are not followed
if [ "$(id -u)" = 0 ]; then
	echo old >theirs
	chown 65534:65533 theirs
	chmod 660 theirs
	gives 0 xt2 convert rules -o theirs --from save --to json --family 4
	[ "$(stat -c '%u %g %a' theirs)" = '65534 65533 660' ] || bad "owner: $(stat -c '%u %g %a' theirs)"
	chmod 777 .
	cp theirs before
	gives 2 setpriv --reuid=65532 --regid=65532 --clear-groups xt2 convert "$rules" -o theirs \
		--from save --to save --family 4
	cmp -s theirs before || bad "a stranger has written what he must not"
	chmod 666 theirs
	gives 0 setpriv --reuid=65532 --regid=65532 --clear-groups xt2 convert "$rules" -o theirs \
		--from save --to json --family 4
	[ "$(stat -c '%u %g %a' theirs)" = '65532 65532 666' ] || bad "owner: $(stat -c '%u %g %a' theirs)"
	mkdir open
	chmod 1777 open
	echo precious >precious
	ln -s ../precious open/out
	ln -s ../nosuch open/new
	chown -h 65534:65534 open/out open/new
	if [ "$(cat /proc/sys/fs/protected_symlinks 2>/dev/null)" = 1 ]; then
		for name in open/out open/new; do
			gives 2 xt2 convert rules -o $name --from save --to json --family 4
			gives 4 xt2tables-restore --image $name rules
			gives 2 replay --counters $name capture
		done
		{ [ "$(cat precious)" = precious ] && [ ! -e nosuch ]; } || bad "a stranger's link was followed"
	fi
fi

# standard input is read once
for words in "replay -r - -H INPUT -" "check - -" "digest - -" "bench - -" "explain - -H INPUT --capture -"; do
	count=$((count + 1))
	# shellcheck disable=SC2086 # a list of words
	xt2 $words <rules >out 2>&1 && bad "$words: exit code 0"
	grep -q 'standard input' out || bad "$words: $(cat out)"
done

# signals: the capture does not end before, and temporary files go
mkfifo pipe
for signal in INT TERM HUP PIPE; do
	mkdir run
	exec 3<>pipe
	cat kept >&3 &
	feeder=$!
	# a shell's background commands ignore SIGINT
	sh -c "trap - INT; exec env --default-signal xt2 replay -q -r rules -H INPUT --verdicts run/v --accepted run/a pipe" \
		>out 2>&1 &
	runner=$!
	wait $feeder
	for _ in $(seq 500); do
		[ "$(find run -name '.xt2-*' | wc -l)" != 2 ] || break
		sleep 0.02
	done
	[ "$(find run -name '.xt2-*' | wc -l)" = 2 ] || bad "SIG$signal: no temporary files"
	kill -$signal $runner
	wait $runner
	[ $? -gt 128 ] || bad "SIG$signal: the exit code does not tell"
	[ -z "$(ls -A run)" ] || bad "SIG$signal: it has left $(ls -A run)"
	exec 3>&-
	rmdir run || rm -r run
done
done_with
