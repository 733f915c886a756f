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
 *
 * Mutations are mostly made on valid images: a random one is written, or a
 * word of the last one is changed to a likely value, or fields of an index to
 * others of their kind, and then header, depth and visits are put right, so
 * that the checks behind them are reached.
 */
#include <stdio.h>
#include <stdlib.h>

#include "seed-packet.h"
#include "tests/lib/index-mutate.h"

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
	u32 n = 0;

	need(c->index == index && cold->name[0] && !cold->name[XT2_NAME_SIZE - 1]);
	xt2_chain_for_each_rule(r, c) {
		n++;
		xt2_rule_for_each_match(m, r) {
			need(xt2_match_name(m->type) != NULL);
			sink += read_bytes(m, m->size);
		}
		need(xt2_target_name(XT2_TARGET_KIND(r->target)) != NULL);
		sink += read_bytes(xt2_rule_target_data(r), xt2_rule_target_size(r));
	}
	need(n == c->rules && xt2_rule_number(c, xt2_chain_tail(c)) == n);
	if (cold->lines)
		sink += read_bytes(xt2_at(img, cold->lines), c->rules * sizeof(u32));
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
		in = xt2_image_instance(img, root, i);
		sink += read_bytes(xt2_instance_data(in), in->size) + read_bytes(in, sizeof(*in));
	}
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
static u8 wanted_proto(const struct xt2_chain *c)
{
	const struct xt2_match *m;
	const struct xt2_rule *r;

	xt2_chain_for_each_rule(r, c)
		xt2_rule_for_each_match(m, r)
			if (m->type == XT2_M_PROTO)
				return (u8)m->arg;
	return 0;
}

/* => the rule that decided; 0: a fault.  verdict is any if the packet cannot be parsed */
static u32 eval_packet(struct xt2_image *img, const struct xt2_hook *h, struct xt2_search *search,
		       u64 *state, int *verdict)
{
	static struct xt2_frame stack[STACK_MAX];
	struct xt2_event events[4];
	struct xt2_pkt pkt;
	struct xt2_ctx ctx = {
		.pkt = &pkt,
		.img = img,
		.root = xt2_image_root(img),
		.now = seed_below(state, 4) ? 1700000000000000000ull + (seed_next(state) >> 14)
					    : seed_next(state),
		.tz_west = (s32)seed_below(state, 1500) - 720,
		.random = 1,
		.stack = stack,
		.stack_size = STACK_MAX,
		.events = events,
		.events_size = 4,
		.search = search,
	};
	u64 dirt = search ? *state : ~*state; /* other bytes with the indexes than without */
	u8 *bytes;

	make_packet(&pkt, h->family, wanted_proto(xt2_image_chain(img, ctx.root, h->chain)), state,
		    &dirt);
	bytes = pkt.data;
	pkt.hook = h->hook;
	if (search) {
		poison(search, sizeof(*search), &dirt);
		search->chain = 0;
	}
	*verdict = XT2_ACCEPT;
	if (!xt2_pkt_parse(&pkt, h->family)) {
		*verdict = xt2_eval(&ctx, h);
		need(xt2_verdict_name(*verdict) != NULL);
		need(ctx.faults || (ctx.chain && ctx.rule < img->size));
	}
	free(bytes);
	return ctx.rule;
}

static void compare_counters(const struct xt2_image *a, const struct xt2_image *b)
{
	const struct xt2_root *root = xt2_image_root(a);
	const struct xt2_chain *c, *d;
	const struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(c, i, a, root) {
		d = xt2_image_chain(b, xt2_image_root(b), i);
		xt2_chain_for_each_rule(r, c) {
			struct xt2_counts one = xt2_rule_counts(c, r);
			struct xt2_counts other =
				xt2_rule_counts(d, xt2_at(d, (u64)((const u8 *)r - (const u8 *)c)));

			need(one.packets == other.packets && one.bytes == other.bytes);
		}
	}
	for (i = 0; i < root->cells; i++)
		need(*xt2_image_cell(a, root, i) == *xt2_image_cell(b, xt2_image_root(b), i));
}

/* twin: a copy that is evaluated with its indexes */
static void eval_all(struct xt2_image *img, struct xt2_image *twin, u64 state)
{
	static struct xt2_search search;
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_hook *h;
	u32 i, n, rule;
	int verdict, other;

	xt2_image_for_each_hook(h, i, img, root) {
		if (h->visits > VISITS_MAX || h->depth > STACK_MAX ||
		    h->visits * img->size > WORK_MAX)
			continue;
		for (n = 0; n < PACKETS; n++) {
			u64 again = state;

			rule = eval_packet(img, h, NULL, &state, &verdict);
			need(eval_packet(twin, xt2_image_hook(twin, xt2_image_root(twin), i),
					 &search, &again, &other) == rule);
			need(verdict == other);
		}
	}
	compare_counters(img, twin);
}

static void eval_both(struct xt2_image *img, u64 state)
{
	struct xt2_image *twin = get(img->size);

	memcpy(twin, img, img->size);
	eval_all(img, twin, state);
	free(twin);
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

/* Of an image that is right, fields of one chain's index become others of their kind. */
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
	if (one) {
		index_fields_of(&fields, xt2_chain_index(one));
		index_mutate(&fields, (struct xt2_index *)xt2_chain_index(one), state);
		memcpy(data, img, size);
	}
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
	if (size >= sizeof(struct xt2_image) && !seed_below(&state, 3))
		change_index(data, size, &state);
	for (n = seed_below(&state, 2) * seed_below(&state, 4); n; n--)
		change_word(data, size, &state);
	if (size >= sizeof(struct xt2_image) && seed_below(&state, 8))
		repair(data, size);
	return size;
}
