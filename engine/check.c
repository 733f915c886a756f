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
#include "check.h"
#include "engine/index/search.h"
#include "rule.h"
#include "walk.h"

/* doc/format.md gives these places. */
_Static_assert(sizeof(struct xt2_image) == 64 && offsetof(struct xt2_image, root) == 16, "header");
_Static_assert(sizeof(struct xt2_root) == 72 && offsetof(struct xt2_root, chain_dir) == 28 &&
		       offsetof(struct xt2_root, slots) == 52 &&
		       offsetof(struct xt2_root, visits) == 64,
	       "root");
_Static_assert(sizeof(struct xt2_table) == 40 && offsetof(struct xt2_table, source) == 36, "table");
_Static_assert(sizeof(struct xt2_hook) == 24 && offsetof(struct xt2_hook, visits) == 16, "hook");
_Static_assert(sizeof(struct xt2_chain) == 32 && offsetof(struct xt2_chain, index) == 16 &&
		       offsetof(struct xt2_chain, hook) == 22,
	       "chain");
_Static_assert(sizeof(struct xt2_chain_cold) == 40 && offsetof(struct xt2_chain_cold, lines) == 32,
	       "cold side");
_Static_assert(sizeof(struct xt2_rule) == 24 && offsetof(struct xt2_rule, packets) == 8, "rule");
_Static_assert(sizeof(struct xt2_match) == 8 && offsetof(struct xt2_match, arg) == 4, "match");
_Static_assert(sizeof(struct xt2_instance) == 40 && offsetof(struct xt2_instance, name) == 8,
	       "instance");

/* Every chain index has a cold record, so that bounds their number. */
static u64 chains_max(u64 size)
{
	return size / sizeof(struct xt2_chain_cold);
}

static u64 instances_max(u64 size)
{
	return size / sizeof(struct xt2_instance);
}

static u64 map_size(u64 size)
{
	return size / (64 * XT2_ALIGN) * sizeof(u64) + sizeof(u64);
}

/*
 * The tables and kinds that rules refer to, side by side: reading them in place
 * would miss the cache for each jump of a large ruleset.
 */
struct named {
	u16 *table; /* of chains, and 1; 0: there is none */
	u8 *kind; /* of instances */
};

/* How indexes are treated, since a wrong one would hide rules. */
enum gate {
	GATE_CHECK, /* each is held to its rules */
	GATE_FORGET, /* they are dropped */
	GATE_SEAL, /* the writer made them; depth, visits and the magic are stored */
};

struct check {
	const struct xt2_image __img *img;
	u64 size;
	u64 spare; /* bytes of structures that say nothing */
	enum gate gate;
	const struct xt2_root __img *root;
	u64 *map; /* a bit for every 8 bytes */
	u8 *hooked; /* per table: hooks that have an entry */
	struct xt2_walk_chain *walk;
	struct named named;
	u32 base_chains, chains;
	u64 rules;
	u32 chain, rule; /* for the report */
	struct xt2_check_err *err;
};

u64 xt2_check_scratch(u64 size)
{
	if (size > XT2_SIZE_MAX)
		size = XT2_SIZE_MAX;
	return XT2_TABLES_MAX + map_size(size) +
	       chains_max(size) * (sizeof(struct xt2_walk_chain) + sizeof(u16)) +
	       instances_max(size) * sizeof(u8);
}

static int bad(const struct check *c, const char *what, const void __img *where)
{
	if (c->err) {
		c->err->what = what;
		c->err->offset = where ? (u64)((const u8 __img *)where - (const u8 __img *)c->img)
				       : 0;
		c->err->chain = c->chain;
		c->err->rule = c->rule;
	}
	return -EINVAL;
}

static int bad_at(const struct check *c, const char *what, u64 offset)
{
	bad(c, what, NULL);
	if (c->err)
		c->err->offset = offset;
	return -EINVAL;
}

