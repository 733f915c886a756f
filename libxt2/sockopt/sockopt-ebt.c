/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sockopt-ebt.c - the calls of ebtables
 *
 * Every call has a struct ebt_replace, in which pointers say where entries and
 * counters are.  32-bit programs have a smaller one, but the kernel also takes
 * the large one from them, if the lengths fit it: some were built with padding.
 * GET_INIT_* answer about the table as it was when it came into being.
 *
 * Source: net/bridge/netfilter/ebtables.c.
 */
#include "config.h"
#include "sockopt-call.h"

#include <stdlib.h>

#define NAME 32 /* EBT_TABLE_MAXNAMELEN */

/* struct ebt_replace: name, valid_hooks, nentries, entries_size, then by width: */
static const struct layout {
	u8 size;
	u8 num_counters, counters, entries; /* offsets; the last two are pointers */
	u8 compat;
} layouts[] = {
	{ 120, 96, 104, 112, 0 },
	{ 80, 68, 72, 76, 1 },
};

struct header {
	const struct layout *layout;
	u8 bytes[120];
	char name[NAME];
	u32 nentries, entries_size, num_counters;
	u64 counters, entries;
};

static u64 pointer(const struct header *h, u8 at)
{
	u64 value;

	if (h->layout->compat)
		return legacy_u32(h->bytes + at);
	memcpy(&value, h->bytes + at, sizeof(value));
	return value;
}

static int header_read(const struct xt2_call_ *call, int compat, struct header *h)
{
	int ret;

	memset(h, 0, sizeof(*h));
	h->layout = &layouts[!!compat];
	ret = xt2_call_read_(call, h->bytes, call->value, h->layout->size);
	if (ret)
		return ret;
	h->bytes[NAME - 1] = '\0';
	memcpy(h->name, h->bytes, NAME);
	h->nentries = legacy_u32(h->bytes + 36);
	h->entries_size = legacy_u32(h->bytes + 40);
	h->num_counters = legacy_u32(h->bytes + h->layout->num_counters);
	h->counters = pointer(h, h->layout->counters);
	h->entries = pointer(h, h->layout->entries);
	return 0;
}

/* --- get ---------------------------------------------------------------- */

/* What is asked about: a table of the ruleset, or one as it begins. */
struct subject {
	struct xt2_ruleset *rs, *fresh;
	int table;
};

static int subject_open(struct xt2_call_ *call, const char *name, struct subject *s)
{
	*s = (struct subject){ .rs = call->rs };
	s->table = xt2_call_table_(call, name);
	if (s->table < 0 || !call->second)
		return s->table < 0 ? s->table : 0;
	s->fresh = s->rs = xt2_ruleset_new();
	if (s->fresh)
		s->table = xt2_table_add(s->fresh, XT2_BRIDGE, name, NULL);
	if (s->fresh && s->table >= 0)
		return 0;
	xt2_ruleset_free(s->fresh);
	s->fresh = NULL;
	return xt2_call_fail_(call, ENOMEM, "no memory for a table");
}

/* Number and size of the entries.  => 0, -errno */
static int measure(const struct xt2_call_ *call, const struct subject *s, int compat,
		   struct xt2_entries_ *e)
{
	int ret = xt2_entries_write_(s->rs, s->table, compat, NULL, e, NULL, 0, call->err);

	return ret == -ENOSPC ? 0 : ret;
}

int xt2_ebt_info_(struct xt2_call_ *call)
{
	const int compat = call->caller->compat && call->len != layouts[0].size;
	struct xt2_entries_ e;
	struct subject s;
	struct header h;
	int ret;

	if (compat && call->len != layouts[1].size)
		return xt2_call_length_(call);
	ret = header_read(call, compat, &h);
	if (!ret)
		ret = subject_open(call, h.name, &s);
	if (ret)
		return ret;
	if (call->len != h.layout->size)
		ret = xt2_call_length_(call);
	else
		ret = measure(call, &s, compat, &e);
	if (!ret) {
		const u32 answer[] = { e.valid_hooks, e.entries, (u32)e.size };

		memcpy(h.bytes + NAME, answer, sizeof(answer));
		ret = xt2_call_write_(call, call->value, h.bytes, call->len);
	}
	xt2_ruleset_free(s.fresh);
	return ret;
}

static int counters_out(const struct xt2_call_ *call, const struct subject *s,
			const struct header *h)
{
	struct xt2_count_ *count;
	int ret;

	if (!h->num_counters)
		return 0;
	count = calloc(h->num_counters, sizeof(*count));
	if (!count)
		return xt2_call_fail_(call, ENOMEM, "no memory for the counters");
	xt2_entries_counters_(s->rs, s->table, count);
	ret = xt2_call_write_(call, h->counters, count, h->num_counters * sizeof(*count));
	free(count);
	return ret;
}

