/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XT2_EXT_TARGET_H
#define XT2_EXT_TARGET_H

#include <xt2/format.h>

#endif
