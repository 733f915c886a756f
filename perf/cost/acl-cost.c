/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * acl-cost - the packets of a capture against rules in DPDK's librte_acl
 *
 * librte_acl answers with the first rule that holds; it has no chains and keeps
 * no counters.  What is measured begins with a packet's bytes, as with xt2: the
 * fields are taken out of the headers, then classified, one packet a call
 * ("acl") or 256 ("acl256").
 *
 *	acl-cost HUGE BUDGET RULES CAPTURE
 *
 * HUGE is 1 if there are huge pages to take memory from.  A line of RULES has
 * ten numbers: family, source, its length, destination, its length, protocol
 * and mask, source and destination ports "low:high", MAC address or "-".
 * Prints the time to build, memory, the packets that had an answer; then a
 * round for each line on standard input.
 */
#include "cost.h"

#include <arpa/inet.h>
#include <rte_acl.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <stdlib.h>
#include <string.h>

#define BURST	   256
#define FIELDS	   13
#define MEMORY_MAX (3ull << 29) /* bytes of a trie, or there is another */

/* What is classified; big-endian, as librte_acl reads it. */
struct key {
	__u8 proto, pad[3];
	__u32 src[4], dst[4];
	__u16 sport, dport;
	__u32 mac_high;
	__u16 mac_low, pad_end;
};

RTE_ACL_RULE_DEF(rule, FIELDS);

struct layout {
	struct rte_acl_field_def fields[FIELDS];
	__u32 count, words; /* words of an address */
	int mac;
};

static void add_field(struct layout *l, __u8 type, __u8 size, size_t offset, __u8 input)
{
	struct rte_acl_field_def *f = &l->fields[l->count];

	*f = (struct rte_acl_field_def){ type, size, (__u8)l->count, input, (__u32)offset };
	l->count++;
}

/* Fields are read by fours, which is what input counts. */
static void make_layout(struct layout *l, int family, int mac)
{
	__u8 input = 0;
	__u32 i;

	l->words = family == XT2_IPV4 ? 1 : 4;
	l->mac = mac;
	add_field(l, RTE_ACL_FIELD_TYPE_BITMASK, 1, offsetof(struct key, proto), input++);
	for (i = 0; i < l->words; i++)
		add_field(l, RTE_ACL_FIELD_TYPE_MASK, 4, offsetof(struct key, src[i]), input++);
	for (i = 0; i < l->words; i++)
		add_field(l, RTE_ACL_FIELD_TYPE_MASK, 4, offsetof(struct key, dst[i]), input++);
	add_field(l, RTE_ACL_FIELD_TYPE_RANGE, 2, offsetof(struct key, sport), input);
	add_field(l, RTE_ACL_FIELD_TYPE_RANGE, 2, offsetof(struct key, dport), input++);
	if (mac) {
		add_field(l, RTE_ACL_FIELD_TYPE_MASK, 4, offsetof(struct key, mac_high), input++);
		add_field(l, RTE_ACL_FIELD_TYPE_MASK, 4, offsetof(struct key, mac_low), input);
	}
}

/* --- rules -------------------------------------------------------------------------- */

struct line {
	int family;
	char src[64], dst[64], mac[32];
	unsigned int slen, dlen, proto, mask, sport[2], dport[2];
};

static __u32 address_fields(struct rule *r, __u32 at, const struct layout *l, int family,
			    const char *text, unsigned int length)
{
	__u32 words[4] = { 0 }, i;

	if (inet_pton(family == XT2_IPV4 ? AF_INET : AF_INET6, text, words) != 1)
		cost_exit(2, "%s: not an address", text);
	for (i = 0; i < l->words; i++) {
		r->field[at].value.u32 = ntohl(words[i]);
		r->field[at++].mask_range.u32 = length > 32 ? 32 : length;
		length = length > 32 ? length - 32 : 0;
	}
	return at;
}

