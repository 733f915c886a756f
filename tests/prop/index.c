/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index - indexes of chains, rule after rule, and the oracle: packet by packet
 *
 * Random images, random packets aimed at their rules.  Four evaluate the
 * same packets, each with an image and packets of its own: xt2_eval() without
 * indexes, xt2_eval() with them, in batches that are searched ahead as well,
 * xt2tables/packet/oracle.c, and xt2_evaluate_batch(), which is one for all tables.
 * After each packet all that evaluation can say or
 * change must be the same: verdict, the rule that decided, events, the packet
 * and what the host knows of it; at the end of each image every counter and
 * every cell.
 *
 *	index [--seed N] [--images N] [--events N]
 *
 * An event is a rule that the oracle tried on a packet.  Without arguments a
 * short run of seeds that are always the same; XT2_PROP=full takes 10^9
 * events.  --seed N does one image again.
 */
#include <stdio.h>
#include <string.h>
#include "tests/lib/world-image.h"
#include "tests/lib/world-packets.h"
#include "libxt2/evaluate/track.h"
#include "libxt2/ruleset/ruleset.h"
#include "engine/simd/scan.h"
#include "xt2tables/packet/oracle.h"

#define STACK	   64
#define EVENTS	   8
#define BATCH	   16
#define RULES_MAX  3000
#define NOW	   1700000000000000000ull
#define STEP_EVERY 3000000ull /* ns between packets: limits fill again */

/* One who evaluates. */
struct side {
	struct xt2_image *img;
	struct xt2_ctx ctx;
	struct xt2_frame stack[STACK];
	struct xt2_event event[EVENTS];
	struct world_packet packet[BATCH];
	struct xt2_track track[BATCH]; /* what a table before conntrack does not see */
};

struct answer {
	int verdict;
	u32 chain, rule, events, faults;
	u64 random;
	u8 hotdrop;
	struct xt2_event event[EVENTS];
};

static struct xt2_search search[BATCH];
static struct side linear, indexed, slow;
static struct side batch; /* of the library, so its context is not used */
static struct xt2_evaluator *evaluator; /* of batch */
static struct xt2_ruleset *rs; /* of slow */
static struct world_image image;
static const struct xt2_rule **rule; /* of all chains, to aim at */
static u32 rules;
static u64 seed, events, evaluations;
static u64 matched, changed, dropped; /* to see that the worlds are rich enough */

static void die(const char *what)
{
	fprintf(stderr, "index: seed %llu: %s\n", (unsigned long long)seed, what);
	exit(2);
}

static int differ(const char *what, u32 packet)
{
	printf("seed %llu, packet %u: %s\n  again: index --seed %llu\n", (unsigned long long)seed,
	       packet, what, (unsigned long long)seed);
	return 1;
}

/* --- images ------------------------------------------------------------ */

static void open_side(struct side *s)
{
	s->img = malloc(image.size);
	if (!s->img)
		die("no memory");
	memcpy(s->img, image.img, image.size);
	s->ctx = (struct xt2_ctx){
		.img = s->img,
		.root = xt2_image_root(s->img),
		.random = 1,
		.stack = s->stack,
		.stack_size = STACK,
		.events = s->event,
		.events_size = EVENTS,
	};
	if (s->ctx.root->depth > STACK)
		die("the image is too deep");
}

static void check_indexes(void)
{
	const struct xt2_root *root = xt2_image_root(image.img);
	const struct xt2_chain *c;
	const char *what;
	u32 i;

	xt2_image_for_each_chain(c, i, image.img, root)
		if (xt2_index_check(c, xt2_image_table(image.img, root, c->table)->family, &what))
			die(what);
}

static void list_rules(void)
{
	const struct xt2_root *root = xt2_image_root(image.img);
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	u32 i;

	rules = 0;
	rule = calloc(image.rules + 1, sizeof(*rule));
	if (!rule)
		die("no memory");
	xt2_image_for_each_chain(c, i, image.img, root)
		xt2_chain_for_each_rule(r, c)
			if (r != xt2_chain_tail(c))
				rule[rules++] = r;
}

