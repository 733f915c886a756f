/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * old-files.c - image files that were replaced, and the generations in them
 *
 * A commit that appends writes over nothing, so the bytes of older generations stay in the file,
 * and its history knows their roots.  A file that is written whole has only one generation, so the
 * file that it replaces is kept beside it: IMAGE.old-0 to IMAGE.old-7, in turn, by the number
 * of the file (struct xt2_edits).  A few files and bytes are enough for what people take back,
 * and where the disk is full they go first.
 *
 * None of these files is trusted: what a generation is said to be is copied and checked whole, and an
 * old file has to have the same record of it as the image has.
 */
#include "config.h"
#include "old-files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "engine/image.h"
#include "libxt2/change/history.h"
#include "libxt2/err.h"
#include "libxt2/ruleset/ruleset.h"
#include "new-file.h"

/* --- keeping ------------------------------------------------------------------- */

/* => false: the name is too long */
static bool old_name(const char *real, u32 number, char name[PATH_MAX])
{
	return snprintf(name, PATH_MAX, "%s.old-%u", real, number % XT2_OLD_FILES) < PATH_MAX;
}

/* The newest files stay, as many as there is room for. */
static void prune(const char *real, u32 number)
{
	char name[PATH_MAX];
	u64 bytes = 0;
	struct stat st;
	u32 i;

	for (i = 0; i < XT2_OLD_FILES && i < number; i++) {
		if (!old_name(real, number - i, name) || lstat(name, &st))
			continue;
		bytes += (u64)st.st_size;
		if (bytes > XT2_OLD_BYTES)
			unlink(name);
	}
}

void xt2_old_file_keep(const char *real, const char *name, u32 number)
{
	char kept[PATH_MAX];

	if (!number || !old_name(real, number, kept) || rename(name, kept)) {
		unlink(name);
		return;
	}
	prune(real, number);
}

bool xt2_old_files_drop(const char *real)
{
	char name[PATH_MAX];
	bool any = false;
	u32 i;

	for (i = 0; i < XT2_OLD_FILES; i++)
		any |= old_name(real, i, name) && !unlink(name);
	return any;
}

/* --- reading ------------------------------------------------------------------- */

/* The bytes of an image file, which nobody has checked.  => 0, -errno */
static int read_bytes(int fd, struct xt2_mapping *map, struct xt2_err *err)
{
	struct xt2_image header;
	struct stat st;
	ssize_t n;
	int ret;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	n = xt2_read_header_(fd, &header);
	if (n < 0)
		return (int)n;
	if (n < (ssize_t)sizeof(header) || header.magic != XT2_MAGIC ||
	    header.size > XT2_SIZE_MAX || header.size < sizeof(header) || fstat(fd, &st) ||
	    header.size > (u64)st.st_size)
		return -EINVAL;
	ret = xt2_image_room_(header.size, map, err);
	if (ret)
		return ret;
	n = xt2_read_up_to(fd, map->image, header.size);
	*map->image = header;
	map->size = header.size;
	return n == (ssize_t)header.size ? 0 : n < 0 ? (int)n : -EINVAL;
}

static int read_file(const char *name, struct xt2_mapping *map, struct xt2_err *err)
{
	const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int ret;

	memset(map, 0, sizeof(*map));
	if (fd < 0)
		return -errno;
	ret = read_bytes(fd, map, err);
	close(fd);
	if (ret)
		xt2_image_close(map);
	return ret;
}

struct xt2_history xt2_file_history(const char *path, int *fd)
{
	struct xt2_image header;
	struct xt2_history h = { .fd = -1 };

	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0 || xt2_read_header_(*fd, &header) != (ssize_t)sizeof(header) ||
	    header.magic != XT2_MAGIC)
		return h;
	xt2_history_begin(&h, NULL, *fd, header.size, header.root);
	return h;
}

static bool same_record(const struct xt2_past *a, const struct xt2_past *b)
{
	struct xt2_commit one = a->commit, other = b->commit;

	one.previous = other.previous = 0; /* where it is */
	return !memcmp(&one, &other, sizeof(one)) && !strcmp(a->reason, b->reason);
}

/* => the record of a generation in these bytes */
static bool find_record(const struct xt2_mapping *raw, u64 generation, struct xt2_past *past,
			u32 *file)
{
	struct xt2_history h;

	xt2_history_begin(&h, raw->image, -1, raw->size, raw->image->root);
	*file = h.file;
	return xt2_history_find(&h, generation, past);
}

int xt2_old_file_read(const char *real, const struct xt2_past *past, struct xt2_mapping *raw,
		      struct xt2_err *err)
{
	struct xt2_past found;
	char name[PATH_MAX];
	u32 file;

	if (!old_name(real, past->commit.file, name))
		return -ENOENT;
	if (read_file(name, raw, err))
		return -ENOENT;
	if (find_record(raw, past->commit.generation, &found, &file) && file == past->commit.file &&
	    same_record(past, &found))
		return 0;
	xt2_image_close(raw);
	return -ENOENT;
}

static u64 generation_of(const struct xt2_mapping *raw)
{
	const u64 root = raw->image->root;

	return root >= sizeof(*raw->image) && root % XT2_ALIGN == 0 &&
			       root <= raw->size - sizeof(struct xt2_root)
		       ? xt2_image_root(raw->image)->generation
		       : 0;
}

/* The bytes become those of an older generation, or of an older file.  => 0, -ENOENT */
static int go_back(const char *path, u64 generation, struct xt2_mapping *raw, struct xt2_err *err)
{
	struct xt2_past past;
	char real[PATH_MAX];
	u32 file;

	if (!find_record(raw, generation, &past, &file))
		return -ENOENT;
	if (past.commit.file != file) {
		xt2_image_close(raw);
		if (xt2_resolve(path, real) || xt2_old_file_read(real, &past, raw, err))
			return -ENOENT;
	}
	if (past.commit.size > raw->size || past.commit.size < sizeof(*raw->image))
		return -ENOENT;
	raw->image->root = past.commit.root;
	raw->image->size = past.commit.size;
	return 0;
}

int xt2_no_generation(u64 generation, struct xt2_err *err)
{
	xt2_err_set(err, XT2_E_UNKNOWN, ENOENT, "generation %llu is not there",
		    (unsigned long long)generation);
	xt2_err_hint(err, "xt2 history tells which ones there were");
	return -ENOENT;
}

static int open_generation(const char *path, u64 generation, struct xt2_mapping *raw,
			   struct xt2_mapping *map, struct xt2_err *err)
{
	const bool older = generation_of(raw) != generation;
	int ret = older ? go_back(path, generation, raw, err) : 0;

	if (!ret)
		ret = xt2_image_copy(raw->image, raw->image->size, map, err);
	if (ret == -ENOENT)
		xt2_no_generation(generation, err);
	if (ret)
		return ret;
	xt2_image_fold(map->image);
	return 0;
}

int xt2_generation_open(const char *path, u64 generation, struct xt2_mapping *map,
			struct xt2_err *err)
{
	struct xt2_mapping raw;
	int ret = read_file(path, &raw, err);

	if (ret == -EINVAL)
		ret = xt2_err_set(err, XT2_E_IMAGE, EINVAL, "not a valid image");
	else if (ret && ret != -ENOMEM)
		return xt2_file_error(err, -ret, "open", path);
	if (!ret)
		ret = open_generation(path, generation, &raw, map, err);
	xt2_image_close(&raw);
	if (ret)
		xt2_err_file(err, path);
	return ret;
}
