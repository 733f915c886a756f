/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf-question.c - programs that tell companions which packets are theirs: kernel/bpf/act.bpf.c */
#include "bpf-companion.h"

#include <libnftnl/chain.h>
#include <linux/netfilter/xt_bpf.h>

extern const char xt2_bpf_act[], xt2_bpf_act_end[];

static const char *const names[] = {
	[XT2_QUESTION_IDLE] = "xt2_idle",
	[XT2_QUESTION_WAY] = "xt2_way",
	[XT2_QUESTION_ACT] = "xt2_act",
};

static int set_question(struct bpf_object *object, const struct xt2_question *question)
{
	struct bpf_map *map;
	size_t size;
	void *value;

	bpf_object__for_each_map(map, object)
	{
		value = strstr(bpf_map__name(map), ".rodata") ? bpf_map__initial_value(map, &size)
							      : NULL;
		if (value && size == sizeof(*question)) {
			memcpy(value, question, sizeof(*question));
			return 0;
		}
	}
	return -ENOENT;
}

static void load_only(struct bpf_object *object, enum xt2_question_kind kind)
{
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(names); i++)
		bpf_program__set_autoload(bpf_object__find_program_by_name(object, names[i]),
					  i == kind);
}

int xt2_question_load_(const struct xt2_live *host, enum xt2_question_kind kind,
		       struct xt2_question question)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "xt2_act");
	struct bpf_program *program;
	struct bpf_object *object;
	int ret;

	libbpf_set_print(NULL);
	object = bpf_object__open_mem(xt2_bpf_act, xt2_bpf_act_end - xt2_bpf_act, &opts);
	if (!object)
		return -errno;
	program = bpf_object__find_program_by_name(object, names[kind]);
	load_only(object, kind);
	ret = set_question(object, &question);
	if (!ret)
		ret = bpf_map__reuse_fd(bpf_object__find_map_by_name(object, "notes"),
					host->fd[XT2_PIN_NOTES]);
	if (!ret)
		ret = bpf_object__load(object);
	if (!ret) {
		ret = fcntl(bpf_program__fd(program), F_DUPFD_CLOEXEC, 3);
		ret = ret < 0 ? -errno : ret;
	}
	bpf_object__close(object);
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
