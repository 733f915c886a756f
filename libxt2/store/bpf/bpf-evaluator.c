/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-evaluator.c - the programs that evaluate, which hooks go on with
 *
 * The verifier takes most of the time that a ruleset takes to become live.  So evaluators are
 * loaded for what the rules need, and it leaves out the rest.  When rules come that need more, new
 * ones replace them in a map.  Programs at hooks stay, because the kernel drops the packets
 * of queues whenever a hook goes.  An evaluator that is missing, or that meets an extension that
 * it was loaded without, drops the packet: nothing passes for want of it.
 *
 * Edits in place need what searches do, so that is loaded as soon as a ruleset is changed.
 */
#include "bpf-private.h"

#include <dirent.h>
#include <string.h>

#define MAPS_MAX 64 /* of a program */
#define WAITS	 100
#define WAIT_US	 10000

static const char map_name[] = "evaluators";

struct bpf_program *xt2_evaluator_of_(const struct xt2_live *host, u32 table)
{
	char name[32];

	snprintf(name, sizeof(name), "xt2_in_%s", xt2_live_table_name_(table));
	return bpf_object__find_program_by_name(host->object, name);
}

/* The kernel empties the map if its last pin goes. */
static bool is_there(const struct xt2_live *host, u32 table)
{
	u32 id;

	return !bpf_map_lookup_elem(host->pinned[XT2_PIN_EVALUATORS], &table, &id);
}

unsigned int xt2_evaluators_lacking_(const struct xt2_live *host, unsigned int tables, u32 needs)
{
	const struct xt2_state *state = xt2_live_state_();
	unsigned int lacking = 0;
	u32 i;

	for (i = 0; i < XT2_PROGRAMS; i++)
		if (tables >> i & 1 &&
		    (needs & XT2_NEEDS_LOADED & ~state->evaluators[i] || !is_there(host, i)))
			lacking |= 1u << i;
	return lacking;
}

u32 xt2_evaluators_for_(unsigned int tables, u32 needs)
{
	u32 i;

	for (i = 0; i < XT2_PROGRAMS; i++)
		if (tables >> i & 1)
			needs |= xt2_live_state_()->evaluators[i];
	return needs;
}

int xt2_evaluators_put_(const struct xt2_live *host, unsigned int tables, u32 needs)
{
	struct xt2_state *state = xt2_live_state_();
	int ret = 0, fd;
	u32 i;

	for (i = 0; i < XT2_PROGRAMS && !ret; i++) {
		if (!(tables >> i & 1))
			continue;
		fd = bpf_program__fd(xt2_evaluator_of_(host, i));
		ret = bpf_map_update_elem(host->fd[XT2_PIN_EVALUATORS], &i, &fd, BPF_ANY);
		if (ret)
			break;
		state->evaluators[i] = needs & XT2_NEEDS_LOADED;
	}
	return ret;
}

bool xt2_live_unevaluated(const char *folder)
{
	char path[512];

	return snprintf(path, sizeof(path), "%s/%s", folder, map_name) >= (int)sizeof(path) ||
	       access(path, F_OK);
}

/* => the descriptor of the map of this name that a program has; -ENOENT */
static int map_of(u32 program)
{
	struct bpf_prog_info info = { 0 };
	struct bpf_map_info map;
	u32 ids[MAPS_MAX], size = sizeof(info), i;
	int fd = bpf_prog_get_fd_by_id(program), ret;

	if (fd < 0)
		return -ENOENT;
	info.nr_map_ids = MAPS_MAX;
	info.map_ids = (u64)(uintptr_t)ids;
	ret = bpf_obj_get_info_by_fd(fd, &info, &size);
	close(fd);
	for (i = 0; !ret && i < info.nr_map_ids && i < MAPS_MAX; i++) {
		fd = bpf_map_get_fd_by_id(ids[i]);
		memset(&map, 0, sizeof(map));
		size = sizeof(map);
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &map, &size) &&
		    !strcmp(map.name, map_name))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -ENOENT;
}

/* => of a pinned link's program; -ENOENT */
static int map_of_link(const char *folder, const char *name)
{
	struct bpf_link_info info = { 0 };
	u32 size = sizeof(info);
	char path[512];
	int fd, ret = -ENOENT;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return -ENOENT;
	fd = bpf_obj_get(path);
	if (fd < 0)
		return -ENOENT;
	if (!bpf_obj_get_info_by_fd(fd, &info, &size))
		ret = map_of(info.prog_id);
	close(fd);
	return ret;
}

/* The kernel empties a map some time after its last pin went, unless a process has it: wait for that. */
static void wait_until_empty(int fd)
{
	bool any = true;
	u32 i, key, id;

	for (i = 0; i < WAITS && any; i++) {
		any = false;
		for (key = 0; key < XT2_PROGRAMS; key++)
			any |= !bpf_map_lookup_elem(fd, &key, &id);
		if (any)
			usleep(WAIT_US);
	}
}

int xt2_evaluators_find_(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	int fd = -ENOENT;

	while (dir && fd < 0 && (e = readdir(dir)))
		if (strchr(e->d_name, '-')) /* those of hooks: "filter-ipv4-INPUT" */
			fd = map_of_link(folder, e->d_name);
	if (dir)
		closedir(dir);
	if (fd >= 0)
		wait_until_empty(fd);
	return fd;
}
