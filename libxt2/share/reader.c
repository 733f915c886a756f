/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.c - evaluate packets against a shared image
 *
 * A reader is an evaluator whose root changes between packets: when it sees another one, it
 * notes the hook entries anew and takes a larger jump stack if the chains are deeper.  It
 * counts in its own strip.  share.c says how the writer knows what it reads.
 */
#include "config.h"
#include "slots-env.h"
#include "libxt2/evaluate/hooks.h"
#include "seats.h"

#include <stdlib.h>

#define LINE 64 /* bytes that processors share or don't */

/* Where a result's strings stay. */
struct names {
	char table[XT2_NAME_SIZE], chain[XT2_NAME_SIZE];
};

struct xt2_reader {
	struct xt2_seat seat;
	char apart[LINE]; /* the writer looks at the seat, never at what follows */
	struct xt2_share *share;
	struct xt2_evaluator ev;
	u64 generation; /* of its root */
	bool fenced, short_stack;
	struct xt2_search *ahead; /* of a batch */
	struct names own[XT2_BATCH], *more;
	u32 more_n;
};

struct xt2_reader *xt2_share_reader(struct xt2_share *share)
{
	struct xt2_reader *r;

	r = aligned_alloc(LINE, (sizeof(*r) + LINE - 1) / LINE * LINE);
	if (!r)
		return NULL;
	memset(r, 0, sizeof(*r));
	r->share = share;
	r->fenced = share->fenced;
	r->ahead = calloc(XT2_BATCH, sizeof(*r->ahead));
	if (!r->ahead || xt2_seat_take_(share, &r->seat)) {
		free(r->ahead);
		free(r);
		errno = ENOMEM;
		return NULL;
	}
	r->ev.ctx.img = share->img;
	r->ev.ctx.counters = r->seat.strip;
	xt2_reader_seed(r, 1);
	return r;
}

void xt2_reader_free(struct xt2_reader *r)
{
	if (!r)
		return;
	xt2_seat_leave_(r->share, &r->seat);
	free(r->ev.stack);
	free(r->ahead);
	free(r->more);
	free(r);
}

void xt2_reader_seed(struct xt2_reader *r, __u64 seed)
{
	r->ev.ctx.random = seed ? seed : 1;
}

__u64 xt2_reader_generation(const struct xt2_reader *r)
{
	return r->generation;
}

/* --- the generation that is read ------------------------------------------ */

/* Packets that go deeper than the stack are dropped as faults. */
static void deepen(struct xt2_reader *r, u32 depth)
{
	struct xt2_frame *stack = NULL;

	if (depth <= XT2_DEPTH_MAX)
		stack = malloc(depth * sizeof(*stack));
	r->short_stack = !stack; /* the next packet tries again */
	if (!stack)
		return;
	free(r->ev.stack);
	r->ev.stack = r->ev.ctx.stack = stack;
	r->ev.ctx.stack_size = depth;
}

/* A search ahead follows no patch, and pays only if some index is large. */
static bool pays_ahead(const struct xt2_reader *r, const struct xt2_root *root)
{
	const struct xt2_index *ix;
	const struct xt2_chain *c;
	const struct xt2_hook *h;
	bool far = false;
	u32 i;

	xt2_image_for_each_hook(h, i, r->share->img, root) {
		c = xt2_image_chain(r->share->img, root, h->chain);
		ix = c ? xt2_chain_index(c) : NULL;
		if (!ix)
			continue;
		if (ix->kind == XT2_INDEX_PATCH)
			return false;
		far |= xt2_index_far(ix);
	}
	return far;
}

static __attribute__((__noinline__)) void adopt(struct xt2_reader *r, const struct xt2_root *root)
{
	struct xt2_evaluator *ev = &r->ev;

	ev->ctx.root = root;
	r->generation = root ? root->generation : 0;
	memset(ev->entries, 0, sizeof(ev->entries));
	note_entries(ev);
	if (root && root->depth > ev->ctx.stack_size)
		deepen(r, root->depth);
	else
		r->short_stack = false;
	ev->ctx.search = __atomic_load_n(&r->share->indexed, __ATOMIC_RELAXED) ? &ev->search : NULL;
	ev->ahead = root && pays_ahead(r, root) ? r->ahead : NULL;
}

static __always_inline void begin_reading(struct xt2_reader *r)
{
	const u64 generation = __atomic_load_n(&r->share->generation, __ATOMIC_ACQUIRE);
	const struct xt2_image *img = r->share->img;
	const struct xt2_root *root;
	u64 at;

	if (unlikely(r->fenced)) {
		__atomic_exchange_n(&r->seat.reads, generation, __ATOMIC_SEQ_CST);
	} else {
		__atomic_store_n(&r->seat.reads, generation, __ATOMIC_RELEASE);
		__asm__ volatile("" : : : "memory"); /* membarrier(2) makes it a full barrier */
	}
	at = __atomic_load_n(&img->root, __ATOMIC_SEQ_CST);
	root = at ? xt2_at(img, at) : NULL;
	if (unlikely(root != r->ev.ctx.root || r->short_stack ||
		     (root && root->generation != r->generation)))
		adopt(r, root);
	if (unlikely(r->generation > generation))
		__atomic_store_n(&r->seat.reads, r->generation, __ATOMIC_RELEASE);
}

static __always_inline void end_reading(struct xt2_reader *r)
{
	__atomic_store_n(&r->seat.reads, XT2_SEAT_IDLE, __ATOMIC_RELEASE);
}

/* --- packets ---------------------------------------------------------------- */

/* Names in the image may be gone soon. */
static void keep_names(struct xt2_result *result, struct names *to)
{
	if (!result->table)
		return;
	memcpy(to->table, result->table, sizeof(to->table));
	memcpy(to->chain, result->chain, sizeof(to->chain));
	result->table = to->table;
	result->chain = to->chain;
}

/* => room for the names of so many results; NULL: no memory */
static struct names *room_for_names(struct xt2_reader *r, unsigned int n)
{
	struct names *more;

	if (n <= XT2_BATCH)
		return r->own;
	if (n > r->more_n) {
		more = realloc(r->more, (size_t)n * sizeof(*more));
		if (!more)
			return NULL;
		r->more = more;
		r->more_n = n;
	}
	return r->more;
}

int xt2_reader_evaluate(struct xt2_reader *r, int hook, const char *table, struct xt2_pkt *pkt,
			__u64 now, int want_rule, struct xt2_result *result)
{
	begin_reading(r);
	r->ev.ctx.now = now;
	evaluate(&r->ev, hook, table, pkt, want_rule, result);
	if (unlikely(want_rule))
		keep_names(result, r->own);
	end_reading(r);
	return result->verdict;
}

void xt2_reader_evaluate_batch(struct xt2_reader *r, int hook, const char *table,
			       struct xt2_pkt *const *pkts, const __u64 *now, unsigned int n,
			       int want_rule, struct xt2_result *results)
{
	struct names *names = want_rule ? room_for_names(r, n) : NULL;
	unsigned int i;

	begin_reading(r);
	evaluate_batch(&r->ev, hook, table, pkts, now, n, want_rule, results);
	for (i = 0; want_rule && i < n; i++) {
		if (names)
			keep_names(&results[i], &names[i]);
		else
			results[i].table = results[i].chain = NULL;
	}
	end_reading(r);
}
