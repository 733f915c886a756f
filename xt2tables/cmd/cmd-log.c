/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-log.c - xt2 log: what LOG and NFLOG of the live ruleset report
 *
 * Reads the ring of events (kernel/bpf/log.h) until it is told to stop, or until
 * there is nothing live any more.  It keeps nothing: memory does not grow.
 */
#include <signal.h>
#include "libxt2/store/bpf/bpf-store.h"
#include "cmd.h"
#include "xt2tables/files/output.h"
#include "xt2tables/live/log-pcapng.h"
#include "xt2tables/live/log-text.h"

#define ENOUGH	  (-ECANCELED)
#define SECOND	  1000000000ull
#define CLOCK_SET 10000000ull /* ns; smaller differences are those of reading the clocks */

struct reader {
	struct xt2_store store;
	const char *path; /* of a capture, or NULL */
	bool time, rule; /* in each line */
	bool fresh; /* nothing from before the start */
	__u64 started; /* ns since boot */
	__u64 booted; /* ns since 1970 */
	unsigned long long count; /* 0: no end */
	unsigned long long done;
	FILE *to;
	struct xt2_output out; /* of path */
};

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	stopped = signal;
}

/*
 * => ns since 1970
 *
 * The clocks are read one after the other, and the process may wait between them.  So what
 * they are apart is taken anew only if the clock was set: events stay in order.
 */
static __u64 time_of(struct reader *r, const struct xt2_log_event *e)
{
	const __u64 boot = xt2_clock_ns(CLOCK_BOOTTIME), real = xt2_clock_ns(CLOCK_REALTIME);
	const __u64 wait = xt2_clock_ns(CLOCK_BOOTTIME) - boot;

	if (real - boot - r->booted + CLOCK_SET > 2 * CLOCK_SET && wait < CLOCK_SET)
		r->booted = real - boot;
	return r->booted + e->time;
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
	xt2_print_shown(to, text);
}

static void print_line(struct reader *r, const struct xt2_log_event *e)
{
	char line[XT2_LOG_LINE];

	if (r->time)
		print_time(r->to, time_of(r, e));
	xt2_log_line(e, line, sizeof(line));
	fputs(line, r->to);
	if (is_nflog(e))
		fprintf(r->to, " GROUP=%u", XT2_TARGET_ARG(e->target) & 0xffff);
	if (r->rule)
		print_rule(r->to, e);
	fputc('\n', r->to);
}

/* "filter INPUT 3 LOG "prefix" in lo" */
static void write_packet(struct reader *r, const struct xt2_log_event *e)
{
	char comment[512], shown[4 * sizeof(comment)], prefix[65], target[32] = "LOG";

	if (is_nflog(e))
		snprintf(target, sizeof(target), "NFLOG %u", XT2_TARGET_ARG(e->target) & 0xffff);
	snprintf(comment, sizeof(comment), "%.32s %.32s %u %s \"%s\"%s%.16s%s%.16s", e->table,
		 e->chain, e->rule, target, xt2_log_prefix(e, prefix), e->in_index ? " in " : "",
		 e->in, e->out_index ? " out " : "", e->out);
	xt2_show(comment, shown, sizeof(shown));
	xt2_pcapng_packet(r->to, e, time_of(r, e), shown);
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

/* A signal between the test of stopped and the wait must not get lost.  => 0, -ENODEV */
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
		xt2_pcapng_end(r->to, xt2_clock_ns(CLOCK_REALTIME), r->done, lost);
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
	r->started = xt2_clock_ns(CLOCK_BOOTTIME);
	ret = xt2_live_find(&r->store, &err);
	if (!ret)
		ret = xt2_live_log_open(&log, r->store.folder, take, r, &err);
	if (ret)
		return xt2_fail_live(&err);
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

static int take_count(const struct xt2_given *g)
{
	if (!xt2_count(g))
		return xt2_usage("log", "not a number of packets: %s", g->arg);
	return XT2_EXIT_OK;
}

static const struct xt2_option rows[] = {
	{ "count", 'n', true, offsetof(struct reader, count), 0, take_count },
	XT2_FLAG("time", 't', struct reader, time),
	XT2_FLAG("rule", 'r', struct reader, rule),
	XT2_WORD("write", 'w', struct reader, path),
	XT2_FLAG("new", 0, struct reader, fresh),
	XT2_STORE_ROWS(struct reader, store),
	XT2_ROWS_ALONE,
};

int xt2_log_main(int argc, char **argv)
{
	struct reader r = { 0 };
	int ret = xt2_options("log", help, rows, &r, argc, argv);

	if (ret >= 0)
		return ret;
	if (r.path && (r.time || r.rule))
		return xt2_usage("log", "a capture has times and rules anyway");
	return run(&r);
}
