/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inplace.h - a ruleset that is edited in its image; not installed
 *
 * Such a ruleset reads what it is asked for, when it is asked: the header of a chain
 * when the chain is looked for, its rules when they are.  Chains, instances and cells have the
 * image's numbers.  A short chain that changes becomes a list of rules, as in any ruleset, and
 * is compiled anew by the commit; a long one is changed in the image by a patch
 * (libxt2/change/patch-edit.h).  So a change costs what it changes, and not what there is.
 *
 * Everything is written to places that the generation before does not name.  A commit
 * writes a new root; it is published by whoever owns the image (libxt2/store).
 */
#ifndef XT2_LIBXT2_RULESET_INPLACE_H
#define XT2_LIBXT2_RULESET_INPLACE_H

#include <xt2/change.h>
#include <xt2/edits.h>
#include "libxt2/change/edit-log.h"
#include "libxt2/change/names.h"
#include "libxt2/change/owners.h"
#include "libxt2/change/pages.h"
#include "libxt2/change/view.h"
#include "engine/index/search.h"
#include "libxt2/change/ways.h"
#include "inplace-calls.h"

#define XT2_SHORT_ 64u /* rules of a chain that is compiled anew with each change */

/* Counters that are not in the rules: a rule of the image has the number of its slot as packets. */
struct xt2_slots_ops {
	/* => 0; -ENOSPC, -ENOMEM */
	int (*take)(void *arg, struct xt2_counts counts, u32 *slot);
	int (*retire)(void *arg, u32 slot);
	struct xt2_counts (*read)(void *arg, const struct xt2_rule *r);
	/* A rule will be written, and then taken a slot for; NULL: that is of no interest */
	void (*comes)(void *arg, const struct xt2_rule *r);
	void *arg;
};

struct xt2_inplace_ {
	const struct xt2_slots_ops *slots; /* NULL: counters are in the rules */
	struct xt2_space space;
	struct xt2_ruleset *rs; /* whose this is: rulesets can be swapped */
	struct xt2_image *img;
	const struct xt2_root *root; /* of the generation before; never NULL */
	struct xt2_edits edits; /* as the commit will write them */
	bool trusted; /* those of the generation before are this program's */
	u64 passed; /* generations up to this one have been there, and may have been taken back */
	struct xt2_pages chain; /* the chain table */
	struct xt2_pages cold, instance;
	struct xt2_pages name; /* the table of names; of no use unless edits.slots */
	struct xt2_pages way; /* struct xt2_way; of no use unless has_ways */
	bool has_ways;
	bool all_known; /* all chains' headers are read */
	bool filled; /* all instances are in the array */
	bool resourced; /* a table has another source */
	bool forgets; /* a rule went that may have been the last one of a memory */
	bool walked; /* the commit has made all ways anew: which have grown is not known */
	u8 *used; /* by instance, of those that are new: a rule names it */
	u32 used_cap;
	struct xt2_names names;
	struct xt2_ways ways;
	u32 sought; /* pages of the chain table in which unused numbers were looked for */
	u32 *known; /* chains whose headers are read */
	u32 knowns, known_cap;
	u32 *changed; /* chains that changed since the last commit */
	u32 changes, changed_cap;
	u64 garbage; /* bytes of the image that nothing named before it was opened */
	struct xt2_edit_log *log; /* somebody else compiles chains; NULL: commits do */
	u32 adopted, adopted_at; /* a chain that was compiled anew, its offset; XT2_NONE: none */
	bool prepared; /* what finds chains and rules was made, to be written */
	u32 tables, instances, cells; /* of the generation before */
	struct xt2_bound_ *bound; /* rules that came, and may be bound to hooks */
	u32 bounds, bound_cap;
	struct xt2_owned owned; /* owners of chains, of the generation before */
	const struct xt2_author *author; /* of the next commit; NULL: it leaves no record */
	u32 recorded; /* bytes of the record of the commit that is not done yet */
	int error; /* of the first call that failed: nothing can be committed */
};

struct xt2_bound_ {
	u32 chain;
	const struct xt2_rule *rule;
};

/* What the caller of a commit knows about rules, and the library does not. */
struct xt2_commit_check {
	/* => may this rule be wrong in a chain to which these hooks lead, a bit each? */
	bool (*rule)(void *data, const struct xt2_ruleset *rs, int chain, const struct xt2_rule *r,
		     unsigned int hooks);
	/* All of a table, loops included.  => 0; else it is wrong, and data has the reason */
	int (*table)(void *data, const struct xt2_ruleset *rs, int table);
	void *data;
};

