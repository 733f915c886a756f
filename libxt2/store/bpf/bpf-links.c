/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-links.c - the netfilter links of this machine: see links.bpf.c
 *
 * The links that are pinned in a folder need not be those that packets meet: links
 * can be pinned elsewhere or nowhere, and pins can hold links that were taken
 * off their hooks.  These are the links that packets meet.
 *
 * Loading the programs that ask the kernel takes longer than the rest of a command, so a
 * command that makes a ruleset live leaves them pinned beside the folders.
 */
#include "bpf-private.h"

#include <dirent.h>
#include <sys/socket.h>

#define PREFIX "xt2_" /* of our programs' names */
#define CHUNK  64 /* links */

/* Other names for another links.h. */
#define PIN_LINKS "links-1" /* an iterator: a file to read */
#define PIN_NETS  "nets-1" /* a program */

/* Newer than the kernel's headers may be. */
enum { LINK_TYPE_NETFILTER = 10 };
#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

extern const char xt2_bpf_links[], xt2_bpf_links_end[];

__u64 xt2_live_cookie_(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	__u64 cookie = 0;
	socklen_t size = sizeof(cookie);

	if (fd < 0)
		return 0;
	if (getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size))
		cookie = 0;
	close(fd);
	return cookie;
}

/* --- reading ---------------------------------------------------------------- */

static int grow(struct xt2_links *l)
{
	struct xt2_link *list = realloc(l->list, (l->count + CHUNK) * sizeof(*list));

	if (list)
		l->list = list;
	return list ? 0 : -ENOMEM;
}

/* => 0, -errno */
static int read_all(struct xt2_links *l, int iterator)
{
	size_t have = 0, room;
	ssize_t n;

	for (;;) {
		l->count = have / sizeof(*l->list);
		if (grow(l))
			return -ENOMEM;
		room = (l->count + CHUNK) * sizeof(*l->list) - have;
		n = read(iterator, (char *)l->list + have, room);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		have += (size_t)n;
	}
}

/* => false: too long */
static bool beside(const char *folder, const char *name, char *path, size_t size)
{
	const char *end = strrchr(folder, '/');

	return end &&
	       snprintf(path, size, "%.*s/%s", (int)(end - folder), folder, name) < (int)size;
}

static int read_pinned(struct xt2_links *l, const char *folder)
{
	char links[300], nets[300];
	int fd, ret;

	if (!beside(folder, PIN_LINKS, links, sizeof(links)) ||
	    !beside(folder, PIN_NETS, nets, sizeof(nets)))
		return -ENOENT;
	l->nets = bpf_obj_get(nets);
	fd = l->nets < 0 ? -1 : open(links, O_RDONLY | O_CLOEXEC);
	ret = fd < 0 ? -errno : read_all(l, fd);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* For the next command; without it, that will load anew. */
static void leave_pinned(const char *folder, struct bpf_link *links, struct bpf_program *nets)
{
	char path[300];

	if (beside(folder, PIN_NETS, path, sizeof(path)))
		bpf_program__pin(nets, path);
	if (beside(folder, PIN_LINKS, path, sizeof(path)))
		bpf_link__pin(links, path);
}

static int iterate(struct xt2_links *l, struct bpf_object *object, const char *folder, bool keep)
{
	struct bpf_program *nets = bpf_object__find_program_by_name(object, "xt2_find_net");
	struct bpf_program *p = bpf_object__find_program_by_name(object, "xt2_links");
	struct bpf_link *link = bpf_program__attach_iter(p, NULL);
	int fd, ret;

	if (!link)
		return -errno;
	l->nets = fcntl(bpf_program__fd(nets), F_DUPFD_CLOEXEC, 3);
	fd = bpf_iter_create(bpf_link__fd(link));
	ret = fd < 0 || l->nets < 0 ? -errno : read_all(l, fd);
	if (fd >= 0)
		close(fd);
	if (!ret && keep)
		leave_pinned(folder, link, nets);
	bpf_link__destroy(link);
	return ret;
}

static int read_loaded(struct xt2_links *l, const char *folder, bool keep)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "xt2_links");
	struct bpf_object *object;
	int ret;

	xt2_live_prints_();
	object = bpf_object__open_mem(xt2_bpf_links, xt2_bpf_links_end - xt2_bpf_links, &opts);
	ret = object ? bpf_object__load(object) : -errno;
	if (!ret)
		ret = iterate(l, object, folder, keep);
	bpf_object__close(object);
	return ret;
}

int xt2_links_read(struct xt2_links **out, const char *folder, bool keep)
{
	struct xt2_links *l = calloc(1, sizeof(*l));
	int ret;

	if (!l)
		return -ENOMEM;
	l->nets = -1;
	ret = read_pinned(l, folder);
	if (ret)
		ret = read_loaded(l, folder, keep);
	l->cookie = xt2_live_cookie_();
	if (!ret && !l->cookie)
		ret = -EOPNOTSUPP;
	if (ret)
		xt2_links_free(l);
	else
		*out = l;
	return ret;
}

void xt2_links_free(struct xt2_links *l)
{
	if (!l)
		return;
	if (l->nets >= 0)
		close(l->nets);
	free(l->list);
	free(l);
}

int xt2_links_net_(const struct xt2_links *l, __u64 cookie)
{
	struct xt2_net_question q = { .cookie = cookie };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &q, .ctx_size_in = sizeof(q));

	if (bpf_prog_test_run_opts(l->nets, &opts))
		return -errno;
	return q.sure ? (int)q.found : -EAGAIN;
}

/* --- what is pinned --------------------------------------------------------- */

u32 xt2_pinned_link_(const char *folder, const char *name)
{
	struct bpf_link_info info = { 0 };
	__u32 size = sizeof(info);
	char path[512];
	bool link;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return 0;
	fd = bpf_obj_get(path);
	if (fd < 0)
		return 0;
	link = !bpf_link_get_info_by_fd(fd, &info, &size) && info.type == LINK_TYPE_NETFILTER;
	close(fd);
	return link ? info.id : 0;
}

bool xt2_is_pinned_(const struct xt2_pinned_ *pinned, u32 id)
{
	u32 i;

	for (i = 0; i < pinned->count; i++)
		if (pinned->id[i] == id)
			return true;
	return false;
}

void xt2_pinned_links_(const char *folder, struct xt2_pinned_ *pinned)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	u32 id;

	pinned->count = 0;
	pinned->unsure = false;
	while (dir && (e = readdir(dir)) && pinned->count < XT2_ARRAY_SIZE(pinned->id)) {
		if (!strchr(e->d_name, '-')) /* hooks have one */
			continue;
		id = xt2_pinned_link_(folder, e->d_name);
		pinned->unsure |= !id;
		if (id && !xt2_is_pinned_(pinned, id))
			pinned->id[pinned->count++] = id;
	}
	if (dir)
		closedir(dir);
}

const struct xt2_link *xt2_links_find_(const struct xt2_links *l, u32 id)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		if (l->list[i].id == id)
			return &l->list[i];
	return NULL;
}

bool xt2_link_is_ours_(const struct xt2_link *link)
{
	return !strncmp(link->name, PREFIX, strlen(PREFIX));
}
