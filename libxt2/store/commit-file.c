/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commit-file.c - an image file that takes the place of another, and tells of both
 *
 * An image that is written whole has no edits (doc/format.md).  Here it gets some on its way to
 * the file: records of the newest commits that the old file tells of, one of this commit, and a
 * struct xt2_edits that names them.  They are behind the image, whose header and root are
 * changed in the file alone.  Of an old file that is no image, or whose history makes no sense,
 * nothing is taken over, and the commit goes on: a history is not worth a ruleset.
 */
#include "config.h"
#include <xt2/change.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "engine/image.h"
#include "libxt2/change/history.h"
#include "libxt2/change/owners.h"
#include "libxt2/err.h"
#include "libxt2/ruleset/ruleset.h"
#include "new-file.h"
#include "old-files.h"

/* The history of the new file, which follows the image. */
struct tail {
	u8 *bytes;
	u32 size; /* of them */
	u64 at; /* offset of the first in the file */
	u32 old; /* number of the old file; 0: there is none with a history */
	u32 newest; /* offset of the newest record; 0: there is none yet */
};

static void tail_add(struct tail *t, struct xt2_past *past)
{
	past->commit.previous = t->newest;
	t->newest = (u32)(t->at + t->size);
	xt2_past_write(past, t->bytes + t->size);
	t->size += xt2_past_size(past);
}

/* Bytes of records that are taken over: an image must not be mostly empty, and records are no content. */
static u32 bytes_max(const struct tail *t)
{
	const u64 most = 8192 + t->at / 4;

	return most < XT2_HISTORY_BYTES ? (u32)most : XT2_HISTORY_BYTES;
}

/* Records of the file that is replaced, of generations before this one. */
static void take_over(struct tail *t, struct xt2_history *h, u64 generation)
{
	u32 at[XT2_HISTORY_MAX], n = 0, bytes = 0;
	struct xt2_past past;

	while (n < XT2_HISTORY_MAX - 1) {
		const u32 next = h->next;

		if (!xt2_history_next(h, &past))
			break;
		if (past.commit.generation >= generation)
			continue;
		bytes += xt2_past_size(&past);
		if (bytes > bytes_max(t))
			break;
		at[n++] = next;
	}
	while (n--)
		if (xt2_history_read(h, at[n], &past))
			tail_add(t, &past);
}

/* => pages of chains; 0: no chain has an owner */
static u32 owner_pages(const struct xt2_ruleset *rs)
{
	u32 i;

	for (i = 0; rs && rs->owners && i < rs->chains; i++)
		if (rs->chain[i].live && rs->chain[i].owner)
			return (rs->live + XT2_WAY_PAGE - 1) / XT2_WAY_PAGE;
	return 0;
}

/* => bytes that they take at most */
static u64 owner_bytes(const struct xt2_ruleset *rs)
{
	const u64 pages = owner_pages(rs);

	return pages ? pages * (XT2_WAY_PAGE * sizeof(struct xt2_way) + sizeof(u32)) + XT2_ALIGN +
			       sizeof(struct xt2_owners)
		     : 0;
}

/* Owners by chain of the image, which are in the order in which the ruleset lists them. */
static void add_owners(const struct xt2_ruleset *rs, struct xt2_edits *edits, struct tail *t)
{
	u32 *dir = (u32 *)(t->bytes + t->size), chains = 0;
	struct xt2_way *way = NULL;
	int table, chain;

	t->size += owner_pages(rs) * sizeof(*dir);
	t->size += -t->size % XT2_ALIGN;
	for (table = 0; table < (int)rs->tables; table++)
		xt2_table_for_each_chain(chain, rs, table) {
			const u32 number = chains++;

			if (number % XT2_WAY_PAGE == 0) {
				way = (struct xt2_way *)(t->bytes + t->size);
				dir[number / XT2_WAY_PAGE] = (u32)(t->at + t->size);
				t->size += XT2_WAY_PAGE * sizeof(*way);
			}
			way[number % XT2_WAY_PAGE].owner = rs->chain[chain].owner;
		}
	edits->way = (u32)(t->at + ((u8 *)dir - t->bytes));
	edits->owners = (u32)(t->at + t->size);
	memcpy(t->bytes + t->size, rs->owners, xt2_owners_size(rs->owners));
	t->size += xt2_owners_size(rs->owners);
}

