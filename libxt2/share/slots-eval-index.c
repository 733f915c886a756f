/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slots-eval-index.c - engine/index/eval-index.c, counting in slots */
#include "slots-env.h"
#include "engine/index/eval-index.c"
