/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz-legacy.c - hostile SO_SET_REPLACE blobs of six formats
 *
 * The first byte selects family and width, and whether the header is repaired
 * (sizes and numbers that fit), so that what lies behind it is reached.  What
 * is accepted goes through rules and back into both widths; its own width has
 * to be accepted again, with the same number of chains, and to come out the
 * second time as it did the first time.
 */
#include <stdint.h>
#include "../legacy/turn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const u8 families[] = { XT2_IPV4, XT2_IPV6, XT2_ARP };

static u32 header_of(u8 family, bool compat)
{
	return (family == XT2_ARP ? 80u : 96u) - (compat ? 4 : 0);
}

/* Size and number of entries as they are, as far as that can be said. */
static void repair(u8 *blob, u32 size, u8 family, bool compat)
{
	u32 head = header_of(family, compat), rest = size - head, pos = 0, n = 0, next;
	u32 at = family == XT2_ARP ? 166 : family == XT2_IPV6 ? 142 : 90;

	for (; pos + at + 2 <= rest; pos += next, n++) {
		next = (u32)blob[head + pos + at] | (u32)blob[head + pos + at + 1] << 8;
		if (next < 100 || next > rest - pos)
			break;
	}
	memcpy(blob + 36, &n, 4);
	memcpy(blob + 40, &pos, 4);
	n = 1;
	memcpy(blob + (family == XT2_ARP ? 68 : 84), &n, 4);
}

/* A SET_REPLACE of what came out.  => its bytes; free() */
static u8 *blob_of(const struct turn *t, bool compat, u32 *len)
{
	u32 head = header_of(t->in.family, compat), hooks = t->in.family == XT2_ARP ? 3 : 5,
	    one = 1;
	u8 *blob = calloc(1, head + t->out.size);
	u32 size = (u32)t->out.size;

	memcpy(blob, t->in.table, 32);
	memcpy(blob + 32, &t->out.valid_hooks, 4);
	memcpy(blob + 36, &t->out.entries, 4);
	memcpy(blob + 40, &size, 4);
	memcpy(blob + 44, t->out.hook_entry, 4 * hooks);
	memcpy(blob + 44 + 4 * hooks, t->out.underflow, 4 * hooks);
	memcpy(blob + 44 + 8 * hooks, &one, 4);
	memcpy(blob + head, t->bytes, size);
	*len = head + size;
	return blob;
}

static void again(struct turn *t, bool compat)
{
	u32 len, chains = t->in.chains, entries = t->out.entries;
	u8 family = t->in.family, *blob = blob_of(t, compat, &len), *first;
	int ret;

	ret = turn(t, family, compat, blob, len, compat, true);
	if (ret || t->in.chains != chains || t->out.entries != entries) {
		fprintf(stderr, "second time: %d, %s; %s: %s\n", ret, t->why ? t->why : "",
			t->err.field ? t->err.field : "", t->err.what ? t->err.what : "");
		abort();
	}
	first = blob + header_of(family, compat);
	if (memcmp(first, t->bytes, t->out.size))
		abort();
	free(blob);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct turn *t;
	u8 family, *blob;
	bool compat;
	int ret;

	if (!t)
		t = turn_new();
	if (size < 1 || size > 1 << 20)
		return -1;
	family = families[data[0] % 3];
	compat = data[0] & 0x10;
	blob = malloc(size);
	memcpy(blob, data + 1, size - 1);
	if (data[0] & 0x20 && size - 1 > header_of(family, compat))
		repair(blob, (u32)size - 1, family, compat);
	ret = turn(t, family, compat, blob, size - 1, false, true);
	if (ret && t->why && ret != -E2BIG) {
		fprintf(stderr, "accepted, but: %d %s\n", ret, t->why);
		abort();
	}
	if (!ret)
		again(t, false);
	ret = turn(t, family, compat, blob, size - 1, true, true);
	if (!ret)
		again(t, true);
	free(blob);
	return 0;
}
