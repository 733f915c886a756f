/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write.h - build an image from front to back in the caller's buffer
 *
 * Order of calls: xt2_write_begin(); tables; instances and cells and chains
 * (each chain: begin, rules, end) in any order; xt2_write_end().  What has
 * not been ended has an inverted magic, so it is never mistaken for a
 * ruleset.  Any failure sticks: later calls return the same error.
 */
#ifndef XT2_ENGINE_WRITE_H
#define XT2_ENGINE_WRITE_H

#include "image.h"

struct xt2_writer {
	u8 *buf;
	u64 cap;
	u64 pos;		/* bytes written */
	int error;		/* sticky: 0 or -errno */
	u32 tables, chains, cells, instances;	/* as declared */
	u32 tables_done, instances_done;
	u32 hooks_done;
	u64 chain;		/* offset of the open chain, 0: none */
	struct xt2_root root;
};

/*
 * xt2_write_begin - start an image
 * @buf: 8-byte aligned; @cap: bytes there
 * @tables, @hooks, @chains, @instances, @cells: how many will be written
 * => 0, -ENOSPC, -EINVAL (a count above its limit)
 */
int xt2_write_begin(struct xt2_writer *w, void *buf, u64 cap, u64 generation,
		    u32 tables, u32 hooks, u32 chains, u32 instances, u32 cells);

/* => 0, -ENOSPC, -EINVAL.  Tables in creation order; source: instance or ~0. */
int xt2_write_table(struct xt2_writer *w, u8 family, const char *name, u32 source);

/* Hook entries in any order; sorted by xt2_write_end(). */
int xt2_write_hook(struct xt2_writer *w, u8 family, u8 hook, u16 table, s32 priority, u32 chain);

/* Instances in index order. */
int xt2_write_instance(struct xt2_writer *w, u8 kind, u8 revision, const char *name,
		       const void *data, u32 size);

int xt2_write_cell(struct xt2_writer *w, u32 index, u64 value);

/*
 * xt2_write_chain_begin - open a chain
 * @index: below the declared count, not yet used
 * @hook: of a base chain, or XT2_HOOK_NONE
 */
int xt2_write_chain_begin(struct xt2_writer *w, u32 index, u16 table, u8 hook, const char *name);

/* A complete rule, its counters included, is copied.  => 0, -ENOSPC, -EINVAL */
int xt2_write_rule(struct xt2_writer *w, const struct xt2_rule *r);

/*
 * xt2_write_chain_end - the last rule was the tail
 * @lines: source line of each rule, or NULL; @capacity: spare bytes to leave
 */
int xt2_write_chain_end(struct xt2_writer *w, const u32 *lines, u32 capacity);

/*
 * xt2_write_end - finish: sort hooks, compute depth and visits, set the magic
 * @scratch: xt2_check_scratch(w->cap) bytes
 * @size: out: bytes of the image
 * => 0; -ENOSPC; -ELOOP: chains loop; -EINVAL: something declared is missing
 */
int xt2_write_end(struct xt2_writer *w, void *scratch, u64 *size);

#endif
