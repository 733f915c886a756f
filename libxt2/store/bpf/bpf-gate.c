/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-gate.c - programs before and after that of a table: see kernel/bpf/act.h
 *
 * Those before it have old answers forgotten.  Gates drop packets that no companion has acted on;
 * others go on with packets that have stopped.
 *
 * Guards know how many there are at a hook.  A packet may have passed the place of one that others took
 * away, when it comes back: whoever brings it back closes the guards, and opens them afterwards.
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

static int clear_path(char *path, size_t size, const char *folder, const char *table, u8 family,
		      u32 hook)
{
	const int n = snprintf(path, size, "%s/clear-%s-%s-%s", folder, table,
			       xt2_family_name(family), xt2_hook_name(family, (int)hook));

	return n < (int)size ? 0 : -ENAMETOOLONG;
}

/* @links: and it is attached; NULL: or not */
static bool is_there(const char *path, const char *folder, const struct xt2_links *links)
{
	if (access(path, F_OK))
		return false;
	return !links || pinned(links, folder, strrchr(path, '/') + 1);
}

/* How many a hook has. */
static u32 count_gates(const char *folder, const struct xt2_links *links, u8 family, u32 hook)
{
	char path[512];
	u32 table, stop, n = 0;

	for (table = 0; table < XT2_PROGRAMS; table++) {
		const char *name = xt2_live_table_name_(table);

		n += !gate_path(path, sizeof(path), folder, name, family, hook) &&
		     is_there(path, folder, links);
		n += !clear_path(path, sizeof(path), folder, name, family, hook) &&
		     is_there(path, folder, links);
		for (stop = 0; stop < XT2_STOPS; stop++)
			n += !again_path(path, sizeof(path), folder, table, family, hook, stop) &&
			     is_there(path, folder, links);
	}
	return n;
}

bool xt2_gates_lost_(const char *folder, const struct xt2_links *links)
{
	u32 six, hook;

	for (six = 0; six < 2; six++)
		for (hook = 0; hook <= XT2_POSTROUTING; hook++)
			if (count_gates(folder, links, six ? XT2_IPV6 : XT2_IPV4, hook) <
			    xt2_live_state_()->gates[six][hook])
				return true;
	return false;
}

/* Before one is attached: guards that are closed stay so for a while. */
static void keep_closed(void)
{
	if (xt2_live_state_()->closed)
		xt2_guards_close_();
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
			(u8)count_gates(folder, NULL, family, hook);
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
			(u8)(count_gates(folder, NULL, family, hook) - 1);
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
	keep_closed();
	do {
		opts.netfilter.priority++;
		link = bpf_link_create(gate, 0, (enum bpf_attach_type)ATTACH_NETFILTER, &opts);
	} while (link == -EBUSY && opts.netfilter.priority <= after + XT2_COMPANION_PRIORITIES);
	if (link < 0)
		return link;
	return pin_link(link, path, family, hook, folder);
}

bool xt2_clear_is_there_(const struct xt2_links *links, const char *folder,
			 const struct xt2_link *program, u32 table, u8 family, u32 hook)
{
	const struct xt2_link *link;
	char path[512];

	if (clear_path(path, sizeof(path), folder, xt2_live_table_name_(table), family, hook))
		return false;
	link = pinned(links, folder, strrchr(path, '/') + 1);
	return link && link->priority <= program->priority - XT2_BEFORE_CLEAR;
}

int xt2_clear_attach_(const struct xt2_live *host, const char *folder,
		      const struct xt2_links *links, const struct xt2_link *program, u32 table,
		      u8 family, u32 hook)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .netfilter.pf = family, .netfilter.hooknum = hook,
		    .netfilter.priority = program->priority - XT2_BEFORE_CLEAR);
	const s32 last = opts.netfilter.priority - XT2_COMPANION_PRIORITIES;
	char path[512];
	int link, ret;

	if (xt2_clear_is_there_(links, folder, program, table, family, hook))
		return 0;
	ret = clear_path(path, sizeof(path), folder, xt2_live_table_name_(table), family, hook);
	if (ret)
		return ret;
	keep_closed();
	do {
		link = bpf_link_create(host->fd[XT2_PIN_CLEAR], 0,
				       (enum bpf_attach_type)ATTACH_NETFILTER, &opts);
	} while (link == -EBUSY && --opts.netfilter.priority >= last);
	return link < 0 ? link : pin_link(link, path, family, hook, folder);
}

void xt2_clears_detach_(const struct xt2_live *host, const char *folder, u32 table, u8 family)
{
	char path[512];
	u32 hook;

	for (hook = 0; hook <= XT2_POSTROUTING; hook++)
		if (!clear_path(path, sizeof(path), folder, xt2_live_table_name_(table), family,
				hook))
			unpin(host, path, family, hook, folder);
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
	keep_closed();
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
