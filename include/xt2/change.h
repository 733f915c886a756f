/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * change.h - libxt2: rulesets that change while they are used
 *
 * Two ways in which a change costs what it changes, not what there is.  Struct xt2_tables is a
 * ruleset in memory that threads evaluate while one thread changes it.  Struct
 * xt2_transaction changes an image file.  In both a ruleset is read and edited by the
 * functions of <xt2/xt2.h>; what they change is stored all at once, or not at all.  Each
 * commit makes a generation: its number is one more than that before.
 *
 * The conventions of <xt2/xt2.h> hold.
 */
#ifndef XT2_CHANGE_H
#define XT2_CHANGE_H

#include <xt2/edits.h>
#include <xt2/xt2.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- while threads evaluate it ------------------------------------------ */

/*
 * A packet is evaluated by one generation from beginning to end, and its thread never waits.
 * Rules that stay keep their counters and their state.  One thread at a time changes the
 * ruleset and commits; each other thread has a reader.
 */
struct xt2_tables;
struct xt2_reader;

/*
 * xt2_tables_new - a copy of a ruleset that threads can evaluate while it is changed
 * @from: stays as it is, and is not needed afterwards; it may be empty
 *
 * After many changes of a long chain a thread of the library compiles it anew; it takes no
 * signals.  So a process that fork() makes must not go on changing the copy.
 * => NULL: err has the reason, as xt2_ruleset_write() and xt2_evaluator_new() give it.  Release
 *    with xt2_tables_free()
 */
struct xt2_tables *xt2_tables_new(const struct xt2_ruleset *from, struct xt2_err *err);

/* xt2_tables_free - all readers have to be freed before; NULL is fine */
void xt2_tables_free(struct xt2_tables *tables);

/*
 * xt2_tables_ruleset - the ruleset, to be read and changed by one thread at a time
 *
 * xt2_ruleset_load(), _swap() and _free() are not for it.  Readers see changes when they are
 * committed.  Counters are those of the moment in which they are asked for.
 * => never NULL; it is the same one until xt2_tables_free()
 */
struct xt2_ruleset *xt2_tables_ruleset(struct xt2_tables *tables);

/*
 * xt2_tables_commit - readers see what has changed, from their next packet on
 *
 * It does not wait for readers.
 * => 0; -ELOOP: chains loop; -E2BIG: packets may pass through too many chains; -ENOSPC: the
 *    ruleset is larger than an image can be, or has too many counters; -ENOMEM.  After an
 *    error readers see what they saw, and there is only xt2_tables_abort()
 */
int xt2_tables_commit(struct xt2_tables *tables, struct xt2_err *err);

/* xt2_tables_abort - changes since the last commit did not happen.  => 0; -ENOMEM: it can only be freed */
int xt2_tables_abort(struct xt2_tables *tables);

/*
 * xt2_tables_snapshot - copy what was committed last, with its counters, while readers count
 * @map: filled in; release with xt2_image_close()
 *
 * For the thread that changes the ruleset, between two changes.  xt2_ruleset_load() takes the
 * copy; xt2_ruleset_write() then packs it without what older generations have left.
 * => 0, -ENOMEM
 */
int xt2_tables_snapshot(struct xt2_tables *tables, struct xt2_mapping *map, struct xt2_err *err);

/*
 * xt2_reader_new - a reader, for one thread at a time; any thread may call it at any time
 * => NULL: no memory, or no address space; release with xt2_reader_free()
 */
struct xt2_reader *xt2_reader_new(struct xt2_tables *tables);

/* xt2_reader_free - what it counted stays counted; NULL is fine */
void xt2_reader_free(struct xt2_reader *reader);

/* xt2_reader_seed - as xt2_evaluator_seed() */
void xt2_reader_seed(struct xt2_reader *reader, __u64 seed);

/*
 * xt2_reader_evaluate - one packet, by the generation that is current when it begins
 *
 * As xt2_evaluate(), but the strings of the result are valid until the reader's next
 * evaluation.  A packet that needs a jump stack for which there is no memory is dropped as a
 * fault.
 * => enum xt2_verdict
 */
int xt2_reader_evaluate(struct xt2_reader *reader, int hook, const char *table, struct xt2_pkt *pkt,
			__u64 now, int want_rule, struct xt2_result *result);

/*
 * xt2_reader_evaluate_batch - several packets, all by one generation
 *
 * As xt2_evaluate_batch(), with the difference that xt2_reader_evaluate() has.  If a rule is
 * wanted of more than XT2_BATCH packets and there is no memory for the strings, they are NULL.
 */
