/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-companion.c - rules of nf_tables that do what a BPF program can't: see kernel/bpf/act.h
 *
 * Those of the table filter; NAT's are in bpf-nat.c.
 *
 * At each hook where a table may ask for it, in this order: the table's program, a base chain
 * with a companion for each thing that rules ask for, and the gate.  Priorities just above
 * the program's are looked for that nobody has.  The chains are in tables of our own, one for each
 * family.
 *
 * REJECT's companions are the same for all rulesets.  A ruleset that becomes live has those of
 * the one before beside its own until no packet is under way between the two.  A missing
 * companion weakens nothing: the gate drops.
 */
#include "bpf-companion.h"
#include "engine/order.h"

#include <libnftnl/chain.h>
#include <libnftnl/udata.h>
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/netfilter_ipv4/ipt_REJECT.h>
#include <linux/netfilter_ipv6/ip6t_REJECT.h>

#define TABLE  "xt2"
#define FILTER "filter"
#define IDLE   0u /* the companion of packets that have no note */

/* What is at a hook. */
struct place {
	bool there; /* the chain */
	s32 priority; /* its */
	u32 acts; /* bits of its companions */
};

struct places {
	struct place at[XT2_POSTROUTING + 1];
};

/* --- what rules ask for -------------------------------------------------- */

u32 xt2_live_rule_acts_(const struct xt2_rule *r)
{
	if (XT2_TARGET_KIND(r->target) != XT2_T_REJECT ||
	    XT2_TARGET_ARG(r->target) >= XT2_REJECT_TYPES)
		return 0;
	return 1u << XT2_ACT_REJECT(XT2_TARGET_ARG(r->target));
}

void xt2_live_acts_(const struct xt2_image *img, u32 *acts)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	u32 i;

	acts[0] = acts[1] = 0;
	xt2_image_for_each_chain(c, i, img, root) {
		const u8 family = xt2_image_table(img, root, c->table)->family;

		if (family == XT2_IPV4 || family == XT2_IPV6)
			xt2_chain_for_each(r, &o, img, c)
				acts[family == XT2_IPV6] |= xt2_live_rule_acts_(r);
	}
}

/* => is it a hook at which packets may need companions? */
static bool acts_at(const struct xt2_image *img, const struct xt2_hook *h)
{
	const struct xt2_table *t = xt2_image_table(img, xt2_image_root(img), h->table);

	return xt2_live_hooked(img, h) && xt2_live_table_(t->name) == XT2_FILTER;
}

/* --- what is there ------------------------------------------------------- */

static void chain_name(char *name, size_t size, u8 family, u32 hook)
{
	snprintf(name, size, "filter-%s", xt2_hook_name(family, (int)hook));
}

/* => the place of a chain of ours, or NULL */
static struct place *place_of(struct places *p, u8 family, const char *table, const char *chain)
{
	char name[32];
	u32 i;

	for (i = 0; table && chain && !strcmp(table, TABLE) && i <= XT2_POSTROUTING; i++) {
		chain_name(name, sizeof(name), family, i);
		if (!strcmp(name, chain))
			return &p->at[i];
	}
	return NULL;
}

static int see_chain(const struct nlmsghdr *h, void *places)
{
	struct nftnl_chain *c = nftnl_chain_alloc();
	struct place *p = NULL;

	if (!c)
		return MNL_CB_ERROR;
	if (!nftnl_chain_nlmsg_parse(h, c))
		p = place_of(places, (u8)nftnl_chain_get_u32(c, NFTNL_CHAIN_FAMILY),
			     nftnl_chain_get_str(c, NFTNL_CHAIN_TABLE),
			     nftnl_chain_get_str(c, NFTNL_CHAIN_NAME));
	if (p && nftnl_chain_is_set(c, NFTNL_CHAIN_PRIO)) {
		p->there = true;
		p->priority = nftnl_chain_get_s32(c, NFTNL_CHAIN_PRIO);
	}
	nftnl_chain_free(c);
	return MNL_CB_OK;
}

static int see_comment(const struct nftnl_udata *attr, void *act)
{
	if (nftnl_udata_type(attr) == NFTNL_UDATA_RULE_COMMENT)
		sscanf(nftnl_udata_get(attr), "companion %u", (u32 *)act);
	return 0;
}

