#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Rulesets as JSON, as a user has them: what is printed is what the schema
# says, it can be edited, and what is wrong with it is told with its place.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
cd "$top/examples" || exit 99

gives 0 xt2 convert server.rules -o "$tmp/4" --from save --to json --family 4
gives 0 xt2 convert server6.rules -o "$tmp/6" --from save --to json --family 6
gives 0 xt2 convert "$top/tests/e2e/rulesets/arp-2-mid.rules" -o "$tmp/arp" \
	--from save --to json --family arp
gives 0 xt2 convert "$top/tests/e2e/rulesets/ebt-2-filter.rules" -o "$tmp/eb" \
	--from save --to json --family eb
python3 - "$top/doc/xt2.schema.json" "$tmp/4" "$tmp/6" "$tmp/arp" "$tmp/eb" <<'EOF' || bad "not what the schema says"
import json, sys
schema = json.load(open(sys.argv[1]))
try:
    import jsonschema
    checker = jsonschema.Draft202012Validator(schema)
    checker.check_schema(schema)
except (ImportError, AttributeError):
    print("SKIP: no jsonschema: the schema is not checked")
    checker = None
for path in sys.argv[2:]:
    ruleset = json.load(open(path))
    assert ruleset["xt2"] == 1 and ruleset["tables"][0]["chains"][0]["rules"]
    if checker:
        checker.validate(ruleset)
        ruleset["tables"][0]["chains"][0]["rules"][0]["oops"] = 1
        assert not checker.is_valid(ruleset)
EOF

# A python statement about a rule r, whose file is then read
edit() {
	python3 - "$tmp/4" "$1" <<'EOF' >"$tmp/edited"
import json, sys
d = json.load(open(sys.argv[1]))
r = [r for c in d["tables"][0]["chains"] if c["name"] == "SSH" for r in c["rules"]][1]
exec(sys.argv[2])
json.dump(d, sys.stdout, indent=1)
EOF
	rm -f "$tmp/back"
	try xt2 convert "$tmp/edited" -o "$tmp/back" --from json --to save --family 4
}

# MESSAGE: the last edit was refused with it
refused() {
	[ "$status" = 2 ] || bad "$1: exit code $status"
	grep -q "$1" "$tmp/err" || { bad "no '$1' in"; cat "$tmp/err"; }
	[ ! -e "$tmp/back" ] || bad "$1: something was written"
}

edit 'r["rule"] = r["rule"].replace("198.51.100.7", "198.51.100.8")'
refused "^$tmp/edited:[0-9]*: .*ipv4 filter/SSH:2: \"match\" and the text"
edit 'r["rule"] = r["rule"].replace("198.51.100.7", "198.51.100.8"); del r["match"]'
[ "$status" = 0 ] || bad "an edited rule: exit code $status"
grep -q -- '-A SSH -s 198.51.100.8/32' "$tmp/back" || bad "the rule that was edited is not there"
edit 'r["packets"] = "18446744073709551616"'
refused 'SSH:2: "packets" is not a number'
edit 'r["packets"] = 2 ** 64 - 1'
refused 'hint: numbers above 9223372036854775807 are written as strings'
edit 'del r["rule"]'
refused 'hint: write its options into "rule"'
edit 'r["rule"] = "-j NOPE"'
refused "SSH:2: Couldn't load target"

head -n 5 "$tmp/4" >"$tmp/edited"
try xt2 convert "$tmp/edited" -o "$tmp/back" --from json --to save --family 4
refused "^$tmp/edited:[56]:.*not JSON"
xt2 convert - -o - --from json --to json --family 4 <"$tmp/4" >"$tmp/back"
cmp "$tmp/back" "$tmp/4" || bad "in a pipe"
done_with
