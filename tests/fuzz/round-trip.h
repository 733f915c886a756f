/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * round-trip.h - text in, text out, and in again
 *
 * What fuzz-grammar and fuzz-text do with their input: see round-trip.c.
 */
#ifndef XT2_FUZZ_ROUND_TRIP_H
#define XT2_FUZZ_ROUND_TRIP_H

#include <stddef.h>
#include "engine/env.h"

/* Aborts if anything is wrong with what the programs make of this text. */
void round_trip(const u8 *text, size_t size);

/* Puts an option behind the program's name, so that the caller's own counts. */
void round_trip_option(int *argc, char ***argv, const char *option);

#endif
