/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running kernel and a ruleset side by side: every call goes to both, with
 * memory of the same bytes at the same addresses, 64-bit and (through int 0x80)
 * 32-bit.  Errnos must be the same, and so must all bytes of the caller's
 * memory afterwards: answers, and the old counters that SET_REPLACE hands back.
 *
 * Not compared: what is behind the NUL of an extension's name, which the kernel
 * leaves as it finds it, and the kernel's own part of limit, which only 32-bit
 * programs get to see.  Skipped without a network namespace of our own, and
 * where the kernel has no such tables; 32-bit calls where it takes none.
 */
#include "config.h"
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "libxt2/ruleset/ruleset.h"
#include "tests/unit/sockopt-case.h"

#define MEMORY (256u << 10)
#define OLD    (128u << 10) /* where old counters go, from the start of the memory */

/* Two programs that do the same. */
struct pair {
	u8 *kernel, *mine; /* their memory; addresses are those of the kernel's */
	struct xt2_ruleset *rs;
	int family, compat, fd;
	struct xt2_sockopt_caller how;
	struct xt2_err err;
};

static int compat_works, own_users;

/* --- the kernel's side ---------------------------------------------------------- */

static int call32(int number, long fd, long level, long name, long value, long len)
{
#ifdef __x86_64__
	int ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(number), "b"(fd), "c"(level), "d"(name), "S"(value), "D"(len)
			 : "memory", "cc", "r8", "r9", "r10", "r11");
	return ret;
#else
	return -ENOSYS;
#endif
}

static int kernel_call(const struct pair *p, int set, int name, u8 *value, u32 len)
{
	u32 *answer = (u32 *)(void *)(p->kernel + MEMORY - 64);
	int lv = level(p->family), ret;
	socklen_t size = len;

	if (p->compat && set)
		return call32(366, p->fd, lv, name, (long)value, len);
	if (p->compat) {
		*answer = len;
		ret = call32(365, p->fd, lv, name, (long)value, (long)answer);
		*answer = 0;
		return ret;
	}
	ret = set ? setsockopt(p->fd, lv, name, value, len)
		  : getsockopt(p->fd, lv, name, value, &size);
	return ret < 0 ? -errno : 0;
}

/* --- ours --------------------------------------------------------------------------- */

static u8 *mine_at(const struct pair *p, u64 at, size_t size)
{
	u64 start = (u64)(uintptr_t)p->kernel;

	if (at < start || at - start > MEMORY || size > MEMORY - (at - start))
		return NULL;
	return p->mine + (at - start);
}

static int mine_read(void *data, u64 from, void *to, size_t size)
{
	u8 *at = mine_at(data, from, size);

	return at ? (memcpy(to, at, size), 0) : -EFAULT;
}

static int mine_write(void *data, u64 to, const void *from, size_t size)
{
	u8 *at = mine_at(data, to, size);

	return at ? (memcpy(at, from, size), 0) : -EFAULT;
}

static int mine_call(struct pair *p, int set, int name, u8 *value, u32 len)
{
	u64 at = (u64)(uintptr_t)value;
	u32 answer = len;
	int ret;

	if (set)
		ret = xt2_sockopt_set(p->rs, &p->how, level(p->family), name, at, len, &p->err);
	else
		ret = xt2_sockopt_get(p->rs, &p->how, level(p->family), name, at, &answer, &p->err);
	assert_true(ret < 0 || answer == len);
	return ret < 0 ? ret : 0;
}

/* --- both --------------------------------------------------------------------------- */

static void pair_open(struct pair *p, int family, int compat)
{
	*p = (struct pair){ .family = family, .compat = compat };
	p->how = (struct xt2_sockopt_caller){
		.compat = compat,
		.read = mine_read,
		.write = mine_write,
		.data = p,
	};
	/* What is behind it is never mapped. */
	p->kernel = mmap(NULL, MEMORY + 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
			 -1, 0);
	assert_ptr_not_equal(p->kernel, MAP_FAILED);
	assert_int_equal(mprotect(p->kernel, MEMORY, PROT_READ | PROT_WRITE), 0);
	p->mine = calloc(1, MEMORY);
	p->rs = xt2_ruleset_new();
	assert_int_equal(unshare(CLONE_NEWNET), 0);
	p->fd = socket(family == XT2_IPV6 ? AF_INET6 : AF_INET, SOCK_RAW, 255);
	assert_true(p->fd >= 0);
}

