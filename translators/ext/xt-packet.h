/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xt-packet.h - rows of xt-packet.c whose functions are in xt-packet-deep.c */
#ifndef XT2_TRANSLATORS_EXT_XT_PACKET_H
#define XT2_TRANSLATORS_EXT_XT_PACKET_H

#include "translate.h"

/* The native inversion byte, rotated right, as flags; and back. */
static inline u8 xt2_invert_flags(u8 invert)
{
	return (u8)(invert << 7 | invert >> 1);
}

static inline u8 xt2_flags_invert(u8 flags)
{
	return (u8)(flags >> 7 | flags << 1);
}

int xt2_string_pack(const void *payload, u8 family, struct xt2_match *out);
void xt2_string_unpack(const struct xt2_match *m, u8 family, void *payload);
int xt2_u32_pack(const void *payload, u8 family, struct xt2_match *out);
void xt2_u32_unpack(const struct xt2_match *m, u8 family, void *payload);
int xt2_bpf_pack0(const void *payload, u8 family, struct xt2_match *out);
void xt2_bpf_unpack0(const struct xt2_match *m, u8 family, void *payload);
int xt2_bpf_pack1(const void *payload, u8 family, struct xt2_match *out);
void xt2_bpf_unpack1(const struct xt2_match *m, u8 family, void *payload);

#endif
