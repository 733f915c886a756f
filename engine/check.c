/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.c - the gate for images from outside
 *
 * Evaluation writes counters and cells without looking where they are, so no
 * byte may belong to two structures: every structure claims its 8-byte units
 * in a bitmap, and a unit that is claimed twice is an error.  That also
 * bounds the time: no byte is read before it was claimed, so hostile
 * images cannot have the same bytes read again and again.
 *
 * Order: header, root and arrays; instances, tables, chain headers; then the
 * rules, which name all of these, and their indexes; hooks; names; the walk
 * from the hooks.
 */
#include "check-private.h"
#include "engine/index/patched.h"
#include "order.h"
#include "rule.h"
#include "walk.h"

/* doc/format.md gives these places. */
_Static_assert(sizeof(struct xt2_image) == 64 && offsetof(struct xt2_image, root) == 16, "header");
_Static_assert(sizeof(struct xt2_root) == 72 && offsetof(struct xt2_root, chain_dir) == 28 &&
		       offsetof(struct xt2_root, slots) == 52 &&
		       offsetof(struct xt2_root, edits) == 60 &&
		       offsetof(struct xt2_root, visits) == 64,
	       "root");
_Static_assert(sizeof(struct xt2_table) == 40 && offsetof(struct xt2_table, source) == 36, "table");
_Static_assert(sizeof(struct xt2_hook) == 24 && offsetof(struct xt2_hook, visits) == 16, "hook");
_Static_assert(sizeof(struct xt2_chain) == 32 && offsetof(struct xt2_chain, index) == 16 &&
		       offsetof(struct xt2_chain, hook) == 22,
	       "chain");
_Static_assert(offsetof(struct xt2_chain, lines) == 24, "chain's lines");
_Static_assert(sizeof(struct xt2_chain_cold) == 32, "cold side");
_Static_assert(sizeof(struct xt2_rule) == 24 && offsetof(struct xt2_rule, packets) == 8, "rule");
_Static_assert(sizeof(struct xt2_match) == 8 && offsetof(struct xt2_match, arg) == 4, "match");
_Static_assert(sizeof(struct xt2_instance) == 40 && offsetof(struct xt2_instance, name) == 8,
	       "instance");

/* More than every chain's extent and name leave room for. */
static u64 chains_max(u64 size)
{
	return size / 40;
}

static u64 instances_max(u64 size)
{
	return size / sizeof(struct xt2_instance);
}

static u64 map_size(u64 size)
{
	return size / (64 * XT2_ALIGN) * sizeof(u64) + sizeof(u64);
}

u64 xt2_check_scratch(u64 size)
{
	if (size > XT2_SIZE_MAX)
		size = XT2_SIZE_MAX;
	return XT2_TABLES_MAX + map_size(size) +
	       chains_max(size) * (sizeof(struct xt2_walk_chain) + sizeof(u16)) +
	       instances_max(size) * sizeof(u8);
}

