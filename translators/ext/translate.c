/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * translate.c - from an extension's name to its row, and through the row
 *
 * Rows are data (xt-transport.c, xt-packet.c, xt-state.c, xt-target.c); this file looks
 * them up and guards them.  Whatever a row packs is unpacked again at once
 * and compared with the payload, so a mistake in a row refuses a rule, and
 * never weakens it.  The comparison covers what the kernel gives back to
 * userspace: x_tables clears the rest.
 */
#include "translate.h"

static bool same(const char *a, const char *b)
{
	return !strncmp(a, b, XT2_NAME_SIZE);
}

static bool fits(u8 row_family, u8 family)
{
	return row_family == family || row_family == XT2_ANY_FAMILY;
}

static const struct xt2_row *const matches[] = {
	xt2_transport_rows,
	xt2_packet_rows,
	xt2_state_rows,
	NULL,
};

static const struct xt2_row *const targets[] = { xt2_target_rows, NULL };

#define for_each_row(row, rows, target)                                \
	for ((rows) = (target) ? targets : matches; *(rows); (rows)++) \
		for ((row) = *(rows); (row)->name; (row)++)

const struct xt2_row *xt2_row_find(u8 family, bool target, const char *name, u8 revision)
{
	const struct xt2_row *const *rows, *row;

	for_each_row(row, rows, target)
		if (row->revision == revision && fits(row->family, family) && same(row->name, name))
			return row;
	return NULL;
}

/* The row of a packed extension; its revision counts where rows share a type. */
static const struct xt2_row *row_of(u8 family, bool target, u8 type, u32 revision)
{
	const struct xt2_row *const *rows, *row, *found = NULL;
	unsigned int n = 0;

	for_each_row(row, rows, target) {
		if (row->type != type || !fits(row->family, family))
			continue;
		if (!n++ || (row->revision & 3) == revision)
			found = row;
	}
	if (n > 1 && (found->revision & 3) != revision)
		return NULL;
	return found;
}

static const struct xt2_row *row_of_match(u8 family, const struct xt2_match *m)
{
	return row_of(family, false, m->type, XT2_MATCH_REVISION_OF(m));
}

static const struct xt2_row *row_of_target(u8 family, u32 target)
{
	return row_of(family, true, XT2_TARGET_KIND(target), XT2_TARGET_REVISION_OF(target));
}

/* --- through a row ------------------------------------------------------- */

/* Bytes of a payload, the first one lowest; and back. */
static u32 bytes_put(const u8 *payload, u32 bytes)
{
	u32 arg = 0;

	while (bytes--)
		arg = arg << 8 | payload[bytes];
	return arg;
}

static void bytes_take(u32 arg, u8 *payload, u32 bytes)
{
	for (; bytes--; arg >>= 8)
		*payload++ = (u8)arg;
}

static void fields_put(const struct xt2_row_field *f, const void *payload, void *packed)
{
	for (; f->bytes; f++)
		memcpy((u8 *)packed + f->to, (const u8 *)payload + f->from, f->bytes);
}

static void fields_take(const struct xt2_row_field *f, const void *packed, void *payload)
{
	for (; f->bytes; f++)
		memcpy((u8 *)payload + f->from, (const u8 *)packed + f->to, f->bytes);
}

/* A copy of the payload that a match carries. */
static bool copy_take(const struct xt2_row *row, const struct xt2_match *m, void *payload)
{
	if (!row->copies || !(m->flags & XT2_MATCH_VERBATIM) || m->size < sizeof(*m) + row->size)
		return false;
	memcpy(payload, (const u8 *)m + m->size - row->size, row->size);
	return true;
}

static void match_take(const struct xt2_row *row, const struct xt2_match *m, u8 family,
		       void *payload)
{
	if (copy_take(row, m, payload))
		return;
	bytes_take(m->arg, payload, row->bytes);
	fields_take(row->field, m, payload);
	if (row->invert)
		((u8 *)payload)[row->invert - 1] = xt2_flags_invert(m->flags);
	if (row->unpack)
		row->unpack(m, family, payload);
}

/* For payloads with bytes that decide nothing and have no place of their own. */
static void copy_keep(const struct xt2_row *row, u8 family, const void *payload,
		      struct xt2_match *out)
{
	u64 again[XT2_VERBATIM_SCTP / sizeof(u64)] = { 0 }; /* the largest of them */

	match_take(row, out, family, again);
	if (!memcmp(again, payload, row->user_size))
		return;
	memcpy((u8 *)out + out->size, payload, row->user_size);
	out->flags |= XT2_MATCH_VERBATIM;
	out->size += row->size;
}

int xt2_match_row_put(const struct xt2_row *row, u8 family, const void *payload,
		      struct xt2_match *out)
{
	int err = 0;

	out->size = sizeof(*out) + row->more;
	if (row->bytes)
		out->arg = bytes_put(payload, row->bytes);
	fields_put(row->field, payload, out);
	if (row->invert)
		out->flags = xt2_invert_flags(((const u8 *)payload)[row->invert - 1]);
	if (row->pack)
		err = row->pack(payload, family, out);
	if (!err && row->copies)
		copy_keep(row, family, payload, out);
	return err;
}

/* => bytes of data without zero words at the end */
static u32 trimmed(const void *data, u32 size)
{
	const u64 *words = data;
	u32 n = (size + 7) / 8;

	while (n && !words[n - 1])
		n--;
	return n * 8;
}

