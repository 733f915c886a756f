#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Images whose chains have indexes: what saves, edits, compares and evaluates them; and those whose
# index was tampered with, which nobody takes but those who want the rules alone.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
pcap=$top/examples/server.pcap
run="$(printf '%s\n' '-A OUTPUT' '-A OUTPUT' '-A OUTPUT' '-A OUTPUT -m comment --comment four')"

# RULES...: on standard output, a chain of 100 and one with a run
rules() {
	echo '*filter'
	echo ':INPUT DROP [0:0]'
	echo ':FORWARD ACCEPT [0:0]'
	echo ':OUTPUT ACCEPT [0:0]'
	i=0
	while [ $i -lt 100 ]; do
		echo "-A INPUT -p tcp -m tcp --dport $((i + 20)) -j ACCEPT"
		i=$((i + 1))
	done
	echo "$run"
	echo COMMIT
}

rules >"$tmp/rules"
gives 0 xt2tables-restore --image "$tmp/image" "$tmp/rules"
gives 0 xt2 dump "$tmp/image"
[ "$(grep -c ' index: .* kind ' "$tmp/out")" = 2 ] || bad "two chains have an index"

# saved as it was loaded, with the same digest
gives 0 xt2tables-save --image "$tmp/image"
grep -v '^#' "$tmp/out" >"$tmp/saved"
cmp -s "$tmp/saved" "$tmp/rules" || bad "the saved rules are others"
gives 0 xt2 digest "$tmp/image" "$tmp/rules"
[ "$(cut -d ' ' -f 1 "$tmp/out" | sort -u | wc -l)" = 1 ] || bad "another digest"

# each rule of a run counts, though evaluation counts them once
for hook in INPUT OUTPUT; do
	gives 0 xt2 replay --image "$tmp/image" -H "$hook" --counters "$tmp/counters.$hook" "$pcap"
done
packets=$(sed -n 's/^:OUTPUT ACCEPT \[\([0-9]*\):.*/\1/p' "$tmp/counters.OUTPUT")
[ "$packets" -gt 0 ] || bad "no packet at OUTPUT"
[ "$(grep -c "^\[$packets:.* OUTPUT" "$tmp/counters.OUTPUT")" = 4 ] || bad "each rule of a run counts"

# counters of runs are in the image that replay updates, also for who knows nothing of runs
cp "$tmp/image" "$tmp/updated"
gives 0 xt2 replay --image "$tmp/updated" -H OUTPUT --update "$pcap"
gives 0 xt2 replay --image "$tmp/updated" -H OUTPUT --update "$pcap"
rules_of "$tmp/updated" >"$tmp/out"
[ "$(grep -c "^\[$((2 * packets)):.* OUTPUT" "$tmp/out")" = 4 ] || bad "counters after two updates"

# edited: the index follows, counters stay
echo '*filter
-I INPUT 3 -p udp -m udp --dport 53 -j DROP
-D OUTPUT 1
COMMIT' >"$tmp/edit"
gives 0 xt2tables-restore -n --image "$tmp/updated" "$tmp/edit"
gives 0 xt2 dump "$tmp/updated"
[ "$(grep -c ' index: .* kind ' "$tmp/out")" = 1 ] || bad "three equal rules are no run"
rules_of "$tmp/updated" >"$tmp/out"
[ "$(grep -c "^\[$((2 * packets)):.* OUTPUT" "$tmp/out")" = 3 ] || bad "counters after an edit"
[ "$(grep -n -- '--dport 53' "$tmp/out" | head -n 1 | cut -d : -f 1)" = 7 ] || bad "place of the new rule"

# --- tampered with

# The index of INPUT no longer asks for what it compares: packets would miss rules.
python3 - "$tmp/image" "$tmp/bad" <<'EOT' || bad "no index to tamper with"
import struct, sys
b = bytearray(open(sys.argv[1], "rb").read())
found = 0
for at in range(64, len(b) - 32, 8):
    size, kind, asks, ahead, units, runs, run, body = struct.unpack_from("<IBBHIIII", b, at)
    if kind and units == 100 and runs == 0 and body == 48 and at + size <= len(b):
        b[at + 5] = 0
        found += 1
assert found == 1, found
open(sys.argv[2], "wb").write(b)
EOT
for command in "replay -H INPUT --image $tmp/bad $pcap" "check $tmp/bad" "dump $tmp/bad" \
	"explain $tmp/bad -H INPUT -p tcp --dport 22"; do
	# shellcheck disable=SC2086 # words
	gives 2 xt2 $command
	cat "$tmp/out" "$tmp/err" | grep -q 'table filter, chain INPUT: ' || bad "xt2 $command: which chain?"
	cat "$tmp/out" "$tmp/err" | grep -q 'xt2tables-save' || bad "xt2 $command: no hint"
done
gives 0 xt2tables-save --image "$tmp/bad"
grep -v '^#' "$tmp/out" | cmp -s - "$tmp/rules" || bad "saved from the image with a bad index"
gives 0 xt2 digest "$tmp/bad" "$tmp/rules"
[ "$(cut -d ' ' -f 1 "$tmp/out" | sort -u | wc -l)" = 1 ] || bad "digest with a bad index"
echo '*filter
COMMIT' >"$tmp/nothing"
gives 0 xt2tables-restore -n --image "$tmp/bad" "$tmp/nothing"
gives 0 xt2 replay -H INPUT --image "$tmp/bad" "$pcap"
done_with
