/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commit-queue.c - commits to an image file that share syncs
 *
 * A commit is appended, and when that is on the disk, the header names it.  Each of these takes a
 * sync, and a sync takes as long for many commits as for one.  So a writer gives the lock up as
 * soon as its commit is appended: the next one builds on it, though the header does not name it
 * yet.  What was appended is in the lock file (struct xt2_queue_state), which only holders of the
 * lock write.  Readers look at the header alone: they see what was synced, and nothing else.
 *
 * Whoever has appended waits until its commit is durable.  One of those who wait, the leader, has
 * the turn, which is a lock of the lock file's first byte.  It syncs; takes the lock, has the
 * header name the newest commit that was appended before the sync began, and gives the lock up; and
 * syncs again, which is also the first sync of what was appended meanwhile.  When its own commit
 * is durable it gives the turn to the next, whose commit is mostly durable as well.  The lock is
 * taken with the turn held, never the turn with the lock held, but without waiting.
 *
 * A sync that fails ends an epoch: what the header does not name is cut off, and those who wait see
 * that the epoch is another one, and how theirs has ended.  A leader that is killed leaves
 * everything to the next.  Where all who have waited were killed, which a shared lock of the second
 * byte shows, the next commit cuts off what the header does not name.  After a loss of power the lock
 * file may say anything, and nobody waits.
 *
 * Where the lock file cannot be believed, or has no room, each commit is settled under the lock.
 */
#include "config.h"
#include "commit-queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>
#include "engine/image.h"
#include "libxt2/ruleset/ruleset.h"
#include "new-file.h"
#include "old-files.h"

#define RELOCK_NS 50000L /* between two tries for the lock, held by others for a commit */
#define TURN_NS	  1000000000ull /* then a leader has too much else to do, or was stopped */
#define COPY	  65536u /* bytes that are written again at once */

/* --- the state in the lock file --------------------------------------------------- */

static u64 digest(const struct xt2_queue_state *s)
{
	const u64 *word = (const u64 *)s;
	u64 hash = 0;
	size_t i;

	for (i = 0; i < offsetof(struct xt2_queue_state, digest) / sizeof(*word); i++) {
		hash = (hash ^ word[i]) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 32;
	}
	return hash;
}

/* => is there one?  Without the lock it may be half written, and there is none */
static bool read_state(const struct xt2_commit_queue *q, struct xt2_queue_state *s)
{
	struct xt2_queue_state found;

	if (!q->kept || pread(q->lock, &found, sizeof(found), 0) != (ssize_t)sizeof(found) ||
	    found.magic != XT2_QUEUE_MAGIC || found.digest != digest(&found))
		return false;
	*s = found;
	return true;
}

/* => 0, -errno */
static int write_state(struct xt2_commit_queue *q)
{
	ssize_t n;

	if (!q->kept)
		return 0;
	q->at.digest = digest(&q->at);
	n = pwrite(q->lock, &q->at, sizeof(q->at), 0);
	return n == (ssize_t)sizeof(q->at) ? 0 : n < 0 ? -errno : -ENOSPC;
}

/* Whoever can write the lock file has to be who can write the image. */
static bool can_keep(int lock, const struct xt2_file_facts *facts)
{
	static const unsigned int remote[] = { 0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997 };
	struct statfs fs;
	struct stat st;
	size_t i;

	if (lock < 0 || fstat(lock, &st) || !S_ISREG(st.st_mode) || st.st_uid != facts->uid ||
	    st.st_nlink != 1 || (st.st_mode & (S_IWGRP | S_IWOTH)) || fstatfs(lock, &fs))
		return false;
	for (i = 0; i < XT2_ARRAY_SIZE(remote); i++) /* there flock() may be a lock of bytes, too */
		if ((unsigned int)fs.f_type == remote[i])
			return false;
	return true;
}

/* --- stamps in the file ------------------------------------------------------------ */

struct stamped {
	struct xt2_stamp stamp;
	u64 at; /* its offset */
	u8 *part; /* that it is of */
};

static bool read_at(int fd, u64 at, void *to, u64 size)
{
	return pread(fd, to, size, (off_t)at) == (ssize_t)size;
}

