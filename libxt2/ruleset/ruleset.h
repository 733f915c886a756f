/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ruleset.h - a ruleset in memory; not installed
 *
 * Names with a trailing underscore are private to the library; the others are
 * also for the tools that are built with it (tests/lint/private.py).
 *
 * Tables and chains are records in arrays, named by their position.  A chain
 * lists its rules by pointer; the bytes are in the ruleset's arena or in the
 * image that it was loaded from, which is never written to: a rule whose
 * counters change moves to the arena.
 */
#ifndef XT2_LIBXT2_RULESET_RULESET_H
#define XT2_LIBXT2_RULESET_RULESET_H

#include "arena.h"
#include "list.h"
#include "libxt2/grow.h"
#include "engine/image.h"
#include <xt2/edits.h>
#include <xt2/xt2.h>

struct xt2_chain_ {
	char name[XT2_NAME_SIZE]; /* padded with NUL */
	u32 table;
	u8 live;
	u8 hook; /* XT2_HOOK_NONE: a user chain */
	u8 policy; /* XT2_T_ACCEPT or XT2_T_DROP; of a user chain XT2_T_RETURN, bridges: any */
	/* of a ruleset that is edited in its image (inplace.h): */
	u8 known; /* the fields are filled in */
	u8 unread; /* the rules are in the image alone; rules.n says how many */
	u8 changed; /* since the last commit */
	u8 recounted; /* the counters of its policy were set */
	u8 owner; /* in the ruleset's list, from 1; 0: nobody's */
	u32 references; /* rules that jump or go here */
	u32 next; /* live: in its bucket; else: next free number */
	u32 rank; /* in the order, while that is sorted */
	u64 came; /* chains that came later have larger ones */
	u64 packets, bytes; /* of the tail */
	struct xt2_rule_list rules;
	struct xt2_patch_edit *edit; /* in place: unread, and changed in the image; or NULL */
	u32 offset; /* in place: of its extent, after an edit in this transaction; else 0 */
};

struct xt2_table_ {
	char name[XT2_NAME_SIZE];
	int family;
	bool as_came; /* user chains are listed as they came, not by name */
	bool by_name; /* the image says so; else their order does */
	unsigned int hooks; /* bit mask */
	s32 priority[XT2_HOOKS_MAX];
	u32 base[XT2_HOOKS_MAX]; /* chain numbers */
	char *source; /* malloc'ed, or NULL */
};

/* Live chains by table, base chains first by hook, then by name or as they came. */
struct xt2_order_ {
	u32 *chain; /* XT2_NONE where one was deleted; room for all */
	u32 n;
	bool sorted;
};

/* Where instances are found by what they say: shared.c. */
struct xt2_shared_ {
	struct xt2_shared_slot_ *slot;
	u32 slots, used; /* slots: a power of two, or 0 */
};

/* A change of a chain that belongs to somebody else. */
struct xt2_trespass {
	char table[XT2_NAME_SIZE], chain[XT2_NAME_SIZE];
	char owner[XT2_NAME_SIZE]; /* "": there was none */
};

struct xt2_ruleset {
	struct xt2_table_ *table;
	u32 tables, table_cap;
	struct xt2_chain_ *chain;
	u32 chains, chain_cap; /* numbers given out so far */
	u32 free; /* first number that can be used again */
	u32 live;
	u64 came; /* chains that ever came */
	u64 seed; /* of hashes: names come from untrusted input */
	u32 *bucket;
	u32 buckets; /* a power of two */
	struct xt2_order_ *order;
	const struct xt2_instance **instance;
	u32 instances, instance_cap;
	struct xt2_shared_ shared;
	u64 *cell;
	u32 cells, cell_cap;
	struct xt2_memories_ *memories; /* those that rules name; NULL: not looked for yet */
	struct xt2_arena_ rules;
	struct xt2_arena_ payloads; /* instances */
	struct xt2_arena_ lists; /* of chains as they were loaded */
	struct xt2_inplace_ *inplace; /* it is edited in its image; NULL: it is not */
	const struct xt2_inplace_ops_ *ops; /* likewise */
	const u8 *image; /* rules and instances may be in here */
	size_t image_size;
	u64 generation;
	struct xt2_changes changes; /* since it was loaded, or committed last */
	struct xt2_owners *owners; /* NULL: no chain has one */
	bool owners_new; /* there are names that the image has not */
	u8 acting; /* the owner for whom changes are made; 0: nobody */
	struct xt2_trespass trespass; /* the first one since then */
};

