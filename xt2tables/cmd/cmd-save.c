/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd-save.c - xt2 save: what is live, or in a file, as iptables-save prints it */
#include "xt2tables/host/persist.h"
#include "xt2tables/text/nearest.h"
#include "xt2tables/text/text.h"
#include "cmd.h"

struct saving {
	struct xt2_input in;
	int family;
	const char *table;
	bool counters;
	struct xt2_persist persist;
};

static const char help[] =
	"Usage: xt2 save [-4|-6] [-c] [-t TABLE] {--live [--netns NAME] [--pin DIR] | FILE}\n"
	"       xt2 save --persist --live [--netns NAME] [--pin DIR]\n\n"
	"Prints the tables of a ruleset as iptables-save (-4, the default) or ip6tables-save\n"
	"(-6) does.  FILE is an image, or text of that family.\n\n"
	"  -c, --counters         print the counters of rules\n"
	"  -t, --table TABLE      only this table\n"
	"      --persist          print nothing, but keep all for the next boot, see xt2-restore(8)\n" XT2_INPUT_HELP
	"      --resolve          host names in the rules may be looked up\n\n"
	"Exit codes: 0 ok, 1 there is no live ruleset, or no such table in it, 2 the file is\n"
	"wrong, 3 not possible here or not permitted, 4 out of a resource.\n";

static const struct xt2_option rows[] = {
	XT2_IP_ROWS(struct saving, family),
	XT2_FLAG("counters", 'c', struct saving, counters),
	XT2_FLAG("persist", 0, struct saving, persist.wanted),
	XT2_WORD("table", 't', struct saving, table),
	XT2_INPUT_ROWS(struct saving, in),
	XT2_ROWS_END,
};

static int print(const struct saving *s)
{
	char say[XT2_NEAREST_SIZE];
	int ret = xt2_text_save(stdout, s->in.rs, s->family, s->table, s->counters);

	if (!ret || ret == -EIO) /* which is told when the command ends */
		return XT2_EXIT_OK;
	if (ret == -ENOENT) {
		xt2_nearest_table(s->in.rs, s->family, s->table, say);
		xt2_print_line(stderr, "xt2 save: %s has no table %s%s", s->in.path, s->table, say);
		return XT2_EXIT_NO;
	}
	xt2_print_line(stderr, "xt2 save: %s", *xt2_text_why() ? xt2_text_why() : strerror(-ret));
	return ret == -EOPNOTSUPP ? XT2_EXIT_UNSUPPORTED : XT2_EXIT_RESOURCE;
}

/* => XT2_EXIT_* */
static int persist(struct saving *s)
{
	struct xt2_err err = { 0 };
	int ret = xt2_persist_prepare(&s->persist, &s->in.map, &err);

	if (!ret)
		ret = xt2_persist_place(&s->persist, &err);
	return ret ? xt2_fail(&err) : XT2_EXIT_OK;
}

int xt2_save_main(int argc, char **argv)
{
	struct saving s = { .family = XT2_IPV4 };
	int ret = xt2_options("save", help, rows, &s, argc, argv);

	if (ret >= 0)
		return ret;
	s.in.family = s.family;
	if (s.persist.wanted && (!s.in.live || s.table || s.counters))
		return xt2_usage("save", "--persist is of all that is live: --live, and no table");
	ret = xt2_input_path(&s.in, "save", argv + optind);
	if (ret == XT2_EXIT_OK)
		xt2_input_sandbox(&s.in);
	if (ret == XT2_EXIT_OK)
		ret = xt2_input_open(&s.in);
	if (ret != XT2_EXIT_OK)
		return ret;
	ret = s.persist.wanted ? persist(&s) : print(&s);
	xt2_input_close(&s.in);
	return ret;
}
