/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-digest.c - xt2_ruleset_digest()
 *
 * The same ruleset has the same digest, whichever way it came: what the tools
 * sent to the kernel against the text that they were given, and what is
 * written in a binary form and read again.  What says something else has
 * another one.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/lib/unit-program.h"
#include <xt2/sockopt.h>
#include "engine/env.h"
#include "xt2tables/text/text.h"

static const char *top(void)
{
	const char *dir = getenv("top_srcdir");

	return dir ? dir : ".";
}

struct digest {
	u8 bytes[XT2_DIGEST_SIZE];
};

static struct digest digest_of(const struct xt2_ruleset *rs)
{
	struct digest d;

	assert_int_equal(xt2_ruleset_digest(rs, d.bytes), 0);
	return d;
}

static bool same(const struct xt2_ruleset *a, const struct xt2_ruleset *b)
{
	struct digest x = digest_of(a), y = digest_of(b);

	return !memcmp(x.bytes, y.bytes, sizeof(x.bytes));
}

static struct xt2_ruleset *load_file(int family, const char *path)
{
	struct xt2_text_options opt = { .family = family, .counters = false };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_text_errors errors;

	if (xt2_text_load(path, rs, &opt, &errors))
		fail_msg("%s: %s", path, errors.count ? errors.list->message : "?");
	return rs;
}

static struct xt2_ruleset *load(int family, const char *text)
{
	char path[] = "/tmp/test-digest.XXXXXX";
	int fd = mkstemp(path);
	struct xt2_ruleset *rs;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	rs = load_file(family, path);
	unlink(path);
	return rs;
}

/* --- what the tools sent ------------------------------------------------------ */

struct record {
	int family, compat;
	char name[128];
	u32 len;
	u8 *bytes;
};

static FILE *vectors_open(const char *file)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/legacy/vectors/%s", top(), file);
	f = fopen(path, "r");
	if (!f)
		fail_msg("cannot open %s", path);
	return f;
}

static bool record_next(FILE *f, struct record *r)
{
	char what[16];

	if (fscanf(f, "%d %d %15s %u %127[^\n]", &r->family, &r->compat, what, &r->len, r->name) !=
	    5)
		return false;
	assert_int_equal(fgetc(f), '\n');
	r->bytes = malloc(r->len + 1);
	assert_int_equal(fread(r->bytes, 1, r->len, f), r->len);
	return true;
}

static void replace(struct xt2_ruleset *rs, const struct record *r)
{
	struct xt2_err err;

	if (xt2_table_read_replace(rs, r->family, r->compat, r->bytes, r->len, 1, &err) < 0)
		fail_msg("%s: %s", r->name, err.message);
}

/* What a ruleset says in the end; the name of its text ends at a dot. */
static void compare_ruleset(const char *name, int family, struct xt2_ruleset *sent[2])
{
	struct xt2_ruleset *rs;
	char path[512];
	int compat;

	snprintf(path, sizeof(path), "%s/tests/e2e/rulesets/%.*s.rules", top(),
		 (int)strcspn(name, "."), name);
	rs = load_file(family, path);
	for (compat = 0; compat < 2; compat++) {
		if (!same(rs, sent[compat]))
			fail_msg("%s: text and what %d bits sent differ", name, compat ? 32 : 64);
		xt2_ruleset_free(sent[compat]);
		sent[compat] = xt2_ruleset_new();
	}
	xt2_ruleset_free(rs);
}

/* => how many rulesets there are in a file of what the tools sent */
static u32 compare_file(const char *file)
{
	struct xt2_ruleset *sent[2] = { xt2_ruleset_new(), xt2_ruleset_new() };
	FILE *f = vectors_open(file);
	char name[128] = "";
	struct record r;
	u32 n = 0;
	int family = 0;

	while (record_next(f, &r)) {
		r.name[strcspn(r.name, "/")] = '\0';
		if (*name && strcmp(name, r.name)) {
			compare_ruleset(name, family, sent);
			n++;
		}
		strcpy(name, r.name);
		family = r.family;
		replace(sent[r.compat], &r);
		free(r.bytes);
	}
	assert_true(feof(f));
	compare_ruleset(name, family, sent);
	xt2_ruleset_free(sent[0]);
	xt2_ruleset_free(sent[1]);
	fclose(f);
	return n + 1;
}

