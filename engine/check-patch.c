/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check-patch.c - the gate for patched chains
 *
 * Buckets come first, since they are searched for each change.  Then items, compiled
 * rules and rule groups are gone through side by side.  Each change has to be found in
 * the buckets as evaluation looks for it, and there are as many entries as changes; so
 * each has one, and there are no others.
 */
#include "check-private.h"
#include "engine/index/patched.h"
#include "order.h"

#define LOOKUP ((u32)offsetof(struct xt2_patched, ix))
#define SIZE   ((u32)sizeof(struct xt2_patched))

/* A patched chain that is being checked. */
struct patched {
	struct xt2_checking *c;
	const struct xt2_chain __img *chain, *compiled;
	const struct xt2_patch __img *p;
	const struct xt2_index __img *ix; /* of the compiled chain; NULL: none */
	u32 at; /* a rule of the compiled chain: all items are at it or after it */
	u32 runs; /* rule groups that end before it */
	u32 inserted, deleted, splits;
	u32 found[XT2_PATCH_CLASSES]; /* rules by class */
	u64 entries;
	bool split; /* the rule group that at is in has been counted */
	u64 last; /* key of the item before */
};

static int bad(const struct patched *k, const char *what, const void __img *where)
{
	return xt2_check_bad_(k->c, what, where);
}

bool xt2_check_is_patched_(const struct xt2_chain __img *ch)
{
	return ch->lookup == LOOKUP && ch->size == SIZE &&
	       xt2_chain_its_index(ch)->kind == XT2_INDEX_PATCH;
}

static int check_form(struct patched *k)
{
	const struct xt2_patched __img *x = (const void __img *)k->chain;
	const struct xt2_index __img *ix = xt2_chain_its_index(k->chain);
	const struct xt2_rule_bounds bounds = xt2_check_bounds_(k->c, k->chain);
	const struct xt2_rule __img *tail = &x->tail;

	if (k->chain->used != LOOKUP || k->chain->rules != 2 ||
	    k->chain->tail != offsetof(struct xt2_patched, tail))
		return bad(k, "patched chain has other rules than a guard and a tail", k->chain);
	if (x->guard.size != sizeof(x->guard) || x->guard.target_offset != sizeof(x->guard) ||
	    x->guard.target != XT2_T_PATCHED)
		return bad(k, "patched chain without a guard", &x->guard);
	if (xt2_check_rule(tail, sizeof(*tail), &bounds, NULL) ||
	    !xt2_rule_is_tail(tail, bounds.family, k->chain->hook != XT2_HOOK_NONE))
		return bad(k, "chain does not end in a policy or a return", tail);
	if (ix->size != SIZE - LOOKUP || ix->body != sizeof(*ix) || ix->ahead != XT2_CANDIDATES ||
	    ix->runs || ix->run || ix->heads || ix->reserved)
		return bad(k, "header of a patch is not valid", ix);
	if (k->p->reserved[0] | k->p->reserved[1] | k->p->reserved[2])
		return bad(k, "reserved bytes of a patch are not 0", k->p->reserved);
	return 0;
}

static int check_compiled(struct patched *k)
{
	const struct xt2_chain __img *a = k->chain, *b;
	enum xt2_check_gate gate;
	int err;

	if (xt2_check_extent_(k->c, k->p->compiled))
		return -EINVAL;
	b = k->compiled = xt2_at(k->c->img, k->p->compiled);
	if (a->table != b->table || a->hook != b->hook)
		return bad(k, "patch of another chain", &k->p->compiled);
	gate = k->c->gate;
	k->c->gate = XT2_GATE_CHECK; /* entries of rule groups are held to the index */
	k->c->patched = true;
	k->c->lost = 0;
	err = xt2_check_chain_(k->c, b);
	k->c->patched = false;
	k->c->gate = gate;
	if (err)
		return err;
	k->ix = xt2_chain_index(b);
	return 0;
}

/* --- classes and buckets ----------------------------------------------- */

/* Bits that evaluation does not look at are 0. */
static bool is_class(const struct xt2_patch_class *c)
{
	u32 i, field, word;

	if (c->field[0] >= XT2_FIELDS || c->field[1] >= XT2_FIELDS ||
	    (c->words != 1 && c->words != XT2_FIELD_WORDS && (c->words || c->rules)))
		return false;
	for (i = 0; i < XT2_CLASS_WORDS; i++) {
		field = c->field[i / XT2_FIELD_WORDS];
		word = i % XT2_FIELD_WORDS;
		if (c->mask[i] && (field == XT2_FIELD_NONE || word >= c->words))
			return false;
	}
	return true;
}

