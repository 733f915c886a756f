/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finder.c - find rules of one compiled chain by their number, or by what they say
 *
 * The directory leaves at most 15 rules to walk: they are a few consecutive lines of memory.
 * Buckets are filled by a counting sort whose counts are the buckets' ends in the end, so it
 * needs no other memory, at the price of two hashes of each rule.
 */
#include "finder.h"

#include "engine/image.h"

#define BUCKET_RULES 8u /* on average, at most */
#define TAG	     7u /* bits of an entry that are not the place's: places are multiples of 8 */

_Static_assert(sizeof(struct xt2_finder) == 16, "a finder's header");
_Static_assert(TAG == XT2_ALIGN - 1, "bits below a place");

/* --- layout ---------------------------------------------------------------- */

static u32 rules_of(const struct xt2_chain *compiled)
{
	return compiled->rules - 1;
}

static u32 places_of(u32 rules)
{
	return rules / XT2_FINDER_STEP + 1;
}

static u32 shift_of(u32 rules)
{
	u32 shift = 31;

	while (shift > 1 && (u64)BUCKET_RULES << (32 - shift) < rules)
		shift--;
	return shift;
}

static u32 buckets_of(u32 shift)
{
	return 1u << (32 - shift);
}

static u32 *directory(const struct xt2_finder *f)
{
	return (u32 *)(f + 1);
}

static u32 *ends(const struct xt2_finder *f)
{
	return directory(f) + places_of(f->rules);
}

static u32 *entries(const struct xt2_finder *f)
{
	return ends(f) + buckets_of(f->shift);
}

u64 xt2_finder_size(const struct xt2_chain *compiled)
{
	const u32 rules = rules_of(compiled);
	const u64 words = (u64)places_of(rules) + buckets_of(shift_of(rules)) + rules;

	return sizeof(struct xt2_finder) + (words + 1) / 2 * 8;
}

bool xt2_finder_fits(const struct xt2_finder *f, u64 room, const struct xt2_chain *compiled)
{
	const u64 size = xt2_finder_size(compiled);

	return room >= size && f->size == size && f->rules == rules_of(compiled) &&
	       f->tail == compiled->tail && f->shift == shift_of(f->rules);
}

/* --- fingerprints ---------------------------------------------------------- */

/* Is arg the number of a cell or an instance? */
static const bool is_number[256] = {
#define MATCH(number, NAME, name, flags) \
	[number] = ((flags) & (XT2_EXT_CELL | XT2_EXT_INSTANCE)) != 0,
	XT2_BASE_MATCHES(MATCH) XT2_EXT_MATCHES(MATCH)
#undef MATCH
};

static u64 mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

static u64 word_at(const struct xt2_rule *r, u32 at)
{
	return *(const u64 *)xt2_at(r, at);
}

/* Any bytes: it ends, and reads none after the rule's. */
u32 xt2_rule_fingerprint(const struct xt2_rule *r)
{
	const u32 size = r->size, matches = r->target_offset < size ? r->target_offset : size;
	u32 target = r->target, at, end;
	u64 hash;

	if (xt2_target_info(XT2_TARGET_KIND(target)) & XT2_EXT_INSTANCE)
		target = XT2_TARGET(XT2_TARGET_KIND(target), 0);
	hash = mix(matches | (u64)size << 16, target);
	for (at = sizeof(*r); at + sizeof(struct xt2_match) <= matches; at = end) {
		const struct xt2_match *m = xt2_at(r, at);

		end = at + (m->size & ~TAG);
		if (end <= at || end > matches)
			end = matches;
		hash = mix(hash, is_number[m->type] ? (u32)word_at(r, at) : word_at(r, at));
		for (at += sizeof(*m); at + sizeof(u64) <= end; at += sizeof(u64))
			hash = mix(hash, word_at(r, at));
	}
	for (at = matches & ~TAG; at + sizeof(u64) <= size; at += sizeof(u64))
		hash = mix(hash, word_at(r, at));
	return (u32)((hash * 0xc2b2ae3d27d4eb4full) >> 32);
}

/* --- building -------------------------------------------------------------- */

static const struct xt2_rule *rule_at(const struct xt2_chain *compiled, u32 place)
{
	return xt2_at(compiled, place);
}

/* Places of the directory, and in end[] the number of rules of each bucket. */
static void count(const struct xt2_finder *f, const struct xt2_chain *compiled)
{
	u32 *place = directory(f), *end = ends(f), at = sizeof(*compiled), i;

	memset(end, 0, buckets_of(f->shift) * sizeof(*end));
	for (i = 0; i < f->rules; i++) {
		const struct xt2_rule *r = rule_at(compiled, at);

		if (i % XT2_FINDER_STEP == 0)
			*place++ = at;
		end[xt2_rule_fingerprint(r) >> f->shift]++;
		at += r->size;
	}
	if (i % XT2_FINDER_STEP == 0)
		*place = at;
}

/* Counts become beginnings. */
static void sum(const struct xt2_finder *f)
{
	u32 *end = ends(f), begin = 0, rules, i;

	for (i = 0; i < buckets_of(f->shift); i++) {
		rules = end[i];
		end[i] = begin;
		begin += rules;
	}
}

