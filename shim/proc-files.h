/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc-files.h - files of the kernel that look as if the image were its tables */
#ifndef XT2_SHIM_PROC_FILES_H
#define XT2_SHIM_PROC_FILES_H

#include "shim-store.h"

/* => the family whose tables are in this file; 0: the file does not exist; -1: none of ours */
int xt2_names_file(const char *path);

/* The file: close-on-exec, at its start.  => descriptor, -ENOMEM */
int xt2_names_open(struct xt2_shim_store *store, int family);

#endif
