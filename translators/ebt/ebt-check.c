/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ebt-check.c - the kernel's checks of ebt's SET_ENTRIES, in its order
 *
 * Follows net/bridge/netfilter/ebtables.c: header; for compat the sizes of
 * all parts, when extensions are already asked for; then ebt_verify_pointers()
 * and translate_table() on what the kernel would have converted: hooks, order
 * of chains, number of rules, loops; last the extensions of each rule
 * (ebt-rules.c).
 *
 * A compat blob is not converted: where the kernel compares offsets of its
 * copy, what the parts grow by is added.  A chain is found by its offset in
 * one step: heads have 48 bytes, and in each slot of as many one begins at
 * most.
 */
#include "ebt.h"

/* Of Debian's kernels: what the counters of so many rules may take for 8192 CPUs. */
#define RULES_MAX    16379
#define COUNTERS_MAX (0x7fffffff / 16)

#define NENTRIES_FIELD 36

/* Pointers of the header by their order; the first six are the hooks'. */
#define POINTER_COUNTERS 7
#define POINTER_ENTRIES	 8

/* --- header -------------------------------------------------------------------- */

/* A pointer of the header. */
static u64 pointer(const struct xt2_legacy *l, u32 index)
{
	const u8 *h = l->blob;

	return l->compat ? legacy_u32(h + 44 + 4 * index) : xt2_raw64(h + 48 + 8 * index);
}

static void header_read(struct xt2_legacy *l)
{
	legacy_header_read(l);
	l->counters = pointer(l, POINTER_COUNTERS);
	l->at = l->blob + l->f->header;
}

static int check_header(struct xt2_legacy *l, u64 len)
{
	if (len < l->f->header)
		return legacy_header_fault(l, -EINVAL, 0, NULL, "shorter than its header");
	header_read(l);
	if (len != (u64)l->size + l->f->header)
		return legacy_header_fault(l, -EINVAL, EBT_SIZE_FIELD, "entries_size",
					   "not as long as header and entries");
	if (!l->size)
		return legacy_header_fault(l, -EINVAL, EBT_SIZE_FIELD, "entries_size",
					   "a table without chains");
	if (l->entries >= RULES_MAX)
		return legacy_header_fault(l, -ENOMEM, NENTRIES_FIELD, "nentries",
					   "more rules than a table can have");
	if (l->num_counters >= COUNTERS_MAX)
		return legacy_header_fault(l, -ENOMEM, l->f->num_counters, "num_counters",
					   "more counters than a table can have");
	return 0;
}

/* A 32-bit program's header that is not whole is tried as that of a 64-bit program. */
static int read_header(struct xt2_legacy *l, u64 len)
{
	int err = check_header(l, len);

	if (err != -EINVAL || !l->compat || len < 120 ||
	    len != 120 + (u64)legacy_u32(l->blob + EBT_SIZE_FIELD))
		return err;
	l->compat = false;
	l->fallback = true;
	l->f = legacy_format_find(XT2_BRIDGE, false);
	err = check_header(l, len);
	return err ? -EINVAL : 0;
}

/* --- where things are: ebt_verify_pointers() ----------------------------------------- */

/* A hook's chain, as a distance from the entries in the kernel's copy. */
struct hooks {
	s64 place[NF_BR_NUMHOOKS];
	bool set[NF_BR_NUMHOOKS];
};

/* A pointer that lies before the entries grows by as much as the whole table. */
static void hooks_read(const struct xt2_legacy *l, struct hooks *h)
{
	u64 base = pointer(l, POINTER_ENTRIES), p;
	u32 i;

	for (i = 0; i < NF_BR_NUMHOOKS; i++) {
		p = pointer(l, i);
		h->place[i] = (s64)(p - base);
		h->set[i] = l->compat && p; /* grows with what is before it */
		if (h->set[i] && h->place[i] < 0) {
			h->place[i] += (s64)l->native_size - (s64)l->size;
			h->set[i] = false;
		}
	}
}

