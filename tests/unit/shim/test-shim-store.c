/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-shim-store.c - shim/shim-store.c: an image file behind the sockopts, and who may change it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include "tests/lib/unit-program.h"
#include <fcntl.h>
#include <netinet/in.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libxt2/store/old-files.h"
#include "shim/shim-store.h"

static char folder[] = "/tmp/xt2-store-XXXXXX";
static char path[64];

/* Our own memory is the caller's. */
static int fetch(void *data, __u64 from, void *to, size_t size)
{
	if (from < 4096)
		return -EFAULT;
	memcpy(to, (const void *)(uintptr_t)from, size);
	return 0;
}

static int put(void *data, __u64 to, const void *from, size_t size)
{
	if (to < 4096)
		return -EFAULT;
	memcpy((void *)(uintptr_t)to, from, size);
	return 0;
}

/* The kernel's only ipset. */
static int set_number = 5;

static int set_name(void *data, __u16 number, char *name)
{
	memset(name, 0, 32);
	strcpy(name, "some");
	return number == set_number ? 0 : -ENOENT;
}

static int set_of(void *data, const char *name)
{
	return strcmp(name, "some") ? -ENOENT : set_number;
}

static const struct xt2_sockopt_sets sets = { set_name, set_of, NULL };
static const struct xt2_sockopt_caller caller = { 0, fetch, put, NULL, &sets };

static int call(struct xt2_shim_store *store, __u64 who, int set, int name, void *value, __u32 len)
{
	struct xt2_call c = {
		.who = who,
		.caller = &caller,
		.set = set,
		.level = IPPROTO_IP,
		.name = name,
		.value = (uintptr_t)value,
		.len = len,
	};

	return xt2_shim_store_call(store, &c, NULL);
}

/* What a process knows of a table. */
struct table {
	struct ipt_getinfo info;
	struct ipt_get_entries *entries;
};

static void read_table(struct xt2_shim_store *store, __u64 who, const char *name, struct table *t)
{
	memset(t, 0, sizeof(*t));
	strcpy(t->info.name, name);
	assert_int_equal(call(store, who, 0, IPT_SO_GET_INFO, &t->info, sizeof(t->info)), 0);
	t->entries = calloc(1, sizeof(*t->entries) + t->info.size);
	strcpy(t->entries->name, name);
	t->entries->size = t->info.size;
	assert_int_equal(call(store, who, 0, IPT_SO_GET_ENTRIES, t->entries,
			      sizeof(*t->entries) + t->info.size),
			 0);
}

/* The policy of the first chain becomes another one.  => the call's answer */
static int write_table(struct xt2_shim_store *store, __u64 who, struct table *t)
{
	struct ipt_replace *r = calloc(1, sizeof(*r) + t->info.size);
	struct xt_counters *old = calloc(t->info.num_entries, sizeof(*old));
	struct xt_standard_target *policy;
	int ret;

	strcpy(r->name, t->info.name);
	r->valid_hooks = t->info.valid_hooks;
	r->num_entries = r->num_counters = t->info.num_entries;
	r->size = t->info.size;
	memcpy(r->hook_entry, t->info.hook_entry, sizeof(r->hook_entry));
	memcpy(r->underflow, t->info.underflow, sizeof(r->underflow));
	r->counters = old;
	memcpy(r->entries, t->entries->entrytable, t->info.size);
	policy = (void *)((char *)r->entries + sizeof(struct ipt_entry));
	policy->verdict = policy->verdict == -NF_ACCEPT - 1 ? -NF_DROP - 1 : -NF_ACCEPT - 1;
	ret = call(store, who, 1, IPT_SO_SET_REPLACE, r, sizeof(*r) + t->info.size);
	free(t->entries);
	t->entries = NULL;
	free(old);
	free(r);
	return ret;
}

static int policy_of(struct xt2_shim_store *store)
{
	struct table t;
	int verdict;

	read_table(store, 99, "filter", &t);
	verdict = *(int *)((char *)t.entries->entrytable + sizeof(struct ipt_entry) +
			   offsetof(struct xt_standard_target, verdict));
	free(t.entries);
	xt2_shim_store_forget(store, 99);
	return verdict;
}

