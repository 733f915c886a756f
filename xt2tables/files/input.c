/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.c - the ruleset that a command works on
 *
 * A text is loaded and packed; an image is mapped and checked.  Either way
 * the command has both forms afterwards, and evaluates the packed one.
 */
#include <stdlib.h>
#include "engine/order.h"
#include "libxt2/err.h"
#include "libxt2/evaluate/reach.h"
#include "libxt2/printable.h"
#include "xt2tables/text/nearest.h"
#include "file.h"
#include "output.h"
#include "xt2tables/text/text.h"
#include "input.h"

#define ERRORS_MAX 10000 /* of a text, for callers that list all of them */

static const int families[] = { XT2_IPV4, XT2_IPV6, XT2_ARP, XT2_BRIDGE };
#define FAMILIES (XT2_ARRAY_SIZE(families))

/* => the exit code for the error */
static int report(const struct xt2_input *in, const struct xt2_err *err)
{
	if (in->report)
		in->report(in->data, err);
	else
		xt2_err_print(err, stderr);
	return xt2_exit_code(err);
}

static int load_text(struct xt2_input *in, const struct xt2_opened_file *f, struct xt2_err *err)
{
	struct xt2_text_options opt = { .family = in->family,
					.counters = true,
					.bare_policies = true,
					.resolve = in->resolve,
					.errors = in->report ? ERRORS_MAX : 0,
					.file = f };
	struct xt2_text_errors errors = { 0 };
	int r = xt2_text_load(in->path, in->rs, &opt, &errors);
	int code = XT2_EXIT_USAGE;
	unsigned int i;

	for (i = 0; i < errors.count; i++)
		code = report(in, &errors.list[i]);
	if (r < 0 && !errors.count) { /* not even room to say what is wrong */
		xt2_text_errors_free(&errors);
		xt2_print_line(stderr, "xt2: %s: out of memory", in->path);
		return XT2_EXIT_RESOURCE;
	}
	in->more = errors.more;
	if (errors.more && !in->report)
		fprintf(stderr, "%u more errors: xt2 check lists them\n", errors.more);
	xt2_text_errors_free(&errors);
	if (r < 0)
		return code;
	return xt2_ruleset_write(in->rs, &in->map, err) < 0 ? report(in, err) : XT2_EXIT_OK;
}

/* An image in a pipe is read as a whole; of what is none, only its head.  => 0, -errno: see err */
static int read_image(struct xt2_input *in, const struct xt2_opened_file *f, struct xt2_err *err)
{
	struct xt2_bytes bytes = { 0 };
	int ret = 0;

	if (xt2_opened_file_is_image(f))
		ret = xt2_file_rest(f, in->path, XT2_SIZE_MAX, &bytes, err);
	if (!ret)
		ret = xt2_image_copy(bytes.at ? bytes.at : f->head, bytes.at ? bytes.len : f->len,
				     &in->map, err);
	free(bytes.at);
	xt2_err_file(err, in->path);
	if (!ret)
		xt2_image_fold(in->map.image);
	return ret;
}

/* Chains that were edited in place are what their rules make of them. */
static int compile(struct xt2_input *in)
{
	struct xt2_mapping old = in->map;
	struct xt2_err err;
	int ret = xt2_ruleset_write(in->rs, &in->map, &err);

	if (ret < 0) {
		in->map = old;
		return report(in, &err);
	}
	ret = xt2_input_reload(in);
	if (ret != XT2_EXIT_OK) { /* the rules are in the old one */
		xt2_ruleset_free(in->rs);
		in->rs = NULL;
	}
	xt2_image_close(&old);
	return ret;
}

int xt2_input_use(struct xt2_input *in)
{
	int ret = xt2_input_reload(in);

	if (ret == XT2_EXIT_OK && !in->patched && xt2_image_is_patched(in->map.image))
		ret = compile(in);
	return ret;
}

static int load_image(struct xt2_input *in, const struct xt2_opened_file *f, struct xt2_err *err)
{
	int ret;

	if (f->stream || !strcmp(in->path, "-"))
		ret = read_image(in, f, err);
	else
		ret = xt2_store_read(&(struct xt2_store){ .path = in->path }, !in->rules_only,
				     &in->map, err);
	return ret < 0 ? report(in, err) : xt2_input_use(in);
}

