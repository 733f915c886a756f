/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ruleset.c - a ruleset in memory: its life, tables, instances and cells
 *
 * Tables, instances and cells only come; what is no longer named is left out
 * when the ruleset is packed.  Rules share instances that say the same where
 * that makes no difference (shared.c).
 */
#include "config.h"
#include <xt2/change.h>
#include "inplace-calls.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#define INSTANCES_MAX (1u << 24) /* a target names an instance by 24 bits */

struct xt2_ruleset *xt2_ruleset_new(void)
{
	struct xt2_ruleset *rs = calloc(1, sizeof(*rs));

	if (!rs)
		return NULL;
	rs->order = calloc(1, sizeof(*rs->order));
	if (!rs->order) {
		free(rs);
		return NULL;
	}
	rs->free = XT2_NONE;
	if (getrandom(&rs->seed, sizeof(rs->seed), GRND_NONBLOCK) < 0)
		rs->seed = (uintptr_t)rs;
	return rs;
}

void xt2_ruleset_free(struct xt2_ruleset *rs)
{
	u32 i;

	if (!rs)
		return;
	if (rs->ops)
		rs->ops->end(rs);
	else
		for (i = 0; i < rs->chains; i++)
			xt2_list_free_(&rs->chain[i].rules);
	for (i = 0; i < rs->tables; i++)
		free(rs->table[i].source);
	xt2_arena_free_(&rs->rules);
	xt2_arena_free_(&rs->payloads);
	xt2_arena_free_(&rs->lists);
	free(rs->order->chain);
	free(rs->order);
	free(rs->bucket);
	free(rs->chain);
	free(rs->table);
	free(rs->instance);
	free(rs->shared.slot);
	free(rs->cell);
	xt2_memories_forget_(rs);
	free(rs->owners);
	free(rs);
}

void xt2_ruleset_swap(struct xt2_ruleset *a, struct xt2_ruleset *b)
{
	struct xt2_ruleset c = *a;

	*a = *b;
	*b = c;
	if (a->ops)
		a->ops->moved(a);
	if (b->ops)
		b->ops->moved(b);
}

/* --- tables ------------------------------------------------------------ */

int xt2_ruleset_tables(const struct xt2_ruleset *rs)
{
	return (int)rs->tables;
}

int xt2_table_find(const struct xt2_ruleset *rs, int family, const char *name)
{
	u32 i;

	for (i = 0; i < rs->tables; i++) {
		if (rs->table[i].family == family && !strcmp(rs->table[i].name, name))
			return (int)i;
	}
	return -ENOENT;
}

int xt2_text_copy_(const char *text, char **copy)
{
	size_t size;

	*copy = NULL;
	if (!text)
		return 0;
	size = strlen(text) + 1;
	*copy = malloc(size);
	if (!*copy)
		return -ENOMEM;
	memcpy(*copy, text, size);
	return 0;
}

/* The base chains of a new table; there is room for them. */
static void base_chains(struct xt2_ruleset *rs, u32 table)
{
	struct xt2_table_ *t = &rs->table[table];
	int hook;

	for (hook = 0; hook < XT2_HOOKS_MAX; hook++) {
		char name[XT2_NAME_SIZE] = "";

		if (!(t->hooks & 1u << hook))
			continue;
		strncpy(name, xt2_hook_name(t->family, hook), sizeof(name) - 1);
		t->priority[hook] = xt2_table_priority(t->family, t->name, hook);
		xt2_chain_put_(rs, XT2_NONE, table, (u8)hook, name);
	}
}

int xt2_table_add(struct xt2_ruleset *rs, int family, const char *name, const char *source)
{
	struct xt2_table_ t = { .family = family, .hooks = xt2_table_hooks(family, name) };
	int ret;

	if (!t.hooks)
		return -EINVAL;
	if (xt2_table_find(rs, family, name) >= 0)
		return -EEXIST;
	strcpy(t.name, name); /* which may be in an array that moves now */
	if (xt2_grow_(&rs->table, rs->tables, &rs->table_cap, sizeof(*rs->table)))
		return -ENOMEM;
	ret = xt2_chains_reserve_(rs, XT2_HOOKS_MAX);
	if (!ret)
		ret = xt2_text_copy_(source, &t.source);
	if (ret)
		return ret;
	rs->table[rs->tables] = t;
	base_chains(rs, rs->tables);
	return (int)rs->tables++;
}

void xt2_ruleset_changes(const struct xt2_ruleset *rs, struct xt2_changes *changes)
{
	*changes = rs->changes;
}

