/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XT2_MODULE_RANDOM_H
#define XT2_MODULE_RANDOM_H

#include <linux/random.h>

#undef GRND_NONBLOCK
#define GRND_NONBLOCK	       0
#define getrandom(p, n, flags) (get_random_bytes(p, n), (ssize_t)(n))

#endif
