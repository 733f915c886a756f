/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live-trace.h - which rules of an edited ruleset are live already */
#ifndef XT2_XT2TABLES_LIVE_LIVE_TRACE_H
#define XT2_XT2TABLES_LIVE_LIVE_TRACE_H

#include <stdbool.h>
#include <xt2/xt2.h>

/*
 * xt2_live_trace - find the rules that an edit left as they were
 * @rs: was loaded from the image at old, edited, and packed into the one at map
 * @changed: by table of rs: its policies start as map has them
 * => an array to free(), for xt2_store_commit(); NULL: no memory
 */
__u32 *xt2_live_trace(const struct xt2_ruleset *rs, const struct xt2_mapping *old,
		      const struct xt2_mapping *map, const bool *changed);

#endif
