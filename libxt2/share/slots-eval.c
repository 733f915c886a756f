/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slots-eval.c - engine/eval.c, counting in slots */
#include "slots-env.h"
#include "engine/eval.c"
