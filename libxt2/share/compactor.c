/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compactor.c - a thread compiles chains anew while they are edited
 *
 * A thread is made for each step that takes long, and joined when it has said that it is at
 * its end: there is nothing to wake or to lock.
 */
#include "config.h"
#include "compactor.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include "engine/index/patched.h"

#define AT_ONCE \
	32u /* edits that are done again with each commit, besides as many as it had and some */
#define REST	 1024u
#define NO_HOLD	 (~0ull)
#define WITHHELD 64u /* commits whose places may be withheld until the patch was copied */
#define NAP	 100000l /* ns that a commit after these sleeps, times how many there are */
#define NAP_MOST 10000000l

static struct xt2_image *image_of(const struct xt2_compactor *c)
{
	return c->rs->inplace->img;
}

static struct xt2_space *space_of(const struct xt2_compactor *c)
{
	return &c->rs->inplace->space;
}

/* => a chain as the current generation has it, or NULL */
static const struct xt2_chain *current(const struct xt2_compactor *c, u32 chain)
{
	const struct xt2_image *img = image_of(c);

	return xt2_image_chain(img, xt2_image_root(img), chain);
}

/* A place that nothing names was used, in a transaction of its own. */
static void settle(const struct xt2_compactor *c)
{
	xt2_space_commit(space_of(c), xt2_image_root(image_of(c))->generation);
}

/* --- the thread ------------------------------------------------------------------ */

