/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz-image.c - hostile images
 *
 * The bytes go to xt2_check().  If it takes them, everything in the image is
 * read through the access helpers, packets of each family are evaluated at
 * each hook as long as that is not too many chain visits, and the result must
 * pass the check again: neither counters nor cells may turn an image into
 * something else.  A copy is evaluated with the indexes of its chains, with the
 * same results; fields that a search or the parser does not fill in are poison.
 * If there are patched chains, others are evaluated in order, and compiled.  The history is read
 * whether or not the image is taken.
 *
 * Mutations are mostly made on valid images: a random one is written, or chains of
 * the last one are edited, or a word of it is changed to a likely value, or fields of
 * an index or a patch to others of their kind, and then header, depth and visits are
 * put right, so that the checks behind them are reached.
 */
#include <stdio.h>
#include <stdlib.h>

#include "seed-packet.h"
#include "libxt2/change/history.h"
#include "libxt2/change/patch-edit.h"
#include "tests/lib/index-mutate.h"
#include "tests/lib/plain-image.h"

#define VISITS_MAX 1024
#define PACKETS	   3 /* at each hook */
#define STACK_MAX  256
#define WORK_MAX   (1u << 20) /* visits times bytes */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed);
size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max);

static volatile u64 sink;

static void need_at(bool so, int line)
{
	if (so)
		return;
	fprintf(stderr, "fuzz-image.c:%d: this does not hold\n", line);
	abort();
}

#define need(so) need_at(so, __LINE__)

static void *get(size_t size)
{
	void *p = malloc(size ? size : 1);

	need(p);
	return p;
}

static u64 read_bytes(const void *p, size_t n)
{
	u64 sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += ((const u8 *)p)[i];
	return sum;
}

static void read_chain(const struct xt2_image *img, const struct xt2_root *root,
		       const struct xt2_chain *c, u32 index)
{
	const struct xt2_chain_cold *cold = xt2_image_chain_cold(img, root, index);
	const struct xt2_rule *r;
	const struct xt2_match *m;
	struct xt2_in_order o;
	u32 n = 0;

	need(c->index == index && cold->name[0] && !cold->name[XT2_NAME_SIZE - 1]);
	xt2_chain_for_each(r, &o, img, c) {
		n++;
		xt2_rule_for_each_match(m, r) {
			need(xt2_match_name(m->type) != NULL);
			sink += read_bytes(m, m->size);
		}
		need(xt2_target_name(XT2_TARGET_KIND(r->target)) != NULL);
		sink += read_bytes(xt2_rule_target_data(r), xt2_rule_target_size(r));
	}
	need(n == xt2_chain_length(img, c) && xt2_rule_number(img, c, xt2_chain_tail(c)) == n);
	c = xt2_chain_compiled(img, c);
	if (c->lines)
		sink += read_bytes(xt2_at(img, c->lines), c->rules * sizeof(u32));
}

static void read_all(const struct xt2_image *img, const struct xt2_root *root)
{
	const struct xt2_table *t;
	const struct xt2_hook *h;
	const struct xt2_chain *c;
	const struct xt2_instance *in;
	u32 i;

	xt2_image_for_each_table(t, i, img, root)
		sink += read_bytes(t, sizeof(*t));
	xt2_image_for_each_hook(h, i, img, root)
		need(xt2_image_chain(img, root, h->chain)->hook == h->hook);
	xt2_image_for_each_chain(c, i, img, root)
		read_chain(img, root, c, i);
	for (i = 0; i < root->cells; i++)
		sink += *xt2_image_cell(img, root, i);
	for (i = 0; i < root->instances; i++) {
		if (!xt2_instance_offset(img, root, i))
			continue;
		in = xt2_image_instance(img, root, i);
		sink += read_bytes(xt2_instance_data(in), in->size) + read_bytes(in, sizeof(*in));
	}
}

