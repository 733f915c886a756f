/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-clock.c - what the programs know of time
 *
 * They can read a clock that is never set, which limit needs, and the atomic
 * one, which follows the wall clock's steps but not its leap seconds.  How far
 * these two are apart, and the kernel's time zone, change once in years, if at
 * all, and are looked up when a ruleset becomes live.
 */
#include "bpf-private.h"

#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>

static u64 boot_time(void)
{
	struct timespec real, boot;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (u64)(real.tv_sec - boot.tv_sec) * 1000000000 + real.tv_nsec - boot.tv_nsec;
}

/* The coarse clock ticks as the kernel does. */
static u32 clock_rate(void)
{
	struct timespec tick;

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return tick.tv_nsec ? (u32)((1000000000 + tick.tv_nsec / 2) / tick.tv_nsec) : 1;
}

void xt2_live_start_clock_(struct xt2_state *state)
{
	state->clock = boot_time();
	state->hz = clock_rate();
}

void xt2_live_set_date_(struct xt2_state *state)
{
	struct timezone zone = { 0 };
	struct timex t = { 0 };

	adjtimex(&t);
	syscall(SYS_gettimeofday, NULL, &zone); /* the C library's own says nothing of zones */
	state->tai = t.tai;
	state->tz_west = zone.tz_minuteswest;
}