/* => the hook whose chain starts here, or NF_BR_NUMHOOKS */
static u32 hook_at(const struct xt2_legacy *l, const struct hooks *h, u32 pos, u32 native)
{
	u32 i;

	for (i = 0; i < NF_BR_NUMHOOKS; i++)
		if (l->valid_hooks & 1u << i && h->place[i] == (h->set[i] ? pos : native))
			break;
	return i;
}

static int note_chain(struct xt2_legacy *l, u32 pos, u32 hook)
{
	struct xt2_legacy_ebt_chain_ *c = &l->ebt_chain[l->chains];

	*c = (struct xt2_legacy_ebt_chain_){ .head = pos, .hook = XT2_HOOK_NONE };
	if (hook < NF_BR_NUMHOOKS) {
		c->hook = (u8)hook;
		l->hook_entry[hook] = pos;
		l->base_chains++;
	}
	l->ebt_slot[pos / EBT_HEAD] = l->chains++;
	return 0;
}

static int verify_rule(struct xt2_legacy *l, u32 pos)
{
	u32 left = l->size - pos;

	if (left < EBT_ENTRY || left < ebt_step(l->at + pos))
		return legacy_wrong(l, -EINVAL, pos, "next_offset", "rule is cut off");
	if (ebt_step(l->at + pos) < EBT_ENTRY)
		return legacy_wrong(l, -EINVAL, pos, "next_offset", "rule ends inside its header");
	return 0;
}

static int verify_place(struct xt2_legacy *l, const struct hooks *h, u32 pos, u32 native)
{
	u32 left = l->size - pos, hook, bits;

	if (left < 4)
		return legacy_wrong(l, -EINVAL, pos, NULL, "chain is cut off");
	hook = hook_at(l, h, pos, native);
	bits = legacy_u32(l->at + pos);
	if (hook == NF_BR_NUMHOOKS && bits & EBT_ENTRY_OR_ENTRIES)
		return verify_rule(l, pos);
	if (bits)
		return legacy_wrong(l, -EINVAL, pos, "bitmask", "neither a rule nor a chain");
	if (left < EBT_HEAD)
		return legacy_wrong(l, -EINVAL, pos, NULL, "chain is cut off");
	return note_chain(l, pos, hook);
}

static int verify_pointers(struct xt2_legacy *l)
{
	u32 pos, native = 0, i;
	struct hooks h;
	struct ebt_parts p;
	int err;

	hooks_read(l, &h);
	for (i = 0; i <= l->size / EBT_HEAD; i++)
		l->ebt_slot[i] = LEGACY_NONE;
	for (pos = 0; pos < l->size; pos += ebt_step(l->at + pos)) {
		err = verify_place(l, &h, pos, native);
		if (err)
			return err;
		if (!l->compat)
			native += ebt_step(l->at + pos);
		else if (!legacy_u32(l->at + pos))
			native += EBT_HEAD;
		else {
			ebt_parts_grow(l, pos, &p);
			native += p.native[2];
		}
	}
	for (i = 0; i < NF_BR_NUMHOOKS; i++)
		if (l->valid_hooks & 1u << i && l->hook_entry[i] == LEGACY_NONE)
			return legacy_header_fault(l, -EINVAL, l->compat ? 44 + 4 * i : 48 + 8 * i,
						   "hook_entry", "not where a chain is");
	return 0;
}

/* --- chains: translate_table() ------------------------------------------------------- */

static int check_order(struct xt2_legacy *l)
{
	u32 i, last = LEGACY_NONE;

	for (i = 0; i < NF_BR_NUMHOOKS; i++) {
		if (l->hook_entry[i] == LEGACY_NONE)
			continue;
		if (last == LEGACY_NONE ? l->hook_entry[i] != 0 : l->hook_entry[i] <= last)
			return legacy_wrong(
				l, -EINVAL, l->hook_entry[i], "hook_entry",
				last == LEGACY_NONE
					? "the first base chain is not the first chain"
					: "base chains are not in the order of their hooks");
		last = l->hook_entry[i];
	}
	if (last == LEGACY_NONE)
		return legacy_header_fault(l, -EINVAL, 32, "valid_hooks",
					   "a table without base chains");
	return 0;
}

