/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-monitor.c - xt2 monitor: commits to an image, or to what is live, as they come
 *
 * Of an image the folder is watched, not the file: a commit may append to the file or put a new one in its
 * place, and there may be none yet.  After each event the history is read from its newest record
 * back to the one that was printed last, so nothing is missed however events are merged,
 * as long as the image tells of it.  Of what is live the same history is looked for 10 times a
 * second, since nothing tells of a commit.
 */
#include "xt2tables/cmd/cmd.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>
#include "libxt2/store/new-file.h"
#include "libxt2/store/old-files.h"
#include "past.h"
#include "xt2tables/tables/past-text.h"

#define PAUSE	100 /* ms between two looks at what is live */
#define CHANGES (IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)

struct monitor {
	struct xt2_place place;
	bool json;
	const char *count;
	unsigned long long left; /* commits to print */
	char real[PATH_MAX]; /* the image, after symbolic links */
	const char *name; /* of it, in its folder */
	int watch; /* descriptor of inotify */
	bool print; /* what is new; else it is only seen */
	bool failed; /* there was no memory */
	struct xt2_past last; /* the newest commit that was seen; generation 0: none was */
};

static const char help[] =
	"Usage: xt2 monitor [--json] [-n N] [--image FILE | --live]\n\n"
	"Prints a line for each commit to an image, or to what is live, when it comes, as xt2 history\n"
	"does.\n\n"
	"      --json             a JSON object a line\n"
	"  -n, --count N          end after N commits\n" XT2_IMAGE_HELP
	"\nExit codes: 0 N commits were printed, or nobody reads any more, 2 the folder of the image\n"
	"is not there, 3 not possible here, 4 out of a resource.\n";

static const struct xt2_option rows[] = {
	XT2_FLAG("json", 0, struct monitor, json),
	XT2_WORD("count", 'n', struct monitor, count),
	XT2_PLACE_ROWS(struct monitor, place),
	XT2_ROWS_ALONE,
};

/* --- commits ----------------------------------------------------------------------- */

static bool same(const struct xt2_commit *a, const struct xt2_commit *b)
{
	return a->generation == b->generation && a->time == b->time && a->pid == b->pid;
}

static void print(struct monitor *m, const struct xt2_past *past)
{
	if (!m->left)
		return;
	m->left--;
	if (m->json)
		xt2_past_print_json(stdout, past);
	else
		xt2_past_print(stdout, past);
}

/*
 * Where the records of new commits are, the newest first: back to the one that was seen last.  Of a
 * file of older generations, which somebody has put in the place, it is the newest one.
 * @at: room for max
 * => how many there are, which may be more than max
 */
static size_t find_new(const struct monitor *m, struct xt2_history h, __u32 *at, size_t max)
{
	const __u64 last = m->last.commit.generation;
	struct xt2_past past;
	size_t n = 0;
	__u32 next;

	for (next = h.next; xt2_history_next(&h, &past); next = h.next) {
		if (same(&past.commit, &m->last.commit) || (n && past.commit.generation <= last))
			break;
		if (n < max)
			at[n] = next;
		n++;
		if (past.commit.generation <= last)
			break;
	}
	return n;
}

/* Print what is new, the oldest first. */
static void seen(void *data, const struct xt2_history *h)
{
	struct monitor *m = data;
	size_t n = find_new(m, *h, NULL, 0), found;
	__u32 *at = malloc((n + 1) * sizeof(*at));
	struct xt2_past past;

	found = at ? find_new(m, *h, at, n) : 0;
	if (found < n)
		n = found;
	while (n-- && xt2_history_read(h, at[n], &past)) {
		if (m->print)
			print(m, &past);
		m->last = past;
	}
	m->failed |= !at;
	free(at);
	fflush(stdout);
}

/* => XT2_EXIT_* */
static int look(struct monitor *m)
{
	int fd;
	const struct xt2_history h = xt2_file_history(m->real, &fd);

	seen(m, &h);
	if (fd >= 0)
		close(fd);
	return m->failed ? xt2_no_memory("monitor") : XT2_EXIT_OK;
}

/* --- events ------------------------------------------------------------------------ */

/* => may the image have changed?  *gone: the folder has */
static bool concerns(const struct monitor *m, const char *buffer, ssize_t size, bool *gone)
{
	const struct inotify_event *e;
	bool any = false;
	ssize_t at;

	for (at = 0; at < size; at += (ssize_t)(sizeof(*e) + e->len)) {
		e = (const struct inotify_event *)(buffer + at);
		*gone |= e->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED);
		any |= e->mask & IN_Q_OVERFLOW || (e->len && !strcmp(e->name, m->name));
	}
	return any;
}

