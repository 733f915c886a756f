/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opened-file.c - a file that is read, opened once
 *
 * What a file is decides how it is read, and its first bytes tell.  A pipe
 * gives them only once, and a named one would lose what is in it if it were
 * opened a second time: so a file is opened once, and its first bytes are kept
 * with its descriptor.
 */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "engine/image.h"
#include "libxt2/store/new-file.h"
#include "opened-file.h"

#define CHUNK (1u << 20) /* bytes to read at first */

/* => bytes of the head, -errno */
static ssize_t look(struct xt2_opened_file *f)
{
	off_t at = lseek(f->fd, 0, SEEK_CUR);
	struct stat st;
	ssize_t n;

	if (fstat(f->fd, &st))
		return -errno;
	f->stream = at < 0 || !S_ISREG(st.st_mode);
	if (f->stream)
		return xt2_read_up_to(f->fd, f->head, sizeof(f->head));
	n = pread(f->fd, f->head, sizeof(f->head), at);
	return n < 0 ? -errno : n;
}

int xt2_opened_file_open(struct xt2_opened_file *f, const char *path)
{
	ssize_t n;

	memset(f, 0, sizeof(*f));
	f->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
	if (f->fd < 0)
		return -errno;
	n = look(f);
	if (n < 0)
		xt2_opened_file_close(f);
	else
		f->len = (size_t)n;
	return n < 0 ? (int)n : 0;
}

void xt2_opened_file_close(struct xt2_opened_file *f)
{
	if (f->fd > STDIN_FILENO)
		close(f->fd);
	f->fd = -1;
}

bool xt2_opened_file_is_image(const struct xt2_opened_file *f)
{
	__u32 magic;

	if (f->len < sizeof(magic))
		return false;
	memcpy(&magic, f->head, sizeof(magic));
	return magic == XT2_MAGIC || magic == XT2_MAGIC_UNFINISHED;
}

/* Room for max bytes, one more to see that there is one, and a NUL.  => 0, -ENOMEM */
static int grow(struct xt2_bytes *b, size_t *room, size_t max)
{
	size_t more = *room ? 2 * *room : CHUNK;
	void *at;

	if (more > max + 1)
		more = max + 1;
	at = realloc(b->at, more + 1);
	if (!at)
		return -ENOMEM;
	b->at = at;
	*room = more;
	return 0;
}

/* => 0, -errno */
static int read_rest(const struct xt2_opened_file *f, size_t max, struct xt2_bytes *b)
{
	size_t room = 0;
	ssize_t n = 1;

	while (n) {
		if (b->len == room && grow(b, &room, max))
			return -ENOMEM;
		if (!b->len && f->stream) {
			memcpy(b->at, f->head, f->len);
			b->len = f->len;
		}
		n = xt2_read_up_to(f->fd, (char *)b->at + b->len, room - b->len);
		if (n < 0)
			return (int)n;
		b->len += (size_t)n;
		if (b->len > max)
			return -EFBIG;
	}
	((char *)b->at)[b->len] = '\0';
	return 0;
}

int xt2_opened_file_rest(const struct xt2_opened_file *f, size_t max, struct xt2_bytes *bytes)
{
	struct xt2_bytes b = { 0 };
	struct stat st;
	int ret;

	if (!f->stream && !fstat(f->fd, &st) && (__u64)st.st_size > max)
		return -EFBIG;
	ret = read_rest(f, max, &b);
	if (ret)
		free(b.at);
	else
		*bytes = b;
	return ret;
}

const char *xt2_opened_file_foreign(const struct xt2_opened_file *f, const char **hint)
{
	static const struct {
		const char *bytes, *what, *hint;
	} kinds[] = {
		{ "\xef\xbb\xbf", "the file begins with a UTF-8 byte order mark",
		  "take the mark away: sed '1s/^\\xef\\xbb\\xbf//'" },
		{ "\xff\xfe", "this is UTF-16 text, which begins with a byte order mark",
		  "make plain text of it: iconv -f UTF-16 -t UTF-8" },
		{ "\xfe\xff", "this is UTF-16 text, which begins with a byte order mark",
		  "make plain text of it: iconv -f UTF-16 -t UTF-8" },
		{ "\x1f\x8b", "this is a file compressed by gzip", "unpack it: gzip -dc" },
		{ "\xfd"
		  "7zXZ",
		  "this is a file compressed by xz", "unpack it: xz -dc" },
		{ "\x28\xb5\x2f\xfd", "this is a file compressed by zstd", "unpack it: zstd -dc" },
		{ "BZh", "this is a file compressed by bzip2", "unpack it: bzip2 -dc" },
	};
	size_t i, n;

	for (i = 0; i < XT2_ARRAY_SIZE(kinds); i++) {
		n = strlen(kinds[i].bytes);
		if (f->len >= n && !memcmp(f->head, kinds[i].bytes, n)) {
			*hint = kinds[i].hint;
			return kinds[i].what;
		}
	}
	return NULL;
}
