/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fail-preload.c - let allocations of a whole program fail
 *
 * For LD_PRELOAD.  FAIL_ALLOC_AT=n lets the n-th allocation after the start of
 * the program fail, FAIL_ALLOC_FROM=n that and all later ones.
 * FAIL_ALLOC_COUNT=FILE writes how many there were.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static unsigned long count, at, from;
static int ready;

static int fails(void)
{
	if (!ready)
		return 0;
	count++;
	if (count != at && (!from || count < from))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}

static unsigned long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void start(void)
{
	at = number("FAIL_ALLOC_AT");
	from = number("FAIL_ALLOC_FROM");
	ready = 1;
}

__attribute__((destructor)) static void stop(void)
{
	const char *path = getenv("FAIL_ALLOC_COUNT");
	char text[24];
	size_t i = sizeof(text);
	unsigned long n = count;
	int fd;

	ready = 0;
	fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
	if (fd < 0)
		return;
	do
		text[--i] = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	if (write(fd, text + i, sizeof(text) - i) < 0)
		_exit(99);
	close(fd);
}
