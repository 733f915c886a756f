/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xt-transport.h - what xt-transport.c and xt-transport6.c share */
#ifndef XT2_TRANSLATORS_EXT_XT_TRANSPORT_H
#define XT2_TRANSLATORS_EXT_XT_TRANSPORT_H

#include "translate.h"

/* The sizes that the format has for copies are those of the legacy structures. */
#define XT2_COPY_ASSERT_(copy, type) \
	_Static_assert((copy) == XT2_ROW_SIZE_(sizeof(type)), "a copy has the payload's size")

/* SPIs and identifications: sets out's size, arg and form; and back. */
void xt2_range_pack_(const __u32 *range, bool inverted, struct xt2_match *out);
bool xt2_range_unpack_(const struct xt2_match *m, __u32 *range);

/* AH of IPv6 and FRAG: append a header test unless it is all zero; and back. */
void xt2_header_test_pack_(u32 hdrlen, u8 flags, bool inverted, struct xt2_match *out);
struct xt2_header_test xt2_header_test_unpack_(const struct xt2_match *m);

/* In xt-transport6.c, with the sizes of their structures. */
xt2_match_pack_fn xt2_ah6_pack_, xt2_frag_pack_, xt2_rt_pack_, xt2_opts_pack_, xt2_mh_pack_,
	xt2_ipv6header_pack_;
xt2_match_unpack_fn xt2_frag_unpack_, xt2_rt_unpack_, xt2_opts_unpack_;

enum xt2_row_bytes_ {
	XT2_AH6_BYTES_ = 16,
	XT2_FRAG_BYTES_ = 16,
	XT2_RT_BYTES_ = 280,
	XT2_OPTS_BYTES_ = 40,
};

#endif