/* No check stands before this. */
static void read_history(const u8 *data, size_t size)
{
	struct xt2_image *img = get(size);
	struct xt2_history h;
	struct xt2_past past;
	u64 before = ~0ull;

	memcpy(img, data, size);
	if (size >= sizeof(*img)) {
		xt2_history_begin(&h, img, -1, size, img->root);
		while (xt2_history_next(&h, &past)) {
			need(past.commit.generation < before);
			before = past.commit.generation;
			sink += read_bytes(past.reason, sizeof(past.reason)) + past.commit.owner[0];
			need(xt2_past_size(&past) <= sizeof(past));
		}
	}
	free(img);
}

/* What is about to be found out: who reads it too early reads other bytes each time. */
static void poison(void *p, size_t size, u64 *state)
{
	u8 *byte = p;

	while (size--)
		byte[size] = (u8)(seed_next(state) >> 32);
}

/* => caplen; the packet with what the host knows, in a block of its exact size */
static u32 make_packet(struct xt2_pkt *pkt, u8 family, u8 proto, u64 *state, u64 *dirt)
{
	static const u8 rooms[] = { 0, 0, 3, 4, 40 };
	struct seed_packet p = { .state = state, .proto = proto };
	u32 len;

	seed_packet(&p, family);
	*pkt = (struct xt2_pkt){ .caplen = p.size, .len = p.size };
	poison(&pkt->family, (size_t)((u8 *)pkt->in - &pkt->family), dirt);
	pkt->family = family; /* addresses of the connection depend on it */
	pkt->room = rooms[seed_below(state, XT2_ARRAY_SIZE(rooms))];
	pkt->data = get(p.size + pkt->room);
	memcpy(pkt->data, p.bytes, p.size);
	need(xt2_pkt_seen_name(xt2_pkt_receive(family, pkt->data, p.size, p.size, &len))[0]);
	if (!seed_below(state, 8))
		pkt->len += seed_below(state, 2000); /* cut off in the capture only */
	seed_host(pkt, state);
	return p.size;
}

/* A protocol that the chain wants, for packets that get further. */
static u8 wanted_proto(const struct xt2_image *img, const struct xt2_chain *c)
{
	const struct xt2_match *m;
	const struct xt2_rule *r;
	struct xt2_in_order o;

	xt2_chain_for_each(r, &o, img, c)
		xt2_rule_for_each_match(m, r)
			if (m->type == XT2_M_PROTO)
				return (u8)m->arg;
	return 0;
}

/* An image that is evaluated, by one way through its chains. */
struct side {
	struct xt2_image *img;
	bool indexed, linear;
};

/* How a packet left a hook. */
struct outcome {
	int verdict; /* any if the packet cannot be parsed */
	u32 chain, rule; /* that decided: numbers; 0: a fault */
	u32 mark;
};

static void note_rule(const struct xt2_ctx *ctx, struct outcome *out)
{
	const struct xt2_chain *c = xt2_at(ctx->img, ctx->chain);

	out->chain = out->rule = 0;
	if (!ctx->chain)
		return;
	out->chain = c->index;
	out->rule = xt2_rule_number(ctx->img, c, xt2_at(ctx->img, ctx->rule));
	need(out->rule);
}

