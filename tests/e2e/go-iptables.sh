#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tests of github.com/coreos/go-iptables, which call iptables and ip6tables by name and read
# what they print, with xt2tables under these names: on an image, without root; as root also on what is
# live in a network namespace of its own, where the names are those of the folder xt2/live (xt2-restore(8)).
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
mkdir "$tmp/live"
cp "$build/xt2tables-restore" "$tmp/bin/" || exit 99
for name in iptables ip6tables iptables-legacy ip6tables-legacy; do
	ln -s xt2tables-restore "$tmp/bin/$name"
	# shellcheck disable=SC2016 # of that script
	printf '#!/bin/sh\nexec %s/%s --live "$@"\n' "$tmp/bin" "$name" >"$tmp/live/$name"
	chmod 755 "$tmp/live/$name"
done
for name in iptables-nft ip6tables-nft; do	# of these, only the version is asked for
	if command -v $name >/dev/null; then
		ln -s "$(command -v $name)" "$tmp/bin/$name"
		ln -s "$(command -v $name)" "$tmp/live/$name"
	fi
done
user=
[ "$(id -u)" != 0 ] || user="setpriv --reuid 65534 --regid 65534 --clear-groups"
cd "$tmp/images" || exit 99
# shellcheck disable=SC2086 # words
$user env HOME="$tmp/images" PATH="$tmp/bin:/usr/bin:/bin" XT2_IMAGE="$tmp/images/image" \
	"$tmp/go-test" -test.v >"$tmp/out" 2>&1 || bad "$(cat "$tmp/out")"
grep -E "^--- " "$tmp/out"
[ -n "$user" ] || { echo "SKIP: what is live: only root makes network namespaces"; exit $failed; }
ns=xt2-go-$$
ip netns add $ns || exit 99
ip netns exec $ns env HOME="$tmp/images" PATH="$tmp/live:/usr/bin:/bin" "$tmp/go-test" -test.v >"$tmp/out" 2>&1 ||
	bad "live: $(cat "$tmp/out")"
sed -n 's/^--- /live: &/p' "$tmp/out"
"$build/xt2" detach --netns $ns
ip netns del $ns
exit $failed
