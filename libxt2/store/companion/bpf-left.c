/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-left.c - companions that ask questions and do steps: see kernel/bpf/act.h
 *
 * At each hook where a table's rules have questions, a chain just before the table's program asks
 * all of them; where they have steps, a chain just after it leads the packet to one step
 * after the other, through a tree as NAT's (bpf-nat.c), until it has none left.  A rule that did not
 * do what it should cannot lead to another step: each is in a chain of its own.
 *
 * A ruleset has companions of its own, in a table of its region, as NAT has.
 */
#include "bpf-left.h"
#include "bpf-bound.h"

#include <libnftnl/chain.h>
#include <linux/netfilter_ipv4/ipt_TTL.h>

#define DIGITS	   8u /* of a number, of two bits each */
#define ROUNDS	   16u /* steps that a chain leads to; and the base chain goes to it so often */
#define HOPS	   256u
#define ALL_ROUNDS ((XT2_STEPS_MAX + ROUNDS - 1) / ROUNDS)

struct maker {
	const struct xt2_live *host;
	const struct xt2_links *links;
	const char *folder;
	const struct xt2_image *img;
	const struct xt2_left_plan *plan;
	u32 region, digits, table, hook; /* table: enum xt2_program */
	u8 family;
	bool attached; /* a program that goes on after stops */
	struct xt2_nft b;
	int walked, step, asks, yes; /* programs; < 0: not loaded */
	int branch[DIGITS][4];
	int holds[XT2_QUESTIONS];
	int *wants; /* by number of a question of stops, of all tables */
	u32 wanted;
	int defer[XT2_ACT_BOUND_MAX], done[XT2_ACT_BOUND_MAX];
	const struct xt2_left_ext *at; /* what is being put */
	bool target; /* it is one */
	struct xt2_err *err;
};

/* --- programs ------------------------------------------------------------------ */

static int load(struct maker *m, int *program, enum xt2_question_kind kind, u32 shift, u32 mask,
		u32 want)
{
	if (*program < 0)
		*program = xt2_question_load_(m->host, kind,
					      (struct xt2_question){ shift, mask, want });
	return *program;
}

static void close_all(const int *program, u32 n)
{
	while (n--)
		if (program[n] >= 0)
			close(program[n]);
}

static void close_programs(const struct maker *m)
{
	close_all((int[]){ m->walked, m->step, m->asks, m->yes }, 4);
	close_all(m->branch[0], DIGITS * 4);
	close_all(m->holds, XT2_QUESTIONS);
	close_all(m->wants, m->wanted);
	free(m->wants);
	close_all(m->defer, XT2_ACT_BOUND_MAX);
	close_all(m->done, XT2_ACT_BOUND_MAX);
}

/* --- messages -------------------------------------------------------------------- */

static const char *hook_name(const struct maker *m)
{
	return xt2_hook_name(m->family, (int)m->hook);
}

/* A chain of a hook. */
static void name_chain(const struct maker *m, char *name, size_t size, const char *what)
{
	snprintf(name, size, "%s-%s-%s", what, xt2_live_table_name_(m->table), hook_name(m));
}

/* A chain of so many low digits, for the numbers that begin with a prefix. */
static void name_branch(const struct maker *m, char *name, size_t size, u32 digits, u32 prefix)
{
	char what[48];

	if (digits)
		snprintf(what, sizeof(what), "way%u.%u", digits, prefix);
	if (digits)
		name_chain(m, name, size, what);
	else
		snprintf(name, size, "step%u", prefix);
}

static int go_on(struct maker *m)
{
	int ret;

	if (!xt2_nft_is_full_(&m->b))
		return 0;
	ret = xt2_nft_commit_(&m->b);
	xt2_nft_begin_(&m->b, m->family);
	return ret;
}

static int put_chain(struct maker *m, const char *name)
{
	struct nlmsghdr *h = xt2_nft_message_(&m->b, NFT_MSG_NEWCHAIN, NLM_F_CREATE);

	mnl_attr_put_strz(h, NFTA_CHAIN_TABLE, xt2_left_tables_[m->region]);
	mnl_attr_put_strz(h, NFTA_CHAIN_NAME, name);
	xt2_nft_append_(&m->b, h);
	return go_on(m);
}

