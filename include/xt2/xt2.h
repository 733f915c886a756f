/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt2.h - libxt2: iptables rulesets in any program
 *
 * A ruleset is edited as a struct xt2_ruleset, and stored and evaluated as an
 * image (<xt2/format.h>).  examples/embed.c shows the usual order of calls:
 * open an image, make an evaluator, parse packets, evaluate them.
 *
 * Unless its comment says otherwise, a function returns 0 or a positive value
 * on success and -errno on failure.  After a failure nothing has changed and
 * outputs are untouched.  Functions with a struct xt2_err fill it in on
 * failure only; the pointer may be NULL.  Nothing here prints, except
 * xt2_err_print(), and nothing exits.
 *
 * Sizes are in bytes.  Counters are 64 bits wide and wrap.  Strings are
 * NUL-terminated; names of tables and chains have 1 to 31 bytes.  Functions may
 * be called from any thread, but each ruleset, evaluator, capture and dump
 * belongs to one thread at a time.
 */
#ifndef XT2_XT2_H
#define XT2_XT2_H

#include <stddef.h>
#include <stdio.h>
#include <xt2/ext.h>
#include <xt2/pkt.h>
#include <xt2/verdict.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- errors ------------------------------------------------------------ */

enum xt2_code {
	XT2_OK,
	XT2_E_SYNTAX, /* the text is not in the grammar */
	XT2_E_OPTION, /* an extension's options are wrong */
	XT2_E_UNKNOWN, /* no such extension, chain, table, interface, ... */
	XT2_E_TABLE, /* not allowed in this table or hook */
	XT2_E_LOOP, /* chains jump in a circle */
	XT2_E_IMAGE, /* not a valid image */
	XT2_E_CAPTURE, /* not a valid capture */
	XT2_E_UNSUPPORTED, /* cannot be evaluated here */
	XT2_E_LIMIT, /* larger than the format allows */
	XT2_E_SYSTEM, /* the system refused: see errnum */
	XT2_E_BLOB, /* not a valid table in the kernel's own format */
};

/* Owned by the caller.  Every string is NUL-terminated, and empty if not known. */
struct xt2_err {
	int code; /* enum xt2_code */
	int errnum; /* errno, or 0 */
	unsigned int line; /* from 1; 0: none */
	unsigned int column; /* from 1; 0: none */
	char file[256];
	char rule[512]; /* the text of the rule or line */
	char message[512]; /* the reason */
	char hint[256]; /* what to do about it */
};

/*
 * xt2_code_name - the name of an error code: "E_SYNTAX" for XT2_E_SYNTAX
 * @code: enum xt2_code
 * => a static string; "OK" for XT2_OK, "E_UNNAMED" for any other number
 */
const char *xt2_code_name(int code);

/*
 * xt2_err_print - print an error for a person to read
 * @err: as a function of this library filled it in; not NULL
 * @to: stream; errors of writing are left for ferror()
 *
 * Prints "file:line:column: error[E_X]: message", then the rule with a caret
 * below the column and the hint, as far as they are known.  Control characters
 * and invalid UTF-8 are escaped, so a hostile file cannot command a terminal.
 */
void xt2_err_print(const struct xt2_err *err, FILE *to);

/* --- images ------------------------------------------------------------ */

/* An image in memory; xt2_image_close() gives it back. */
struct xt2_mapping {
	struct xt2_image *image;
	size_t size; /* bytes of the image */
	size_t capacity; /* bytes mapped or allocated */
	int mapped; /* munmap() it, else free() it */
};

/*
 * xt2_image_open - read an image file and check it completely
 * @path: a regular file
 * @map: filled in; release with xt2_image_close()
 *
 * The image is a copy, in huge pages if it is large: counters change in memory
 * only.  An image that is accepted is safe to evaluate, chain indexes included.
 * Counters are folded, see xt2_image_fold().
 * => 0; -EINVAL: not a regular file, or not a valid image; -ELOOP: chains jump
 *    in a circle; -EISDIR; -ENOMEM; -errno of open(2), fstat(2), read(2)
 */