static void eval_packet(const struct side *side, u32 hook, u64 *state, struct outcome *out)
{
	static struct xt2_search search;
	static struct xt2_frame stack[STACK_MAX];
	const struct xt2_root *root = xt2_image_root(side->img);
	const struct xt2_hook *h = xt2_image_hook(side->img, root, hook);
	struct xt2_event events[4];
	struct xt2_pkt pkt;
	struct xt2_ctx ctx = {
		.pkt = &pkt,
		.img = side->img,
		.root = root,
		.now = seed_below(state, 4) ? 1700000000000000000ull + (seed_next(state) >> 14)
					    : seed_next(state),
		.tz_west = (s32)seed_below(state, 1500) - 720,
		.random = 1,
		.stack = stack,
		.stack_size = STACK_MAX,
		.events = events,
		.events_size = 4,
		.search = side->indexed ? &search : NULL,
	};
	u64 dirt = *state ^ (u64)side->img; /* other bytes on each side */
	u8 *bytes;

	make_packet(&pkt, h->family,
		    wanted_proto(side->img, xt2_image_chain(side->img, root, h->chain)), state,
		    &dirt);
	bytes = pkt.data;
	pkt.hook = h->hook;
	poison(&search, sizeof(search), &dirt);
	search.chain = 0;
	search.linear = side->linear;
	out->verdict = XT2_ACCEPT;
	if (!xt2_pkt_parse(&pkt, h->family)) {
		out->verdict = xt2_eval(&ctx, h);
		need(xt2_verdict_name(out->verdict) != NULL);
		need(ctx.faults || (ctx.chain && ctx.rule < side->img->size));
	}
	note_rule(&ctx, out);
	out->mark = pkt.mark;
	free(bytes);
}

static void compare_counters(const struct xt2_image *a, const struct xt2_image *b)
{
	const struct xt2_root *root = xt2_image_root(a);
	const struct xt2_chain *c, *d;
	struct xt2_in_order o, p;
	const struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(c, i, a, root) {
		d = xt2_image_chain(b, xt2_image_root(b), i);
		xt2_order_begin(&p, b, d);
		xt2_chain_for_each(r, &o, a, c) {
			const struct xt2_rule *q = xt2_order_next(&p);
			struct xt2_counts one = xt2_rule_counts(xt2_chain_compiled(a, c), r);
			struct xt2_counts other = xt2_rule_counts(xt2_chain_compiled(b, d), q);

			need(one.packets == other.packets && one.bytes == other.bytes);
		}
	}
	for (i = 0; i < root->cells; i++)
		need(*xt2_image_cell(a, root, i) == *xt2_image_cell(b, xt2_image_root(b), i));
}

/* The first side is compared with the others. */
static void eval_all(const struct side *side, u32 sides, u64 state)
{
	const struct xt2_image *img = side->img;
	const struct xt2_root *root = xt2_image_root(img);
	struct outcome one, other;
	const struct xt2_hook *h;
	u32 i, j, n;

	xt2_image_for_each_hook(h, i, img, root) {
		if (h->visits > VISITS_MAX || h->depth > STACK_MAX ||
		    h->visits * img->size > WORK_MAX)
			continue;
		for (n = 0; n < PACKETS; n++) {
			u64 before = state, again;

			eval_packet(side, i, &state, &one);
			for (j = 1; j < sides; j++) {
				again = before;
				eval_packet(&side[j], i, &again, &other);
				need(one.verdict == other.verdict && one.chain == other.chain);
				need(one.rule == other.rule && one.mark == other.mark);
			}
		}
	}
	for (j = 1; j < sides; j++)
		compare_counters(img, side[j].img);
}

/* What is in a patch's pages and buckets behind the last item or entry says nothing. */
static void poison_patch(struct xt2_image *img, const struct xt2_chain *c, u64 *state)
{
	const struct xt2_patch *p = xt2_chain_patch(c);
	const struct xt2_patch_part *part;
	struct xt2_patch_page *page;
	struct xt2_patch_bucket *b;
	u32 i, at;

	if (!p)
		return;
	part = xt2_at(img, p->part);
	for (i = 0; i < p->parts; i++) {
		page = xt2_at(img, part[i].page);
		poison(&page->writer, sizeof(page->writer), state);
		poison(&page->item[page->items],
		       (XT2_PATCH_ITEMS - page->items) * sizeof(page->item[0]), state);
	}
	for (i = 0; i < xt2_patch_slots(p); i++)
		for (at = xt2_patch_slot_at(img, p, i)->bucket; at; at = b->next) {
			b = xt2_at(img, at);
			poison(&b->writer, sizeof(b->writer), state);
			poison(&b->entry[b->entries],
			       (XT2_PATCH_ENTRIES - b->entries) * sizeof(b->entry[0]), state);
		}
}

