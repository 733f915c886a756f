/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-mutate.c - the mutator of legacy blobs
 *
 * A blob is taken apart into entries whose jumps and hooks name entries, not
 * offsets; entries, extensions and bytes are changed; then everything is put
 * together again with offsets, sizes and numbers that fit.  Now and then they
 * are left not to fit.
 */
#include <linux/netfilter_bridge/ebtables.h>
#include "translators/table/legacy-format.h"
#include "legacy-mutate.h"

size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max);

#define ITEMS	  40
#define ITEM_SIZE 4608
#define NO_JUMP	  (-1)
#define NEXT	  (-2)
#define EBT_HEAD  48 /* struct ebt_entries */

#define IP_HEADER(bytes)                                                                 \
	.header = (bytes), .entries = 36, .size = 40, .hook_entry = 44, .underflow = 64, \
	.num_counters = 84, .hooks = 5, .extension = 32
#define ARP_HEADER(bytes)                                                                \
	.header = (bytes), .entries = 36, .size = 40, .hook_entry = 44, .underflow = 56, \
	.num_counters = 68, .hooks = 3, .extension = 32

const struct fuzz_format fuzz_formats[FUZZ_FORMATS] = {
	{ "ipt64", XT2_IPV4, false, IP_HEADER(96), .entry = 112, .target = 88, .next = 90 },
	{ "ipt32", XT2_IPV4, true, IP_HEADER(92), .entry = 112, .target = 88, .next = 90 },
	{ "ip6t64", XT2_IPV6, false, IP_HEADER(96), .entry = 168, .target = 140, .next = 142 },
	{ "ip6t32", XT2_IPV6, true, IP_HEADER(92), .entry = 164, .target = 140, .next = 142 },
	{ "arpt64", XT2_ARP, false, ARP_HEADER(80), .entry = 192, .target = 164, .next = 166 },
	{ "arpt32", XT2_ARP, true, ARP_HEADER(76), .entry = 188, .target = 164, .next = 166 },
	{ "ebt64", XT2_BRIDGE, false, .header = 120, .entries = 36, .size = 40, .hook_entry = 48,
	  .num_counters = 96, .hooks = 6, .entry = 112, .watchers = 100, .target = 104, .next = 108,
	  .extension = 40, .ext_size = 32 },
	{ "ebt32", XT2_BRIDGE, true, .header = 80, .entries = 36, .size = 40, .hook_entry = 44,
	  .num_counters = 68, .hooks = 6, .entry = 112, .watchers = 100, .target = 104, .next = 108,
	  .extension = 36, .ext_size = 32 },
};

struct item {
	u32 len;
	int jump; /* the item that its verdict names, NEXT or NO_JUMP */
	u8 bytes[ITEM_SIZE];
};

struct table {
	const struct fuzz_format *f;
	u8 header[128];
	u32 n;
	u8 order[ITEMS]; /* of the items */
	int hook[6], under[6]; /* items, or -1 */
	struct item item[ITEMS];
};

static u32 rng;

static u32 any(u32 n)
{
	rng ^= rng << 13;
	rng ^= rng >> 17;
	rng ^= rng << 5;
	return n ? rng % n : 0;
}

/* --- fields --------------------------------------------------------------------- */

static bool bridge(const struct fuzz_format *f)
{
	return f->family == XT2_BRIDGE;
}

static u32 field(const struct fuzz_format *f, const u8 *e, u32 at)
{
	return bridge(f) ? legacy_u32(e + at) : legacy_u16(e + at);
}

static void set_field(const struct fuzz_format *f, u8 *e, u32 at, u32 v)
{
	if (bridge(f))
		legacy_put32(e + at, v);
	else
		legacy_put16(e + at, v);
}

static bool is_head(const struct fuzz_format *f, const u8 *e)
{
	return bridge(f) && !legacy_u32(e);
}

/* Bytes of an extension with its header. */
static u32 ext_len(const struct fuzz_format *f, const u8 *ext)
{
	return bridge(f) ? f->extension + legacy_u32(ext + f->ext_size) : legacy_u16(ext);
}

static void set_ext_len(const struct fuzz_format *f, u8 *ext, u32 len)
{
	if (bridge(f))
		legacy_put32(ext + f->ext_size, len - f->extension);
	else
		legacy_put16(ext, len);
}

static u8 *ext_name(const struct fuzz_format *f, u8 *ext)
{
	return bridge(f) ? ext : ext + 2;
}

