/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index.c - find the rules of a chain that can match a packet
 *
 * Columns are scanned from block to block, and the first block with
 * candidates is enough until these are done.
 *
 * Pairs: each dimension has classes, which are prefix lengths of an address or
 * "any" and "this one".  The packet's bits of a class are hashed once; a slot
 * says with which classes of the other dimension rules have them.  What remains
 * are pairs that some rule has with the one and some rule with the other, and
 * each is one bucket.  All buckets are known before the first is read, so
 * waiting for memory is shared; the narrowest classes come first, since their
 * rules mostly do.  Tags, protocols, states and ports in an entry say which
 * rules need not be touched at all.
 */
#include "index.h"
#include "index-box.h"

_Static_assert(sizeof(struct xt2_index) == 48 && sizeof(struct xt2_run) == 24, "index");
_Static_assert(offsetof(struct xt2_run, packets) == offsetof(struct xt2_rule, packets) &&
		       offsetof(struct xt2_run, bytes) == offsetof(struct xt2_rule, bytes),
	       "a run counts where a rule does");
_Static_assert(sizeof(struct xt2_columns) == 16 && sizeof(struct xt2_index_class) == 24 &&
		       sizeof(struct xt2_index_dimension) == 200 &&
		       sizeof(struct xt2_pairs) == 616 && sizeof(struct xt2_index_bucket) == 8 &&
		       sizeof(struct xt2_index_entry) == 16,
	       "parts of an index");

#define HEADER_TCP  20u
#define HEADER_UDP  8u
#define HEADER_SCTP 12u

/* --- a packet's keys --------------------------------------------------- */

/* => bytes of the transport header that matches may ask for */
static u32 header_size(u8 proto)
{
	switch (proto) {
	case 6: return HEADER_TCP;
	case 1:
	case 17:
	case 58:
	case 136: return HEADER_UDP;
	case 33:
	case 132: return HEADER_SCTP;
	}
	return 0;
}

/* => false if a match could drop the packet, or see a fragment */
static __always_inline bool is_whole(const struct xt2_pkt *pkt)
{
	if ((pkt->family != XT2_IPV4 && pkt->family != XT2_IPV6) || pkt->l4 != XT2_L4_OK ||
	    pkt->fragoff)
		return false;
	/* The longest of them fits mostly, whichever it is. */
	return (u64)pkt->thoff + HEADER_TCP <= pkt->caplen ||
	       (u64)pkt->thoff + header_size(pkt->proto) <= pkt->caplen;
}

static __always_inline void fill_addrs(struct xt2_keys *keys, const struct xt2_pkt *pkt)
{
	u32 i;

	if (pkt->family == XT2_IPV4) {
		keys->key[XT2_KEY_SRC] = (u16)(pkt->src4 >> 16);
		keys->key[XT2_KEY_SRC + 1] = (u16)pkt->src4;
		keys->key[XT2_KEY_DST] = (u16)(pkt->dst4 >> 16);
		keys->key[XT2_KEY_DST + 1] = (u16)pkt->dst4;
		return;
	}
	for (i = 0; i < 4; i++) {
		keys->key[XT2_KEY_SRC + i] = __builtin_bswap16((u16)(pkt->src[0] >> 16 * i));
		keys->key[XT2_KEY_SRC + 4 + i] = __builtin_bswap16((u16)(pkt->src[1] >> 16 * i));
		keys->key[XT2_KEY_DST + i] = __builtin_bswap16((u16)(pkt->dst[0] >> 16 * i));
		keys->key[XT2_KEY_DST + 4 + i] = __builtin_bswap16((u16)(pkt->dst[1] >> 16 * i));
	}
}

static __always_inline void fill_ports(struct xt2_keys *keys, const struct xt2_pkt *pkt)
{
	keys->key[XT2_KEY_PROTO] = pkt->proto;
	keys->key[XT2_KEY_SPORT] = pkt->sport;
	keys->key[XT2_KEY_DPORT] = pkt->dport;
	if (pkt->proto == 1 || pkt->proto == 58)
		keys->key[XT2_KEY_DPORT] = xt2_be16(xt2_ptr(pkt->data) + pkt->thoff);
}

