/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * new-file.c - a file that takes the place of an old one in one step
 *
 * A temporary file in the same folder gets all bytes before its rename() makes
 * it visible: whatever goes wrong, there is the old file or the new one.  A
 * symbolic link stays one; what it points to is replaced.  What is durable is
 * fsync()ed before the rename(), and the folder after it.
 *
 * The folder may be one in which others write, too, such as /tmp: their links
 * do not decide where a file goes.
 */
#include "config.h"
#include "new-file.h"

#include <xt2/format.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_TRIES 100 /* each costs less than a commit */
#define LINKS_MAX    40 /* symbolic links followed, as the kernel does */
#define WRITE_MAX    (1u << 30) /* bytes for one write(2) */

/* --- names ----------------------------------------------------------------- */

/* Where a link leads from the folder it is in.  => 0, -ENAMETOOLONG */
static int follow(char *path, const char *target)
{
	char *slash = strrchr(path, '/');
	size_t folder = *target == '/' || !slash ? 0 : (size_t)(slash - path) + 1;

	if (folder + strlen(target) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(path + folder, target);
	return 0;
}

/* The folder that a file is in.  @folder: [PATH_MAX] */
static void folder_of(const char *path, char *folder)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;

	memcpy(folder, path, n);
	folder[n] = '\0';
	if (!n)
		strcpy(folder, slash ? "/" : ".");
}

/*
 * May a link be followed?  Not one that another user has left in a shared folder: the rule
 * is that of fs.protected_symlinks, which the kernel does not apply to readlink().  => 0, -errno
 */
static int may_follow(const char *path)
{
	const mode_t shared = S_ISVTX | S_IWOTH;
	struct stat link, folder;
	char name[PATH_MAX];

	folder_of(path, name);
	if (lstat(path, &link) || stat(name, &folder))
		return -errno;
	if ((folder.st_mode & shared) != shared || link.st_uid == geteuid() ||
	    link.st_uid == folder.st_uid)
		return 0;
	return -EACCES;
}

int xt2_resolve(const char *path, char *real)
{
	char target[PATH_MAX];
	int links, ret = 0;

	if (!*path || strlen(path) >= PATH_MAX)
		return *path ? -ENAMETOOLONG : -ENOENT;
	strcpy(real, path);
	for (links = 0; links < LINKS_MAX && !ret; links++) {
		ssize_t n = readlink(real, target, sizeof(target) - 1);

		if (n < 0)
			return errno == EINVAL || errno == ENOENT ? 0 : -errno;
		target[n] = '\0';
		ret = may_follow(real);
		if (!ret)
			ret = follow(real, target);
	}
	return ret ? ret : -ELOOP;
}

/* => a descriptor of the folder that a file is in, or -errno */
static int open_folder(const char *path)
{
	char folder[PATH_MAX];
	int fd;

	folder_of(path, folder);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* --- its life -------------------------------------------------------------- */

static int fail(struct xt2_new_file *f, const char *what, int ret)
{
	f->failed = what;
	return ret;
}

/* => a descriptor, or -errno */
static int create(struct xt2_new_file *f)
{
	const char *slash = strrchr(f->real, '/');
	int folder = slash ? (int)(slash - f->real) + 1 : 0;
	int fd;

	if (snprintf(f->name, sizeof(f->name), "%.*s.xt2-XXXXXX", folder, f->real) >=
	    (int)sizeof(f->name))
		return -ENAMETOOLONG;
	fd = mkostemp(f->name, O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int xt2_new_file_create(struct xt2_new_file *f, const char *path)
{
	struct stat st;
	int ret = xt2_resolve(path, f->real);

	f->fd = f->folder = -1;
	if (ret)
		return fail(f, "resolve", ret);
	if (!lstat(f->real, &st) && !S_ISREG(st.st_mode))
		return fail(f, "replace what is no regular file",
			    S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL);
	f->folder = open_folder(f->real);
	if (f->folder < 0)
		return fail(f, "open the folder", f->folder);
	f->fd = create(f);
	if (f->fd >= 0)
		return 0;
	close(f->folder);
	return fail(f, "create a temporary file beside it", f->fd);
}

ssize_t xt2_read_up_to(int fd, void *to, size_t size)
{
	size_t at = 0;
	ssize_t n;

	while (at < size) {
		n = read(fd, (char *)to + at, size - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		at += (size_t)n;
	}
	return (ssize_t)at;
}

ssize_t xt2_read_header_(int fd, struct xt2_image *header)
{
	struct xt2_image again;
	ssize_t n, m;
	int i;

	n = pread(fd, header, sizeof(*header), 0);
	for (i = 0; n > 0 && i < HEADER_TRIES; i++) {
		m = pread(fd, &again, sizeof(again), 0);
		if (m < 0)
			return -errno;
		if (m == n && !memcmp(header, &again, (size_t)n))
			return n;
		*header = again;
		n = m;
	}
	return n < 0 ? -errno : n;
}

int xt2_write_all(int fd, const void *bytes, size_t size)
{
	const char *p = bytes;

	while (size) {
		ssize_t n = write(fd, p, size < WRITE_MAX ? size : WRITE_MAX);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

int xt2_new_file_close(struct xt2_new_file *f, bool durable)
{
	int ret = durable && fsync(f->fd) ? -errno : 0;

	if (close(f->fd) && !ret)
		ret = -errno;
	f->fd = -1;
	return ret ? fail(f, "write", ret) : 0;
}

int xt2_new_file_exchange(const struct xt2_new_file *f)
{
	return renameat2(AT_FDCWD, f->name, AT_FDCWD, f->real, RENAME_EXCHANGE) ? -errno : 0;
}

int xt2_new_file_place(struct xt2_new_file *f, bool durable)
{
	int ret;

	if (rename(f->name, f->real)) {
		ret = fail(f, "replace", -errno);
		xt2_new_file_drop(f);
		return ret;
	}
	return xt2_new_file_placed(f, durable);
}

int xt2_new_file_placed(struct xt2_new_file *f, bool durable)
{
	int ret = 0;

	/* some file systems cannot sync a folder, and say so by EINVAL */
	if (durable && fsync(f->folder) && errno != EINVAL)
		ret = fail(f, "sync the folder of the new file, which is in place", -errno);
	close(f->folder);
	return ret;
}

void xt2_new_file_drop(struct xt2_new_file *f)
{
	unlink(f->name);
	if (f->fd >= 0)
		close(f->fd);
	close(f->folder);
	f->fd = f->folder = -1;
}