/* @verdict: NF_ACCEPT, NFT_JUMP, NFT_GOTO  => 0, -ENOMEM */
static int put_verdict(struct nftnl_rule *rule, int verdict, const char *chain)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "immediate");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DREG, NFT_REG_VERDICT);
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_VERDICT, (u32)verdict);
	return chain && nftnl_expr_set_str(e, NFTNL_EXPR_IMM_CHAIN, chain) ? -ENOMEM : 0;
}

/* => a rule that asks the program first, unless that is 0; NULL: *ret */
static struct nftnl_rule *new_rule(int program, int *ret)
{
	struct nftnl_rule *rule = program < 0 ? NULL : nftnl_rule_alloc();

	*ret = program < 0 ? program : rule ? 0 : -ENOMEM;
	if (rule && program)
		*ret = xt2_question_put_(rule, program);
	return rule;
}

/* The rule is freed.  => 0, -errno */
static int put_rule(struct maker *m, const char *chain, struct nftnl_rule *rule, int ret)
{
	if (ret) {
		if (rule)
			nftnl_rule_free(rule);
		return ret;
	}
	ret = xt2_nft_rule_(&m->b, xt2_left_tables_[m->region], chain, rule);
	return ret ? ret : go_on(m);
}

/* --- steps ------------------------------------------------------------------------- */

static bool raises(const struct xt2_left_ext *ext)
{
	const struct ipt_TTL_info *info = (const void *)ext->data;

	return (!strcmp(ext->name, "TTL") || !strcmp(ext->name, "HL")) && info->mode != IPT_TTL_SET;
}

static int put_drop(struct maker *m, const char *chain)
{
	int ret;
	struct nftnl_rule *rule = new_rule(0, &ret);

	if (!ret)
		ret = put_verdict(rule, NF_DROP, NULL);
	return put_rule(m, chain, rule, ret);
}

/* A step that another table's chain does is noted. */
static int put_defer(struct maker *m, const char *chain, u32 number)
{
	const u32 bit = xt2_bound_bit_(m->plan, number);
	struct nftnl_rule *rule;
	int ret;

	if (bit >= XT2_ACT_BOUND_MAX)
		return -E2BIG;
	rule = new_rule(load(m, &m->defer[bit], XT2_QUESTION_DEFER, 0, 0,
			     XT2_ACT_BOUND(m->region, bit)),
			&ret);
	return put_rule(m, chain, rule, ret);
}

/* ext: NULL: the hop count is set.  => 0, -errno */
static int put_leaf(struct maker *m, u32 number, const struct xt2_left_ext *ext)
{
	const int program = load(m, &m->step, XT2_QUESTION_STEP, 0, 0, 0);
	struct nftnl_rule *rule;
	char chain[64];
	int ret;

	name_branch(m, chain, sizeof(chain), 0, number);
	ret = put_chain(m, chain);
	if (ret)
		return ret;
	m->at = ext;
	m->target = true;
	if (ext && xt2_step_is_bound_(ext))
		return put_defer(m, chain, number);
	rule = new_rule(program, &ret);
	if (!ret)
		ret = ext ? xt2_step_put_(rule, ext, m->family)
			  : xt2_step_put_hops_(rule, m->family, (u8)(number - m->plan->hops_at));
	if (!ret && ext && xt2_step_may_fail_(ext))
		ret = put_verdict(rule, NFT_RETURN, NULL);
	ret = put_rule(m, chain, rule, ret);
	return !ret && ext && xt2_step_may_fail_(ext) ? put_drop(m, chain) : ret;
}

/* All of the family.  One that cannot be had is sent by itself, so the kernel says which. */
static int put_leaves(struct maker *m)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < m->plan->steps && !ret; i++)
		if (!raises(m->plan->step[i].ext))
			ret = put_leaf(m, i, m->plan->step[i].ext);
	for (i = 0; m->plan->hops && i < HOPS && !ret; i++)
		ret = put_leaf(m, m->plan->hops_at + i, NULL);
	return ret;
}

/* Can packets meet this step at the hook? */
static bool is_met(const struct maker *m, u32 number)
{
	const struct xt2_left_plan *p = m->plan;
	u32 i;

	if (number < p->steps)
		return p->step[number].hooks[m->table] >> m->hook & 1 &&
		       !raises(p->step[number].ext);
	for (i = 0; i < p->steps; i++)
		if (raises(p->step[i].ext) && p->step[i].hooks[m->table] >> m->hook & 1)
			return true;
	return false;
}

