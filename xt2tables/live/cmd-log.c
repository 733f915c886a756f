/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-log.c - xt2 log: what LOG and NFLOG of the live ruleset report
 *
 * Reads the ring of events (kernel/bpf/log.h) until it is told to stop, or until
 * there is nothing live any more.  It keeps nothing: memory does not grow.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libxt2/store/bpf/bpf-store.h"
#include "libxt2/printable.h"
#include "live-place.h"
#include "log-pcapng.h"
#include "log-text.h"
#include "xt2tables/files/output.h"
#include "xt2tables/cmd/cmd.h"

#define ENOUGH (-ECANCELED)
#define SECOND 1000000000ull

struct reader {
	struct xt2_live_place place;
	const char *path; /* of a capture, or NULL */
	bool time, rule; /* in each line */
	bool fresh; /* nothing from before the start */
	__u64 started; /* ns since boot */
	unsigned long count; /* 0: no end */
	unsigned long done;
	FILE *to;
	struct xt2_output out; /* of path */
};

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	stopped = signal;
}

static __u64 clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (__u64)t.tv_sec * SECOND + (__u64)t.tv_nsec;
}

/* => ns since 1970, as clocks are now */
static __u64 time_of(const struct xt2_log_event *e)
{
	return clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME) + e->time;
}

static bool is_nflog(const struct xt2_log_event *e)
{
	return XT2_TARGET_KIND(e->target) == XT2_T_NFLOG;
}

static void print_time(FILE *to, __u64 ns)
{
	time_t seconds = (time_t)(ns / SECOND);
	char text[32] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	fprintf(to, "%s.%06llu ", text, ns % SECOND / 1000);
}

static void print_rule(FILE *to, const struct xt2_log_event *e)
{
	char text[256];

	snprintf(text, sizeof(text), " RULE=%.32s:%.32s:%u", e->table, e->chain, e->rule);
	xt2_print_shown_(to, text);
}

static void print_line(const struct reader *r, const struct xt2_log_event *e)
{
	char line[XT2_LOG_LINE];

	if (r->time)
		print_time(r->to, time_of(e));
	xt2_log_line(e, line, sizeof(line));
	fputs(line, r->to);
	if (is_nflog(e))
		fprintf(r->to, " GROUP=%u", XT2_TARGET_ARG(e->target) & 0xffff);
	if (r->rule)
		print_rule(r->to, e);
	fputc('\n', r->to);
}

/* "filter INPUT 3 LOG "prefix" in lo" */
static void write_packet(const struct reader *r, const struct xt2_log_event *e)
{
	char comment[512], shown[4 * sizeof(comment)], prefix[65], target[32] = "LOG";

	if (is_nflog(e))
		snprintf(target, sizeof(target), "NFLOG %u", XT2_TARGET_ARG(e->target) & 0xffff);
	snprintf(comment, sizeof(comment), "%.32s %.32s %u %s \"%s\"%s%.16s%s%.16s", e->table,
		 e->chain, e->rule, target, xt2_log_prefix(e, prefix), e->in_index ? " in " : "",
		 e->in, e->out_index ? " out " : "", e->out);
	xt2_show_(comment, shown, sizeof(shown));
	xt2_pcapng_packet(r->to, e, time_of(e), shown);
}

static int take(void *data, const struct xt2_log_event *e)
{
	struct reader *r = data;

	if (r->fresh && e->time < r->started)
		return 0;
	if (r->path)
		write_packet(r, e);
	else
		print_line(r, e);
	r->done++;
	return stopped || ferror(r->to) || r->done == r->count ? ENOUGH : 0;
}

