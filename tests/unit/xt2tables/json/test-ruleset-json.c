/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-ruleset-json.c - xt2tables/json/json-ruleset.h
 *
 * What is written reads back as the same ruleset; what is not JSON, not the
 * schema or not one rule is refused with its place, and then nothing has
 * changed.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <unistd.h>
#include "tests/lib/unit-program.h"
#include "tests/lib/fail-alloc.h"
#include "engine/env.h"
#include "xt2tables/json/json-ruleset.h"
#include "xt2tables/text/text.h"

static const char *top(void)
{
	const char *dir = getenv("top_srcdir");

	return dir ? dir : ".";
}

static char scratch[] = "/tmp/test-ruleset-json.XXXXXX";

static void store(const void *bytes, size_t size)
{
	FILE *f = fopen(scratch, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static struct xt2_ruleset *load_file(int family, const char *path)
{
	struct xt2_text_options opt = { .family = family, .counters = true };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_text_errors errors;

	if (xt2_text_load(path, rs, &opt, &errors))
		fail_msg("%s: %s", path, errors.count ? errors.list->message : "?");
	return rs;
}

static struct xt2_ruleset *load(int family, const char *text)
{
	store(text, strlen(text));
	return load_file(family, scratch);
}

/* => what is printed, to free(), or NULL */
static char *print(const struct xt2_ruleset *rs, int family, int *ret)
{
	char *text = NULL;
	size_t size;
	FILE *mem = open_memstream(&text, &size);

	assert_non_null(mem);
	*ret = xt2_json_write(mem, rs, family, NULL);
	assert_int_equal(fclose(mem), 0);
	return text;
}

static char *json_of(const struct xt2_ruleset *rs)
{
	int ret;
	char *text = print(rs, 0, &ret);

	if (ret)
		fail_msg("%d %s", ret, xt2_text_why());
	return text;
}

/* As xt2tables-save -c, without comments. */
static char *save_of(const struct xt2_ruleset *rs)
{
	static const int families[] = { XT2_IPV4, XT2_IPV6, XT2_ARP, XT2_BRIDGE };
	char *text = NULL, *from, *to;
	size_t size, i;
	FILE *mem = open_memstream(&text, &size);

	for (i = 0; i < XT2_ARRAY_SIZE(families); i++)
		assert_int_equal(xt2_text_save(mem, rs, families[i], NULL, true), 0);
	fclose(mem);
	for (from = to = text; *from;) {
		size_t len = strcspn(from, "\n") + 1;

		if (*from != '#') {
			memmove(to, from, len);
			to += len;
		}
		from += len;
	}
	*to = '\0';
	return text;
}

static struct xt2_ruleset *parse(const char *json)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_err err;

	store(json, strlen(json));
	if (xt2_json_read(scratch, rs, 0, &err))
		fail_msg("%u: %s", err.line, err.message);
	return rs;
}

/* --- there and back ------------------------------------------------------------ */

static void turn(struct xt2_ruleset *rs, const char *what)
{
	u8 a[XT2_DIGEST_SIZE], b[XT2_DIGEST_SIZE];
	char *json = json_of(rs), *again, *save = save_of(rs), *saved;
	struct xt2_ruleset *back = parse(json);

	again = json_of(back);
	saved = save_of(back);
	assert_int_equal(xt2_ruleset_digest(rs, a), 0);
	assert_int_equal(xt2_ruleset_digest(back, b), 0);
	if (strcmp(json, again) || strcmp(save, saved) || memcmp(a, b, sizeof(a)))
		fail_msg("%s does not come back as it was", what);
	free(json);
	free(again);
	free(save);
	free(saved);
	xt2_ruleset_free(rs);
	xt2_ruleset_free(back);
}

static void turn_files(const char *pattern, int family, size_t least)
{
	char path[512];
	glob_t files;
	size_t i;

	snprintf(path, sizeof(path), "%s/%s", top(), pattern);
	assert_int_equal(glob(path, 0, NULL, &files), 0);
	assert_true(files.gl_pathc >= least);
	for (i = 0; i < files.gl_pathc; i++)
		turn(load_file(family, files.gl_pathv[i]), files.gl_pathv[i]);
	globfree(&files);
}

static void test_files(void **state)
{
	turn_files("examples/server.rules", XT2_IPV4, 1);
	turn_files("examples/server6.rules", XT2_IPV6, 1);
	turn_files("tests/e2e/rulesets/v4-*", XT2_IPV4, 3);
	turn_files("tests/e2e/rulesets/v6-*", XT2_IPV6, 3);
	turn_files("tests/e2e/rulesets/arp-*", XT2_ARP, 3);
	turn_files("tests/e2e/rulesets/ebt-*.rules", XT2_BRIDGE, 3);
	turn_files("tests/golden/accept/*.v4.ok", XT2_IPV4, 9);
	turn_files("tests/golden/accept/*.v6.ok", XT2_IPV6, 2);
	turn_files("tests/golden/accept/*.arp.ok", XT2_ARP, 1);
}

static void test_rules(void **state)
{
	char path[512], line[4096], text[5000], name[128], table[32];
	int family, at, n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/legacy/vectors/rules.txt", top());
	f = fopen(path, "r");
	assert_non_null(f);
	for (; fgets(line, sizeof(line), f); n++) {
		assert_int_equal(sscanf(line, "%d %127s %31s %n", &family, name, table, &at), 3);
		snprintf(text, sizeof(text), "*%s\n-A %sCOMMIT\n", table, line + at);
		turn(load(family, text), line);
	}
	fclose(f);
	assert_true(n > 300);
}

#define HEAD	  "{\"xt2\":1,\"tables\":["
#define FILTER	  "{\"family\":\"ipv4\",\"name\":\"filter\",\"chains\":["
#define INPUT	  "{\"name\":\"INPUT\",\"policy\":\"DROP\",\"rules\":["
#define RULES	  HEAD FILTER INPUT
#define BRIDGE	  HEAD "{\"family\":\"bridge\",\"name\":\"nat\",\"chains\":["
#define BR_OUTPUT "{\"name\":\"OUTPUT\",\"policy\":\"ACCEPT\",\"rules\":["
#define END	  "]}]}]}"

static void test_all_families(void **state)
{
	struct xt2_ruleset *rs = load(XT2_IPV6, "*raw\n-A OUTPUT -p all -j ACCEPT\nCOMMIT\n"
						"*filter\n-A INPUT -s ::1\nCOMMIT\n");
	static const char arp[] = "*filter\n-A OUTPUT -s 1.2.3.4\n";
	struct xt2_text_options opt = { .family = XT2_ARP };
	struct xt2_text_errors errors;
	struct xt2_err err;
	struct xt2_ruleset *back;
	char *json;
	int ret;

	store(arp, strlen(arp));
	assert_int_equal(xt2_text_load(scratch, rs, &opt, &errors), 0);
	json = json_of(rs);
	back = parse(json);
	assert_int_equal(xt2_table_find(back, XT2_IPV6, "raw"), 0); /* in the order they came */
	assert_int_equal(xt2_table_find(back, XT2_IPV6, "filter"), 1);
	assert_int_equal(xt2_table_find(back, XT2_ARP, "filter"), 2);
	free(json);
	json = print(rs, XT2_ARP, &ret);
	assert_int_equal(ret, 0);
	store(json, strlen(json));
	assert_null(strstr(json, "ipv6"));
	/* the file's tables are replaced, others stay; of a family only those that are asked for */
	assert_int_equal(xt2_chain_flush(back, xt2_chain_base(back, 2, XT2_ARP_OUTPUT)), 0);
	assert_int_equal(xt2_json_read(scratch, back, XT2_IPV4, &err), 0);
	assert_int_equal(xt2_chain_rules(back, xt2_chain_base(back, 2, XT2_ARP_OUTPUT)), 0);
	assert_int_equal(xt2_json_read(scratch, back, XT2_ARP, &err), 0);
	assert_int_equal(xt2_chain_rules(back, xt2_chain_base(back, 2, XT2_ARP_OUTPUT)), 1);
	assert_int_equal(xt2_chain_rules(back, xt2_chain_base(back, 1, XT2_INPUT)), 1);
	free(json);
	turn(rs, "all families");
	xt2_ruleset_free(back);
}

static void test_numbers(void **state)
{
	static const u64 values[] = {
		0, 1, (1ull << 53) - 1, 1ull << 53, (1ull << 63) - 1, 1ull << 63, ~0ull
	};
	struct xt2_ruleset *rs = load(XT2_IPV4, "*filter\n-A INPUT -m quota --quota "
						"18446744073709551615\nCOMMIT\n");
	const struct xt2_rule *r;
	char *json;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(values); i++) {
		int input = xt2_chain_base(rs, 0, XT2_INPUT);
		u64 packets, bytes;

		xt2_rule_set_counters(rs, input, 0, values[i], ~values[i]);
		xt2_chain_set_counters(rs, input, ~values[i], values[i]);
		json = json_of(rs);
		xt2_ruleset_free(rs);
		rs = parse(json);
		input = xt2_chain_base(rs, 0, XT2_INPUT);
		r = xt2_rule_get(rs, input, 0);
		assert_true(r->packets == values[i] && r->bytes == ~values[i]);
		xt2_chain_counters(rs, input, &packets, &bytes);
		assert_true(packets == ~values[i] && bytes == values[i]);
		free(json);
	}
	xt2_ruleset_free(rs);
	rs = parse(RULES "{\"rule\":\"\",\"packets\":9223372036854775807,\"bytes\":\"007\"}" END);
	r = xt2_rule_get(rs, xt2_chain_base(rs, 0, XT2_INPUT), 0);
	assert_true(r->packets == 9223372036854775807 && r->bytes == 7);
	xt2_ruleset_free(rs);
}

