/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patch-edit.c - edit a chain of an image in place
 *
 * The changes in their order are in patch-items.c, the hashes by which packets find
 * them in patch-entries.c; patch-labels.c orders rules that are inserted at one place.
 */
#include "patch-edit.h"

#include <stdlib.h>
#include "engine/index/patched.h"
#include "patch-entries.h"
#include "patch-items.h"
#include "patch-labels.h"
#include "patch-slots.h"

#define BUCKETS_SHIFT 31 /* of the first patch: two buckets */

_Static_assert(offsetof(struct xt2_patched, ix) == 80 && sizeof(struct xt2_patch) == 672 &&
		       sizeof(struct xt2_patched) == 800,
	       "a patched chain");
_Static_assert(sizeof(struct xt2_patch_page) == 2048 && sizeof(struct xt2_patch_bucket) == 256 &&
		       sizeof(struct xt2_patch_part) == 16 && sizeof(struct xt2_inserted) == 40,
	       "parts of a patch");

/* --- the chain before ------------------------------------------------------ */

static const struct xt2_chain *chain_before(const struct xt2_patch_edit *e)
{
	return e->from ? xt2_edit_at_(e, e->from) : e->compiled;
}

/* Of a chain that was patched. */
static const struct xt2_patch *patch_before(const struct xt2_patch_edit *e)
{
	const struct xt2_index *ix = xt2_chain_its_index(chain_before(e));

	return xt2_at(ix, ix->body);
}

static u32 compiled_offset(const struct xt2_patch_edit *e)
{
	return xt2_offset(e->space->img, e->compiled);
}

/* The lists that each edit writes anew. */
static int copy_lists(struct xt2_patch_edit *e)
{
	e->part_cap = e->patch.parts + 8;
	e->part = malloc(e->part_cap * sizeof(*e->part));
	if (!e->part)
		return -ENOMEM;
	if (e->patch.parts)
		memcpy(e->part, xt2_edit_at_(e, e->patch.part), e->patch.parts * sizeof(*e->part));
	return xt2_patch_slots_begin_(e);
}

static void forget(struct xt2_patch_edit *e)
{
	free(e->part);
	memset(e, 0, sizeof(*e));
}

void xt2_patch_abort(struct xt2_patch_edit *e)
{
	forget(e);
}

void xt2_patch_drop(struct xt2_patch_edit *e)
{
	xt2_space_free(e->space, e->patch.slot, xt2_patch_slot_bytes(&e->patch));
	forget(e);
}

int xt2_patch_begin(struct xt2_patch_edit *e, struct xt2_space *space, u32 chain, u64 generation)
{
	const struct xt2_chain *c = xt2_at(space->img, chain);
	const struct xt2_index *ix = xt2_chain_index(c);
	int ret;

	memset(e, 0, sizeof(*e));
	e->space = space;
	e->writer = (u32)generation;
	e->family = xt2_image_table(space->img, xt2_image_root(space->img), c->table)->family;
	e->tail = xt2_chain_tail(c)->target;
	if (ix && ix->kind == XT2_INDEX_PATCH) {
		e->from = chain;
		e->patch = *patch_before(e);
	} else {
		e->patch.compiled = chain;
		e->patch.shift = BUCKETS_SHIFT;
	}
	e->compiled = xt2_edit_at_(e, e->patch.compiled);
	ret = copy_lists(e);
	if (ret)
		forget(e);
	return ret;
}

/* --- places ---------------------------------------------------------------- */

/* => has the compiled chain a rule at this offset? and its place */
static bool is_compiled(const struct xt2_patch_edit *e, u32 rule, u32 *at)
{
	const u32 from = compiled_offset(e);

	*at = rule - from;
	return rule >= from + sizeof(*e->compiled) && rule <= from + e->compiled->tail;
}

/* The spot of a rule that was inserted, and is there.  => 0, -ENOENT */
static int find_inserted(const struct xt2_patch_edit *e, u32 rule, u32 *at, struct xt2_spot *s)
{
	const struct xt2_patch_item *item;
	const struct xt2_inserted *r;

	if (rule % XT2_ALIGN || rule < sizeof(struct xt2_image) ||
	    rule + (u64)sizeof(struct xt2_rule) > e->space->img->size)
		return -ENOENT;
	r = xt2_edit_inserted_(e, rule);
	*at = r->at;
	xt2_items_find_(e, xt2_patch_key(r->at, r->label), s);
	item = xt2_items_at_(e, s);
	return item && item->rule == rule ? 0 : -ENOENT;
}

/* Does the compiled chain allow for one more item? */
static bool is_full(const struct xt2_patch_edit *e)
{
	return xt2_patch_items(e) >= e->compiled->rules - 1;
}

