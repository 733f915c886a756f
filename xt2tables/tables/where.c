/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * where.c - the ruleset that a program with iptables' interface works on
 *
 * An image file instead of the kernel's tables, or with --live what BPF programs
 * evaluate.  A change holds the lock from reading the old ruleset until the new
 * one is stored.  Messages that scripts look for, and exit codes, are iptables'.
 */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xtables.h>
#include "engine/image.h"
#include "libxt2/ruleset/inplace.h"
#include "libxt2/store/edit-file.h"
#include "past-text.h"
#include "where.h"
#include "whole-tables.h"
#include "xt2tables/files/short-file.h"
#include "xt2tables/files/usage.h"
#include "xt2tables/live/live-refused.h"
#include "xt2tables/live/live-trace.h"

int xt2_where_status(int error)
{
	static const int resources[] = { ENOMEM, EAGAIN, ENOSPC, EDQUOT, EFBIG,	      EIO,
					 EROFS,	 EACCES, EPERM,	 ENOENT, ENOTDIR,     EISDIR,
					 ELOOP,	 ENXIO,	 EMFILE, ENFILE, ENAMETOOLONG };
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(resources); i++)
		if (error == -resources[i])
			return RESOURCE_PROBLEM;
	return OTHER_PROBLEM;
}

static void tell(const struct xt2_where *w, const struct xt2_err *err)
{
	if (w->report)
		w->report(w->data, err);
	else
		xt2_err_print(err, stderr);
}

int xt2_where_problem(const struct xt2_where *w, struct xt2_err *err, int error)
{
	if ((error == -EACCES || error == -EROFS) && !err->hint[0])
		snprintf(err->hint, sizeof(err->hint),
			 "an image of your own: --image FILE or XT2_IMAGE=FILE; only looking: "
			 "xt2 check");
	tell(w, err);
	return xt2_where_status(error);
}

static int failed(const struct xt2_where *w, struct xt2_err *err, int error)
{
	if (w->store.kind == XT2_STORE_FILE)
		return xt2_where_problem(w, err, error);
	tell(w, err);
	return xt2_exit_live(err);
}

/* --- options ------------------------------------------------------------------ */

bool xt2_where_option(struct xt2_where *w, int c, const char *arg)
{
	switch (c) {
	case XT2_WHERE_IMAGE: w->store.path = arg; return true;
	case XT2_WHERE_LIVE: w->store.kind = XT2_STORE_LIVE; return true;
	case XT2_WHERE_NETNS: w->store.netns = arg; return true;
	case XT2_WHERE_PIN: w->store.pin = arg; return true;
	case XT2_WHERE_HOST: w->store.host = arg; return true;
	case XT2_WHERE_IF_GENERATION: w->expected = arg; return true;
	case XT2_WHERE_OWNER: w->owner = arg; return true;
	case XT2_WHERE_REASON: w->reason = arg; return true;
	case XT2_WHERE_FORCE: w->force = true; return true;
	}
	return false;
}

