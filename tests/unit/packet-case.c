/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet-case.c - what the tests of packet matches share */
#include "packet-case.h"
#include <time.h>
#include <linux/netfilter/xt_addrtype.h>
#include <linux/netfilter/xt_bpf.h>
#include <linux/netfilter/xt_devgroup.h>
#include <linux/netfilter/xt_iprange.h>
#include <linux/netfilter/xt_physdev.h>
#include <linux/netfilter/xt_string.h>
#include <linux/netfilter/xt_u32.h>

static u64 packed[1024];

u64 test_random(u64 *seed)
{
	u64 z = *seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static u64 seed_now; /* 0: no random test is running */

void test_many(u32 n, void (*f)(u64 seed))
{
	const char *again = getenv("XT2_SEED");
	u64 seed = again ? strtoull(again, NULL, 0) : (u64)time(NULL) << 20;
	u32 i;

	for (i = 0; i < (again ? 1 : n); i++) {
		seed_now = seed + i;
		f(seed_now);
	}
	seed_now = 0;
}

int test_seed(void **state)
{
	if (seed_now)
		print_message("run it again with XT2_SEED=%llu\n", (unsigned long long)seed_now);
	seed_now = 0;
	return 0;
}

static void packet(struct test_packet *t, u8 family, const u8 *bytes, u32 len)
{
	memset(t, 0, sizeof(*t));
	memcpy(t->room, bytes, len);
	t->pkt.data = t->room;
	t->pkt.caplen = t->pkt.len = len;
	t->pkt.family = family;
	t->ctx.pkt = &t->pkt;
}

void test_packet4(struct test_packet *t)
{
	static const u8 bytes[40] = { 0x45, 0xb8, 0,   40,  0, 1, 0, 0,	 64, 17, 0, 0,	10, 1,
				      2,    3,	  192, 168, 0, 9, 0, 53, 4,  0,	 0, 20, 0,  0 };

	packet(t, XT2_IPV4, bytes, sizeof(bytes));
	t->pkt.src4 = 0x0a010203;
	t->pkt.dst4 = 0xc0a80009;
}

void test_packet6(struct test_packet *t)
{
	static const u8 bytes[56] = { 0x62, 0x80, 0,   0,    0,	       16,	    17, 3,
				      0x20, 1,	  0xd, 0xb8, [23] = 1, [24] = 0xff, 2,	[39] = 5 };

	packet(t, XT2_IPV6, bytes, sizeof(bytes));
	memcpy(t->pkt.src, bytes + 8, 16);
	memcpy(t->pkt.dst, bytes + 24, 16);
}

void test_packet_random(struct test_packet *t, u8 family, u64 *seed)
{
	static const u8 letters[] = { 0, 1, 2, 'a', 'A', 'b', 0xdf, 0xff, 0xbf, 0xe0, 0xc0, 20 };
	u32 i;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < sizeof(t->room); i++)
		t->room[i] = letters[test_random(seed) % sizeof(letters)];
	t->pkt.data = t->room;
	t->pkt.len = test_random(seed) % (sizeof(t->room) + 1);
	t->pkt.caplen = test_random(seed) % 4 ? t->pkt.len : test_random(seed) % (t->pkt.len + 1);
	t->pkt.family = family;
	t->pkt.bridged = test_random(seed) % 2;
	t->pkt.pkttype = test_random(seed) % 6;
	t->pkt.mark = test_random(seed) % 8;
	t->pkt.src_type = test_random(seed) % 12;
	t->pkt.src4 = test_random(seed);
	t->pkt.dst4 = test_random(seed);
	t->ctx.pkt = &t->pkt;
}

struct xt2_match *test_packed(void)
{
	return (struct xt2_match *)packed;
}

int test_pack(u8 family, const char *name, u8 revision, const void *payload, u32 size)
{
	static u64 room[2048];
	int n = xt2_match_pack(xt2_row_find(family, false, name, revision), family, payload, size,
			       (struct xt2_match *)room, sizeof(room));

	if (n > 0) {
		memcpy(packed, room, n);
		assert_int_equal(test_packed()->size, n);
		assert_int_equal(xt2_match_ext_check(test_packed(), family), 0);
	}
	return n;
}

int test_ask(struct test_packet *t, u8 family, const char *name, u8 revision, const void *payload,
	     u32 size)
{
	assert_true(test_pack(family, name, revision, payload, size) > 0);
	return xt2_match_ext(test_packed(), &t->ctx);
}

static u8 small(u64 *seed)
{
	u64 r = test_random(seed);

	return r >> 8 & 1 ? r & 3 : r & 0xff;
}

