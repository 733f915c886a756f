/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-live.c - xt2 status, repair, detach: what is live
 *
 * bpf-backend.c finds what is live, and lets one command work at a time.  What
 * is pinned there may no longer be all: others can take hooks and connection
 * tracking away, or have a second ruleset in the same network namespace, so
 * xt2 status compares it with what the kernel has.
 */
#include "libxt2/store/bpf/bpf-store.h"
#include "engine/image.h"
#include "libxt2/host/hooked.h"
#include "cmd.h"
#include "live-kernel.h"
#include "xt2tables/host/take-over.h"
#include "xt2tables/live/live-all.h"

#define LOOK_WAIT 10 /* seconds for a command that changes the live ruleset */

struct view {
	struct xt2_store store;
	const char *every; /* the command's option for more than one ruleset; NULL: it has none */
	bool all, strays, forget;
};

/* --- xt2 status --------------------------------------------------------------- */

/* => how many are missing */
static unsigned int print_hooks(const char *folder, const struct xt2_links *links,
				const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_hook *h;
	unsigned int missing = 0;
	u32 i;

	xt2_image_for_each_hook(h, i, img, root) {
		bool there;

		if (!xt2_live_hooked(img, h))
			continue;
		there = xt2_live_has_hook(folder, links, img, h);
		xt2_print_line(stdout, "hook %s %s %s%s", xt2_family_name(h->family),
			       xt2_image_table(img, root, h->table)->name,
			       xt2_hook_name(h->family, h->hook), there ? "" : " missing");
		missing += !there;
	}
	return missing;
}

/* => how many are missing of guards, which drop packets if another program is missing, and evaluators */
static unsigned int print_guards(const char *folder, const struct xt2_links *links,
				 const struct xt2_image *img)
{
	static const __u8 families[] = { XT2_IPV4, XT2_IPV6 };
	unsigned int i, missing = 0;
	u32 hook, unguarded;

	for (i = 0; i < XT2_ARRAY_SIZE(families); i++) {
		unguarded = xt2_live_unguarded(folder, links, img, families[i]);
		for (hook = 0; hook <= XT2_POSTROUTING; hook++)
			if (unguarded >> hook & 1) {
				printf("guard %s %s missing\n", xt2_family_name(families[i]),
				       xt2_hook_name(families[i], (int)hook));
				missing++;
			}
	}
	if (xt2_live_unevaluated(folder)) {
		printf("evaluators missing\n");
		missing++;
	}
	return missing;
}

/* Of the families that the rules ask for.  => bits of those in which it is off */
static unsigned int print_tracking(const struct xt2_image *img)
{
	unsigned int i, tracked = xt2_live_tracked(img), on = tracked ? xt2_live_tracking() : 0;

	for (i = 0; i < 2; i++)
		if (tracked >> i & 1)
			printf("conntrack %s %s\n", xt2_family_name(i ? XT2_IPV6 : XT2_IPV4),
			       on >> i & 1 ? "on" : "off");
	return tracked & ~on;
}

/* => bits of families in which companions or their gates are missing */
static unsigned int print_companions(const struct xt2_live *live, const char *folder,
				     const struct xt2_links *links, const struct xt2_image *img)
{
	const unsigned int lacks = xt2_live_lacks(live, links, folder, img);
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (lacks >> i & 1)
			printf("companions %s missing\n", xt2_family_name(i ? XT2_IPV6 : XT2_IPV4));
	return lacks;
}