static u8 *ext_revision(const struct fuzz_format *f, u8 *ext)
{
	return ext + 31;
}

static bool standard(const struct fuzz_format *f, const u8 *t)
{
	return bridge(f) ? !memcmp(t, "standard", 9) : !t[2];
}

/* => offset of the target, or 0: the item has none that can be used */
static u32 target_of(const struct fuzz_format *f, const struct item *it)
{
	u32 at;

	if (is_head(f, it->bytes) || it->len < f->entry + f->extension)
		return 0;
	at = field(f, it->bytes, f->target);
	return at >= f->entry && at <= it->len - f->extension ? at : 0;
}

/* A verdict's place, or NULL. */
static u8 *verdict_of(const struct fuzz_format *f, struct item *it)
{
	u32 at = target_of(f, it);

	if (!at || !standard(f, it->bytes + at) || at + f->extension + 4 > it->len)
		return NULL;
	return it->bytes + at + f->extension;
}

static u64 pointer(const struct fuzz_format *f, const u8 *p)
{
	return f->compat ? legacy_u32(p) : xt2_raw64(p);
}

static void set_pointer(const struct fuzz_format *f, u8 *p, u64 v)
{
	memcpy(p, &v, f->compat ? 4 : 8);
}

static u8 *hook_at(const struct fuzz_format *f, u8 *header, u32 h)
{
	return header + f->hook_entry + h * (bridge(f) && !f->compat ? 8 : 4);
}

/* The pointer to the entries is the header's last field. */
static u8 *base_at(const struct fuzz_format *f, u8 *header)
{
	return header + f->header - (f->compat ? 4 : 8);
}

/* --- apart ----------------------------------------------------------------------- */

static int item_at(const u32 *offset, u32 n, u64 at)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (offset[i] == at)
			return (int)i;
	return -1;
}

static void name_hooks(struct table *t, const u32 *offset)
{
	const struct fuzz_format *f = t->f;
	u32 h;

	for (h = 0; h < f->hooks; h++) {
		t->hook[h] = t->under[h] = -1;
		if (bridge(f)) {
			t->hook[h] = item_at(offset, t->n,
					     pointer(f, hook_at(f, t->header, h)) -
						     pointer(f, base_at(f, t->header)));
			continue;
		}
		if (!(t->header[32] & 1 << h))
			continue;
		t->hook[h] = item_at(offset, t->n, legacy_u32(hook_at(f, t->header, h)));
		t->under[h] = item_at(offset, t->n, legacy_u32(t->header + f->underflow + 4 * h));
	}
}

static void name_jumps(struct table *t, const u32 *offset)
{
	u32 i;
	u8 *v;

	for (i = 0; i < t->n; i++) {
		t->item[i].jump = NO_JUMP;
		v = verdict_of(t->f, &t->item[i]);
		if (!v || (s32)legacy_u32(v) < 0)
			continue;
		t->item[i].jump = !bridge(t->f) && legacy_u32(v) == offset[i] + t->item[i].len
					  ? NEXT
					  : item_at(offset, t->n, legacy_u32(v));
	}
}

/* => false: nothing to be made of it */
static bool take_apart(struct table *t, const struct fuzz_format *f, const u8 *blob, size_t size)
{
	u32 offset[ITEMS], pos = f->header, len;

	t->f = f;
	t->n = 0;
	if (size < f->header)
		return false;
	memcpy(t->header, blob, f->header);
	for (; t->n < ITEMS && size - pos >= EBT_HEAD; pos += len) {
		if (is_head(f, blob + pos)) {
			len = EBT_HEAD;
		} else {
			if (size - pos < f->entry)
				break;
			len = field(f, blob + pos, f->next);
			if (len < f->entry || len > ITEM_SIZE || len > size - pos)
				break;
		}
		offset[t->n] = pos - f->header;
		t->order[t->n] = (u8)t->n;
		t->item[t->n].len = len;
		memcpy(t->item[t->n++].bytes, blob + pos, len);
	}
	name_hooks(t, offset);
	name_jumps(t, offset);
	return t->n;
}

/* --- together ---------------------------------------------------------------------- */

static void put_jumps(struct table *t, const u32 *offset)
{
	struct item *it;
	u32 i;
	u8 *v;

	for (i = 0; i < t->n; i++) {
		it = &t->item[t->order[i]];
		v = it->jump == NO_JUMP ? NULL : verdict_of(t->f, it);
		if (v)
			legacy_put32(v, it->jump == NEXT ? offset[t->order[i]] + it->len
							 : offset[it->jump]);
	}
}