int xt2_image_open(const char *path, struct xt2_mapping *map, struct xt2_err *err);

/*
 * xt2_image_open_rules - read an image file for its rules alone
 * @path, @map: as for xt2_image_open()
 *
 * Chain indexes are dropped instead of checked, so an image with a damaged
 * index gives its rules back.  Evaluation is correct, but slower.
 * => as xt2_image_open()
 */
int xt2_image_open_rules(const char *path, struct xt2_mapping *map, struct xt2_err *err);

/*
 * xt2_image_copy - copy an image from memory and check it completely
 * @bytes: the image, aligned or not; @size: bytes there, at least those of the image
 * @map: filled in; release with xt2_image_close()
 *
 * Unlike xt2_image_open(), it leaves counters as they are in the bytes.
 * => 0; -EINVAL: not a valid image; -ELOOP: chains jump in a circle; -ENOMEM
 */
int xt2_image_copy(const void *bytes, size_t size, struct xt2_mapping *map, struct xt2_err *err);

/*
 * xt2_image_close - release an image
 * @map: as xt2_image_open(), _copy() or xt2_ruleset_write() filled it in; is
 *   cleared, and closing it again does nothing
 *
 * Evaluators and rulesets that use the image have to be freed first.
 */
void xt2_image_close(struct xt2_mapping *map);

/*
 * xt2_image_fold - add the counters of rule groups to the rules
 * @image: checked; evaluated by no other thread meanwhile
 *
 * An index evaluates a group of equal rules as one entry and counts it in one
 * place.  Call this before reading counters out of the bytes of an image that
 * was evaluated.  xt2_ruleset_load() adds them by itself.
 */
void xt2_image_fold(struct xt2_image *image);

/*
 * xt2_image_store - write an image durably: temporary file, fsync, rename, fsync of the folder
 * @path: the file to create or replace; its folder must exist
 * @image, @size: the bytes; they are not checked
 *
 * Whatever happens (full disk, kill -9), path is the old file or the new one.
 * The target of a symbolic link is replaced, and the link stays; a link that
 * another user left in a shared folder such as /tmp is not followed.  The new
 * file's mode is 0600.
 * => 0; -EINVAL, -EISDIR: path is not a regular file; -EACCES: an untrusted
 *    link; -ELOOP, -ENAMETOOLONG: path; -errno of creating, writing, syncing
 *    and renaming the file.  If only the folder could not be synced, the new
 *    file is in place and err->message says so
 */
int xt2_image_store(const char *path, const struct xt2_image *image, size_t size,
		    struct xt2_err *err);

/*
 * xt2_image_lock - let one writer at a time change the image at path
 * @path: the image; need not exist
 * @wait: seconds to wait for the lock; 0: none, < 0: without limit
 *
 * The lock is a flock(2) on the file path.lock, which is created with mode 0600
 * and never removed.  Readers need no lock.  Commits that were appended to the file and that their
 * writers still wait for are made durable first, so the file has all of them.
 * => a file descriptor; closing it releases the lock.  -EAGAIN: another process
 *    has the lock; -EINVAL: path is not a regular file; -EISDIR: path is a
 *    folder, or path.lock is not a regular file; -ELOOP: path.lock is a
 *    symbolic link; -EACCES: path is an untrusted link (xt2_image_store());
 *    -ENAMETOOLONG; -errno of stat(2), open(2), flock(2)
 */
int xt2_image_lock(const char *path, int wait, struct xt2_err *err);

/* --- rulesets ---------------------------------------------------------- */

