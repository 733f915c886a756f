/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h - where a ruleset is kept: an image file, or the kernel
 *
 * A change locks the store, reads the ruleset, and commits a whole new image:
 * either all of it takes effect or nothing does.  Unlocking without a commit
 * drops the change.  A kind of store is a row of functions; a build without
 * that kind lacks the row, and its stores answer -EOPNOTSUPP and say what is
 * missing.  Private to the tree.
 */
#ifndef XT2_LIBXT2_STORE_STORE_H
#define XT2_LIBXT2_STORE_STORE_H

#include <stdbool.h>
#include <xt2/change.h>

enum xt2_store_kind {
	XT2_STORE_FILE, /* an image file */
	XT2_STORE_LIVE, /* what BPF programs evaluate in a network namespace */
	XT2_STORE_KERNEL, /* what the kernel module evaluates in one */
	XT2_STORES
};

enum xt2_store_access {
	XT2_STORE_LOOK, /* others may look as well; a file is not locked at all */
	XT2_STORE_CHANGE,
	XT2_STORE_CREATE, /* the same, and its folder if there is none */
};

struct xt2_chain_owners;
struct xt2_commit_check;
struct xt2_history;
struct xt2_kernel;
struct xt2_links;
struct xt2_live_edit;
struct xt2_live_edit_ops;
struct xt2_live_watch;
struct xt2_counts;

struct xt2_store {
	enum xt2_store_kind kind;
	const char *path; /* of an image file */
	const char *netns, *pin; /* of a live ruleset; NULL: this namespace; xt2's own folder */
	const char *host; /* of a live ruleset: "kernel", or "bpf"; NULL: bpf */
	struct xt2_author author; /* of commits */
	__u32 confirm; /* live: seconds until a commit must be confirmed; 0: it need not be */
	bool forced; /* live: the kernel may be asked XT2_LIVE_ASKS_FORCED matches at a hook */

	/* the backend's */
	const char *
		whole; /* file: why xt2_store_edit() has checked all of it, or left that to others; or NULL */
	struct xt2_edit_file *edit; /* file: it is edited where it is; else NULL */
	struct xt2_live_edit *live_edit; /* live: the same */
	struct xt2_live_watch *watch; /* live: see xt2_store_watch() */
	struct xt2_chain_owners *owners; /* live: see xt2_store_own() */
	__u64 generation; /* live: that was committed whole */
	bool locked;
	bool shares; /* file: the lock is given up when a commit is appended */
	enum xt2_store_access access; /* it is locked for that */
	int lock;
	char folder[256]; /* live: that it is pinned in */
	struct xt2_kernel *kernel; /* kernel: see kernel-store.c */
	struct xt2_links *links; /* live: what is attached, for XT2_STORE_CREATE; NULL: not known */
};

/* Where the rules of a table begin to count, and what their matches remember. */
enum xt2_live_start {
	XT2_LIVE_FILE, /* what the image has */
	XT2_LIVE_RESET, /* 0 and nothing */
	XT2_LIVE_KEEP, /* rules that are live go on, others as with XT2_LIVE_RESET */
};

/* The counters of a new image, in a store that counts; without either, those of the image. */
struct xt2_store_counters {
	const __u8 *start; /* by table: enum xt2_live_start; or NULL */
	/*
	 * By rule, in the order of chains, tails included: offset of the rule in the image that
	 * was read whose counters and state go on, and which says the same; 0: it is new.
	 */
	const __u32 *was;
};

/* Why a store cannot take a ruleset. */
enum xt2_live_reason {
	XT2_LIVE_NO_TABLE, /* no program can be this table, and it has an effect */
	XT2_LIVE_NO_MATCH,
	XT2_LIVE_NO_TARGET,
	XT2_LIVE_CHANGED, /* a match that is asked, after a rule that changes what it looks at */
	XT2_LIVE_STOPS, /* a packet would have to wait too often, or too deep in chains, for answers */
	XT2_LIVE_ASKS, /* too many matches would be asked about a packet at a hook */
	XT2_LIVE_BOUND, /* too many different targets that the kernel has in tables of their own alone */
	XT2_LIVE_TOO_LONG, /* a packet may enter too many chains at a hook */
	XT2_LIVE_TOO_MANY, /* and these have too many rules together */
};

