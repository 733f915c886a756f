/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-replay.c - xt2 replay: filter a capture with a ruleset
 *
 * Each packet goes the way it would go in the kernel: the receive path's
 * checks, the parser, then the tables of one hook in their order.  Counters
 * are counted in the packed rules themselves, which are private to the
 * process until --update stores them; the clock of limit and time is the
 * capture's.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "replay.h"
#include "xt2tables/files/sandbox.h"
#include "xt2tables/text/text.h"

const int xt2_replay_families[XT2_REPLAY_FAMILIES] = { XT2_IPV4, XT2_IPV6, XT2_ARP };

/* Counters and state, as if the packets had passed; the image has been locked all the time. */
static int update_image(struct xt2_replay *r)
{
	struct xt2_err err = { 0 };

	xt2_image_fold(r->in.map.image);
	if (xt2_image_store(r->in.path, r->in.map.image, r->in.map.size, &err) < 0)
		return xt2_fail(&err);
	return XT2_EXIT_OK;
}

static int captures(struct xt2_replay *r, char **paths)
{
	struct xt2_err err = { 0 };
	int ret = XT2_EXIT_OK;

	for (; *paths && ret == XT2_EXIT_OK; paths++) {
		struct xt2_capture *cap = xt2_capture_open(*paths, &err);

		if (!cap)
			return xt2_fail(&err);
		ret = xt2_replay_outputs_open(r, cap);
		if (ret == XT2_EXIT_OK) {
			xt2_replay_notes(r);
			ret = r->preload ? xt2_replay_preloaded(r, cap, &err)
					 : xt2_replay_stream(r, cap, &err);
		}
		xt2_capture_close(cap);
	}
	xt2_replay_bar_end(r);
	return ret;
}

static const char help[] =
	"Usage: xt2 replay (--rules FILE [-4|-6|--arp] | --image FILE) [--table T]\n"
	"                  --hook HOOK [OPTIONS] CAPTURE...\n\n"
	"Filters the packets of pcap and pcapng files as the kernel's tables would.\n\n"
	"  -r, --rules FILE       iptables-save text (-4, the default), ip6tables-save\n"
	"                         text (-6) or arptables-save text (--arp)\n"
	"      --image FILE       an image: packets of all its families\n"
	"  -H, --hook HOOK        PREROUTING, INPUT, FORWARD, OUTPUT, POSTROUTING\n"
	"  -t, --table T          only this table; default: all of the hook, in the\n"
	"                         kernel's order (nat only for NEW packets)\n"
	"  -c, --counters FILE    write iptables-save -c text; \"-\": standard output\n"
	"      --update           the image keeps the counters, and the state of its rules\n"
	"      --verdicts FILE    write a line of JSON for each packet; rule 0: the policy\n"
	"      --accepted FILE, --dropped FILE\n"
	"                         write captures of what was accepted, and of the rest\n"
	"      --json             print the summary as JSON\n"
	"      --preload          read the capture into memory first\n"
	"      --loop N           evaluate it N times (implies --preload)\n"
	"      --batch N          evaluate N packets together, up to 32 (32); only the time\n"
	"                         that it takes depends on it\n"
	"      --seed N           for -m statistic --mode random\n"
	"      --resolve          host names in the rules may be looked up\n"
	"  -q, --quiet            no notes, no progress\n" XT2_HOST_HELP;

enum {
	OPT_ARP = 1,
	OPT_IMAGE,
	OPT_VERDICTS,
	OPT_ACCEPTED,
	OPT_DROPPED,
	OPT_JSON,
	OPT_PRELOAD,
	OPT_LOOP,
	OPT_SEED,
	OPT_RESOLVE,
	OPT_UPDATE,
	OPT_BATCH
};

