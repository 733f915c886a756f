/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stamp.h - is an image file as a commit has left it?  See stamp.c */
#ifndef XT2_LIBXT2_STORE_STAMP_H
#define XT2_LIBXT2_STORE_STAMP_H

#include <stdbool.h>
#include <xt2/edits.h>

#define XT2_STAMP_PART	  (128ull << 10) /* bytes before the end that a digest covers at most */
#define XT2_STAMP_SETTLED 50000000ull /* ns from a commit's time to the inode's last change */

/* What the system says of a file. */
struct xt2_file_facts {
	struct xt2_stamp now; /* device, inode, born and changed as a stamp of now would have them */
	__u64 end; /* bytes */
	__u64 touched; /* when its inode changed last: ns since 1970 */
	__u32 uid;
	bool disturbed; /* the inode has changed since the contents have: somebody may have set their time */
	const char *shared; /* why it is not its owner's alone; NULL: it is */
};

/* => 0; -EISDIR; -errno */
int xt2_file_facts(int fd, struct xt2_file_facts *facts);

/*
 * xt2_stamp_digest - of what a commit appended, its stamp without the digest included
 * @part: the image's bytes from stamp->first to stamp->size
 * @at: offset of the stamp in the image
 * @root: of the image
 */
__u64 xt2_stamp_digest(const void *part, const struct xt2_stamp *stamp, __u64 at, __u64 root);

/* => why a stamp is not of this file as it is; NULL: it is */
const char *xt2_stamp_differs(const struct xt2_stamp *stamp, const struct xt2_file_facts *facts,
			      __u64 size);

/* => ns since 1970 */
__u64 xt2_stamp_clock(void);

/* A file's contents have changed then, as it will tell.  => 0, -errno */
int xt2_stamp_time(int fd, __u64 changed);

#endif