/*
 * A ruleset in memory, to be edited: tables, chains, rules as packed bytes,
 * instances, cells.  Chain, instance and cell numbers in a rule's bytes are
 * those of its ruleset; xt2_ruleset_write() renumbers them.  Tables, chains,
 * instances and cells are named by numbers >= 0, rules by their position in the
 * chain, from 0.  Pointers that a ruleset returns are valid until it is changed.
 *
 * Reading functions may reorder internal data, so they need the thread's
 * exclusive use of the ruleset, too.
 */
struct xt2_ruleset;

/*
 * xt2_ruleset_new - an empty ruleset
 * => NULL: no memory; release with xt2_ruleset_free()
 */
struct xt2_ruleset *xt2_ruleset_new(void);

/*
 * xt2_ruleset_free - release a ruleset
 * @rs: may be NULL.  An image that it was loaded from stays
 */
void xt2_ruleset_free(struct xt2_ruleset *rs);

/*
 * xt2_ruleset_clone - copy a ruleset, with the same numbers
 *
 * To change all or nothing, change a clone and xt2_ruleset_swap() it in when
 * everything went well.  If the original was loaded from an image, the image's
 * bytes must stay until both are freed.
 * => NULL: no memory
 */
struct xt2_ruleset *xt2_ruleset_clone(const struct xt2_ruleset *rs);

/* xt2_ruleset_swap - exchange the contents of two rulesets; cannot fail */
void xt2_ruleset_swap(struct xt2_ruleset *a, struct xt2_ruleset *b);

/*
 * xt2_ruleset_load - fill an empty ruleset from an image
 * @image, @size: an image that xt2_image_open(), _copy() or xt2_ruleset_write()
 *   returned; its numbers become the ruleset's
 *
 * Rules are not copied: the bytes must stay as they are until the ruleset is
 * freed.  Only counters may change meanwhile.
 * => 0; -EINVAL: the ruleset is not empty; -ENOMEM
 */
int xt2_ruleset_load(struct xt2_ruleset *rs, const struct xt2_image *image, size_t size);

/*
 * xt2_ruleset_write - pack a ruleset into an image
 * @map: filled in; release with xt2_image_close()
 *
 * Chains are renumbered in the order of xt2_chain_next(), so rulesets that
 * print alike are packed alike.  Instances and cells that no rule names are
 * left out; each match with state gets a cell of its own with the old value.
 * Chains for which it pays get an index.  The image's generation is one more
 * than that of the image loaded, or 1.  The ruleset stays as it is.
 * => 0; -ELOOP: chains jump in a circle, which err names; -EFBIG: larger than
 *    an image can be; -EINVAL: the ruleset cannot be packed, err has the
 *    reason; -ENOMEM
 */
int xt2_ruleset_write(const struct xt2_ruleset *rs, struct xt2_mapping *map, struct xt2_err *err);

/* --- names of tables, hooks and families ------------------------------- */

/*
 * xt2_table_hooks - the hooks that a table of this name has
 * @family: enum xt2_family
 *
 * Source: net/ipv4/netfilter/iptable_*.c, ip6table_*.c, arptable_filter.c,
 * net/bridge/netfilter/ebtable_*.c.
 * => bit mask of hook numbers; 0: the family has no such table
 */
unsigned int xt2_table_hooks(int family, const char *table);

/*
 * xt2_table_priority - the priority at which the kernel runs a table at a hook
 * @hook: one that xt2_table_hooks() has
 *
 * Source: NF_IP_PRI_* and NF_BR_PRI_* of the kernel's UAPI headers.
 * => lower ones are evaluated earlier; 0, which is also that of the filter
 *    tables of IPv4, IPv6 and ARP, if there is no such table or hook
 */
int xt2_table_priority(int family, const char *table, int hook);

/*
 * xt2_hook_name - the name of the base chain at a hook
 * => "INPUT", for example: a static string; NULL: the family has no such hook
 */
const char *xt2_hook_name(int family, int hook);

/*
 * xt2_hook_number - the hook of a base chain's name
 * @name: in upper case, as in "INPUT"
 * => hook number; -1: the family has no such hook
 */
