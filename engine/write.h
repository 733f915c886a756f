/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write.h - build an image from front to back in the caller's buffer
 *
 * Order of calls: xt2_write_begin(); tables; instances and cells and chains
 * (each chain: begin, rules, perhaps an index, end) in any order; xt2_write_end().  What has
 * not been ended has an inverted magic, so it is never mistaken for a
 * ruleset.  Any failure sticks: later calls return the same error.
 */
#ifndef XT2_ENGINE_WRITE_H
#define XT2_ENGINE_WRITE_H

#include "check.h"
#include "engine/index/search.h"

struct xt2_writer {
	u8 *buf;
	u64 cap;
	u64 pos; /* bytes written */
	int error; /* sticky: 0 or -errno */
	u32 tables_done, hooks_done, chains_done, instances_done;
	u64 chain; /* offset of the open chain, 0: none */
	struct xt2_root root; /* counts as declared */
	struct xt2_check_err err; /* why xt2_write_end() refused, if err.what */
};

/*
 * xt2_write_begin - start an image
 * @buf: 8-byte aligned; @cap: bytes there
 * @tables, @hooks, @chains, @instances, @cells: how many will be written
 *
 * Cells are 0 until they are written.
 * => 0, -ENOSPC, -EINVAL (a count above its limit, an unaligned buffer)
 */
int xt2_write_begin(struct xt2_writer *w, void *buf, u64 cap, u64 generation, u32 tables, u32 hooks,
		    u32 chains, u32 instances, u32 cells);

/* => 0, -EINVAL.  Tables in creation order; source: instance or ~0. */
int xt2_write_table(struct xt2_writer *w, u8 family, const char *name, u32 source);

/* => 0, -EINVAL.  Hook entries in any order; sorted by xt2_write_end(). */
int xt2_write_hook(struct xt2_writer *w, u8 family, u8 hook, u16 table, s32 priority, u32 chain);

/* => 0, -ENOSPC, -EINVAL.  Instances in index order; name: NULL or "": none. */
int xt2_write_instance(struct xt2_writer *w, u8 kind, u8 revision, const char *name,
		       const void *data, u32 size);

/* => 0, -EINVAL */
int xt2_write_cell(struct xt2_writer *w, u32 index, u64 value);

/*
 * xt2_write_chain_begin - open a chain
 * @index: below the declared count, not yet used
 * @hook: of a base chain, or XT2_HOOK_NONE
 * => 0, -ENOSPC, -EINVAL
 */
int xt2_write_chain_begin(struct xt2_writer *w, u32 index, u16 table, u8 hook, const char *name);

/* A complete rule, its counters included, is copied.  => 0, -ENOSPC, -EINVAL */
int xt2_write_rule(struct xt2_writer *w, const struct xt2_rule *r);

/* The copy of the rule that was written last, to change the numbers in it.  A chain is open. */
static inline struct xt2_rule *xt2_written_rule(const struct xt2_writer *w)
{
	return (struct xt2_rule *)xt2_chain_tail((const struct xt2_chain *)(w->buf + w->chain));
}

/*
 * xt2_write_chain_end - the last rule was the tail
 * @lines: source line of each rule, or NULL; @capacity: spare bytes to leave
 * => 0, -ENOSPC, -EINVAL: no chain is open, or it has no rules
 */
int xt2_write_chain_end(struct xt2_writer *w, const u32 *lines, u32 capacity);

/*
 * xt2_write_index - make an index for the open chain, after its rules
 * @limits: which chains get one
 * @scratch: xt2_index_scratch() bytes for the chain's rules, 8-byte aligned
 *
 * After the chain's tail, instead of spare room.  Without room for it, or if it
 * would not pay, the chain stays plain.
 * => 0, -EINVAL
 */
int xt2_write_index(struct xt2_writer *w, const struct xt2_index_limits *limits, void *scratch);

/*
 * xt2_write_end - finish: sort hooks, check, store depth and visits, set the magic
 * @scratch: xt2_check_scratch(w->cap) bytes, 8-byte aligned
 * @size: out: bytes of the image
 *
 * What has been finished is an image that xt2_check() accepts.
 * => 0; -ENOSPC; -ELOOP: chains loop; -EINVAL: something declared is missing,
 *    or something is not valid; w->err says what and where
 */
int xt2_write_end(struct xt2_writer *w, void *scratch, u64 *size);

#endif
