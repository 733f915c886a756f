#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Ways around xt2 run: calls that no filter sees are not to be had, what others
# leave in a shared folder leads nowhere, and signals do not end calls: of programs that are linked
# dynamically not one, whenever they come.
# shellcheck source=tests/e2e/shim-common.sh
. "${top_srcdir:-.}/tests/e2e/shim-common.sh"
can_supervise || { echo "SKIP: no seccomp notifications"; exit 77; }

# a ring could make any call in the kernel; all three are refused, whatever this kernel has
if command -v python3 >/dev/null; then
	shim python3 - >"$tmp/out" <<'EOF' || bad "the calls of io_uring"
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
room = ctypes.create_string_buffer(120)
for call, *args in (425, 8, room), (426, 0, 1, 0, 0, None, 0), (427, 0, 0, None, 0):
    libc.syscall(call, *args)
    print(errno.errorcode[ctypes.get_errno()])
EOF
	[ "$(sort -u "$tmp/out")" = ENOSYS ] || bad "io_uring: $(tr '\n' ' ' <"$tmp/out")"
fi

# a lock file that is a link, a pipe, a folder: nothing is made or waited for
mkdir "$tmp/shared"
image=$tmp/shared/image
strange() {
	gives 2 timeout 10 xt2 run --image "$image" "$@" -- touch "$tmp/ran"
	grep -q "$image.xtables.lock: .*: the lock file is $what" "$tmp/err" || bad "$what: $(cat "$tmp/err")"
}
for option in "" --preload; do
	ln -s "$tmp/elsewhere" "$image.xtables.lock"
	what='a symbolic link'
	strange $option
	rm "$image.xtables.lock"
	mkfifo "$image.xtables.lock"
	what='not a regular file'
	strange $option
	rm "$image.xtables.lock"
	mkdir "$image.xtables.lock"
	strange $option
	rmdir "$image.xtables.lock"
done
ln -s "$tmp/elsewhere" "$image.lock"
gives "1 4" shim iptables-legacy -A INPUT -j DROP
grep -q "$image.lock: .*: the lock file is a symbolic link" "$tmp/err" || bad "image.lock: $(cat "$tmp/err")"
rm "$image.lock"
[ ! -e "$tmp/elsewhere" ] || bad "a file has been made where a link leads"
[ ! -e "$tmp/ran" ] || bad "runs without a lock"
gives 0 shim iptables-legacy -A INPUT -j DROP
[ "$(stat -c %F "$image.xtables.lock")" = 'regular empty file' ] || bad "no lock file is made"

# the image itself is not looked for behind somebody else's link in a folder for everybody
if can_be_other; then
	mkdir "$tmp/all" && chmod 1777 "$tmp/all"
	ln -s "$tmp/elsewhere" "$tmp/all/image"
	chown -h 65534 "$tmp/all/image"
	image=$tmp/all/image
	shim iptables-legacy -A INPUT -j DROP >"$tmp/out" 2>"$tmp/err" && bad "follows a link of others"
	grep -q 'Permission denied' "$tmp/err" || bad "a link of others: $(cat "$tmp/err")"
	[ ! -e "$tmp/elsewhere" ] || bad "an image has been made where a link leads"
fi

# A program whose handler does not restart calls makes one while the supervisor is stuck in the
# memory of another: that is received all the same, so the signal waits, but a kill does not.
cat >"$tmp/signals.py" <<'EOF'
import ctypes, fcntl, os, platform, select, signal, socket, struct, sys, threading, time

if [int(n) for n in platform.release().split(".")[:2]] < [5, 19]:
    sys.exit("SKIP: this kernel lets signals end every call")
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_long]
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)

def ask(option, size, address):  # 66: is there such a match?  64: a table
    n = ctypes.c_uint(size)
    return libc.getsockopt(s.fileno(), 0, option, ctypes.c_void_p(address), ctypes.byref(n))

