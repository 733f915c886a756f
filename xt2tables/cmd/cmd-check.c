/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-check.c - xt2 check: everything that is wrong with a ruleset
 *
 * Errors of the text or image, what cannot be evaluated, and rules that no
 * packet can reach.  A rule is called unreachable only if that is certain:
 * one without conditions comes before it and ends the chain, or no hook leads
 * to its chain.
 */
#include "engine/image.h"
#include "libxt2/evaluate/reach.h"
#include "libxt2/store/edit-file.h"
#include "xt2tables/live/live-refused.h"
#include "xt2tables/text/text.h"
#include "cmd.h"

struct check {
	struct xt2_input in; /* one of the files */
	struct xt2_files files;
	bool json, strict, live, verbose;
	bool first; /* no finding has been printed for this file */
	unsigned int errors, unsupported, warnings;
	unsigned int rules, chains;
};

static void print_finding(const char *severity, const struct xt2_err *err)
{
	xt2_print_shown(stdout, err->file);
	if (err->line)
		printf(":%u", err->line);
	xt2_print_line(stdout, ": %s: %s", severity, err->message);
	if (err->rule[0] && err->line)
		xt2_print_line(stdout, "%4u | %s", err->line, err->rule);
	else if (err->rule[0])
		xt2_print_line(stdout, "     | %s", err->rule);
}

static void print(struct check *c, const char *severity, const struct xt2_err *err)
{
	if (!c->json) {
		if (err->code)
			xt2_err_print(err, stdout);
		else
			print_finding(severity, err);
		return;
	}
	printf("%s{\"severity\":\"%s\",\"problem\":", c->first ? "" : ",", severity);
	c->first = false;
	xt2_json_error(stdout, err);
	putchar('}');
}

static void on_error(void *data, const struct xt2_err *err)
{
	const bool unevaluated = err->code == XT2_E_UNSUPPORTED;
	struct check *c = data;

	if (unevaluated)
		c->unsupported++;
	else
		c->errors++;
	print(c, unevaluated ? "unsupported" : "error", err);
}

static void warn(struct check *c, int chain, unsigned int at, const char *message)
{
	struct xt2_err err = { .code = XT2_OK };

	c->warnings++;
	xt2_err_file(&err, c->in.path);
	snprintf(err.message, sizeof(err.message), "%s", message);
	if (at < xt2_chain_rules(c->in.rs, chain))
		xt2_input_err_rule(&c->in, chain, at, &err);
	print(c, "warning", &err);
}

/*
 * Does no packet get past this rule?  The kernel's own answer, xt2_rule_ends(), knows neither
 * comments nor extensions that always decide.
 */
static bool ends_chain(const struct xt2_rule *r)
{
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r)
		if (m->type != XT2_M_COMMENT)
			return false;
	switch (XT2_TARGET_KIND(r->target)) {
	case XT2_T_ACCEPT:
	case XT2_T_DROP:
	case XT2_T_RETURN:
	case XT2_T_GOTO:
	case XT2_T_QUEUE:
	case XT2_T_NAT:
	case XT2_T_REJECT:
	case XT2_T_NFQUEUE: return true;
	}
	return false;
}

static void warn_rest(struct check *c, const struct xt2_chain *chain, unsigned int reached)
{
	const unsigned int rest = chain->rules - 1 - reached;
	char text[128];

	snprintf(text, sizeof(text), "%s:%u and what follows (%u rule%s) is never reached",
		 xt2_chain_name(c->in.rs, (int)chain->index), reached + 1, rest,
		 rest > 1 ? "s" : "");
	warn(c, (int)chain->index, reached, text);
}

/* @w: has seen all that packets can come to */
static void warn_chains(struct check *c, const struct xt2_reach *w)
{
	char text[128];
	int t, chain;

	for (t = 0; t < xt2_ruleset_tables(c->in.rs); t++)
		xt2_table_for_each_chain(chain, c->in.rs, t) {
			c->chains++;
			c->rules += xt2_chain_rules(c->in.rs, chain);
			if (w->chain[chain].rules || !xt2_chain_rules(c->in.rs, chain))
				continue;
			snprintf(text, sizeof(text), "no rule that is reached leads to chain %s/%s",
				 xt2_table_name(c->in.rs, t), xt2_chain_name(c->in.rs, chain));
			warn(c, chain, 0, text);
		}
}

