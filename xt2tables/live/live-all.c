/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live-all.c - xt2 status --all, xt2 detach --dead: live rulesets of all network namespaces
 *
 * Nothing is locked to read them: a line is a snapshot.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "libxt2/store/bpf/bpf-store.h"
#include "kernel/bpf/links.h"
#include "live-all.h"
#include "xt2tables/files/usage.h"

#define NAMES "/run/netns" /* of ip-netns(8) */

/* Of a network namespace; "-" if it has none. */
static void find_name(unsigned long inode, char *name, size_t size)
{
	DIR *dir = opendir(NAMES);
	struct dirent *e;
	struct stat st;

	snprintf(name, size, "-");
	while (dir && (e = readdir(dir)))
		if (*e->d_name != '.' && !fstatat(dirfd(dir), e->d_name, &st, 0) &&
		    st.st_ino == inode)
			snprintf(name, size, "%s", e->d_name);
	if (dir)
		closedir(dir);
}

static void print_since(__s64 since)
{
	time_t seconds = (time_t)since;
	char text[32] = "-";
	struct tm tm;

	if (since && localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	printf(" since %s", text);
}

static void print_size(const struct xt2_live_net *net)
{
	struct xt2_live_status s = { 0 };
	struct xt2_live *live = NULL;
	struct xt2_err err;

	if (xt2_live_open(&live, net->folder, NULL, &err)) {
		printf(" rules - memory -");
		return;
	}
	xt2_live_status(live, &s);
	printf(" rules %u memory %llu", s.rules, s.bytes);
	xt2_live_free(live);
}

static void print_net(const struct xt2_live_net *net)
{
	static const char *const states[] = {
		[XT2_LIVE_ALIVE] = "alive",
		[XT2_LIVE_DEAD] = "dead",
		[XT2_LIVE_UNSURE] = "unsure",
	};
	char name[256] = "-";

	if (net->state != XT2_LIVE_DEAD) /* its inode may be that of another one now */
		find_name(net->inode, name, sizeof(name));
	printf("netns %s inode %lu %s", name, net->inode, states[net->state]);
	print_size(net);
	print_since(net->since);
	putchar('\n');
}

/* What is live, but not pinned here.  => how many */
static int print_elsewhere(const struct xt2_links *links, const struct xt2_live_net *nets, int n)
{
	const struct xt2_link *link;
	char name[256], text[400];
	size_t at = 0;
	int found = 0;

	while (links && (link = xt2_links_elsewhere(links, nets, n, &at))) {
		find_name(link->inode, name, sizeof(name));
		xt2_links_describe(link, text, sizeof(text));
		printf("netns %s inode %u stray %s\n", name, link->inode, text);
		found++;
	}
	return found;
}

int xt2_live_all(struct xt2_store *p)
{
	struct xt2_live_net *nets = NULL;
	struct xt2_links *links = NULL;
	struct xt2_err err = { 0 };
	int i, n, strays;

	if (xt2_live_find(p, &err) && err.errnum != ENOENT)
		return xt2_fail_live(&err);
	if (xt2_links_read(&links, p->folder, false))
		links = NULL;
	n = xt2_live_nets(links, p->pin, &nets, &err);
	if (n < 0 && n != -ENOENT) {
		xt2_links_free(links);
		return xt2_fail_live(&err);
	}
	for (i = 0; i < n; i++)
		print_net(&nets[i]);
	strays = print_elsewhere(links, nets, n);
	free(nets);
	xt2_links_free(links);
	if (n > 0 || strays)
		return XT2_EXIT_OK;
	fputs("xt2 status: there is no live ruleset\n", stderr);
	return XT2_EXIT_NO;
}

int xt2_live_detach_dead(struct xt2_store *p)
{
	struct xt2_links *links = NULL;
	struct xt2_err err = { 0 };
	int n, ret = xt2_live_find(p, &err);

	if (ret)
		return ret == -ENOENT ? XT2_EXIT_OK : xt2_fail_live(&err);
	ret = xt2_links_read(&links, p->folder, false);
	if (ret) {
		fprintf(stderr, "xt2 detach: the kernel does not tell which are dead: %s\n",
			strerror(-ret));
		return XT2_EXIT_UNSUPPORTED;
	}
	n = xt2_live_sweep(links, p->pin, &err);
	xt2_links_free(links);
	return n < 0 ? xt2_fail_live(&err) : XT2_EXIT_OK;
}
