/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write.c - build an image from front to back in the caller's buffer
 *
 * Layout: header, root, tables, hooks, chain table, chain names, cells,
 * offsets of instances; then instances and chains as they come, each chain
 * followed by its line numbers.  Everything is zero until it is written.  The
 * writer looks only at what it needs to stay in the buffer; whether the
 * result is an image is decided once, by the check, before the magic is set.
 */
#include "write.h"
#include "rule.h"

static int fail(struct xt2_writer *w, int error)
{
	w->error = error;
	return error;
}

/* => true if an error sticks, or this is one */
static bool refuses(struct xt2_writer *w, bool invalid)
{
	if (!w->error && invalid)
		w->error = -EINVAL;
	return w->error;
}

/* => offset of len zeroed bytes, padded to 8; 0: no room, and that sticks */
static u64 reserve(struct xt2_writer *w, u64 len)
{
	u64 off = w->pos;

	len = (len + XT2_ALIGN - 1) & ~(u64)(XT2_ALIGN - 1);
	if (len > w->cap - off) {
		fail(w, -ENOSPC);
		return 0;
	}
	memset(w->buf + off, 0, len);
	w->pos = off + len;
	return off;
}

static u32 reserve_array(struct xt2_writer *w, u64 count, u64 size)
{
	return count && !w->error ? (u32)reserve(w, count * size) : 0;
}

/* => 0: copied, NUL-padded; -EINVAL: too long, and that sticks */
static int put_name(struct xt2_writer *w, char *to, const char *name)
{
	u32 len = 0;

	while (len < XT2_NAME_SIZE && name && name[len])
		len++;
	if (len == XT2_NAME_SIZE)
		return fail(w, -EINVAL);
	if (len)
		memcpy(to, name, len);
	return 0;
}

/* => offset of the offsets of the pages of an array, which are complete */
static u32 reserve_pages(struct xt2_writer *w, u32 count, u32 size, u32 per_page)
{
	const u32 pages = count / per_page + !!(count % per_page);
	const u32 dir = reserve_array(w, pages, sizeof(u32));
	u32 i, off;

	for (i = 0; i < pages; i++) {
		off = reserve_array(w, per_page, size);
		if (w->error)
			break;
		((u32 *)(w->buf + dir))[i] = off;
	}
	return dir;
}

/* => an element of such an array */
static void *paged(const struct xt2_writer *w, u32 dir, u32 i, u32 size, u32 per_page)
{
	const u32 page = ((u32 *)(w->buf + dir))[i / per_page];

	return w->buf + page + (u64)(i % per_page) * size;
}

int xt2_write_begin(struct xt2_writer *w, void *buf, u64 cap, u64 generation, u32 tables, u32 hooks,
		    u32 chains, u32 instances, u32 cells)
{
	struct xt2_image *img = buf;

	memset(w, 0, sizeof(*w));
	w->err.chain = ~0u;
	w->buf = buf;
	w->cap = (cap < XT2_SIZE_MAX ? cap : XT2_SIZE_MAX) & ~(u64)(XT2_ALIGN - 1);
	w->root = (struct xt2_root){
		.generation = generation,
		.tables = tables,
		.hooks = hooks,
		.chains = chains,
		.instances = instances,
		.cells = cells,
		.slots = 1,
	};
	if ((unsigned long)buf % XT2_ALIGN || tables > XT2_TABLES_MAX || chains > XT2_CHAINS_MAX ||
	    hooks > tables * XT2_HOOKS_MAX)
		return fail(w, -EINVAL);
	if (w->cap < sizeof(*img))
		return fail(w, -ENOSPC);
	reserve(w, sizeof(*img));
	img->magic = XT2_MAGIC_UNFINISHED;
	img->version = XT2_VERSION;
	img->byte_order = XT2_BYTE_ORDER;
	img->root = reserve(w, sizeof(w->root));
	w->root.table = reserve_array(w, tables, sizeof(struct xt2_table));
	w->root.hook = reserve_array(w, hooks, sizeof(struct xt2_hook));
	w->root.chain_dir = reserve_pages(w, chains, sizeof(u32), XT2_CHAIN_PAGE);
	w->root.chain_cold = reserve_pages(w, chains, sizeof(struct xt2_chain_cold), XT2_COLD_PAGE);
	w->root.cell = reserve_array(w, cells, sizeof(u64));
	w->root.instance = reserve_pages(w, instances, sizeof(u32), XT2_INSTANCE_PAGE);
	return w->error;
}

int xt2_write_table(struct xt2_writer *w, u8 family, const char *name, u32 source)
{
	struct xt2_table *t;

	if (refuses(w, w->tables_done == w->root.tables))
		return w->error;
	t = (struct xt2_table *)xt2_at(w->buf, w->root.table) + w->tables_done++;
	t->family = family;
	t->source = source;
	return put_name(w, t->name, name);
}

int xt2_write_hook(struct xt2_writer *w, u8 family, u8 hook, u16 table, s32 priority, u32 chain)
{
	struct xt2_hook *h;

	if (refuses(w, w->hooks_done == w->root.hooks))
		return w->error;
	h = (struct xt2_hook *)(w->buf + w->root.hook) + w->hooks_done++;
	*h = (struct xt2_hook){
		.family = family,
		.hook = hook,
		.table = table,
		.priority = priority,
		.chain = chain,
	};
	return 0;
}

