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

static const struct xt2_match_row *const match_rows[] = {
	xt2_transport_rows,
	xt2_packet_rows,
	xt2_state_rows,
};

#define for_each_match_row(row, i)                             \
	for ((i) = 0; (i) < XT2_ARRAY_SIZE(match_rows); (i)++) \
		for ((row) = match_rows[i]; (row)->name; (row)++)

const struct xt2_match_row *xt2_match_row_find(u8 family, const char *name, u8 revision)
{
	const struct xt2_match_row *row;
	size_t i;

	for_each_match_row(row, i) if (row->revision == revision && fits(row->family, family) &&
				       same(row->name, name)) return row;
	return NULL;
}

const struct xt2_target_row *xt2_target_row_find(u8 family, const char *name, u8 revision)
{
	const struct xt2_target_row *row;

	for (row = xt2_target_rows; row->name; row++)
		if (row->revision == revision && fits(row->family, family) && same(row->name, name))
			return row;
	return NULL;
}

/* The row of a packed match; its revision counts where rows share a type. */
static const struct xt2_match_row *row_of_match(u8 family, const struct xt2_match *m)
{
	const struct xt2_match_row *row, *found = NULL;
	unsigned int n = 0;
	size_t i;

	for_each_match_row(row, i)
	{
		if (row->type != m->type || !fits(row->family, family))
			continue;
		if (!n++ || (row->revision & 3) == XT2_MATCH_REVISION_OF(m))
			found = row;
	}
	if (n > 1 && (found->revision & 3) != XT2_MATCH_REVISION_OF(m))
		return NULL;
	return found;
}

static const struct xt2_target_row *row_of_target(u8 family, u32 target)
{
	const struct xt2_target_row *row, *found = NULL;
	unsigned int n = 0;

	for (row = xt2_target_rows; row->name; row++) {
		if (row->kind != XT2_TARGET_KIND(target) || !fits(row->family, family))
			continue;
		if (!n++ || (row->revision & 3) == XT2_TARGET_REVISION_OF(target))
			found = row;
	}
	if (n > 1 && (found->revision & 3) != XT2_TARGET_REVISION_OF(target))
		return NULL;
	return found;
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
static bool copy_take(const struct xt2_match_row *row, const struct xt2_match *m, void *payload)
{
	if (!row->copies || !(m->flags & XT2_MATCH_VERBATIM) || m->size < sizeof(*m) + row->size)
		return false;
	memcpy(payload, (const u8 *)m + m->size - row->size, row->size);
	return true;
}

static void match_take(const struct xt2_match_row *row, const struct xt2_match *m, u8 family,
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
static void copy_keep(const struct xt2_match_row *row, u8 family, const void *payload,
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

int xt2_match_row_put(const struct xt2_match_row *row, u8 family, const void *payload,
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

int xt2_target_row_put(const struct xt2_target_row *row, const void *payload, u32 *arg, void *out,
		       u32 *size)
{
	int ret = 0;

	*arg = bytes_put(payload, row->bytes);
	fields_put(row->field, payload, out);
	if (row->pack)
		ret = row->pack(row, payload, arg, out);
	if (ret < 0)
		return ret;
	*size = ret ? (u32)ret : trimmed(out, row->data);
	return 0;
}

static void target_take(const struct xt2_target_row *row, const struct xt2_rule *r, void *payload)
{
	u8 data[sizeof(struct xt2_ct)] = { 0 }; /* the largest that has fields */

	bytes_take(XT2_TARGET_ARG(r->target), payload, row->bytes);
	if (row->field[0].bytes) {
		xt2_target_data_read(r, 0, data, row->data);
		fields_take(row->field, data, payload);
	}
	if (row->unpack)
		row->unpack(row, r, payload);
}

/* --- guarded --------------------------------------------------------------- */

int xt2_match_row_pack(const struct xt2_match_row *row, u8 family, const void *payload, u32 size,
		       struct xt2_match *out, u32 cap)
{
	void *again;
	int err;

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

int xt2_match_pack(u8 family, const char *name, u8 revision, const void *payload, u32 size,
		   struct xt2_match *out, u32 cap)
{
	const struct xt2_match_row *row = xt2_match_row_find(family, name, revision);

	return row ? xt2_match_row_pack(row, family, payload, size, out, cap) : 0;
}

/* The largest match with a copy of its payload: a routing header's. */
#define COPY_ROOM 576

/* What a match says and the copy of the payload that it carries are the same. */
static bool copy_agrees(const struct xt2_match_row *row, u8 family, const struct xt2_match *m,
			const void *payload)
{
	u64 room[COPY_ROOM / sizeof(u64)] = { 0 };
	struct xt2_match *again = (struct xt2_match *)room;

	if (m->size > COPY_ROOM || xt2_match_row_put(row, family, payload, again))
		return false;
	again->type = row->type;
	return again->size == m->size && !memcmp(again, m, m->size);
}

int xt2_match_unpack(u8 family, const struct xt2_match *m, const struct xt2_match_row **row,
		     void *payload, u32 cap)
{
	const struct xt2_match_row *found = row_of_match(family, m);

	if (!found)
		return -EINVAL;
	if (cap < found->size)
		return -ENOSPC;
	memset(payload, 0, found->size);
	match_take(found, m, family, payload);
	if (found->copies && m->flags & XT2_MATCH_VERBATIM &&
	    !copy_agrees(found, family, m, payload))
		return -EINVAL;
	*row = found;
	return found->size;
}

/* Unpack again what was packed; room follows the data. => 0, -EILSEQ */
static int target_guard(const struct xt2_target_row *row, u8 family, const void *payload,
			u32 target, const void *data, u32 size, void *room)
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

int xt2_target_row_pack(const struct xt2_target_row *row, u8 family, const void *payload, u32 size,
			u32 *target, void *data, u32 cap)
{
	u32 used = 0, arg = 0;
	int err;

	if (size != row->size)
		return -EINVAL;
	if (cap < XT2_PACK_ROOM(size))
		return -ENOSPC;
	memset(data, 0, XT2_PACK_ROOM(size));
	err = xt2_target_row_put(row, payload, &arg, data, &used);
	if (!err)
		err = target_guard(row, family, payload, XT2_TARGET(row->kind, arg), data, used,
				   (u8 *)data + used);
	memset((u8 *)data + (err ? 0 : used), 0, XT2_PACK_ROOM(size) - (err ? 0 : used));
	if (err)
		return err == -EOPNOTSUPP ? -ENOENT : err;
	*target = XT2_TARGET(row->kind, arg);
	return used;
}

int xt2_target_pack(u8 family, const char *name, u8 revision, const void *payload, u32 size,
		    u32 *target, void *data, u32 cap)
{
	const struct xt2_target_row *row = xt2_target_row_find(family, name, revision);

	return row ? xt2_target_row_pack(row, family, payload, size, target, data, cap) : -ENOENT;
}

int xt2_target_unpack(u8 family, const struct xt2_rule *r, const struct xt2_target_row **row,
		      void *payload, u32 cap)
{
	const struct xt2_target_row *found = row_of_target(family, r->target);

	if (!found)
		return -EINVAL;
	if (cap < found->size)
		return -ENOSPC;
	memset(payload, 0, found->size);
	target_take(found, r, payload);
	*row = found;
	return found->size;
}
