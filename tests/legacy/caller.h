/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * caller.h - a program that makes sockopt calls, for tests
 *
 * Its memory is one block at an address that would fit a 32-bit program; the
 * value is at its start.  What is written anywhere else, if it is not more than
 * the value, is kept as the last such write.
 */
#ifndef XT2_TESTS_LEGACY_CALLER_H
#define XT2_TESTS_LEGACY_CALLER_H

#include <stdlib.h>
#include <string.h>
#include <xt2/sockopt.h>

#define CALLER_AT 0x10000u

struct caller {
	struct xt2_sockopt_caller how;
	__u8 *bytes;
	size_t size;
	__u8 *other; /* the last write elsewhere */
	__u64 other_at;
	size_t other_size;
	int strict; /* writes elsewhere fault */
	int faults; /* the n-th access from now on faults; 0: none does */
	struct xt2_err err;
};

static inline int caller_fault(struct caller *c)
{
	return c->faults && !--c->faults;
}

static inline int caller_read(void *data, __u64 from, void *to, size_t size)
{
	struct caller *c = data;

	if (caller_fault(c) || from < CALLER_AT || from - CALLER_AT > c->size ||
	    size > c->size - (from - CALLER_AT))
		return -EFAULT;
	memcpy(to, c->bytes + (from - CALLER_AT), size);
	return 0;
}

static inline int caller_write(void *data, __u64 to, const void *from, size_t size)
{
	struct caller *c = data;

	if (caller_fault(c))
		return -EFAULT;
	if (to >= CALLER_AT && to - CALLER_AT <= c->size && size <= c->size - (to - CALLER_AT)) {
		memcpy(c->bytes + (to - CALLER_AT), from, size);
		return 0;
	}
	if (c->strict || size > c->size)
		return -EFAULT;
	memcpy(c->other, from, size);
	c->other_at = to;
	c->other_size = size;
	return 0;
}

/* Memory of its own, zeroed behind what is given. */
static inline void caller_init(struct caller *c, int compat, const void *bytes, size_t given,
			       size_t size)
{
	memset(c, 0, sizeof(*c));
	c->how = (struct xt2_sockopt_caller){
		.compat = compat,
		.read = caller_read,
		.write = caller_write,
		.data = c,
	};
	c->bytes = calloc(1, size + 1);
	c->other = calloc(1, size + 1);
	c->size = size;
	memcpy(c->bytes, bytes, given);
}

static inline void caller_free(struct caller *c)
{
	free(c->bytes);
	free(c->other);
}

/* => what the call answers; the value is at c->bytes */
static inline int caller_call(struct caller *c, struct xt2_ruleset *rs, int set, int level,
			      int name, __u32 len)
{
	__u32 answer = len;
	int ret;

	if (set)
		return xt2_sockopt_set(rs, &c->how, level, name, CALLER_AT, len, &c->err);
	ret = xt2_sockopt_get(rs, &c->how, level, name, CALLER_AT, &answer, &c->err);
	return ret >= 0 && answer != len ? -EPROTO : ret;
}

#endif
