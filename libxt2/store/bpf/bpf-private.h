/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf-private.h - declarations and headers that the loader's files share */
#ifndef XT2_LIBXT2_STORE_BPF_BPF_PRIVATE_H
#define XT2_LIBXT2_STORE_BPF_BPF_PRIVATE_H

#include "bpf-store.h"
#include "kernel/bpf/links.h"
#include "kernel/bpf/slot.h"
#include "engine/image.h"
#include "libxt2/err.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is pinned in a folder beside links: maps, then programs. */
enum xt2_pin {
	XT2_PIN_ARENA,
	XT2_PIN_LOGS, /* see log.h */
	XT2_PIN_TRIALS, /* see trial.h */
	XT2_PIN_NOTES, /* see act.h */
	XT2_PIN_STEPS,
	XT2_PIN_ANSWERS,
	XT2_PIN_STOPPED,
	XT2_PIN_EVALUATORS, /* by table: see bpf-evaluator.c */
	XT2_PIN_MAPS,
	XT2_PIN_TRY = XT2_PIN_MAPS,
	XT2_PIN_RESERVE,
	XT2_PIN_RELEASE,
	XT2_PIN_GATE, /* see act.h */
	XT2_PIN_NAT_GATE,
	XT2_PIN_CLEAR, /* see act.h */
	XT2_PIN_GUARD, /* see guard.h */
	XT2_PIN_AGAIN, /* see act.h; one for each table but nat, in the order of enum xt2_program */
	XT2_PIN_AGAIN_MANGLE,
	XT2_PIN_AGAIN_FILTER,
	XT2_PIN_AGAIN_SECURITY,
	XT2_PINS
};

extern const char *const xt2_pin_names_[XT2_PINS];

struct xt2_questions_;

struct xt2_live {
	struct bpf_object *object;
	void *mapped; /* the arena, if libbpf didn't map it */
	int fd[XT2_PINS]; /* file descriptors: those of the object, or of what is pinned */
	struct xt2_questions_ *questions; /* programs of companions: see bpf-question.c */
	u32 seconds; /* that the next ruleset is on trial */
	int outer, inner; /* of maps that exist to be updated: see xt2_live_wait_() */
	int pinned[XT2_PINS]; /* file descriptors; < 0: it is not there */
	u64 ruleset; /* offset of the live one; 0: none */
	u32 region; /* of the live one */
	u32 cpus;
};

int xt2_questions_new_(struct xt2_questions_ **q); /* => 0, -ENOMEM */
void xt2_questions_free_(struct xt2_questions_ *q);

/* => the region of the next ruleset */
static inline u32 xt2_live_next_(const struct xt2_live *host)
{
	return host->ruleset ? !host->region : 0;
}

/* => what is at an offset in the arena */
static inline void *xt2_live_at_(u64 offset)
{
	return (u8 *)XT2_ARENA_BASE + offset;
}

static inline struct xt2_state *xt2_live_state_(void)
{
	return xt2_live_at_(XT2_ARENA_STATE);
}

/* What libbpf prints from now on: see xt2_live_verbose().  => the log level of programs to be loaded */
int xt2_live_prints_(void);

/*
 * xt2_live_start_ - as xt2_live_load(), with the objects that are pinned already
 * @what: NULL: no programs
 * @pinned: XT2_PINS descriptors, owned by the host from now on, even if this fails
 */
int xt2_live_start_(struct xt2_live **host, const struct xt2_live_programs *what, const int *pinned,
		    struct xt2_err *err);

/*
 * Evaluators (bpf-evaluator.c).
 *
 * xt2_evaluators_lacking_ - of some tables, those whose evaluator is not there, or cannot do something
 * @needs: enum xt2_need
 */
unsigned int xt2_evaluators_lacking_(const struct xt2_live *host, unsigned int tables, u32 needs);

/* Of an object that has been opened. */
struct bpf_program *xt2_evaluator_of_(const struct xt2_live *host, u32 table);

/* What evaluators are to be loaded for, so that they can replace those that are there. */
u32 xt2_evaluators_for_(unsigned int tables, u32 needs);

/*
 * xt2_evaluators_put_ - let hooks go on with them
 * @tables: whose evaluators host has loaded
 * @needs: what they were loaded for
 *
 * Packets may still be in those that were replaced: see xt2_live_wait_().  => 0, -errno
 */
int xt2_evaluators_put_(const struct xt2_live *host, unsigned int tables, u32 needs);

