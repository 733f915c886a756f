/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain-output.c - what xt2 explain prints, as text or as JSON */
#include "explain.h"
#include "xt2tables/text/text.h"

#define TEXT	 4096
#define INDENTED 32 /* jumps that are shown by blanks: or deep rules would take n^2 bytes */

static void name_rule(const struct xt2_explain *e, int chain, unsigned int at, char *buf,
		      size_t size)
{
	const struct xt2_ruleset *rs = e->in.rs;
	const char *table = xt2_table_name(rs, xt2_chain_table(rs, chain));
	const char *name = xt2_chain_name(rs, chain);

	if (at < xt2_chain_rules(rs, chain))
		snprintf(buf, size, "%s/%s:%u", table, name, at + 1);
	else
		snprintf(buf, size, "%s/%s:%s", table, name,
			 xt2_chain_hook(rs, chain) >= 0 ? "policy" : "end");
}

/* The rule without "-A CHAIN ". */
static void rule_text(struct xt2_explain *e, int chain, unsigned int at, char *buf, size_t size)
{
	const char *p;
	int ret;

	buf[0] = 0;
	if (at >= xt2_chain_rules(e->in.rs, chain))
		return;
	ret = xt2_text_rule(e->in.rs, chain, at, buf, size);
	e->incomplete |= ret == -ENOMEM;
	if (ret < 0)
		return;
	p = buf;
	if (!strncmp(p, "-A ", 3)) {
		p += 3;
		p += strcspn(p, " ");
		p += *p == ' ';
		memmove(buf, p, strlen(p) + 1);
	}
}

/* "-m tcp --dport 80 (ports are 1 -> 22)" */
static void condition(struct xt2_explain *e, int chain, const struct xt2_match *m, char *buf,
		      size_t size)
{
	char value[256];
	size_t n;
	int ret;

	buf[0] = 0;
	ret = xt2_text_match(e->in.rs, chain, m, buf, size);
	e->incomplete |= ret == -ENOMEM;
	if (ret < 0 || !buf[0])
		snprintf(buf, size, "-m %s", xt2_match_name(m->type));
	xt2_packet_value(&e->packet.pkt, m, value, sizeof(value));
	n = strlen(buf);
	if (value[0] && n < size)
		snprintf(buf + n, size - n, " (%s)", value);
}

static const char *outcome(const struct xt2_explain *e, const struct xt2_step *step, char *buf,
			   size_t size)
{
	int kind;

	if (step->answer == XT2_MISS)
		return "no";
	if (step->answer < 0)
		return "not known";
	if (step->answer == XT2_HOTDROP || step->answer == XT2_HIT_DROP)
		return "malformed, DROP";
	if (!step->rule) {
		if (xt2_chain_hook(e->in.rs, step->chain) < 0)
			return "return";
		return xt2_target_name(xt2_chain_policy(e->in.rs, step->chain));
	}
	kind = XT2_TARGET_KIND(step->rule->target);
	switch (kind) {
	case XT2_T_CONTINUE: return "counts";
	case XT2_T_JUMP:
	case XT2_T_GOTO:
		snprintf(buf, size, "%s %s", kind == XT2_T_JUMP ? "jump" : "goto",
			 xt2_chain_name(e->in.rs, XT2_TARGET_ARG(step->rule->target)));
		return buf;
	case XT2_T_NAT:
	case XT2_T_FOREIGN:
		snprintf(buf, size, "%s",
			 xt2_instance_get(e->in.rs, XT2_TARGET_ARG(step->rule->target))->name);
		return buf;
	}
	return xt2_target_name(kind);
}

static void member(const char *name, const char *value)
{
	printf(",\"%s\":", name);
	xt2_json_string(stdout, "", value);
}