/* --- rule groups ----------------------------------------------------------- */

/* => the rule group that an insertion at this place takes apart, or NULL */
static const struct xt2_run *group_of(const struct xt2_patch_edit *e, u32 at)
{
	const struct xt2_index *ix = xt2_chain_index(e->compiled);
	const struct xt2_run *run;

	if (!ix || !ix->runs)
		return NULL;
	run = xt2_index_run(ix, at);
	return at > run->rule && at < run->end ? run : NULL;
}

static bool is_too_large(const struct xt2_patch_edit *e, const struct xt2_run *run)
{
	u32 at = run->rule, n = 0;

	while (at < run->end && n <= XT2_SPLIT_MAX) {
		at += ((const struct xt2_rule *)xt2_at(e->compiled, at))->size;
		n++;
	}
	return n > XT2_SPLIT_MAX;
}

static int add_split(struct xt2_patch_edit *e, const struct xt2_run *run)
{
	const struct xt2_patch_entry entry = xt2_entry_of_place_(run->rule, XT2_PATCH_SPLIT);

	if (xt2_entry_there_(e, entry.hash, entry.unit))
		return 0;
	e->patch.splits++;
	return xt2_entry_add_(e, &entry);
}

/* A rule that was inserted in a group is gone: was it the last one? */
static int delete_split(struct xt2_patch_edit *e, const struct xt2_run *run)
{
	const struct xt2_patch_item *item;
	struct xt2_spot s;

	xt2_items_find_(e, xt2_patch_key(run->rule + 1, 0), &s);
	for (; (item = xt2_items_at_(e, &s)) && item->at < run->end; s.item++)
		if (item->rule)
			return 0;
	e->patch.splits--;
	return xt2_entry_delete_(e, xt2_patch_hash_place(run->rule), run->rule | XT2_PATCH_SPLIT);
}

/* --- changes --------------------------------------------------------------- */

/* The entry of a new rule.  => 0; -E2BIG: the chain has to be compiled anew */
static int find_entry(struct xt2_patch_edit *e, const struct xt2_rule *rule,
		      const struct xt2_run *run, u32 *which, struct xt2_patch_entry *entry)
{
	const struct xt2_patch before = e->patch;

	if (is_full(e) || (run && is_too_large(e, run)))
		return -E2BIG;
	xt2_rule_class_(e, rule, which, entry);
	if (xt2_entries_fit_(e, entry->hash, 2) && /* both may be in one bucket */
	    (!run || xt2_entries_fit_(e, xt2_patch_hash_place(run->rule), 2)))
		return 0;
	e->patch = before;
	return -E2BIG;
}

int xt2_patch_insert(struct xt2_patch_edit *e, u32 before, const struct xt2_rule *rule, u32 line,
		     u32 *where)
{
	struct xt2_patch_entry entry;
	const struct xt2_run *run;
	struct xt2_spot s;
	u32 at, label, added, which;

	if (e->err)
		return e->err;
	if (is_compiled(e, before, &at))
		xt2_items_find_(e, xt2_patch_key(at, XT2_PATCH_END), &s);
	else if (find_inserted(e, before, &at, &s))
		return -ENOENT;
	run = group_of(e, at);
	if (find_entry(e, rule, run, &which, &entry))
		return -E2BIG;
	if (xt2_label_choose_(e, at, s, &label))
		return e->err;
	added = xt2_record_add_(e, at, label, line, rule);
	entry.unit = added | XT2_PATCH_INSERTED;
	entry.at = at;
	if (!added || xt2_items_insert_(e, s, (struct xt2_patch_item){ at, added }) ||
	    xt2_rule_file_(e, which, &entry) || (run && add_split(e, run)))
		return e->err;
	e->patch.inserted++;
	if (xt2_entries_spread_(e))
		return e->err;
	*where = added;
	return 0;
}

static int delete_inserted(struct xt2_patch_edit *e, u32 rule, u32 at, struct xt2_spot s)
{
	const struct xt2_run *run = group_of(e, at);

	if (xt2_rule_unfile_(e, rule) || xt2_items_delete_(e, s) || (run && delete_split(e, run)) ||
	    xt2_edit_retire_(e, rule - (u32)offsetof(struct xt2_inserted, rule),
			     xt2_record_size_(xt2_edit_at_(e, rule))))
		return e->err;
	e->patch.inserted--;
	return 0;
}

