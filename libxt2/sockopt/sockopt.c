/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sockopt.c - the calls of ipt, ip6t and arpt, and the table of all options
 *
 * An option is a row.  The three families differ in the number of hooks and in
 * the translators' formats only; ebt is in sockopt-ebt.c.  Layouts are offsets:
 * fields of all widths are read and written through memcpy.
 *
 * Source: net/ipv4/netfilter/ip_tables.c and its like, net/netfilter/x_tables.c
 * (xt_copy_counters(), xt_find_revision()).
 */
#include "config.h"
#include "libxt2/err.h"
#include "sockopt-call.h"

#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>

#define TABLE_MAX    ((512u << 20) - 64) /* XT_MAX_TABLE_SIZE without struct xt_table_info */
#define COUNTERS_MAX (0x7fffffffu / sizeof(struct xt2_count_))
#define ENTRY_MAX    65535u /* bytes: next_offset has 16 bits */
#define NAME	     32 /* bytes of a table's name: XT_TABLE_MAXNAMELEN */
#define REVISION     30 /* struct xt_get_revision: name, and in the last byte the revision */

_Static_assert(NAME == XT2_NAME_SIZE, "names of tables fit");

/* A header's first field, which need not end. */
static void name_of(const u8 *header, char *name)
{
	memcpy(name, header, NAME);
	name[NAME - 1] = '\0';
}

/* --- get ---------------------------------------------------------------- */

/*
 * What a table's absent hooks hold: the kernel's ~0, from which it takes what
 * the entries shrink by for 32-bit programs.
 */
static int absent(const struct xt2_call_ *call, int table, const struct xt2_entries_ *e, u32 *value)
{
	struct xt2_entries_ native;
	int ret;

	*value = ~(u32)0;
	if (!call->caller->compat)
		return 0;
	ret = xt2_entries_write_(call->rs, table, 0, call->caller->sets, &native, NULL, 0,
				 call->err);
	if (ret != -ENOSPC)
		return ret;
	*value -= (u32)(native.size - e->size);
	return 0;
}

/* struct ipt_getinfo: name, valid_hooks, hook_entry[], underflow[], num_entries, size */
static int info_write(struct xt2_call_ *call, int table, const char *name)
{
	const u32 hooks = XT2_ENTRIES_HOOKS(call->family);
	struct xt2_entries_ e;
	u8 info[44 + 8 * 5] = { 0 };
	u32 i, none;
	int ret = xt2_entries_write_(call->rs, table, call->caller->compat, call->caller->sets, &e,
				     NULL, 0, call->err);

	if (ret != -ENOSPC)
		return ret;
	ret = absent(call, table, &e, &none);
	if (ret)
		return ret;
	memcpy(info, name, strlen(name));
	legacy_put32(info + 32, e.valid_hooks);
	for (i = 0; i < hooks; i++) {
		bool valid = e.valid_hooks & 1u << i;

		legacy_put32(info + 36 + 4 * i, valid ? e.hook_entry[i] : none);
		legacy_put32(info + 36 + 4 * (hooks + i), valid ? e.underflow[i] : none);
	}
	legacy_put32(info + 36 + 8 * hooks, e.entries);
	legacy_put32(info + 40 + 8 * hooks, (u32)e.size);
	return xt2_call_write_(call, call->value, info, 44 + 8 * hooks);
}

static int get_info(struct xt2_call_ *call)
{
	u8 header[NAME];
	char name[NAME];
	int table, ret;

	if (call->len != 44 + 8 * XT2_ENTRIES_HOOKS(call->family))
		return xt2_call_length_(call);
	ret = xt2_call_read_(call, header, call->value, sizeof(header));
	if (ret)
		return ret;
	name_of(header, name);
	table = xt2_call_table_(call, name);
	return table < 0 ? table : info_write(call, table, name);
}