int xt2_hook_number(int family, const char *name);

/*
 * xt2_family_name - "ipv4", "ipv6", "arp" or "bridge"
 * @family: enum xt2_family
 * => a static string; NULL: no such family
 */
const char *xt2_family_name(int family);

/* --- tables ------------------------------------------------------------ */

/*
 * xt2_ruleset_tables - how many tables a ruleset has
 *
 * Their numbers are 0 to one less than that, the oldest table first.
 * => number of tables
 */
int xt2_ruleset_tables(const struct xt2_ruleset *rs);

/*
 * xt2_table_find - find a table by its name
 * => number; -ENOENT: no such table in the ruleset
 */
int xt2_table_find(const struct xt2_ruleset *rs, int family, const char *name);

/*
 * xt2_table_add - add a table with empty base chains and policy ACCEPT
 * @source: the file that it comes from, for messages; NULL: not known; is copied
 * => number; -EINVAL: the family has no table of this name; -EEXIST: the
 *    ruleset has it already; -E2BIG: too many chains; -ENOMEM
 */
int xt2_table_add(struct xt2_ruleset *rs, int family, const char *name, const char *source);

/* xt2_table_family - a table's family.  => enum xt2_family; -ENOENT: no such table */
int xt2_table_family(const struct xt2_ruleset *rs, int table);

/* xt2_table_name - a table's name.  => NULL: no such table */
const char *xt2_table_name(const struct xt2_ruleset *rs, int table);

/* xt2_table_source - the file that a table came from.  => NULL: not known, or no such table */
const char *xt2_table_source(const struct xt2_ruleset *rs, int table);

/*
 * xt2_table_reset - back to the state of a new table
 * @source: replaces the old one; NULL: not known; is copied
 *
 * Base chains are emptied, their policies become ACCEPT and their counters 0;
 * user chains are deleted, and their numbers with them.
 * => 0; -ENOENT: no such table; -ENOMEM
 */
int xt2_table_reset(struct xt2_ruleset *rs, int table, const char *source);

/* --- chains ------------------------------------------------------------ */

/*
 * Numbers of chains stay valid while the chain lives; those of deleted chains
 * are used again.
 */

/*
 * xt2_chain_find - find a chain of a table by its name
 * => number; -ENOENT: no such table or chain
 */
int xt2_chain_find(const struct xt2_ruleset *rs, int table, const char *name);

/*
 * xt2_chain_add - add an empty user chain
 * => number; -ENOENT: no such table; -EINVAL: not a name of 1 to 31 bytes;
 *    -EEXIST: the table has a chain of this name; -E2BIG: XT2_CHAINS_MAX
 *    chains; -ENOMEM
 */
int xt2_chain_add(struct xt2_ruleset *rs, int table, const char *name);

/*
 * xt2_chain_delete - delete an empty user chain
 * => 0; -ENOENT: no such chain; -EINVAL: a base chain; -EBUSY: a rule jumps or
 *    goes to it; -ENOTEMPTY: it has rules
 */
int xt2_chain_delete(struct xt2_ruleset *rs, int chain);

/*
 * xt2_chain_rename - give a user chain another name
 * => 0; -ENOENT: no such chain; -EINVAL: a base chain, or not a name of 1 to 31
 *    bytes; -EEXIST: the table has a chain of this name, be it this one
 */
int xt2_chain_rename(struct xt2_ruleset *rs, int chain, const char *name);

/*
 * xt2_chain_base - the base chain of a table at a hook
 * => number; -ENOENT: no such table, or it has no such hook
 */
int xt2_chain_base(const struct xt2_ruleset *rs, int table, int hook);

/* xt2_chain_hook - the hook of a base chain.  => hook number; -1: a user chain, or no such chain */
int xt2_chain_hook(const struct xt2_ruleset *rs, int chain);

/* xt2_chain_table - the table that a chain belongs to.  => number; -ENOENT: no such chain */
int xt2_chain_table(const struct xt2_ruleset *rs, int chain);

