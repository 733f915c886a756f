/* SPDX-License-Identifier: GPL-2.0-or-later */
/* index-pairs.h - what the ways to find the buckets of a packet share */
#ifndef XT2_ENGINE_INDEX_PAIRS_H
#define XT2_ENGINE_INDEX_PAIRS_H

#include "index-box.h"

/* The words of a packet's field, of an enum xt2_index_field. */
static __always_inline void xt2_index_field(const struct xt2_search *s, const struct xt2_pkt *pkt,
					    u32 field, u32 *word)
{
	const struct xt2_keys *keys = &s->keys;
	const bool four = pkt->family == XT2_IPV4;
	u64 v[2] = { 0, 0 };

	switch (field) {
	case XT2_FIELD_SRC:
		v[0] = four ? pkt->src4 : pkt->src[0];
		v[1] = four ? 0 : pkt->src[1];
		break;
	case XT2_FIELD_DST:
		v[0] = four ? pkt->dst4 : pkt->dst[0];
		v[1] = four ? 0 : pkt->dst[1];
		break;
	case XT2_FIELD_MAC: v[0] = keys->mac; break;
	case XT2_FIELD_IN:
		v[0] = keys->in[0];
		v[1] = keys->in[1];
		break;
	case XT2_FIELD_OUT:
		v[0] = keys->out[0];
		v[1] = keys->out[1];
		break;
	case XT2_FIELD_MARK: v[0] = pkt->mark; break;
	case XT2_FIELD_DPORT:
		v[0] = (u64)keys->key[XT2_KEY_PROTO] << 16 | keys->key[XT2_KEY_DPORT];
		break;
	case XT2_FIELD_SPORT:
		v[0] = (u64)keys->key[XT2_KEY_PROTO] << 16 | keys->key[XT2_KEY_SPORT];
		break;
	}
	xt2_field_words(word, v);
}

/* Bit j of byte i becomes bit i of byte j. */
static __always_inline u64 xt2_turned(u64 x)
{
	u64 t = (x ^ x >> 7) & 0x00aa00aa00aa00aaull;

	x ^= t ^ t << 7;
	t = (x ^ x >> 14) & 0x0000cccc0000ccccull;
	x ^= t ^ t << 14;
	t = (x ^ x >> 28) & 0x00000000f0f0f0f0ull;
	return x ^ t ^ t << 28;
}

/* Ask memory for the first entries of all buckets. */
static __always_inline void xt2_fetch_spans(const struct xt2_index __img *ix,
					    const struct xt2_pairs __img *p,
					    const struct xt2_search *s)
{
	const struct xt2_index_entry __img *entry = xt2_at(ix, p->entry);
	u32 i;

	for (i = xt2_zero; i < s->spans && xt2_can_loop; i++)
		xt2_prefetch(entry + (s->span[i].entries >> XT2_BUCKET_FIRST));
}

#endif