static int see_rule(const struct nlmsghdr *h, void *places)
{
	struct nftnl_rule *r = nftnl_rule_alloc();
	struct place *p = NULL;
	u32 size = 0, act = XT2_ACTS;
	const void *said = NULL;

	if (!r)
		return MNL_CB_ERROR;
	if (!nftnl_rule_nlmsg_parse(h, r)) {
		p = place_of(places, (u8)nftnl_rule_get_u32(r, NFTNL_RULE_FAMILY),
			     nftnl_rule_get_str(r, NFTNL_RULE_TABLE),
			     nftnl_rule_get_str(r, NFTNL_RULE_CHAIN));
		said = nftnl_rule_get_data(r, NFTNL_RULE_USERDATA, &size);
	}
	if (said)
		nftnl_udata_parse(said, size, see_comment, &act);
	if (p && act < XT2_ACTS)
		p->acts |= 1u << act;
	nftnl_rule_free(r);
	return MNL_CB_OK;
}

/* Companions of a family.  => 0, -errno */
static int look(struct places *p, u8 family)
{
	struct nlmsghdr *h;
	struct xt2_nft b;
	int ret = xt2_nft_open_(&b);

	memset(p, 0, sizeof(*p));
	if (ret)
		return ret;
	xt2_nft_ask_(&b, family);
	h = xt2_nft_message_(&b, NFT_MSG_GETCHAIN, NLM_F_DUMP);
	xt2_nft_append_(&b, h);
	ret = xt2_nft_answer_(&b, see_chain, p);
	if (!ret) {
		xt2_nft_ask_(&b, family);
		h = xt2_nft_message_(&b, NFT_MSG_GETRULE, NLM_F_DUMP);
		mnl_attr_put_strz(h, NFTA_RULE_TABLE, TABLE);
		xt2_nft_append_(&b, h);
		ret = xt2_nft_answer_(&b, see_rule, p);
	}
	xt2_nft_close_(&b);
	return ret;
}

/* @p: NULL: its chain is as it was */
static bool whole_at(const struct xt2_links *links, const char *folder, const struct xt2_hook *h,
		     const struct place *p, u32 acts)
{
	const struct xt2_link *gate = xt2_gate_of_(links, folder, FILTER, h->family, h->hook);
	const struct xt2_link *program = xt2_program_at_(links, folder, FILTER, h->family, h->hook);

	if (!p)
		return gate && program;
	return p->there && gate && program && !((acts | 1u << IDLE) & ~p->acts) &&
	       program->priority < p->priority && p->priority < gate->priority;
}

/* Of the table filter, as xt2_nat_lacks_(). */
static unsigned int lacks(const struct xt2_links *links, const char *folder,
			  const struct xt2_image *img, const u32 *acts, bool same)
{
	const struct xt2_hook *h;
	unsigned int lacks = 0;
	struct places p[2];
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(p); i++)
		if (acts[i] && (!links || (!same && look(&p[i], xt2_nft_families_[i]))))
			lacks |= 1u << i;
	xt2_image_for_each_hook(h, i, img, xt2_image_root(img)) {
		const u32 six = h->family == XT2_IPV6;

		if (acts_at(img, h) && acts[six] && !(lacks >> six & 1) &&
		    !whole_at(links, folder, h, same ? NULL : &p[six].at[h->hook], acts[six]))
			lacks |= 1u << six;
	}
	return lacks;
}

unsigned int xt2_live_lacks(const struct xt2_live *host, const struct xt2_links *links,
			    const char *folder, const struct xt2_image *img)
{
	u32 acts[2];

	xt2_live_acts_(img, acts);
	return lacks(links, folder, img, acts, false) | xt2_nat_lacks_(host, links, folder, false) |
	       xt2_left_lacks_(host, links, folder, false);
}

bool xt2_live_lacks_any_(const struct xt2_live *host, const struct xt2_links *links,
			 const char *folder, const struct xt2_image *img)
{
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	struct xt2_state *state = xt2_live_state_();
	u32 generation;
	bool same, any;

	if (!l->acts[0] && !l->acts[1] && !l->nat && !l->left)
		return false;
	if (xt2_nft_generation_(&generation))
		return true;
	same = state->nft == generation + 1ull;
	any = lacks(links, folder, img, l->acts, same) ||
	      xt2_nat_lacks_(host, links, folder, same) ||
	      xt2_left_lacks_(host, links, folder, same);
	state->nft = any ? 0 : generation + 1ull;
	return any;
}

