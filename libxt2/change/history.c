/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.c - who changed an image, as it tells itself
 *
 * A commit to a file leaves a record (struct xt2_commit), which names the one before.  Records
 * are not checked with the image, since nothing that evaluates reads them: whoever does
 * so reads them here.  Offsets become smaller from record to record, and so do
 * generations, so there is an end whatever the bytes are.
 *
 * Records are facts of people who mean well.  Who can write to a file can write any history.
 */
#include "config.h"
#include "history.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(struct xt2_edits) == 112, "layout of edits");
_Static_assert(sizeof(struct xt2_commit) == 104, "layout of records");

/* => false: these are no bytes of the image */
static bool get(const struct xt2_history *h, u64 at, void *to, size_t n)
{
	if (at % XT2_ALIGN || at < sizeof(struct xt2_image) || n > h->size || at > h->size - n)
		return false;
	if (!h->img)
		return pread(h->fd, to, n, (off_t)at) == (ssize_t)n;
	memcpy(to, (const u8 *)h->img + at, n);
	return true;
}

void xt2_history_begin(struct xt2_history *h, const struct xt2_image *img, int fd, u64 size,
		       u64 root)
{
	struct xt2_edits edits;
	struct xt2_root r;

	*h = (struct xt2_history){ .img = img, .fd = fd, .size = size, .before = ~0ull };
	if (!get(h, root, &r, sizeof(r)) || !r.edits || !get(h, r.edits, &edits, sizeof(edits)))
		return;
	h->next = edits.history;
	h->file = edits.file;
	if (r.generation != ~0ull)
		h->before = r.generation + 1;
}

bool xt2_history_read(const struct xt2_history *h, u32 at, struct xt2_past *past)
{
	struct xt2_commit *c = &past->commit;

	if (!at || !get(h, at, c, sizeof(*c)))
		return false;
	memset(past->reason, 0, sizeof(past->reason));
	if (c->length && !get(h, at + sizeof(*c), past->reason, c->length))
		return false;
	c->owner[sizeof(c->owner) - 1] = '\0';
	return true;
}

bool xt2_history_next(struct xt2_history *h, struct xt2_past *past)
{
	const u32 at = h->next;
	struct xt2_past found;

	h->next = 0;
	if (!xt2_history_read(h, at, &found) || found.commit.generation >= h->before)
		return false;
	*past = found;
	h->before = found.commit.generation;
	if (found.commit.previous < at)
		h->next = found.commit.previous;
	return true;
}

bool xt2_history_find(struct xt2_history *h, u64 generation, struct xt2_past *past)
{
	while (xt2_history_next(h, past))
		if (past->commit.generation <= generation)
			return past->commit.generation == generation;
	return false;
}

u64 xt2_history_bytes(const struct xt2_history *h)
{
	struct xt2_history walk = *h;
	struct xt2_past past;
	u64 bytes = 0;

	while (xt2_history_next(&walk, &past))
		bytes += xt2_past_size(&past);
	return bytes;
}

void xt2_past_make(struct xt2_past *past, const struct xt2_author *author, u64 generation)
{
	static const struct xt2_author nobody;
	const struct xt2_author *a = author ? author : &nobody;
	const char *reason = a->reason ? a->reason : "", *owner = a->owner ? a->owner : "";
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	memset(past, 0, sizeof(*past));
	past->commit = (struct xt2_commit){
		.generation = generation,
		.time = (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec,
		.uid = getuid(),
		.pid = (u32)getpid(),
		.changes = a->changes,
		.kind = (u8)a->kind,
		.length = (u8)strnlen(reason, XT2_REASON_MAX),
	};
	memcpy(past->reason, reason, past->commit.length);
	memcpy(past->commit.owner, owner, strnlen(owner, sizeof(past->commit.owner) - 1));
}

u32 xt2_past_size(const struct xt2_past *past)
{
	return (u32)sizeof(past->commit) +
	       (past->commit.length + XT2_ALIGN - 1u) / XT2_ALIGN * XT2_ALIGN;
}

void xt2_past_write(const struct xt2_past *past, void *to)
{
	memcpy(to, &past->commit, sizeof(past->commit));
	memcpy((u8 *)to + sizeof(past->commit), past->reason,
	       xt2_past_size(past) - sizeof(past->commit));
}