/* => false if the packet is in several states */
static bool fill_state(struct xt2_keys *keys, const struct xt2_pkt *pkt)
{
	u32 state = pkt->ct.state & (XT2_CT_TRACKED | XT2_CT_UNTRACKED);

	switch (state) {
	case 0: keys->key[XT2_KEY_STATE] = XT2_STATE_INVALID; return true;
	case XT2_CT_NEW: keys->key[XT2_KEY_STATE] = XT2_STATE_NEW; return true;
	case XT2_CT_RELATED: keys->key[XT2_KEY_STATE] = XT2_STATE_RELATED; return true;
	case XT2_CT_ESTABLISHED: keys->key[XT2_KEY_STATE] = XT2_STATE_ESTABLISHED; return true;
	case XT2_CT_UNTRACKED: keys->key[XT2_KEY_STATE] = XT2_STATE_UNTRACKED; return true;
	}
	return false;
}

static void fill_mac(struct xt2_keys *keys, const struct xt2_pkt *pkt)
{
	const u8 *mac = xt2_ptr(pkt->mac);

	keys->mac = 0;
	if (mac && pkt->mac_len >= 14)
		keys->mac = (u64)xt2_be16(mac + 6) << 32 | xt2_be32(mac + 8);
	keys->key[XT2_KEY_MAC] = (u16)(keys->mac >> 32);
	keys->key[XT2_KEY_MAC + 1] = (u16)(keys->mac >> 16);
	keys->key[XT2_KEY_MAC + 2] = (u16)keys->mac;
}

static u16 fill_name(u64 *to, const u64 *name)
{
	xt2_clean_name(to, name);
	return xt2_fold_name(to);
}

/* What few rules ask for. */
static bool fill_rare(struct xt2_keys *keys, const struct xt2_pkt *pkt, u32 need)
{
	if (need & XT2_ASKS_STATE && !fill_state(keys, pkt)) {
		keys->have = 0;
		return false;
	}
	if (need & XT2_ASKS_MARK) {
		keys->key[XT2_KEY_MARK] = (u16)(pkt->mark >> 16);
		keys->key[XT2_KEY_MARK + 1] = (u16)pkt->mark;
	}
	if (need & XT2_ASKS_MAC)
		fill_mac(keys, pkt);
	if (need & XT2_ASKS_IN)
		keys->key[XT2_KEY_IN] = fill_name(keys->in, pkt->in);
	if (need & XT2_ASKS_OUT)
		keys->key[XT2_KEY_OUT] = fill_name(keys->out, pkt->out);
	return true;
}

bool xt2_keys_fill(struct xt2_keys *keys_ xt2_arg_img, const struct xt2_pkt *pkt_ xt2_arg_img,
		   u32 asks)
{
	const struct xt2_pkt *pkt = xt2_ptr(pkt_);
	struct xt2_keys *keys = xt2_ptr(keys_);
	u32 need = asks & ~keys->have;

	if (!keys->have && !is_whole(pkt))
		return false;
	keys->have |= need | 0x80000000u;
	if (need & XT2_ASKS_ADDRS)
		fill_addrs(keys, pkt);
	if (need & XT2_ASKS_PORTS)
		fill_ports(keys, pkt);
	return likely(!(need & ~(XT2_ASKS_ADDRS | XT2_ASKS_PORTS))) || fill_rare(keys, pkt, need);
}

/* --- columns ----------------------------------------------------------- */

static inline const u32 __img *columns_units(const struct xt2_columns __img *c)
{
	return (const u32 __img *)(c + 1);
}

static inline u32 columns_blocks(const struct xt2_columns __img *c)
{
	return (c->units + XT2_BLOCK - 1) / XT2_BLOCK;
}

static u32 columns_behind(const struct xt2_columns __img *c, u32 after)
{
	return xt2_units_behind_(columns_units(c), c->units, after);
}

/* => units of a block that there are, and that are behind the first wanted one */
static u32 block_mask(const struct xt2_columns __img *c, u32 block, u32 first)
{
	u32 at = block * XT2_BLOCK, mask = ~0u;

	if (first > at)
		mask = ~0u << (first - at);
	if (c->units - at < XT2_BLOCK)
		mask &= (1u << (c->units - at)) - 1;
	return mask;
}