/* Rules so far: of the chain, as it announced them, and in all. */
struct count {
	u32 announced, rules, all;
};

static int check_head(struct xt2_legacy *l, u32 pos, struct count *n)
{
	struct xt2_legacy_ebt_chain_ *c = ebt_chain_at(l, pos);
	struct ebt_entries head;

	memcpy(&head, l->at + pos, sizeof(head));
	if (n->rules != n->announced)
		return legacy_wrong(l, -EINVAL, pos, "nentries",
				    "the chain before has another number of rules than announced");
	if (head.policy != EBT_DROP && head.policy != EBT_ACCEPT &&
	    (c->hook != XT2_HOOK_NONE || head.policy != EBT_RETURN))
		return legacy_wrong(l, -EINVAL, pos, "policy", "not a policy");
	if (head.counter_offset != n->all)
		return legacy_wrong(l, -EINVAL, pos, "counter_offset",
				    "not the number of rules before this chain");
	n->announced = head.nentries;
	n->rules = 0;
	c->entries = head.nentries;
	c->policy = legacy_kind_of(l->f, head.policy);
	return 0;
}

static int check_parts(struct xt2_legacy *l, u32 pos)
{
	struct ebt_parts p;

	ebt_parts_grow(l, pos, &p);
	if (p.native[0] < EBT_ENTRY || p.native[0] > p.native[1] || p.native[1] >= p.native[2])
		return legacy_wrong(l, -EINVAL, pos, "target_offset",
				    "parts of a rule are not in order");
	if (p.native[2] - p.native[1] < 40)
		return legacy_wrong(l, -EINVAL, pos, "target_offset",
				    "rule has no room for a target");
	return 0;
}

static int check_counts(struct xt2_legacy *l)
{
	struct count n = { 0 };
	u32 pos;
	int err;

	for (pos = 0; pos < l->size; pos += ebt_step(l->at + pos)) {
		if (!legacy_u32(l->at + pos)) {
			err = check_head(l, pos, &n);
		} else {
			err = check_parts(l, pos);
			n.rules++;
			n.all++;
		}
		if (err)
			return err;
	}
	if (n.rules != n.announced)
		return legacy_header_fault(
			l, -EINVAL, NENTRIES_FIELD, "nentries",
			"the last chain has another number of rules than announced");
	if (n.all != l->entries)
		return legacy_header_fault(l, -EINVAL, NENTRIES_FIELD, "nentries",
					   "another number of rules than announced");
	return 0;
}

/* --- loops: check_chainloops() --------------------------------------------------------- */

/* Where the trace stands: at pos, with `left` rules of the chain still to come. */
struct trace {
	u32 pos, left;
	u32 chain; /* a user chain, or LEGACY_NONE */
	u8 bit;
};

static void trace_enter(struct trace *t, struct xt2_legacy *l, u32 index)
{
	struct xt2_legacy_ebt_chain_ *c = &l->ebt_chain[index];

	c->back = t->pos;
	c->left = t->left;
	c->from = t->chain;
	c->path = 1;
	c->mask |= t->bit;
	t->pos = c->head + EBT_HEAD;
	t->left = c->entries;
	t->chain = index;
}

static void trace_leave(struct trace *t, struct xt2_legacy *l)
{
	struct xt2_legacy_ebt_chain_ *c = &l->ebt_chain[t->chain];

	t->pos = c->back;
	t->left = c->left;
	t->chain = c->from;
	c->path = 0;
}

static int trace_jump(struct trace *t, struct xt2_legacy *l, u32 pos, u32 to)
{
	struct xt2_legacy_ebt_chain_ *c = ebt_chain_at(l, to);

	if (!c || c->hook != XT2_HOOK_NONE)
		return legacy_wrong(l, -EINVAL, pos, "verdict", "a jump leads to no user chain");
	if (c->path)
		return legacy_wrong(l, -EINVAL, pos, "verdict", "chains loop");
	if (!(c->mask & t->bit))
		trace_enter(t, l, (u32)(c - l->ebt_chain));
	return 0;
}

