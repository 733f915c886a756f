/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host-private.h - what the files of the host share */
#ifndef XT2_BPF_HOST_PRIVATE_H
#define XT2_BPF_HOST_PRIVATE_H

#include "host.h"
#include "slot.h"
#include "../engine/image.h"
#include "../libxt2/err.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

struct xt2_live {
	struct bpf_object *object;
	void *mapped; /* the arena, if libbpf didn't map it */
	int reserve, release; /* file descriptors of the programs */
	int outer, inner; /* of maps that exist to be updated: see xt2_live_wait_() */
	u64 ruleset; /* offset of the live one; 0: none */
	u32 region; /* of the live one */
	u32 cpus;
};

/* => what is at an offset in the arena */
static inline void *xt2_live_at_(u64 offset)
{
	return (u8 *)XT2_ARENA_BASE + offset;
}

static inline struct xt2_state *xt2_live_state_(void)
{
	return xt2_live_at_(XT2_ARENA_STATE);
}

/* As xt2_live_load(), in an arena that is there already; arena < 0: a new one. */
int xt2_live_start_(struct xt2_live **host, unsigned int tables, int arena, struct xt2_err *err);

/* => the arena's file descriptor, the host's */
int xt2_live_arena_(const struct xt2_live *host);

/* Let a hook's packets meet a table's program, as long as the link is there. */
int xt2_live_attach_(struct xt2_live *host, u32 table, const struct xt2_hook *h,
		     struct bpf_link **link, struct xt2_err *err);

/* => the program for a table, or -1; and back */
int xt2_live_table_(const char *name);
const char *xt2_live_table_name_(u32 table);

/* What the rules of a checked image ask for: enum xt2_need. */
u32 xt2_live_needs_(const struct xt2_image *img);

/* Pages for [offset, offset + size), zeroed; and back.  => 0, -ENOMEM */
int xt2_live_reserve_(struct xt2_live *host, u64 offset, u64 size);
void xt2_live_release_(struct xt2_live *host, u64 offset, u64 size);

/* Wait until every program that runs now has ended. */
void xt2_live_wait_(struct xt2_live *host);

#endif
