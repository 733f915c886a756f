/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-watch.c - commits to what is live, as they come
 *
 * A commit is a store to the arena, which wakes nobody.  So whoever waits for commits looks again and
 * again, at two words of the arena that is mapped all the while.  Only if these have
 * changed does it keep writers out for the moment in which it reads who was there.
 */
#include "bpf-private.h"
#include "libxt2/change/history.h"

struct xt2_live_watch {
	struct xt2_live *host; /* NULL: nothing was live */
	ino_t inode; /* of the arena's */
	u64 ruleset, generations; /* that were seen last */
};

/* => the inode of the arena that is pinned; 0: there is none */
static ino_t arena_of(const struct xt2_store *s)
{
	char path[300];
	struct stat st;

	snprintf(path, sizeof(path), "%s/arena", s->folder);
	return stat(path, &st) ? 0 : st.st_ino;
}

/* => 1: there is an arena, in w->host; 0: there is none; -errno */
static int find_arena(struct xt2_store *s, struct xt2_live_watch *w, struct xt2_err *err)
{
	const ino_t inode = arena_of(s);
	int ret;

	if (w->host && inode == w->inode)
		return 1;
	xt2_live_free(w->host);
	*w = (struct xt2_live_watch){ .inode = inode };
	if (!inode)
		return 0;
	ret = xt2_live_open(&w->host, s->folder, NULL, err);
	if (ret)
		w->host = NULL;
	return !ret ? 1 : ret == -ENOENT ? 0 : ret;
}

/* => 1: seen() was called; 0: another process is at work, or has detached; -errno */
static int look(struct xt2_store *s, struct xt2_live_watch *w, xt2_history_seen seen, void *data,
		struct xt2_err *err)
{
	const struct xt2_state *state = xt2_live_state_();
	int lock = xt2_live_folder(s->pin, XT2_STORE_LOOK, s->folder, sizeof(s->folder), err);
	struct xt2_history h;

	if (lock < 0)
		return lock == -EAGAIN || lock == -ENOENT ? 0 : lock;
	w->ruleset = __atomic_load_n(&state->ruleset, __ATOMIC_ACQUIRE);
	w->generations = state->generations;
	w->host->ruleset = w->ruleset;
	xt2_live_history_(w->host, &h);
	seen(data, &h);
	xt2_live_leave(s->folder, lock);
	return 1;
}

int xt2_live_watch_(struct xt2_store *s, xt2_history_seen seen, void *data, struct xt2_err *err)
{
	const struct xt2_state *state = xt2_live_state_();
	struct xt2_live_watch *w;
	int ret;

	if (!s->watch)
		s->watch = calloc(1, sizeof(*s->watch));
	w = s->watch;
	if (!w)
		return xt2_err_no_memory(err, "");
	ret = find_arena(s, w, err);
	if (ret <= 0)
		return ret;
	if (__atomic_load_n(&state->ruleset, __ATOMIC_ACQUIRE) == w->ruleset &&
	    __atomic_load_n(&state->generations, __ATOMIC_RELAXED) == w->generations)
		return 0;
	return look(s, w, seen, data, err);
}

void xt2_live_end_watch_(struct xt2_store *s)
{
	if (s->watch)
		xt2_live_free(s->watch->host);
	free(s->watch);
	s->watch = NULL;
}
