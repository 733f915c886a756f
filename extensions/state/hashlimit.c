/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hashlimit.c - -m hashlimit: a token bucket for each address, or pair of addresses and ports
 *
 * Credits are counted as the kernel does at 250 ticks a second.  A bucket that no packet has
 * asked for longer than --hashlimit-htable-expire is not there any more; in the kernel it is
 * there until its collector comes by.
 *
 * The buckets are in sets of 8, and a key's hash says in which two it may be.  A new bucket takes the place
 * of one that is not in use, that has expired, or that is full again: it says nothing that a
 * new one would not.  If there is none, the packet is dropped, as in the kernel when there are
 * as many buckets as --hashlimit-htable-max says.
 *
 * Source: net/netfilter/xt_hashlimit.c
 */
#include "hashlimit.h"
#include "memory.h"
#include "engine/match.h"

#define USED	0x80000000u
#define NOWHERE (~0u)
#define NO_ROOM (-3) /* beside XT2_MEMORY_* */
#define KEYS	9u

#define TCP	6
#define UDP	17
#define DCCP	33
#define ESP	50
#define AH	51
#define NONE	59
#define SCTP	132
#define UDPLITE 136

#define STRIDE4 (XT2_BUCKET_KEY + 3u)
#define STRIDE6 (XT2_BUCKET_KEY + KEYS)

_Static_assert(XT2_MEMORY_DATA + XT2_HASHLIMIT_SETS4 * XT2_HASHLIMIT_SET * STRIDE4 <=
			       XT2_MEMORY_CELLS &&
		       XT2_MEMORY_DATA + XT2_HASHLIMIT_SETS6 * XT2_HASHLIMIT_SET * STRIDE6 <=
			       XT2_MEMORY_CELLS,
	       "the sets fit");
_Static_assert(STRIDE6 <= XT2_MEMORY_LOG_STEPS, "so do the steps of a new bucket");

struct look {
	u32 key[KEYS];
	u32 keys;
	u32 head;
	u32 set[2]; /* cells of the sets' first buckets */
	u32 stride;
	u32 at; /* cell of the key's bucket, or of the one that it gets; NOWHERE */
	u32 mode, revision, expire; /* ticks */
	u32 src_mask, dst_mask;
	u64 avg, burst;
	u64 now; /* ticks */
	/* what is to be written: */
	u64 tick, credit, left;
};

/* What the memory's first rule said, if there was one. */
static inline void take_config(struct look *l, const u64 __img *config,
			       const struct xt2_match_hashlimit __img *k)
{
	u64 mode = k->mode | (u64)(k->head.flags >> 5) << 32;
	u64 expire = k->expire | (u64)k->src_mask << 32 | (u64)k->dst_mask << 40;

	l->avg = k->avg;
	l->burst = k->burst;
	if (xt2_cell_load(config)) {
		l->avg = xt2_cell_load(config + XT2_HASHLIMIT_AVG);
		l->burst = xt2_cell_load(config + XT2_HASHLIMIT_BURST);
		mode = xt2_cell_load(config + XT2_HASHLIMIT_MODE);
		expire = xt2_cell_load(config + XT2_HASHLIMIT_EXPIRE);
	}
	l->mode = (u32)mode;
	l->revision = (u32)(mode >> 32);
	l->expire = (u32)(((u64)(u32)expire * XT2_MEMORY_HZ + 999) / 1000);
	l->src_mask = (u32)(expire >> 32) & 0xff;
	l->dst_mask = (u32)(expire >> 40) & 0xff;
}

/* The first bits of a word of an address, of which bits are left. */
static inline u32 masked(u32 word, u32 bits)
{
	return bits >= 32 ? word : bits ? word & ~0u << (32 - bits) : 0;
}

static inline u32 bits_after(u32 bits, u32 words)
{
	return bits > 32 * words ? bits - 32 * words : 0;
}

static inline void take_addr6(u32 *key, const __u64 *addr, u32 bits)
{
	key[0] = masked(__builtin_bswap32((u32)addr[0]), bits);
	key[1] = masked(__builtin_bswap32((u32)(addr[0] >> 32)), bits_after(bits, 1));
	key[2] = masked(__builtin_bswap32((u32)addr[1]), bits_after(bits, 2));
	key[3] = masked(__builtin_bswap32((u32)(addr[1] >> 32)), bits_after(bits, 3));
}

