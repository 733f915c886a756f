/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recent.c - -m recent: addresses, and when they were seen
 *
 * A list has 100 addresses, the kernel's ip_list_tot; one more takes the place of the one that
 * was not set or updated for the longest time.  An address has up to 128 times in a ring.  The
 * kernel's ring is smaller, but not than the largest --hitcount of the list; since times only
 * grow, a hit that more times would find is found in those as well.
 *
 * Time is ctx->now in ticks of 4 ms, as the kernel's with Debian's CONFIG_HZ.
 *
 * Source: net/netfilter/xt_recent.c
 */
#include "memory.h"
#include "recent.h"

#define NOWHERE (~0u)
#define WHAT	(XT2_RECENT_HEAD_USED | XT2_RECENT_HEAD_IPV6 | XT2_RECENT_HEAD_TAG)

#define ACTIONS (XT2_RECENT_CHECK | XT2_RECENT_SET | XT2_RECENT_UPDATE | XT2_RECENT_REMOVE)
#define LOOKS	(XT2_RECENT_CHECK | XT2_RECENT_UPDATE)

_Static_assert(XT2_RECENT_TIMES + XT2_RECENT_ADDRESSES * XT2_RECENT_STAMPS <= XT2_MEMORY_CELLS,
	       "a list fits");
_Static_assert(!(XT2_RECENT_STAMPS & (XT2_RECENT_STAMPS - 1)) && XT2_RECENT_STAMPS < 256,
	       "places fit a head");

struct look {
	u32 key[4];
	u32 what; /* of the head */
	u32 ttl; /* the packet's */
	u64 now; /* ticks */
	/* found: */
	u32 at; /* number of the address; NOWHERE */
	u32 room; /* where a new one goes */
	u32 oldest; /* set or updated least recently; NOWHERE */
};

static inline u64 __img *head_of(u64 __img *cell, u32 i)
{
	return cell + xt2_recent_head_at(i);
}

/* A part of the list's mask: that of its first rule, if it has one. */
static inline u64 mask_of(const u64 __img *config, const struct xt2_match_recent __img *k, u32 part)
{
	return xt2_cell_load(config) ? xt2_cell_load(config + 1 + part) : k->mask[part];
}

static inline void take_key(struct look *l, const struct xt2_pkt *pkt, const u64 __img *config,
			    const struct xt2_match_recent __img *k)
{
	const bool dest = k->head.flags & XT2_RECENT_DEST;
	const u64 first = pkt->family == XT2_IPV6 ? dest ? pkt->dst[0] : pkt->src[0] : 0;
	const u64 second = pkt->family == XT2_IPV6 ? dest ? pkt->dst[1] : pkt->src[1] : 0;
	const u64 a = mask_of(config, k, 0), b = mask_of(config, k, 1);
	u32 hash;

	l->what = XT2_RECENT_HEAD_USED;
	l->key[1] = l->key[2] = l->key[3] = 0;
	if (pkt->family == XT2_IPV6) {
		l->key[0] = (u32)(first & a);
		l->key[1] = (u32)((first & a) >> 32);
		l->key[2] = (u32)(second & b);
		l->key[3] = (u32)((second & b) >> 32);
		l->what |= XT2_RECENT_HEAD_IPV6;
	} else {
		l->key[0] = __builtin_bswap32(dest ? pkt->dst4 : pkt->src4) & (u32)a;
	}
	hash = (l->key[0] ^ l->key[1] * 5 ^ l->key[2] * 17 ^ l->key[3] * 257) * 0x9e3779b1u;
	l->what |= hash >> 2 & XT2_RECENT_HEAD_TAG;
}

/* The kernel sees the TTL before forwarding has taken one away, which it does before FORWARD. */
static inline u8 ttl_of(const struct xt2_pkt *pkt)
{
	const u32 at = pkt->family == XT2_IPV6 ? 7 : 8;
	const u8 *data = xt2_ptr(pkt->data);

	return at < pkt->caplen ? (u8)(data[at] + (pkt->in[0] && pkt->out[0])) : 0;
}

static inline bool same_key(u64 __img *cell, u32 i, const struct look *l)
{
	const u64 __img *key = cell + xt2_recent_key_at(i);

	if ((u32)xt2_cell_load(key) != l->key[0])
		return false;
	if (!(l->what & XT2_RECENT_HEAD_IPV6))
		return true;
	return (u32)xt2_cell_load(key + 1) == l->key[1] &&
	       (u32)xt2_cell_load(key + 2) == l->key[2] && (u32)xt2_cell_load(key + 3) == l->key[3];
}