/* Bytes that are no UTF-8, that pretend to be such bytes, and that end lines of text. */
static void test_bytes(void **state)
{
	static const char *const texts[] = {
		"Gr\xc3\xbc\xc3\x9f\x65 \xf0\x9f\x98\x80",
		"\xff\x80\xc3(\xed\xa0\x80\xc0\x80",
		"\xef\x9e\x80\xef\x9f\xbf",
		"\xef\x9d\xbf \xef\xa0\x80",
		"\\ \\\\ \\u00e4 \x01\x1f\x7f",
		"a\nb\tc\rd",
	};
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(texts); i++) {
		struct xt2_ruleset *rs = load(XT2_IPV4, "*filter\n-A INPUT -j DROP\nCOMMIT\n");
		struct {
			struct xt2_rule rule;
			struct xt2_match match;
		} r = { { 32, 32, XT2_T_DROP, 0, 0 }, { XT2_M_COMMENT, 0, 8, 0 } };
		char *json;
		int ret = xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 0, "comment", texts[i],
					   strlen(texts[i]));

		assert_true(ret >= 0);
		r.match.arg = (u32)ret;
		ret = xt2_chain_base(rs, 0, XT2_INPUT);
		assert_int_equal(xt2_rule_append(rs, ret, &r.rule, 0), 0);
		json = json_of(rs);
		assert_null(strpbrk(json, "\x01\x1f\x7f\r\t\xc3\xef\xff"));
		free(json);
		turn(rs, texts[i]);
	}
}

