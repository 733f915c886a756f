#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xt2 run as a process among processes: exit codes, signals, descriptors, a
# killed supervisor, static programs, files in /proc, images that are no good.
# shellcheck disable=SC2016 # single quotes are for the inner shells
# shellcheck source=tests/e2e/shim-common.sh
. "${top_srcdir:-.}/tests/e2e/shim-common.sh"
can_supervise || { echo "SKIP: no seccomp notifications"; exit 77; }
cc=${CC:-cc} # perhaps several words

# STATUS COMMAND...: exactly this exit code, 126 and more included
ends() {
	want=$1
	shift
	count=$((count + 1))
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	[ "$status" = "$want" ] || bad "$*: exit code $status, not $want"
}

# exit codes and messages
ends 0 shim true
ends 7 shim sh -c 'exit 7'
ends 255 shim sh -c 'exit 255'
ends 143 shim sh -c 'kill -TERM $$'
ends 137 shim sh -c 'kill -KILL $$'
ends 127 env PATH=/usr/bin:/bin "$tmp/bin/xt2" run --image "$image" -- no-such-program
grep -q 'no-such-program: No such file' "$tmp/err" || bad "not found: $(cat "$tmp/err")"
ends 126 shim /etc/passwd
ends 2 xt2 run --image "$image"
ends 2 xt2 run --no-such-option true
ends 0 xt2 run --image "$image" -- sh -c 'exit 0' -v
ends 0 xt2 run --help

# whether stdin, stdout, the environment and the rest arrive
[ "$(echo word | shim cat)" = word ] || bad "standard input"
[ "$(shim sh -c 'echo $XT2_IMAGE')" = "$image" ] || bad "XT2_IMAGE of the command"
[ "$(cd "$tmp" && xt2 run --image other sh -c 'echo $XT2_IMAGE')" = "$tmp/other" ] ||
	bad "a relative path"
[ "$(shim ls /proc/self/fd)" = "$(ls /proc/self/fd)" ] || bad "descriptors left open"
[ "$(shim sh -c 'grep SigIgn /proc/self/status')" = \
	"$(grep SigIgn /proc/self/status)" ] || bad "ignored signals"
[ "$(shim sh -c 'grep SigBlk /proc/self/status')" = "$(grep SigBlk /proc/self/status)" ] ||
	bad "blocked signals"

# signals are passed on
xt2 run --image "$image" -- sh -c 'trap "echo caught; exit 9" TERM; echo ready; while :; do sleep 0.05; done' \
	>"$tmp/out1" &
runner=$!
await grep -q ready "$tmp/out1"
kill -TERM $runner
wait $runner
[ $? = 9 ] || bad "TERM is not passed on"
grep -q caught "$tmp/out1" || bad "TERM does not arrive"

# who ignores the end of children gets the exit code all the same
if command -v python3 >/dev/null; then
	python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execvp("xt2", ["xt2", "run", "--image", sys.argv[1], "sh", "-c", "exit 6"])' "$image"
	status=$?
	[ $status = 6 ] || bad "SIGCHLD ignored: exit code $status"
fi

# of a terminal: the interrupt key reaches the command, the command's exit code us
if command -v python3 >/dev/null; then
	python3 - "$image" <<'EOF' || bad "under a terminal"
import os, pty, signal, sys
pid, fd = pty.fork()
if not pid:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # who runs tests in the background ignores it
    os.execvp("xt2", ["xt2", "run", "--image", sys.argv[1], "sh", "-c",
                      "trap 'echo caught; exit 3' INT; echo ready; while :; do sleep 0.1; done"])
seen = b""
while b"ready" not in seen:
    seen += os.read(fd, 100)
os.write(fd, b"\x03")
try:
    while b"caught" not in seen:
        seen += os.read(fd, 100)
finally:
    status = os.waitpid(pid, 0)[1]
assert os.WEXITSTATUS(status) == 3, status
EOF
fi

# what is left behind keeps its answers, and nobody waits for it
start=$(date +%s)
shim sh -c '(sleep 2; iptables-legacy -A INPUT -j DROP; echo $? >"$1") >/dev/null 2>&1 &' \
	sh "$tmp/late"
[ $(($(date +%s) - start)) -lt 2 ] || bad "waits for a background process"
await test -s "$tmp/late"
[ "$(cat "$tmp/late")" = 0 ] || bad "a background process has no answers: $(cat "$tmp/late")"
rules_of "$image" | grep -q -- '-A INPUT -j DROP' || bad "the background process' rule"

# if the supervisor is killed the command ends, and so does xt2 run
cp "$image" "$tmp/kept"
xt2 run --image "$image" -- sh -c 'echo ready; sleep 30; iptables-legacy -A INPUT -j ACCEPT' \
	>"$tmp/out2" 2>"$tmp/err" &
runner=$!
await grep -q ready "$tmp/out2"
supervisor=$(pgrep -P $runner)
start=$(date +%s)
kill -KILL "$supervisor"
wait $runner
status=$?
[ $status = 4 ] || bad "supervisor killed: exit code $status"
[ $(($(date +%s) - start)) -lt 10 ] || bad "the command lives on without a supervisor"
cmp -s "$image" "$tmp/kept" || bad "killed supervisor: the image has changed"