static const struct option options[] = {
	{ "rules", 1, NULL, 'r' },
	{ "image", 1, NULL, OPT_IMAGE },
	{ "arp", 0, NULL, OPT_ARP },
	{ "ipv4", 0, NULL, '4' },
	{ "ipv6", 0, NULL, '6' },
	{ "hook", 1, NULL, 'H' },
	{ "table", 1, NULL, 't' },
	{ "counters", 1, NULL, 'c' },
	{ "verdicts", 1, NULL, OPT_VERDICTS },
	{ "accepted", 1, NULL, OPT_ACCEPTED },
	{ "dropped", 1, NULL, OPT_DROPPED },
	{ "json", 0, NULL, OPT_JSON },
	{ "preload", 0, NULL, OPT_PRELOAD },
	{ "loop", 1, NULL, OPT_LOOP },
	{ "batch", 1, NULL, OPT_BATCH },
	{ "seed", 1, NULL, OPT_SEED },
	{ "resolve", 0, NULL, OPT_RESOLVE },
	{ "update", 0, NULL, OPT_UPDATE },
	{ "quiet", 0, NULL, 'q' },
	{ "help", 0, NULL, 'h' },
	XT2_HOST_OPTIONS,
	{ NULL, 0, NULL, 0 },
};

/* => 0; or -EINVAL: not a number, or less than the least */
static int number(const char *arg, unsigned long long least, unsigned long long *out)
{
	char *end;

	errno = 0;
	*out = strtoull(arg, &end, 0);
	return errno || end == arg || *end || *arg == '-' || *out < least ? -EINVAL : 0;
}

/* => XT2_EXIT_OK, or < 0: help was asked for, or XT2_EXIT_USAGE */
static int arguments(struct xt2_replay *r, int argc, char **argv, unsigned long long *seed)
{
	int c, index = 0;
	const char *name;

	while ((c = getopt_long(argc, argv, "r:46H:t:c:i:o:qh", options, &index)) != -1) {
		switch (c) {
		case 'r':
		case OPT_IMAGE:
			if (r->in.path)
				return xt2_usage("replay", "more than one file of rules");
			r->in.path = optarg;
			r->in.image = c == OPT_IMAGE;
			break;
		case '4': r->in.family = XT2_IPV4; break;
		case '6': r->in.family = XT2_IPV6; break;
		case OPT_ARP: r->in.family = XT2_ARP; break;
		case 'H': r->hook = optarg; break;
		case 't': r->table = optarg; break;
		case 'c': r->path[XT2_REPLAY_COUNTERS] = optarg; break;
		case OPT_VERDICTS: r->path[XT2_REPLAY_VERDICTS] = optarg; break;
		case OPT_ACCEPTED: r->path[XT2_REPLAY_ACCEPTED] = optarg; break;
		case OPT_DROPPED: r->path[XT2_REPLAY_DROPPED] = optarg; break;
		case OPT_JSON: r->json = true; break;
		case OPT_PRELOAD: r->preload = true; break;
		case OPT_LOOP:
			r->preload = true;
			if (number(optarg, 1, &r->loops) < 0)
				return xt2_usage("replay", "--loop: bad number '%s'", optarg);
			break;
		case OPT_BATCH:
			if (number(optarg, 1, &r->batch_size) < 0 || r->batch_size > XT2_BATCH)
				return xt2_usage("replay", "--batch: '%s' is not 1 to %d", optarg,
						 XT2_BATCH);
			break;
		case OPT_SEED:
			if (number(optarg, 0, seed) < 0)
				return xt2_usage("replay", "--seed: bad number '%s'", optarg);
			break;
		case OPT_RESOLVE: r->in.resolve = true; break;
		case OPT_UPDATE: r->update = true; break;
		case 'q': r->quiet = true; break;
		case 'h': fputs(help, stdout); return -1;
		case 'i':
		case 'o':
		case XT2_HOST_OPTION:
			name = c == 'i' ? "in" : c == 'o' ? "out" : options[index].name;
			if (xt2_host_option(&r->host, name, optarg) != 1)
				return xt2_usage("replay", "--%s: bad argument '%s'", name, optarg);
			break;
		default: return xt2_see_help("replay");
		}
	}
	if (!r->in.path)
		return xt2_usage("replay", "which rules? Give --rules FILE or --image FILE");
	if (r->update && !r->in.image)
		return xt2_usage("replay", "--update needs an --image");
	if (!r->hook)
		return xt2_usage("replay", "which hook? Give --hook, such as --hook INPUT");
	if (optind == argc)
		return xt2_usage("replay", "no capture given");
	return XT2_EXIT_OK;
}

