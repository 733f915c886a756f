/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live-kernel.h - xt2 status and xt2 detach with --host kernel */
#ifndef XT2_XT2TABLES_CMD_LIVE_KERNEL_H
#define XT2_XT2TABLES_CMD_LIVE_KERNEL_H

#include "libxt2/store/store.h"

/* @s: of the kind XT2_STORE_KERNEL, not locked  => XT2_EXIT_* */
int xt2_kernel_status(struct xt2_store *s);
int xt2_kernel_detach_all(struct xt2_store *s);

#endif
