/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.c - the ruleset that a command works on
 *
 * A text is loaded and packed; an image is mapped and checked.  Either way
 * the command has both forms afterwards, and evaluates the packed one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "text.h"
#include "xt2.h"

/* A text has no NUL among its first bytes; an image has its magic. */
static bool is_image(const char *path)
{
	struct xt2_image head;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, &head, sizeof(head));
	close(fd);
	if (n < 4)
		return false;
	return head.magic == XT2_MAGIC || head.magic == XT2_MAGIC_UNFINISHED;
}

/* => the exit code for the error */
static int report(const struct xt2_input *in, const struct xt2_err *err)
{
	if (in->report)
		in->report(in->data, err);
	else
		xt2_err_print(err, stderr);
	return xt2_exit_code(err);
}

static int load_text(struct xt2_input *in, struct xt2_err *err)
{
	struct xt2_text_options opt = { .family = in->family,
					.counters = true,
					.resolve = in->resolve };
	struct xt2_text_errors errors = { 0 };
	int r = xt2_text_load(in->path, in->rs, &opt, &errors);
	int code = XT2_EXIT_USAGE;
	unsigned int i;

	for (i = 0; i < errors.count; i++)
		code = report(in, &errors.list[i]);
	if (errors.more)
		fprintf(stderr, "%u more errors\n", errors.more);
	xt2_text_errors_free(&errors);
	if (r < 0)
		return code;
	return xt2_ruleset_write(in->rs, &in->map, err) < 0 ? report(in, err) : XT2_EXIT_OK;
}

static int load_image(struct xt2_input *in, struct xt2_err *err)
{
	if (xt2_image_open(in->path, &in->map, err) < 0)
		return report(in, err);
	return xt2_input_reload(in);
}

int xt2_input_load(struct xt2_input *in)
{
	struct xt2_err err = { 0 };
	int r;

	in->rs = xt2_ruleset_new();
	if (!in->rs) {
		fputs("xt2: out of memory\n", stderr);
		return XT2_EXIT_RESOURCE;
	}
	if (strcmp(in->path, "-") && is_image(in->path)) {
		in->family = 0;
		r = load_image(in, &err);
	} else {
		if (!in->family)
			in->family = XT2_IPV4;
		r = load_text(in, &err);
	}
	if (r != XT2_EXIT_OK)
		xt2_input_close(in);
	return r;
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
		fprintf(stderr, "xt2: %s: %s\n", in->path, strerror(-r));
		xt2_ruleset_free(rs);
		return XT2_EXIT_RESOURCE;
	}
	xt2_ruleset_free(in->rs);
	in->rs = rs;
	return XT2_EXIT_OK;
}

static int report_unsupported(void *data, const char *table, const char *chain, unsigned int rule,
			      const char *extension)
{
	const struct xt2_input *in = data;
	struct xt2_err err = { .code = XT2_E_UNSUPPORTED };
	int t, c, family;

	snprintf(err.file, sizeof(err.file), "%s", in->path);
	snprintf(err.message, sizeof(err.message),
		 "%s/%s:%u: '%s' is kept and saved, but cannot be evaluated", table, chain, rule,
		 extension);
	for (family = XT2_IPV4; family <= XT2_IPV6 && in->family; family++) {
		t = family == in->family ? xt2_table_find(in->rs, family, table) : -1;
		c = t >= 0 ? xt2_chain_find(in->rs, t, chain) : -1;
		if (c < 0 || rule < 1 || rule > xt2_chain_rules(in->rs, c))
			continue;
		err.line = xt2_rule_line(in->rs, c, rule - 1);
		xt2_text_rule(in->rs, c, rule - 1, err.rule, sizeof(err.rule));
	}
	report(in, &err);
	return 0;
}

int xt2_input_unsupported(const struct xt2_input *in, const char *hook, const char *table)
{
	static const int families[] = { XT2_IPV4, XT2_IPV6, XT2_ARP };
	int n = 0;
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		int number = hook ? xt2_hook_number(families[i], hook) : -1;

		if (hook && number < 0)
			continue;
		n += xt2_image_unsupported(in->map.image, families[i], number, table,
					   report_unsupported, (void *)in);
	}
	return n;
}
