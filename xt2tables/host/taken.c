/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * taken.c - the kernel's tables that a live ruleset has taken over
 *
 * While xt2's ruleset is live, tables of iptables-legacy and iptables-nft with the same rules
 * would count, drop and translate a second time.  They are emptied once it is live, so no packet
 * meets neither, and given back before it is detached.
 *
 * What they had is in a file under /run, one for each network namespace, which is replaced as a whole before
 * each step.  It says of each table how far the step has come, so whoever finds it after a
 * kill knows what to do:
 *
 *	begun      not emptied yet; emptied if the ruleset became live, else forgotten
 *	emptying   the ruleset is live: emptied, if it is not yet
 *	over       it is empty
 *	returning  it may have been given back: emptied again by a command that goes on with what is
 *	           live, given back by xt2 detach
 *
 * A table is only emptied while it says what is remembered, and only filled while it is empty:
 * rules that others have added are never lost.
 *
 * The file: a line "xt2-taken 1 DIGEST"; then for each table a line "STATE PROGRAM TABLE BYTES" and
 * so many bytes of text, as PROGRAM-save -c printed it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "engine/env.h"
#include "libxt2/err.h"
#include "libxt2/host/hooked.h"
#include "libxt2/store/new-file.h"
#include "taken.h"
#include "xt2tables/files/file.h"

#define RECORD_MAX ((size_t)1 << 31) /* bytes */

static const char *const states[XT2_TAKEN_STATES] = {
	[XT2_TAKEN_BEGUN] = "begun",
	[XT2_TAKEN_EMPTYING] = "emptying",
	[XT2_TAKEN_OVER] = "over",
	[XT2_TAKEN_RETURNING] = "returning",
};

/* --- the record ------------------------------------------------------------ */

void xt2_taken_free(struct xt2_taken *t)
{
	while (t->count)
		xt2_kernel_table_free(&t->list[--t->count].table);
}

/* Keep those that are in a state, or are not. */
static void drop(struct xt2_taken *t, enum xt2_taken_state state)
{
	int i, n = 0;

	for (i = 0; i < t->count; i++) {
		if (t->list[i].state == state)
			xt2_kernel_table_free(&t->list[i].table);
		else
			t->list[n++] = t->list[i];
	}
	t->count = n;
}

static int damaged(struct xt2_err *err, const char *path)
{
	xt2_err_set(err, XT2_E_SYSTEM, EBADMSG, "is no record of tables that were taken over");
	xt2_err_file(err, path);
	xt2_err_hint(err, "if nothing is to be given back, remove it");
	return -EBADMSG;
}

static bool parse_state(const char *word, enum xt2_taken_state *state)
{
	int i;

	for (i = 0; i < XT2_TAKEN_STATES; i++)
		if (!strcmp(states[i], word)) {
			*state = (enum xt2_taken_state)i;
			return true;
		}
	return false;
}

static bool parse_program(const char *word, struct xt2_kernel_table *t)
{
	int way, six;

	for (way = 0; way < XT2_WAYS; way++)
		for (six = 0; six < 2; six++) {
			t->way = (enum xt2_kernel_way)way;
			t->family = six ? XT2_IPV6 : XT2_IPV4;
			if (!strcmp(xt2_kernel_program(t->way, t->family), word))
				return true;
		}
	return false;
}

/* => bytes of an entry; 0: it is none, or no memory */
static size_t parse_entry(const char *at, size_t left, struct xt2_taken_table *e)
{
	char state[16], program[32];
	int head = 0;
	size_t size;

	memset(e, 0, sizeof(*e));
	if (sscanf(at, "%15s %31s %31s %zu%n", state, program, e->table.name, &size, &head) != 4 ||
	    at[head] != '\n' || size > left - (size_t)head - 1 || !parse_state(state, &e->state) ||
	    !parse_program(program, &e->table) || !xt2_table_hooks(e->table.family, e->table.name))
		return 0;
	if (xt2_kernel_table_set(&e->table, at + head + 1, size))
		return 0;
	return (size_t)head + 1 + size;
}