/* --- within the files of inplace -------------------------------------------- */

/* The operations (inplace-calls.h) on what is read: inplace.c. */
void xt2_inplace_know_(const struct xt2_ruleset *rs, u32 chain);
void xt2_inplace_know_all_(const struct xt2_ruleset *rs);
void xt2_inplace_know_references_(const struct xt2_ruleset *rs);
int xt2_inplace_complete_(const struct xt2_ruleset *rs);
const struct xt2_instance *xt2_inplace_instance_(const struct xt2_ruleset *rs, u32 i);
u32 xt2_inplace_named_(const struct xt2_ruleset *rs, u32 table, const char *padded);
u32 xt2_inplace_unused_(struct xt2_ruleset *rs);
void xt2_inplace_link_(struct xt2_ruleset *rs);
void xt2_inplace_change_(struct xt2_ruleset *rs, struct xt2_chain_ *c);
void xt2_inplace_refer_(struct xt2_ruleset *rs, const struct xt2_chain_ *c,
			const struct xt2_rule *r, int change);
void xt2_inplace_use_(struct xt2_ruleset *rs, const struct xt2_chain_ *c, const struct xt2_rule *r);
void xt2_inplace_resource_(struct xt2_ruleset *rs);

/* The operations on rules: inplace-rules.c. */
int xt2_inplace_open_(struct xt2_ruleset *rs, struct xt2_chain_ *c);
int xt2_inplace_insert_(struct xt2_ruleset *rs, struct xt2_chain_ *c, u32 at,
			const struct xt2_rule *rule, u32 line, u32 *next);
int xt2_inplace_delete_(struct xt2_ruleset *rs, struct xt2_chain_ *c, u32 at, u32 where);
void xt2_inplace_flush_(struct xt2_ruleset *rs, struct xt2_chain_ *c);
const struct xt2_rule *xt2_inplace_rule_(const struct xt2_ruleset *rs, const struct xt2_chain_ *c,
					 u32 at);
u32 xt2_inplace_line_(const struct xt2_ruleset *rs, const struct xt2_chain_ *c, u32 at);
int xt2_inplace_find_(const struct xt2_ruleset *rs, const struct xt2_chain_ *c,
		      const struct xt2_rule *rule);
/* The edit of a chain ends, and its rules are read into its list. */
void xt2_inplace_read_(const struct xt2_ruleset *rs, struct xt2_chain_ *c);

/* What a rule of the image has counted. */
struct xt2_counts xt2_inplace_counts_(const struct xt2_inplace_ *in,
				      const struct xt2_chain *compiled, const struct xt2_rule *r);
/* The counters of a policy become those of now, unless the transaction has set them. */
void xt2_inplace_count_(const struct xt2_ruleset *rs, struct xt2_chain_ *c);
/* A rule of the image goes. */
void xt2_inplace_gone_(struct xt2_ruleset *rs, const struct xt2_rule *r);
/* A slot for a rule that is about to be written; without slots nothing is done.  => 0, -errno */
int xt2_inplace_slot_(const struct xt2_inplace_ *in, struct xt2_rule *r);

/* What edits are to begin with if those of the image cannot be trusted: inplace-past.c. */
struct xt2_edits xt2_inplace_edits_anew_(const struct xt2_inplace_ *in,
					 const struct xt2_root *root);

/* Owners of chains that changed, and the list of them.  => 0; -ENOSPC, -ENOMEM */
int xt2_inplace_owners_(struct xt2_ruleset *rs);
/* Ways were made anew: chains get the owners that they had.  => 0, -ENOSPC */
int xt2_inplace_owners_anew_(struct xt2_inplace_ *in);

/*
 * The record of a commit, and edits that name it.
 * @record: out: to be told where the root is; NULL: there is no author, and no record
 * => 0, -ENOSPC
 */
int xt2_inplace_record_(struct xt2_ruleset *rs, u64 generation, struct xt2_commit **record);

/* What a rule names is written by the commit; a source's name as well. */
void xt2_inplace_use_instance_(struct xt2_inplace_ *in, u32 i);
bool xt2_inplace_is_used_(const struct xt2_inplace_ *in, u32 i);

/* How many rules lead to chains, and what finds rules; made if there is none.  => 0, -errno */
int xt2_inplace_ways_(const struct xt2_ruleset *rs);

/* What finds the rules of a chain; made if it is long.  => 0; -ENOSPC */
int xt2_inplace_finder_(struct xt2_inplace_ *in, u32 number, const struct xt2_chain *compiled);

