#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tests of github.com/coreos/go-iptables, which call iptables and ip6tables by name and read
# what they print, with xt2tables under these names on an image, without root.
#
# usage: go-iptables.sh DIR: a checkout of it; needs go.  Not run by "make check".
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
[ -f "${1:-}/iptables/iptables_test.go" ] || { echo "usage: $0 DIR" >&2; exit 2; }
PATH=$PATH:/usr/local/go/bin:/usr/sbin:/sbin
command -v go >/dev/null || { echo "SKIP: no go"; exit 77; }
chmod 755 "$tmp"
mkdir "$tmp/bin" "$tmp/images"
chmod 777 "$tmp/images"
(cd "$1" && GOFLAGS=-mod=mod GOPROXY=off go test -c -o "$tmp/go-test" ./iptables) || exit 99
cp "$build/xt2tables-restore" "$tmp/bin/" || exit 99
for name in iptables ip6tables iptables-legacy ip6tables-legacy; do
	ln -s xt2tables-restore "$tmp/bin/$name"
done
for name in iptables-nft ip6tables-nft; do	# of these, only the version is asked for
	if command -v $name >/dev/null; then
		ln -s "$(command -v $name)" "$tmp/bin/$name"
	fi
done
user=
[ "$(id -u)" != 0 ] || user="setpriv --reuid 65534 --regid 65534 --clear-groups"
cd "$tmp/images" || exit 99
# shellcheck disable=SC2086 # words
$user env HOME="$tmp/images" PATH="$tmp/bin:/usr/bin:/bin" XT2_IMAGE="$tmp/images/image" \
	"$tmp/go-test" -test.v >"$tmp/out" 2>&1 || bad "$(cat "$tmp/out")"
grep -E "^--- " "$tmp/out"
exit $failed