static int put_way(struct maker *m, const char *chain, u32 digits, u32 prefix)
{
	const u32 digit = prefix & 3;
	char to[64];
	int ret;
	struct nftnl_rule *rule = new_rule(load(m, &m->branch[digits - 1][digit],
						XT2_QUESTION_BRANCH, 2 * (digits - 1), 3, digit),
					   &ret);

	name_branch(m, to, sizeof(to), digits - 1, prefix);
	if (!ret)
		ret = put_verdict(rule, NFT_GOTO, to);
	return put_rule(m, chain, rule, ret);
}

/* The chains of so many low digits; what they lead to is there.  => 0, -errno */
static int put_level(struct maker *m, u32 digits)
{
	const u32 low = 2 * (digits - 1), end = m->plan->steps + (m->plan->hops ? HOPS : 0);
	u32 i, chain_of = ~0u, way_of = ~0u;
	char chain[64] = "";
	int ret = 0;

	for (i = 0; i < end && !ret; i++) {
		if (!is_met(m, i))
			continue;
		if (i >> low >> 2 != chain_of) {
			chain_of = i >> low >> 2;
			name_branch(m, chain, sizeof(chain), digits, chain_of);
			ret = put_chain(m, chain);
		}
		if (!ret && i >> low != way_of)
			ret = put_way(m, chain, digits, i >> low);
		way_of = i >> low;
	}
	return ret;
}

/* A rule of a verdict alone, or one for packets to which a program says yes. */
static int put_go(struct maker *m, const char *chain, int program, int verdict, const char *to)
{
	int ret;
	struct nftnl_rule *rule = new_rule(program, &ret);

	if (!ret)
		ret = put_verdict(rule, verdict, to);
	return put_rule(m, chain, rule, ret);
}

/* "Nothing left to do: go on", which is the verdict; then: jump there, so often. */
static int put_rounds(struct maker *m, const char *chain, const char *to, u32 times, bool each,
		      int verdict)
{
	int ret = 0, walked = load(m, &m->walked, XT2_QUESTION_WALKED, 0, 0, m->region);
	u32 i;

	for (i = 0; i < times && !ret; i++) {
		if (each || !i)
			ret = put_go(m, chain, walked, verdict, NULL);
		if (!ret)
			ret = put_go(m, chain, 0, NFT_JUMP, to);
	}
	return ret;
}

/* Does the hook have any? */
static bool has_steps(const struct maker *m)
{
	u32 i;

	for (i = 0; i < m->plan->steps; i++)
		if (m->plan->step[i].hooks[m->table] >> m->hook & 1)
			return true;
	return false;
}

/* => the priority after the program that the hook's last steps have */
static s32 steps_at(const struct maker *m, s32 program)
{
	return program + (m->table == XT2_NAT ? 1 : (s32)XT2_AFTER_STOPS);
}

static int put_base(struct maker *m, const char *chain, s32 priority)
{
	const bool route = m->table == XT2_MANGLE && m->hook == XT2_OUTPUT; /* by a new mark */

	return xt2_companion_base_(&m->b, xt2_left_tables_[m->region], chain,
				   route ? "route" : "filter", m->hook, priority);
}

/* A chain that leads to steps, so often; and one that does so until there are none. */
static int put_steps(struct maker *m, s32 program)
{
	char base[64], rounds[64], top[64];
	int ret = 0;
	u32 digits;

	for (digits = 1; digits <= m->digits && !ret; digits++)
		ret = put_level(m, digits);
	name_branch(m, top, sizeof(top), m->digits, 0);
	name_chain(m, rounds, sizeof(rounds), "rounds");
	name_chain(m, base, sizeof(base), "do");
	if (!ret)
		ret = put_chain(m, rounds);
	if (!ret)
		ret = put_rounds(m, rounds, top, ROUNDS, true, NF_ACCEPT);
	if (!ret)
		ret = put_base(m, base, steps_at(m, program));
	if (!ret)
		ret = put_rounds(m, base, rounds, ALL_ROUNDS, false, NF_ACCEPT);
	return ret;
}

/* --- stops ---------------------------------------------------------------------------- */