/* xt2_chain_name - a chain's name.  => NULL: no such chain */
const char *xt2_chain_name(const struct xt2_ruleset *rs, int chain);

/* xt2_chain_rules - how many rules a chain has, its policy not counted.  => 0: or no such chain */
unsigned int xt2_chain_rules(const struct xt2_ruleset *rs, int chain);

/*
 * xt2_chain_flush - delete all rules of a chain
 *
 * The policy and its counters stay.
 * => 0; -ENOENT: no such chain
 */
int xt2_chain_flush(struct xt2_ruleset *rs, int chain);

/* xt2_chain_references - how many rules jump or go to a chain.  => number; -ENOENT: no such chain */
int xt2_chain_references(const struct xt2_ruleset *rs, int chain);

/*
 * xt2_chain_next - the chains of a table in the order in which they are listed
 * @previous: the chain before; -1 for the first
 *
 * Base chains come first, by hook; then user chains by name, or, if the table
 * was loaded with another order, in that order with new chains last.
 * => number; -1: there are no more, or no such table or chain
 */
int xt2_chain_next(const struct xt2_ruleset *rs, int table, int previous);

/* The chains of a table in their order; the one at hand must stay. */
#define xt2_table_for_each_chain(chain, rs, table) \
	for ((chain) = -1; ((chain) = xt2_chain_next(rs, table, chain)) >= 0;)

/*
 * xt2_chain_policy - the policy of a chain
 *
 * Base chains have one, and in bridge tables user chains as well.
 * => XT2_T_ACCEPT or XT2_T_DROP; XT2_T_RETURN in a bridge table's user chains
 *    only, where it is the initial one; -EINVAL: no policy, or no such chain
 */
int xt2_chain_policy(const struct xt2_ruleset *rs, int chain);

/*
 * xt2_chain_set_policy - change the policy of a chain
 * @target: as xt2_chain_policy() returns it
 * => 0; -EINVAL: the chain cannot have this policy, or no such chain
 */
int xt2_chain_set_policy(struct xt2_ruleset *rs, int chain, int target);

/*
 * xt2_chain_counters - what a policy has counted
 * @packets, @bytes: filled in
 * => 0; -EINVAL: the chain has no policy, or no such chain
 */
int xt2_chain_counters(const struct xt2_ruleset *rs, int chain, __u64 *packets, __u64 *bytes);

/*
 * xt2_chain_set_counters - set the counters of a policy
 * => 0; -EINVAL: the chain has no policy, or no such chain
 */
int xt2_chain_set_counters(struct xt2_ruleset *rs, int chain, __u64 packets, __u64 bytes);

/* --- rules ------------------------------------------------------------- */

/*
 * A rule is a struct xt2_rule with its matches and target data (<xt2/format.h>,
 * <xt2/ext.h>).  Rules that are passed in are 8-byte aligned and readable for
 * their size; they are checked and copied.  Lines are those of the source text,
 * from 1; 0: not known.
 */

/* xt2_rule_get - a rule's bytes, counters included.  => NULL: no such chain or position */
const struct xt2_rule *xt2_rule_get(const struct xt2_ruleset *rs, int chain, unsigned int at);

/* xt2_rule_line - the source line of a rule.  => 0: not known, or no such chain or position */
unsigned int xt2_rule_line(const struct xt2_ruleset *rs, int chain, unsigned int at);

/*
 * xt2_rule_insert - insert a rule
 * @at: its position afterwards, at most xt2_chain_rules()
 * => 0; -ENOENT: no such chain or position; -EINVAL: not a valid rule for the
 *    table's family, or it names a chain, cell or instance that the ruleset
 *    does not have, or a NAT target outside of a nat table; -ENOMEM
 */
int xt2_rule_insert(struct xt2_ruleset *rs, int chain, unsigned int at, const struct xt2_rule *rule,
		    unsigned int line);