static inline void take_addrs(struct look *l, const struct xt2_pkt *pkt)
{
	if (pkt->family == XT2_IPV6) {
		if (l->mode & XT2_HASHLIMIT_SRC)
			take_addr6(l->key, pkt->src, l->src_mask);
		if (l->mode & XT2_HASHLIMIT_DST)
			take_addr6(l->key + 4, pkt->dst, l->dst_mask);
		return;
	}
	if (l->mode & XT2_HASHLIMIT_SRC)
		l->key[0] = masked(pkt->src4, l->src_mask);
	if (l->mode & XT2_HASHLIMIT_DST)
		l->key[1] = masked(pkt->dst4, l->dst_mask);
}

/* => offset of ports in a protocol's header; -1: it has none */
static inline int ports_at(u8 proto)
{
	switch (proto) {
	case TCP:
	case UDP:
	case DCCP:
	case ESP:
	case SCTP:
	case UDPLITE: return 0;
	case AH: return 4;
	}
	return -1;
}

/* => false: the header is not there, and the packet is dropped */
static inline bool take_ports(struct look *l, struct xt2_pkt *pkt, u32 last)
{
	const int at = ports_at(pkt->proto);
	const u8 *ports;
	u32 both;

	if (!(l->mode & (XT2_HASHLIMIT_SRC_PORT | XT2_HASHLIMIT_DST_PORT)))
		return true;
	if (pkt->family == XT2_IPV6 && pkt->fragoff)
		return true; /* the fragment header is the last one that is read */
	if (pkt->family == XT2_IPV6 && (pkt->l4 != XT2_L4_OK || pkt->proto == NONE))
		return false;
	if (at < 0)
		return true;
	ports = xt2_pkt_at(pkt, pkt->thoff + (u32)at, 4);
	if (!ports)
		return false;
	both = xt2_be32(ports);
	if (!(l->mode & XT2_HASHLIMIT_SRC_PORT))
		both &= 0xffff;
	if (!(l->mode & XT2_HASHLIMIT_DST_PORT))
		both &= 0xffff0000;
	l->key[last] = both;
	return true;
}