void xt2_live_changed_nft_(u32 transactions)
{
	struct xt2_state *state = xt2_live_state_();
	u32 generation;

	if (state->nft && !xt2_nft_generation_(&generation) &&
	    state->nft + transactions == generation + 1ull)
		state->nft = generation + 1ull;
	else
		state->nft = 0;
}

/* --- programs ------------------------------------------------------------ */

/* The programs of companions, by what they do; -1: none. */
struct programs {
	int fd[XT2_ACTS];
};

static void close_programs(const struct programs *p)
{
	u32 i;

	for (i = 0; i < XT2_ACTS; i++)
		if (p->fd[i] >= 0)
			close(p->fd[i]);
}

/* => 0, -errno */
static int load_programs(const struct xt2_live *host, u32 acts, struct programs *p)
{
	int ret = 0;
	u32 i;

	memset(p, -1, sizeof(*p));
	for (i = 0; i < XT2_ACTS && ret >= 0; i++)
		if (acts >> i & 1)
			ret = p->fd[i] = xt2_question_load_(
				host, i == IDLE ? XT2_QUESTION_IDLE : XT2_QUESTION_ACT,
				(struct xt2_question){ .mask = ~0u, .want = i });
	return ret < 0 ? ret : 0;
}

/* --- rules --------------------------------------------------------------- */

/* What REJECT says, in words of the protocol.  => a code of ICMP; -1: a TCP reset */
static int code_of(u8 family, u32 type)
{
	static const __s8 four[XT2_REJECT_TYPES] = {
		[IPT_ICMP_NET_UNREACHABLE] = ICMP_NET_UNREACH,
		[IPT_ICMP_HOST_UNREACHABLE] = ICMP_HOST_UNREACH,
		[IPT_ICMP_PROT_UNREACHABLE] = ICMP_PROT_UNREACH,
		[IPT_ICMP_PORT_UNREACHABLE] = ICMP_PORT_UNREACH,
		[IPT_ICMP_NET_PROHIBITED] = ICMP_NET_ANO,
		[IPT_ICMP_HOST_PROHIBITED] = ICMP_HOST_ANO,
		[IPT_TCP_RESET] = -1,
		[IPT_ICMP_ADMIN_PROHIBITED] = ICMP_PKT_FILTERED,
	};
	static const __s8 six[XT2_REJECT_TYPES] = {
		[IP6T_ICMP6_NO_ROUTE] = ICMPV6_NOROUTE,
		[IP6T_ICMP6_ADM_PROHIBITED] = ICMPV6_ADM_PROHIBITED,
		[IP6T_ICMP6_NOT_NEIGHBOUR] = ICMPV6_NOT_NEIGHBOUR,
		[IP6T_ICMP6_ADDR_UNREACH] = ICMPV6_ADDR_UNREACH,
		[IP6T_ICMP6_PORT_UNREACH] = ICMPV6_PORT_UNREACH,
		[IP6T_TCP_RESET] = -1,
		[IP6T_ICMP6_POLICY_FAIL] = ICMPV6_POLICY_FAIL,
		[IP6T_ICMP6_REJECT_ROUTE] = ICMPV6_REJECT_ROUTE,
	};

	return family == XT2_IPV6 ? six[type] : four[type];
}

static int put_reject(struct nftnl_rule *rule, u8 family, u32 type)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "reject");
	const int code = code_of(family, type);

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_REJECT_TYPE,
			   code < 0 ? NFT_REJECT_TCP_RST : NFT_REJECT_ICMP_UNREACH);
	nftnl_expr_set_u8(e, NFTNL_EXPR_REJECT_CODE, code < 0 ? 0 : (u8)code);
	return 0;
}

/* The next chain may go on. */
static int put_accept(struct nftnl_rule *rule)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "immediate");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DREG, NFT_REG_VERDICT);
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_VERDICT, NF_ACCEPT);
	return 0;
}

/* By it we know the rule again. */
static int put_comment(struct nftnl_rule *rule, u32 act)
{
	struct nftnl_udata_buf *said = nftnl_udata_buf_alloc(NFT_USERDATA_MAXLEN);
	char text[32];
	int ret = -ENOMEM;

	snprintf(text, sizeof(text), "companion %u", act);
	if (said && nftnl_udata_put_strz(said, NFTNL_UDATA_RULE_COMMENT, text) &&
	    !nftnl_rule_set_data(rule, NFTNL_RULE_USERDATA, nftnl_udata_buf_data(said),
				 nftnl_udata_buf_len(said)))
		ret = 0;
	if (said)
		nftnl_udata_buf_free(said);
	return ret;
}