static void open_all(struct world *w)
{
	struct xt2_check_err err = { 0 };
	struct world_plan plan;

	world_plan(w, &plan, RULES_MAX);
	if (world_image(w, &plan, &image, &err))
		die(err.what ? err.what : "the image cannot be written");
	check_indexes();
	list_rules();
	open_side(&linear);
	open_side(&indexed);
	open_side(&slow);
	open_side(&batch);
	evaluator = xt2_evaluator_new(batch.img, image.size);
	if (!evaluator || xt2_evaluator_ahead_(evaluator)) /* these indexes are small */
		die("no evaluator");
	rs = xt2_ruleset_new();
	if (!rs || xt2_ruleset_load(rs, slow.img, image.size))
		die("no memory");
}

static void close_all(void)
{
	xt2_ruleset_free(rs);
	xt2_evaluator_free(evaluator);
	free(batch.img);
	free(linear.img);
	free(indexed.img);
	free(slow.img);
	free(image.img);
	free(rule);
}

/* --- packets ----------------------------------------------------------- */

static void answered(struct side *s, int verdict, u64 faults, struct answer *a)
{
	const struct xt2_ctx *ctx = &s->ctx;

	*a = (struct answer){
		.verdict = verdict,
		.chain = ctx->chain,
		.rule = ctx->rule,
		.events = ctx->nevents,
		.faults = (u32)(ctx->faults - faults),
		.random = ctx->random,
		.hotdrop = ctx->hotdrop,
	};
	memcpy(a->event, s->event, sizeof(a->event));
}

static void evaluate(struct side *s, const struct xt2_hook *h, u32 i, u64 now, struct answer *a)
{
	const u64 faults = s->ctx.faults;

	s->ctx.pkt = &s->packet[i].pkt;
	s->ctx.now = now;
	s->ctx.nevents = 0;
	memset(s->event, 0, sizeof(s->event));
	answered(s, xt2_eval(&s->ctx, h), faults, a);
}

static void on_step(void *data, const struct xt2_step *step)
{
	struct side *s = data;
	struct xt2_chain *c = xt2_image_chain(s->img, s->ctx.root, (u32)step->chain);
	struct xt2_rule *r;
	u64 off;

	events += step->rule != NULL;
	if (step->answer != XT2_HIT && step->answer != XT2_HIT_DROP)
		return;
	matched += step->rule != NULL;
	off = step->rule ? (u64)((const u8 *)step->rule - (const u8 *)s->img) : 0;
	if (step->rule && off >= image.size)
		die("the ruleset has rules of its own");
	r = step->rule ? xt2_at(s->img, off) : xt2_chain_tail(c);
	r->packets++;
	r->bytes += s->ctx.pkt->len;
}

/* The oracle tells where it was by position. */
static void ask_oracle(const struct xt2_hook *h, u32 i, u64 now, struct answer *a)
{
	struct side *s = &slow;
	struct xt2_oracle o = { .rs = rs, .ctx = &s->ctx, .step = on_step, .data = s };
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	const u64 faults = s->ctx.faults;
	int verdict;

	s->ctx.pkt = &s->packet[i].pkt;
	s->ctx.now = now;
	s->ctx.nevents = 0;
	memset(s->event, 0, sizeof(s->event));
	verdict = xt2_oracle_run(&o, (int)h->chain);
	c = xt2_image_chain(s->img, s->ctx.root, (u32)o.chain);
	r = xt2_rule_get(rs, o.chain, o.at);
	s->ctx.chain = (u32)((const u8 *)c - (const u8 *)s->img);
	s->ctx.rule = (u32)((const u8 *)(r ? r : xt2_chain_tail(c)) - (const u8 *)s->img);
	answered(s, verdict, faults, a);
}

/* => what is different, or NULL; events of the oracle have no chain */
static const char *compare(const struct answer *a, const struct answer *b, bool oracle)
{
	u32 i;

	if (a->verdict != b->verdict)
		return "another verdict";
	if (a->chain != b->chain || a->rule != b->rule)
		return "another rule decided";
	if (a->events != b->events)
		return "another number of events";
	for (i = 0; i < a->events && i < EVENTS; i++)
		if (a->event[i].target != b->event[i].target ||
		    a->event[i].rule != b->event[i].rule ||
		    (!oracle && a->event[i].chain != b->event[i].chain))
			return "another event";
	if (a->faults != b->faults)
		return "a fault";
	if (!oracle && a->hotdrop != b->hotdrop)
		return "a hotdrop";
	return a->random != b->random ? "another number of questions of chance" : NULL;
}