/*
 * Look for an address.
 * @ttl: one with another TTL is not it; 0: any
 * => is it there?
 */
xt2_part bool xt2_recent_find(u64 __img *cell xt2_arg_img, struct look *l xt2_arg_there, u64 seen,
			      u32 ttl)
{
	u32 i, age, most = xt2_zero, at = NOWHERE, room = NOWHERE, oldest = NOWHERE;
	u64 head;

	xt2_forget(at);
	xt2_forget(room);
	xt2_forget(oldest);
	for (i = xt2_zero; i < XT2_RECENT_ADDRESSES && xt2_can_loop; i++, xt2_forget(i),
	    xt2_forget(at), xt2_forget(room), xt2_forget(oldest), xt2_forget(most)) {
		head = xt2_cell_load(head_of(cell, i));
		if (!(head & XT2_RECENT_HEAD_USED)) {
			room = i;
			continue;
		}
		age = (u32)seen - (u32)(head >> 32);
		if (oldest == NOWHERE || age > most) {
			most = age;
			oldest = i;
		}
		if (((u32)head & WHAT) == l->what && same_key(cell, i, l) &&
		    (!ttl || !XT2_RECENT_HEAD_TTL(head) || XT2_RECENT_HEAD_TTL(head) == ttl))
			at = i;
	}
	l->at = at;
	l->room = room == NOWHERE ? oldest : room;
	l->oldest = oldest;
	return at != NOWHERE;
}

/* Is a time before the seconds that count? */
static inline bool too_old(u64 time, u64 since)
{
	return (s64)(time - since) < 0;
}

/* Was an address seen often enough? */
xt2_part bool xt2_recent_is_hit(u64 __img *cell xt2_arg_img,
				const struct xt2_match_recent __img *k xt2_arg_img, u32 at,
				u64 since)
{
	const u32 times = XT2_RECENT_HEAD_TIMES(xt2_cell_load(head_of(cell, at)));
	const u32 hits = k->hits, seconds = k->seconds;
	u32 i, n = xt2_zero;

	for (i = xt2_zero; i < times && i < XT2_RECENT_STAMPS && xt2_can_loop; i++) {
		if (seconds && too_old(xt2_cell_load(cell + xt2_recent_time_at(at, i)), since))
			continue;
		if (++n >= hits)
			return true;
	}
	return false;
}

/* Is the address that was seen least recently to be forgotten? */
static inline bool reaps(u64 __img *cell, const struct look *l, u64 since, bool update)
{
	u32 place;

	if (l->oldest == NOWHERE || (l->oldest == l->at && update))
		return false;
	place = XT2_RECENT_HEAD_PLACE(xt2_cell_load(head_of(cell, l->oldest))) - 1;
	return too_old(xt2_cell_load(cell + xt2_recent_time_at(l->oldest, place)), since);
}

enum change {
	NEW = 1,
	UPDATE = 2,
	REMOVE = 4,
	REAP = 8,
};

/* A time for an address, which is new if times is 0.  => steps */
static inline u32 log_time(u64 __img *cell, u32 log, u32 step, const struct look *l, u64 seen,
			   u32 i, u32 place, u32 times)
{
	const u32 head = l->what | l->ttl << 16 | (place + 1) << 8 |
			 (place + 1 > times ? place + 1 : times);

	xt2_memory_log_step(cell, log, step, xt2_recent_time_at(i, place), l->now);
	xt2_memory_log_step(cell, log, step + 1, xt2_recent_head_at(i),
			    xt2_memory_word(seen, head));
	return step + 2;
}

/* => steps */
static inline u32 log_key(u64 __img *cell, u32 log, u32 step, const struct look *l, u64 seen, u32 i)
{
	const u32 at = xt2_recent_key_at(i);

	xt2_memory_log_step(cell, log, step, at, xt2_memory_word(seen, l->key[0]));
	xt2_memory_log_step(cell, log, step + 1, at + 1, xt2_memory_word(seen, l->key[1]));
	xt2_memory_log_step(cell, log, step + 2, at + 2, xt2_memory_word(seen, l->key[2]));
	xt2_memory_log_step(cell, log, step + 3, at + 3, xt2_memory_word(seen, l->key[3]));
	return step + 4;
}

/*
 * Write what is to change into a log.
 * @what: enum change
 * => steps
 */