int xt2_input_load_file(struct xt2_input *in, const struct xt2_opened_file *f)
{
	struct xt2_err err = { 0 };
	int r;

	in->rs = xt2_ruleset_new();
	if (!in->rs) {
		fputs("xt2: out of memory\n", stderr);
		return XT2_EXIT_RESOURCE;
	}
	if (in->image || (!in->text && xt2_opened_file_is_image(f))) {
		in->family = 0;
		r = load_image(in, f, &err);
	} else {
		if (!in->family)
			in->family = XT2_IPV4;
		r = load_text(in, f, &err);
	}
	if (r != XT2_EXIT_OK)
		xt2_input_close(in);
	return r;
}

static int standard_input_again(const struct xt2_input *in)
{
	const struct xt2_err err = { .code = XT2_E_SYNTAX,
				     .file = "-",
				     .message = "standard input has been read already" };

	return report(in, &err);
}

int xt2_input_load(struct xt2_input *in)
{
	static bool standard_input; /* has been read */
	struct xt2_opened_file f;
	struct xt2_err err;
	int ret;

	if (!strcmp(in->path, "-")) {
		if (standard_input)
			return standard_input_again(in);
		standard_input = true;
	}
	ret = xt2_opened_file_open(&f, in->path);
	if (ret) {
		xt2_file_error(&err, -ret, "read", in->path);
		return report(in, &err);
	}
	ret = xt2_input_load_file(in, &f);
	xt2_opened_file_close(&f);
	return ret;
}

void xt2_input_close(struct xt2_input *in)
{
	xt2_ruleset_free(in->rs);
	xt2_image_close(&in->map);
	in->rs = NULL;
}

int xt2_input_reload(struct xt2_input *in)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int r = rs ? xt2_ruleset_load(rs, in->map.image, in->map.size) : -ENOMEM;

	if (r < 0) {
		xt2_print_line(stderr, "xt2: %s: %s", in->path, strerror(-r));
		xt2_ruleset_free(rs);
		return XT2_EXIT_RESOURCE;
	}
	xt2_ruleset_free(in->rs);
	in->rs = rs;
	return XT2_EXIT_OK;
}

int xt2_input_and_capture(const struct xt2_input *in, const char *capture)
{
	const struct xt2_use uses[] = { { capture, "the capture", false },
					{ in->path, "the ruleset", false } };
	struct xt2_err err = { 0 };

	if (!xt2_uses_check(uses, 2, &err))
		return XT2_EXIT_OK;
	xt2_err_print(&err, stderr);
	return XT2_EXIT_USAGE;
}

unsigned int xt2_input_line(const struct xt2_input *in, int chain, unsigned int at,
			    const char **file)
{
	const char *source = xt2_table_source(in->rs, xt2_chain_table(in->rs, chain));
	unsigned int line = 0;

	if (at < xt2_chain_rules(in->rs, chain) && (in->family || source))
		line = xt2_rule_line(in->rs, chain, at);
	*file = line && !in->family ? source : in->path;
	return line;
}

void xt2_input_err_rule(const struct xt2_input *in, int chain, unsigned int at, struct xt2_err *err)
{
	const char *file;

	err->line = xt2_input_line(in, chain, at, &file);
	xt2_err_file(err, file);
	xt2_text_rule(in->rs, chain, at, err->rule, sizeof(err->rule));
}

struct unsupported {
	const struct xt2_input *in;
	const char *hook;
	int family;
	bool hinted;
};

static int report_unsupported(void *data, const struct xt2_unsupported *at)
{
	struct unsupported *u = data;
	const struct xt2_input *in = u->in;
	struct xt2_err err = { .code = XT2_E_UNSUPPORTED };
	int t, c;

	xt2_err_file(&err, in->path);
	snprintf(err.message, sizeof(err.message),
		 "%s/%s:%u: '%s' is kept and saved, but cannot be evaluated", at->table, at->chain,
		 at->rule, at->extension);
	if (u->hook && !u->hinted)
		snprintf(err.hint, sizeof(err.hint),
			 "packets can reach it from %s: evaluate a copy of the rules without it",
			 u->hook);
	u->hinted = true;
	t = xt2_table_find(in->rs, u->family, at->table);
	c = t >= 0 ? xt2_chain_find(in->rs, t, at->chain) : -1;
	if (c >= 0 && at->rule && at->rule <= xt2_chain_rules(in->rs, c))
		xt2_input_err_rule(in, c, at->rule - 1, &err);
	report(in, &err);
	return 0;
}

