// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hook.c - a packet at a netfilter hook
 *
 * Softirqs are off while a packet is evaluated, so a processor's evaluations are inside each
 * other (a target sends a packet, which meets the hooks as well), and never beside each other.
 * Each has a struct xt2k_run of its own.
 *
 * A sequence number of the processor is odd meanwhile.  A writer that has published another table
 * waits for each odd number to change, which takes microseconds where a grace period takes
 * milliseconds; then it may read the old counters and free the old table.  The barriers pair:
 * either the packet sees the new table or the writer sees the odd number.
 *
 * Source of the fields: ipt_do_table(), ip6t_do_table(), arpt_do_table().
 */
#include <linux/delay.h>
#include <linux/if_arp.h>
#include <linux/ipv6.h>
#include <linux/percpu.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <net/ipv6.h>
#include <net/netfilter/nf_conntrack.h>
#include "tables.h"

#define PATIENCE 4096 /* looks at a packet on its way, until a writer sleeps in between */

struct processor {
	unsigned int sequence;
	u32 depth;
	struct xt2k_run run[XT2K_RUNS];
};

static DEFINE_PER_CPU(struct processor *, processors); /* too large for a percpu variable */

/*
 * Kernels differ in an IPv6 extension header that claims to be longer than the packet (see
 * <xt2/pkt.h>), so this one is asked about such a packet.
 * => 1: it drops it; 0: it goes on; -ENOMEM
 */
static int ask_exthdrs(void)
{
	static const u8 cut[8] = { IPPROTO_UDP, 1 }; /* destination options of 16 bytes */
	const struct ipv6hdr head = { .version = 6, .nexthdr = NEXTHDR_DEST };
	struct sk_buff *skb = alloc_skb(sizeof(head) + sizeof(cut), GFP_KERNEL);
	unsigned int offset = 0;
	int ret;

	if (!skb)
		return -ENOMEM;
	skb_reset_network_header(skb);
	skb_put_data(skb, &head, sizeof(head));
	skb_put_data(skb, cut, sizeof(cut));
	ret = ipv6_find_hdr(skb, &offset, -1, NULL, NULL) < 0;
	kfree_skb(skb);
	return ret;
}

int xt2k_hooks_init(void)
{
	const int whole_exthdrs = ask_exthdrs();
	unsigned int cpu, i;

	if (whole_exthdrs < 0)
		return whole_exthdrs;
	for_each_possible_cpu(cpu) {
		struct processor *p = kvzalloc_node(sizeof(*p), GFP_KERNEL, cpu_to_node(cpu));

		if (!p) {
			xt2k_hooks_exit();
			return -ENOMEM;
		}
		for (i = 0; i < XT2K_RUNS; i++)
			p->run[i].pkt.whole_exthdrs = whole_exthdrs;
		per_cpu(processors, cpu) = p;
	}
	return 0;
}

void xt2k_hooks_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		kvfree(per_cpu(processors, cpu));
}

static struct processor *enter(void)
{
	struct processor *p;

	local_bh_disable();
	p = __this_cpu_read(processors);
	if (!p->depth++) {
		WRITE_ONCE(p->sequence, p->sequence + 1);
		smp_mb();
	}
	return p;
}

static void leave(struct processor *p)
{
	if (!--p->depth)
		smp_store_release(&p->sequence, p->sequence + 1);
	local_bh_enable();
}

void xt2k_packets_wait(void)
{
	unsigned int cpu, sequence, turns = 0;

	smp_mb();
	for_each_possible_cpu(cpu) {
		struct processor *p = per_cpu(processors, cpu);

		sequence = smp_load_acquire(&p->sequence);
		while (sequence & 1 && sequence == smp_load_acquire(&p->sequence)) {
			if (++turns < PATIENCE)
				cpu_relax();
			else /* its processor may be this one's, where softirqs are preempted */
				usleep_range(20, 100);
			cond_resched();
		}
	}
}