/* => -ENOMEM */
static int unreachable(struct check *c)
{
	const struct xt2_chain *chain;
	struct xt2_reach w;
	int ret = xt2_reach_begin(&w, c->in.map.image), t, base;

	w.ends = ends_chain;
	for (t = 0; !ret && t < xt2_ruleset_tables(c->in.rs); t++)
		xt2_table_for_each_chain(base, c->in.rs, t)
			if (xt2_chain_hook(c->in.rs, base) >= 0)
				xt2_reach_add(&w, (__u32)base);
	xt2_reach_for_each(chain, &w) if (w.chain[chain->index].rules < chain->rules - 1)
		warn_rest(c, chain, w.chain[chain->index].rules);
	if (!ret)
		warn_chains(c, &w);
	xt2_reach_end(&w);
	return ret;
}

/* Is there an end to a packet's way through the chains? */
static int ways(const struct check *c)
{
	struct xt2_evaluator *ev = xt2_evaluator_new(c->in.map.image, c->in.map.size);

	if (!ev)
		return xt2_input_no_evaluator(&c->in, errno);
	xt2_evaluator_free(ev);
	return XT2_EXIT_OK;
}

static void on_share(void *data, const struct xt2_err *err)
{
	print(data, "note", err);
}

/* What xt2 apply would refuse; JSON has all of it, each with its hint.  => XT2_EXIT_* */
static int check_live(struct check *c)
{
	struct xt2_refused list = {
		.rs = c->in.rs,
		.image = c->in.map.image,
		.path = c->in.path,
		.text = c->in.family,
		.max = c->json ? 0 : XT2_REFUSALS_MAX,
		.report = on_error,
		.data = c,
	};
	int ret = xt2_live_refused(&list);

	if (list.more)
		printf("%s: %s\n", c->in.path, list.rest);
	c->unsupported = list.count;
	list.report = on_share;
	return c->verbose ? xt2_exit_worse(ret, xt2_live_tell_shares(&list)) : ret;
}

/* What is wrong with a ruleset that could be loaded.  => XT2_EXIT_* */
static int check_rules(struct check *c)
{
	int ret = XT2_EXIT_OK;

	if (c->live)
		ret = check_live(c);
	else if (xt2_input_unsupported(&c->in, NULL, NULL) < 0)
		return xt2_no_memory("check");
	if (unreachable(c) < 0)
		return xt2_no_memory("check");
	/* xt2 apply asks for shorter ways, and has said so */
	return ret == XT2_EXIT_RESOURCE ? ret : xt2_exit_worse(ret, ways(c));
}

/* Whether whoever changes an image believes that it is as the last change has left it. */
static void tell_trust(const char *path)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_edit_file *file = NULL;
	const char *whole;
	int ret = rs ? xt2_edit_file_open(path, -1, &file, rs, &whole, NULL) : -ENOMEM;

	if (ret >= 0 && whole)
		fprintf(stderr, "xt2 check: %s: the next change checks all of it: %s\n", path,
			whole);
	else if (!ret)
		fprintf(stderr, "xt2 check: %s: the next change checks what was changed last\n",
			path);
	xt2_ruleset_free(rs);
	xt2_edit_file_close(file);
}

