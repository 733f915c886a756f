/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy.h - the kernel's own table formats <-> rules
 *
 * What iptables, ip6tables, arptables and ebtables hand to
 * setsockopt(SO_SET_REPLACE) and get from getsockopt(SO_GET_ENTRIES), as 64-bit
 * programs do (native) and as 32-bit programs do (compat).
 *
 * ebtables' differ in this: a blob is struct ebt_replace directly followed
 * by the entries; the header's pointers to them count from its pointer
 * "entries".  Entries are the rules without the chains' heads and policies;
 * counters are not in the blob, but in an array in the order of the rules, so
 * rules come out with counters of 0.  Hooks' places are those of heads.
 *
 * In: xt2_legacy_check() makes every check of the kernel, in its order and
 * with its errno; afterwards the chains are numbered and located.
 * xt2_legacy_chain() describes one, xt2_legacy_rule() packs its rules one
 * after the other.  Out: struct xt2_legacy_writer takes chains and rules and
 * writes entries.  doc/legacy.md says what is normalised and what is refused
 * although the kernel would take it.
 *
 * No memory is allocated; scratch is the caller's, and its size depends on
 * the number of bytes that were really given, not on what they claim.
 */
#ifndef XT2_TRANSLATORS_TABLE_LEGACY_H
#define XT2_TRANSLATORS_TABLE_LEGACY_H

#include "translators/ext/translate.h"

#define XT2_LEGACY_HOOKS   6
#define XT2_LEGACY_KNOWN   96 /* at least as many as legacy-known.c has rows of matches, of targets */
#define XT2_LEGACY_PAYLOAD 4112 /* the largest payload of an extension, native */

/* Why a blob was refused. */
struct xt2_legacy_err {
	const char *what; /* static text */
	const char *field; /* of the structure, static; NULL: none in particular */
	u32 entry; /* from 1, with chains' heads; 0: the header */
	u32 offset; /* of the entry or header field, in the given bytes */
	bool stricter; /* the kernel would have taken it */
};

struct legacy_known;

/* Extensions that were looked up, by name: tables use few, again and again. */
struct xt2_legacy_cache {
	const struct legacy_known *row[64];
};

struct xt2_legacy_format_;
struct xt2_legacy_entry_;
struct xt2_legacy_chain_;
struct xt2_legacy_ebt_chain_;

/* A blob that has been checked; read-only for the caller but for what is named first. */
struct xt2_legacy {
	char table[XT2_NAME_SIZE];
	u8 family; /* enum xt2_family */
	bool compat; /* 32-bit layout; ebt's may turn out to be native nevertheless */
	u32 valid_hooks; /* bit mask */
	u32 hook_entry[XT2_LEGACY_HOOKS]; /* offsets in the entries, of valid hooks */
	u32 underflow[XT2_LEGACY_HOOKS]; /* not of bridges */
	u32 entries; /* number of entries */
	u32 size; /* bytes of entries */
	u32 native_size; /* bytes that they take in the native format */
	u32 num_counters; /* what the caller of setsockopt() says the old table has */
	u64 counters; /* the caller's pointer to room for the old table's counters */
	u32 base_chains; /* numbers 0 and up, by hook */
	u32 chains; /* in all; user chains follow in the blob's order */

	/* The caller may set it after the check: carry what the kernel module leaves to the kernel. */
	bool for_module;

	/* The rest is private. */
	const struct xt2_legacy_format_ *f;
	const u8 *blob; /* the header */
	const u8 *at; /* the entries */
	struct xt2_legacy_entry_ *entry;
	u32 slots;
	struct xt2_legacy_chain_ *chain;
	struct xt2_legacy_ebt_chain_ *ebt_chain; /* in the blob's order */
	u32 *ebt_order; /* their places by number */
	u32 *ebt_slot; /* and by offset */
	bool fallback; /* a native blob of a 32-bit program: every error is EINVAL */
	bool lax; /* the kernel would have refused an extension by now: every error is ENOENT */
	struct xt2_legacy_err *err;
	struct xt2_legacy_cache cache;
	const struct xt2_row *row[2][XT2_LEGACY_KNOWN]; /* of matches, of targets */
	u8 seen[2][XT2_LEGACY_KNOWN]; /* whose row has been looked up */
	u64 payload[XT2_LEGACY_PAYLOAD / 8];
	u64 room[XT2_PACK_ROOM(XT2_LEGACY_PAYLOAD) / 8];
};

