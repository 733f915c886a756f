// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proc.c - /proc/net/ip_tables_names and its like, and /proc/net/xt2
 *
 * iptables-save asks the former which tables there are, and libxtables loads ip_tables if the file is
 * not there.  The latter says of each table what it is like.
 */
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include "tables.h"

/* The newest first, as the kernel's own tables are listed. */
static int names_show(struct seq_file *s, void *v)
{
	const struct xt2k_kind *kind = pde_data(file_inode(s->file));
	struct xt2k_net *xn = net_generic(seq_file_single_net(s), xt2k_net_id);
	const struct xt2k_table *table = xn->table[kind - xt2k_kinds];
	u32 came;
	int i;

	mutex_lock(&xn->lock);
	for (came = xn->came; came; came--)
		for (i = 0; i < XT2K_NAMES; i++)
			if (table[i].came == came)
				seq_printf(s, "%s\n", xt2k_names[i]);
	mutex_unlock(&xn->lock);
	return 0;
}

static void table_show(struct seq_file *s, const struct xt2k_table *t)
{
	const struct xt2k_live *live = xt2k_table_live(t);

	if (live)
		seq_printf(
			s,
			"%s %s bytes %zu counters %u instances %u depth %u indexed %u faults %lld uncounted %llu\n",
			t->kind->prefix, xt2k_names[t->name], live->size,
			live->state->counters.slots, live->natives, live->depth, live->indexed,
			(long long)atomic64_read(&t->faults), live->state->counters.lost);
}

static int tables_show(struct seq_file *s, void *v)
{
	struct xt2k_net *xn = net_generic(seq_file_single_net(s), xt2k_net_id);
	int i, j;

	mutex_lock(&xn->lock);
	for (i = 0; i < XT2K_FAMILIES; i++)
		for (j = 0; j < XT2K_NAMES; j++)
			table_show(s, &xn->table[i][j]);
	mutex_unlock(&xn->lock);
	return 0;
}

static void name_of(const struct xt2k_kind *kind, char *name, size_t size)
{
	snprintf(name, size, "%s_tables_names", kind->prefix);
}

void xt2k_proc_exit(struct net *net)
{
	char name[24];
	int i;

	remove_proc_entry("xt2", net->proc_net);
	for (i = 0; xt2k_sockopts && i < XT2K_FAMILIES; i++) {
		name_of(&xt2k_kinds[i], name, sizeof(name));
		remove_proc_entry(name, net->proc_net);
	}
}

int xt2k_proc_init(struct net *net)
{
	char name[24];
	int i;

	for (i = 0; xt2k_sockopts && i < XT2K_FAMILIES; i++) {
		name_of(&xt2k_kinds[i], name, sizeof(name));
		if (!proc_create_net_single(name, 0440, net->proc_net, names_show,
					    (void *)&xt2k_kinds[i]))
			goto failed;
	}
	if (proc_create_net_single("xt2", 0440, net->proc_net, tables_show, NULL))
		return 0;
failed:
	while (i--) {
		name_of(&xt2k_kinds[i], name, sizeof(name));
		remove_proc_entry(name, net->proc_net);
	}
	return -ENOMEM;
}
