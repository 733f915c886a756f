/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-sweep.c - live rulesets of network namespaces that are gone
 *
 * A pinned link holds its network namespace: one that was deleted would stay
 * for ever, with its interfaces and its memory.  The kernel counts the references to a
 * namespace (processes, open files, mounts, sockets, links); if all of them are links of one
 * folder, there is no way into the namespace any more, and the folder can go.  If that is
 * not known, the folder stays.
 */
#include "bpf-private.h"
#include "libxt2/host/hooked.h"

#include <dirent.h>
#include <sys/file.h>

#define CHUNK 64

/* References to the namespace other than links.  => < 0: there is no link, or that is not known */
static s32 others_of(const struct xt2_links *links, __u64 cookie)
{
	s32 references = -1, holds = 0;
	size_t i;

	for (i = 0; i < links->count; i++) {
		if (links->list[i].cookie != cookie)
			continue;
		references = links->list[i].references;
		holds++;
	}
	return references - holds;
}

static enum xt2_live_state state_of(const struct xt2_links *links, const struct xt2_live_net *net)
{
	const struct xt2_link *link;
	struct xt2_pinned_ pinned;
	u32 i, holds = 0;
	s32 references = -1;
	int ret;

	if (!links)
		return XT2_LIVE_UNSURE;
	if (others_of(links, net->cookie) > 0)
		return XT2_LIVE_ALIVE;
	xt2_pinned_links_(net->folder, &pinned);
	for (i = 0; i < pinned.count; i++) {
		link = xt2_links_find_(links, pinned.id[i]);
		if (!link)
			continue;
		if (link->cookie != net->cookie) /* it was put there by another program */
			return XT2_LIVE_UNSURE;
		references = link->references;
		holds++;
	}
	if (holds && references < 0)
		return XT2_LIVE_UNSURE;
	if (holds)
		return (u32)references == holds ? XT2_LIVE_DEAD : XT2_LIVE_ALIVE;
	ret = xt2_links_net_(links, net->cookie);
	if (ret < 0)
		return XT2_LIVE_UNSURE;
	return ret ? XT2_LIVE_ALIVE : XT2_LIVE_DEAD;
}

/* => false: not one of our folders */
static bool parse(const char *root, const char *name, struct xt2_live_net *net)
{
	unsigned long long cookie;
	char path[300];
	struct stat st;
	int end = 0;

	if (sscanf(name, "net-%lu-%llu%n", &net->inode, &cookie, &end) != 2 || name[end] ||
	    snprintf(net->folder, sizeof(net->folder), "%s/%s", root, name) >=
		    (int)sizeof(net->folder))
		return false;
	net->cookie = cookie;
	snprintf(path, sizeof(path), "%s/arena", net->folder);
	net->since = stat(path, &st) ? 0 : st.st_mtime;
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct xt2_live_net *x = a, *y = b;

	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	return x->cookie < y->cookie ? -1 : x->cookie > y->cookie;
}

/* => how many, -ENOMEM */
static int list_nets(DIR *dir, const char *root, struct xt2_live_net **nets)
{
	struct xt2_live_net *list = NULL, *more;
	struct dirent *e;
	int n = 0;

	while ((e = readdir(dir))) {
		if (n % CHUNK == 0) {
			more = realloc(list, ((size_t)n + CHUNK) * sizeof(*list));
			if (!more) {
				free(list);
				return -ENOMEM;
			}
			list = more;
		}
		n += parse(root, e->d_name, &list[n]);
	}
	qsort(list, (size_t)n, sizeof(*list), by_time);
	*nets = list;
	return n;
}

int xt2_live_nets(const struct xt2_links *links, const char *pin, struct xt2_live_net **nets,
		  struct xt2_err *err)
{
	char root[256];
	int i, n, ret = xt2_live_root_(pin, false, root, sizeof(root), err);
	DIR *dir;

	if (ret)
		return ret;
	dir = opendir(root);
	if (!dir)
		return xt2_err_path(err, errno, root);
	n = list_nets(dir, root, nets);
	closedir(dir);
	for (i = 0; i < n; i++)
		(*nets)[i].state = state_of(links, &(*nets)[i]);
	return n < 0 ? xt2_err_no_memory(err, "") : n;
}

/* Unless a command is at work there.  => true: it is gone */
static bool sweep(const struct xt2_live_net *net)
{
	int fd = open(net->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool gone = false;
	char path[96];

	if (fd < 0)
		return false;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		gone = !xt2_live_clear_(net->folder) && !rmdir(net->folder);
	if (gone) { /* the kernel's tables are gone as well */
		xt2_taken_path(net->inode, net->cookie, path, sizeof(path));
		unlink(path);
	}
	close(fd);
	return gone;
}

int xt2_live_sweep(const struct xt2_links *links, const char *pin, struct xt2_err *err)
{
	struct xt2_live_net *nets;
	int i, n = xt2_live_nets(links, pin, &nets, err), swept = 0;

	for (i = 0; i < n; i++)
		swept += nets[i].state == XT2_LIVE_DEAD && sweep(&nets[i]);
	if (n >= 0)
		free(nets);
	return n < 0 ? n : swept;
}
