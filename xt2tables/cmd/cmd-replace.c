/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-replace.c - xt2 replace: what would setsockopt(SO_SET_REPLACE) do?
 *
 * The call is made on an image instead of the kernel's tables.  Its caller is
 * the file: the value is at an address that nothing else has, pointers inside
 * it lead to the entries (those of ebt follow the header), and counters that
 * are handed back go nowhere.
 */
#include <netinet/in.h>
#include <xt2/sockopt.h>
#include "xt2tables/files/file.h"
#include "xt2tables/files/sandbox.h"
#include "cmd.h"

#define HEADER_MAX 120 /* struct ebt_replace, the largest */
#define VALUE	   (1ull << 62) /* where the value is, */
#define ELSEWHERE  (1ull << 61) /* or, if the entries of ebt say that they are there, here */

struct replacing {
	const char *path;
	struct xt2_store store; /* without a path: a fresh one */
	int family, compat;
	struct xt2_bytes blob;
	__u64 value; /* address of the blob */
	__u64 entries, skip; /* address of what follows the header of ebt; the header's size */
	struct xt2_ruleset *rs;
	struct xt2_mapping map;
};

/* --- the caller --------------------------------------------------------------- */

/* Is this range in what is at an address?  => offset in the blob, or -1 */
static long long place(const struct replacing *r, __u64 from, size_t size, __u64 start, __u64 skip)
{
	__u64 len = r->blob.len - skip;

	if (from < start || from - start > len || size > len - (from - start))
		return -1;
	return (long long)(from - start + skip);
}

static int read_blob(void *data, __u64 from, void *to, size_t size)
{
	const struct replacing *r = data;
	long long at = place(r, from, size, r->value, 0);

	if (at < 0 && r->skip)
		at = place(r, from, size, r->entries, r->skip);
	if (at < 0)
		return -EFAULT;
	memcpy(to, (const char *)r->blob.at + at, size);
	return 0;
}

static int write_nowhere(void *data, __u64 to, const void *from, size_t size)
{
	return 0;
}

/* ebt: where the header says that the entries are; 32-bit programs may send either header. */
static void find_entries(struct replacing *r)
{
	bool compat = r->compat;
	__u32 size, low;

	if (r->family != XT2_BRIDGE || r->blob.len < HEADER_MAX)
		return;
	memcpy(&size, (const char *)r->blob.at + 40, sizeof(size));
	if (r->blob.len == HEADER_MAX + (__u64)size)
		compat = false;
	r->skip = compat ? 80 : HEADER_MAX;
	if (compat) {
		memcpy(&low, (const char *)r->blob.at + 76, sizeof(low));
		r->entries = low;
	} else {
		memcpy(&r->entries, (const char *)r->blob.at + 112, sizeof(r->entries));
	}
	if (r->entries + r->blob.len >= VALUE && r->entries <= VALUE + r->blob.len)
		r->value = ELSEWHERE;
}

/* --- the image ------------------------------------------------------------------ */

/* => XT2_EXIT_* */
static int open_image(struct replacing *r)
{
	struct xt2_err err = { 0 };
	int ret;

	if (!r->store.path) {
		r->rs = xt2_ruleset_new();
		return r->rs ? XT2_EXIT_OK : xt2_no_memory("replace");
	}
	if (xt2_store_lock(&r->store, XT2_STORE_CREATE, -1, &err))
		return xt2_fail(&err);
	ret = xt2_store_load(&r->store, r->store.path, &r->rs, &r->map, &err);
	if (!ret)
		return XT2_EXIT_OK;
	if (!r->rs)
		return xt2_no_memory("replace");
	if (!r->map.image)
		return xt2_fail(&err);
	xt2_print_line(stderr, "xt2 replace: %s", err.message);
	return XT2_EXIT_RESOURCE;
}

/* => XT2_EXIT_* */
static int store_image(struct replacing *r)
{
	struct xt2_err err = { 0 };
	struct xt2_mapping map;
	int ret = xt2_ruleset_write(r->rs, &map, &err);

	if (ret < 0)
		return xt2_fail(&err);
	if (r->store.path)
		ret = xt2_store_commit(&r->store, &map, NULL, &err);
	xt2_image_close(&map);
	return ret < 0 ? xt2_fail(&err) : XT2_EXIT_OK;
}

/* --- the command ------------------------------------------------------------------ */

static const struct call {
	int family, level, name;
} calls[] = {
	{ XT2_IPV4, IPPROTO_IP, 64 },
	{ XT2_IPV6, IPPROTO_IPV6, 64 },
	{ XT2_ARP, IPPROTO_IP, 96 },
	{ XT2_BRIDGE, IPPROTO_IP, 128 },
};