# threads and programs without libc: a static program in C
cat >"$tmp/static.c" <<'EOF'
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <linux/netfilter_ipv4/ip_tables.h>

static int ask(int fd, const char *table, unsigned *entries)
{
	struct ipt_getinfo info = { 0 };
	socklen_t len = sizeof(info);

	strcpy(info.name, table);
	if (getsockopt(fd, IPPROTO_IP, IPT_SO_GET_INFO, &info, &len))
		return errno;
	*entries = info.num_entries;
	return 0;
}

static void *thread(void *arg)
{
	unsigned n = 0;
	int i, ret = 0;

	for (i = 0; i < 100 && !ret; i++)
		ret = ask(*(int *)arg, "filter", &n);
	return (void *)(long)(ret ? -ret : (int)n);
}

int main(void)
{
	int fd = socket(AF_INET, SOCK_RAW, IPPROTO_RAW), i;
	struct ipt_getinfo info;
	socklen_t len = 3;
	pthread_t t[4];
	unsigned n = 0;
	void *ret;

	i = ask(fd, "mangle", &n);
	printf("%d %u\n", i, n);
	printf("%s\n", strerror(ask(fd, "nosuch", &n)));
	printf("%s\n", strerror(ask(-1, "filter", &n)));
	printf("%s\n", strerror(ask(0, "filter", &n)));
	getsockopt(fd, IPPROTO_IP, IPT_SO_GET_INFO, &info, &len);
	printf("%s\n", strerror(errno));
	len = sizeof(info);
	getsockopt(fd, IPPROTO_IP, IPT_SO_GET_INFO, (void *)16, &len);
	printf("%s\n", strerror(errno));
	getsockopt(fd, IPPROTO_IP, IPT_SO_GET_INFO, &info, (void *)16);
	printf("%s\n", strerror(errno));
	len = sizeof(i);
	printf("%d\n", getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &i, &len));
	for (i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, thread, &fd);
	for (i = 0; i < 4; i++) {
		pthread_join(t[i], &ret);
		printf("%ld\n", (long)ret);
	}
	return 0;
}
EOF
# A user without rights, with an image of his own.
as_other() {
	mkdir -p "$tmp/theirs"
	cp "$image" "$tmp/theirs/image"
	chown -R 65534 "$tmp/theirs"
	as=$UNPRIVILEGED
	kept=$image
	image=$tmp/theirs/image
}

as_before() {
	as=''
	image=$kept
}

cat >"$tmp/expected" <<'EOF'
0 6
No such file or directory
Bad file descriptor
Socket operation on non-socket
Invalid argument
Bad address
Bad address
0
5
5
5
5
EOF
if $cc -O2 -static -pthread -o "$tmp/bin/static" "$tmp/static.c" 2>"$tmp/err"; then
	gives 0 shim static
	diff "$tmp/expected" "$tmp/out" || bad "a static program"
	if can_be_other; then
		as_other
		gives 0 shim static
		diff "$tmp/expected" "$tmp/out" || bad "a static program, unprivileged"
		as_before
	fi
else
	echo "SKIP: no static programs: $(head -n 1 "$tmp/err")"
fi

# 32-bit programs ask in two ways; without a libc, which may not be there for them
cat >"$tmp/small.c" <<'EOF'
struct getinfo {
	char name[32];
	unsigned int valid_hooks, hook_entry[5], underflow[5], num_entries, size;
};

static int call(int nr, long a, long b, long c, long d, long e)
{
	int ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d),
			 "D"(e) : "memory");
	return ret;
}

void _start(void)
{
	static struct getinfo direct = { .name = "security" }, wrapped = { .name = "raw" };
	static unsigned int len = sizeof(direct);
	int fd = call(359, 2, 3, 255, 0, 0), other, bad;
	long socket_args[] = { 2, 3, 255 };
	long args[] = { 0, 0, 64, (long)&wrapped, (long)&len };

	other = call(102, 1, (long)socket_args, 0, 0, 0);
	args[0] = other;
	bad = fd < 0 || other < 0 || fd == other;
	bad |= call(365, fd, 0, 64, (long)&direct, (long)&len) ? 2 : 0;
	bad |= call(102, 15, (long)args, 0, 0, 0) ? 4 : 0;
	bad |= direct.num_entries != 4 || direct.valid_hooks != 0xe ? 8 : 0;
	bad |= wrapped.num_entries != 3 || wrapped.valid_hooks != 9 ? 16 : 0;
	bad |= wrapped.size != 2 * (112 + 36) + 112 + 64 ? 32 : 0;
	call(1, bad, 0, 0, 0, 0);
}
EOF
if $cc -m32 -O1 -static -nostdlib -fno-stack-protector -fno-pie -no-pie -o "$tmp/bin/small" \
	"$tmp/small.c" 2>"$tmp/err"; then
	gives 0 shim small
	if can_be_other; then
		as_other
		gives 0 shim small
		as_before
	fi
