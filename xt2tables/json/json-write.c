/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-write.c - a ruleset as JSON
 *
 * Printed as it is walked, without a tree, one rule a line so that diff and
 * grep are of use, and each rule is read back before it goes out.  Tables
 * stand in the order in which they came, chains in that of xt2_chain_next().
 */
#include "config.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "libxt2/ruleset/ruleset.h"
#include "xt2tables/text/bridge/bridge.h"
#include "json-members.h"
#include "json-rule.h"
#include "xt2tables/text/print/rule-print.h"
#include "json-ruleset.h"
#include "xt2tables/text/nearest.h"
#include "xt2tables/text/sets.h"
#include "xt2tables/text/text.h"

struct writer {
	FILE *to;
	const struct xt2_ruleset *rs;
	struct xt2_ruleset *copy; /* what is printed is read into it, to compare */
	struct xt2_json_parser parser;
};

/* For xt2_text_why().  => -EOPNOTSUPP */
static int __attribute__((format(printf, 1, 2))) fail(const char *format, ...)
{
	struct xt2_failure *f = xt2_text_failure_();
	va_list args;

	va_start(args, format);
	vsnprintf(f->message, sizeof(f->message), format, args);
	va_end(args);
	return -EOPNOTSUPP;
}

/*
 * Some extensions print what they don't read, or something else than they
 * read.  Such a rule must not get lost on the way.
 */
static int check_text(struct writer *w, int chain, unsigned int at, const char *options)
{
	const struct xt2_rule *r = xt2_rule_get(w->rs, chain, at);
	int table = xt2_chain_table(w->rs, chain), family = xt2_table_family(w->rs, table);
	__u8 a[XT2_DIGEST_SIZE], b[XT2_DIGEST_SIZE];
	struct xt2_failure failure;
	unsigned int last = xt2_chain_rules(w->copy, chain);
	int ret = xt2_json_rule_append(&w->parser, chain, options, &failure);

	if (ret == -ENOMEM)
		return ret;
	if (!ret) {
		xt2_rule_digest(w->rs, family, r, a);
		xt2_rule_digest(w->copy, family, xt2_rule_get(w->copy, chain, last), b);
		xt2_rule_delete(w->copy, chain, last);
		if (!memcmp(a, b, sizeof(a)))
			return 0;
		strcpy(failure.message, "it says something else than the rule");
	}
	return fail("%s/%s:%u: what iptables prints cannot be read back (%.150s): %.250s",
		    xt2_table_name(w->rs, table), xt2_chain_name(w->rs, chain), at + 1,
		    failure.message, options);
}

static void counters(FILE *to, __u64 packets, __u64 bytes)
{
	xt2_json_member(to, "packets", packets);
	xt2_json_member(to, "bytes", bytes);
}

static int write_rule(struct writer *w, int chain, unsigned int at)
{
	const struct xt2_rule *r = xt2_rule_get(w->rs, chain, at);
	char *options;
	int ret = xt2_json_rule_options(w->rs, chain, at, &options);

	if (ret < 0)
		return ret;
	ret = check_text(w, chain, at, options);
	if (ret < 0) {
		free(options);
		return ret;
	}
	fputs(at ? ",\n{\"rule\":" : "\n{\"rule\":", w->to);
	xt2_json_bytes(w->to, options);
	free(options);
	counters(w->to, r->packets, r->bytes);
	if (w->parser.opt.family != XT2_BRIDGE) {
		fputc(',', w->to);
		ret = xt2_json_fields(w->to, w->rs, chain, r);
	}
	fputc('}', w->to);
	return ret;
}

static int write_chain(struct writer *w, int chain)
{
	unsigned int i, n = xt2_chain_rules(w->rs, chain);
	__u64 packets = 0, bytes = 0;
	int ret = 0;

	fputs("{\"name\":", w->to);
	xt2_json_bytes(w->to, xt2_chain_name(w->rs, chain));
	if (xt2_chain_policy(w->rs, chain) >= 0) {
		fprintf(w->to, ",\"policy\":\"%s\"",
			xt2_target_name((__u8)xt2_chain_policy(w->rs, chain)));
		xt2_chain_counters(w->rs, chain, &packets, &bytes);
		counters(w->to, packets, bytes);
	}
	fputs(",\"rules\":[", w->to);
	for (i = 0; !ret && i < n; i++)
		ret = write_rule(w, chain, i);
	fputs(n ? "\n]}" : "]}", w->to);
	return ret;
}

static int write_table(struct writer *w, int table)
{
	int family = xt2_table_family(w->rs, table), chain, ret = 0;
	const char *comma = "\n";

	ret = xt2_json_parser_begin(&w->parser, w->copy, table);
	if (ret < 0)
		return ret;
	fprintf(w->to, "{\"family\":\"%s\",\"name\":", xt2_family_name(family));
	xt2_json_bytes(w->to, xt2_table_name(w->rs, table));
	fputs(",\"chains\":[", w->to);
	for (chain = -1; !ret && (chain = xt2_chain_next(w->rs, table, chain)) >= 0;) {
		fputs(comma, w->to);
		comma = ",\n";
		ret = write_chain(w, chain);
	}
	fputs("\n]}", w->to);
	return ret;
}

int xt2_json_write(FILE *to, const struct xt2_ruleset *rs, int family, const char *table)
{
	struct writer w = { .to = to, .rs = rs, .copy = xt2_ruleset_clone(rs) };
	const char *comma = "\n";
	struct xt2_failure *failure = xt2_text_failure_();
	int i, ret = w.copy ? 0 : -ENOMEM;

	if (!ret && !xt2_sets_check(rs, family, table, failure->message, sizeof(failure->message)))
		ret = -EOPNOTSUPP;
	fputs("{\"xt2\":1,\"tables\":[", to);
	for (i = 0; !ret && i < xt2_ruleset_tables(rs); i++) {
		if (!xt2_table_among(rs, i, family, table))
			continue;
		fputs(comma, to);
		comma = ",\n";
		ret = write_table(&w, i);
	}
	fputs("\n]}\n", to);
	xt2_json_parser_free(&w.parser);
	xt2_ruleset_free(w.copy);
	if (!ret && table && *comma == '\n')
		ret = -ENOENT;
	if (!ret && ferror(to))
		ret = -EIO;
	return ret;
}
