/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check-chain.c - the parts of the check that plain and patched chains share
 *
 * Every structure claims its place, so that no byte belongs to two of them (check.c).
 */
#include "check-private.h"
#include "index/search.h"
#include "rule.h"

int xt2_check_bad_(const struct xt2_checking *c, const char *what, const void __img *where)
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

int xt2_check_bad_at_(const struct xt2_checking *c, const char *what, u64 offset)
{
	xt2_check_bad_(c, what, NULL);
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
int xt2_check_claim_(struct xt2_checking *c, u64 off, u64 len, const char *what)
{
	const u8 __img *p = (const u8 __img *)c->img;
	u64 end;

	if (off % XT2_ALIGN || off > c->size || len > c->size - off)
		return xt2_check_bad_at_(c, what, off);
	for (end = off + len; end % XT2_ALIGN; end++)
		if (p[end])
			return xt2_check_bad_at_(c, "padding is not zero", end);
	if (!take(c->map, off / XT2_ALIGN, end / XT2_ALIGN))
		return xt2_check_bad_at_(c, "two structures overlap", off);
	return 0;
}

int xt2_check_claim_array_(struct xt2_checking *c, u64 off, u64 count, u64 size, const char *what)
{
	if (!count)
		return off ? xt2_check_bad_at_(c, what, off) : 0;
	return xt2_check_claim_(c, off, count * size, what);
}

u8 xt2_check_family_(const struct xt2_checking *c, const struct xt2_chain __img *ch)
{
	return xt2_image_table(c->img, c->root, ch->table)->family;
}

/* The place of a chain, and the fields of its header that name nothing else. */
int xt2_check_extent_(struct xt2_checking *c, u64 off)
{
	const struct xt2_chain __img *ch = xt2_at(c->img, off);
	int err;

	if (off > c->size || c->size - off < sizeof(*ch) || off % XT2_ALIGN)
		return xt2_check_bad_at_(c, "chain is outside the image", off);
	if (ch->size % XT2_ALIGN || ch->size < sizeof(*ch) + sizeof(struct xt2_rule))
		return xt2_check_bad_(c, "chain has a wrong size", ch);
	err = xt2_check_claim_(c, off, ch->size, "chain is outside the image");
	if (err)
		return err;
	if (ch->index != c->chain)
		return xt2_check_bad_(c, "chain has another index", &ch->index);
	if (ch->reserved)
		return xt2_check_bad_(c, "reserved bytes of a chain are set", &ch->reserved);
	return 0;
}

static const char *check_kind(const struct xt2_checking *c, u32 instance, u8 kind)
{
	return c->named.kind[instance] == kind ? NULL : "rule names an instance of another kind";
}

static const char *check_target_ref(const struct xt2_checking *c, const struct xt2_rule __img *r,
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
static const char *check_carried(const struct xt2_checking *c, u32 table, u32 i, bool *watching)
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
void xt2_check_memories_(struct xt2_checking *c, const struct xt2_rule __img *r)
{
	const struct xt2_match __img *m;
	u32 number;

	xt2_rule_for_each_match(m, r) {
		number = m->arg / XT2_MEMORY_CELLS % XT2_MEMORIES_MAX;
		if (xt2_match_info(m->type) & XT2_EXT_MEMORY)
			c->memories[number / 64] |= 1ull << number % 64;
	}
}

const char *xt2_check_refs_(const struct xt2_checking *c, const struct xt2_rule __img *r, u32 table)
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

bool xt2_check_is_lost_(const struct xt2_checking *c, const struct xt2_rule __img *r, u32 table)
{
	const u32 kind = XT2_TARGET_KIND(r->target);

	return (kind == XT2_T_JUMP || kind == XT2_T_GOTO) &&
	       c->named.table[XT2_TARGET_ARG(r->target)] != table + 1;
}

/* Runs are of whole rules, and in order: counters are added to these. */
static int check_runs(struct xt2_checking *c, const struct xt2_chain __img *ch)
{
	const struct xt2_index __img *ix = xt2_chain_index(ch);
	const struct xt2_run __img *run = xt2_index_runs(ix), *end = run + ix->runs;
	const struct xt2_rule __img *r;
	bool open = false;
	u32 at;

	if (ix->run % XT2_ALIGN || ix->run < sizeof(*ix) || ix->run > ix->size ||
	    ix->runs > (ix->size - ix->run) / sizeof(*run))
		return xt2_check_bad_(c, "runs of an index are outside of it", &ix->runs);
	for (at = sizeof(*ch); at < ch->used && run < end && xt2_can_loop; at += r->size) {
		r = xt2_at(ch, at);
		if (open && at == run->end) {
			open = false;
			run++;
		}
		if (run < end && at == run->rule)
			open = true;
	}
	return run == end ? 0 : xt2_check_bad_(c, "run of an index is not of whole rules", run);
}

/* The place of an index; check-index.c checks its contents. */
static int check_lookup(struct xt2_checking *c, const struct xt2_chain __img *ch)
{
	const char *what = NULL;

	c->spare += (ch->lookup ? ch->lookup : ch->size) - ch->used;
	if (!ch->lookup)
		return 0;
	if (ch->lookup % XT2_ALIGN || ch->lookup < ch->used ||
	    ch->size - ch->used < sizeof(struct xt2_index) ||
	    ch->lookup > ch->size - sizeof(struct xt2_index) ||
	    xt2_chain_index(ch)->size != ch->size - ch->lookup)
		return xt2_check_bad_(c, "index of a chain is not where it should be", &ch->lookup);
	if (xt2_chain_index(ch)->runs && check_runs(c, ch))
		return -EINVAL;
	if (c->gate == XT2_GATE_FORGET)
		xt2_chain_drop_index((struct xt2_chain __img *)ch);
	else if (xt2_chain_index(ch)->kind ==
		 XT2_INDEX_PATCH) /* a patched chain has no rules here */
		return xt2_check_bad_(c, "index of an unknown kind", xt2_chain_index(ch));
	else if (c->gate == XT2_GATE_CHECK && xt2_index_check(ch, xt2_check_family_(c, ch), &what))
		return xt2_check_bad_(c, what, xt2_chain_index(ch));
	return 0;
}

int xt2_check_chain_(struct xt2_checking *c, const struct xt2_chain __img *ch)
{
	const struct xt2_rule_bounds bounds = {
		.family = xt2_check_family_(c, ch),
		.chains = c->root->chains,
		.cells = c->root->cells,
		.instances = c->root->instances,
	};
	const struct xt2_rule __img *r = NULL;
	const char *what;
	u32 at;

	if (ch->used > ch->size)
		return xt2_check_bad_(c, "chain uses more bytes than it has", &ch->used);
	for (at = sizeof(*ch); at < ch->used && xt2_can_loop; at += r->size) {
		c->rule++;
		r = xt2_at(ch, at);
		if (xt2_check_rule(r, ch->used - at, &bounds, &what))
			return xt2_check_bad_(c, what, r);
		what = xt2_check_refs_(c, r, ch->table);
		if (!what && bounds.cells)
			xt2_check_memories_(c, r);
		if (what && c->patched && xt2_check_is_lost_(c, r, ch->table))
			c->lost++;
		else if (what)
			return xt2_check_bad_(c, what, r);
	}
	if (!r || c->rule != ch->rules)
		return xt2_check_bad_(c, "wrong number of rules in a chain", &ch->rules);
	if (ch->tail != ch->used - r->size)
		return xt2_check_bad_(c, "last rule of a chain is not where it should be",
				      &ch->tail);
	if (!xt2_rule_is_tail(r, bounds.family, ch->hook != XT2_HOOK_NONE))
		return xt2_check_bad_(c, "chain does not end in a policy or a return", r);
	c->rules += ch->rules;
	c->rule = 0;
	return check_lookup(c, ch);
}
