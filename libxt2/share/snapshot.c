/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.c - a copy of a shared image, with inline counters
 *
 * Readers change nothing in the image but cells, word by word.  So the copy is made word by
 * word; between transactions the writer changes nothing either.
 */
#include "config.h"
#include "seats.h"
#include "libxt2/ruleset/ruleset.h"
#include "engine/index/patched.h"
#include "engine/order.h"

static void copy_words(void *to, const void *from, size_t size)
{
	const u64 *in = from;
	u64 *out = to;
	size_t i;

	for (i = 0; i < size / sizeof(*out); i++)
		out[i] = __atomic_load_n(&in[i], __ATOMIC_RELAXED);
}

/* Its packets are a slot: 0 is that of rules which do not count. */
static void fill_in(const struct xt2_share *s, __u64 *packets, __u64 *bytes)
{
	struct xt2_counts n = { 0 };

	if (*packets)
		n = xt2_share_sum_(s, (u32)*packets);
	*packets = n.packets;
	*bytes = n.bytes;
}

/*
 * A compiled rule that was deleted still names its slot, which may be another's by now.  No
 * rule that is read has its counters then.
 */
static void fill_in_chain(const struct xt2_share *s, struct xt2_image *img, struct xt2_chain *c)
{
	struct xt2_chain *compiled = (struct xt2_chain *)xt2_chain_compiled(img, c);
	const struct xt2_index *ix = xt2_chain_index(compiled);
	struct xt2_run *run = ix && ix->runs ? xt2_index_runs(ix) : NULL;
	struct xt2_in_order o;
	struct xt2_rule *r;
	u32 i;

	xt2_chain_for_each(r, &o, img, c)
		fill_in(s, &r->packets, &r->bytes);
	for (i = 0; run && i < ix->runs; i++)
		fill_in(s, &run[i].packets, &run[i].bytes);
	xt2_chain_fold(compiled);
}

int xt2_share_snapshot(struct xt2_share *s, struct xt2_mapping *map, struct xt2_err *err)
{
	const size_t size = s->img->size;
	const struct xt2_root *root;
	struct xt2_mapping m;
	struct xt2_chain *c;
	u32 i;
	int ret = xt2_image_room_(size, &m, err);

	if (ret)
		return ret;
	m.size = size;
	copy_words(m.image, s->img, size);
	root = xt2_image_root(m.image);
	pthread_mutex_lock(&s->lock);
	if (root)
		xt2_image_for_each_chain(c, i, m.image, root)
			fill_in_chain(s, m.image, c);
	pthread_mutex_unlock(&s->lock);
	*map = m;
	return 0;
}