/* --- a packet's fields -------------------------------------------------------- */

/* Bytes that are in pages, or in other buffers: the caller of xt2_pkt_at() has seen that the packet has them. */
const u8 *xt2_pkt_beyond(struct xt2_pkt *pkt, u32 off, u32 len)
{
	struct xt2k_run *run = container_of(pkt, struct xt2k_run, pkt);
	u8 *to;

	if (len > XT2K_WINDOW)
		goto cut;
	run->window = (run->window + 1) % XT2K_WINDOWS;
	to = run->part[run->window];
	if (!skb_copy_bits(run->skb, skb_network_offset(run->skb) + off, to, len))
		return to;
cut:
	pkt->cut = 1;
	return NULL;
}

static void read_bytes(struct xt2k_run *run)
{
	struct sk_buff *skb = run->skb;
	const u32 want = min_t(u32, skb->len, XT2K_HEAD);

	run->pkt.data = skb_network_header(skb);
	run->pkt.caplen = skb_tail_pointer(skb) - skb_network_header(skb);
	run->pkt.len = skb->len;
	if (likely(run->pkt.caplen >= want) ||
	    skb_copy_bits(skb, skb_network_offset(skb), run->head, want))
		return;
	run->pkt.data = run->head;
	run->pkt.caplen = want;
}

static void read_tuples(struct xt2_pkt_ct *to, const struct nf_conn *ct)
{
	const struct nf_conntrack_tuple *orig = &ct->tuplehash[IP_CT_DIR_ORIGINAL].tuple;
	const struct nf_conntrack_tuple *repl = &ct->tuplehash[IP_CT_DIR_REPLY].tuple;

	memcpy(to->orig_src, &orig->src.u3, sizeof(to->orig_src));
	memcpy(to->orig_dst, &orig->dst.u3, sizeof(to->orig_dst));
	memcpy(to->repl_src, &repl->src.u3, sizeof(to->repl_src));
	memcpy(to->repl_dst, &repl->dst.u3, sizeof(to->repl_dst));
	to->orig_sport = ntohs(orig->src.u.all);
	to->orig_dport = ntohs(orig->dst.u.all);
	to->repl_sport = ntohs(repl->src.u.all);
	to->repl_dport = ntohs(repl->dst.u.all);
	to->proto = orig->dst.protonum;
	to->tuple = 1;
}

static void read_connection(struct xt2k_run *run)
{
	struct xt2_pkt_ct *to = &run->pkt.ct;
	enum ip_conntrack_info info;
	const struct nf_conn *ct = nf_ct_get(run->skb, &info);

	to->tuple = 0;
	to->reply = ct && info >= IP_CT_IS_REPLY;
	if (!ct) {
		to->state = info == IP_CT_UNTRACKED ? XT2_CT_UNTRACKED : XT2_CT_INVALID;
		return;
	}
	to->state = 1u << (info % IP_CT_IS_REPLY + 1);
	to->status = ct->status;
#if IS_ENABLED(CONFIG_NF_CONNTRACK_MARK)
	to->mark = READ_ONCE(ct->mark);
#endif
	to->expires = nf_ct_expires(ct) / HZ;
	read_tuples(to, ct);
}

static void read_mac(struct xt2k_run *run)
{
	const struct sk_buff *skb = run->skb;

	run->pkt.mac_len = 0;
	if (!skb->dev || skb->dev->type != ARPHRD_ETHER || !skb_mac_header_was_set(skb) ||
	    skb_mac_header(skb) < skb->head || skb_mac_header(skb) + ETH_HLEN > skb->data)
		return;
	run->pkt.mac = skb_mac_header(skb);
	run->pkt.mac_len = ETH_HLEN;
}

static bool is_traced(const struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_NETFILTER_XT_TARGET_TRACE) || defined(CONFIG_NF_TABLES)
	return skb->nf_trace;
#else
	return false;
#endif
}

