# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where a network namespace's live ruleset is pinned, or would be: net-INODE-COOKIE.
folder_of() {	# NETNS
	folder=run/xt2-live/net-$(ip netns exec "$1" python3 -c 'import os, socket
cookie = socket.socket().getsockopt(socket.SOL_SOCKET, 71, 8)
print(os.stat("/proc/self/ns/net").st_ino, int.from_bytes(cookie, "little"), sep="-")')
	if [ -d /proc/1/root/run ]; then echo "/proc/1/root/$folder"; else echo "/$folder"; fi
}
