/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sockopt.h - the kernel's own interface, answered from a ruleset
 *
 * The calls of setsockopt(2) and getsockopt(2) for the tables of ipt, ip6t,
 * arpt and ebt, applied to a ruleset: GET_INFO, GET_ENTRIES, SET_REPLACE,
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
 * A directory of ipsets, supplied by the caller.  The kernel's formats have the
 * numbers that one kernel has given to its sets, which may be those of other
 * sets elsewhere, or later; an image has names.
 */
struct xt2_sockopt_sets {
	/* name: 32 bytes, NUL-terminated.  => 0; -ENOENT: there is no such set; -errno: unknown */
	int (*name)(void *data, __u16 number, char *name);
	/* => the number of the set that is called so now; -ENOENT; -errno */
	int (*number)(void *data, const char *name);
	void *data;
};

/*
 * The process that calls.  Arguments and the pointers inside them are addresses
 * in its memory, which is reached through read() and write() only.
 */
struct xt2_sockopt_caller {
	int compat; /* a 32-bit program on x86: compat layouts */
	/* => 0, -EFAULT */
	int (*read)(void *data, __u64 from, void *to, size_t size);
	int (*write)(void *data, __u64 to, const void *from, size_t size);
	void *data;
	/*
	 * If a set does not exist, or the directory cannot answer, the call
	 * fails with ENOENT, as in the kernel.  NULL: numbers are kept as they
	 * are, and rules that have names instead are refused.
	 */
	const struct xt2_sockopt_sets *sets;
};

/*
 * xt2_sockopt_family - tell whether a socket option belongs to these tables
 * @level, @name: as passed to setsockopt(2) or getsockopt(2)
 * @set: 1: setsockopt(2); 0: getsockopt(2)
 * => the family (enum xt2_family); 0: another option
 */
int xt2_sockopt_family(int level, int name, int set);

/*
 * xt2_sockopt_get - answer getsockopt(2)
 * @level, @name: IPPROTO_IP and IPT_SO_GET_INFO, for instance
 * @value: address of the value in the caller's memory
 * @len: its length in bytes; on success the length of the answer
 * @err: says more than the errno: entry, offset, field, reason
 *
 * On failure the ruleset is as it was.
 *
 * Source: do_ipt_get_ctl() in net/ipv4/netfilter/ip_tables.c, and its siblings
 * in ip6_tables.c, arp_tables.c and net/bridge/netfilter/ebtables.c;
 * doc/legacy.md lists the differences.
 * => 0; 1: a table came into being, so the ruleset is to be stored;
 *    -ENOPROTOOPT: not an option of these tables; otherwise the kernel's
 *    -errno: -EINVAL, -ENOENT, -EAGAIN, -EFAULT, -ENOMEM, ...; -EOPNOTSUPP: the
 *    table has rules without a legacy form
 */
int xt2_sockopt_get(struct xt2_ruleset *rs, const struct xt2_sockopt_caller *caller, int level,
		    int name, __u64 value, __u32 *len, struct xt2_err *err);

/*
 * xt2_sockopt_set - answer setsockopt(2)
 * @level, @name, @value, @err: as for xt2_sockopt_get()
 * @len: length of the value in bytes
 *
 * On failure the ruleset is as it was.
 *
 * Source: do_ipt_set_ctl() and its siblings, see xt2_sockopt_get().
 * => 0; 1: the ruleset has changed and is to be stored; -ENOPROTOOPT: not an
 *    option of these tables; otherwise the kernel's -errno: -EINVAL, -ENOENT,
 *    -EAGAIN, -ELOOP, -EFAULT, -ENOMEM, ...
 */
int xt2_sockopt_set(struct xt2_ruleset *rs, const struct xt2_sockopt_caller *caller, int level,
		    int name, __u64 value, __u32 len, struct xt2_err *err);

/*
 * xt2_table_read_replace - replace a table by the argument of SET_REPLACE
 * @rs: the table need not exist
 * @family: enum xt2_family; @compat: 1: the layout of a 32-bit program
 * @blob, @len: header and entries.  The entries of ebt follow the header here;
 *   the pointers in it are used only to find the hooks' chains
 * @keep_counters: 0: as the kernel does it: the blob must name as many counters
 *   as the table has entries, and rules count from 0.  1: the blob stands for
 *   itself, and rules keep the counters that are in it
 * @err: entry, offset, field, reason
 *
 * Ipsets keep the numbers that the blob has for them.
 * => the table's number; -EAGAIN: another number of counters than entries;
 *    otherwise the kernel's -errno.  On failure the ruleset is as it was
 */
int xt2_table_read_replace(struct xt2_ruleset *rs, int family, int compat, const void *blob,
			   size_t len, int keep_counters, struct xt2_err *err);

/*
 * xt2_table_write_replace - write a table as the argument of SET_REPLACE
 * @table: its number
 * @compat: 1: in the layout of a 32-bit program
 * @sets: as in struct xt2_sockopt_caller
 * @blob, @len: out: header and entries, counters as they are, comefrom as the
 *   kernel fills it in, pointers 0; release with free()
 * => 0; -ENOENT: no such table, or no ipset of a name that a rule has;
 *    -EOPNOTSUPP: a rule has no legacy form; -E2BIG: a rule or the table is
 *    larger than the kernel takes; -ELOOP; -EINVAL; -ENOMEM
 */
int xt2_table_write_replace(const struct xt2_ruleset *rs, int table, int compat,
			    const struct xt2_sockopt_sets *sets, void **blob, size_t *len,
			    struct xt2_err *err);

#ifdef __cplusplus
}
#endif

#endif