static inline u64 mix(u64 hash, u32 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

static inline u32 set_at(u32 hash, u32 sets, u32 stride)
{
	return XT2_MEMORY_DATA + (u32)((u64)hash * sets >> 32) * XT2_HASHLIMIT_SET * stride;
}

/* Which sets; a hash that strangers cannot foresee, or they would fill one. */
static inline void take_set(struct look *l, u64 seed, bool ip6)
{
	const u32 sets = ip6 ? XT2_HASHLIMIT_SETS6 : XT2_HASHLIMIT_SETS4;
	u64 hash = seed;
	u32 i;

	for (i = 0; i < KEYS; i++)
		hash = mix(hash, l->key[i]);
	l->stride = ip6 ? STRIDE6 : STRIDE4;
	l->keys = ip6 ? KEYS : 3;
	l->head = USED | (u32)hash;
	l->set[0] = set_at((u32)(hash >> 32), sets, l->stride);
	l->set[1] = set_at((u32)(mix(hash, ~0u) >> 32), sets, l->stride);
}

static inline u64 credit_of(u64 __img *bucket)
{
	return (u32)xt2_cell_load(bucket + XT2_BUCKET_LOW) | xt2_cell_load(bucket + XT2_BUCKET_HIGH)
								     << 32;
}

/* => credit that a full bucket has */
static inline u64 full(const struct look *l)
{
	return l->mode & XT2_HASHLIMIT_BYTES
		       ? XT2_HASHLIMIT_FULL_B
		       : xt2_hashlimit_credits(l->avg * l->burst, l->revision);
}

/* => what a credit is after so many ticks; a sum that overflows stays so, as in the kernel */
static inline u64 refilled(const struct look *l, u64 credit, u64 ticks)
{
	const u64 cap = full(l), was = credit;

	if (!ticks)
		return credit;
	if (l->mode & XT2_HASHLIMIT_BYTES) {
		credit += ticks * XT2_HASHLIMIT_CREDITS_B;
		return was >= credit || credit > cap ? cap : credit;
	}
	credit += ticks * xt2_hashlimit_tick(l->revision);
	return credit > cap ? cap : credit;
}

/* => ticks since a bucket's last packet; a clock that goes back makes none */
static inline u64 age_of(const struct look *l, u64 __img *bucket)
{
	const u64 age = l->now - xt2_cell_load(bucket + XT2_BUCKET_TICK);

	return (s64)age < 0 ? 0 : age;
}

/* A bucket that a new one would equal, but for what time makes of it. */
static inline bool says_nothing(const struct look *l, u64 __img *bucket, u64 age)
{
	return refilled(l, credit_of(bucket), age) >= full(l) &&
	       (!(l->mode & XT2_HASHLIMIT_BYTES) ||
		(u32)xt2_cell_load(bucket + XT2_BUCKET_BURST) >= (u32)l->burst);
}

static inline bool same_key(const struct look *l, u64 __img *bucket)
{
	u64 differs = 0;
	u32 i;

	for (i = 0; i < KEYS; i++)
		if (i < l->keys)
			differs |= (u32)xt2_cell_load(bucket + XT2_BUCKET_KEY + i) ^ l->key[i];
	return !differs;
}

/* Look for the key's bucket, or a place for it.  => is it there? */
xt2_part bool xt2_hashlimit_find(u64 __img *cell xt2_arg_img, struct look *l xt2_arg_there)
{
	u32 i, at = l->set[0], room = NOWHERE;
	u64 __img *bucket;
	u64 age;

	xt2_forget(room);
	for (i = xt2_zero; i < 2 * XT2_HASHLIMIT_SET && xt2_can_loop;
	     xt2_forget(room), i++, at += l->stride, xt2_forget(i), xt2_forget(at)) {
		if (i == XT2_HASHLIMIT_SET)
			at = l->set[1];
		bucket = cell + at;
		age = age_of(l, bucket);
		if (!(xt2_cell_load(bucket) & USED) || age >= l->expire) {
			room = room == NOWHERE ? at : room;
			continue;
		}
		if ((u32)xt2_cell_load(bucket) == l->head && same_key(l, bucket)) {
			l->at = at;
			return true;
		}
		if (room == NOWHERE && says_nothing(l, bucket, age))
			room = at;
	}
	l->at = room;
	return false;
}

/* A packet asks a bucket.  => does it get what it costs? */
xt2_part bool xt2_hashlimit_spend(u64 __img *cell xt2_arg_img, struct look *l xt2_arg_there,
				  u32 len, bool found)
{
	u64 __img *bucket = cell + l->at % XT2_MEMORY_CELLS;
	u64 cost = xt2_hashlimit_credits(l->avg, l->revision);
	bool pays;

	l->tick = l->now;
	l->credit = full(l);
	l->left = (u32)l->burst;
	if (found) {
		if (!age_of(l, bucket)) /* the clock may have gone back */
			l->tick = xt2_cell_load(bucket + XT2_BUCKET_TICK);
		l->credit = refilled(l, credit_of(bucket), age_of(l, bucket));
		l->left = (u32)xt2_cell_load(bucket + XT2_BUCKET_BURST);
	}
	if (l->mode & XT2_HASHLIMIT_BYTES) {
		cost = ((len >> 4) + 1ull) * xt2_hashlimit_credits_b((u32)l->avg);
		if (cost > XT2_HASHLIMIT_FULL_B)
			cost = XT2_HASHLIMIT_FULL_B;
		if (l->credit < cost && l->left) {
			l->left--;
			l->credit = XT2_HASHLIMIT_FULL_B;
		}
	}
	pays = l->credit >= cost;
	if (pays)
		l->credit -= cost;
	return pays;
}

/* => steps */
xt2_part u32 xt2_hashlimit_log(u64 __img *cell xt2_arg_img, const struct look *l xt2_arg_there,
			       u64 seen, u32 log, bool found)
{
	const u32 at = l->at % XT2_MEMORY_CELLS;
	u32 i;

	xt2_memory_log_step(cell, log, 0, at + XT2_BUCKET_TICK, l->tick);
	xt2_memory_log_step(cell, log, 1, at + XT2_BUCKET_LOW,
			    xt2_memory_word(seen, (u32)l->credit));
	xt2_memory_log_step(cell, log, 2, at + XT2_BUCKET_HIGH,
			    xt2_memory_word(seen, (u32)(l->credit >> 32)));
	xt2_memory_log_step(cell, log, 3, at + XT2_BUCKET_BURST,
			    xt2_memory_word(seen, (u32)l->left));
	if (found)
		return 4;
	xt2_memory_log_step(cell, log, 4, at, xt2_memory_word(seen, l->head));
	for (i = 0; i < KEYS; i++)
		xt2_memory_log_step(cell, log, 5 + i, at + XT2_BUCKET_KEY + i,
				    xt2_memory_word(seen, l->key[i]));
	return 5 + l->keys;
}

/* => XT2_HIT, XT2_MISS: the packet is below the rate, or not; XT2_MEMORY_*, NO_ROOM */
static inline int attempt(u64 __img *cell, struct look *l, u32 len)
{
	const u64 seen = xt2_memory_begin(cell);
	const bool found = xt2_hashlimit_find(cell, l);
	u32 log, steps;
	bool pays;

	if (l->at == NOWHERE)
		return xt2_memory_stayed(cell, seen) ? NO_ROOM : XT2_MEMORY_AGAIN;
	pays = xt2_hashlimit_spend(cell, l, len, found);
	log = xt2_memory_log_open(cell);
	if (log >= XT2_MEMORY_LOG_MAX)
		return XT2_MEMORY_FULL;
	steps = xt2_hashlimit_log(cell, l, seen, log, found);
	if (!xt2_memory_log_commit(cell, seen, log, steps))
		return XT2_MEMORY_AGAIN;
	return pays ? XT2_HIT : XT2_MISS;
}

/* What the packet's bucket is found by.  => false: it is dropped */
static inline bool take_key(struct look *l, u64 __img *cell, struct xt2_ctx *ctx)
{
	u64 __img *seed = cell + XT2_MEMORY_SEED;
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	const bool ip6 = pkt->family == XT2_IPV6;

	if (!xt2_cell_load(seed))
		xt2_cell_swap(seed, 0, ctx->random | 1);
	take_addrs(l, pkt);
	if (!take_ports(l, pkt, ip6 ? KEYS - 1 : 2))
		return false;
	take_set(l, xt2_cell_load(seed), ip6);
	return true;
}

int xt2_hashlimit_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_match_hashlimit __img *k = (const void __img *)m;
	u64 __img *cell = xt2_ctx_cell(ctx, m);
	const u32 len = xt2_ctx_pkt(ctx)->len;
	struct look l = { 0 };
	int answer;

	l.now = ctx->now / XT2_MEMORY_TICK_NS;
	take_config(&l, cell + XT2_MEMORY_CONFIG, k);
	if (!take_key(&l, cell, ctx))
		return XT2_HOTDROP;
	do {
		answer = attempt(cell, &l, len);
	} while (answer == XT2_MEMORY_AGAIN && xt2_can_loop);
	if (answer >= 0)
		return (answer == XT2_HIT) != !!(k->mode & XT2_HASHLIMIT_INVERT) ? XT2_HIT
										 : XT2_MISS;
	if (answer != NO_ROOM)
		ctx->faults++;
	return XT2_HOTDROP;
}

int xt2_hashlimit_check(const struct xt2_match __img *m, u8 family)
{
	const struct xt2_match_hashlimit __img *k = (const void __img *)m;
	const u32 most = family == XT2_IPV4 ? 32 : 128, revision = m->flags >> 5;
	const u32 all = XT2_HASHLIMIT_BYTES * 2 - 1;

	if (!xt2_family_inet(family) || m->size < sizeof(*k) || m->flags & 0x9f || !revision)
		return -EINVAL;
	if (k->mode & ~all || (revision == 1 && (k->avg | k->burst) >> 32) || !k->expire ||
	    !k->gc_interval || k->src_mask > most || k->dst_mask > most)
		return -EINVAL;
	if (!xt2_hashlimit_fits(k->avg, k->burst, k->mode & XT2_HASHLIMIT_BYTES, revision))
		return -EINVAL;
	return xt2_memory_name_right(m, offsetof(struct xt2_match_hashlimit, name),
				     XT2_HASHLIMIT_NAME)
		       ? 0
		       : -EINVAL;
}
