/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-run.c - xt2 run: iptables and its relatives on an image
 *
 * Options end at the first word that is none: what follows is the command's.
 */
#include "shim/run.h"
#include "cmd.h"

static const char help[] =
	"Usage: xt2 run [--image PATH] [-v] [--no-retry | --preload] [--] COMMAND [ARGUMENT...]\n"
	"Runs COMMAND so that the firewall of iptables-legacy, ip6tables-legacy,\n"
	"arptables-legacy and ebtables-legacy is an image, not the kernel's.\n"
	"      --image      image file (else $XT2_IMAGE, else " XT2_DEFAULT_IMAGE ")\n"
	"  -v, --verbose    say why calls fail, beyond what the tools say\n"
	"      --no-retry   preload no library that makes calls again after signals\n"
	"      --preload    preload a library instead of supervising\n"
	"Exit code: COMMAND's; 128 + n: signal n ended it; 126, 127: it cannot be run.\n";

static const struct xt2_option rows[] = {
	XT2_WORD("image", 0, struct xt2_run, image),
	XT2_VALUE("no-retry", 0, struct xt2_run, no_retry, 1),
	XT2_VALUE("preload", 0, struct xt2_run, preload, 1),
	XT2_VALUE("verbose", 'v', struct xt2_run, verbose, 1),
	XT2_ROWS_WORD,
};

int xt2_run_main(int argc, char **argv)
{
	struct xt2_run run = { .image = NULL };
	struct xt2_err err;
	int ret = xt2_options("run", help, rows, &run, argc, argv);

	if (ret >= 0)
		return ret;
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
