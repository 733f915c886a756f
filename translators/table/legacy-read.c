/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-read.c - chains and rules out of a checked blob
 *
 * Each entry becomes a rule: base tests, then the matches in their order,
 * then the target.  What the translators pack is packed; everything else goes
 * to the caller as an instance, native payload and all.  A jump names a
 * chain; a jump to the next entry is how tools write a rule without a target.
 */
#include "translators/ebt/ebt.h"
#include "engine/eval.h"

void xt2_legacy_chain(const struct xt2_legacy *l, u32 number, struct xt2_legacy_chain *c)
{
	const struct xt2_legacy_chain_ *from;

	memset(c, 0, sizeof(*c));
	c->number = number;
	if (l->family == XT2_BRIDGE) {
		legacy_ebt_chain(l, c);
		return;
	}
	from = &l->chain[number];
	c->hook = from->hook;
	c->entries = c->left = from->entries;
	c->pos = from->first;
	if (from->hook == XT2_HOOK_NONE)
		memcpy(c->name, legacy_target(l->f, l->at + from->head) + LEGACY_TARGET,
		       strnlen((const char *)legacy_target(l->f, l->at + from->head) +
				       LEGACY_TARGET,
			       LEGACY_ERROR_NAME));
	c->added = from->fall == LEGACY_TAIL ? 0 : from->fall == LEGACY_ENDS ? 1 : 2;
	c->rules = c->entries + c->added;
}

struct packer {
	struct xt2_legacy *l;
	struct xt2_legacy_sink *sink;
	struct xt2_rule *rule;
	u8 *at;
	bool carried; /* no extension of this rule may be evaluated */
};

static u32 used(const struct packer *p)
{
	return (u32)(p->at - (u8 *)p->sink->rule);
}

/* => number of an instance, or -errno; the payload is at l->payload */
static int carry(struct packer *p, u8 kind, u8 revision, const char *name, u32 size)
{
	return p->sink->instance(p->sink->data, kind, revision, name, p->l->payload, size);
}

static int add_instance(struct packer *p, u8 type, int number)
{
	struct xt2_match *m = (struct xt2_match *)p->at;

	if (number < 0)
		return number;
	*m = (struct xt2_match){ .type = type, .size = sizeof(*m), .arg = (u32)number };
	p->at += sizeof(*m);
	return 0;
}

static int add_comment(struct packer *p, const struct legacy_known *k)
{
	u32 len = strnlen((const char *)p->l->payload, k->size);

	return add_instance(p, XT2_M_COMMENT,
			    carry(p, XT2_INSTANCE_COMMENT, k->revision, k->name, len));
}

/* => 0: packed; 1: to be carried; -errno */
static int pack_match(struct packer *p, const struct legacy_known *k, const struct xt2_row *row)
{
	struct xt2_match *m = (struct xt2_match *)p->at;
	u32 cap = sizeof(p->sink->rule) - used(p);
	int ret = xt2_match_pack(row, p->l->family, p->l->payload, legacy_native(k), m, cap);

	if (ret <= 0 || xt2_match_ext_check(m, p->l->family))
		return 1;
	if (p->l->for_module && xt2_match_info(m->type) & XT2_EXT_THEIRS)
		return 1;
	if (xt2_match_info(m->type) & XT2_EXT_CELL) {
		int cell = p->sink->cell(p->sink->data, p->l->family, m);

		if (cell < 0)
			return cell;
		m->arg = (u32)cell;
	}
	p->at += ret;
	return 0;
}

/* What an entry names, with its payload at p->l->payload; *row is NULL if it is to be carried. */
static const struct legacy_known *known(struct packer *p, const u8 *ext, bool target,
					const struct xt2_row **row)
{
	const struct legacy_known *k;
	u32 index;
	int err;

	k = legacy_known_find(&p->l->cache, p->l->family, target, legacy_name(ext),
			      ext[LEGACY_REVISION], &index, &err);
	legacy_payload_in(k, p->l->compat, ext + LEGACY_TARGET, p->l->payload);
	*row = p->carried ? NULL : p->l->row[target][index];
	return k;
}

static int add_match(struct packer *p, const u8 *ext)
{
	const struct xt2_row *row;
	const struct legacy_known *k = known(p, ext, false, &row);
	int ret;

	if (!strncmp(k->name, "comment", sizeof("comment")))
		return add_comment(p, k);
	ret = pack_match(p, k, row);
	if (ret <= 0)
		return ret;
	return add_instance(p, XT2_M_FOREIGN,
			    carry(p, XT2_INSTANCE_MATCH, k->revision, k->name, legacy_native(k)));
}

static bool is_nat(const struct legacy_known *k)
{
	return k->tables == LEGACY_NAT;
}