static bool has_patches(const struct xt2_image *img)
{
	const struct xt2_chain *c;
	u32 i;

	xt2_image_for_each_chain(c, i, img, xt2_image_root(img))
		if (xt2_chain_patch(c))
			return true;
	return false;
}

static struct xt2_image *copy_of(const struct xt2_image *img)
{
	return memcpy(get(img->size), img, img->size);
}

/* => the same rules compiled; NULL: the writer has stricter rules for images than the check */
static struct xt2_image *compiled_copy(const struct xt2_image *img,
				       const struct xt2_index_limits *limits)
{
	const u64 cap = 4 * img->size + (64 << 10);
	const struct xt2_chain *c;
	struct xt2_image *to = get(cap);
	struct xt2_writer w;
	void *scratch, *room;
	u32 i, longest = 0;

	xt2_image_for_each_chain(c, i, img, xt2_image_root(img))
		if (xt2_chain_length(img, c) > longest)
			longest = xt2_chain_length(img, c);
	scratch = get(xt2_check_scratch(cap));
	room = get(xt2_index_scratch(longest));
	memset(to, 0, cap);
	if (!plain_image(img, to, cap, scratch, limits, room, &w)) {
		free(to);
		to = NULL;
	}
	free(scratch);
	free(room);
	return to;
}

static void eval_patched(struct xt2_image *img, u64 state)
{
	static const struct xt2_index_limits small = { 0, 8, 16, 0, false };
	struct side side[] = {
		{ img, true, false },
		{ copy_of(img), true, true },
		{ compiled_copy(img, NULL), false, false },
		{ compiled_copy(img, &small), true, false },
	};
	const struct xt2_chain *c;
	u64 dirt = state;
	u32 i;

	xt2_image_for_each_chain(c, i, img, xt2_image_root(img)) {
		poison_patch(img, c, &dirt);
		poison_patch(side[1].img,
			     xt2_image_chain(side[1].img, xt2_image_root(side[1].img), i), &dirt);
	}
	eval_all(side, side[2].img && side[3].img ? 4 : 2, state);
	for (i = 1; i < XT2_ARRAY_SIZE(side); i++)
		free(side[i].img);
}

static void eval_both(struct xt2_image *img, u64 state)
{
	struct side side[2] = { { .img = img }, { .img = NULL, .indexed = true } };

	if (has_patches(img)) {
		eval_patched(img, state);
		return;
	}
	side[1].img = copy_of(img);
	eval_all(side, 2, state);
	free(side[1].img);
}

/* What takes any number must have an answer. */
static void ask_names(void)
{
	for (u32 i = 0; i < 256; i++) {
		need(!xt2_match_info((u8)i) || xt2_match_name((u8)i));
		need(!xt2_target_info((u8)i) || xt2_target_name((u8)i));
		sink += xt2_verdict_name((int)i) != NULL;
	}
}

/* Calls of the writer in any order: it says no, or the image is good. */
static void write_badly(u64 state)
{
	static u64 buf[4096];
	u64 size = 0, cap = seed_below(&state, 4) ? sizeof(buf) : seed_below(&state, 9000);
	void *scratch = get(xt2_check_scratch(sizeof(buf)));
	struct seed_rule s = { .family = XT2_IPV4, .last = 2 };
	u32 lines[64] = { 0 };
	struct xt2_writer w;

	xt2_write_begin(&w, buf, cap, 1, 1 + seed_below(&state, 2), 1 + seed_below(&state, 2),
			1 + seed_below(&state, 2), seed_below(&state, 2), seed_below(&state, 2));
	for (u32 n = 8 + seed_below(&state, 8); n; n--) {
		switch (seed_below(&state, 8)) {
		case 0: xt2_write_table(&w, XT2_IPV4, "raw", ~0u); break;
		case 1:
			xt2_write_hook(&w, XT2_IPV4, (u8)seed_below(&state, 6), 0, 0,
				       seed_below(&state, 2));
			break;
		case 2: xt2_write_cell(&w, seed_below(&state, 2), 1); break;
		case 3: xt2_write_instance(&w, XT2_INSTANCE_MATCH, 0, "set", lines, 4); break;
		case 4:
			xt2_write_chain_begin(&w, seed_below(&state, 3), 0,
					      seed_below(&state, 2) ? 0 : XT2_HOOK_NONE, "a");
			break;
		case 5: xt2_write_chain_end(&w, seed_below(&state, 2) ? lines : NULL, 0); break;
		case 6: xt2_write_rule(&w, seed_any_rule(&s, &state)); break;
		default:
			seed_rule_begin(&s, seed_below(&state, 2) ? XT2_T_ACCEPT : XT2_T_RETURN, 0);
			xt2_write_rule(&w, seed_rule(&s));
		}
	}
	if (!xt2_write_end(&w, scratch, &size))
		need(!xt2_check(buf, size, scratch, NULL));
	free(scratch);
}

