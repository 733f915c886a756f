/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-packets.c - packets to measure a ruleset with
 *
 * Drawn packets: three of four are meant for a rule, which is drawn from all
 * that packets can get to.  What it asks for (its box, engine/index/box.h),
 * and what the rules ask that lead to its chain, is put into a random packet.
 * So its way is that of a packet which the rule is there for, unless a rule
 * before decides; what a box doesn't know, such as an inverted test, may fail.
 * The others are random, and mostly match nothing.
 */
#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter_arp.h>
#include "engine/index/box.h"
#include "libxt2/evaluate/reach.h"
#include "bench.h"
#include "xt2tables/packet/packet.h"

#define MAC	14 /* bytes of an Ethernet header */
#define TRIES	4 /* packets that are drawn in vain, for each one wanted */
#define STEP_NS 1000 /* between packets */
#define START	1767268800ull /* 2026-01-01 12:00 UTC, in seconds */
#define WAY_MAX 32 /* jumps on the way to a rule */

/* A rule that a packet can get to. */
struct aim {
	const struct xt2_rule *rule;
	__u32 chain;
};

struct draw {
	const struct xt2_bench_base *base;
	const struct xt2_host *host;
	struct aim *aim;
	__u32 aims;
	struct xt2_reach way; /* by chain: the first rule that leads there */
	__u64 random;
};

/* The constraints that a generated packet must satisfy. */
struct wish {
	__u64 bits[XT2_BITS_FIELDS][2];
	__u16 number[XT2_RANGES];
	bool asked[XT2_RANGES]; /* a rule asks for the number */
};

static bool has_in(const struct xt2_bench_base *p)
{
	return p->family == XT2_ARP ? p->hook != NF_ARP_OUT : p->hook <= NF_INET_FORWARD;
}

static bool has_out(const struct xt2_bench_base *p)
{
	return p->family == XT2_ARP ? p->hook != NF_ARP_IN : p->hook >= NF_INET_FORWARD;
}

/* xorshift64* */
static __u64 draw_number(struct draw *d)
{
	d->random ^= d->random >> 12;
	d->random ^= d->random << 25;
	d->random ^= d->random >> 27;
	return d->random * 0x2545f4914f6cdd1dull;
}

static __u32 draw_below(struct draw *d, __u32 n)
{
	return (__u32)((draw_number(d) >> 32) * n >> 32);
}

/* --- where packets can get to ---------------------------------------------- */

/* The rules that packets can get to; tails are no aims. => 0, -ENOMEM */
static int reach(struct draw *d)
{
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	__u32 left;

	d->aim = malloc(((size_t)d->base->rules + 1) * sizeof(*d->aim));
	if (!d->aim)
		return -ENOMEM;
	xt2_reach_add(&d->way, d->base->chain);
	xt2_reach_for_each(c, &d->way)
	{
		left = d->way.chain[c->index].rules;
		xt2_chain_for_each(r, &o, d->way.img, c) {
			if (!left-- || r == xt2_chain_tail(c))
				break;
			d->aim[d->aims++] = (struct aim){ r, c->index };
		}
	}
	return 0;
}

/* --- constraints of a packet ---------------------------------------------- */

static void ask(struct draw *d, struct wish *w, const struct xt2_rule *r)
{
	struct xt2_box box;
	unsigned int i, j;

	xt2_box_of(&box, r);
	for (i = 0; i < XT2_BITS_FIELDS; i++)
		for (j = 0; j < 2; j++)
			w->bits[i][j] = (w->bits[i][j] & ~box.mask[i][j]) | box.value[i][j];
	for (i = 0; i < XT2_RANGES; i++) {
		if (!box.least[i] && box.most[i] == 0xffff)
			continue;
		w->number[i] =
			(__u16)(box.least[i] + draw_below(d, box.most[i] - box.least[i] + 1u));
		w->asked[i] = true;
	}
}

/* The rule's own wishes come last, so they win. */
static void ask_way(struct draw *d, struct wish *w, const struct aim *aim)
{
	const struct xt2_rule *way[WAY_MAX], *r = aim->rule;
	__u32 chain = aim->chain;
	unsigned int n = 0;

	for (; r && n < WAY_MAX; r = d->way.chain[chain].rule, chain = d->way.chain[chain].from)
		way[n++] = r;
	while (n)
		ask(d, w, way[--n]);
}

