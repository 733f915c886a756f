/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-explain.c - xt2 explain: what happens to a packet, and why
 *
 * Shows the rules in the order in which they are tried, the first condition
 * that failed in each, and the rule that decided.  The answer comes from the
 * oracle (oracle.h), which the tests hold equal to the evaluator.
 */
#include "libxt2/evaluate/track.h"
#include "libxt2/evaluate/unsupported.h"
#include "explain-index.h"
#include "xt2tables/packet/oracle.h"
#include "xt2tables/packet/packet.h"
#include "xt2tables/files/sandbox.h"
#include "xt2tables/text/text.h"
#include "cmd.h"

#define TEXT	 4096
#define FEW	 64 /* rules of a chain whose representation is not worth a line */
#define INDENTED 32 /* jumps that are shown by blanks: or deep rules would take n^2 bytes */
#define ASKING	 (1u << 20) /* rules */

struct explain {
	struct xt2_input in;
	struct xt2_host host;
	struct xt2_packet_spec spec;
	struct xt2_packet packet;
	const char *hook, *table, *why_not;
	const char *number; /* of --number */
	bool json, brief;
	struct xt2_ctx ctx;
	struct xt2_oracle oracle;

	/* of the run */
	unsigned int steps;
	int why_chain; /* the rule asked for by --why-not */
	unsigned int why_at;
	bool why_seen;
	const struct xt2_match *why_failed;
	int why_answer;
	__u32 *changes; /* for each jump that is open, of the packet when its chain's index was asked */
	unsigned int depths; /* of changes */
	__u32 changed; /* targets that may have changed the packet */
	__u64 asking; /* rules of chains whose index may yet be asked */
	bool asked_enough;
};

static void place(const struct explain *e, int chain, unsigned int at, char *buf, size_t size)
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

/* There was no memory for a text that the answer should have. */
static bool incomplete;

