/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle-equal - xt2 explain's oracle and the evaluator, packet by packet
 *
 * Both run every packet of a capture through every table of a hook, each on an
 * image of its own; verdicts and the deciding rule must be the same each time,
 * and at the end every counter.  The oracle's counters are counted here, from
 * its steps.
 *
 *	oracle-equal -4|-6 RULES CAPTURE HOOK [OPTION=VALUE...]
 *
 * OPTIONs are those of xt2 replay that describe the host, such as in=tun0.
 * Prints the number of evaluations and of differences.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/eval.h"
#include "xt2tables/packet/oracle.h"
#include "xt2tables/text/text.h"
#include "xt2tables/cmd/cmd.h"

#define ROOM 64

struct side {
	struct xt2_input in;
	struct xt2_mapping map;
	struct xt2_ruleset *rs;
	struct xt2_ctx ctx;
	struct xt2_pkt pkt;
	__u8 *bytes;
};

static unsigned long evaluations, differences;

static void die(const char *what)
{
	fprintf(stderr, "oracle-equal: %s\n", what);
	exit(2);
}

static void load(struct side *s, const char *path, int family)
{
	s->in = (struct xt2_input){ .path = path, .family = family };
	if (xt2_input_load(&s->in) != 0 || xt2_input_reload(&s->in) != 0)
		die(path);
	s->map = s->in.map;
	s->rs = s->in.rs;
	s->ctx = (struct xt2_ctx){ .pkt = &s->pkt,
				   .img = s->map.image,
				   .root = xt2_image_root(s->map.image),
				   .random = 42 };
	s->ctx.stack_size = s->ctx.root->depth;
	s->ctx.stack = calloc(s->ctx.stack_size + 1, sizeof(*s->ctx.stack));
	s->bytes = malloc(65536 + ROOM);
	if (!s->ctx.stack || !s->bytes)
		die("out of memory");
}

static void unload(struct side *s)
{
	free(s->bytes);
	free(s->ctx.stack);
	xt2_input_close(&s->in);
}

static void on_step(void *data, const struct xt2_step *step)
{
	struct side *s = data;
	__u64 packets, bytes;

	if (step->answer != XT2_HIT && step->answer != XT2_HIT_DROP)
		return;
	if (!step->rule) {
		xt2_chain_counters(s->rs, step->chain, &packets, &bytes);
		xt2_chain_set_counters(s->rs, step->chain, packets + 1, bytes + s->pkt.len);
	} else {
		xt2_rule_set_counters(s->rs, step->chain, step->at, step->rule->packets + 1,
				      step->rule->bytes + s->pkt.len);
	}
}

/* The same packet for both; false: the hook would not see it. */
static bool fill(struct side *s, const struct xt2_host *host, const struct xt2_captured *c,
		 int hook)
{
	__u32 n = c->caplen - c->network;

	memset(&s->pkt, 0, sizeof(s->pkt));
	if (n > 65536 || xt2_host_receive(host, hook, c, &s->pkt))
		return false;
	memcpy(s->bytes, c->frame + c->network, n);
	s->pkt.data = s->bytes;
	s->pkt.caplen = n < s->pkt.len ? n : s->pkt.len;
	s->pkt.room = ROOM;
	if (xt2_pkt_parse(&s->pkt, c->family) < 0)
		return false;
	xt2_host_fill(host, &s->pkt, c);
	s->pkt.hook = hook;
	s->ctx.now = c->time;
	return true;
}

static void differ(unsigned long packet, const char *table, const char *what)
{
	if (differences++ < 20)
		printf("packet %lu, table %s: %s\n", packet, table, what);
}

/* The rule that decided, by number; 0: the policy. */
static unsigned int decided_by(const struct side *eval)
{
	const struct xt2_chain *c = xt2_at(eval->map.image, eval->ctx.chain);
	unsigned int n =
		xt2_rule_number(eval->map.image, c, xt2_at(eval->map.image, eval->ctx.rule));

	return n == c->rules ? 0 : n;
}

