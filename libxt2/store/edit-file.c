/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edit-file.c - an image file that is changed where it is
 *
 * A commit appends: what it writes is behind the image's end, but for cells that were not in
 * use.  When that is on the disk, the header's size and root are stored by one write within a
 * sector, so the file has the old ruleset or the new one at any moment.  When, and by whom, is a
 * matter of commit-queue.c: the sync is shared with others that change the file.
 *
 * A file that only its owner can write to, and that is as the last commit has left it (stamp.c), is
 * mapped and not checked again.  Any other file is read and checked whole.
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
#include <unistd.h>
#include "commit-queue.h"
#include "engine/check.h"
#include "libxt2/err.h"
#include "libxt2/ruleset/inplace.h"
#include "new-file.h"
#include "old-files.h"
#include "stamp.h"

#define ROOM	     (64ull << 20) /* for what is added, beyond as much as there is */
#define GARBAGE_FREE (32u << 10) /* bytes that nothing names, whatever the rest */

struct xt2_edit_file {
	int fd;
	u8 *memory;
	size_t capacity; /* bytes mapped */
	struct xt2_image *img;
	u64 size; /* of the image in the file */
	u64 end; /* of the file */
	struct xt2_file_facts facts;
	struct xt2_commit_queue queue; /* of a file that is locked */
	bool locked; /* to be changed */
	bool shares; /* the lock is given up when a commit is appended */
	bool spent; /* no more commits through this */
	const char *whole; /* why it was checked whole, or has to be; NULL: it was not */
	char path[PATH_MAX]; /* after symbolic links */
	char shown[PATH_MAX]; /* as the caller has it */
};

void xt2_edit_file_share(struct xt2_edit_file *f)
{
	f->shares = true;
}

__u64 xt2_edit_file_torn(const struct xt2_edit_file *f)
{
	return f->end - f->size;
}

/* => the stamp of the image; NULL: it has none that can be one */
static const struct xt2_stamp *stamp_of(const struct xt2_edit_file *f)
{
	const struct xt2_image *img = f->img;
	const struct xt2_stamp *stamp;
	u64 at;

	if (img->root % XT2_ALIGN || img->root < sizeof(*img) ||
	    img->root > f->size - sizeof(struct xt2_root))
		return NULL;
	at = ((const struct xt2_root *)xt2_at(img, img->root))->edits;
	if (at % XT2_ALIGN || at < sizeof(*img) || at > f->size ||
	    f->size - at < sizeof(struct xt2_edits))
		return NULL;
	stamp = &((const struct xt2_edits *)xt2_at(img, at))->stamp;
	return stamp->size != f->size || (stamp->first % XT2_ALIGN == 0 && stamp->first <= at)
		       ? stamp
		       : NULL;
}

/* => why the file may not be as the last commit has left it; NULL: it is */
static const char *suspicion(const struct xt2_edit_file *f)
{
	const struct xt2_stamp *stamp = stamp_of(f);
	const char *why = NULL;

	if (!stamp)
		return "it was written whole";
	if (!f->queue.untouched || stamp->size != f->size)
		why = xt2_stamp_differs(stamp, &f->facts, f->size);
	if (!why && f->queue.known && !f->queue.untouched)
		why = "its inode has changed since the last change was stored";
	if (!why && stamp->digest != xt2_stamp_digest(xt2_at(f->img, stamp->first), stamp,
						      xt2_offset(f->img, stamp), f->img->root))
		why = "the digest of what was stored last is another one";
	return why;
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
	return (u64)n < f->size ? 1 : check(f);
}

/* What was appended last is what the next commit builds on. */
static void join(struct xt2_edit_file *f, int lock, struct xt2_image *header)
{
	f->queue = (struct xt2_commit_queue){ .lock = lock, .fd = f->fd, .path = f->path };
	xt2_queue_open(&f->queue, &f->facts, header);
	header->size = f->queue.at.appended.size;
	header->root = f->queue.at.appended.root;
	f->size = header->size;
}