static void name_stop(const struct maker *m, char *name, size_t size,
		      const struct xt2_left_item *item)
{
	snprintf(name, size, "question%u-%s", item->number, xt2_live_table_name_(m->table));
}

/* In a chain of its own: what the kernel remembers for it, hooks have together. */
static int put_stop_question(struct maker *m, const struct xt2_left_item *item)
{
	const int yes = load(m, &m->yes, XT2_QUESTION_YES, 0, 0, 0);
	const u32 rules = xt2_question_rules_(item->ext, m->family);
	const int wants = load(m, &m->wants[m->wanted++], XT2_QUESTION_WANTS, m->region, m->table,
			       item->number + 1);
	struct nftnl_rule *rule;
	char chain[64];
	int ret;
	u32 i;

	name_stop(m, chain, sizeof(chain), item);
	ret = put_chain(m, chain);
	m->at = item->ext;
	m->target = false;
	for (i = 0; i < rules && !ret; i++) {
		rule = new_rule(wants, &ret);
		if (!ret)
			ret = xt2_question_match_(rule, item->ext, m->family, i);
		if (!ret)
			ret = yes < 0 ? yes : xt2_question_put_(rule, yes);
		ret = put_rule(m, chain, rule, ret);
	}
	return ret;
}

static int put_stop_questions(struct maker *m)
{
	const struct xt2_left_plan *p = m->plan;
	int ret = 0;
	u32 i, n = 0;

	for (m->table = 0; m->table < XT2_PROGRAMS; m->table++)
		n += p->stops[m->table];
	m->wants = malloc((n + 1ull) * sizeof(*m->wants));
	if (!m->wants)
		return -ENOMEM;
	memset(m->wants, -1, n * sizeof(*m->wants));
	for (m->table = 0; m->table < XT2_PROGRAMS && !ret; m->table++)
		for (i = 0; i < p->stops[m->table] && !ret; i++)
			ret = put_stop_question(m, &p->stop[m->table][i]);
	return ret;
}

/* The steps that are due at a stop, of a hook that has some.  chain: out: what leads to them */
static int put_due(struct maker *m, char *chain, size_t size)
{
	char top[64];
	int ret;

	name_branch(m, top, sizeof(top), m->digits, 0);
	name_chain(m, chain, size, "due");
	ret = put_chain(m, chain);
	return ret ? ret : put_rounds(m, chain, top, ROUNDS, true, NFT_RETURN);
}

/* For each stop: the steps that are due, then all questions. */
static int put_stops(struct maker *m, s32 program)
{
	const struct xt2_left_plan *p = m->plan;
	const int walked = load(m, &m->walked, XT2_QUESTION_WALKED, 0, 0, m->region);
	char questions[64], due[64], base[64], name[32];
	int ret;
	u32 i, round;

	name_chain(m, questions, sizeof(questions), "asked");
	ret = put_chain(m, questions);
	if (!ret && has_steps(m))
		ret = put_due(m, due, sizeof(due));
	for (i = 0; i < p->stops[m->table] && !ret; i++) {
		name_stop(m, base, sizeof(base), &p->stop[m->table][i]);
		if (p->stop[m->table][i].hooks[m->table] >> m->hook & 1)
			ret = put_go(m, questions, 0, NFT_JUMP, base);
	}
	for (i = 0; i < p->most[m->table][m->hook] && !ret; i++) {
		snprintf(name, sizeof(name), "stop%u", i);
		name_chain(m, base, sizeof(base), name);
		ret = put_base(m, base, program + (s32)XT2_AFTER_STOP(i));
		for (round = 0; round < ALL_ROUNDS && has_steps(m) && !ret; round++) {
			if (!round)
				ret = put_go(m, base, walked, NFT_GOTO, questions);
			if (!ret)
				ret = put_go(m, base, 0, NFT_JUMP, due);
		}
		if (!ret)
			ret = put_go(m, base, 0, NFT_GOTO, questions);
	}
	return ret;
}

/* --- questions ------------------------------------------------------------------------ */