/* The map of evaluators, if its pin is gone: found by a hook's program.  => a descriptor; -ENOENT */
int xt2_evaluators_find_(const char *folder);

/* Says why the kernel takes no programs or maps.  @errnum: its answer => -errno */
int xt2_live_refused_(int errnum, struct xt2_err *err);

/* Says which capabilities are needed.  => -EPERM */
int xt2_live_forbidden_(struct xt2_err *err);

/* Make that ring, if there is none yet.  => 0, -errno */
int xt2_live_ring_(const struct xt2_live *host);

/* Let a hook's packets meet a table's program, as long as the link is there. */
int xt2_live_attach_(struct xt2_live *host, u32 table, const struct xt2_hook *h,
		     struct bpf_link **link, struct xt2_err *err);

/*
 * Guards: one at each hook with tables of the image, if there is none yet; those of hooks of which a ruleset has no
 * table go, or all of a folder.  While guards are closed, for a second at most, they drop all packets.
 * => 0, -errno
 */
int xt2_guards_attach_(const struct xt2_live *host, const char *folder,
		       const struct xt2_links *links, const struct xt2_image *img);
void xt2_guards_tidy_(const char *folder, const struct xt2_live_ruleset *l);
void xt2_guards_drop_(const char *folder);
void xt2_guards_close_(void);
void xt2_guards_open_(const struct xt2_live *host);

/* => the program for a table, or -1; and back */
int xt2_live_table_(const char *name);
const char *xt2_live_table_name_(u32 table);

/* Is there a program for it, and a reason to have it?  All of those tables: bits 1 << XT2_RAW ... */
bool xt2_live_has_program_(const struct xt2_image *img, const struct xt2_table *t);
unsigned int xt2_live_tables_(const struct xt2_image *img);

/* What a rule asks for: enum xt2_need.  Of a checked image, into needs and wants; of more rules in a table. */
u32 xt2_live_rule_needs_(const struct xt2_rule *r);
void xt2_live_find_needs_(struct xt2_live_ruleset *l, const struct xt2_image *img);
void xt2_live_want_(struct xt2_live_ruleset *l, const char *table, u8 family, u32 needs);

/* What they leave to companions: bits of act.h, by family. */
u32 xt2_live_rule_acts_(const struct xt2_rule *r);
void xt2_live_acts_(const struct xt2_image *img, u32 *acts);

/* As xt2_live_lacks(), of a ruleset that is live.  nf_tables are read if they have changed. */
struct xt2_links;
bool xt2_live_lacks_any_(const struct xt2_live *host, const struct xt2_links *links,
			 const char *folder, const struct xt2_image *img);

/* nf_tables were changed by whoever asks, by so many transactions, and by nobody else. */
void xt2_live_changed_nft_(u32 transactions);

/* => can all of a rule of a table be done, by a program or by companions? */
bool xt2_live_can_(const struct xt2_image *img, const struct xt2_table *t,
		   const struct xt2_rule *r);

/*
 * xt2_live_meets_ - how many rules a packet may meet
 * @img: a checked image, all chains of which are compiled
 * @beyond: what follows an unconditional verdict counts as well: an edit may delete that
 * @rules: out: for each of the root's hooks; saturating
 * => 0, -ENOMEM
 */
int xt2_live_meets_(const struct xt2_image *img, bool beyond, u64 *rules);
u64 xt2_live_meets_most_(const struct xt2_image *img); /* at any hook, beyond; ~0: no memory */

/*
 * xt2_live_meets_then_ - the same after an edit, at most
 * @l: the ruleset that was edited, with its bound
 * @in: the edit, committed but not yet done
 * @root: its new root
 * @longest: rules of a chain, at most
 */
struct xt2_inplace_;
u64 xt2_live_meets_then_(const struct xt2_live_ruleset *l, const struct xt2_inplace_ *in,
			 const struct xt2_root *root, u64 longest);

/* => is it a nat table that does nothing? */
bool xt2_live_idle_(const struct xt2_image *img, const struct xt2_table *t);

/*
 * Of steps and questions (bpf-left.h): how many there are in all chains, at most; and what the programs
 * know of them.  l: with room at l->left  => 0, -ENOMEM, -E2BIG
 */
u32 xt2_left_count_(const struct xt2_image *img);
int xt2_left_fill_(struct xt2_live_ruleset *l, const struct xt2_image *img);