/* Matches that the kernel is asked about each packet at a hook, and if somebody insists. */
#define XT2_LIVE_ASKS_MAX    32u
#define XT2_LIVE_ASKS_FORCED 64u

/* => is it a matter of size, and not of the abilities of BPF programs? */
static inline bool xt2_live_is_limit(enum xt2_live_reason reason)
{
	return reason == XT2_LIVE_TOO_LONG || reason == XT2_LIVE_TOO_MANY ||
	       reason == XT2_LIVE_STOPS || reason == XT2_LIVE_ASKS || reason == XT2_LIVE_BOUND;
}

/* Strings are the image's; why is good during the call. */
struct xt2_live_refusal {
	enum xt2_live_reason reason;
	__u8 family;
	const char *table, *chain;
	unsigned int rule; /* from 1, of a table its first; 0: the policy, or a hook's ways */
	const char *name; /* of the match, target, table or hook */
	/* rules of a table that are reached; chains or rules that a packet may meet; matches asked; targets */
	__u64 count;
	__u32 depth; /* of these chains */
	const char *why; /* in words, without table, chain and rule */
};

/* => does it give way if somebody insists? */
static inline bool xt2_live_yields(const struct xt2_live_refusal *r)
{
	return r->reason == XT2_LIVE_ASKS && r->count <= XT2_LIVE_ASKS_FORCED;
}

/* Who does what for a live ruleset, besides its programs. */
enum xt2_live_part {
	XT2_LIVE_ASKED, /* the kernel's match is asked about each packet at the hook, before the rules */
	XT2_LIVE_STOPPED, /* the kernel's match is asked about packets that have come to the rule */
	XT2_LIVE_ACTED, /* a companion does what the target says */
	XT2_LIVE_HOOK, /* how many of them there are at a hook */
};

/* Strings are the image's. */
struct xt2_live_share {
	enum xt2_live_part part;
	__u8 family;
	const char *table, *chain; /* of a hook its base chain */
	unsigned int rule; /* from 1; 0: of a hook */
	const char *name; /* of the match or target; NULL: of a hook */
	__u32 asked, acted; /* of a hook: different matches; targets, but for REJECT and NAT */
};

typedef void (*xt2_shared)(void *data, const struct xt2_live_share *s);

/* A non-zero answer ends the calls. */
typedef int (*xt2_refused)(void *data, const struct xt2_live_refusal *r);

/* A history as it is now, which is good during the call. */
typedef void (*xt2_history_seen)(void *data, const struct xt2_history *h);

/* An edit of a table that the store carries out itself: see enum xt2_nl_edit of <xt2/netlink.h>. */
struct xt2_store_edit {
	__u8 edit;
	const char *chain, *to; /* to: NULL: it has none */
	bool append, find; /* there is no position, or a rule says it */
	__u32 at, deletes, inserts;
};

struct xt2_store_edits {
	const struct xt2_ruleset *add; /* its only table is edited; the rules that come, by chain */
	const struct xt2_store_edit *edit;
	__u32 n;
};

/* A kind of store.  See the functions of the same names below. */
struct xt2_store_ops {
	int (*lock)(struct xt2_store *s, enum xt2_store_access access, int wait,
		    struct xt2_err *err);
	void (*unlock)(struct xt2_store *s);
	int (*read)(const struct xt2_store *s, bool whole, struct xt2_mapping *map,
		    struct xt2_err *err);
	int (*commit)(struct xt2_store *s, const struct xt2_mapping *map,
		      const struct xt2_store_counters *counters, struct xt2_err *err);
	/* NULL: counters change with the image alone */
	int (*add_counters)(struct xt2_store *s, const struct xt2_counts *add, __u32 n,
			    struct xt2_err *err);
	int (*refusals)(const struct xt2_image *img, xt2_refused found, void *data);
	int (*shares)(const struct xt2_image *img, xt2_shared found, void *data); /* NULL: none */
	const struct xt2_live_edit_ops *edit; /* live */
	/* NULL: it has to be read to be edited */
	int (*edit_unread)(struct xt2_store *s, const struct xt2_store_edits *edits,
			   struct xt2_err *err);
	/* live: */
	int (*generation)(const struct xt2_store *s, __u64 generation, struct xt2_mapping *map,
			  struct xt2_err *err);
	int (*watch)(struct xt2_store *s, xt2_history_seen seen, void *data, struct xt2_err *err);
	void (*end_watch)(struct xt2_store *s);
};