static void any_address(struct draw *d, __u64 *bits)
{
	if (d->base->family == XT2_IPV6) {
		__u8 *b = (__u8 *)bits;

		bits[0] = draw_number(d);
		bits[1] = draw_number(d);
		b[0] = (__u8)(0x20 | (b[0] & 0x0f)); /* 2000::/4 */
		return;
	}
	do
		bits[0] = (__u32)draw_number(d);
	while (bits[0] >> 24 == 0 || bits[0] >> 24 == 127 || bits[0] >> 24 > 223);
}

static void any_wish(struct draw *d, struct wish *w)
{
	memset(w, 0, sizeof(*w));
	any_address(d, w->bits[XT2_FIELD_SRC]);
	any_address(d, w->bits[XT2_FIELD_DST]);
	w->bits[XT2_FIELD_MAC][0] = 0x020000000000ull | (draw_number(d) >> 24);
	w->bits[XT2_FIELD_MARK][0] = d->host->mark;
	memcpy(w->bits[XT2_FIELD_IN], "eth0", 4);
	memcpy(w->bits[XT2_FIELD_OUT], "eth1", 4);
	w->number[XT2_RANGE(XT2_KEY_PROTO)] = draw_below(d, 3) ? 6 : 17;
	w->number[XT2_RANGE(XT2_KEY_SPORT)] = (__u16)(1024 + draw_below(d, 64512));
	w->number[XT2_RANGE(XT2_KEY_DPORT)] = (__u16)(1 + draw_below(d, 65535));
	w->number[XT2_RANGE(XT2_KEY_STATE)] = XT2_STATE_NEW;
}

/* --- from wishes to packets ------------------------------------------------- */

/* The texts of a packet that is built as xt2 explain does it. */
struct texts {
	char source[64], destination[64], protocol[8], sport[8], dport[8], icmp[16], mac[24];
};

static void address_text(const struct draw *d, const __u64 *bits, char *text, size_t size)
{
	__u32 four = htonl((__u32)bits[0]);

	if (d->base->family == XT2_IPV6)
		inet_ntop(AF_INET6, bits, text, (socklen_t)size);
	else
		inet_ntop(AF_INET, &four, text, (socklen_t)size);
}

static void describe(const struct draw *d, const struct wish *w, struct xt2_packet_spec *s,
		     struct texts *t)
{
	const __u16 proto = w->number[XT2_RANGE(XT2_KEY_PROTO)] & 0xff;
	const __u16 dport = w->number[XT2_RANGE(XT2_KEY_DPORT)];
	const __u64 mac = w->bits[XT2_FIELD_MAC][0];

	address_text(d, w->bits[XT2_FIELD_SRC], t->source, sizeof(t->source));
	address_text(d, w->bits[XT2_FIELD_DST], t->destination, sizeof(t->destination));
	snprintf(t->protocol, sizeof(t->protocol), "%u", proto);
	snprintf(t->sport, sizeof(t->sport), "%u", w->number[XT2_RANGE(XT2_KEY_SPORT)]);
	snprintf(t->dport, sizeof(t->dport), "%u", dport);
	snprintf(t->icmp, sizeof(t->icmp), "%u/%u", dport >> 8, dport & 0xff);
	snprintf(t->mac, sizeof(t->mac), "%02x:%02x:%02x:%02x:%02x:%02x", (__u8)(mac >> 40),
		 (__u8)(mac >> 32), (__u8)(mac >> 24), (__u8)(mac >> 16), (__u8)(mac >> 8),
		 (__u8)mac);
	s->source = t->source;
	s->destination = t->destination;
	if (d->base->family != XT2_ARP) {
		s->protocol = t->protocol;
		s->sport = t->sport;
		s->dport = t->dport;
		if ((proto == 1 || proto == 58) && w->asked[XT2_RANGE(XT2_KEY_DPORT)])
			s->icmp_type = t->icmp;
		if (!has_in(d->base))
			return;
	}
	s->mac_source = t->mac;
	s->mac_destination = "02:00:00:00:00:01";
}

/* What the host says, and where it says nothing, what the wish does. */
static void know(const struct draw *d, const struct wish *w, struct xt2_host *host)
{
	static const __u16 states[] = {
		[XT2_STATE_INVALID] = XT2_CT_INVALID,
		[XT2_STATE_NEW] = XT2_CT_NEW,
		[XT2_STATE_RELATED] = XT2_CT_RELATED,
		[XT2_STATE_ESTABLISHED] = XT2_CT_ESTABLISHED,
		[XT2_STATE_UNTRACKED] = XT2_CT_UNTRACKED,
	};

	*host = *d->host;
	host->mark = (__u32)w->bits[XT2_FIELD_MARK][0];
	if (!host->in[0] && has_in(d->base))
		memcpy(host->in, w->bits[XT2_FIELD_IN], sizeof(host->in));
	if (!host->out[0] && has_out(d->base))
		memcpy(host->out, w->bits[XT2_FIELD_OUT], sizeof(host->out));
	if (!host->ct.state)
		host->ct.state = states[w->number[XT2_RANGE(XT2_KEY_STATE)] % 5];
}