/* => true if all units [first, last) were free; they are taken now */
static bool take(u64 *map, u64 first, u64 last)
{
	u64 mask, n;

	for (; first < last && xt2_can_loop; first += n) {
		n = 64 - first % 64;
		if (n > last - first)
			n = last - first;
		mask = (~0ull >> (64 - n)) << first % 64;
		if (map[first / 64] & mask)
			return false;
		map[first / 64] |= mask;
	}
	return true;
}

/* Make [off, off + len) the place of one structure; its padding is zero. */
static int claim(struct check *c, u64 off, u64 len, const char *what)
{
	const u8 __img *p = (const u8 __img *)c->img;
	u64 end;

	if (off % XT2_ALIGN || off > c->size || len > c->size - off)
		return bad_at(c, what, off);
	for (end = off + len; end % XT2_ALIGN; end++)
		if (p[end])
			return bad_at(c, "padding is not zero", end);
	if (!take(c->map, off / XT2_ALIGN, end / XT2_ALIGN))
		return bad_at(c, "two structures overlap", off);
	return 0;
}

static int claim_array(struct check *c, u64 off, u64 count, u64 size, const char *what)
{
	if (!count)
		return off ? bad_at(c, what, off) : 0;
	return claim(c, off, count * size, what);
}

/* => not 0 if a byte of the word is 0; the lowest bit that is set is that byte's highest */
static u64 nul_byte(u64 word)
{
	return (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull;
}

/* => 0: NUL-terminated and NUL-padded; @empty: may be empty */
static int check_name(const struct check *c, const char __img *name, bool empty, const char *what)
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
	return !nul || rest || (!*name && !empty) ? bad(c, what, name) : 0;
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

static int check_header(struct check *c, u64 given, u32 magic)
{
	const struct xt2_image __img *img = c->img;
	u32 i;

	if (given < sizeof(*img) || (unsigned long)img % XT2_ALIGN)
		return bad_at(c, "too short for an image", given);
	if (img->magic == XT2_MAGIC_UNFINISHED && magic == XT2_MAGIC)
		return bad(c, "image is unfinished", &img->magic);
	if (img->magic != magic)
		return bad(c, "not an xt2 image", &img->magic);
	if (img->byte_order != XT2_BYTE_ORDER)
		return bad(c, "image has another byte order", &img->byte_order);
	if (img->version != XT2_VERSION)
		return bad(c, "image has an unknown version", &img->version);
	if (img->size < sizeof(*img) || img->size > given || img->size > XT2_SIZE_MAX ||
	    img->size % XT2_ALIGN)
		return bad(c, "image has a wrong size", &img->size);
	for (i = 0; i < XT2_ARRAY_SIZE(img->reserved); i++)
		if (img->reserved[i])
			return bad(c, "reserved bytes of the header are set", &img->reserved[i]);
	return 0;
}

static u32 chain_pages(const struct xt2_root __img *root)
{
	return (root->chains + XT2_CHAIN_PAGE - 1) / XT2_CHAIN_PAGE;
}

static int check_root(struct check *c)
{
	const struct xt2_root __img *root;
	u64 off = c->img->root;
	int err;

	err = claim(c, off, sizeof(*root), "root is outside the image");
	if (err)
		return err;
	root = c->root = xt2_at(c->img, off);
	if (root->reserved)
		return bad(c, "reserved bytes of the root are set", &root->reserved);
	if (root->slots != 1)
		return bad(c, "wrong number of counting slots", &root->slots);
	if (root->tables > XT2_TABLES_MAX)
		return bad(c, "too many tables", &root->tables);
	if (root->chains > XT2_CHAINS_MAX)
		return bad(c, "too many chains", &root->chains);
	return 0;
}

static int claim_arrays(struct check *c)
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
		{ root->chain_dir, chain_pages(root), sizeof(u32),
		  "chain table is outside the image" },
		{ root->chain_cold, root->chains, sizeof(struct xt2_chain_cold),
		  "names of chains are outside the image" },
		{ root->cell, root->cells, sizeof(u64), "cells are outside the image" },
		{ root->instance, root->instances, sizeof(u32), "instances are outside the image" },
	};
	u32 i;
	int err = 0;

	for (i = 0; i < XT2_ARRAY_SIZE(arrays) && !err; i++)
		err = claim_array(c, arrays[i].offset, arrays[i].count, arrays[i].size,
				  arrays[i].what);
	return err;
}