/* => 0, -ENOMEM */
static int put_companion(struct xt2_nft *b, const char *chain, u32 act, int program)
{
	struct nftnl_rule *rule = nftnl_rule_alloc();
	int ret = rule ? xt2_question_put_(rule, program) : -ENOMEM;

	if (!ret)
		ret = act == IDLE ? put_accept(rule)
				  : put_reject(rule, b->family, act - XT2_ACT_REJECT(0));
	if (!ret)
		ret = put_comment(rule, act);
	if (!ret)
		return xt2_nft_rule_(b, TABLE, chain, rule);
	if (rule)
		nftnl_rule_free(rule);
	return ret;
}

/* The rules of a chain, or the chain. */
static void put_away(struct xt2_nft *b, u16 type, const char *chain)
{
	struct nlmsghdr *h = xt2_nft_message_(b, type, 0);

	_Static_assert(NFTA_RULE_TABLE == (int)NFTA_CHAIN_TABLE, "an attribute of both");
	mnl_attr_put_strz(h, NFTA_RULE_TABLE, TABLE);
	mnl_attr_put_strz(h, type == NFT_MSG_DELRULE ? NFTA_RULE_CHAIN : NFTA_CHAIN_NAME, chain);
	xt2_nft_append_(b, h);
}

/* All of a hook in one transaction: packets meet the companions before, or these.  => 0, -errno */
static int put_chain(const struct xt2_hook *h, const struct place *p, s32 priority, u32 acts,
		     const struct programs *programs)
{
	struct xt2_nft b;
	char name[32];
	int ret = xt2_nft_open_(&b);
	u32 i;

	if (ret)
		return ret;
	chain_name(name, sizeof(name), h->family, h->hook);
	xt2_nft_begin_(&b, h->family);
	xt2_nft_table_(&b, NFT_MSG_NEWTABLE, NLM_F_CREATE, TABLE);
	if (p->there)
		put_away(&b, NFT_MSG_DELRULE, name);
	if (p->there && p->priority != priority)
		put_away(&b, NFT_MSG_DELCHAIN, name);
	ret = xt2_companion_base_(&b, TABLE, name, "filter", h->hook, priority);
	for (i = 0; i < XT2_ACTS && !ret; i++)
		if (acts >> i & 1)
			ret = put_companion(&b, name, i, programs->fd[i]);
	if (!ret)
		ret = xt2_nft_commit_(&b);
	xt2_nft_close_(&b);
	return ret;
}

/* --- a hook -------------------------------------------------------------- */

static int no_companions(struct xt2_err *err, const struct xt2_hook *h, int ret)
{
	const bool system = ret == -ENOMEM || ret == -EPERM || ret == -EBUSY;

	xt2_err_set(err, system ? XT2_E_SYSTEM : XT2_E_UNSUPPORTED, -ret,
		    "cannot have nf_tables carry out REJECT at %s of %s: %s",
		    xt2_hook_name(h->family, h->hook), xt2_family_name(h->family),
		    ret == -EBUSY ? "the priorities after that of the table are taken"
				  : strerror(-ret));
	if (!system)
		xt2_err_hint(err, "the kernel needs CONFIG_NF_TABLES, CONFIG_NFT_COMPAT, "
				  "CONFIG_NETFILTER_XT_MATCH_BPF and CONFIG_NFT_REJECT");
	return ret;
}

/* After the table's program, and before the gate.  *at: in: of the program; out: of the chain */
static int put_hook(const struct xt2_hook *h, const struct place *p, s32 *at, u32 acts,
		    const struct programs *programs)
{
	const s32 first = *at + (s32)XT2_AFTER_STOPS + 1; /* steps come before */
	int ret;

	*at = p->there && p->priority >= first ? p->priority : first;
	do {
		ret = put_chain(h, p, *at, acts, programs);
	} while (ret == -EBUSY && ++*at <= first + XT2_COMPANION_PRIORITIES);
	return ret;
}