static int add_target(struct packer *p, const u8 *ext)
{
	const u32 cap = sizeof(p->sink->rule) - used(p);
	const struct xt2_row *row;
	const struct legacy_known *k = known(p, ext, true, &row);
	int ret = -ENOENT;

	if (!p->l->for_module)
		ret = xt2_target_pack(row, p->l->family, p->l->payload, legacy_native(k),
				      &p->rule->target, p->at, cap);
	if (ret >= 0) {
		p->at += ret;
		p->rule->size = (u16)used(p);
		if (used(p) > XT2_RULE_MAX || !xt2_target_ext_check(p->rule, p->l->family))
			return 0;
		p->at -= ret;
	}
	ret = carry(p, XT2_INSTANCE_TARGET, k->revision, k->name, legacy_native(k));
	if (ret < 0)
		return ret;
	p->rule->target = XT2_TARGET(is_nat(k) ? XT2_T_NAT : XT2_T_FOREIGN, ret);
	return 0;
}

/* An ERROR entry drops; and so may a jump that no hook leads to. */
static u32 jump_target(const struct packer *p, u32 pos, u32 verdict)
{
	const struct xt2_legacy *l = p->l;
	const struct legacy_base *b = l->f->base;
	const struct xt2_legacy_entry_ *to = legacy_entry_at(l, verdict);
	u32 chain;

	if (verdict == pos + legacy_next(l->f, l->at + pos))
		return XT2_TARGET(XT2_T_CONTINUE, 0);
	if (!to || to->flags & LEGACY_ENTRY_ERROR || to->chain == LEGACY_NONE ||
	    legacy_is_first(l, to->chain))
		return XT2_TARGET(XT2_T_DROP, 0);
	chain = p->sink->chain ? p->sink->chain[to->chain] : to->chain;
	return XT2_TARGET(l->at[pos + b->flags] & b->f_goto ? XT2_T_GOTO : XT2_T_JUMP, chain);
}

static u32 standard_target(const struct packer *p, u32 pos, s32 verdict)
{
	return verdict < 0 ? XT2_TARGET(legacy_kind_of(p->l->f, verdict), 0)
			   : jump_target(p, pos, (u32)verdict);
}

static int pack_entry(struct packer *p, u32 pos)
{
	const struct xt2_legacy *l = p->l;
	const u8 *e = l->at + pos, *t = legacy_target(l->f, e), *m;
	int err;

	memset(p->rule, 0, sizeof(*p->rule));
	p->at = (u8 *)(p->rule + 1);
	p->carried = legacy_base_untested(l->f, e);
	p->rule->packets = xt2_raw64(e + l->f->entry_counters);
	p->rule->bytes = xt2_raw64(e + l->f->entry_counters + 8);
	p->at += legacy_base_pack(l->f, e, p->at);
	for (m = e + l->f->entry; m < t; m += legacy_u16(m)) {
		err = add_match(p, m);
		if (err)
			return err;
		if (used(p) > XT2_RULE_MAX)
			return -E2BIG;
	}
	p->rule->target_offset = (u16)used(p);
	if (legacy_is_standard(t)) {
		p->rule->target = standard_target(p, pos, legacy_verdict(t));
	} else {
		err = add_target(p, t);
		if (err)
			return err;
	}
	if (used(p) > XT2_RULE_MAX)
		return -E2BIG;
	p->rule->size = (u16)used(p);
	return 1;
}

/* What a chain without a tail of its own gets: how it goes on, and a tail. */
static void pack_added(struct packer *p, const struct xt2_legacy_chain *c)
{
	const struct xt2_legacy_chain_ *from = &p->l->chain[c->number];
	u32 next = p->sink->chain ? p->sink->chain[from->next] : from->next;

	memset(p->rule, 0, sizeof(*p->rule));
	p->rule->size = p->rule->target_offset = sizeof(*p->rule);
	if (c->added == 1)
		p->rule->target = XT2_TARGET(XT2_T_RETURN, 0);
	else if (from->fall == LEGACY_RUNS) /* what follows is a RETURN: either will do */
		p->rule->target = XT2_TARGET(p->l->f->base->f_goto ? XT2_T_GOTO : XT2_T_JUMP, next);
	else
		p->rule->target = XT2_TARGET(XT2_T_DROP, 0);
}

int xt2_legacy_rule(struct xt2_legacy *l, struct xt2_legacy_chain *c, struct xt2_legacy_sink *sink)
{
	struct packer p = { .l = l, .sink = sink, .rule = (struct xt2_rule *)sink->rule };
	u32 pos = c->pos;
	int ret;

	if (l->family == XT2_BRIDGE)
		return legacy_ebt_rule(l, c, sink);
	if (c->left) {
		ret = pack_entry(&p, pos);
		if (ret < 0)
			return ret;
		c->left--;
		c->pos += legacy_next(l->f, l->at + pos);
		return 1;
	}
	if (!c->added)
		return 0;
	pack_added(&p, c);
	c->added--;
	return 1;
}