void xt2k_packet(struct xt2k_run *run)
{
	read_bytes(run);
	read_mac(run); /* it moves with the packet's other headers */
	run->pkt.mark = run->skb->mark;
	run->pkt.pkttype = run->skb->pkt_type;
	if (run->live->asks_ct)
		read_connection(run);
	if (unlikely(is_traced(run->skb)))
		xt2k_trace_begin(run);
	if (xt2_pkt_parse(&run->pkt, run->par.state->pf))
		run->pkt.l4 = XT2_L4_BAD;
}

static void read_device(u64 *name, u32 *group, const struct net_device *dev)
{
	if (!dev) {
		name[0] = name[1] = 0;
		*group = 0;
		return;
	}
	memcpy(name, dev->name, IFNAMSIZ);
	*group = dev->group;
}

/* --- evaluation ---------------------------------------------------------------- */

/* @number: how many evaluations this one is inside of */
static void prepare(struct xt2k_run *run, const struct xt2k_live *live, u32 number)
{
	const unsigned int cpu = smp_processor_id();
	struct xt2_ctx *ctx = &run->ctx;

	run->live = live;
	run->pkt.cpu = cpu;
	ctx->pkt = &run->pkt;
	ctx->img = live->img;
	ctx->root = live->root;
	ctx->stack = live->frames + (size_t)(cpu * XT2K_RUNS + number) * (live->depth + 1);
	ctx->stack_size = live->depth;
	ctx->counters = xt2k_strip(&live->state->counters, cpu);
	ctx->search = live->indexed ? &run->search : NULL;
	ctx->faults = 0;
	ctx->events_size = ctx->nevents = 0;
	run->search.chain = 0;
	if (!live->asks_time)
		return;
	ctx->now = ktime_get_real_ns();
	ctx->tz_west = sys_tz.tz_minuteswest;
}

static unsigned int verdict_of(struct xt2k_table *t, const struct xt2k_run *run, int verdict)
{
	if (unlikely(run->stolen))
		return NF_STOLEN;
	if (unlikely(run->ctx.faults || run->pkt.cut)) {
		atomic64_inc(&t->faults);
		return NF_DROP;
	}
	switch (verdict) {
	case XT2_ACCEPT: return NF_ACCEPT;
	case XT2_QUEUE: return NF_QUEUE;
	case XT2_NATIVE: return run->ctx.verdict_arg;
	}
	return NF_DROP;
}

static unsigned int evaluate(struct xt2k_table *t, struct xt2k_run *run, struct sk_buff *skb,
			     const struct nf_hook_state *state)
{
	run->skb = skb;
	run->stolen = false;
	run->par.state = state;
	run->pkt.hook = state->hook;
	read_device(run->pkt.in, &run->pkt.in_group, state->in);
	read_device(run->pkt.out, &run->pkt.out_group, state->out);
	xt2k_packet(run);
	if (unlikely(is_traced(skb)) && !run->live->edit)
		run->ctx.search = NULL;
	return verdict_of(t, run, xt2_eval(&run->ctx, run->live->entry[state->hook]));
}

unsigned int xt2k_hook(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct xt2k_table *t = priv;
	const struct xt2k_live *live;
	struct processor *p;
	unsigned int verdict;

	if (t->kind->nfproto == NFPROTO_ARP && !pskb_may_pull(skb, arp_hdr_len(skb->dev)))
		return NF_DROP;
	p = enter();
	live = rcu_dereference(t->live);
	if (unlikely(!live || !live->entry[state->hook])) {
		verdict = NF_ACCEPT;
	} else if (unlikely(p->depth > XT2K_RUNS)) {
		atomic64_inc(&t->faults);
		verdict = NF_DROP;
	} else {
		struct xt2k_run *run = &p->run[p->depth - 1];

		prepare(run, live, p->depth - 1);
		verdict = evaluate(t, run, skb, state);
	}
	leave(p);
	return verdict;
}