static void put_hooks(struct table *t, const u32 *offset)
{
	const struct fuzz_format *f = t->f;
	u32 h;

	for (h = 0; h < f->hooks; h++) {
		if (t->hook[h] >= 0 && bridge(f))
			set_pointer(f, hook_at(f, t->header, h),
				    pointer(f, base_at(f, t->header)) + offset[t->hook[h]]);
		else if (t->hook[h] >= 0)
			legacy_put32(hook_at(f, t->header, h), offset[t->hook[h]]);
		if (t->under[h] >= 0)
			legacy_put32(t->header + f->underflow + 4 * h, offset[t->under[h]]);
	}
}

/* Bridge: the head of each chain knows its rules. */
static u32 count(struct table *t)
{
	u8 *head = NULL;
	u32 i, rules = 0, all = 0;

	if (!bridge(t->f))
		return t->n;
	for (i = 0; i < t->n; i++) {
		struct item *it = &t->item[t->order[i]];

		if (is_head(t->f, it->bytes)) {
			head = it->bytes;
			legacy_put32(head + 36, all);
			rules = 0;
		} else {
			all++;
			rules++;
		}
		if (head)
			legacy_put32(head + 44, rules);
	}
	return all;
}

static size_t put_together(struct table *t, u8 *blob, size_t max)
{
	u32 offset[ITEMS] = { 0 }, pos = t->f->header, i;

	for (i = 0; i < t->n && pos + t->item[t->order[i]].len <= max; i++) {
		offset[t->order[i]] = pos - t->f->header;
		pos += t->item[t->order[i]].len;
	}
	t->n = i;
	put_jumps(t, offset);
	put_hooks(t, offset);
	legacy_put32(t->header + t->f->entries, count(t));
	legacy_put32(t->header + t->f->size, pos - t->f->header);
	memcpy(blob, t->header, t->f->header);
	for (pos = t->f->header, i = 0; i < t->n; pos += t->item[t->order[i++]].len)
		memcpy(blob + pos, t->item[t->order[i]].bytes, t->item[t->order[i]].len);
	return pos;
}

/* --- changes ------------------------------------------------------------------------ */

static struct item *some(struct table *t)
{
	return &t->item[t->order[any(t->n)]];
}

/* Make room in an item, or take it away; offsets behind it move.  => done? */
static bool resize(const struct fuzz_format *f, struct item *it, u32 at, u32 old, u32 new)
{
	u32 fields[] = { f->watchers, f->target, f->next }, i;

	if (it->len + new - old > ITEM_SIZE)
		return false;
	memmove(it->bytes + at + new, it->bytes + at + old, it->len - at - old);
	if (new > old)
		memset(it->bytes + at + old, 0, new - old);
	for (i = 0; i < 3; i++)
		if (fields[i] && field(f, it->bytes, fields[i]) + !old > at)
			set_field(f, it->bytes, fields[i],
				  field(f, it->bytes, fields[i]) + new - old);
	it->len += new - old;
	return true;
}

/* => offset of one of the item's extensions, its target among them; 0: none */
static u32 some_extension(const struct fuzz_format *f, const struct item *it, u32 *len)
{
	u32 at[16], n = 0, pos = f->entry;

	if (!target_of(f, it))
		return 0;
	for (; n < 16 && pos + f->extension <= it->len; pos += *len) {
		*len = ext_len(f, it->bytes + pos);
		if (*len < f->extension || *len > it->len - pos)
			break;
		at[n++] = pos;
	}
	if (!n)
		return 0;
	pos = at[any(n)];
	*len = ext_len(f, it->bytes + pos);
	return pos;
}

static void change_bytes(struct table *t)
{
	struct item *it = some(t);
	u32 len = 0, at = any(3) ? some_extension(t->f, it, &len) : 0;

	if (at && len > t->f->extension)
		LLVMFuzzerMutate(it->bytes + at + t->f->extension, len - t->f->extension,
				 len - t->f->extension);
	else if (at)
		LLVMFuzzerMutate(it->bytes + at, len, len);
	else
		LLVMFuzzerMutate(it->bytes, it->len, it->len);
}

static void change_base(struct table *t)
{
	struct item *it = some(t);
	u32 len = t->f->watchers ? t->f->watchers : t->f->target;

	if (!is_head(t->f, it->bytes))
		LLVMFuzzerMutate(it->bytes, len, len);
	else
		LLVMFuzzerMutate(it->bytes + 4, EBT_HEAD - 4, EBT_HEAD - 4);
}

