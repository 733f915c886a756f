/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * persist.c - what is live again after the next boot
 *
 * One image with both families, which xt2-restore.service applies.  It replaces the one before
 * by a rename, and reaches the disk before that.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "engine/check.h"
#include "libxt2/err.h"
#include "persist.h"

const char *xt2_persisted(void)
{
	const char *path = getenv("XT2_PERSIST");

	return path && *path ? path : XT2_PERSISTED;
}

static int failed(const struct xt2_persist *p, int ret, struct xt2_err *err)
{
	xt2_err_set(err, XT2_E_SYSTEM, -ret, "%s, for the next boot: %s", p->file.failed,
		    strerror(-ret));
	xt2_err_file(err, xt2_persisted());
	return ret;
}

/* The default's folder; those of others are their owners' business. */
static void make_folder(const char *path)
{
	char folder[] = XT2_PERSISTED;

	*strrchr(folder, '/') = '\0';
	if (!strcmp(path, XT2_PERSISTED))
		mkdir(folder, 0755); /* if it fails, making the file tells why */
}

/* What does not load would leave the next boot without rules.  => 0, -errno: see err */
static int check(const struct xt2_mapping *map, struct xt2_err *err)
{
	struct xt2_check_err why = { 0 };
	void *scratch = malloc(xt2_check_scratch(map->size));
	const int ret = scratch ? xt2_check(map->image, map->size, scratch, &why) : -ENOMEM;

	free(scratch);
	if (!ret)
		return 0;
	if (ret == -ENOMEM)
		return xt2_err_no_memory(err, xt2_persisted());
	xt2_err_set(err, XT2_E_IMAGE, EINVAL, "an image that does not load, for the next boot: %s",
		    why.what);
	xt2_err_file(err, xt2_persisted());
	return -EINVAL;
}

int xt2_persist_prepare(struct xt2_persist *p, const struct xt2_mapping *map, struct xt2_err *err)
{
	int ret;

	if (!p->wanted)
		return 0;
	ret = check(map, err);
	if (ret)
		return ret;
	make_folder(xt2_persisted());
	ret = xt2_new_file_create(&p->file, xt2_persisted());
	if (ret)
		return failed(p, ret, err);
	ret = xt2_write_all(p->file.fd, map->image, map->size);
	if (ret)
		p->file.failed = "cannot write it";
	else
		ret = xt2_new_file_close(&p->file, true);
	if (!ret) {
		p->prepared = true;
		return 0;
	}
	xt2_new_file_drop(&p->file);
	return failed(p, ret, err);
}

int xt2_persist_place(struct xt2_persist *p, struct xt2_err *err)
{
	int ret;

	if (!p->prepared)
		return 0;
	p->prepared = false;
	ret = xt2_new_file_place(&p->file, true);
	if (!ret)
		return 0;
	failed(p, ret, err);
	xt2_err_hint(
		err,
		"the ruleset is live, but will not be after a boot: xt2 save --live --persist");
	return ret;
}

void xt2_persist_drop(struct xt2_persist *p)
{
	if (p->prepared)
		xt2_new_file_drop(&p->file);
	p->prepared = false;
}