/* arptables keeps chains as they came; so does the file. */
static void test_order(void **state)
{
	struct xt2_ruleset *rs =
		parse(HEAD FILTER "{\"name\":\"z\",\"rules\":[{\"rule\":\"-j a\"}]},"
				  "{\"name\":\"a\",\"rules\":[]},{\"name\":\"m\",\"rules\":[" END);
	char *json = json_of(rs), *z = strstr(json, "\"z\""), *m = strstr(json, "\"m\"");

	assert_true(strstr(json, "\"OUTPUT\"") < z && z < strstr(json, "{\"name\":\"a\"") &&
		    strstr(json, "{\"name\":\"a\"") < m);
	free(json);
	turn(rs, "order of chains");
}

/* --- what is refused -------------------------------------------------------------- */

static const struct {
	const char *json;
	unsigned int line;
	const char *message; /* a part of it */
} wrong[] = {
	{ "", 1, "not JSON" },
	{ "x", 1, "not JSON" },
	{ "[]", 1, "this is not an object" },
	{ "{}", 1, "\"xt2\": 1 is missing" },
	{ "{\"xt2\":2,\"tables\":[]}", 1, "\"xt2\": 1 is missing" },
	{ "{\"xt2\":1}", 1, "\"tables\" is missing" },
	{ "{\"xt2\":1,\n\"tables\":{}}", 2, "\"tables\" is not an array" },
	{ "{\"xt2\":1,\"tables\":[],\n\"more\":1}", 2, "no member \"more\"" },
	{ HEAD "\n7]}", 2, "not an object" },
	{ HEAD "]}}", 1, "not JSON" },
	{ HEAD "]} x", 1, "not JSON" },
	{ HEAD "{\"family\":\"x\",\"name\":\"filter\",\"chains\":[]}]}", 1, "'x' is not a family" },
	{ HEAD "{\"family\":4,\"name\":\"filter\",\"chains\":[]}]}", 1, "not a family" },
	{ HEAD "{\"family\":\"arp\",\"name\":\"nat\",\"chains\":[]}]}", 1,
	  "arp has no table 'nat'" },
	{ HEAD "{\"family\":\"ipv4\",\"name\":7,\"chains\":[]}]}", 1, "ipv4 has no table ''" },
	{ HEAD FILTER "]},\n" FILTER "]}]}", 2, "for the second time" },
	{ HEAD FILTER "3]}]}", 1, "not an object" },
	{ HEAD FILTER "{\"rules\":[]}]}]}", 1, "\"name\" is missing" },
	{ HEAD FILTER "{\"name\":\"INPUT\",\"rules\":[]}]}]}", 1, "needs a \"policy\"" },
	{ HEAD FILTER "{\"name\":\"INPUT\",\"policy\":\"REJECT\",\"rules\":[]}]}]}", 1,
	  "ipv4 filter/INPUT: the chain needs a \"policy\"" },
	{ HEAD FILTER "{\"name\":\"x\",\"policy\":\"DROP\",\"rules\":[]}]}]}", 1,
	  "only base chains" },
	{ HEAD FILTER "{\"name\":\"x\",\"bytes\":1,\"rules\":[]}]}]}", 1, "only base chains" },
	{ HEAD FILTER "{\"name\":\"x\"}]}]}", 1, "\"rules\" is missing" },
	{ HEAD FILTER "{\"name\":\"\",\"rules\":[]}]}]}", 1, "no chain can be called ''" },
	{ HEAD FILTER "{\"name\":\"DROP\",\"rules\":[]}]}]}", 1, "no chain can be called 'DROP'" },
	{ HEAD FILTER "{\"name\":\"a\",\"rules\":[]},\n{\"name\":\"a\",\"rules\":[]}]}]}", 2,
	  "no chain can be called 'a'" },
	{ HEAD FILTER INPUT "]},\n" INPUT "]}]}]}", 2, "no chain can be called 'INPUT'" },
	{ HEAD FILTER "{\"name\":\"1234567890123456789012345678901x\",\"rules\":[]}]}]}", 1,
	  "no chain can be called" },
	{ RULES "[]" END, 1, "ipv4 filter/INPUT:1: this is not an object" },
	{ RULES "{}" END, 1, "INPUT:1: the rule has no text" },
	{ RULES "{\"match\":[],\"target\":{\"name\":\"DROP\"}}" END, 1, "the rule has no text" },
	{ RULES "{\"rule\":null}" END, 1, "\"rule\" is not a string" },
	{ RULES "{\"rule\":\"\"},\n{\"rule\":\"\",\"pkts\":5}" END, 2,
	  "INPUT:2: no member \"pkts\"" },
	{ RULES "{\"rule\":\"\",\n\"packets\":-1}" END, 2, "\"packets\" is not a number from 0" },
	{ RULES "{\"rule\":\"\",\"bytes\":1.0}" END, 1, "\"bytes\" is not a number" },
	{ RULES "{\"rule\":\"\",\"bytes\":1e3}" END, 1, "\"bytes\" is not a number" },
	{ RULES "{\"rule\":\"\",\"bytes\":\"18446744073709551616\"}" END, 1, "is not a number" },
	{ RULES "{\"rule\":\"\",\"bytes\":\" 1\"}" END, 1, "is not a number" },
	{ RULES "{\"rule\":\"\",\"bytes\":\"\"}" END, 1, "is not a number" },
	{ RULES "{\"rule\":\"\",\"bytes\":true}" END, 1, "is not a number" },
	{ RULES "{\"rule\":\"\",\n\"bytes\":18446744073709551615}" END, 2, "not JSON: too big" },
	{ RULES "{\"rule\":\"\",\"rule\":\"-j DROP\"}" END, 1, "duplicate" },
	{ RULES "{\"rule\":\"-j DROP\\u0000\"}" END, 1, "not JSON" },
	{ RULES "{\"rule\":\"-j \xff\"}" END, 1, "not JSON" },
	{ RULES "{\"rule\":\"-j \\ud800\"}" END, 1, "not JSON" },
	{ RULES "{\"rule\":\"-j NOPE\"}" END, 1, "INPUT:1: Couldn't load target `NOPE'" },
	{ RULES "{\"rule\":\"-j INPUT\"}" END, 1, "Can't jump to built-in chain" },
	{ RULES "{\"rule\":\"-x\"}" END, 1, "INPUT:1: " },
	{ RULES "{\"rule\":\"-A FORWARD -j DROP\"}" END, 1, "Cannot use -A with -A" },
	{ RULES "{\"rule\":\"-D INPUT\"}" END, 1, "Cannot use -D with -A" },
	{ RULES "{\"rule\":\"-t nat\"}" END, 1, "-t" },
	{ RULES "{\"rule\":\"-c 1 2\"}" END, 1, "counters are members" },
	{ RULES "{\"rule\":\"-6 -j DROP\"}" END, 1, "another family" },
	{ RULES "{\"rule\":\"-s 1.2.3.4,5.6.7.8\"}" END, 1, "several rules" },
	{ RULES "{\"rule\":\"-m comment --comment \\\"x\"}" END, 1, "quote is not closed" },
	{ RULES "{\"rule\":\"-s 1.2.3.4\",\n\"match\":[]}" END, 2, "\"match\" and the text" },
	{ RULES "{\"rule\":\"-s 1.2.3.4\",\"match\":null}" END, 1, "\"match\" and the text" },
	{ RULES "{\"rule\":\"-j DROP\",\"match\":[],\n\"target\":{\"name\":\"ACCEPT\"}}" END, 2,
	  "INPUT:1: \"target\" and the text of the rule say different things" },
	{ RULES "{\"rule\":\"-j DROP\",\"match\":[{\"name\":\"source\",\"address\":\"1.2.3.4\","
		"\"prefix\":32}]}" END,
	  1, "\"match\" and the text" },
	{ HEAD FILTER "{\"name\":\"a\",\"rules\":[{\"rule\":\"-j b\"}]},\n"
		      "{\"name\":\"b\",\"rules\":[{\"rule\":\"-j a\"}]},\n" INPUT
		      "{\"rule\":\"-j a\"}" END,
	  2, "ipv4 filter/b:1: chains loop" },
	{ HEAD
	  "{\"family\":\"ipv4\",\"name\":\"nat\",\"chains\":[\n{\"name\":\"x\",\"rules\":[\n"
	  "{\"rule\":\"-j MASQUERADE\"}]},\n{\"name\":\"OUTPUT\",\"policy\":\"ACCEPT\",\"rules\":["
	  "{\"rule\":\"-j x\"}]}]}]}",
	  3, "ipv4 nat/x:1: " },
};