/* Candidates of the next block before the end that has some.  resume: the block behind it, plus 1. */
static __always_inline u32 columns_find(const struct xt2_columns __img *c,
					const struct xt2_keys *keys, u32 first, u32 end, u32 *unit,
					u32 *resume)
{
	u32 block = first / XT2_BLOCK, hits = 0, n = xt2_zero;

	*resume = 0;
	while (block < end && xt2_can_loop) {
		block = xt2_scan(c, keys->key, block, end, &hits);
		if (block == end)
			return 0;
		hits &= block_mask(c, block, first);
		if (!hits) {
			block++;
			continue;
		}
		for (; hits && xt2_can_loop; hits &= hits - 1)
			unit[n++] = columns_units(c)[block * XT2_BLOCK + (u32)__builtin_ctz(hits)];
		if (block + 1 < end)
			*resume = block + 1;
		break;
	}
	return n;
}

/* --- pairs ------------------------------------------------------------- */

static void field_of(const struct xt2_search *s, const struct xt2_pkt *pkt, u32 field, u64 *v)
{
	const struct xt2_keys *keys = &s->keys;
	const bool four = pkt->family == XT2_IPV4;

	v[0] = v[1] = 0;
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
}

static __always_inline u16 class_slot(const struct xt2_index __img *ix,
				      const struct xt2_index_class __img *cls, u64 hash)
{
	return ((const u16 __img *)xt2_at(ix, cls->slot))[hash >> cls->shift];
}

/* wide: a constant where there are registers enough for two loops */
static __always_inline void hash_all(const struct xt2_index __img *ix,
				     const struct xt2_index_dimension __img *d, u32 number,
				     const u64 *v, struct xt2_hashes *h, bool wide)
{
	u64 pairs = 0, triples = 0;
	u32 i;

	for (i = 0; i < XT2_CLASSES && i < d->classes; i++) {
		const struct xt2_index_class __img *cls = &d->cls[i];
		u64 slot;

		h->hash[i] = xt2_hash_class(v[0] & cls->mask[0], v[1] & cls->mask[1], wide,
					    number * XT2_CLASSES + i);
		slot = class_slot(ix, cls, h->hash[i]);
		pairs |= (slot & 0xff) << 8 * i;
		triples |= (slot >> 8) << 8 * i;
	}
	h->pairs = pairs;
	h->triples = triples;
}

static __always_inline void hash_classes(const struct xt2_index __img *ix,
					 const struct xt2_index_dimension __img *d, u32 number,
					 const u64 *v, struct xt2_hashes *h)
{
	if (xt2_special_loops && !d->wide)
		hash_all(ix, d, number, v, h, false);
	else
		hash_all(ix, d, number, v, h, d->wide);
}

/* Bit j of byte i becomes bit i of byte j. */
static __always_inline u64 turned(u64 x)
{
	u64 t = (x ^ x >> 7) & 0x00aa00aa00aa00aaull;

	x ^= t ^ t << 7;
	t = (x ^ x >> 14) & 0x0000cccc0000ccccull;
	x ^= t ^ t << 14;
	t = (x ^ x >> 28) & 0x00000000f0f0f0f0ull;
	return x ^ t ^ t << 28;
}

static __always_inline u32 add_span(const struct xt2_index __img *ix,
				    const struct xt2_pairs __img *p, u64 hash,
				    struct xt2_span *span, u32 n)
{
	const struct xt2_index_bucket __img *b =
		(const struct xt2_index_bucket __img *)xt2_at(ix, p->bucket) + (hash >> p->shift);
	const u16 tag = xt2_hash_tag(hash);
	const u32 there = b->tags >> tag % 32 & 1; /* no branch: half of them are not */

	span[n].first = b->first;
	span[n].n = (u16)(b[1].first - b->first);
	span[n].tag = tag;
	xt2_prefetch((const struct xt2_index_entry __img *)xt2_at(ix, p->entry) + b->first * there);
	return n + there;
}