/* Entries; each moves the beginning of its bucket, up to the end. */
static void fill(const struct xt2_finder *f, const struct xt2_chain *compiled)
{
	u32 *end = ends(f), *entry = entries(f), at = sizeof(*compiled), i, hash;

	for (i = 0; i < f->rules; i++) {
		const struct xt2_rule *r = rule_at(compiled, at);

		hash = xt2_rule_fingerprint(r);
		entry[end[hash >> f->shift]++] = at | (hash & TAG);
		at += r->size;
	}
}

void xt2_finder_build(void *at, const struct xt2_chain *compiled)
{
	struct xt2_finder *f = at;

	f->size = (u32)xt2_finder_size(compiled);
	f->rules = rules_of(compiled);
	f->tail = compiled->tail;
	f->shift = shift_of(f->rules);
	*(u32 *)xt2_at(f, f->size - sizeof(u32)) = 0; /* it may be padding */
	count(f, compiled);
	sum(f);
	fill(f, compiled);
}

/* --- numbers --------------------------------------------------------------- */

/* => a place of the directory, inside of the chain whatever it says */
static u32 place_of(const struct xt2_finder *f, const struct xt2_chain *compiled, u32 i)
{
	const u32 place = directory(f)[i] & ~TAG;

	return place < sizeof(*compiled) || place > compiled->tail ? compiled->tail : place;
}

/* => place of the rule so many after one, at most the tail's; any bytes give some place */
static u32 go_on(const struct xt2_chain *compiled, u32 at, u32 rules)
{
	while (rules-- && at < compiled->tail)
		at += rule_at(compiled, at)->size & ~TAG;
	return at < compiled->tail ? at : compiled->tail;
}

u32 xt2_finder_nth(const struct xt2_finder *f, const struct xt2_chain *compiled, u32 n)
{
	if (n >= rules_of(compiled))
		return compiled->tail;
	if (!f)
		return go_on(compiled, sizeof(*compiled), n);
	return go_on(compiled, place_of(f, compiled, n / XT2_FINDER_STEP), n % XT2_FINDER_STEP);
}

u32 xt2_finder_number(const struct xt2_finder *f, const struct xt2_chain *compiled, u32 place)
{
	u32 low = 0, high, mid, at = sizeof(*compiled), n, last = rules_of(compiled);

	if (place >= compiled->tail)
		return place == compiled->tail ? last : ~0u;
	if (f) {
		high = places_of(f->rules);
		while (high - low > 1) { /* that of low is before the place, or the same */
			mid = low + (high - low) / 2;
			if (place_of(f, compiled, mid) <= place)
				low = mid;
			else
				high = mid;
		}
		at = place_of(f, compiled, low);
		low *= XT2_FINDER_STEP;
		if (last - low > XT2_FINDER_STEP)
			last = low + XT2_FINDER_STEP;
	}
	for (n = low; n < last && at < place; n++)
		at += rule_at(compiled, at)->size & ~TAG;
	return n < last && at == place ? n : ~0u;
}

bool xt2_finder_within(const struct xt2_finder *f, const struct xt2_chain *compiled, u32 place,
		       u32 n)
{
	const u32 i = n / XT2_FINDER_STEP;

	if (n >= rules_of(compiled))
		return place <= compiled->tail;
	if (f && place <= place_of(f, compiled, i))
		return true;
	if (f && i + 1 < places_of(f->rules) && place >= place_of(f, compiled, i + 1))
		return false;
	return place <= xt2_finder_nth(f, compiled, n);
}

/* --- candidates ------------------------------------------------------------ */

void xt2_candidates_begin(struct xt2_candidates *c, const struct xt2_finder *f,
			  const struct xt2_chain *compiled, u32 fingerprint)
{
	const u32 bucket = f ? fingerprint >> f->shift : 0;

	c->f = f;
	c->compiled = compiled;
	c->fingerprint = fingerprint;
	if (!f) {
		c->next = sizeof(*compiled);
		c->end = compiled->tail;
		return;
	}
	c->next = bucket ? ends(f)[bucket - 1] : 0;
	c->end = ends(f)[bucket];
	if (c->end > f->rules)
		c->end = f->rules;
}

/* Has the rule at a place the fingerprint?  Whatever the place is */
static bool says(const struct xt2_candidates *c, u32 place)
{
	const struct xt2_rule *r = rule_at(c->compiled, place);

	return place >= sizeof(*c->compiled) && place < c->compiled->tail &&
	       r->size >= sizeof(*r) && r->size <= c->compiled->tail - place &&
	       xt2_rule_fingerprint(r) == c->fingerprint;
}

static u32 next_walked(struct xt2_candidates *c)
{
	u32 at;

	while (c->next < c->end) {
		at = c->next;
		c->next += rule_at(c->compiled, at)->size;
		if (xt2_rule_fingerprint(rule_at(c->compiled, at)) == c->fingerprint)
			return at;
	}
	return 0;
}

u32 xt2_candidates_next(struct xt2_candidates *c)
{
	const u32 *entry;

	if (!c->f)
		return next_walked(c);
	entry = entries(c->f);
	while (c->next < c->end) {
		const u32 e = entry[c->next++];

		if (((e ^ c->fingerprint) & TAG) == 0 && says(c, e & ~TAG))
			return e & ~TAG;
	}
	return 0;
}