/* Check n items, up to the first that is not valid. */
static int check_each(struct check *c, u32 n, int (*check_one)(struct check *, u32))
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

static int check_instance(struct check *c, u32 i)
{
	const u64 off = ((const u32 __img *)xt2_at(c->img, c->root->instance))[i];
	const struct xt2_instance __img *in = xt2_at(c->img, off);
	const u8 __img *data = (const u8 __img *)(in + 1);
	bool text;
	u32 nul;
	int err;

	if (off > c->size || c->size - off < sizeof(*in) || off % XT2_ALIGN)
		return bad_at(c, "instance is outside the image", off);
	err = claim(c, off, sizeof(*in) + (u64)in->size,
		    "data of an instance are outside the image");
	if (err)
		return err;
	if (in->kind < XT2_INSTANCE_COMMENT || in->kind > XT2_INSTANCE_SOURCE)
		return bad(c, "instance of an unknown kind", &in->kind);
	if (in->reserved)
		return bad(c, "reserved bytes of an instance are set", &in->reserved);
	c->named.kind[i] = in->kind;
	c->spare += zeros(data, in->size);
	text = in->kind == XT2_INSTANCE_COMMENT || in->kind == XT2_INSTANCE_SOURCE;
	nul = text ? find_nul(data, in->size) : in->size;
	if (nul != in->size)
		return bad(c, "text has a NUL in it", data + nul);
	return check_name(c, in->name, text, "name of an instance is not valid");
}

static bool same_table(const struct xt2_table __img *a, const struct xt2_table __img *b)
{
	return a->family == b->family && !memcmp(a->name, b->name, sizeof(a->name));
}

static int check_table(struct check *c, u32 index)
{
	const struct xt2_table __img *t = xt2_image_table(c->img, c->root, index);
	u32 i;

	if (!xt2_family_hooks(t->family))
		return bad(c, "table of an unknown family", &t->family);
	if (t->reserved[0] || t->reserved[1] || t->reserved[2])
		return bad(c, "reserved bytes of a table are set", t->reserved);
	if (check_name(c, t->name, false, "name of a table is not valid"))
		return -EINVAL;
	if (t->source != ~0u &&
	    (t->source >= c->root->instances ||
	     xt2_image_instance(c->img, c->root, t->source)->kind != XT2_INSTANCE_SOURCE))
		return bad(c, "source of a table is not a file's name", &t->source);
	for (i = 0; i < index; i++)
		if (same_table(t, xt2_image_table(c->img, c->root, i)))
			return bad(c, "two tables have the same name", t);
	return 0;
}

static u8 chain_family(const struct check *c, const struct xt2_chain __img *ch)
{
	return xt2_image_table(c->img, c->root, ch->table)->family;
}

/* The fields of a chain's header that can be checked without its rules. */
static int check_chain_header(struct check *c, u64 off)
{
	const struct xt2_chain __img *ch = xt2_at(c->img, off);
	int err;

	if (off > c->size || c->size - off < sizeof(*ch) || off % XT2_ALIGN)
		return bad_at(c, "chain is outside the image", off);
	if (ch->size % XT2_ALIGN || ch->size < sizeof(*ch) + sizeof(struct xt2_rule))
		return bad(c, "chain has a wrong size", ch);
	err = claim(c, off, ch->size, "chain is outside the image");
	if (err)
		return err;
	if (ch->index != c->chain)
		return bad(c, "chain has another index", &ch->index);
	if (ch->table >= c->root->tables)
		return bad(c, "chain of a table that is not there", &ch->table);
	if (ch->hook != XT2_HOOK_NONE && ch->hook >= xt2_family_hooks(chain_family(c, ch)))
		return bad(c, "chain of a hook that is not there", &ch->hook);
	if (ch->reserved || ch->strips)
		return bad(c, "reserved bytes of a chain are set", &ch->reserved);
	c->base_chains += ch->hook != XT2_HOOK_NONE;
	c->chains++;
	c->named.table[c->chain] = (u16)(ch->table + 1);
	return 0;
}