static int check_file(struct check *c, const char *path, bool *comma)
{
	int ret;

	c->in.path = path;
	c->in.report = on_error;
	c->in.data = c;
	c->in.more = c->errors = c->unsupported = c->warnings = c->rules = c->chains = 0;
	c->first = true;
	if (c->json) {
		xt2_json_string(stdout, *comma ? ",{\"file\":" : "{\"file\":", path);
		fputs(",\"findings\":[", stdout);
		*comma = true;
	}
	ret = xt2_input_load(&c->in);
	if (ret == XT2_EXIT_OK && c->verbose && !c->in.family && strcmp(path, "-"))
		tell_trust(path);
	if (ret == XT2_EXIT_OK) {
		/* numbers of the image, so that chains can be marked in an array */
		ret = c->in.family ? xt2_input_reload(&c->in) : XT2_EXIT_OK;
		if (ret == XT2_EXIT_OK)
			ret = check_rules(c);
		xt2_input_close(&c->in);
	}
	if (ret == XT2_EXIT_OK && c->unsupported)
		ret = XT2_EXIT_UNSUPPORTED;
	if (ret == XT2_EXIT_OK && c->warnings && c->strict)
		ret = XT2_EXIT_NO;
	c->errors += c->in.more;
	if (c->json)
		printf("],\"rules\":%u,\"chains\":%u,\"errors\":%u,\"unsupported\":%u,\"warnings\":%u}",
		       c->rules, c->chains, c->errors, c->unsupported, c->warnings);
	else if (ret == XT2_EXIT_OK || ret == XT2_EXIT_NO || ret == XT2_EXIT_UNSUPPORTED)
		xt2_print_line(stdout,
			       "%s: %u rule%s in %u chain%s, %u that cannot be %s, %u warning%s",
			       path, c->rules, c->rules == 1 ? "" : "s", c->chains,
			       c->chains == 1 ? "" : "s", c->unsupported,
			       c->live ? "live" : "evaluated", c->warnings,
			       c->warnings == 1 ? "" : "s");
	else if (c->unsupported)
		xt2_print_line(stdout, "%s: %u error%s, and %u that cannot be %s", path, c->errors,
			       c->errors == 1 ? "" : "s", c->unsupported,
			       c->live ? "live" : "evaluated");
	else
		xt2_print_line(stdout, "%s: %u error%s", path, c->errors,
			       c->errors == 1 ? "" : "s");
	return ret;
}

static const char help[] =
	"Usage: xt2 check [--live] [--strict] [--json] {[-4|-6|--arp] FILE}...\n\n"
	"Finds every problem of a ruleset: errors with file, line, column, reason and hint;\n"
	"what can be kept and saved but not evaluated; rules that no packet can reach.\n"
	"FILE is iptables-save text (-4, the default), ip6tables-save text (-6),\n"
	"arptables-save text (--arp), or an image; these options are for the files that follow.\n"
	"Needs no root and no kernel.\n\n"
	"      --live             what xt2 apply would refuse, instead of what cannot be\n"
	"                         evaluated in any way\n"
	"      --strict           warnings count: exit code 1\n"
	"      --json             JSON\n"
	"      --resolve          host names in the rules may be looked up\n"
	"  -v, --verbose          with --live, which rules the kernel's own matches and targets\n"
	"                         take part in, and how many of them a packet meets; of an\n"
	"                         image, whether the next change will check all of it\n\n"
	"Exit codes: 0 ok, 1 warnings (--strict), 2 errors, 3 not all can be evaluated, or\n"
	"be live, 4 out of a resource, or a packet's way through the chains could be too long.\n";

static const struct xt2_option rows[] = {
	XT2_FILES_ROWS(struct check, files),
	XT2_FILES_FAMILY("arp", 0, struct check, files, XT2_ARP),
	XT2_FLAG("live", 0, struct check, live),
	XT2_FLAG("verbose", 'v', struct check, verbose),
	XT2_FLAG("strict", 0, struct check, strict),
	XT2_FLAG("json", 0, struct check, json),
	XT2_FLAG("resolve", 0, struct check, in.resolve),
	XT2_ROWS_END,
};

/* => -1: go on; or XT2_EXIT_* */
static int parse(struct check *c, int argc, char **argv)
{
	struct xt2_err err = { 0 };
	int ret = xt2_options("check", help, rows, c, argc, argv);

	if (ret >= 0)
		return ret;
	if (xt2_files_end(&c->files, "check", argv + optind) != XT2_EXIT_OK)
		return XT2_EXIT_USAGE;
	if (c->live && xt2_store_built(XT2_STORE_LIVE, &err))
		return xt2_fail(&err);
	xt2_input_sandbox(&c->in);
	return -1;
}

/* => the worst of XT2_EXIT_* */
static int check_files(struct check *c)
{
	const struct xt2_files *f = &c->files;
	int i, worst = XT2_EXIT_OK;
	bool comma = false;

	if (c->json)
		putchar('[');
	for (i = 0; i < f->count; i++) {
		c->in.family = f->list[i].family;
		worst = xt2_exit_worse(worst, check_file(c, f->list[i].path, &comma));
	}
	if (c->json)
		puts("]");
	return worst;
}

int xt2_check_main(int argc, char **argv)
{
	struct check check = { .in = { 0 } };
	int ret = xt2_files_new(&check.files, "check", argc);

	if (ret != XT2_EXIT_OK)
		return ret;
	ret = parse(&check, argc, argv);
	if (ret < 0)
		ret = check_files(&check);
	xt2_files_free(&check.files);
	return ret;
}
