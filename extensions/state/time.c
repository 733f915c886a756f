/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time.c - -m time: dates, days and hours
 *
 * The clock is the packet's (ctx->now and wall), the zone UTC or the host's.  A span
 * over midnight counts with --contiguous for the day on which it began.  The
 * calendar is the kernel's: its years end in 2039, later days are counted on
 * from there.
 *
 * Source: net/netfilter/xt_time.c
 */
#include "extensions/extensions.h"

enum {
	DAY = 86400,
	EPOCH_WEEKDAY = 4, /* 1970-01-01 was a Thursday; Monday is 1, Sunday 7 */
	LAST_YEAR = 2039 - 1970,
};

#define ALL_MONTHDAYS 0xfffffffeu

/* Days from 1970 to the start of a year; 1972 was a leap year, so is every fourth. */
static u32 year_start(u32 year)
{
	return year * 365 + (year + 1) / 4;
}

/* => the day of the month, from 1 */
static u32 monthday(u32 days)
{
	/* days before each month, the first day of the array's year being 0 */
	static const u16 months[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
	u32 year = days / 365 < LAST_YEAR ? days / 365 : LAST_YEAR;
	u32 leap, i;

	if (year_start(year) > days)
		year--;
	days -= year_start(year);
	leap = year % 4 == 2;
	for (i = XT2_ARRAY_SIZE(months) - 1; i > 0; i--) {
		u32 start = months[i] + (i > 1 ? leap : 0);

		if (start <= days)
			return days - start + 1;
	}
	return days + 1;
}

static bool in_day(const struct xt2_match_time __img *k, u32 second, s64 *stamp)
{
	u32 start = k->day_start, stop = k->day_stop & 0xffffff;

	if (start < stop)
		return second >= start && second <= stop;
	if (second < start && second > stop)
		return false;
	if (k->head.flags & XT2_TIME_CONTIGUOUS && second <= stop)
		*stamp -= DAY;
	return true;
}

int xt2_time_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_match_time __img *k = (const void __img *)m;
	s64 stamp = (s64)((ctx->now + ctx->wall) / 1000000000);
	u32 days;

	if (m->flags & XT2_TIME_KERNELTZ)
		stamp -= 60 * (s64)ctx->tz_west;
	if (stamp < k->date_start || stamp > k->date_stop)
		return XT2_MISS;
	if (!in_day(k, (u32)((u64)stamp % DAY), &stamp))
		return XT2_MISS;
	days = (u32)((u64)stamp / DAY);
	if (!(k->day_stop >> 24 >> ((EPOCH_WEEKDAY + days - 1) % 7 + 1) & 1))
		return XT2_MISS;
	if (m->arg != ALL_MONTHDAYS && !(m->arg >> (monthday(days) & 31) & 1))
		return XT2_MISS;
	return XT2_HIT;
}

int xt2_time_check(const struct xt2_match __img *m, u8 family)
{
	const struct xt2_match_time __img *k = (const void __img *)m;
	u32 stop;

	if (m->size != sizeof(*k) || m->flags & ~(XT2_TIME_KERNELTZ | XT2_TIME_CONTIGUOUS))
		return -EINVAL;
	stop = k->day_stop & 0xffffff;
	if (k->day_start >= DAY || stop >= DAY)
		return -EINVAL;
	return m->flags & XT2_TIME_CONTIGUOUS && k->day_start < stop ? -EINVAL : 0;
}
