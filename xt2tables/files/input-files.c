/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input-files.c - several files, each of the family that was named before it */
#include <stdio.h>
#include <stdlib.h>
#include "xt2tables/cmd/cmd.h"

int xt2_files_new(struct xt2_files *f, const char *command, int argc)
{
	*f = (struct xt2_files){ .family = XT2_IPV4 };
	f->list = calloc((size_t)argc, sizeof(*f->list));
	if (f->list)
		return XT2_EXIT_OK;
	fprintf(stderr, "xt2 %s: out of memory\n", command);
	return XT2_EXIT_RESOURCE;
}

void xt2_files_free(struct xt2_files *f)
{
	free(f->list);
	f->list = NULL;
	f->count = 0;
}

void xt2_files_family(struct xt2_files *f, int family)
{
	f->family = family;
	f->waits = true;
}

void xt2_files_add(struct xt2_files *f, const char *path)
{
	f->list[f->count].path = path;
	f->list[f->count++].family = f->family;
	f->waits = false;
}

int xt2_files_end(struct xt2_files *f, const char *command, char **left)
{
	for (; *left; left++)
		xt2_files_add(f, *left);
	if (!f->count)
		return xt2_usage(command, "no file given");
	if (f->waits)
		return xt2_usage(command, "no file after the last family: options of families are "
					  "for the files that follow");
	return XT2_EXIT_OK;
}
