// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * netlink.c - the generic netlink family of <xt2/netlink.h>
 *
 * Requests find the socket's transaction and hand attributes on (table-transaction.c).  The genetlink
 * core does not serialize them: the namespace's mutex does.
 *
 * A transaction ends with its socket, as netlink's notifier tells.  The notifier must not wait for the
 * mutex: whoever has that may load a module, which may wait to register a notifier.
 */
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <xt2/netlink.h>
#include "netlink-family.h"
#include "libxt2/err.h"
#include "tables.h"

static const struct nla_policy policy[XT2_AS] = {
	[XT2_A_GENERATION] = { .type = NLA_U64 },
	[XT2_A_FAMILY] = { .type = NLA_U8 },
	[XT2_A_NAME] = { .type = NLA_NUL_STRING, .len = XT2_NAME_SIZE - 1 },
	[XT2_A_SIZE] = { .type = NLA_U64 },
	[XT2_A_RULES] = { .type = NLA_U32 },
	[XT2_A_OFFSET] = { .type = NLA_U64 },
	[XT2_A_EDIT] = NLA_POLICY_MAX(NLA_U8, XT2_EDITS - 1),
	[XT2_A_CHAIN] = { .type = NLA_NUL_STRING, .len = XT2_NAME_SIZE - 1 },
	[XT2_A_TO] = { .type = NLA_NUL_STRING, .len = XT2_NAME_SIZE - 1 },
	[XT2_A_AT] = { .type = NLA_U32 },
	[XT2_A_FIND] = { .type = NLA_FLAG },
	[XT2_A_DELETE] = { .type = NLA_U32 },
	[XT2_A_INSERT] = { .type = NLA_U32 },
	[XT2_A_DATA] = { .type = NLA_BINARY, .len = XT2_NL_PIECE },
};

/* --- answers ------------------------------------------------------------------- */

static struct sk_buff *answer_new(struct genl_info *info, u8 command, void **head)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);

	*head = skb ? genlmsg_put_reply(skb, info, &xt2k_genl, 0, command) : NULL;
	if (*head)
		return skb;
	nlmsg_free(skb);
	return NULL;
}

static int answer_end(struct sk_buff *skb, void *head, struct genl_info *info, int ret)
{
	if (ret) {
		nlmsg_free(skb);
		return ret;
	}
	genlmsg_end(skb, head);
	return genlmsg_reply(skb, info);
}

/* The reason comes before the acknowledgement, in which there is no room for it. */
static void answer_error(struct genl_info *info, int error, const struct xt2_err *err)
{
	struct sk_buff *skb;
	void *head;

	GENL_SET_ERR_MSG(info, "an xt2 message before this one has the reason");
	skb = answer_new(info, XT2_CMD_ERROR, &head);
	if (skb)
		answer_end(skb, head, info,
			   nla_put_u32(skb, XT2_A_ERRNO, -error)
				   ?: nla_put_string(skb, XT2_A_TEXT, err->message));
}

static int identify(struct sk_buff *request, struct genl_info *info)
{
	struct xt2k_net *xn = net_generic(genl_info_net(info), xt2k_net_id);
	struct sk_buff *skb;
	void *head;

	skb = answer_new(info, XT2_CMD_IDENTIFY, &head);
	if (!skb)
		return -ENOMEM;
	return answer_end(skb, head, info,
			  nla_put_u32(skb, XT2_A_FORMAT, XT2_VERSION) ?:
				  nla_put_u8(skb, XT2_A_SOCKOPTS, xt2k_sockopts) ?:
				  nla_put_u64_64bit(skb, XT2_A_GENERATION,
						    READ_ONCE(xn->generation), XT2_A_PAD));
}

/* --- transactions ------------------------------------------------------------------ */

static int begin(struct net *net, struct genl_info *info, struct xt2_err *err)
{
	const struct nlattr *a = info->attrs[XT2_A_GENERATION];
	const u64 expected = a ? nla_get_u64(a) : 0;

	return xt2k_begin(net, info->snd_portid, a ? &expected : NULL, err);
}

