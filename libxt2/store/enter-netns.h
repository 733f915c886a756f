/* SPDX-License-Identifier: GPL-2.0-or-later */
/* enter-netns.h - network namespaces by name, as of ip-netns(8) */
#ifndef XT2_LIBXT2_STORE_ENTER_NETNS_H
#define XT2_LIBXT2_STORE_ENTER_NETNS_H

#include <xt2/xt2.h>

/* The thread goes there and stays.  => 0; -EINVAL: there is none of this name; -EPERM, -errno; err says why */
int xt2_netns_enter_(const char *name, struct xt2_err *err);

#endif
