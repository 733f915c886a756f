/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print-cache.c - parts of rules whose text is known
 *
 * What print-fast.c leaves libxtables prints.  But large rulesets say the same
 * again and again, so what was printed for a match or a target is kept with the
 * bytes that it was printed from.  A printer sees these and the rule's protocol,
 * nothing else.
 */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "xt2tables/text/cache-hash.h"
#include "xt2tables/text/libxt.h"
#include "print-cache.h"
#include "engine/image.h"

#define KNOWN	 1024u /* parts that are remembered: a power of two */
#define KEY_MAX	 320u /* bytes that say what a part is */
#define TEXT_MAX 192u

/* What the text depends on, without numbers that name a place. */
struct key {
	u32 len;
	u8 bytes[KEY_MAX];
};

struct known {
	u64 hash; /* 0: free */
	u32 text_len;
	struct key key;
	char text[TEXT_MAX];
};

struct xt2_print_known {
	struct xt2_printer printer; /* into memory */
	char *printed;
	size_t size;
	const struct xt2_rule *begun; /* rule that libxtables knows the protocol of */
	struct known list[KNOWN];
};

struct xt2_print_known *xt2_print_known_new(const struct xt2_ruleset *rs, int family)
{
	struct xt2_print_known *k = calloc(1, sizeof(*k));
	FILE *to;

	if (!k)
		return NULL;
	to = open_memstream(&k->printed, &k->size);
	if (!to) {
		free(k);
		return NULL;
	}
	xt2_print_begin(&k->printer, to, rs, family);
	return k;
}

void xt2_print_known_free(struct xt2_print_known *k)
{
	fclose(k->printer.to);
	free(k->printed);
	free(k);
}

/* --- keys ---------------------------------------------------------------------- */

static bool key_add(struct key *key, const void *bytes, u32 n)
{
	if (n > sizeof(key->bytes) - key->len)
		return false;
	if (n)
		memcpy(key->bytes + key->len, bytes, n);
	key->len += n;
	return true;
}

static bool key_instance(struct key *key, const struct xt2_ruleset *rs, u32 number)
{
	const struct xt2_instance *in = xt2_instance_get(rs, number);

	return in && key_add(key, in, sizeof(*in)) && key_add(key, xt2_instance_data(in), in->size);
}

static bool key_match(struct key *key, const struct xt2_ruleset *rs, const struct xt2_match *m)
{
	const u32 info = xt2_match_info(m->type);
	struct xt2_match head = *m;

	if (info & (XT2_EXT_CELL | XT2_EXT_INSTANCE))
		head.arg = 0;
	if (!key_add(key, &head, sizeof(head)) || !key_add(key, m + 1, m->size - sizeof(*m)))
		return false;
	return info & XT2_EXT_CELL || !(info & XT2_EXT_INSTANCE) || key_instance(key, rs, m->arg);
}

static bool key_target(struct key *key, const struct xt2_ruleset *rs, const struct xt2_rule *r)
{
	const u8 kind = XT2_TARGET_KIND(r->target);
	const bool names = xt2_target_info(kind) & XT2_EXT_INSTANCE;
	const u64 word = names ? kind : r->target | 1ull << 32;

	return key_add(key, &word, sizeof(word)) &&
	       key_add(key, xt2_rule_target_data(r), xt2_rule_target_size(r)) &&
	       (!names || key_instance(key, rs, XT2_TARGET_ARG(r->target)));
}

/* The protocol, as the rule asks for it. */
static void key_begin(struct key *key, const struct xt2_rule *r, bool target)
{
	const struct xt2_match *m;
	u64 word = target;

	key->len = 0;
	xt2_rule_for_each_match(m, r)
		if (m->type == XT2_M_PROTO)
			word |= (u64)m->arg << 32 | (u64)m->flags << 8 | 2;
	key_add(key, &word, sizeof(word));
}

/* => where a part with this hash is, or may be put: one of two places */
static struct known *place(struct xt2_print_known *k, u64 hash)
{
	const u32 at = hash >> 32 & (KNOWN - 1);
	struct known *a = &k->list[at], *b = &k->list[at ^ 1];

	if (a->hash == hash || b->hash == hash)
		return a->hash == hash ? a : b;
	return !a->hash || hash & 2 ? a : b;
}

/* --- texts --------------------------------------------------------------------- */

/* => bytes at k->printed */
static size_t print(struct xt2_print_known *k, const struct xt2_rule *r, const struct xt2_match *m)
{
	FILE *to = k->printer.to;

	if (k->begun != r)
		xt2_print_rule_begin(&k->printer, r);
	k->begun = r;
	rewind(to);
	if (m)
		xt2_print_match(&k->printer, m);
	else
		xt2_print_target(&k->printer, r);
	if (fflush(to) || ferror(to))
		xt2_no_memory();
	return k->size;
}

const char *xt2_print_known(struct xt2_print_known *k, const struct xt2_rule *r,
			    const struct xt2_match *m, size_t *len)
{
	const struct xt2_ruleset *rs = k->printer.rs;
	struct known *e;
	struct key key;
	u64 hash;

	key_begin(&key, r, !m);
	if (!(m ? key_match(&key, rs, m) : key_target(&key, rs, r))) {
		*len = print(k, r, m);
		return k->printed;
	}
	hash = xt2_known_hash(key.len, key.bytes, key.len);
	e = place(k, hash);
	if (e->hash == hash && e->key.len == key.len && !memcmp(e->key.bytes, key.bytes, key.len)) {
		*len = e->text_len;
		return e->text;
	}
	*len = print(k, r, m);
	if (*len <= sizeof(e->text)) {
		e->hash = hash;
		e->key.len = key.len;
		memcpy(e->key.bytes, key.bytes, key.len);
		e->text_len = (u32)*len;
		memcpy(e->text, k->printed, *len);
	}
	return k->printed;
}
