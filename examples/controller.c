/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * controller.c - a chain that follows a file
 *
 * Reads lines such as "192.0.2.0/24 drop" or "198.51.100.7 accept", and makes the rules of chain
 * CONTROLLED what they say, in one transaction.  A rule that stays keeps its counters.  Other
 * programs may change the same image at the same time; nobody's change is lost.
 *
 *	cc controller.c $(pkg-config --cflags --libs xt2) -o controller
 *	./controller IMAGE FILE		once
 *	./controller IMAGE FILE 5	and again every 5 seconds
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xt2/change.h>

#define CHAIN "CONTROLLED"
#define WAIT  10 /* seconds, for others */

/* -s ADDRESS/LENGTH -j ACCEPT or DROP */
struct line_rule {
	struct xt2_rule rule;
	struct xt2_match source;
};

struct wanted {
	struct line_rule *rule; /* in the order of the file */
	const struct line_rule **sorted;
	size_t n;
};

struct count {
	unsigned int inserted, deleted;
};

/* --- the file ---------------------------------------------------------------- */

/* => false: the line is wrong */
static int parse(const char *line, struct line_rule *r)
{
	char address[32], verdict[8], after;
	unsigned int length = 32;
	struct in_addr in;

	if (sscanf(line, "%31[0-9.]/%u %7s %c", address, &length, verdict, &after) != 3 &&
	    sscanf(line, "%31[0-9.] %7s %c", address, verdict, &after) != 2)
		return 0;
	if (inet_pton(AF_INET, address, &in) != 1 || length > 32 ||
	    (strcmp(verdict, "accept") && strcmp(verdict, "drop")))
		return 0;
	memset(r, 0, sizeof(*r));
	r->rule.size = r->rule.target_offset = sizeof(*r);
	r->rule.target = XT2_TARGET(*verdict == 'a' ? XT2_T_ACCEPT : XT2_T_DROP, 0);
	r->source.type = XT2_M_SRC4;
	r->source.size = sizeof(r->source);
	r->source.flags = (__u8)(32 - length) & 31; /* see XT2_ADDR4_SHIFT */
	r->source.arg = length ? ntohl(in.s_addr) & ~0u << (32 - length) : 0;
	if (!length) /* all addresses: a rule without a condition */
		r->rule.size = r->rule.target_offset = sizeof(r->rule);
	return 1;
}

/* Counters make no difference. */
static int compare(const struct xt2_rule *a, const struct xt2_rule *b)
{
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	return memcmp(a + 1, b + 1, a->size - sizeof(*a));
}

static int compare_wanted(const void *a, const void *b)
{
	return compare(&(*(const struct line_rule *const *)a)->rule,
		       &(*(const struct line_rule *const *)b)->rule);
}

static int is_wanted(const struct wanted *w, const struct xt2_rule *r)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = compare(r, &w->sorted[middle]->rule);

		if (!order)
			return 1;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return 0;
}

static void forget(struct wanted *w)
{
	free(w->rule);
	free(w->sorted);
	memset(w, 0, sizeof(*w));
}

/* => 0: all lines are rules */
static int add_lines(FILE *f, const char *path, struct wanted *w)
{
	char line[256];
	size_t i, number;

	for (number = 1; fgets(line, sizeof(line), f); number++) {
		struct line_rule *more;

		if (line[0] == '#' || line[0] == '\n')
			continue;
		more = realloc(w->rule, (w->n + 1) * sizeof(*more));
		if (!more)
			return -1;
		w->rule = more;
		if (!parse(line, &w->rule[w->n])) {
			fprintf(stderr, "%s:%zu: not \"ADDRESS[/LENGTH] accept|drop\"\n", path,
				number);
			return -1;
		}
		w->n++;
	}
	w->sorted = malloc((w->n + 1) * sizeof(*w->sorted));
	if (!w->sorted || ferror(f))
		return -1;
	for (i = 0; i < w->n; i++)
		w->sorted[i] = &w->rule[i];
	qsort(w->sorted, w->n, sizeof(*w->sorted), compare_wanted);
	return 0;
}