/* struct ipt_get_entries: name, size, entries from the next multiple of 8 or 4 on */
static int get_entries(struct xt2_call_ *call)
{
	const u32 size = call->caller->compat ? 36 : 40;
	u8 header[40];
	char name[NAME];
	int table, ret;
	u32 len;

	if (call->len < size)
		return xt2_call_length_(call);
	ret = xt2_call_read_(call, header, call->value, size);
	if (ret)
		return ret;
	len = legacy_u32(header + 32);
	if (call->len != (u64)len + size)
		return xt2_call_length_(call);
	name_of(header, name);
	table = xt2_call_table_(call, name);
	if (table < 0)
		return table;
	if (len > (u64)xt2_entries_count_(call->rs, table) * ENTRY_MAX)
		return xt2_call_fail_(call, EAGAIN, "the table has another size now");
	return xt2_call_entries_(call, call->rs, table, call->caller->compat, call->caller->sets,
				 len, call->value + size);
}

static int get_revision(struct xt2_call_ *call)
{
	u8 revision[REVISION];
	char name[REVISION] = "";
	int ret;

	if (call->len != sizeof(revision))
		return xt2_call_length_(call);
	ret = xt2_call_read_(call, revision, call->value, sizeof(revision));
	if (ret)
		return ret;
	memcpy(name, revision, REVISION - 2);
	ret = xt2_legacy_revision((u8)call->family, call->second, name, revision[REVISION - 1]);
	return ret ? xt2_call_fail_(call, -ret, "not an extension, or not a revision of it") : 0;
}

/* --- set ---------------------------------------------------------------- */

/*
 * struct ipt_replace: name, valid_hooks, num_entries, size, hook_entry[],
 * underflow[], num_counters, pointer.  The kernel looks at these before it
 * reads the entries; what it refuses for its header alone is refused for it by
 * the translators.
 */
static int set_replace(struct xt2_call_ *call)
{
	const u32 hooks = XT2_ENTRIES_HOOKS(call->family);
	const u32 header = 48 + 8 * hooks + (call->caller->compat ? 4 : 8);
	u32 size, counters;
	u8 head[96], *blob;
	int ret;

	if (call->len < header)
		return xt2_call_length_(call);
	ret = xt2_call_read_(call, head, call->value, header);
	if (ret)
		return ret;
	size = legacy_u32(head + 40);
	counters = legacy_u32(head + 44 + 8 * hooks);
	if (!counters || counters >= COUNTERS_MAX || size > call->len - header)
		return xt2_call_replace_(call, call->caller->compat, call->caller->sets, head,
					 header);
	blob = size < TABLE_MAX ? xt2_alloc_large_(header + size) : NULL;
	if (!blob)
		return xt2_call_fail_(call, ENOMEM, "larger than a table can be, or no memory");
	memcpy(blob, head, header);
	ret = xt2_call_read_(call, blob + header, call->value + header, size);
	if (!ret)
		ret = xt2_call_replace_(call, call->caller->compat, call->caller->sets, blob,
					(u64)header + size);
	free(blob);
	return ret;
}

static int counters_add(struct xt2_call_ *call, const char *name, u32 n,
			const struct xt2_count_ *add)
{
	int table = xt2_call_table_(call, name);

	if (table < 0)
		return table;
	if (n != xt2_entries_count_(call->rs, table))
		return xt2_call_fail_(call, EINVAL, "the table has another number of entries");
	return xt2_entries_add_(call->rs, table, add);
}

/* struct xt_counters_info: name, num_counters, counters from a multiple of 8 or 4 on */
static int set_add(struct xt2_call_ *call)
{
	const u32 header = call->caller->compat ? 36 : 40;
	struct xt2_count_ *add;
	u8 head[40];
	char name[NAME];
	u32 n;
	int ret;

	if (call->len <= header)
		return xt2_call_length_(call);
	ret = xt2_call_read_(call, head, call->value, header);
	if (ret)
		return ret;
	n = legacy_u32(head + 32);
	if ((u64)n * sizeof(*add) != call->len - header)
		return xt2_call_length_(call);
	add = malloc(call->len - header);
	if (!add)
		return xt2_call_fail_(call, ENOMEM, "no memory for the counters");
	ret = xt2_call_read_(call, add, call->value + header, call->len - header);
	name_of(head, name);
	if (!ret)
		ret = counters_add(call, name, n, add);
	free(add);
	return ret == -ENOMEM ? xt2_call_fail_(call, ENOMEM, "no memory for the counters") : ret;
}

/* --- the table of options ------------------------------------------------ */

/* In the range that the family has registered, and nothing. */
static int none(struct xt2_call_ *call)
{
	return xt2_call_fail_(call, EINVAL, "no such option");
}

