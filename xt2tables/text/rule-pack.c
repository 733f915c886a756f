/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule-pack.c - a parsed line as the bytes of a rule
 *
 * Base tests come first, in the order in which ip_packet_match(),
 * ip6_packet_match() and arp_packet_match() look; then the extensions in the
 * order of the line.  A test that every packet passes leaves no trace.  What
 * the translators don't know goes along as an instance, byte for byte.
 */
#include "config.h"
#include <string.h>
#include "line.h"
#include "translators/table/legacy-format.h"
#include "sets.h"

struct packer {
	struct xt2_line *l;
	struct xt2_ruleset *rs;
	__u8 *at;
};

/* Room past the largest rule, so that a match is packed before it is measured. */
static union {
	struct xt2_rule rule;
	__u64 align;
	__u8 bytes[2 * XT2_RULE_MAX];
} room;

static __u32 room_left(const struct packer *p)
{
	return (__u32)(room.bytes + XT2_RULE_MAX - p->at);
}

static void __attribute__((noreturn)) too_long(void)
{
	xt2_throw(XT2_E_LIMIT, OTHER_PROBLEM, "the rule takes more than %d bytes", XT2_RULE_MAX);
}

static void *match_add(struct packer *p, __u8 type, unsigned int size, bool invert, __u32 arg)
{
	if (size > room_left(p))
		too_long();
	return legacy_match_add(&p->at, type, size, invert, arg);
}

static inline bool inverted(const struct xt2_base *b, enum xt2_option o)
{
	return b->inverted & XT2_OPT_BIT(o);
}

static inline void pack_address(__u8 **at, const struct xt2_base *b, bool source)
{
	const enum xt2_option o = source ? XT2_OPT_SOURCE : XT2_OPT_DESTINATION;
	const struct xt2_address *a = source ? b->src : b->dst;

	if (!(b->given & XT2_OPT_BIT(o)))
		return;
	if (b->family == XT2_IPV6)
		legacy_addr6_pack(at, source ? XT2_M_SRC6 : XT2_M_DST6,
				  source ? XT2_M_SRC6_MASK : XT2_M_DST6_MASK, a->addr, a->mask,
				  inverted(b, o));
	else
		legacy_addr4_pack(at, source ? XT2_M_SRC4 : XT2_M_DST4,
				  source ? XT2_M_SRC4_MASK : XT2_M_DST4_MASK, a->addr, a->mask,
				  inverted(b, o));
}

static inline void pack_addresses(__u8 **at, const struct xt2_base *b)
{
	pack_address(at, b, true);
	pack_address(at, b, false);
}

static void pack_iface(__u8 **at, __u8 type, __u8 type_mask, const struct xt2_iface *i, bool invert)
{
	unsigned int bytes = i->len <= 8 ? 8 : 16;
	struct xt2_match_iface *m;

	if (!i->len) {
		if (invert) /* "! -i +": never */
			legacy_match_add(at, type_mask, sizeof(struct xt2_match_iface_mask), true,
					 0);
		return;
	}
	m = legacy_match_add(at, type, sizeof(*m) + bytes, invert, i->len);
	memcpy(m->name, i->name, bytes);
}

static inline void pack_ifaces(__u8 **at, const struct xt2_base *b)
{
	if (!(b->given & (XT2_OPT_BIT(XT2_OPT_IN) | XT2_OPT_BIT(XT2_OPT_OUT))))
		return;
	pack_iface(at, XT2_M_IN, XT2_M_IN_MASK, b->in, inverted(b, XT2_OPT_IN));
	pack_iface(at, XT2_M_OUT, XT2_M_OUT_MASK, b->out, inverted(b, XT2_OPT_OUT));
}

__u8 *xt2_base_pack(__u8 *at, const struct xt2_base *b)
{
	pack_addresses(&at, b);
	pack_ifaces(&at, b);
	if (b->proto)
		legacy_match_add(&at, XT2_M_PROTO, sizeof(struct xt2_match),
				 inverted(b, XT2_OPT_PROTOCOL), b->proto);
	else if (b->family == XT2_IPV6 && (b->given & XT2_OPT_BIT(XT2_OPT_PROTOCOL)))
		/* "-p all" looks for the upper-layer header all the same: any but 0 */
		legacy_match_add(&at, XT2_M_PROTO, sizeof(struct xt2_match), true, 0);
	if (b->given & XT2_OPT_BIT(XT2_OPT_FRAGMENT))
		legacy_match_add(&at, XT2_M_FRAGMENT, sizeof(struct xt2_match),
				 inverted(b, XT2_OPT_FRAGMENT), 0);
	return at;
}

