/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netlink-family.h - the family of generic netlink, for its files: netlink.c and dump.c */
#ifndef XT2_MODULE_NETLINK_H
#define XT2_MODULE_NETLINK_H

#include <net/genetlink.h>

extern struct genl_family xt2k_genl;

/* The operations of dumps: see struct genl_ops. */
int xt2k_dump_start(struct netlink_callback *cb);
int xt2k_dump(struct sk_buff *skb, struct netlink_callback *cb);
int xt2k_dump_done(struct netlink_callback *cb);

#endif
