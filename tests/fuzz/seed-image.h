/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seed-image.h - random rulesets that are valid images
 *
 * One number makes one image, always the same.  Chains jump only to later
 * chains of their table, so nothing loops.  Payloads of extensions are tried
 * until the extension's own check takes one.  Every other chain has an index,
 * of any kind.
 */
#ifndef XT2_TEST_SEED_IMAGE_H
#define XT2_TEST_SEED_IMAGE_H

#include "engine/eval.h"
#include "engine/write.h"

#define SEED_CELLS	3
#define SEED_INSTANCES	4 /* one of each kind, in the order of the kinds */
#define SEED_RULE_SIZE	1024
#define SEED_IMAGE_SIZE (256 << 10)

/* xorshift64*: the same everywhere. */
static inline u64 seed_next(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull;
}

static inline u32 seed_below(u64 *state, u32 n)
{
	return n ? (u32)(seed_next(state) >> 32) % n : 0;
}

/* A rule of family; chains first to last - 1 may be jumped to. */
struct seed_rule {
	u8 family;
	bool nat; /* NAT targets may be there */
	u32 first, last;
	u64 bytes[SEED_RULE_SIZE / 8];
};

static inline struct xt2_rule *seed_rule(struct seed_rule *s)
{
	return (struct xt2_rule *)s->bytes;
}

/* Append a match; payload may be NULL: zeros; size is a multiple of 8.  => the match */
static inline struct xt2_match *seed_match(struct seed_rule *s, u8 type, u8 flags, u32 arg,
					   const void *payload, u16 size)
{
	struct xt2_rule *r = seed_rule(s);
	const u32 at = r->size / 8;
	u64 words[SEED_RULE_SIZE / 8] = { 0 };
	struct xt2_match *m = (struct xt2_match *)&s->bytes[at];

	*m = (struct xt2_match){
		.type = type,
		.flags = flags,
		.size = (u16)(sizeof(*m) + size),
		.arg = arg,
	};
	if (payload)
		memcpy(words, payload, size);
	for (u32 i = 0; i < size / 8u; i++)
		s->bytes[at + 1 + i] = words[i];
	r->size = r->target_offset = (u16)(r->size + m->size);
	return m;
}

static inline void seed_rule_begin(struct seed_rule *s, u8 target, u32 arg)
{
	*seed_rule(s) = (struct xt2_rule){
		.size = sizeof(struct xt2_rule),
		.target_offset = sizeof(struct xt2_rule),
		.target = XT2_TARGET(target, arg),
	};
}

static inline u8 seed_invert(u64 *state)
{
	return seed_below(state, 4) ? 0 : XT2_MATCH_INVERT;
}

static inline void seed_address4(struct seed_rule *s, u64 *state)
{
	u8 dst = (u8)seed_below(state, 2);
	u32 shift = seed_below(state, 32), words[2] = { (u32)seed_next(state), 0 };

	if (seed_below(state, 2))
		seed_match(s, XT2_M_SRC4_MASK + dst, seed_invert(state), words[0] & 0x0a000001,
			   words, 8);
	else
		seed_match(s, XT2_M_SRC4 + dst, (u8)(seed_invert(state) | shift),
			   0x0a000001u >> shift << shift, NULL, 0);
}

static inline void seed_address6(struct seed_rule *s, u64 *state)
{
	u8 dst = (u8)seed_below(state, 2);
	u64 words[4] = { 0, (u64)seed_below(state, 3) << 56, ~0ull, ~0ull };

	if (seed_below(state, 2))
		seed_match(s, XT2_M_SRC6_MASK + dst, seed_invert(state), 0, words, 32);
	else
		seed_match(s, XT2_M_SRC6 + dst, seed_invert(state), 0, words, 16);
}

static inline void seed_interface(struct seed_rule *s, u64 *state)
{
	static const char *const names[] = { "eth", "eth0", "wlan0", "br-0123456789a" };
	const char *name = names[seed_below(state, XT2_ARRAY_SIZE(names))];
	u8 out = (u8)seed_below(state, 2);
	u32 len = (u32)strlen(name) + (name[3] != 0);
	char words[32] = "";

	memcpy(words, name, strlen(name));
	memset(words + 16, 0xff, len);
	if (seed_below(state, 4))
		seed_match(s, XT2_M_IN + out, seed_invert(state), len, words, len <= 8 ? 8 : 16);
	else
		seed_match(s, XT2_M_IN_MASK + out, seed_invert(state), 0, words, 32);
}