static bool parse_digest(const char *at, __u8 *digest)
{
	unsigned int i, byte;

	for (i = 0; i < XT2_DIGEST_SIZE; i++, at += 2) {
		if (sscanf(at, "%2x", &byte) != 1)
			return false;
		digest[i] = (__u8)byte;
	}
	return *at == '\n';
}

static bool parse(struct xt2_taken *t, const char *at, size_t size)
{
	static const char first[] = "xt2-taken 1 ";
	const char *end = at + size;
	size_t n = strlen(first);

	if (size < n + 2u * XT2_DIGEST_SIZE + 1 || strncmp(at, first, n) ||
	    !parse_digest(at + n, t->digest))
		return false;
	for (at += n + 2u * XT2_DIGEST_SIZE + 1; at < end; at += n) {
		if (t->count == XT2_KERNEL_TABLES)
			return false;
		n = parse_entry(at, (size_t)(end - at), &t->list[t->count]);
		if (!n)
			return false;
		t->count++;
	}
	return true;
}

int xt2_taken_read(struct xt2_taken *t, struct xt2_err *err)
{
	struct xt2_bytes bytes;
	int ret;

	memset(t, 0, sizeof(*t));
	ret = xt2_taken_path_here(t->path, sizeof(t->path));
	if (ret)
		return ret == -EOPNOTSUPP
			       ? 0
			       : xt2_err_set(err, XT2_E_SYSTEM, -ret, "/proc: %s", strerror(-ret));
	if (access(t->path, F_OK))
		return errno == ENOENT ? 0 : xt2_err_path(err, errno, t->path);
	ret = xt2_file_read(t->path, RECORD_MAX, &bytes, err);
	if (ret)
		return ret;
	if (!parse(t, bytes.at, bytes.len)) {
		xt2_taken_free(t);
		ret = damaged(err, t->path);
	}
	free(bytes.at);
	return ret;
}

/* => 0, -errno */
static int write_entries(const struct xt2_taken *t, int fd)
{
	char head[160];
	int i, n, ret;

	n = snprintf(head, sizeof(head), "xt2-taken 1 ");
	for (i = 0; i < XT2_DIGEST_SIZE; i++)
		n += snprintf(head + n, sizeof(head) - (size_t)n, "%02x", t->digest[i]);
	head[n++] = '\n';
	ret = xt2_write_all(fd, head, (size_t)n);
	for (i = 0; i < t->count && !ret; i++) {
		const struct xt2_kernel_table *table = &t->list[i].table;

		n = snprintf(head, sizeof(head), "%s %s %s %zu\n", states[t->list[i].state],
			     xt2_kernel_program(table->way, table->family), table->name,
			     table->size);
		ret = xt2_write_all(fd, head, (size_t)n);
		if (!ret)
			ret = xt2_write_all(fd, table->text, table->size);
	}
	return ret;
}

/* The record as it is now, or none.  => 0, -errno: see err */
static int record(const struct xt2_taken *t, struct xt2_err *err)
{
	struct xt2_new_file f;
	int ret;

	if (!t->count)
		return unlink(t->path) && errno != ENOENT ? xt2_err_path(err, errno, t->path) : 0;
	mkdir(XT2_TAKEN_FOLDER, 0755); /* if it fails, making the file tells why */
	ret = xt2_new_file_create(&f, t->path);
	if (ret)
		return xt2_err_path(err, -ret, t->path);
	ret = write_entries(t, f.fd);
	if (!ret)
		ret = xt2_new_file_close(&f, true);
	if (ret)
		xt2_new_file_drop(&f);
	else
		ret = xt2_new_file_place(&f, true);
	return ret ? xt2_err_path(err, -ret, t->path) : 0;
}

bool xt2_taken_unfinished(const struct xt2_taken *t)
{
	int i;

	for (i = 0; i < t->count; i++)
		if (t->list[i].state != XT2_TAKEN_OVER)
			return true;
	return false;
}

/* --- steps ----------------------------------------------------------------- */

enum now { EMPTY, SAME, OTHER };