static int put_question(struct maker *m, const char *chain, const struct xt2_left_item *item)
{
	const int program =
		load(m, &m->holds[item->number], XT2_QUESTION_HOLDS, item->number, 0, m->region);
	const int asks = load(m, &m->asks, XT2_QUESTION_ASKS, 0, 0, m->region);
	const u32 rules = xt2_question_rules_(item->ext, m->family);
	struct nftnl_rule *rule;
	int ret = program < 0 ? program : 0;
	u32 i;

	m->at = item->ext;
	m->target = false;
	for (i = 0; i < rules && !ret; i++) {
		rule = new_rule(asks, &ret);
		if (!ret)
			ret = xt2_question_match_(rule, item->ext, m->family, i);
		if (!ret)
			ret = xt2_question_put_(rule, program);
		ret = put_rule(m, chain, rule, ret);
	}
	return ret;
}

/* Before the program. */
static int put_questions(struct maker *m, s32 program)
{
	const struct xt2_left_item *item = m->plan->ask[m->table];
	char base[64];
	int ret;
	u32 i;

	name_chain(m, base, sizeof(base), "ask");
	ret = xt2_companion_base_(&m->b, xt2_left_tables_[m->region], base, "filter", m->hook,
				  program - XT2_BEFORE_ASK);
	for (i = 0; i < m->plan->asks[m->table] && !ret; i++, item++)
		if (item->hooks[m->table] >> m->hook & 1)
			ret = put_question(m, base, item);
	return ret;
}

/* --- hooks ---------------------------------------------------------------------------- */

static int put_hook(struct maker *m)
{
	const char *table = xt2_live_table_name_(m->table);
	const struct xt2_link *program =
		xt2_program_at_(m->links, m->folder, table, m->family, m->hook);
	int ret = program ? 0 : -ENOENT;

	if (!ret && has_steps(m)) {
		ret = put_steps(m, program->priority);
		m->target = true;
		if (!ret)
			ret = xt2_bound_put_(&(struct xt2_bound_place){ &m->b, m->host, m->plan,
									m->done, m->region,
									m->table, m->hook,
									m->family },
					     steps_at(m, program->priority) + 1, &m->at);
		if (!ret)
			ret = go_on(m);
	}
	if (!ret && m->plan->most[m->table][m->hook])
		ret = put_stops(m, program->priority);
	if (!ret && m->plan->ask_hooks[m->table] >> m->hook & 1)
		ret = put_questions(m, program->priority);
	return ret;
}

/* Before the questions. */
static int put_clear(struct maker *m)
{
	const struct xt2_link *program = xt2_program_at_(
		m->links, m->folder, xt2_live_table_name_(m->table), m->family, m->hook);

	if (!(m->plan->ask_hooks[m->table] >> m->hook & 1))
		return 0;
	return program ? xt2_clear_attach_(m->host, m->folder, m->links, program, m->table,
					   m->family, m->hook)
		       : -ENOENT;
}

/* A packet that somebody left without its steps is not let through.  Those of nat are there. */
static int put_gate(struct maker *m)
{
	const char *table = xt2_live_table_name_(m->table);
	const struct xt2_link *program, *gate;
	u32 stop;
	s32 after;
	int ret = 0;

	if (m->table == XT2_NAT || !(m->plan->step_hooks[m->table] >> m->hook & 1))
		return 0;
	program = xt2_program_at_(m->links, m->folder, table, m->family, m->hook);
	gate = xt2_gate_of_(m->links, m->folder, table, m->family, m->hook);
	if (!program)
		return -ENOENT;
	for (stop = 0; stop < m->plan->most[m->table][m->hook] && ret >= 0; stop++) {
		ret = xt2_again_attach_(m->host, m->folder, m->links, program, m->table, m->family,
					m->hook, stop);
		m->attached |= ret > 0;
	}
	ret = ret < 0 ? ret : 0;
	after = steps_at(m, program->priority) + 1;
	if (ret || (gate && gate->priority > after))
		return ret;
	return xt2_gate_attach_(m->host, m->folder, table, m->family, m->hook, after);
}

static int each_hook(struct maker *m, int (*put)(struct maker *))
{
	int ret = 0;

	for (m->table = 0; m->table < XT2_PROGRAMS && !ret; m->table++)
		for (m->hook = 0; m->hook <= XT2_POSTROUTING && !ret; m->hook++)
			if ((m->plan->step_hooks[m->table] | m->plan->ask_hooks[m->table]) >>
				    m->hook &
			    1)
				ret = put(m);
	return ret;
}

/* --- a table --------------------------------------------------------------------------- */

