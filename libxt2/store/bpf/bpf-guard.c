/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf-guard.c - guards, which drop packets at hooks that others took programs from: see kernel/bpf/guard.h */
#include "bpf-private.h"

#include <time.h>

#define PRIORITY   180 /* after all tables and their gates, and before what the kernel does last */
#define PRIORITIES 40 /* that others may have taken */
#define CLOSED	   1000000000ull /* ns: if whoever closed a guard is killed, it opens by itself */

/* Newer than the kernel's headers may be. */
enum { ATTACH_NETFILTER = 45 };

static int guard_path(char *path, size_t size, const char *folder, u8 family, u32 hook)
{
	const int n = snprintf(path, size, "%s/guard-%s-%s", folder, xt2_family_name(family),
			       xt2_hook_name(family, (int)hook));

	return n < (int)size ? 0 : -ENAMETOOLONG;
}

static bool has_guard(const char *folder, const struct xt2_links *links, u8 family, u32 hook)
{
	char path[512];
	u32 id;

	if (guard_path(path, sizeof(path), folder, family, hook) || access(path, F_OK))
		return false;
	id = links ? xt2_pinned_link_(folder, strrchr(path, '/') + 1) : 0;
	return !id || xt2_links_find_(links, id); /* 0: not known, so leave it alone */
}

/* => bits of hooks at which some table of the family is */
static u32 hooks_of(const struct xt2_image *img, u8 family)
{
	const struct xt2_hook *h;
	u32 i, hooks = 0;

	xt2_image_for_each_hook(h, i, img, xt2_image_root(img))
		if (h->family == family && xt2_live_hooked(img, h))
			hooks |= 1u << h->hook;
	return hooks;
}

u32 xt2_live_unguarded(const char *folder, const struct xt2_links *links,
		       const struct xt2_image *img, u8 family)
{
	u32 hook, hooks = hooks_of(img, family);

	for (hook = 0; hook <= XT2_POSTROUTING; hook++)
		if (hooks >> hook & 1 && has_guard(folder, links, family, hook))
			hooks &= ~(1u << hook);
	return hooks;
}

static int attach(const struct xt2_live *host, const char *folder, u8 family, u32 hook)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .netfilter.pf = family, .netfilter.hooknum = hook,
		    .netfilter.priority = PRIORITY);
	const int guard = host->fd[XT2_PIN_GUARD];
	char path[512];
	int link, ret = guard_path(path, sizeof(path), folder, family, hook);

	if (ret)
		return ret;
	do {
		link = bpf_link_create(guard, 0, (enum bpf_attach_type)ATTACH_NETFILTER, &opts);
	} while (link == -EBUSY && ++opts.netfilter.priority < PRIORITY + PRIORITIES);
	if (link < 0)
		return link;
	unlink(path); /* of one that is off its hook */
	ret = bpf_obj_pin(link, path) ? -errno : 0;
	close(link);
	return ret;
}

int xt2_guards_attach_(const struct xt2_live *host, const char *folder,
		       const struct xt2_links *links, const struct xt2_image *img)
{
	static const u8 families[] = { XT2_IPV4, XT2_IPV6 };
	u32 i, hook, hooks;
	int ret = 0;

	for (i = 0; i < XT2_ARRAY_SIZE(families); i++) {
		hooks = xt2_live_unguarded(folder, links, img, families[i]);
		for (hook = 0; hook <= XT2_POSTROUTING && !ret; hook++)
			if (hooks >> hook & 1)
				ret = attach(host, folder, families[i], hook);
	}
	return ret;
}

void xt2_guards_tidy_(const char *folder, const struct xt2_live_ruleset *l)
{
	static const u8 families[] = { XT2_IPV4, XT2_IPV6 };
	char path[512];
	u32 six, hook, table, used;

	for (six = 0; six < XT2_ARRAY_SIZE(families); six++)
		for (hook = 0; hook <= XT2_POSTROUTING; hook++) {
			for (used = table = 0; table < XT2_PROGRAMS; table++)
				used |= l->hook[table][six][hook];
			if (!used && !guard_path(path, sizeof(path), folder, families[six], hook))
				unlink(path);
		}
}

void xt2_guards_drop_(const char *folder)
{
	static const u8 families[] = { XT2_IPV4, XT2_IPV6 };
	char path[512];
	u32 six, hook;

	for (six = 0; six < XT2_ARRAY_SIZE(families); six++)
		for (hook = 0; hook <= XT2_POSTROUTING; hook++)
			if (!guard_path(path, sizeof(path), folder, families[six], hook))
				unlink(path);
}

void xt2_guards_close_(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	__atomic_store_n(&xt2_live_state_()->closed,
			 (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec + CLOSED,
			 __ATOMIC_SEQ_CST);
}

void xt2_guards_open_(const struct xt2_live *host)
{
	if (!xt2_live_wait_(host)) /* else it opens later */
		__atomic_store_n(&xt2_live_state_()->closed, 0, __ATOMIC_SEQ_CST);
}