/*
 * xt2_rule_append - add a rule at the end of a chain
 * => as xt2_rule_insert()
 */
int xt2_rule_append(struct xt2_ruleset *rs, int chain, const struct xt2_rule *rule,
		    unsigned int line);

/*
 * xt2_rule_replace - put a rule, with its counters, in the place of another
 * => as xt2_rule_insert()
 */
int xt2_rule_replace(struct xt2_ruleset *rs, int chain, unsigned int at,
		     const struct xt2_rule *rule, unsigned int line);

/*
 * xt2_rule_delete - delete a rule
 * => 0; -ENOENT: no such chain or position
 */
int xt2_rule_delete(struct xt2_ruleset *rs, int chain, unsigned int at);

/*
 * xt2_rule_set_counters - set a rule's counters
 *
 * The image that a ruleset was loaded from is not written to.
 * => 0; -ENOENT: no such chain or position; -ENOMEM
 */
int xt2_rule_set_counters(struct xt2_ruleset *rs, int chain, unsigned int at, __u64 packets,
			  __u64 bytes);

/*
 * xt2_rule_find - find the first rule that is equal, as iptables -D does
 *
 * Counters, cells and the numbers of equal instances make no difference.
 * => position; -ENOENT: no such chain, or no such rule in it; -EINVAL: not a
 *    valid rule, see xt2_rule_insert()
 */
int xt2_rule_find(const struct xt2_ruleset *rs, int chain, const struct xt2_rule *rule);

/* --- instances and cells ----------------------------------------------- */

/*
 * xt2_instance_add - add data that rules name by number
 * @kind: enum xt2_instance_kind
 * @revision: of the extension, 0 to 255
 * @name: of the extension; for comments and sources it may be empty; NULL: empty
 * @data, @size: copied.  Comments and sources are texts without NUL
 *
 * Equal comments and equal NAT targets get one number, which several rules may
 * name.
 * => number; -EINVAL: an argument that no image can have; -E2BIG: 2^24
 *    instances, or 2 GiB of data; -ENOMEM
 */
int xt2_instance_add(struct xt2_ruleset *rs, int kind, int revision, const char *name,
		     const void *data, size_t size);

/* xt2_instance_get - an instance, followed by its data.  => NULL: no such number */
const struct xt2_instance *xt2_instance_get(const struct xt2_ruleset *rs, unsigned int i);

/*
 * xt2_cell_add - add a state cell, which starts at 0
 *
 * For a match with XT2_EXT_CELL in <xt2/ext.h>, whose arg is the cell's number.
 * => number; -E2BIG: 2^31 - 1 cells; -ENOMEM
 */
int xt2_cell_add(struct xt2_ruleset *rs);

/*
 * xt2_cells_add - the state of a match with XT2_EXT_CELL
 * @family: of the rule's table
 * @m: the match; its arg is not read
 *
 * A cell that starts at 0; of a match with XT2_EXT_MEMORY the memory that rules of the same
 * name have, or a new one of XT2_MEMORY_CELLS cells.
 * => number for the match's arg; -E2BIG: 2^31 - 1 cells, or too many memories; -ENOMEM; those
 *    of reading a ruleset that is edited in place
 */
int xt2_cells_add(struct xt2_ruleset *rs, int family, const struct xt2_match *m);

#define XT2_DIGEST_SIZE 32

/*
 * xt2_ruleset_digest - a hash of a ruleset's contents
 * @digest: filled in
 *
 * SHA-256 over families, tables, chains by name, policies and rules, in the
 * form that doc/format.md, Digest, specifies.  Neither the origin of the
 * ruleset nor its counters and state make a difference.
 * => 0; -ENOMEM
 */
int xt2_ruleset_digest(const struct xt2_ruleset *rs, __u8 digest[XT2_DIGEST_SIZE]);

/* --- evaluation -------------------------------------------------------- */

struct xt2_evaluator;