static void pair_close(struct pair *p)
{
	close(p->fd);
	munmap(p->kernel, MEMORY + 65536);
	free(p->mine);
	xt2_ruleset_free(p->rs);
}

/* The same call by both.  => what both answer */
static int both_at(struct pair *p, const char *what, int set, int name, u8 *value, u32 len)
{
	int theirs = kernel_call(p, set, name, value, len);
	int ours = mine_call(p, set, name, value, len);

	if (theirs != ours)
		fail_msg("%s (%d, compat %d): %d instead of %d: %s", what, p->family, p->compat,
			 ours, theirs, p->err.message);
	return ours;
}

/* credit, credit_cap and cost of struct compat_xt_rateinfo */
static void mask_limits(const struct pair *p, u8 *entries, u32 size)
{
	const struct shape s = shape_of(p->family, p->compat);
	u32 pos, at;

	for (pos = 0; pos < size; pos += get16(entries + pos + s.next)) {
		u8 *e = entries + pos;

		for (at = s.entry; at < get16(e + s.target); at += get16(e + at))
			if (!strcmp((char *)e + at + 2, "limit"))
				memset(e + at + 32 + 12, 0, 12);
	}
}

static int both(struct pair *p, const char *what, int set, int name, const void *value, u32 given,
		u32 len)
{
	int ret;

	memset(p->kernel, 0, OLD);
	memcpy(p->kernel, value, given);
	memcpy(p->mine, p->kernel, OLD);
	ret = both_at(p, what, set, option(p->family, name), p->kernel, len);
	if (!set && name == ENTRIES && !ret) {
		u32 header = p->compat ? 36 : 40;

		mask_names(p->kernel + header, len - header, p->family, p->compat);
		mask_names(p->mine + header, len - header, p->family, p->compat);
		if (p->compat)
			mask_limits(p, p->kernel + header, len - header);
	}
	assert_bytes(what, p->mine, p->kernel, OLD);
	assert_bytes("old counters", p->mine + OLD, p->kernel + OLD, MEMORY - OLD);
	return ret;
}

static u32 info_entries(const u8 *info, int family)
{
	return get32(info + 36 + 8 * hooks_of(family));
}

/* GET_INFO and GET_ENTRIES of both must be alike.  => number of entries */
static u32 compare_table(struct pair *p, const char *what, const char *table)
{
	const u32 len = 44 + 8 * hooks_of(p->family), header = p->compat ? 36 : 40;
	u8 get[40] = { 0 };
	u32 entries;

	assert_int_equal(both(p, what, 0, INFO, table, (u32)strlen(table), len), 0);
	entries = info_entries(p->kernel, p->family);
	strcpy((char *)get, table);
	put32(get + 32, get32(p->kernel + len - 4));
	assert_int_equal(both(p, what, 0, ENTRIES, get, sizeof(get), header + get32(get + 32)), 0);
	return entries;
}

/* --- tests -------------------------------------------------------------------------- */

typedef void (*test_fn)(struct pair *p);

/* A test in all formats, each in a network of its own. */
static void in_all(test_fn test)
{
	static const int families[] = { XT2_IPV4, XT2_IPV6, XT2_ARP };
	struct pair p;
	size_t i;
	int compat;

	for (i = 0; i < 3; i++) {
		for (compat = 0; compat <= compat_works; compat++) {
			pair_open(&p, families[i], compat);
			test(&p);
			pair_close(&p);
		}
	}
}

static const char *const tables[] = { "filter", "nat", "mangle", "raw", "security" };

static void initial(struct pair *p)
{
	size_t i;

	for (i = 0; i < (p->family == XT2_ARP ? 1 : 5); i++)
		compare_table(p, tables[i], tables[i]);
}

static void test_initial_tables(void **state)
{
	in_all(initial);
}

