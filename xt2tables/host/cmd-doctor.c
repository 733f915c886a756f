/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-doctor.c - xt2 doctor: who else filters packets here, and what is missing
 *
 * It reads, and changes nothing: neither rules, nor what an unfinished command has left, though the
 * kernel may load a module that it is asked about.  Each finding is a line
 * that begins with its kind, and a hint.
 */
#include <stdarg.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "daemons.h"
#include "engine/image.h"
#include "hook-list.h"
#include "libxt2/host/hooked.h"
#include "libxt2/store/bpf/bpf-store.h"
#include "take-over.h"
#include "xt2tables/cmd/cmd.h"

#define NFTABLES     "/etc/systemd/system/sysinit.target.wants/nftables.service"
#define NFTABLES_OLD "/etc/systemd/system/multi-user.target.wants/nftables.service"
#define LOOK_WAIT    10 /* seconds for a command that changes the live ruleset */

struct doctor {
	struct xt2_store store;
	struct xt2_links *links; /* NULL: not known */
	struct xt2_ruleset *rs; /* what is live; NULL: nothing */
	struct xt2_mapping map;
	struct xt2_hook_list hooks;
	unsigned int found;
};

__attribute__((format(printf, 3, 4))) static void find(struct doctor *d, const char *hint,
						       const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	xt2_print_line(stdout, "%s", text);
	if (hint)
		xt2_print_line(stdout, "   hint: %s", hint);
	d->found++;
}

/* --- what is live ------------------------------------------------------------ */

static const char *const families[] = { "ipv4", "ipv6" };

static unsigned int count_missing(const struct doctor *d)
{
	const struct xt2_image *img = d->map.image;
	const struct xt2_hook *h;
	unsigned int n = 0;
	u32 i;

	xt2_image_for_each_hook(h, i, img, xt2_image_root(img))
		n += xt2_live_hooked(img, h) &&
		     !xt2_live_has_hook(d->store.folder, d->links, img, h);
	return n;
}

static unsigned int count_unguarded(const struct doctor *d)
{
	u32 i, bits, n = 0;

	for (i = 0; i < 2; i++)
		for (bits = xt2_live_unguarded(d->store.folder, d->links, d->map.image,
					       i ? XT2_IPV6 : XT2_IPV4);
		     bits; bits &= bits - 1)
			n++;
	return n;
}

static void check_parts(struct doctor *d, const struct xt2_live *live)
{
	const unsigned int hooks = count_missing(d), guards = count_unguarded(d);
	const unsigned int tracked = xt2_live_tracked(d->map.image) & ~xt2_live_tracking();
	const unsigned int lacks = xt2_live_lacks(live, d->links, d->store.folder, d->map.image);
	unsigned int i;

	if (hooks)
		find(d, "xt2 repair", "missing: %u hooks of what is live: packets %s", hooks,
		     guards ? "pass where the guard is missing as well" : "are dropped there");
	if (guards)
		find(d, "xt2 repair",
		     "missing: %u guards of hooks: if others take a hook away, packets pass there",
		     guards);
	for (i = 0; i < 2; i++) {
		if (tracked >> i & 1)
			find(d, "xt2 repair", "missing: connection tracking of %s for what is live",
			     families[i]);
		if (lacks >> i & 1)
			find(d, "xt2 repair; see \"WHAT OTHERS CAN TAKE AWAY\" in xt2-apply(1)",
			     "missing: what carries out REJECT and NAT of %s", families[i]);
	}
}

static void check_strays(struct doctor *d)
{
	const struct xt2_link *link;
	char text[400];
	size_t at = 0;

	while (d->links &&
	       (link = xt2_links_stray(d->links, d->rs ? d->store.folder : NULL, &at))) {
		xt2_links_describe(link, text, sizeof(text));
		find(d, "xt2 detach --strays", "stray: %s", text);
	}
}