/* => not 0 if a byte of the word is 0; the lowest bit that is set is that byte's highest */
static u64 nul_byte(u64 word)
{
	return (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull;
}

/* => 0: NUL-terminated and NUL-padded; @empty: may be empty */
static int check_name(const struct xt2_checking *c, const char __img *name, bool empty,
		      const char *what)
{
	const u64 __img *word = (const void __img *)name;
	u64 nul = 0, rest = 0;
	u32 i;

	for (i = 0; i < XT2_NAME_SIZE / sizeof(*word); i++) {
		if (nul) {
			rest |= word[i];
			continue;
		}
		nul = nul_byte(word[i]);
		if (nul)
			rest = word[i] >> __builtin_ctzll(nul);
	}
	return !nul || rest || (!*name && !empty) ? xt2_check_bad_(c, what, name) : 0;
}

/* => the place of the first NUL in n bytes; n: there is none */
static u32 find_nul(const u8 __img *text, u32 n)
{
	const u64 __img *word = (const void __img *)text;
	u32 at = 0;

	while (n - at >= sizeof(*word) && !nul_byte(word[at / sizeof(*word)]) && xt2_can_loop)
		at += sizeof(*word);
	while (at < n && text[at] && xt2_can_loop)
		at++;
	return at;
}

static int check_header(struct xt2_checking *c, u64 given, u32 magic)
{
	const struct xt2_image __img *img = c->img;
	u32 i;

	if (given < sizeof(*img) || (unsigned long)img % XT2_ALIGN)
		return xt2_check_bad_at_(c, "too short for an image", given);
	if (img->magic == XT2_MAGIC_UNFINISHED && magic == XT2_MAGIC)
		return xt2_check_bad_(c, "image is unfinished", &img->magic);
	if (img->magic != magic)
		return xt2_check_bad_(c, "not an xt2 image", &img->magic);
	if (img->byte_order != XT2_BYTE_ORDER)
		return xt2_check_bad_(c, "image has another byte order", &img->byte_order);
	if (img->version != XT2_VERSION)
		return xt2_check_bad_(c, "image has an unknown version", &img->version);
	if (img->size < sizeof(*img) || img->size > given || img->size > XT2_SIZE_MAX ||
	    img->size % XT2_ALIGN)
		return xt2_check_bad_(c, "image has a wrong size", &img->size);
	for (i = 0; i < XT2_ARRAY_SIZE(img->reserved); i++)
		if (img->reserved[i])
			return xt2_check_bad_(c, "reserved bytes of the header are set",
					      &img->reserved[i]);
	return 0;
}

/* => pages of so many elements each */
static u32 pages_of(u32 count, u32 per_page)
{
	return count / per_page + !!(count % per_page);
}

static int check_root(struct xt2_checking *c)
{
	const struct xt2_root __img *root;
	u64 off = c->img->root;
	int err;

	err = xt2_check_claim_(c, off, sizeof(*root), "root is outside the image");
	if (err)
		return err;
	root = c->root = xt2_at(c->img, off);
	if (root->slots != 1)
		return xt2_check_bad_(c, "wrong number of counting slots", &root->slots);
	if (root->tables > XT2_TABLES_MAX)
		return xt2_check_bad_(c, "too many tables", &root->tables);
	if (root->chains > XT2_CHAINS_MAX || root->chains > chains_max(c->size))
		return xt2_check_bad_(c, "too many chains", &root->chains);
	if (root->instances > instances_max(c->size))
		return xt2_check_bad_(c, "too many instances", &root->instances);
	return 0;
}

static const char no_names[] = "names of chains are outside the image";
static const char no_instances[] = "instances are outside the image";

/* Pages are complete; there need not be one for elements that are not in use. */
static int claim_pages(struct xt2_checking *c, u32 dir, u32 pages, u32 size, const char *what)
{
	const u32 __img *offs = xt2_at(c->img, dir);
	u32 i;
	int err = 0;

	for (i = 0; i < pages && !err && xt2_can_loop; i++)
		if (offs[i]) {
			err = xt2_check_claim_(c, offs[i], size, what);
			c->spare += size; /* but for elements that are in use */
		}
	return err;
}

static int claim_arrays(struct xt2_checking *c)
{
	const struct xt2_root __img *root = c->root;
	const struct {
		u32 offset, count, size;
		const char *what;
	} arrays[] = {
		{ root->table, root->tables, sizeof(struct xt2_table),
		  "tables are outside the image" },
		{ root->hook, root->hooks, sizeof(struct xt2_hook),
		  "hook entries are outside the image" },
		{ root->chain_dir, pages_of(root->chains, XT2_CHAIN_PAGE), sizeof(u32),
		  "chain table is outside the image" },
		{ root->chain_cold, pages_of(root->chains, XT2_COLD_PAGE), sizeof(u32), no_names },
		{ root->cell, root->cells, sizeof(u64), "cells are outside the image" },
		{ root->instance, pages_of(root->instances, XT2_INSTANCE_PAGE), sizeof(u32),
		  no_instances },
	};
	u32 i;
	int err = 0;

	for (i = 0; i < XT2_ARRAY_SIZE(arrays) && !err; i++)
		err = xt2_check_claim_array_(c, arrays[i].offset, arrays[i].count, arrays[i].size,
					     arrays[i].what);
	if (!err)
		err = claim_pages(c, root->chain_cold, pages_of(root->chains, XT2_COLD_PAGE),
				  XT2_COLD_PAGE * sizeof(struct xt2_chain_cold), no_names);
	if (!err)
		err = claim_pages(c, root->instance, pages_of(root->instances, XT2_INSTANCE_PAGE),
				  XT2_INSTANCE_PAGE * sizeof(u32), no_instances);
	return err;
}

/* Check n items, up to the first that is not valid. */
static int check_each(struct xt2_checking *c, u32 n, int (*check_one)(struct xt2_checking *, u32))
{
	u32 i;
	int err = 0;

	for (i = 0; i < n && !err && xt2_can_loop; i++)
		err = check_one(c, i);
	return err;
}

/* => bytes of words that are 0, of data that are more than a few pages */
static u64 zeros(const u8 __img *data, u64 size)
{
	const u64 __img *word = (const void __img *)data;
	u64 i, n = 0;

	for (i = 0; size >= XT2_HOLES_FREE && i < size / sizeof(*word) && xt2_can_loop; i++)
		n += word[i] ? 0 : sizeof(*word);
	return n;
}

static int check_instance(struct xt2_checking *c, u32 i)
{
	const u64 off = xt2_instance_offset(c->img, c->root, i);
	const struct xt2_instance __img *in = xt2_at(c->img, off);
	const u8 __img *data = (const u8 __img *)(in + 1);
	bool text;
	u32 nul;
	int err;

	c->named.kind[i] = 0;
	if (!off)
		return 0;
	if (off > c->size || c->size - off < sizeof(*in) || off % XT2_ALIGN)
		return xt2_check_bad_at_(c, "instance is outside the image", off);
	err = xt2_check_claim_(c, off, sizeof(*in) + (u64)in->size,
			       "data of an instance are outside the image");
	if (err)
		return err;
	if (in->kind < XT2_INSTANCE_COMMENT || in->kind > XT2_INSTANCE_SOURCE)
		return xt2_check_bad_(c, "instance of an unknown kind", &in->kind);
	if (in->reserved)
		return xt2_check_bad_(c, "reserved bytes of an instance are set", &in->reserved);
	c->named.kind[i] = in->kind;
	c->spare += zeros(data, in->size) - sizeof(u32);
	text = in->kind == XT2_INSTANCE_COMMENT || in->kind == XT2_INSTANCE_SOURCE;
	nul = text ? find_nul(data, in->size) : in->size;
	if (nul != in->size)
		return xt2_check_bad_(c, "text has a NUL in it", data + nul);
	return check_name(c, in->name, text, "name of an instance is not valid");
}

static bool same_table(const struct xt2_table __img *a, const struct xt2_table __img *b)
{
	return a->family == b->family && !memcmp(a->name, b->name, sizeof(a->name));
}

static int check_table(struct xt2_checking *c, u32 index)
{
	const struct xt2_table __img *t = xt2_image_table(c->img, c->root, index);
	u32 i;

	if (!xt2_family_hooks(t->family))
		return xt2_check_bad_(c, "table of an unknown family", &t->family);
	if (t->flags & ~XT2_TABLE_BY_NAME)
		return xt2_check_bad_(c, "unknown flags of a table", &t->flags);
	if (t->reserved[0] || t->reserved[1])
		return xt2_check_bad_(c, "reserved bytes of a table are set", t->reserved);
	if (check_name(c, t->name, false, "name of a table is not valid"))
		return -EINVAL;
	if (t->source != ~0u &&
	    (t->source >= c->root->instances || c->named.kind[t->source] != XT2_INSTANCE_SOURCE))
		return xt2_check_bad_(c, "source of a table is not a file's name", &t->source);
	for (i = 0; i < index; i++)
		if (same_table(t, xt2_image_table(c->img, c->root, i)))
			return xt2_check_bad_(c, "two tables have the same name", t);
	return 0;
}

/* The fields of a chain's header that can be checked without its rules. */
static int check_chain_header(struct xt2_checking *c, u64 off)
{
	const struct xt2_chain __img *ch = xt2_at(c->img, off);

	if (xt2_check_extent_(c, off))
		return -EINVAL;
	if (ch->table >= c->root->tables)
		return xt2_check_bad_(c, "chain of a table that is not there", &ch->table);
	if (ch->hook != XT2_HOOK_NONE && ch->hook >= xt2_family_hooks(xt2_check_family_(c, ch)))
		return xt2_check_bad_(c, "chain of a hook that is not there", &ch->hook);
	c->base_chains += ch->hook != XT2_HOOK_NONE;
	c->chains++;
	c->named.table[c->chain] = (u16)(ch->table + 1);
	return 0;
}

static int check_chain_page(struct xt2_checking *c, u32 page)
{
	const u32 __img *dir = xt2_at(c->img, c->root->chain_dir);
	const u32 __img *offs = xt2_at(c->img, dir[page]);
	u32 i;
	int err;

	if (!dir[page])
		return 0;
	err = xt2_check_claim_(c, dir[page], XT2_CHAIN_PAGE * sizeof(u32),
			       "chain table is outside the image");
	for (i = 0; !err && i < XT2_CHAIN_PAGE; i++) {
		if (!offs[i])
			continue;
		c->chain = page * XT2_CHAIN_PAGE + i;
		if (c->chain >= c->root->chains)
			return xt2_check_bad_(c, "more chains than there should be", &offs[i]);
		err = check_chain_header(c, offs[i]);
	}
	c->chain = ~0u;
	return err;
}

static int check_chain_headers(struct xt2_checking *c)
{
	memset(c->named.table, 0, c->root->chains * sizeof(*c->named.table));
	return check_each(c, pages_of(c->root->chains, XT2_CHAIN_PAGE), check_chain_page);
}

static int check_cold(struct xt2_checking *c, const struct xt2_chain __img *ch)
{
	const u32 __img *dir = xt2_at(c->img, c->root->chain_cold);
	const struct xt2_chain __img *compiled = xt2_chain_compiled(c->img, ch);

	if (!dir[c->chain / XT2_COLD_PAGE])
		return xt2_check_bad_(c, "chain without a name", ch);
	if (check_name(c, xt2_image_chain_cold(c->img, c->root, c->chain)->name, false,
		       "name of a chain is not valid"))
		return -EINVAL;
	if (compiled != ch && ch->lines)
		return xt2_check_bad_(c, "line numbers of a patched chain", &ch->lines);
	return compiled->lines
		       ? xt2_check_claim_(c, compiled->lines, (u64)compiled->rules * sizeof(u32),
					  "line numbers are outside the image")
		       : 0;
}

static int check_chains(struct xt2_checking *c)
{
	const struct xt2_chain __img *ch;
	u32 i;
	int err;

	xt2_image_for_each_chain(ch, i, c->img, c->root) {
		c->chain = i;
		c->rule = 0;
		err = xt2_check_is_patched_(ch) ? xt2_check_patched_(c, ch)
						: xt2_check_chain_(c, ch);
		if (err)
			return err;
		err = check_cold(c, ch);
		if (err)
			return err;
	}
	c->chain = ~0u;
	return 0;
}

static int check_hook(struct xt2_checking *c, u32 i)
{
	const struct xt2_hook __img *h = xt2_image_hook(c->img, c->root, i);
	const struct xt2_chain __img *ch;
	u8 bit;

	if (i && !xt2_hook_before(h - 1, h))
		return xt2_check_bad_(c, "hook entries are not in order", h);
	if (h->table >= c->root->tables)
		return xt2_check_bad_(c, "hook entry of a table that is not there", h);
	if (h->family != xt2_image_table(c->img, c->root, h->table)->family)
		return xt2_check_bad_(c, "hook entry of another family than its table", h);
	if (h->hook >= xt2_family_hooks(h->family))
		return xt2_check_bad_(c, "hook entry of a hook that is not there", h);
	ch = xt2_image_chain(c->img, c->root, h->chain);
	if (!ch || ch->hook != h->hook || ch->table != h->table)
		return xt2_check_bad_(c, "hook entry without its base chain", h);
	bit = (u8)(1 << h->hook);
	if (c->hooked[h->table] & bit)
		return xt2_check_bad_(c, "two hook entries of one table and hook", h);
	c->hooked[h->table] |= bit;
	return 0;
}

/* Entries and base chains match one to one, as no two share a place. */
static int check_hooks(struct xt2_checking *c)
{
	int err = check_each(c, c->root->hooks, check_hook);

	if (!err && c->root->hooks != c->base_chains)
		return xt2_check_bad_(c, "base chain without a hook entry", &c->root->hooks);
	return err;
}

static int check_names(struct xt2_checking *c)
{
	u32 chain = xt2_check_names_(c->img, c->root, c->walk);

	if (chain == XT2_NAMES_DIFFER)
		return 0;
	c->chain = chain;
	return xt2_check_bad_(c, "two chains of a table have the same name",
			      xt2_image_chain_cold(c->img, c->root, chain));
}

/*
 * A hole in a file costs no space on a disk, but it does cost the evaluator memory.
 * The bytes claimed and the bytes that mean something differ by spare room of chains, names of
 * chains and offsets of instances that are not there, cells that no rule can have, and zeros in
 * large instances; check-index.c knows how large an index can be.
 */
static int check_holes(struct xt2_checking *c)
{
	const u64 units = c->size / XT2_ALIGN, cells = c->root->cells;
	u64 i, claimed = 0, most = c->rules;

	for (i = 0; i < (units + 63) / 64 && xt2_can_loop; i++)
		claimed += (u64)__builtin_popcountll(c->map[i]) * XT2_ALIGN;
	c->spare -= (u64)c->chains * sizeof(struct xt2_chain_cold);
	for (i = 0; i < XT2_ARRAY_SIZE(c->memories) && xt2_can_loop; i++)
		most += (u64)__builtin_popcountll(c->memories[i]) * XT2_MEMORY_CELLS;
	c->spare += cells > most ? (cells - most) * sizeof(u64) : 0;
	if (c->size > XT2_HOLES_FREE + XT2_HOLES_TIMES * (claimed - c->spare))
		return xt2_check_bad_(c, "image is mostly empty", &c->img->size);
	return 0;
}

static int check_ways(struct xt2_checking *c)
{
	struct xt2_walk w = {
		.img = c->img,
		.root = c->root,
		.chains = c->walk,
	};
	int err;

	memset(c->walk, 0, c->root->chains * sizeof(*c->walk));
	err = xt2_walk_hooks(&w);
	if (err) {
		c->chain = w.loop;
		xt2_check_bad_(c, "chains loop", xt2_image_chain(c->img, c->root, w.loop));
		return err;
	}
	if (c->gate == XT2_GATE_SEAL)
		xt2_walk_store(&w);
	else if (!xt2_walk_covers(&w))
		return xt2_check_bad_(c, "depth or visits are less than they should be", c->root);
	return 0;
}

static int check_rest(struct xt2_checking *c)
{
	int err = check_root(c);

	if (!err)
		err = claim_arrays(c);
	if (!err)
		err = check_each(c, c->root->instances, check_instance);
	if (!err)
		err = check_each(c, c->root->tables, check_table);
	if (!err)
		err = check_chain_headers(c);
	if (!err)
		err = check_chains(c);
	if (!err)
		err = check_hooks(c);
	if (!err)
		err = check_names(c);
	if (!err && !c->sparse)
		err = check_holes(c);
	return err ? err : check_ways(c);
}

static int check(const struct xt2_image __img *img, u64 size, void *scratch,
		 struct xt2_check_err *err, enum xt2_check_gate gate, bool sparse)
{
	struct xt2_checking c = {
		.img = img, .chain = ~0u, .err = err, .gate = gate, .sparse = sparse
	};

	if (check_header(&c, size, gate == XT2_GATE_SEAL ? XT2_MAGIC_UNFINISHED : XT2_MAGIC))
		return -EINVAL;
	if (!img->root)
		return 0;
	c.size = img->size;
	c.hooked = scratch;
	c.map = (void *)((u8 *)scratch + XT2_TABLES_MAX);
	c.walk = (void *)((u8 *)c.map + map_size(c.size));
	c.named.table = (void *)(c.walk + chains_max(c.size));
	c.named.kind = (void *)(c.named.table + chains_max(c.size));
	memset(scratch, 0, XT2_TABLES_MAX + map_size(c.size));
	if (xt2_check_claim_(&c, 0, sizeof(*img), "too short for an image"))
		return -EINVAL;
	return check_rest(&c);
}

int xt2_check(const void *img, u64 size, void *scratch, struct xt2_check_err *err)
{
	return check(img, size, scratch, err, XT2_GATE_CHECK, false);
}

int xt2_check_rules(struct xt2_image *img, u64 size, void *scratch, struct xt2_check_err *err)
{
	return check(img, size, scratch, err, XT2_GATE_FORGET, false);
}

int xt2_check_sparse(struct xt2_image *img, u64 size, void *scratch, struct xt2_check_err *err)
{
	return check(img, size, scratch, err, XT2_GATE_FORGET, true);
}

int xt2_check_seal_(struct xt2_image *img, u64 size, void *scratch, struct xt2_check_err *err)
{
	int ret = check(img, size, scratch, err, XT2_GATE_SEAL, false);

	if (!ret)
		img->magic = XT2_MAGIC;
	return ret;
}
