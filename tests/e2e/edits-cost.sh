#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf/edits: xt2-edits and edits-cost, xt2-beside and beside-cost.  A run has the rows and columns it
# says, and what fails is named.
for i in python3 iptables-legacy-restore; do
	command -v $i >/dev/null || { echo "SKIP: no $i"; exit 77; }
done
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
cost=$build/perf/edits/edits-cost

"$top/perf/gen/xt2-gen" acl4 300 >"$tmp/rules"
gives 0 "$build/xt2tables-restore" --image "$tmp/image" "$tmp/rules"
gives 0 "$cost" --edits 400 --near 100 --bulk 500 "$tmp/image"
awk 'NF != 6 || !($2 > 0) || !($3 > 0) || !($4 > 0) || !($5 > 0) { wrong = 1 }
	{ edits[$1] = $6 }
	END { exit wrong || NR != 14 || edits["random-replace"] != 400 || edits["near-insert"] != 100 || edits["bulk"] != 500 }' \
	"$tmp/out" || bad "edits-cost: $(cat "$tmp/out")"
for i in "" "--edits x $tmp/image" "--no $tmp/image" "$tmp/rules" "$tmp/image $tmp/image"; do
	# shellcheck disable=SC2086 # a list
	gives 2 "$cost" $i
done

"$top/perf/gen/xt2-gen" --packets 500 trace uniform "$tmp/rules" "$tmp/pcap"
gives 0 "$build/perf/edits/beside-cost" --seconds 1 "$tmp/image" "$tmp/pcap"
awk '$1 == "pending" { pending = $2 > 0 && $3 > 0 && $4 > 0; next }
	NF != 6 || !($2 > 0) || $3 > $4 || $4 > $5 || $5 > $6 { wrong = 1 }
	{ there[$1] = 1 }
	END { exit wrong || !pending || !there["quiet"] || !(there["edited"] || there["compiled"]) }' "$tmp/out" || bad "beside-cost: $(cat "$tmp/out")"
for i in "" "$tmp/image" "--seconds x $tmp/image $tmp/pcap" "--no $tmp/image $tmp/pcap" "$tmp/rules $tmp/pcap" \
	"$tmp/image $tmp/rules"; do
	# shellcheck disable=SC2086 # a list
	gives 2 "$build/perf/edits/beside-cost" $i
done
[ -z "$SANITIZE_CFLAGS" ] || done_with

peers=image
[ "$(id -u)" = 0 ] && ip netns add "xt2-edits-$$" 2>/dev/null && ip netns del "xt2-edits-$$" && peers=xt1,nft
if [ $peers != image ]; then
	try "$build/xt2" status
	[ "$status" -gt 1 ] || peers=live,$peers	# 1: nothing is live
fi
try "$top/perf/edits/xt2-edits" "$build" --results "$tmp/results" --peers $peers --rounds 1 --edits 30 --bulk 30 \
	--ruleset "acl4 200" --ruleset "kube 10" --ruleset "tree6 10 100 3"
[ "$status" = 0 ] || bad "xt2-edits: $status: $(cat "$tmp/out" "$tmp/err")"
python3 - "$peers" "$tmp"/results/*-edits.csv <<'END' || bad "the CSV"
import csv, sys
peers = ["library", "image"] + [p for p in sys.argv[1].split(",") if p != "image"]
with open(sys.argv[2]) as f:
    assert "microseconds an edit" in f.readline(), "no comment"
    rows = list(csv.DictReader(f))
assert [sum(r["ruleset"] == s for r in rows) for s in ("acl4 200", "kube 10", "tree6 10 100 3")] == [16, 17, 16], rows
for r in rows:
    there = [p for p in peers if p != "live" or not r["ruleset"].startswith("kube")]
    if r["edit"] in ("random-insert", "near-delete", "load"):
        assert all(float(r[p]) > 0 for p in there), r
    if r["edit"] == "services":
        assert all(float(r[p]) > 0 for p in there[1:]), r
END
gives 1 "$top/perf/edits/xt2-edits" "$build" --results "$tmp/results" --ruleset "no 1"
grep -q 'no 1: no ruleset' "$tmp/out" || bad "not named: $(cat "$tmp/out")"
gives 2 "$top/perf/edits/xt2-edits" "$build" --peers none

live=--no-live
case $peers in live,*) live= ;; esac
# shellcheck disable=SC2086 # an option, or none
try "$top/perf/edits/xt2-beside" "$build" --results "$tmp/results" --seconds 1 --packets 300 --ruleset "acl4 2000" $live
[ "$status" = 0 ] || bad "xt2-beside: $status: $(cat "$tmp/out" "$tmp/err")"
python3 - "$live" "$tmp"/results/*-beside.csv <<'END' || bad "the CSV of xt2-beside"
import csv, sys
with open(sys.argv[2]) as f:
    assert "nanoseconds a packet" in f.readline(), "no comment"
    rows = list(csv.DictReader(f))
ways = [(r["way"], r["time"]) for r in rows]
assert {("pending", "compiled"), ("pending", "edited"), ("library", "quiet")} <= set(ways), ways
assert sys.argv[1] or ways.count(("live", "compiled")) == 2, ways
assert all(float(r["median"]) > 0 for r in rows), rows
END
gives 1 "$top/perf/edits/xt2-beside" "$build" --results "$tmp/results" --no-live --ruleset "no 1"
gives 2 "$top/perf/edits/xt2-beside" "$build" --seconds 0
done_with
