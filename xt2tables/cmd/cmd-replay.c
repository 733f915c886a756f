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
#include "replay.h"
#include "xt2tables/files/sandbox.h"
#include "xt2tables/text/text.h"

/* Counters and state, as if the packets had passed; the image has been locked all the time. */
static int update_image(struct xt2_replay *r)
{
	struct xt2_err err = { 0 };

	xt2_image_fold(r->in.map.image);
	return xt2_store_commit(&r->in.store, &r->in.map, NULL, &err) ? xt2_fail(&err)
								      : XT2_EXIT_OK;
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

/* A row of --image has a value. */
static int rules(const struct xt2_given *g)
{
	struct xt2_input *in = g->field;

	if (in->path)
		return xt2_usage("replay", "more than one file of rules");
	in->path = g->arg;
	in->image = g->row->value;
	return XT2_EXIT_OK;
}

/* A number that is not less than the row's value. */
static int number(const struct xt2_given *g)
{
	unsigned long long *n = g->field;

	if (!xt2_number(g->arg, 0, n) || *n < (unsigned int)g->row->value)
		return xt2_usage("replay", "--%s: bad number '%s'", g->row->name, g->arg);
	return XT2_EXIT_OK;
}

static int loop(const struct xt2_given *g)
{
	struct xt2_replay *r = g->data;

	r->preload = true;
	return number(g);
}

static int batch(const struct xt2_given *g)
{
	unsigned long long *n = g->field;

	if (!xt2_number(g->arg, 0, n) || !*n || *n > XT2_BATCH)
		return xt2_usage("replay", "--batch: '%s' is not 1 to %d", g->arg, XT2_BATCH);
	return XT2_EXIT_OK;
}

#define FIELD(field) offsetof(struct xt2_replay, field)

static const struct xt2_option rows[] = {
	{ "rules", 'r', true, FIELD(in), false, rules },
	{ "image", 0, true, FIELD(in), true, rules },
	XT2_FAMILY_ROWS(struct xt2_replay, in.family),
	XT2_WORD("hook", 'H', struct xt2_replay, hook),
	XT2_WORD("table", 't', struct xt2_replay, table),
	XT2_WORD("counters", 'c', struct xt2_replay, path[XT2_REPLAY_COUNTERS]),
	XT2_WORD("verdicts", 0, struct xt2_replay, path[XT2_REPLAY_VERDICTS]),
	XT2_WORD("accepted", 0, struct xt2_replay, path[XT2_REPLAY_ACCEPTED]),
	XT2_WORD("dropped", 0, struct xt2_replay, path[XT2_REPLAY_DROPPED]),
	XT2_FLAG("json", 0, struct xt2_replay, json),
	XT2_FLAG("preload", 0, struct xt2_replay, preload),
	{ "loop", 0, true, FIELD(loops), 1, loop },
	{ "batch", 0, true, FIELD(batch_size), 0, batch },
	{ "seed", 0, true, FIELD(seed), 0, number },
	XT2_FLAG("resolve", 0, struct xt2_replay, in.resolve),
	XT2_FLAG("update", 0, struct xt2_replay, update),
	XT2_FLAG("quiet", 'q', struct xt2_replay, quiet),
	XT2_HOST_ROWS(struct xt2_replay, host),
	XT2_ROWS_END,
};

/* => -1: go on; XT2_EXIT_* */
static int arguments(struct xt2_replay *r, int argc, char **argv)
{
	int ret = xt2_options("replay", help, rows, r, argc, argv);

	if (ret >= 0)
		return ret;
	if (!r->in.path)
		return xt2_usage("replay", "which rules? Give --rules FILE or --image FILE");
	if (r->update && !r->in.image)
		return xt2_usage("replay", "--update needs an --image");
	if (!r->hook)
		return xt2_usage("replay", "which hook? Give --hook, such as --hook INPUT");
	return optind == argc ? xt2_usage("replay", "no capture given") : -1;
}

/* The numbers of the hook in the families that the ruleset has. */
static int find_hooks(struct xt2_replay *r)
{
	char why[512];
	int i;

	memset(r->hooks, -1, sizeof(r->hooks));
	for (i = 0; i < XT2_REPLAY_FAMILIES; i++) {
		const int family = xt2_replay_families[i];

		if ((!r->in.family || r->in.family == family) &&
		    (!r->table || xt2_table_find(r->in.rs, family, r->table) >= 0))
			r->hooks[family] = xt2_hook_number(family, r->hook);
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

static int run(struct xt2_replay *r, char **paths)
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
	if (r->seed)
		xt2_evaluator_seed(r->ev, r->seed);
	r->writes = xt2_image_writes(r->in.map.image);
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
	struct xt2_err err = { 0 };
	char **paths;
	int ret;

	xt2_host_init(&r.host);
	ret = arguments(&r, argc, argv);
	if (ret >= 0)
		return ret;
	paths = argv + optind; /* parsing rules uses getopt() as well */
	ret = xt2_replay_outputs_check(&r, paths);
	if (ret != XT2_EXIT_OK)
		return ret;
	r.in.store.path = r.in.path;
	if (r.update && xt2_store_lock(&r.in.store, XT2_STORE_CHANGE, -1, &err))
		return xt2_fail(&err);
	sandbox(&r);
	ret = xt2_input_load(&r.in);
	if (ret == XT2_EXIT_OK)
		ret = run(&r, paths);
	xt2_store_unlock(&r.in.store);
	xt2_evaluator_free(r.ev);
	xt2_replay_batch_free(r.batch);
	xt2_input_close(&r.in);
	return ret;
}