static void pack_field(__u8 **at, const struct xt2_base *b, __u8 type, const struct xt2_field *f,
		       enum xt2_option o)
{
	bool invert = inverted(b, o);

	if (!(b->given & XT2_OPT_BIT(o)) || (!f->mask && !f->value && !invert))
		return;
	legacy_match_add(at, type, sizeof(struct xt2_match), invert,
			 (__u32)f->mask << 16 | f->value);
}

static void pack_mac(__u8 **at, const struct xt2_base *b, __u8 type, const struct xt2_mac *mac,
		     enum xt2_option o)
{
	struct xt2_match_arp_dev *m;

	if (!(b->given & XT2_OPT_BIT(o)))
		return;
	m = legacy_match_add(at, type, sizeof(*m), inverted(b, o), sizeof(mac->addr));
	memcpy(m->addr, mac->addr, sizeof(mac->addr));
	memcpy(m->mask, mac->mask, sizeof(mac->mask));
}

static __u8 *pack_arp(__u8 *at, const struct xt2_base *b, const struct xt2_line *l)
{
	pack_field(&at, b, XT2_M_ARP_OP, &l->op, XT2_OPT_OPCODE);
	pack_field(&at, b, XT2_M_ARP_HRD, &l->hrd, XT2_OPT_HTYPE);
	pack_field(&at, b, XT2_M_ARP_PRO, &l->pro, XT2_OPT_PTYPE);
	pack_field(&at, b, XT2_M_ARP_HLN, &l->hln, XT2_OPT_HLEN);
	pack_mac(&at, b, XT2_M_ARP_SHA, &l->sha, XT2_OPT_SRC_MAC);
	pack_mac(&at, b, XT2_M_ARP_THA, &l->tha, XT2_OPT_DST_MAC);
	pack_addresses(&at, b);
	pack_ifaces(&at, b);
	return at;
}

/* A number of the ruleset that was just added. */
static __u32 added(int number, const char *what)
{
	if (number < 0)
		xt2_throw(number == -ENOMEM ? XT2_E_SYSTEM : XT2_E_LIMIT,
			  number == -ENOMEM ? RESOURCE_PROBLEM : OTHER_PROBLEM, "%s: %s", what,
			  strerror(-number));
	return (__u32)number;
}

static void refused(struct packer *p, const char *what, const char *name, int error)
{
	if (error < 0)
		xt2_line_point(p->l, name);
	if (error == -ENOSPC)
		too_long();
	if (error == -EILSEQ)
		xt2_throw(XT2_E_UNSUPPORTED, OTHER_PROBLEM,
			  "%s %s: these options cannot be represented exactly", what, name);
	if (error < 0)
		xt2_throw(XT2_E_OPTION, OTHER_PROBLEM,
			  "%s %s: the kernel would refuse these options (Invalid argument)", what,
			  name);
}

/* An extension that is carried: its payload, and the names of its sets. */
static int carry(struct packer *p, int kind, int revision, const char *name, const void *data,
		 __u32 size)
{
	const struct xt2_sets *sets = xt2_sets_find((__u8)kind, name, (__u8)revision);
	__u64 both[XT2_SETS_ROOM / 8 + 1];
	int ret;

	if (!sets)
		return xt2_instance_add(p->rs, kind, revision, name, data, size);
	if (size != sets->size)
		return -EINVAL;
	memcpy(both, data, size);
	ret = xt2_sets_carry(sets, both);
	return ret < 0 ? ret : xt2_instance_add(p->rs, kind, revision, name, both, (__u32)ret);
}

