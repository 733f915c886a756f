/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-digits.c - numbers and addresses, as libc writes them */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "tests/lib/unit-program.h"
#include "tests/fuzz/seed-image.h"
#include "xt2tables/text/print/digits.h"

#define ROUNDS 200000

static u64 state;

static u64 bits(void)
{
	return seed_next(&state) >> seed_below(&state, 64);
}

static void same(char *end, const char *text, const char *expected)
{
	*end = '\0';
	assert_string_equal(text, expected);
}

static void number_is(u64 n)
{
	char text[64], expected[64];

	snprintf(expected, sizeof(expected), "%llu", (unsigned long long)n);
	same(xt2_put_number(text, n), text, expected);
	snprintf(expected, sizeof(expected), "%x", (u32)n);
	same(xt2_put_hex(text, (u32)n), text, expected);
	snprintf(expected, sizeof(expected), "%u", (u8)n);
	same(xt2_put_byte(text, (u8)n), text, expected);
	snprintf(expected, sizeof(expected), "%u", (u32)(n % 100000000));
	same(xt2_put_small(text, (u32)(n % 100000000)), text, expected);
}

static void numbers(void **unused)
{
	u64 n = 1;
	u32 i;

	for (i = 0; i < 65536; i++)
		number_is(i);
	for (i = 0; i < 20; i++, n *= 10) {
		number_is(n - 1);
		number_is(n);
	}
	number_is(~0ull);
	for (i = 0; i < ROUNDS; i++)
		number_is(bits());
}

static void addr6_is(const u16 *word)
{
	char text[XT2_PUT_ADDR6 + XT2_PUT_ROOM + 1], expected[INET6_ADDRSTRLEN];

	assert_non_null(inet_ntop(AF_INET6, word, expected, sizeof(expected)));
	same(xt2_put_addr6(text, word), text, expected);
}

/* All places that zeros can have, beside words of each length. */
static void addresses(void **unused)
{
	char text[64], expected[INET_ADDRSTRLEN];
	u32 i, k, addr;
	u16 word[8];

	for (i = 0; i < ROUNDS; i++) {
		for (k = 0; k < 8; k++) {
			word[k] = seed_below(&state, 4) ? (u16)(bits() >> 48) : 0xffff;
			if (i >> k & 1)
				word[k] = 0;
			word[k] = htons(word[k]);
		}
		addr6_is(word);
		addr = (u32)bits();
		inet_ntop(AF_INET, &addr, expected, sizeof(expected));
		same(xt2_put_addr4(text, ntohl(addr)), text, expected);
	}
}

/* XT2_SEED, or another one each time, printed to run it again. */
static int seed(void **unused)
{
	const char *given = getenv("XT2_SEED");

	state = given ? strtoull(given, NULL, 0) : (u64)time(NULL);
	print_message("XT2_SEED=%llu\n", (unsigned long long)state);
	state = state * 2 + 1;
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(numbers),
	cmocka_unit_test(addresses),
};

UNITS_WITH(tests, seed, NULL)
