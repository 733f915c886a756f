#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf/gen/xt2-gen, xt2-vs-peers and instructions: rulesets of every kind load, captures hit
# what they should, a run has the columns it says, and what fails or miscounts
# is named.
for i in python3 ip nsenter iptables-legacy-restore; do
	command -v $i >/dev/null || { echo "SKIP: no $i"; exit 77; }
done
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
if [ -n "$SANITIZE_CFLAGS" ]; then
	echo "with sanitizers there is nothing to measure: nothing done"
	exit 0
fi
gen=$top/perf/gen/xt2-gen
cost=$build/perf/cost/index-cost

for kind in "acl4 300" "fw4 300" "ipc4 300" "acl6 300" "fw6 300" "ipc6 300" "block 300" "mac 300" \
	"kube 20" "fan 5 40" "always 100" "jumps 100" "fw4 300 --targets none --order random"; do
	# shellcheck disable=SC2086 # a list
	"$gen" $kind --seed x >"$tmp/rules" || bad "$kind: not made"
	# shellcheck disable=SC2086
	"$gen" --seed x $kind | cmp -s - "$tmp/rules" || bad "$kind: not the same twice"
	case $kind in
	???6* | ??6*) restore=xt2ip6tables-restore ;;
	*) restore=xt2tables-restore ;;
	esac
	rm -f "$tmp/image"
	gives 0 "$restore" --image "$tmp/image" "$tmp/rules"
	gives 0 "$gen" --packets 500 trace uniform "$tmp/rules" "$tmp/capture"
	case $kind in
	mac*) hook=FORWARD ;;
	*) hook=OUTPUT ;;
	esac
	gives 0 "$cost" --hook "$hook" --rounds 1 --budget 1 --counters "$tmp/counters" "$tmp/image" "$tmp/capture"
	# Nothing is left for the policy where all rules are in one chain and have a target.
	case $kind in
	*none* | always* | jumps* | mac* | kube* | fan*) ;;
	*) grep -qx "$hook policy 0 0" "$tmp/counters" || bad "$kind: packets without a rule" ;;
	esac
	awk '/^hits/ { exit !($2 >= 1) }' "$tmp/out" || bad "$kind: $(cat "$tmp/out")"
	awk '/^(parse|linear|indexed|batch) / { n++; if (NF != 4 || !($2 > 0) || $3 < $2) exit 1 } END { if (n != 4) exit 1 }' \
		"$tmp/out" || bad "$kind: $(cat "$tmp/out")"
done
for i in "" no "acl4" "acl4 x" "acl4 1 2" "trace no a b" "--order x acl4 9"; do
	# shellcheck disable=SC2086
	gives "1 2" "$gen" $i
done
for i in "" "one" "--modes no $tmp/image $tmp/capture" "--hook no $tmp/image $tmp/capture" \
	"$tmp/rules $tmp/capture" "$tmp/image $tmp/rules"; do
	# shellcheck disable=SC2086
	gives 2 "$cost" $i
done

if [ "$(id -u)" != 0 ] || ! ip netns add "xt2-peers-$$" 2>/dev/null; then
	echo "without the kernel's rulesets: only root makes network namespaces"
	done_with
fi
ip netns del "xt2-peers-$$"

# BUILD ARGUMENTS...
peers() {
	folder=$1
	shift
	# shellcheck disable=SC2016 # for the inner shell
	try sh -c 'echo $$ >>"$0"; exec "$@"' "$tmp/pids" "$top/perf/peers/xt2-vs-peers" "$folder" \
		--results "$tmp/results" --no-plot --rounds 2 --budget 2 --packets 600 "$@"
}

peers "$build" --peers xt1,nft --ruleset "acl4 100" --ruleset "mac 100" --ruleset "fw6 100" \
	--ruleset "fan 3 20" --ruleset "ipc4 100 --targets none" --trace uniform --trace cross