/* One try, which must not change anything.  => what xt2_json_read() answers */
static int attempt(const void *json, size_t size, struct xt2_err *err)
{
	static struct xt2_ruleset *rs;
	static char *before;
	struct xt2_ruleset *tried;
	char *after;
	int ret;

	if (!rs) {
		rs = parse(RULES "{\"rule\":\"-s 1.2.3.4 -j x\",\"packets\":5}]},"
				 "{\"name\":\"x\",\"rules\":[{\"rule\":\"-j LOG\"}" END);
		before = json_of(rs);
	}
	store(json, size);
	ret = xt2_json_read(scratch, rs, 0, err);
	if (!ret) { /* it was good after all: then it comes back */
		tried = xt2_ruleset_clone(rs);
		assert_non_null(tried);
		turn(tried, json);
		xt2_ruleset_free(rs);
		rs = parse(before);
	}
	after = json_of(rs);
	assert_string_equal(before, after);
	free(after);
	return ret;
}

static void test_wrong(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_err err;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(wrong); i++) {
		int ret = attempt(wrong[i].json, strlen(wrong[i].json), &err);

		if (ret != -EINVAL || err.line != wrong[i].line ||
		    !strstr(err.message, wrong[i].message) || strcmp(err.file, scratch))
			fail_msg("%s\nline %u: %s", wrong[i].json, err.line, err.message);
	}
	assert_int_equal(xt2_json_read("/nonexistent", rs, 0, &err), -ENOENT);
	assert_int_equal(err.code, XT2_E_SYSTEM);
	xt2_ruleset_free(rs);
}