static void pack_match(struct packer *p, struct xt_entry_match *e)
{
	const char *name = e->u.user.name;
	__u32 size = e->u.match_size - (__u32)sizeof(*e);
	struct xt2_match *m = (struct xt2_match *)p->at;
	int ret;

	xt2_extension_check(p->l, false, name, e->u.user.revision, e->data);
	if (!strcmp(name, "comment")) {
		ret = xt2_instance_add(p->rs, XT2_INSTANCE_COMMENT, e->u.user.revision, name,
				       e->data, strnlen((const char *)e->data, size));
		match_add(p, XT2_M_COMMENT, sizeof(*m), false, added(ret, "comment"));
		return;
	}
	ret = xt2_match_pack(xt2_row_find((__u8)p->l->family, false, name, e->u.user.revision),
			     (__u8)p->l->family, e->data, size, m, room_left(p));
	refused(p, "match", name, ret);
	if (ret > 0) {
		if (xt2_match_info(m->type) & XT2_EXT_CELL)
			m->arg = added(xt2_cells_add(p->rs, p->l->family, m), "cell");
		p->at += ret;
		return;
	}
	ret = carry(p, XT2_INSTANCE_MATCH, e->u.user.revision, name, e->data, size);
	match_add(p, XT2_M_FOREIGN, sizeof(*m), false, added(ret, name));
}

static bool nat_target(const char *name)
{
	return !strcmp(name, "SNAT") || !strcmp(name, "DNAT") || !strcmp(name, "MASQUERADE") ||
	       !strcmp(name, "REDIRECT") || !strcmp(name, "NETMAP");
}

static __u32 pack_target(struct packer *p, struct xt_entry_target *e)
{
	const char *name = e->u.user.name;
	__u32 size = e->u.target_size - (__u32)sizeof(*e), target = 0;
	int ret = -ENOENT;

	xt2_extension_check(p->l, true, name, e->u.user.revision, e->data);
	if (!nat_target(name))
		ret = xt2_target_pack(
			xt2_row_find((__u8)p->l->family, true, name, e->u.user.revision),
			(__u8)p->l->family, e->data, size, &target, p->at, room_left(p));
	if (ret >= 0) {
		p->at += ret;
		return target;
	}
	if (ret != -ENOENT)
		refused(p, "target", name, ret);
	ret = carry(p, XT2_INSTANCE_TARGET, e->u.user.revision, name, e->data, size);
	return XT2_TARGET(nat_target(name) ? XT2_T_NAT : XT2_T_FOREIGN, added(ret, name));
}

/* Before the matches, as libiptc: the kernel's checks of those come later. */
static void check_jump(struct xt2_line *l)
{
	if (l->jump_chain < 0 || xt2_chain_hook(l->rs, l->jump_chain) < 0)
		return;
	xt2_line_point(l, l->jump);
	xt2_throw(XT2_E_SYNTAX, OTHER_PROBLEM, "Can't jump to built-in chain %s", l->jump);
}

static __u32 target(struct packer *p)
{
	struct xt2_line *l = p->l;
	int kind;

	if (l->ext.target)
		return pack_target(p, l->ext.target->t);
	if (l->jump_chain >= 0)
		return XT2_TARGET(l->go ? XT2_T_GOTO : XT2_T_JUMP, l->jump_chain);
	kind = xt2_verdict_named(l->jump);
	if (kind || !*l->jump)
		return XT2_TARGET(kind, 0);
	xt2_throw(XT2_E_UNKNOWN, PARAMETER_PROBLEM, "no such target: %s", l->jump);
}

const struct xt2_rule *xt2_line_pack(struct xt2_line *l, struct xt2_ruleset *rs, unsigned int s,
				     unsigned int d)
{
	const struct xt2_base b = {
		l->family,	 l->given, l->inverted, &l->src.list[s],
		&l->dst.list[d], &l->in,   &l->out,	l->proto,
	};
	struct packer p = { .l = l, .rs = rs };
	struct xtables_rule_match *m;
	__u8 *base = room.bytes + sizeof(struct xt2_rule);

	check_jump(l);
	memset(&room.rule, 0, sizeof(room.rule));
	p.at = l->family == XT2_ARP ? pack_arp(base, &b, l) : xt2_base_pack(base, &b);
	for (m = l->ext.matches; m; m = m->next)
		pack_match(&p, m->match->m);
	room.rule.target_offset = (__u16)(p.at - room.bytes);
	room.rule.target = target(&p);
	room.rule.size = (__u16)(p.at - room.bytes);
	room.rule.packets = l->packets;
	room.rule.bytes = l->bytes;
	return &room.rule;
}
