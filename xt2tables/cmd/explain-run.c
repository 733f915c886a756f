/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain-run.c - the way of one packet through the rules
 *
 * The answer comes from the oracle (oracle.h), which the tests hold equal to
 * the evaluator.  What the oracle tries is printed as it goes.
 */
#include "libxt2/evaluate/track.h"
#include "libxt2/evaluate/unsupported.h"
#include "explain.h"

#define FEW	    64 /* rules of a chain whose representation is not worth a line */
#define ASKING	    (1u << 20) /* rules */
#define ASSUMPTIONS 6 /* that there can be */

/* A target that is not only a report has the index asked again, as in evaluation. */
static bool changes(const struct xt2_step *step)
{
	const int kind = step->rule ? (int)XT2_TARGET_KIND(step->rule->target) : 0;

	return step->answer == XT2_HIT && kind > XT2_T_NAT && kind != XT2_T_FOREIGN &&
	       kind != XT2_T_LOG && kind != XT2_T_NFLOG && kind != XT2_T_TRACE;
}

/* => has the index of the step's chain to be asked now? */
static bool asks_index(struct xt2_explain *e, const struct xt2_step *step)
{
	if (step->depth >= e->depths) {
		unsigned int room = 2 * step->depth + 16;
		__u32 *more = realloc(e->changes, room * sizeof(*more));

		if (!more) {
			e->incomplete = true;
			return false;
		}
		e->changes = more;
		e->depths = room;
	}
	if (step->at && e->changes[step->depth] == e->changed)
		return false;
	e->changes[step->depth] = e->changed;
	return true;
}

/*
 * To tell what an index names takes as long as its chain: rules that change the
 * packet have it asked again, one after the other, and chains are entered again.
 */
static bool may_ask(struct xt2_explain *e, __u32 rules)
{
	if (e->asking >= rules) {
		e->asking -= rules;
		return true;
	}
	if (!e->asked_enough)
		xt2_explain_no_index(e);
	e->asked_enough = true;
	return false;
}

/* How the chain is represented that a packet comes to.  => true: it is worth a line */
static bool index_facts(struct xt2_explain *e, const struct xt2_step *step,
			struct xt2_index_facts *facts)
{
	const struct xt2_chain *c =
		xt2_image_chain(e->in.map.image, e->ctx.root, (__u32)step->chain);

	if (!asks_index(e, step) || (step->at && !c->lookup) ||
	    (!e->json && (e->brief || (!c->lookup && c->rules <= FEW + 1))) ||
	    !may_ask(e, c->rules))
		return false;
	if (xt2_index_facts_get(c, e->packet.pkt.family, &e->packet.pkt, step->at, facts) < 0) {
		e->incomplete = true;
		return false;
	}
	return true;
}

static void on_step(void *data, const struct xt2_step *step)
{
	struct xt2_explain *e = data;
	struct xt2_index_facts facts;

	if (e->why.text && step->chain == e->why.chain && step->at == e->why.at) {
		e->why.seen = true;
		e->why.answer = step->answer;
		e->why.failed = step->failed;
	}
	xt2_explain_step(e, step, index_facts(e, step, &facts) ? &facts : NULL);
	e->changed += changes(step);
}

static bool is_asked(const struct xt2_explain *e, const char *table)
{
	if (e->table)
		return !strcmp(e->table, table);
	return strcmp(table, "nat") || xt2_track_maps(&e->packet.pkt);
}

static int walk_tables(struct xt2_explain *e, int hook)
{
	const struct xt2_image *img = e->in.map.image;
	const struct xt2_root *root = e->ctx.root;
	struct xt2_track track = { 0 };
	const struct xt2_hook *h;
	int verdict = XT2_ACCEPT;
	__u32 i;

	e->oracle.chain = -1;
	if (!root) /* an image without rules yet: everything passes */
		return XT2_ACCEPT;
	xt2_image_for_each_hook(h, i, img, root) {
		const struct xt2_table *t = xt2_image_table(img, root, h->table);
		int table;

		if (h->family != e->packet.pkt.family || h->hook != hook)
			continue;
		xt2_track_table(&track, &e->packet.pkt, h->priority);
		if (!is_asked(e, t->name))
			continue;
		table = xt2_table_find(e->in.rs, h->family, t->name);
		verdict = xt2_oracle_run(&e->oracle, xt2_chain_base(e->in.rs, table, hook));
		if (verdict != XT2_ACCEPT)
			break;
	}
	return verdict;
}

