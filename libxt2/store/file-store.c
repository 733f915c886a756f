/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file-store.c - rulesets that are kept in an image file: see image-file.c */
#include "config.h"
#include "store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *xt2_image_path(const char *option)
{
	const char *env = getenv("XT2_IMAGE");

	return option ? option : env && *env ? env : XT2_DEFAULT_IMAGE;
}

void xt2_image_folder(const char *path)
{
	if (!strcmp(path, XT2_DEFAULT_IMAGE))
		mkdir("/run/xt2", 0755); /* if it fails, opening the file tells why */
}

/* An image is replaced or appended to, never changed: a process that only looks needs no lock. */
static int lock(struct xt2_store *s, enum xt2_store_access access, int wait, struct xt2_err *err)
{
	s->lock = -1;
	if (access == XT2_STORE_LOOK)
		return 0;
	if (access == XT2_STORE_CREATE)
		xt2_image_folder(s->path);
	s->lock = xt2_image_lock(s->path, wait, err);
	return s->lock < 0 ? s->lock : 0;
}

static void unlock(struct xt2_store *s)
{
	if (s->lock >= 0)
		close(s->lock);
}

static int read_image(const struct xt2_store *s, bool whole, struct xt2_mapping *map,
		      struct xt2_err *err)
{
	return whole ? xt2_image_open(s->path, map, err) : xt2_image_open_rules(s->path, map, err);
}

static int commit(struct xt2_store *s, const struct xt2_mapping *map,
		  const struct xt2_store_counters *counters, struct xt2_err *err)
{
	return xt2_image_commit(s->path, map->image, map->size, &s->author, err);
}

/* A file takes any image. */
static int refusals(const struct xt2_image *img, xt2_refused found, void *data)
{
	return 0;
}

const struct xt2_store_ops xt2_store_file_ = {
	.lock = lock,
	.unlock = unlock,
	.read = read_image,
	.commit = commit,
	.refusals = refusals,
};