static int act_at(const struct xt2_live *host, const char *folder, const struct xt2_links *links,
		  const struct xt2_hook *h, const struct place *p, u32 acts,
		  const struct programs *programs)
{
	const struct xt2_link *program, *gate;
	s32 at;
	int ret;

	program = xt2_program_at_(links, folder, FILTER, h->family, h->hook);
	if (!program)
		return -ENOENT;
	at = program->priority;
	ret = put_hook(h, p, &at, acts, programs);
	gate = xt2_gate_of_(links, folder, FILTER, h->family, h->hook);
	if (ret || (gate && gate->priority > at))
		return ret;
	return xt2_gate_attach_(host, folder, FILTER, h->family, h->hook, at);
}

static int act_family(const struct xt2_live *host, const char *folder,
		      const struct xt2_links *links, const struct xt2_image *img, u8 family,
		      u32 acts, struct xt2_err *err)
{
	const struct xt2_hook *h;
	struct programs programs;
	struct places places;
	int ret;
	u32 i;

	ret = load_programs(host, acts, &programs);
	if (ret) {
		close_programs(&programs);
		return xt2_live_refused_(-ret, err);
	}
	ret = look(&places, family);
	if (ret)
		xt2_err_set(err, XT2_E_SYSTEM, -ret, "cannot ask nf_tables: %s", strerror(-ret));
	xt2_image_for_each_hook(h, i, img, xt2_image_root(img)) {
		if (ret || h->family != family || !acts_at(img, h))
			continue;
		ret = act_at(host, folder, links, h, &places.at[h->hook], acts, &programs);
		if (ret)
			no_companions(err, h, ret);
	}
	close_programs(&programs);
	return ret;
}

/* Beside those of the ruleset that is live.  => 0, -errno */
static int act(const struct xt2_live *host, const char *folder, const struct xt2_links *links,
	       const struct xt2_image *img, const u32 *wanted, struct xt2_err *err)
{
	const struct xt2_live_ruleset *live = host->ruleset ? xt2_live_at_(host->ruleset) : NULL;
	u32 acts[2], missing, i;
	int ret = 0;

	for (i = 0; i < XT2_ARRAY_SIZE(acts); i++)
		acts[i] = wanted[i] | (wanted[i] && live ? live->acts[i] : 0);
	missing = lacks(links, folder, img, acts, false);
	for (i = 0; i < XT2_ARRAY_SIZE(acts) && !ret; i++)
		if (missing >> i & 1)
			ret = act_family(host, folder, links, img, xt2_nft_families_[i],
					 acts[i] | 1u << IDLE, err);
	return ret;
}

int xt2_live_act(const struct xt2_live *host, const char *folder, const struct xt2_image *img,
		 bool live, struct xt2_err *err)
{
	struct xt2_links *links = NULL;
	u32 acts[2];
	int ret;

	xt2_live_acts_(img, acts);
	if (!acts[0] && !acts[1] && !xt2_live_nats(img) && !xt2_left_count_(img))
		return 0;
	if (xt2_links_read(&links, folder, true))
		return xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP,
				   "the kernel does not say what is attached to its hooks");
	if (xt2_gates_lost_(folder, links))
		xt2_guards_close_();
	ret = act(host, folder, links, img, acts, err);
	if (!ret)
		ret = xt2_nat_act_(host, folder, links, img, live, err);
	if (!ret)
		ret = xt2_left_act_(host, folder, links, img, live, err);
	if (xt2_live_state_()->closed) /* they have come back */
		xt2_guards_open_(host);
	xt2_links_free(links);
	return ret;
}

/*
 * @all: the folder was cleared: there may be a table without a gate
 * @gates: of the table filter, that steps need
 */
static void unact(const struct xt2_live *host, const char *folder, u8 family, bool all, bool gates)
{
	struct xt2_nft b;

	all |= gates || xt2_gates_detach_(host, folder, FILTER, family);
	if (!all || xt2_nft_open_(&b))
		return;
	xt2_nft_begin_(&b, family);
	xt2_nft_table_(&b, NFT_MSG_DELTABLE, 0, TABLE);
	xt2_nft_commit_(&b);
	xt2_nft_close_(&b);
}

void xt2_live_unact(const struct xt2_live *host, const char *folder, const struct xt2_image *img)
{
	u32 acts[2] = { 0, 0 }, i;

	if (img)
		xt2_live_acts_(img, acts);
	for (i = 0; i < XT2_ARRAY_SIZE(acts); i++)
		if (!acts[i])
			unact(host, folder, xt2_nft_families_[i], !img,
			      xt2_left_has_steps_(host, XT2_FILTER, i));
	xt2_nat_unact_(host, folder, img);
	xt2_left_unact_(host, folder);
}