static int table(struct net *net, struct genl_info *info, struct xt2_err *err)
{
	struct nlattr **a = info->attrs;

	if (!a[XT2_A_FAMILY] || !a[XT2_A_NAME])
		return -EINVAL;
	return xt2k_add_table(xt2k_transaction(net, info->snd_portid), net,
			      nla_get_u8(a[XT2_A_FAMILY]), nla_data(a[XT2_A_NAME]),
			      a[XT2_A_SIZE] ? nla_get_u64(a[XT2_A_SIZE]) : 0,
			      a[XT2_A_RULES] ? nla_get_u32(a[XT2_A_RULES]) : 0, err);
}

static int splice(struct net *net, struct genl_info *info, struct xt2_err *err)
{
	struct nlattr **a = info->attrs;

	if (!a[XT2_A_FAMILY] || !a[XT2_A_NAME])
		return -EINVAL;
	return xt2k_add_splice(xt2k_transaction(net, info->snd_portid), net,
			       nla_get_u8(a[XT2_A_FAMILY]), nla_data(a[XT2_A_NAME]),
			       a[XT2_A_SIZE] ? nla_get_u64(a[XT2_A_SIZE]) : 0, err);
}

static int edit(struct net *net, struct genl_info *info)
{
	struct nlattr **a = info->attrs;
	struct xt2k_op op = { 0 };

	if (!a[XT2_A_EDIT] || !a[XT2_A_CHAIN])
		return -EINVAL;
	op.edit = nla_get_u8(a[XT2_A_EDIT]);
	if (op.edit == XT2_EDIT_NAME && !a[XT2_A_TO])
		return -EINVAL;
	nla_strscpy(op.chain, a[XT2_A_CHAIN], sizeof(op.chain));
	if (a[XT2_A_TO])
		nla_strscpy(op.to, a[XT2_A_TO], sizeof(op.to));
	op.find = a[XT2_A_FIND];
	op.append = !op.find && !a[XT2_A_AT];
	op.at = a[XT2_A_AT] ? nla_get_u32(a[XT2_A_AT]) : 0;
	op.deletes = a[XT2_A_DELETE] ? nla_get_u32(a[XT2_A_DELETE]) : 0;
	op.inserts = a[XT2_A_INSERT] ? nla_get_u32(a[XT2_A_INSERT]) : 0;
	return xt2k_add_edit(xt2k_transaction(net, info->snd_portid), &op);
}

static int add(struct net *net, struct genl_info *info,
	       int (*to)(struct xt2k_transaction *x, u64 offset, const void *data, size_t size))
{
	struct nlattr **a = info->attrs;

	if (!a[XT2_A_OFFSET] || !a[XT2_A_DATA])
		return -EINVAL;
	return to(xt2k_transaction(net, info->snd_portid), nla_get_u64(a[XT2_A_OFFSET]),
		  nla_data(a[XT2_A_DATA]), nla_len(a[XT2_A_DATA]));
}

static int commit(struct net *net, struct genl_info *info, struct xt2_err *err)
{
	const struct xt2k_net *xn = net_generic(net, xt2k_net_id);
	struct sk_buff *skb;
	void *head;
	int ret;

	skb = answer_new(info, XT2_CMD_COMMITTED, &head);
	if (!skb)
		return -ENOMEM;
	ret = xt2k_commit(net, info->snd_portid, err);
	if (ret) {
		nlmsg_free(skb);
		return ret;
	}
	/* It is done, whether or not the answer comes through. */
	answer_end(skb, head, info,
		   nla_put_u64_64bit(skb, XT2_A_GENERATION, xn->generation, XT2_A_PAD));
	return 0;
}

