/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt-packet-deep.c - string, u32 and bpf: legacy <-> packed
 *
 * The matches whose native form has room for the longest pattern or program;
 * the packed form has what is used.
 */
#include "xt-packet.h"
#include <linux/netfilter/xt_bpf.h>
#include <linux/netfilter/xt_string.h>
#include <linux/netfilter/xt_u32.h>
#include "extensions/match/payload.h"

static u16 rounded(u32 size)
{
	return (u16)((size + XT2_ALIGN - 1) / XT2_ALIGN * XT2_ALIGN);
}

/* Upper-case Latin-1, as the kernel's toupper() */
static u8 upper(u8 c)
{
	if ((c >= 'a' && c <= 'z') || (c >= 0xdf && c != 0xf7))
		return c - 0x20;
	return c;
}

/*
 * Without these bytes, every byte that bm takes for a letter of the pattern
 * is that letter or its lower-case form, and bm misses nothing.
 */
static bool letters_pair(const u8 *pat, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (upper(pat[i]) == 0xbf || upper(pat[i]) == 0xdf)
			return false;
	return true;
}

/* The last n bytes stand again by bytes before, and what precedes them differs. */
static bool recurs(const u8 *pat, u32 len, u32 n, u32 by)
{
	u32 i;

	for (i = len - 1; i >= len - n && i >= by; i--)
		if (upper(pat[i]) != upper(pat[i - by]))
			return false;
	return len - 1 - n < by || upper(pat[len - 1 - n]) != upper(pat[len - 1 - n - by]);
}

/* How far bm moves on after n bytes at the pattern's end, by n. */
static void make_shifts(const u8 *pat, u32 len, u8 *shifts)
{
	u32 n, by;

	shifts[0] = 1;
	for (n = 1; n < len; n++) {
		for (by = 1; by < len && !recurs(pat, len, n, by); by++)
			;
		shifts[n] = by;
	}
}

/*
 * A pattern of fsm is tokens of four bytes, carried if the kernel takes it:
 * what, 0 to 13; how often, 0 to 4, 4 at the head alone of several; a byte.
 * Source: fsm_init() in lib/ts_fsm.c
 */
static int fsm(const struct xt_string_info *info)
{
	u32 at, often;
	u16 type;

	if (info->patlen % 4 || info->u.v1.flags & XT_STRING_FLAG_IGNORECASE)
		return -EINVAL;
	for (at = 0; at < info->patlen; at += 4) {
		memcpy(&type, info->pattern + at, sizeof(type));
		often = (u8)info->pattern[at + 2];
		if (type > 13 || often > 4 || (often == 4 && (at || info->patlen == 4)))
			return -EINVAL;
	}
	return -EOPNOTSUPP;
}

/* textsearch_prepare() finds no other algorithm. */
static int algorithm(const struct xt_string_info *info, u8 *flags)
{
	const char *algo = info->algo;

	if (algo[XT_STRING_MAX_ALGO_NAME_SIZE - 1])
		return -EINVAL;
	if (!strcmp(algo, "kmp"))
		*flags = XT2_STRING_KMP;
	else if (!strcmp(algo, "fsm"))
		return fsm(info);
	else if (strcmp(algo, "bm"))
		return -EINVAL;
	return 0;
}

int xt2_string_pack(const void *payload, u8 family, struct xt2_match *out)
{
	struct xt2_match_string *k = (struct xt2_match_string *)out;
	const struct xt_string_info *info = payload;
	const u8 *pat = (const u8 *)info->pattern;
	u32 used = info->patlen;
	u8 native = info->u.v1.flags, flags = 0;
	int err;

	if (info->from_offset > info->to_offset || !info->patlen ||
	    info->patlen > XT_STRING_MAX_PATTERN_SIZE ||
	    native & ~(XT_STRING_FLAG_IGNORECASE | XT_STRING_FLAG_INVERT))
		return -EINVAL;
	err = algorithm(info, &flags);
	if (err)
		return err;
	if (native & XT_STRING_FLAG_INVERT)
		flags |= XT2_MATCH_INVERT;
	if (native & XT_STRING_FLAG_IGNORECASE)
		flags |= XT2_STRING_ICASE;
	memcpy(k->byte, pat, info->patlen);
	if (flags & XT2_STRING_ICASE && !(flags & XT2_STRING_KMP) &&
	    !letters_pair(pat, info->patlen)) {
		flags |= XT2_STRING_SHIFTS;
		make_shifts(pat, info->patlen, k->byte + info->patlen);
		used *= 2;
	}
	k->len = info->patlen;
	out->flags = flags;
	out->size = rounded(sizeof(*out) + 1 + used);
	return 0;
}

void xt2_string_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	const struct xt2_match_string *k = (const struct xt2_match_string *)m;
	struct xt_string_info *info = payload;

	strcpy(info->algo, m->flags & XT2_STRING_KMP ? "kmp" : "bm");
	memcpy(info->pattern, k->byte, k->len);
	info->patlen = k->len;
	if (m->flags & XT2_MATCH_INVERT)
		info->u.v1.flags |= XT_STRING_FLAG_INVERT;
	if (m->flags & XT2_STRING_ICASE)
		info->u.v1.flags |= XT_STRING_FLAG_IGNORECASE;
}