void xt2_explain_begin(const struct xt2_explain *e, const char *const *assumptions)
{
	char text[512];
	unsigned int i;

	xt2_packet_describe(&e->packet.pkt, text, sizeof(text));
	if (!e->json) {
		xt2_print_line(stdout, "packet: %s", text);
		for (i = 0; assumptions[i]; i++)
			printf("assumed: %s\n", assumptions[i]);
		return;
	}
	xt2_json_string(stdout, "{\"packet\":", text);
	fputs(",\"assumed\":[", stdout);
	for (i = 0; assumptions[i]; i++) {
		xt2_json_string(stdout, i ? "," : "", assumptions[i]);
	}
	fputs("],\"steps\":[", stdout);
}

void xt2_explain_no_index(const struct xt2_explain *e)
{
	if (!e->json)
		puts("index: asked too often from here on to show what it names");
}

/* "  filter/INPUT:1   jump SSH", indented by the jumps that are open; deep down they are a number. */
static void print_place(unsigned int depth, const char *where, const char *what)
{
	const unsigned int indent = 2 * (depth < INDENTED ? depth : INDENTED);
	char text[512], number[16] = "";

	if (depth > INDENTED)
		snprintf(number, sizeof(number), "(%u) ", depth);
	snprintf(text, sizeof(text), "%*s%s%-24s %-8s", indent, "", number, where, what);
	xt2_print_shown(stdout, text);
}

static void index_text(const struct xt2_explain *e, const struct xt2_step *step,
		       const struct xt2_index_facts *facts)
{
	char where[128];

	snprintf(where, sizeof(where), "%s/%s",
		 xt2_table_name(e->in.rs, xt2_chain_table(e->in.rs, step->chain)),
		 xt2_chain_name(e->in.rs, step->chain));
	print_place(step->depth, where, "index");
	fputs("  ", stdout);
	xt2_index_facts_text(facts, stdout);
	putchar('\n');
}

static void step_json(struct xt2_explain *e, const struct xt2_step *step,
		      const struct xt2_index_facts *facts)
{
	char text[TEXT], buf[64];
	const char *file;
	unsigned int line = xt2_input_line(&e->in, step->chain, step->at, &file);

	printf("%s{\"depth\":%u", e->steps ? "," : "", step->depth);
	member("table", xt2_table_name(e->in.rs, xt2_chain_table(e->in.rs, step->chain)));
	member("chain", xt2_chain_name(e->in.rs, step->chain));
	printf(",\"rule\":%u", step->rule ? step->at + 1 : 0);
	member("outcome", outcome(e, step, buf, sizeof(buf)));
	if (line)
		printf(",\"line\":%u", line);
	rule_text(e, step->chain, step->at, text, sizeof(text));
	if (text[0])
		member("text", text);
	if (step->failed) {
		condition(e, step->chain, step->failed, text, sizeof(text));
		member("failed", text);
	}
	if (facts) {
		fputs(",\"index\":{", stdout);
		xt2_index_facts_json(facts, stdout);
		putchar('}');
	}
	putchar('}');
}

static void step_text(struct xt2_explain *e, const struct xt2_step *step)
{
	char where[128], text[TEXT], buf[64];
	const char *what = outcome(e, step, buf, sizeof(buf));
	const char *file;
	unsigned int line = xt2_input_line(&e->in, step->chain, step->at, &file);

	if (e->brief && step->answer == XT2_MISS)
		return;
	name_rule(e, step->chain, step->at, where, sizeof(where));
	if (step->failed)
		condition(e, step->chain, step->failed, text, sizeof(text));
	else
		rule_text(e, step->chain, step->at, text, sizeof(text));
	print_place(step->depth, where, what);
	if (text[0]) {
		fputs("  ", stdout);
		xt2_print_shown(stdout, text);
	}
	if (line && step->answer != XT2_MISS) {
		fputs("   [", stdout);
		xt2_print_shown(stdout, file);
		printf(":%u]", line);
	}
	putchar('\n');
}

void xt2_explain_step(struct xt2_explain *e, const struct xt2_step *step,
		      const struct xt2_index_facts *facts)
{
	if (e->json) {
		step_json(e, step, facts);
	} else {
		if (facts)
			index_text(e, step, facts);
		step_text(e, step);
	}
	e->steps++;
}