static inline void seed_arp(struct seed_rule *s, u64 *state)
{
	u8 type = (u8)(XT2_M_ARP_HRD + seed_below(state, 6));
	char mac[32] = { 2, 0, 0, 0, 0, 1 };

	memset(mac + 16, 0xff, 6);
	if (type < XT2_M_ARP_SHA)
		seed_match(s, type, seed_invert(state), 0xffff0001, NULL, 0);
	else
		seed_match(s, type, seed_invert(state), 6, mac, 32);
}

static inline void seed_base(struct seed_rule *s, u64 *state)
{
	switch (seed_below(state, 4)) {
	case 0: seed_interface(s, state); return;
	case 1:
		if (s->family == XT2_ARP)
			seed_arp(s, state);
		else
			seed_match(s, XT2_M_PROTO, seed_invert(state),
				   seed_below(state, 2) ? 6 : 17, NULL, 0);
		return;
	case 2:
		if (s->family == XT2_IPV4) {
			seed_match(s, XT2_M_FRAGMENT, seed_invert(state), 0, NULL, 0);
			return;
		}
	}
	if (s->family == XT2_IPV6)
		seed_address6(s, state);
	else
		seed_address4(s, state);
}

/* An extension with whatever payload it takes; none if it takes none of these. */
static inline void seed_extension(struct seed_rule *s, u64 *state)
{
	const struct xt2_rule before = *seed_rule(s);
	u8 type = (u8)(XT2_M_TCP + seed_below(state, XT2_M_COUNT - XT2_M_TCP));
	u32 info = xt2_match_info(type), try, i;
	u64 payload[12];
	struct xt2_match *m;

	if (type == XT2_M_FOREIGN && seed_below(state, 8))
		return;
	if (info & XT2_EXT_MEMORY) /* these images have too few cells for one */
		return;
	for (try = 0; try < 48; try++) {
		for (i = 0; i < XT2_ARRAY_SIZE(payload); i++)
			payload[i] = try < 24 ? 0 : seed_next(state) & seed_next(state);
		m = seed_match(s, type, try % 2 ? seed_invert(state) : 0, (u32)payload[11], payload,
			       (u16)(8 * (try % 12)));
		if (info & XT2_EXT_CELL)
			m->arg = seed_below(state, SEED_CELLS);
		if (info & XT2_EXT_INSTANCE)
			m->arg = type == XT2_M_COMMENT ? 0 : 1;
		if (!xt2_match_ext_check(m, s->family))
			return;
		*seed_rule(s) = before;
	}
}

static inline void seed_target(struct seed_rule *s, u64 *state)
{
	static const u8 plain[] = {
		XT2_T_CONTINUE, XT2_T_CONTINUE, XT2_T_ACCEPT, XT2_T_DROP, XT2_T_RETURN, XT2_T_QUEUE,
	};
	struct xt2_rule *r = seed_rule(s);
	u32 try, more = s->last - s->first, kind = seed_below(state, 8);
	u64 *data = s->bytes + r->target_offset / 8;

	r->target = plain[seed_below(state, XT2_ARRAY_SIZE(plain))];
	if (kind < 3 && more)
		r->target = XT2_TARGET(kind ? XT2_T_JUMP : XT2_T_GOTO,
				       s->first + seed_below(state, more));
	if (kind == 3)
		r->target =
			XT2_TARGET(seed_below(state, 2) && s->nat ? XT2_T_NAT : XT2_T_FOREIGN, 2);
	if (kind != 4)
		return;
	kind = XT2_T_REJECT + seed_below(state, XT2_T_COUNT - XT2_T_REJECT);
	for (try = 0; try < 12; try++) {
		r->target = XT2_TARGET(kind, 0);
		memset(data, 0, 8 * try);
		r->size = (u16)(r->target_offset + 8 * try);
		if (!xt2_target_ext_check(r, s->family))
			return;
	}
	r->size = r->target_offset;
	r->target = XT2_T_CONTINUE;
}

static inline const struct xt2_rule *seed_any_rule(struct seed_rule *s, u64 *state)
{
	u32 i, n = seed_below(state, 4);

	seed_rule_begin(s, XT2_T_CONTINUE, 0);
	for (i = 0; i < n; i++) {
		if (seed_below(state, 3))
			seed_base(s, state);
		else
			seed_extension(s, state);
	}
	seed_target(s, state);
	seed_rule(s)->packets = seed_below(state, 5);
	seed_rule(s)->bytes = seed_rule(s)->packets * 100;
	return seed_rule(s);
}

/* Of few rules, so that any limits make one. */
static inline void seed_index(struct xt2_writer *w, u64 *state)
{
	static const struct xt2_index_limits limits[] = { { 0, 64, 0, 0, false },
							  { 0, 0, 64, 0, false },
							  { 0, 0, 0, 0, false },
							  { 0, 0, 0, ~0u, false } };
	u64 scratch[8192];

	if (seed_below(state, 2) && xt2_index_scratch(8) <= sizeof(scratch))
		xt2_write_index(w, &limits[seed_below(state, XT2_ARRAY_SIZE(limits))], scratch);
}

