#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf/rtt/xt2-rtt: that its figures have packets behind them.  Every driver that is
# here counts what it should, a driver that fails or miscounts is named, and a
# table has the columns it says.
[ "$(id -u)" = 0 ] || { echo "SKIP: only root makes network namespaces"; exit 77; }
for i in ip nsenter ping python3 ip6tables-legacy-restore; do
	command -v $i >/dev/null || { echo "SKIP: no $i"; exit 77; }
done
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
ip netns add "xt2-rtt-$$" 2>/dev/null || { echo "SKIP: no network namespaces"; exit 77; }
ip netns del "xt2-rtt-$$"

# A build directory of our own, whose xt2 is a script: $1 BODY
fake() {
	rm -rf "$tmp/build"
	mkdir "$tmp/build"
	ln -s "$build/perf" "$tmp/build/perf"
	printf '#!/bin/sh\n%s\n' "$1" >"$tmp/build/xt2"
	chmod +x "$tmp/build/xt2"
}

# BUILD ARGUMENTS...
rtt() {
	folder=$1
	shift
	# shellcheck disable=SC2016 # for the inner shell
	try sh -c 'echo $$ >>"$0"; exec "$@"' "$tmp/pids" "$top/perf/rtt/xt2-rtt" "$folder" \
		--results "$tmp/results" --no-plot --rounds 2 --count 10 "$@"
}

# DRIVERS: their lines say "exact", 0 packets are anything but replies
exact() {
	for driver; do
		grep -Eq "^$driver .* exact +-\$" "$tmp/out" || bad "$driver is not exact: $(cat "$tmp/out" "$tmp/err")"
	done
}

drivers="xt1"
[ -x "$build/perf/rtt/rtt-nft" ] && drivers="$drivers nft"
"$build/xt2" apply --help >/dev/null 2>&1 && drivers="$drivers xt2"
all=none,$(echo "$drivers" | tr ' ' ,)

rtt "$build" --drivers "$all" --ruleset "equal6 3 4" --ruleset "ping6 5"
[ "$status" = 0 ] || bad "round trips: $status: $(cat "$tmp/err")"
# shellcheck disable=SC2086 # a list
exact $drivers
[ "$(grep -c exact "$tmp/out")" = "$(($(echo "$drivers" | wc -w) * 2))" ] || bad "two rulesets, each driver"
python3 - "$tmp"/results/*-rtt.csv "$all" <<'END' || bad "the CSV"
import csv, sys
with open(sys.argv[1]) as f:
    assert f.readline().startswith('"#'), "no comment"
    rows = list(csv.DictReader(f))
drivers = sys.argv[2].split(",")
want = [(s, d, r) for s in ("equal6 3 4", "ping6 5") for d in drivers for r in ("all", "1", "2")]
assert [(r["ruleset"], r["driver"], r["round"]) for r in rows] == want, rows
for r in rows:
    assert r["replies"] == ("20" if r["round"] == "all" else "10"), r
    assert 0 < int(r["min ns"]) <= int(r["median ns"]) <= int(r["p99 ns"]), r
    assert float(r["ping min ms"]) <= float(r["ping avg ms"]), r
    assert r["wrong counters"] == ("" if r["driver"] == "none" else "0"), r
END

rtt "$build" --drivers "$all" --pass 3 --packets 500
[ "$status" = 0 ] || bad "added cost: $status: $(cat "$tmp/err")"
[ "$(grep -c exact "$tmp/out")" = "$(($(echo "$drivers" | wc -w) * 2))" ] || bad "added cost: $(cat "$tmp/out")"

# A driver that is not there, one that fails, one that drops everything, one that miscounts.
fake 'echo "xt2: not today" >&2; exit 3'
rtt "$tmp/build" --drivers xt1,xt2 --ruleset "ping6 5" --no-ping
[ "$status" = 0 ] || bad "a driver that is not there: $status"
grep -q '^driver xt2 is left out: .*not today' "$tmp/out" || bad "not named: $(cat "$tmp/out")"
exact xt1

fake 'case "$*" in *--help) ;; *) echo "xt2: too bad" >&2; exit 4 ;; esac'
rtt "$tmp/build" --drivers xt2,xt1 --ruleset "ping6 5" --no-ping
[ "$status" = 1 ] || bad "a driver that fails: $status"
grep -q '^driver xt2 is left out: .*too bad' "$tmp/out" || bad "not named: $(cat "$tmp/out")"
exact xt1

fake 'case "$*" in apply*--help) ;; apply*) ip6tables-legacy -P OUTPUT DROP ;; esac'
rtt "$tmp/build" --drivers xt2,xt1 --ruleset "ping6 5" --no-ping
[ "$status" = 1 ] || bad "a driver that drops: $status"
grep -q '^driver xt2 is left out: no reply to 11 packets' "$tmp/out" || bad "not named: $(cat "$tmp/out")"
exact xt1

fake 'case "$*" in counters*) echo "ipv6 filter INPUT 1 7 7" ;; esac'
rtt "$tmp/build" --drivers xt2,xt1 --ruleset "ping6 5" --no-ping
[ "$status" = 1 ] || bad "a driver that miscounts: $status"
# each round: a rule that did not match, four that are missing, three policies
grep -Eq '^xt2 .* 16 WRONG' "$tmp/out" || bad "not seen: $(cat "$tmp/out")"
exact xt1

fake :
rtt "$tmp/build" --drivers xt2,xt1 --pass 1 --packets 500
[ "$status" = 1 ] || bad "a driver that lets all pass: $status"
grep -q '^driver xt2, 1 rules, is left out: .*not dropped' "$tmp/out" || bad "not named: $(cat "$tmp/out")"
[ "$(grep -c '^xt1 .* exact$' "$tmp/out")" = 2 ] || bad "without the others: $(cat "$tmp/out")"

while read -r pid; do
	ip netns list | grep "^xt2-rtt-$pid-" && bad "namespaces are left"
done <"$tmp/pids"
[ $failed = 0 ] && echo "$count runs: ok"
exit $failed