static int change_locked(struct net *net, struct genl_info *info, struct xt2_err *err)
{
	if (info->genlhdr->cmd == XT2_CMD_BEGIN)
		return begin(net, info, err);
	if (IS_ERR(xt2k_transaction(net, info->snd_portid)))
		return xt2_err_set(err, XT2_E_SYSTEM, EINVAL, "no transaction is under way");
	switch (info->genlhdr->cmd) {
	case XT2_CMD_TABLE: return table(net, info, err);
	case XT2_CMD_SPLICE: return splice(net, info, err);
	case XT2_CMD_EDIT: return edit(net, info);
	case XT2_CMD_PIECE: return add(net, info, xt2k_add_piece);
	case XT2_CMD_KEEP: return add(net, info, xt2k_add_keep);
	case XT2_CMD_COMMIT: return commit(net, info, err);
	}
	xt2k_abort(net, info->snd_portid);
	return 0;
}

static int change(struct sk_buff *request, struct genl_info *info)
{
	struct net *net = genl_info_net(info);
	struct xt2k_net *xn = net_generic(net, xt2k_net_id);
	struct xt2_err *err = kzalloc(sizeof(*err), GFP_KERNEL);
	int ret;

	if (!err)
		return -ENOMEM;
	ret = try_module_get(THIS_MODULE) ? 0 : -ENODEV; /* it may be about to go */
	if (!ret) {
		mutex_lock(&xn->lock);
		ret = change_locked(net, info, err);
		mutex_unlock(&xn->lock);
		module_put(THIS_MODULE);
	}
	if (ret && err->message[0])
		answer_error(info, ret, err);
	kfree(err);
	return ret;
}

/* --- the family -------------------------------------------------------------------- */

#define CHANGE(command)                                                        \
	{                                                                      \
		.cmd = (command), .doit = change, .flags = GENL_UNS_ADMIN_PERM \
	}
#define DUMP(command)                                                            \
	{                                                                        \
		.cmd = (command), .start = xt2k_dump_start, .dumpit = xt2k_dump, \
		.done = xt2k_dump_done, .flags = GENL_UNS_ADMIN_PERM,            \
	}

static const struct genl_ops ops[] = {
	{ .cmd = XT2_CMD_IDENTIFY, .doit = identify, .flags = GENL_UNS_ADMIN_PERM },
	DUMP(XT2_CMD_TABLES),
	DUMP(XT2_CMD_DUMP),
	CHANGE(XT2_CMD_BEGIN),
	CHANGE(XT2_CMD_TABLE),
	CHANGE(XT2_CMD_SPLICE),
	CHANGE(XT2_CMD_EDIT),
	CHANGE(XT2_CMD_PIECE),
	CHANGE(XT2_CMD_KEEP),
	CHANGE(XT2_CMD_COMMIT),
	CHANGE(XT2_CMD_ABORT),
};

static const struct genl_multicast_group groups[] = { { .name = XT2_NL_GROUP } };

struct genl_family xt2k_genl = {
	.name = XT2_NL_FAMILY,
	.version = XT2_NL_VERSION,
	.maxattr = XT2_AS - 1,
	.policy = policy,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
};

void xt2k_netlink_committed(struct net *net, u64 generation, u32 port)
{
	struct sk_buff *skb = genlmsg_new(64, GFP_KERNEL);
	void *head = skb ? genlmsg_put(skb, 0, 0, &xt2k_genl, 0, XT2_CMD_COMMITTED) : NULL;

	if (!head || nla_put_u64_64bit(skb, XT2_A_GENERATION, generation, XT2_A_PAD) ||
	    nla_put_u32(skb, XT2_A_PORT, port)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, head);
	genlmsg_multicast_netns(&xt2k_genl, net, skb, 0, 0, GFP_KERNEL);
}

static int closed(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct netlink_notify *n = data;

	if (event == NETLINK_URELEASE && n->protocol == NETLINK_GENERIC && n->portid)
		xt2k_abort(n->net, n->portid);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = closed };

int xt2k_netlink_init(void)
{
	int ret = netlink_register_notifier(&notifier);

	if (ret)
		return ret;
	ret = genl_register_family(&xt2k_genl);
	if (ret)
		netlink_unregister_notifier(&notifier);
	return ret;
}

void xt2k_netlink_exit(void)
{
	genl_unregister_family(&xt2k_genl);
	netlink_unregister_notifier(&notifier);
}