/* The numbers of the hook in the families that the ruleset has. */
static int find_hooks(struct xt2_replay *r)
{
	char why[512];
	int i;

	for (i = 0; i < XT2_REPLAY_FAMILIES; i++) {
		bool ours = !r->in.family || r->in.family == xt2_replay_families[i];

		r->hooks[i] = ours ? xt2_hook_number(xt2_replay_families[i], r->hook) : -1;
		if (r->table && xt2_table_find(r->in.rs, xt2_replay_families[i], r->table) < 0)
			r->hooks[i] = -1;
	}
	if (xt2_input_table(&r->in, r->hook, r->table, why, sizeof(why)) < 0)
		return xt2_usage("replay", "%s", why);
	return XT2_EXIT_OK;
}

/* Whatever may fail comes before the first file changes.  => XT2_EXIT_* */
static int conclude(struct xt2_replay *r)
{
	int ret = xt2_replay_outputs_finish(r), lost;
	FILE *to = xt2_replay_outputs_standard(r) ? stderr : stdout;

	if (ret != XT2_EXIT_OK)
		return ret;
	if (r->json)
		xt2_replay_summary_json(r, to);
	else if (!r->quiet || to == stdout)
		xt2_replay_summary_text(r, to);
	lost = xt2_stdio_lost();
	if (lost)
		return XT2_EXIT_RESOURCE; /* which is told when the command ends */
	if (r->update)
		ret = update_image(r);
	return ret == XT2_EXIT_OK ? xt2_replay_outputs_place(r) : ret;
}

static int run(struct xt2_replay *r, char **paths, unsigned long long seed)
{
	int ret = find_hooks(r);

	if (ret != XT2_EXIT_OK)
		return ret;
	ret = xt2_input_unsupported(&r->in, r->hook, r->table);
	if (ret)
		return ret < 0 ? xt2_replay_lost("ruleset", ret) : XT2_EXIT_UNSUPPORTED;
	r->ev = xt2_evaluator_new(r->in.map.image, r->in.map.size);
	if (!r->ev)
		return xt2_input_no_evaluator(&r->in, errno);
	if (seed)
		xt2_evaluator_seed(r->ev, seed);
	r->writes = xt2_replay_writes(r->in.map.image);
	clock_gettime(CLOCK_MONOTONIC, &r->started);
	ret = captures(r, paths);
	if (ret == XT2_EXIT_OK)
		ret = conclude(r);
	xt2_replay_outputs_drop(r);
	return ret;
}

static void sandbox(const struct xt2_replay *r)
{
	const char *outputs[XT2_REPLAY_OUTPUTS + 1];

	memcpy(outputs, r->path, sizeof(r->path));
	outputs[XT2_REPLAY_OUTPUTS] = r->update ? r->in.path : NULL;
	xt2_sandbox_enter(&(struct xt2_sandbox){ .outputs = outputs,
						 .count = XT2_REPLAY_OUTPUTS + 1,
						 .text = !r->in.image,
						 .network = r->in.resolve });
}

int xt2_replay_main(int argc, char **argv)
{
	struct xt2_replay r = { .loops = 1, .batch_size = XT2_BATCH };
	unsigned long long seed = 0;
	struct xt2_err err = { 0 };
	char **paths;
	int ret, lock = -1;

	xt2_host_init(&r.host);
	ret = arguments(&r, argc, argv, &seed);
	if (ret != XT2_EXIT_OK)
		return ret < 0 ? XT2_EXIT_OK : ret;
	paths = argv + optind; /* parsing rules uses getopt() as well */
	ret = xt2_replay_outputs_check(&r, paths);
	if (ret != XT2_EXIT_OK)
		return ret;
	if (r.update) {
		lock = xt2_image_lock(r.in.path, -1, &err);
		if (lock < 0)
			return xt2_fail(&err);
	}
	sandbox(&r);
	ret = xt2_input_load(&r.in);
	if (ret == XT2_EXIT_OK)
		ret = run(&r, paths, seed);
	if (lock >= 0)
		close(lock);
	xt2_evaluator_free(r.ev);
	xt2_replay_batch_free(r.batch);
	xt2_input_close(&r.in);
	return ret;
}
