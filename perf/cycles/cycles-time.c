/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cycles-time.c - time, caches, memory of xt2-cycles
 *
 * The time-stamp counter is read between two fences, so that nothing of what
 * is measured drifts out.  It is constant in time but not in the core's
 * clock: what is printed as cycles are its ticks.
 */
#include "cycles.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

static u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

u64 ticks(void)
{
#ifdef __x86_64__
	u64 t;

	_mm_lfence();
	t = __rdtsc();
	_mm_lfence();
	return t;
#else
	return now();
#endif
}

double ticks_calibrate(unsigned int milliseconds)
{
	u64 start = now(), tsc = ticks(), end;

	do {
		end = now();
	} while (end - start < milliseconds * 1000000ull);
	return (double)(ticks() - tsc) / (double)(end - start);
}

int cpu_pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

u64 cpu_lost(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0 : (u64)usage.ru_nivcsw;
}

/* => bytes of the last-level cache, if the system knows */
static size_t cache_size(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r");
	unsigned int kib = 0;

	if (f) {
		if (fscanf(f, "%uK", &kib) != 1)
			kib = 0;
		fclose(f);
	}
	return (size_t)kib << 10;
}

size_t cache_evict(void)
{
	static size_t size;
	static u64 *bytes;
	u64 sum = 0;
	size_t i;

	if (!bytes) {
		size = 2 * cache_size();
		if (size < 64u << 20)
			size = 64u << 20;
		if (size > 256u << 20)
			size = 256u << 20;
		bytes = malloc(size);
		if (!bytes)
			return 0;
		memset(bytes, 1, size);
	}
	for (i = 0; i < size / sizeof(*bytes); i += 8)
		sum += bytes[i]++;
	__asm__ volatile("" ::"r"(sum) : "memory");
	return size;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double median_of(double *list, size_t n)
{
	qsort(list, n, sizeof(*list), compare);
	return (list[n / 2] + list[(n - 1) / 2]) / 2;
}

/* --- memory ------------------------------------------------------------------------ */

#define HUGE_PAGE ((size_t)2 << 20)
#define REGION	  ((size_t)32 << 20) /* of the heap */
#define SLAB	  4096 /* bytes of a page of objects */

void *region_get(struct heap *h, size_t size)
{
	void *p;

	size = (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	if (h->count == XT2_ARRAY_SIZE(h->regions) || posix_memalign(&p, HUGE_PAGE, size)) {
		fputs("xt2-cycles: no memory\n", stderr);
		exit(4);
	}
	madvise(p, size, MADV_HUGEPAGE);
	memset(p, 0, size);
	h->regions[h->count] = p;
	h->sizes[h->count++] = size;
	return p;
}

/* Sizes of kmalloc(): 8 16 32 64 96 128 192 256 512 */
static unsigned int class_of(size_t size, size_t *rounded)
{
	static const size_t classes[HEAP_CLASSES] = { 8, 16, 32, 64, 96, 128, 192, 256, 512 };
	unsigned int i;

	for (i = 0; i < HEAP_CLASSES - 1 && classes[i] < size; i++)
		;
	*rounded = classes[i];
	return i;
}

void *heap_get(struct heap *h, size_t size)
{
	size_t rounded;
	unsigned int c = class_of(size, &rounded);
	void *p;

	if (size > rounded)
		abort();
	if (h->left[c] < rounded) {
		if (h->region_left < SLAB) {
			h->region = region_get(h, REGION);
			h->region_left = REGION;
		}
		h->at[c] = h->region;
		h->left[c] = SLAB;
		h->region += SLAB;
		h->region_left -= SLAB;
	}
	p = h->at[c];
	h->at[c] += rounded;
	h->left[c] -= rounded;
	h->used += rounded;
	return p;
}

void heap_free(struct heap *h)
{
	while (h->count)
		free(h->regions[--h->count]);
	*h = (struct heap){ 0 };
}

u32 *order_make(u32 count, bool scattered)
{
	u32 *list = malloc((count + 1) * sizeof(*list)), i;
	u64 noise = 7;

	if (!list) {
		fputs("xt2-cycles: no memory\n", stderr);
		exit(4);
	}
	for (i = 0; i < count; i++)
		list[i] = i;
	for (i = count; scattered && i > 1; i--) {
		u32 k, swap = list[i - 1];

		noise = noise * 6364136223846793005u + 1442695040888963407u;
		k = (u32)((noise >> 32) % i);
		list[i - 1] = list[k];
		list[k] = swap;
	}
	return list;
}
