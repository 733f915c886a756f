/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-left-kinds.c - which matches the kernel is asked, and which targets are steps
 *
 * A match can be asked if it has no effect of its own, and drops nothing: it is asked about
 * every packet at the hook, whether the packet comes to its rule or not.  Others are asked when it has:
 * "cluster" makes frames to a multicast address the host's, "osf" logs.
 *
 * Source: net/netfilter/xt_*.c
 */
#include "bpf-left.h"
#include "engine/order.h"

#include <linux/netfilter/xt_connlabel.h>
#include <linux/netfilter/xt_rpfilter.h>
#include <linux/netfilter/xt_set.h>
#include <linux/netfilter/xt_socket.h>

static const struct question {
	const char *name;
	u32 looks_at;
} questions[] = {
	{ "addrtype", 0 },
	{ "bpf", XT2_LEFT_ALL },
	{ "cgroup", 0 },
	{ "connbytes", XT2_LEFT_CONNECTION },
	{ "connlabel", XT2_LEFT_CONNECTION },
	{ "helper", XT2_LEFT_CONNECTION },
	{ "ipvs", XT2_LEFT_CONNECTION },
	{ "owner", 0 },
	{ "physdev", 0 },
	{ "policy", 0 },
	{ "rateest", 0 },
	{ "realm", 0 },
	{ "rpfilter", 0 }, /* but for those of routes by mark */
	{ "set", XT2_LEFT_SETS }, /* and a mark, for some types */
	{ "socket", 0 },
	{ "string", XT2_LEFT_BYTES },
};

static const char *const effects[] = { "cluster", "connlimit", "nfacct", "osf" };

static const struct kind {
	u8 type; /* enum xt2_target; FOREIGN: by name */
	const char *name;
	u32 changes;
} steps[] = {
	{ XT2_T_MARK, NULL, XT2_LEFT_MARK },
	{ XT2_T_CONNMARK, NULL, XT2_LEFT_MARK | XT2_LEFT_CONNMARK },
	{ XT2_T_CLASSIFY, NULL, 0 },
	{ XT2_T_NOTRACK, NULL, XT2_LEFT_CONNECTION },
	{ XT2_T_CT, NULL, XT2_LEFT_CONNECTION | XT2_LEFT_TEMPLATE },
	{ XT2_T_TRACE, NULL, 0 },
	{ XT2_T_TTL, NULL, XT2_LEFT_BYTES },
	{ XT2_T_HL, NULL, XT2_LEFT_BYTES },
	{ XT2_T_TOS, NULL, XT2_LEFT_BYTES },
	{ XT2_T_DSCP, NULL, XT2_LEFT_BYTES },
	{ XT2_T_ECN, NULL, XT2_LEFT_BYTES },
	{ XT2_T_TCPMSS, NULL, XT2_LEFT_BYTES },
	{ XT2_T_NFQUEUE, NULL, 0 }, /* nothing follows it in the table */
	{ XT2_T_FOREIGN, "AUDIT", 0 },
	{ XT2_T_FOREIGN, "CHECKSUM", XT2_LEFT_BYTES },
	{ XT2_T_FOREIGN, "CONNSECMARK", 0 },
	{ XT2_T_FOREIGN, "IDLETIMER", 0 },
	{ XT2_T_FOREIGN, "LED", 0 },
	{ XT2_T_FOREIGN, "RATEEST", 0 },
	{ XT2_T_FOREIGN, "SECMARK", 0 },
	{ XT2_T_FOREIGN, "SET", XT2_LEFT_SETS },
	{ XT2_T_FOREIGN, "TEE", 0 },
	{ XT2_T_FOREIGN, "TPROXY", 0 }, /* likewise */
};

#define CLAMP 0xffffu

static const struct xt2_instance *instance_of(const struct xt2_image *img, u32 number)
{
	return xt2_image_instance(img, xt2_image_root(img), number);
}

static const struct question *question_of(const struct xt2_image *img, const struct xt2_match *m)
{
	const char *name = m->type == XT2_M_FOREIGN ? instance_of(img, m->arg)->name
						    : xt2_match_name(m->type);
	u32 i;

	if (m->type != XT2_M_FOREIGN && !(xt2_match_info(m->type) & XT2_EXT_NATIVE))
		return NULL;
	for (i = 0; i < XT2_ARRAY_SIZE(questions); i++)
		if (!strcmp(questions[i].name, name))
			return &questions[i];
	return NULL;
}

/*
 * Nobody has checked what an instance says: it may be of any size.
 *
 * Not with an effect of its own: a socket's mark becomes the packet's, a label is set.  And not
 * what nf_tables cannot say: that the interface has the sender's address itself.
 */
static bool may_be_asked(const struct xt2_instance *in)
{
	const u8 *data = xt2_instance_data(in);
	u16 options;

	if (!strcmp(in->name, "socket"))
		return in->revision < 3 || (in->size && !(*data & XT_SOCKET_RESTORESKMARK));
	if (!strcmp(in->name, "rpfilter"))
		return in->size && !(*data & XT_RPFILTER_ACCEPT_LOCAL);
	if (strcmp(in->name, "connlabel"))
		return true;
	if (in->size < sizeof(struct xt_connlabel_mtinfo))
		return false;
	memcpy(&options, data + offsetof(struct xt_connlabel_mtinfo, options), sizeof(options));
	return !(options & XT_CONNLABEL_OP_SET);
}