else
	echo "SKIP: no 32-bit programs: $(head -n 1 "$tmp/err")"
fi

# /proc: the image's tables, newest first
rm -f "$image"
[ -z "$(shim cat /proc/net/ip_tables_names)" ] || bad "tables of no image"
shim sh -c 'for t in raw filter nat; do iptables-legacy -t $t -L >/dev/null; done
	ip6tables-legacy -L >/dev/null; cat /proc/net/ip_tables_names' | tr '\n' ' ' >"$tmp/out"
[ "$(cat "$tmp/out")" = "nat filter raw " ] || bad "order of tables: $(cat "$tmp/out")"
[ "$(shim cat /proc/net/ip6_tables_names)" = filter ] || bad "ip6_tables_names"
[ -z "$(shim cat /proc/net/arp_tables_names)" ] || bad "arp_tables_names"
shim cat /proc/sys/kernel/modprobe 2>/dev/null && bad "modprobe can be found"
[ "$(shim cat /proc/sys/kernel/ostype)" = Linux ] || bad "other files of /proc"

# a process of somebody else has no business with the image
if can_be_other; then
	# shellcheck disable=SC2086 # words
	ends 4 shim $UNPRIVILEGED iptables-legacy -L
	grep -q 'Permission denied' "$tmp/err" || bad "another user: $(cat "$tmp/err")"
	# shellcheck disable=SC2086 # words
	gives "1 2 3 4" shim env XTABLES_LOCKFILE=/dev/null $UNPRIVILEGED iptables-legacy -A INPUT -j DROP
	rules_of "$image" | grep -- '-A INPUT' && bad "another user changes the image"
fi

# images that are no good, folders that cannot be written to
echo nonsense >"$tmp/nonsense"
ends 2 xt2 run --image "$tmp/no/such/folder" -- touch "$tmp/ran"
ends 2 xt2 run --image "" -- touch "$tmp/ran"
ends 2 xt2 run --image "$tmp" -- touch "$tmp/ran"
ends 2 xt2 run --image "$tmp/nonsense" -- touch "$tmp/ran"
[ ! -e "$tmp/ran" ] || bad "runs on a broken image"
grep -q 'not a valid image' "$tmp/err" || bad "broken image: $(cat "$tmp/err")"
shim sh -c 'echo nonsense >"$XT2_IMAGE"; iptables-legacy -L' >"$tmp/out" 2>"$tmp/err" &&
	bad "lists a broken image"
grep -q 'not a valid image' "$tmp/err" || bad "image that broke: $(cat "$tmp/err")"
rm -f "$image"
if can_be_other; then
	shim iptables-legacy -A INPUT -j DROP
	chmod 644 "$image"
	cp "$image" "$tmp/kept"
	mkdir "$tmp/closed" && cp -p "$image" "$tmp/closed/" && chmod 755 "$tmp/closed"
	image=$tmp/closed/image
	as=$UNPRIVILEGED
	gives 0 shim iptables-legacy -S INPUT
	grep -q -- '-A INPUT -j DROP' "$tmp/out" || bad "read-only image: $(cat "$tmp/out")"
	gives 0 shim iptables-legacy -t nat -S
	gives "1 4" shim iptables-legacy -A INPUT -j ACCEPT
	grep -q 'Permission denied' "$tmp/err" || bad "read-only folder: $(cat "$tmp/err")"
	as=''
	image=$tmp/image
	cmp -s "$tmp/closed/image" "$tmp/kept" || bad "an image in a closed folder has changed"
fi
if mkdir "$tmp/small" && mount -t tmpfs -o size=64k none "$tmp/small" 2>/dev/null; then
	i=0
	{
		echo '*filter'
		while [ $i -lt 3000 ]; do echo "-A INPUT -s 10.0.$((i / 250)).$((i % 250))"; i=$((i + 1)); done
		echo COMMIT
	} >"$tmp/many"
	image=$tmp/small/image
	gives 0 shim iptables-legacy -A INPUT -j DROP
	cp "$image" "$tmp/kept"
	gives 1 shim iptables-legacy-restore "$tmp/many"
	grep -q 'No space left' "$tmp/err" || bad "full disk: $(cat "$tmp/err")"
	cmp -s "$image" "$tmp/kept" || bad "full disk: the image has changed"
	gives 0 shim iptables-legacy -A INPUT -j ACCEPT
	umount "$tmp/small"
	image=$tmp/image
else
	echo "SKIP: no small file system"
fi

# under a debugger, and one inside another
if command -v strace >/dev/null && strace true 2>/dev/null; then
	gives 0 shim strace -f -o "$tmp/trace" iptables-legacy -A INPUT -j ACCEPT
	grep -q 'IPT_SO_SET_REPLACE.* = 0' "$tmp/trace" || bad "strace does not see the call"
fi
if [ -z "$SANITIZE_CFLAGS" ]; then
	gives 0 shim xt2 run --image "$tmp/inner" -- iptables-legacy -A INPUT -j DROP
	rules_of "$tmp/inner" | grep -q -- '-A INPUT -j DROP' || bad "one xt2 run inside another"
fi
done_with
