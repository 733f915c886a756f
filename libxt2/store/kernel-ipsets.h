/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel-ipsets.h - the ipsets of this network namespace */
#ifndef XT2_LIBXT2_STORE_KERNEL_IPSETS_H
#define XT2_LIBXT2_STORE_KERNEL_IPSETS_H

#include <xt2/sockopt.h>

/*
 * A program that reads text answers socket() and getsockopt() of libxtables by itself
 * (xt2tables/text/sets.c), so the kernel is called without them.
 */
extern const struct xt2_sockopt_sets xt2_kernel_ipsets;

#endif