static int check_chain_page(struct check *c, u32 page)
{
	const u32 __img *dir = xt2_at(c->img, c->root->chain_dir);
	const u32 __img *offs = xt2_at(c->img, dir[page]);
	u32 i;
	int err;

	if (!dir[page])
		return 0;
	err = claim(c, dir[page], XT2_CHAIN_PAGE * sizeof(u32), "chain table is outside the image");
	for (i = 0; !err && i < XT2_CHAIN_PAGE; i++) {
		if (!offs[i])
			continue;
		c->chain = page * XT2_CHAIN_PAGE + i;
		if (c->chain >= c->root->chains)
			return bad(c, "more chains than there should be", &offs[i]);
		err = check_chain_header(c, offs[i]);
	}
	c->chain = ~0u;
	return err;
}

static int check_chain_headers(struct check *c)
{
	memset(c->named.table, 0, c->root->chains * sizeof(*c->named.table));
	return check_each(c, chain_pages(c->root), check_chain_page);
}

static const char *check_kind(const struct check *c, u32 instance, u8 kind)
{
	return c->named.kind[instance] == kind ? NULL : "rule names an instance of another kind";
}

static const char *check_target_ref(const struct check *c, const struct xt2_rule __img *r,
				    u32 table)
{
	u32 to, arg = XT2_TARGET_ARG(r->target);

	switch (XT2_TARGET_KIND(r->target)) {
	case XT2_T_JUMP:
	case XT2_T_GOTO:
		to = c->named.table[arg];
		if (!to)
			return "rule names a chain that is not there";
		return to == table + 1 ? NULL : "rule names a chain of another table";
	case XT2_T_NAT: /* NAT implies ACCEPT; outside a nat table that would change the verdict */
		if (memcmp(xt2_image_table(c->img, c->root, table)->name, "nat", sizeof("nat")))
			return "NAT target outside a nat table";
		__fallthrough;
	case XT2_T_FOREIGN: return check_kind(c, arg, XT2_INSTANCE_TARGET);
	}
	return NULL;
}

/* A bridge's watchers are targets after the matches: no match may follow one. */
static const char *check_carried(const struct check *c, u32 table, u32 i, bool *watching)
{
	if (c->named.kind[i] == XT2_INSTANCE_TARGET &&
	    xt2_image_table(c->img, c->root, table)->family == XT2_BRIDGE) {
		*watching = true;
		return NULL;
	}
	if (*watching)
		return "match behind a watcher";
	return check_kind(c, i, XT2_INSTANCE_MATCH);
}

/* => NULL, or the problem */
static const char *check_refs(const struct check *c, const struct xt2_rule __img *r, u32 table)
{
	const struct xt2_match __img *m;
	const char *text = check_target_ref(c, r, table);
	bool watching = false;

	xt2_rule_for_each_match(m, r) {
		if (text)
			break;
		if (watching && m->type != XT2_M_FOREIGN)
			text = "match behind a watcher";
		else if (m->type == XT2_M_COMMENT)
			text = check_kind(c, m->arg, XT2_INSTANCE_COMMENT);
		else if (m->type == XT2_M_FOREIGN)
			text = check_carried(c, table, m->arg, &watching);
	}
	return text;
}

/* Runs are of whole rules, and in order: counters are added to these. */
static int check_runs(struct check *c, const struct xt2_chain __img *ch)
{
	const struct xt2_index __img *ix = xt2_chain_index(ch);
	const struct xt2_run __img *run = xt2_index_runs(ix), *end = run + ix->runs;
	const struct xt2_rule __img *r;
	bool open = false;
	u32 at;

	if (ix->run % XT2_ALIGN || ix->run < sizeof(*ix) || ix->run > ix->size ||
	    ix->runs > (ix->size - ix->run) / sizeof(*run))
		return bad(c, "runs of an index are outside of it", &ix->runs);
	for (at = sizeof(*ch); at < ch->used && run < end && xt2_can_loop; at += r->size) {
		r = xt2_at(ch, at);
		if (open && at == run->end) {
			open = false;
			run++;
		}
		if (run < end && at == run->rule)
			open = true;
	}
	return run == end ? 0 : bad(c, "run of an index is not of whole rules", run);
}

