/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-load.c - jansson, and no memory
 *
 * When memory is short, jansson (2.14) loses bytes of strings or aborts: what
 * it collects a string in does not tell whether it could grow.  So it does not
 * get to know: an allocation that fails leaves the library at once, and all
 * that was allocated since is freed.  As libxtables, this belongs to the
 * process.
 */
#include "config.h"
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "json-load.h"

/* In front of each allocation, and in a list of all, the newest first. */
struct block {
	struct block *next, *previous;
};

static struct block *blocks;
static jmp_buf *failed; /* while a file is loaded */

static void *take(size_t size)
{
	struct block *b = size < SIZE_MAX - sizeof(*b) ? malloc(sizeof(*b) + size) : NULL;

	if (!b && failed)
		longjmp(*failed, 1);
	if (!b)
		return NULL;
	b->next = blocks;
	b->previous = NULL;
	if (blocks)
		blocks->previous = b;
	blocks = b;
	return b + 1;
}

static void give(void *p)
{
	struct block *b = p;

	if (!p)
		return;
	b--;
	if (b->previous)
		b->previous->next = b->next;
	else
		blocks = b->next;
	if (b->next)
		b->next->previous = b->previous;
	free(b);
}

json_t *xt2_json_load(const char *text, size_t size, json_error_t *error)
{
	struct block *const before = blocks;
	json_t *value;
	jmp_buf here;

	json_set_alloc_funcs(take, give);
	if (setjmp(here)) {
		failed = NULL;
		while (blocks != before)
			give(blocks + 1);
		memset(error, 0, sizeof(*error));
		error->text[JSON_ERROR_TEXT_LENGTH - 1] = json_error_out_of_memory;
		return NULL;
	}
	failed = &here;
	value = json_loadb(text, size, JSON_REJECT_DUPLICATES, error);
	failed = NULL;
	return value;
}