/* => how many */
static unsigned int print_strays(const char *folder, const struct xt2_links *links)
{
	const struct xt2_link *link;
	unsigned int n = 0;
	char text[400];
	size_t at = 0;

	while (links && (link = xt2_links_stray(links, folder, &at))) {
		xt2_links_describe(link, text, sizeof(text));
		printf("stray %s\n", text);
		n++;
	}
	return n;
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

static void print_status(const struct xt2_live *live)
{
	struct xt2_live_status s;

	xt2_live_status(live, &s);
	printf("rules %u\nmemory %llu\nprocessors %u\nevaluated %llu\nfaults %llu\n"
	       "events %llu\nlost %llu\n",
	       s.rules, s.bytes, s.cpus, s.packets, s.faults, s.events, s.lost);
	print_trial(live);
}

struct missing {
	unsigned int hooks, guards;
	unsigned int tracking, companions; /* bits of families */
};

/* => XT2_EXIT_OK; XT2_EXIT_NO: not all of it works, or not alone */
static int judge(const struct missing *m, unsigned int strays)
{
	const bool any = m->hooks || m->guards || m->tracking || m->companions;

	if (m->hooks)
		fprintf(stderr, "xt2 status: hooks are missing: packets %s\n",
			m->guards ? "pass where the guard is missing as well"
				  : "are dropped there");
	else if (m->guards)
		fputs("xt2 status: guards are missing: if others take a hook away, packets pass there\n",
		      stderr);
	if (m->tracking)
		fputs("xt2 status: connections are not tracked: somebody has taken the table of "
		      "nf_tables away\n",
		      stderr);
	if (m->companions)
		fputs("xt2 status: something is missing that nf_tables has to do for the rules: packets "
		      "that it is for are dropped\n",
		      stderr);
	if (any)
		fputs("   hint: xt2 repair brings back what is missing\n", stderr);
	if (strays)
		fputs("xt2 status: another ruleset of xt2 is live in this network namespace\n"
		      "   hint: xt2 detach --strays takes it away\n",
		      stderr);
	return any || strays ? XT2_EXIT_NO : XT2_EXIT_OK;
}

/* => XT2_EXIT_OK; XT2_EXIT_NO: a command was killed, and has left something to be done */
static int print_taken(void)
{
	if (!xt2_take_over_print())
		return XT2_EXIT_OK;
	fputs("xt2 status: a command that took tables over, or gave them back, has not finished\n"
	      "   hint: xt2 repair does\n",
	      stderr);
	return XT2_EXIT_NO;
}

static int print_all(const struct xt2_live *live, const char *folder, const struct xt2_image *img)
{
	struct xt2_links *links = NULL;
	unsigned int strays;
	struct missing m;

	if (xt2_links_read(&links, folder, false)) /* then pins must do */
		links = NULL;
	print_status(live);
	m.tracking = print_tracking(img);
	m.hooks = print_hooks(folder, links, img);
	m.guards = print_guards(folder, links, img);
	m.companions = print_companions(live, folder, links, img);
	strays = print_strays(folder, links);
	xt2_links_free(links);
	return xt2_exit_worse(judge(&m, strays), print_taken());
}

static int show(const struct xt2_store *p)
{
	struct xt2_mapping map = { 0 };
	struct xt2_live *live = NULL;
	struct xt2_err err = { 0 };
	int ret = xt2_live_open(&live, p->folder, NULL, &err), code;

	if (!ret)
		ret = xt2_live_read(live, &map, &err);
	if (!ret) {
		code = print_all(live, p->folder, map.image);
		xt2_image_close(&map);
	}
	xt2_live_free(live);
	return ret ? xt2_fail_live(&err) : code;
}

/* Where no folder is found, something may be live all the same. */
static void show_strays(const struct xt2_store *p)
{
	const struct missing nothing = { 0 };
	struct xt2_links *links;

	if (xt2_links_read(&links, p->folder, false))
		return;
	if (print_strays(NULL, links))
		judge(&nothing, 1);
	xt2_links_free(links);
}

/* --- xt2 detach, xt2 repair ------------------------------------------------------ */

/* The kernel's tables are filled before it, so that no packet meets neither.  => 0, -errno */
static int give_back(const struct view *v, struct xt2_taken *taken, struct xt2_err *err)
{
	int ret;

	memset(taken, 0, sizeof(*taken));
	ret = v->forget ? xt2_taken_path_here(taken->path, sizeof(taken->path))
			: xt2_taken_read(taken, err);
	if (ret)
		return v->forget ? 0 : ret;
	return taken->count ? xt2_taken_return(taken, err) : 0;
}

static int detach(struct view *v, struct xt2_err *err)
{
	struct xt2_taken taken;
	int ret = give_back(v, &taken, err);

	if (!ret)
		ret = xt2_live_detach(v->store.folder, err);
	if (!ret && *taken.path)
		xt2_taken_forget(&taken);
	xt2_taken_free(&taken);
	return ret;
}

/* Its pins are gone, but not what it took over.  => 0; -ENOENT: there is nothing; -errno: see err */
static int return_only(struct view *v, struct xt2_err *err)
{
	struct xt2_taken taken;
	struct xt2_err why = { 0 };
	int ret;

	ret = xt2_taken_read(&taken, &why);
	if (v->forget && (ret || taken.count))
		ret = 0;
	else if (!ret)
		ret = taken.count ? xt2_taken_return(&taken, &why) : -ENOENT;
	if (!ret)
		xt2_taken_forget(&taken);
	else if (ret != -ENOENT)
		*err = why;
	xt2_taken_free(&taken);
	return ret;
}

static int repair(struct view *v, struct xt2_err *err)
{
	int ret = xt2_live_repair(&v->store, err);

	return ret ? ret : xt2_take_over_settle(&v->store, err);
}

/* Whatever is pinned in the folder stays.  => XT2_EXIT_*, XT2_EXIT_NO: there are none */
static int detach_strays(struct xt2_store *p)
{
	struct xt2_links *links = NULL;
	const struct xt2_link *link;
	struct xt2_err err = { 0 };
	int n = 0, ret = xt2_live_find(p, &err);
	size_t at = 0;

	if (ret && ret != -ENOENT)
		return xt2_fail_live(&err);
	ret = xt2_links_read(&links, p->folder, false);
	while (!ret && (link = xt2_links_stray(links, *p->folder ? p->folder : NULL, &at))) {
		ret = xt2_links_detach(link);
		n++;
	}
	xt2_links_free(links);
	if (ret)
		fprintf(stderr, "xt2 detach: %s\n", strerror(-ret));
	if (!ret && !n)
		fputs("xt2 detach: there are no strays here\n", stderr);
	if (ret)
		return ret == -EPERM ? XT2_EXIT_UNSUPPORTED : XT2_EXIT_RESOURCE;
	return n ? XT2_EXIT_OK : XT2_EXIT_NO;
}

/* --- arguments ---------------------------------------------------------------------- */

static int take_every(const struct xt2_given *g)
{
	const struct view *v = g->data;

	if (!v->every || strcmp(v->every, g->row->name))
		return xt2_usage(g->command, "no such option here");
	return xt2_option_flag(g);
}

static int take_strays(const struct xt2_given *g)
{
	if (strcmp(g->command, "detach"))
		return xt2_usage(g->command, "--strays is for xt2 detach");
	return xt2_option_flag(g);
}

static int take_forget(const struct xt2_given *g)
{
	if (strcmp(g->command, "detach"))
		return xt2_usage(g->command, "--forget is for xt2 detach");
	return xt2_option_flag(g);
}

static int take_host(const struct xt2_given *g)
{
	if (!strcmp(g->command, "repair"))
		return xt2_usage(g->command, "the kernel module needs no repair");
	return xt2_take_live_host(g);
}

static const struct xt2_option rows[] = {
	XT2_STORE_ROWS(struct view, store),
	{ "host", 0, true, offsetof(struct view, store.host), 0, take_host },
	{ "all", 0, false, offsetof(struct view, all), 0, take_every },
	{ "dead", 0, false, offsetof(struct view, all), 0, take_every },
	{ "strays", 0, false, offsetof(struct view, strays), 0, take_strays },
	{ "forget", 0, false, offsetof(struct view, forget), 0, take_forget },
	XT2_ROWS_ALONE,
};

/* => -1: go on; XT2_EXIT_* */
static int parse(struct view *v, const char *command, const char *help, int argc, char **argv)
{
	int ret = xt2_options(command, help, rows, v, argc, argv);

	v->store.kind = xt2_store_live_kind(&v->store);
	if (ret < 0 && v->store.kind == XT2_STORE_KERNEL &&
	    (v->all || v->strays || v->forget || v->store.pin))
		return xt2_usage(command, "with --host kernel there is --netns alone");
	if (ret < 0 && v->all && (v->store.netns || v->strays || v->forget))
		return xt2_usage(command,
				 "--netns, --strays and --forget are for one network namespace");
	return ret;
}

static int look(struct view *v)
{
	struct xt2_err err = { 0 };
	int ret = xt2_store_lock(&v->store, XT2_STORE_LOOK, LOOK_WAIT, &err);

	if (ret && err.code != XT2_E_SYNTAX && ret != -EAGAIN)
		show_strays(&v->store);
	ret = ret ? xt2_fail_live(&err) : show(&v->store);
	xt2_store_unlock(&v->store);
	return ret;
}

static int change(struct view *v, int (*how)(struct view *v, struct xt2_err *err))
{
	struct xt2_err err = { 0 };
	int ret = xt2_store_lock(&v->store, XT2_STORE_CHANGE, 0, &err);

	if (!ret)
		ret = how(v, &err);
	else if (ret == -ENOENT && how == detach)
		ret = return_only(v, &err);
	xt2_store_unlock(&v->store);
	return ret ? xt2_fail_live(&err) : XT2_EXIT_OK;
}

static const char status_help[] =
	"Usage: xt2 status [--netns NAME | --all] [--pin DIR] [--host kernel]\n\n"
	"Prints what is live in a network namespace: number of rules, bytes of the\n"
	"kernel's memory, packets evaluated (once for each table), faults (packets that\n"
	"could not be evaluated, and were dropped), how long it waits to be confirmed,\n"
	"whether connections are tracked for it, the hooks, those that are missing, and\n"
	"strays: hooks of another ruleset of xt2's in this network namespace.\n\n"
	"      --all              a line for each live ruleset of this machine\n" XT2_PLACE_HELP
		XT2_LIVE_HOST_HELP
	"\nExit codes: 0 ok, 1 there is no live ruleset, or something is missing, or a\n"
	"stray is there, 2 wrong arguments, 3 not possible here, or not permitted,\n"
	"4 out of a resource.\n";

int xt2_status_main(int argc, char **argv)
{
	struct view v = { .every = "all" };
	int ret = parse(&v, "status", status_help, argc, argv);

	if (ret >= 0)
		return ret;
	if (v.store.kind == XT2_STORE_KERNEL)
		return xt2_kernel_status(&v.store);
	return v.all ? xt2_live_all(&v.store) : look(&v);
}

static const char repair_help[] =
	"Usage: xt2 repair [--netns NAME] [--pin DIR]\n\n"
	"Brings back what others took away from the live ruleset: its hooks, and the\n"
	"tracking of connections.  Rules and counters stay as they are.\n\n" XT2_PLACE_HELP
	"\nExit codes: 0 ok, 1 there is no live ruleset, 2 wrong arguments, 3 not possible\n"
	"here, or not permitted, 4 out of a resource, or another command is at work.\n";

int xt2_repair_main(int argc, char **argv)
{
	struct view v = { .every = NULL };
	int ret = parse(&v, "repair", repair_help, argc, argv);

	return ret >= 0 ? ret : change(&v, repair);
}

static const char detach_help[] =
	"Usage: xt2 detach [--netns NAME] [--pin DIR] [--host kernel | --strays | --forget]\n"
	"       xt2 detach --dead [--pin DIR]\n\n"
	"Takes the live ruleset of a network namespace away: its hooks, its programs and\n"
	"its memory.  Packets pass then, unless the kernel's own tables have rules: those that\n"
	"xt2 apply --take-over has emptied get back what they had.\n\n"
	"      --forget           leave these tables as they are, and forget what they had\n"
	"      --strays           not this ruleset, but hooks of xt2's that are pinned\n"
	"                         elsewhere, or nowhere\n"
	"      --dead             those of network namespaces that nobody can enter again\n" XT2_PLACE_HELP
		XT2_LIVE_HOST_HELP
	"\nExit codes: 0 ok, 1 there is no live ruleset, or no stray, 2 wrong arguments,\n"
	"3 not possible here, or not permitted, 4 out of a resource, or another command\n"
	"is at work.\n";

int xt2_detach_main(int argc, char **argv)
{
	struct view v = { .every = "dead" };
	int ret = parse(&v, "detach", detach_help, argc, argv);

	if (ret >= 0)
		return ret;
	if (v.store.kind == XT2_STORE_KERNEL)
		return xt2_kernel_detach_all(&v.store);
	if (v.all)
		return xt2_live_detach_dead(&v.store);
	return v.strays ? detach_strays(&v.store) : change(&v, detach);
}