struct two {
	struct xt2_shim_store *a, *b;
};

static int begin(void **state)
{
	struct two *s = calloc(1, sizeof(*s));

	unlink(path);
	s->a = xt2_shim_store_new(path);
	s->b = xt2_shim_store_new(path);
	*state = s;
	return !s->a || !s->b;
}

static int end(void **state)
{
	struct two *s = *state;

	xt2_shim_store_free(s->a);
	xt2_shim_store_free(s->b);
	free(s);
	return chmod(folder, 0700);
}

/* Both see one image, and one writer at a time. */
static void two_stores(void **state)
{
	struct two *s = *state;
	struct table t;

	assert_int_equal(xt2_shim_store_lock(s->a, 0, NULL), 0);
	assert_int_equal(xt2_shim_store_lock(s->a, 0, NULL), 0); /* it has it */
	assert_int_equal(xt2_shim_store_lock(s->b, 0, NULL), -EAGAIN);
	read_table(s->a, 1, "filter", &t);
	assert_int_equal(policy_of(s->b), -NF_ACCEPT - 1);
	assert_int_equal(write_table(s->a, 1, &t), 0);
	assert_int_equal(policy_of(s->b), -NF_DROP - 1);
	xt2_shim_store_unlock(s->a);
	assert_int_equal(xt2_shim_store_lock(s->b, 0, NULL), 0);
	read_table(s->b, 2, "filter", &t);
	assert_int_equal(write_table(s->b, 2, &t), 0);
	assert_int_equal(policy_of(s->a), -NF_ACCEPT - 1);
}

/* How often an image was read: the linker sends the store's calls through this. */
static unsigned int reads;

int __real_xt2_store_read(const struct xt2_store *s, bool whole, struct xt2_mapping *map,
			  struct xt2_err *err);
int __wrap_xt2_store_read(const struct xt2_store *s, bool whole, struct xt2_mapping *map,
			  struct xt2_err *err);

int __wrap_xt2_store_read(const struct xt2_store *s, bool whole, struct xt2_mapping *map,
			  struct xt2_err *err)
{
	reads++;
	return __real_xt2_store_read(s, whole, map, err);
}

/* The ruleset stays loaded as long as the file is the same. */
static void stays_loaded(void **state)
{
	const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	struct two *s = *state;
	struct table t;

	assert_int_equal(xt2_shim_store_lock(s->a, 0, NULL), 0);
	read_table(s->a, 1, "filter", &t);
	assert_int_equal(write_table(s->a, 1, &t), 0);
	xt2_shim_store_unlock(s->a);
	assert_int_equal(policy_of(s->b), -NF_DROP - 1);
	reads = 0;
	assert_int_equal(policy_of(s->a), -NF_DROP - 1);
	assert_int_equal(policy_of(s->b), -NF_DROP - 1);
	assert_int_equal(reads, 0);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_int_equal(policy_of(s->b), -NF_DROP - 1);
	assert_int_equal(reads, 1);
}

static void needs_lock(void **state)
{
	struct two *s = *state;
	struct table t;

	read_table(s->a, 1, "filter", &t);
	assert_int_equal(write_table(s->a, 1, &t), -EAGAIN);
	assert_int_equal(policy_of(s->a), -NF_ACCEPT - 1);
	assert_int_equal(access(path, F_OK), -1);
}

/* Between two calls without the lock: who comes late is refused. */
static void late(struct xt2_shim_store *first, struct xt2_shim_store *second)
{
	struct table mine, theirs;

	read_table(first, 1, "filter", &mine);
	assert_int_equal(xt2_shim_store_lock(second, 0, NULL), 0);
	read_table(second, 2, "filter", &theirs);
	assert_int_equal(write_table(second, 2, &theirs), 0);
	xt2_shim_store_unlock(second);
	assert_int_equal(xt2_shim_store_lock(first, 0, NULL), 0);
	assert_int_equal(write_table(first, 1, &mine), -EAGAIN);
	assert_int_equal(policy_of(first), -NF_DROP - 1);
	/* whoever looks again may */
	read_table(first, 1, "filter", &mine);
	assert_int_equal(write_table(first, 1, &mine), 0);
	xt2_shim_store_unlock(first);
}