# A page that is not there until it is put there: who reads it waits.
page = libc.mmap(None, 4096, 3, 0x22, -1, 0)
faults = libc.syscall(323, os.O_CLOEXEC | os.O_NONBLOCK)
if faults < 0:
    sys.exit("SKIP: no userfaultfd here")
fcntl.ioctl(faults, 0xc018aa3f, struct.pack("QQQ", 0xaa, 0, 0))
fcntl.ioctl(faults, 0xc020aa00, struct.pack("QQQQ", page, 4096, 1, 0))
threading.Thread(target=ask, args=(66, 30, page)).start()
if not select.select([faults], [], [], 20)[0]:
    os.kill(os.getpid(), signal.SIGKILL)

def caller():
    pid = os.fork()
    if pid:
        seen = 0
        while seen < 20:  # and so it has been received, if that can be
            seen += open(f"/proc/{pid}/syscall").read().startswith("55 ")
            time.sleep(0.01)
        return pid
    hits = []
    signal.signal(signal.SIGUSR1, lambda *_: hits.append(1))  # without SA_RESTART
    room = ctypes.create_string_buffer(b"filter", 84)
    answer = ask(64, 84, ctypes.addressof(room))
    os._exit(0 if answer == 0 and hits else 1)

killed, hit = caller(), caller()
os.kill(hit, signal.SIGUSR1)
os.kill(killed, signal.SIGKILL)
if os.waitpid(killed, 0)[1] != signal.SIGKILL:
    print("a call cannot be killed")
fcntl.ioctl(faults, 0xc020aa04, struct.pack("QQQq", page, 4096, 0, 0))
if os.waitpid(hit, 0)[1]:
    print("a signal ends a call, or is lost")
EOF
if [ "$(uname -m)" = x86_64 ] && command -v python3 >/dev/null; then
	image=$tmp/signals
	shim timeout -s KILL 300 python3 "$tmp/signals.py" >"$tmp/out" 2>"$tmp/err" ||
		grep '^SKIP' "$tmp/err" || bad "signals: exit code $?: $(tail -n 2 "$tmp/err")"
	[ ! -s "$tmp/out" ] || bad "signals: $(cat "$tmp/out")"
fi

# Calls that a signal ends before they are received, since the supervisor has been stopped, are made
# again until they are answered.  Who waits for a pipe is not kept from the signal.
cat >"$tmp/again.py" <<'EOF'
import ctypes, errno, os, platform, select, signal, socket, sys, time

if [int(n) for n in platform.release().split(".")[:2]] < [5, 19]:
    sys.exit("SKIP: this kernel lets signals end every call")
libc = ctypes.CDLL(None, use_errno=True)
libc.fopen.restype = libc.fopen64.restype = ctypes.c_void_p
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
supervisor = os.getppid()
file, pipe = (os.fsencode(name) for name in sys.argv[1:])
ASKED = b"2 ", b"41 ", b"54 ", b"55 ", b"257 "  # open() and so on: calls that are asked about

def ask():
    room, size = ctypes.create_string_buffer(b"filter", 84), ctypes.c_uint(84)
    return libc.getsockopt(s.fileno(), 0, 64, room, ctypes.byref(size))

def change():
    return libc.setsockopt(s.fileno(), 0, 65, ctypes.create_string_buffer(b"filter", 40), 40)

def begins(child, done):  # => has it made a call that waits?  Its file has been opened before.
    while not select.select([done], [], [], 0.001)[0]:
        if os.pread(child, 4, 0).startswith(ASKED):
            return True
    return False

def caller(ends, call):
    signal.signal(signal.SIGUSR1, lambda *_: None)  # without SA_RESTART
    os.set_blocking(ends["hits"][1], False)
    signal.set_wakeup_fd(ends["hits"][1])
    os.write(ends["done"][1], b"r")
    os.read(ends["go"][0], 1)
    error = ctypes.get_errno() if call() in (-1, None) else 0
    os.write(ends["done"][1], errno.errorcode.get(error, "ok").encode())
    os._exit(0)