/* What the packet alone does not tell, and a rule on its way asks. */
static void assumptions(struct xt2_explain *e, const char **text)
{
	const bool untracked = !e->host.ct.state;
	const struct {
		int type;
		bool holds;
		const char *text;
	} uncertain[] = {
		{ XT2_M_CONNTRACK, untracked, "conntrack: INVALID, not tracked; see --ctstate" },
		{ XT2_M_STATE, untracked, "state: INVALID, not tracked; see --ctstate" },
		{ XT2_M_HASHLIMIT, true, "hashlimit: as if no packet had come before" },
		{ XT2_M_LIMIT, true, "limit: as if no packet had come before" },
		{ XT2_M_QUOTA, true, "quota: as if nothing had been spent" },
		{ XT2_M_RECENT, true, "recent: as if no packet had come before" },
		{ XT2_M_STATISTIC, true,
		  "statistic: as if this were the first packet; random is random" },
		{ XT2_M_TIME, true, "time: the packet's time is taken" },
	};
	__u8 *reached = xt2_input_reached(&e->in, e->hook, e->table);
	bool seen[256] = { false };
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	const struct xt2_match *m;
	struct xt2_in_order o;
	__u32 i;
	size_t k;

	e->incomplete |= !reached;
	if (reached && e->ctx.root)
		xt2_image_for_each_chain(c, i, e->in.map.image, e->ctx.root)
			xt2_chain_for_each(r, &o, e->in.map.image, c)
				xt2_rule_for_each_match(m, r)
					seen[m->type] |= reached[c->index];
	free(reached);
	for (k = 0; k < XT2_ARRAY_SIZE(uncertain); k++)
		if (uncertain[k].holds && seen[uncertain[k].type])
			*text++ = uncertain[k].text;
	*text = NULL;
}

/* Enough for each chain to be asked about a few times, and more often if it is short. */
static __u64 asking(const struct xt2_explain *e)
{
	const struct xt2_chain *c;
	__u64 rules = 0;
	__u32 i;

	if (e->ctx.root)
		xt2_image_for_each_chain(c, i, e->in.map.image, e->ctx.root)
			rules += c->rules;
	return 4 * rules + ASKING;
}

/* The packet as rules see it, and the rule of --why-not.  => XT2_EXIT_* */
static int prepare(struct xt2_explain *e)
{
	struct xt2_err err = { 0 };
	char why[512];

	if (xt2_input_table(&e->in, e->hook, e->table, why, sizeof(why)) < 0)
		return xt2_usage("explain", "%s", why);
	e->spec.host = &e->host;
	e->spec.hook = e->hook;
	if (xt2_packet_build(&e->spec, &e->packet, &err) < 0)
		return xt2_fail(&err);
	xt2_host_fill(&e->host, &e->packet.pkt, &e->packet.captured);
	xt2_err_file(&err, "--why-not");
	if (e->why.text && xt2_input_rule(&e->in, e->packet.pkt.family, e->table, e->why.text,
					  &e->why.chain, &e->why.at, &err) < 0)
		return xt2_fail(&err);
	return xt2_image_too_long(e->in.map.image) ? xt2_input_too_long(&e->in) : XT2_EXIT_OK;
}

int xt2_explain_run(struct xt2_explain *e)
{
	const char *assumed[ASSUMPTIONS + 1];
	const struct xt2_rule *r;
	int ret = prepare(e), verdict;

	if (ret != XT2_EXIT_OK)
		return ret;
	e->ctx = (struct xt2_ctx){ .pkt = &e->packet.pkt,
				   .img = e->in.map.image,
				   .root = xt2_image_root(e->in.map.image),
				   .now = e->packet.captured.time,
				   .random = 1 };
	e->asking = asking(e);
	e->oracle =
		(struct xt2_oracle){ .rs = e->in.rs, .ctx = &e->ctx, .step = on_step, .data = e };
	assumptions(e, assumed);
	xt2_explain_begin(e, assumed);
	verdict = walk_tables(e, e->packet.pkt.hook);
	if (verdict < 0 && verdict != -EOPNOTSUPP)
		return xt2_no_memory("explain");
	if (e->why.text && !e->why.seen) {
		r = xt2_rule_get(e->in.rs, e->why.chain, e->why.at);
		e->why.answer = xt2_oracle_rule(&e->oracle, r, &e->why.failed);
	}
	if (verdict >= 0) {
		xt2_explain_end(e, verdict);
		return XT2_EXIT_OK;
	}
	r = xt2_rule_get(e->in.rs, e->oracle.chain, e->oracle.at);
	return xt2_explain_unsupported(e, xt2_rule_unevaluated(e->ctx.img, e->ctx.root, r));
}
