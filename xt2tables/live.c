/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.c - xt2 status, detach: what is live
 *
 * live-place.c finds what is live, and lets one command work at a time.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "../bpf/host.h"
#include "../engine/image.h"
#include "live-place.h"
#include "xt2.h"

#define LOOK_WAIT 10 /* seconds for a command that changes the live ruleset */

enum { OPT_NETNS = 1, OPT_PIN };

static const struct option options[] = {
	{ "netns", 1, NULL, OPT_NETNS },
	{ "pin", 1, NULL, OPT_PIN },
	{ "help", 0, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int fail(const struct xt2_err *err)
{
	xt2_err_print(err, stderr);
	return xt2_live_place_exit(err);
}

struct view {
	struct xt2_live_place place;
	const char *command, *help;
};

static void print_hooks(const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_hook *h;
	u32 i;

	xt2_image_for_each_hook(h, i, img, root) {
		if (xt2_live_hooked(img, h))
			printf("hook %s %s %s\n", xt2_family_name(h->family),
			       xt2_image_table(img, root, h->table)->name,
			       xt2_hook_name(h->family, h->hook));
	}
}

/* Of the families that the rules ask for. */
static void print_tracking(const char *folder, const struct xt2_image *img)
{
	unsigned int i, tracked = xt2_live_tracked(img),
			on = tracked ? xt2_live_tracking(folder) : 0;

	for (i = 0; i < 2; i++)
		if (tracked >> i & 1)
			printf("conntrack %s %s\n", xt2_family_name(i ? XT2_IPV6 : XT2_IPV4),
			       on >> i & 1 ? "on" : "off");
}

/* Of a ruleset that waits to be confirmed, or of one that was not. */
static void print_trial(const struct xt2_live *live)
{
	__u32 left, trial = xt2_live_trial(live, &left);

	if (trial == XT2_TRIAL_WAITS)
		printf("confirm %u\n", left);
	else if (trial == XT2_TRIAL_BACK)
		puts("confirm missed");
}

static void print_status(const struct xt2_live *live, const struct xt2_live_place *p,
			 const struct xt2_image *img)
{
	struct xt2_live_status s;

	xt2_live_status(live, &s);
	printf("rules %u\nmemory %llu\nprocessors %u\nevaluated %llu\nfaults %llu\n"
	       "events %llu\nlost %llu\n",
	       s.rules, (unsigned long long)s.bytes, s.cpus, (unsigned long long)s.packets,
	       (unsigned long long)s.faults, (unsigned long long)s.events,
	       (unsigned long long)s.lost);
	print_trial(live);
	print_tracking(p->folder, img);
	print_hooks(img);
}

static int show(const struct xt2_live_place *p)
{
	struct xt2_mapping map = { 0 };
	struct xt2_live *live = NULL;
	struct xt2_err err = { 0 };
	int ret = xt2_live_open(&live, p->folder, 0, &err);

	if (!ret)
		ret = xt2_live_read(live, &map, &err);
	if (!ret) {
		print_status(live, p, map.image);
		xt2_image_close(&map);
	}
	xt2_live_free(live);
	return ret ? fail(&err) : XT2_EXIT_OK;
}

static int detach(const struct xt2_live_place *p)
{
	struct xt2_err err = { 0 };

	return xt2_live_detach(p->folder, &err) ? fail(&err) : XT2_EXIT_OK;
}

static int view_main(struct view *v, int argc, char **argv)
{
	struct xt2_err err = { 0 };
	int c, ret;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1)
		switch (c) {
		case OPT_NETNS: v->place.netns = optarg; break;
		case OPT_PIN: v->place.pin = optarg; break;
		case 'h': fputs(v->help, stdout); return XT2_EXIT_OK;
		default: return xt2_see_help(v->command);
		}
	if (optind != argc)
		return xt2_usage(v->command, "no arguments, please");
	v->place.look = strcmp(v->command, "detach");
	v->place.wait = v->place.look ? LOOK_WAIT : 0;
	if (xt2_live_place_enter(&v->place, false, &err))
		return fail(&err);
	ret = strcmp(v->command, "detach") ? show(&v->place) : detach(&v->place);
	xt2_live_place_leave(&v->place);
	return ret;
}

int xt2_status_main(int argc, char **argv)
{
	struct view v = {
		.command = "status",
		.help = "Usage: xt2 status [--netns NAME] [--pin DIR]\n\n"
			"Prints what is live in a network namespace: number of rules, bytes of the\n"
			"kernel's memory, packets evaluated (once for each table), faults (packets that\n"
			"could not be evaluated, and were dropped), how long it waits to be confirmed, whether connections are tracked for it,\n"
			"and the hooks.\n\n" XT2_PLACE_HELP
			"\nExit codes: 0 ok, 1 there is no live ruleset, 3 not possible here,\n"
			"4 out of a resource.\n",
	};

	return view_main(&v, argc, argv);
}

int xt2_detach_main(int argc, char **argv)
{
	struct view v = {
		.command = "detach",
		.help = "Usage: xt2 detach [--netns NAME] [--pin DIR]\n\n"
			"Takes the live ruleset of a network namespace away: its hooks, its programs and\n"
			"its memory.  Packets pass then.\n\n" XT2_PLACE_HELP
			"\nExit codes: 0 ok, 1 there is no live ruleset, 3 not possible here,\n"
			"4 out of a resource.\n",
	};

	return view_main(&v, argc, argv);
}