/* The place of an index; check-index.c checks its contents. */
static int check_lookup(struct check *c, const struct xt2_chain __img *ch)
{
	const char *what = NULL;

	c->spare += (ch->lookup ? ch->lookup : ch->size) - ch->used;
	if (!ch->lookup)
		return 0;
	if (ch->lookup % XT2_ALIGN || ch->lookup < ch->used ||
	    ch->size - ch->used < sizeof(struct xt2_index) ||
	    ch->lookup > ch->size - sizeof(struct xt2_index) ||
	    xt2_chain_index(ch)->size != ch->size - ch->lookup)
		return bad(c, "index of a chain is not where it should be", &ch->lookup);
	if (xt2_chain_index(ch)->runs && check_runs(c, ch))
		return -EINVAL;
	if (c->gate == GATE_FORGET)
		xt2_chain_drop_index((struct xt2_chain __img *)ch);
	else if (c->gate == GATE_CHECK && xt2_index_check(ch, chain_family(c, ch), &what))
		return bad(c, what, xt2_chain_index(ch));
	return 0;
}

static int check_rules(struct check *c, const struct xt2_chain __img *ch)
{
	const struct xt2_rule_bounds bounds = {
		.family = chain_family(c, ch),
		.chains = c->root->chains,
		.cells = c->root->cells,
		.instances = c->root->instances,
	};
	const struct xt2_rule __img *r = NULL;
	const char *what = NULL;
	u32 at;

	if (ch->used > ch->size)
		return bad(c, "chain uses more bytes than it has", &ch->used);
	for (at = sizeof(*ch); at < ch->used && xt2_can_loop; at += r->size) {
		c->rule++;
		r = xt2_at(ch, at);
		if (!xt2_check_rule(r, ch->used - at, &bounds, &what))
			what = check_refs(c, r, ch->table);
		if (what)
			return bad(c, what, r);
	}
	if (!r || c->rule != ch->rules)
		return bad(c, "wrong number of rules in a chain", &ch->rules);
	if (ch->tail != ch->used - r->size)
		return bad(c, "last rule of a chain is not where it should be", &ch->tail);
	if (!xt2_rule_is_tail(r, bounds.family, ch->hook != XT2_HOOK_NONE))
		return bad(c, "chain does not end in a policy or a return", r);
	c->rules += ch->rules;
	c->rule = 0;
	return check_lookup(c, ch);
}

static int check_cold(struct check *c, const struct xt2_chain __img *ch)
{
	const struct xt2_chain_cold __img *cold = xt2_image_chain_cold(c->img, c->root, c->chain);

	if (check_name(c, cold->name, false, "name of a chain is not valid"))
		return -EINVAL;
	if (cold->reserved)
		return bad(c, "reserved bytes of a chain's name are set", &cold->reserved);
	return cold->lines ? claim(c, cold->lines, (u64)ch->rules * sizeof(u32),
				   "line numbers are outside the image")
			   : 0;
}

static int check_chains(struct check *c)
{
	const struct xt2_chain __img *ch;
	u32 i;
	int err;

	xt2_image_for_each_chain(ch, i, c->img, c->root) {
		c->chain = i;
		c->rule = 0;
		err = check_rules(c, ch);
		if (err)
			return err;
		err = check_cold(c, ch);
		if (err)
			return err;
	}
	c->chain = ~0u;
	return 0;
}

