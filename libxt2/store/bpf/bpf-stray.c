/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-stray.c - links of xt2's that a command doesn't find in its folder
 *
 * Two rulesets in a network namespace would both drop packets, and neither
 * would report it.  The kernel knows all links; the owner of one is found by
 * searching: first the BPF file systems that some process has mounted, then
 * open files.
 */
#include "bpf-private.h"

#include <ctype.h>
#include <dirent.h>

#define MOUNTS_MAX 256 /* mount namespaces that are searched */

const struct xt2_link *xt2_links_stray(const struct xt2_links *links, const char *folder,
				       size_t *at)
{
	struct xt2_pinned_ pinned = { .count = 0 };
	const struct xt2_link *link;

	if (folder)
		xt2_pinned_links_(folder, &pinned);
	while (!pinned.unsure && *at < links->count) {
		link = &links->list[(*at)++];
		if (link->cookie == links->cookie && xt2_link_is_ours_(link) &&
		    !xt2_is_pinned_(&pinned, link->id))
			return link;
	}
	return NULL;
}

static const struct xt2_live_net *net_of(const struct xt2_link *link,
					 const struct xt2_live_net *nets, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (nets[i].cookie == link->cookie)
			return &nets[i];
	return NULL;
}

const struct xt2_link *xt2_links_elsewhere(const struct xt2_links *links,
					   const struct xt2_live_net *nets, int count, size_t *at)
{
	const struct xt2_live_net *net;
	const struct xt2_link *link;
	struct xt2_pinned_ pinned;

	while (*at < links->count) {
		link = &links->list[(*at)++];
		if (!xt2_link_is_ours_(link))
			continue;
		net = net_of(link, nets, count);
		if (!net)
			return link;
		xt2_pinned_links_(net->folder, &pinned);
		if (!pinned.unsure && !xt2_is_pinned_(&pinned, link->id))
			return link;
	}
	return NULL;
}

/* --- its owner ---------------------------------------------------------------- */

struct looking {
	const struct xt2_link *link;
	ino_t seen[MOUNTS_MAX]; /* mount namespaces */
	size_t mounts;
	char where[256];
};

/* The name of a process, for a message. */
static void name_process(const char *pid, char *text, size_t size)
{
	char path[300], name[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	f = fopen(path, "re");
	if (f && fgets(name, sizeof(name), f))
		name[strcspn(name, "\n")] = '\0';
	if (f)
		fclose(f);
	snprintf(text, size, "process %.10s (%s)", pid, name);
}

static bool is_new(struct looking *l, const char *pid)
{
	char path[300];
	struct stat st;
	size_t i;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", pid);
	if (l->mounts == MOUNTS_MAX || stat(path, &st))
		return false;
	for (i = 0; i < l->mounts; i++)
		if (l->seen[i] == st.st_ino)
			return false;
	l->seen[l->mounts++] = st.st_ino;
	return true;
}

/* A mount of the file system: is the link in a folder of its network namespace? */
static bool is_in(struct looking *l, const char *pid, const char *mount)
{
	char path[700], process[64];
	struct xt2_pinned_ pinned;

	snprintf(path, sizeof(path), "/proc/%s/root%s/net-%u-%llu", pid, mount, l->link->inode,
		 (unsigned long long)l->link->cookie);
	xt2_pinned_links_(path, &pinned);
	if (!xt2_is_pinned_(&pinned, l->link->id))
		return false;
	name_process(pid, process, sizeof(process));
	if (strcmp(pid, "self"))
		snprintf(l->where, sizeof(l->where), "pinned in %.128s as %s has it mounted", mount,
			 process);
	else
		snprintf(l->where, sizeof(l->where), "pinned in %.128s", mount);
	return true;
}

static bool is_mounted(struct looking *l, const char *pid)
{
	char path[300], line[4096], mount[300];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/mountinfo", pid);
	f = is_new(l, pid) ? fopen(path, "re") : NULL;
	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, " - bpf ") &&
			sscanf(line, "%*d %*d %*s %*s %299s", mount) == 1 && is_in(l, pid, mount);
	if (f)
		fclose(f);
	return found;
}

static bool names_link(const char *path, u32 id)
{
	unsigned int held;
	bool found = false;
	char line[256];
	FILE *f = fopen(path, "re");

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "link_id: %u", &held) == 1 && held == id;
	if (f)
		fclose(f);
	return found;
}

static bool is_open(struct looking *l, const char *pid)
{
	char path[300], file[600], process[64];
	bool found = false;
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo", pid);
	dir = opendir(path);
	while (dir && !found && (e = readdir(dir))) {
		snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
		found = names_link(file, l->link->id);
	}
	if (dir)
		closedir(dir);
	if (found) {
		name_process(pid, process, sizeof(process));
		snprintf(l->where, sizeof(l->where), "held by %s", process);
	}
	return found;
}

/* pins: search mounts; else open files */
static bool look_around(struct looking *l, bool pins)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;
	bool found = false;

	while (dir && !found && (e = readdir(dir)))
		if (isdigit((unsigned char)*e->d_name))
			found = pins ? is_mounted(l, e->d_name) : is_open(l, e->d_name);
	if (dir)
		closedir(dir);
	return found;
}

static void find_holder(struct looking *l)
{
	if (!is_mounted(l, "self") && !look_around(l, true) && !look_around(l, false))
		snprintf(l->where, sizeof(l->where), "and who holds it is out of sight");
}

void xt2_links_describe(const struct xt2_link *link, char *text, size_t size)
{
	struct looking l = { .link = link };

	find_holder(&l);
	snprintf(text, size, "link %u (program %u, %.16s) at %s of %s, priority %d, %s", link->id,
		 link->program, link->name, xt2_hook_name((int)link->family, (int)link->hook),
		 xt2_family_name((int)link->family), link->priority, l.where);
}

int xt2_links_alone(const struct xt2_links *links, const char *folder, struct xt2_err *err)
{
	size_t at = 0;
	const struct xt2_link *stray = xt2_links_stray(links, folder, &at);
	char text[400];

	if (!stray)
		return 0;
	xt2_links_describe(stray, text, sizeof(text));
	xt2_err_set(err, XT2_E_SYSTEM, EBUSY,
		    "another ruleset of xt2 is live in this network namespace: %s", text);
	xt2_err_hint(err, "xt2 detach --pin DIR, where it is pinned, takes it away; "
			  "xt2 detach --strays does, wherever it is");
	return -EBUSY;
}

int xt2_links_detach(const struct xt2_link *link)
{
	int fd = bpf_link_get_fd_by_id(link->id), ret;

	if (fd < 0)
		return -errno;
	ret = bpf_link_detach(fd) ? -errno : 0;
	close(fd);
	return ret;
}