/* => XT2_EXIT_OK: something has changed; -1: nobody reads any more; XT2_EXIT_* */
static int wait_for(const struct monitor *m)
{
	char buffer[8192] __attribute__((aligned(__alignof__(struct inotify_event))));
	struct pollfd fds[] = { { .fd = m->watch, .events = POLLIN }, { .fd = STDOUT_FILENO } };
	bool gone = false;
	ssize_t n;

	for (;;) {
		if (poll(fds, XT2_ARRAY_SIZE(fds), -1) < 0) {
			if (errno == EINTR)
				continue;
			break;
		}
		if (fds[1].revents & (POLLERR | POLLNVAL))
			return -1;
		n = fds[0].revents & POLLIN ? read(m->watch, buffer, sizeof(buffer)) : 0;
		if (n < 0 && errno != EINTR)
			break;
		if (n > 0 && concerns(m, buffer, n, &gone))
			return XT2_EXIT_OK;
		if (gone) {
			fputs("xt2 monitor: the folder of the image is gone\n", stderr);
			return XT2_EXIT_RESOURCE;
		}
	}
	fprintf(stderr, "xt2 monitor: %s\n", strerror(errno));
	return XT2_EXIT_RESOURCE;
}

/* => XT2_EXIT_* */
static int follow(struct monitor *m)
{
	int ret = look(m); /* what was there before */

	m->print = true;
	while (ret == XT2_EXIT_OK && m->left) {
		ret = wait_for(m);
		if (ret == XT2_EXIT_OK)
			ret = look(m);
	}
	return ret < 0 ? XT2_EXIT_OK : ret;
}

/* The same of what is live.  => XT2_EXIT_* */
static int follow_live(struct monitor *m, struct xt2_store *s)
{
	struct pollfd out = { .fd = STDOUT_FILENO };
	struct xt2_err err = { 0 };
	int ret = 0;

	while (m->left && !m->failed) {
		ret = xt2_store_watch(s, seen, m, &err);
		if (ret < 0)
			break;
		m->print = true;
		if (m->left && poll(&out, 1, PAUSE) > 0 && out.revents & (POLLERR | POLLNVAL))
			break;
	}
	xt2_store_end_watch(s);
	if (m->failed)
		return xt2_no_memory("monitor");
	return ret < 0 ? xt2_fail_live(&err) : XT2_EXIT_OK;
}

/* => XT2_EXIT_* */
static int start(struct monitor *m, const char *path)
{
	struct xt2_err err;
	char *slash;
	int ret = xt2_resolve(path, m->real), watched;

	if (ret) {
		xt2_file_error(&err, -ret, "resolve", path);
		return xt2_fail(&err);
	}
	m->watch = inotify_init1(IN_CLOEXEC);
	slash = strrchr(m->real, '/');
	m->name = slash ? slash + 1 : m->real;
	if (slash)
		*slash = '\0'; /* for a moment: the folder */
	watched = m->watch < 0 ? -1
			       : inotify_add_watch(m->watch,
						   !slash	      ? "."
						   : slash == m->real ? "/"
								      : m->real,
						   CHANGES | IN_ONLYDIR);
	if (slash)
		*slash = '/';
	if (watched >= 0)
		return XT2_EXIT_OK;
	xt2_file_error(&err, errno, "watch its folder", path);
	return xt2_fail(&err);
}

int xt2_monitor_main(int argc, char **argv)
{
	struct monitor m = { .left = ~0ull };
	struct xt2_where w = { .name = "xt2 monitor" };
	int ret = xt2_options("monitor", help, rows, &m, argc, argv);

	if (ret >= 0)
		return ret;
	if (m.count && (!xt2_number(m.count, 10, &m.left) || !m.left))
		return xt2_usage("monitor", "-n takes a number from 1");
	ret = xt2_place_end(&m.place, &w, "monitor");
	if (ret != XT2_EXIT_OK)
		return ret;
	if (m.place.live)
		return follow_live(&m, &w.store);
	xt2_place_sandbox(&w);
	ret = start(&m, w.store.path);
	if (ret == XT2_EXIT_OK)
		ret = follow(&m);
	if (m.watch > 0)
		close(m.watch);
	return ret;
}