static bool is_there(const struct xt2_patch_class *c)
{
	u32 i, bits = c->field[0] | c->field[1] | c->words | c->rules;

	for (i = 0; i < XT2_CLASS_WORDS; i++)
		bits |= c->mask[i];
	return bits;
}

static int check_classes(struct patched *k)
{
	const struct xt2_patch __img *p = k->p;
	const u8 asks = xt2_chain_its_index(k->chain)->asks;
	struct xt2_patch_class by;
	u8 need = XT2_ASKS_PORTS | (k->ix ? k->ix->asks : 0);
	u64 rules = 0;
	u32 i;

	if (p->classes > XT2_PATCH_CLASSES)
		return bad(k, "too many classes of a patch", &p->classes);
	for (i = 0; i < XT2_PATCH_CLASSES; i++) {
		xt2_patch_class_get(p, i, &by);
		if (!is_class(&by) || (i >= p->classes && is_there(&by)))
			return bad(k, "class of a patch is not valid", &p->rules[i]);
		need |= xt2_asks_field(by.field[0]) | xt2_asks_field(by.field[1]);
		rules += by.rules;
	}
	if (need & ~asks)
		return bad(k, "patch asks for fewer fields than it reads", p);
	return rules == p->inserted ? 0 : bad(k, "wrong number of rules in a patch", p);
}

static int check_entry(struct patched *k, const struct xt2_patch_entry __img *e, u32 number,
		       u32 before)
{
	if (e->hash >> k->p->shift != number)
		return bad(k, "entry of a patch in another bucket", e);
	if (e->at < before)
		return bad(k, "entries of a patch are not in order", e);
	if (e->reserved || (e->unit & XT2_PATCH_FLAGS &&
			    (e->at != (e->unit & ~XT2_PATCH_FLAGS) || e->never || e->ports)))
		return bad(k, "entry of a patch is not valid", e);
	return 0;
}

/* The length of its list bounds the time that it takes to look for each rule. */
static int check_bucket(struct patched *k, u32 number, u32 off)
{
	const struct xt2_patch_bucket __img *b = NULL;
	u32 i, parts = 0;

	for (; off && xt2_can_loop; off = b->next) {
		if (parts++ == XT2_BUCKET_PARTS)
			return bad(k, "bucket of a patch has too many parts", b);
		if (xt2_check_claim_(k->c, off, sizeof(*b),
				     "bucket of a patch is outside the image"))
			return -EINVAL;
		b = xt2_at(k->c->img, off);
		if (!b->entries || b->entries > XT2_PATCH_ENTRIES || b->reserved)
			return bad(k, "bucket of a patch is not valid", b);
		for (i = 0; i < b->entries; i++)
			if (check_entry(k, &b->entry[i], number, i ? b->entry[i - 1].at : 0))
				return -EINVAL;
		k->entries += b->entries;
		k->c->spare += (XT2_PATCH_ENTRIES - b->entries) * sizeof(b->entry[0]);
	}
	return 0;
}

static int claim_slots(struct patched *k, u32 off, u64 n)
{
	return xt2_check_claim_array_(k->c, off, n, sizeof(struct xt2_patch_slot),
				      "buckets of a patch are outside the image");
}

/* The list of slots, or their pages. */
static int claim_all_slots(struct patched *k)
{
	const struct xt2_patch __img *p = k->p;
	const u32 __img *page = xt2_at(k->c->img, p->slot);
	const u32 pages = xt2_patch_slot_pages(p);
	u32 i;

	if (!pages)
		return claim_slots(k, p->slot, xt2_patch_slots(p));
	if (xt2_check_claim_array_(k->c, p->slot, pages, sizeof(*page),
				   "buckets of a patch are outside the image"))
		return -EINVAL;
	for (i = 0; i < pages && xt2_can_loop; i++)
		if (claim_slots(k, page[i], XT2_SLOTS_PAGE))
			return -EINVAL;
	return 0;
}

static int check_buckets(struct patched *k)
{
	const struct xt2_patch_slot __img *slot;
	u64 i, n;

	if (k->p->shift < 1 || k->p->shift > 31)
		return bad(k, "wrong number of buckets of a patch", &k->p->shift);
	if (claim_all_slots(k))
		return -EINVAL;
	n = xt2_patch_slots(k->p);
	for (i = 0; i < n && xt2_can_loop; i++) {
		slot = xt2_patch_slot_at(k->c->img, k->p, (u32)i);
		if (!slot->bucket != !slot->tags)
			return bad(k, "tags of a bucket of a patch are not valid", slot);
		if (check_bucket(k, (u32)i, slot->bucket))
			return -EINVAL;
		k->c->spare += slot->bucket ? 0 : sizeof(*slot);
	}
	return 0;
}