static void test_deep(void **state)
{
	static char deep[1 << 20];
	struct xt2_err err;

	memset(deep, '[', sizeof(deep));
	assert_int_equal(attempt(deep, sizeof(deep), &err), -EINVAL);
	assert_non_null(strstr(err.message, "depth"));
	memset(deep, '{', sizeof(deep));
	assert_int_equal(attempt(deep, sizeof(deep), &err), -EINVAL);
}

/* JSON has none, though jansson takes one for a blank behind a number. */
static void test_zero_byte(void **state)
{
	static const char in_object[] = "{\0}", after_number[] = "{\"xt2\":\n1\0,\"nonsense\":2}";
	struct xt2_err err;

	assert_int_equal(attempt(in_object, sizeof(in_object) - 1, &err), -EINVAL);
	assert_int_equal(err.line, 1);
	assert_int_equal(attempt(after_number, sizeof(after_number) - 1, &err), -EINVAL);
	assert_int_equal(err.line, 2);
	assert_int_equal(err.column, 2);
	assert_non_null(strstr(err.message, "byte of value 0"));
}

static const char sample[] = RULES
	"{\"rule\":\"-s 10.0.0.0/8 -p tcp -m tcp --dport 22 -j x\",\"packets\":1,\"bytes\":\"2\","
	"\"match\":[{\"name\":\"source\",\"address\":\"10.0.0.0\",\"prefix\":8},"
	"{\"name\":\"protocol\",\"number\":6},{\"name\":\"tcp\",\"destination_ports\":[22,22]}],"
	"\"target\":{\"jump\":\"x\"}}\n]},\n{\"name\":\"x\",\"rules\":["
	"{\"rule\":\"-m comment --comment \\\"a \\u00e4\\\" -j LOG\"}" END;