xt2_part u32 xt2_recent_log(u64 __img *cell xt2_arg_img, const struct look *l xt2_arg_there,
			    u64 seen, u32 what, u32 log)
{
	u32 step = 0, head;

	if (what & REAP)
		xt2_memory_log_step(cell, log, step++, xt2_recent_head_at(l->oldest),
				    xt2_memory_word(seen, 0));
	if (what & REMOVE)
		xt2_memory_log_step(cell, log, step++, xt2_recent_head_at(l->at),
				    xt2_memory_word(seen, 0));
	if (what & NEW) {
		step = log_key(cell, log, step, l, seen, l->room);
		step = log_time(cell, log, step, l, seen, l->room, 0, 0);
	}
	if (what & UPDATE) {
		head = (u32)xt2_cell_load(head_of(cell, l->at));
		step = log_time(cell, log, step, l, seen, l->at,
				XT2_RECENT_HEAD_PLACE(head) % XT2_RECENT_STAMPS,
				XT2_RECENT_HEAD_TIMES(head));
	}
	return step;
}

/* => 0; XT2_MEMORY_AGAIN, XT2_MEMORY_FULL */
static inline int change(u64 __img *cell, const struct look *l, u64 seen, u32 what)
{
	u32 log, steps;

	if (!what)
		return xt2_memory_stayed(cell, seen) ? 0 : XT2_MEMORY_AGAIN;
	log = xt2_memory_log_open(cell);
	if (log >= XT2_MEMORY_LOG_MAX)
		return XT2_MEMORY_FULL;
	steps = xt2_recent_log(cell, l, seen, what, log);
	return xt2_memory_log_commit(cell, seen, log, steps) ? 0 : XT2_MEMORY_AGAIN;
}

/* => XT2_HIT, XT2_MISS; XT2_MEMORY_* */
static inline int attempt(u64 __img *cell, const struct xt2_match_recent __img *k, struct look *l)
{
	const u64 seen = xt2_memory_begin(cell), since = l->now - k->seconds * XT2_MEMORY_HZ;
	const bool invert = k->head.flags & XT2_MATCH_INVERT;
	const u8 checks = k->checks;
	u32 what = xt2_zero;
	bool found, holds;
	int ret;

	found = xt2_recent_find(cell, l, seen, checks & XT2_RECENT_TTL ? l->ttl : 0);
	holds = found || checks & XT2_RECENT_SET;
	if (found && checks & LOOKS)
		holds = xt2_recent_is_hit(cell, k, l->at, since);
	holds = holds != invert;
	if (!found)
		what |= checks & XT2_RECENT_SET ? NEW : 0;
	else if (checks & XT2_RECENT_REMOVE)
		what |= REMOVE;
	else if (checks & XT2_RECENT_SET || (checks & XT2_RECENT_UPDATE && holds))
		what |= UPDATE;
	if (found && checks & XT2_RECENT_REAP && reaps(cell, l, since, what & UPDATE))
		what |= REAP;
	ret = change(cell, l, seen, what);
	return ret ? ret : holds ? XT2_HIT : XT2_MISS;
}

int xt2_recent_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_match_recent __img *k = (const void __img *)m;
	u64 __img *cell = xt2_ctx_cell(ctx, m);
	const struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	struct look l = { 0 };
	int answer;

	l.now = ctx->now / XT2_MEMORY_TICK_NS;
	l.ttl = ttl_of(pkt);
	take_key(&l, pkt, cell + XT2_MEMORY_CONFIG, k);
	do {
		answer = attempt(cell, k, &l);
	} while (answer == XT2_MEMORY_AGAIN && xt2_can_loop);
	if (answer >= 0)
		return answer;
	ctx->faults++;
	return XT2_HOTDROP;
}

static bool checks_right(const struct xt2_match_recent __img *k)
{
	const u8 action = k->checks & ACTIONS;

	if (!action || action & (action - 1) || k->checks & 0xc0 || k->hits > XT2_RECENT_STAMPS)
		return false;
	if (!(action & LOOKS))
		return k->checks == action && !k->seconds && !k->hits;
	return !(k->checks & XT2_RECENT_REAP) || k->seconds;
}

int xt2_recent_check(const struct xt2_match __img *m, u8 family)
{
	const struct xt2_match_recent __img *k = (const void __img *)m;
	const u8 flags = XT2_MATCH_INVERT | 0x20 | XT2_RECENT_DEST;

	if (!xt2_family_inet(family) || m->size < sizeof(*k) || m->flags & ~flags)
		return -EINVAL;
	if (!xt2_memory_name_right(m, offsetof(struct xt2_match_recent, name), XT2_RECENT_NAME))
		return -EINVAL;
	return checks_right(k) ? 0 : -EINVAL;
}
