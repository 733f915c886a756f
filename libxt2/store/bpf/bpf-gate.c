/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-gate.c - programs after that of a table: see kernel/bpf/act.h
 *
 * Gates drop packets that no companion has acted on; others go on with packets that have stopped.
 */
#include "bpf-companion.h"

#define TRIES	 50
#define PAUSE_US 10000

/* Newer than the kernel's headers may be. */
enum { ATTACH_NETFILTER = 45 };

/* => 0, -ENAMETOOLONG */
static int gate_path(char *path, size_t size, const char *folder, const char *table, u8 family,
		     u32 hook)
{
	const int n = snprintf(path, size, "%s/gate-%s-%s-%s", folder, table,
			       xt2_family_name(family), xt2_hook_name(family, (int)hook));

	return n < (int)size ? 0 : -ENAMETOOLONG;
}

static const struct xt2_link *pinned(const struct xt2_links *links, const char *folder,
				     const char *name)
{
	const u32 id = xt2_pinned_link_(folder, name);

	return id ? xt2_links_find_(links, id) : NULL;
}

const struct xt2_link *xt2_gate_of_(const struct xt2_links *links, const char *folder,
				    const char *table, u8 family, u32 hook)
{
	char path[512];

	if (gate_path(path, sizeof(path), folder, table, family, hook))
		return NULL;
	return pinned(links, folder, strrchr(path, '/') + 1);
}

const struct xt2_link *xt2_program_at_(const struct xt2_links *links, const char *folder,
				       const char *table, u8 family, u32 hook)
{
	char name[64];

	snprintf(name, sizeof(name), "%s-%s-%s", table, xt2_family_name(family),
		 xt2_hook_name(family, (int)hook));
	return pinned(links, folder, name);
}

static int again_path(char *path, size_t size, const char *folder, u32 table, u8 family, u32 hook,
		      u32 stop)
{
	const int n = snprintf(path, size, "%s/again%u-%s-%s-%s", folder, stop,
			       xt2_live_table_name_(table), xt2_family_name(family),
			       xt2_hook_name(family, (int)hook));

	return n < (int)size ? 0 : -ENAMETOOLONG;
}

/* How many a hook has, for its guard. */
static u32 count_gates(const char *folder, u8 family, u32 hook)
{
	char path[512];
	u32 table, stop, n = 0;

	for (table = 0; table < XT2_PROGRAMS; table++) {
		n += !gate_path(path, sizeof(path), folder, xt2_live_table_name_(table), family,
				hook) &&
		     !access(path, F_OK);
		for (stop = 0; stop < XT2_STOPS; stop++)
			n += !again_path(path, sizeof(path), folder, table, family, hook, stop) &&
			     !access(path, F_OK);
	}
	return n;
}

/* Others may have pins of links that are off their hooks.  path: of the pin  => 0, -errno */
static int pin_link(int link, const char *path, u8 family, u32 hook, const char *folder)
{
	int ret;

	unlink(path); /* of one that is off its hook, or in the wrong order */
	ret = bpf_obj_pin(link, path) ? -errno : 0;
	close(link);
	if (!ret)
		xt2_live_state_()->gates[family == XT2_IPV6][hook] =
			(u8)count_gates(folder, family, hook);
	return ret;
}

/* host: NULL: nothing is live.  => was it there? */
static bool unpin(const struct xt2_live *host, const char *path, u8 family, u32 hook,
		  const char *folder)
{
	if (access(path, F_OK))
		return false;
	if (host) { /* no guard misses it */
		xt2_live_state_()->gates[family == XT2_IPV6][hook] =
			(u8)(count_gates(folder, family, hook) - 1);
		xt2_live_wait_(host);
	}
	return !unlink(path);
}

int xt2_gate_attach_(const struct xt2_live *host, const char *folder, const char *table, u8 family,
		     u32 hook, s32 after)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .netfilter.pf = family, .netfilter.hooknum = hook,
		    .netfilter.priority = after);
	char path[512];
	const int gate = host->fd[strcmp(table, "nat") ? XT2_PIN_GATE : XT2_PIN_NAT_GATE];
	int link, ret = gate_path(path, sizeof(path), folder, table, family, hook);

	if (ret)
		return ret;
	do {
		opts.netfilter.priority++;
		link = bpf_link_create(gate, 0, (enum bpf_attach_type)ATTACH_NETFILTER, &opts);
	} while (link == -EBUSY && opts.netfilter.priority <= after + XT2_COMPANION_PRIORITIES);
	if (link < 0)
		return link;
	return pin_link(link, path, family, hook, folder);
}

bool xt2_gates_detach_(const struct xt2_live *host, const char *folder, const char *table,
		       u8 family)
{
	bool any = false;
	char path[512];
	u32 hook;

	for (hook = 0; hook <= XT2_POSTROUTING; hook++) {
		if (!gate_path(path, sizeof(path), folder, table, family, hook))
			any |= unpin(host, path, family, hook, folder);
	}
	return any;
}

bool xt2_again_is_there_(const struct xt2_links *links, const char *folder, u32 table, u8 family,
			 u32 hook, u32 stop)
{
	char path[512];

	return !again_path(path, sizeof(path), folder, table, family, hook, stop) &&
	       pinned(links, folder, strrchr(path, '/') + 1);
}

int xt2_again_attach_(const struct xt2_live *host, const char *folder,
		      const struct xt2_links *links, const struct xt2_link *program, u32 table,
		      u8 family, u32 hook, u32 stop)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .netfilter.pf = family, .netfilter.hooknum = hook,
		    .netfilter.priority = program->priority + (s32)XT2_AFTER_STOP(stop) + 1);
	char path[512];
	int link, tries = TRIES;
	int ret = again_path(path, sizeof(path), folder, table, family, hook, stop);

	if (ret || xt2_again_is_there_(links, folder, table, family, hook, stop))
		return ret;
	do { /* the kernel takes its time to free one that was there */
		link = bpf_link_create(host->fd[XT2_PIN_AGAIN + table], 0,
				       (enum bpf_attach_type)ATTACH_NETFILTER, &opts);
	} while (link == -EBUSY && tries-- && !usleep(PAUSE_US));
	if (link < 0)
		return link;
	ret = pin_link(link, path, family, hook, folder);
	return ret ? ret : 1;
}

void xt2_agains_detach_(const struct xt2_live *host, const char *folder, u32 table, u8 family)
{
	char path[512];
	u32 hook, stop;

	for (hook = 0; hook <= XT2_POSTROUTING; hook++)
		for (stop = 0; stop < XT2_STOPS; stop++)
			if (!again_path(path, sizeof(path), folder, table, family, hook, stop))
				unpin(host, path, family, hook, folder);
}