static int trace_hook(struct xt2_legacy *l, u32 hook)
{
	const struct xt2_legacy_ebt_chain_ *base = ebt_chain_at(l, l->hook_entry[hook]);
	struct trace t = { base->head + EBT_HEAD, base->entries, LEGACY_NONE, (u8)(1u << hook) };
	const u8 *target;
	struct ebt_parts p;
	u32 pos;
	s32 verdict;

	while (t.left || t.chain != LEGACY_NONE) {
		if (!t.left) {
			trace_leave(&t, l);
			continue;
		}
		pos = t.pos;
		ebt_parts_read(l, pos, &p);
		target = l->at + pos + p.end[1];
		t.pos += p.end[2];
		t.left--;
		if (!ebt_is_standard(target))
			continue;
		ebt_parts_grow(l, pos, &p);
		if (p.native[1] + EBT_STANDARD > p.native[2])
			return legacy_wrong(l, -EINVAL, pos, "next_offset",
					    "standard target is cut off");
		verdict = ebt_verdict_of(l, target + ebt_header(l->compat));
		if (verdict >= 0 && trace_jump(&t, l, pos, (u32)verdict))
			return -EINVAL;
	}
	return 0;
}

/* --- what images cannot say --------------------------------------------------------------- */

static int number_chains(struct xt2_legacy *l)
{
	struct xt2_legacy_ebt_chain_ *c;
	u32 i, user = l->base_chains, len;

	for (i = 0; i < l->chains; i++) {
		c = &l->ebt_chain[i];
		if (c->hook != XT2_HOOK_NONE) {
			if (user > l->base_chains)
				return legacy_stricter(l, c->head, "hook_entry",
						       "a user chain stands before a base chain");
			c->number = (u32)__builtin_popcount(l->valid_hooks & ((1u << c->hook) - 1));
		} else {
			len = strnlen((const char *)l->at + c->head + 4, XT2_NAME_SIZE);
			if (!len || len == XT2_NAME_SIZE)
				return legacy_stricter(l, c->head, "name",
						       "a chain's name has 1 to 31 bytes");
			c->number = user++;
		}
		l->ebt_order[c->number] = i;
	}
	return 0;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Scratch: chains, their order, and a slot for each 48 bytes. */
static u64 slots_of(u64 len)
{
	if (len > 0xffffffff)
		len = 0xffffffff;
	return len / EBT_HEAD + 1;
}

u64 legacy_ebt_scratch(u64 len)
{
	return slots_of(len) * (sizeof(struct xt2_legacy_ebt_chain_) + 2 * sizeof(u32));
}

static int check_table(struct xt2_legacy *l)
{
	u32 i;
	int err = l->compat ? ebt_size_table(l) : 0;

	if (!l->compat)
		l->native_size = l->size;
	if (!err)
		err = verify_pointers(l);
	if (!err)
		err = check_order(l);
	if (!err)
		err = check_counts(l);
	for (i = 0; !err && i < NF_BR_NUMHOOKS; i++)
		if (l->hook_entry[i] != LEGACY_NONE)
			err = trace_hook(l, i);
	if (!err)
		err = ebt_check_rules(l);
	return err ? err : number_chains(l);
}

int legacy_ebt_check(struct xt2_legacy *l, u64 len, void *scratch)
{
	u32 i;
	int err;

	for (i = 0; i < XT2_LEGACY_HOOKS; i++)
		l->hook_entry[i] = l->underflow[i] = LEGACY_NONE;
	l->ebt_chain = scratch;
	l->ebt_order = (u32 *)(l->ebt_chain + slots_of(len));
	l->ebt_slot = l->ebt_order + slots_of(len);
	err = read_header(l, len);
	return err ? err : check_table(l);
}
