/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image-path.c - one rule for all programs that change an image */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "image-path.h"

const char *xt2_image_path(const char *option)
{
	const char *env = getenv("XT2_IMAGE");

	return option ? option : env && *env ? env : XT2_DEFAULT_IMAGE;
}

void xt2_image_folder(const char *path)
{
	if (!strcmp(path, XT2_DEFAULT_IMAGE))
		mkdir("/run/xt2", 0755); /* if it fails, whoever opens the file says why */
}