/* --- state (cells.c) -------------------------------------------------------- */

/* Which memories there are has to be found out again. */
void xt2_memories_forget_(struct xt2_ruleset *rs);

/* Do matches with XT2_EXT_MEMORY, of rules of these families, remember together? */
bool xt2_memory_same_(const struct xt2_match *a, int a_family, const struct xt2_match *b,
		      int b_family);

/* A memory of another ruleset becomes this one's.  @cell: its contents */
int xt2_cells_copy_(struct xt2_ruleset *rs, int family, const struct xt2_match *m, const u64 *cell);

/* Has a memory come since the ruleset was loaded, and with it rules in any order? */
bool xt2_memory_added_(const struct xt2_ruleset *rs, u32 first);

/* A memory is to do what a rule says. */
void xt2_memory_init_(const struct xt2_match *m, u64 *cell);

/* A memory forgets all but what its first rule said. */
void xt2_memory_clear_(u64 *cell);

/* A copy that nobody else has becomes as if all changes that had begun were done. */
void xt2_memory_settle_(u64 *cell);

/* --- owners of chains (chain-owners.c) ------------------------------------- */

/*
 * Whose changes follow: new user chains belong to this owner, NULL: to nobody.
 * => 0, -ENOMEM; -E2BIG: the ruleset has too many owners
 */
int xt2_ruleset_act(struct xt2_ruleset *rs, const char *owner);

/* => the first change of a chain that is not the acting owner's; NULL: there was none */
const struct xt2_trespass *xt2_ruleset_trespass(const struct xt2_ruleset *rs);

/*
 * xt2_owners_carry - whose the chains of a ruleset are that takes the place of another
 * @to: has the same tables, and maybe more
 * @changed: by table: its chains are new ones, but if an owner had one of the name, it is the
 *	owner's, and that is a trespass unless the owner acts
 * => 0, -ENOMEM; -E2BIG: there are too many owners
 */
int xt2_owners_carry(struct xt2_ruleset *to, const struct xt2_ruleset *from, const bool *changed);

/*
 * xt2_owners_keep - chains that another ruleset has as well belong to whom they do there
 *
 * Those that are nobody's there stay what they are.
 * => 0, -ENOMEM; -E2BIG: there are too many owners
 */
int xt2_owners_keep(struct xt2_ruleset *to, const struct xt2_ruleset *from);

/* => the name of a chain's owner; NULL: it is nobody's, or not there */
const char *xt2_chain_owner(const struct xt2_ruleset *rs, int chain);

void xt2_chain_trespass_(struct xt2_ruleset *rs, const struct xt2_chain_ *c);

/* The rules or the name of a chain are about to change. */
static inline void xt2_chain_touch_(struct xt2_ruleset *rs, const struct xt2_chain_ *c)
{
	if (unlikely(c->owner) && c->owner != rs->acting)
		xt2_chain_trespass_(rs, c);
}

struct xt2_owned;

/* The names of an image's owners.  => 0, -ENOMEM */
int xt2_owners_load_(struct xt2_ruleset *rs, const struct xt2_owned *from);

/* The table that was added last, and has no user chains, goes. */
void xt2_table_undo_(struct xt2_ruleset *rs);

/*
 * xt2_instance_add() without its checks, into an arena that the ruleset will get.  To take the
 * newest ones back, their number is lowered.
 */
int xt2_instance_put_(struct xt2_ruleset *rs, struct xt2_arena_ *arena, u8 kind, u8 revision,
		      const char *name, const void *data, u32 size);

/* May several rules name one instance that says this?  @head: its name padded with NUL */
bool xt2_shareable_(const struct xt2_instance *head);
/*
 * => the number of an instance that says this; -ENOENT: the next one is taken to say it; -ENOMEM
 * @data: of head->size bytes
 */
