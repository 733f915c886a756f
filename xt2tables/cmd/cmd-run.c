/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-run.c - xt2 run: iptables and its relatives on an image, or on what is live
 *
 * Options end at the first word that is none: what follows is the command's.
 */
#include <errno.h>
#include "shim/run.h"
#include "cmd.h"
#include "xt2tables/live/live-refused.h"

struct options {
	struct xt2_run run;
	int live;
};

static const char help[] =
	"Usage: xt2 run [--image PATH | --live [--beside] [--netns NAME] [--pin DIR]] [-v]\n"
	"               [--no-retry | --preload] [--] COMMAND [ARGUMENT...]\n"
	"Runs COMMAND so that the firewall of iptables-legacy, ip6tables-legacy,\n"
	"arptables-legacy and ebtables-legacy is an image, not the kernel's, or with --live\n"
	"what BPF programs evaluate in the network namespace.\n"
	"      --image      image file (else $XT2_IMAGE, else " XT2_DEFAULT_IMAGE ")\n"
	"      --live       instead of an image, what the kernel evaluates\n"
	"      --beside     nat, and tables that cannot be live (ARP, bridges), are the kernel's\n"
	"      --netns      of this network namespace, as of ip-netns(8), in which COMMAND starts\n"
	"      --pin        in this folder of a BPF file system\n"
	"  -v, --verbose    say why calls fail, beyond what the tools say\n"
	"      --no-retry   preload no library that makes calls again after signals\n"
	"      --preload    preload a library instead of supervising\n"
	"Exit code: COMMAND's; 128 + n: signal n ended it; 126, 127: it cannot be run.\n";

static const struct xt2_option rows[] = {
	XT2_WORD("image", 0, struct options, run.image),
	XT2_VALUE("live", 0, struct options, live, 1),
	XT2_VALUE("beside", 0, struct options, run.live.beside, 1),
	XT2_WORD("netns", 0, struct options, run.netns),
	XT2_WORD("pin", 0, struct options, run.live.pin),
	XT2_VALUE("no-retry", 0, struct options, run.no_retry, 1),
	XT2_VALUE("preload", 0, struct options, run.preload, 1),
	XT2_VALUE("verbose", 'v', struct options, run.verbose, 1),
	XT2_ROWS_WORD,
};

/* By the supervisor, whose standard error is the command's.  => as of struct xt2_shim_live */
static int refused(void *data, const struct xt2_ruleset *rs, const struct xt2_image *img)
{
	struct xt2_refused list = {
		.rs = rs, .image = img, .path = "xt2 run", .forced = true, .max = XT2_REFUSALS_MAX
	}; /* the commit knows whether somebody has insisted */
	int status = xt2_live_refused(&list);

	(void)data;
	if (list.more)
		fprintf(stderr, "%s: %s\n", list.path, list.rest);
	switch (status) {
	case XT2_EXIT_OK: return 0;
	case XT2_EXIT_RESOURCE: return list.count ? -E2BIG : -ENOMEM;
	}
	return -EOPNOTSUPP;
}

/* => NULL: they go together; or why not */
static const char *wrong(const struct options *o)
{
	if (o->live && o->run.image)
		return "--live and --image exclude each other";
	if (o->live && o->run.preload)
		return "--live and --preload exclude each other";
	if (!o->live && o->run.live.beside)
		return "--beside is for --live";
	if (!o->live && (o->run.netns || o->run.live.pin))
		return "--netns and --pin are for --live";
	return NULL;
}

int xt2_run_main(int argc, char **argv)
{
	struct options o = { .run.live.refused = refused };
	struct xt2_err err;
	int ret = xt2_options("run", help, rows, &o, argc, argv);

	if (ret >= 0)
		return ret;
	if (wrong(&o))
		return xt2_usage("run", "%s", wrong(&o));
	if (optind == argc)
		return xt2_usage("run", "which command?");
	o.run.argv = argv + optind;
	if (!o.live) {
		o.run.image = xt2_image_path(o.run.image);
		xt2_image_folder(o.run.image);
	}
	ret = xt2_run(&o.run, &err);
	if (ret >= 0)
		return ret;
	if (o.live)
		return xt2_fail_live(&err);
	if (ret == -EACCES && !err.hint[0])
		snprintf(err.hint, sizeof(err.hint),
			 "an image of your own: --image FILE or XT2_IMAGE=FILE");
	return xt2_fail(&err);
}