/* Where the verdict comes from; strings belong to the image. */
struct xt2_result {
	int verdict; /* enum xt2_verdict */
	unsigned int arg; /* QUEUE: number; REJECT: type */
	const char *table; /* NULL: no table was evaluated, or the rule was not wanted */
	const char *chain;
	unsigned int rule; /* from 1; 0: the policy */
	int hotdrop; /* a match refused the packet as malformed */
	int faults; /* the image is at fault: the packet was dropped */
	unsigned int events; /* LOG, NFLOG, TRACE that happened */
};

/*
 * xt2_evaluator_new - prepare to evaluate packets with an image
 * @image, @size: an image that xt2_image_open(), _copy() or xt2_ruleset_write()
 *   returned; must stay until the evaluator is freed
 *
 * Rules count in the image.  To read the counters, load it into a ruleset with
 * xt2_ruleset_load(), then use xt2_rule_get() and xt2_chain_counters().
 * Matches and targets that xt2_image_unsupported() finds drop the packet, as a
 * fault; ask it first.
 * => NULL and errno: ENOMEM; E2BIG: chains jump more than 2^20 deep, or send a
 *    packet through more chains than both XT2_VISITS_MAX and the number of rules
 */
struct xt2_evaluator *xt2_evaluator_new(struct xt2_image *image, size_t size);

/* xt2_evaluator_free - release an evaluator; NULL is fine.  The image stays */
void xt2_evaluator_free(struct xt2_evaluator *ev);

/*
 * xt2_evaluator_linear - whether to ignore chain indexes
 * @on: 1: evaluate rule after rule; 0: use the indexes, which is the default
 *
 * Verdicts and counters are the same either way.
 */
void xt2_evaluator_linear(struct xt2_evaluator *ev, int on);

/*
 * xt2_evaluator_seed - restart the random numbers of -m statistic --mode random
 * @seed: 0 is taken for 1, which is where a new evaluator starts
 */
void xt2_evaluator_seed(struct xt2_evaluator *ev, __u64 seed);

/*
 * xt2_evaluate - evaluate a packet at a hook: its tables in the kernel's order
 * @hook: number of a hook of pkt->family; without tables there, the packet is accepted
 * @table: only this table; NULL: all, but nat tables only for packets that
 *   make a mapping: conntrack state NEW, or RELATED and no ICMP error
 * @pkt: parsed by xt2_pkt_parse(); matches may set pkt->cut, targets may change
 *   mark and bytes.  xt2_pkt_receive() tells whether the kernel would pass it
 *   to a hook at all
 * @now: nanoseconds since 1970, for limit and time
 * @want_rule: fill in table, chain and rule, which costs a walk of the chain
 * @result: filled in
 *
 * Source: ipt_do_table() in net/ipv4/netfilter/ip_tables.c; for nat,
 * nf_nat_inet_fn() in net/netfilter/nf_nat_core.c.
 * => enum xt2_verdict
 */
int xt2_evaluate(struct xt2_evaluator *ev, int hook, const char *table, struct xt2_pkt *pkt,
		 __u64 now, int want_rule, struct xt2_result *result);

#define XT2_BATCH 32

/*
 * xt2_evaluate_batch - evaluate several packets, one after the other
 * @pkts, @now, @results: n of them, each as for xt2_evaluate(); no packet twice
 *
 * The results are those of n calls of xt2_evaluate(); but where chains have
 * large indexes, the packets wait for memory together.  XT2_BATCH at a time are
 * best.  Cannot fail.
 */
void xt2_evaluate_batch(struct xt2_evaluator *ev, int hook, const char *table,
			struct xt2_pkt *const *pkts, const __u64 *now, unsigned int n,
			int want_rule, struct xt2_result *results);

/* A rule that cannot be evaluated; texts are valid during the call that is given it. */
struct xt2_unsupported {
	const char *table, *chain;
	unsigned int rule; /* number, from 1; the policy is the last */
	const char *extension; /* the first one that is not known to the engine */
};

