/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fast-word.c - the words that all readers of plain lines share: below the other files here */
#include "config.h"
#include <string.h>
#include "fast-line.h"

static const struct {
	const char *name;
	char letter;
} long_options[] = {
	{ "source", 's' },	  { "src", 's' },	   { "destination", 'd' },
	{ "dst", 'd' },		  { "protocol", 'p' },	   { "in-interface", 'i' },
	{ "out-interface", 'o' }, { "jump", 'j' },	   { "goto", 'g' },
	{ "match", 'm' },	  { "set-counters", 'c' }, { "fragments", 'f' },
};

char xt2_fast_letter(const char *name, u32 len)
{
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(long_options); i++)
		if (xt2_fast_same(name, len, long_options[i].name))
			return long_options[i].letter;
	return 0;
}

/* --- numbers ------------------------------------------------------------------ */

/* clang-format off */
const u8 xt2_fast_digits[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5,
	['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
	['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};
/* clang-format on */

bool xt2_fast_number32(struct xt2_fast *p, __u32 *value)
{
	u64 v;

	if (p->at[0] == '0' && p->at[1] == 'x') {
		p->at += 2;
		return xt2_fast_hex(p, 8, value);
	}
	if (!xt2_fast_number(p, ~(u32)0, &v))
		return false;
	*value = (__u32)v;
	return true;
}

/* --- texts --------------------------------------------------------------------- */

/* Up to the closing quote; a backslash takes the next byte as it is. */
static bool unquote(struct xt2_fast *p)
{
	char *to = p->free;

	while (*p->at != '"') {
		if (*p->at == '\\')
			p->at++;
		if (p->at >= p->end || to - p->free == XT2_FAST_COMMENT)
			return false;
		*to++ = *p->at++;
	}
	p->comment = p->free;
	p->comment_len = (u32)(to - p->free);
	p->free = to;
	p->at++;
	return true;
}

static bool quoted(struct xt2_fast *p)
{
	const char *close = memchr(p->at, '"', (size_t)(p->end - p->at));

	if (!close)
		return false;
	p->comment = p->at;
	p->comment_len = (u32)(close - p->at);
	if (memchr(p->at, '\\', p->comment_len))
		return unquote(p);
	p->at = close + 1;
	return true;
}

bool xt2_fast_text(struct xt2_fast *p)
{
	p->comment = p->at;
	p->comment_len = xt2_fast_length(p->at);
	if (!xt2_fast_take(p, '"'))
		p->at += p->comment_len;
	else if (!quoted(p))
		return false;
	return p->comment_len && p->comment_len <= XT2_FAST_COMMENT;
}