static void double_item(struct table *t)
{
	u32 from = any(t->n), to = any(t->n + 1);
	struct item *it = &t->item[t->n], *old = &t->item[t->order[from]];
	u32 i;

	for (i = 0; i < t->n; i++) /* items have no holes while there is room for one more */
		if (t->order[i] >= t->n)
			return;
	if (t->n == ITEMS)
		return;
	it->len = old->len;
	it->jump = old->jump;
	memcpy(it->bytes, old->bytes, old->len);
	memmove(t->order + to + 1, t->order + to, t->n - to);
	t->order[to] = (u8)t->n++;
}

static void delete_item(struct table *t)
{
	u32 at = any(t->n);

	if (t->n < 2)
		return;
	memmove(t->order + at, t->order + at + 1, t->n - at - 1);
	t->n--;
}

static void move_item(struct table *t)
{
	u32 a = any(t->n), b = any(t->n);
	u8 one = t->order[a];

	t->order[a] = t->order[b];
	t->order[b] = one;
}

static void change_verdict(struct table *t)
{
	static const s32 verdicts[] = { -1, -2, -3, -4, -5, 0, 1 };
	struct item *it = some(t);
	u8 *v = verdict_of(t->f, it);
	u32 way = any(12);

	if (!v)
		return;
	it->jump = way < 7 ? NO_JUMP : way < 9 ? NEXT : t->order[any(t->n)];
	if (way < 7)
		legacy_put32(v, (u32)verdicts[way]);
}

static void fill(u8 *payload, u32 len)
{
	static const u8 bytes[] = { 0, 0, 0, 0, 1, 1, 2, 3, 4, 8, 16, 32, 127, 128, 255, 255 };
	u32 way = any(4), i;

	memset(payload, way == 0, len);
	for (i = 0; i < len && way > 1; i += 1 + any(way == 2 ? 2 : 16))
		payload[i] = bytes[any(sizeof(bytes))];
}

/* Where payloads have names. */
static const struct {
	const char *ext;
	u16 at, size;
} named[] = {
	{ "CT", 12, 16 },	 { "CT", 28, 32 },	 { "helper", 4, 30 },
	{ "hashlimit", 0, 255 }, { "hashlimit", 0, 16 }, { "recent", 12, 200 },
	{ "SECMARK", 8, 256 },	 { "IDLETIMER", 4, 28 }, { "LED", 0, 27 },
	{ "RATEEST", 0, 16 },	 { "rateest", 0, 16 },	 { "nfacct", 0, 32 },
	{ "LOG", 2, 30 },	 { "NFLOG", 12, 64 },	 { "string", 4, 16 },
	{ "cgroup", 4, 512 },	 { "TEE", 16, 16 },	 { "physdev", 0, 16 },
	{ "osf", 0, 32 },	 { "comment", 0, 256 },	 { "physdev", 32, 16 },
	{ "ERROR", 0, 30 },
};

/* A name that ends, or not, with more behind its end. */
static void name_at(u8 *payload, u32 at, u32 size)
{
	/* What a kernel knows, or makes no file of. */
	static const char *const known[] = { "ftp",   "ftp",	   "a/b",    ".",  "..",  "...",
					     "power", "subsystem", "uevent", "bm", "kmp", "fsm" };
	u32 i;

	for (i = 0; i < size; i++)
		payload[at + i] = (u8)('a' + any(26));
	if (size >= 10 && any(2))
		strcpy((char *)payload + at, known[any(XT2_ARRAY_SIZE(known))]);
	if (any(4))
		payload[at + any(size)] = 0;
	if (any(2))
		payload[at + size - 1] = 0;
}

/* In an extension's payload, mostly where it has a name. */
static void name_bytes(const char *ext, u8 *payload, u32 len)
{
	static const u32 sizes[] = { 8, 16, 20, 28, 32, 64, 256 };
	u32 at = len ? any(len) & ~3u : 0, size = sizes[any(XT2_ARRAY_SIZE(sizes))], i, tries;

	for (tries = any(4) * 100; tries; tries--) {
		i = any(XT2_ARRAY_SIZE(named));
		if (strncmp(ext, named[i].ext, LEGACY_NAME))
			continue;
		at = named[i].at;
		size = named[i].size;
		break;
	}
	if (at < len)
		name_at(payload, at, size < len - at ? size : len - at);
}