/* What the kernel has in its place.  now: filled in; to be freed  => enum now; -errno: see err */
static int look(const struct xt2_kernel_table *t, struct xt2_kernel_table *now, struct xt2_err *err)
{
	int ret;

	*now = (struct xt2_kernel_table){ .way = t->way, .family = t->family };
	memcpy(now->name, t->name, sizeof(now->name));
	ret = xt2_kernel_table_read(now, err);
	if (ret)
		return ret;
	if (xt2_kernel_table_empty(now))
		return EMPTY;
	return xt2_kernel_tables_same(t, now) ? SAME : OTHER;
}

static int has_changed(const struct xt2_kernel_table *t, const char *hint, struct xt2_err *err)
{
	char words[XT2_KERNEL_WORDS];

	xt2_kernel_words(t, words);
	xt2_err_set(err, XT2_E_SYSTEM, EBUSY, "%s has other rules than those that were taken over",
		    words);
	xt2_err_hint(err, hint);
	return -EBUSY;
}

/* Empty it, unless it is.  => 0, -errno: see err */
static int empty(struct xt2_taken_table *e, struct xt2_err *err)
{
	struct xt2_kernel_table now;
	int ret = look(&e->table, &now, err);

	if (ret == SAME)
		ret = xt2_kernel_table_clear(&e->table, err);
	else if (ret == OTHER)
		ret = has_changed(&e->table, "empty it, or make it what xt2 save --live prints",
				  err);
	xt2_kernel_table_free(&now);
	if (ret > 0)
		ret = 0;
	if (!ret)
		e->state = XT2_TAKEN_OVER;
	return ret;
}

/* Fill it, unless it is.  => 0, -errno: see err */
static int fill(const struct xt2_kernel_table *t, bool look_only, struct xt2_err *err)
{
	struct xt2_kernel_table now;
	int ret = look(t, &now, err);

	xt2_kernel_table_free(&now);
	if (ret == OTHER)
		return has_changed(
			t, "save and empty it, or leave it as it is: xt2 detach --forget", err);
	if (ret == EMPTY && !look_only)
		return xt2_kernel_table_restore(t, err);
	return ret < 0 ? ret : 0;
}

static bool is_live(const struct xt2_taken *t, const struct xt2_ruleset *live)
{
	__u8 digest[XT2_DIGEST_SIZE];

	return live && !xt2_ruleset_digest(live, digest) &&
	       !memcmp(digest, t->digest, sizeof(digest));
}

int xt2_taken_settle(struct xt2_taken *t, const struct xt2_ruleset *live, struct xt2_err *err)
{
	const bool begun = is_live(t, live);
	int i, ret = 0;

	if (!xt2_taken_unfinished(t))
		return 0;
	if (!begun)
		drop(t, XT2_TAKEN_BEGUN);
	for (i = 0; i < t->count && !ret; i++) {
		struct xt2_taken_table *e = &t->list[i];

		if (e->state == XT2_TAKEN_OVER)
			continue;
		if (live) {
			e->state = XT2_TAKEN_EMPTYING;
			ret = record(t, err);
			if (!ret)
				ret = empty(e, err);
		} else {
			ret = fill(&e->table, false, err);
			if (!ret)
				e->state = XT2_TAKEN_BEGUN; /* as if it had not been taken */
		}
	}
	if (!live)
		drop(t, XT2_TAKEN_BEGUN);
	i = record(t, ret ? NULL : err);
	return ret ? ret : i;
}

/* --- take over -------------------------------------------------------------- */

static bool remembers(const struct xt2_taken *t, const struct xt2_kernel_table *table)
{
	int i;

	for (i = 0; i < t->count; i++)
		if (t->list[i].table.way == table->way &&
		    t->list[i].table.family == table->family &&
		    !strcmp(t->list[i].table.name, table->name))
			return true;
	return false;
}

static int again(const struct xt2_kernel_table *t, struct xt2_err *err)
{
	char words[XT2_KERNEL_WORDS];

	xt2_kernel_words(t, words);
	xt2_err_set(err, XT2_E_SYSTEM, EBUSY, "%s has been taken over, and has rules again", words);
	xt2_err_hint(err, "whatever adds them: have it call xt2tables --live; see "
			  "xt2-restore(8)");
	return -EBUSY;
}

