/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host-links.c - the netfilter links of this machine: see links.bpf.c
 *
 * What is pinned in a folder is one thing, what packets meet is another: links
 * can be pinned elsewhere or nowhere, and pins can hold links that were taken
 * off their hooks.  Here is what packets meet.
 */
#include "host-private.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PREFIX "xt2_" /* of our programs' names */
#define CHUNK  64 /* links */

/* Newer than the kernel's headers may be. */
enum { LINK_TYPE_NETFILTER = 10 };
#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

extern const char xt2_bpf_links[], xt2_bpf_links_end[];

static int silent(enum libbpf_print_level level, const char *fmt, va_list args)
{
	return 0;
}

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

static int iterate(struct xt2_links *l)
{
	struct bpf_program *p = bpf_object__find_program_by_name(l->object, "xt2_links");
	struct bpf_link *link = bpf_program__attach_iter(p, NULL);
	int fd, ret;

	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	ret = fd < 0 ? -errno : read_all(l, fd);
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	return ret;
}

int xt2_links_read(struct xt2_links **out)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "xt2_links");
	struct xt2_links *l = calloc(1, sizeof(*l));
	int ret;

	if (!l)
		return -ENOMEM;
	libbpf_set_print(silent);
	l->object = bpf_object__open_mem(xt2_bpf_links, xt2_bpf_links_end - xt2_bpf_links, &opts);
	ret = l->object ? bpf_object__load(l->object) : -errno;
	if (!ret)
		ret = iterate(l);
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
	bpf_object__close(l->object);
	free(l->list);
	free(l);
}

int xt2_links_net_(const struct xt2_links *l, __u64 cookie)
{
	struct xt2_net_question q = { .cookie = cookie };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &q, .ctx_size_in = sizeof(q));
	int fd = bpf_program__fd(bpf_object__find_program_by_name(l->object, "xt2_find_net"));

	if (bpf_prog_test_run_opts(fd, &opts))
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
	while (dir && (e = readdir(dir)) && pinned->count < XT2_ARRAY_SIZE(pinned->id)) {
		id = strchr(e->d_name, '-') ? xt2_pinned_link_(folder, e->d_name) : 0;
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