int xt2_patch_delete(struct xt2_patch_edit *e, u32 rule)
{
	const struct xt2_patch_item *item;
	struct xt2_patch_entry entry;
	struct xt2_spot s;
	u32 at;

	if (e->err)
		return e->err;
	if (!is_compiled(e, rule, &at))
		return find_inserted(e, rule, &at, &s) ? -ENOENT : delete_inserted(e, rule, at, s);
	if (at == e->compiled->tail)
		return -EINVAL;
	xt2_items_find_(e, xt2_patch_key(at, XT2_PATCH_END), &s);
	item = xt2_items_at_(e, &s);
	if (item && item->at == at)
		return -ENOENT;
	entry = xt2_entry_of_place_(at, XT2_PATCH_DELETED);
	if (is_full(e) || !xt2_entries_fit_(e, entry.hash, 1))
		return -E2BIG;
	if (xt2_items_insert_(e, s, (struct xt2_patch_item){ .at = at }) ||
	    xt2_entry_add_(e, &entry))
		return e->err;
	e->patch.deleted++;
	return xt2_entries_spread_(e);
}

int xt2_patch_set_tail(struct xt2_patch_edit *e, u32 kind)
{
	if (kind != XT2_T_ACCEPT && kind != XT2_T_DROP && kind != XT2_T_RETURN)
		return -EINVAL;
	e->tail = XT2_TARGET(kind, 0);
	return 0;
}

/* --- the new extent -------------------------------------------------------- */

static void write_index(const struct xt2_patch_edit *e, struct xt2_index *ix)
{
	const struct xt2_index *compiled = xt2_chain_index(e->compiled);
	u32 i;

	*ix = (struct xt2_index){
		.size = sizeof(struct xt2_patched) - offsetof(struct xt2_patched, ix),
		.kind = XT2_INDEX_PATCH,
		.asks = XT2_ASKS_PORTS | (compiled ? compiled->asks : 0),
		.ahead = XT2_CANDIDATES, /* no first candidate decides at once */
		.units = e->compiled->rules - 1 + e->patch.inserted - e->patch.deleted,
		.body = offsetof(struct xt2_patched, patch) - offsetof(struct xt2_patched, ix),
	};
	for (i = 0; i < e->patch.classes; i++)
		ix->asks |= xt2_asks_field(e->patch.field[0][i]) |
			    xt2_asks_field(e->patch.field[1][i]);
}

static void write_extent(const struct xt2_patch_edit *e, struct xt2_patched *p)
{
	const struct xt2_rule *tail = xt2_chain_tail(chain_before(e));

	p->chain = (struct xt2_chain){
		.size = sizeof(*p),
		.used = offsetof(struct xt2_patched, ix),
		.rules = 2,
		.tail = offsetof(struct xt2_patched, tail),
		.index = e->compiled->index,
		.table = e->compiled->table,
		.hook = e->compiled->hook,
		.lookup = offsetof(struct xt2_patched, ix),
	};
	p->guard = p->tail = (struct xt2_rule){
		.size = sizeof(struct xt2_rule),
		.target_offset = sizeof(struct xt2_rule),
	};
	p->guard.target = XT2_TARGET(XT2_T_PATCHED, 0);
	p->tail.target = e->tail;
	p->tail.packets = __atomic_load_n(&tail->packets, __ATOMIC_RELAXED);
	p->tail.bytes = __atomic_load_n(&tail->bytes, __ATOMIC_RELAXED);
	write_index(e, &p->ix);
	p->patch = e->patch;
}

/* => offset of a copy of a list; 0: the edit is spoilt */
static u32 write_list(struct xt2_patch_edit *e, const void *list, size_t size)
{
	const u32 offset = xt2_edit_alloc_(e, size);

	if (offset)
		memcpy(xt2_edit_at_(e, offset), list, size);
	return offset;
}

static u64 parts_size(const struct xt2_patch *p)
{
	return (u64)p->parts * sizeof(struct xt2_patch_part);
}

/* The extent before and its lists. */
static int retire_before(struct xt2_patch_edit *e)
{
	const struct xt2_patch *old;

	if (!e->from)
		return 0;
	old = patch_before(e);
	if ((old->parts && xt2_edit_retire_(e, old->part, parts_size(old))) ||
	    xt2_edit_retire_(e, old->slot, xt2_patch_slot_bytes(old)) ||
	    xt2_edit_retire_(e, e->from, chain_before(e)->size))
		return e->err;
	return 0;
}

int xt2_patch_end(struct xt2_patch_edit *e, u32 *offset)
{
	u32 at;

	if (e->err)
		return e->err;
	at = xt2_edit_alloc_(e, sizeof(struct xt2_patched));
	e->patch.part = e->patch.parts ? write_list(e, e->part, parts_size(&e->patch)) : 0;
	if (e->err || retire_before(e))
		return e->err;
	write_extent(e, xt2_edit_at_(e, at));
	*offset = at;
	forget(e);
	return 0;
}
