/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live-place.c - the live ruleset of a network namespace
 *
 * What the kernel evaluates is pinned in a folder, so each command finds it
 * again.  A lock lets one of them work at a time.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../bpf/host.h"
#include "../libxt2/err.h"
#include "live-place.h"
#include "xt2.h"

#define PAUSE 20 /* ms between looks at a lock */

static int enter_netns(const char *name, struct xt2_err *err)
{
	char path[256];
	int fd, ret;

	if (strchr(name, '/') ||
	    snprintf(path, sizeof(path), "/run/netns/%s", name) >= (int)sizeof(path))
		return xt2_err_set_(err, XT2_E_SYNTAX, EINVAL,
				    "not the name of a network namespace: %s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return xt2_err_set_(err, XT2_E_SYNTAX, EINVAL, "network namespace %s: %s", name,
				    strerror(errno));
	ret = setns(fd, CLONE_NEWNET) ? errno : 0;
	close(fd);
	return ret ? xt2_err_set_(err, XT2_E_SYSTEM, ret, "network namespace %s: %s", name,
				  strerror(ret))
		   : 0;
}

int xt2_live_place_find(struct xt2_live_place *p, struct xt2_err *err)
{
	int ret = p->netns ? enter_netns(p->netns, err) : 0;

	return ret ? ret : xt2_live_path(p->pin, p->folder, sizeof(p->folder), err);
}

int xt2_live_place_enter(struct xt2_live_place *p, bool create, struct xt2_err *err)
{
	const struct timespec pause = { .tv_nsec = PAUSE * 1000000 };
	long left = p->wait * (1000L / PAUSE);
	enum xt2_live_access access = create ? XT2_LIVE_CREATE : XT2_LIVE_CHANGE;
	int ret = p->netns ? enter_netns(p->netns, err) : 0;

	if (ret)
		return ret;
	if (p->look)
		access = XT2_LIVE_LOOK;
	for (;;) {
		p->lock = xt2_live_folder(p->pin, access, p->folder, sizeof(p->folder), err);
		if (p->lock != -EAGAIN || !left)
			return p->lock < 0 ? p->lock : 0;
		nanosleep(&pause, NULL);
		left -= left > 0;
	}
}

void xt2_live_place_leave(struct xt2_live_place *p)
{
	xt2_live_leave(p->folder, p->lock);
}

int xt2_live_place_read(const struct xt2_live_place *p, struct xt2_mapping *map,
			struct xt2_err *err)
{
	struct xt2_live *live = NULL;
	int ret = xt2_live_open(&live, p->folder, 0, err);

	if (!ret)
		ret = xt2_live_read(live, map, err);
	xt2_live_free(live);
	return ret;
}

static int install(const struct xt2_live_place *p, const struct xt2_mapping *map, const __u8 *start,
		   const __u32 *was, struct xt2_err *err)
{
	struct xt2_live *live = NULL;
	unsigned int tables, tracked, begun;
	int ret = xt2_live_check(map->image, &tables, err);

	if (ret)
		return ret;
	tracked = xt2_live_tracked(map->image);
	ret = xt2_live_track(p->folder, tracked, &begun, err);
	if (ret)
		return ret;
	ret = xt2_live_open(&live, p->folder, xt2_live_missing(p->folder, map->image), err);
	if (ret == -ENOENT)
		ret = xt2_live_load(&live, tables, err);
	if (!ret)
		ret = xt2_live_attach(live, p->folder, map->image, err);
	if (!ret)
		xt2_live_try(live, p->confirm);
	if (!ret)
		ret = was ? xt2_live_follow(live, map->image, map->size, was, err)
			  : xt2_live_replace(live, map->image, map->size, start, err);
	if (ret && live)
		xt2_live_tidy(live, p->folder);
	if (ret || !p->confirm) /* what comes back may ask about connections */
		xt2_live_untrack(p->folder, ret ? begun : ~tracked);
	xt2_live_free(live);
	return ret;
}

int xt2_live_place_replace(const struct xt2_live_place *p, const struct xt2_mapping *map,
			   const __u8 *start, struct xt2_err *err)
{
	return install(p, map, start, NULL, err);
}

int xt2_live_place_follow(const struct xt2_live_place *p, const struct xt2_mapping *map,
			  const __u32 *was, struct xt2_err *err)
{
	return install(p, map, NULL, was, err);
}

int xt2_live_place_exit(const struct xt2_err *err)
{
	if (err->code == XT2_E_UNSUPPORTED)
		return XT2_EXIT_UNSUPPORTED;
	if (err->code == XT2_E_SYNTAX)
		return XT2_EXIT_USAGE;
	return err->errnum == ENOENT ? XT2_EXIT_NO : XT2_EXIT_RESOURCE;
}
