/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shim-store.c - the store that answers the sockopts
 *
 * iptables asks four times for each change: GET_INFO, GET_ENTRIES, REPLACE,
 * ADD_COUNTERS.  The ruleset is therefore kept as long as it is what is stored,
 * which the kinds of stores find out: shim-image.c, shim-live.c.
 *
 * Updates that would be lost: a process that was told the entries of a table
 * leaves a note.  As long as the ruleset stays what it was the note says
 * nothing more; before it becomes another one the notes get the table's digest,
 * and a REPLACE whose digest no longer holds is answered EAGAIN.  So where the
 * lock is held all the time, as it should be, nothing is ever digested.  The
 * same answer gets who was told numbers of ipsets that are no longer theirs.
 */
#include "shim-kinds.h"
#include "sets-told.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEN  32 /* of a table, in all families' structures */
#define FNV_PRIME 1099511628211ull

/* What a process knows. */
struct xt2_shim_note {
	__u64 who;
	int family;
	char table[NAME_LEN];
	int settled; /* digest is set: the ruleset has been another one since */
	__u64 digest;
	struct xt2_told_sets sets;
};

/* --- the store ---------------------------------------------------------- */

struct xt2_shim_store *xt2_shim_store_make_(const struct xt2_shim_kind *how, const char *path)
{
	struct xt2_shim_store *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	store->how = how;
	store->pin = -1;
	store->path = path ? strdup(path) : NULL;
	store->kept.path = store->path;
	if (store->path || !path)
		return store;
	free(store);
	return NULL;
}

static void settle(struct xt2_shim_store *store);
static void remove_note(struct xt2_shim_store *store, struct xt2_shim_note *note);

void xt2_shim_store_drop_(struct xt2_shim_store *store)
{
	if (store->loaded)
		settle(store);
	xt2_ruleset_free(store->rs);
	xt2_image_close(&store->map);
	if (store->how->forget)
		store->how->forget(store);
	store->rs = NULL;
	store->loaded = 0;
}

void xt2_shim_store_free(struct xt2_shim_store *store)
{
	if (!store)
		return;
	while (store->notes)
		remove_note(store, store->note);
	xt2_shim_store_unlock(store);
	xt2_shim_store_drop_(store);
	free(store->note);
	free(store->path);
	free(store);
}

int xt2_shim_fail(struct xt2_err *err, const char *path, int errnum, const char *what)
{
	if (err) {
		memset(err, 0, sizeof(*err));
		err->code = XT2_E_SYSTEM;
		err->errnum = errnum;
		snprintf(err->message, sizeof(err->message), "%s: %s", what, strerror(errnum));
		snprintf(err->file, sizeof(err->file), "%s", path);
	}
	return -errnum;
}

int xt2_shim_store_lock(struct xt2_shim_store *store, int wait, struct xt2_err *err)
{
	int ret = xt2_store_lock(&store->kept, store->how->access, wait, err);

	return ret ? xt2_shim_named_(store, err, ret) : 0;
}

void xt2_shim_store_unlock(struct xt2_shim_store *store)
{
	if (store->kept.locked && store->how->leave)
		store->how->leave(store);
	xt2_store_unlock(&store->kept);
}

int xt2_shim_store_load(struct xt2_shim_store *store, struct xt2_err *err)
{
	return store->how->refresh(store, XT2_CALL_INFO, err);
}

/* Errors of packing name a rule; whose file it is they cannot know. */
int xt2_shim_named_(const struct xt2_shim_store *store, struct xt2_err *err, int ret)
{
	if (err && !err->file[0])
		snprintf(err->file, sizeof(err->file), "%s",
			 store->path ? store->path : "the live ruleset");
	return ret;
}

/* --- notes -------------------------------------------------------------- */

__u64 xt2_shim_fold_(__u64 hash, const void *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * FNV_PRIME;
	return hash;
}

/* => the table that a note is about; < 0: it is not there */
static int table_of(const struct xt2_shim_store *store, const struct xt2_shim_note *note)
{
	return xt2_table_find(store->rs, note->family, note->table);
}

/* => 0: there is no such table, or it cannot be told apart */
static __u64 digest(const struct xt2_shim_store *store, const struct xt2_shim_note *note)
{
	int table = table_of(store, note);

	return table < 0 ? 0 : store->how->digest(store, table);
}

static void settle(struct xt2_shim_store *store)
{
	size_t i;

	for (i = 0; i < store->notes; i++) {
		struct xt2_shim_note *n = &store->note[i];

		if (n->settled)
			continue;
		n->digest = digest(store, n);
		n->settled = 1;
	}
}

static struct xt2_shim_note *find(struct xt2_shim_store *store, const struct xt2_shim_note *like)
{
	size_t i;

	for (i = 0; i < store->notes; i++) {
		struct xt2_shim_note *n = &store->note[i];

		if (n->who == like->who && n->family == like->family &&
		    !strcmp(n->table, like->table))
			return n;
	}
	return NULL;
}

/* All structures of the sockopts begin with the table's name.  => 0, -errno */
static int about(const struct xt2_call *call, struct xt2_shim_note *note)
{
	memset(note, 0, sizeof(*note));
	note->who = call->who;
	note->family = xt2_sockopt_family(call->level, call->name, call->set);
	if (call->len < NAME_LEN)
		return -EINVAL;
	if (call->caller->read(call->caller->data, call->value, note->table, NAME_LEN))
		return -EFAULT;
	note->table[NAME_LEN - 1] = '\0';
	return 0;
}

