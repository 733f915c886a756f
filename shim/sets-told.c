/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sets-told.c - do numbers of ipsets still mean what they meant?
 *
 * A process that changes a table sends back the numbers that it was told.  The
 * kernel's own rules keep their sets from going away meanwhile; the rules of an
 * image don't, and a number may have become another set's.
 */
#include "sets-told.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct xt2_told_set {
	int number;
	char name[32];
};

static int remember(struct xt2_told_sets *told, const char *name, int number)
{
	struct xt2_told_set *set = told->set;
	size_t room = told->room ? 2 * told->room : 16;

	if (told->n && set[told->n - 1].number == number) /* rules often come in rows */
		return 0;
	if (told->n == told->room) {
		set = realloc(set, room * sizeof(*set));
		if (!set)
			return -ENOMEM;
		told->set = set;
		told->room = room;
	}
	set += told->n++;
	set->number = number;
	memset(set->name, 0, sizeof(set->name));
	memcpy(set->name, name, strnlen(name, sizeof(set->name) - 1));
	return 0;
}

static int number(void *data, const char *name)
{
	struct xt2_told_sets *told = data;
	int n = told->from->number(told->from->data, name);
	int ret = n < 0 ? n : remember(told, name, n);

	return ret < 0 ? ret : n;
}

struct xt2_sockopt_sets xt2_told_sets(struct xt2_told_sets *told,
				      const struct xt2_sockopt_sets *from)
{
	told->from = from;
	return (struct xt2_sockopt_sets){ .number = number, .data = told };
}

int xt2_told_sets_hold(const struct xt2_told_sets *told, const struct xt2_sockopt_sets *now)
{
	size_t i;

	for (i = 0; i < told->n; i++)
		if (!now || now->number(now->data, told->set[i].name) != told->set[i].number)
			return 0;
	return 1;
}

void xt2_told_sets_free(struct xt2_told_sets *told)
{
	free(told->set);
	memset(told, 0, sizeof(*told));
}