void xt2_table_undo_(struct xt2_ruleset *rs)
{
	struct xt2_table_ *t = &rs->table[--rs->tables];
	int hook;

	for (hook = XT2_HOOKS_MAX - 1; hook >= 0; hook--) {
		if (t->hooks & 1u << hook)
			xt2_chain_remove_(rs, t->base[hook]);
	}
	free(t->source);
}

int xt2_table_reset(struct xt2_ruleset *rs, int table, const char *source)
{
	struct xt2_table_ *t = xt2_table_get_(rs, table);
	char *copy;
	u32 i;

	if (!t)
		return -ENOENT;
	if (xt2_text_copy_(source, &copy))
		return -ENOMEM;
	free(t->source);
	t->source = copy;
	xt2_chains_know_(rs);
	if (rs->ops)
		rs->ops->resource(rs);
	t->as_came = false;
	for (i = 0; i < rs->chains; i++) {
		struct xt2_chain_ *c = &rs->chain[i];

		if (c->live && c->table == (u32)table)
			xt2_rules_flush_(rs, c);
	}
	for (i = 0; i < rs->chains; i++) {
		struct xt2_chain_ *c = &rs->chain[i];

		if (!c->live || c->table != (u32)table)
			continue;
		if (c->hook == XT2_HOOK_NONE) {
			xt2_chain_remove_(rs, i);
			continue;
		}
		xt2_chain_changes_(rs, c);
		c->policy = XT2_T_ACCEPT;
		c->packets = c->bytes = 0;
	}
	xt2_rules_compact_(rs);
	return 0;
}

int xt2_table_family(const struct xt2_ruleset *rs, int table)
{
	const struct xt2_table_ *t = xt2_table_get_(rs, table);

	return t ? t->family : -ENOENT;
}

const char *xt2_table_name(const struct xt2_ruleset *rs, int table)
{
	const struct xt2_table_ *t = xt2_table_get_(rs, table);

	return t ? t->name : NULL;
}

const char *xt2_table_source(const struct xt2_ruleset *rs, int table)
{
	const struct xt2_table_ *t = xt2_table_get_(rs, table);

	return t ? t->source : NULL;
}

/* --- instances and cells ----------------------------------------------- */

/* As xt2_check() will want it: texts without NUL, extensions with a name. */
static bool instance_sane(int kind, int revision, size_t name, const void *data, size_t size)
{
	bool text = kind == XT2_INSTANCE_COMMENT || kind == XT2_INSTANCE_SOURCE;

	if (kind < XT2_INSTANCE_COMMENT || kind > XT2_INSTANCE_SOURCE || revision < 0 ||
	    revision > 0xff || name >= XT2_NAME_SIZE)
		return false;
	return text ? !size || !memchr(data, 0, size) : name > 0;
}

int xt2_instance_add(struct xt2_ruleset *rs, int kind, int revision, const char *name,
		     const void *data, size_t size)
{
	if (!instance_sane(kind, revision, name ? strlen(name) : 0, data, size))
		return -EINVAL;
	if (size > INT32_MAX)
		return -E2BIG;
	return xt2_instance_put_(rs, &rs->payloads, (u8)kind, (u8)revision, name ? name : "", data,
				 (u32)size);
}

int xt2_instance_put_(struct xt2_ruleset *rs, struct xt2_arena_ *arena, u8 kind, u8 revision,
		      const char *name, const void *data, u32 size)
{
	struct xt2_instance head = { .kind = kind, .revision = revision, .size = size }, *in;
	int ret;

	memcpy(head.name, name, strnlen(name, sizeof(head.name) - 1));
	if (xt2_shareable_(&head)) {
		ret = xt2_shared_find_(rs, &head, data);
		if (ret != -ENOENT)
			return ret;
	}
	if (rs->instances == INSTANCES_MAX)
		return -E2BIG;
	if (xt2_grow_(&rs->instance, rs->instances, &rs->instance_cap, sizeof(*rs->instance)))
		return -ENOMEM;
	in = xt2_arena_alloc_(arena, sizeof(*in) + size);
	if (!in)
		return -ENOMEM;
	*in = head;
	if (size)
		memcpy(in + 1, data, size);
	rs->instance[rs->instances] = in;
	return (int)rs->instances++;
}

const struct xt2_instance *xt2_instance_get(const struct xt2_ruleset *rs, unsigned int i)
{
	return i < rs->instances ? xt2_instance_at_(rs, i) : NULL;
}