extern const struct xt2_store_ops xt2_store_file_;
extern const struct xt2_store_ops xt2_store_bpf_
	__attribute__((weak, visibility("hidden"))); /* NULL in a build without BPF */

extern const struct xt2_store_ops xt2_store_kernel_
	__attribute__((weak, visibility("hidden"))); /* likewise */

/* => is it the name of a host of live rulesets?  "bpf", "kernel" */
bool xt2_store_is_host(const char *name);

/* => the kind of a live ruleset's store: that of its host */
enum xt2_store_kind xt2_store_live_kind(const struct xt2_store *s);

/* Does this build have the kind?  => 0; -EOPNOTSUPP: err says what is missing */
int xt2_store_built(enum xt2_store_kind kind, struct xt2_err *err);

/*
 * xt2_store_lock - keep other writers out until xt2_store_unlock()
 * @wait: for others: seconds; 0: not at all, < 0: for ever
 *
 * For a live ruleset the process goes to the network namespace and stays there.
 * A store that is locked stays locked.
 * => 0; -EAGAIN: another process is in; -EOPNOTSUPP; -errno of the kind
 *    live: -ENOENT: nothing is live; -EINVAL: no such namespace; -EBUSY: another
 *    ruleset is live elsewhere; -EPERM
 */
int xt2_store_lock(struct xt2_store *s, enum xt2_store_access access, int wait,
		   struct xt2_err *err);

/*
 * xt2_store_lock_shared - the same, for one xt2_store_edit() and one commit
 *
 * What xt2_store_edit() finds in a file may be a commit that its writer still waits for.  The lock
 * is given up when xt2_store_commit_edit() has appended its own; the two are durable together.
 * => as xt2_store_lock()
 */
int xt2_store_lock_shared(struct xt2_store *s, enum xt2_store_access access, int wait,
			  struct xt2_err *err);

/* Let others in; a store that is not locked is fine. */
void xt2_store_unlock(struct xt2_store *s);

/*
 * xt2_store_read - a checked copy of the image that is stored
 * @whole: with the indexes of its chains, which are not needed to edit rules
 * @map: filled in; release with xt2_image_close()
 * => 0; -ENOENT: there is none yet; -errno
 */
int xt2_store_read(const struct xt2_store *s, bool whole, struct xt2_mapping *map,
		   struct xt2_err *err);

/*
 * xt2_store_load - the ruleset that is stored, to be edited
 * @rs: out: empty if there is none yet; free it whatever the answer is
 * @map: out: the image that it came from, or zeroes
 * @what: names the store if there is no memory
 * => 0, -errno
 */
int xt2_store_load(const struct xt2_store *s, const char *what, struct xt2_ruleset **rs,
		   struct xt2_mapping *map, struct xt2_err *err);

/*
 * xt2_store_edit - the ruleset that is stored, read as far as it is asked for
 * @rs: out: to be edited in place, or only read; free it, then xt2_store_end_edit()
 *
 * The store is locked for what is intended.
 * => 0; 1: not this one: xt2_store_load() it; -ENOENT: there is none yet; -errno
 */
int xt2_store_edit(struct xt2_store *s, struct xt2_ruleset **rs, struct xt2_err *err);

/*
 * xt2_store_edit_unread - edit a table whose rules are not read
 * @s: locked, to be changed
 * => 0: done; 1: not this one; -errno: nothing has changed, and it can be tried in another way
 */
int xt2_store_edit_unread(struct xt2_store *s, const struct xt2_store_edits *edits,
			  struct xt2_err *err);

/*
 * xt2_store_commit_edit - store what has changed of such a ruleset, in one step
 * @check: see xt2_inplace_commit() of libxt2/ruleset/inplace.h; or NULL
 * => 0: and rs is the new generation; 1: xt2_ruleset_write() it and commit that; -ECANCELED: check
 *    found it wrong; -errno: the one before stays
 */
