/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-digest.c - xt2 digest: do two files say the same?
 *
 * A line for each file, as sha256sum prints it, so that its habits serve here
 * as well: compare with cmp or uniq, keep the lines for later.
 */
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
		xt2_print_line(stderr, "xt2 digest: %s: %s", in->path, strerror(-ret));
		return XT2_EXIT_RESOURCE;
	}
	for (i = 0; i < sizeof(digest); i++)
		printf("%02x", digest[i]);
	xt2_print_line(stdout, "  %s", in->path);
	return XT2_EXIT_OK;
}

struct digesting {
	struct xt2_input in; /* --live */
	struct xt2_files files;
};

/* => the worst of XT2_EXIT_* */
static int digest_files(const struct digesting *d)
{
	int i, worst = XT2_EXIT_OK;

	for (i = 0; i < d->files.count; i++) {
		d->files.list[i].resolve = d->in.resolve;
		worst = xt2_exit_worse(worst, digest_file(&d->files.list[i]));
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

static const struct xt2_option rows[] = {
	XT2_FILES_ROWS(struct digesting, files),
	XT2_FILES_FAMILY("arp", 0, struct digesting, files, XT2_ARP),
	XT2_FILES_FAMILY("bridge", 0, struct digesting, files, XT2_BRIDGE),
	XT2_INPUT_ROWS(struct digesting, in),
	XT2_ROWS_END,
};

/* => -1: go on; or XT2_EXIT_* */
static int parse(struct digesting *d, int argc, char **argv)
{
	struct xt2_input *in = &d->in;
	int ret = xt2_options("digest", help, rows, d, argc, argv);

	if (ret >= 0)
		return ret;
	if (!in->live && (in->store.netns || in->store.pin))
		return xt2_usage("digest", "--netns and --pin are for --live");
	if (!in->live)
		return xt2_files_end(&d->files, "digest", argv + optind) ? XT2_EXIT_USAGE : -1;
	if (d->files.count)
		return xt2_usage("digest", "--live is instead of a file");
	return xt2_input_path(in, "digest", argv + optind) ? XT2_EXIT_USAGE : -1;
}

int xt2_digest_main(int argc, char **argv)
{
	struct digesting d = { .in = { 0 } };
	int ret = xt2_files_new(&d.files, "digest", argc);

	if (ret != XT2_EXIT_OK)
		return ret;
	ret = parse(&d, argc, argv);
	if (ret < 0)
		xt2_input_sandbox(&d.in);
	if (ret < 0)
		ret = d.in.live ? digest_file(&d.in) : digest_files(&d);
	xt2_files_free(&d.files);
	return ret;
}