static void test_rulesets_sent(void **state)
{
	assert_int_equal(compare_file("tables.vec"), 9);
	assert_int_equal(compare_file("ebt.vec"), 6); /* each with two fillings of memory */
}

/* The text of a rule's record, or NULL if it has none.  The files have the same order. */
static struct xt2_ruleset *rule_text(const char *name)
{
	FILE *f = vectors_open("rules.txt");
	char line[4096], text[5000], other[128], table[32];
	struct xt2_ruleset *rs = NULL;
	int family, at;

	while (!rs && fgets(line, sizeof(line), f)) {
		assert_int_equal(sscanf(line, "%d %127s %31s %n", &family, other, table, &at), 3);
		if (strcmp(name, other))
			continue;
		snprintf(text, sizeof(text), "*%s\n-A %sCOMMIT\n", table, line + at);
		rs = load(family, text);
	}
	fclose(f);
	return rs;
}

static void test_rules_sent(void **state)
{
	FILE *f = vectors_open("rules.vec");
	struct record r;
	u32 n = 0;

	while (record_next(f, &r)) {
		struct xt2_ruleset *text = rule_text(r.name), *sent = xt2_ruleset_new();

		if (text) {
			replace(sent, &r);
			if (!same(text, sent))
				fail_msg("%s: text and what %d bits sent differ", r.name,
					 r.compat ? 32 : 64);
			n++;
		}
		xt2_ruleset_free(text);
		xt2_ruleset_free(sent);
		free(r.bytes);
	}
	assert_true(feof(f) && n >= 620);
	fclose(f);
}

/* --- written and read again ----------------------------------------------------- */

/* All tables through a binary form.  => how many */
static u32 turn(const struct xt2_ruleset *from, struct xt2_ruleset *to, int compat,
		const char *what)
{
	struct xt2_err err;
	int table;
	void *blob;
	size_t len;

	for (table = 0; table < xt2_ruleset_tables(from); table++) {
		if (xt2_table_write_replace(from, table, compat, NULL, &blob, &len, &err))
			fail_msg("%s: %s", what, err.message);
		if (xt2_table_read_replace(to, xt2_table_family(from, table), compat, blob, len, 1,
					   &err) < 0)
			fail_msg("%s: %s", what, err.message);
		free(blob);
	}
	return (u32)xt2_ruleset_tables(from);
}

static u32 turn_files(const char *pattern, int family)
{
	char path[512];
	glob_t files;
	size_t i;
	u32 n = 0;
	int compat;

	snprintf(path, sizeof(path), "%s/%s", top(), pattern);
	assert_int_equal(glob(path, 0, NULL, &files), 0);
	for (i = 0; i < files.gl_pathc; i++) {
		struct xt2_ruleset *rs = load_file(family, files.gl_pathv[i]);

		for (compat = 0; compat < 2; compat++) {
			struct xt2_ruleset *back = xt2_ruleset_new();

			n += turn(rs, back, compat, files.gl_pathv[i]);
			if (!same(rs, back))
				fail_msg("%s: another digest after %d bits", files.gl_pathv[i],
					 compat ? 32 : 64);
			xt2_ruleset_free(back);
		}
		xt2_ruleset_free(rs);
	}
	globfree(&files);
	return n;
}

