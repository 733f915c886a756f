/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text-lines.c - the lines of a file, one after the other
 *
 * A large file passes through a buffer that stays in the processor's cache:
 * fresh memory for all of it would take longer than understanding it.  A line
 * that is needed again is read again; what cannot be read twice, a pipe, is
 * kept.
 */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "text-lines.h"

#define WINDOW	  (1u << 17) /* bytes to read at a time; a longer line gets more */
#define LINE_MOST (1u << 26) /* bytes of a line: a file of zeros has no end */

void xt2_lines_close(struct xt2_lines *l)
{
	free(l->buf);
	memset(l, 0, sizeof(*l));
}

/* Room after the bytes that are there, and XT2_LINES_AFTER more.  => 0, -ENOMEM */
static int make_room(struct xt2_lines *l)
{
	size_t room = l->room ? 2 * l->room : WINDOW;
	char *more;

	if (l->twice && l->from) {
		memmove(l->buf, l->buf + l->from, l->to - l->from);
		l->to -= l->from;
		l->from = 0;
	}
	if (l->to + XT2_LINES_AFTER < l->room)
		return 0;
	more = realloc(l->buf, room);
	if (!more)
		return -ENOMEM;
	l->buf = more;
	l->room = room;
	return 0;
}

int xt2_lines_open(struct xt2_lines *l, const struct xt2_opened_file *f)
{
	memset(l, 0, sizeof(*l));
	l->fd = f->fd;
	l->twice = !f->stream;
	if (l->twice)
		l->start = lseek(l->fd, 0, SEEK_CUR);
	if (make_room(l))
		return -ENOMEM;
	if (f->stream) {
		memcpy(l->buf, f->head, f->len);
		l->to = f->len;
		memset(l->buf + l->to, 0, XT2_LINES_AFTER);
		l->ended = f->len < sizeof(f->head);
	}
	return 0;
}

/* => 0, -errno */
static int fill(struct xt2_lines *l)
{
	ssize_t n;
	int ret = make_room(l);

	if (ret)
		return ret;
	do
		n = read(l->fd, l->buf + l->to, l->room - l->to - XT2_LINES_AFTER);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	l->to += (size_t)n;
	memset(l->buf + l->to, 0, XT2_LINES_AFTER);
	l->ended = !n;
	return 0;
}

int xt2_lines_next(struct xt2_lines *l, const char **at, const char **end)
{
	size_t searched = l->from;
	char *nl = NULL;
	int ret;

	for (;;) {
		if (l->to > searched)
			nl = memchr(l->buf + searched, '\n', l->to - searched);
		if (nl || l->ended)
			break;
		searched = l->to - l->from;
		if (searched >= LINE_MOST)
			return -EFBIG;
		ret = fill(l);
		if (ret)
			return ret;
		searched += l->from;
	}
	if (l->from == l->to)
		return 0;
	l->open_end = !nl;
	if (!nl) {
		nl = l->buf + l->to++;
		*nl = '\n';
	}
	*at = l->buf + l->from;
	*end = nl;
	l->from = (size_t)(nl + 1 - l->buf);
	return 1;
}

/* --- again ----------------------------------------------------------------------- */

struct search {
	unsigned int lines; /* until it comes */
	char *text;
	size_t room, used;
};

/* => the line has ended */
static bool search(struct search *s, const char *p, size_t len)
{
	const char *end = p + len, *nl;
	size_t n;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		n = (size_t)((nl ? nl : end) - p);
		if (!s->lines) {
			if (n > s->room - s->used)
				n = s->room - s->used;
			memcpy(s->text + s->used, p, n);
			s->used += n;
		}
		if (!nl)
			return false;
		if (!s->lines)
			return true;
		s->lines--;
	}
	return false;
}

void xt2_lines_find(const struct xt2_lines *l, unsigned int number, char *text, size_t size)
{
	struct search s = { .lines = number - 1, .text = text, .room = size - 1 };
	char block[4096];
	off_t at = l->start;
	ssize_t n = 0;

	if (!l->twice)
		search(&s, l->buf, l->to);
	else
		while ((n = pread(l->fd, block, sizeof(block), at)) > 0 &&
		       !search(&s, block, (size_t)n))
			at += n;
	text[s.used] = '\0';
}
