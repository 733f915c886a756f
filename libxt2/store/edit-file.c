/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edit-file.c - an image file that is changed where it is
 *
 * A commit appends: what it writes is behind the image's end, but for cells that were not in
 * use.  When that is on the disk, the header's size and then its root are stored, each by one
 * write of eight bytes, so the file has the old ruleset or the new one at any moment.
 *
 * An image must not be used unchecked, and checking all of it costs what there is.  So a
 * commit leaves a stamp (struct xt2_stamp): which file this is, when it was born and when its
 * contents changed last, and a digest of what was appended last, the root included.  A file that only its owner can
 * write to, who runs this program, and that the stamp fits, is as this program left it:
 * a birth cannot be forged, and each change of the contents has a time.  It is mapped
 * and not checked again.  Any other file is read and checked whole.
 *
 * The time of a change can be set, that of the inode's last change cannot, and is not far behind
 * a commit's (SETTLED).  The digest is of the last commit alone; what the owner of the file
 * could do in those milliseconds is no more than to change the rules, which is the owner's
 * right, but a damaged image can end the program.
 */
#include "config.h"
#include "edit-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "engine/check.h"
#include "libxt2/err.h"
#include "libxt2/ruleset/inplace.h"
#include "new-file.h"
#include "old-files.h"

#define ROOM	     (64ull << 20) /* for what is added, beyond as much as there is */
#define DIGEST_MAX   (128ull << 10) /* bytes before the end that a digest covers at most */
#define SETTLED	     50000000ull /* ns from a commit's time to the last change of the inode */
#define GARBAGE_FREE (32u << 10) /* bytes that nothing names, whatever the rest */

struct xt2_edit_file {
	int fd;
	u8 *memory;
	size_t capacity; /* bytes mapped */
	struct xt2_image *img;
	u64 size; /* of the image in the file */
	u64 end; /* of the file */
	struct xt2_stamp now; /* which file it is */
	bool checked, disturbed;
	bool half; /* a header may be half written: no more commits through this */
	char path[PATH_MAX]; /* after symbolic links */
	char shown[PATH_MAX]; /* as the caller has it */
};

bool xt2_edit_file_was_checked(const struct xt2_edit_file *f)
{
	return f->checked;
}

__u64 xt2_edit_file_torn(const struct xt2_edit_file *f)
{
	return f->end - f->size;
}

/* --- stamps ------------------------------------------------------------------ */

static u64 nanoseconds(const struct statx_timestamp *t)
{
	return (u64)t->tv_sec * 1000000000u + t->tv_nsec;
}

/*
 * Which file it is, and whether nobody else can write to it.
 * @disturbed: the inode has changed since the contents have: somebody may have set their time
 * => 1: so it is; 0: others can, or the file system does not tell; -errno
 */
static int identify(int fd, struct xt2_stamp *now, u64 *end, bool *disturbed)
{
	const unsigned int need = STATX_BASIC_STATS | STATX_BTIME;
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, need, &st))
		return -errno;
	if (!S_ISREG(st.stx_mode))
		return S_ISDIR(st.stx_mode) ? -EISDIR : 0;
	*end = st.stx_size;
	*now = (struct xt2_stamp){
		.device = makedev(st.stx_dev_major, st.stx_dev_minor),
		.inode = st.stx_ino,
		.born = nanoseconds(&st.stx_btime),
		.changed = nanoseconds(&st.stx_mtime),
	};
	*disturbed = nanoseconds(&st.stx_ctime) > now->changed + SETTLED;
	return (st.stx_mask & need) == need && st.stx_uid == geteuid() && st.stx_nlink == 1 &&
	       !(st.stx_mode & (S_IWGRP | S_IWOTH)) && nanoseconds(&st.stx_btime);
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

/* Of what a commit wrote from first on, with this stamp but without its digest. */
static u64 stamp_digest(const struct xt2_image *img, const struct xt2_stamp *stamp)
{
	struct xt2_stamp plain = *stamp;
	const u64 at = xt2_offset(img, stamp), after = at + sizeof(*stamp);
	u64 hash = digest_of(img->root, xt2_at(img, stamp->first), at - stamp->first);

	plain.digest = 0;
	hash = digest_of(hash, &plain, sizeof(plain));
	return digest_of(hash, xt2_at(img, after), stamp->size - after);
}