static void test_turn(void **state)
{
	u32 n = 0;

	n += turn_files("examples/server.rules", XT2_IPV4);
	n += turn_files("examples/server6.rules", XT2_IPV6);
	n += turn_files("tests/e2e/rulesets/v4-*", XT2_IPV4);
	n += turn_files("tests/e2e/rulesets/v6-*", XT2_IPV6);
	n += turn_files("tests/e2e/rulesets/arp-*", XT2_ARP);
	n += turn_files("tests/e2e/rulesets/ebt-*.rules", XT2_BRIDGE);
	assert_true(n >= 36);
}

/* --- what counts, and what does not ------------------------------------------------ */

#define HEAD "*filter\n:INPUT ACCEPT [0:0]\n:A - [0:0]\n:B - [0:0]\n"

static void test_counts_not(void **state)
{
	static const char rules[] = HEAD
		"-A INPUT -m limit --limit 1/s -j A\n-A INPUT -m comment --comment x -g B\n"
		"-A A -m recent --rcheck -j LOG\nCOMMIT\n*nat\n-A OUTPUT -j ACCEPT\nCOMMIT\n";
	static const char other[] =
		"*nat\n-A OUTPUT -j ACCEPT\nCOMMIT\n*raw\nCOMMIT\n*filter\n:B - [0:0]\n:C - [0:0]\n"
		":A - [0:0]\n-A C -m limit --limit 5/s -m comment --comment y\n-F C\n-X C\n"
		"-A A -m recent --rcheck -j LOG\n-A INPUT -m limit --limit 1/s -j A\n"
		"-A INPUT -m comment --comment x -g B\nCOMMIT\n";
	struct xt2_ruleset *a = load(XT2_IPV4, rules), *b = load(XT2_IPV4, other);
	struct xt2_ruleset *back = xt2_ruleset_new();
	struct xt2_mapping map;
	struct xt2_err err;

	assert_true(same(a, b)); /* order, numbers, empty tables */
	assert_int_equal(xt2_rule_set_counters(b, xt2_chain_base(b, 0, XT2_OUTPUT), 0, 5, 6), 0);
	assert_int_equal(xt2_chain_set_counters(b, xt2_chain_base(b, 0, XT2_OUTPUT), 5, 6), 0);
	assert_int_equal(xt2_rule_get(b, xt2_chain_base(b, 0, XT2_OUTPUT), 0)->packets, 5);
	assert_true(same(a, b));
	assert_int_equal(xt2_ruleset_write(b, &map, &err), 0);
	assert_int_equal(xt2_ruleset_load(back, map.image, map.size), 0);
	assert_true(same(a, back));
	xt2_ruleset_free(a);
	xt2_ruleset_free(b);
	xt2_ruleset_free(back);
	xt2_image_close(&map);
}