/*
 * xt2_left_comes_ - a rule comes to the live ruleset: programs get to know its steps and questions
 * @l: of the live ruleset, as it is to be published
 * @img: its image, which has the rule
 * @table: enum xt2_program
 * @hooks: bits: where packets may meet it
 * => 0; 1: the ruleset has to be installed as a whole: something has no companion there, or a
 *    match may look at what a step may have changed
 */
int xt2_left_comes_(struct xt2_live_ruleset *l, const struct xt2_image *img,
		    const struct xt2_rule *r, u8 family, u32 table, u32 hooks);

/* May packets stop in a table of a ruleset?  See kernel/bpf/act.h. */
bool xt2_left_may_stop_(const struct xt2_live_ruleset *l, u32 table, u32 six);

/* What the programs, and whoever looks for companions, know of a ruleset's nat tables.  => 0, -ENOMEM */
int xt2_live_fill_nat_(struct xt2_live_ruleset *l, const struct xt2_image *img);

/* The entries of the hooks that programs are at, from l->root on. */
void xt2_live_find_hooks_(struct xt2_live_ruleset *l, const struct xt2_image *img);

/* At the start; and whenever a ruleset becomes live. */
void xt2_live_start_clock_(struct xt2_state *state);
void xt2_live_set_date_(struct xt2_state *state);

/* Of them, what a match asks for about connections. */
u32 xt2_live_need_tracking_(const struct xt2_match *m);
u32 xt2_live_target_tracks_(const struct xt2_rule *r); /* and what a target asks for */

/* Pages for [offset, offset + size), zeroed; and back, if they are there.  => 0, -ENOMEM */
int xt2_live_reserve_(struct xt2_live *host, u64 offset, u64 size);
int xt2_live_release_(struct xt2_live *host, u64 offset, u64 size);

/* Wait until every program that runs now has ended.  => 0; -errno: it may still run */
int xt2_live_wait_(const struct xt2_live *host);

/* --- where rulesets are pinned (bpf-root.c) ------------------------------- */

bool xt2_is_bpffs_(const char *path);

/* Nothing is live here.  => -ENOENT */
int xt2_live_none_(struct xt2_err *err);

/* Is the descriptor's file still the one at the path? */
bool xt2_same_file_(int fd, const char *path);

/* Says why there is nothing to be found or made there.  => -errnum */
int xt2_live_no_root_(int errnum, struct xt2_err *err);

/*
 * xt2_live_root_ - the file system for a command's pins
 * @pin: the one that was named; NULL: xt2's own
 * @create: things will be pinned there: mount it, and be sure that it lasts
 * @root: out: its path
 * => 0; -ENOENT: xt2's own is not mounted; -EPERM, -EOPNOTSUPP, -EINVAL
 */
int xt2_live_root_(const char *pin, bool create, char *root, size_t size, struct xt2_err *err);

/*
 * Is this a priority that a table's program gets at the hook?  It is the hook's, or a little above
 * it; that of nat a little below, for NAT itself is there.
 */
bool xt2_live_beside_(u32 table, const struct xt2_hook *h, int priority);

/* --- what is attached (bpf-links.c) ---------------------------------------- */

struct xt2_links {
	int nets; /* a file descriptor of the program that knows all network namespaces */
	struct xt2_link *list; /* of all network namespaces */
	size_t count;
	__u64 cookie; /* of the network namespace of this process */
};

struct xt2_pinned_ {
	u32 id[256]; /* more than hooks of tables, what is before and after them, and guards */
	u32 count;
	bool unsure; /* there may be more */
};

/* => of this process's network namespace; 0: not known */
__u64 xt2_live_cookie_(void);

/* Is there a network namespace with this cookie?  => 1, 0, -errno: not known */
int xt2_links_net_(const struct xt2_links *l, __u64 cookie);

/* => NULL: nothing of this number is attached */
const struct xt2_link *xt2_links_find_(const struct xt2_links *l, u32 id);
bool xt2_link_is_ours_(const struct xt2_link *link);

/* => the number of the link that is pinned there; 0: none, or it can't be told */
u32 xt2_pinned_link_(const char *folder, const char *name);

/* All in a folder; none if it is not there. */
void xt2_pinned_links_(const char *folder, struct xt2_pinned_ *pinned);
bool xt2_is_pinned_(const struct xt2_pinned_ *pinned, u32 id);

/* Take all that is pinned in a folder away, the arena last.  => 0; -ENOENT: no folder; -errno */
int xt2_live_clear_(const char *folder);