def states(pid):  # of a process's threads; to be opened before it has stopped: it answers open()
    tasks = f"/proc/{pid}/task"
    return [os.open(f"{tasks}/{task}/stat", os.O_RDONLY) for task in os.listdir(tasks)]

def stop(pid, threads):  # It may still receive a call that is made before all of it has stopped.
    os.kill(pid, signal.SIGSTOP)
    while any(os.pread(stat, 512, 0).rsplit(b") ", 1)[1][:1] != b"T" for stat in threads):
        time.sleep(0.001)

def interrupted(call, signals):
    ends = {name: os.pipe() for name in ("go", "hits", "done")}
    done = ends["done"][0]
    pid = os.fork()
    if not pid:
        caller(ends, call)
    try:
        os.read(done, 1)
        child = os.open(f"/proc/{pid}/syscall", os.O_RDONLY)
        if signals > 1:
            stop(supervisor, threads)
        os.write(ends["go"][1], b"g")
        for _ in range(signals):
            if begins(child, done):
                os.kill(pid, signal.SIGUSR1)
                select.select([ends["hits"][0], done], [], [])  # the handler has run
                os.read(ends["hits"][0], 1)
        os.kill(supervisor, signal.SIGCONT)
        return os.read(done, 16).decode()
    finally:
        os.kill(supervisor, signal.SIGCONT)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

def give_up(*_):
    raise TimeoutError

def expect(name, want, call, signals=3):
    got = interrupted(call, signals)
    if got != want:
        print(f"{name}: {got}")

signal.signal(signal.SIGALRM, give_up)
signal.alarm(300)
threads = states(supervisor)
expect("getsockopt", "ok", ask)
expect("setsockopt", "EINVAL", change)
expect("socket", "ok", lambda: libc.socket(2, 3, 255))
for name in "open", "open64", "__open_2", "__open64_2":
    expect(name, "ok", lambda: libc[name](file, 0))
for name in "openat", "openat64", "__openat_2", "__openat64_2":
    expect(name, "ok", lambda: libc[name](-100, file, 0))
for name in "fopen", "fopen64":
    expect(name, "ok", lambda: getattr(libc, name)(file, b"r"))
expect("a folder", "ok", lambda: libc.open(b"/", 0))
expect("no file", "ENOENT", lambda: libc.open(file + b"x", 0))
expect("a pipe", "EINTR", lambda: libc.open(pipe, 0), 1)
expect("a pipe as a stream", "EINTR", lambda: libc.fopen(pipe, b"r"), 1)
EOF
if [ "$(uname -m)" = x86_64 ] && command -v python3 >/dev/null && ldd "$(command -v python3)" 2>&1 | grep -q 'libc\.so\.6'; then
	mkfifo "$tmp/pipe"
	gives 0 shim iptables-legacy -A INPUT -j DROP
	shim python3 "$tmp/again.py" "$tmp/again.py" "$tmp/pipe" >"$tmp/out" 2>"$tmp/err" ||
		grep '^SKIP' "$tmp/err" || bad "calls made again: exit code $?: $(tail -n 2 "$tmp/err")"
	[ ! -s "$tmp/out" ] || bad "signals end calls: $(cat "$tmp/out")"
	xt2 run --no-retry --image "$image" -- python3 "$tmp/again.py" "$tmp/again.py" "$tmp/pipe" >"$tmp/out" 2>&1
	grep -q '^getsockopt: EINTR' "$tmp/out" || bad "--no-retry: $(cat "$tmp/out")"
fi

# Under a timer: no call is ended by a signal, neither of a program that answers itself nor of one
# that is answered.
if command -v python3 >/dev/null; then
	gives 0 shim iptables-legacy -A INPUT -j DROP
	cat >"$tmp/interrupted.py" <<'EOF'