static int one_table(struct side *eval, struct side *slow, const struct xt2_hook *h,
		     unsigned long packet)
{
	struct xt2_oracle o = { .rs = slow->rs, .ctx = &slow->ctx, .step = on_step, .data = slow };
	const char *table = xt2_image_table(eval->map.image, eval->ctx.root, h->table)->name;
	int t = xt2_table_find(slow->rs, h->family, table);
	int verdict = xt2_eval(&eval->ctx, h);
	int other = xt2_oracle_run(&o, xt2_chain_base(slow->rs, t, h->hook));
	unsigned int at;

	evaluations++;
	if (verdict != other)
		differ(packet, table, "another verdict");
	if (eval->ctx.chain && o.chain >= 0) {
		at = o.at == xt2_chain_rules(slow->rs, o.chain) ? 0 : o.at + 1;
		if (decided_by(eval) != at)
			differ(packet, table, "another rule decided");
	}
	if (eval->pkt.mark != slow->pkt.mark || eval->pkt.caplen != slow->pkt.caplen ||
	    memcmp(eval->bytes, slow->bytes, eval->pkt.caplen))
		differ(packet, table, "another packet came out");
	return verdict;
}

static void compare_counters(const struct side *eval, const struct side *slow)
{
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	__u32 i;

	xt2_image_for_each_chain(c, i, eval->map.image, eval->ctx.root) {
		unsigned int at = 0;

		xt2_chain_for_each_rule(r, c) {
			__u64 packets, bytes;

			if (at < xt2_chain_rules(slow->rs, i)) {
				packets = xt2_rule_get(slow->rs, i, at)->packets;
				bytes = xt2_rule_get(slow->rs, i, at)->bytes;
			} else if (xt2_chain_hook(slow->rs, i) < 0) {
				break; /* the end of a user chain has no counter in text */
			} else {
				xt2_chain_counters(slow->rs, i, &packets, &bytes);
			}
			at++;
			if (r->packets != packets || r->bytes != bytes)
				differ(0, xt2_chain_name(slow->rs, i), "another counter");
		}
	}
}

struct context {
	struct xt2_host host;
};

static const struct xt2_option host_rows[] = {
	XT2_HOST_ROWS(struct context, host),
	XT2_ROWS_END,
};

static void host_option(struct context *context, const char *name, const char *value)
{
	struct xt2_given g = { .command = "oracle-equal", .data = context, .arg = value };

	for (g.row = host_rows; g.row->take; g.row++)
		if (g.row->name && !strcmp(g.row->name, name))
			break;
	g.field = (char *)context + g.row->at;
	if (!g.row->take || g.row->take(&g) != XT2_EXIT_OK)
		die(name);
}

int main(int argc, char **argv)
{
	struct side eval = { 0 }, slow = { 0 };
	struct context context;
	struct xt2_err err = { 0 };
	struct xt2_capture *cap;
	struct xt2_captured c;
	const struct xt2_hook *h;
	unsigned long packet = 0;
	int family, hook, i;
	__u32 k;

	if (argc < 5)
		die("usage: oracle-equal -4|-6 RULES CAPTURE HOOK [OPTION=VALUE...]");
	family = strcmp(argv[1], "-6") ? XT2_IPV4 : XT2_IPV6;
	hook = xt2_hook_number(family, argv[4]);
	xt2_host_init(&context.host);
	for (i = 5; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (!value)
			die(argv[i]);
		*value++ = 0;
		host_option(&context, argv[i], value);
	}
	load(&eval, argv[2], family);
	load(&slow, argv[2], family);
	cap = xt2_capture_open(argv[3], &err);
	if (!cap || hook < 0)
		die(argv[3]);
	while (xt2_capture_next(cap, &c, &err) > 0) {
		packet++;
		if (c.family != family || !fill(&eval, &context.host, &c, hook) ||
		    !fill(&slow, &context.host, &c, hook))
			continue;
		xt2_image_for_each_hook(h, k, eval.map.image, eval.ctx.root)
			if (h->family == family && h->hook == hook &&
			    one_table(&eval, &slow, h, packet) != XT2_ACCEPT)
				break;
	}
	xt2_capture_close(cap);
	compare_counters(&eval, &slow);
	unload(&eval);
	unload(&slow);
	printf("%lu evaluations, %lu differences\n", evaluations, differences);
	return differences ? 1 : 0;
}