static void late_elsewhere(void **state)
{
	struct two *s = *state;

	late(s->a, s->b);
}

static void late_here(void **state)
{
	struct two *s = *state;

	late(s->a, s->a);
}

/* Others may change other tables, and this one as long as it is put back. */
static void not_late(void **state)
{
	struct two *s = *state;
	struct table mine, theirs;
	int i;

	read_table(s->a, 1, "filter", &mine);
	assert_int_equal(xt2_shim_store_lock(s->b, 0, NULL), 0);
	read_table(s->b, 2, "raw", &theirs);
	assert_int_equal(write_table(s->b, 2, &theirs), 0);
	for (i = 0; i < 2; i++) {
		read_table(s->b, 2, "filter", &theirs);
		assert_int_equal(write_table(s->b, 2, &theirs), 0);
	}
	xt2_shim_store_unlock(s->b);
	assert_int_equal(xt2_shim_store_lock(s->a, 0, NULL), 0);
	assert_int_equal(write_table(s->a, 1, &mine), 0);
}

/* A process that has gone has left no note to the next one of its number. */
static void forgotten(void **state)
{
	struct two *s = *state;
	struct table mine, theirs;

	read_table(s->a, 1, "filter", &mine);
	xt2_shim_store_forget(s->a, 1);
	assert_int_equal(xt2_shim_store_lock(s->b, 0, NULL), 0);
	read_table(s->b, 2, "filter", &theirs);
	assert_int_equal(write_table(s->b, 2, &theirs), 0);
	xt2_shim_store_unlock(s->b);
	assert_int_equal(xt2_shim_store_lock(s->a, 0, NULL), 0);
	assert_int_equal(write_table(s->a, 1, &mine), 0);
}

/* A rule of this set, as a program sends it. */
static void add_set(struct xt2_shim_store *store)
{
	const struct xt2_rule rule = {
		.size = sizeof(rule),
		.target_offset = sizeof(rule),
		.target = XT2_TARGET(XT2_T_FOREIGN, 0),
	};
	const __u16 payload[] = { (__u16)set_number, 1, 0xffff, 0 };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	void *blob;
	size_t len;

	assert_int_equal(xt2_table_add(rs, XT2_IPV4, "filter", NULL), 0);
	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_TARGET, 1, "SET", payload, 8), 0);
	assert_int_equal(xt2_rule_append(rs, xt2_chain_base(rs, 0, XT2_FORWARD), &rule, 0), 0);
	assert_int_equal(xt2_table_write_replace(rs, 0, 0, NULL, &blob, &len, NULL), 0);
	assert_int_equal(call(store, 1, 1, IPT_SO_SET_REPLACE, blob, (__u32)len), 0);
	xt2_ruleset_free(rs);
	free(blob);
}

/* Nothing keeps a set from going away while a process holds its number. */
static void other_set(void **state)
{
	struct two *s = *state;
	struct table t;

	set_number = 5;
	assert_int_equal(xt2_shim_store_lock(s->a, 0, NULL), 0);
	add_set(s->a);
	read_table(s->a, 1, "filter", &t);
	set_number = 6; /* and 5 may be any other by now */
	assert_int_equal(write_table(s->a, 1, &t), -EAGAIN);
	read_table(s->a, 1, "filter", &t);
	assert_int_equal(write_table(s->a, 1, &t), 0);
}

/* Whether a table with sets is what it was does not depend on their numbers. */
static void late_with_sets(void **state)
{
	struct two *s = *state;
	struct table mine, theirs;

	assert_int_equal(xt2_shim_store_lock(s->a, 0, NULL), 0);
	add_set(s->a);
	read_table(s->a, 1, "filter", &mine);
	read_table(s->a, 2, "raw", &theirs);
	assert_int_equal(write_table(s->a, 2, &theirs), 0);
	assert_int_equal(write_table(s->a, 1, &mine), 0);
	xt2_shim_store_unlock(s->a);
}

