/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * where.h - the ruleset that a program with iptables' interface works on: see where.c
 *
 * The one place in which these programs use a store (libxt2/store/store.h).
 */
#ifndef XT2_XT2TABLES_TABLES_WHERE_H
#define XT2_XT2TABLES_TABLES_WHERE_H

#include <stdbool.h>
#include "libxt2/store/store.h"

struct xt2_where {
	const char *name; /* of the program */
	const char *legacy; /* iptables' name, in messages that scripts read */
	struct xt2_store store;
	int wait; /* for others: seconds; 0: not at all, < 0: for ever */
	bool test; /* store nothing */
	bool whole; /* all of the ruleset will be read or replaced */
	bool replaces; /* tables as a whole: those that changed says, of which rs has no rules at first */
	bool verbose; /* tell how much of a file was checked */
	bool force; /* chains of other owners may change */
	const char *owner,
		*reason; /* of commits, which the history has; NULL: see xt2_where_end() */
	const char *expected; /* generation that must be there, in digits; NULL: any */
	const char *source; /* of the rules: a file, "-"; NULL: they are no file's */
	/* What the kernel would check of whole tables, for a commit of what has changed; or NULL. */
	const struct xt2_commit_check *check;
	/* By table: it is replaced; its policies count from what the ruleset has. */
	bool changed[XT2_TABLES_MAX];
	/* The store may do it without being read: => 0: done; or NULL. */
	int (*unread)(struct xt2_where *w, void *data);
	void *unread_data;
	bool done;
	/* Where errors go; NULL: to stderr. */
	void (*report)(void *data, const struct xt2_err *err);
	void *data;

	struct xt2_ruleset *rs; /* to be edited */
	bool in_place; /* what has changed is stored, not all */
	struct xt2_ruleset
		*base; /* which tables of rs replace, and what differs is stored; or NULL */
	struct xt2_mapping map; /* else it was loaded from this image, if there is one */
	__u64 generation; /* of the image that was read or committed last */
};

/* For getopt_long(): no letters, and below the numbers of libxtables' extensions. */
enum {
	XT2_WHERE_IMAGE = 200,
	XT2_WHERE_LIVE,
	XT2_WHERE_NETNS,
	XT2_WHERE_PIN,
	XT2_WHERE_HOST,
	XT2_WHERE_IF_GENERATION,
	XT2_WHERE_OWNER,
	XT2_WHERE_REASON,
	XT2_WHERE_FORCE,
	XT2_WHERE_RESOLVE
};

/* clang-format off */
#define XT2_WHERE_OPTIONS						\
	{ "image", required_argument, NULL, XT2_WHERE_IMAGE },		\
	{ "live", no_argument, NULL, XT2_WHERE_LIVE },			\
	{ "netns", required_argument, NULL, XT2_WHERE_NETNS },		\
	{ "pin", required_argument, NULL, XT2_WHERE_PIN },		\
	{ "host", required_argument, NULL, XT2_WHERE_HOST },		\
	{ "if-generation", required_argument, NULL, XT2_WHERE_IF_GENERATION }, \
	{ "owner", required_argument, NULL, XT2_WHERE_OWNER },		\
	{ "reason", required_argument, NULL, XT2_WHERE_REASON },	\
	{ "force", no_argument, NULL, XT2_WHERE_FORCE }
/* clang-format on */

#define XT2_WHERE_HELP                                                                  \
	"      --image      image file (else $XT2_IMAGE, else " XT2_DEFAULT_IMAGE ")\n" \
	"      --live       instead of an image, what the kernel evaluates\n"           \
	"      --netns      of this network namespace, as of ip-netns(8)\n"             \
	"      --pin        in this folder of a BPF file system\n"                      \
	"      --host kernel       of the kernel module, not of BPF programs\n"         \
	"      --if-generation N   only if nobody has changed generation N\n"           \
	"      --owner NAME        for whom the change is (else $XT2_OWNER)\n"          \
	"      --reason TEXT       why: the image's history tells\n"                    \
	"      --force             change chains of other owners, too\n"

/* => false: not one of XT2_WHERE_OPTIONS */
bool xt2_where_option(struct xt2_where *w, int c, const char *arg);

#define XT2_WHERE_CONFLICT 5 /* exit status: the generation is another one */
#define XT2_WHERE_OWNED	   6 /* exit status: a chain that was to change belongs to somebody else */

/* A generation in decimal digits.  => false: it is none, or too large */
bool xt2_where_generation(const char *text, __u64 *n);

/*
 * Who the next commit is for, and why; either may be NULL, and has to stay until it is done.
 * => NULL; what is wrong with them
 */
const char *xt2_where_author(struct xt2_where *w, const char *owner, const char *reason);

/* The rest of a transaction, which was opened, is for this owner.  => 0; an exit status, the reason told */
int xt2_where_act(struct xt2_where *w, const char *owner);

/* The options' words are there.  => -1: go on; or an exit status, the reason told */
int xt2_where_end(struct xt2_where *w, int family);

/*
 * xt2_where_open - lock the store, and load its ruleset
 *
 * A test locks no image; of what is live it only looks, and so does XT2_STORE_LOOK: both are
 * content if there is nothing yet.  If w->expected is not the generation that is there, which is
 * 0 if there is none, the status is XT2_WHERE_CONFLICT.
 * => 0; an exit status, the reason told.  Close it in any case
 */
int xt2_where_open(struct xt2_where *w, enum xt2_store_access access);

#define XT2_WHERE_WRONG (-1000) /* no -errno, and no exit status */

/*
 * xt2_where_commit - store what has changed, unless it is only a test
 * => 0; an exit status, the reason told; XT2_WHERE_WRONG: w->check found it wrong
 */
int xt2_where_commit(struct xt2_where *w);

/* What could not be read of the ruleset, while it was worked on.  => 0; an exit status, the reason told */
int xt2_where_trouble(const struct xt2_where *w);

struct xt2_history;

/*
 * Who made the generation that was read, when and why: see xt2_past_circumstances().
 * @text: [XT2_PAST_TEXT]; "": it is not known
 */
void xt2_where_last(const struct xt2_where *w, char *text);

/* Who changed the ruleset that was read: an image tells, what is live does not. */
void xt2_where_history(const struct xt2_where *w, struct xt2_history *h);

/* Let others in, and forget the ruleset. */
void xt2_where_close(struct xt2_where *w);

/* Tell an error.  => the exit status for it */
int xt2_where_problem(const struct xt2_where *w, struct xt2_err *err, int error);

/* What the system lacks or forbids is a resource; anything else is wrong input. */
int xt2_where_status(int error);

#endif
