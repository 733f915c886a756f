/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain.c - plain lines mean what libxtables makes of them
 *
 *	plain [SEED [FILES]]
 *
 * Files of random rules are read twice: as usual, and with every rule through
 * libxtables.  Acceptance, every error with its place and hint, and the
 * images must be the same to the byte.  What is saved of them must be what
 * libxtables prints, rule by rule.  The rules that were made to be plain
 * must have been, and half of all; and what comes again and again.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "engine/env.h"
#include "xt2tables/text/print/rule-print.h"
#include "xt2tables/text/text.h"
#include "plain-rules.h"

#define FILES	   120
#define PLAIN_MIN  50 /* percent of the rules that must have been plain: more are meant to be */
#define ERRORS_MAX 100000

/* --- both ways ----------------------------------------------------------------- */

struct answer {
	struct xt2_ruleset *rs;
	struct xt2_text_errors errors;
	struct xt2_mapping image;
	struct xt2_err err;
	int load, write;
	u32 plain;
};

static void fail(const char *what, u64 seed)
{
	FILE *f = fopen("plain-failed.rules", "w");

	if (f) {
		fwrite(plain_file.text, 1, plain_file.len, f);
		fclose(f);
	}
	printf("FAIL: %s differ%s: plain %llu 1; the rules are in plain-failed.rules\n", what,
	       what[strlen(what) - 1] == 's' ? "" : "s", (unsigned long long)seed);
	exit(1);
}

static void load(int fd, bool counters, bool no_plain, struct answer *a)
{
	struct xt2_text_options opt = {
		.family = plain_file.family,
		.counters = counters,
		.no_plain = no_plain,
		.errors = ERRORS_MAX,
		.plain = &a->plain,
	};
	char path[64];

	memset(a, 0, sizeof(*a));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	a->rs = xt2_ruleset_new();
	if (!a->rs)
		abort();
	a->load = xt2_text_load(path, a->rs, &opt, &a->errors);
	a->write = xt2_ruleset_write(a->rs, &a->image, &a->err);
}

static void release(struct answer *a)
{
	if (!a->write)
		xt2_image_close(&a->image);
	xt2_text_errors_free(&a->errors);
	xt2_ruleset_free(a->rs);
}

static void compare(const struct answer *a, const struct answer *b, u64 seed)
{
	u32 i;

	if (a->load != b->load || a->errors.count != b->errors.count ||
	    a->errors.status != b->errors.status || a->errors.more != b->errors.more)
		fail("acceptance", seed);
	for (i = 0; i < a->errors.count; i++)
		if (memcmp(&a->errors.list[i], &b->errors.list[i], sizeof(struct xt2_err)))
			fail("errors", seed);
	if (a->write || b->write) /* so that nothing could be compared */
		fail("packing", seed);
	if (a->image.size != b->image.size || memcmp(a->image.image, b->image.image, a->image.size))
		fail("images", seed);
}

