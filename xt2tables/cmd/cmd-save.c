/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd-save.c - xt2 save: what is live, or in a file, as iptables-save prints it */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "libxt2/printable.h"
#include "xt2tables/text/nearest.h"
#include "xt2tables/files/sandbox.h"
#include "xt2tables/text/text.h"
#include "cmd.h"

struct saving {
	struct xt2_input in;
	int family;
	const char *table;
	bool counters;
};

static const char help[] =
	"Usage: xt2 save [-4|-6] [-c] [-t TABLE] {--live [--netns NAME] [--pin DIR] | FILE}\n\n"
	"Prints the tables of a ruleset as iptables-save (-4, the default) or ip6tables-save\n"
	"(-6) does.  FILE is an image, or text of that family.\n\n"
	"  -c, --counters         print the counters of rules\n"
	"  -t, --table TABLE      only this table\n" XT2_INPUT_HELP
	"      --resolve          host names in the rules may be looked up\n\n"
	"Exit codes: 0 ok, 1 there is no live ruleset, or no such table in it, 2 the file is\n"
	"wrong, 3 not possible here or not permitted, 4 out of a resource.\n";

enum { OPT_RESOLVE = 1 };

static const struct option options[] = {
	{ "ipv4", 0, NULL, '4' },
	{ "ipv6", 0, NULL, '6' },
	{ "counters", 0, NULL, 'c' },
	{ "table", 1, NULL, 't' },
	{ "resolve", 0, NULL, OPT_RESOLVE },
	{ "help", 0, NULL, 'h' },
	XT2_INPUT_OPTIONS,
	{ NULL, 0, NULL, 0 },
};

static int print(const struct saving *s)
{
	char say[XT2_NEAREST_SIZE];
	int ret = xt2_text_save(stdout, s->in.rs, s->family, s->table, s->counters);

	if (!ret || ret == -EIO) /* which is told when the command ends */
		return XT2_EXIT_OK;
	if (ret == -ENOENT) {
		xt2_nearest_table(s->in.rs, s->family, s->table, say);
		xt2_print_line_(stderr, "xt2 save: %s has no table %s%s", s->in.path, s->table,
				say);
		return XT2_EXIT_NO;
	}
	xt2_print_line_(stderr, "xt2 save: %s", *xt2_text_why() ? xt2_text_why() : strerror(-ret));
	return ret == -EOPNOTSUPP ? XT2_EXIT_UNSUPPORTED : XT2_EXIT_RESOURCE;
}

int xt2_save_main(int argc, char **argv)
{
	struct saving s = { .family = XT2_IPV4 };
	int c, ret;

	while ((c = getopt_long(argc, argv, "46ct:h", options, NULL)) != -1)
		switch (c) {
		case '4': s.family = XT2_IPV4; break;
		case '6': s.family = XT2_IPV6; break;
		case 'c': s.counters = true; break;
		case 't': s.table = optarg; break;
		case OPT_RESOLVE: s.in.resolve = true; break;
		case 'h': fputs(help, stdout); return XT2_EXIT_OK;
		default:
			if (!xt2_input_option(&s.in, c))
				return xt2_see_help("save");
		}
	s.in.family = s.family;
	ret = xt2_input_path(&s.in, "save", argv + optind);
	if (ret == XT2_EXIT_OK && !s.in.live)
		xt2_sandbox_enter(&(struct xt2_sandbox){ .text = true, .network = s.in.resolve });
	if (ret == XT2_EXIT_OK)
		ret = xt2_input_open(&s.in);
	if (ret != XT2_EXIT_OK)
		return ret;
	ret = print(&s);
	xt2_input_close(&s.in);
	return ret;
}
