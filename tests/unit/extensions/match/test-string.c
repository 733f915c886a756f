/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-string.c - extensions/match/string.c
 *
 * Against a search by brute force, and against Boyer and Moore's with the
 * kernel's tables where these lose matches.
 */
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"

struct native_string {
	u16 from, to;
	char algo[16];
	u8 pattern[128], len, flags;
	u64 config;
};

static u8 up(u8 c)
{
	return (c >= 'a' && c <= 'z') || (c >= 0xdf && c != 0xf7) ? c - 32 : c;
}

static u8 down(u8 c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 0xc0 && c < 0xdf && c != 0xd7) ? c + 32 : c;
}

static bool occurs_at(const struct native_string *s, const u8 *text)
{
	u32 i;

	for (i = 0; i < s->len; i++)
		if (s->flags & 2 ? up(text[i]) != up(s->pattern[i]) : text[i] != s->pattern[i])
			return false;
	return true;
}

/* What the kernel's tables say: how far to go on after good bytes matched. */
static int good_shift(const struct native_string *s, int good)
{
	int by, i, len = s->len;
	bool ok;

	if (!good)
		return 1;
	for (by = 1; by < len; by++) {
		ok = true;
		for (i = len - good; i < len; i++)
			if (i - by >= 0 && up(s->pattern[i - by]) != up(s->pattern[i]))
				ok = false;
		i = len - good - 1;
		if (i - by >= 0 && up(s->pattern[i - by]) == up(s->pattern[i]))
			ok = false;
		if (ok)
			break;
	}
	return by;
}

static bool occurs_bm(const struct native_string *s, const u8 *text, int n)
{
	int bad[256], at, i, a, b, len = s->len;

	for (i = 0; i < 256; i++)
		bad[i] = len;
	for (i = 0; i < len - 1; i++)
		bad[up(s->pattern[i])] = bad[down(up(s->pattern[i]))] = len - 1 - i;
	for (at = len - 1; at<n; at += a> b ? a : b) {
		for (i = 0; i < len && up(text[at - i]) == up(s->pattern[len - 1 - i]); i++)
			;
		if (i == len)
			return true;
		a = bad[text[at - i]] - i;
		b = good_shift(s, i);
	}
	return false;
}

static bool occurs(const struct native_string *s, const u8 *bytes, u32 n)
{
	u32 i, to = s->to < n ? s->to : n;

	if (s->from >= to)
		return false;
	if (s->algo[0] == 'b' && s->flags & 2)
		return occurs_bm(s, bytes + s->from, to - s->from);
	for (i = s->from; i + s->len <= to; i++)
		if (occurs_at(s, bytes + i))
			return true;
	return false;
}

static u32 string_hits, string_lost;

static void random_string(u64 seed)
{
	u8 family = test_random(&seed) % 2 ? XT2_IPV4 : XT2_IPV6;
	struct native_string s;
	struct test_packet t;
	u8 *exact;
	bool want;
	u32 i;

	test_string_random(&s, &seed);
	test_packet_random(&t, family, &seed);
	if (test_random(&seed) % 2 && t.pkt.len >= s.len) /* plant it */
		memcpy(t.room + test_random(&seed) % (t.pkt.len - s.len + 1), s.pattern, s.len);
	exact = malloc(t.pkt.caplen);
	memcpy(exact, t.room, t.pkt.caplen);
	t.pkt.data = exact;
	want = occurs(&s, exact, t.pkt.caplen);
	string_hits += want;
	for (i = s.from; !want && i + s.len <= t.pkt.caplen && i + s.len <= s.to; i++)
		if (occurs_at(&s, exact + i)) {
			string_lost++;
			break;
		}
	if (s.flags & 1)
		want = !want;
	assert_int_equal(test_ask(&t, family, "string", 1, &s, sizeof(s)),
			 want ? XT2_HIT : XT2_MISS);
	free(exact);
}

static void test_string(void **state)
{
	test_many(100000, random_string);
	print_message("%u found, %u passed over by bm\n", string_hits, string_lost);
	if (!getenv("XT2_SEED")) {
		assert_in_range(string_hits, 1000, 99000);
		assert_in_range(string_lost, 1, 99000);
	}
}

static void test_string_cut(void **state)
{
	static struct native_string s; /* zero in its padding, too, as libxtables' are */
	struct test_packet t;

	s.to = 65535;
	memcpy(s.algo, "kmp", 3);
	s.pattern[0] = 'x';
	s.len = 1;
	test_packet4(&t);
	t.pkt.caplen = 30;
	assert_int_equal(test_ask(&t, XT2_IPV4, "string", 1, &s, sizeof(s)), XT2_MISS);
	assert_int_equal(t.pkt.cut, 1);
	t.pkt.cut = 0;
	s.to = 30;
	assert_int_equal(test_ask(&t, XT2_IPV4, "string", 1, &s, sizeof(s)), XT2_MISS);
	assert_int_equal(t.pkt.cut, 0);
}

static void test_checked(void **state)
{
	/* the length of the pattern, then "ab" and its shifts */
	RIGHT(IPV4, STRING, 0, 16, 0, 0x616102);
	WRONG(IPV4, STRING, 0, 16, 0, 0x616100);
	WRONG(IPV4, STRING, 0, 8, 0);
	WRONG(IPV4, STRING, 0, 24, 0, 0x616102);
	WRONG(IPV4, STRING, 0, 16, 0, 0x01616102); /* padding */
	WRONG(IPV4, STRING, 0x08, 16, 0, 0x616102);
	RIGHT(IPV4, STRING, 0, 16, 5 | 5 << 16, 0x616102);
	WRONG(IPV4, STRING, 0, 16, 6 | 5 << 16, 0x616102);
	RIGHT(IPV4, STRING, XT2_STRING_SHIFTS | XT2_STRING_ICASE, 16, 0, 0x0201616102);
	WRONG(IPV4, STRING, XT2_STRING_SHIFTS, 16, 0, 0x0201616102);
	WRONG(IPV4, STRING, XT2_STRING_SHIFTS | XT2_STRING_ICASE, 16, 0, 0x0301616102);
	WRONG(IPV4, STRING, XT2_STRING_SHIFTS | XT2_STRING_ICASE, 16, 0, 0x0200616102);
	RIGHT(IPV4, STRING, 0, 144, 0, 128, [16] = 0);
	WRONG(IPV4, STRING, 0, 144, 0, 129);
}

static const struct CMUnitTest tests[] = {
	test_of_seeds(test_string),
	cmocka_unit_test(test_string_cut),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