static inline void seed_chain(struct xt2_writer *w, struct seed_rule *s, u64 *state, u32 index,
			      u16 table, u8 hook)
{
	char name[] = "CHAIN-aa";
	u32 i, n = seed_below(state, 6), lines[8];

	name[6] = (char)('a' + index / 26);
	name[7] = (char)('a' + index % 26);
	xt2_write_chain_begin(w, index, table, hook, name);
	for (i = 0; i <= n; i++)
		lines[i] = seed_below(state, 100);
	for (i = 0; i < n; i++)
		xt2_write_rule(w, seed_any_rule(s, state));
	seed_rule_begin(s,
			hook == XT2_HOOK_NONE  ? XT2_T_RETURN
			: seed_below(state, 2) ? XT2_T_ACCEPT
					       : XT2_T_DROP,
			0);
	xt2_write_rule(w, seed_rule(s));
	seed_index(w, state);
	xt2_write_chain_end(w, seed_below(state, 2) ? lines : NULL, 8 * seed_below(state, 9));
}

#define SEED_NAT 2 /* number of the table that is called so */

struct seed_table {
	u8 family, hooks; /* hooks: so many, from the first on */
	u32 first, users; /* chains: base chains, then user chains */
};

static inline u32 seed_tables(struct seed_table *t, u32 n, u64 *state, u32 *hooks)
{
	static const u8 families[] = { XT2_IPV4, XT2_IPV6, XT2_ARP };
	u32 i, chains = 0;

	*hooks = 0;
	for (i = 0; i < n; i++) {
		t[i].family = families[seed_below(state, 3)];
		t[i].hooks = (u8)seed_below(state, t[i].family == XT2_ARP ? 4 : 6);
		t[i].first = chains;
		t[i].users = seed_below(state, 6);
		chains += t[i].hooks + t[i].users;
		*hooks += t[i].hooks;
	}
	return chains;
}

static inline void seed_table(struct xt2_writer *w, const struct seed_table *t, u16 number,
			      u64 *state)
{
	struct seed_rule s = { .family = t->family,
			       .nat = number == SEED_NAT,
			       .last = t->first + t->hooks + t->users };
	u32 i;

	for (i = 0; i < (u32)t->hooks + t->users; i++) {
		u8 hook = i < t->hooks ? (u8)i : XT2_HOOK_NONE;

		s.first = t->first + i + 1;
		seed_chain(w, &s, state, t->first + i, number, hook);
		if (i < t->hooks)
			xt2_write_hook(w, t->family, hook, number, (s32)seed_below(state, 9) - 4,
				       t->first + i);
	}
}

/* => bytes of the image at buf, 0 if it did not fit */
static inline u64 seed_image(u64 seed, void *buf, u64 cap, void *scratch)
{
	static const char *const names[] = { "filter", "mangle", [SEED_NAT] = "nat", "raw" };
	u64 state = seed * 2 + 1, size = 0;
	struct seed_table tables[4];
	struct xt2_writer w;
	u32 i, n, chains, hooks;

	seed_next(&state);
	n = seed_below(&state, 5);
	chains = seed_tables(tables, n, &state, &hooks);
	xt2_write_begin(&w, buf, cap, seed, n, hooks, chains, SEED_INSTANCES, SEED_CELLS);
	for (i = 0; i < n; i++)
		xt2_write_table(&w, tables[i].family, names[i], i % 2 ? 3 : ~0u);
	xt2_write_instance(&w, XT2_INSTANCE_COMMENT, 0, NULL, "why", 3);
	xt2_write_instance(&w, XT2_INSTANCE_MATCH, 1, "set", "\1\2\3\4", 4);
	xt2_write_instance(&w, XT2_INSTANCE_TARGET, 0, "MASQUERADE", NULL, 0);
	xt2_write_instance(&w, XT2_INSTANCE_SOURCE, 0, "", "rules.v4", 8);
	xt2_write_cell(&w, 1, 1);
	for (i = 0; i < n; i++)
		seed_table(&w, &tables[i], (u16)i, &state);
	return xt2_write_end(&w, scratch, &size) ? 0 : size;
}

/* A structure of an image that may stand anywhere. */
struct seed_place {
	u64 from, size, to;
};

struct seed_places {
	u32 n;
	struct seed_place at[512];
};

static inline void seed_found(struct seed_places *p, u64 from, u64 size)
{
	if (from && size)
		p->at[p->n++] = (struct seed_place){ .from = from, .size = (size + 7) & ~7ull };
}

static inline u32 seed_pages(u32 count, u32 per_page)
{
	return (count + per_page - 1) / per_page;
}