/* A new one, in the place of what another process may have left. */
static void put_table(struct maker *m)
{
	xt2_nft_table_(&m->b, NFT_MSG_NEWTABLE, NLM_F_CREATE, xt2_left_tables_[m->region]);
	xt2_nft_table_(&m->b, NFT_MSG_DELTABLE, 0, xt2_left_tables_[m->region]);
	xt2_nft_table_(&m->b, NFT_MSG_NEWTABLE, NLM_F_CREATE, xt2_left_tables_[m->region]);
}

static int put_all(struct maker *m)
{
	int ret;

	xt2_nft_begin_(&m->b, m->family);
	put_table(m);
	ret = put_leaves(m);
	if (!ret)
		ret = put_stop_questions(m);
	if (!ret)
		ret = each_hook(m, put_hook);
	return ret ? ret : xt2_nft_commit_(&m->b);
}

/* @bound: there may be some in tables of other names */
static void drop(u8 family, u32 region, bool bound)
{
	struct xt2_nft b;

	if (xt2_nft_open_(&b))
		return;
	xt2_nft_begin_(&b, family);
	xt2_nft_table_(&b, NFT_MSG_DELTABLE, 0, xt2_left_tables_[region]);
	xt2_nft_commit_(&b);
	xt2_nft_close_(&b);
	if (bound)
		xt2_bound_drop_(family, region);
}

static bool has_any(const struct xt2_left_plan *plan)
{
	u32 i, any = 0;

	for (i = 0; i < XT2_PROGRAMS; i++)
		any |= plan->step_hooks[i] | plan->ask_hooks[i];
	return any;
}

/* --- what the kernel lacks --------------------------------------------------------------- */

/* => the first that it lacks, or NULL */
static const struct xt2_left_ext *lacking(const struct maker *m, bool *target)
{
	const struct xt2_left_plan *p = m->plan;
	u32 i, t;

	*target = false;
	for (t = 0; t < XT2_PROGRAMS; t++)
		for (i = 0; i < p->asks[t]; i++)
			if (!xt2_nft_has_(m->family, p->ask[t][i].ext->name,
					  p->ask[t][i].ext->revision, false))
				return p->ask[t][i].ext;
	for (t = 0; t < XT2_PROGRAMS; t++)
		for (i = 0; i < p->stops[t]; i++)
			if (!xt2_nft_has_(m->family, p->stop[t][i].ext->name,
					  p->stop[t][i].ext->revision, false))
				return p->stop[t][i].ext;
	*target = true;
	for (i = 0; i < p->steps; i++)
		if (!xt2_nft_has_(m->family, p->step[i].ext->name, p->step[i].ext->revision, true))
			return p->step[i].ext;
	return NULL;
}

static int no_companions(const struct maker *m, int ret)
{
	const bool system = ret == -ENOMEM || ret == -EPERM;
	const struct xt2_left_ext *ext;
	bool target;

	ext = system ? NULL : lacking(m, &target);
	if (ext) {
		xt2_err_set(m->err, XT2_E_UNSUPPORTED, EOPNOTSUPP, "the kernel has no %s %s of %s",
			    target ? "target" : "match", ext->name, xt2_family_name(m->family));
		xt2_err_hint(m->err, "load its module, or build it: CONFIG_NETFILTER_XT_...");
		return -EOPNOTSUPP;
	}
	ext = m->at;
	xt2_err_set(m->err, system ? XT2_E_SYSTEM : XT2_E_UNSUPPORTED, -ret,
		    "cannot have nf_tables carry out %s%s of %s: %s",
		    ext && ret == -ENODEV ? "a match of an ipset that is not there, " : "",
		    ext ? ext->name : "rules", xt2_family_name(m->family), strerror(-ret));
	if (!system)
		xt2_err_hint(m->err, "the kernel needs CONFIG_NF_TABLES, CONFIG_NFT_COMPAT, "
				     "CONFIG_NETFILTER_XT_MATCH_BPF, and the match or target");
	return ret;
}

/* --- for everybody ------------------------------------------------------------------------ */

