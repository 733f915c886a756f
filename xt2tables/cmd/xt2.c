/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt2.c - the program xt2: one row per subcommand
 *
 * Rulesets are tested, explained and looked into here, without root and
 * without touching the kernel, but for live rulesets.  Loading and saving with
 * iptables' own interface is the business of xt2tables-restore and its relatives.
 */
#include <ctype.h>
#include "config.h"
#include "xt2tables/files/output.h"
#include "cmd.h"

static const struct {
	const char *name;
	xt2_command *main;
	const char *summary;
} commands[] = {
	{ "replay", xt2_replay_main, "filter a capture with a ruleset" },
	{ "explain", xt2_explain_main, "tell what happens to a packet, and why" },
	{ "check", xt2_check_main, "find everything that is wrong with a ruleset" },
	{ "bench", xt2_bench_main, "tell what a ruleset costs, and what its indexes save" },
	{ "dump", xt2_dump_main, "show the layout of an image or a binary table" },
	{ "convert", xt2_convert_main, "rulesets from one form into another" },
	{ "replace", xt2_replace_main, "what the kernel would do with a table, done to an image" },
	{ "run", xt2_run_main, "run iptables and others on an image, without the kernel" },
	{ "edit", xt2_edit_main, "change an image, or what is live, by lines of iptables" },
	{ "history", xt2_history_main, "who changed an image, when and why" },
	{ "diff", xt2_diff_main, "what changed between two generations of an image" },
	{ "rollback", xt2_rollback_main, "make an image say again what it said" },
	{ "monitor", xt2_monitor_main, "commits to an image, as they come" },
	{ "digest", xt2_digest_main, "a number for what a ruleset says" },
	{ "apply", xt2_apply_main, "let the kernel evaluate a ruleset" },
	{ "status", xt2_status_main, "what the kernel evaluates" },
	{ "save", xt2_save_main, "print that, or a file, as iptables-save does" },
	{ "counters", xt2_counters_main, "what its rules, or a file's, have counted" },
	{ "state", xt2_state_main, "what its matches, or a file's, remember" },
	{ "confirm", xt2_confirm_main, "keep what is live on trial" },
	{ "log", xt2_log_main, "what LOG and NFLOG report" },
	{ "repair", xt2_repair_main, "bring back what others took from what is live" },
	{ "doctor", xt2_doctor_main, "who else filters packets here, and what is missing" },
	{ "detach", xt2_detach_main, "take the ruleset away from the kernel" },
};

static void help(FILE *to)
{
	size_t i;

	fputs("Usage: xt2 COMMAND [ARGUMENTS]\n\nCommands:\n", to);
	for (i = 0; i < XT2_ARRAY_SIZE(commands); i++)
		fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].summary);
	fputs("\n\"xt2 COMMAND --help\" tells more.  Rulesets are loaded and saved by\n"
	      "xt2tables-restore, xt2tables-save and their ip6 and arp variants.\n\n"
	      "Exit codes: 0 ok, 1 negative answer, 2 usage or input error, 3 unsupported,\n"
	      "4 out of a resource, 5 somebody else was first, 6 it is somebody else's.\n"
	      "After 2 to 6 no image has changed.\n",
	      to);
}

/* What has been printed must have arrived. */
static int finish(const char *name, int ret)
{
	int lost = xt2_stdio_lost();

	if (!lost)
		return ret;
	fprintf(stderr, "xt2 %s: standard output: %s\n", name, strerror(lost));
	return XT2_EXIT_RESOURCE;
}

/*
 * getopt() quotes an option that it doesn't know as it is: one that resembles no option of
 * ours never gets there.  The words after a command to run are not ours.
 */
static const char *strange_option(const char *command, char **argv)
{
	size_t n;

	for (; *argv && strcmp(*argv, "--") && strcmp(command, "run"); argv++) {
		n = strcspn(*argv, "=");
		if (**argv == '-' && (*argv)[1] == '-' &&
		    strspn(*argv, "-abcdefghijklmnopqrstuvwxyz0123456789") < n)
			return *argv;
		if (**argv == '-' && ((*argv)[1] & 0x80 || iscntrl((*argv)[1])) && (*argv)[1])
			return *argv;
	}
	return NULL;
}

/* A command that this build has not got, for want of live rulesets. */
static int no_live(void)
{
	struct xt2_err err = { 0 };

	xt2_store_built(XT2_STORE_LIVE, &err);
	return xt2_fail_live(&err);
}

static int run(const char *name, int argc, char **argv)
{
	const char *strange = strange_option(name, argv + 1);
	static char full[16]; /* for getopt's messages */
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i].name)) {
			snprintf(full, sizeof(full), "xt2 %s", name);
			argv[0] = full;
			if (strange)
				return xt2_usage(name, "unrecognized option '%s'", strange);
			if (!commands[i].main)
				return no_live();
			return finish(name, commands[i].main(argc, argv));
		}
	xt2_print_line(stderr, "xt2: no such command: %s", name);
	fputs("Try \"xt2 --help\".\n", stderr);
	return XT2_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	static char help_option[] = "--help";

	xt2_stdio_begin();
	if (argc < 2) {
		help(stderr);
		return XT2_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		if (argc > 2 && argv[2][0] != '-') { /* "xt2 help replay" */
			argv[1] = argv[2];
			argv[2] = help_option;
			return run(argv[1], 2, argv + 1);
		}
		help(stdout);
		return finish("help", XT2_EXIT_OK);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("xt2 " PACKAGE_VERSION);
		return finish("version", XT2_EXIT_OK);
	}
	return run(argv[1], argc - 1, argv + 1);
}
