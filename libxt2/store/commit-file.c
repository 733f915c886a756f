/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commit-file.c - an image file that takes the place of another, and tells of both
 *
 * An image that is written whole has no edits.  Here it gets some on its way to the file:
 * image-past.c.  They are behind the image, whose header and root are changed in the file alone.
 * Of an old file that is no image, or whose history makes no sense, nothing is taken over, and
 * the commit goes on: a history is not worth a ruleset.
 */
#include "config.h"
#include <xt2/change.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "engine/image.h"
#include "libxt2/change/history.h"
#include "libxt2/err.h"
#include "image-past.h"
#include "new-file.h"
#include "old-files.h"

static int write_word(int fd, u64 at, const void *word, size_t size)
{
	const ssize_t n = pwrite(fd, word, size, (off_t)at);

	return n == (ssize_t)size ? 0 : n < 0 ? -errno : -ENOSPC;
}

/* The image, its history, and what names it. */
static int write_file(int fd, const struct xt2_image *image, const struct xt2_image_past *t)
{
	const u64 size = t->at + t->size;
	const u32 edits = (u32)t->edits;
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
		     const struct xt2_image_past *t)
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

/*
 * The old file stays beside the new one, unless there is no room.
 * @old: its number; 0: there is none with a history
 */
static int replace(const char *path, const struct xt2_image *image, const struct xt2_image_past *t,
		   u32 old, struct xt2_err *err)
{
	struct xt2_new_file f;
	int ret = write_new(&f, path, image, t);

	if ((ret == -ENOSPC || ret == -EDQUOT) && xt2_old_files_drop(f.real))
		ret = write_new(&f, path, image, t);
	if (!ret && old && !xt2_new_file_exchange(&f)) {
		xt2_old_file_keep(f.real, f.name, old);
		ret = xt2_new_file_placed(&f, true);
	} else if (!ret) {
		ret = xt2_new_file_place(&f, true);
	}
	return ret ? xt2_file_error(err, -ret, f.failed, path) : 0;
}

/* => 0, -ENOMEM */
static int make_past(const char *path, const struct xt2_image *image, u64 size,
		     const struct xt2_author *author, const struct xt2_chain_owners *owners,
		     struct xt2_image_past *t, u32 *old)
{
	int fd, ret;
	const struct xt2_history h = xt2_file_history(path, &fd);

	*old = h.file;
	ret = xt2_image_past_make(t, image, size, xt2_image_root(image)->generation, &h, author,
				  owners);
	if (fd >= 0)
		close(fd);
	return ret;
}

int xt2_image_commit(const char *path, const struct xt2_image *image, size_t size,
		     const struct xt2_author *author, struct xt2_err *err)
{
	const struct xt2_root *root = xt2_image_root(image);
	struct xt2_chain_owners *owners = NULL;
	struct xt2_image_past t;
	u32 old;
	int ret;

	if (!root || root->edits || size % XT2_ALIGN)
		return xt2_image_store(path, image, size, err);
	ret = xt2_chain_owners_new(author ? author->ruleset : NULL, &owners);
	if (!ret && size > XT2_SIZE_MAX - xt2_image_past_most(owners)) {
		free(owners);
		return xt2_image_store(path, image, size, err);
	}
	if (!ret)
		ret = make_past(path, image, size, author, owners, &t, &old);
	if (ret) {
		free(owners);
		return xt2_err_no_memory(err, " for the history of the image");
	}
	ret = replace(path, image, &t, old, err);
	free(owners);
	free(t.bytes);
	return ret;
}