u32 xt2_index_spans(const struct xt2_index __img *ix xt2_arg_img, struct xt2_search *s_ xt2_arg_img,
		    const struct xt2_pkt *pkt_ xt2_arg_img)
{
	const struct xt2_pkt *pkt = xt2_ptr(pkt_);
	struct xt2_search *s = xt2_ptr(s_);
	const struct xt2_pairs __img *p = xt2_at(ix, ix->body);
	struct xt2_hashes *a = &s->hashes[0], *b = &s->hashes[1];
	u64 v[2], todo, hash, third = 0;
	u32 n = xt2_zero, bit;

	field_of(s, pkt, p->dim[0].field, v);
	hash_classes(ix, &p->dim[0], 0, v, a);
	field_of(s, pkt, p->dim[1].field, v);
	hash_classes(ix, &p->dim[1], 1, v, b);
	todo = a->triples & turned(b->triples);
	if (todo) {
		field_of(s, pkt, p->dim[2].field, v);
		third = xt2_hash_class(v[0], v[1], p->dim[2].wide, 2 * XT2_CLASSES + 1);
		if (!class_slot(ix, &p->dim[2].cls[1], third))
			todo = 0;
	}
	for (; todo && xt2_can_loop; todo ^= 1ull << bit) {
		bit = 63 - (u32)__builtin_clzll(todo);
		hash = xt2_hash_pair(a->hash[bit / 8], b->hash[bit % 8]);
		n = add_span(ix, p, xt2_hash_pair(hash, third), s->span, n);
	}
	for (todo = a->pairs & turned(b->pairs); todo && xt2_can_loop; todo ^= 1ull << bit) {
		bit = 63 - (u32)__builtin_clzll(todo);
		hash = xt2_hash_pair(a->hash[bit / 8], b->hash[bit % 8]);
		n = add_span(ix, p, hash, s->span, n);
	}
	s->spans = n;
	return n;
}

/* Two pairs of classes may share a bucket, and so find its columns twice. */
static __always_inline void add_found(struct xt2_found *f, u32 unit)
{
	u32 at = f->n, i;

	while (at && xt2_ptr(f->unit)[at - 1] > unit && xt2_can_loop)
		at--;
	if (at && xt2_ptr(f->unit)[at - 1] == unit)
		return;
	if (f->n == f->room)
		f->more = true; /* the last one goes */
	else
		f->n++;
	for (i = f->n - 1; i > at && xt2_can_loop; i--)
		xt2_ptr(f->unit)[i] = xt2_ptr(f->unit)[i - 1];
	xt2_ptr(f->unit)[at] = unit;
	if (f->n == f->room)
		f->bound = xt2_ptr(f->unit)[f->room - 1];
}

static u32 found_end(const struct xt2_found *f, struct xt2_search *s)
{
	s->units = f->n;
	s->resume = f->more ? (xt2_ptr(f->unit)[f->n - 1] & ~XT2_UNIT_FLAGS) : 0;
	return f->n;
}

static void collect_nested(const struct xt2_columns __img *c, struct xt2_search *s, u32 after,
			   struct xt2_found *f)
{
	u32 first = columns_behind(c, after), end = columns_blocks(c), i, n, resume;

	if (f->n == f->room) {
		end = (columns_behind(c, f->bound) + XT2_BLOCK - 1) / XT2_BLOCK;
		f->more |= end < columns_blocks(c);
		if (first >= end * XT2_BLOCK)
			return;
	}
	do {
		n = columns_find(c, &s->keys, first, end, s->block, &resume);
		for (i = 0; i < n && xt2_can_loop; i++) {
			if (s->block[i] > f->bound) {
				f->more = true;
				return;
			}
			add_found(f, s->block[i]);
		}
		first = resume * XT2_BLOCK;
		if (resume && columns_units(c)[first] > f->bound) {
			f->more = true;
			return;
		}
	} while (resume && xt2_can_loop);
}

/* An entry lets a packet through if (its first eight bytes ^ tag) & mask is 0 and ports hold. */
struct probe {
	u64 mask; /* of tag and never */
	u64 ports;
};

static struct probe probe_of(const struct xt2_index __img *ix, const struct xt2_keys *keys)
{
	const u16 dport = keys->key[XT2_KEY_DPORT], sport = keys->key[XT2_KEY_SPORT];
	u64 bits = xt2_proto_bit(keys->key[XT2_KEY_PROTO]);

