/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stamp.c - is an image file as a commit has left it?
 *
 * An image must not be used unchecked, and checking all of it costs what there is.  So a
 * commit leaves a stamp (struct xt2_stamp): which file this is, when it was born and when its
 * contents changed last, and a digest of what was appended last, the root included.  A file that only its owner can
 * write to, who runs this program, and that the stamp fits, is as this program left it:
 * a birth cannot be forged, and each change of the contents has a time.
 *
 * The time of a change can be set, that of the inode's last change cannot.  Writers know what it was
 * (commit-queue.c); for readers it is not far behind a commit's (XT2_STAMP_SETTLED).  The digest is
 * of the last commits alone; what the owner of the file could do to readers in those milliseconds is
 * no more than to change the rules, which is the owner's right, but a damaged image can end the program.
 */
#include "config.h"
#include "stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "engine/env.h"

static u64 nanoseconds(const struct statx_timestamp *t)
{
	return (u64)t->tv_sec * 1000000000u + t->tv_nsec;
}

static const char *why_shared(const struct statx *st)
{
	const unsigned int need = STATX_BASIC_STATS | STATX_BTIME;

	if (!S_ISREG(st->stx_mode))
		return "it is no regular file";
	if ((st->stx_mask & need) != need || !nanoseconds(&st->stx_btime))
		return "the file system does not tell when it was made";
	if (st->stx_uid != geteuid())
		return "another user owns it";
	if (st->stx_nlink != 1)
		return "it has several names";
	if (st->stx_mode & (S_IWGRP | S_IWOTH))
		return "its mode lets others write to it";
	return NULL;
}

int xt2_file_facts(int fd, struct xt2_file_facts *facts)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &st))
		return -errno;
	if (S_ISDIR(st.stx_mode))
		return -EISDIR;
	*facts = (struct xt2_file_facts){
		.now = {
			.device = makedev(st.stx_dev_major, st.stx_dev_minor),
			.inode = st.stx_ino,
			.born = nanoseconds(&st.stx_btime),
			.changed = nanoseconds(&st.stx_mtime),
		},
		.end = st.stx_size,
		.touched = nanoseconds(&st.stx_ctime),
		.uid = st.stx_uid,
		.shared = why_shared(&st),
	};
	facts->disturbed = facts->touched > facts->now.changed + XT2_STAMP_SETTLED;
	return 0;
}

static u64 digest_of(u64 hash, const void *bytes, u64 size)
{
	const u64 *word = bytes;
	u64 i;

	for (i = 0; i < size / sizeof(*word); i++) {
		hash = (hash ^ word[i]) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 32;
	}
	return hash;
}

u64 xt2_stamp_digest(const void *part, const struct xt2_stamp *stamp, u64 at, u64 root)
{
	const u64 before = at - stamp->first, after = before + sizeof(*stamp);
	struct xt2_stamp plain = *stamp;
	u64 hash = digest_of(root, part, before);

	plain.digest = 0;
	hash = digest_of(hash, &plain, sizeof(plain));
	return digest_of(hash, (const u8 *)part + after, stamp->size - stamp->first - after);
}

const char *xt2_stamp_differs(const struct xt2_stamp *stamp, const struct xt2_file_facts *facts,
			      u64 size)
{
	if (!stamp->born)
		return "it was written whole";
	if (stamp->device != facts->now.device || stamp->inode != facts->now.inode ||
	    stamp->born != facts->now.born)
		return "it is a copy of the file that the last change was made to";
	if (stamp->size != size)
		return "its size is not that of the last change";
	if (stamp->changed != facts->now.changed)
		return "its contents have changed since the last change was stored";
	if (facts->disturbed)
		return "its inode has changed since the last change was stored";
	return NULL;
}

u64 xt2_stamp_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec;
}

int xt2_stamp_time(int fd, u64 changed)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
					   { .tv_sec = (time_t)(changed / 1000000000u),
					     .tv_nsec = (long)(changed % 1000000000u) } };

	return futimens(fd, times) ? -errno : 0;
}