int xt2_target_row_put(const struct xt2_row *row, const void *payload, u32 *arg, void *out,
		       u32 *size)
{
	int ret = 0;

	*arg = bytes_put(payload, row->bytes);
	fields_put(row->field, payload, out);
	if (row->target_pack)
		ret = row->target_pack(row, payload, arg, out);
	if (ret < 0)
		return ret;
	*size = ret ? (u32)ret : trimmed(out, row->data);
	return 0;
}

static void target_take(const struct xt2_row *row, const struct xt2_rule *r, void *payload)
{
	u8 data[sizeof(struct xt2_ct)] = { 0 }; /* the largest that has fields */

	bytes_take(XT2_TARGET_ARG(r->target), payload, row->bytes);
	if (row->field[0].bytes) {
		xt2_target_data_read(r, 0, data, row->data);
		fields_take(row->field, data, payload);
	}
	if (row->target_unpack)
		row->target_unpack(row, r, payload);
}

/* --- guarded --------------------------------------------------------------- */

int xt2_match_pack(const struct xt2_row *row, u8 family, const void *payload, u32 size,
		   struct xt2_match *out, u32 cap)
{
	void *again;
	int err;

	if (!row)
		return 0;
	if (size != row->size)
		return -EINVAL;
	if (cap < XT2_PACK_ROOM(size))
		return -ENOSPC;
	memset(out, 0, XT2_PACK_ROOM(size));
	err = xt2_match_row_put(row, family, payload, out);
	if (err == -EOPNOTSUPP) {
		memset(out, 0, XT2_PACK_ROOM(size));
		return 0;
	}
	if (err)
		return err;
	out->type = row->type;
	if (out->size < sizeof(*out) || out->size % XT2_ALIGN ||
	    out->size > XT2_PACK_ROOM(size) - size || row_of_match(family, out) != row)
		return -EILSEQ;
	again = (u8 *)out + out->size;
	memset(again, 0, size);
	match_take(row, out, family, again);
	if (memcmp(again, payload, row->user_size))
		return -EILSEQ;
	memset(again, 0, size);
	return out->size;
}

/* The largest match with a copy of its payload: a routing header's. */
#define COPY_ROOM 576

/* What a match says and the copy of the payload that it carries are the same. */
static bool copy_agrees(const struct xt2_row *row, u8 family, const struct xt2_match *m,
			const void *payload)
{
	u64 room[COPY_ROOM / sizeof(u64)] = { 0 };
	struct xt2_match *again = (struct xt2_match *)room;

	if (m->size > COPY_ROOM || xt2_match_row_put(row, family, payload, again))
		return false;
	again->type = row->type;
	return again->size == m->size && !memcmp(again, m, m->size);
}

/* Room for the payload that unpacking gives. => its bytes; -EINVAL: there is no row; -ENOSPC */
static int unpack_room(const struct xt2_row *row, void *payload, u32 cap)
{
	if (!row)
		return -EINVAL;
	if (cap < row->size)
		return -ENOSPC;
	memset(payload, 0, row->size);
	return row->size;
}

int xt2_match_unpack(u8 family, const struct xt2_match *m, const struct xt2_row **row,
		     void *payload, u32 cap)
{
	const struct xt2_row *found = row_of_match(family, m);
	const int size = unpack_room(found, payload, cap);

	if (size < 0)
		return size;
	match_take(found, m, family, payload);
	if (found->copies && m->flags & XT2_MATCH_VERBATIM &&
	    !copy_agrees(found, family, m, payload))
		return -EINVAL;
	*row = found;
	return size;
}

/* Unpack again what was packed; room follows the data. => 0, -EILSEQ */
static int target_guard(const struct xt2_row *row, u8 family, const void *payload, u32 target,
			const void *data, u32 size, void *room)
{
	struct xt2_rule *r = room;
	void *again;

	if (size % XT2_ALIGN || size > 2u * row->size + 64 || row_of_target(family, target) != row)
		return -EILSEQ;
	r->size = sizeof(*r) + size;
	r->target_offset = sizeof(*r);
	r->target = target;
	memcpy(r + 1, data, size);
	again = (u8 *)(r + 1) + size;
	memset(again, 0, row->size);
	target_take(row, r, again);
	return memcmp(again, payload, row->user_size) ? -EILSEQ : 0;
}

int xt2_target_pack(const struct xt2_row *row, u8 family, const void *payload, u32 size,
		    u32 *target, void *data, u32 cap)
{
	u32 used = 0, arg = 0;
	int err;

	if (!row)
		return -ENOENT;
	if (size != row->size)
		return -EINVAL;
	if (cap < XT2_PACK_ROOM(size))
		return -ENOSPC;
	memset(data, 0, XT2_PACK_ROOM(size));
	err = xt2_target_row_put(row, payload, &arg, data, &used);
	if (!err)
		err = target_guard(row, family, payload, XT2_TARGET(row->type, arg), data, used,
				   (u8 *)data + used);
	memset((u8 *)data + (err ? 0 : used), 0, XT2_PACK_ROOM(size) - (err ? 0 : used));
	if (err)
		return err == -EOPNOTSUPP ? -ENOENT : err;
	*target = XT2_TARGET(row->type, arg);
	return used;
}

int xt2_target_unpack(u8 family, const struct xt2_rule *r, const struct xt2_row **row,
		      void *payload, u32 cap)
{
	const struct xt2_row *found = row_of_target(family, r->target);
	const int size = unpack_room(found, payload, cap);

	if (size < 0)
		return size;
	target_take(found, r, payload);
	*row = found;
	return size;
}