int xt2_write_instance(struct xt2_writer *w, u8 kind, u8 revision, const char *name,
		       const void *data, u32 size)
{
	struct xt2_instance *in;
	u64 off;

	if (refuses(w, w->instances_done == w->root.instances || w->chain))
		return w->error;
	off = reserve(w, sizeof(*in) + (u64)size);
	if (!off)
		return w->error;
	*(u32 *)paged(w, w->root.instance, w->instances_done++, sizeof(u32), XT2_INSTANCE_PAGE) =
		(u32)off;
	in = xt2_at(w->buf, off);
	in->kind = kind;
	in->revision = revision;
	in->size = size;
	if (size)
		memcpy(in + 1, data, size);
	return put_name(w, in->name, name);
}

int xt2_write_cell(struct xt2_writer *w, u32 index, u64 value)
{
	if (refuses(w, index >= w->root.cells))
		return w->error;
	((u64 *)(w->buf + w->root.cell))[index] = value;
	return 0;
}

/* => where the chain table has this chain's offset */
static u32 *chain_entry(const struct xt2_writer *w, u32 index)
{
	return paged(w, w->root.chain_dir, index, sizeof(u32), XT2_CHAIN_PAGE);
}

static struct xt2_chain_cold *chain_cold(const struct xt2_writer *w, u32 index)
{
	return paged(w, w->root.chain_cold, index, sizeof(struct xt2_chain_cold), XT2_COLD_PAGE);
}

int xt2_write_chain_begin(struct xt2_writer *w, u32 index, u16 table, u8 hook, const char *name)
{
	struct xt2_chain *c;
	u64 off;

	if (w->error)
		return w->error;
	if (w->chain || index >= w->root.chains || *chain_entry(w, index))
		return fail(w, -EINVAL);
	off = reserve(w, sizeof(*c));
	if (!off)
		return w->error;
	*chain_entry(w, index) = (u32)off;
	w->chain = off;
	w->chains_done++;
	c = xt2_at(w->buf, off);
	c->index = index;
	c->table = table;
	c->hook = hook;
	return put_name(w, chain_cold(w, index)->name, name);
}

int xt2_write_rule(struct xt2_writer *w, const struct xt2_rule *r)
{
	struct xt2_chain *c;
	u64 off;

	if (refuses(w, !w->chain || r->size < sizeof(*r) || r->size % XT2_ALIGN))
		return w->error;
	off = w->pos;
	if (r->size > w->cap - off)
		return fail(w, -ENOSPC);
	memcpy(w->buf + off, r, r->size);
	w->pos = off + r->size;
	c = xt2_at(w->buf, w->chain);
	c->tail = (u32)(off - w->chain);
	c->rules++;
	return 0;
}

int xt2_write_index(struct xt2_writer *w, const struct xt2_index_limits *limits, void *scratch)
{
	struct xt2_chain *c = xt2_at(w->buf, w->chain);
	u64 room = w->cap - w->pos;
	u32 size;

	if (refuses(w, !w->chain || !c->rules || c->lookup || c->table >= w->tables_done))
		return w->error;
	if (room > xt2_index_bound(c->rules))
		room = xt2_index_bound(c->rules);
	size = xt2_index_build(c, ((struct xt2_table *)(w->buf + w->root.table))[c->table].family,
			       limits, xt2_at(w->buf, w->pos), room, scratch);
	if (!size)
		return 0;
	c->used = (u32)(w->pos - w->chain);
	c->lookup = c->used;
	w->pos += size;
	return 0;
}

int xt2_write_chain_end(struct xt2_writer *w, const u32 *lines, u32 capacity)
{
	struct xt2_chain *c = xt2_at(w->buf, w->chain);
	u64 off;

	if (refuses(w, !w->chain || !c->rules))
		return w->error;
	if (!c->lookup)
		c->used = (u32)(w->pos - w->chain);
	if (capacity && !c->lookup && !reserve(w, capacity))
		return w->error;
	c->size = (u32)(w->pos - w->chain);
	w->chain = 0;
	if (!lines)
		return 0;
	off = reserve(w, (u64)c->rules * sizeof(u32));
	if (!off)
		return w->error;
	memcpy(w->buf + off, lines, c->rules * sizeof(u32));
	c->lines = (u32)off;
	return 0;
}

/* By insertion: there are as many as tables have hooks. */
static void sort_hooks(struct xt2_hook *h, u32 n)
{
	struct xt2_hook one;
	u32 i, at;

	for (i = 1; i < n; i++) {
		one = h[i];
		for (at = i; at && xt2_hook_before(&one, &h[at - 1]); at--)
			h[at] = h[at - 1];
		h[at] = one;
	}
}

static int missing(struct xt2_writer *w, const char *what)
{
	w->err.what = what;
	return fail(w, -EINVAL);
}

int xt2_write_end(struct xt2_writer *w, void *scratch, u64 *size)
{
	struct xt2_image *img = (struct xt2_image *)w->buf;

	if (w->error)
		return w->error;
	if (w->chain)
		return missing(w, "a chain is not finished");
	if (w->tables_done != w->root.tables || w->hooks_done != w->root.hooks ||
	    w->chains_done != w->root.chains || w->instances_done != w->root.instances)
		return missing(w, "less was written than declared");
	sort_hooks(xt2_at(w->buf, w->root.hook), w->hooks_done);
	memcpy(w->buf + img->root, &w->root, sizeof(w->root));
	img->size = w->pos;
	w->error = xt2_check_seal_(img, w->pos, scratch, &w->err);
	if (w->error)
		return w->error;
	*size = w->pos;
	w->error = -EINVAL; /* a finished image is not changed */
	return 0;
}