bool xt2_left_has_effect_(const struct xt2_image *img, const struct xt2_match *m)
{
	u32 i;

	for (i = 0; m->type == XT2_M_FOREIGN && i < XT2_ARRAY_SIZE(effects); i++)
		if (!strcmp(effects[i], instance_of(img, m->arg)->name))
			return true;
	return false;
}

bool xt2_left_is_late_(const struct xt2_image *img, const struct xt2_rule *r)
{
	const char *name = instance_of(img, XT2_TARGET_ARG(r->target))->name;

	return !strcmp(name, "CHECKSUM") || !strcmp(name, "SECMARK") ||
	       !strcmp(name, "CONNSECMARK");
}

bool xt2_left_is_question_(const struct xt2_image *img, const struct xt2_match *m)
{
	return question_of(img, m) &&
	       (m->type != XT2_M_FOREIGN || may_be_asked(instance_of(img, m->arg)));
}

static const struct kind *kind_of(const struct xt2_image *img, const struct xt2_rule *r)
{
	const u8 type = XT2_TARGET_KIND(r->target);
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(steps); i++)
		if (steps[i].type == type &&
		    (type != XT2_T_FOREIGN ||
		     !strcmp(steps[i].name, instance_of(img, XT2_TARGET_ARG(r->target))->name)))
			return &steps[i];
	return NULL;
}

bool xt2_left_may_be_step_(const struct xt2_rule *r)
{
	const u8 type = XT2_TARGET_KIND(r->target);
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(steps); i++)
		if (steps[i].type == type)
			return true;
	return false;
}

/* It takes the packet's mark from its set. */
static bool maps(const struct xt2_instance *in)
{
	const struct xt_set_info_target_v3 *info = (const void *)xt2_instance_data(in);

	return in->revision >= 3 &&
	       (in->size < sizeof(*info) || info->map_set.index != IPSET_INVALID_ID);
}

bool xt2_left_is_step_(const struct xt2_image *img, const struct xt2_rule *r)
{
	const struct kind *k = kind_of(img, r);

	return k &&
	       !(k->changes & XT2_LEFT_SETS && maps(instance_of(img, XT2_TARGET_ARG(r->target))));
}

u32 xt2_left_changes_(const struct xt2_image *img, const struct xt2_rule *r)
{
	const struct kind *k = kind_of(img, r);
	u32 changes = k ? k->changes : 0;

	if (XT2_TARGET_KIND(r->target) == XT2_T_TCPMSS && XT2_TARGET_ARG(r->target) == CLAMP)
		changes |= XT2_LEFT_SIZE;
	if (XT2_TARGET_KIND(r->target) == XT2_T_CT &&
	    XT2_CT_FLAGS(XT2_TARGET_ARG(r->target)) & XT2_CT_UNTRACKS)
		changes &= ~(u32)XT2_LEFT_TEMPLATE;
	return changes;
}

/* Sets of a type with a mark have two dimensions; offline nobody knows their type. */
static u32 set_looks_at(const struct xt2_instance *in)
{
	const struct xt_set_info *info = (const void *)xt2_instance_data(in);

	if (in->revision && in->size >= sizeof(*info) && info->dim < 2)
		return XT2_LEFT_SETS;
	return XT2_LEFT_SETS | XT2_LEFT_MARK;
}

static u32 rpfilter_looks_at(const struct xt2_instance *in)
{
	const u8 *flags = xt2_instance_data(in);

	return in->size && *flags & XT_RPFILTER_VALID_MARK ? XT2_LEFT_MARK : 0;
}

/* Of matches that programs answer: what steps change without telling them. */
static u32 plain_looks_at(const struct xt2_match *m)
{
	switch (m->type) {
	case XT2_M_TCPMSS:
	case XT2_M_U32: return XT2_LEFT_SIZE;
	case XT2_M_STATE:
	case XT2_M_CONNTRACK:
	case XT2_M_CONNMARK: return XT2_LEFT_TEMPLATE;
	}
	return 0;
}

u32 xt2_left_looks_at_(const struct xt2_image *img, const struct xt2_match *m)
{
	const struct question *q = question_of(img, m);

	if (!q)
		return plain_looks_at(m);
	if (!strcmp(q->name, "set"))
		return set_looks_at(instance_of(img, m->arg));
	if (!strcmp(q->name, "rpfilter"))
		return rpfilter_looks_at(instance_of(img, m->arg));
	return q->looks_at;
}

u32 xt2_left_count_(const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_match *m;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	u32 i, n = 0;

	xt2_image_for_each_chain(c, i, img, root) {
		const u8 family = xt2_image_table(img, root, c->table)->family;

		if (family != XT2_IPV4 && family != XT2_IPV6)
			continue;
		xt2_chain_for_each(r, &o, img, c) {
			n += xt2_left_may_be_step_(r);
			xt2_rule_for_each_match(m, r)
				n += m->type == XT2_M_FOREIGN ||
				     (xt2_match_info(m->type) & XT2_EXT_NATIVE);
		}
	}
	return n;
}
