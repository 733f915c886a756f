/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample-image.h - one small image that has everything, and ways into it
 *
 * Chains by number: 0 INPUT and 1 FORWARD of IPv4, 2 INPUT of IPv6, 3 ONE and
 * 4 TWO of IPv4, 5 ONE of IPv6, 6 INPUT of ARP.  Instances: 0 comment,
 * 1 match, 2 target, 3 source.
 */
#ifndef XT2_TEST_SAMPLE_IMAGE_H
#define XT2_TEST_SAMPLE_IMAGE_H

#include <stdio.h>
#include "engine/check.h"
#include "tests/fuzz/seed-image.h"
#include "tests/lib/unit-program.h"

#define SAMPLE_CAP    65536
#define SAMPLE_CHAINS 7
#define SAMPLE_HOOKS  4

struct sample {
	u64 given; /* size that the check is told */
	struct xt2_image *img;
	struct xt2_root *root;
	struct xt2_check_err err;
	u64 bytes[SAMPLE_CAP / 8];
	u64 scratch[SAMPLE_CAP / 4];
};

static inline void *sample_at(struct sample *s, u64 off)
{
	return (u8 *)s->bytes + off;
}

static inline u32 *sample_page(struct sample *s)
{
	return sample_at(s, *(u32 *)sample_at(s, s->root->chain_dir));
}

static inline struct xt2_chain *sample_chain(struct sample *s, u32 i)
{
	return sample_at(s, sample_page(s)[i]);
}

static inline struct xt2_rule *sample_rule(struct sample *s, u32 chain, u32 number)
{
	struct xt2_rule *r = xt2_chain_first(sample_chain(s, chain));

	while (number--)
		r = xt2_rule_next(r);
	return r;
}

static inline struct xt2_match *sample_match(struct sample *s, u32 chain, u32 number)
{
	return xt2_rule_first_match(sample_rule(s, chain, number));
}

static inline struct xt2_table *sample_table(struct sample *s, u32 i)
{
	return (struct xt2_table *)sample_at(s, s->root->table) + i;
}

static inline struct xt2_hook *sample_hook(struct sample *s, u32 i)
{
	return (struct xt2_hook *)sample_at(s, s->root->hook) + i;
}

static inline struct xt2_chain_cold *sample_cold(struct sample *s, u32 i)
{
	return (struct xt2_chain_cold *)xt2_image_chain_cold(s->img, s->root, i);
}

/* The offset of the page with the names of all its chains. */
static inline u32 *sample_names(struct sample *s)
{
	return sample_at(s, s->root->chain_cold);
}

/* The offset of the page with the offsets of all its instances. */
static inline u32 *sample_instance_page(struct sample *s)
{
	return sample_at(s, s->root->instance);
}

static inline u32 *sample_instances(struct sample *s)
{
	return sample_at(s, *sample_instance_page(s));
}

static inline struct xt2_instance *sample_instance(struct sample *s, u32 i)
{
	return sample_at(s, sample_instances(s)[i]);
}

/* The rules of each chain, but for the tail. */
static inline void sample_rules(struct xt2_writer *w, u32 chain)
{
	static const u64 six[2] = { 0, 1ull << 56 }, quota = 1000;
	struct seed_rule s;

	if (chain == 0) {
		seed_rule_begin(&s, XT2_T_JUMP, 3);
		seed_match(&s, XT2_M_SRC4, 24, 0x0a000000, NULL, 0);
		seed_match(&s, XT2_M_IN, 0, 5, "eth0\0\0\0", 8);
		xt2_write_rule(w, seed_rule(&s));
		seed_rule_begin(&s, XT2_T_GOTO, 4);
		seed_match(&s, XT2_M_COMMENT, 0, 0, NULL, 0);
	} else if (chain == 2) {
		seed_rule_begin(&s, XT2_T_NAT, 2);
		seed_match(&s, XT2_M_SRC6, 0, 0, six, 16);
	} else if (chain == 3) {
		seed_rule_begin(&s, XT2_T_JUMP, 4);
		seed_match(&s, XT2_M_PROTO, XT2_MATCH_INVERT, 6, NULL, 0);
	} else if (chain == 4) {
		seed_rule_begin(&s, XT2_T_FOREIGN, 2);
		seed_match(&s, XT2_M_FOREIGN, 0, 1, NULL, 0);
		seed_match(&s, XT2_M_QUOTA, 0, 0, &quota, 8);
	} else if (chain == 6) {
		seed_rule_begin(&s, XT2_T_ACCEPT, 0);
		seed_match(&s, XT2_M_ARP_OP, 0, 0xffff0001, NULL, 0);
	} else {
		return;
	}
	xt2_write_rule(w, seed_rule(&s));
}