import ctypes, errno, os, signal, socket
libc = ctypes.CDLL(None, use_errno=True)
hits, ended, calls = [], 0, 0
signal.signal(signal.SIGALRM, lambda *_: hits.append(1))  # without SA_RESTART
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 255)
signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
while calls < 5000 or len(hits) < 20:
    room, size = ctypes.create_string_buffer(b"filter", 84), ctypes.c_uint(84)
    if libc.getsockopt(s.fileno(), 0, 64, room, ctypes.byref(size)):
        ended += 1
        assert ctypes.get_errno() == errno.EINTR, ctypes.get_errno()
    file = libc.open(b"/proc/self/maps", 0)
    if file < 0:
        ended += 1
        assert ctypes.get_errno() == errno.EINTR, ctypes.get_errno()
    libc.close(file)
    calls += 1
signal.setitimer(signal.ITIMER_REAL, 0)
print(ended)
EOF
	for option in --verbose --preload; do
		[ "$option" = --verbose ] || [ -z "$SANITIZE_CFLAGS" ] || continue # not first
		gives 0 timeout -s KILL 400 xt2 run "$option" --image "$image" -- python3 "$tmp/interrupted.py"
		[ "$(cat "$tmp/out")" = 0 ] || bad "$option: signals end $(cat "$tmp/out") calls"
	done
fi

# the library comes after the user's own, once, and only if it is wanted
environment() {	# VARIABLE=VALUE... -- OPTION...: into $tmp/out
	# shellcheck disable=SC2016 # the inner shell's
	env -u LD_PRELOAD -u ASAN_OPTIONS "$@" -- sh -c 'echo "$LD_PRELOAD|$ASAN_OPTIONS"' >"$tmp/out" 2>/dev/null
}
is() {
	[ "$(cat "$tmp/out")" = "$1" ] || bad "the environment: $(cat "$tmp/out")"
}
ours=$tmp/bin/.libs/libxt2-retry.so
allowed=verify_asan_link_order=0
environment xt2 run --image "$image"
is "$ours|$allowed"
environment LD_PRELOAD=/dev/null ASAN_OPTIONS=color=never xt2 run --image "$image"
is "/dev/null:$ours|color=never:$allowed"
environment "LD_PRELOAD=$ours" "ASAN_OPTIONS=$allowed" xt2 run --image "$image"
is "$ours|$allowed"
environment LD_PRELOAD=/dev/null xt2 run --no-retry --image "$image"
is '/dev/null|'

# it is there for programs that cannot come to its place, who then say nothing about it
if can_be_other; then
	chmod 700 "$tmp/bin/.libs"
	gives 0 shim setpriv --reuid 65534 --regid 65534 --clear-groups cat /proc/self/maps
	[ ! -s "$tmp/err" ] || bad "another user: $(cat "$tmp/err")"
	grep -q "$ours" "$tmp/out" || bad "nothing is preloaded for another user"
	mkdir "$tmp/root"
	cat=$(command -v cat)
	for file in "$cat" $(ldd "$cat" | grep -o '/[^ ]*'); do
		mkdir -p "$tmp/root${file%/*}" && cp -L "$file" "$tmp/root$file"
	done
	if chroot "$tmp/root" "$cat" </dev/null; then
		gives 0 shim chroot "$tmp/root" "$cat" </dev/null
		[ ! -s "$tmp/err" ] || bad "in a chroot: $(cat "$tmp/err")"
	else
		echo "SKIP: no chroot"
	fi
	chmod 755 "$tmp/bin/.libs"
fi

# AddressSanitizer as a library wants to be the first
printf '%s\n' '#include <stdio.h>' 'int main(void) { return !fopen("/dev/null", "r"); }' >"$tmp/small.c"
if ${CC:-cc} -fsanitize=address -o "$tmp/small" "$tmp/small.c" 2>/dev/null &&
	ASAN_OPTIONS=detect_leaks=0 "$tmp/small" 2>/dev/null; then
	ASAN_OPTIONS=detect_leaks=0 gives 0 shim "$tmp/small"
else
	echo "SKIP: no AddressSanitizer"
fi
done_with