/* => is there a stamp that can be one?  Then free(s->part) */
static bool read_stamp(const struct xt2_commit_queue *q, const struct xt2_queue_point *p,
		       struct stamped *s)
{
	struct xt2_root root;
	u64 size;

	if (p->root % XT2_ALIGN || p->root < sizeof(struct xt2_image) || p->size < sizeof(root) ||
	    p->root > p->size - sizeof(root) || !read_at(q->fd, p->root, &root, sizeof(root)))
		return false;
	s->at = root.edits + offsetof(struct xt2_edits, stamp);
	if (root.edits % XT2_ALIGN || root.edits < sizeof(struct xt2_image) ||
	    s->at + sizeof(s->stamp) > p->size ||
	    !read_at(q->fd, s->at, &s->stamp, sizeof(s->stamp)))
		return false;
	if (s->stamp.size != p->size || s->stamp.first % XT2_ALIGN || s->stamp.first > root.edits ||
	    s->stamp.size - s->stamp.first > XT2_STAMP_PART)
		return false;
	size = s->stamp.size - s->stamp.first;
	s->part = malloc(size);
	if (s->part && read_at(q->fd, s->stamp.first, s->part, size))
		return true;
	free(s->part);
	return false;
}

/* => is all that the header does not name there, as it was appended? */
static bool is_whole(const struct xt2_commit_queue *q)
{
	const struct xt2_queue_point *p = &q->at.appended;
	struct stamped s;
	bool whole;

	if (!read_stamp(q, p, &s))
		return false;
	whole = s.stamp.first <= q->at.published.size && s.stamp.device == q->at.device &&
		s.stamp.inode == q->at.inode && s.stamp.born == q->at.born &&
		s.stamp.digest == xt2_stamp_digest(s.part, &s.stamp, s.at, p->root);
	free(s.part);
	return whole;
}

/* The newest commit gets the time of now: it was appended long before the header named it. */
static int stamp_again(struct xt2_commit_queue *q)
{
	const struct xt2_queue_point *p = &q->at.appended;
	struct stamped s;
	ssize_t n;

	if (!read_stamp(q, p, &s))
		return 0; /* the file will be checked whole */
	s.stamp.changed = xt2_stamp_clock();
	s.stamp.digest = xt2_stamp_digest(s.part, &s.stamp, s.at, p->root);
	free(s.part);
	n = pwrite(q->fd, &s.stamp, sizeof(s.stamp), (off_t)s.at);
	if (n != (ssize_t)sizeof(s.stamp))
		return n < 0 ? -errno : -ENOSPC;
	q->at.stamped = s.stamp.changed;
	return 0;
}

/* --- who is there ------------------------------------------------------------------ */

enum place { TURN, PRESENCE }; /* bytes of the lock file: who leads, and that somebody waits */

/* @kind: F_WRLCK, F_RDLCK, F_UNLCK.  => 0; -EAGAIN: others have it; -errno */
static int lock_byte(const struct xt2_commit_queue *q, int command, short kind, enum place place)
{
	struct flock f = { .l_type = kind, .l_whence = SEEK_SET, .l_start = place, .l_len = 1 };

	while (fcntl(q->lock, command, &f))
		if (errno != EINTR)
			return errno == EACCES ? -EAGAIN : -errno;
	return command == F_OFD_GETLK && f.l_type != F_UNLCK ? -EAGAIN : 0;
}

/* => does anybody wait? */
static bool any_present(const struct xt2_commit_queue *q)
{
	return lock_byte(q, F_OFD_GETLK, F_WRLCK, PRESENCE) == -EAGAIN;
}

/* --- opening ---------------------------------------------------------------------- */

static bool same_point(const struct xt2_queue_point *p, const struct xt2_image *header)
{
	return p->size == header->size && p->root == header->root;
}

/* => is it of this file, and of this header?  *at: the point that the header names */
static bool fits(const struct xt2_queue_state *s, const struct xt2_file_facts *facts,
		 const struct xt2_image *header, struct xt2_queue_point *at)
{
	const struct xt2_queue_point *points[] = { &s->appended, &s->synced, &s->published };
	size_t i;

	if (s->device != facts->now.device || s->inode != facts->now.inode ||
	    s->born != facts->now.born || s->appended.size > facts->end ||
	    s->published.size > s->synced.size || s->synced.size > s->appended.size)
		return false;
	for (i = 0; i < XT2_ARRAY_SIZE(points); i++)
		if (same_point(points[i], header)) {
			*at = *points[i];
			return true;
		}
	return false;
}

