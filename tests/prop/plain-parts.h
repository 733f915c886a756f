/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain-parts.h - words of random rules: each is added to plain_file, odd ones if it may be odd */
#ifndef TESTS_PLAIN_PARTS_H
#define TESTS_PLAIN_PARTS_H

#include "plain-rules.h"

/* The same numbers from here on as whenever this seed is given. */
void plain_begin(u64 seed);

/* => 0 to n - 1 */
u32 plain_roll(u32 n);

#define pick(list) ((list)[plain_roll(XT2_ARRAY_SIZE(list))])

void plain_add(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Shall the next word be an odd one? */
bool plain_oddly(void);

/* What stands between two words, and what before an option. */
const char *plain_space(void);
const char *plain_not(void);

void plain_counter(void);
void plain_address(void);
void plain_iface(void);
void plain_number(u32 max);
void plain_ports(void);

/* Up to max of n words, with commas. */
void plain_list(const char *const *words, u32 n, u32 max);

#endif