void xt2_reader_evaluate_batch(struct xt2_reader *reader, int hook, const char *table,
			       struct xt2_pkt *const *pkts, const __u64 *now, unsigned int n,
			       int want_rule, struct xt2_result *results);

/* xt2_reader_generation - of the reader's last evaluation; 0: there was none, or no ruleset */
__u64 xt2_reader_generation(const struct xt2_reader *reader);

/* --- in a file ------------------------------------------------------------- */

/*
 * One commit, or none.  A transaction has the lock of xt2_image_lock() from the beginning until
 * its commit is written, so nobody's change is lost; then it waits for the disk together with
 * others, and what it has read may be a change that another one still waits for.  Where it can, a
 * commit appends to the file what has changed, and syncs it; if not, it writes a new file as
 * xt2_image_store() does: if the file is not its owner's alone, or if it would be mostly garbage.
 * Killed at any time, the file has the old ruleset or the new one.
 */
struct xt2_transaction;

/*
 * xt2_transaction_begin - lock an image file, and read what is asked for later
 * @path: of the image; without a file the ruleset is empty, and the commit makes it
 * @wait: for others: seconds; 0: none, < 0: without limit
 * @transaction: out: release with xt2_transaction_end()
 * => 0; -errno of xt2_image_lock(), xt2_image_open(); -ENOMEM
 */
int xt2_transaction_begin(const char *path, int wait, struct xt2_transaction **transaction,
			  struct xt2_err *err);

/*
 * xt2_transaction_ruleset - the ruleset of the file, to be read and changed
 *
 * xt2_ruleset_load(), _swap() and _free() are not for it.  Where there is no memory to read what
 * is looked for, it is not found, and the commit fails.
 * => never NULL; valid until the commit or the end
 */
struct xt2_ruleset *xt2_transaction_ruleset(struct xt2_transaction *transaction);

/*
 * xt2_transaction_generation - of the file as it was read, or committed last
 *
 * A program that has decided by what it read before compares this with what it read then.
 * => 0: there is no file
 */
__u64 xt2_transaction_generation(const struct xt2_transaction *transaction);

/*
 * xt2_transaction_commit - store what has changed, durably
 *
 * What the kernel would check of a whole table, such as the hooks from which a target can be
 * reached, is the caller's business.  If nothing has changed, an edit in place writes nothing.
 * Afterwards there is only xt2_transaction_end(), and xt2_transaction_generation().
 * => 0; -errno as of xt2_ruleset_write() and xt2_image_store(): the file has the ruleset that it
 *    had, unless err->message says that the change is stored
 */
int xt2_transaction_commit(struct xt2_transaction *transaction, struct xt2_err *err);

/* xt2_transaction_end - unlock the file; what was not committed did not happen.  NULL is fine */
void xt2_transaction_end(struct xt2_transaction *transaction);

/* --- who changed what --------------------------------------------------------- */

/* What a commit says of itself, beside time, user and process.  Zeroes say nothing. */
struct xt2_author {
	const char *owner; /* a name of at most 31 bytes; NULL: none */
	const char *reason; /* a text, of which XT2_REASON_MAX bytes are kept; NULL: none */
	int kind; /* XT2_COMMIT_EDIT: as it comes; XT2_COMMIT_ROLLBACK */
	/* of xt2_image_commit(): */
	struct xt2_changes changes; /* see xt2_ruleset_changes() */
	const struct xt2_ruleset
		*ruleset; /* that was packed, with owners of chains; NULL: they have none */
};

/*
 * xt2_ruleset_changes - how much was changed since the ruleset was loaded, or last committed
 *
 * As far as it was done by the functions of <xt2/xt2.h>; what came and went again counts, too.
 */
void xt2_ruleset_changes(const struct xt2_ruleset *rs, struct xt2_changes *changes);

/*
 * xt2_image_commit - replace an image file durably, and keep its history
 * @path, @image, @size: as of xt2_image_store(); the lock of xt2_image_lock() is held
 * @author: of the new generation, which the image has the number of; NULL: as zeroes
 *
 * The newest commits that the old file tells of are told of by the new one, too, and so is
 * this one.  An image that has a history is stored as it is.
 * => as xt2_image_store(); -ENOMEM
 */
int xt2_image_commit(const char *path, const struct xt2_image *image, size_t size,
		     const struct xt2_author *author, struct xt2_err *err);

#ifdef __cplusplus
}
#endif

#endif