int xt2_input_unsupported(const struct xt2_input *in, const char *hook, const char *table)
{
	struct unsupported u = { .in = in, .hook = hook };
	int n = 0, found;
	size_t i;

	for (i = 0; i < FAMILIES; i++) {
		int number = hook ? xt2_hook_number(families[i], hook) : -1;

		/* nothing that is evaluated passes a bridge's hooks */
		if (hook && (number < 0 || families[i] == XT2_BRIDGE))
			continue;
		u.family = families[i];
		found = xt2_image_unsupported(in->map.image, families[i], number, table,
					      report_unsupported, &u);
		if (found < 0)
			return found;
		n += found;
	}
	return n;
}

__u8 *xt2_input_reached(const struct xt2_input *in, const char *hook, const char *table)
{
	const struct xt2_chain *c;
	const struct xt2_hook *h;
	struct xt2_reach w;
	__u8 *seen = NULL;
	__u32 i, n;

	if (!xt2_reach_begin(&w, in->map.image)) {
		n = w.root ? w.root->hooks : 0;
		seen = calloc(w.root ? w.root->chains + 1 : 1, sizeof(*seen));
		for (i = 0; seen && i < n; i++) {
			h = xt2_image_hook(w.img, w.root, i);
			if (!strcmp(xt2_hook_name(h->family, h->hook), hook) &&
			    xt2_reach_table(&w, h->table, -1, table))
				xt2_reach_add(&w, h->chain);
		}
		xt2_reach_for_each(c, &w) seen[c->index] = 1;
	}
	xt2_reach_end(&w);
	return seen;
}

int xt2_input_table(const struct xt2_input *in, const char *hook, const char *table, char *why,
		    size_t size)
{
	char say[XT2_NEAREST_SIZE] = "";
	bool known = false, there = false, fits = false;
	size_t i;

	for (i = 0; i < FAMILIES; i++) {
		int number = xt2_hook_number(families[i], hook);

		if (families[i] == XT2_BRIDGE || (in->family && in->family != families[i]))
			continue;
		known |= number >= 0;
		if (!table || xt2_table_find(in->rs, families[i], table) < 0)
			continue;
		there = true;
		fits |= number >= 0 && xt2_table_hooks(families[i], table) >> number & 1;
	}
	if (!known) {
		snprintf(why, size, "no hook '%s': hooks are %s", hook,
			 in->family == XT2_ARP
				 ? "INPUT, OUTPUT and FORWARD"
				 : "PREROUTING, INPUT, FORWARD, OUTPUT and POSTROUTING");
	} else if (table && !there) {
		xt2_nearest_table(in->rs, in->family, table, say);
		snprintf(why, size, "the rules have no table '%s'%s", table, say);
	} else if (table && !fits) {
		snprintf(why, size, "table '%s' has no hook '%s'", table, hook);
	} else {
		return 0;
	}
	return -ENOENT;
}

int xt2_input_too_long(const struct xt2_input *in)
{
	const struct xt2_root *root = xt2_image_root(in->map.image);
	struct xt2_err err;

	xt2_err_set(&err, XT2_E_LIMIT, 0,
		    "chains lead to chains in too many ways: a packet may enter %llu, %u deep",
		    root->visits, root->depth);
	xt2_err_file(&err, in->path);
	snprintf(err.hint, sizeof(err.hint),
		 "%u are evaluated, or as many as there are rules; each chain that is jumped to "
		 "twice doubles the ways, and a goto (-g) does not",
		 XT2_VISITS_MAX);
	report(in, &err);
	return XT2_EXIT_RESOURCE;
}

int xt2_input_no_evaluator(const struct xt2_input *in, int error)
{
	struct xt2_err err;

	if (error == E2BIG)
		return xt2_input_too_long(in);
	xt2_err_set(&err, XT2_E_SYSTEM, error, "%s", strerror(error));
	xt2_err_file(&err, in->path);
	report(in, &err);
	return XT2_EXIT_RESOURCE;
}