/* => words written; -EINVAL; -EOPNOTSUPP: operators that mean nothing */
static int test_pack(const struct xt_u32_test *ct, u32 *w)
{
	int err = ct->location[0].nextop ? -EOPNOTSUPP : 0;
	u32 i, n = 0;

	if (ct->nnums > XT2_U32_NUMBERS_MAX || ct->nvalues > XT2_U32_RANGES_MAX)
		return -EINVAL;
	w[n++] = ct->nnums | (u32)ct->nvalues << 4;
	w[n++] = ct->location[0].number;
	for (i = 1; i < ct->nnums; i++) {
		if (ct->location[i].nextop > XT_U32_AT)
			err = -EOPNOTSUPP;
		if ((ct->location[i].nextop == XT_U32_LEFTSH ||
		     ct->location[i].nextop == XT_U32_RIGHTSH) &&
		    ct->location[i].number >= 32)
			return -EINVAL;
		w[0] |= (ct->location[i].nextop & 3u) << (6 + 2 * i);
		w[n++] = ct->location[i].number;
	}
	for (i = 0; i < ct->nvalues; i++) {
		w[n++] = ct->value[i].min;
		w[n++] = ct->value[i].max;
	}
	return err ? err : (int)n;
}

int xt2_u32_pack(const void *payload, u8 family, struct xt2_match *out)
{
	struct xt2_match_u32 *k = (struct xt2_match_u32 *)out;
	const struct xt_u32 *info = payload;
	int words, err = 0;
	u32 i, n = 0;

	if (info->ntests > XT2_U32_TESTS_MAX)
		return -EINVAL;
	for (i = 0; i < info->ntests; i++) {
		words = test_pack(&info->tests[i], k->word + n);
		if (words == -EINVAL)
			return words;
		if (words < 0)
			err = words;
		else
			n += words;
	}
	if (err)
		return err;
	out->arg = info->ntests;
	out->flags = xt2_invert_flags(info->invert);
	out->size = rounded(sizeof(*out) + 4 * n);
	return 0;
}

static void test_unpack(const __u32 *w, struct xt_u32_test *ct)
{
	u32 i, n = 1;

	ct->nnums = XT2_U32_NUMBERS(w[0]);
	ct->nvalues = XT2_U32_RANGES(w[0]);
	ct->location[0].number = w[n++];
	for (i = 1; i < ct->nnums; i++) {
		ct->location[i].nextop = XT2_U32_OP(w[0], i);
		ct->location[i].number = w[n++];
	}
	for (i = 0; i < ct->nvalues; i++) {
		ct->value[i].min = w[n++];
		ct->value[i].max = w[n++];
	}
}

void xt2_u32_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	const __u32 *w = ((const struct xt2_match_u32 *)m)->word;
	struct xt_u32 *info = payload;
	u32 i;

	info->ntests = m->arg;
	info->invert = xt2_flags_invert(m->flags);
	for (i = 0; i < m->arg; i++) {
		test_unpack(w, &info->tests[i]);
		w += XT2_U32_WORDS(w[0]);
	}
}

/* struct sock_filter and struct xt2_bpf_insn are the same bytes. */
static int program_pack(const struct sock_filter *insn, u32 n, struct xt2_match *out)
{
	if (!n || n > XT2_BPF_MAX)
		return -EINVAL;
	out->size = sizeof(*out) + n * sizeof(struct xt2_bpf_insn);
	memcpy(((struct xt2_match_bpf *)out)->insn, insn, n * sizeof(*insn));
	return xt2_bpf_verify(out);
}

static u32 program_unpack(const struct xt2_match *m, struct sock_filter *insn)
{
	memcpy(insn, ((const struct xt2_match_bpf *)m)->insn, m->size - sizeof(*m));
	return (m->size - sizeof(*m)) / sizeof(*insn);
}

int xt2_bpf0_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_bpf_info *info = payload;

	return program_pack(info->bpf_program, info->bpf_program_num_elem, out);
}

void xt2_bpf0_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_bpf_info *info = payload;

	info->bpf_program_num_elem = program_unpack(m, info->bpf_program);
}

int xt2_bpf1_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_bpf_info_v1 *info = payload;

	if (info->mode == XT_BPF_MODE_FD_ELF || info->mode == XT_BPF_MODE_FD_PINNED)
		return -EOPNOTSUPP;
	if (info->mode != XT_BPF_MODE_BYTECODE)
		return -EINVAL;
	out->flags = XT2_BPF_REVISION1;
	return program_pack(info->bpf_program, info->bpf_program_num_elem, out);
}

void xt2_bpf1_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_bpf_info_v1 *info = payload;

	info->mode = XT_BPF_MODE_BYTECODE;
	info->bpf_program_num_elem = program_unpack(m, info->bpf_program);
}