static bool says_of(const struct patched *k, u32 place, u32 what)
{
	return xt2_patch_says(k->c->img, k->p, xt2_patch_hash_place(place), place | what);
}

/* The words of a box in one of a class's fields.  => has it all bits of the class? */
static bool box_words(const struct xt2_box *box, u32 field, const u32 *mask, u32 *word)
{
	u64 value[2] = { 0, 0 }, has[2] = { 0, 0 };
	u32 bits[XT2_FIELD_WORDS], i;

	if (field != XT2_FIELD_NONE)
		xt2_box_field(box, field, value, has);
	xt2_field_words(word, value);
	xt2_field_words(bits, has);
	for (i = 0; i < XT2_FIELD_WORDS && field != XT2_FIELD_NONE; i++)
		if (mask[i] & ~bits[i])
			return false;
	return true;
}

/* => the entry of an inserted rule, or NULL */
static const struct xt2_patch_entry __img *entry_of(const struct patched *k, u32 hash, u32 unit)
{
	const struct xt2_patch_slot __img *slot = xt2_patch_slot_of(k->c->img, k->p, hash);
	u32 at = xt2_patch_may_have(slot, hash) ? slot->bucket : 0, i;
	const struct xt2_patch_bucket __img *b;

	for (; at && xt2_can_loop; at = b->next) {
		b = xt2_at(k->c->img, at);
		for (i = 0; i < b->entries; i++)
			if (b->entry[i].unit == unit && b->entry[i].hash == hash)
				return &b->entry[i];
	}
	return NULL;
}

/* => does an entry let all packets of its rule through? */
static bool lets_all_through(const struct xt2_patch_entry __img *e, const struct xt2_box *box,
			     u32 at)
{
	return e->at == at && e->never == xt2_patch_never(box) && e->ports == xt2_box_ports(box);
}

/* => does a class find all packets of the rule? */
static bool finds(const struct patched *k, u32 number, const struct xt2_box *box, u32 unit)
{
	const struct xt2_patch_entry __img *e;
	u32 word[XT2_CLASS_WORDS], i;
	struct xt2_patch_class by;

	if (!k->p->rules[number])
		return false;
	xt2_patch_class_get(k->p, number, &by);
	for (i = 0; i < XT2_CLASS_FIELDS; i++)
		if (!box_words(box, by.field[i], by.mask + i * XT2_FIELD_WORDS,
			       word + i * XT2_FIELD_WORDS))
			return false;
	e = entry_of(k, xt2_patch_hash(k->p, number, word), unit | XT2_PATCH_INSERTED);
	return e && lets_all_through(e, box, xt2_inserted_of(xt2_at(k->c->img, unit))->at);
}

/* An edit counts a rule in the first class that finds it. */
/* A box takes much of a kernel's stack, so it is not its caller's. */
static __attribute__((__noinline__)) bool is_found(struct patched *k, u32 unit)
{
	struct xt2_box box;
	u32 i;

	xt2_box_of(&box, xt2_at(k->c->img, unit));
	for (i = 0; i < k->p->classes; i++)
		if (finds(k, i, &box, unit)) {
			k->found[i]++;
			return true;
		}
	return false;
}

/* --- items ------------------------------------------------------------- */

/* An insertion in the middle of a rule group: it has to be said, once. */
static int check_split(struct patched *k)
{
	const struct xt2_run __img *run;
	const struct xt2_rule __img *r;
	u32 at, n = 0;

	while (k->ix && k->runs < k->ix->runs && xt2_index_runs(k->ix)[k->runs].end <= k->at) {
		k->runs++;
		k->split = false;
	}
	if (!k->ix || k->runs == k->ix->runs || k->split)
		return 0;
	run = &xt2_index_runs(k->ix)[k->runs];
	if (run->rule >= k->at)
		return 0;
	for (at = run->rule; at < run->end && n <= XT2_SPLIT_MAX; at += r->size) {
		r = xt2_at(k->compiled, at);
		n++;
	}
	k->split = true;
	k->splits++;
	if (n > XT2_SPLIT_MAX || !says_of(k, run->rule, XT2_PATCH_SPLIT))
		return bad(k, "rule group is changed, and not said to be", run);
	return 0;
}

