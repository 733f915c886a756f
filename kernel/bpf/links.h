/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links.h - what links.bpf.c tells its loader */
#ifndef XT2_KERNEL_BPF_LINKS_H
#define XT2_KERNEL_BPF_LINKS_H

#include <linux/types.h>

/* A netfilter link that is attached. */
struct xt2_link {
	__u64 cookie; /* of its network namespace: no other ever has the same */
	__u32 inode; /* of its network namespace */
	__s32 references; /* to that namespace, the link's own included; < 0: not known */
	__u32 id, program; /* numbers of the kernel's */
	__u32 family, hook;
	__s32 priority;
	char name[16]; /* of the program; with all of them used, it has no end */
	__u32 reserved;
};

/* Is there a network namespace?  In and out. */
struct xt2_net_question {
	__u64 cookie;
	__u32 found;
	__u32 sure; /* all namespaces were looked at */
};

#endif
