/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * segments-case.h - chains that one address tells apart: lists of prefixes
 *
 * Around the ends of each rule's range the candidates are those of a loop over
 * all rules.
 */
#ifndef TESTS_UNIT_SEGMENTS_CASE_H
#define TESTS_UNIT_SEGMENTS_CASE_H

#include <stdlib.h>
#include <string.h>
#include "engine/index/find.h"
#include "tests/fuzz/seed-image.h"
#include "tests/lib/rules.h"
#include "tests/lib/unit-program.h"

#define RULES_MAX 70000

struct prefix {
	u32 addr, mask; /* mask 0: any address */
};

static struct prefix list[RULES_MAX];
static u32 listed;
static u64 state;
static struct xt2_chain *chain;
static const struct xt2_index *ix;

static inline void add(u32 addr, u32 length)
{
	const u32 mask = length ? ~0u << (32 - length) : 0;

	assert_true(listed < RULES_MAX);
	list[listed++] = (struct prefix){ addr & mask, mask };
}

static inline const struct xt2_rule *rule_of(struct rule_build *b, const struct prefix *p)
{
	struct xt2_match_addr4_mask *m;
	const u32 holes = ~p->mask;

	rule_begin(b);
	if (p->mask && !(holes & (holes + 1))) {
		rule_source(b, p->addr, p->mask == ~0u ? 32 : (u32)__builtin_clz(holes));
	} else if (p->mask) {
		m = rule_match(b, XT2_M_SRC4_MASK, sizeof(*m), p->addr);
		m->mask = p->mask;
	}
	return rule_end(b, XT2_TARGET(XT2_T_DROP, 0));
}

static inline void append(const struct xt2_rule *r)
{
	memcpy((u8 *)chain + chain->size, r, r->size);
	chain->tail = chain->size;
	chain->size += r->size;
	chain->rules++;
}

/* Each rule has the addresses that the list has, in its order. => kind of the index */
static inline u8 make(const struct xt2_index_limits *limits)
{
	const u64 room = xt2_index_bound(listed + 1);
	void *scratch = malloc(xt2_index_scratch(listed + 1));
	const char *what = "";
	struct rule_build b;
	u32 i;

	free(chain);
	chain = calloc(1, sizeof(*chain) + (listed + 1ull) * 64 + room);
	assert_true(chain && scratch);
	chain->size = sizeof(*chain);
	for (i = 0; i < listed; i++)
		append(rule_of(&b, &list[i]));
	append(rule_plain(&b, XT2_TARGET(XT2_T_RETURN, 0)));
	chain->used = chain->lookup = chain->size;
	ix = xt2_chain_index(chain);
	chain->size += xt2_index_build(chain, XT2_IPV4, limits, xt2_at(chain, chain->lookup), room,
				       scratch);
	free(scratch);
	if (chain->size == chain->used)
		return XT2_INDEX_NONE;
	if (xt2_index_check(chain, XT2_IPV4, &what))
		fail_msg("%s", what);
	return ix->kind;
}

/* A packet of a batch is looked for in two steps, with the same result. */
static inline void look_ahead(const struct xt2_pkt *pkt)
{
	static struct xt2_search one, two;

	xt2_index_find(chain, &one, pkt, 0);
	xt2_index_begin(chain, &two, pkt);
	xt2_index_end(ix, &two);
	assert_int_equal(one.units, two.units);
	assert_int_equal(one.resume, two.resume);
	assert_memory_equal(one.unit, two.unit, one.units * sizeof(*one.unit));
}

/* => candidates that don't ask for this address */
static inline u32 look_for(u32 addr)
{
	static struct xt2_search s;
	struct xt2_pkt pkt = { .family = XT2_IPV4, .src4 = addr, .dst4 = ~addr };
	const struct xt2_rule *r = xt2_chain_first(chain);
	u32 i, at = 0, after = 0, needless = 0, unit = ~0u;

	look_ahead(&pkt);
	s.units = 0;
	for (i = 0; i < listed; i++, r = xt2_rule_next(r)) {
		const u32 place = (u32)((const u8 *)r - (const u8 *)chain);

		while (at == s.units && (!i || after)) {
			xt2_index_find(chain, &s, &pkt, after);
			assert_true(s.units <= ix->ahead && s.resume >= after * !!s.resume);
			at = 0;
			after = s.resume;
			if (!s.units && !after)
				break;
		}
		unit = at < s.units ? s.unit[at] : ~0u;
		at += unit == place;
		if ((addr & list[i].mask) == list[i].addr)
			assert_int_equal(unit, place);
		else
			needless += unit == place;
	}
	assert_int_equal(at, s.units); /* all of them were rules, in order */
	return needless;
}

/* Around the ends of so many ranges, and anywhere. => candidates that were not needed */
static inline u32 look_around(u32 ranges)
{
	u32 i, needless = 0;

	for (i = 0; i < ranges; i++) {
		const struct prefix *p = &list[seed_below(&state, listed)];
		const u32 end = p->addr | ~p->mask;

		needless += look_for(p->addr) + look_for(p->addr - 1) + look_for(end) +
			    look_for(end + 1) + look_for(p->addr + (end - p->addr) / 2) +
			    look_for((u32)seed_next(&state));
	}
	return needless + look_for(0) + look_for(~0u);
}

/* What can be found is found, and it takes so many bytes a rule at most. */
static inline void expect_segments(u32 bytes)
{
	assert_int_equal(make(&xt2_index_limits), XT2_INDEX_SEGMENTS);
	assert_true(ix->size <= bytes * listed);
	look_around(listed < 300 ? listed : 300);
}

static inline void expect_none(void)
{
	assert_int_not_equal(make(&xt2_index_limits), XT2_INDEX_SEGMENTS);
}

static inline int drop(void **unused)
{
	free(chain);
	return 0;
}

static inline u32 slots(void)
{
	const struct xt2_segments *g = xt2_at(ix, ix->body);

	return g->slots - (1u << (32 - g->shift));
}

#endif