/*
 * xt2_image_unsupported - matches and targets that cannot be evaluated here
 * @family, @hook, @table: as evaluated; -1, -1, NULL: everything.  With a hook
 *   only rules that a packet can reach from it
 * @found: called for each such rule; a non-zero answer ends the search; may be NULL
 * => number of such rules; -ENOMEM
 */
int xt2_image_unsupported(const struct xt2_image *image, int family, int hook, const char *table,
			  int (*found)(void *data, const struct xt2_unsupported *at), void *data);

/* --- captures ---------------------------------------------------------- */

struct xt2_capture;

/* One packet of a capture; pointers are valid until the next call. */
struct xt2_captured {
	const __u8 *frame; /* the frame as captured */
	__u32 caplen, len; /* bytes captured; bytes on the wire, >= caplen */
	__u64 time; /* ns since 1970 */
	__u32 network; /* offset of the network header in frame, <= caplen */
	int family; /* enum xt2_family; 0: none of ours */
	/*
	 * The 14 bytes of an Ethernet header, NULL if there is none.  Without
	 * VLAN tags, so not always in the frame; of a cooked header only the
	 * sender's address is known, and the receiver's is zero.
	 */
	const __u8 *mac;
	__u8 pkttype; /* PACKET_*, from the cooked header or the MAC address */
};

/*
 * xt2_capture_open - read a capture
 * @path: file; "-": standard input
 *
 * pcap or pcapng, with Ethernet, raw IP, BSD loopback or Linux cooked v1 and v2
 * frames.  VLAN tags (802.1Q, 802.1ad) are skipped.
 * => NULL and errno: EINVAL: not a capture, or another link type; EISDIR;
 *    ENOMEM; that of open(2).  Release with xt2_capture_close()
 */
struct xt2_capture *xt2_capture_open(const char *path, struct xt2_err *err);

/*
 * xt2_capture_next - read the next packet
 * @packet: filled in; its pointers are valid until the next call
 *
 * A frame that is too short for its headers or carries another protocol has
 * family 0.  Unless the link layer tells, pkttype is PACKET_HOST.
 * => 1: a packet; 0: the end; -EINVAL: the file is broken or truncated, and no
 *    more packets can be read
 */
int xt2_capture_next(struct xt2_capture *cap, struct xt2_captured *packet, struct xt2_err *err);

/* xt2_capture_linktype - the link type of a capture.  => libpcap's DLT_* */
int xt2_capture_linktype(const struct xt2_capture *cap);

/* xt2_capture_percent - how much of the file was read.  => 0 to 100; -1: not known (a pipe) */
int xt2_capture_percent(const struct xt2_capture *cap);

/* xt2_capture_close - release a capture and close its file; NULL is fine */
void xt2_capture_close(struct xt2_capture *cap);

/* A capture being written: pcap with nanoseconds. */
struct xt2_dump;

/*
 * xt2_dump_open - create a capture file
 * @path: is overwritten at once; "-": standard output
 * @like: a capture whose link type is taken; all packets written must be of that type
 * => NULL and errno: ENOMEM; that of open(2) or write(2).  Release with
 *    xt2_dump_close()
 */
struct xt2_dump *xt2_dump_open(const char *path, const struct xt2_capture *like,
			       struct xt2_err *err);

/*
 * xt2_dump_write - add a packet to a capture file
 *
 * Bytes are buffered, so some errors appear in xt2_dump_close() only.
 * => 0; -errno of the first write that failed, then and ever after
 */
int xt2_dump_write(struct xt2_dump *dump, const struct xt2_captured *packet);

/*
 * xt2_dump_close - write what is buffered, and release the dump in any case
 * => 0; -errno if bytes were lost: of the first write that failed
 */
int xt2_dump_close(struct xt2_dump *dump, struct xt2_err *err);

#ifdef __cplusplus
}
#endif

#endif