static void get_lengths(struct pair *p)
{
	const u32 info = 44 + 8 * hooks_of(p->family), header = p->compat ? 36 : 40;
	const u32 lengths[] = { 0,  1,	4,  31, 32, 35, 36,   37,	  39,	      40,	 41,
				67, 68, 69, 83, 84, 85, 1000, 0x7fffffff, 0x80000000, 0xffffffff };
	u8 get[40] = "filter";
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(lengths); i++) {
		both(p, "info", 0, INFO, get, 40, lengths[i]);
		both(p, "entries", 0, ENTRIES, get, 40, lengths[i]);
		put32(get + 32, lengths[i] - header);
		both(p, "entries", 0, ENTRIES, get, 40, lengths[i]);
		put32(get + 32, 0);
		both(p, "match", 0, MATCH, get, 40, lengths[i]);
		both(p, "target", 0, TARGET, get, 40, lengths[i]);
	}
	both(p, "unknown", 0, INFO, "nosuch", 7, info);
	put32(get + 32, 100);
	both(p, "another size", 0, ENTRIES, get, 40, header + 100);
	memcpy(get, "nosuch", 7);
	both(p, "unknown", 0, ENTRIES, get, 40, header + 100);
	memset(get, 'a', 32);
	both(p, "no NUL", 0, INFO, get, 40, info);
	both(p, "no NUL", 0, ENTRIES, get, 40, header + 100);
	memcpy(get, "filter", 6);
	both(p, "no NUL", 0, INFO, get, 40, info);
}

static void test_get_lengths(void **state)
{
	in_all(get_lengths);
}

/* Values at the end of the memory, and behind it. */
static void faults(struct pair *p)
{
	const u32 info = 44 + 8 * hooks_of(p->family), header = p->compat ? 36 : 40;
	static const struct {
		int set, name;
	} calls[] = { { 0, INFO }, { 0, ENTRIES }, { 0, TARGET }, { 1, REPLACE }, { 1, ADD } };
	u32 back, len;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(calls); i++) {
		for (back = 0; back <= 96; back += 4) {
			u8 *at = p->kernel + MEMORY - back;

			memset(p->kernel + MEMORY - 96, 0, 96);
			memcpy(at, "filter", back < 7 ? back : 7);
			memcpy(p->mine + MEMORY - 96, p->kernel + MEMORY - 96, 96);
			len = calls[i].set ? 1000 : calls[i].name == INFO ? info : header;
			if (calls[i].name == TARGET)
				len = 30;
			if (p->compat && !calls[i].set)
				continue; /* the length is in the way */
			both_at(p, "fault", calls[i].set, option(p->family, calls[i].name), at,
				len);
		}
	}
}

static void test_faults(void **state)
{
	in_all(faults);
}

static void no_options(struct pair *p)
{
	static const int names[] = { 63, 68, 95, 98, 100, 127 };
	u8 *at = p->kernel;
	size_t i;

	if (p->family == XT2_IPV6)
		return; /* 66, 67 and 70 are IPv6's own there */
	for (i = 0; i < XT2_ARRAY_SIZE(names); i++) {
		both_at(p, "no option", 0, names[i], at, 0);
		both_at(p, "no option", 1, names[i], at, 0);
	}
	both_at(p, "no option", 1, 66, at, 0);
}

static void test_no_options(void **state)
{
	in_all(no_options);
}

/* Extensions that this kernel may have been built without. */
static int lacks(struct pair *p, int name, const u8 *rev)
{
	memcpy(p->kernel, rev, 30);
	return kernel_call(p, 0, option(p->family, name), p->kernel, 30) == -ENOENT;
}

