/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commit-queue.h - commits to an image file that share syncs: see commit-queue.c */
#ifndef XT2_LIBXT2_STORE_COMMIT_QUEUE_H
#define XT2_LIBXT2_STORE_COMMIT_QUEUE_H

#include <stdbool.h>
#include <xt2/format.h>
#include "stamp.h"

#define XT2_QUEUE_MAGIC 0x7175657532747878ull /* "xxt2ueuq" */

/* What an image is after a commit. */
struct xt2_queue_point {
	__u64 number; /* commits are counted */
	__u64 size, root; /* of the image */
};

/* How the commits of an epoch ended whose sync failed. */
struct xt2_queue_end {
	__u64 epoch;
	__u64 durable; /* up to this number they are on the disk */
	__u64 stored; /* up to this number they are in the file, and may not be on the disk */
	__u64 error; /* errno */
};

/* The bytes of the lock file: doc/format.md. */
struct xt2_queue_state {
	__u64 magic;
	__u64 device, inode, born; /* of the image file */
	__u64 epoch; /* another one after each sync that failed */
	struct xt2_queue_point published; /* what the header says */
	struct xt2_queue_point synced; /* bytes of the image that are on the disk */
	struct xt2_queue_point appended; /* the newest commit */
	__u64 durable; /* number of the commit whose header is on the disk */
	__u64 stamped; /* the time of the newest commit's stamp */
	/* What the file told then, after the newest commit or after the header was written: */
	__u64 changed; /* when its contents changed last */
	__u64 touched; /* when its inode did */
	struct xt2_queue_end last; /* of the epoch before */
	__u64 digest; /* of all that is before */
};

struct xt2_commit_queue {
	int lock; /* descriptor of the lock file; -1: nobody else takes part */
	int fd; /* of the image */
	bool kept; /* the lock file can be believed, and can have a state */
	bool known; /* at has the file's times */
	bool untouched; /* nobody else has changed the file since then: its times are those of at */
	const char *path; /* of the image */
	struct xt2_queue_state at;
	/* Of the commit that is waited for: */
	__u64 epoch, number;
	bool stored; /* xt2_queue_wait() failed, but the commit is in the file */
	bool unsure; /* which header the file has, since writing it has failed */
};

/*
 * xt2_queue_open - what commits have left that may not be published yet
 * @q: lock, which this process holds, or -1; fd; path, which stays
 * @header: of the image as it is in the file
 *
 * The next commit is to follow q->at.appended, whose size and root are those of the header or of a
 * commit that its writer still waits for.
 */
void xt2_queue_open(struct xt2_commit_queue *q, const struct xt2_file_facts *facts,
		    const struct xt2_image *header);

/*
 * xt2_queue_append - a commit was appended; the lock is held
 * @stamped: the time of its stamp
 * @alone: its stamp does not tell of all that it wrote
 * => 0: xt2_queue_wait(); 1: it cannot wait for others: xt2_queue_settle(); -errno: nothing has changed
 */
int xt2_queue_append(struct xt2_commit_queue *q, __u64 size, __u64 root, __u64 stamped, bool alone);

/*
 * xt2_queue_settle - all commits become durable; the lock is held, and stays held
 * => 0; -errno: see q->stored; what was not stored is gone
 */
int xt2_queue_settle(struct xt2_commit_queue *q);

/*
 * xt2_queue_wait - give the lock up, until the newest commit is durable
 * => as xt2_queue_settle().  The lock is not held any more
 */
int xt2_queue_wait(struct xt2_commit_queue *q);

/*
 * xt2_queue_settle_file - the same as xt2_queue_settle(), for whoever replaces a file
 * @path: of the image, after symbolic links
 * @lock: its lock file's descriptor; the lock is held
 * => 0; -errno
 */
int xt2_queue_settle_file(const char *path, int lock);

/* => the first offset that the digest of a commit's stamp is of; *alone: that is not all */
__u64 xt2_queue_first(const struct xt2_commit_queue *q, __u64 size, bool *alone);

#endif
