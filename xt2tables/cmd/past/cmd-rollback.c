/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-rollback.c - xt2 rollback: a ruleset says again what it said
 *
 * A new commit, which changes what differs: rules that stay keep their counters and their state.
 * Those that come back have what they had, in an image; what is live has forgotten it.
 */
#include "xt2tables/cmd/cmd.h"
#include <errno.h>
#include <string.h>
#include "libxt2/ruleset/table-difference.h"
#include "xt2tables/files/sandbox.h"
#include "past.h"

#define WAIT 10 /* seconds for another program's lock */

struct rollback {
	struct xt2_place place;
	struct xt2_where where;
	__u64 generation; /* to be had back */
	char reason[64]; /* if there is no other */
	struct xt2_mapping map; /* of that generation */
	int told; /* XT2_EXIT_* of an error that was told */
};

static const char help[] =
	"Usage: xt2 rollback [--if-generation N] [--owner NAME] [--reason TEXT]\n"
	"                    [--image FILE | --live] GENERATION\n\n"
	"Makes an image, or what is live, say what it said in an older generation, in a new one.\n"
	"Rules that stay keep their counters.\n\n"
	"      --if-generation N  only if nobody has changed generation N\n"
	"      --owner NAME       for whom the change is (else $XT2_OWNER)\n"
	"      --reason TEXT      why\n"
	"      --force            change chains of other owners, too\n" XT2_IMAGE_HELP
	"\nExit codes: 0 ok, 2 an argument or the image is wrong, or does not have the generation\n"
	"any more, 3 not possible here, 4 out of a resource, 5 not generation N,\n"
	"6 a chain belongs to another owner.\n";

static const struct xt2_option rows[] = {
	XT2_WORD("if-generation", 0, struct rollback, where.expected),
	XT2_WORD("owner", 0, struct rollback, where.owner),
	XT2_WORD("reason", 0, struct rollback, where.reason),
	XT2_FLAG("force", 0, struct rollback, where.force),
	XT2_PLACE_ROWS(struct rollback, place),
	XT2_ROWS_END,
};

static void report(void *data, const struct xt2_err *err)
{
	struct rollback *r = data;

	r->told = xt2_place_fail(&r->where, err);
}

/* => XT2_EXIT_* for a status of xt2_where_*(), the reason told */
static int exit_of(const struct rollback *r, int status)
{
	const bool plain = !status || status == XT2_WHERE_CONFLICT || status == XT2_WHERE_OWNED;

	return plain ? status : r->told;
}

/* The ruleset becomes the old one.  => XT2_EXIT_* */
static int change(struct rollback *r, struct xt2_ruleset *old)
{
	static const struct xt2_difference_options options = { .any = true };
	struct xt2_ruleset *rs = r->where.rs;
	int ret = xt2_tables_meet(rs, old), i;

	for (i = 0; !ret && i < xt2_ruleset_tables(old); i++)
		ret = xt2_table_difference(rs, old, i, &options);
	if (!ret)
		return exit_of(r, xt2_where_commit(&r->where));
	xt2_print_line(stderr, "xt2 rollback: %s",
		       ret < 0 ? strerror(-ret) : "a chain has the name of another base chain");
	return XT2_EXIT_RESOURCE;
}

/* => XT2_EXIT_* */
static int find_generation(struct rollback *r)
{
	struct xt2_store *s = &r->where.store;
	struct xt2_err err = { 0 };

	if (!xt2_store_generation(s, r->generation, &r->map, &err))
		return XT2_EXIT_OK;
	return err.code == XT2_E_UNKNOWN ? xt2_fail(&err) : xt2_place_fail(&r->where, &err);
}

/* => XT2_EXIT_* */
static int go_back(struct rollback *r)
{
	struct xt2_ruleset *old = xt2_ruleset_new();
	int ret = r->map.image ? XT2_EXIT_OK : find_generation(r);

	if (ret == XT2_EXIT_OK && (!old || xt2_ruleset_load(old, r->map.image, r->map.size)))
		ret = xt2_no_memory("rollback");
	if (ret == XT2_EXIT_OK)
		ret = change(r, old);
	xt2_ruleset_free(old);
	return ret;
}

/* => XT2_EXIT_* */
static int run(struct rollback *r)
{
	struct xt2_where *w = &r->where;
	const bool live = w->store.kind == XT2_STORE_LIVE;
	int ret = live ? find_generation(r) : XT2_EXIT_OK; /* while it is mapped nowhere else */

	w->wait = WAIT;
	w->report = report;
	w->data = r;
	r->told = XT2_EXIT_RESOURCE;
	if (ret == XT2_EXIT_OK)
		ret = exit_of(r, xt2_where_open(w, live ? XT2_STORE_CREATE : XT2_STORE_CHANGE));
	if (ret == XT2_EXIT_OK && w->generation != r->generation)
		ret = go_back(r);
	if (ret == XT2_EXIT_OK)
		printf("generation %llu\n", (unsigned long long)w->generation);
	xt2_where_close(w);
	xt2_image_close(&r->map);
	return ret;
}

/* => XT2_EXIT_OK; XT2_EXIT_* */
static int arguments(struct rollback *r, char **left)
{
	struct xt2_where *w = &r->where;
	int ret;

	if (!left[0] || left[1])
		return xt2_usage("rollback", "one generation is needed");
	if (!xt2_where_generation(left[0], &r->generation))
		return xt2_usage("rollback", "a generation is a number");
	snprintf(r->reason, sizeof(r->reason), "back to generation %llu",
		 (unsigned long long)r->generation);
	if (!w->reason)
		w->reason = r->reason;
	ret = xt2_place_end(&r->place, w, "rollback");
	w->store.author.kind = XT2_COMMIT_ROLLBACK;
	w->store.forced = true; /* by whoever made it live */
	return ret;
}

int xt2_rollback_main(int argc, char **argv)
{
	struct rollback r = { .where = { .name = "xt2 rollback", .legacy = "iptables" } };
	int ret = xt2_options("rollback", help, rows, &r, argc, argv);

	if (ret >= 0)
		return ret;
	ret = arguments(&r, argv + optind);
	if (ret != XT2_EXIT_OK)
		return ret;
	if (!r.place.live)
		xt2_sandbox_enter(&(struct xt2_sandbox){
			.outputs = &r.where.store.path, .count = 1, .text = true });
	return run(&r);
}
