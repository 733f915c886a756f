/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain-index.c - what an index does for a packet
 *
 * The index is asked as evaluation asks it, up to the last candidate: which
 * of them are evaluated depends on what they decide.
 */
#include "explain-index.h"
#include "cmd.h"
#include "engine/index/find.h"

static const char *why_unused(const struct xt2_pkt *pkt)
{
	if (pkt->fragoff)
		return "the packet is a fragment";
	if (pkt->l4 != XT2_L4_OK)
		return "no transport header can be found in the packet";
	if (__builtin_popcount(pkt->ct.state & (XT2_CT_TRACKED | XT2_CT_UNTRACKED)) > 1)
		return "the packet is in several states";
	return "the packet's transport header is cut off";
}

/* Counts rules by their offsets, which ascend from call to call. */
struct counter {
	const struct xt2_chain *chain;
	const struct xt2_rule *at;
	__u32 number;
};

static __u32 number_of(struct counter *c, __u32 offset)
{
	const struct xt2_rule *r = xt2_at(c->chain, offset);

	while (c->at < r) {
		c->at = xt2_rule_next(c->at);
		c->number++;
	}
	return c->number;
}

static void name_unit(struct xt2_index_facts *f, const struct xt2_index *ix, struct counter *c,
		      __u32 unit)
{
	const __u32 first = number_of(c, unit & ~XT2_UNIT_FLAGS);
	__u32 last = first;

	if (unit & XT2_UNIT_RUN)
		last = number_of(c, xt2_index_run(ix, unit & ~XT2_UNIT_FLAGS)->end) - 1;
	f->looked_at += last - first + 1;
	f->more |= f->named == XT2_NAMED_MAX;
	if (f->more)
		return;
	f->unit[f->named].first = first;
	f->unit[f->named].last = last;
	f->named++;
}

/* => the offset of a rule; 0: before all rules */
static __u32 offset_of(const struct xt2_chain *c, __u32 number)
{
	const struct xt2_rule *r = xt2_chain_first(c);
	__u32 i;

	for (i = 1; i < number; i++)
		r = xt2_rule_next(r);
	return number ? (__u32)((const __u8 *)r - (const __u8 *)c) : 0;
}

static void ask(struct xt2_index_facts *f, const struct xt2_chain *c, struct xt2_search *s,
		const struct xt2_pkt *pkt, __u32 after)
{
	const struct xt2_index *ix = xt2_chain_index(c);
	struct counter counter = { c, xt2_chain_first(c), 1 };
	__u32 from = offset_of(c, after), i;

	if (!xt2_keys_fill(&s->keys, pkt, ix->asks)) {
		f->unused = why_unused(pkt);
		return;
	}
	do {
		xt2_index_find(c, s, pkt, from);
		for (i = 0; i < s->units; i++)
			name_unit(f, ix, &counter, s->unit[i]);
		from = s->resume;
	} while (from);
	f->skipped = f->rep.rules - after - f->looked_at;
}

int xt2_index_facts_get(const struct xt2_chain *c, int family, const struct xt2_pkt *pkt,
			__u32 after, struct xt2_index_facts *f)
{
	struct xt2_search *s;

	memset(f, 0, sizeof(*f));
	if (xt2_represent(c, family, &f->rep) < 0)
		return -ENOMEM;
	if (!f->rep.kind)
		return 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ask(f, c, s, pkt, after);
	free(s);
	return 0;
}

void xt2_index_facts_text(const struct xt2_index_facts *f, FILE *to)
{
	__u32 i;

	fprintf(to, "%s", xt2_kind_name(f->rep.kind));
	if (!f->rep.kind) {
		fprintf(to, ": %s", f->rep.why);
		return;
	}
	if (f->unused) {
		fprintf(to, " (%s), but rule after rule: %s", f->rep.why, f->unused);
		return;
	}
	fprintf(to, " (%s): skips %u rules, looks at %u", f->rep.why, f->skipped, f->looked_at);
	for (i = 0; i < f->named; i++) {
		fprintf(to, "%s %u", i ? "," : ":", f->unit[i].first);
		if (f->unit[i].last != f->unit[i].first)
			fprintf(to, "-%u", f->unit[i].last);
	}
	if (f->more)
		fputs(", ...", to);
}

void xt2_index_facts_json(const struct xt2_index_facts *f, FILE *to)
{
	__u32 i;

	fprintf(to, "\"represented\":\"%s\",\"why\":", xt2_kind_name(f->rep.kind));
	xt2_json_string(to, "", f->rep.why);
	if (!f->rep.kind)
		return;
	xt2_json_string(to, ",\"fields\":", f->rep.fields);
	if (f->unused) {
		xt2_json_string(to, ",\"unused\":", f->unused);
		return;
	}
	fprintf(to, ",\"skipped\":%u,\"looked_at\":%u,\"candidates\":[", f->skipped, f->looked_at);
	for (i = 0; i < f->named; i++)
		fprintf(to, "%s[%u,%u]", i ? "," : "", f->unit[i].first, f->unit[i].last);
	fprintf(to, "],\"all_named\":%s", f->more ? "false" : "true");
}
