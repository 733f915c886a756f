#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Several files: -4, -6 and the like are for those that follow, in every command.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
cd "$tmp" || exit 99
printf '%s\n' '*filter' '-A INPUT -s 192.0.2.1/32' COMMIT >four
printf '%s\n' '*filter' '-A INPUT -s 2001:db8::1/128' COMMIT >six
printf '%s\n' '*filter' '-A INPUT -s 192.0.2.1 --h-length 6' COMMIT >arp

gives 0 xt2 digest four
cat out >all
gives 0 xt2 digest -6 six
cat out >>all
gives 0 xt2 digest --arp arp
cat out >>all
gives 0 xt2 digest four -6 six --arp arp
cmp -s out all || bad "digest: $(cat out)"
gives 0 xt2 digest -4 four --ipv6 six --arp -- arp
cmp -s out all || bad "digest --: $(cat out)"

gives 0 xt2 check -4 four -6 six --arp arp
[ "$(grep -c ': 1 rule in' out)" = 3 ] || bad "check: $(cat out)"
gives 0 xt2 check four --strict -6 six --arp arp -4 four
gives 2 xt2 check -6 four -4 six
gives 2 xt2 check four six
grep -q '^four: 1 rule in 3' out || bad "check: $(cat out)"

# One that no file follows would be for nothing.
for i in "check" "digest"; do
	gives 2 xt2 $i four -6
	grep -q 'no file after the last family' err || bad "$i: $(cat err)"
	gives 2 xt2 $i -6
	grep -q 'no file given' err || bad "$i: $(cat err)"
done
if xt2 status 2>&1 | grep -q 'not in this build'; then
	echo "without apply: it is not in this build"
else
	gives 2 xt2 apply --netns "xt2-none-$$" four -6
	grep -q 'no file after the last family' err || bad "apply: $(cat err)"
	gives 2 xt2 apply --netns "xt2-none-$$" -4 four -6 six
	grep -q "network namespace xt2-none-$$" err || bad "apply: $(cat err)"
fi
gives 2 xt2 digest four --live
grep -q -e '--live is instead of a file' err || bad "digest: $(cat err)"
gives 2 xt2 digest --live -- four
gives 2 xt2 digest --netns x four
done_with