/* Of the namespace of the store.  => XT2_EXIT_* */
static int read_live(struct doctor *d)
{
	struct xt2_err err = { 0 };
	struct xt2_live *live = NULL;
	int ret = xt2_store_lock(&d->store, XT2_STORE_LOOK, LOOK_WAIT, &err);

	if (ret && ret != -ENOENT)
		return xt2_fail_live(&err);
	if (xt2_links_read(&d->links, d->store.folder, false))
		d->links = NULL;
	if (!ret)
		ret = xt2_store_load(&d->store, "what is live", &d->rs, &d->map, &err);
	if (ret == -ENOENT || (!ret && !d->map.image)) {
		xt2_ruleset_free(d->rs);
		d->rs = NULL;
		puts("live nothing");
	} else if (ret || xt2_live_open(&live, d->store.folder, NULL, &err)) {
		return xt2_fail_live(&err);
	} else {
		printf("live %u tables\n", (unsigned int)xt2_ruleset_tables(d->rs));
		check_parts(d, live);
	}
	xt2_live_free(live);
	check_strays(d);
	return XT2_EXIT_OK;
}

/* --- what is double ----------------------------------------------------------- */

static void check_table(struct doctor *d, const struct xt2_kernel_table *t)
{
	char words[XT2_KERNEL_WORDS];
	int n;

	xt2_kernel_words(t, words);
	if (xt2_kernel_table_is(t, d->rs)) {
		find(d, "xt2 apply --take-over empties it, and xt2 detach gives it back",
		     "double: %s has the same rules as what is live%s", words,
		     strcmp(t->name, "nat") ? ": packets are counted and logged twice"
					    : ": whoever is asked first translates");
		return;
	}
	n = xt2_kernel_table_shares(t, d->rs);
	if (n > 0)
		find(d, "take them out of one of the two",
		     "double: %s has %d rules that are live as well", words, n);
}

/* The same table of both programs. */
static void check_twins(struct doctor *d, const struct xt2_kernel_tables *k)
{
	const struct xt2_kernel_table *a, *b;
	int i, j;

	for (i = 0; i < k->count; i++)
		for (j = i + 1; j < k->count; j++) {
			a = &k->list[i];
			b = &k->list[j];
			if (a->family == b->family && !strcmp(a->name, b->name) &&
			    xt2_kernel_tables_same(a, b))
				find(d,
				     "iptables-legacy-save and iptables-nft-save print them; empty "
				     "one of the two",
				     "double: table %s of %s is the same in %s and %s", a->name,
				     xt2_family_name(a->family),
				     xt2_kernel_program(a->way, a->family),
				     xt2_kernel_program(b->way, b->family));
		}
}

static void check_double(struct doctor *d)
{
	struct xt2_err err = { 0 };
	struct xt2_kernel_tables k;
	const char *missing;
	int i;

	if (xt2_kernel_tables_read(&k, NULL, NULL, &missing, &err)) {
		find(d, *err.hint ? err.hint : NULL, "unknown: %s", err.message);
		return;
	}
	if (missing)
		find(d, "the package iptables has it",
		     "unknown: %s has tables, and there is no %s-save to read them", missing,
		     missing);
	for (i = 0; d->rs && i < k.count; i++)
		check_table(d, &k.list[i]);
	check_twins(d, &k);
	xt2_kernel_tables_free(&k);
}

static void check_nat(struct doctor *d)
{
	const struct xt2_hook_entry *e;
	size_t at = 0;
	bool sure;

	while ((e = xt2_hook_list_before(&d->hooks, &at, &sure)))
		find(d,
		     "packets that both translate are dropped, as faults: give it a larger priority, then "
		     "xt2 repair",
		     "nat: %s %s be asked before what is live, at %s of %s", e->text,
		     sure ? "will" : "may", xt2_hook_name(e->family, (int)e->hook),
		     xt2_family_name(e->family));
}

/* --- what is missing ----------------------------------------------------------- */

static void check_companions(struct doctor *d)
{
	const int ret = d->hooks.nft ? d->hooks.nft : xt2_nft_has_match("bpf", 1);

	if (d->hooks.nft == -EPERM)
		find(d, "be root", "unknown: nf_tables does not tell");
	else if (d->hooks.nft)
		find(d, "a kernel with CONFIG_NF_TABLES: modprobe nf_tables",
		     "missing: nf_tables: REJECT, NAT and rules about connections cannot be live");
	else if (ret == -ENOENT)
		find(d, "a kernel with CONFIG_NETFILTER_XT_MATCH_BPF: modprobe xt_bpf",
		     "missing: iptables' match bpf: REJECT and NAT cannot be live");
	else if (ret)
		find(d, "a kernel with CONFIG_NFT_COMPAT: modprobe nft_compat",
		     "missing: nf_tables' compatibility with iptables: REJECT and NAT cannot be live");
}