/* What waits does so in vain: it is cut off, or is not there. */
static void end_epoch(struct xt2_commit_queue *q, int error)
{
	struct xt2_queue_state *s = &q->at;
	const u64 now = xt2_stamp_clock();

	s->last = (struct xt2_queue_end){ s->epoch, s->durable, s->published.number, (u64)error };
	s->epoch = now > s->epoch ? now : s->epoch + 1;
	s->published.number = s->appended.number; /* numbers are not used again */
	s->synced = s->appended = s->published;
	s->durable = s->published.number;
}

/* Nothing waits that is of this file: the header is where to go on from. */
static void begin_anew(struct xt2_commit_queue *q, const struct xt2_file_facts *facts,
		       const struct xt2_image *header)
{
	struct xt2_queue_state *s = &q->at;
	const u64 number = s->appended.number;

	s->magic = XT2_QUEUE_MAGIC;
	s->device = facts->now.device;
	s->inode = facts->now.inode;
	s->born = facts->now.born;
	s->published = (struct xt2_queue_point){ number, header->size, header->root };
	s->synced = s->appended = s->published;
	s->durable = number;
	s->stamped = s->changed = s->touched = 0;
}

void xt2_queue_open(struct xt2_commit_queue *q, const struct xt2_file_facts *facts,
		    const struct xt2_image *header)
{
	struct xt2_queue_state *s = &q->at;
	struct xt2_queue_point at;

	q->kept = can_keep(q->lock, facts);
	if (!read_state(q, s)) {
		*s = (struct xt2_queue_state){ .epoch = xt2_stamp_clock() };
		begin_anew(q, facts, header);
	} else if (!fits(s, facts, header, &at)) {
		if (s->durable < s->appended.number)
			end_epoch(q, EIO);
		begin_anew(q, facts, header);
	} else {
		s->published = at;
		if (s->synced.number < at.number)
			s->synced = at;
		if (s->appended.number > at.number && !(any_present(q) && is_whole(q)))
			end_epoch(q, EIO);
	}
	q->known = q->kept && s->touched;
	q->untouched = q->known && s->changed == facts->now.changed && s->touched == facts->touched;
	q->epoch = s->epoch;
	q->number = s->appended.number;
}

u64 xt2_queue_first(const struct xt2_commit_queue *q, u64 size, bool *alone)
{
	*alone = size - q->at.published.size > XT2_STAMP_PART;
	return *alone ? size - XT2_STAMP_PART : q->at.published.size;
}

/* --- with the lock held -------------------------------------------------------------- */

/* The file as it is now: without these times, it will be checked whole. */
static void note_times(struct xt2_commit_queue *q)
{
	struct xt2_file_facts facts;
	const bool known = !xt2_file_facts(q->fd, &facts);

	q->at.changed = known ? facts.now.changed : 0;
	q->at.touched = known ? facts.touched : 0;
}

int xt2_queue_append(struct xt2_commit_queue *q, u64 size, u64 root, u64 stamped, bool alone)
{
	const struct xt2_queue_state before = q->at;
	int ret;

	q->at.appended = (struct xt2_queue_point){ before.appended.number + 1, size, root };
	q->at.stamped = stamped;
	q->number = q->at.appended.number;
	note_times(q);
	if (alone || !q->kept)
		return 1;
	ret = write_state(q);
	if (!ret)
		return 0;
	if (before.durable == before.appended.number && (ret == -ENOSPC || ret == -EDQUOT)) {
		q->kept = false; /* nobody waits, and there is no room for those who would */
		return 1;
	}
	q->at = before;
	q->number = before.appended.number;
	return ret;
}

/* => 0, -errno */
static int name_point(const struct xt2_commit_queue *q, const struct xt2_queue_point *p)
{
	const u64 words[2] = { p->size, p->root };
	const ssize_t n = pwrite(q->fd, words, sizeof(words), offsetof(struct xt2_image, size));

	return n == (ssize_t)sizeof(words) ? 0 : n < 0 ? -errno : -ENOSPC;
}

