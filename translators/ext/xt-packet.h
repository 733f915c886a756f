/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xt-packet.h - rows of xt-packet.c whose functions are in xt-packet-deep.c */
#ifndef XT2_TRANSLATORS_EXT_XT_PACKET_H
#define XT2_TRANSLATORS_EXT_XT_PACKET_H

#include "translate.h"

xt2_match_pack_fn xt2_string_pack, xt2_u32_pack, xt2_bpf0_pack, xt2_bpf1_pack;
xt2_match_unpack_fn xt2_string_unpack, xt2_u32_unpack, xt2_bpf0_unpack, xt2_bpf1_unpack;

#endif
