/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-cost - what translating a SET_REPLACE blob costs, in one thread
 *
 * A table of IPv6 as perf/gen/xt2-gen's equal6 makes it, chains of 1,000 rules
 * with two exact addresses each, is checked, read (all rules packed, one
 * behind the other), and written back, again and again.  The fourth figure is
 * the whole way into a ruleset.  The last line says whether what came out is
 * what went in.
 *
 *	legacy-cost CHAINS WIDTH ROUNDS [PART]
 *
 * Prints bytes, then the milliseconds of the first and of the best round for
 * each part; the first has to wait for fresh memory.  With
 * a PART (check, read, write, table) only that one is repeated, after the
 * others have been done once: for valgrind --tool=callgrind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include "translators/table/legacy.h"
#include <xt2/sockopt.h>

#define RULES 1000 /* of a chain */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void *must(void *p)
{
	if (!p)
		exit(4);
	return p;
}

/* --- the blob ------------------------------------------------------------------- */

struct blob {
	unsigned char *bytes;
	size_t len, cap;
	unsigned int header, entry, standard, counters, entries;
};

static unsigned int entry_offset(const struct blob *b)
{
	return (unsigned int)b->len - b->header;
}

static unsigned char *add(struct blob *b, unsigned int target, const char *name)
{
	unsigned char *e = b->bytes + b->len;
	struct ip6t_entry *head = (struct ip6t_entry *)e;

	memset(e, 0, b->entry + target);
	head->target_offset = (__u16)b->entry;
	head->next_offset = (__u16)(b->entry + target);
	e[b->entry] = (unsigned char)target;
	strcpy((char *)e + b->entry + 2, name);
	b->len += b->entry + target;
	b->entries++;
	return e;
}

static unsigned char *rule(struct blob *b, int verdict)
{
	unsigned char *e = add(b, b->standard, "");

	memcpy(e + b->entry + 32, &verdict, sizeof(verdict));
	return e;
}

static void chain(struct blob *b, unsigned int number)
{
	struct ip6t_entry *e;
	int i;

	snprintf((char *)add(b, 64, "ERROR") + b->entry + 32, 30, "c%u", number);
	for (i = 0; i < RULES; i++) {
		e = (struct ip6t_entry *)rule(b, (int)(entry_offset(b) + b->entry + b->standard));
		e->ipv6.src.s6_addr[15] = e->ipv6.dst.s6_addr[15] = 1;
		memset(&e->ipv6.smsk, 0xff, 16);
		memset(&e->ipv6.dmsk, 0xff, 16);
	}
	rule(b, -5);
}

static struct blob blob_make(unsigned int chains, int compat)
{
	struct blob b = { .header = compat ? 92 : 96,
			  .entry = compat ? 164 : 168,
			  .standard = compat ? 36 : 40 };
	unsigned int i, one = b.entry + b.standard, body = one * (RULES + 1) + b.entry + 64;
	struct ip6t_replace *h;

	b.bytes = must(malloc(b.header + (chains + 4) * one + (size_t)chains * body + 1024));
	b.len = b.header;
	h = (struct ip6t_replace *)b.bytes;
	memset(h, 0, b.header);
	strcpy(h->name, "filter");
	h->valid_hooks = 0x0e;
	for (i = 0; i < chains; i++)
		rule(&b, (int)((chains + 3) * one + i * body + b.entry + 64));
	for (i = 0; i < 3; i++) {
		h->hook_entry[1 + i] = i ? entry_offset(&b) : 0;
		h->underflow[1 + i] = entry_offset(&b);
		rule(&b, -2);
	}
	for (i = 0; i < chains; i++)
		chain(&b, i);
	strcpy((char *)add(&b, 64, "ERROR") + b.entry + 32, "ERROR");
	h->num_entries = b.entries;
	h->size = entry_offset(&b);
	h->num_counters = 4;
	return b;
}

/* --- the parts ---------------------------------------------------------------------- */

struct bench {
	struct blob b;
	int compat;
	struct xt2_legacy in;
	struct xt2_legacy_err err;
	struct xt2_legacy_sink sink;
	struct xt2_legacy_writer out;
	void *scratch, *hooks;
	unsigned char *rules, *bytes;
	size_t used;
	__u32 *place;
};

static void check(struct bench *t)
{
	int ret = xt2_legacy_check(&t->in, XT2_IPV6, t->compat, t->b.bytes, t->b.len, t->scratch,
				   &t->err);

	if (ret) {
		fprintf(stderr, "check: %d, %s\n", ret, t->err.what);
		exit(1);
	}
}