_Static_assert(offsetof(struct xt2_image, root) == offsetof(struct xt2_image, size) + sizeof(u64),
	       "size and root are neighbours");

/*
 * Size and root at once: they are in one sector, and a killed process has written both or none.
 * With the new size alone the old root could be that of an image that is mostly empty.
 */
static int write_header(struct xt2_commit_queue *q)
{
	const int ret = name_point(q, &q->at.synced);
	q->unsure = ret && name_point(q, &q->at.published);
	return ret;
}

/* The header names what is on the disk.  => 0, -errno */
static int publish(struct xt2_commit_queue *q)
{
	struct xt2_queue_state *s = &q->at;
	const bool newest = s->synced.number == s->appended.number;
	int ret = write_state(q);

	if (!ret && newest && xt2_stamp_clock() > s->stamped + XT2_STAMP_SETTLED / 2)
		ret = stamp_again(q);
	if (!ret)
		ret = write_header(q);
	if (ret)
		return ret;
	s->published = s->synced;
	if (newest && xt2_stamp_time(q->fd, s->stamped)) {
		/* the file will be checked whole */
	}
	note_times(q);
	return write_state(q);
}

/* A sync or a write has failed: what the header does not name is cut off. */
static int give_up(struct xt2_commit_queue *q, int error)
{
	q->stored = q->number <= q->at.published.number;
	end_epoch(q, -error);
	if (write_state(q)) {
		/* then those who wait learn it from the next writer */
	}
	if (!q->unsure && ftruncate(q->fd, (off_t)q->at.published.size)) {
		/* then the next commit does it */
	}
	return error;
}

static int sync_file(const struct xt2_commit_queue *q)
{
	return fdatasync(q->fd) ? -errno : 0;
}

/* A page whose sync has failed is not written again by the next.  => 0, -errno */
static int write_again(const struct xt2_commit_queue *q)
{
	u64 at = q->at.published.size, n;
	u8 *bytes = malloc(COPY);
	int ret = bytes ? 0 : -ENOMEM;

	for (; !ret && at < q->at.appended.size; at += n) {
		n = q->at.appended.size - at < COPY ? q->at.appended.size - at : COPY;
		if (!read_at(q->fd, at, bytes, n))
			ret = -EIO;
		else if (pwrite(q->fd, bytes, n, (off_t)at) != (ssize_t)n)
			ret = -ENOSPC;
	}
	free(bytes);
	return ret;
}

/* A disk that is full gets room from older files. */
static int sync_or_make_room(const struct xt2_commit_queue *q, int ret)
{
	if ((ret != -ENOSPC && ret != -EDQUOT) || !xt2_old_files_drop(q->path) || write_again(q))
		return ret;
	return sync_file(q);
}

int xt2_queue_settle(struct xt2_commit_queue *q)
{
	struct xt2_queue_state *s = &q->at;
	int ret = 0;

	q->stored = false;
	if (s->synced.number < s->appended.number)
		ret = sync_or_make_room(q, sync_file(q));
	s->synced = ret ? s->synced : s->appended;
	if (!ret && s->published.number < s->synced.number)
		ret = publish(q);
	if (!ret && s->durable < s->published.number)
		ret = sync_file(q);
	if (ret)
		return give_up(q, ret);
	if (s->durable == s->published.number)
		return 0;
	s->durable = s->published.number;
	write_state(q); /* or else the next commit syncs once more */
	return 0;
}

int xt2_queue_settle_file(const char *path, int lock)
{
	struct xt2_commit_queue q = { .lock = lock, .path = path };
	struct xt2_file_facts facts;
	struct xt2_image header;
	int ret = 0;

	q.fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (q.fd < 0)
		return 0; /* there is nothing, or nothing that waits: who waits has it open */
	if (!xt2_file_facts(q.fd, &facts) &&
	    xt2_read_header_(q.fd, &header) == (ssize_t)sizeof(header)) {
		xt2_queue_open(&q, &facts, &header);
		if (q.at.durable < q.at.appended.number)
			ret = xt2_queue_settle(&q);
	}
	close(q.fd);
	return ret;
}

/* Where syncing fails, those who wait for it are told; the file is whole. */
int xt2_image_lock(const char *path, int wait, struct xt2_err *err)
{
	const int fd = xt2_image_lock_(path, wait, err);
	char real[PATH_MAX];

	if (fd >= 0 && !xt2_resolve(path, real))
		xt2_queue_settle_file(real, fd);
	return fd;
}