static const struct call *call_of(int family)
{
	const struct call *c = calls;

	while (c->family != family)
		c++;
	return c;
}

static int call(struct replacing *r, struct xt2_err *err)
{
	const struct xt2_sockopt_caller caller = {
		.compat = r->compat,
		.read = read_blob,
		.write = write_nowhere,
		.data = r,
	};
	const struct call *c = call_of(r->family);

	return xt2_sockopt_set(r->rs, &caller, c->level, c->name, r->value, (__u32)r->blob.len,
			       err);
}

static __u32 field(const struct replacing *r, __u32 at)
{
	__u32 value;

	memcpy(&value, (const char *)r->blob.at + at, sizeof(value));
	return value;
}

/*
 * The blob names another number of old entries than a fresh table has.  If it
 * is its own number, it was sent to a table that it had been loaded into
 * before: give it one of this size.  => 1: try again; 0, -ENOMEM
 */
static int second_time(struct replacing *r)
{
	const struct xt2_rule rule = { .size = sizeof(rule), .target_offset = sizeof(rule) };
	__u32 counters = field(r, (__u32)xt2_num_counters_at(r->family, r->compat)), i, hooks;
	char name[32];
	int table;

	memcpy(name, r->blob.at, sizeof(name));
	name[31] = '\0';
	hooks = xt2_table_hooks(r->family, name);
	i = (__u32)__builtin_popcount(hooks) + 1;
	if (counters != field(r, 36) || counters < i)
		return 0;
	table = xt2_table_add(r->rs, r->family, name, NULL);
	if (table < 0)
		return table;
	for (; i < counters; i++)
		if (xt2_rule_append(r->rs, xt2_chain_next(r->rs, table, -1), &rule, 0))
			return -ENOMEM;
	return 1;
}

/* => XT2_EXIT_* */
static int replace(struct replacing *r)
{
	struct xt2_err err = { 0 };
	int ret = open_image(r);

	if (ret != XT2_EXIT_OK)
		return ret;
	xt2_sandbox_enter(&(struct xt2_sandbox){ .outputs = &r->store.path, .count = 1 });
	find_entries(r);
	ret = call(r, &err);
	if (ret == -EAGAIN && !r->store.path && second_time(r) > 0)
		ret = call(r, &err);
	if (ret < 0) {
		const char *name = strerrorname_np(-ret);

		xt2_print_line(stdout, "%s: %s", name ? name : "EINVAL",
			       err.message[0] ? err.message : strerror(-ret));
		if (err.hint[0])
			xt2_print_line(stdout, "hint: %s", err.hint);
		return XT2_EXIT_USAGE;
	}
	ret = store_image(r);
	if (ret == XT2_EXIT_OK)
		puts("ok");
	return ret;
}

static const char help[] =
	"Usage: xt2 replace --family 4|6|arp|eb --width 64|32 [--image PATH] BLOB\n\n"
	"Does to an image what setsockopt(SO_SET_REPLACE) with BLOB's bytes would do to the\n"
	"kernel, and prints \"ok\", or the errno's name and the reason.  BLOB is header and\n"
	"entries; \"-\" is standard input.\n\n"
	"      --family 4|6|arp|eb\n"
	"                         of the table\n"
	"      --width 64|32      of the program that would make the call\n"
	"      --image PATH       is changed if the answer is \"ok\"; default: a fresh one,\n"
	"                         whose tables are as a kernel's after boot, or have as many\n"
	"                         entries as BLOB if it says that it replaces so many\n\n"
	"Exit codes: 0 ok, 2 refused, or the arguments are wrong, 4 out of a resource.\n";

static const struct xt2_option rows[] = {
	XT2_FAMILY_WORD("family", struct replacing, family),
	XT2_WIDTH_WORD("width", struct replacing, compat),
	XT2_WORD("image", 0, struct replacing, store.path),
	XT2_ROWS_END,
};

int xt2_replace_main(int argc, char **argv)
{
	struct replacing r = { .compat = -1, .value = VALUE };
	struct xt2_err err;
	int ret = xt2_options("replace", help, rows, &r, argc, argv);

	if (ret >= 0)
		return ret;
	if (optind + 1 != argc)
		return xt2_usage("replace", "give one blob");
	if (!r.family || r.compat < 0)
		return xt2_usage("replace", "--family and --width are needed");
	r.path = argv[optind];
	if (xt2_file_read(r.path, XT2_BLOB_MAX, &r.blob, &err) < 0)
		return xt2_fail(&err);
	ret = replace(&r);
	xt2_ruleset_free(r.rs);
	xt2_image_close(&r.map);
	xt2_store_unlock(&r.store);
	free(r.blob.at);
	return ret;
}