static int instance(void *data, __u8 kind, __u8 revision, const char *name, const void *payload,
		    __u32 size)
{
	return -EINVAL; /* there are none */
}

static int cell(void *data, u8 family, const struct xt2_match *m)
{
	return -EINVAL;
}

static void read_rules(struct bench *t)
{
	const struct xt2_rule *r = (const struct xt2_rule *)t->sink.rule;
	struct xt2_legacy_chain c;
	unsigned int i;
	int ret;

	t->used = 0;
	for (i = 0; i < t->in.chains; i++) {
		xt2_legacy_chain(&t->in, i, &c);
		while ((ret = xt2_legacy_rule(&t->in, &c, &t->sink)) > 0) {
			memcpy(t->rules + t->used, r, r->size);
			t->used += r->size;
		}
		if (ret)
			exit(1);
	}
}

static const struct xt2_instance *no_instance(void *data, __u32 number)
{
	return NULL;
}

static void write_rules(struct bench *t)
{
	struct xt2_legacy_chain c;
	const struct xt2_rule *r = (const struct xt2_rule *)t->rules;
	unsigned int i, n;

	xt2_legacy_write_begin(&t->out, XT2_IPV6, t->compat, t->bytes, t->b.len, t->place,
			       t->in.chains, no_instance, NULL);
	for (i = 0; i < t->in.chains; i++) {
		xt2_legacy_chain(&t->in, i, &c);
		xt2_legacy_write_chain(&t->out, i, c.hook, c.name);
		for (n = c.rules; n; n--) {
			xt2_legacy_write_rule(&t->out, r);
			r = (const struct xt2_rule *)((const char *)r + r->size);
		}
	}
	if (xt2_legacy_write_end(&t->out, t->hooks)) {
		fprintf(stderr, "write: %s\n", t->out.what);
		exit(1);
	}
}

static void read_table(struct bench *t)
{
	struct xt2_ruleset *rs = must(xt2_ruleset_new());
	struct xt2_err err = { 0 };

	if (xt2_table_read_replace(rs, XT2_IPV6, t->compat, t->b.bytes, t->b.len, 1, &err) < 0) {
		xt2_err_print(&err, stderr);
		exit(1);
	}
	xt2_ruleset_free(rs);
}

static const struct {
	const char *name;
	void (*run)(struct bench *t);
} parts[] = {
	{ "check", check },
	{ "read", read_rules },
	{ "write", write_rules },
	{ "table", read_table },
};

/* What came out but for comefrom, which is 0 in what went in. */
static int same(struct bench *t)
{
	size_t pos;

	for (pos = 0; pos < t->out.size; pos += t->bytes[pos + 142])
		memset(t->bytes + pos + 144, 0, 4);
	return t->out.size == t->b.len - t->b.header &&
	       !memcmp(t->bytes, t->b.bytes + t->b.header, t->out.size);
}

int main(int argc, char **argv)
{
	struct bench *t = must(calloc(1, sizeof(*t)));
	double best, first = 0, start;
	size_t i;
	int k;

	if (argc < 4) {
		fputs("usage: legacy-cost CHAINS 64|32 ROUNDS [check|read|write|table]\n", stderr);
		return 2;
	}
	t->compat = atoi(argv[2]) == 32;
	t->b = blob_make((unsigned int)atoi(argv[1]), t->compat);
	t->scratch = must(malloc(xt2_legacy_scratch(XT2_IPV6, t->compat, t->b.len)));
	t->rules = must(malloc(t->b.len));
	t->bytes = must(malloc(t->b.len));
	t->hooks = must(malloc(t->b.len / 4 + 4096));
	t->place = must(malloc(((size_t)atoi(argv[1]) + 8) * sizeof(*t->place)));
	t->sink.instance = instance;
	t->sink.cell = cell;
	printf("%zu", t->b.len);
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		int rounds = argc > 4 && strcmp(argv[4], parts[i].name) ? i < 3 : atoi(argv[3]);

		for (best = 1e18, k = 0; k < rounds; k++) {
			start = now();
			parts[i].run(t);
			start = now() - start;
			first = k ? first : start;
			best = start < best ? start : best;
		}
		if (rounds)
			printf(" %s %.3f %.3f", parts[i].name, first, best);
	}
	printf("\n%s\n", same(t) ? "same" : "DIFFERENT");
	return !same(t);
}