static const struct option {
	int level, name, set;
	int family;
	bool second; /* see struct xt2_call_ */
	int (*answer)(struct xt2_call_ *call);
} options[] = {
	{ IPPROTO_IP, 64, 0, XT2_IPV4, false, get_info },
	{ IPPROTO_IP, 65, 0, XT2_IPV4, false, get_entries },
	{ IPPROTO_IP, 66, 0, XT2_IPV4, false, get_revision },
	{ IPPROTO_IP, 67, 0, XT2_IPV4, true, get_revision },
	{ IPPROTO_IP, 64, 1, XT2_IPV4, false, set_replace },
	{ IPPROTO_IP, 65, 1, XT2_IPV4, false, set_add },
	{ IPPROTO_IP, 96, 0, XT2_ARP, false, get_info },
	{ IPPROTO_IP, 97, 0, XT2_ARP, false, get_entries },
	{ IPPROTO_IP, 98, 0, XT2_ARP, false, none },
	{ IPPROTO_IP, 99, 0, XT2_ARP, true, get_revision },
	{ IPPROTO_IP, 96, 1, XT2_ARP, false, set_replace },
	{ IPPROTO_IP, 97, 1, XT2_ARP, false, set_add },
	{ IPPROTO_IP, 128, 0, XT2_BRIDGE, false, xt2_ebt_info_ },
	{ IPPROTO_IP, 129, 0, XT2_BRIDGE, false, xt2_ebt_entries_ },
	{ IPPROTO_IP, 130, 0, XT2_BRIDGE, true, xt2_ebt_info_ },
	{ IPPROTO_IP, 131, 0, XT2_BRIDGE, true, xt2_ebt_entries_ },
	{ IPPROTO_IP, 132, 0, XT2_BRIDGE, false, xt2_ebt_none_ },
	{ IPPROTO_IP, 128, 1, XT2_BRIDGE, false, xt2_ebt_replace_ },
	{ IPPROTO_IP, 129, 1, XT2_BRIDGE, false, xt2_ebt_add_ },
	{ IPPROTO_IP, 130, 1, XT2_BRIDGE, false, none },
	{ IPPROTO_IPV6, 64, 0, XT2_IPV6, false, get_info },
	{ IPPROTO_IPV6, 65, 0, XT2_IPV6, false, get_entries },
	{ IPPROTO_IPV6, 68, 0, XT2_IPV6, false, get_revision },
	{ IPPROTO_IPV6, 69, 0, XT2_IPV6, true, get_revision },
	{ IPPROTO_IPV6, 64, 1, XT2_IPV6, false, set_replace },
	{ IPPROTO_IPV6, 65, 1, XT2_IPV6, false, set_add },
};

static const struct option *option_find(int level, int name, int set)
{
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(options); i++) {
		if (options[i].level == level && options[i].name == name && options[i].set == !!set)
			return &options[i];
	}
	return NULL;
}

int xt2_sockopt_family(int level, int name, int set)
{
	const struct option *o = option_find(level, name, set);

	return o ? o->family : 0;
}

static int answer(struct xt2_call_ call, u32 len, int level, int name, int set)
{
	const struct option *o = option_find(level, name, set);
	int ret;

	if (!o)
		return xt2_call_fail_(&call, ENOPROTOOPT, "not an option of these tables");
	if (len > INT32_MAX)
		return xt2_call_length_(&call);
	call.len = len;
	call.family = o->family;
	call.second = o->second;
	ret = o->answer(&call);
	if (ret < 0 && call.added)
		xt2_table_undo_(call.rs);
	return ret >= 0 && call.added ? 1 : ret;
}

int xt2_sockopt_get(struct xt2_ruleset *rs, const struct xt2_sockopt_caller *caller, int level,
		    int name, __u64 value, __u32 *len, struct xt2_err *err)
{
	const struct xt2_call_ call = { .rs = rs, .caller = caller, .err = err, .value = value };

	return answer(call, *len, level, name, 0);
}

int xt2_sockopt_set(struct xt2_ruleset *rs, const struct xt2_sockopt_caller *caller, int level,
		    int name, __u64 value, __u32 len, struct xt2_err *err)
{
	const struct xt2_call_ call = { .rs = rs, .caller = caller, .err = err, .value = value };

	return answer(call, len, level, name, 1);
}
