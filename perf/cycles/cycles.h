/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cycles.h - the parts of xt2-cycles
 *
 * A ruleset is kept once in a form that is nobody's layout (struct rules) and
 * built from there in every layout that is compared.  A layout evaluates one
 * packet at INPUT and must count in every rule what all others count.
 */
#ifndef XT2_PERF_CYCLES_H
#define XT2_PERF_CYCLES_H

#include "engine/env.h"
#include <xt2/xt2.h>

/* --- time (cycles-time.c) ---------------------------------------------------------- */

/* Ticks of the time-stamp counter; of a clock in ns where there is none. */
u64 ticks(void);
/* Compare it with CLOCK_MONOTONIC_RAW for some milliseconds.  => ticks per ns */
double ticks_calibrate(unsigned int milliseconds);
/* Stay on a CPU.  => 0, -errno */
int cpu_pin(unsigned int cpu);
/* => how often others have taken the CPU from this process */
u64 cpu_lost(void);
/* Read more memory than the caches hold.  => bytes read; 0: no memory */
size_t cache_evict(void);
/* Sorts.  => the median */
double median_of(double *list, size_t n);

/* --- memory ------------------------------------------------------------------------ */

/*
 * Where a layout lives: regions in huge pages, as a kernel's own memory is
 * mapped.  heap_get() hands out what kmalloc() would: objects of a size class
 * from pages that hold only such.
 */
#define HEAP_CLASSES 9
struct heap {
	char *at[HEAP_CLASSES]; /* free room of the class's newest page */
	size_t left[HEAP_CLASSES];
	char *region;
	size_t region_left;
	size_t used; /* bytes handed out, as rounded up to classes */
	void *regions[64];
	size_t sizes[64];
	unsigned int count;
};

void *region_get(struct heap *h, size_t size); /* zeroed; exits if there is no memory */
void *heap_get(struct heap *h, size_t size); /* at most 512 bytes; zeroed */
void heap_free(struct heap *h);

/* The order in which objects are allocated: as they come, or by chance.  free() it */
u32 *order_make(u32 count, bool scattered);

/* --- rulesets (cycles-rules.c) ----------------------------------------------------- */

struct rule {
	u64 src[2], src_mask[2]; /* raw bytes; a mask of zero: not tested */
	u64 dst[2], dst_mask[2];
	u32 jump; /* chain; 0: none */
};

struct chain {
	u32 first, rules; /* in rules.rule */
};

struct address {
	u64 src[2], dst[2];
};

struct rules {
	const char *name;
	struct chain *chain; /* [0] is INPUT */
	struct rule *rule;
	u32 chains, count;
	struct address *packet; /* sources and destinations of the packets */
	u32 packets;
	double executed; /* rules that a packet is compared with, on average */
};

/* CHAINS chains that INPUT jumps to with WIDTH equal rules each; one packet that hits them all. */
void rules_equal(struct rules *r, u32 chains, u32 width);
/* A tree of chains, as "xt2-gen tree6" makes it; packets to its ends, by chance. */
void rules_tree(struct rules *r, u32 chains, u32 rules, u32 fan, u32 packets);
void rules_free(struct rules *r);
/* Which rules a packet hits: the dumb way.  => rules it was compared with */
u32 rules_walk(const struct rules *r, const struct address *a, u64 *hits);

/* --- layouts (cycles-stream.c, cycles-lists.c, cycles-packed.c, cycles-engine.c) ------- */

struct layout {
	const char *name;
	void (*build)(struct layout *l, const struct rules *r);
	void (*run)(struct layout *l, const struct xt2_pkt *pkt);
	int variant; /* for build and run */
	/* built */
	struct heap heap;
	void *data;
	size_t bytes; /* what the ruleset takes */
	u64 **packets; /* of each rule, its counter */
};

enum counting { INLINE, DENSE, OBJECT, OBJECT_SCATTERED, QUOTA };
enum order { IN_ORDER, SCATTERED };

void stream_build(struct layout *l, const struct rules *r);
void stream_run(struct layout *l, const struct xt2_pkt *pkt);
void lists_build(struct layout *l, const struct rules *r);
void lists_run(struct layout *l, const struct xt2_pkt *pkt);
void packed_build(struct layout *l, const struct rules *r);
void packed_run_inline(struct layout *l, const struct xt2_pkt *pkt);
void packed_run_pointer(struct layout *l, const struct xt2_pkt *pkt);
void packed_run_quota(struct layout *l, const struct xt2_pkt *pkt);
void engine_build(struct layout *l, const struct rules *r);
void engine_run(struct layout *l, const struct xt2_pkt *pkt);
void layout_free(struct layout *l);

/* Ways back into chains; more than the rulesets here need. */
#define DEPTH 16

/* --- the engine (cycles-engine.c) --------------------------------------------------- */

struct engine;

/* Copies the image; its first table that has the hook is asked.  => NULL: none has it */
struct engine *engine_new(struct heap *heap, const struct xt2_image *image, size_t size, u8 family,
			  u8 hook);
int engine_eval(struct engine *e, struct xt2_pkt *pkt);
const struct xt2_image *engine_image(const struct engine *e);
u64 engine_faults(const struct engine *e);

/* --- extensions (cycles-ext.c) ------------------------------------------------------- */

/* What each extension adds to a rule.  => 0; 1: one is missing in the table, or failed */
int extensions_measure(double per_ns, int rounds, FILE *csv);

#endif
