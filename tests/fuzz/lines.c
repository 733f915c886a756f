/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.c - change iptables text without destroying it: see lines.h */
#include "lines.h"
#include "seed-image.h"

size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max);

struct text {
	u8 *data;
	size_t size, max;
	u64 seed;
	const struct fuzz_rule *rules;
	unsigned int n;
};

static u32 below(struct text *t, u32 n)
{
	return seed_below(&t->seed, n);
}

/* Put len bytes in the place of del bytes, if there is room. */
static void splice(struct text *t, size_t at, size_t del, const char *bytes, size_t len)
{
	if (at + del > t->size || t->size - del + len > t->max)
		return;
	memmove(t->data + at + len, t->data + at + del, t->size - at - del);
	memcpy(t->data + at, bytes, len);
	t->size += len - del;
}

static void append(struct text *t, const char *s)
{
	splice(t, t->size, 0, s, strlen(s));
}

/* The piece around at that has no byte of ends in it; at may be moved. */
static size_t piece(const struct text *t, const char *ends, size_t *at)
{
	size_t end;

	while (*at && !strchr(ends, t->data[*at - 1]))
		--*at;
	for (end = *at; end < t->size && !strchr(ends, t->data[end]); end++)
		;
	return end - *at;
}

/* A word of the rules, or a number that is at the edge of something. */
static const char *any_word(struct text *t, size_t *len)
{
	static const char *const edges[] = {
		"0",
		"1",
		"-1",
		"32",
		"33",
		"127",
		"128",
		"129",
		"255",
		"256",
		"65535",
		"65536",
		"0x",
		"4294967295",
		"4294967296",
		"0.0.0.0",
		"0.0.0.0/0",
		"::/0",
		"!",
		"\"",
		"\"a b\"",
		"lo+",
		"+",
		",",
		"a,b,c",
		"1:",
		":1",
		"5:1",
		"18446744073709551615",
		"tcp",
		"all",
		"ipv6-icmp",
		"2147483648",
		"18446744073709551616",
	};
	const char *rule, *end;

	if (!below(t, 4)) {
		rule = edges[below(t, XT2_ARRAY_SIZE(edges))];
		*len = strlen(rule);
		return rule;
	}
	rule = t->rules[below(t, t->n)].rule;
	rule += below(t, (u32)strlen(rule));
	while (*rule && *rule != ' ')
		rule++;
	rule += *rule == ' ';
	for (end = rule; *end && *end != ' '; end++)
		;
	*len = (size_t)(end - rule);
	return rule;
}

static void change_word(struct text *t)
{
	size_t at = below(t, (u32)t->size), len = piece(t, " \n", &at), more;
	const char *word = any_word(t, &more);

	splice(t, at, len, word, more);
}

static void add_word(struct text *t)
{
	size_t at = below(t, (u32)t->size), more;
	const char *word = any_word(t, &more);

	at += piece(t, " \n", &at);
	splice(t, at, 0, word, more);
	splice(t, at, 0, " ", 1);
}

static void drop_word(struct text *t)
{
	size_t at = below(t, (u32)t->size), len = piece(t, " \n", &at);

	splice(t, at, len + 1, "", 0);
}

static void change_digit(struct text *t)
{
	size_t at = below(t, (u32)t->size), i;

	for (i = 0; i < t->size; i++, at = (at + 1) % t->size)
		if (t->data[at] >= '0' && t->data[at] <= '9') {
			t->data[at] = (u8)('0' + below(t, 10));
			return;
		}
}

/* A line goes to another place; the old one may stay. */
static void move_line(struct text *t)
{
	size_t at = below(t, (u32)t->size), len = piece(t, "\n", &at) + 1, to;
	char line[512];

	if (len > sizeof(line) || at + len > t->size)
		return;
	memcpy(line, t->data + at, len);
	if (below(t, 2))
		splice(t, at, len, "", 0);
	to = t->size ? below(t, (u32)t->size) : 0;
	piece(t, "\n", &to);
	if (below(t, 4))
		splice(t, to, 0, line, len);
}

static const struct fuzz_rule *any_rule(struct text *t, const struct fuzz_rule *like)
{
	unsigned int i = below(t, t->n), tries;

	for (tries = 0; tries < t->n; tries++, i = (i + 1) % t->n)
		if (!like ||
		    (t->rules[i].family == like->family && !strcmp(t->rules[i].table, like->table)))
			break;
	return &t->rules[i];
}

static void add_rule(struct text *t)
{
	const struct fuzz_rule *r = any_rule(t, NULL);
	size_t at = below(t, (u32)t->size);

	piece(t, "\n", &at);
	splice(t, at, 0, "\n", 1);
	splice(t, at, 0, r->rule, strlen(r->rule));
}

static void write_table(struct text *t, const struct fuzz_rule *like)
{
	static const char *const chains[] = { "", ":a - [0:0]\n", ":a - [0:0]\n:b - [1:2]\n",
					      ":INPUT DROP [1:2]\n:a - [0:0]\n", ":a\n" };
	u32 i, n = 1 + below(t, 4);

	append(t, "*");
	append(t, like->table);
	append(t, "\n");
	append(t, chains[below(t, XT2_ARRAY_SIZE(chains))]);
	for (i = 0; i < n; i++) {
		if (!below(t, 4))
			append(t, "[3:4] ");
		append(t, any_rule(t, i ? like : NULL)->rule);
		append(t, "\n");
	}
	if (like->family != XT2_ARP || !below(t, 8))
		append(t, "COMMIT\n");
}

static void write_file(struct text *t)
{
	static const char *const modes[] = { "", "", "", "", "n", "v", "nv", "T", "z", "t" };
	const struct fuzz_rule *like = any_rule(t, NULL);

	t->size = 0;
	append(t, like->family == XT2_IPV4 ? "#4" : like->family == XT2_IPV6 ? "#6" : "#a");
	append(t, modes[below(t, XT2_ARRAY_SIZE(modes))]);
	append(t, "\n");
	do {
		write_table(t, like);
		like = any_rule(t, NULL);
	} while (!below(t, 6));
}

size_t lines_mutate(u8 *data, size_t size, size_t max, unsigned int seed,
		    const struct fuzz_rule *rules, unsigned int n)
{
	struct text t = { .data = data,
			  .size = size,
			  .max = max,
			  .seed = seed * 2ull + 1,
			  .rules = rules,
			  .n = n };
	u32 i;

	seed_next(&t.seed);
	for (i = 1 + below(&t, 3); i; i--) {
		switch (t.size < 8 ? 0 : below(&t, 12)) {
		case 0: write_file(&t); break;
		case 1: t.size = LLVMFuzzerMutate(data, t.size, max); break;
		case 2: change_digit(&t); break;
		case 3: drop_word(&t); break;
		case 4:
		case 5: add_word(&t); break;
		case 6: move_line(&t); break;
		case 7: add_rule(&t); break;
		default: change_word(&t);
		}
	}
	return t.size;
}
