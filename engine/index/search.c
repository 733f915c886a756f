/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search.c - find the rules of a chain that can match a packet
 *
 * Columns are scanned from block to block, and the first block with
 * candidates is enough until these are done.
 */
#include "search.h"
#include "box.h"
#include "columns.h"

_Static_assert(sizeof(struct xt2_index) == 48 && sizeof(struct xt2_run) == 24, "index");
_Static_assert(offsetof(struct xt2_run, packets) == offsetof(struct xt2_rule, packets) &&
		       offsetof(struct xt2_run, bytes) == offsetof(struct xt2_rule, bytes),
	       "a run counts where a rule does");
_Static_assert(sizeof(struct xt2_columns) == 16 && sizeof(struct xt2_index_dimension) == 200 &&
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

/* Two keys, the high half of a number first; little-endian. */
static __always_inline void fill_number(u16 *key, u32 number)
{
	number = number << 16 | number >> 16;
	memcpy(key, &number, sizeof(number));
}

/* Four keys: bytes of an address in pairs. */
static __always_inline void fill_bytes(u16 *key, u64 bytes)
{
	const u64 low = 0x00ff00ff00ff00ffull;

	bytes = (bytes & low) << 8 | (bytes >> 8 & low);
	memcpy(key, &bytes, sizeof(bytes));
}

static __always_inline void fill_addrs(struct xt2_keys *keys, const struct xt2_pkt *pkt)
{
	u16 *src = keys->key + XT2_KEY_SRC, *dst = keys->key + XT2_KEY_DST;

	if (pkt->family == XT2_IPV4) {
		fill_number(src, pkt->src4);
		fill_number(dst, pkt->dst4);
		return;
	}
	fill_bytes(src, pkt->src[0]);
	fill_bytes(src + 4, pkt->src[1]);
	fill_bytes(dst, pkt->dst[0]);
	fill_bytes(dst + 4, pkt->dst[1]);
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

/* Keys that few rules test. */
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

u32 xt2_index_columns(const struct xt2_index __img *ix xt2_arg_img,
		      struct xt2_search *s_ xt2_arg_img, u32 after)
{
	struct xt2_search *s = xt2_ptr(s_);
	const struct xt2_columns __img *c = xt2_at(ix, ix->body);
	u32 block;

	s->units = columns_find(c, &s->keys, after ? columns_behind(c, after) : 0,
				xt2_columns_blocks(c), s->unit + s->base, &block);
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
