/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel-form.h - a table as the kernel module has it: see kernel-form.c */
#ifndef XT2_LIBXT2_STORE_KERNEL_KERNEL_FORM_H
#define XT2_LIBXT2_STORE_KERNEL_KERNEL_FORM_H

#include <xt2/xt2.h>

/* Without indexes, which the module builds. */
extern const struct xt2_index_limits xt2_kernel_plain;

/* @table: of rs  @map: out: its image; release with xt2_image_close()  => 0, -errno with err */
int xt2_kernel_form(const struct xt2_ruleset *rs, int table, struct xt2_mapping *map,
		    struct xt2_err *err);

/* @rs: gets the table of the module's image, which is checked  => 0, -errno with err */
int xt2_kernel_unform(struct xt2_ruleset *rs, const struct xt2_mapping *map, struct xt2_err *err);

#endif
