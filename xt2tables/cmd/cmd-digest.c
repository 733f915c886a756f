/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-digest.c - xt2 digest: do two files say the same?
 *
 * A line for each file, as sha256sum prints it, so that its habits serve here
 * as well: compare with cmp or uniq, keep the lines for later.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "libxt2/printable.h"
#include "xt2tables/files/sandbox.h"
#include "cmd.h"

/* => XT2_EXIT_* */
static int digest_file(struct xt2_input *in)
{
	__u8 digest[XT2_DIGEST_SIZE];
	size_t i;
	int ret;

	in->rules_only = true;
	ret = xt2_input_open(in);
	if (ret != XT2_EXIT_OK)
		return ret;
	ret = xt2_ruleset_digest(in->rs, digest);
	xt2_input_close(in);
	if (ret < 0) {
		xt2_print_line_(stderr, "xt2 digest: %s: %s", in->path, strerror(-ret));
		return XT2_EXIT_RESOURCE;
	}
	for (i = 0; i < sizeof(digest); i++)
		printf("%02x", digest[i]);
	xt2_print_line_(stdout, "  %s", in->path);
	return XT2_EXIT_OK;
}

/* => the worst of XT2_EXIT_* */
static int digest_files(struct xt2_files *f, bool resolve)
{
	int i, worst = XT2_EXIT_OK;

	for (i = 0; i < f->count; i++) {
		f->list[i].resolve = resolve;
		worst = xt2_exit_worse(worst, digest_file(&f->list[i]));
	}
	return worst;
}

static const char help[] =
	"Usage: xt2 digest {{[-4|-6|--arp|--bridge] FILE}... | --live}\n\n"
	"Prints a number for what each ruleset says: families, tables, chains, policies and\n"
	"rules.  It does not depend on counters, on the order of tables and chains, or on\n"
	"whether the ruleset is a text or an image.\n"
	"FILE is iptables-save text (-4, the default), ip6tables-save text (-6),\n"
	"arptables-save text (--arp), ebtables-save text (--bridge), or an image; these options\n"
	"are for the files that follow.\n\n" XT2_INPUT_HELP
	"      --resolve          host names in the rules may be looked up\n\n"
	"Exit codes: 0 ok, 1 there is no live ruleset, 2 a file is wrong,\n"
	"3 not possible here or not permitted, 4 out of a resource.\n";

enum { OPT_ARP = 256, OPT_BRIDGE, OPT_RESOLVE };

static const struct option options[] = {
	{ "ipv4", 0, NULL, '4' },
	{ "ipv6", 0, NULL, '6' },
	{ "arp", 0, NULL, OPT_ARP },
	{ "bridge", 0, NULL, OPT_BRIDGE },
	{ "resolve", 0, NULL, OPT_RESOLVE },
	{ "help", 0, NULL, 'h' },
	XT2_INPUT_OPTIONS,
	{ NULL, 0, NULL, 0 },
};

/* => -1: go on; or XT2_EXIT_* */
static int parse(struct xt2_input *in, struct xt2_files *f, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "-46h", options, NULL)) != -1)
		switch (c) {
		case '4': xt2_files_family(f, XT2_IPV4); break;
		case '6': xt2_files_family(f, XT2_IPV6); break;
		case OPT_ARP: xt2_files_family(f, XT2_ARP); break;
		case OPT_BRIDGE: xt2_files_family(f, XT2_BRIDGE); break;
		case OPT_RESOLVE: in->resolve = true; break;
		case XT2_FILE_ARGUMENT: xt2_files_add(f, optarg); break;
		case 'h': fputs(help, stdout); return XT2_EXIT_OK;
		default:
			if (!xt2_input_option(in, c))
				return xt2_see_help("digest");
		}
	if (!in->live && (in->place.netns || in->place.pin))
		return xt2_usage("digest", "--netns and --pin are for --live");
	if (!in->live)
		return xt2_files_end(f, "digest", argv + optind) ? XT2_EXIT_USAGE : -1;
	if (f->count)
		return xt2_usage("digest", "--live is instead of a file");
	return xt2_input_path(in, "digest", argv + optind) ? XT2_EXIT_USAGE : -1;
}

int xt2_digest_main(int argc, char **argv)
{
	struct xt2_input in = { 0 };
	struct xt2_files files;
	int ret = xt2_files_new(&files, "digest", argc);

	if (ret != XT2_EXIT_OK)
		return ret;
	ret = parse(&in, &files, argc, argv);
	if (ret < 0 && !in.live)
		xt2_sandbox_enter(&(struct xt2_sandbox){ .text = true, .network = in.resolve });
	if (ret < 0)
		ret = in.live ? digest_file(&in) : digest_files(&files, in.resolve);
	xt2_files_free(&files);
	return ret;
}
