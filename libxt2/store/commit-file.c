/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commit-file.c - an image file that takes the place of another, and tells of both
 *
 * An image that is written whole has no edits.  Here it gets some on its way to the file:
 * image-past.c; and it is prepared for the first edit: whole-image.c.
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
#include "stamp.h"
#include "whole-image.h"

/*
 * The file is synced before it is stamped: how long that takes would look as if somebody had
 * changed the inode since (stamp.c).  Without a stamp the image is checked again, that is all.
 */
static int stamp(int fd, struct xt2_whole_image *w)
{
	struct xt2_file_facts facts;
	u64 now, at;
	size_t size;

	if (!w->prepared)
		return 0;
	if (fsync(fd))
		return -errno;
	if (xt2_file_facts(fd, &facts))
		return 0;
	now = xt2_stamp_clock();
	size = xt2_whole_image_stamp(w, &facts, now, &at);
	if (pwrite(fd, (const u8 *)w->img + at, size, (off_t)at) != (ssize_t)size)
		return -EIO;
	if (xt2_stamp_time(fd, now)) {
		/* then the stamp does not fit */
	}
	return 0;
}

static int write_new(struct xt2_new_file *f, const char *path, struct xt2_whole_image *w)
{
	int ret = xt2_new_file_create(f, path);

	if (ret)
		return ret;
	ret = xt2_write_all(f->fd, w->img, w->img->size);
	if (!ret)
		ret = stamp(f->fd, w);
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
static int replace(const char *path, struct xt2_whole_image *w, u32 old, struct xt2_err *err)
{
	struct xt2_new_file f;
	int ret = write_new(&f, path, w);

	if ((ret == -ENOSPC || ret == -EDQUOT) && xt2_old_files_drop(f.real))
		ret = write_new(&f, path, w);
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
	struct xt2_whole_image w;
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
	free(owners);
	if (!ret) {
		ret = xt2_whole_image_make(&w, image, false, &t);
		free(t.bytes);
	}
	if (ret)
		return xt2_err_no_memory(err, " for the history of the image");
	ret = replace(path, &w, old, err);
	xt2_whole_image_end(&w);
	return ret;
}