static void check_kernel(struct doctor *d)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	if (!uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	    (major < 6 || (major == 6 && minor < 10)))
		find(d, "Debian 12 has 6.12 in backports",
		     "missing: Linux 6.10 or newer; this is %s", name.release);
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		find(d, "a kernel with CONFIG_DEBUG_INFO_BTF", "missing: the kernel's types (BTF)");
	if (!d->links)
		find(d, "be root, on a kernel with CONFIG_NETFILTER_BPF_LINK",
		     "unknown: the BPF programs at hooks");
	if (access("/proc/sys/net/netfilter/nf_conntrack_max", F_OK))
		find(d, "modprobe nf_conntrack, or a kernel with CONFIG_NF_CONNTRACK",
		     "missing: connection tracking: NAT and rules about connections cannot be live");
	check_companions(d);
}

/* A service that flushes takes what carries out REJECT and NAT away. */
static void check_flush(struct doctor *d)
{
	FILE *f = fopen("/etc/nftables.conf", "re");
	char line[256];
	bool flushes = false;

	if (access(NFTABLES, F_OK) && access(NFTABLES_OLD, F_OK)) { /* not enabled */
		if (f)
			fclose(f);
		return;
	}
	while (f && fgets(line, sizeof(line), f))
		flushes |= !strncmp(line + strspn(line, " \t"), "flush ruleset", 13);
	if (f)
		fclose(f);
	if (flushes && d->rs)
		find(d,
		     "xt2 repair after each start of nftables.service, or flush table in the file",
		     "flush: /etc/nftables.conf flushes all tables of nf_tables, those of what is live "
		     "included");
}

static void found_daemon(void *doctor, const struct xt2_daemon *daemon)
{
	struct doctor *d = doctor;

	find(d, daemon->how, "daemon: %s (process %d) calls iptables", daemon->name, daemon->pid);
}

/* --- the command ---------------------------------------------------------------- */

static const char help[] =
	"Usage: xt2 doctor [--netns NAME] [--pin DIR]\n\n"
	"Tells who filters packets in a network namespace: at each hook the tables of\n"
	"iptables-legacy, the chains of nf_tables and the BPF programs, the one that is asked first\n"
	"first.  Then what is double, who translates addresses before what is live, what is missing,\n"
	"and programs that call iptables, each with a hint.  Nothing is changed.\n\n" XT2_PLACE_HELP
	"\nExit codes: 0 nothing was found, 1 something was, 2 wrong arguments, 3 not possible here\n"
	"or not permitted, 4 out of a resource, or another command is at work.\n";

static const struct xt2_option rows[] = {
	XT2_STORE_ROWS(struct doctor, store),
	XT2_ROWS_ALONE,
};

static int examine(struct doctor *d)
{
	int ret = read_live(d);

	if (ret != XT2_EXIT_OK)
		return ret;
	xt2_hook_list_read(&d->hooks, d->links);
	xt2_hook_list_print(&d->hooks, stdout);
	if (d->hooks.lost)
		return xt2_no_memory("doctor");
	if (xt2_take_over_print())
		find(d, "xt2 repair",
		     "unfinished: a command that took tables over, or gave them back, was "
		     "killed");
	check_double(d);
	check_nat(d);
	check_kernel(d);
	check_flush(d);
	if (d->rs)
		xt2_daemons(found_daemon, d);
	return d->found ? XT2_EXIT_NO : XT2_EXIT_OK;
}

int xt2_doctor_main(int argc, char **argv)
{
	struct doctor d = { .store.kind = XT2_STORE_LIVE };
	int ret = xt2_options("doctor", help, rows, &d, argc, argv);

	if (ret >= 0)
		return ret;
	ret = examine(&d);
	xt2_hook_list_free(&d.hooks);
	xt2_ruleset_free(d.rs);
	xt2_image_close(&d.map);
	xt2_links_free(d.links);
	xt2_store_unlock(&d.store);
	return ret;
}