/* Pointers are each side's own. */
static const char *compare_packets(const struct world_packet *a, const struct world_packet *b)
{
	struct world_packet one = *a, other = *b;

	one.pkt.data = other.pkt.data = NULL;
	one.pkt.mac = other.pkt.mac = NULL;
	if (memcmp(&one.pkt, &other.pkt, sizeof(one.pkt)))
		return "other data of the packet";
	return memcmp(one.bytes, other.bytes, sizeof(one.bytes)) ? "other bytes of the packet"
								 : NULL;
}

/* A packet's last verdict, and the packet, are those that the library gives. => differences */
static int library(const bool *parsed, const int *verdict, u32 n, u32 packet)
{
	struct xt2_result result[BATCH];
	struct xt2_pkt *pkt[BATCH];
	u64 now[BATCH];
	u32 i, m = 0, at[BATCH];

	for (i = 0; i < n; i++) {
		if (!parsed[i])
			continue;
		pkt[m] = &batch.packet[i].pkt;
		now[m] = NOW + (packet + i) * STEP_EVERY;
		at[m++] = i;
	}
	xt2_evaluate_batch(evaluator, WORLD_HOOK, NULL, pkt, now, m, 0, result);
	for (i = 0; i < m; i++) {
		const char *what = compare_packets(&linear.packet[at[i]], &batch.packet[at[i]]);

		if (result[i].verdict != verdict[at[i]])
			what = "another verdict of the library";
		if (what)
			return differ(what, packet + at[i]);
	}
	return 0;
}

/* What a table of this priority sees of a packet's connection is hidden or shown. */
static void track(u32 i, s32 priority)
{
	struct side *const sides[] = { &linear, &indexed, &slow };
	u32 k;

	for (k = 0; k < XT2_ARRAY_SIZE(sides); k++)
		xt2_track_table(&sides[k]->track[i], &sides[k]->packet[i].pkt, priority);
}

/* The first table's search of all packets of a batch, before the first is evaluated. */
static void look_ahead(u32 n, const bool *parsed)
{
	const struct xt2_hook *h = xt2_image_hook(indexed.img, indexed.ctx.root, 0);
	u32 i;

	for (i = 0; i < n; i++) {
		if (!parsed[i])
			continue;
		track(i, h->priority);
		xt2_eval_search(&indexed.ctx, h, &indexed.packet[i].pkt, &search[i]);
	}
	for (i = 0; i < n; i++)
		if (parsed[i])
			xt2_eval_collect(&indexed.ctx, &search[i]);
}

/* One packet of a batch through one table. => differences; *verdict of the table */
static int one_table(const struct xt2_hook *h, u32 i, u32 packet, int *verdict)
{
	const u64 now = NOW + (packet + i) * STEP_EVERY;
	struct answer a, b, c;
	const char *what;

	track(i, h->priority);
	indexed.ctx.search = &search[i];
	evaluate(&linear, h, i, now, &a);
	evaluate(&indexed, h, i, now, &b);
	ask_oracle(h, i, now, &c);
	evaluations++;
	*verdict = a.verdict;
	dropped += a.hotdrop;
	what = compare(&a, &b, false);
	if (!what)
		what = compare_packets(&linear.packet[i], &indexed.packet[i]);
	if (what)
		return differ(what, packet + i);
	what = compare(&a, &c, true);
	if (!what)
		what = compare_packets(&linear.packet[i], &slow.packet[i]);
	if (!what)
		return 0;
	printf("the oracle says:\n");
	return differ(what, packet + i);
}

static int one_batch(struct world *w, u32 n, u32 packet)
{
	const struct xt2_root *root = linear.ctx.root;
	int verdict[BATCH] = { 0 };
	const struct xt2_hook *h;
	bool parsed[BATCH];
	u32 i, k;

	for (i = 0; i < n; i++) {
		const struct xt2_rule *at =
			rules && world_often(w, 90) ? rule[world_below(w, rules)] : NULL;

		parsed[i] = world_packet(w, at, &linear.packet[i]);
		linear.packet[i].pkt.hook = WORLD_HOOK;
		world_packet_copy(&indexed.packet[i], &linear.packet[i]);
		world_packet_copy(&slow.packet[i], &linear.packet[i]);
		world_packet_copy(&batch.packet[i], &linear.packet[i]);
		linear.track[i].hidden = indexed.track[i].hidden = slow.track[i].hidden = false;
	}
	if (world_often(w, 50))
		look_ahead(n, parsed);
	for (i = 0; i < n; i++) {
		verdict[i] = XT2_ACCEPT;
		xt2_image_for_each_hook(h, k, linear.img, root)
			if (parsed[i] && verdict[i] == XT2_ACCEPT &&
			    one_table(h, i, packet, &verdict[i]))
				return 1;
		track(i, XT2_PRIORITY_CONNTRACK); /* as the packet came */
	}
	return library(parsed, verdict, n, packet);
}

