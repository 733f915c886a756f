/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * translate.h - extension payloads: legacy <-> packed
 *
 * The legacy payload is what follows struct xt_entry_match or xt_entry_target
 * in the kernel's 64-bit ABI (<linux/netfilter/xt_*.h>).  One row per family,
 * name and revision says how to pack it into the image's form and back.
 * Packing loses nothing that the kernel or iptables looks at: xt2_match_pack()
 * unpacks what it packed and compares.
 */
#ifndef XT2_TRANSLATORS_EXT_TRANSLATE_H
#define XT2_TRANSLATORS_EXT_TRANSLATE_H

#include "engine/image.h"

#define XT2_ANY_FAMILY 0 /* rows of UNSPEC extensions */

/*
 * A match's row.  pack: payload -> match; out has room for XT2_RULE_MAX bytes
 * and is zeroed up to there; set head.size, flags, arg (not of cells).
 * => 0, -EINVAL: the kernel would refuse this payload (bad counts, flags, ...),
 * -EOPNOTSUPP: legal, but more than the type's body can do: carried as foreign
 * unpack: match -> payload of row->size zeroed bytes.
 */
struct xt2_match_row {
	const char *name;
	u8 family; /* XT2_ANY_FAMILY, or the only one */
	u8 revision;
	u8 type; /* enum xt2_match_type */
	u16 size; /* XT_ALIGNed bytes of the payload */
	u16 user_size; /* bytes that userspace sees; 0: all */
	int (*pack)(const void *payload, u8 family, struct xt2_match *out);
	void (*unpack)(const struct xt2_match *m, u8 family, void *payload);
	u8 copies; /* 1: the match may carry a copy of the payload: XT2_MATCH_VERBATIM */
};

/* A target's row; out is the rule's target data (zeroed), *size its bytes. */
struct xt2_target_row {
	const char *name;
	u8 family;
	u8 revision;
	u8 kind; /* enum xt2_target */
	u16 size;
	u16 user_size;
	int (*pack)(const void *payload, u8 family, u32 *arg, void *out, u32 *size);
	void (*unpack)(const struct xt2_rule *r, u8 family, void *payload);
};

/*
 * Where rows of one family share a type, these bits of xt2_match.flags hold
 * the low bits of the revision, so that unpacking finds the row.
 */
#define XT2_MATCH_REVISION	 0x60
#define XT2_MATCH_REVISION_OF(m) (((m)->flags & XT2_MATCH_REVISION) >> 5)

/* For targets likewise: the two highest bits of the target word. */
#define XT2_TARGET_REVISION(rev)  ((u32)(rev) << 22) /* in the argument */
#define XT2_TARGET_REVISION_OF(t) ((u32)(t) >> 30)

/* The rows, by file: each array ends with a row without a name. */
extern const struct xt2_match_row xt2_transport_rows[];
extern const struct xt2_match_row xt2_packet_rows[];
extern const struct xt2_match_row xt2_state_rows[];
extern const struct xt2_target_row xt2_target_rows[];

/* => the row, or NULL: an extension that xt2 carries but does not evaluate */
const struct xt2_match_row *xt2_match_row_find(u8 family, const char *name, u8 revision);
const struct xt2_target_row *xt2_target_row_find(u8 family, const char *name, u8 revision);

/*
 * Room that packing a payload of size bytes may need: the packed form, and
 * behind it what unpacking it again gives.
 */
#define XT2_PACK_ROOM(size) (5 * (size) + 192)

/*
 * xt2_match_pack - a legacy match to the image's form
 * @payload: size bytes, 8-byte aligned
 * @out: 8-byte aligned; room for cap bytes, all of which may be written to;
 *   cap is at least XT2_PACK_ROOM(size)
 *
 * A cell stays 0 in head.arg: the caller adds one.
 * => bytes of the match; 0: carry it as foreign; -EINVAL: refused, as the
 *    kernel would; -ENOSPC; -EILSEQ: would not come back byte for byte
 */
int xt2_match_pack(u8 family, const char *name, u8 revision, const void *payload, u32 size,
		   struct xt2_match *out, u32 cap);

/* The same for a row that has been looked up. */
int xt2_match_row_pack(const struct xt2_match_row *row, u8 family, const void *payload, u32 size,
		       struct xt2_match *out, u32 cap);

/*
 * xt2_match_unpack - back to the legacy form
 * @m: checked
 * @row: out: which extension and revision it is
 * @payload: 8-byte aligned; room for cap bytes
 * => bytes of payload; -ENOSPC, -EINVAL (not a row's type, or the match and
 *    the legacy payload that it carries say different things)
 */
int xt2_match_unpack(u8 family, const struct xt2_match *m, const struct xt2_match_row **row,
		     void *payload, u32 cap);

/*
 * xt2_target_pack - a legacy target to the image's form
 * @target: out: the rule's word
 * @data: the rule's target data; as @out above
 * => bytes of data, often 0; -ENOENT: carry it as foreign; -EINVAL, -ENOSPC,
 *    -EILSEQ as above
 */
int xt2_target_pack(u8 family, const char *name, u8 revision, const void *payload, u32 size,
		    u32 *target, void *data, u32 cap);

/* The same for a row that has been looked up. */
int xt2_target_row_pack(const struct xt2_target_row *row, u8 family, const void *payload, u32 size,
			u32 *target, void *data, u32 cap);

/* As xt2_match_unpack(). */
int xt2_target_unpack(u8 family, const struct xt2_rule *r, const struct xt2_target_row **row,
		      void *payload, u32 cap);

#endif
