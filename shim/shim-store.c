/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shim-store.c - the image file that answers the sockopts
 *
 * iptables asks four times for each change: GET_INFO, GET_ENTRIES, REPLACE,
 * ADD_COUNTERS.  The ruleset is therefore kept as long as the file is the same.
 * Images are replaced, never written to, so the file is known by its inode,
 * which is held open to keep the number from being given away again; size and time are
 * compared for programs that write in place.
 *
 * A change is packed, stored, and loaded from its own bytes: the file and what
 * is kept here are then the same, and the next image counts on from it.
 *
 * Updates that would be lost: a process that was told the entries of a table
 * leaves a note.  As long as the ruleset stays what it was the note says
 * nothing more; before it becomes another one the notes get the table's digest,
 * and a REPLACE whose digest no longer holds is answered EAGAIN.  So where the
 * lock is held all the time, as it should be, nothing is ever digested.  The
 * same answer gets who was told numbers of ipsets that are no longer theirs.
 */
#include "shim-store.h"
#include "sets-told.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_LEN  32 /* of a table, in all families' structures */
#define FNV_BASIS 14695981039346656037ull
#define FNV_PRIME 1099511628211ull

/* What a process knows. */
struct note {
	__u64 who;
	int family;
	char table[NAME_LEN];
	int settled; /* digest is set: the ruleset has been another one since */
	__u64 digest;
	struct xt2_told_sets sets;
};

struct xt2_shim_store {
	struct xt2_store image;
	char *path; /* the image's */
	int loaded;
	struct xt2_ruleset *rs;
	struct xt2_mapping map; /* what rs was loaded from */
	int pin; /* of the file, -1: there is none */
	struct stat stamp;
	struct note *note;
	size_t notes;
};

/* --- the file ----------------------------------------------------------- */

struct xt2_shim_store *xt2_shim_store_new(const char *path)
{
	struct xt2_shim_store *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	store->pin = -1;
	store->image.path = store->path = strdup(path);
	if (store->path)
		return store;
	free(store);
	return NULL;
}

static void settle(struct xt2_shim_store *store);
static void remove_note(struct xt2_shim_store *store, struct note *note);

/* Forget the ruleset, but not its state for processes that left notes. */
static void drop(struct xt2_shim_store *store)
{
	if (store->loaded)
		settle(store);
	xt2_ruleset_free(store->rs);
	xt2_image_close(&store->map);
	if (store->pin >= 0)
		close(store->pin);
	store->rs = NULL;
	store->pin = -1;
	store->loaded = 0;
}

void xt2_shim_store_free(struct xt2_shim_store *store)
{
	if (!store)
		return;
	while (store->notes)
		remove_note(store, store->note);
	drop(store);
	xt2_shim_store_unlock(store);
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
	return xt2_store_lock(&store->image, XT2_STORE_CHANGE, wait, err);
}

void xt2_shim_store_unlock(struct xt2_shim_store *store)
{
	xt2_store_unlock(&store->image);
}