/* A page of the chain table alone has the 4096 bytes that are libFuzzer's limit. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char longer[] = "-max_len=24576";
	char **args = get((*argc + 2) * sizeof(*args));
	int i;

	for (i = 0; i < *argc; i++)
		args[i < 1 ? i : i + 1] = (*argv)[i];
	args[1] = longer; /* first, so that the caller's own counts */
	args[++*argc] = NULL;
	*argv = args;
	ask_names();
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	void *scratch = get(xt2_check_scratch(size));
	struct xt2_image *img = get(size);
	struct xt2_check_err err;
	const struct xt2_root *root;
	u64 state = size + 1;

	for (size_t i = 0; i + 8 <= size; i += 8) /* other bytes, other packets */
		state = state * 31 + xt2_raw64(data + i);
	if (!(state >> 8 & 15))
		write_badly(state | 1);
	read_history(data, size);
	memcpy(img, data, size);
	if (xt2_check(img, size, scratch, &err)) {
		need(err.what != NULL);
		goto out;
	}
	root = xt2_image_root(img);
	if (!root)
		goto out;
	state += root->generation;
	read_all(img, root);
	eval_both(img, state | 1);
	need(!xt2_check(img, size, scratch, &err));
	need(!xt2_check_rules(img, size, scratch, &err) && !xt2_check(img, size, scratch, &err));
out:
	free(img);
	free(scratch);
	return 0;
}

/* Values that mean something in an image: small, or an offset, or just off. */
static u64 likely_value(u64 *state, u64 size)
{
	switch (seed_below(state, 5)) {
	case 0: return seed_below(state, 32);
	case 1: return seed_below(state, (u32)size / 8) * 8;
	case 2: return ~(u64)seed_below(state, 9);
	case 3: return 1ull << seed_below(state, 64);
	}
	return seed_next(state);
}

static void change_word(u8 *data, size_t size, u64 *state)
{
	u32 width = 1u << seed_below(state, 4);
	u64 v = likely_value(state, size);
	size_t at;

	if (size < 128)
		return;
	at = 64 + seed_below(state, (u32)(size - 128)) / width * width;
	memcpy(data + at, &v, width);
}

/* Put right what would otherwise hide everything behind it. */
static void repair(u8 *data, size_t size)
{
	struct xt2_image *img = get(size);
	void *scratch = get(xt2_check_scratch(size));

	memcpy(img, data, size);
	img->magic = XT2_MAGIC_UNFINISHED;
	img->version = XT2_VERSION;
	img->byte_order = XT2_BYTE_ORDER;
	img->size = size & ~7ull;
	memset(img->reserved, 0, sizeof(img->reserved));
	if (xt2_check_seal_(img, size, scratch, NULL))
		img->magic = XT2_MAGIC;
	memcpy(data, img, size);
	free(scratch);
	free(img);
}

