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
 * payload -> match; out has room for XT2_RULE_MAX bytes and is zeroed up to
 * there but for head.size, which is that of the head: set it if it is another,
 * flags, arg (not of cells).
 * => 0, -EINVAL: the kernel would refuse this payload (bad counts, flags, ...),
 * -EOPNOTSUPP: legal, but more than the type's body can do: carried as foreign
 */
typedef int xt2_match_pack_fn(const void *payload, u8 family, struct xt2_match *out);
/* match -> payload of row->size zeroed bytes */
typedef void xt2_match_unpack_fn(const struct xt2_match *m, u8 family, void *payload);

struct xt2_row;

/*
 * The same of a target: *arg is set, out is the rule's target data (zeroed)
 * => bytes of data that stay even if they are zero, -errno
 */
typedef int xt2_target_pack_fn(const struct xt2_row *row, const void *payload, u32 *arg, void *out);
typedef void xt2_target_unpack_fn(const struct xt2_row *row, const struct xt2_rule *r,
				  void *payload);

/* Bytes that stand alike in the payload and in the packed form. */
struct xt2_row_field {
	u8 from; /* offset in the payload */
	u8 bytes; /* 0: no more fields */
	u8 to; /* offset in the match, or in the target's data */
};

#define XT2_ROW_FIELDS 4 /* at most so many in a row */
#define XT2_ROW_FIELD(type, field, bytes, to)           \
	{                                               \
		offsetof(struct type, field), bytes, to \
	}
#define XT2_TO_FLAGS 1 /* offsets in a match: of its flags, its argument, its body */
#define XT2_TO_ARG   4
#define XT2_TO_BODY  8

/* An extension's row. */
struct xt2_row {
	const char *name;
	u8 family; /* XT2_ANY_FAMILY, or the only one */
	u8 revision;
	u8 type; /* enum xt2_match_type or xt2_target */
	u8 bytes; /* so many bytes of the payload are the argument, the first one lowest */
	u16 size; /* XT_ALIGNed bytes of the payload */
	u16 user_size; /* bytes that userspace sees, which packing must keep */
	struct xt2_row_field field[XT2_ROW_FIELDS + 1];
	/* Of a match: */
	u8 more; /* bytes that follow the head, whatever the payload is */
	u8 invert; /* 1 + offset of the native inversion byte, of which flags are made; or 0 */
	bool copies; /* what does not unpack to the payload carries it: XT2_MATCH_VERBATIM */
	xt2_match_pack_fn *pack; /* what is not said above, or only its checks; or NULL */
	xt2_match_unpack_fn *unpack; /* or NULL */
	/* Of a target: */
	u8 data; /* bytes of data at most; zero words at their end are left out */
	xt2_target_pack_fn *target_pack;
	xt2_target_unpack_fn *target_unpack;
};

#define XT2_ROW_SIZE_(bytes) (((bytes) + XT2_ALIGN - 1) & ~(XT2_ALIGN - 1))

/* A row: bytes of its structure, those that userspace sees, and what else there is. */
#define XT2_ROW_(nam, fam, rev, typ, whole, user, ...)                       \
	{                                                                    \
		.name = nam, .family = fam, .revision = rev, .type = typ,    \
		.size = XT2_ROW_SIZE_(whole), .user_size = user, __VA_ARGS__ \
	}
#define XT2_MATCH_ROW_(name, family, revision, TYPE, whole, user, ...) \
	XT2_ROW_(name, family, revision, XT2_M_##TYPE, whole, user, __VA_ARGS__)

/* Of a row whose native inversion byte is this field. */
#define XT2_INVERT(type, field) .invert = offsetof(struct type, field) + 1

/* The native inversion byte, rotated right, as flags; and back. */
static inline u8 xt2_invert_flags(u8 invert)
{
	return (u8)(invert << 7 | invert >> 1);
}

static inline u8 xt2_flags_invert(u8 flags)
{
	return (u8)(flags >> 7 | flags << 1);
}

/* A payload through its row, as xt2_match_pack_fn; out is zeroed. */
int xt2_match_row_put(const struct xt2_row *row, u8 family, const void *payload,
		      struct xt2_match *out);
int xt2_target_row_put(const struct xt2_row *row, const void *payload, u32 *arg, void *out,
		       u32 *size);

/* A rule's target data from its offset off on; what is not there stays as it was. */
void xt2_target_data_read(const struct xt2_rule *r, u32 off, void *to, u32 size);

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
extern const struct xt2_row xt2_transport_rows[];
extern const struct xt2_row xt2_packet_rows[];
extern const struct xt2_row xt2_state_rows[];
extern const struct xt2_row xt2_target_rows[];

/* => the row, or NULL: an extension that xt2 carries but does not evaluate */
const struct xt2_row *xt2_row_find(u8 family, bool target, const char *name, u8 revision);

/*
 * Room that packing a payload of size bytes may need: the packed form, and
 * after it the payload that unpacking it gives.
 */
#define XT2_PACK_ROOM(size) (5 * (size) + 192)

/*
 * xt2_match_pack - a legacy match to the image's form
 * @row: or NULL
 * @payload: size bytes, 8-byte aligned
 * @out: 8-byte aligned; room for cap bytes, all of which may be written to;
 *   cap is at least XT2_PACK_ROOM(size)
 *
 * A cell stays 0 in head.arg: the caller adds one.
 * => bytes of the match; 0: carry it as foreign; -EINVAL: refused, as the
 *    kernel would; -ENOSPC; -EILSEQ: would not come back byte for byte
 */
int xt2_match_pack(const struct xt2_row *row, u8 family, const void *payload, u32 size,
		   struct xt2_match *out, u32 cap);

/*
 * xt2_match_unpack - back to the legacy form
 * @m: checked
 * @row: out: which extension and revision it is
 * @payload: 8-byte aligned; room for cap bytes
 * => bytes of payload; -ENOSPC, -EINVAL (not a row's type, or the match and
 *    the legacy payload that it carries say different things)
 */
int xt2_match_unpack(u8 family, const struct xt2_match *m, const struct xt2_row **row,
		     void *payload, u32 cap);

/*
 * xt2_target_pack - a legacy target to the image's form
 * @row: or NULL
 * @target: out: the rule's word
 * @data: the rule's target data; as @out above
 * => bytes of data, often 0; -ENOENT: carry it as foreign; -EINVAL, -ENOSPC,
 *    -EILSEQ as above
 */
int xt2_target_pack(const struct xt2_row *row, u8 family, const void *payload, u32 size,
		    u32 *target, void *data, u32 cap);

/* The ports of udp as well: its forms are those of tcp that test nothing else. */
xt2_match_unpack_fn xt2_tcp_unpack;

/* As xt2_match_unpack(). */
int xt2_target_unpack(u8 family, const struct xt2_rule *r, const struct xt2_row **row,
		      void *payload, u32 cap);

#endif