int xt2_store_commit_edit(struct xt2_store *s, struct xt2_ruleset *rs,
			  const struct xt2_commit_check *check, struct xt2_err *err);

/*
 * xt2_store_trace_edit - which rules go on, for a live ruleset that is edited and written whole
 * @rs: of xt2_store_edit(), after xt2_store_commit_edit() said 1
 * @written: by xt2_ruleset_write(); new rules get their counters
 * @changed: by table: counters of policies are those of the image
 * @replaced: and so are those of all rules; other tables are written as rs has them
 * => for struct xt2_store_counters, to be freed; NULL: no memory
 */
__u32 *xt2_store_trace_edit(struct xt2_store *s, struct xt2_ruleset *rs, struct xt2_image *written,
			    const bool *changed, bool replaced);

/*
 * xt2_store_own - chains of what is committed next, and whole, have the owners of these
 * @rs: that was packed; it may be gone by then
 *
 * For a live ruleset; that of a file is told by its author.
 * => 0, -ENOMEM
 */
int xt2_store_own(struct xt2_store *s, const struct xt2_ruleset *rs, struct xt2_err *err);

/* Of a store that is not edited it does nothing. */
void xt2_store_end_edit(struct xt2_store *s);

/*
 * xt2_store_generation - a ruleset as it was
 * @s: not locked
 * @generation: the one that is there, or one that its history has
 * @map: out: a checked copy; release with xt2_image_close().  Counters are those of then; of an older
 *	generation of what is live, all are 0
 * => 0; -ENOENT: there is no such generation any more, or nothing at all; -errno
 */
int xt2_store_generation(struct xt2_store *s, __u64 generation, struct xt2_mapping *map,
			 struct xt2_err *err);

/*
 * xt2_store_watch - tell if what is live has changed since the last call
 * @s: not locked; end it with xt2_store_end_watch()
 * @seen: called with the history if it has, or if it is the first call
 *
 * It does not wait: call it again and again.  Nothing need be live.  The process goes to the network
 * namespace, as xt2_store_lock() does.
 * => 1: seen() was called; 0: not; -errno
 */
int xt2_store_watch(struct xt2_store *s, xt2_history_seen seen, void *data, struct xt2_err *err);
void xt2_store_end_watch(struct xt2_store *s);

/*
 * xt2_store_commit - make an image the one that is stored, in one step
 * @counters: NULL: those of the image
 *
 * Of what is live, the new generation is one more than all that have been there, if the image has
 * not a larger one: s->generation.
 * => 0; -EOPNOTSUPP: it cannot be stored here; -errno: the one before stays
 */
int xt2_store_commit(struct xt2_store *s, const struct xt2_mapping *map,
		     const struct xt2_store_counters *counters, struct xt2_err *err);

/*
 * xt2_store_add_counters - add to what rules of the ruleset that is stored have counted
 * @s: locked for a change
 * @add: by rule, in the order of chains, tails included; modulo 2^64, so less is possible as well
 * @n: rules
 *
 * Packets that come meanwhile are counted, too.
 * => 0; -EOPNOTSUPP: a store of a kind that has its counters in the image; -ENOENT: there is no
 *    ruleset; -EAGAIN: it has another number of rules; -errno
 */
int xt2_store_add_counters(struct xt2_store *s, const struct xt2_counts *add, __u32 n,
			   struct xt2_err *err);

/*
 * xt2_store_refusals - all that keeps a ruleset from being stored
 * @img: a checked image
 * => number of refusals; -ENOMEM
 */
int xt2_store_refusals(enum xt2_store_kind kind, const struct xt2_image *img, xt2_refused found,
		       void *data);

/*
 * xt2_store_shares - what others do for a ruleset that is in the store
 * @img: a checked image
 * @found: called for each, rule by rule and then hook by hook
 * => 0, -ENOMEM
 */
int xt2_store_shares(enum xt2_store_kind kind, const struct xt2_image *img, xt2_shared found,
		     void *data);

#define XT2_DEFAULT_IMAGE "/run/xt2/ruleset.xt2"

/* @option: of --image, or NULL: then $XT2_IMAGE, else the default. */
const char *xt2_image_path(const char *option);

/* Make the default's folder; the folders of other images are their owners' business. */
void xt2_image_folder(const char *path);

#endif