/* => a copy of a rule of the chain's table that can stand anywhere in it, to be freed; or NULL */
static struct xt2_rule *some_rule(const struct xt2_image *img, const struct xt2_chain *to,
				  u64 *state)
{
	const struct xt2_chain *c;
	struct xt2_rule *one = NULL;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	u32 i, n = 0;

	xt2_image_for_each_chain(c, i, img, xt2_image_root(img)) {
		if (c->table != to->table)
			continue;
		xt2_chain_for_each(r, &o, img, c) {
			if (r == xt2_chain_tail(c) || seed_below(state, ++n))
				continue;
			free(one);
			one = memcpy(get(r->size), r, r->size);
		}
	}
	if (one && one->size == one->target_offset && !seed_below(state, 3))
		one->target = XT2_TARGET(seed_below(state, XT2_T_RETURN + 1), 0);
	return one;
}

/* => the rule at a number, or the compiled chain's tail */
static u32 rule_at(const struct xt2_image *img, const struct xt2_chain *c, u32 number)
{
	const struct xt2_rule *r;
	struct xt2_in_order o;

	xt2_chain_for_each(r, &o, img, c)
		if (r != xt2_chain_tail(c) && !number--)
			return xt2_offset(img, r);
	return xt2_offset(img, xt2_chain_tail(xt2_chain_compiled(img, c)));
}

/* Edits of a chain, one transaction each.  => false: the image has no room */
static bool edit_chain(struct xt2_space *space, u32 index, u64 *state)
{
	struct xt2_image *img = space->img;
	const struct xt2_root *root = xt2_image_root(img);
	const u32 *dir = xt2_at(img, root->chain_dir);
	u32 *slot = (u32 *)xt2_at(img, dir[index / XT2_CHAIN_PAGE]) + index % XT2_CHAIN_PAGE;
	struct xt2_patch_edit e;
	struct xt2_rule *r;
	static u64 generation;
	u32 n, at, where;
	int err = 0;

	for (n = 1 + seed_below(state, seed_below(state, 4) ? 6 : 120); n && !err; n--) {
		const struct xt2_chain *c = xt2_at(img, *slot);

		/* Another one than those of the parts that the image may have from elsewhere. */
		generation = (generation | 1ull << 31) + 1;
		err = xt2_patch_begin(&e, space, *slot, generation);
		need(!err || err == -ENOSPC);
		if (err)
			break;
		at = rule_at(img, c, seed_below(state, xt2_chain_length(img, c)));
		r = seed_below(state, 3) ? some_rule(img, c, state) : NULL;
		if (r)
			err = xt2_patch_insert(&e, at, r, seed_below(state, 100), &where);
		else
			err = xt2_patch_delete(&e, at);
		free(r);
		need(!err || err == -E2BIG || err == -EINVAL || err == -ENOSPC);
		if (err != -ENOSPC)
			err = xt2_patch_end(&e, slot);
		if (err)
			xt2_patch_abort(&e);
		else
			xt2_space_commit(space, generation);
		xt2_space_reclaim(space, generation);
	}
	return !err;
}

/* An image that is right gets one or two chains with patches.  => its size */
static size_t edit_image(u8 *data, size_t size, size_t max, u64 *state)
{
	struct xt2_image *img = get(max);
	void *scratch = get(xt2_check_scratch(max));
	const struct xt2_root *root;
	struct xt2_space space;
	u64 dirt = *state | 1;
	u32 n, index;

	poison(img, max, &dirt);
	memcpy(img, data, size);
	root = xt2_check(img, size, scratch, NULL) ? NULL : xt2_image_root(img);
	if (root && root->chains) {
		need(!xt2_space_begin(&space, img, max & ~7ull));
		for (n = 1 + seed_below(state, 2); n; n--) {
			index = seed_below(state, root->chains);
			if (!xt2_image_chain(img, root, index) || !edit_chain(&space, index, state))
				break;
		}
		if (!n) {
			memcpy(data, img, img->size);
			size = img->size;
		}
		xt2_space_end(&space);
	}
	free(scratch);
	free(img);
	return size;
}