/* Is there such a family?  IPv4, IPv6, ARP, bridge. */
bool xt2_legacy_family(u8 family);

/* => bytes of scratch for a blob of len bytes; 0: no such family */
u64 xt2_legacy_scratch(u8 family, bool compat, u64 len);

/*
 * xt2_legacy_check - all that the kernel checks before it looks at the table itself
 * @l: filled in; blob and scratch must stay while it is used
 * @blob: len bytes as given to setsockopt(SO_SET_REPLACE), of any alignment;
 *   more than header and entries is fine
 * @scratch: xt2_legacy_scratch(family, compat, len) bytes, 8-byte aligned
 * @err: filled in on failure; may be NULL
 *
 * Time is linear in len.  Follows do_replace(), translate_table() and their
 * compat forms in net/ipv4/netfilter/ip_tables.c, arp_tables.c,
 * net/ipv6/netfilter/ip6_tables.c, net/bridge/netfilter/ebtables.c, and
 * net/netfilter/x_tables.c.  Of ebt, len has to be exact.
 * => 0; -EINVAL, -ENOMEM, -ENOENT, -EPROTOTYPE, -ELOOP (ebt: -EINVAL), ebt: -EFAULT; or what
 *    an extension's own check answers (-ERANGE, -EDOM, -ENAMETOOLONG,
 *    -EOPNOTSUPP); -EAFNOSUPPORT: no such family
 */
int xt2_legacy_check(struct xt2_legacy *l, u8 family, bool compat, const void *blob, u64 len,
		     void *scratch, struct xt2_legacy_err *err);

/*
 * xt2_legacy_check_table - what the kernel checks last, against the table to be replaced
 * @hooks: mask of the table's hooks; 0: there is no table of this name
 * @entries: how many entries it has, as GET_INFO says
 * As __do_replace(), and do_replace_finish() of ebtables.c.
 * => 0; -ENOMEM (too many counters), -ENOENT, -EINVAL (other hooks), -EAGAIN
 *    (another number of entries; ebt: -EINVAL)
 */
int xt2_legacy_check_table(const struct xt2_legacy *l, u32 hooks, u32 entries,
			   struct xt2_legacy_err *err);

/*
 * xt2_legacy_revision - GET_REVISION_MATCH and GET_REVISION_TARGET
 * => 0: known; -ENOENT: no such extension; -EPROTONOSUPPORT: not this revision
 */
int xt2_legacy_revision(u8 family, bool target, const char *name, u8 revision);

/* A chain, and how far its rules have been read. */
struct xt2_legacy_chain {
	u32 number;
	u8 hook; /* XT2_HOOK_NONE: a user chain */
	char name[XT2_NAME_SIZE]; /* of a user chain, padded with NUL; else empty */
	u32 entries; /* of the blob, the head not counted */
	u32 rules; /* that xt2_legacy_rule() gives, the tail included */

	u32 pos, left, added; /* private */
};

/* The chain of this number, to be read from its first rule.  number < l->chains */
void xt2_legacy_chain(const struct xt2_legacy *l, u32 number, struct xt2_legacy_chain *c);

/* Where a rule is packed, and what is needed for it; the caller's, 8-byte aligned. */
struct xt2_legacy_sink {
	/*
	 * A comment (kind XT2_INSTANCE_COMMENT), a foreign match or target; the
	 * payload is native.  => number of the instance, or -errno
	 */
	int (*instance)(void *data, u8 kind, u8 revision, const char *name, const void *payload,
			u32 size);
	/* The state of a match with XT2_EXT_CELL.  => number of its first cell, or -errno */
	int (*cell)(void *data, u8 family, const struct xt2_match *m);
	void *data;
	const u32 *chain; /* numbers of the caller's by numbers of the blob's; NULL: the same */
	u64 rule[2 * XT2_RULE_MAX / 8];
};

