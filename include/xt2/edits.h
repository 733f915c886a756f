/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edits.h - the layout of what only writers of an image read
 *
 * A ruleset that is edited in its image keeps in it how to find a chain by its name and a
 * rule by its number or text, how far chains lead, and who changed what.  Evaluation reads
 * none of it, and xt2_check() does not look at it: a writer that cannot be sure that the
 * image is as it was left makes it anew from the rules.  Its history is read with care by
 * whoever prints it.  doc/format.md, Edited images, is the specification.
 */
#ifndef XT2_EDITS_H
#define XT2_EDITS_H

#include <xt2/format.h>

/* What is known of a chain; of indices that are not in use all is 0. */
#define XT2_WAY_PARENTS 3

struct xt2_way_parent {
	__u32 chain;
	__u32 rules; /* of it, that lead here; 0: none */
};

struct xt2_way {
	__u32 references; /* rules that jump or go here */
	__u32 rank; /* larger than that of each chain that a rule here leads to; 0: in a loop */
	__u32 depth; /* frames that are pushed from here on, at most */
	__u32 visits; /* chains that are entered from here on, this one included, at most */
	__u8 from; /* hooks of its table that lead here, perhaps: a bit each */
	__u8 parents; /* of parent[]; above XT2_WAY_PARENTS: there are others, all are unknown */
	__u16 owner; /* number in struct xt2_owners, from 1; 0: nobody's */
	__u32 finder; /* offset of what finds rules in its compiled extent; 0: none */
	struct xt2_way_parent parent[XT2_WAY_PARENTS];
};

#define XT2_WAY_PAGE  64 /* struct xt2_way in a page */
#define XT2_NAME_PAGE 1024 /* slots of the table of names in a page */

/* That a file is as this program left it. */
struct xt2_stamp {
	__u64 device, inode;
	__u64 born; /* of the inode: ns since 1970; 0: not known, and the stamp is void */
	__u64 changed; /* its contents: likewise */
	__u64 size;
	__u64 first; /* a part of what the commit appended: from this offset up to size */
	__u64 digest; /* of that part, this stamp included with 0 here */
};

struct xt2_edits {
	__u64 generation; /* of the commit that wrote this */
	__u64 garbage; /* bytes of the image that this generation does not name */
	__u64 seed; /* of the hashes of names */
	__u32 slots; /* of names: a power of two, or 0 */
	__u32 taken; /* slots that are in use, or were */
	__u32 name; /* offset of the offsets of pages of slots: u32, a chain's index and 1; 0: free, ~0: was taken */
	__u32 way; /* offset of the offsets of pages of struct xt2_way */
	__u32 cell_room; /* cells that the array has room for */
	__u32 history; /* offset of the newest struct xt2_commit; 0: none */
	__u32 file; /* which one this is: each that takes the place of another counts on from it */
	__u32 owners; /* offset of struct xt2_owners; 0: no chain has an owner */
	struct xt2_stamp stamp;
};

/* --- who changed what ------------------------------------------------------- */

#define XT2_REASON_MAX	  255 /* bytes of a reason */
#define XT2_HISTORY_MAX	  256 /* records that a file takes over from the one that it replaces */
#define XT2_HISTORY_BYTES 32768 /* bytes of these, and at most 8,192 and a quarter of the image's */

#define XT2_OWNERS_MAX 127

/* Owners of chains.  In an image there are as many names as count says. */
struct xt2_owners {
	__u32 count, reserved;
	char name[XT2_OWNERS_MAX][XT2_NAME_SIZE]; /* padded with NUL */
};

enum xt2_commit_kind {
	XT2_COMMIT_EDIT, /* appended what had changed */
	XT2_COMMIT_WHOLE, /* a new file with all of the ruleset */
	XT2_COMMIT_ROLLBACK, /* either, of what an older generation was */
};

/* How much has changed.  A rule that was replaced is one of both. */
struct xt2_changes {
	__u32 rules_new, rules_gone;
	__u32 chains_new, chains_gone;
	__u32 policies;
};

/* A commit, followed by its reason; the next structure begins at a multiple of 8. */
struct xt2_commit {
	__u64 generation;
	__u64 time; /* ns since 1970 */
	__u64 size; /* of the image then */
	__u32 uid, pid; /* of the process */
	__u32 previous; /* offset of the record before, a smaller one than this one's; 0: none */
	__u32 file; /* struct xt2_edits.file of the image that it made */
	__u32 root; /* offset of the root there */
	struct xt2_changes changes;
	__u8 kind; /* enum xt2_commit_kind */
	__u8 length; /* of the reason */
	__u8 reserved[6];
	char owner[XT2_NAME_SIZE]; /* padded with NUL; may be empty */
};

#endif
