/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-text.c - xt2tables/text/text.h
 *
 * What the golden cases cannot show: several families in one process, parts
 * of rules as strings, and the records of errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/lib/unit-program.h"
#include "xt2tables/text/text.h"

static const char v4[] = "*filter\n"
			 "-A INPUT -s 10.0.0.0/8 ! -i eth+ -p tcp -m tcp --dport 22 -j REJECT\n"
			 "-A INPUT -m comment --comment \"a b\" -m mark --mark 0x1 -j LOG\n"
			 "COMMIT\n"
			 "*nat\n-A POSTROUTING -o eth0 -j MASQUERADE\nCOMMIT\n";
static const char v6[] =
	"*filter\n"
	"-A INPUT -s 2001:db8::/32 -p tcp -m tcp --dport 22 -j REJECT\n"
	"-A INPUT -m hl --hl-eq 255 -m rt --rt-type 0 -j LOG\n"
	"COMMIT\n"
	"*nat\n-A PREROUTING -p tcp -m tcp --dport 5 -j DNAT --to-destination fd00::1\n"
	"COMMIT\n";
static const char arp[] = "*filter\n"
			  "-A OUTPUT -j MARK -s 10.0.0.1 --set-mark 7\n"
			  "-A OUTPUT -j mangle --h-length 6 --mangle-mac-s 00:01:02:03:04:05\n";

/* => what xt2_text_load() answers */
static int load(struct xt2_ruleset *rs, int family, const char *text,
		struct xt2_text_errors *errors)
{
	struct xt2_text_options opt = { .family = family };
	char path[] = "/tmp/test-text.XXXXXX";
	int fd = mkstemp(path), ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	ret = xt2_text_load(path, rs, &opt, errors);
	unlink(path);
	return ret;
}

static void load_good(struct xt2_ruleset *rs, int family, const char *text)
{
	struct xt2_text_errors errors;

	assert_int_equal(load(rs, family, text, &errors), 0);
	assert_int_equal(errors.count, 0);
	xt2_text_errors_free(&errors);
}

/* Lines of a family's tables that are in the text must be in what is saved. */
static void saves(const struct xt2_ruleset *rs, int family, const char *text)
{
	char *copy = strdup(text), *saved = NULL, *line, *rest = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&saved, &size);

	assert_non_null(copy);
	assert_non_null(f);
	assert_int_equal(xt2_text_save(f, rs, family, NULL, false), 0);
	fclose(f);
	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (!strstr(saved, line))
			fail_msg("not saved: %s\n%s", line, saved);
	free(saved);
	free(copy);
}

/* Plugins register for one family only, so each change loads them anew. */
static void families_in_turn(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int i;

	for (i = 0; i < 3; i++) {
		load_good(rs, XT2_IPV4, v4);
		load_good(rs, XT2_IPV6, v6);
		load_good(rs, XT2_ARP, arp);
		saves(rs, XT2_IPV6, v6);
		saves(rs, XT2_IPV4, v4);
		saves(rs, XT2_ARP, arp);
	}
	assert_int_equal(xt2_ruleset_tables(rs), 5);
	xt2_ruleset_free(rs);
}

static void parts(void **state)
{
	static const char *const conditions[] = {
		"-s 10.0.0.0/8",
		"! -i eth+",
		"-p tcp",
		"-m tcp --dport 22",
	};
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const struct xt2_rule *r;
	const struct xt2_match *m;
	char buf[256];
	int chain, at = 0;

	load_good(rs, XT2_IPV4, v4);
	chain = xt2_chain_find(rs, xt2_table_find(rs, XT2_IPV4, "filter"), "INPUT");
	assert_int_equal(xt2_text_rule(rs, chain, 1, buf, sizeof(buf)),
			 strlen("-A INPUT -m comment --comment \"a b\" -m mark --mark 0x1 -j LOG"));
	assert_string_equal(buf, "-A INPUT -m comment --comment \"a b\" -m mark --mark 0x1 -j LOG");
	r = xt2_rule_get(rs, chain, 0);
	for (m = (const struct xt2_match *)(r + 1);
	     (const char *)m < (const char *)r + r->target_offset;
	     m = (const struct xt2_match *)((const char *)m + m->size)) {
		assert_true(xt2_text_match(rs, chain, m, buf, sizeof(buf)) > 0);
		assert_string_equal(buf, conditions[at++]);
	}
	assert_int_equal(at, 4);
	assert_true(xt2_text_target(rs, chain, r, buf, sizeof(buf)) > 0);
	assert_string_equal(buf, "-j REJECT --reject-with icmp-port-unreachable");
	assert_int_equal(xt2_text_target(rs, chain, r, buf, 4), 45);
	assert_string_equal(buf, "-j ");
	assert_int_equal(xt2_text_rule(rs, chain, 2, buf, sizeof(buf)), -ENOENT);
	xt2_ruleset_free(rs);
}