static void set_rule(struct rule *r, const struct line *in, const struct layout *l, __u32 number)
{
	__u32 at = 1;
	unsigned long long mac;

	memset(r, 0, sizeof(*r));
	r->data.category_mask = 1;
	r->data.priority = (__s32)(RTE_ACL_MAX_PRIORITY - number);
	r->data.userdata = number + 1;
	r->field[0].value.u8 = (__u8)in->proto;
	r->field[0].mask_range.u8 = (__u8)in->mask;
	at = address_fields(r, at, l, in->family, in->src, in->slen);
	at = address_fields(r, at, l, in->family, in->dst, in->dlen);
	r->field[at].value.u16 = (__u16)in->sport[0];
	r->field[at++].mask_range.u16 = (__u16)in->sport[1];
	r->field[at].value.u16 = (__u16)in->dport[0];
	r->field[at++].mask_range.u16 = (__u16)in->dport[1];
	if (!l->mac)
		return;
	mac = strtoull(in->mac, NULL, 16);
	r->field[at].value.u32 = (__u32)(mac >> 16);
	r->field[at++].mask_range.u32 = *in->mac == '-' ? 0 : 32;
	r->field[at].value.u32 = (__u32)(mac << 16);
	r->field[at].mask_range.u32 = *in->mac == '-' ? 0 : 16;
}

/* => rules read; *list malloc()ed */
static __u32 read_rules(const char *path, struct layout *l, struct rule **list)
{
	FILE *f = fopen(path, "r");
	struct line in;
	__u32 n = 0, size = 0;

	if (!f)
		cost_exit(2, "%s cannot be read", path);
	while (fscanf(f, "%d %63s %u %63s %u %u %u %u:%u %u:%u %31s", &in.family, in.src, &in.slen,
		      in.dst, &in.dlen, &in.proto, &in.mask, &in.sport[0], &in.sport[1],
		      &in.dport[0], &in.dport[1], in.mac) == 12) {
		if (!n)
			make_layout(l, in.family, *in.mac != '-');
		if (n == size) {
			size = size ? 2 * size : 1024;
			*list = reallocarray(*list, size, sizeof(**list));
			if (!*list)
				cost_exit(4, "no memory for rules");
		}
		set_rule(&(*list)[n], &in, l, n);
		n++;
	}
	fclose(f);
	if (!n)
		cost_exit(2, "%s: no rules", path);
	return n;
}

static size_t heap_used(void)
{
	struct rte_malloc_socket_stats stats;

	return rte_malloc_get_socket_stats((int)rte_socket_id(), &stats) ? 0
									 : stats.heap_allocsz_bytes;
}

static struct rte_acl_ctx *build(const char *path)
{
	struct layout l = { 0 };
	struct rule *list = NULL;
	__u32 n = read_rules(path, &l, &list);
	struct rte_acl_param param = { "rules", SOCKET_ID_ANY, RTE_ACL_RULE_SZ(l.count), n };
	struct rte_acl_config config = { 0 };
	size_t before = heap_used();
	double start = cost_used();
	struct rte_acl_ctx *ctx = rte_acl_create(&param);
	__u32 i;
	int r = ctx ? 0 : -rte_errno;

	/* The library's rules are as long as this layout's. */
	for (i = 0; i < n && !r; i++)
		r = rte_acl_add_rules(ctx, (const struct rte_acl_rule *)&list[i], 1);
	config.num_categories = 1;
	config.num_fields = l.count;
	config.max_size = MEMORY_MAX;
	memcpy(config.defs, l.fields, sizeof(*l.fields) * l.count);
	if (!r)
		r = rte_acl_build(ctx, &config);
	if (r)
		cost_exit(1, "librte_acl does not take these %u rules: %s", n, strerror(-r));
	printf("build %.0f\nmemory %zu\nrules %u\n", cost_used() - start, heap_used() - before, n);
	free(list);
	return ctx;
}