/*
 * xt2_legacy_rule - pack the next rule of a chain
 * @l: checked
 *
 * The last rule is the chain's tail: the policy of a base chain, RETURN.
 * => 1: it is at sink->rule, counters as in the blob (the kernel ignores
 *    them); 0: no more rules; -E2BIG: it takes more than XT2_RULE_MAX bytes;
 *    what the sink answers
 */
int xt2_legacy_rule(struct xt2_legacy *l, struct xt2_legacy_chain *c, struct xt2_legacy_sink *sink);

/* --- out ------------------------------------------------------------------ */

/*
 * Entries being written.  Order of calls: begin; for each chain, base chains
 * first and in the order of their hooks: chain, rules, the tail last; end.
 * An error sticks.  With too little room, or none, bytes are only counted.
 */
struct xt2_legacy_writer {
	/* What GET_INFO says; ~0: places of hooks that the table does not have. */
	u32 valid_hooks;
	u32 hook_entry[XT2_LEGACY_HOOKS];
	u32 underflow[XT2_LEGACY_HOOKS];
	u32 entries; /* number of entries so far */
	u64 size; /* bytes so far, whether they fit or not */
	const char *what; /* after a failure: static text, or NULL */

	/* The rest is private. */
	const struct xt2_legacy_format_ *f;
	u8 *out;
	u64 cap;
	int error;
	u8 hook;
	bool open;
	u8 held; /* ebt: a rule without conditions that may be the policy */
	u32 before; /* ebt: entries before the chain */
	u32 last; /* offset of the last entry; ebt: of the chain's head */
	u32 *place; /* of chains */
	u32 chains;
	const struct xt2_instance *(*instance)(void *data, u32 number);
	void *data;
	struct xt2_legacy_cache cache;
	u64 payload[XT2_LEGACY_PAYLOAD / 8];
};

/*
 * xt2_legacy_write_begin - start to write entries
 * @out: cap bytes, or NULL and 0 to learn the size
 * @place: chains numbers of 4 bytes, kept until the end
 * @instance: => the instance of this number, or NULL
 * => 0, -EAFNOSUPPORT
 */
int xt2_legacy_write_begin(struct xt2_legacy_writer *w, u8 family, bool compat, void *out, u64 cap,
			   u32 *place, u32 chains,
			   const struct xt2_instance *(*instance)(void *data, u32 number),
			   void *data);

/*
 * xt2_legacy_write_chain - a chain begins
 * @number: as rules name it; @hook: of a base chain, or XT2_HOOK_NONE
 * @name: of a user chain, at most 29 bytes; ebt: 31
 * => 0; -EINVAL: numbers, hooks or names are not possible; an earlier error
 */
int xt2_legacy_write_chain(struct xt2_legacy_writer *w, u32 number, u8 hook, const char *name);

/*
 * xt2_legacy_write_rule - a rule, or the tail, of the chain that was begun last
 * @r: well-formed (xt2_check_rule())
 * => 0; -EOPNOTSUPP: no legacy rule says this; -E2BIG: more than 65,535 bytes
 *    in this format; -EINVAL: names what is not there; an earlier error
 */
int xt2_legacy_write_rule(struct xt2_legacy_writer *w, const struct xt2_rule *r);

/*
 * xt2_legacy_write_end - the end of the table, and the jumps' places
 * @scratch: to fill in comefrom, the hooks that lead to each rule:
 *   xt2_legacy_write_scratch(w) bytes, 8-byte aligned; NULL: leave it 0
 * => 0; -ENOSPC: w->size bytes are needed, nothing else is wrong; -E2BIG: the
 *    kernel takes no table as large; an earlier error
 */
int xt2_legacy_write_end(struct xt2_legacy_writer *w, void *scratch);

u64 xt2_legacy_write_scratch(const struct xt2_legacy_writer *w);

#endif
