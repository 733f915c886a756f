/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.c - whole files in and out
 *
 * A result is complete in memory before a byte of it is written, and takes the
 * place of an old file in one step: whatever goes wrong, the old file is there
 * or the new one.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "file.h"

#define CHUNK	  (1u << 20) /* bytes to read at first */
#define LINKS_MAX 40 /* symbolic links followed, as the kernel does */

int xt2_file_error(struct xt2_err *err, int errnum, const char *verb, const char *path)
{
	memset(err, 0, sizeof(*err));
	err->code = XT2_E_SYSTEM;
	err->errnum = errnum;
	snprintf(err->file, sizeof(err->file), "%s", path);
	snprintf(err->message, sizeof(err->message), "cannot %s: %s", verb, strerror(errnum));
	return -errnum;
}

/* --- in ------------------------------------------------------------------- */

/* => 0, -errno */
static int grow(struct xt2_bytes *b, size_t *room, size_t max)
{
	size_t more = *room ? 2 * *room : CHUNK;
	void *at;

	if (more > max + 1)
		more = max + 1; /* a byte more, to see that there is one */
	at = realloc(b->at, more);
	if (!at)
		return -ENOMEM;
	b->at = at;
	*room = more;
	return 0;
}

static int read_all(int fd, size_t max, struct xt2_bytes *b)
{
	size_t room = 0;
	ssize_t n = 1;
	int ret = 0;

	while (!ret && n) {
		if (b->len == room && (ret = grow(b, &room, max)))
			break;
		n = read(fd, (char *)b->at + b->len, room - b->len);
		if (n < 0) {
			n = 1;
			ret = errno == EINTR ? 0 : -errno;
			continue;
		}
		b->len += (size_t)n;
		if (b->len > max)
			ret = -EFBIG;
	}
	return ret;
}

int xt2_file_read(const char *path, size_t max, struct xt2_bytes *bytes, struct xt2_err *err)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	struct xt2_bytes b = { 0 };
	int ret;

	if (fd < 0)
		return xt2_file_error(err, errno, "open", path);
	ret = read_all(fd, max, &b);
	if (fd != STDIN_FILENO)
		close(fd);
	if (ret) {
		free(b.at);
		xt2_file_error(err, -ret, "read", path);
		if (ret == -EFBIG) {
			err->code = XT2_E_LIMIT;
			snprintf(err->message, sizeof(err->message),
				 "larger than any table can be: more than %zu bytes", max);
		}
		return ret;
	}
	*bytes = b;
	return 0;
}

/* --- out ------------------------------------------------------------------ */

/* => 0, -errno */
static int write_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len < CHUNK ? len : CHUNK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* The name behind symbolic links, whether or not there is a file.  => 0, -errno */
static int resolve(const char *path, char *real)
{
	char target[PATH_MAX], *slash;
	size_t folder;
	int links;
	ssize_t n;

	if (!*path || strlen(path) >= PATH_MAX)
		return *path ? -ENAMETOOLONG : -ENOENT;
	strcpy(real, path);
	for (links = 0; links < LINKS_MAX; links++) {
		n = readlink(real, target, sizeof(target) - 1);
		if (n < 0)
			return errno == EINVAL || errno == ENOENT ? 0 : -errno;
		target[n] = '\0';
		slash = strrchr(real, '/');
		folder = *target == '/' || !slash ? 0 : (size_t)(slash - real) + 1;
		if (folder + (size_t)n >= PATH_MAX)
			return -ENAMETOOLONG;
		strcpy(real + folder, target);
	}
	return -ELOOP;
}

/* The mode that a new file gets. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* Fill, sync and close.  => 0, -errno */
static int fill(int fd, mode_t mode, const void *bytes, size_t len)
{
	int ret = fchmod(fd, mode) ? -errno : write_all(fd, bytes, len);

	if (!ret && fsync(fd))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

/* => 0, -errno */
static int replace(const char *real, mode_t mode, const void *bytes, size_t len)
{
	const char *slash = strrchr(real, '/');
	int folder = slash ? (int)(slash - real) + 1 : 0, fd, ret;
	char name[PATH_MAX];

	if (snprintf(name, sizeof(name), "%.*s.xt2-XXXXXX", folder, real) >= (int)sizeof(name))
		return -ENAMETOOLONG;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = fill(fd, mode, bytes, len);
	if (!ret && rename(name, real))
		ret = -errno;
	if (ret)
		unlink(name);
	return ret;
}

/* => 0, -errno */
static int write_through(const char *path, const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = write_all(fd, bytes, len);
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

static int write_file(const char *path, const void *bytes, size_t len)
{
	char real[PATH_MAX];
	struct stat st;
	int ret;

	if (stat(path, &st)) {
		ret = errno == ENOENT ? resolve(path, real) : -errno;
		return ret ? ret : replace(real, usual_mode(), bytes, len);
	}
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return write_through(path, bytes, len);
	ret = resolve(path, real);
	return ret ? ret : replace(real, st.st_mode & 07777, bytes, len);
}

int xt2_file_write(const char *path, const void *bytes, size_t len, struct xt2_err *err)
{
	int ret = strcmp(path, "-") ? write_file(path, bytes, len)
				    : write_all(STDOUT_FILENO, bytes, len);

	return ret ? xt2_file_error(err, -ret, "write", path) : 0;
}

/* --- words ---------------------------------------------------------------- */

int xt2_family_word(const char *word)
{
	static const struct {
		const char *word;
		int family;
	} families[] = {
		{ "4", XT2_IPV4 },
		{ "6", XT2_IPV6 },
		{ "arp", XT2_ARP },
		{ "eb", XT2_BRIDGE },
	};
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (!strcmp(word, families[i].word))
			return families[i].family;
	return 0;
}

int xt2_width_word(const char *word)
{
	return !strcmp(word, "64") ? 0 : !strcmp(word, "32") ? 1 : -1;
}