static void revisions(struct pair *p)
{
	static const char *const names[] = {
		"tcp",	     "udp",	   "icmp",
		"icmp6",     "conntrack",  "state",
		"limit",     "comment",	   "multiport",
		"mark",	     "MARK",	   "addrtype",
		"REJECT",    "LOG",	   "CLASSIFY",
		"mangle",    "standard",   "ERROR",
		"",	     "nosuch",	   "CT",
		"NOTRACK",   "SNAT",	   "DNAT",
		"REDIRECT",  "MASQUERADE", "NETMAP",
		"NFQUEUE",   "TPROXY",	   "recent",
		"hashlimit", "set",	   "SET",
		"owner",     "policy",	   "rt",
		"hl",	     "ttl",	   "TTL",
		"HL",	     "dst",	   "hbh",
		"connmark",  "CONNMARK",   "string",
		"u32",	     "bpf",	   "cgroup",
		"TCPMSS",    "tos",	   "TOS",
		"dscp",	     "DSCP",	   "statistic",
		"quota",     "time",	   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	};
	u32 revision, known = 0;
	u8 rev[31];
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(names); i++) {
		for (revision = 0; revision < 8; revision++) {
			memset(rev, 0, sizeof(rev));
			memcpy(rev, names[i], strlen(names[i]));
			rev[29] = (u8)(revision == 7 ? 255 : revision);
			if (p->family != XT2_ARP && !lacks(p, MATCH, rev))
				known += !both(p, names[i], 0, MATCH, rev, 30, 30);
			if (!lacks(p, TARGET, rev))
				known += !both(p, names[i], 0, TARGET, rev, 30, 30);
		}
	}
	assert_true(known >= (p->family == XT2_ARP ? 2u : 20u));
	both(p, "no match", 0, MATCH, "standard", 9, 30);
}

static void test_revisions(void **state)
{
	in_all(revisions);
}

/* A captured blob for tables as they are now. */
static void blob_fit(struct pair *p, u8 *blob, u32 entries)
{
	u64 old = (u64)(uintptr_t)(p->kernel + OLD);

	put32(blob + 44 + 8 * hooks_of(p->family), entries);
	memcpy(blob + header_of(p->family, p->compat) - (p->compat ? 4 : 8), &old,
	       p->compat ? 4 : 8);
}

static u32 entries_now(struct pair *p, const char *table)
{
	memset(p->kernel, 0, 84);
	strcpy((char *)p->kernel, table);
	memcpy(p->mine, p->kernel, 84);
	assert_int_equal(both_at(p, table, 0, option(p->family, INFO), p->kernel,
				 44 + 8 * hooks_of(p->family)),
			 0);
	return info_entries(p->kernel, p->family);
}

/* Counters for all entries but heads and the end, where the kernel keeps them and we don't. */
static void add_counters(struct pair *p, const char *table, u32 n, u32 seed)
{
	const u32 header = p->compat ? 36 : 40, size = header + 16 * n;
	const struct shape s = shape_of(p->family, p->compat);
	const u8 *e = p->kernel + header; /* the entries that were compared last */
	u8 *add = calloc(1, size);
	u32 i, j;

	strcpy((char *)add, table);
	put32(add + 32, n);
	for (i = 0; i < n; i++) {
		int head = !strcmp((const char *)e + get16(e + s.target) + 2, "ERROR");

		for (j = 0; !head && j < 16; j++)
			add[header + 16 * i + j] = (u8)(seed = seed * 1103515245 + 12345);
		e += get16(e + s.next);
	}
	assert_int_equal(both(p, "add", 1, ADD, add, size, size), 0);
	both(p, "add short", 1, ADD, add, size, size - 1);
	both(p, "add long", 1, ADD, add, size, size + 16);
	both(p, "add nothing", 1, ADD, add, size, header);
	put32(add + 32, n - 1);
	both(p, "add less", 1, ADD, add, size, size - 16);
	both(p, "add less", 1, ADD, add, size, size);
	free(add);
}

/*
 * A blob, with too many counters, that the kernel refuses for what it was built
 * without, or for what it keeps from user namespaces (owner).
 */
static int lacks_extension(struct pair *p, const struct record *r, u32 entries)
{
	int ret;

	blob_fit(p, r->bytes, entries + 1);
	memcpy(p->kernel, r->bytes, r->len);
	ret = kernel_call(p, 1, option(p->family, REPLACE), p->kernel, r->len);
	return ret == -ENOENT || (own_users && ret == -EINVAL);
}