/* --- waiting --------------------------------------------------------------------- */

/* What becomes of the commit.  => is it known?  Then *ret is the answer */
static bool fate(struct xt2_commit_queue *q, const struct xt2_queue_state *s, int *ret)
{
	const struct xt2_queue_end *end = &s->last;

	*ret = 0;
	if (s->epoch == q->epoch)
		return s->durable >= q->number;
	if (end->epoch != q->epoch) {
		*ret = -EIO; /* several epochs have ended since */
		return true;
	}
	q->stored = q->number <= end->stored;
	if (q->number > end->durable)
		*ret = end->error ? -(int)end->error : -EIO;
	return true;
}

/*
 * The lock again, with the state; while others have it they may settle what is waited for.
 * => true: the fate is known, and the lock is not held
 */
static bool relock(struct xt2_commit_queue *q, int *ret)
{
	const struct timespec pause = { .tv_nsec = RELOCK_NS };
	struct xt2_queue_state s;

	while (flock(q->lock, LOCK_EX | LOCK_NB)) {
		if (read_state(q, &s) && fate(q, &s, ret))
			return true;
		nanosleep(&pause, NULL);
	}
	if (read_state(q, &s)) {
		q->at = s;
		return false;
	}
	flock(q->lock, LOCK_UN);
	*ret = -EIO; /* somebody has written over it */
	return true;
}

/* The leader's part: the lock is held.  => the answer; the lock is not held any more */
static int lead(struct xt2_commit_queue *q)
{
	struct xt2_queue_state *s = &q->at;
	struct xt2_queue_point appended;
	u64 published;
	int ret, failed;

	while (!fate(q, s, &ret)) {
		failed = s->published.number < s->synced.number ? publish(q) : 0;
		appended = s->appended;
		published = s->published.number;
		if (!failed) {
			flock(q->lock, LOCK_UN);
			failed = sync_file(q);
			if (relock(q, &ret))
				return ret;
		}
		if (s->epoch != q->epoch)
			continue;
		if (failed && s->synced.number < s->appended.number && published == s->durable)
			failed = sync_or_make_room(q, failed);
		if (failed) {
			give_up(q, failed);
			continue;
		}
		if (s->synced.number < appended.number)
			s->synced = appended;
		if (s->durable < published) {
			s->durable = published;
			write_state(q); /* or else it is synced once more */
		}
	}
	flock(q->lock, LOCK_UN);
	return ret;
}

/*
 * Another one leads.  Whoever waits asks again and again instead of for a lock that blocks: what
 * becomes of the commit is known before the leader's turn ends, and a leader that was stopped has
 * it for TURN_NS at most.
 * => as xt2_queue_wait()
 */
static int follow(struct xt2_commit_queue *q)
{
	const struct timespec pause = { .tv_nsec = RELOCK_NS };
	struct xt2_queue_state s;
	u64 waited;
	int ret;

	flock(q->lock, LOCK_UN);
	for (waited = 0; waited < TURN_NS; waited += RELOCK_NS) {
		if (read_state(q, &s) && fate(q, &s, &ret))
			return ret;
		if (lock_byte(q, F_OFD_SETLK, F_WRLCK, TURN) != -EAGAIN)
			break; /* without it there may be two leaders, and more syncs */
		nanosleep(&pause, NULL);
	}
	if ((read_state(q, &s) && fate(q, &s, &ret)) || relock(q, &ret))
		return ret;
	return lead(q);
}

int xt2_queue_wait(struct xt2_commit_queue *q)
{
	int ret = lock_byte(q, F_OFD_SETLK, F_RDLCK, PRESENCE);

	q->stored = false;
	if (ret) { /* no such locks here */
		ret = xt2_queue_settle(q);
		flock(q->lock, LOCK_UN);
		return ret;
	}
	if (lock_byte(q, F_OFD_SETLK, F_WRLCK, TURN))
		ret = follow(q);
	else
		ret = lead(q);
	lock_byte(q, F_OFD_SETLK, F_UNLCK, TURN);
	lock_byte(q, F_OFD_SETLK, F_UNLCK, PRESENCE);
	return ret;
}