/* An array of the offsets of pages, and these. */
static inline void seed_found_pages(struct seed_places *p, const struct xt2_image *img, u32 dir,
				    u32 pages, u64 size)
{
	const u32 *offs = xt2_at(img, dir);

	seed_found(p, dir, pages * sizeof(u32));
	for (u32 i = 0; i < pages; i++)
		seed_found(p, offs[i], size);
}

static inline void seed_find(struct seed_places *p, const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	u32 i;

	p->n = 0;
	seed_found(p, img->root, sizeof(*root));
	seed_found(p, root->table, root->tables * sizeof(struct xt2_table));
	seed_found(p, root->hook, root->hooks * sizeof(struct xt2_hook));
	seed_found_pages(p, img, root->chain_dir, seed_pages(root->chains, XT2_CHAIN_PAGE),
			 XT2_CHAIN_PAGE * sizeof(u32));
	seed_found_pages(p, img, root->chain_cold, seed_pages(root->chains, XT2_COLD_PAGE),
			 XT2_COLD_PAGE * sizeof(struct xt2_chain_cold));
	seed_found(p, root->cell, root->cells * sizeof(u64));
	seed_found_pages(p, img, root->instance, seed_pages(root->instances, XT2_INSTANCE_PAGE),
			 XT2_INSTANCE_PAGE * sizeof(u32));
	for (i = 0; i < root->instances; i++)
		seed_found(p, xt2_instance_offset(img, root, i),
			   sizeof(struct xt2_instance) + xt2_image_instance(img, root, i)->size);
	xt2_image_for_each_chain(c, i, img, root) {
		seed_found(p, xt2_chain_offset(img, root, i), c->size);
		seed_found(p, c->lines, c->rules * sizeof(u32));
	}
}

static inline void seed_moved(const struct seed_places *p, u32 *off)
{
	for (u32 i = 0; i < p->n; i++)
		if (p->at[i].from == *off) {
			*off = (u32)p->at[i].to;
			return;
		}
}

static inline void seed_adjust(const struct seed_places *p, struct xt2_image *img)
{
	struct xt2_root *root = (struct xt2_root *)xt2_image_root(img);
	u32 *words[] = { &root->table,	    &root->hook, &root->chain_dir,
			 &root->chain_cold, &root->cell, &root->instance };
	struct xt2_chain *c;
	u32 i, *dir, *page;

	for (i = 0; i < XT2_ARRAY_SIZE(words); i++)
		seed_moved(p, words[i]);
	dir = xt2_at(img, root->chain_cold);
	for (i = 0; i < seed_pages(root->chains, XT2_COLD_PAGE); i++)
		seed_moved(p, &dir[i]);
	dir = xt2_at(img, root->chain_dir);
	for (i = 0; i < root->chains; i++) {
		if (i % XT2_CHAIN_PAGE == 0)
			seed_moved(p, &dir[i / XT2_CHAIN_PAGE]);
		page = xt2_at(img, dir[i / XT2_CHAIN_PAGE]);
		seed_moved(p, &page[i % XT2_CHAIN_PAGE]);
		c = xt2_image_chain(img, root, i);
		if (c)
			seed_moved(p, &c->lines);
	}
	dir = xt2_at(img, root->instance);
	for (i = 0; i < root->instances; i++) {
		if (i % XT2_INSTANCE_PAGE == 0)
			seed_moved(p, &dir[i / XT2_INSTANCE_PAGE]);
		page = xt2_at(img, dir[i / XT2_INSTANCE_PAGE]);
		seed_moved(p, &page[i % XT2_INSTANCE_PAGE]);
	}
}

/*
 * Put the structures of an image in any other order, with holes between some.
 * => bytes of the image at to, which has room for twice the old one
 */
static inline u64 seed_scatter(u64 *state, const struct xt2_image *from, struct xt2_image *to)
{
	struct seed_places p;
	u64 pos = sizeof(*from);
	u32 i, j;

	seed_find(&p, from);
	for (i = p.n; i > 1; i--) {
		struct seed_place one = p.at[i - 1];

		j = seed_below(state, i);
		p.at[i - 1] = p.at[j];
		p.at[j] = one;
	}
	memset(to, 0xa5, 2 * from->size);
	*to = *from;
	for (i = 0; i < p.n; i++) {
		pos += seed_below(state, 4) ? 0 : 8 * seed_below(state, 4);
		p.at[i].to = pos;
		memcpy(xt2_at(to, pos), xt2_at(from, p.at[i].from), p.at[i].size);
		pos += p.at[i].size;
		if (p.at[i].from == from->root)
			to->root = p.at[i].to;
	}
	to->size = pos;
	seed_adjust(&p, to);
	return pos;
}

#endif