static int check_hook(struct check *c, u32 i)
{
	const struct xt2_hook __img *h = xt2_image_hook(c->img, c->root, i);
	const struct xt2_chain __img *ch;
	u8 bit;

	if (i && !xt2_hook_before(h - 1, h))
		return bad(c, "hook entries are not in order", h);
	if (h->table >= c->root->tables)
		return bad(c, "hook entry of a table that is not there", h);
	if (h->family != xt2_image_table(c->img, c->root, h->table)->family)
		return bad(c, "hook entry of another family than its table", h);
	if (h->hook >= xt2_family_hooks(h->family))
		return bad(c, "hook entry of a hook that is not there", h);
	ch = xt2_image_chain(c->img, c->root, h->chain);
	if (!ch || ch->hook != h->hook || ch->table != h->table)
		return bad(c, "hook entry without its base chain", h);
	bit = (u8)(1 << h->hook);
	if (c->hooked[h->table] & bit)
		return bad(c, "two hook entries of one table and hook", h);
	c->hooked[h->table] |= bit;
	return 0;
}

/* Entries and base chains match one to one, as no two share a place. */
static int check_hooks(struct check *c)
{
	int err = check_each(c, c->root->hooks, check_hook);

	if (!err && c->root->hooks != c->base_chains)
		return bad(c, "base chain without a hook entry", &c->root->hooks);
	return err;
}

static int check_names(struct check *c)
{
	u32 chain = xt2_check_names_(c->img, c->root, c->walk);

	if (chain == XT2_NAMES_DIFFER)
		return 0;
	c->chain = chain;
	return bad(c, "two chains of a table have the same name",
		   xt2_image_chain_cold(c->img, c->root, chain));
}

/*
 * A hole in a file costs no space on a disk, but it does cost the evaluator memory.
 * The bytes claimed and the bytes that mean something differ by spare room of chains, records of
 * chains that are not there, cells that no rule can have, and zeros in large
 * instances; check-index.c knows how large an index can be.
 */
static int check_holes(struct check *c)
{
	const u64 units = c->size / XT2_ALIGN, cells = c->root->cells;
	u64 i, claimed = 0;

	for (i = 0; i < (units + 63) / 64 && xt2_can_loop; i++)
		claimed += (u64)__builtin_popcountll(c->map[i]) * XT2_ALIGN;
	c->spare += (u64)(c->root->chains - c->chains) * sizeof(struct xt2_chain_cold);
	c->spare += cells > c->rules ? (cells - c->rules) * sizeof(u64) : 0;
	if (c->size > XT2_HOLES_FREE + XT2_HOLES_TIMES * (claimed - c->spare))
		return bad(c, "image is mostly empty", &c->img->size);
	return 0;
}

static int check_ways(struct check *c)
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
		bad(c, "chains loop", xt2_image_chain(c->img, c->root, w.loop));
		return err;
	}
	if (c->gate == GATE_SEAL)
		xt2_walk_store(&w);
	else if (!xt2_walk_agrees(&w))
		return bad(c, "depth or visits are not what they should be", c->root);
	return 0;
}

static int check_rest(struct check *c)
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
	if (!err)
		err = check_holes(c);
	return err ? err : check_ways(c);
}

static int check(const struct xt2_image __img *img, u64 size, void *scratch,
		 struct xt2_check_err *err, enum gate gate)
{
	struct check c = { .img = img, .chain = ~0u, .err = err, .gate = gate };

	if (check_header(&c, size, gate == GATE_SEAL ? XT2_MAGIC_UNFINISHED : XT2_MAGIC))
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
	take(c.map, 0, sizeof(*img) / XT2_ALIGN);
	return check_rest(&c);
}

int xt2_check(const void *img, u64 size, void *scratch, struct xt2_check_err *err)
{
	return check(img, size, scratch, err, GATE_CHECK);
}

int xt2_check_rules(struct xt2_image *img, u64 size, void *scratch, struct xt2_check_err *err)
{
	return check(img, size, scratch, err, GATE_FORGET);
}

int xt2_check_seal_(struct xt2_image *img, u64 size, void *scratch, struct xt2_check_err *err)
{
	int ret = check(img, size, scratch, err, GATE_SEAL);

	if (!ret)
		img->magic = XT2_MAGIC;
	return ret;
}
