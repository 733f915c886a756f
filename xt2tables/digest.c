/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * digest.c - xt2 digest: do two files say the same?
 *
 * A line for each file, as sha256sum prints it, so that its habits serve here
 * as well: compare with cmp or uniq, keep the lines for later.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "xt2.h"

/* => XT2_EXIT_* */
static int digest_file(struct xt2_input *in)
{
	__u8 digest[XT2_DIGEST_SIZE];
	size_t i;
	int ret = xt2_input_open(in);

	if (ret != XT2_EXIT_OK)
		return ret;
	ret = xt2_ruleset_digest(in->rs, digest);
	xt2_input_close(in);
	if (ret < 0) {
		fprintf(stderr, "xt2 digest: %s: %s\n", in->path, strerror(-ret));
		return XT2_EXIT_RESOURCE;
	}
	for (i = 0; i < sizeof(digest); i++)
		printf("%02x", digest[i]);
	printf("  %s\n", in->path);
	return XT2_EXIT_OK;
}

static const char help[] =
	"Usage: xt2 digest [-4|-6|--arp|--bridge] {FILE... | --live}\n\n"
	"Prints a number for what each ruleset says: families, tables, chains, policies and\n"
	"rules.  It does not depend on counters, on the order of tables and chains, or on\n"
	"whether the ruleset is a text or an image.\n"
	"FILE is iptables-save text (-4, the default), ip6tables-save text (-6),\n"
	"arptables-save text (--arp), ebtables-save text (--bridge), or an image.\n\n" XT2_INPUT_HELP
	"      --resolve          host names in the rules may be looked up\n\n"
	"Exit codes: 0 ok, 1 there is no live ruleset, 2 a file is wrong, 3 not possible here,\n"
	"4 out of a resource.\n";

enum { OPT_ARP = 1, OPT_BRIDGE, OPT_RESOLVE };

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

int xt2_digest_main(int argc, char **argv)
{
	struct xt2_input in = { .rules_only = true };
	int c, i, ret, family = XT2_IPV4, worst = XT2_EXIT_OK;

	while ((c = getopt_long(argc, argv, "46h", options, NULL)) != -1)
		switch (c) {
		case '4': family = XT2_IPV4; break;
		case '6': family = XT2_IPV6; break;
		case OPT_ARP: family = XT2_ARP; break;
		case OPT_BRIDGE: family = XT2_BRIDGE; break;
		case OPT_RESOLVE: in.resolve = true; break;
		case 'h': fputs(help, stdout); return XT2_EXIT_OK;
		default:
			if (!xt2_input_option(&in, c))
				return xt2_see_help("digest");
		}
	if (in.live) {
		ret = xt2_input_path(&in, "digest", argv + optind);
		return ret == XT2_EXIT_OK ? digest_file(&in) : ret;
	}
	if (optind == argc)
		return xt2_usage("digest", "no file given");
	for (i = optind; i < argc; i++) { /* parsing rules uses getopt() as well */
		in.path = argv[i];
		in.family = family;
		ret = digest_file(&in);
		if (ret > worst)
			worst = ret;
	}
	return worst;
}