static void replace_all(struct pair *p, const char *file, u32 least)
{
	FILE *f = vectors_open(file);
	struct record r;
	u32 n = 0, entries;

	while (record_next(f, &r)) {
		if (r.family == p->family && r.compat == p->compat) {
			char table[32];

			memcpy(table, r.bytes, sizeof(table));
			entries = entries_now(p, table);
			if (lacks_extension(p, &r, entries)) {
				free(r.bytes);
				continue;
			}
			blob_fit(p, r.bytes, entries);
			assert_int_equal(both(p, r.name, 1, REPLACE, r.bytes, r.len, r.len), 0);
			entries = compare_table(p, r.name, table);
			add_counters(p, table, entries, n);
			compare_table(p, "counters", table);
			if (++n % 2) /* hands back what was just added */
				assert_int_equal(
					(blob_fit(p, r.bytes, entries),
					 both(p, r.name, 1, REPLACE, r.bytes, r.len, r.len)),
					0);
		}
		free(r.bytes);
	}
	fclose(f);
	assert_true(n >= least);
}

static void replace_tables(struct pair *p)
{
	replace_all(p, "tables.vec", 3);
}

static void test_tables(void **state)
{
	in_all(replace_tables);
}

static void replace_rules(struct pair *p)
{
	if (p->family != XT2_ARP)
		replace_all(p, "rules.vec", 20);
}

static void test_rules(void **state)
{
	in_all(replace_rules);
}

/* How many entries "filter" has, in the kernel or here. */
static u32 count_of(struct pair *p, int theirs)
{
	const u32 len = 44 + 8 * hooks_of(p->family);
	u8 *at = theirs ? p->kernel : p->mine;
	int ret;

	memset(at, 0, len);
	strcpy((char *)at, "filter");
	ret = theirs ? kernel_call(p, 0, option(p->family, INFO), p->kernel, len)
		     : mine_call(p, 0, option(p->family, INFO), p->kernel, len);
	assert_int_equal(ret, 0);
	return info_entries(at, p->family);
}

/* Broken blobs; what is odd and taken may have another number of entries here. */
static void defects(struct pair *p)
{
	FILE *f = vectors_open("defects.vec");
	struct record r;
	u32 n = 0, kernel, mine;

	while (record_next(f, &r)) {
		if (r.family == p->family && r.compat == p->compat) {
			kernel = get32(r.bytes + 84);
			blob_fit(p, r.bytes, kernel);
			if (strstr(r.name, "unmapped"))
				put32(r.bytes + 88, (u32)(uintptr_t)(p->kernel + MEMORY));
			mine = kernel;
			if (!strcmp(r.what, "ok") || !strcmp(r.what, "EAGAIN")) {
				kernel = count_of(p, 1) + (r.what[0] == 'E');
				mine = count_of(p, 0) + (r.what[0] == 'E');
			}
			put32(r.bytes + 84, kernel);
			memcpy(p->kernel, r.bytes, r.len);
			put32(r.bytes + 84, mine);
			memcpy(p->mine, r.bytes, r.len);
			both_at(p, r.name, 1, option(p->family, REPLACE), p->kernel, r.len);
			n++;
		}
		free(r.bytes);
	}
	fclose(f);
	assert_true(n >= 40 || p->family == XT2_ARP);
}

static void test_defects(void **state)
{
	in_all(defects);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_initial_tables), cmocka_unit_test(test_get_lengths),
		cmocka_unit_test(test_faults),	       cmocka_unit_test(test_no_options),
		cmocka_unit_test(test_revisions),      cmocka_unit_test(test_tables),
		cmocka_unit_test(test_rules),	       cmocka_unit_test(test_defects),
	};
	char info[84] = "filter";
	socklen_t len = sizeof(info);
	int fd;

	own_users = unshare(CLONE_NEWNET) != 0;
	if (own_users && unshare(CLONE_NEWUSER | CLONE_NEWNET)) {
		puts("no network namespace of our own: skipped");
		return 77;
	}
	fd = socket(AF_INET, SOCK_RAW, 255);
	if (getsockopt(fd, 0, 64, info, &len)) {
		puts("the kernel has no such tables: skipped");
		return 77;
	}
	compat_works = call32(20, 0, 0, 0, 0, 0) > 0; /* getpid() */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