static int read_wanted(const char *path, struct wanted *w)
{
	FILE *f = fopen(path, "re");
	int ret = -1;

	memset(w, 0, sizeof(*w));
	if (f)
		ret = add_lines(f, path, w);
	else
		perror(path);
	if (f)
		fclose(f);
	if (ret)
		forget(w);
	return ret;
}

/* --- the chain ------------------------------------------------------------------ */

/* => the chain, to which the first rule of INPUT leads; -errno */
static int find_chain(struct xt2_ruleset *rs)
{
	int table = xt2_table_find(rs, XT2_IPV4, "filter"), chain, input, ret;
	struct xt2_rule jump = { .size = sizeof(jump), .target_offset = sizeof(jump) };

	if (table < 0)
		table = xt2_table_add(rs, XT2_IPV4, "filter", NULL);
	if (table < 0)
		return table;
	chain = xt2_chain_find(rs, table, CHAIN);
	if (chain < 0)
		chain = xt2_chain_add(rs, table, CHAIN);
	if (chain < 0)
		return chain;
	input = xt2_chain_base(rs, table, XT2_INPUT);
	jump.target = XT2_TARGET(XT2_T_JUMP, chain);
	if (xt2_rule_find(rs, input, &jump) >= 0)
		return chain;
	ret = xt2_rule_insert(rs, input, 0, &jump, 0);
	return ret < 0 ? ret : chain;
}

/*
 * Rules that nobody wants go, and those that are missing come.  Rules that only change places
 * are inserted anew.
 */
static int follow(struct xt2_ruleset *rs, int chain, const struct wanted *w, struct count *count)
{
	const struct xt2_rule *r;
	unsigned int at;
	int ret = 0;

	for (at = 0; at < w->n && !ret; at++) {
		const struct xt2_rule *want = &w->rule[at].rule;

		while ((r = xt2_rule_get(rs, chain, at)) && !is_wanted(w, r) && !ret) {
			ret = xt2_rule_delete(rs, chain, at);
			count->deleted++;
		}
		if (ret || (r && !compare(r, want)))
			continue;
		ret = xt2_rule_insert(rs, chain, at, want, 0);
		count->inserted++;
	}
	while (!ret && xt2_rule_get(rs, chain, at)) {
		ret = xt2_rule_delete(rs, chain, at);
		count->deleted++;
	}
	return ret;
}

static int change(struct xt2_transaction *t, const struct wanted *w, struct xt2_err *err)
{
	struct xt2_ruleset *rs = xt2_transaction_ruleset(t);
	const __u64 before = xt2_transaction_generation(t);
	struct count count = { 0, 0 };
	int ret = find_chain(rs);

	if (ret >= 0)
		ret = follow(rs, ret, w, &count);
	if (!ret)
		ret = xt2_transaction_commit(t, err);
	else
		snprintf(err->message, sizeof(err->message), "%s", strerror(-ret));
	if (!ret && xt2_transaction_generation(t) != before)
		printf("generation %llu: %u inserted, %u deleted\n",
		       (unsigned long long)xt2_transaction_generation(t), count.inserted,
		       count.deleted);
	fflush(stdout);
	return ret;
}

static int control(const char *image, const char *path)
{
	struct xt2_transaction *t = NULL;
	struct xt2_err err = { 0 };
	struct wanted w;
	int ret;

	if (read_wanted(path, &w))
		return -1;
	ret = xt2_transaction_begin(image, WAIT, &t, &err);
	if (!ret)
		ret = change(t, &w, &err);
	if (ret)
		xt2_err_print(&err, stderr);
	xt2_transaction_end(t);
	forget(&w);
	return ret;
}

int main(int argc, char **argv)
{
	const int again = argc > 3 ? atoi(argv[3]) : 0;
	int ret;

	if (argc < 3) {
		fprintf(stderr, "usage: controller IMAGE FILE [SECONDS]\n");
		return 2;
	}
	ret = control(argv[1], argv[2]);
	while (again > 0) {
		sleep((unsigned int)again);
		ret = control(argv[1], argv[2]);
	}
	return ret != 0;
}
