/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input-files.c - several files, each of the family that was named before it */
#include <stdlib.h>
#include "input.h"

int xt2_files_new(struct xt2_files *f, const char *command, int argc)
{
	*f = (struct xt2_files){ .family = XT2_IPV4 };
	f->list = calloc((size_t)argc, sizeof(*f->list));
	return f->list ? XT2_EXIT_OK : xt2_no_memory(command);
}

void xt2_files_free(struct xt2_files *f)
{
	free(f->list);
	f->list = NULL;
	f->count = 0;
}

int xt2_files_family(const struct xt2_given *g)
{
	struct xt2_files *f = g->field;

	f->family = g->row->value;
	f->waits = true;
	return XT2_EXIT_OK;
}

static void add(struct xt2_files *f, const char *path)
{
	f->list[f->count].path = path;
	f->list[f->count++].family = f->family;
	f->waits = false;
}

int xt2_files_file(const struct xt2_given *g)
{
	add(g->field, g->arg);
	return XT2_EXIT_OK;
}

int xt2_files_end(struct xt2_files *f, const char *command, char **left)
{
	for (; *left; left++)
		add(f, *left);
	if (!f->count)
		return xt2_usage(command, "no file given");
	if (f->waits)
		return xt2_usage(command, "no file after the last family: options of families are "
					  "for the files that follow");
	return XT2_EXIT_OK;
}
