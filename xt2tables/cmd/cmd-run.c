/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-run.c - xt2 run: iptables and its relatives on an image
 *
 * Options end at the first word that is none: what follows is the command's.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include "config.h"
#include "shim/run.h"
#include "xt2tables/files/image-path.h"
#include "cmd.h"

enum { OPT_IMAGE = 256, OPT_NO_RETRY, OPT_PRELOAD };

static const struct option options[] = {
	{ "image", required_argument, NULL, OPT_IMAGE },
	{ "no-retry", no_argument, NULL, OPT_NO_RETRY },
	{ "preload", no_argument, NULL, OPT_PRELOAD },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static void usage(FILE *to)
{
	fputs("Usage: xt2 run [--image PATH] [-v] [--no-retry | --preload] [--] COMMAND [ARGUMENT...]\n"
	      "Runs COMMAND so that the firewall of iptables-legacy, ip6tables-legacy,\n"
	      "arptables-legacy and ebtables-legacy is an image, not the kernel's.\n"
	      "      --image      image file (else $XT2_IMAGE, else " XT2_DEFAULT_IMAGE ")\n"
	      "  -v, --verbose    say why calls fail, beyond what the tools say\n"
	      "      --no-retry   preload no library that makes calls again after signals\n"
	      "      --preload    preload a library instead of supervising\n"
	      "Exit code: COMMAND's; 128 + n: signal n ended it; 126, 127: it cannot be run.\n",
	      to);
}

int xt2_run_main(int argc, char **argv)
{
	struct xt2_run run = { .image = NULL };
	struct xt2_err err;
	int c, ret;

	while ((c = getopt_long(argc, argv, "+vh", options, NULL)) != -1) {
		switch (c) {
		case OPT_IMAGE: run.image = optarg; break;
		case OPT_NO_RETRY: run.no_retry = 1; break;
		case OPT_PRELOAD: run.preload = 1; break;
		case 'v': run.verbose = 1; break;
		case 'h': usage(stdout); return XT2_EXIT_OK;
		default: return xt2_see_help("run");
		}
	}
	if (optind == argc)
		return xt2_usage("run", "which command?");
	run.argv = argv + optind;
	run.image = xt2_image_path(run.image);
	xt2_image_folder(run.image);
	ret = xt2_run(&run, &err);
	if (ret >= 0)
		return ret;
	if (ret == -EACCES && !err.hint[0])
		snprintf(err.hint, sizeof(err.hint),
			 "an image of your own: --image FILE or XT2_IMAGE=FILE");
	return xt2_fail(&err);
}