int xt2_taken_begin(struct xt2_taken *t, struct xt2_kernel_tables *k,
		    const struct xt2_ruleset *live, struct xt2_err *err)
{
	int i, ret;

	if (!*t->path)
		return xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP,
				   "the kernel does not tell network namespaces apart");
	for (i = 0; i < k->count; i++)
		if (remembers(t, &k->list[i]))
			return again(&k->list[i], err);
	if (!k->count)
		return 0;
	if (xt2_ruleset_digest(live, t->digest))
		return xt2_err_no_memory(err, "");
	for (i = 0; i < k->count; i++)
		t->list[t->count++] = (struct xt2_taken_table){ XT2_TAKEN_BEGUN, k->list[i] };
	k->count = 0;
	ret = record(t, err);
	if (ret)
		drop(t, XT2_TAKEN_BEGUN);
	return ret;
}

void xt2_taken_undo(struct xt2_taken *t)
{
	drop(t, XT2_TAKEN_BEGUN);
	record(t, NULL); /* if it stays, it is settled later: the ruleset is not live */
}

/* They still say the same; what they have counted until now is remembered.  => 0, -errno: see err */
static int look_again(struct xt2_taken *t, struct xt2_err *err)
{
	struct xt2_kernel_table now;
	int i, ret = 0;

	for (i = 0; i < t->count && ret >= 0; i++) {
		struct xt2_taken_table *e = &t->list[i];

		if (e->state != XT2_TAKEN_BEGUN)
			continue;
		ret = look(&e->table, &now, err);
		if (ret == SAME) {
			xt2_kernel_table_free(&e->table);
			e->table = now;
			continue;
		}
		xt2_kernel_table_free(&now);
		if (ret >= 0)
			ret = has_changed(&e->table, "somebody is changing it: do it again", err);
	}
	return ret < 0 ? ret : 0;
}

int xt2_taken_finish(struct xt2_taken *t, struct xt2_err *err)
{
	bool mine[XT2_KERNEL_TABLES];
	int i, ret = look_again(t, err);

	for (i = 0; i < t->count; i++) {
		mine[i] = t->list[i].state == XT2_TAKEN_BEGUN;
		if (mine[i] && !ret)
			t->list[i].state = XT2_TAKEN_EMPTYING;
	}
	if (!ret)
		ret = record(t, err);
	for (i = 0; i < t->count && !ret; i++)
		if (mine[i])
			ret = empty(&t->list[i], err);
	if (!ret)
		return record(t, err);
	for (i = 0; i < t->count; i++) {
		/* what cannot be given back now stays remembered */
		if (mine[i] &&
		    (t->list[i].state == XT2_TAKEN_BEGUN || !fill(&t->list[i].table, false, NULL)))
			t->list[i].state = XT2_TAKEN_BEGUN;
	}
	xt2_taken_undo(t);
	return ret;
}

/* --- give back --------------------------------------------------------------- */

/* Before anything is changed.  => 0, -errno: see err */
static int can_return(const struct xt2_taken *t, struct xt2_err *err)
{
	int i, ret = 0;

	for (i = 0; i < t->count && !ret; i++)
		ret = fill(&t->list[i].table, true, err);
	return ret;
}

int xt2_taken_return(struct xt2_taken *t, struct xt2_err *err)
{
	int i, ret;

	drop(t, XT2_TAKEN_BEGUN); /* they have not been emptied */
	ret = can_return(t, err);
	for (i = 0; i < t->count && !ret; i++)
		t->list[i].state = XT2_TAKEN_RETURNING;
	if (!ret)
		ret = record(t, err);
	for (i = 0; i < t->count && !ret; i++)
		ret = fill(&t->list[i].table, false, err);
	if (!ret)
		return 0;
	for (i = 0; i < t->count; i++) /* all or none: what is live goes on alone */
		if (t->list[i].state == XT2_TAKEN_RETURNING)
			empty(&t->list[i], NULL);
	record(t, NULL);
	return ret;
}

void xt2_taken_forget(struct xt2_taken *t)
{
	xt2_taken_free(t);
	record(t, NULL);
}
