/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patch.h - the layout of a chain's patch
 *
 * A chain that was edited is its last compiled extent, which no longer changes,
 * and a patch: rules that were inserted, and marks of rules that were deleted.
 * An edit writes the parts of the patch that it changes anew and leaves the
 * others where they are; so the chains of two generations share most of their
 * bytes, and a packet sees one generation.  doc/format.md, Patched chains,
 * is the specification.
 *
 * Offsets in these structures count from the image's first byte, except that
 * the place of a rule of the compiled chain counts from that chain.
 */
#ifndef XT2_PATCH_H
#define XT2_PATCH_H

#include <xt2/index.h>

#define XT2_T_PATCHED 9 /* target of a guard; no other rule has it */

#define XT2_PATCH_CLASSES 16 /* of one patch */
#define XT2_CLASS_FIELDS  2 /* of a class, at most */
#define XT2_SPLIT_MAX	  16 /* rules of a rule group that a patch can take apart */

/* An inserted rule. */
struct xt2_inserted {
	__u32 at; /* of the compiled chain's rule that it stands before */
	__u32 label; /* orders the rules before that one; not ~0 */
	__u32 line; /* of its source; 0: not known */
	__u32 reserved;
	struct xt2_rule rule; /* items and entries have this one's offset */
};

#define XT2_PATCH_END 0xffffffffu /* as a label: the compiled chain's rule itself */

/* A change, in the order of the rules. */
struct xt2_patch_item {
	__u32 at; /* as in struct xt2_inserted */
	__u32 rule; /* offset of the inserted rule; 0: the rule at this place is deleted */
};

#define XT2_PATCH_ITEMS 255 /* of a page */

struct xt2_patch_page {
	__u32 items;
	__u32 writer; /* low bits of the generation that it was written for */
	struct xt2_patch_item item[XT2_PATCH_ITEMS];
};

/* A page of items, and the place of the first of them. */
struct xt2_patch_part {
	__u32 page; /* offset of struct xt2_patch_page */
	__u32 at; /* of its first item */
	__u32 label; /* likewise; XT2_PATCH_END: a deleted rule */
	__s32 more; /* rules that its items add: those inserted less those deleted */
};

#define XT2_PATCH_INSERTED 0x0u /* unit: offset of the inserted rule */
#define XT2_PATCH_DELETED  0x1u /* unit: place of a deleted rule of the compiled chain */
#define XT2_PATCH_SPLIT	   0x2u /* unit: place of a rule group that has an insertion in it */
#define XT2_PATCH_FLAGS	   0x7u

/* How a packet finds a change by a hash. */
struct xt2_patch_entry {
	__u32 hash;
	__u32 unit; /* a rule, and XT2_PATCH_* */
	__u32 at; /* as in struct xt2_inserted; of other changes the place */
	__u16 never; /* as in struct xt2_index_entry, but for states; of other changes 0 */
	__u16 reserved;
	__u64 ports; /* likewise */
};

#define XT2_PATCH_ENTRIES 10 /* of a bucket's part */

#define XT2_BUCKET_PARTS 192 /* of a bucket */

/* A bucket is a list of these; each has one entry at least: a rule that is found by a hash. */
struct xt2_patch_bucket {
	__u32 entries;
	__u32 next; /* offset of another; 0: none */
	__u32 writer; /* as in struct xt2_patch_page */
	__u32 reserved;
	struct xt2_patch_entry entry[XT2_PATCH_ENTRIES];
};

/* Most packets find here that a bucket has nothing for them. */
struct xt2_patch_slot {
	__u32 bucket; /* offset; 0: an empty one */
	__u32 tags; /* bits hash % 32 and hash / 32 % 32 of each of its entries */
};

#define XT2_SLOTS_LIST_SHIFT 21 /* at least: the slots, 2,048 at most, are one list */
#define XT2_SLOTS_PAGE	     128 /* slots of a page, if there are more */

/*
 * Follows a patched chain's struct xt2_index.
 *
 * A class is some bits of one or two fields by which inserted rules are found; a field is an enum
 * xt2_index_field.  XT2_FIELD_NONE as the first: rules that ask for no field, found by every
 * packet; as the second: a class of one field.  Members of classes are arrays over them, so that
 * all are hashed at once; those of classes that are not there are 0.
 */
struct xt2_patch {
	__u32 compiled; /* offset of the struct xt2_chain that was compiled last */
	__u32 inserted; /* rules */
	__u32 deleted; /* likewise */
	__u32 parts; /* of items */
	__u32 part; /* offset of struct xt2_patch_part[parts] */
	__u32 slot; /* offset of struct xt2_patch_slot[2^(32 - shift)], or of their pages' offsets */
	__u32 shift; /* 1 to 31: the rest of a hash is its slot's number */
	__u32 classes;
	__u32 splits; /* rule groups with an insertion in them */
	__u32 reserved[3];
	__u8 field[XT2_CLASS_FIELDS][XT2_PATCH_CLASSES];
	__u8 words[XT2_PATCH_CLASSES]; /* of a field, 1 or 4: no bits are in the others */
	__u32 rules[XT2_PATCH_CLASSES]; /* that are found by the class */
	__u32 mask[XT2_CLASS_FIELDS * 4][XT2_PATCH_CLASSES]; /* of the fields' words */
};

/* A patched chain's extent. */
struct xt2_patched {
	struct xt2_chain chain;
	struct xt2_rule guard; /* XT2_T_PATCHED: a reader that knows no patches must stop here */
	struct xt2_rule tail;
	struct xt2_index ix;
	struct xt2_patch patch;
};

#endif