int xt2_shared_find_(struct xt2_ruleset *rs, const struct xt2_instance *head, const void *data);

/* Does an instance say this?  @head: name padded with NUL; @data: of head->size bytes */
static inline bool xt2_instance_says_(const struct xt2_instance *in,
				      const struct xt2_instance *head, const void *data)
{
	return !memcmp(in, head, sizeof(*in)) && (!head->size || !memcmp(in + 1, data, head->size));
}

/* => the newest chain of this padded name, or XT2_NONE */
u32 xt2_chain_named_(const struct xt2_ruleset *rs, u32 table, const char *padded);

/* What a ruleset that is edited in its image reads when it is asked for: inplace-calls.h. */
void xt2_chain_know_(const struct xt2_ruleset *rs, u32 chain);
void xt2_chain_read_(const struct xt2_ruleset *rs, struct xt2_chain_ *c);
int xt2_ruleset_read_(const struct xt2_ruleset *rs);
const struct xt2_instance *xt2_instance_read_(const struct xt2_ruleset *rs, u32 i);

/* All chains, rules, instances and cells are there afterwards.  => 0; -errno: some are not */
static inline int xt2_ruleset_complete_(const struct xt2_ruleset *rs)
{
	return unlikely(rs->ops) ? xt2_ruleset_read_(rs) : 0;
}

/* => instance i, below their number */
static inline const struct xt2_instance *xt2_instance_at_(const struct xt2_ruleset *rs, u32 i)
{
	const struct xt2_instance *in = rs->instance[i];

	return likely(in) ? in : xt2_instance_read_(rs, i);
}

/* => NULL if there is no such table or chain */
static inline struct xt2_table_ *xt2_table_get_(const struct xt2_ruleset *rs, int table)
{
	return table >= 0 && (u32)table < rs->tables ? &rs->table[table] : NULL;
}

static inline struct xt2_chain_ *xt2_chain_get_(const struct xt2_ruleset *rs, int chain)
{
	struct xt2_chain_ *c;

	if (chain < 0 || (u32)chain >= rs->chains)
		return NULL;
	c = &rs->chain[chain];
	if (unlikely(rs->ops) && !c->known)
		xt2_chain_know_(rs, (u32)chain);
	return c->live ? c : NULL;
}

/* The rules of a chain, in a list that is not to be changed. */
static inline const struct xt2_rule_list *xt2_chain_list(const struct xt2_ruleset *rs, int chain)
{
	struct xt2_chain_ *c = &rs->chain[chain];

	if (unlikely(c->unread))
		xt2_chain_read_(rs, c);
	return &c->rules;
}

/* => what evaluation does at the end of a chain, as a rule */
static inline struct xt2_rule xt2_chain_end_(const struct xt2_chain_ *c)
{
	return (struct xt2_rule){
		.size = sizeof(struct xt2_rule),
		.target_offset = sizeof(struct xt2_rule),
		.target = c->policy,
		.packets = c->packets,
		.bytes = c->bytes,
	};
}

/* A copy of a text.  => 0 and *copy (NULL if text is), -ENOMEM; free() it */
int xt2_text_copy_(const char *text, char **copy);

/*
 * Chains without their checks.  Room for so many more (=> 0, -ENOMEM, -E2BIG),
 * after which a chain with a padded name can be put at a number that is not in
 * use, or at any if that is XT2_NONE (=> its number); a base chain is entered
 * in its table.  Nobody may name a chain that is removed.
 */
int xt2_chains_reserve_(struct xt2_ruleset *rs, u32 more);
u32 xt2_chain_put_(struct xt2_ruleset *rs, u32 number, u32 table, u8 hook, const char *padded);
void xt2_chain_remove_(struct xt2_ruleset *rs, u32 number);

/* => the chain that a rule jumps or goes to, or XT2_NONE */
static inline u32 xt2_rule_jumps(const struct xt2_rule *r)
{
	u8 kind = XT2_TARGET_KIND(r->target);

	return kind == XT2_T_JUMP || kind == XT2_T_GOTO ? XT2_TARGET_ARG(r->target) : XT2_NONE;
}