static void names(void **state)
{
	static const char *const order[] = { "raw", "filter", "nat" };
	struct two *s = *state;
	struct table t;
	size_t i, len;
	char *text = xt2_shim_store_names(s->b, XT2_IPV4, &len);

	assert_string_equal(text, "");
	free(text);
	assert_int_equal(xt2_shim_store_lock(s->a, 0, NULL), 0);
	for (i = 0; i < 3; i++) {
		read_table(s->a, 1, order[i], &t);
		free(t.entries);
	}
	text = xt2_shim_store_names(s->b, XT2_IPV4, &len);
	assert_string_equal(text, "nat\nfilter\nraw\n");
	assert_int_equal(len, 15);
	free(text);
	text = xt2_shim_store_names(s->b, XT2_IPV6, &len);
	assert_string_equal(text, "");
	free(text);
}

static void broken_file(void **state)
{
	struct two *s = *state;
	struct ipt_getinfo info = { .name = "filter" };
	struct xt2_err err = { .code = XT2_OK };
	int fd;

	assert_int_equal(xt2_shim_store_lock(s->a, 0, NULL), 0);
	assert_int_equal(call(s->a, 1, 0, IPT_SO_GET_INFO, &info, sizeof(info)), 0);
	fd = open(path, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, "nonsense", 8), 8);
	close(fd);
	assert_int_equal(call(s->a, 1, 0, IPT_SO_GET_INFO, &info, sizeof(info)), -EINVAL);
	assert_int_equal(xt2_shim_store_load(s->a, &err), -EINVAL);
	assert_int_equal(err.code, XT2_E_IMAGE);
	assert_string_equal(err.file, path);
	unlink(path);
	assert_int_equal(call(s->a, 1, 0, IPT_SO_GET_INFO, &info, sizeof(info)), 0);
}

static void closed_folder(void **state)
{
	struct two *s = *state;
	struct ipt_getinfo info = { .name = "filter" };
	struct table t;

	if (!geteuid())
		skip(); /* nothing is closed to root */
	assert_int_equal(xt2_shim_store_lock(s->a, 0, NULL), 0);
	read_table(s->a, 1, "filter", &t);
	chmod(folder, 0500);
	assert_int_equal(write_table(s->a, 1, &t), -EACCES);
	assert_int_equal(policy_of(s->a), -NF_ACCEPT - 1);
	strcpy(info.name, "mangle"); /* a table that cannot be stored can be asked for */
	assert_int_equal(call(s->a, 1, 0, IPT_SO_GET_INFO, &info, sizeof(info)), 0);
	assert_int_equal(info.num_entries, 6);
}

static void kinds(void **state)
{
	struct xt2_call c = { .name = 64 };

	assert_int_equal(xt2_call_kind(&c), XT2_CALL_INFO);
	c.name = 129;
	assert_int_equal(xt2_call_kind(&c), XT2_CALL_ENTRIES);
	c.name = 130; /* EBT_SO_GET_INIT_INFO */
	assert_int_equal(xt2_call_kind(&c), XT2_CALL_FREE);
	c.name = 69; /* IP6T_SO_GET_REVISION_TARGET */
	assert_int_equal(xt2_call_kind(&c), XT2_CALL_FREE);
	c.set = 1;
	c.name = 96;
	assert_int_equal(xt2_call_kind(&c), XT2_CALL_REPLACE);
	c.name = 97;
	assert_int_equal(xt2_call_kind(&c), XT2_CALL_COUNTERS);
}

static int make_folder(void **state)
{
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/image", folder);
	return 0;
}

static int remove_folder(void **state)
{
	char lock[80];

	snprintf(lock, sizeof(lock), "%s.lock", path);
	unlink(path);
	unlink(lock);
	xt2_old_files_drop(path);
	return rmdir(folder);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)

static const struct CMUnitTest tests[] = {
	CASE(stays_loaded),	 CASE(two_stores), CASE(needs_lock),  CASE(late_elsewhere),
	CASE(late_here),	 CASE(not_late),   CASE(forgotten),   CASE(other_set),
	CASE(late_with_sets),	 CASE(names),	   CASE(broken_file), CASE(closed_folder),
	cmocka_unit_test(kinds),
};

UNITS_WITH(tests, make_folder, remove_folder)