static void *build(void *arg)
{
	struct xt2_compactor *c = arg;

	c->error = xt2_compact_take(&c->job);
	__atomic_store_n(&c->taken, true, __ATOMIC_RELEASE);
	if (!c->error)
		c->error = xt2_compact_build(&c->job);
	__atomic_store_n(&c->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

static void *copy(void *arg)
{
	struct xt2_compactor *c = arg;

	xt2_compact_copy(&c->job);
	__atomic_store_n(&c->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

/* The program's signals are for its own threads.  => 0, -errno */
static int run(struct xt2_compactor *c, void *(*step)(void *arg))
{
	sigset_t all, before;
	int err;

	c->ended = false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&c->thread, NULL, step, c);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

/* => has the thread come to its end?  It is joined then */
static bool joined(struct xt2_compactor *c)
{
	if (!__atomic_load_n(&c->ended, __ATOMIC_ACQUIRE))
		return false;
	pthread_join(c->thread, NULL);
	return true;
}

/* --- beginning and giving up --------------------------------------------------------- */

void xt2_compactor_begin(struct xt2_compactor *c, struct xt2_ruleset *rs)
{
	*c = (struct xt2_compactor){
		.rs = rs,
		.hold = NO_HOLD,
		.full = XT2_NONE,
		.waiting = XT2_NONE,
		.log = { .chain = XT2_LOG_NONE },
	};
	rs->inplace->log = &c->log;
}

/* Nothing is compiled any more. */
static void stop(struct xt2_compactor *c)
{
	xt2_compact_end(&c->job);
	xt2_log_end(&c->log);
	c->phase = XT2_COMPACT_IDLE;
	c->cancelled = false;
	c->hold = NO_HOLD;
}

static void fail(struct xt2_compactor *c)
{
	stop(c);
	c->rest = REST;
}

void xt2_compactor_end(struct xt2_compactor *c)
{
	if (c->phase == XT2_COMPACT_BUILD || c->phase == XT2_COMPACT_COPY)
		pthread_join(c->thread, NULL);
	if (c->phase == XT2_COMPACT_FOLLOW)
		xt2_patch_abort(&c->edit);
	stop(c);
}

/* Places of what was compiled. */
static void drop_places(struct xt2_compactor *c)
{
	struct xt2_space *s = space_of(c);

	if (c->job.finder_at)
		xt2_space_retire(s, c->job.finder_at, c->job.finder->size);
	if (c->job.line_at)
		xt2_space_retire(s, c->job.line_at, (u64)c->job.chain->rules * sizeof(u32));
	xt2_space_retire(s, c->job.chain_at, c->job.chain->size);
	settle(c);
}

/* What was done again as well.  If that cannot be ended, its places are lost. */
static void drop_edit(struct xt2_compactor *c)
{
	u32 offset;

	if (xt2_patch_end(&c->edit, &offset)) {
		xt2_patch_abort(&c->edit);
		settle(c);
		return;
	}
	settle(c);
	while (c->old.chain)
		xt2_retire_some(space_of(c), &c->old);
	c->old = (struct xt2_retiring){ .chain = offset, .finder = c->job.finder_at };
}

/* --- chains that are due --------------------------------------------------------------- */

static bool is_due(const struct xt2_compactor *c, u32 chain)
{
	const struct xt2_chain *now = chain == XT2_NONE ? NULL : current(c, chain);
	const struct xt2_patch *p = now ? xt2_chain_patch(now) : NULL;
	const struct xt2_chain *compiled = p ? xt2_chain_compiled(image_of(c), now) : NULL;

	return p && p->inserted + p->deleted >= xt2_changes_usual(compiled->rules);
}

/* => a chain that the transaction has changed; XT2_NONE: none is due */
static u32 find_due(const struct xt2_compactor *c)
{
	const struct xt2_inplace_ *in = c->rs->inplace;
	u32 i;

	for (i = 0; i < in->changes; i++)
		if (in->changed[i] != c->chain && is_due(c, in->changed[i]))
			return in->changed[i];
	return c->phase == XT2_COMPACT_IDLE && is_due(c, c->chain) ? c->chain : XT2_NONE;
}

static bool is_another(const struct xt2_compactor *c)
{
	const struct xt2_chain *now = current(c, c->chain);

	return !now || xt2_offset(image_of(c), xt2_chain_compiled(image_of(c), now)) != c->compiled;
}

void xt2_compactor_committed(struct xt2_compactor *c)
{
	xt2_log_commit(&c->log);
	if (c->phase == XT2_COMPACT_READY) {
		c->done++;
		stop(c);
	} else if (c->phase != XT2_COMPACT_IDLE && !c->cancelled && is_another(c)) {
		c->cancelled = true;
		if (c->phase == XT2_COMPACT_BUILD && c->hold == NO_HOLD)
			c->hold = xt2_image_root(image_of(c))->generation - 1;
	}
	c->full = find_due(c);
	if (c->phase != XT2_COMPACT_IDLE && c->full != XT2_NONE)
		c->waiting = c->full;
}

/* --- steps ------------------------------------------------------------------------------ */

/* The next chain, if one is due. */
static void start(struct xt2_compactor *c)
{
	const struct xt2_image *img = image_of(c);
	const struct xt2_chain *chain;

	if (c->rest) {
		c->rest--;
		return;
	}
	c->chain = is_due(c, c->full) ? c->full : c->waiting;
	if (c->chain == c->waiting)
		c->waiting = XT2_NONE;
	if (!is_due(c, c->chain))
		return;
	chain = current(c, c->chain);
	c->compiled = xt2_offset(img, xt2_chain_compiled(img, chain));
	c->hold = xt2_image_root(img)->generation;
	c->taken = false;
	c->withheld = 0;
	xt2_compact_begin(&c->job, img, xt2_offset(img, chain),
			  xt2_image_table(img, xt2_image_root(img), chain->table)->family);
	xt2_log_begin(&c->log, c->chain);
	c->phase = XT2_COMPACT_BUILD;
	if (run(c, build))
		fail(c);
}

/*
 * Else a thread that does not come to run would have the image grow with each commit.  A long
 * patch takes it tens of milliseconds: several commits share them.
 */
static void wait_for_copy(struct xt2_compactor *c)
{
	struct timespec t = { 0, 0 };

	if (++c->withheld < WITHHELD || __atomic_load_n(&c->taken, __ATOMIC_ACQUIRE))
		return;
	t.tv_nsec = NAP * (long)(c->withheld - WITHHELD + 1);
	if (t.tv_nsec > NAP_MOST)
		t.tv_nsec = NAP_MOST;
	nanosleep(&t, NULL);
}

static void after_build(struct xt2_compactor *c)
{
	if (c->hold != NO_HOLD)
		wait_for_copy(c);
	if (__atomic_load_n(&c->taken, __ATOMIC_ACQUIRE) && !c->cancelled)
		c->hold = NO_HOLD;
	if (!joined(c))
		return;
	if (c->cancelled) {
		stop(c);
		return;
	}
	if (c->error || xt2_compact_place(&c->job, space_of(c))) {
		fail(c);
		return;
	}
	c->phase = XT2_COMPACT_COPY;
	if (run(c, copy)) {
		drop_places(c);
		fail(c);
	}
}

static void after_copy(struct xt2_compactor *c)
{
	const u64 generation = xt2_image_root(image_of(c))->generation;

	if (!joined(c))
		return;
	if (c->cancelled) {
		drop_places(c);
		stop(c);
	} else if (xt2_patch_begin(&c->edit, space_of(c), c->job.chain_at, generation)) {
		drop_places(c);
		fail(c);
	} else {
		settle(c);
		c->phase = XT2_COMPACT_FOLLOW;
	}
}

/* What packets meet at the end, and its counters, were not noted. */
static void set_tail(const struct xt2_compactor *c)
{
	const struct xt2_rule *from = xt2_chain_tail(current(c, c->chain));
	struct xt2_rule *to = xt2_chain_tail(xt2_at(image_of(c), c->ready));

	to->target = from->target;
	to->packets = from->packets;
	to->bytes = from->bytes;
}

/* => 0; -errno: see xt2_compactor_go_on() */
static int adopt(struct xt2_compactor *c)
{
	return xt2_inplace_adopt(c->rs, c->chain, c->ready, c->job.finder_at);
}

/* It says what the chain says. */
static int make_ready(struct xt2_compactor *c)
{
	const struct xt2_way *way = xt2_pages_get(&c->rs->inplace->way, c->chain);
	const struct xt2_chain *now = current(c, c->chain);

	if (!xt2_patch_items(&c->edit) &&
	    xt2_chain_tail(now)->target == xt2_chain_tail(c->edit.compiled)->target) {
		xt2_patch_drop(&c->edit);
		c->ready = c->job.chain_at;
	} else if (xt2_patch_end(&c->edit, &c->ready)) {
		xt2_patch_abort(&c->edit);
		drop_places(c);
		fail(c);
		return 0;
	}
	settle(c);
	set_tail(c);
	c->old.chain = xt2_offset(image_of(c), now);
	c->old.finder = way ? way->finder : 0;
	c->phase = XT2_COMPACT_READY;
	return adopt(c);
}

static int follow(struct xt2_compactor *c, u32 most)
{
	const struct xt2_finder *finder = c->job.finder_at ? xt2_at(image_of(c), c->job.finder_at)
							   : NULL;
	int ret = c->cancelled ? -ECANCELED : c->log.error;

	while (!ret && most--)
		ret = xt2_log_replay(&c->log, &c->edit, finder);
	settle(c);
	if (ret && ret != -ENOENT) {
		drop_edit(c);
		fail(c);
		return 0;
	}
	return c->log.waiting || c->old.chain ? 0 : make_ready(c);
}

int xt2_compactor_go_on(struct xt2_compactor *c)
{
	static void (*const step[])(struct xt2_compactor * c) = {
		[XT2_COMPACT_IDLE] = start,
		[XT2_COMPACT_BUILD] = after_build,
		[XT2_COMPACT_COPY] = after_copy,
	};

	if (c->old.chain)
		xt2_retire_some(space_of(c), &c->old);
	if (c->phase == XT2_COMPACT_FOLLOW)
		return follow(c, AT_ONCE + c->log.last + c->log.last / 8);
	step[c->phase](c);
	return 0;
}

int xt2_compactor_aborted(struct xt2_compactor *c)
{
	xt2_log_abort(&c->log);
	return c->phase == XT2_COMPACT_READY ? adopt(c) : 0;
}
