/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ebt-read.c - chains and rules out of a checked table of bridges
 *
 * A rule is its base tests, its matches, its watchers, its target.  All
 * extensions are carried: a watcher is a match that names a target.  The
 * policy in a chain's head becomes its last rule.
 */
#include "ebt.h"

void legacy_ebt_chain(const struct xt2_legacy *l, struct xt2_legacy_chain *c)
{
	const struct xt2_legacy_ebt_chain_ *from = &l->ebt_chain[l->ebt_order[c->number]];
	const char *name = (const char *)l->at + from->head + 4;

	c->hook = from->hook;
	c->entries = c->left = from->entries;
	c->pos = from->head + EBT_HEAD;
	c->added = 1;
	c->rules = c->entries + 1;
	if (from->hook == XT2_HOOK_NONE)
		memcpy(c->name, name, strnlen(name, sizeof(c->name) - 1));
}

struct packer {
	struct xt2_legacy *l;
	struct xt2_legacy_sink *sink;
	struct xt2_rule *rule;
	u8 *at;
};

/* => number of an instance, or -errno */
static int carry(struct packer *p, u32 pos, bool target, bool *comment)
{
	struct xt2_legacy *l = p->l;
	const u8 *ext = l->at + pos, *data = ext + ebt_header(l->compat);
	const struct legacy_known *k;
	const struct ebt_known *own;
	u8 kind = target ? XT2_INSTANCE_TARGET : XT2_INSTANCE_MATCH;
	u32 index, size;
	int err;

	k = ebt_known_find(&l->cache, target, (const char *)ext, target ? 0 : ext[LEGACY_REVISION],
			   &own, &index, &err);
	if (k->size == EBT_ANY_SIZE)
		return p->sink->instance(p->sink->data, kind, k->revision, k->name, data,
					 ebt_among_size(data));
	ebt_payload_in(k, own, l->compat, data, l->payload);
	size = legacy_native(k);
	*comment = !target && !strncmp(k->name, "comment", EBT_NAME);
	if (*comment) {
		kind = XT2_INSTANCE_COMMENT;
		size = (u32)strnlen((const char *)l->payload, k->size);
	}
	return p->sink->instance(p->sink->data, kind, k->revision, k->name, l->payload, size);
}

/* A match or watcher. */
static int add_ext(struct packer *p, u32 pos, bool watcher)
{
	struct xt2_match *m = (struct xt2_match *)p->at;
	bool comment = false;
	int number = carry(p, pos, watcher, &comment);

	if (number < 0)
		return number;
	*m = (struct xt2_match){ .type = comment ? XT2_M_COMMENT : XT2_M_FOREIGN,
				 .size = sizeof(*m),
				 .arg = (u32)number };
	p->at += sizeof(*m);
	return (u32)(p->at - (u8 *)p->rule) > XT2_RULE_MAX ? -E2BIG : 0;
}

static int add_exts(struct packer *p, u32 at, u32 end, bool watchers)
{
	u32 size;
	int err;

	for (; at < end; at += ebt_header(p->l->compat) + size) {
		size = legacy_u32(p->l->at + at + 32);
		err = add_ext(p, at, watchers);
		if (err)
			return err;
	}
	return 0;
}

/* From where a hook leads, jumps are to user chains.  The kernel drops at any other. */
static u32 standard_target(const struct packer *p, s32 verdict)
{
	const struct xt2_legacy_ebt_chain_ *to;

	if (verdict < 0)
		return XT2_TARGET(legacy_kind_of(p->l->f, verdict), 0);
	to = ebt_chain_at(p->l, (u32)verdict);
	if (!to || to->hook != XT2_HOOK_NONE)
		return XT2_TARGET(XT2_T_DROP, 0);
	return XT2_TARGET(XT2_T_JUMP, p->sink->chain ? p->sink->chain[to->number] : to->number);
}

static int add_target(struct packer *p, u32 pos)
{
	const u8 *ext = p->l->at + pos;
	bool comment;
	int number;

	if (ebt_is_standard(ext)) {
		p->rule->target =
			standard_target(p, (s32)legacy_u32(ext + ebt_header(p->l->compat)));
		return 0;
	}
	number = carry(p, pos, true, &comment);
	if (number < 0)
		return number;
	p->rule->target = XT2_TARGET(XT2_T_FOREIGN, number);
	return 0;
}

static int pack_rule(struct packer *p, u32 pos)
{
	struct ebt_entry e;
	int err;

	memcpy(&e, p->l->at + pos, sizeof(e));
	memset(p->rule, 0, sizeof(*p->rule));
	p->at = (u8 *)(p->rule + 1);
	p->at += ebt_base_pack(&e, p->at);
	err = add_exts(p, pos + EBT_ENTRY, pos + e.watchers_offset, false);
	if (!err)
		err = add_exts(p, pos + e.watchers_offset, pos + e.target_offset, true);
	if (!err)
		err = add_target(p, pos + e.target_offset);
	if (err)
		return err;
	p->rule->size = p->rule->target_offset = (u16)(p->at - (u8 *)p->rule);
	return 1;
}

int legacy_ebt_rule(struct xt2_legacy *l, struct xt2_legacy_chain *c, struct xt2_legacy_sink *sink)
{
	struct packer p = { .l = l, .sink = sink, .rule = (struct xt2_rule *)sink->rule };
	u32 pos = c->pos;
	int ret;

	if (c->left) {
		ret = pack_rule(&p, pos);
		if (ret < 0)
			return ret;
		c->left--;
		c->pos += legacy_u32(l->at + pos + offsetof(struct ebt_entry, next_offset));
		return 1;
	}
	if (!c->added)
		return 0;
	c->added = 0;
	*p.rule = (struct xt2_rule){
		.size = sizeof(*p.rule),
		.target_offset = sizeof(*p.rule),
		.target = XT2_TARGET(l->ebt_chain[l->ebt_order[c->number]].policy, 0),
	};
	return 1;
}