static int text_fd(const char *text, size_t len)
{
	int fd = memfd_create("rules", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		abort();
	return fd;
}

/* Which rule was not plain, though it had to be? */
static void blame(u64 seed)
{
	static char text[sizeof(plain_file.text)];
	struct answer a;
	u32 i;

	memcpy(text, plain_file.text, plain_file.head);
	for (i = 0; i < plain_file.must; i++) {
		const char *line = plain_file.text + plain_file.must_at[i];
		const size_t len = strcspn(line, "\n") + 1;
		int fd;

		memcpy(text + plain_file.head, line, len);
		fd = text_fd(text, plain_file.head + len);
		load(fd, plain_file.counters, false, &a);
		close(fd);
		if (!a.plain)
			printf("not plain: %.*s", (int)len, line);
		release(&a);
	}
	fail("what must be plain", seed);
}

struct printing {
	struct xt2_printer printer;
	int chain;
	const struct xt2_rule *rule;
};

static void print_rule(void *arg)
{
	struct printing *p = arg;

	xt2_print_rule(&p->printer, p->chain, p->rule, true);
}

/* Is what is saved of a table what libxtables prints of its rules?  It may be unable to. */
static void try_save(const struct xt2_ruleset *rs, u64 seed)
{
	char *saved = NULL, *expected = NULL;
	size_t size;
	FILE *save = open_memstream(&saved, &size), *slow = open_memstream(&expected, &size);
	const struct xt2_rule *r;
	struct xt2_failure failure;
	struct printing p;
	bool printed = xt2_ruleset_tables(rs) > 0;
	unsigned int i;

	if (!save || !slow)
		abort();
	xt2_print_begin(&p.printer, slow, rs, plain_file.family);
	for (p.chain = printed ? xt2_chain_next(rs, 0, -1) : -1; p.chain >= 0;
	     p.chain = xt2_chain_next(rs, 0, p.chain))
		for (i = 0; printed && (r = xt2_rule_get(rs, p.chain, i)); i++) {
			p.rule = r;
			printed = !xt2_try(print_rule, &p, &failure);
		}
	if (printed && xt2_text_save(save, rs, plain_file.family, NULL, true))
		fail("what can be saved", seed);
	fclose(save);
	fclose(slow);
	if (printed && !strstr(saved, expected))
		fail("what is saved", seed);
	free(saved);
	free(expected);
}

/* => the rules that were plain */
static u32 try_file(u64 seed)
{
	struct answer a, b;
	u32 plain;
	int fd;

	plain_file_make(seed);
	fd = text_fd(plain_file.text, plain_file.len);
	load(fd, plain_file.counters, false, &a);
	load(fd, plain_file.counters, true, &b);
	compare(&a, &b, seed);
	try_save(a.rs, seed);
	plain = a.plain;
	if (b.plain || plain < plain_file.must)
		blame(seed);
	release(&a);
	release(&b);
	close(fd);
	return plain;
}

/* What is said again is plain, whatever extension it is: each is asked for once. */
static void try_again(void)
{
	static const struct {
		const char *table, *chain, *says;
		u32 asked;
	} cases[] = {
		{ "filter", "INPUT", "-j REJECT --reject-with icmp-port-unreachable", 1 },
		{ "filter", "INPUT",
		  "-p tcp -m tcp --dport 22 -m addrtype --dst-type LOCAL -j NFLOG --nflog-group 1",
		  2 },
		{ "filter", "INPUT",
		  "-m recent --set --name r --mask 255.255.255.255 --rsource -m quota --quota 5",
		  2 },
		{ "filter", "INPUT",
		  "-m iprange --src-range 10.0.0.1-10.0.0.9 -j LOG --log-prefix \"a b -s \" --log-uid",
		  2 },
		{ "filter", "INPUT", "-j LOG --log-prefix \"a b -s %u \" --log-level 7", 0 },
		{ "mangle", "INPUT", "-j MARK --set-xmark 0x%u/0xffff", 0 },
		{ "nat", "PREROUTING", "-p tcp -j DNAT --to-destination 192.0.2.9:80%u", 0 },
		{ "nat", "POSTROUTING", "-j SNAT --to-source 192.0.2.%u", 0 },
	};
	struct answer a;
	u32 i, n;
	int fd;

	plain_file.family = XT2_IPV4;
	for (i = 0; i < XT2_ARRAY_SIZE(cases); i++) {
		char *at = plain_file.text;

		at += sprintf(at, "*%s\n", cases[i].table);
		for (n = 0; n < 5; n++) {
			at += sprintf(at, "-A %s -s 192.0.2.%u ", cases[i].chain, n);
			at += sprintf(at, cases[i].says, n);
			at += sprintf(at, "\n");
		}
		at += sprintf(at, "COMMIT\n");
		fd = text_fd(plain_file.text, (size_t)(at - plain_file.text));
		load(fd, false, false, &a);
		close(fd);
		if (a.load || a.plain != n - cases[i].asked) {
			printf("FAIL: %u of %u were plain: %s\n", a.plain, n, cases[i].says);
			exit(1);
		}
		release(&a);
	}
}

int main(int argc, char **argv)
{
	const u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (u64)getpid() << 20;
	const u32 files = argc > 2 ? (u32)atoi(argv[2]) : FILES;
	u32 i, plain = 0, rules = 0;

	if (!freopen("/dev/null", "w", stderr)) /* plugins warn */
		return 1;
	printf("seed %llu; again: plain %llu %u\n", (unsigned long long)seed,
	       (unsigned long long)seed, files);
	try_again();
	for (i = 0; i < files; i++) {
		plain += try_file(seed + i);
		rules += plain_file.rules;
	}
	printf("%u of %u rules were plain\n", plain, rules);
	return plain < rules / 100 * PLAIN_MIN;
}