void test_string_random(void *payload, u64 *seed)
{
	static const char few[] = { 'a', 'b', 'A', 0xdf, 0xff, 0xbf, 0xe0, 0xc0, 0 };
	struct xt_string_info *info = payload;
	u32 i, alphabet = 1 + test_random(seed) % sizeof(few);

	memset(info, 0, sizeof(*info));
	info->patlen = 1 + test_random(seed) % (test_random(seed) % 4 ? 5 : 128);
	for (i = 0; i < info->patlen; i++)
		info->pattern[i] = few[test_random(seed) % alphabet];
	info->from_offset = test_random(seed) % 2 ? 0 : test_random(seed) % 100;
	info->to_offset = test_random(seed) % 2 ? 65535
						: info->from_offset + test_random(seed) % 200;
	info->u.v1.flags = test_random(seed) % 4;
	strcpy(info->algo, test_random(seed) % 2 ? "bm" : "kmp");
}

void test_u32_random(void *payload, u64 *seed)
{
	struct xt_u32 *info = payload;
	struct xt_u32_test *ct;
	u32 i, j;

	memset(info, 0, sizeof(*info));
	info->ntests = test_random(seed) % (test_random(seed) % 8 ? 3 : 12);
	info->invert = test_random(seed) % 8 ? test_random(seed) % 2 : small(seed);
	for (i = 0; i < info->ntests; i++) {
		ct = &info->tests[i];
		ct->nnums = test_random(seed) % (test_random(seed) % 8 ? 5 : 12);
		ct->nvalues = test_random(seed) % (test_random(seed) % 8 ? 3 : 12);
		ct->location[0].number = test_random(seed) % 64;
		for (j = 1; j < ct->nnums; j++) {
			ct->location[j].nextop = test_random(seed) % 4;
			ct->location[j].number = test_random(seed) % 32;
			if (ct->location[j].nextop == XT_U32_AND && test_random(seed) % 4)
				ct->location[j].number = test_random(seed);
		}
		for (j = 0; j < ct->nvalues; j++) {
			ct->value[j].min = test_random(seed) % 3 ? 0 : test_random(seed);
			ct->value[j].max = test_random(seed);
		}
	}
}

/* One instruction at pc of n; operands mostly in range. */
static struct sock_filter insn_random(u32 pc, u32 n, u64 *seed)
{
	static const u16 codes[] = {
		0x00, 0x01, 0x02, 0x03, 0x04, 0x0c, 0x14, 0x1c, 0x24, 0x2c, 0x34, 0x3c, 0x44,
		0x4c, 0x54, 0x5c, 0x64, 0x6c, 0x74, 0x7c, 0x84, 0x94, 0x9c, 0xa4, 0xac, 0x05,
		0x15, 0x1d, 0x25, 0x2d, 0x35, 0x3d, 0x45, 0x4d, 0x20, 0x28, 0x30, 0x40, 0x48,
		0x50, 0x60, 0x61, 0x80, 0x81, 0xb1, 0x07, 0x87, 0x06, 0x16,
	};
	u32 left = n - pc - 1;
	struct sock_filter f = {
		.code = codes[test_random(seed) % (sizeof(codes) / sizeof(codes[0]))],
		.jt = left ? test_random(seed) % left : 0,
		.jf = left ? test_random(seed) % left : 0,
		.k = test_random(seed) % 16,
	};

	if (test_random(seed) % 8 == 0)
		f.k = test_random(seed) % 300;
	if (test_random(seed) % 8 == 0 && (f.code & 7) == 4)
		f.k = test_random(seed);
	if (f.code == 5)
		f.k = f.jt;
	if (pc == n - 1)
		f.code = test_random(seed) % 2 ? 0x16 : 0x06;
	return f;
}

u32 test_program_random(void *insns, u64 *seed)
{
	u32 pc, n = 1 + test_random(seed) % (test_random(seed) % 4 ? 20 : XT_BPF_MAX_NUM_INSTR);
	struct sock_filter *f = insns;

	for (pc = 0; pc < n; pc++)
		f[pc] = insn_random(pc, n, seed);
	for (pc = 0; pc + 1 < n && pc < 4; pc++) { /* something to load from */
		f[pc].code = pc & 1 ? 0x03 : 0x02;
		f[pc].k = pc;
	}
	if (test_random(seed) % 16 == 0)
		f[test_random(seed) % n].code = test_random(seed) % 256;
	if (test_random(seed) % 16 == 0)
		f[test_random(seed) % n].k = test_random(seed) % 80;
	return n;
}

