#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --json: what is on standard output is one JSON value, whatever happens, or
# nothing; and it says what the text says.
top=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
PATH=$build:$PATH
cd "$top/examples" || exit 99
failed=0

cat >"$tmp/rules" <<'EOF'
*filter
:INPUT DROP [0:0]
:B - [0:0]
-A INPUT -p udp -j B
-A INPUT -p tcp -m comment --comment "Grüße \"日本\" 😀" -j ACCEPT
-A INPUT -p icmp -m connlimit --connlimit-above 3 -j DROP
-A B -j RETURN
-A B -j DROP
COMMIT
EOF
xt2tables-restore --image "$tmp/image" "$tmp/rules" || exit 99

# STATUS, an expression about the value d, and arguments of xt2
says() {
	status=$1
	expression=$2
	shift 2
	xt2 "$@" --json >"$tmp/out" 2>"$tmp/err"
	got=$?
	[ $got = "$status" ] || { echo "FAIL: xt2 $*: exit code $got, not $status"; failed=1; }
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert eval("(" + sys.argv[2] + ")"), d' "$tmp/out" "$expression" || { echo "FAIL: xt2 $*"; failed=1; }
}

nothing() {
	status=$1
	shift
	xt2 "$@" --json >"$tmp/out" 2>"$tmp/err"
	got=$?
	[ $got = "$status" ] && [ ! -s "$tmp/out" ] && [ -s "$tmp/err" ] && return
	echo "FAIL: xt2 $*: exit code $got"
	cat "$tmp/out"
	failed=1
}

e="explain $tmp/rules -H INPUT"
comment='-p tcp -m comment --comment "Grüße \\"日本\\" 😀" -j ACCEPT'
# shellcheck disable=SC2086 # lists of words
{
	says 0 "d['verdict'] == 'ACCEPT' and d['decided_by'] == 'filter/INPUT:2' and
		d['assumed'] == [] and d['steps'][1]['text'] == '$comment'" $e -p tcp
	says 0 "d['verdict'] == 'DROP' and d['why_not'] == {'rule': 'filter/B:2',
		'reached': False, 'matches': True, 'decided': False}" $e -p udp --why-not B:2
	says 0 "d['why_not']['failed'].startswith('-p udp (')" $e -p tcp --why-not INPUT:1
	says 0 "d['why_not']['decided']" $e -p tcp --why-not INPUT:2
	says 3 "d['verdict'] is None and d['unsupported'] ==
		{'rule': 'filter/INPUT:3', 'extension': 'connlimit'}" $e -p icmp
	says 3 "d['why_not']['matches'] is None and d['why_not']['unsupported']" \
		$e -p icmp --why-not INPUT:3
}
says 0 "any('ctstate' in a for a in d['assumed'])" explain server.rules -H INPUT
says 0 "not any('ctstate' in a for a in d['assumed'])" explain server.rules -H INPUT --ctstate NEW
says 0 "d['assumed'] == []" explain server.rules -H FORWARD
says 0 "d['packet'].startswith('tcp [2001:db8::9]')" explain server6.rules -H INPUT -s 2001:db8::9
nothing 2 explain server.rules -H INPUT -t nat
nothing 2 explain mistake.rules -H INPUT

says 3 "d[0]['unsupported'] == 1 and d[0]['errors'] == 0 and d[0]['warnings'] == 1 and
	[f['severity'] for f in d[0]['findings']] == ['unsupported', 'warning'] and
	[f['problem']['line'] for f in d[0]['findings']] == [6, 8]" check "$tmp/rules"
says 3 "[f['problem']['line'] for f in d[0]['findings']] == [6, 8] and
	d[0]['findings'][0]['problem']['file'] == '$tmp/rules'" check "$tmp/image"
says 2 "d[0]['errors'] == len(d[0]['findings']) > 0" check mistake.rules
says 2 "[f['errors'] for f in d] == [1, 0]" check "$tmp/nosuch" server.rules

says 0 "d['packets'] == 600 == d['evaluated'] + d['other'] + sum(d['unseen'].values())" \
	replay -r server.rules -H INPUT server.pcap
nothing 3 replay -r "$tmp/rules" -H INPUT server.pcap
nothing 2 replay -r server.rules -H INPUT "$tmp/nosuch"
says 0 "any(r.get('text') == 'Grüße \"日本\" 😀' for r in d)" dump "$tmp/image"
says 0 "[r['name'] for r in d if r['what'] == 'chain'] == ['B']" dump -c B -x "$tmp/image"
nothing 2 dump "$tmp/rules"
exit $failed