static void test_counts(void **state)
{
	static const char *const all[] = {
		HEAD "COMMIT\n",
		"*filter\n:A - [0:0]\n:C - [0:0]\nCOMMIT\n",
		"*filter\n:A - [0:0]\nCOMMIT\n",
		"*filter\nCOMMIT\n",
		"*nat\n:A - [0:0]\nCOMMIT\n",
		"*filter\n:INPUT DROP [0:0]\nCOMMIT\n",
		"*filter\n:OUTPUT DROP [0:0]\nCOMMIT\n",
		HEAD "-A INPUT -j A\nCOMMIT\n",
		HEAD "-A INPUT -g A\nCOMMIT\n",
		HEAD "-A INPUT -j B\nCOMMIT\n",
		HEAD "-A A -j B\nCOMMIT\n",
		HEAD "-A INPUT -j A\n-A INPUT -j A\nCOMMIT\n",
		HEAD "-A INPUT -j A\n-A INPUT -j B\nCOMMIT\n",
		HEAD "-A INPUT -j B\n-A INPUT -j A\nCOMMIT\n",
		HEAD "-A INPUT -s 1.2.3.4\nCOMMIT\n",
		HEAD "-A INPUT ! -s 1.2.3.4\nCOMMIT\n",
		HEAD "-A INPUT -d 1.2.3.4\nCOMMIT\n",
		HEAD "-A INPUT -s 1.2.3.5\nCOMMIT\n",
		HEAD "-A INPUT -m comment --comment a\nCOMMIT\n",
		HEAD "-A INPUT -m comment --comment b\nCOMMIT\n",
		HEAD "-A INPUT -m recent --name b --rcheck\nCOMMIT\n",
		HEAD "-A INPUT -m recent --name c --rcheck\nCOMMIT\n",
		HEAD "-A INPUT -m limit --limit 1/s\nCOMMIT\n",
		HEAD "-A INPUT -m limit --limit 2/s\nCOMMIT\n",
		HEAD "-A INPUT -j MARK --set-mark 1\nCOMMIT\n",
		HEAD "-A INPUT -j MARK --set-mark 2\nCOMMIT\n",
		HEAD "-A INPUT -j MARK --set-mark 0x1/0xf\nCOMMIT\n",
		HEAD "-A INPUT -j TEE --gateway 1.2.3.4\nCOMMIT\n",
		HEAD "-A INPUT -j TEE --gateway 1.2.3.5\nCOMMIT\n",
	};
	struct digest seen[XT2_ARRAY_SIZE(all) + 1];
	struct xt2_ruleset *rs = load(XT2_IPV6, all[0]);
	size_t i, j;

	seen[XT2_ARRAY_SIZE(all)] = digest_of(rs); /* the family counts */
	xt2_ruleset_free(rs);
	for (i = 0; i < XT2_ARRAY_SIZE(all); i++) {
		rs = load(XT2_IPV4, all[i]);
		seen[i] = digest_of(rs);
		xt2_ruleset_free(rs);
	}
	for (i = 0; i < XT2_ARRAY_SIZE(seen); i++)
		for (j = 0; j < i; j++)
			if (!memcmp(&seen[i], &seen[j], sizeof(seen[i])))
				fail_msg("%zu and %zu have the same digest", i, j);
}

/* The form is specified: a digest that was made by other means. */
static void test_form(void **state)
{
	/* printf 'xt2-dig\0' | sha256sum */
	static const u8 none[XT2_DIGEST_SIZE] = { 0x8c, 0xb0, 0x96, 0xed, 0x06, 0xf9, 0xa5, 0x71,
						  0x14, 0x86, 0x72, 0x3c, 0x66, 0x5e, 0x4f, 0x06,
						  0x1d, 0x4e, 0xfc, 0xe5, 0xed, 0xef, 0x43, 0x2f,
						  0x48, 0x8b, 0xf5, 0x02, 0x64, 0x2c, 0x95, 0x38 };
	/* the same with a table: see the bytes in doc/format.md */
	static const u8 some[XT2_DIGEST_SIZE] = { 0x34, 0x6e, 0xc1, 0x4a, 0xed, 0xec, 0x0b, 0x49,
						  0x9f, 0x2e, 0x8b, 0x1d, 0x08, 0xa2, 0x39, 0x69,
						  0x86, 0xb0, 0x19, 0xb2, 0xed, 0x87, 0xc8, 0x53,
						  0xd3, 0x46, 0xf1, 0x91, 0x07, 0xce, 0x34, 0xfc };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct digest d = digest_of(rs);

	assert_memory_equal(d.bytes, none, sizeof(none));
	xt2_ruleset_free(rs);
	rs = load(XT2_IPV4, "*raw\n:A - [0:0]\n-A PREROUTING -s 10.0.0.0/8 -p udp -j A\n"
			    "-A A -m comment --comment xy -j DROP\nCOMMIT\n");
	d = digest_of(rs);
	assert_memory_equal(d.bytes, some, sizeof(some));
	xt2_ruleset_free(rs);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rulesets_sent), cmocka_unit_test(test_rules_sent),
	cmocka_unit_test(test_turn),	      cmocka_unit_test(test_counts_not),
	cmocka_unit_test(test_counts),	      cmocka_unit_test(test_form),
};

UNITS(tests)