/* => 0; -EINVAL: no hook would see it; -ENOMEM */
static int add_wish(const struct draw *d, const struct wish *w, struct xt2_packet *packet,
		    struct xt2_bench_packets *p)
{
	struct xt2_host host;
	struct xt2_packet_spec spec = { .family = d->base->family,
					.host = &host,
					.hook = xt2_hook_name(d->base->family, d->base->hook) };
	struct texts texts;
	struct xt2_err err;

	know(d, w, &host);
	describe(d, w, &spec, &texts);
	if (xt2_packet_build(&spec, packet, &err) < 0)
		return -EINVAL;
	packet->captured.time = START * 1000000000ull + p->n * STEP_NS;
	return xt2_bench_add(p, d->base, &host, &packet->captured);
}

static int draw_packets(struct draw *d, struct xt2_bench_packets *p, size_t n)
{
	struct xt2_packet *packet = malloc(sizeof(*packet));
	size_t tries;
	int ret = packet ? 0 : -ENOMEM;

	for (tries = 0; ret != -ENOMEM && p->n < n && tries < TRIES * n; tries++) {
		struct wish w;

		any_wish(d, &w);
		if (d->aims && draw_below(d, 4))
			ask_way(d, &w, &d->aim[draw_below(d, d->aims)]);
		ret = add_wish(d, &w, packet, p);
	}
	free(packet);
	return ret == -ENOMEM ? ret : 0;
}

int xt2_bench_draw(struct xt2_bench_packets *p, const struct xt2_image *img,
		   const struct xt2_bench_base *base, const struct xt2_host *host, size_t n,
		   __u64 seed)
{
	struct draw d = { .base = base, .host = host, .random = seed * 0x9e3779b97f4a7c15ull + 1 };
	int ret = xt2_reach_begin(&d.way, img);

	if (!ret)
		ret = reach(&d);
	if (!ret)
		ret = draw_packets(&d, p, n);
	free(d.aim);
	xt2_reach_end(&d.way);
	return ret;
}

/* --- a list ----------------------------------------------------------------- */

static int grow(struct xt2_bench_packets *p)
{
	const size_t room = p->n ? 2 * p->n : 64;
	struct xt2_bench_packet *more;

	if (p->n & (p->n - 1) || (p->n && p->n < 64))
		return 0;
	more = realloc(p->list, room * sizeof(*more));
	if (!more)
		return -ENOMEM;
	p->list = more;
	return 0;
}

int xt2_bench_add(struct xt2_bench_packets *p, const struct xt2_bench_base *base,
		  const struct xt2_host *host, const struct xt2_captured *c)
{
	const __u32 size = c->caplen - c->network;
	struct xt2_bench_packet *to;
	struct xt2_captured copy = *c;

	if (c->family != base->family)
		return -EINVAL;
	if (grow(p) < 0)
		return -ENOMEM;
	to = &p->list[p->n];
	memset(to, 0, sizeof(*to));
	if (xt2_host_receive(host, base->hook, c, &to->pkt))
		return -EINVAL;
	to->bytes = malloc(2 * (size_t)size + XT2_BENCH_ROOM + MAC);
	if (!to->bytes)
		return -ENOMEM;
	memcpy(to->bytes, c->frame + c->network, size);
	to->pkt.data = memcpy(to->bytes + size, to->bytes, size);
	to->pkt.caplen = size;
	if (xt2_pkt_parse(&to->pkt, (__u8)c->family) < 0) {
		free(to->bytes);
		return -EINVAL;
	}
	if (c->mac)
		copy.mac = memcpy(to->bytes + 2 * (size_t)size + XT2_BENCH_ROOM, c->mac, MAC);
	to->pkt.hook = (__u8)base->hook;
	xt2_host_fill(host, &to->pkt, &copy);
	to->now = c->time;
	p->n++;
	return 0;
}

void xt2_bench_packets_free(struct xt2_bench_packets *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		free(p->list[i].bytes);
	free(p->list);
	*p = (struct xt2_bench_packets){ .list = NULL };
}