/* The same in what an entry has. */
static void change_name(struct table *t)
{
	struct item *it = some(t);
	u32 len = 0, at = some_extension(t->f, it, &len);

	if (at && len > t->f->extension)
		name_bytes((char *)ext_name(t->f, it->bytes + at), it->bytes + at + t->f->extension,
			   len - t->f->extension);
}

/* Something behind the end of a name. */
static void litter(u8 *name, u32 size)
{
	u32 i = (u32)strnlen((char *)name, size) + 1 + any(4);

	for (; i < size; i += 1 + any(4))
		name[i] = (u8)any(256);
}

/* Names of interfaces, and masks that end before, with or behind them. */
static void change_interface(struct table *t)
{
	u32 at = t->f->family == XT2_ARP ? 94 : t->f->family == XT2_IPV6 ? 64 : 16, i;
	struct item *it = some(t);

	if (bridge(t->f) || !target_of(t->f, it))
		return;
	at += 16 * any(2);
	name_at(it->bytes, at, 16);
	litter(it->bytes + at, 16);
	memset(it->bytes + at + 32, 0, 16);
	for (i = any(18); i && i <= 16; i--)
		it->bytes[at + 32 + i - 1] = any(32) ? 255 : (u8)any(256);
}

/* The protocol of an entry: what extensions ask for, with and without what makes it count. */
static void set_proto(const struct fuzz_format *f, u8 *e, u8 proto)
{
	bool six = f->family == XT2_IPV6;
	u8 *inv = e + (six ? 132 : 83);

	if (f->family != XT2_IPV4 && !six)
		return;
	e[six ? 128 : 80] = proto;
	e[six ? 129 : 81] = any(64) ? 0 : (u8)any(256);
	*inv = any(8) ? *inv & (u8)~0x40 : *inv | 0x40;
	if (six && any(8))
		e[131] |= 1;
	else if (six)
		e[131] &= (u8)~1;
}

static void change_proto_of(const struct fuzz_format *f, struct item *it)
{
	static const u8 protos[] = { 0, 1, 6, 6, 6, 17, 33, 50, 58, 108, 115, 132, 135, 136, 255 };

	if (target_of(f, it))
		set_proto(f, it->bytes, protos[any(sizeof(protos))]);
}

static void change_proto(struct table *t)
{
	change_proto_of(t->f, some(t));
}

/* A pattern of an algorithm that there is, which hardly comes about by chance. */
static void string_bytes(u8 *payload)
{
	static const char *const algorithms[] = { "bm", "kmp", "fsm", "fsm" };
	u32 i, tokens = 1 + any(4);

	if (!any(4))
		return;
	memset(payload, 0, 152);
	payload[2] = (u8)any(256);
	strcpy((char *)payload + 4, algorithms[any(XT2_ARRAY_SIZE(algorithms))]);
	for (i = 0; i < tokens; i++) {
		payload[20 + 4 * i] = (u8)any(15);
		payload[22 + 4 * i] = (u8)any(i ? 4 : 6);
		payload[23 + 4 * i] = (u8)any(256);
	}
	payload[148] = (u8)(4 * tokens - !any(8));
	payload[149] = any(3) ? 0 : (u8)any(4);
}

/* A row of the kernel's, mostly one that this table may use. */
static const struct legacy_known *some_row(const struct table *t, bool target)
{
	const struct legacy_known *rows = target ? legacy_targets : legacy_matches, *k;
	u32 tries, table = legacy_table_bit((const char *)t->header);

	for (tries = 0;; tries++) {
		k = &rows[any(legacy_known_rows[target])];
		if (tries == 4 || !k->tables || k->tables & table)
			return k;
	}
}

/* With its payload all 0 or 1, some bytes or names. */
static void known_extension(struct table *t)
{
	const struct fuzz_format *f = t->f;
	bool target = any(2);
	const struct legacy_known *k = some_row(t, target);
	struct item *it = some(t);
	u32 at = target_of(f, it), old = 0, len;

	if (!at || bridge(f))
		return;
	len = f->extension + legacy_payload(k, f->compat);
	if (target)
		old = it->len - at;
	else
		at = f->entry;
	if (!resize(f, it, at, old, len))
		return;
	memset(it->bytes + at, 0, len);
	fill(it->bytes + at + f->extension, len - f->extension);
	if (!any(3))
		name_bytes(k->name, it->bytes + at + f->extension, len - f->extension);
	if (!strcmp(k->name, "string"))
		string_bytes(it->bytes + at + f->extension);
	set_ext_len(f, it->bytes + at, len);
	memcpy(ext_name(f, it->bytes + at), k->name, strlen(k->name));
	*ext_revision(f, it->bytes + at) = k->revision;
	if (target)
		it->jump = NO_JUMP;
	if (k->proto && any(4))
		set_proto(f, it->bytes, k->proto);
	else if (k->check && any(2))
		change_proto_of(f, it);
}

