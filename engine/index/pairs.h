/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairs.h - shared parts of the searches of a tuple-pair index */
#ifndef XT2_ENGINE_INDEX_PAIRS_H
#define XT2_ENGINE_INDEX_PAIRS_H

#include "box.h"

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

#define XT2_NO_UNIT (~0u)

/* An entry lets a packet through if (its first eight bytes ^ tag) & mask is 0 and ports hold. */
struct xt2_probe {
	u64 mask; /* of tag and never */
	u64 ports;
};

static inline struct xt2_probe xt2_probe_of(const struct xt2_index __img *ix,
					    const struct xt2_keys *keys)
{
	const u16 dport = keys->key[XT2_KEY_DPORT], sport = keys->key[XT2_KEY_SPORT];
	u64 bits = xt2_proto_bit(keys->key[XT2_KEY_PROTO]);

	if (ix->asks & XT2_ASKS_STATE)
		bits |= 1ull << (XT2_BIT_STATE + keys->key[XT2_KEY_STATE]);
	return (struct xt2_probe){
		.mask = 0xffffull << 32 | bits << 48,
		.ports = xt2_pack_ports(dport, sport, dport, sport) | XT2_PORT_TOPS,
	};
}

/* An entry that lets the packet through. */
static __always_inline bool xt2_lets_through(const struct xt2_index_entry __img *e, u64 head,
					     u64 tag, const struct xt2_probe *probe)
{
	return !(((head ^ tag) & probe->mask) |
		 (((probe->ports - e->ports) & XT2_PORT_TOPS) ^ XT2_PORT_TOPS));
}

/* => the first candidate, of this bucket or of those before */
static __always_inline u32 xt2_first_of_bucket(const struct xt2_index_entry __img *e,
					       const struct xt2_index_entry __img *end, u64 tag,
					       const struct xt2_probe *probe, u32 after, u32 first)
{
	for (; e < end && xt2_can_loop; e++) {
		u64 head = *(const u64 __img *)e;

		if ((u32)head >= first)
			break;
		if (xt2_lets_through(e, head, tag, probe) && ((u32)head & ~XT2_UNIT_FLAGS) > after)
			return (u32)head;
	}
	return first;
}

/* The first candidate of all buckets is the only one that is asked for; XT2_NO_UNIT: there is none */
static __always_inline u32 xt2_found_first(struct xt2_search *s, u32 first)
{
	const u32 n = first != XT2_NO_UNIT;

	s->unit[s->base] = first;
	s->units = n;
	s->resume = n ? first & ~XT2_UNIT_FLAGS : 0; /* whether there are more is not known */
	if (s->nested)
		s->found = (struct xt2_found){
			.unit = s->unit + s->base,
			.n = n,
			.room = 1,
			.bound = first,
			.more = true,
		};
	return n;
}

#endif