	if (ix->asks & XT2_ASKS_STATE)
		bits |= 1ull << (XT2_BIT_STATE + keys->key[XT2_KEY_STATE]);
	return (struct probe){
		.mask = 0xffffull << 32 | bits << 48,
		.ports = xt2_pack_ports(dport, sport, dport, sport) | XT2_PORT_TOPS,
	};
}

/* Units of a bucket, but for nested columns, whose place is the answer. */
static __always_inline u32 collect_bucket(const struct xt2_index_entry __img *e,
					  const struct xt2_span *span, const struct probe *probe,
					  u32 after, struct xt2_found *f)
{
	const struct xt2_index_entry __img *end = e + span->n;
	const u64 tag = (u64)span->tag << 32;
	u32 nested = 0;

	for (; e < end && xt2_can_loop; e++) {
		u64 head = *(const u64 __img *)e;

		if (unlikely(head & XT2_UNIT_NESTED)) {
			nested = (u32)head & ~XT2_UNIT_FLAGS;
			continue;
		}
		if ((u32)head > f->bound) {
			f->more = true;
			break;
		}
		if (((head ^ tag) & probe->mask) |
		    (((probe->ports - e->ports) & XT2_PORT_TOPS) ^ XT2_PORT_TOPS))
			continue;
		if (((u32)head & ~XT2_UNIT_FLAGS) > after)
			add_found(f, (u32)head);
	}
	return nested;
}

u32 xt2_index_collect(const struct xt2_index __img *ix xt2_arg_img,
		      struct xt2_search *s_ xt2_arg_img, u32 after)
{
	struct xt2_search *s = xt2_ptr(s_);
	const struct xt2_pairs __img *p = xt2_at(ix, ix->body);
	const struct xt2_index_entry __img *entry = xt2_at(ix, p->entry);
	const struct probe probe = probe_of(ix, &s->keys);
	struct xt2_found f = {
		.unit = s->unit + s->base,
		.n = xt2_zero,
		.room = ix->ahead,
		.bound = ~xt2_zero,
	};
	u32 i, place, nested = xt2_zero;

	for (i = xt2_zero; i < s->spans && xt2_can_loop; i++) {
		place = collect_bucket(entry + s->span[i].first, &s->span[i], &probe, after, &f);
		if (unlikely(place)) /* the span is done, so there is room */
			s->span[nested++].first = place;
	}
	s->nested = nested;
	if (nested)
		s->found = f;
	return found_end(&f, s);
}

/* Last, when it is known how far one has to look. */
u32 xt2_index_nested(const struct xt2_index __img *ix xt2_arg_img,
		     struct xt2_search *s_ xt2_arg_img, u32 after)
{
	struct xt2_search *s = xt2_ptr(s_);
	u32 i;

	for (i = xt2_zero; i < s->nested && xt2_can_loop; i++)
		collect_nested(xt2_at(ix, s->span[i].first), s, after, &s->found);
	return found_end(&s->found, s);
}

u32 xt2_index_columns(const struct xt2_index __img *ix xt2_arg_img,
		      struct xt2_search *s_ xt2_arg_img, u32 after)
{
	struct xt2_search *s = xt2_ptr(s_);
	const struct xt2_columns __img *c = xt2_at(ix, ix->body);
	u32 block;

	s->units = columns_find(c, &s->keys, after ? columns_behind(c, after) : 0,
				columns_blocks(c), s->unit + s->base, &block);
	s->resume = block ? (columns_units(c)[block * XT2_BLOCK - 1] & ~XT2_UNIT_FLAGS) : 0;
	return s->units;
}

/* --- runs -------------------------------------------------------------- */

struct xt2_run __img *xt2_index_run(const struct xt2_index __img *ix, u32 rule)
{
	struct xt2_run __img *run = xt2_index_runs(ix);
	u32 low = xt2_zero, high = ix->runs;

	while (high - low > 1 && xt2_can_loop) {
		u32 mid = (low + high) / 2;

		if (run[mid].rule <= rule)
			low = mid;
		else
			high = mid;
	}
	return run + low;
}
