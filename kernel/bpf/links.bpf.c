/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * links.bpf.c - which netfilter links are attached, and to which network namespace
 *
 * bpf(2) tells a link's hook, but not its namespace; an iterator over links
 * may look.  A link holds its namespace, so it also says how many hold it: a
 * namespace that nobody but links holds can never be entered again.
 */
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define _LINUX_TYPES_H /* vmlinux.h has them */
#include "links.h"

#define MANY_NETS (1 << 20)

extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;

char _license[] SEC("license") = "GPL";

/* The names that the count of references had: before Linux 6.18, and since. */
struct ns_common___count {
	refcount_t count;
} __attribute__((preserve_access_index));
struct ns_common___ref {
	refcount_t __ns_ref;
} __attribute__((preserve_access_index));

static s32 references(struct net *net)
{
	struct ns_common *ns = (void *)net + bpf_core_field_offset(struct net, ns);

	if (!bpf_core_field_exists(struct bpf_nf_link, ns_tracker))
		return -1; /* links of this kernel hold no namespace */
	if (bpf_core_field_exists(struct ns_common___ref, __ns_ref))
		return BPF_CORE_READ((struct ns_common___ref *)ns, __ns_ref.refs.counter);
	if (bpf_core_field_exists(struct ns_common___count, count))
		return BPF_CORE_READ((struct ns_common___count *)ns, count.refs.counter);
	return -1;
}

SEC("iter/bpf_link") int xt2_links(struct bpf_iter__bpf_link *ctx)
{
	struct bpf_nf_link *nf = (void *)ctx->link;
	struct xt2_link l = { 0 };
	struct net *net;

	if (!nf || BPF_CORE_READ(nf, link.type) != BPF_LINK_TYPE_NETFILTER)
		return 0;
	net = BPF_CORE_READ(nf, net);
	l.cookie = BPF_CORE_READ(net, net_cookie);
	l.inode = BPF_CORE_READ(net, ns.inum);
	l.references = references(net);
	l.id = BPF_CORE_READ(nf, link.id);
	l.program = BPF_CORE_READ(nf, link.prog, aux, id);
	l.family = BPF_CORE_READ(nf, hook_ops.pf);
	l.hook = BPF_CORE_READ(nf, hook_ops.hooknum);
	l.priority = BPF_CORE_READ(nf, hook_ops.priority);
	BPF_CORE_READ_INTO(&l.name, nf, link.prog, aux, name);
	if (!BPF_CORE_READ(nf, dead)) /* else its namespace may be gone, too */
		bpf_seq_write(ctx->meta->seq, &l, sizeof(l));
	return 0;
}

struct search {
	struct list_head *first, *at;
	const void *ops; /* what tells a namespace from the head of the list */
	u64 cookie;
	bool found;
};

static long look(u64 i, struct search *s)
{
	struct list_head *at = s->at;
	struct net *net = (void *)at - bpf_core_field_offset(struct net, list);

	if (BPF_CORE_READ(net, ns.ops) == s->ops && BPF_CORE_READ(net, net_cookie) == s->cookie)
		s->found = true;
	s->at = BPF_CORE_READ(at, next);
	return s->found || s->at == s->first;
}

SEC("syscall") int xt2_find_net(struct xt2_net_question *q)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct net *net = BPF_CORE_READ(task, nsproxy, net_ns);
	struct search s = {
		.first = (void *)net + bpf_core_field_offset(struct net, list),
		.ops = BPF_CORE_READ(net, ns.ops),
		.cookie = q->cookie,
	};

	s.at = s.first;
	bpf_rcu_read_lock();
	bpf_loop(MANY_NETS, look, &s, 0);
	bpf_rcu_read_unlock();
	q->found = s.found;
	q->sure = s.found || s.at == s.first;
	return 0;
}