static void iface_random(char *name, char *mask, u64 *seed)
{
	u32 i, n = test_random(seed) % 17;

	switch (test_random(seed) % 4) {
	case 0: return;
	case 1:
		for (i = 0; i < 16; i++) {
			name[i] = test_random(seed);
			mask[i] = test_random(seed) % 2 ? 0xff : test_random(seed);
		}
		return;
	}
	for (i = 0; i < n && i < 15; i++)
		name[i] = 'a' + i;
	memset(mask, 0xff, n);
	if (n && n < 16 && test_random(seed) % 2)
		name[n - 1] = 0;
	else if (n < 16)
		name[n] = '+';
}

static void special_random(const char *name, u8 family, void *payload, u64 *seed)
{
	struct xt_iprange_mtinfo *range = payload;
	struct xt_physdev_info *physdev = payload;
	u32 i, n = family == XT2_IPV6 ? 16 : 4;

	if (!strcmp(name, "iprange")) {
		range->flags = test_random(seed);
		for (i = 0; i < n; i++) {
			if (range->flags & IPRANGE_SRC) {
				((u8 *)&range->src_min)[i] = small(seed);
				((u8 *)&range->src_max)[i] = small(seed);
			}
			if (range->flags & IPRANGE_DST) {
				((u8 *)&range->dst_min)[i] = small(seed);
				((u8 *)&range->dst_max)[i] = small(seed);
			}
		}
	} else if (!strcmp(name, "physdev")) {
		iface_random(physdev->physindev, physdev->in_mask, seed);
		iface_random(physdev->physoutdev, physdev->out_mask, seed);
		physdev->invert = small(seed);
		physdev->bitmask = 1 + test_random(seed) % 31;
	} else if (!strcmp(name, "string")) {
		test_string_random(payload, seed);
	} else if (!strcmp(name, "u32")) {
		test_u32_random(payload, seed);
	}
}

/* => false: let it be random bytes */
static bool special(const char *name)
{
	return !strcmp(name, "iprange") || !strcmp(name, "physdev") || !strcmp(name, "string") ||
	       !strcmp(name, "u32");
}

/* Bytes of the structure without its tail padding, by row. */
static u32 real_bytes(const struct xt2_row *row)
{
	switch (row->type) {
	case XT2_M_LENGTH: return 5;
	case XT2_M_TTL:
	case XT2_M_HL:
	case XT2_M_DSCP: return 2;
	case XT2_M_TOS: return 3;
	case XT2_M_MARK:
	case XT2_M_CONNMARK: return 9;
	case XT2_M_DEVGROUP: return 20;
	case XT2_M_MAC: return 12;
	case XT2_M_ADDRTYPE: return row->revision ? 8 : 12;
	}
	return row->size;
}

static void program_payload(const struct xt2_row *row, u8 *payload, u64 *seed)
{
	struct xt_bpf_info_v1 *v1 = (struct xt_bpf_info_v1 *)payload;
	struct xt_bpf_info *v0 = (struct xt_bpf_info *)payload;

	if (row->revision) {
		v1->fd = test_random(seed) % 3 - 1;
		v1->bpf_program_num_elem = test_program_random(v1->bpf_program, seed);
	} else {
		v0->bpf_program_num_elem = test_program_random(v0->bpf_program, seed);
	}
}

static u32 done[64];

u32 test_payloads_least(void)
{
	u32 i, least = ~0u;

	for (i = 0; xt2_packet_rows[i].name; i++)
		if (done[i] < least)
			least = done[i];
	return least;
}

void test_payload_random(u64 *seed)
{
	u64 room[256] = { 0 }, back[256];
	const struct xt2_row *row = xt2_packet_rows, *found;
	u32 i, rows = 0;
	u8 family;
	int n;

	while (row[rows].name)
		rows++;
	row += test_random(seed) % rows;
	family = row->family ? row->family : test_random(seed) % 2 ? XT2_IPV4 : XT2_IPV6;
	if (row->type == XT2_M_BPF)
		program_payload(row, (u8 *)room, seed);
	else if (special(row->name))
		special_random(row->name, family, room, seed);
	else
		for (i = 0; i < real_bytes(row); i++)
			((u8 *)room)[i] = test_random(seed) % 2 ? 0 : small(seed);
	if (row->type == XT2_M_MAC)
		((u8 *)room)[6] = ((u8 *)room)[7] = 0;
	n = test_pack(family, row->name, row->revision, room, row->size);
	if (n == -EINVAL || n == 0)
		return; /* the random payload is not valid; others are */
	assert_true(n > 0);
	memset(back, 0xaa, sizeof(back));
	assert_int_equal(xt2_match_unpack(family, test_packed(), &found, back, sizeof(back)),
			 row->size);
	assert_ptr_equal(found, row);
	assert_memory_equal(back, room, row->size);
	done[row - xt2_packet_rows]++;
}
