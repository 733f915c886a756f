/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shared.c - instances that say the same
 *
 * Large rulesets repeat themselves: kube-proxy comments each of a service's
 * rules alike, and every container of Docker is masqueraded.  Rules that say
 * the same then name one instance, which saves a third of such an image and
 * of the time to write, read and check it.  Other targets and matches have an
 * instance for each rule, since their implementation may keep state with it.
 *
 * Instances are found in an open hash table.  It only remembers: what is not
 * found after a few steps is entered in another's place, and numbers that the
 * ruleset has taken back do no harm, since what an instance says is compared.
 */
#include "config.h"
#include "ruleset.h"

#include <stdlib.h>

#define SLOTS_FIRST 64u
#define STEPS	    16u /* to look for an instance */

struct xt2_shared_slot_ {
	u32 hash;
	u32 number; /* XT2_NONE: free */
};

bool xt2_shareable_(const struct xt2_instance *head)
{
	static const char nat[][12] = { "DNAT", "SNAT", "MASQUERADE", "REDIRECT", "NETMAP" };
	size_t i;

	if (head->kind == XT2_INSTANCE_COMMENT)
		return true;
	for (i = 0; head->kind == XT2_INSTANCE_TARGET && i < XT2_ARRAY_SIZE(nat); i++)
		if (*head->name == *nat[i] && !strcmp(head->name, nat[i]))
			return true;
	return false;
}

static u64 word_at(const void *p)
{
	u64 word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static u64 mix(u64 h, u64 word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 32;
}

static u32 hash_of(u64 seed, const struct xt2_instance *head, const u8 *data)
{
	u64 h = mix(mix(seed, word_at(head)), word_at(head->name)), word = 0;
	u32 at;

	for (at = 0; head->size - at >= sizeof(word); at += (u32)sizeof(word))
		h = mix(h, word_at(data + at));
	for (; at < head->size; at++)
		word = word << 8 | data[at];
	return (u32)(mix(h, word) >> 32);
}

/* => where an instance with this hash may be, after so many other places */
static struct xt2_shared_slot_ *step(const struct xt2_shared_ *s, u32 hash, u32 i)
{
	return &s->slot[(hash + i) & (s->slots - 1)];
}

/* Room for one more.  => 0, -ENOMEM */
static int grow(struct xt2_shared_ *s)
{
	struct xt2_shared_ more = { .slots = s->slots ? 2 * s->slots : SLOTS_FIRST };
	struct xt2_shared_slot_ *to;
	u32 i, j;

	if (2 * s->used < s->slots)
		return 0;
	more.slot = xt2_alloc_large_(more.slots * sizeof(*more.slot));
	if (!more.slot)
		return -ENOMEM;
	memset(more.slot, 0xff, more.slots * sizeof(*more.slot));
	for (i = 0; i < s->slots; i++) {
		if (s->slot[i].number == XT2_NONE)
			continue;
		for (j = 0; j < STEPS; j++) {
			to = step(&more, s->slot[i].hash, j);
			if (to->number == XT2_NONE)
				break;
		}
		if (j == STEPS)
			continue;
		*to = s->slot[i];
		more.used++;
	}
	free(s->slot);
	*s = more;
	return 0;
}

int xt2_shared_find_(struct xt2_ruleset *rs, const struct xt2_instance *head, const void *data)
{
	struct xt2_shared_ *s = &rs->shared;
	const u32 hash = hash_of(rs->seed, head, data);
	struct xt2_shared_slot_ *at;
	u32 i;

	if (grow(s))
		return -ENOMEM;
	for (i = 0; i < STEPS; i++) {
		at = step(s, hash, i);
		if (at->number == XT2_NONE) {
			s->used++;
			break;
		}
		if (at->hash == hash && at->number < rs->instances &&
		    xt2_instance_says_(xt2_instance_at_(rs, at->number), head, data))
			return (int)at->number;
	}
	if (i == STEPS)
		at = step(s, hash, 0);
	*at = (struct xt2_shared_slot_){ .hash = hash, .number = rs->instances };
	return -ENOENT;
}