static int take_note(struct xt2_shim_store *store, const struct xt2_shim_note *note)
{
	struct xt2_shim_note *n = find(store, note);

	if (n) {
		xt2_told_sets_free(&n->sets);
	} else {
		n = realloc(store->note, (store->notes + 1) * sizeof(*n));
		if (!n)
			return -ENOMEM;
		store->note = n;
		n += store->notes++;
	}
	*n = *note;
	return 0;
}

static void remove_note(struct xt2_shim_store *store, struct xt2_shim_note *note)
{
	xt2_told_sets_free(&note->sets);
	*note = store->note[--store->notes];
}

void xt2_shim_store_forget(struct xt2_shim_store *store, __u64 who)
{
	size_t i = 0;

	while (i < store->notes)
		if (store->note[i].who == who)
			remove_note(store, &store->note[i]);
		else
			i++;
}

/* --- calls -------------------------------------------------------------- */

int xt2_call_kind(const struct xt2_call *call)
{
	/* Each family has 32 numbers and begins with the same four calls. */
	switch (call->name & 31) {
	case 0: return call->set ? XT2_CALL_REPLACE : XT2_CALL_INFO;
	case 1: return call->set ? XT2_CALL_COUNTERS : XT2_CALL_ENTRIES;
	}
	return XT2_CALL_FREE;
}

/* Is the table what the process was told?  One that is not stored is what it was made up as. */
static bool holds(struct xt2_shim_store *store, const struct xt2_shim_note *note)
{
	if (!note->settled)
		return true;
	if (!store->how->keeps_tables && xt2_table_hooks(note->family, note->table) &&
	    table_of(store, note) < 0)
		xt2_table_add(store->rs, note->family, note->table, NULL);
	return note->digest && note->digest == digest(store, note);
}

static int set(struct xt2_shim_store *store, struct xt2_call *call, struct xt2_err *err)
{
	struct xt2_shim_note about_it = { .family = 0 }, *note = NULL;
	int ret;

	if (!store->kept.locked)
		return -EAGAIN;
	if (!about(call, &about_it) && xt2_call_kind(call) == XT2_CALL_REPLACE)
		note = find(store, &about_it);
	if (note && (!holds(store, note) || !xt2_told_sets_hold(&note->sets, call->caller->sets)))
		return -EAGAIN;
	if (note) /* whatever comes of it: the caller knows that he changes the table */
		remove_note(store, note);
	settle(store);
	if (xt2_call_kind(call) == XT2_CALL_COUNTERS && store->how->counters)
		return store->how->counters(store, call, table_of(store, &about_it), err);
	ret = xt2_sockopt_set(store->rs, call->caller, call->level, call->name, call->value,
			      call->len, err);
	return ret > 0 ? store->how->commit(store, table_of(store, &about_it), err) : ret;
}

/* Settled notes are those of others; a table that is new changes nothing for them. */
static int get(struct xt2_shim_store *store, struct xt2_call *call, struct xt2_err *err)
{
	int ret, noted = -1;
	struct xt2_sockopt_caller caller = *call->caller;
	struct xt2_sockopt_sets sets;
	struct xt2_shim_note note;

	if (xt2_call_kind(call) == XT2_CALL_ENTRIES)
		noted = about(call, &note);
	if (!noted && caller.sets) {
		sets = xt2_told_sets(&note.sets, caller.sets);
		caller.sets = &sets;
	}
	ret = xt2_sockopt_get(store->rs, &caller, call->level, call->name, call->value, &call->len,
			      err);
	if (ret > 0 && store->kept.locked && store->how->keeps_tables) {
		settle(store);
		if (store->how->commit(store, -1, NULL) < 0 &&
		    (ret = xt2_shim_store_load(store, err)) < 0)
			return ret;
	}
	if (ret >= 0 && !noted)
		ret = take_note(store, &note);
	if (ret < 0 && !noted)
		xt2_told_sets_free(&note.sets);
	return ret < 0 ? ret : 0;
}

int xt2_shim_store_call(struct xt2_shim_store *store, struct xt2_call *call, struct xt2_err *err)
{
	int ret = store->how->refresh(store, xt2_call_kind(call), err);

	if (ret < 0)
		return ret;
	ret = call->set ? set(store, call, err) : get(store, call, err);
	/* Of rules that are all right but for these formats the program knows nothing to say. */
	return ret < 0 && err && err->code == XT2_E_UNSUPPORTED ? xt2_shim_named_(store, err, ret)
								: ret;
}

int xt2_shim_store_beside(const struct xt2_shim_store *store, int family, const char *table)
{
	return store->how->beside && store->how->beside(store, family, table);
}

char *xt2_shim_store_names(struct xt2_shim_store *store, int family, size_t *len)
{
	char *text = NULL;
	FILE *to;
	int i;

	if (xt2_shim_store_load(store, NULL) < 0)
		return NULL;
	to = open_memstream(&text, len);
	if (!to)
		return NULL;
	for (i = xt2_ruleset_tables(store->rs) - 1; i >= 0; i--)
		if (xt2_table_family(store->rs, i) == family)
			fprintf(to, "%s\n", xt2_table_name(store->rs, i));
	if (store->how->names)
		store->how->names(store, family, to);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}