/* An image that is right gets edits, and records of some commits.  => its size */
static size_t add_history(u8 *data, size_t size, size_t max, u64 *state)
{
	struct xt2_image *img = (struct xt2_image *)data;
	struct xt2_edits edits = { .file = seed_below(state, 3) };
	const u32 n = seed_below(state, 5);
	struct xt2_past past;
	u64 at = img->size;
	u32 i;

	if (img->magic != XT2_MAGIC || at > size || at % 8 || at < sizeof(struct xt2_root) ||
	    img->root < sizeof(*img) || img->root > at - sizeof(struct xt2_root) || img->root % 8 ||
	    max < at + n * sizeof(past) + sizeof(edits))
		return size;
	for (i = 0; i < n; i++) {
		memset(&past, 'x', sizeof(past));
		past.commit.generation = i + seed_below(state, 2);
		past.commit.previous = edits.history;
		past.commit.length = (u8)seed_below(state, 256);
		edits.history = (u32)at;
		xt2_past_write(&past, data + at);
		at += xt2_past_size(&past);
	}
	memcpy(data + at, &edits, sizeof(edits));
	((struct xt2_root *)(data + img->root))->edits = (u32)at;
	((struct xt2_root *)(data + img->root))->generation = n + 1;
	return img->size = at + sizeof(edits);
}

/* Of an image that is right, fields of one chain's index or patch become others of their kind. */
static void change_index(u8 *data, size_t size, u64 *state)
{
	static struct index_fields fields;
	struct xt2_image *img = get(size);
	void *scratch = get(xt2_check_scratch(size));
	const struct xt2_chain *c, *one = NULL;
	u32 i;

	memcpy(img, data, size);
	if (!xt2_check(img, size, scratch, NULL) && xt2_image_root(img)) {
		xt2_image_for_each_chain(c, i, img, xt2_image_root(img))
			if (c->lookup && (!one || seed_below(state, 2)))
				one = c;
	}
	if (one && xt2_chain_patch(one)) {
		index_patch_fields(&fields, img, one);
		index_mutate(&fields, img, state);
	} else if (one) {
		index_fields_of(&fields, xt2_chain_index(one));
		index_mutate(&fields, (struct xt2_index *)xt2_chain_index(one), state);
	}
	memcpy(data, img, size);
	free(scratch);
	free(img);
}

/* A new image, every other one with its structures in any order. */
static size_t fresh(u8 *data, size_t size, size_t max, u64 seed)
{
	u8 *buf = get(3 * SEED_IMAGE_SIZE), *made = buf;
	void *scratch = get(xt2_check_scratch(SEED_IMAGE_SIZE));
	u64 random = seed + 1, n = seed_image(seed, buf, SEED_IMAGE_SIZE, scratch);

	need(n);
	if (seed % 2) {
		made = buf + SEED_IMAGE_SIZE;
		n = seed_scatter(&random, (void *)buf, (void *)made);
	}
	if (n <= max) {
		memcpy(data, made, n);
		size = n;
	}
	free(scratch);
	free(buf);
	return size;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	u64 state = seed * 2ull + 1;
	u32 n;

	seed_next(&state);
	if (size < sizeof(struct xt2_image) || !seed_below(&state, 32))
		size = fresh(data, size, max, seed % 100000);
	if (!seed_below(&state, 4))
		size = LLVMFuzzerMutate(data, size, max);
	if (size >= sizeof(struct xt2_image) && !seed_below(&state, 4)) {
		size = edit_image(data, size, max, &state);
		repair(data, size);
	}
	if (size >= sizeof(struct xt2_image) && !seed_below(&state, 8))
		size = add_history(data, size, max, &state);
	if (size >= sizeof(struct xt2_image) && !seed_below(&state, 3))
		change_index(data, size, &state);
	for (n = seed_below(&state, 2) * seed_below(&state, 4); n; n--)
		change_word(data, size, &state);
	if (size >= sizeof(struct xt2_image) && seed_below(&state, 8))
		repair(data, size);
	return size;
}