/* An extension of one entry into another, or twice into its own. */
static void copy_extension(struct table *t)
{
	struct item *from = some(t), *to = some(t);
	u8 copy[ITEM_SIZE];
	u32 len = 0, at = some_extension(t->f, from, &len);

	if (!at || !target_of(t->f, to))
		return;
	memcpy(copy, from->bytes + at, len);
	if (resize(t->f, to, t->f->entry, 0, len))
		memcpy(to->bytes + t->f->entry, copy, len);
}

static void drop_extension(struct table *t)
{
	struct item *it = some(t);
	u32 len = 0, at = some_extension(t->f, it, &len);

	if (at && at < target_of(t->f, it))
		resize(t->f, it, at, len, 0);
}

static void bend_extension(struct table *t)
{
	struct item *it = some(t);
	u32 len = 0, at = some_extension(t->f, it, &len);
	u8 *ext = it->bytes + at;

	if (!at)
		return;
	switch (any(4)) {
	case 3: litter(ext_name(t->f, ext), 29); return;
	case 0: *ext_revision(t->f, ext) = (u8)any(4); return;
	case 1: LLVMFuzzerMutate(ext_name(t->f, ext), 29, 29); return;
	}
	set_ext_len(t->f, ext, len + 8 - 4 * any(5));
}

static void change_hook(struct table *t)
{
	u32 h = any(t->f->hooks);

	switch (any(4)) {
	case 0: t->hook[h] = t->order[any(t->n)]; return;
	case 1: t->under[h] = bridge(t->f) ? -1 : t->order[any(t->n)]; return;
	case 2: t->header[32] ^= (u8)(1 << h); return;
	}
	LLVMFuzzerMutate(t->header, t->f->header, t->f->header);
}

static void change_table(struct table *t)
{
	static const char *const names[] = {
		"filter", "nat", "mangle", "raw", "security", "broute"
	};

	memset(t->header, 0, 32);
	strcpy((char *)t->header, names[any(XT2_ARRAY_SIZE(names))]);
	if (!any(4))
		litter(t->header, 32);
}

static void (*const changes[])(struct table *t) = {
	change_bytes,	 change_bytes,	  change_bytes,	  change_base,	  change_base,
	double_item,	 delete_item,	  move_item,	  change_verdict, change_verdict,
	known_extension, known_extension, copy_extension, drop_extension, bend_extension,
	change_hook,	 change_table,	  change_name,	  change_proto,	  change_interface,
};

static void seed_with(u32 seed)
{
	rng = seed * 2654435761u | 1;
}

size_t fuzz_mutate(const struct fuzz_format *f, u8 *blob, size_t size, size_t max, u32 seed)
{
	static struct table t;
	u32 n;

	seed_with(seed);
	if (!any(8) || !take_apart(&t, f, blob, size))
		return LLVMFuzzerMutate(blob, size, max);
	for (n = 1 + any(4); n; n--)
		changes[any(XT2_ARRAY_SIZE(changes))](&t);
	return put_together(&t, blob, max);
}

size_t fuzz_cross(const struct fuzz_format *f, const u8 *a, size_t a_size, const u8 *b,
		  size_t b_size, u8 *out, size_t max, u32 seed)
{
	static struct table one, two;
	struct item *it, *from;
	u32 n;

	seed_with(seed);
	if (max < f->header || !take_apart(&one, f, a, a_size) || !take_apart(&two, f, b, b_size))
		return 0;
	for (n = 1 + any(3); n; n--) {
		it = some(&one);
		from = some(&two);
		if (is_head(f, it->bytes) != is_head(f, from->bytes))
			continue;
		it->len = from->len;
		memcpy(it->bytes, from->bytes, from->len);
		if (from->jump >= 0)
			it->jump = from->jump < (int)one.n ? from->jump : NO_JUMP;
		else
			it->jump = from->jump;
	}
	return put_together(&one, out, max);
}
