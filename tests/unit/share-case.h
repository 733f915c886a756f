/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share-case.h - a shared image of IPv4, and readers
 *
 * Chain 0 is FORWARD of filter, with a jump to chain 1, which has a rule group.  Each rule
 * and policy has counters that tell it from the others.
 */
#ifndef TESTS_UNIT_SHARE_CASE_H
#define TESTS_UNIT_SHARE_CASE_H

#include <netinet/in.h>
#include "engine/index/find.h"
#include "libxt2/share/share.h"
#include "tests/unit/patch-case.h"

#define SHARE_SLOTS 4000
#define SHARE_RULES 40 /* of chain 0, from 10.0.0.1 on, but for the jump at the end */

static struct patch_case share_image;
static struct xt2_share *share;

static inline void share_count(struct patch_case *c)
{
	struct xt2_chain *chain;
	struct xt2_in_order o;
	struct xt2_rule *r;
	u32 i, n = 100;

	xt2_image_for_each_chain(chain, i, c->img, patch_root(c))
		xt2_chain_for_each(r, &o, c->img, chain) {
			r->packets = n++;
			r->bytes = 1000ull * r->packets;
		}
}

/* The image alone, with inline counters. */
static inline int share_setup_image(void **state)
{
	struct patch_case *c = &share_image;
	u32 i;

	patch_begin(c);
	for (i = 0; i < SHARE_RULES; i++)
		patch_add_from(c, 0, 0x0a000001 + i, i % 2 ? DROP : ACCEPT);
	patch_add_from(c, 0, 0, patch_jump(c, 1));
	for (i = 0; i < 20; i++)
		patch_add_from(c, 1, 0x0b000001, COUNT); /* a group */
	patch_add_from(c, 1, 0x0b000002, DROP);
	patch_image(c, &patch_pairs);
	share_count(c);
	return 0;
}

static inline int share_setup(void **state)
{
	share_setup_image(state);
	share = xt2_share_new(share_image.img, SHARE_SLOTS);
	return share ? 0 : -1;
}

static inline int share_teardown(void **state)
{
	xt2_share_free(share);
	share = NULL;
	patch_end(&share_image);
	return 0;
}

/* => a packet from an address was evaluated: the verdict */
static inline int share_packet(struct xt2_reader *reader, u32 source, struct xt2_result *result)
{
	u8 bytes[128];
	struct xt2_pkt pkt;
	unsigned int size = packet_ipv4(bytes, source, 0x0c000001, IPPROTO_UDP, 1000, 53);

	assert_int_equal(packet_parse(&pkt, XT2_IPV4, bytes, size), 0);
	return xt2_reader_evaluate(reader, XT2_FORWARD, NULL, &pkt, 0, 1, result);
}

static inline struct xt2_counts share_counts(u32 slot)
{
	struct xt2_counts n;

	xt2_share_counters(share, &slot, 1, &n);
	return n;
}

/* => the slot of a rule, by its chain and number */
static inline u32 share_slot(u32 chain, u32 number)
{
	return (u32)patch_rule_at(&share_image, chain, number)->packets;
}

/* A root like the current one, with another generation; it is not published yet.  => its offset */
static inline u32 share_root(u64 generation)
{
	struct patch_case *c = &share_image;
	const u32 at = xt2_space_alloc(&c->space, sizeof(struct xt2_root));
	struct xt2_root *root = xt2_at(c->img, at);

	assert_true(at);
	*root = *patch_root(c);
	root->generation = generation;
	return at;
}

#endif