/* A signal between the look at stopped and the wait must not get lost.  => 0, -ENODEV */
static int wait_for_events(const struct xt2_live_log *log)
{
	sigset_t stops, before;
	int ret = 0;

	sigemptyset(&stops);
	sigaddset(&stops, SIGINT);
	sigaddset(&stops, SIGTERM);
	sigprocmask(SIG_BLOCK, &stops, &before);
	if (!stopped)
		ret = xt2_live_log_wait(log, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret == -EINTR ? 0 : ret;
}

/* => 0: told to stop, or enough; -ENODEV: detached; -errno */
static int follow(struct reader *r, struct xt2_live_log *log)
{
	struct sigaction act = { .sa_handler = stop };
	int ret, gone = 0;

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	for (;;) {
		ret = xt2_live_log_read(log);
		fflush(r->to);
		if (ret == ENOUGH || ferror(r->to))
			return 0;
		if (ret < 0 || gone)
			return ret < 0 ? ret : gone;
		if (stopped)
			return 0;
		gone = wait_for_events(log);
	}
}

/* => exit code */
static int finish(struct reader *r, __u64 lost, int ret)
{
	struct xt2_err err;
	bool failed;

	if (r->path)
		xt2_pcapng_end(r->to, clock_ns(CLOCK_REALTIME), r->done, lost);
	failed = r->to != stdout && xt2_output_finish(&r->out, &err);
	if (failed)
		xt2_err_print(&err, stderr);
	if (lost)
		fprintf(stderr, "xt2 log: %llu events were lost: they came too fast\n", lost);
	if (ret == -ENODEV)
		fputs("xt2 log: the live ruleset was detached\n", stderr);
	else if (ret)
		fprintf(stderr, "xt2 log: %s\n", strerror(-ret));
	if (failed || (ret && ret != -ENODEV))
		return XT2_EXIT_RESOURCE;
	return ret ? XT2_EXIT_NO : XT2_EXIT_OK;
}

static int run(struct reader *r)
{
	struct xt2_live_log *log = NULL;
	struct xt2_err err = { 0 };
	__u64 lost;
	int ret;

	r->to = stdout;
	r->started = clock_ns(CLOCK_BOOTTIME);
	ret = xt2_live_place_find(&r->place, &err);
	if (!ret)
		ret = xt2_live_log_open(&log, r->place.folder, take, r, &err);
	if (ret) {
		xt2_err_print(&err, stderr);
		return xt2_live_place_exit(&err);
	}
	if (r->path && xt2_output_stream(&r->out, r->path, &err)) {
		xt2_live_log_close(log);
		return xt2_fail(&err);
	}
	if (r->path)
		r->to = r->out.to;
	lost = xt2_live_log_lost(log);
	if (r->path)
		xt2_pcapng_begin(r->to);
	ret = follow(r, log);
	lost = xt2_live_log_lost(log) - lost;
	xt2_live_log_close(log);
	return finish(r, lost, ret);
}

static const char help[] =
	"Usage: xt2 log [--count N] [--time] [--rule] [--new] [-w FILE] [--netns NAME] [--pin DIR]\n\n"
	"Prints what LOG and NFLOG of the live ruleset report: a line for each packet, as the\n"
	"kernel's LOG prints it, with the group for NFLOG.  Goes on until it is interrupted, also\n"
	"when other rulesets become the live one.  Begins with the events that were waiting.\n\n"
	"  -n, --count N          end after N packets\n"
	"  -t, --time             begin each line with the time\n"
	"  -r, --rule             end each line with table, chain and number of the rule\n"
	"      --new              only what happens from now on\n"
	"  -w, --write FILE       write a capture (pcapng) instead; \"-\" is the standard output\n" XT2_PLACE_HELP
	"\nExit codes: 0 ok, 1 there is no live ruleset, or none any more, 2 wrong arguments,\n"
	"3 not possible here or not permitted, 4 out of a resource, or another xt2 log is reading.\n";

enum { OPT_NETNS = 1, OPT_PIN, OPT_NEW };

static bool parse_count(const char *text, unsigned long *count)
{
	char *end;

	errno = 0;
	*count = strtoul(text, &end, 10);
	return !errno && *count && !*end && *text >= '0' && *text <= '9';
}

int xt2_log_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "count", 1, NULL, 'n' },   { "time", 0, NULL, 't' },
		{ "rule", 0, NULL, 'r' },    { "write", 1, NULL, 'w' },
		{ "new", 0, NULL, OPT_NEW }, { "netns", 1, NULL, OPT_NETNS },
		{ "pin", 1, NULL, OPT_PIN }, { "help", 0, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct reader r = { 0 };
	int c;

	while ((c = getopt_long(argc, argv, "n:trw:h", options, NULL)) != -1)
		switch (c) {
		case 'n':
			if (!parse_count(optarg, &r.count))
				return xt2_usage("log", "not a number of packets: %s", optarg);
			break;
		case 't': r.time = true; break;
		case 'r': r.rule = true; break;
		case 'w': r.path = optarg; break;
		case OPT_NEW: r.fresh = true; break;
		case OPT_NETNS: r.place.netns = optarg; break;
		case OPT_PIN: r.place.pin = optarg; break;
		case 'h': fputs(help, stdout); return XT2_EXIT_OK;
		default: return xt2_see_help("log");
		}
	if (optind != argc)
		return xt2_usage("log", "no arguments, please");
	if (r.path && (r.time || r.rule))
		return xt2_usage("log", "a capture has times and rules anyway");
	return run(&r);
}
