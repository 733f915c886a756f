/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-confirm.c - xt2 confirm: keep a ruleset that is on trial
 *
 * The kernel itself takes back a ruleset that was not confirmed in time
 * (kernel/bpf/trial.h).  The next command that changes the live ruleset cleans up.  But if
 * nothing was live before, there may be no such command, so apply starts a process that
 * detaches; if it is killed, packets pass all the same.
 */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include "libxt2/store/bpf/bpf-store.h"
#include "cmd.h"
#include "cmd-confirm.h"

#define LONGEST (24 * 60 * 60) /* seconds */
#define WAIT	10 /* seconds for another command */

bool xt2_confirm_seconds(const char *text, __u32 *seconds)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || n > LONGEST)
		return false;
	if (!strcmp(end, "m"))
		n *= 60;
	else if (*end && strcmp(end, "s"))
		return false;
	*seconds = (__u32)n;
	return n && n <= LONGEST;
}

/* Connections are tracked as long as what is live asks; without a ruleset, all goes. */
static int tidy(const struct xt2_store *p, struct xt2_live *live)
{
	struct xt2_mapping map = { 0 };
	struct xt2_err err = { 0 };
	int ret = xt2_live_read(live, &map, &err);

	if (ret == -ENOENT)
		return xt2_live_detach(p->folder, &err);
	if (ret)
		return ret;
	xt2_live_untrack(~xt2_live_tracked(map.image));
	xt2_live_unact(live, p->folder, map.image);
	xt2_image_close(&map);
	return 0;
}

static int settle(struct xt2_store *p, struct xt2_err *err)
{
	struct xt2_live *live = NULL;
	int ret = xt2_live_open(&live, p->folder, NULL, err);

	if (!ret)
		ret = xt2_live_settle(live);
	if (!ret)
		ret = tidy(p, live);
	xt2_live_free(live);
	return ret;
}

/* --- the process that stays ------------------------------------------------ */

static void become_daemon(void)
{
	int null = open("/dev/null", O_RDWR);

	setsid();
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		if (null > 2)
			close(null);
	}
	if (chdir("/"))
		_exit(XT2_EXIT_RESOURCE);
}

/* Until the trial has ended, one way or the other. */
static void wait_for_end(const struct xt2_store *p)
{
	struct xt2_live *live = NULL;
	struct xt2_err err;
	__u32 left = 0;

	if (xt2_live_open(&live, p->folder, NULL, &err))
		return;
	while (xt2_live_trial(live, &left) == XT2_TRIAL_WAITS && left && !access(p->folder, F_OK))
		sleep(1);
	xt2_live_free(live);
}

void xt2_confirm_keeper(const struct xt2_store *store)
{
	struct xt2_store p = { .kind = XT2_STORE_LIVE, .pin = store->pin };
	struct xt2_err err;

	fflush(stdout);
	if (fork())
		return; /* without it, a later command tidies up */
	become_daemon();
	wait_for_end(store);
	if (!xt2_store_lock(&p, XT2_STORE_CHANGE, -1, &err))
		settle(&p, &err);
	xt2_store_unlock(&p);
	_exit(XT2_EXIT_OK);
}

/* --- xt2 confirm ------------------------------------------------------------ */

static int nothing_waits(__u32 trial)
{
	if (trial == XT2_TRIAL_BACK)
		fputs("xt2 confirm: too late, the live ruleset is the one before again\n", stderr);
	else
		fputs("xt2 confirm: nothing waits to be confirmed\n", stderr);
	return XT2_EXIT_NO;
}

/* => exit code */
static int end_trial(struct xt2_store *p, bool keep)
{
	struct xt2_live *live = NULL;
	struct xt2_err err = { 0 };
	__u32 trial, left;
	int ret;

	if (xt2_live_open(&live, p->folder, NULL, &err))
		return xt2_fail_live(&err);
	ret = xt2_live_confirm(live, keep);
	trial = xt2_live_trial(live, &left);
	if (!ret)
		ret = tidy(p, live);
	xt2_live_free(live);
	if (ret == -ENOENT) {
		settle(p, &err);
		return nothing_waits(trial);
	}
	if (ret) {
		fprintf(stderr, "xt2 confirm: %s\n", strerror(-ret));
		return XT2_EXIT_RESOURCE;
	}
	return keep && xt2_live_repair(p, &err) ? xt2_fail_live(&err) : XT2_EXIT_OK;
}

static const char help[] =
	"Usage: xt2 confirm [--no] [--netns NAME] [--pin DIR]\n\n"
	"Keeps a ruleset that was made live by xt2 apply --confirm.  Without it, the ruleset before\n"
	"comes back when the time is over.\n\n"
	"      --no               take it back now\n" XT2_PLACE_HELP
	"\nExit codes: 0 ok, 1 nothing waits to be confirmed, or it is too late, 2 wrong arguments,\n"
	"3 not possible here or not permitted, 4 out of a resource, or another command is at work.\n";

struct confirming {
	struct xt2_store store;
	bool take_back;
};

static const struct xt2_option rows[] = {
	XT2_FLAG("no", 0, struct confirming, take_back),
	XT2_STORE_ROWS(struct confirming, store),
	XT2_ROWS_ALONE,
};

int xt2_confirm_main(int argc, char **argv)
{
	struct confirming c = { .store.kind = XT2_STORE_LIVE };
	struct xt2_err err = { 0 };
	int ret = xt2_options("confirm", help, rows, &c, argc, argv);

	if (ret >= 0)
		return ret;
	if (xt2_store_lock(&c.store, XT2_STORE_CHANGE, WAIT, &err))
		return xt2_fail_live(&err);
	ret = end_trial(&c.store, !c.take_back);
	xt2_store_unlock(&c.store);
	return ret;
}