/* --- trials (bpf-trial.c) ------------------------------------------------ */

/* Nothing must be on trial; the remains of a trial are removed.  => 0; -EBUSY: it is; -errno */
int xt2_live_settle_first_(struct xt2_live *host, struct xt2_err *err);

/* Before a ruleset is published, and after: the timer may have been faster.  => 0, -errno */
int xt2_live_begin_trial_(struct xt2_live *host);
void xt2_live_check_trial_(struct xt2_live *host);

/* --- who changed it (bpf-past.c) ----------------------------------------- */

struct xt2_history;
struct xt2_image_past;

/* The history of what is live, in the arena; of no commits if nothing is. */
void xt2_live_history_(const struct xt2_live *host, struct xt2_history *h);

/*
 * xt2_live_past_ - what follows the image of a ruleset that will be live
 * @past: out: bytes are to be freed
 * => 0, -ENOMEM
 */
int xt2_live_past_(const struct xt2_live *host, const struct xt2_image *img, size_t size,
		   struct xt2_live_told *told, struct xt2_image_past *past);

/* Count rules that come and go, in the record of a ruleset that will be live after another one. */
void xt2_live_count_changes_(const struct xt2_live_ruleset *l);

/* As xt2_store_watch() and xt2_store_end_watch(), in the folder of s (bpf-watch.c). */
int xt2_live_watch_(struct xt2_store *s, xt2_history_seen seen, void *data, struct xt2_err *err);
void xt2_live_end_watch_(struct xt2_store *s);

/*
 * Before what is live is replaced as a whole, and after it was, or was not: what was live is kept
 * beside (bpf-old.c), in a folder's name.
 * => number; 0: it cannot be kept, which is no error
 */
u32 xt2_live_old_begin_(const struct xt2_live *host, const char *folder);
void xt2_live_old_end_(const char *folder, u32 number, bool replaced);

/* What was kept goes with the folder. */
void xt2_live_old_drop_(const char *folder);

/* As xt2_store_generation(), of a store that is locked. */
int xt2_live_generation_(struct xt2_live *host, const char *folder, u64 generation,
			 struct xt2_mapping *map, struct xt2_err *err);

/* A generation is about to be live: none after it gets its number. */
void xt2_live_passed_(u64 generation);

/* --- what a ruleset keeps of the one before (bpf-keep.c) --------------------- */

/* Counters that a slot or, the last one, the time before has. */
static inline struct xt2_counter *xt2_live_counters_(const struct xt2_live_ruleset *l, u32 slot)
{
	return xt2_live_at_(l->counters + l->counters_size * slot);
}

/* Packets and bytes of a rule of the arena's image, those before included; of a counter. */
struct xt2_counter xt2_live_count_(const struct xt2_live_ruleset *l, const struct xt2_rule *r);
struct xt2_counter xt2_live_counter_(const struct xt2_live_ruleset *l, u32 number);

/* What the programs have counted in a counter of this ruleset alone. */
struct xt2_counter xt2_live_slots_sum_(const struct xt2_live_ruleset *l, u32 number);

/*
 * xt2_live_keep_ - which rules and cells go on in a ruleset that is not live yet
 * @l: in the arena, with its image as it was written; pairs and cell_numbers are filled in, and the
 *	image's matches name the arena's cells
 * @start: by table: enum xt2_live_start; NULL: XT2_LIVE_FILE
 * @was: see struct xt2_store_counters; NULL: find out
 * => 0; -EFBIG, -ENOMEM
 */
int xt2_live_keep_(struct xt2_live *host, struct xt2_live_ruleset *l, const __u8 *start,
		   const __u32 *was, struct xt2_err *err);

/*
 * xt2_live_fold_ - add what the ruleset before has counted to the live one, and give it back
 *
 * May be killed at any time, and done again.  Nothing to do if it was done.
 * => 0; -errno: it is still to be done
 */
int xt2_live_fold_(struct xt2_live *host);

/* => how many matches of a ruleset remember something */
u64 xt2_live_cells_(const struct xt2_live_ruleset *l);

/*
 * Put cells, and their numbers, at the end of a copy of the arena's image, which has room for
 * those of xt2_live_cells_().  => 0, -ENOMEM
 */
int xt2_live_read_cells_(struct xt2_image *copy);

/* Memory for so many of the arena's cells.  => 0, -ENOMEM */
int xt2_live_reserve_cells_(struct xt2_live *host, u32 cells);

#endif