/* In one of the two layouts; a 32-bit program may leave more room than is needed. */
static int everything(const struct xt2_call_ *call, const struct subject *s, int compat)
{
	struct xt2_entries_ e;
	struct header h;
	u64 counters;
	int ret = header_read(call, compat, &h);

	if (!ret)
		ret = measure(call, s, compat, &e);
	if (ret)
		return ret;
	counters = h.num_counters ? (u64)e.entries * sizeof(struct xt2_count_) : 0;
	if (call->len != h.layout->size + e.size + counters)
		return xt2_call_length_(call);
	if (h.nentries != e.entries || (h.num_counters && h.num_counters != e.entries))
		return xt2_call_fail_(call, EINVAL, "the table has another number of entries");
	if (compat ? h.entries_size < e.size : h.entries_size != e.size)
		return xt2_call_fail_(call, EINVAL, "the table has another size");
	ret = counters_out(call, s, &h);
	return ret ? ret
		   : xt2_call_entries_(call, s->rs, s->table, compat, NULL, e.size, h.entries);
}

int xt2_ebt_entries_(struct xt2_call_ *call)
{
	struct subject s;
	struct header h;
	int ret = header_read(call, call->caller->compat, &h);

	if (!ret)
		ret = subject_open(call, h.name, &s);
	if (ret)
		return ret;
	ret = everything(call, &s, 0);
	if (ret && call->caller->compat)
		ret = everything(call, &s, 1);
	xt2_ruleset_free(s.fresh);
	return ret;
}

/* In the range that ebtables has registered; it looks for the table first. */
int xt2_ebt_none_(struct xt2_call_ *call)
{
	struct header h;
	int ret = header_read(call, call->caller->compat, &h);

	if (!ret)
		ret = xt2_call_table_(call, h.name);
	return ret < 0 ? ret : xt2_call_fail_(call, EINVAL, "no such option");
}

/* --- set ---------------------------------------------------------------- */

/* The header, whose length must be right.  => 0, -EINVAL, -EFAULT */
static int replace_read(const struct xt2_call_ *call, int compat, struct header *h)
{
	int ret;

	if (call->len < layouts[!!compat].size)
		return xt2_call_length_(call);
	ret = header_read(call, compat, h);
	if (ret)
		return ret;
	if (!h->entries_size || call->len != (u64)h->layout->size + h->entries_size)
		return xt2_call_length_(call);
	return 0;
}

static int replace(const struct xt2_call_ *call, const struct header *h)
{
	const u64 len = (u64)h->layout->size + h->entries_size;
	u8 *blob = malloc(len);
	int ret;

	if (!blob)
		return xt2_call_fail_(call, ENOMEM, "no memory for the entries");
	memcpy(blob, h->bytes, h->layout->size);
	ret = xt2_call_read_(call, blob + h->layout->size, h->entries, h->entries_size);
	if (!ret)
		ret = xt2_call_replace_(call, h->layout->compat, NULL, blob, len);
	free(blob);
	return ret;
}

int xt2_ebt_replace_(struct xt2_call_ *call)
{
	struct header h;
	int ret = replace_read(call, call->caller->compat, &h);

	if (!ret)
		return replace(call, &h);
	if (!call->caller->compat || ret != -EINVAL || replace_read(call, 0, &h) ||
	    replace(call, &h) < 0)
		return ret;
	return 1;
}

static bool add_fits(const struct xt2_call_ *call, const struct header *h)
{
	return call->len == h->layout->size + (u64)h->num_counters * sizeof(struct xt2_count_);
}

/* The header of SET_COUNTERS, in the layout whose length is right. */
static int add_read(const struct xt2_call_ *call, struct header *h)
{
	int compat = !!call->caller->compat, ret;

	do {
		if (call->len < layouts[!!compat].size)
			return xt2_call_length_(call);
		ret = header_read(call, compat, h);
		if (ret)
			return ret;
		if (add_fits(call, h))
			return 0;
	} while (compat--);
	return xt2_call_length_(call);
}

int xt2_ebt_add_(struct xt2_call_ *call)
{
	struct xt2_count_ *add;
	struct header h;
	int table, ret = add_read(call, &h);

	if (ret)
		return ret;
	if (!h.num_counters)
		return xt2_call_fail_(call, EINVAL, "no counters");
	table = xt2_call_table_(call, h.name);
	if (table < 0)
		return table;
	if (h.num_counters != xt2_entries_count_(call->rs, table))
		return xt2_call_fail_(call, EINVAL, "the table has another number of entries");
	add = malloc(h.num_counters * sizeof(*add));
	if (!add)
		return xt2_call_fail_(call, ENOMEM, "no memory for the counters");
	ret = xt2_call_read_(call, add, h.counters, h.num_counters * sizeof(*add));
	if (!ret)
		ret = xt2_entries_add_(call->rs, table, add);
	free(add);
	return ret == -ENOMEM ? xt2_call_fail_(call, ENOMEM, "no memory for the counters") : ret;
}