static int current(const struct xt2_shim_store *store)
{
	const struct stat *was = &store->stamp;
	struct stat is;

	if (!store->loaded)
		return 0;
	if (stat(store->path, &is))
		return store->pin < 0 && errno == ENOENT;
	return store->pin >= 0 && is.st_dev == was->st_dev && is.st_ino == was->st_ino &&
	       is.st_size == was->st_size && is.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	       is.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

/* Remember which file the ruleset is that of; if it is not known, it is read again. */
static void pin(struct xt2_shim_store *store)
{
	store->pin = open(store->path, O_PATH | O_CLOEXEC);
	store->loaded = 1;
	if (store->pin >= 0 && fstat(store->pin, &store->stamp)) {
		close(store->pin);
		store->pin = -1;
	}
}

int xt2_shim_store_load(struct xt2_shim_store *store, struct xt2_err *err)
{
	int ret;

	if (current(store))
		return 0;
	drop(store);
	pin(store); /* first: if the file changes now, the next call sees it */
	store->rs = xt2_ruleset_new();
	ret = store->rs ? xt2_store_read(&store->image, false, &store->map, err) : -ENOMEM;
	if (ret == -ENOENT && store->pin < 0)
		return 0;
	if (ret >= 0)
		ret = xt2_ruleset_load(store->rs, store->map.image, store->map.size);
	if (ret == -ENOMEM)
		xt2_shim_fail(err, store->path, ENOMEM, "cannot load the image");
	if (ret >= 0)
		return 0;
	store->loaded = 0;
	drop(store);
	return ret;
}

/* Errors of packing name a rule; whose file it is they cannot know. */
static int named(struct xt2_shim_store *store, struct xt2_err *err, int ret)
{
	if (err && !err->file[0])
		snprintf(err->file, sizeof(err->file), "%s", store->path);
	return ret;
}

/*
 * The changed ruleset becomes the file.  On failure it is forgotten.
 * => 0, -errno
 */
static int commit(struct xt2_shim_store *store, struct xt2_err *err)
{
	struct xt2_mapping map;
	struct xt2_ruleset *rs = NULL;
	int ret = xt2_ruleset_write(store->rs, &map, err);

	if (ret >= 0) {
		rs = xt2_ruleset_new();
		ret = rs ? xt2_ruleset_load(rs, map.image, map.size) : -ENOMEM;
		if (ret < 0)
			xt2_shim_fail(err, store->path, -ret, "cannot pack the ruleset");
		else
			ret = xt2_store_commit(&store->image, &map, NULL, err);
		if (ret < 0)
			xt2_image_close(&map);
	}
	store->loaded = 0; /* the notes are settled already */
	drop(store);
	if (ret < 0) {
		xt2_ruleset_free(rs);
		return named(store, err, ret);
	}
	store->rs = rs;
	store->map = map;
	pin(store);
	return 0;
}

/* --- notes -------------------------------------------------------------- */

static __u64 fold(__u64 hash, const void *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * FNV_PRIME;
	return hash;
}

/* Of ipsets it is the names that count. */
static int fold_name(void *data, const char *name)
{
	__u64 *hash = data;

	*hash = fold(*hash, name, strlen(name) + 1);
	return 0;
}

/* => 0: there is no such table, or it cannot be told apart */
static __u64 digest(const struct xt2_shim_store *store, const struct note *note)
{
	int table = xt2_table_find(store->rs, note->family, note->table);
	__u64 hash = FNV_BASIS;
	const struct xt2_sockopt_sets sets = { .number = fold_name, .data = &hash };
	void *blob;
	size_t len;

	if (table < 0 || xt2_table_write_replace(store->rs, table, 0, &sets, &blob, &len, NULL))
		return 0;
	hash = fold(hash, blob, len);
	free(blob);
	return hash ? hash : 1;
}

static void settle(struct xt2_shim_store *store)
{
	size_t i;

	for (i = 0; i < store->notes; i++) {
		struct note *n = &store->note[i];

		if (n->settled)
			continue;
		n->digest = digest(store, n);
		n->settled = 1;
	}
}

static struct note *find(struct xt2_shim_store *store, const struct note *like)
{
	size_t i;

	for (i = 0; i < store->notes; i++) {
		struct note *n = &store->note[i];

		if (n->who == like->who && n->family == like->family &&
		    !strcmp(n->table, like->table))
			return n;
	}
	return NULL;
}

/* All structures of the sockopts begin with the table's name.  => 0, -errno */
static int about(const struct xt2_call *call, struct note *note)
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

static int take_note(struct xt2_shim_store *store, const struct note *note)
{
	struct note *n = find(store, note);

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

static void remove_note(struct xt2_shim_store *store, struct note *note)
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

static int set(struct xt2_shim_store *store, struct xt2_call *call, struct xt2_err *err)
{
	struct note about_it, *note = NULL;
	int ret;

	if (!store->image.locked)
		return -EAGAIN;
	if (xt2_call_kind(call) == XT2_CALL_REPLACE && !about(call, &about_it))
		note = find(store, &about_it);
	if (note && note->settled && (!note->digest || note->digest != digest(store, note)))
		return -EAGAIN;
	if (note && !xt2_told_sets_hold(&note->sets, call->caller->sets))
		return -EAGAIN;
	if (note) /* whatever comes of it: the caller knows that he changes the table */
		remove_note(store, note);
	settle(store);
	ret = xt2_sockopt_set(store->rs, call->caller, call->level, call->name, call->value,
			      call->len, err);
	return ret > 0 ? commit(store, err) : ret;
}

/* Settled notes are those of others; a table that is new changes nothing for them. */
static int get(struct xt2_shim_store *store, struct xt2_call *call, struct xt2_err *err)
{
	int ret, noted = -1;
	struct xt2_sockopt_caller caller = *call->caller;
	struct xt2_sockopt_sets sets;
	struct note note;

	if (xt2_call_kind(call) == XT2_CALL_ENTRIES)
		noted = about(call, &note);
	if (!noted && caller.sets) {
		sets = xt2_told_sets(&note.sets, caller.sets);
		caller.sets = &sets;
	}
	ret = xt2_sockopt_get(store->rs, &caller, call->level, call->name, call->value, &call->len,
			      err);
	if (ret > 0 && store->image.locked) {
		settle(store);
		if (commit(store, NULL) < 0 && (ret = xt2_shim_store_load(store, err)) < 0)
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
	int ret = xt2_shim_store_load(store, err);

	if (ret < 0)
		return ret;
	ret = call->set ? set(store, call, err) : get(store, call, err);
	/* Of rules that are all right but for these formats the program knows nothing to say. */
	return ret < 0 && err && err->code == XT2_E_UNSUPPORTED ? named(store, err, ret) : ret;
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
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}