/* Is this record in the image that the ruleset was loaded from? */
static inline bool xt2_in_image_(const struct xt2_ruleset *rs, const void *p)
{
	return rs->image && (const u8 *)p >= rs->image &&
	       (size_t)((const u8 *)p - rs->image) < rs->image_size;
}

/* --- lists of rules, without checks (list.c) ------------------------------- */

/* Room for cap rules in an empty list, in the ruleset's memory: there may be very many short ones. */
int xt2_list_lend_(struct xt2_ruleset *rs, struct xt2_rule_list *l, u32 cap);

/* => a copy of a rule in the arena, or NULL */
static inline struct xt2_rule *xt2_rule_copy_(struct xt2_arena_ *arena, const struct xt2_rule *r)
{
	void *copy = xt2_arena_alloc_(arena, r->size);

	return copy ? memcpy(copy, r, r->size) : NULL;
}

/* => a rule of a list that can be written to: one of the image moves to the arena; NULL: no memory */
struct xt2_rule *xt2_list_own_(struct xt2_ruleset *rs, struct xt2_rule_list *l, u32 at);

/* A rule is no longer in a list. */
void xt2_rule_forget_(struct xt2_ruleset *rs, const struct xt2_rule *r);
/* A list and its rules go; the chains that they name are not told. */
void xt2_rules_drop_(struct xt2_ruleset *rs, struct xt2_rule_list *l);
/* Give back the memory of deleted rules once there is more of it than work to do so. */
void xt2_rules_compact_(struct xt2_ruleset *rs);

/* --- rules, without checks (rules.c) ---------------------------------------- */

/*
 * xt2_rule_append() of a rule that is known to be valid, to a chain that is there: the check of
 * the image looks at it again in any case.  => 0, -ENOMEM
 */
int xt2_rule_put(struct xt2_ruleset *rs, int chain, const struct xt2_rule *rule, unsigned int line);
/* A rule of a chain comes (1) or goes (-1): count the references to the chain that it names. */
void xt2_rules_refer_(struct xt2_ruleset *rs, const struct xt2_chain_ *c, const struct xt2_rule *r,
		      int change);
/* All rules of a chain go. */
void xt2_rules_flush_(struct xt2_ruleset *rs, struct xt2_chain_ *c);

/* --- images ---------------------------------------------------------------- */

struct xt2_index_limits;

/* xt2_ruleset_write() with other limits of chains' indexes: tests force each kind. */
int xt2_ruleset_write_(const struct xt2_ruleset *rs, const struct xt2_index_limits *limits,
		       struct xt2_mapping *map, struct xt2_err *err);

struct xt2_evaluator;

/* Let batches be searched ahead, which an evaluator with large indexes does.  => 0, -ENOMEM */
int xt2_evaluator_ahead_(struct xt2_evaluator *ev);

/* Room for an image of so many bytes, in huge pages if it is large.  => 0; -ENOMEM: see err */
int xt2_image_room_(size_t size, struct xt2_mapping *map, struct xt2_err *err);

/*
 * xt2_lock_open - a file for flock(), which is made if there is none
 *
 * Never what a symbolic link leads to, and nothing but a regular file.
 * => descriptor; -ELOOP: a symbolic link; -EISDIR: not a regular file; -errno; see err
 */
int xt2_lock_open(const char *name, struct xt2_err *err);

/*
 * xt2_image_lock_ - as xt2_image_lock(), but commits that others still wait for are not settled
 *
 * Whoever changes the file then has to go by the queue: libxt2/store/commit-queue.h.
 */
int xt2_image_lock_(const char *path, int wait, struct xt2_err *err);

/* The loop that xt2_write_end() met: fill in err.  => -ELOOP */
int xt2_loop_report_(const struct xt2_ruleset *rs, struct xt2_err *err);

/* What one rule of a table of this family says; its numbers are the ruleset's. */
void xt2_rule_digest(const struct xt2_ruleset *rs, int family, const struct xt2_rule *r,
		     u8 digest[XT2_DIGEST_SIZE]);

#endif