/*
 * => a chain as the generation before has it, or the same compiled anew; NULL: it has none of
 *    this number
 */
const struct xt2_chain *xt2_inplace_before_(const struct xt2_inplace_ *in, u32 chain);

/* => the same, or as an edit of this transaction has left it */
static inline const struct xt2_chain *xt2_inplace_now_(const struct xt2_inplace_ *in,
						       const struct xt2_chain_ *c, u32 chain)
{
	return c->offset ? xt2_at(in->img, c->offset) : xt2_inplace_before_(in, chain);
}

int xt2_inplace_names_(struct xt2_inplace_ *in);

/* => the first error, which sticks */
static inline int xt2_inplace_fail_(struct xt2_inplace_ *in, int error)
{
	if (!in->error)
		in->error = error;
	return in->error;
}

/* The rules of a chain as the transaction has left them so far. */
void xt2_inplace_view_(const struct xt2_inplace_ *in, const struct xt2_chain_ *c, u32 number,
		       struct xt2_view *v);

/* An edit ends; the chain is where its offset says.  => 0, -errno */
int xt2_inplace_unpatch_(struct xt2_ruleset *rs, struct xt2_chain_ *c);

/* => number of a chain */
static inline u32 xt2_chain_number_(const struct xt2_ruleset *rs, const struct xt2_chain_ *c)
{
	return (u32)(c - rs->chain);
}

/* --- for whoever owns an image ----------------------------------------------- */

/*
 * xt2_inplace_begin - edit an image in place
 * @rs: empty
 * @img: checked, with a root, in so many bytes of memory that does not move and is the
 *	caller's until xt2_ruleset_free()
 * @trusted: struct xt2_edits of the image are those of this program; else they are made anew
 *	when they are needed, and written by the first commit
 * => 0, -ENOMEM; if 0, rs can be used like any other
 */
int xt2_inplace_begin(struct xt2_ruleset *rs, struct xt2_image *img, u64 capacity, bool trusted);

/*
 * xt2_inplace_commit - write what has changed, and a root that names it
 * @check: of what changed; NULL: none
 * @root: out: its offset; 0: nothing has changed
 * @err: why not; may be NULL
 *
 * The image's root is still the one before.  Store this one, and call xt2_inplace_done().
 * => 0; -ELOOP: chains loop; -ECANCELED: check found it wrong, and err is untouched; -ENOSPC:
 *    there is no room in the image; -ENOMEM; -errno.  After an error there is only
 *    xt2_inplace_abort()
 */
int xt2_inplace_commit(struct xt2_ruleset *rs, const struct xt2_commit_check *check, u32 *root,
		       struct xt2_err *err);

/*
 * Whose commits follow.
 * @author: stays until the last of them, but for its changes, which the ruleset counts; NULL: they
 *	leave no record, which is how it begins
 */
void xt2_inplace_author(struct xt2_ruleset *rs, const struct xt2_author *author);

/* The root was stored (or was 0): the ruleset is that generation, ready for the next change. */
int xt2_inplace_done(struct xt2_ruleset *rs);

/* All changes since the last commit did not happen.  => 0; -ENOMEM: the ruleset can only be freed */
int xt2_inplace_abort(struct xt2_ruleset *rs);

/*
 * xt2_inplace_counted - a rule of a list with what it has counted
 * @r: of xt2_chain_list(): its counters may be the number of a slot
 * => the rule, or a copy, valid until the next commit or abort; NULL: no memory, which sticks
 */
const struct xt2_rule *xt2_inplace_counted(const struct xt2_ruleset *rs, const struct xt2_rule *r);

/*
 * xt2_inplace_prepare - make all that the first changes would make
 *
 * Nothing may be changed yet, and the next commit writes it.  => 0, -errno: abort
 */
int xt2_inplace_prepare(struct xt2_ruleset *rs);

/*
 * xt2_inplace_adopt - a chain was compiled anew: the next commit names it
 * @chain: its number; the chain is there
 * @offset: of a chain that says the same, counters included; written, and taken, before
 * @finder: offset of what finds the rules of its compiled extent; 0: none
 *
 * Nothing may be changed yet.  The chain as it was is the caller's to give up after the commit.
 * It is forgotten at the end of the transaction, whether that is committed or not.
 * => 0, -errno: abort
 */
int xt2_inplace_adopt(struct xt2_ruleset *rs, u32 chain, u32 offset, u32 finder);

/* => 0; the error for which nothing can be committed */
int xt2_inplace_error(const struct xt2_ruleset *rs);

#endif