static void error_records(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_text_errors errors;

	assert_int_equal(load(rs, XT2_IPV4,
			      "*filter\n:x - [0:0]\n-A x -j x\n-A INPUT -j x\n"
			      "-A INPUT -m nothing\n-A INPUT -j MASQUERADE\nCOMMIT\n",
			      &errors),
			 -EINVAL);
	assert_int_equal(errors.count, 3);
	assert_int_equal(errors.status, 2); /* of the first that was met */
	assert_int_equal(errors.list[0].code, XT2_E_LOOP);
	assert_int_equal(errors.list[0].line, 3);
	assert_string_equal(errors.list[0].rule, "-A x -j x");
	assert_int_equal(errors.list[1].line, 5);
	assert_int_equal(errors.list[1].column, 13);
	assert_int_equal(errors.list[2].code, XT2_E_TABLE);
	assert_string_equal(errors.list[2].hint, "move the rule to table nat");
	xt2_text_errors_free(&errors);
	xt2_ruleset_free(rs);
}

static void no_such_file(void **state)
{
	struct xt2_text_options opt = { .family = XT2_IPV4 };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_text_errors errors;

	assert_int_equal(xt2_text_load("/no/such/file", rs, &opt, &errors), -ENOENT);
	assert_int_equal(errors.count, 1);
	assert_int_equal(errors.status, 1);
	assert_int_equal(errors.list[0].code, XT2_E_SYSTEM);
	xt2_text_errors_free(&errors);
	xt2_ruleset_free(rs);
}

/* A rule in a loop, so that COMMIT asks for its line, and far more text behind it than is kept. */
static char *long_text(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int i;

	assert_non_null(f);
	fprintf(f, "*filter\n:a - [0:0]\n-A INPUT -j a\n-A  a   -j a\n");
	for (i = 0; i < 20000; i++)
		fprintf(f, "-A INPUT -s 10.0.%d.%d/32 -j DROP\n", i >> 8, i & 255);
	fprintf(f, "COMMIT\n");
	assert_int_equal(fclose(f), 0);
	return text;
}

static void quotes_the_loop(const struct xt2_text_errors *errors)
{
	assert_int_equal(errors->count, 1);
	assert_int_equal(errors->list[0].line, 4);
	assert_string_equal(errors->list[0].rule, "-A  a   -j a");
}

/* Files are read twice for that, pipes are kept. */
static void errors_quote_lines_of_long_ago(void **state)
{
	struct xt2_text_options opt = { .family = XT2_IPV4 };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_text_errors errors;
	char *text = long_text(), path[32];
	int ends[2];
	pid_t writer;

	assert_int_equal(load(rs, XT2_IPV4, text, &errors), -EINVAL);
	quotes_the_loop(&errors);
	xt2_text_errors_free(&errors);
	xt2_ruleset_free(rs);

	rs = xt2_ruleset_new();
	assert_int_equal(pipe(ends), 0);
	writer = fork();
	assert_true(writer >= 0);
	if (!writer) {
		close(ends[0]);
		_exit(write(ends[1], text, strlen(text)) < 0);
	}
	close(ends[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	assert_int_equal(xt2_text_load(path, rs, &opt, &errors), -EINVAL);
	quotes_the_loop(&errors);
	xt2_text_errors_free(&errors);
	xt2_ruleset_free(rs);
	close(ends[0]);
	assert_int_equal(waitpid(writer, NULL, 0), writer);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(families_in_turn),
	cmocka_unit_test(parts),
	cmocka_unit_test(error_records),
	cmocka_unit_test(no_such_file),
	cmocka_unit_test(errors_quote_lines_of_long_ago),
};

UNITS(tests)