bool xt2_where_generation(const char *text, __u64 *n)
{
	char *end;

	errno = 0;
	*n = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

const char *xt2_where_author(struct xt2_where *w, const char *owner, const char *reason)
{
	struct xt2_author a = w->store.author;
	const char *wrong;

	a.owner = owner;
	a.reason = reason;
	wrong = xt2_author_wrong(&a);
	if (!wrong)
		w->store.author = a;
	return wrong;
}

int xt2_where_end(struct xt2_where *w, int family)
{
	struct xt2_store *s = &w->store;
	const bool live = s->kind != XT2_STORE_FILE;
	const char *wrong = NULL, *author;
	__u64 expected;

	w->owner = xt2_author_owner(w->owner);
	author = xt2_where_author(w, w->owner, w->reason);
	if (live)
		s->kind = xt2_store_live_kind(s);
	if (live && s->path)
		wrong = "--live and --image exclude each other";
	else if (s->host && !xt2_store_is_host(s->host))
		wrong = "--host is bpf or kernel";
	else if (s->kind == XT2_STORE_KERNEL && s->pin)
		wrong = "--host kernel has no --pin";
	else if (s->kind == XT2_STORE_LIVE && family == XT2_ARP)
		wrong = "--live is for IPv4 and IPv6";
	else if (!live && (s->netns || s->pin))
		wrong = "--netns and --pin are for --live";
	else if (!live && s->host)
		wrong = "--host is for --live";
	else if (s->path && !*s->path)
		wrong = "--image needs a name";
	else if (w->expected && !xt2_where_generation(w->expected, &expected))
		wrong = "--if-generation needs a number";
	else
		wrong = author;
	if (wrong)
		fprintf(stderr, "%s: %s\n", w->name, wrong);
	if (!live) {
		s->path = xt2_image_path(s->path);
		xt2_short_file_fails(w->name, s->path, RESOURCE_PROBLEM);
	}
	return wrong ? PARAMETER_PROBLEM : -1;
}

/* --- opening ------------------------------------------------------------------ */

static int busy(const struct xt2_where *w)
{
	static const char held[] = "Another app is currently holding the xtables lock.";
	struct xt2_err err = { .code = XT2_E_SYSTEM, .errnum = EAGAIN };

	if (w->wait)
		snprintf(err.message, sizeof(err.message), "%s Stopped waiting after %ds.", held,
			 w->wait);
	else
		snprintf(err.message, sizeof(err.message),
			 "%s Perhaps you want to use the -w option?", held);
	if (w->report)
		w->report(w->data, &err);
	else
		fprintf(stderr, "%s\n", err.message);
	return RESOURCE_PROBLEM;
}

/* Of an image iptables' own words say enough. */
static int lock_failed(const struct xt2_where *w, struct xt2_err *err, int ret)
{
	int status = RESOURCE_PROBLEM;

	if (ret != -EAGAIN || w->store.kind != XT2_STORE_FILE)
		status = failed(w, err, ret);
	return ret == -EAGAIN ? busy(w) : status;
}

void xt2_where_history(const struct xt2_where *w, struct xt2_history *h)
{
	const struct xt2_ruleset *rs = w->base ? w->base : w->in_place ? w->rs : NULL;
	const struct xt2_image *img = rs ? rs->inplace->img : w->map.image;

	*h = (struct xt2_history){ .fd = -1 };
	if (img && img->root)
		xt2_history_begin(h, img, -1, img->size, img->root);
}

void xt2_where_last(const struct xt2_where *w, char *text)
{
	struct xt2_history h;
	struct xt2_past past;

	*text = '\0';
	xt2_where_history(w, &h);
	if (xt2_history_next(&h, &past) && past.commit.generation == w->generation)
		xt2_past_circumstances(&past, text);
}

static const char *place_of(const struct xt2_where *w)
{
	return w->store.path ? w->store.path : "the live ruleset";
}

/* Nobody else can change it any more.  => 0, XT2_WHERE_CONFLICT */
static int check_generation(const struct xt2_where *w)
{
	struct xt2_err err = { .code = XT2_E_SYSTEM, .errnum = ESTALE };
	char last[XT2_PAST_TEXT];
	__u64 expected;

	if (!w->expected ||
	    (xt2_where_generation(w->expected, &expected) && expected == w->generation))
		return 0;
	xt2_where_last(w, last);
	snprintf(err.message, sizeof(err.message),
		 "%.200s: generation %llu is there, not %s: nothing was changed%s%s", place_of(w),
		 (unsigned long long)w->generation, w->expected, *last ? "; it was made by " : "",
		 last);
	snprintf(err.hint, sizeof(err.hint), "read the ruleset again, and decide anew");
	tell(w, &err);
	return XT2_WHERE_CONFLICT;
}

/* Whether the file was believed to be as the last change has left it. */
static void tell_trust(const struct xt2_where *w)
{
	const struct xt2_store *s = &w->store;

	if (!w->verbose || s->kind != XT2_STORE_FILE)
		return;
	if (s->whole)
		fprintf(stderr, "%s: %s: checked whole: %s\n", w->name, s->path, s->whole);
	else
		fprintf(stderr, "%s: %s: checked as far as it was changed last\n", w->name,
			s->path);
}

static int open_store(struct xt2_where *w, enum xt2_store_access access)
{
	const struct xt2_store *s = &w->store;
	struct xt2_err err = { 0 };
	int ret;

	if (w->test)
		access = XT2_STORE_LOOK;
	if (w->whole || w->replaces || w->test)
		ret = xt2_store_lock(&w->store, access, w->wait, &err);
	else
		ret = xt2_store_lock_shared(&w->store, access, w->wait, &err);
	if (ret && !(ret == -ENOENT && access == XT2_STORE_LOOK))
		return lock_failed(w, &err, ret);
	w->generation = 0;
	w->done = w->unread && !w->test && !w->expected && !w->owner &&
		  !w->unread(w, w->unread_data);
	if (w->done)
		return 0;
	if (w->replaces && !w->test) {
		ret = xt2_whole_begin(&w->store, &w->base, &w->rs, &err);
		if (!ret)
			w->generation = w->base->generation;
		if (ret <= 0)
			return ret ? failed(w, &err, ret) : 0;
	}
	ret = w->whole || w->test ? 1 : xt2_store_edit(&w->store, &w->rs, &err);
	w->in_place = !ret;
	if (ret >= 0)
		tell_trust(w);
	if (!ret) {
		w->generation = w->rs->generation;
		return 0;
	}
	if (ret < 0 && ret != -ENOENT)
		return failed(w, &err, ret);
	ret = xt2_store_load(s, place_of(w), &w->rs, &w->map, &err);
	if (!w->rs)
		err.message[0] = '\0'; /* the errno says enough */
	if (ret)
		return failed(w, &err, ret);
	if (w->map.image && w->map.image->root)
		w->generation = xt2_image_root(w->map.image)->generation;
	return 0;
}

int xt2_where_act(struct xt2_where *w, const char *owner)
{
	struct xt2_err err = { .code = XT2_E_LIMIT, .errnum = E2BIG };
	int ret;

	if (!w->rs)
		return 0;
	ret = xt2_ruleset_act(w->rs, owner);
	if (!ret && w->base)
		ret = xt2_ruleset_act(w->base, owner);
	if (!ret)
		return 0;
	snprintf(err.message, sizeof(err.message), "%.200s: %s", place_of(w),
		 ret == -E2BIG ? "the chains have too many owners" : strerror(-ret));
	return failed(w, &err, ret);
}

/* => 0; XT2_WHERE_OWNED: a chain of somebody else would change */
static int check_owners(const struct xt2_where *w, const struct xt2_ruleset *rs)
{
	const struct xt2_trespass *t = xt2_ruleset_trespass(rs);
	struct xt2_err err = { .code = XT2_E_SYSTEM, .errnum = EPERM };

	if (!t || w->force)
		return 0;
	snprintf(err.message, sizeof(err.message),
		 "%.200s: chain %s of table %s belongs to %s: nothing was changed", place_of(w),
		 t->chain, t->table, t->owner);
	snprintf(err.hint, sizeof(err.hint), "--owner %s, if you are that, or --force", t->owner);
	tell(w, &err);
	return XT2_WHERE_OWNED;
}

int xt2_where_open(struct xt2_where *w, enum xt2_store_access access)
{
	int status = open_store(w, access);

	if (!status)
		status = check_generation(w);
	return status ? status : xt2_where_act(w, w->owner);
}

int xt2_where_trouble(const struct xt2_where *w)
{
	const int error = w->in_place ? xt2_inplace_error(w->rs) : 0;
	struct xt2_err err = { .code = XT2_E_SYSTEM, .errnum = -error };

	if (!error)
		return 0;
	snprintf(err.message, sizeof(err.message), "%.200s: %s", place_of(w), strerror(-error));
	return failed(w, &err, error);
}

static void forget(struct xt2_where *w)
{
	xt2_ruleset_free(w->rs);
	xt2_ruleset_free(w->base);
	xt2_store_end_edit(&w->store);
	w->rs = w->base = NULL;
	w->in_place = false;
}

void xt2_where_close(struct xt2_where *w)
{
	forget(w);
	xt2_store_unlock(&w->store);
	xt2_image_close(&w->map);
	memset(&w->map, 0, sizeof(w->map));
}

/* --- storing ------------------------------------------------------------------ */

/* Reports all that cannot be live.  => exit status */
static int check_live(const struct xt2_where *w, const struct xt2_mapping *map)
{
	const bool file = w->source && strcmp(w->source, "-");
	struct xt2_refused list = { .rs = w->rs,
				    .image = map->image,
				    .path = file	? w->source
					    : w->source ? "<stdin>"
							: w->name,
				    .forced = true, /* the commit knows if it is */
				    .text = w->source != NULL,
				    .max = XT2_REFUSALS_MAX,
				    .report = w->report,
				    .data = w->data };
	int ret = xt2_live_refused(&list);

	if (list.more && !w->report)
		fprintf(stderr, "%s: %s\n", list.path, list.rest);
	return ret;
}

/* Of tables that are replaced, all that they had goes. */
static void count_changes(struct xt2_where *w)
{
	struct xt2_changes *n = &w->store.author.changes;
	int table, chain;

	xt2_ruleset_changes(w->rs, n);
	for (table = 0; w->base && table < xt2_ruleset_tables(w->base); table++) {
		if (!w->changed[table])
			continue;
		xt2_table_for_each_chain(chain, w->base, table) {
			n->rules_gone += xt2_chain_rules(w->base, chain);
			n->chains_gone += xt2_chain_hook(w->base, chain) < 0;
		}
	}
}

/* => exit status */
static int commit(struct xt2_where *w, const struct xt2_mapping *map)
{
	struct xt2_err err = { .code = XT2_E_SYSTEM, .errnum = ENOMEM };
	const bool live = w->store.kind != XT2_STORE_FILE;
	__u32 *was = NULL;
	int ret = -ENOMEM;

	if (w->store.live_edit)
		was = xt2_store_trace_edit(&w->store, w->base ? w->base : w->rs, map->image,
					   w->changed, w->base);
	else if (live)
		was = xt2_live_trace(w->rs, &w->map, map, w->changed);
	count_changes(w);
	if (live && was)
		ret = xt2_store_own(&w->store, w->rs, &err);
	if (live)
		forget(w); /* what it was edited in is about to go */
	else
		w->store.author.ruleset = w->rs;
	if (!live || !ret)
		ret = xt2_store_commit(&w->store, map, &(struct xt2_store_counters){ .was = was },
				       &err);
	free(was);
	if (!ret)
		w->generation = live ? w->store.generation : xt2_image_root(map->image)->generation;
	return ret ? failed(w, &err, ret) : 0;
}

/* => bytes behind the image that a commit which was killed has left */
static unsigned long long torn_bytes(const struct xt2_where *w)
{
	return w->store.edit ? xt2_edit_file_torn(w->store.edit) : 0;
}

/* => 0; 1: all has to be stored; XT2_WHERE_WRONG; -errno: err says why */
static int commit_edit(struct xt2_where *w, struct xt2_err *err)
{
	const unsigned long long torn = torn_bytes(w);
	int ret = w->base ? xt2_whole_commit(&w->store, w->base, w->rs, w->changed, w->force, err)
			  : xt2_store_commit_edit(&w->store, w->rs, w->check, err);

	if (!ret)
		w->generation = (w->base ? w->base : w->rs)->generation;
	if (!ret && torn && !torn_bytes(w))
		fprintf(stderr,
			"xt2: %s: %llu bytes of a change that was not finished are cut off\n",
			w->store.path, torn);
	return ret == -ECANCELED ? XT2_WHERE_WRONG : ret;
}

int xt2_where_commit(struct xt2_where *w)
{
	struct xt2_err err = { 0 };
	struct xt2_mapping map;
	int ret = 1, status = check_owners(w, w->rs);

	if (status)
		return status;
	if (w->in_place || w->base)
		ret = commit_edit(w, &err);
	if (!ret || (ret == XT2_WHERE_WRONG && w->in_place))
		return ret;
	status = check_owners(w, ret == XT2_WHERE_WRONG ? w->base : w->rs);
	if (status)
		return status;
	if (ret > 0)
		ret = xt2_ruleset_write(w->rs, &map, &err);
	if (ret < 0)
		return xt2_where_problem(w, &err, ret);
	if (w->store.kind == XT2_STORE_LIVE)
		status = check_live(w, &map);
	if (!status && !w->test)
		status = commit(w, &map);
	xt2_image_close(&map);
	return status;
}
