#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Commands that read give up what they don't need, before they read: a library
# that is loaded with them tries at their end what is left.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
cd "$top/examples" || exit 99
probe=$build/tests/lib/.libs/probe-preload.so
mkdir "$tmp/out.d" "$tmp/other" "$tmp/elsewhere"
xt2tables-restore --image "$tmp/elsewhere/image" server.rules || exit 99

# --- before the first byte is read ---------------------------------------------
mkfifo "$tmp/fifo"
enters() {	# ARGUMENTS...: reading from the FIFO, to which nobody has written
	count=$((count + 1))
	xt2 "$@" >/dev/null 2>&1 &
	pid=$!
	tries=0
	until grep -q '^Seccomp:[[:space:]]*2$' "/proc/$pid/status" 2>/dev/null; do
		tries=$((tries + 1))
		if [ $tries = 300 ]; then
			bad "xt2 $*: $(grep -E '^(Seccomp|State):' "/proc/$pid/status")"
			break
		fi
		sleep 0.1
	done
	grep -q '^NoNewPrivs:[[:space:]]*1$' "/proc/$pid/status" || bad "xt2 $*: new privileges"
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
}
if grep -q '^Seccomp:' /proc/self/status; then
	enters replay -r server.rules -H INPUT "$tmp/fifo"
	enters replay -r "$tmp/fifo" -H INPUT server.pcap
	for command in check explain counters digest dump save bench state; do
		case $command in
		explain) enters "$command" "$tmp/fifo" -H INPUT ;;
		*) enters "$command" "$tmp/fifo" ;;
		esac
	done
	enters convert "$tmp/fifo" -o "$tmp/out.d/x" --from save --to json --family 4
else
	echo "SKIP: the kernel has no seccomp"
fi

# --- what is left ------------------------------------------------------------------
if [ -n "$SANITIZE_CFLAGS" ]; then
	echo "sanitizers want to be loaded first, so nothing is preloaded"
	done_with
fi
if ! [ -e "$probe" ]; then
	echo "SKIP: nothing can be preloaded here"
	done_with
fi
PROBE_FOLDER=$tmp/other
export PROBE_FOLDER

# PROGRAM ARGUMENTS...: in $tmp/left, what its end could do
probed() {
	count=$((count + 1))
	rm -rf "$tmp/other"
	mkdir "$tmp/other"
	echo here >"$tmp/other/there"
	LD_PRELOAD=$probe "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	sed -n 's/^probe: //p' "$tmp/err" >"$tmp/left"
	[ $status = 0 ] || bad "$*: exit code $status: $(cat "$tmp/err")"
}

# ERRNO PROBES...: went so
went() {
	errno=$1
	shift
	for i in "$@"; do
		grep -qx "$i $errno" "$tmp/left" || bad "$command: $(grep "^$i " "$tmp/left"), not $errno"
	done
}
EPERM=1
EACCES=13
files="write make folder link rename remove"

# the probes are good for something
command=none
probed xt2 --version
abi=$(sed -n 's/^landlock-abi //p' "$tmp/left")
went 0 read null write make folder link rename unix internet netlink signal oneself memory namespace uring bpf \
	typing debugger program

sandboxed() {	# ARGUMENTS...: xt2 with them is in the sandbox
	command=$*
	probed xt2 "$@"
	went 0 read libraries null oneself
	# shellcheck disable=SC2086 # a list of words
	if [ "$abi" -ge 1 ]; then went $EACCES $files; fi
	if [ "$abi" -ge 3 ]; then went $EACCES truncate; fi
	went $EPERM internet netlink bind signal memory namespace uring bpf typing debugger program chmod
	[ "$abi" -lt 1 ] || [ "$(cat "$tmp/other/there")" = here ] || bad "$command: a file has changed"
}
[ "$abi" -ge 1 ] || echo "SKIP: the kernel has no Landlock: only calls are tried"

rules=server.rules
for file in $rules "$tmp/elsewhere/image"; do
	sandboxed check "$file"
	went 0 unix # users and groups may be known to a service only
	sandboxed explain "$file" -H INPUT
	sandboxed counters "$file"
	sandboxed save "$file"
	sandboxed digest "$file"
	sandboxed bench "$file" --packets 10 --rounds 1
done
sandboxed history --image "$tmp/elsewhere/image"
sandboxed dump "$tmp/elsewhere/image"
went $EPERM unix
sandboxed replay -q --image "$tmp/elsewhere/image" -H INPUT server.pcap
went $EPERM unix

# results are written, replaced and withdrawn where they belong
PROBE_OUTPUT=$tmp/out.d
export PROBE_OUTPUT
sandboxed replay -q -r "$rules" -H INPUT --verdicts "$tmp/out.d/v" --accepted "$tmp/out.d/a" \
	--dropped "$tmp/out.d/d" --counters "$tmp/out.d/c" server.pcap
went 0 output replace withdraw unix
for i in v a d c; do
	[ -s "$tmp/out.d/$i" ] || bad "no output $i"
done
sandboxed replay -q -r "$rules" -H INPUT --counters - --verdicts /dev/null server.pcap
if [ "$abi" -ge 1 ]; then went $EACCES output; fi
grep -q '^COMMIT' "$tmp/out" || bad "no counters on the standard output"
command="replay into a pipe"
LD_PRELOAD=$probe xt2 replay -q -r "$rules" -H INPUT --verdicts /dev/stdout server.pcap 2>"$tmp/err" | cat >"$tmp/out"
sed -n 's/^probe: //p' "$tmp/err" >"$tmp/left"
if [ "$abi" -ge 1 ]; then went $EACCES output; fi
grep -q '^{"packet":1,' "$tmp/out" || bad "$command: $(head -c 500 "$tmp/out" "$tmp/err")"
ln -s ../out.d/target "$tmp/elsewhere/link"
echo old >"$tmp/out.d/target"
sandboxed convert "$rules" -o "$tmp/elsewhere/link" --from save --to json --family 4
went 0 output replace withdraw
grep -q '"xt2"' "$tmp/out.d/target" || bad "nothing behind the link"
PROBE_OUTPUT=$tmp/elsewhere
sandboxed replay -q --image "$tmp/elsewhere/image" -H INPUT -i eth0 --ctstate NEW --update server.pcap
went 0 output replace withdraw
xt2 counters "$tmp/elsewhere/image" | grep -q ' [1-9][0-9]* [0-9]*$' || bad "the image has no counters"
(cd "$tmp/out.d" && xt2 convert "$top/examples/$rules" -o here --from save --to json --family 4) || bad "a name alone"

# a blob's bytes are looked at in the sandbox, too
xt2 convert "$rules" -o "$tmp/blob" --from save --to replace --family 4 || bad "convert"
sandboxed replace --family 4 --width 64 "$tmp/blob"
if [ "$abi" -ge 1 ]; then went $EACCES output; fi
sandboxed replace --family 4 --width 64 --image "$tmp/elsewhere/second" "$tmp/blob"
went 0 output replace withdraw
sandboxed dump "$tmp/blob"

# with --resolve hosts may be looked up, and no more
command="check --resolve"
probed xt2 check --resolve "$rules"
went 0 internet bind unix
went $EPERM signal debugger program
done_with