/* --- why not this rule? ------------------------------------------------------ */

static void why_json(const char *where, const struct xt2_why_not *w, bool decided, const char *text)
{
	xt2_json_string(stdout, ",\"why_not\":{\"rule\":", where);
	printf(",\"reached\":%s,\"matches\":%s,\"decided\":%s", w->seen ? "true" : "false",
	       w->answer == XT2_HIT ? "true"
	       : w->answer < 0	    ? "null"
				    : "false",
	       decided ? "true" : "false");
	if (text[0])
		member(w->answer == XT2_MISS ? "failed"
		       : w->answer < 0	     ? "unsupported"
					     : "malformed",
		       text);
	putchar('}');
}

static void why_text(const struct xt2_why_not *w, bool decided, const char *text)
{
	if (w->answer == XT2_HIT && w->seen)
		printf("it matched%s\n", decided ? " and decided" : "");
	else if (w->answer == XT2_HIT)
		puts("it would match");
	else
		xt2_print_line(stdout, "%s%s",
			       w->answer < 0	       ? "it cannot be evaluated: "
			       : w->answer == XT2_MISS ? "it fails at "
						       : "the packet is malformed for ",
			       text);
}

static void why_not(struct xt2_explain *e, const char *decider)
{
	const struct xt2_why_not *w = &e->why;
	const bool decided = e->oracle.chain == w->chain && e->oracle.at == w->at;
	char text[TEXT] = "", where[128];

	if (!w->text)
		return;
	name_rule(e, w->chain, w->at, where, sizeof(where));
	if (w->answer != XT2_HIT)
		condition(e, w->chain, w->failed, text, sizeof(text));
	if (e->json) {
		why_json(where, w, decided, text);
		return;
	}
	xt2_print_shown(stdout, where);
	fputs(": ", stdout);
	if (!w->seen) {
		fputs("not reached, ", stdout);
		xt2_print_shown(stdout, decider);
		fputs(" decided; alone, ", stdout);
	}
	why_text(w, decided, text);
}

/* --- the end ------------------------------------------------------------------ */

int xt2_explain_unsupported(struct xt2_explain *e, const char *name)
{
	struct xt2_err err = { .code = XT2_E_UNSUPPORTED };
	const int chain = e->oracle.chain;
	const unsigned int at = e->oracle.at;
	char where[128];

	name_rule(e, chain, at, where, sizeof(where));
	if (e->json) {
		xt2_json_string(stdout, "],\"verdict\":null,\"unsupported\":{\"rule\":", where);
		member("extension", name);
		putchar('}');
	} else {
		xt2_print_line(stdout, "verdict: not known, %s cannot be evaluated", where);
	}
	why_not(e, where);
	if (e->json)
		puts("}");
	fflush(stdout);
	xt2_input_err_rule(&e->in, chain, at, &err);
	snprintf(err.message, sizeof(err.message),
		 "%s: '%s' is kept and saved, but cannot be evaluated", where, name);
	xt2_err_hint(&err, "ask with a copy of the rules without it");
	return xt2_fail(&err);
}

void xt2_explain_end(struct xt2_explain *e, int verdict)
{
	const bool decided = e->oracle.chain >= 0;
	char where[128] = "nothing";

	if (decided)
		name_rule(e, e->oracle.chain, e->oracle.at, where, sizeof(where));
	if (e->json) {
		printf("],\"verdict\":\"%s\"", xt2_verdict_name(verdict));
		if (decided)
			member("decided_by", where);
	} else if (decided) {
		xt2_print_line(stdout, "verdict: %s by %s", xt2_verdict_name(verdict), where);
	} else {
		printf("verdict: %s, no table of this hook has a say\n", xt2_verdict_name(verdict));
	}
	why_not(e, where);
	if (e->json)
		puts("}");
}
