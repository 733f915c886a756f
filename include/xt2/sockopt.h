/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sockopt.h - a ruleset behind the kernel's own interface
 *
 * What setsockopt(2) and getsockopt(2) do with the tables of ipt, ip6t, arpt
 * and ebt, done to a ruleset: GET_INFO, GET_ENTRIES, SET_REPLACE,
 * SET_ADD_COUNTERS, GET_REVISION_MATCH and _TARGET; for ebt the INIT calls as
 * well.  A table begins to exist when it is first asked for, as in the kernel.
 */
#ifndef XT2_SOCKOPT_H
#define XT2_SOCKOPT_H

#include <xt2/xt2.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Who knows ipsets.  The kernel's formats have the numbers that one kernel has
 * given to its sets, which may be those of other sets elsewhere, or later; an
 * image has names.
 */
struct xt2_sockopt_sets {
	/* name: 32 bytes, NUL-terminated.  => 0; -ENOENT: there is no such set; -errno: unknown */
	int (*name)(void *data, __u16 number, char *name);
	/* => the number of the set that is called so now; -ENOENT; -errno */
	int (*number)(void *data, const char *name);
	void *data;
};

/*
 * Who calls.  Arguments and the pointers inside them are addresses in his
 * memory, which is reached by these two functions only.
 */
struct xt2_sockopt_caller {
	int compat; /* a 32-bit program on x86: compat layouts */
	/* => 0, -EFAULT */
	int (*read)(void *data, __u64 from, void *to, size_t size);
	int (*write)(void *data, __u64 to, const void *from, size_t size);
	void *data;
	/*
	 * If a set is not there, or nobody can be asked, the call fails with
	 * ENOENT, as in the kernel.  NULL: numbers are kept as they are, and
	 * rules that have names instead are refused.
	 */
	const struct xt2_sockopt_sets *sets;
};

/* Is this an option of ours?  => its family (enum xt2_family), or 0 */
int xt2_sockopt_family(int level, int name, int set);

/*
 * xt2_sockopt_get, xt2_sockopt_set - answer a call
 * @level, @name: IPPROTO_IP and IPT_SO_GET_INFO, for instance
 * @value: address of the value
 * @len: its length in bytes; of get: on success the length of the answer
 *
 * On failure the ruleset is as it was; err, which may be NULL, says more than
 * the errno: entry, offset, field, reason.  Follows do_ipt_get_ctl(),
 * do_ipt_set_ctl() and their like in the kernel, but for what doc/legacy.md
 * lists.
 * => 0; 1: the ruleset has changed and is to be stored; or the kernel's
 *    -errno: -ENOPROTOOPT if the option is none of ours
 */
int xt2_sockopt_get(struct xt2_ruleset *rs, const struct xt2_sockopt_caller *caller, int level,
		    int name, __u64 value, __u32 *len, struct xt2_err *err);
int xt2_sockopt_set(struct xt2_ruleset *rs, const struct xt2_sockopt_caller *caller, int level,
		    int name, __u64 value, __u32 len, struct xt2_err *err);

/*
 * xt2_table_read_replace - put what SET_REPLACE was given in the place of a table
 * @rs: the table need not exist
 * @family, @compat: of the blob
 * @blob: len bytes: header and entries.  The entries of ebt follow the header
 *   here; the pointers in it are looked at only to find the hooks' chains
 * @keep_counters: 0: as the kernel does it: the blob must name as many counters
 *   as the table has entries (-EAGAIN), and rules count from 0.  1: the blob
 *   stands for itself, and rules keep the counters that are in it
 * @err: entry, offset, field, reason; may be NULL
 * => the table's number; the kernel's -errno, and the ruleset is as it was
 */
int xt2_table_read_replace(struct xt2_ruleset *rs, int family, int compat, const void *blob,
			   size_t len, int keep_counters, struct xt2_err *err);

/*
 * xt2_table_write_replace - a table as a tool would hand it to SET_REPLACE
 * @table: its number
 * @sets: as of struct xt2_sockopt_caller
 * @blob, @len: header and entries, counters as they are, comefrom as the kernel
 *   fills it in, pointers 0; to free()
 * => 0; -EOPNOTSUPP, -E2BIG: no such table can be written, see err; -ENOENT: nor
 *    is there a set, or the table; -ENOMEM
 */
int xt2_table_write_replace(const struct xt2_ruleset *rs, int table, int compat,
			    const struct xt2_sockopt_sets *sets, void **blob, size_t *len,
			    struct xt2_err *err);

#ifdef __cplusplus
}
#endif

#endif