/* The rule without "-A CHAIN ". */
static void rule_text(const struct explain *e, int chain, unsigned int at, char *buf, size_t size)
{
	const char *p;
	int ret;

	buf[0] = 0;
	if (at >= xt2_chain_rules(e->in.rs, chain))
		return;
	ret = xt2_text_rule(e->in.rs, chain, at, buf, size);
	incomplete |= ret == -ENOMEM;
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
static void condition(const struct explain *e, int chain, const struct xt2_match *m, char *buf,
		      size_t size)
{
	char value[256];
	size_t n;
	int ret;

	buf[0] = 0;
	ret = xt2_text_match(e->in.rs, chain, m, buf, size);
	incomplete |= ret == -ENOMEM;
	if (ret < 0 || !buf[0])
		snprintf(buf, size, "-m %s", xt2_match_name(m->type));
	xt2_packet_value(&e->packet.pkt, m, value, sizeof(value));
	n = strlen(buf);
	if (value[0] && n < size)
		snprintf(buf + n, size - n, " (%s)", value);
}

static const char *outcome(const struct explain *e, const struct xt2_step *step, char *buf,
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

/* A target that is not only a report has the index asked again, as in evaluation. */
static bool changes(const struct xt2_step *step)
{
	const int kind = step->rule ? (int)XT2_TARGET_KIND(step->rule->target) : 0;

	return step->answer == XT2_HIT && kind > XT2_T_NAT && kind != XT2_T_FOREIGN &&
	       kind != XT2_T_LOG && kind != XT2_T_NFLOG && kind != XT2_T_TRACE;
}

/* => has the index of the step's chain to be asked now? */
static bool asks_index(struct explain *e, const struct xt2_step *step)
{
	if (step->depth >= e->depths) {
		unsigned int room = 2 * step->depth + 16;
		__u32 *more = realloc(e->changes, room * sizeof(*more));

		if (!more) {
			incomplete = true;
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

/*
 * To tell what an index names takes as long as its chain: rules that change the
 * packet have it asked again, one after the other, and chains are entered again.
 */
static bool may_ask(struct explain *e, __u32 rules)
{
	if (e->asking >= rules) {
		e->asking -= rules;
		return true;
	}
	if (!e->asked_enough && !e->json)
		puts("index: asked too often from here on to show what it names");
	e->asked_enough = true;
	return false;
}

/* How the chain is represented that a packet comes to, and what that means for it. */
static void index_line(struct explain *e, const struct xt2_step *step)
{
	const struct xt2_chain *c =
		xt2_image_chain(e->in.map.image, e->ctx.root, (__u32)step->chain);
	const char *table = xt2_table_name(e->in.rs, xt2_chain_table(e->in.rs, step->chain));
	const char *name = xt2_chain_name(e->in.rs, step->chain);
	struct xt2_index_facts facts;
	char where[128];

	if (!asks_index(e, step) || (step->at && !c->lookup) ||
	    (!e->json && (e->brief || (!c->lookup && c->rules <= FEW + 1))))
		return;
	if (!may_ask(e, c->rules))
		return;
	if (xt2_index_facts_get(c, e->packet.pkt.family, &e->packet.pkt, step->at, &facts) < 0) {
		incomplete = true;
		return;
	}
	if (e->json) {
		fputs(",\"index\":{", stdout);
		xt2_index_facts_json(&facts, stdout);
		putchar('}');
		return;
	}
	snprintf(where, sizeof(where), "%s/%s", table, name);
	print_place(step->depth, where, "index");
	fputs("  ", stdout);
	xt2_index_facts_text(&facts, stdout);
	putchar('\n');
}

static void step_json(struct explain *e, const struct xt2_step *step)
{
	char text[TEXT], buf[64];
	const char *file;
	unsigned int line = xt2_input_line(&e->in, step->chain, step->at, &file);

	printf("%s{\"depth\":%u,\"table\":", e->steps ? "," : "", step->depth);
	xt2_json_string(stdout, xt2_table_name(e->in.rs, xt2_chain_table(e->in.rs, step->chain)));
	fputs(",\"chain\":", stdout);
	xt2_json_string(stdout, xt2_chain_name(e->in.rs, step->chain));
	printf(",\"rule\":%u,\"outcome\":", step->rule ? step->at + 1 : 0);
	xt2_json_string(stdout, outcome(e, step, buf, sizeof(buf)));
	if (line)
		printf(",\"line\":%u", line);
	rule_text(e, step->chain, step->at, text, sizeof(text));
	if (text[0]) {
		fputs(",\"text\":", stdout);
		xt2_json_string(stdout, text);
	}
	if (step->failed) {
		condition(e, step->chain, step->failed, text, sizeof(text));
		fputs(",\"failed\":", stdout);
		xt2_json_string(stdout, text);
	}
	index_line(e, step);
	putchar('}');
}

static void step_text(const struct explain *e, const struct xt2_step *step)
{
	char where[128], text[TEXT], buf[64];
	const char *what = outcome(e, step, buf, sizeof(buf));
	const char *file;
	unsigned int line = xt2_input_line(&e->in, step->chain, step->at, &file);

	if (e->brief && step->answer == XT2_MISS)
		return;
	place(e, step->chain, step->at, where, sizeof(where));
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

static void on_step(void *data, const struct xt2_step *step)
{
	struct explain *e = data;

	if (e->why_not && step->chain == e->why_chain && step->at == e->why_at) {
		e->why_seen = true;
		e->why_answer = step->answer;
		e->why_failed = step->failed;
	}
	if (e->json) {
		step_json(e, step);
	} else {
		index_line(e, step);
		step_text(e, step);
	}
	e->steps++;
	e->changed += changes(step);
}

static void why_not(struct explain *e)
{
	const bool decided = e->oracle.chain == e->why_chain && e->oracle.at == e->why_at;
	char text[TEXT] = "", where[128], decider[128];
	const struct xt2_match *failed = e->why_failed;
	int answer = e->why_answer;

	place(e, e->why_chain, e->why_at, where, sizeof(where));
	if (e->oracle.chain >= 0)
		place(e, e->oracle.chain, e->oracle.at, decider, sizeof(decider));
	else
		snprintf(decider, sizeof(decider), "nothing");
	if (!e->why_seen)
		answer = xt2_oracle_rule(&e->oracle,
					 xt2_rule_get(e->in.rs, e->why_chain, e->why_at), &failed);
	if (answer != XT2_HIT)
		condition(e, e->why_chain, failed, text, sizeof(text));
	if (e->json) {
		fputs(",\"why_not\":{\"rule\":", stdout);
		xt2_json_string(stdout, where);
		printf(",\"reached\":%s,\"matches\":%s,\"decided\":%s",
		       e->why_seen ? "true" : "false",
		       answer == XT2_HIT ? "true"
		       : answer < 0	 ? "null"
					 : "false",
		       decided ? "true" : "false");
		if (text[0]) {
			printf(",\"%s\":", answer == XT2_MISS ? "failed"
					   : answer < 0	      ? "unsupported"
							      : "malformed");
			xt2_json_string(stdout, text);
		}
		putchar('}');
		return;
	}
	xt2_print_shown(stdout, where);
	fputs(": ", stdout);
	if (!e->why_seen) {
		fputs("not reached, ", stdout);
		xt2_print_shown(stdout, decider);
		fputs(" decided; alone, ", stdout);
	}
	if (answer == XT2_HIT && e->why_seen)
		printf("it matched%s\n", decided ? " and decided" : "");
	else if (answer == XT2_HIT)
		puts("it would match");
	else if (answer < 0)
		xt2_print_line(stdout, "it cannot be evaluated: %s", text);
	else
		xt2_print_line(stdout, "%s%s",
			       answer == XT2_MISS ? "it fails at " : "the packet is malformed for ",
			       text);
}

static bool is_asked(const struct explain *e, const char *table)
{
	if (e->table)
		return !strcmp(e->table, table);
	return strcmp(table, "nat") || xt2_track_maps(&e->packet.pkt);
}

static int walk_tables(struct explain *e, int hook)
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

/* The packet has come to a rule that cannot be evaluated.  => XT2_EXIT_UNSUPPORTED */
static int unknown(struct explain *e)
{
	struct xt2_err err = { .code = XT2_E_UNSUPPORTED };
	const int chain = e->oracle.chain;
	const unsigned int at = e->oracle.at;
	const char *name = xt2_rule_unevaluated(e->in.map.image, e->ctx.root,
						xt2_rule_get(e->in.rs, chain, at));
	const char *file;
	char where[128];

	place(e, chain, at, where, sizeof(where));
	if (e->json) {
		fputs("],\"verdict\":null,\"unsupported\":{\"rule\":", stdout);
		xt2_json_string(stdout, where);
		fputs(",\"extension\":", stdout);
		xt2_json_string(stdout, name);
		putchar('}');
	} else {
		xt2_print_line(stdout, "verdict: not known, %s cannot be evaluated", where);
	}
	if (e->why_not)
		why_not(e);
	if (e->json)
		puts("}");
	fflush(stdout);
	err.line = xt2_input_line(&e->in, chain, at, &file);
	xt2_err_file(&err, file);
	snprintf(err.message, sizeof(err.message),
		 "%s: '%s' is kept and saved, but cannot be evaluated", where, name);
	xt2_text_rule(e->in.rs, chain, at, err.rule, sizeof(err.rule));
	snprintf(err.hint, sizeof(err.hint), "ask with a copy of the rules without it");
	return xt2_fail(&err);
}

static void conclude(struct explain *e, int verdict)
{
	char where[128];

	if (e->json) {
		printf("],\"verdict\":\"%s\"", xt2_verdict_name(verdict));
		if (e->oracle.chain >= 0) {
			place(e, e->oracle.chain, e->oracle.at, where, sizeof(where));
			fputs(",\"decided_by\":", stdout);
			xt2_json_string(stdout, where);
		}
		if (e->why_not)
			why_not(e);
		puts("}");
		return;
	}
	if (e->oracle.chain >= 0) {
		place(e, e->oracle.chain, e->oracle.at, where, sizeof(where));
		xt2_print_line(stdout, "verdict: %s by %s", xt2_verdict_name(verdict), where);
	} else {
		printf("verdict: %s, no table of this hook has a say\n", xt2_verdict_name(verdict));
	}
	if (e->why_not)
		why_not(e);
}

/* What the packet alone does not tell, and a rule on its way asks. */
static void assumptions(const struct explain *e)
{
	const bool untracked = !e->host.ct.state;
	const struct {
		int type;
		bool holds;
		const char *text;
	} uncertain[] = {
		{ XT2_M_CONNTRACK, untracked, "conntrack: INVALID, not tracked; see --ctstate" },
		{ XT2_M_STATE, untracked, "state: INVALID, not tracked; see --ctstate" },
		{ XT2_M_LIMIT, true, "limit: as if no packet had come before" },
		{ XT2_M_QUOTA, true, "quota: as if nothing had been spent" },
		{ XT2_M_STATISTIC, true,
		  "statistic: as if this were the first packet; random is random" },
		{ XT2_M_TIME, true, "time: the packet's time is taken" },
	};
	__u8 *reached = xt2_input_reached(&e->in, e->hook, e->table);
	bool seen[256] = { false }, comma = false;
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	const struct xt2_match *m;
	__u32 i;
	size_t k;

	incomplete |= !reached;
	if (reached && e->ctx.root)
		xt2_image_for_each_chain(c, i, e->in.map.image, e->ctx.root)
			xt2_chain_for_each_rule(r, c)
				xt2_rule_for_each_match(m, r)
					seen[m->type] |= reached[c->index];
	free(reached);
	for (k = 0; k < XT2_ARRAY_SIZE(uncertain); k++) {
		if (!uncertain[k].holds || !seen[uncertain[k].type])
			continue;
		if (e->json) {
			fputs(comma ? "," : "", stdout);
			xt2_json_string(stdout, uncertain[k].text);
			comma = true;
		} else {
			printf("assumed: %s\n", uncertain[k].text);
		}
	}
}

/* Enough for each chain to be asked about a few times, and more often if it is short. */
static __u64 asking(const struct explain *e)
{
	const struct xt2_chain *c;
	__u64 rules = 0;
	__u32 i;

	if (e->ctx.root)
		xt2_image_for_each_chain(c, i, e->in.map.image, e->ctx.root)
			rules += c->rules;
	return 4 * rules + ASKING;
}

static int run(struct explain *e)
{
	struct xt2_err err = { 0 };
	char text[512];
	int hook, verdict;

	if (xt2_input_table(&e->in, e->hook, e->table, text, sizeof(text)) < 0)
		return xt2_usage("explain", "%s", text);
	e->spec.host = &e->host;
	e->spec.hook = e->hook;
	if (xt2_packet_build(&e->spec, &e->packet, &err) < 0)
		return xt2_fail(&err);
	xt2_host_fill(&e->host, &e->packet.pkt, &e->packet.captured);
	hook = e->packet.pkt.hook;
	xt2_err_file(&err, "--why-not");
	if (e->why_not && xt2_input_rule(&e->in, e->packet.pkt.family, e->table, e->why_not,
					 &e->why_chain, &e->why_at, &err) < 0)
		return xt2_fail(&err);
	e->ctx = (struct xt2_ctx){ .pkt = &e->packet.pkt,
				   .img = e->in.map.image,
				   .root = xt2_image_root(e->in.map.image),
				   .now = e->packet.captured.time,
				   .random = 1 };
	if (xt2_image_too_long(e->in.map.image))
		return xt2_input_too_long(&e->in);
	e->asking = asking(e);
	e->oracle =
		(struct xt2_oracle){ .rs = e->in.rs, .ctx = &e->ctx, .step = on_step, .data = e };
	xt2_packet_describe(&e->packet.pkt, text, sizeof(text));
	if (e->json) {
		fputs("{\"packet\":", stdout);
		xt2_json_string(stdout, text);
		fputs(",\"assumed\":[", stdout);
		assumptions(e);
		fputs("],\"steps\":[", stdout);
	} else {
		xt2_print_line(stdout, "packet: %s", text);
		assumptions(e);
	}
	verdict = walk_tables(e, hook);
	if (verdict == -EOPNOTSUPP)
		return unknown(e);
	if (verdict < 0)
		return xt2_no_memory("explain");
	conclude(e, verdict);
	return XT2_EXIT_OK;
}

static const char help[] =
	"Usage: xt2 explain {RULES | --live} [-4|-6|--arp] --hook HOOK PACKET [OPTIONS]\n\n"
	"Shows which rules a packet meets, the first condition that fails in each, and the\n"
	"rule that decides.  RULES is iptables-save text or an image.\n\n"
	"  -H, --hook HOOK        PREROUTING, INPUT, FORWARD, OUTPUT, POSTROUTING\n"
	"  -t, --table T          only this table\n"
	"      --why-not CHAIN:N  why did this rule not decide?\n"
	"  -b, --brief            only the rules that match\n"
	"      --json             JSON\n" XT2_INPUT_HELP
	"      --resolve          host names in the rules may be looked up\n\n"
	"PACKET is one of:\n"
	"  -s ADDR -d ADDR -p PROTO --sport N --dport N --tcp-flags F,F --icmp-type T[/C]\n"
	"  --length N --ttl N --tos N --fragment --mac-source M --mac-destination M\n"
	"  --arp-op request|reply\n"
	"                         a plain packet; what is not given has a default\n"
	"  --capture FILE --number N\n"
	"                         the N-th packet of a capture\n"
	"  --hex BYTES            from the network header on\n\n"
	"What only a host knows:\n" XT2_HOST_HELP;

#define PACKET(name, letter, field) XT2_WORD(name, letter, struct explain, spec.field)
#define ICMP_TYPE		    0x1001 /* two names of one option */

static const struct xt2_option rows[] = {
	XT2_FAMILY_ROWS(struct explain, in.family),
	XT2_WORD("hook", 'H', struct explain, hook),
	XT2_WORD("table", 't', struct explain, table),
	XT2_WORD("why-not", 0, struct explain, why_not),
	XT2_FLAG("brief", 'b', struct explain, brief),
	XT2_FLAG("json", 0, struct explain, json),
	PACKET("source", 's', source),
	PACKET("destination", 'd', destination),
	PACKET("protocol", 'p', protocol),
	PACKET("sport", 0, sport),
	PACKET("dport", 0, dport),
	PACKET("tcp-flags", 0, tcp_flags),
	PACKET("icmp-type", ICMP_TYPE, icmp_type),
	PACKET("icmpv6-type", ICMP_TYPE, icmp_type),
	PACKET("length", 0, length),
	PACKET("ttl", 0, ttl),
	PACKET("tos", 0, tos),
	XT2_FLAG("fragment", 0, struct explain, spec.fragment),
	PACKET("mac-source", 0, mac_source),
	PACKET("mac-destination", 0, mac_destination),
	PACKET("arp-op", 0, arp_op),
	PACKET("capture", 0, capture),
	XT2_WORD("number", 0, struct explain, number),
	PACKET("hex", 0, hex),
	XT2_HOST_ROWS(struct explain, host),
	XT2_INPUT_ROWS(struct explain, in),
	XT2_ROWS_END,
};

/* A packet is given in one way.  => -1: go on; XT2_EXIT_USAGE */
static int packet_given(struct explain *e)
{
	struct xt2_packet_spec *s = &e->spec;
	const bool fields = s->source || s->destination || s->protocol || s->sport || s->dport ||
			    s->tcp_flags || s->icmp_type || s->length || s->ttl || s->tos ||
			    s->fragment || s->mac_source || s->mac_destination || s->arp_op;
	unsigned long long number = 1;

	if (!!s->capture + !!s->hex + fields > 1)
		return xt2_usage("explain",
				 "the packet is given by --capture, by --hex, or by its fields");
	if (e->number && !s->capture)
		return xt2_usage("explain", "--number is for packets of a --capture");
	if (e->number && (!xt2_number(e->number, 10, &number) || !number))
		return xt2_usage("explain", "--number: bad number '%s'", e->number);
	s->number = number;
	/* rules without -4 and -6 are of the family of the address */
	if (!e->in.family && ((s->source && strchr(s->source, ':')) ||
			      (s->destination && strchr(s->destination, ':'))))
		e->in.family = XT2_IPV6;
	s->family = e->in.family ? e->in.family : XT2_IPV4;
	return -1;
}

/* => -1: go on; XT2_EXIT_* */
static int arguments(struct explain *e, int argc, char **argv)
{
	int ret = xt2_options("explain", help, rows, e, argc, argv);

	if (ret >= 0)
		return ret;
	if (xt2_input_path(&e->in, "explain", argv + optind))
		return XT2_EXIT_USAGE;
	if (!e->hook)
		return xt2_usage("explain", "which hook? Give --hook, such as --hook INPUT");
	if (xt2_input_and_capture(&e->in, e->spec.capture))
		return XT2_EXIT_USAGE;
	return packet_given(e);
}

int xt2_explain_main(int argc, char **argv)
{
	static struct explain e;
	int ret;

	xt2_host_init(&e.host);
	ret = arguments(&e, argc, argv);
	if (ret >= 0)
		return ret;
	if (!e.in.live)
		xt2_sandbox_enter(&(struct xt2_sandbox){ .text = true, .network = e.in.resolve });
	ret = xt2_input_open(&e.in);
	if (ret == XT2_EXIT_OK && e.in.family)
		ret = xt2_input_reload(&e.in); /* numbers of the image, for cells */
	if (ret != XT2_EXIT_OK)
		return ret;
	if (!e.in.family && e.spec.capture)
		e.spec.family = 0; /* an image has all families */
	ret = run(&e);
	if (ret < XT2_EXIT_USAGE && incomplete)
		ret = xt2_no_memory("explain");
	free(e.changes);
	xt2_input_close(&e.in);
	return ret;
}