static int check_inserted(struct patched *k, const struct xt2_patch_item __img *item)
{
	const struct xt2_rule_bounds bounds = xt2_check_bounds_(k->c, k->chain);
	const struct xt2_inserted __img *in;
	const struct xt2_rule __img *r = xt2_at(k->c->img, item->rule);
	const char *what = NULL;
	u64 off = item->rule - (u64)offsetof(struct xt2_inserted, rule);

	if (item->rule < sizeof(struct xt2_image) || item->rule % XT2_ALIGN ||
	    item->rule > k->c->size - sizeof(*r))
		return bad(k, "inserted rule is outside the image", item);
	in = xt2_inserted_of(r);
	if (xt2_check_claim_(k->c, off, offsetof(struct xt2_inserted, rule) + (u64)r->size,
			     "inserted rule is outside the image"))
		return -EINVAL;
	if (in->at != item->at || in->label == XT2_PATCH_END || in->reserved)
		return bad(k, "inserted rule is not where its item says", in);
	if (!xt2_check_rule(r, r->size, &bounds, &what))
		what = xt2_check_refs_(k->c, r, k->chain->table);
	if (what)
		return bad(k, what, r);
	xt2_check_memories_(k->c, r);
	k->inserted++;
	k->c->rules++;
	return is_found(k, item->rule) ? 0 : bad(k, "patch would miss a rule", r);
}

static int check_item(struct patched *k, const struct xt2_patch_item __img *item)
{
	u32 label = XT2_PATCH_END;

	while (k->at < item->at && k->at < k->compiled->tail && xt2_can_loop)
		k->at += ((const struct xt2_rule __img *)xt2_at(k->compiled, k->at))->size;
	if (k->at != item->at || (!item->rule && k->at == k->compiled->tail))
		return bad(k, "item of a patch is not at a rule", item);
	if (item->rule) {
		if (check_inserted(k, item) || check_split(k))
			return -EINVAL;
		label = xt2_inserted_of(xt2_at(k->c->img, item->rule))->label;
	} else {
		k->deleted++;
		k->c->lost -= xt2_check_is_lost_(k->c, xt2_at(k->compiled, k->at), k->chain->table);
		if (!says_of(k, k->at, XT2_PATCH_DELETED))
			return bad(k, "patch would miss a deleted rule", item);
	}
	if (xt2_patch_key(item->at, label) <= k->last)
		return bad(k, "items of a patch are not in order", item);
	k->last = xt2_patch_key(item->at, label);
	return 0;
}

static int check_part(struct patched *k, const struct xt2_patch_part __img *part)
{
	const u32 inserted = k->inserted, deleted = k->deleted;
	const struct xt2_patch_page __img *page = xt2_at(k->c->img, part->page);
	u32 i;

	if (xt2_check_claim_(k->c, part->page, sizeof(*page),
			     "items of a patch are outside the image"))
		return -EINVAL;
	if (!page->items || page->items > XT2_PATCH_ITEMS)
		return bad(k, "wrong number of items of a patch", page);
	for (i = 0; i < page->items; i++) {
		if (check_item(k, &page->item[i]))
			return -EINVAL;
		if (!i && xt2_patch_key(part->at, part->label) != k->last)
			return bad(k, "part of a patch begins with another item", part);
	}
	k->c->spare += (XT2_PATCH_ITEMS - page->items) * sizeof(page->item[0]);
	if ((u32)part->more != k->inserted - inserted - (k->deleted - deleted))
		return bad(k, "part of a patch adds another number of rules", part);
	return 0;
}

static int check_parts(struct patched *k)
{
	const struct xt2_patch __img *p = k->p;
	const struct xt2_patch_part __img *part = xt2_at(k->c->img, p->part);
	u32 i;

	if (xt2_check_claim_array_(k->c, p->part, p->parts, sizeof(*part),
				   "parts of a patch are outside the image"))
		return -EINVAL;
	for (i = 0; i < p->parts && xt2_can_loop; i++)
		if (check_part(k, &part[i]))
			return -EINVAL;
	if (k->c->lost) /* a deleted rule may outlive the chain that it led to */
		return bad(k, "rule names a chain that is not there", k->compiled);
	if (p->inserted != k->inserted || p->deleted != k->deleted)
		return bad(k, "wrong number of rules in a patch", p);
	for (i = 0; i < p->classes; i++)
		if (p->rules[i] != k->found[i])
			return bad(k, "wrong number of rules in a class of a patch", &p->rules[i]);
	if (p->splits != k->splits)
		return bad(k, "wrong number of changed rule groups in a patch", &p->splits);
	if (k->entries != (u64)k->inserted + k->deleted + k->splits)
		return bad(k, "entries of a patch for no rule", p);
	return 0;
}

int xt2_check_patched_(struct xt2_checking *c, const struct xt2_chain __img *ch)
{
	struct patched k = {
		.c = c,
		.chain = ch,
		.p = xt2_chain_patch(ch),
		.at = sizeof(struct xt2_chain),
	};
	int err = check_form(&k);

	if (!err)
		err = check_compiled(&k);
	if (!err)
		err = check_classes(&k);
	if (!err)
		err = check_buckets(&k);
	return err ? err : check_parts(&k);
}
