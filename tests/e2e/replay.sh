#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What xt2 replay writes agrees with itself: a verdict a packet, two captures
# that are the whole, counters that can be loaded and saved; and the examples
# of README and man pages run.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
cd "$top/examples" || exit 99

gives 0 xt2 replay -r server.rules -H INPUT -i eth0 --ctstate NEW --counters "$tmp/counters" \
	--verdicts "$tmp/verdicts" --accepted "$tmp/accepted" --dropped "$tmp/dropped" --json \
	server.pcap
cp "$tmp/out" "$tmp/summary"
python3 - "$tmp" server.pcap <<'EOF' || bad "outputs of replay"
import collections, json, struct, sys

def packets(path):
    """-> (time in ns, bytes) of each packet of a pcap"""
    b = open(path, "rb").read()
    magic = struct.unpack_from("<I", b)[0]
    unit = {0xa1b2c3d4: 1000, 0xa1b23c4d: 1}[magic]
    at, found = 24, []
    while at < len(b):
        sec, frac, cap, _ = struct.unpack_from("<IIII", b, at)
        found.append((sec * 10**9 + frac * unit, b[at + 16:at + 16 + cap]))
        at += 16 + cap
    return found

tmp, pcap = sys.argv[1:]
summary = json.load(open(tmp + "/summary"))
lines = [json.loads(line) for line in open(tmp + "/verdicts")]
everything = packets(pcap)
assert [v["packet"] for v in lines] == list(range(1, len(everything) + 1))
assert summary["packets"] == len(everything)
kinds = collections.Counter(v["verdict"] for v in lines)
for verdict in ("ACCEPT", "DROP"):
    assert kinds[verdict], kinds
    file = {"ACCEPT": "/accepted", "DROP": "/dropped"}[verdict]
    want = [everything[v["packet"] - 1] for v in lines if v["verdict"] == verdict]
    if verdict == "DROP":
        want = [everything[v["packet"] - 1] for v in lines if v["verdict"] in ("DROP", "REJECT")]
    assert packets(tmp + file) == want, (verdict, len(packets(tmp + file)), len(want))
for v in lines:
    if v["verdict"] in ("ACCEPT", "DROP"):
        assert v["table"] == "filter" and v["chain"] and v["rule"] >= 0, v
    else:
        assert "reason" in v or v["verdict"] in ("REJECT", "QUEUE"), v
EOF

# the counters of a packet's last rule add up to the packets
accepted=$(grep -c '"verdict":"ACCEPT"' "$tmp/verdicts")
[ "$accepted" -gt 0 ] || bad "nothing accepted"

# counters can be loaded, and are saved as they were
gives 0 xt2tables-restore -c --image "$tmp/image" "$tmp/counters"
rules_of "$tmp/image" >"$tmp/saved"
grep -v '^#' "$tmp/counters" | diff - "$tmp/saved" || bad "counters change on their way"
grep -q '\[[1-9][0-9]*:' "$tmp/saved" || bad "no rule has counted"

# from an image: the same counters; the image is not changed
xt2tables-restore --image "$tmp/plain" server.rules || exit 99
cp "$tmp/plain" "$tmp/kept"
gives 0 xt2 replay --image "$tmp/plain" -H INPUT -i eth0 --ctstate NEW --counters - -q server.pcap
grep -v '^#' "$tmp/out" | diff - "$tmp/saved" >"$tmp/diff" || { bad "another answer from an image"; cat "$tmp/diff"; }
cmp -s "$tmp/plain" "$tmp/kept" || bad "replay has changed an image"

# unless it is told to, and then it counts on
for times in 1 2; do
	gives 0 xt2 replay --image "$tmp/kept" --update -H INPUT -i eth0 --ctstate NEW server.pcap
	rules_of "$tmp/kept" >"$tmp/rules.$times"
done
diff "$tmp/rules.1" "$tmp/saved" || bad "--update counts otherwise than --counters"
! cmp -s "$tmp/rules.1" "$tmp/rules.2" || bad "a second replay does not count"
gives 2 xt2 replay -r server.rules --update -H INPUT server.pcap

# --- exit codes

printf '*filter\n-A INPUT -m connlimit --connlimit-above 3 -j DROP\nCOMMIT\n' >"$tmp/foreign"
gives 3 xt2 replay -r "$tmp/foreign" -H INPUT server.pcap
grep -q connlimit "$tmp/err" || bad "the extension is not named"
gives 0 xt2 replay -r "$tmp/foreign" -H OUTPUT server.pcap
gives 2 xt2 replay -r mistake.rules -H INPUT server.pcap
gives 2 xt2 replay -r server.rules -H INPUT server.rules
gives 2 xt2 replay server.pcap
gives 0 xt2 check server.rules
gives 2 xt2 check mistake.rules
gives 0 xt2 explain server.rules -H INPUT --capture server.pcap --number 1

# --- examples of README and man pages, with the names of our files

cp server.rules "$tmp/rules.v4"
cp server.pcap "$tmp/traffic.pcap"
cp ./*.rules ./*.pcap "$tmp/"
cd "$tmp" || exit 99
xt2tables-restore --image now.xt2 rules.v4 || exit 99
mkdir bin
{ echo '#!/bin/sh'; echo 'cat rules.v4'; } >bin/iptables-save
cp bin/iptables-save bin/ip6tables-save
printf '#!/bin/sh\niptables-legacy -A INPUT -s 192.0.2.9 -j DROP\n' >firewall.sh
chmod +x bin/* firewall.sh
echo '-A INPUT -s 192.0.2.9 -j DROP' >changes
PATH=$tmp/bin:$PATH

run_examples() {	# FILE with lines of a shell
	sh -e "$1" >"$tmp/out" 2>"$tmp/err"
	[ $? -lt 2 ] || { bad "examples of $2"; cat "$1" "$tmp/err"; }
	count=$((count + 1))
}

sed -n '/^\$ iptables-save/,/^```/p' "$top/README.md" | sed '/^```/d; s/^\$ //' >example
grep -q replay example || bad "README has no examples"
run_examples example README.md
before=$count
# What is live would be so on the machine itself: tests/bpf has it.
for page in "$top"/doc/*.[18]; do
	awk '/^\.Sh/ { on = /EXAMPLES/ }
		/^\.Ed/ { if (block !~ /--live|xt2 (apply|confirm|counters|detach|doctor|log|repair|status)/) printf "%s", block
			code = 0; block = "" }
		on && code { gsub(/\\-/, "-"); sub(/\\e$/, "\\"); block = block $0 "\n" }
		/^\.Bd/ { code = 1 }' "$page" >example
	[ -s example ] || continue
	echo "export XT2_IMAGE=$tmp/now.xt2" | cat - example >example.sh
	run_examples example.sh "${page##*/}"
done
[ $count -gt $((before + 5)) ] || bad "only $((count - before)) pages with examples"
done_with