/* Every beginning of a file is refused, and says where. */
static void test_truncated(void **state)
{
	struct xt2_err err;
	size_t i;

	assert_int_equal(attempt(sample, strlen(sample), &err), 0);
	for (i = 0; i < strlen(sample); i++) {
		assert_int_equal(attempt(sample, i, &err), -EINVAL);
		assert_true(err.line && err.column && *err.message);
	}
}

/* With other bytes it is refused, or means something that comes back. */
static void test_changed(void **state)
{
	static const char bytes[] = "\"{}[],:\\0a-! \x01\xff";
	char *copy = strdup(sample);
	struct xt2_err err;
	unsigned int good = 0;
	size_t i, j;

	for (i = 0; i < strlen(sample); i++) {
		for (j = 0; j < sizeof(bytes); j += 3) {
			copy[i] = bytes[(j + i) % sizeof(bytes)];
			good += !attempt(copy, strlen(sample), &err);
		}
		copy[i] = sample[i];
	}
	assert_true(good > 10);
	free(copy);
}

/* Rules whose text is not theirs are not written. */
static void test_lossy(void **state)
{
	struct xt2_ruleset *rs = load(XT2_IPV4, "*filter\n-A INPUT -j DROP\n"
						"-A INPUT -p tcp -m tcp ! --sport 0:\nCOMMIT\n");
	int ret;

	free(print(rs, 0, &ret));
	assert_int_equal(ret, -EOPNOTSUPP);
	assert_non_null(strstr(xt2_text_why(), "filter/INPUT:2: "));
	free(print(rs, XT2_IPV6, &ret));
	assert_int_equal(ret, 0);
	xt2_ruleset_free(rs);
}

