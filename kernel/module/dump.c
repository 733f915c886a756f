// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dump.c - the tables of a namespace, for netlink
 *
 * A dump takes many calls, between which tables may change.  So it begins with a copy of all images,
 * with what their rules have counted, which is one generation.
 */
#include <linux/slab.h>
#include <net/netns/generic.h>
#include <net/sock.h>
#include <xt2/netlink.h>
#include "netlink-family.h"
#include "tables.h"

#define TABLES_MAX (XT2K_FAMILIES * XT2K_NAMES)
#define DUMPS_MAX  64 /* at once, since each has copies */

struct dumped {
	const struct xt2k_table *t;
	struct xt2_mapping map; /* image NULL: it is not asked for */
	u64 size, faults, uncounted;
};

struct dump {
	struct xt2k_net *xn;
	u64 generation;
	u32 tables, table; /* of these, the next one */
	bool head; /* its head has been sent */
	u64 sent; /* bytes of its image */
	struct dumped of[TABLES_MAX];
};

static void drop(struct dump *d)
{
	u32 i;

	for (i = 0; i < d->tables; i++)
		xt2_image_close(&d->of[i].map);
	atomic_dec(&d->xn->dumps);
	kfree(d);
}

static int copy_table(struct dump *d, const struct xt2k_table *t, bool images)
{
	const struct xt2k_live *live = xt2k_table_live(t);
	struct dumped *to = &d->of[d->tables];
	int ret;

	if (!live)
		return 0;
	ret = images ? xt2k_image_copy(live, XT2K_COUNTED, &to->map) : 0;
	if (ret)
		return ret;
	to->t = t;
	to->size = images ? to->map.size : live->size;
	to->faults = atomic64_read(&t->faults);
	to->uncounted = live->state->counters.lost;
	d->tables++;
	return 0;
}

/* => the table that came after this one, NULL: after none; NULL: this is the last */
static const struct xt2k_table *next_table(const struct xt2k_net *xn, const struct xt2k_table *t)
{
	const u32 last = t ? t->came : 0;
	const struct xt2k_table *next = NULL;
	int i, j;

	for (i = 0; i < XT2K_FAMILIES; i++)
		for (j = 0; j < XT2K_NAMES; j++) {
			t = &xn->table[i][j];
			if (t->came > last && (!next || t->came < next->came))
				next = t;
		}
	return next;
}

static int copy(struct dump *d, struct net *net, bool images)
{
	struct xt2k_net *xn = net_generic(net, xt2k_net_id);
	const struct xt2k_table *t = NULL;
	int ret = 0;

	mutex_lock(&xn->lock);
	d->generation = xn->generation;
	while (!ret && (t = next_table(xn, t)))
		ret = copy_table(d, t, images);
	mutex_unlock(&xn->lock);
	return ret;
}

static struct dump **dump_of(struct netlink_callback *cb)
{
	return (struct dump **)cb->ctx;
}

int xt2k_dump_start(struct netlink_callback *cb)
{
	const struct genlmsghdr *head = nlmsg_data(cb->nlh);
	struct net *net = sock_net(cb->skb->sk);
	struct xt2k_net *xn = net_generic(net, xt2k_net_id);
	struct dump *d;
	int ret;

	if (!atomic_add_unless(&xn->dumps, 1, DUMPS_MAX))
		return -EBUSY;
	d = kzalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);
	if (!d) {
		atomic_dec(&xn->dumps);
		return -ENOMEM;
	}
	d->xn = xn;
	ret = copy(d, net, head->cmd == XT2_CMD_DUMP);
	if (ret) {
		drop(d);
		return ret;
	}
	*dump_of(cb) = d;
	return 0;
}

int xt2k_dump_done(struct netlink_callback *cb)
{
	if (*dump_of(cb))
		drop(*dump_of(cb));
	return 0;
}

static void *put_begin(struct sk_buff *skb, const struct netlink_callback *cb, u8 command)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &xt2k_genl,
			   NLM_F_MULTI, command);
}

static int put_head(struct sk_buff *skb, const struct netlink_callback *cb, const struct dump *d)
{
	const struct dumped *from = &d->of[d->table];
	void *head = put_begin(skb, cb, XT2_CMD_TABLE);

	if (!head)
		return -EMSGSIZE;
	if (nla_put_u64_64bit(skb, XT2_A_GENERATION, d->generation, XT2_A_PAD) ||
	    (d->tables && (nla_put_u8(skb, XT2_A_FAMILY, from->t->kind->nfproto) ||
			   nla_put_string(skb, XT2_A_NAME, xt2k_names[from->t->name]) ||
			   nla_put_u64_64bit(skb, XT2_A_SIZE, from->size, XT2_A_PAD) ||
			   nla_put_u64_64bit(skb, XT2_A_FAULTS, from->faults, XT2_A_PAD) ||
			   nla_put_u64_64bit(skb, XT2_A_UNCOUNTED, from->uncounted, XT2_A_PAD)))) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

/* As much as there is room for. */
static int put_piece(struct sk_buff *skb, const struct netlink_callback *cb, struct dump *d)
{
	const struct xt2_mapping *map = &d->of[d->table].map;
	void *head = put_begin(skb, cb, XT2_CMD_PIECE);
	u64 left = map->size - d->sent;
	int room;

	if (!head)
		return -EMSGSIZE;
	if (nla_put_u64_64bit(skb, XT2_A_OFFSET, d->sent, XT2_A_PAD))
		goto full;
	room = skb_tailroom(skb) - nla_total_size(0) - NLA_ALIGNTO;
	if (room < 64)
		goto full;
	left = min3(left, (u64)room, (u64)XT2_NL_PIECE);
	if (nla_put(skb, XT2_A_DATA, left, (const u8 *)map->image + d->sent))
		goto full;
	genlmsg_end(skb, head);
	d->sent += left;
	return 0;
full:
	genlmsg_cancel(skb, head);
	return -EMSGSIZE;
}

int xt2k_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump *d = *dump_of(cb);
	int ret = 0;

	while (!ret && (d->table < d->tables || !d->head)) {
		if (!d->head) {
			ret = put_head(skb, cb, d);
			d->head = !ret;
		} else if (d->sent < d->of[d->table].map.size) {
			ret = put_piece(skb, cb, d);
		}
		if (!ret && d->table < d->tables && d->sent == d->of[d->table].map.size) {
			d->sent = 0;
			d->head = ++d->table == d->tables;
		}
	}
	return skb->len ?: ret;
}