/* --- what is left ------------------------------------------------------ */

static int compare_counters(const struct side *other, const char *who)
{
	const struct xt2_root *root = linear.ctx.root;
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(c, i, linear.img, root) {
		const struct xt2_chain *d = xt2_image_chain(other->img, other->ctx.root, i);

		xt2_chain_for_each_rule(r, c) {
			const u32 at = (u32)((const u8 *)r - (const u8 *)c);
			struct xt2_counts n = xt2_rule_counts(d, xt2_at(d, at));

			changed += r->packets != 0;
			if (n.packets == r->packets && n.bytes == r->bytes)
				continue;
			printf("chain %u, rule %u: %llu packets, %s %llu\n", i,
			       xt2_rule_number(linear.img, c, r), (unsigned long long)r->packets,
			       who, (unsigned long long)n.packets);
			return differ("another counter", 0);
		}
	}
	if (memcmp(xt2_image_cell(linear.img, root, 0),
		   xt2_image_cell(other->img, other->ctx.root, 0), WORLD_CELLS * sizeof(u64)))
		return differ("another cell", 0);
	return 0;
}

/* Folded counters are those that were added up before. */
static int compare_folded(void)
{
	const struct xt2_root *root = indexed.ctx.root;
	struct xt2_chain *c;
	u32 i;

	xt2_image_for_each_chain(c, i, indexed.img, root) {
		if (i % 2)
			xt2_chain_fold(c);
		else
			xt2_chain_drop_index(c);
	}
	return compare_counters(&indexed, "folded");
}

static int one_image(u32 packets)
{
	struct world w = { .state = seed * 2 + 1 };
	u32 packet = 0, n;
	int differences = 0;

	seed_next(&w.state);
	xt2_scan_choose((enum xt2_scan_way)(seed % (xt2_scan_best() + 1u)));
	open_all(&w);
	while (packet < packets && !differences) {
		n = world_often(&w, 50) ? 1 : 1 + world_below(&w, BATCH);
		differences = one_batch(&w, n, packet);
		packet += n;
	}
	if (!differences)
		differences = compare_counters(&indexed, "indexed") ||
			      compare_counters(&batch, "the library") ||
			      compare_counters(&slow, "the oracle") || compare_folded();
	close_all();
	return differences;
}

/* --- together ---------------------------------------------------------- */

/* Rules that match, rules that count, packets that a match drops: all of them often enough. */
static int rich_enough(void)
{
	printf("%llu evaluations, %llu events, %llu of them matches, %llu hotdrops\n",
	       (unsigned long long)evaluations, (unsigned long long)events,
	       (unsigned long long)matched, (unsigned long long)dropped);
	if (matched * 200 > events && changed && dropped * 1000 > evaluations)
		return 0;
	printf("too few of them\n");
	return 1;
}

int main(int argc, char **argv)
{
	const char *full = getenv("XT2_PROP");
	u64 images = 150, most = ~0ull, first = 1, one = 0;
	u32 packets = 300;
	int i, differences = 0;

	if (full && !strcmp(full, "full")) {
		images = ~0ull;
		most = 1000000000;
	}
	for (i = 1; i + 1 < argc; i += 2) {
		u64 v = strtoull(argv[i + 1], NULL, 0);

		if (!strcmp(argv[i], "--seed"))
			one = v;
		else if (!strcmp(argv[i], "--first"))
			first = v;
		else if (!strcmp(argv[i], "--images"))
			images = v;
		else if (!strcmp(argv[i], "--events"))
			images = ~0ull, most = v;
		else
			die("usage: index [--seed N] [--first N] [--images N] [--events N]");
	}
	if (i < argc)
		die("an option without its number");
	if (one)
		first = one, images = 1;
	for (seed = first; seed - first < images && events < most && differences < 10; seed++)
		differences += one_image(packets);
	printf("%llu images, %d differ\n", (unsigned long long)(seed - first), differences);
	return differences || (!one && rich_enough());
}
