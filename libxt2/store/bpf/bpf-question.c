/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf-question.c - programs that tell companions which packets are theirs: kernel/bpf/act.bpf.c */
#include "bpf-companion.h"

#include <libnftnl/chain.h>
#include <linux/netfilter/xt_bpf.h>

extern const char xt2_bpf_act[], xt2_bpf_act_end[];

static const char *const names[] = {
	[XT2_QUESTION_IDLE] = "xt2_idle",     [XT2_QUESTION_WAY] = "xt2_way",
	[XT2_QUESTION_ACT] = "xt2_act",	      [XT2_QUESTION_WALKED] = "xt2_walked",
	[XT2_QUESTION_BRANCH] = "xt2_branch", [XT2_QUESTION_STEP] = "xt2_step",
	[XT2_QUESTION_HOLDS] = "xt2_holds",   [XT2_QUESTION_ASKS] = "xt2_asks",
	[XT2_QUESTION_DEFER] = "xt2_defer",   [XT2_QUESTION_DONE] = "xt2_done",
	[XT2_QUESTION_SAME] = "xt2_same",     [XT2_QUESTION_TAKE] = "xt2_take",
	[XT2_QUESTION_WANTS] = "xt2_wants",   [XT2_QUESTION_YES] = "xt2_yes",
};

/* Loaded once by a process, and copied with other constants. */
struct xt2_questions_ {
	struct bpf_object *object; /* NULL: nothing is loaded yet */
	int constants; /* file descriptor of the map that its programs read them from */
};

int xt2_questions_new_(struct xt2_questions_ **q)
{
	*q = calloc(1, sizeof(**q));
	return *q ? 0 : -ENOMEM;
}

void xt2_questions_free_(struct xt2_questions_ *q)
{
	if (q)
		bpf_object__close(q->object);
	free(q);
}

/* What the tables' programs note, and hear. */
static int reuse_maps(const struct xt2_live *host, struct bpf_object *object)
{
	static const struct {
		const char *name;
		enum xt2_pin pin;
	} maps[] = { { "notes", XT2_PIN_NOTES },
		     { "steps", XT2_PIN_STEPS },
		     { "answers", XT2_PIN_ANSWERS },
		     { "stopped", XT2_PIN_STOPPED } };
	int ret = 0;
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(maps) && !ret; i++)
		ret = bpf_map__reuse_fd(bpf_object__find_map_by_name(object, maps[i].name),
					host->fd[maps[i].pin]);
	return ret;
}

static int find_constants(struct xt2_questions_ *q)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, q->object)
	{
		if (strstr(bpf_map__name(map), ".rodata")) {
			q->constants = bpf_map__fd(map);
			return 0;
		}
	}
	return -ENOENT;
}

static int load_templates(const struct xt2_live *host, struct xt2_questions_ *q)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "xt2_act");
	int ret;

	xt2_live_prints_();
	q->object = bpf_object__open_mem(xt2_bpf_act, xt2_bpf_act_end - xt2_bpf_act, &opts);
	if (!q->object)
		return -errno;
	ret = reuse_maps(host, q->object);
	if (!ret)
		ret = bpf_object__load(q->object);
	if (!ret)
		ret = find_constants(q);
	if (ret) {
		bpf_object__close(q->object);
		q->object = NULL;
	}
	return ret;
}

/* => file descriptor of a map with constants, which programs only read */
static int make_constants(const struct xt2_question *question)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_RDONLY_PROG);
	const int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "xt2_question", sizeof(u32),
				      sizeof(*question), 1, &opts);
	const u32 key = 0;

	if (fd < 0)
		return -errno;
	if (!bpf_map_update_elem(fd, &key, question, BPF_ANY) && !bpf_map_freeze(fd))
		return fd;
	close(fd);
	return -ENOMEM;
}

/* A program that was loaded, with another map of constants.  => a file descriptor, -errno */
static int load_copy(const struct xt2_questions_ *q, const struct bpf_program *program,
		     int constants)
{
	const size_t n = bpf_program__insn_cnt(program);
	struct bpf_insn *copy = calloc(n, sizeof(*copy));
	int fd = -ENOMEM;
	size_t i;

	if (!copy)
		return fd;
	memcpy(copy, bpf_program__insns(program), n * sizeof(*copy));
	for (i = 0; i < n; i++)
		if (copy[i].code == (BPF_LD | BPF_IMM | BPF_DW) &&
		    copy[i].src_reg == BPF_PSEUDO_MAP_VALUE && copy[i].imm == q->constants)
			copy[i].imm = constants;
	fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, bpf_program__name(program), "GPL", copy, n,
			   NULL);
	free(copy);
	return fd < 0 ? -errno : fd;
}

int xt2_question_load_(const struct xt2_live *host, enum xt2_question_kind kind,
		       struct xt2_question question)
{
	struct xt2_questions_ *q = host->questions;
	int ret = q->object ? 0 : load_templates(host, q), constants;

	if (ret)
		return ret;
	constants = make_constants(&question);
	if (constants < 0)
		return constants;
	ret = load_copy(q, bpf_object__find_program_by_name(q->object, names[kind]), constants);
	close(constants);
	return ret;
}

/* By the match of "-m bpf". */
int xt2_question_put_(struct nftnl_rule *rule, int program)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "match");
	struct xt_bpf_info_v1 *info = e ? calloc(1, sizeof(*info)) : NULL;

	if (!info)
		return -ENOMEM;
	info->mode = XT_BPF_MODE_FD_ELF;
	info->fd = program;
	nftnl_expr_set_str(e, NFTNL_EXPR_MT_NAME, "bpf");
	nftnl_expr_set_u32(e, NFTNL_EXPR_MT_REV, 1);
	return nftnl_expr_set(e, NFTNL_EXPR_MT_INFO, info, sizeof(*info)) ? -ENOMEM : 0;
}

int xt2_companion_base_(struct xt2_nft *b, const char *table, const char *chain, const char *type,
			u32 hook, s32 priority)
{
	struct nftnl_chain *c = nftnl_chain_alloc();
	struct nlmsghdr *h;

	if (!c)
		return -ENOMEM;
	nftnl_chain_set_str(c, NFTNL_CHAIN_TABLE, table);
	nftnl_chain_set_str(c, NFTNL_CHAIN_NAME, chain);
	nftnl_chain_set_str(c, NFTNL_CHAIN_TYPE, type);
	nftnl_chain_set_u32(c, NFTNL_CHAIN_HOOKNUM, hook);
	nftnl_chain_set_s32(c, NFTNL_CHAIN_PRIO, priority);
	h = xt2_nft_message_(b, NFT_MSG_NEWCHAIN, NLM_F_CREATE);
	nftnl_chain_nlmsg_build_payload(h, c);
	xt2_nft_append_(b, h);
	nftnl_chain_free(c);
	return 0;
}
