/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt-sets.c - names and numbers of ipsets in payloads
 *
 * Data that older versions wrote may have more names than numbers; a name is
 * found by the number that stands with it.
 *
 * Source: <linux/netfilter/xt_set.h>; net/netfilter/xt_set.c
 */
#include "xt-sets.h"

#define MAGIC 0x73746573u /* "sets" */
#define NONE  0xffffu /* IPSET_INVALID_ID */

struct name {
	u16 number, reserved;
	char name[XT2_SETS_NAME];
};

struct tail {
	u32 count, magic;
};

static const struct row {
	const char *name;
	u8 kind, first, last; /* revisions */
	struct xt2_sets sets;
} rows[] = {
	{ "set", XT2_INSTANCE_MATCH, 0, 0, { 32, 1, { 0 } } },
	{ "set", XT2_INSTANCE_MATCH, 1, 2, { 8, 1, { 0 } } },
	{ "set", XT2_INSTANCE_MATCH, 3, 4, { 48, 1, { 0 } } },
	{ "SET", XT2_INSTANCE_TARGET, 0, 0, { 64, 2, { 0, 32 } } },
	{ "SET", XT2_INSTANCE_TARGET, 1, 1, { 8, 2, { 0, 4 } } },
	{ "SET", XT2_INSTANCE_TARGET, 2, 2, { 16, 2, { 0, 4 } } },
	{ "SET", XT2_INSTANCE_TARGET, 3, 3, { 24, 3, { 0, 4, 8 } } },
};

const struct xt2_sets *xt2_sets_find(u8 kind, const char *name, u8 revision)
{
	u32 i;

	if ((*name | 0x20) != 's') /* a large ruleset asks about an instance of each rule */
		return NULL;
	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++)
		if (kind == rows[i].kind && revision >= rows[i].first && revision <= rows[i].last &&
		    !strcmp(name, rows[i].name))
			return &rows[i].sets;
	return NULL;
}

static u16 number_at(const struct xt2_sets *s, const void *payload, u32 i)
{
	u16 number;

	memcpy(&number, (const u8 *)payload + s->at[i], sizeof(number));
	return number;
}

static void put_number(const struct xt2_sets *s, void *payload, u32 i, u16 number)
{
	memcpy((u8 *)payload + s->at[i], &number, sizeof(number));
}

/* A match always has its set; a target leaves some out. */
static bool absent(const struct xt2_sets *s, u16 number)
{
	return number == NONE && s->count > 1;
}

int xt2_sets_name(const struct xt2_sets *s, void *data,
		  int (*ask)(void *with, u16 number, char *name), void *with)
{
	struct tail tail = { 0, MAGIC };
	u8 *at = (u8 *)data + s->size;
	size_t len;
	u32 i;
	int ret;

	for (i = 0; i < s->count; i++) {
		u16 number = number_at(s, data, i);
		struct name one = { .number = (u16)tail.count };

		if (absent(s, number))
			continue;
		ret = ask(with, number, one.name);
		if (ret < 0)
			return ret;
		len = strnlen(one.name, XT2_SETS_NAME - 1);
		memset(one.name + len, 0, XT2_SETS_NAME - len);
		put_number(s, data, i, one.number);
		memcpy(at, &one, sizeof(one));
		at += sizeof(one);
		tail.count++;
	}
	memcpy(at, &tail, sizeof(tail));
	return (int)(at + sizeof(tail) - (u8 *)data);
}

/* => false: it has no name */
static bool find(const struct xt2_sets *s, const struct xt2_instance *in, u16 number,
		 struct name *one)
{
	const u8 *data = (const u8 *)(in + 1), *at = data + s->size;
	struct tail tail;
	u32 i, room;

	if (in->size < s->size + sizeof(tail))
		return false;
	room = in->size - s->size - (u32)sizeof(tail);
	memcpy(&tail, at + room, sizeof(tail));
	if (tail.magic != MAGIC || room % sizeof(*one) || tail.count != room / sizeof(*one))
		return false;
	for (i = 0; i < tail.count; i++) {
		memcpy(one, at + i * sizeof(*one), sizeof(*one));
		one->name[XT2_SETS_NAME - 1] = '\0';
		if (one->number == number && one->name[0])
			return true;
	}
	return false;
}

int xt2_sets_nameless(const struct xt2_sets *s, const struct xt2_instance *in)
{
	struct name one;
	u32 i;

	for (i = 0; i < s->count && in->size >= s->size; i++) {
		u16 number = number_at(s, in + 1, i);

		if (!absent(s, number) && !find(s, in, number, &one))
			return number;
	}
	return -1;
}

int xt2_sets_number(const struct xt2_sets *s, const struct xt2_instance *in, void *payload,
		    int (*ask)(void *with, const char *name), void *with)
{
	struct name one;
	u32 i;
	int ret;

	if (in->size < s->size)
		return -EINVAL;
	memcpy(payload, in + 1, s->size);
	for (i = 0; i < s->count; i++) {
		u16 number = number_at(s, in + 1, i);

		if (absent(s, number))
			continue;
		if (!find(s, in, number, &one))
			return -EINVAL;
		ret = ask(with, one.name);
		if (ret < 0)
			return ret;
		put_number(s, payload, i, (u16)ret);
	}
	return 0;
}