static int make(struct maker *m)
{
	const u32 steps = m->plan->steps + (m->plan->hops ? HOPS : 0);
	int ret = xt2_nft_open_(&m->b);

	if (ret)
		return no_companions(m, ret);
	m->walked = m->step = m->asks = m->yes = -1;
	memset(m->branch, -1, sizeof(m->branch));
	memset(m->holds, -1, sizeof(m->holds));
	memset(m->defer, -1, sizeof(m->defer));
	memset(m->done, -1, sizeof(m->done));
	for (m->digits = 1; m->digits < DIGITS && (steps - !!steps) >> 2 * m->digits;)
		m->digits++;
	ret = each_hook(m, put_gate);
	if (!ret)
		ret = each_hook(m, put_clear);
	if (!ret && m->attached) /* packets that have passed its place do not stop */
		ret = xt2_live_wait_(m->host);
	if (!ret)
		ret = put_all(m);
	close_programs(m);
	xt2_nft_close_(&m->b);
	if (!ret)
		return 0;
	drop(m->family, m->region, xt2_live_state_()->left & XT2_LEFT_BOUND);
	return no_companions(m, ret);
}

int xt2_left_act_(const struct xt2_live *host, const char *folder, const struct xt2_links *links,
		  const struct xt2_image *img, bool live, struct xt2_err *err)
{
	struct maker *m = xt2_left_count_(img) ? calloc(1, sizeof(*m)) : NULL;
	struct xt2_left_plan plan;
	int ret = 0;
	u32 i;

	if (!m)
		return xt2_left_count_(img) ? xt2_err_no_memory(err, " for companions") : 0;
	for (i = 0; i < XT2_NFT_FAMILIES && !ret; i++) {
		*m = (struct maker){ .host = host,
				     .links = links,
				     .folder = folder,
				     .img = img,
				     .plan = &plan,
				     .region = live ? host->region : xt2_live_next_(host),
				     .family = xt2_nft_families_[i],
				     .err = err };
		ret = live ? xt2_left_plan_live_(&plan, xt2_live_at_(host->ruleset), img, m->family)
			   : xt2_left_plan_(&plan, img, m->family, NULL);
		if (ret)
			no_companions(m, ret);
		else if (has_any(&plan)) {
			__atomic_or_fetch(&xt2_live_state_()->left, XT2_LEFT_ANY, __ATOMIC_RELAXED);
			ret = make(m);
		}
		xt2_left_plan_free_(&plan);
	}
	free(m);
	return ret;
}

void xt2_left_drop_(u32 region)
{
	u32 i;

	for (i = 0; i < XT2_NFT_FAMILIES; i++)
		drop(xt2_nft_families_[i], region, xt2_live_state_()->left & XT2_LEFT_BOUND);
}

void xt2_left_unact_(const struct xt2_live *host, const char *folder)
{
	const struct xt2_live_ruleset *l = host ? xt2_live_at_(host->ruleset) : NULL;
	u32 i, table, region;
	bool any = false, stops = false;

	if (host && !xt2_live_state_()->left)
		return;
	for (i = 0; i < XT2_NFT_FAMILIES; i++) {
		const bool used = l && host->ruleset && l->left && xt2_left_uses_(l, i);

		any |= used;
		for (table = 0; table < XT2_NAT; table++) {
			const bool may_stop = l && host->ruleset && xt2_left_may_stop_(l, table, i);

			stops |= may_stop;
			if (!may_stop)
				xt2_agains_detach_(host, folder, table, xt2_nft_families_[i]);
			if (table != XT2_FILTER && !xt2_left_has_steps_(host, table, i))
				xt2_gates_detach_(host, folder, xt2_live_table_name_(table),
						  xt2_nft_families_[i]);
		}
		for (table = 0; table < XT2_PROGRAMS; table++)
			if (!l || !host->ruleset || !l->left || !l->asks[table][i])
				xt2_clears_detach_(host, folder, table, xt2_nft_families_[i]);
		for (region = 0; region < XT2_REGIONS; region++)
			if (!used || region != host->region)
				drop(xt2_nft_families_[i], region,
				     !host || xt2_live_state_()->left & XT2_LEFT_BOUND);
	}
	if (!host)
		return;
	xt2_left_forget_(host, !host->region);
	if (!stops)
		__atomic_store_n(&xt2_live_state_()->stops, 0, __ATOMIC_RELEASE);
	if (!any)
		__atomic_store_n(&xt2_live_state_()->left, 0, __ATOMIC_RELAXED);
}