/* => 0, -ENOMEM */
static int make_tail(const char *path, const struct xt2_image *image, u64 size,
		     const struct xt2_author *author, struct tail *t)
{
	const u64 generation = xt2_image_root(image)->generation;
	struct xt2_edits edits = { .generation = generation };
	struct xt2_history h;
	struct xt2_past past;
	int fd;

	*t = (struct tail){ .at = size };
	t->bytes = calloc(1, XT2_HISTORY_BYTES + sizeof(past) + sizeof(edits) +
				     owner_bytes(author->ruleset));
	if (!t->bytes)
		return -ENOMEM;
	h = xt2_file_history(path, &fd);
	t->old = h.file;
	edits.file = h.file + 1;
	if (owner_pages(author->ruleset))
		add_owners(author->ruleset, &edits, t);
	take_over(t, &h, generation);
	if (fd >= 0)
		close(fd);
	xt2_past_make(&past, author, generation);
	if (!past.commit.kind)
		past.commit.kind = XT2_COMMIT_WHOLE;
	past.commit.file = edits.file;
	past.commit.root = (u32)image->root;
	past.commit.size = size + t->size + xt2_past_size(&past) + sizeof(edits);
	tail_add(t, &past);
	edits.history = t->newest;
	edits.cell_room = xt2_image_root(image)->cells;
	memcpy(t->bytes + t->size, &edits, sizeof(edits));
	t->size += sizeof(edits);
	return 0;
}

static int write_word(int fd, u64 at, const void *word, size_t size)
{
	const ssize_t n = pwrite(fd, word, size, (off_t)at);

	return n == (ssize_t)size ? 0 : n < 0 ? -errno : -ENOSPC;
}

/* The image, its history, and what names it. */
static int write_file(int fd, const struct xt2_image *image, const struct tail *t)
{
	const u64 size = t->at + t->size;
	const u32 edits = (u32)(size - sizeof(struct xt2_edits));
	int ret = xt2_write_all(fd, image, t->at);

	if (!ret)
		ret = xt2_write_all(fd, t->bytes, t->size);
	if (!ret)
		ret = write_word(fd, image->root + offsetof(struct xt2_root, edits), &edits,
				 sizeof(edits));
	if (!ret)
		ret = write_word(fd, offsetof(struct xt2_image, size), &size, sizeof(size));
	return ret;
}

static int write_new(struct xt2_new_file *f, const char *path, const struct xt2_image *image,
		     const struct tail *t)
{
	int ret = xt2_new_file_create(f, path);

	if (ret)
		return ret;
	ret = write_file(f->fd, image, t);
	f->failed = "write";
	if (!ret)
		ret = xt2_new_file_close(f, true);
	if (ret)
		xt2_new_file_drop(f);
	return ret;
}

/* The old file stays beside the new one, unless it has no history, or there is no room. */
static int replace(const char *path, const struct xt2_image *image, const struct tail *t,
		   struct xt2_err *err)
{
	struct xt2_new_file f;
	int ret = write_new(&f, path, image, t);

	if ((ret == -ENOSPC || ret == -EDQUOT) && xt2_old_files_drop(f.real))
		ret = write_new(&f, path, image, t);
	if (!ret && t->old && !xt2_new_file_exchange(&f)) {
		xt2_old_file_keep(f.real, f.name, t->old);
		ret = xt2_new_file_placed(&f, true);
	} else if (!ret) {
		ret = xt2_new_file_place(&f, true);
	}
	return ret ? xt2_file_error(err, -ret, f.failed, path) : 0;
}

int xt2_image_commit(const char *path, const struct xt2_image *image, size_t size,
		     const struct xt2_author *author, struct xt2_err *err)
{
	static const struct xt2_author nobody;
	const struct xt2_root *root = xt2_image_root(image);
	struct tail t;
	int ret;

	if (!author)
		author = &nobody;
	if (!root || root->edits || size % XT2_ALIGN ||
	    size > XT2_SIZE_MAX - XT2_HISTORY_BYTES - 2 * sizeof(struct xt2_past) -
			    owner_bytes(author->ruleset))
		return xt2_image_store(path, image, size, err);
	ret = make_tail(path, image, size, author, &t);
	if (ret)
		return xt2_err_no_memory(err, " for the history of the image");
	ret = replace(path, image, &t, err);
	free(t.bytes);
	return ret;
}