static inline void sample_write_chain(struct xt2_writer *w, u32 i)
{
	static const struct {
		u16 table;
		u8 hook, policy;
		const char *name;
	} chains[SAMPLE_CHAINS] = {
		{ 0, XT2_INPUT, XT2_T_ACCEPT, "INPUT" },
		{ 0, XT2_FORWARD, XT2_T_DROP, "FORWARD" },
		{ 1, XT2_INPUT, XT2_T_ACCEPT, "INPUT" },
		{ 0, XT2_HOOK_NONE, XT2_T_RETURN, "ONE" },
		{ 0, XT2_HOOK_NONE, XT2_T_RETURN, "TWO" },
		{ 1, XT2_HOOK_NONE, XT2_T_RETURN, "ONE" },
		{ 2, XT2_ARP_INPUT, XT2_T_ACCEPT, "INPUT" },
	};
	static const u32 lines[] = { 11, 12, 13 };
	struct seed_rule tail;

	xt2_write_chain_begin(w, i, chains[i].table, chains[i].hook, chains[i].name);
	sample_rules(w, i);
	seed_rule_begin(&tail, chains[i].policy, 0);
	xt2_write_rule(w, seed_rule(&tail));
	xt2_write_chain_end(w, i == 0 || i == 4 ? lines : NULL, 8 * i);
}

/* Everything but xt2_write_end(). */
static inline void sample_write(struct xt2_writer *w, void *buf, u64 cap)
{
	xt2_write_begin(w, buf, cap, 7, 3, SAMPLE_HOOKS, SAMPLE_CHAINS, 4, 2);
	xt2_write_table(w, XT2_IPV4, "filter", 3);
	xt2_write_table(w, XT2_IPV6, "nat", ~0u);
	xt2_write_table(w, XT2_ARP, "filter", ~0u);
	xt2_write_hook(w, XT2_IPV6, XT2_INPUT, 1, 0, 2);
	xt2_write_hook(w, XT2_IPV4, XT2_FORWARD, 0, 0, 1);
	xt2_write_hook(w, XT2_IPV4, XT2_INPUT, 0, 0, 0);
	xt2_write_hook(w, XT2_ARP, XT2_ARP_INPUT, 2, 0, 6);
	xt2_write_instance(w, XT2_INSTANCE_COMMENT, 0, NULL, "why", 3);
	xt2_write_instance(w, XT2_INSTANCE_MATCH, 1, "set", "\1\0\3", 3);
	xt2_write_instance(w, XT2_INSTANCE_TARGET, 2, "SNAT", NULL, 0);
	xt2_write_instance(w, XT2_INSTANCE_SOURCE, 0, "", "etc/rules.v4", 12);
	xt2_write_cell(w, 1, 5);
	for (u32 i = 0; i < SAMPLE_CHAINS; i++)
		sample_write_chain(w, i);
}

/* => as xt2_write_end() */
static inline int sample_make(struct sample *s)
{
	struct xt2_writer w;
	int err;

	memset(s, 0, sizeof(*s));
	sample_write(&w, s->bytes, SAMPLE_CAP);
	err = xt2_write_end(&w, s->scratch, &s->given);
	s->img = (void *)s->bytes;
	s->root = sample_at(s, s->img->root);
	return err;
}

/* n chains in a row, each with jumps to the next. => root */
static inline const struct xt2_root *sample_row(u64 *words, u64 cap, void *scratch, u32 n,
						u32 jumps)
{
	struct xt2_writer w;
	struct seed_rule s;
	char name[16];
	u64 size;

	xt2_write_begin(&w, words, cap, 1, 1, 1, n, 0, 0);
	xt2_write_table(&w, XT2_IPV6, "raw", ~0u);
	xt2_write_hook(&w, XT2_IPV6, XT2_PREROUTING, 0, -300, 0);
	for (u32 i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "C%u", i);
		xt2_write_chain_begin(&w, i, 0, i ? XT2_HOOK_NONE : XT2_PREROUTING, name);
		seed_rule_begin(&s, XT2_T_JUMP, i + 1);
		for (u32 j = 0; j < jumps && i + 1 < n; j++)
			xt2_write_rule(&w, seed_rule(&s));
		seed_rule_begin(&s, i ? XT2_T_RETURN : XT2_T_DROP, 0);
		xt2_write_rule(&w, seed_rule(&s));
		xt2_write_chain_end(&w, NULL, 0);
	}
	assert_int_equal(xt2_write_end(&w, scratch, &size), 0);
	assert_int_equal(xt2_check(words, size, scratch, NULL), 0);
	return xt2_image_root((void *)words);
}

#endif