/* --- packets ------------------------------------------------------------------------ */

static void set_key(struct key *k, const struct cost_packet *p)
{
	const __u8 *data = p->bytes, *l4;
	__u32 thoff;

	if (p->family == XT2_IPV4) {
		k->proto = data[9];
		memcpy(k->src, data + 12, 4);
		memcpy(k->dst, data + 16, 4);
		thoff = (data[0] & 15u) * 4;
	} else {
		k->proto = data[6];
		memcpy(k->src, data + 8, 16);
		memcpy(k->dst, data + 24, 16);
		thoff = 40;
	}
	l4 = data + thoff;
	k->sport = k->dport = 0;
	if (thoff + 4 <= p->caplen) {
		memcpy(&k->sport, l4, 2);
		memcpy(&k->dport, l4 + 2, 2);
	}
	if (p->mac) {
		memcpy(&k->mac_high, p->mac + 6, 4);
		memcpy(&k->mac_low, p->mac + 10, 2);
	}
}

/* => packets with an answer; burst is at most BURST */
static size_t classify(const struct rte_acl_ctx *ctx, const struct cost_packet *list, size_t n,
		       __u32 burst)
{
	static struct key keys[BURST];
	static const __u8 *data[BURST];
	static __u32 results[BURST];
	size_t at, hits = 0;
	__u32 i, count;

	for (at = 0; at < n; at += count) {
		count = n - at < burst ? (__u32)(n - at) : burst;
		for (i = 0; i < count; i++) {
			set_key(&keys[i], &list[at + i]);
			data[i] = (const __u8 *)&keys[i];
		}
		if (rte_acl_classify(ctx, data, results, count, 1))
			cost_exit(1, "rte_acl_classify() fails");
		for (i = 0; i < count; i++)
			hits += results[i] != 0;
	}
	return hits;
}

static void measure(const struct rte_acl_ctx *ctx, const struct cost_packet *list, size_t n,
		    double budget, const char *name, __u32 burst)
{
	double times[64], used = 0;
	size_t rounds = 0;

	while (rounds < 64 && (used < budget || !rounds)) {
		double start = cost_used();

		classify(ctx, list, n, burst);
		start = cost_used() - start;
		used += start;
		times[rounds++] = start / (double)n;
	}
	used = cost_median(times, rounds);
	printf("%s %.2f %.2f %zu\n", name, times[0], used, n);
}

static void start_dpdk(const char *name, int huge)
{
	const char *argv[] = {
		name,
		"-l",
		"0",
		"--no-pci",
		"--no-telemetry",
		"--log-level=1",
		"--no-shconf",
		"--force-max-simd-bitwidth=512",
		huge ? "--in-memory" : "--no-huge",
		"-m",
		"3072",
	};
	int argc = sizeof(argv) / sizeof(*argv);

	if (rte_eal_init(argc, (char **)argv) < 0)
		cost_exit(4, "DPDK does not start: %s", rte_strerror(rte_errno));
}

int main(int argc, char **argv)
{
	struct cost_packet *list;
	struct rte_acl_ctx *ctx;
	double budget;
	size_t n;

	if (argc != 5 || !(atof(argv[2]) > 0)) {
		fputs("usage: acl-cost HUGE MILLISECONDS RULES CAPTURE\n", stderr);
		return 2;
	}
	budget = atof(argv[2]) * 1e6;
	n = cost_packets(argv[4], &list);
	start_dpdk(argv[0], atoi(argv[1]));
	ctx = build(argv[3]);
	printf("hits %.3f\n", (double)classify(ctx, list, n, BURST) / (double)n);
	while (cost_asked()) {
		measure(ctx, list, n, budget, "acl", 1);
		measure(ctx, list, n, budget, "acl256", BURST);
	}
	rte_acl_free(ctx);
	rte_eal_cleanup();
	free(list);
	return 0;
}
