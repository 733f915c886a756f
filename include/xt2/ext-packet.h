/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XT2_EXT_PACKET_H
#define XT2_EXT_PACKET_H

#include <xt2/format.h>

#endif