[ "$status" = 0 ] || bad "peers: $status: $(cat "$tmp/out" "$tmp/err")"
[ "$(grep -c ' exact$' "$tmp/out")" = 10 ] || bad "not all exact: $(cat "$tmp/out")"
python3 - "$tmp"/results/*-peers.csv <<'END' || bad "the CSV"
import csv, sys
with open(sys.argv[1]) as f:
    assert "ns a packet" in f.readline(), "no comment"
    rows = list(csv.DictReader(f))
assert [r["trace"] for r in rows] == ["uniform", "cross"] * 5, rows
for r in rows:
    for way in ("parse", "linear", "indexed", "batch", "xt1", "xt2 B/rule"):
        assert float(r[way]) != 0, (way, r)
    assert float(r["xt1 wrong"]) == 0, r
END

# Instructions: what is more than before is an error.
if command -v valgrind >/dev/null; then
	try "$top/perf/cost/instructions" "$build" --ruleset "acl4 16" --modes parse,indexed --csv "$tmp/csv"
	[ "$status" = 0 ] || bad "instructions: $status: $(cat "$tmp/err")"
	awk -F, 'NR > 1 && $3 > 10 { n++ } END { exit n != 2 }' "$tmp/csv" || bad "instructions: $(cat "$tmp/csv")"
	try "$top/perf/cost/instructions" "$build" --ruleset "acl4 16" --modes parse --against "$tmp/csv"
	[ "$status" = 0 ] || bad "the same instructions: $status: $(cat "$tmp/out")"
	sed -i 's/parse,.*/parse,20/' "$tmp/csv"
	try "$top/perf/cost/instructions" "$build" --ruleset "acl4 16" --modes parse --against "$tmp/csv"
	[ "$status" = 1 ] || bad "more instructions: $status: $(cat "$tmp/out")"
	grep -q '20.0  MORE$' "$tmp/out" || bad "not marked: $(cat "$tmp/out")"
fi

if [ -x "$build/perf/cost/acl-cost" ]; then
	for kind in "acl4 50" "fw6 20" "mac 50"; do
		peers "$build" --peers acl --ruleset "$kind"
		[ "$status" = 0 ] || bad "$kind: librte_acl: $status: $(cat "$tmp/out" "$tmp/err")"
		awk -F, -v n=0 'NR == 2 { for (i = 1; i <= NF; i++) if ($i == "acl256" || $i == "acl hits") col[i] }
			NR == 3 { for (i in col) n += $i > 0 } END { exit n != 2 }' "$tmp"/results/*-peers.csv ||
			bad "$kind: librte_acl has no figures: $(cat "$tmp/out")"
	done
fi

# A build directory of our own, whose index-cost is a script: BODY
fake() {
	rm -rf "$tmp/build"
	mkdir -p "$tmp/build/perf/cost"
	ln -s "$build"/xt2* "$tmp/build"
	ln -s "$build/perf/cost/trace-cost" "$tmp/build/perf/cost"
	printf '#!/bin/sh\n%s\n' "$1" >"$tmp/build/perf/cost/index-cost"
	chmod +x "$tmp/build/perf/cost/index-cost"
}

fake 'echo "too bad" >&2; exit 4'
peers "$tmp/build" --peers xt1 --ruleset "acl4 20"
[ "$status" = 1 ] || bad "one that fails: $status"
grep -q 'acl4 20, uniform: xt2: too bad' "$tmp/out" || bad "not named: $(cat "$tmp/out")"

fake "\"$cost\" \"\$@\"; exit 1" # as after a difference
peers "$tmp/build" --peers - --ruleset "acl4 20"
[ "$status" = 1 ] || bad "ways that differ: $status"
grep -q 'acl4 20, uniform: xt2: exit code 1' "$tmp/out" || bad "not named: $(cat "$tmp/out")"

# A rule's bytes are ten times what they are.
fake "\"$cost\" \"\$@\" || exit
for i; do
	case \$i in */counters) sed -i '3s/\$/0/' \"\$i\" ;; esac
done"
peers "$tmp/build" --peers xt1 --ruleset "acl4 20"
[ "$status" = 1 ] || bad "a wrong counter: $status: $(cat "$tmp/out")"
grep -q '1 counters of xt1 are not those of xt2: OUTPUT 1' "$tmp/out" || bad "not seen: $(cat "$tmp/out")"

while read -r pid; do
	ip netns list | grep "^xt2-peers-$pid-" && bad "namespaces are left"
done <"$tmp/pids"
done_with
