/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xt-transport.h - what xt-transport.c and xt-transport6.c share */
#ifndef XT2_TRANSLATORS_EXT_XT_TRANSPORT_H
#define XT2_TRANSLATORS_EXT_XT_TRANSPORT_H

#include "translate.h"

#define XT2_ROW_SIZE_(type) ((sizeof(type) + XT2_ALIGN - 1) & ~(XT2_ALIGN - 1))

/* The sizes that the format has for copies are those of the legacy structures. */
#define XT2_COPY_ASSERT_(copy, type) \
	_Static_assert((copy) == XT2_ROW_SIZE_(type), "a copy has the payload's size")

typedef void xt2_match_unpack_fn_(const struct xt2_match *m, u8 family, void *payload);

/*
 * xt2_odd_keep_ - append the payload if the match doesn't unpack to it
 * @out: complete but for that; @bytes: of the payload's structure
 *
 * For payloads with bytes that decide nothing and have no place of their own.
 */
void xt2_odd_keep_(const void *payload, u32 bytes, u8 family, struct xt2_match *out,
		   xt2_match_unpack_fn_ *unpack);

/* => true if the match carries a copy of the payload, which is then filled in */
bool xt2_odd_take_(const struct xt2_match *m, u32 bytes, void *payload);

/* SPIs and identifications: sets out's size, arg and form; and back. */
void xt2_range_pack_(const __u32 *range, bool inverted, struct xt2_match *out);
bool xt2_range_unpack_(const struct xt2_match *m, __u32 *range);

/* AH of IPv6 and FRAG: append a header test unless it is all zero; and back. */
void xt2_header_test_pack_(u32 hdrlen, u8 flags, bool inverted, struct xt2_match *out);
struct xt2_header_test xt2_header_test_unpack_(const struct xt2_match *m);

#define XT2_DECLARE_ROW_(name)                                                         \
	int xt2_##name##_pack_(const void *payload, u8 family, struct xt2_match *out); \
	void xt2_##name##_unpack_(const struct xt2_match *m, u8 family, void *payload);

/* In xt-transport6.c, with the sizes of their structures. */
XT2_DECLARE_ROW_(icmp6)
XT2_DECLARE_ROW_(ah6)
XT2_DECLARE_ROW_(frag)
XT2_DECLARE_ROW_(rt)
XT2_DECLARE_ROW_(opts)
XT2_DECLARE_ROW_(mh)
XT2_DECLARE_ROW_(ipv6header)
XT2_DECLARE_ROW_(eui64)

enum xt2_row_bytes_ {
	XT2_ICMP6_BYTES_ = 4,
	XT2_AH6_BYTES_ = 16,
	XT2_FRAG_BYTES_ = 16,
	XT2_RT_BYTES_ = 280,
	XT2_OPTS_BYTES_ = 40,
	XT2_MH_BYTES_ = 3,
	XT2_IPV6HEADER_BYTES_ = 3,
	XT2_EUI64_BYTES_ = 4,
};

#endif