static void test_memory(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_err err;
	unsigned int n = 0;
	int ret;

	store(sample, strlen(sample));
	do {
		fail_alloc(++n);
		ret = xt2_json_read(scratch, rs, 0, &err);
		fail_alloc(0);
		if (ret) {
			assert_int_equal(ret, -ENOMEM);
			assert_int_equal(xt2_ruleset_tables(rs), 0);
		}
	} while (ret);
	assert_true(n > 20);
	xt2_ruleset_free(rs);
}

/* The page that describes it has an example. */
static void test_example(void **state)
{
	char path[512], *page = calloc(1, 1 << 16), *start, *end, *json;
	struct xt2_ruleset *rs;
	FILE *f;

	snprintf(path, sizeof(path), "%s/doc/json.md", top());
	f = fopen(path, "r");
	assert_non_null(f);
	assert_true(fread(page, 1, (1 << 16) - 1, f) > 0);
	fclose(f);
	start = strstr(page, "```json\n");
	assert_non_null(start);
	start += strlen("```json\n");
	end = strstr(start, "```");
	assert_non_null(end);
	*end = '\0';
	rs = parse(start);
	json = json_of(rs);
	assert_string_equal(json, start);
	free(json);
	free(page);
	xt2_ruleset_free(rs);
}

static int setup(void **state)
{
	int fd = mkstemp(scratch);

	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	unlink(scratch);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_files),	     cmocka_unit_test(test_rules),
	cmocka_unit_test(test_all_families), cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_bytes),	     cmocka_unit_test(test_order),
	cmocka_unit_test(test_wrong),	     cmocka_unit_test(test_deep),
	cmocka_unit_test(test_truncated),    cmocka_unit_test(test_changed),
	cmocka_unit_test(test_lossy),	     cmocka_unit_test(test_memory),
	cmocka_unit_test(test_example),	     cmocka_unit_test(test_zero_byte),
};

UNITS_WITH(tests, setup, teardown)
