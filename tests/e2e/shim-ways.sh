#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Ways around xt2 run: calls that no filter sees are not to be had, and what
# others leave in a shared folder leads nowhere.
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
done_with