static int open_file(struct xt2_edit_file *f, int lock, struct xt2_err *err)
{
	struct xt2_image header;
	int ret;

	f->whole = "it cannot be written to";
	f->fd = open(f->path, (f->locked ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
	if (f->fd < 0)
		return errno == EACCES && f->locked ? 1 : failed(f, err, "open", -errno);
	ret = xt2_file_facts(f->fd, &f->facts);
	f->whole = ret ? NULL : f->facts.shared;
	if (ret || f->whole)
		return ret ? failed(f, err, "read", ret) : 1;
	f->whole = "it is no image";
	f->end = f->facts.end;
	if (f->end < sizeof(struct xt2_image) + sizeof(struct xt2_root))
		return 1;
	ret = read_header(f, &header);
	if (!ret && f->locked)
		join(f, lock, &header);
	if (!ret)
		ret = reserve(f);
	if (!ret)
		ret = map_file(f, &header);
	if (!ret) {
		f->whole = suspicion(f);
		ret = f->whole ? read_whole(f) : 0;
	}
	return ret < 0 ? failed(f, err, "read", ret) : ret;
}

int xt2_edit_file_open(const char *path, int lock, struct xt2_edit_file **file,
		       struct xt2_ruleset *rs, const char **whole, struct xt2_err *err)
{
	struct xt2_edit_file *f = calloc(1, sizeof(*f));
	int ret;

	if (!f)
		return xt2_err_no_memory(err, " to open the image");
	f->fd = -1;
	f->locked = lock >= 0;
	snprintf(f->shown, sizeof(f->shown), "%s", path);
	ret = xt2_resolve(path, f->path);
	if (ret)
		ret = xt2_file_error(err, -ret, "resolve", path);
	else
		ret = open_file(f, lock, err);
	*whole = f->whole;
	if (!ret && xt2_inplace_begin(rs, f->img, f->capacity, !f->whole))
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

/* => false: the digest is not of all that the commit writes */
static bool make_stamp(struct xt2_edit_file *f, struct xt2_stamp *stamp)
{
	bool alone;

	*stamp = f->facts.now;
	stamp->changed = xt2_stamp_clock();
	stamp->size = f->img->size;
	stamp->first = xt2_queue_first(&f->queue, stamp->size, &alone);
	stamp->digest = xt2_stamp_digest(xt2_at(f->img, stamp->first), stamp,
					 xt2_offset(f->img, stamp), f->img->root);
	return !alone;
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
	return ret ? ret : write_at(f, f->size, f->img->size);
}

/* Image files must not be mostly empty, and nobody wants them to be: memories are large. */
static bool is_garbage(const struct xt2_edit_file *f, const struct xt2_root *root)
{
	const struct xt2_edits *edits = xt2_at(f->img, root->edits);

	return edits->garbage > GARBAGE_FREE + (f->img->size - edits->garbage);
}

/* => as xt2_queue_append(); -errno: the file has the old ruleset */
static int append(struct xt2_edit_file *f, u32 offset)
{
	const struct xt2_root *old = xt2_image_root(f->img), *root = xt2_at(f->img, offset);
	struct xt2_stamp *stamp = &((struct xt2_edits *)xt2_at(f->img, root->edits))->stamp;
	bool alone;
	int ret;

	f->img->root = offset;
	alone = !make_stamp(f, stamp);
	ret = write_body(f, old, root);
	if ((ret == -ENOSPC || ret == -EDQUOT) && xt2_old_files_drop(f->path))
		ret = write_body(f, old, root);
	if (!ret)
		ret = xt2_queue_append(&f->queue, f->img->size, offset, stamp->changed, alone);
	if (ret < 0) {
		f->img->root = xt2_offset(f->img, old);
		if (ftruncate(f->fd, (off_t)f->size)) {
			/* the next commit does it */
		}
	}
	return ret;
}

/* What was appended becomes durable.  => 0, -errno */
static int make_durable(struct xt2_edit_file *f, bool shared, struct xt2_err *err)
{
	int ret;

	if (shared) {
		f->spent = true; /* the lock is gone */
		ret = xt2_queue_wait(&f->queue);
	} else {
		ret = xt2_queue_settle(&f->queue);
	}
	if (!ret)
		return 0;
	f->spent = true; /* what it maps may be cut off */
	return failed(f, err, f->queue.stored ? "sync the change, which is stored, in" : "write",
		      ret);
}

int xt2_edit_file_commit(struct xt2_edit_file *f, struct xt2_ruleset *rs,
			 const struct xt2_commit_check *check, const struct xt2_author *author,
			 struct xt2_err *err)
{
	static const struct xt2_author nobody;
	u32 root;
	int ret;

	if (f->spent || !f->locked)
		return failed(f, err, "write", -EIO);
	xt2_inplace_author(rs, author ? author : &nobody);
	ret = xt2_inplace_commit(rs, check, &root, err);
	if (ret)
		return ret;
	if (!root) /* as it is, it may be a change that somebody else still waits for */
		return f->queue.at.durable < f->queue.number ? make_durable(f, f->shares, err) : 0;
	if (is_garbage(f, xt2_at(f->img, root)) || rs->inplace->forgets)
		return 1;
	ret = append(f, root);
	if (ret < 0) {
		xt2_inplace_abort(rs);
		return failed(f, err, "write", ret);
	}
	f->size = f->end = f->img->size;
	xt2_inplace_done(rs); /* what it lacks memory for sticks, and is told when it is wanted */
	return make_durable(f, f->shares && !ret, err);
}