/* => does the image have a stamp, and is it this file's? */
static bool is_stamped(const struct xt2_edit_file *f)
{
	const struct xt2_image *img = f->img;
	const struct xt2_root *root = xt2_at(img, img->root);
	const struct xt2_stamp *stamp;
	u64 at;

	if (img->root % XT2_ALIGN || img->root < sizeof(*img) ||
	    img->root > f->size - sizeof(*root))
		return false;
	at = root->edits;
	if (at % XT2_ALIGN || at < sizeof(*img) || at > f->size - sizeof(struct xt2_edits))
		return false;
	stamp = &((const struct xt2_edits *)xt2_at(img, at))->stamp;
	return f->now.born && stamp->device == f->now.device && stamp->inode == f->now.inode &&
	       stamp->born == f->now.born && stamp->changed == f->now.changed &&
	       stamp->size == f->size && stamp->first % XT2_ALIGN == 0 && stamp->first <= at &&
	       stamp->digest == stamp_digest(img, stamp);
}

/* --- opening ------------------------------------------------------------------ */

static int failed(const struct xt2_edit_file *f, struct xt2_err *err, const char *verb, int error)
{
	return xt2_file_error(err, -error, verb, f->shown);
}

/* Memory for the file's bytes and for what will follow them. */
static int reserve(struct xt2_edit_file *f)
{
	const u64 most = XT2_SIZE_MAX + 8ull, want = 2 * f->end + ROOM;
	void *p;

	f->capacity = (size_t)(want < most ? want : most);
	p = mmap(NULL, f->capacity, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return -errno;
	f->memory = p;
	f->img = p;
	return 0;
}

/* => 0: the header may be that of an image; 1: it is not */
static int read_header(struct xt2_edit_file *f, struct xt2_image *header)
{
	ssize_t n = xt2_read_header_(f->fd, header);

	if (n < 0)
		return (int)n;
	if (n < (ssize_t)sizeof(*header) || header->magic != XT2_MAGIC || !header->root ||
	    header->version != XT2_VERSION || header->byte_order != XT2_BYTE_ORDER ||
	    header->size % XT2_ALIGN || header->size > f->end || header->size > XT2_SIZE_MAX ||
	    header->size < sizeof(*header) + sizeof(struct xt2_root))
		return 1;
	f->size = header->size;
	return 0;
}

/*
 * The image's bytes, as they are needed; what is changed is this process's alone.  What another
 * commit has not finished is left out: it may be cut off at any moment.
 */
static int map_file(struct xt2_edit_file *f, const struct xt2_image *header)
{
	void *p =
		mmap(f->memory, f->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, f->fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	*f->img = *header; /* another commit may be under way */
	return 0;
}

static int check(const struct xt2_edit_file *f)
{
	void *scratch = malloc(xt2_check_scratch(f->size));
	int ret;

	if (!scratch)
		return -ENOMEM;
	ret = xt2_check(f->img, f->size, scratch, NULL);
	free(scratch);
	return ret ? 1 : 0; /* whoever reads it whole says why */
}

/* A copy that nobody can change after the check. */
static int read_whole(struct xt2_edit_file *f)
{
	const struct xt2_image header = *f->img;
	void *p = mmap(f->memory, f->size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	ssize_t n;

	if (p == MAP_FAILED)
		return -errno;
	if (lseek(f->fd, 0, SEEK_SET))
		return -errno;
	n = xt2_read_up_to(f->fd, f->memory, f->size);
	if (n < 0)
		return (int)n;
	*f->img = header;
	f->checked = true;
	return (u64)n < f->size ? 1 : check(f);
}

static int open_file(struct xt2_edit_file *f, bool change, struct xt2_err *err)
{
	struct xt2_image header;
	int ret;

	f->fd = open(f->path, (change ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
	if (f->fd < 0)
		return errno == EACCES && change ? 1 : failed(f, err, "open", -errno);
	ret = identify(f->fd, &f->now, &f->end, &f->disturbed);
	if (ret <= 0)
		return ret ? failed(f, err, "read", ret) : 1;
	if (f->end < sizeof(struct xt2_image) + sizeof(struct xt2_root))
		return 1;
	ret = read_header(f, &header);
	if (!ret)
		ret = reserve(f);
	if (!ret)
		ret = map_file(f, &header);
	if (!ret && (f->disturbed || !is_stamped(f)))
		ret = read_whole(f);
	return ret < 0 ? failed(f, err, "read", ret) : ret;
}

int xt2_edit_file_open(const char *path, bool change, struct xt2_edit_file **file,
		       struct xt2_ruleset *rs, struct xt2_err *err)
{
	struct xt2_edit_file *f = calloc(1, sizeof(*f));
	int ret;

	if (!f)
		return xt2_err_no_memory(err, " to open the image");
	f->fd = -1;
	snprintf(f->shown, sizeof(f->shown), "%s", path);
	ret = xt2_resolve(path, f->path);
	if (ret)
		ret = xt2_file_error(err, -ret, "resolve", path);
	else
		ret = open_file(f, change, err);
	if (!ret && xt2_inplace_begin(rs, f->img, f->capacity, !f->checked))
		ret = xt2_err_no_memory(err, " to open the image");
	if (ret) {
		xt2_edit_file_close(f);
		return ret;
	}
	*file = f;
	return 0;
}

void xt2_edit_file_close(struct xt2_edit_file *f)
{
	if (!f)
		return;
	if (f->memory)
		munmap(f->memory, f->capacity);
	if (f->fd >= 0)
		close(f->fd);
	free(f);
}

/* --- committing ----------------------------------------------------------------- */

static int write_at(const struct xt2_edit_file *f, u64 from, u64 to)
{
	while (from < to) {
		const ssize_t n = pwrite(f->fd, f->memory + from, to - from, (off_t)from);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		from += (u64)n;
	}
	return 0;
}

/* The commit's stamp.  => its time, which becomes that of the file's last change */
static struct timespec make_stamp(struct xt2_edit_file *f, struct xt2_stamp *stamp)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	*stamp = f->now;
	stamp->changed = (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec;
	stamp->size = f->img->size;
	stamp->first = f->img->size - f->size > DIGEST_MAX ? f->img->size - DIGEST_MAX : f->size;
	stamp->digest = stamp_digest(f->img, stamp);
	return now;
}

/* What was appended, and cells that were taken into use. */
static int write_body(const struct xt2_edit_file *f, const struct xt2_root *old,
		      const struct xt2_root *root)
{
	int ret = 0;

	if (f->end > f->size && ftruncate(f->fd, (off_t)f->size))
		return -errno;
	if (old->cell == root->cell && root->cells > old->cells)
		ret = write_at(f, root->cell + (u64)old->cells * sizeof(u64),
			       root->cell + (u64)root->cells * sizeof(u64));
	if (!ret)
		ret = write_at(f, f->size, f->img->size);
	return ret || !fdatasync(f->fd) ? ret : -errno;
}

/*
 * The stamp is last of what is new, so that its time is close to the file's.  Then the size: with
 * it, the old root is as good as before.
 */
static int write_header(struct xt2_edit_file *f, struct xt2_stamp *stamp)
{
	const u64 size = offsetof(struct xt2_image, size), root = offsetof(struct xt2_image, root);
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, make_stamp(f, stamp) };
	const u64 at = xt2_offset(f->img, stamp);
	int ret = write_at(f, at, at + sizeof(*stamp));

	if (!ret)
		ret = write_at(f, size, size + sizeof(u64));
	if (!ret)
		ret = write_at(f, root, root + sizeof(u64));
	if (!ret && futimens(f->fd, times))
		ret = 0; /* the file will be checked whole */
	return ret;
}

/* Image files must not be mostly empty, and nobody wants them to be. */
static bool is_garbage(const struct xt2_edit_file *f, const struct xt2_root *root)
{
	const struct xt2_edits *edits = xt2_at(f->img, root->edits);

	return edits->garbage > GARBAGE_FREE + (f->img->size - edits->garbage);
}

/* => 0; -errno: the file has the old ruleset */
static int append(struct xt2_edit_file *f, u32 offset)
{
	const struct xt2_root *old = xt2_image_root(f->img), *root = xt2_at(f->img, offset);
	struct xt2_edits *edits = xt2_at(f->img, root->edits);
	int ret;

	f->img->root = offset;
	edits->stamp = (struct xt2_stamp){ 0 };
	ret = write_body(f, old, root);
	if ((ret == -ENOSPC || ret == -EDQUOT) && xt2_old_files_drop(f->path))
		ret = write_body(f, old, root);
	if (ret && ftruncate(f->fd, (off_t)f->size)) {
		/* the next commit does it */
	}
	if (!ret) {
		ret = write_header(f, &edits->stamp);
		f->half = ret != 0;
	}
	if (ret)
		f->img->root = xt2_offset(f->img, old);
	return ret;
}

int xt2_edit_file_commit(struct xt2_edit_file *f, struct xt2_ruleset *rs,
			 const struct xt2_commit_check *check, const struct xt2_author *author,
			 struct xt2_err *err)
{
	static const struct xt2_author nobody;
	u32 root;
	int ret;

	if (f->half) /* its size may be more than f->size: nothing may be cut off there */
		return failed(f, err, "write", -EIO);
	xt2_inplace_author(rs, author ? author : &nobody);
	ret = xt2_inplace_commit(rs, check, &root, err);
	if (ret || !root)
		return ret;
	if (is_garbage(f, xt2_at(f->img, root)))
		return 1;
	ret = append(f, root);
	if (ret) {
		xt2_inplace_abort(rs);
		return failed(f, err, "write", ret);
	}
	f->size = f->end = f->img->size;
	xt2_inplace_done(rs); /* what it lacks memory for sticks, and is told when it is wanted */
	if (fdatasync(f->fd))
		return failed(f, err, "sync the change, which is stored, in", -errno);
	return 0;
}
