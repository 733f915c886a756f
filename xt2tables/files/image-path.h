/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image-path.h - the image that a program works on */
#ifndef XT2_XT2TABLES_FILES_IMAGE_PATH_H
#define XT2_XT2TABLES_FILES_IMAGE_PATH_H

#define XT2_DEFAULT_IMAGE "/run/xt2/ruleset.xt2"

/* @option: of --image, or NULL: then $XT2_IMAGE, else the default. */
const char *xt2_image_path(const char *option);

/* The default's folder is made as needed; for others, whose it is, see to it. */
void xt2_image_folder(const char *path);

#endif
