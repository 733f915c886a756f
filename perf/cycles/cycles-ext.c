/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cycles-ext.c - what each match and each target adds to a rule
 *
 * A chain of rules with the extension against a chain without it, both with
 * the protocol that it asks for, evaluated by the engine.  Rules are read as
 * iptables text, so that parameters are what a user's would be, and the packet
 * is one that the match holds for: the counters say whether it did.  A target
 * that decides is compared with DROP, a rule each.  Every row of the lists of
 * matches and targets must have a row here.
 */
#include "cycles.h"
#include "engine/image.h"
#include "engine/parse.h"
#include "xt2tables/text/text.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define RULES	100
#define PAYLOAD 100 /* bytes behind the last header */
#define WINDOW	20 /* packets that are timed together */
#define WINDOWS 99 /* at most */
#define COLD	9 /* packets, at most */

/* --- packets -------------------------------------------------------------------------- */

/* A header, and which number says that it follows. */
struct header {
	u8 number, size;
	u8 bytes[24];
};

#define UDP_PORTS 0x9c, 0x40, 0, 53
#define TCP_PORTS 0x9c, 0x40, 0, 80

static const struct header tcp = { IPPROTO_TCP,
				   24,
				   { TCP_PORTS, 0,    0, 0, 1, 0, 0, 0, 0, 0x60, 2,
				     0xff,	0xff, 0, 0, 0, 0, 2, 4, 5, 0xb4 } };
static const struct header udp = { IPPROTO_UDP, 8, { UDP_PORTS, 0, 8 } };
static const struct header udplite = { IPPROTO_UDPLITE, 8, { UDP_PORTS, 0, 8 } };
static const struct header icmp = { IPPROTO_ICMP, 8, { 8 } };
static const struct header icmp6 = { IPPROTO_ICMPV6, 8, { 128 } };
static const struct header sctp = { IPPROTO_SCTP,
				    16,
				    { TCP_PORTS, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4 } };
static const struct header dccp = { IPPROTO_DCCP, 16, { TCP_PORTS, 4, 0, 0, 0, 1 } };
static const struct header ah = { IPPROTO_AH, 24, { IPPROTO_UDP, 4, 0, 0, 0, 0, 1, 0 } };
static const struct header esp = { IPPROTO_ESP, 8, { 0, 0, 1, 0 } };
static const struct header ipcomp = { 108, 4, { IPPROTO_TCP, 0, 0, 2 } };
static const struct header frag = { IPPROTO_FRAGMENT, 8, { IPPROTO_UDP, 0, 0, 1 } };
static const struct header rt = { IPPROTO_ROUTING, 8, { IPPROTO_UDP } };
static const struct header hbh = { IPPROTO_HOPOPTS, 8, { IPPROTO_UDP, 0, 1, 4 } };
static const struct header dst = { IPPROTO_DSTOPTS, 8, { IPPROTO_UDP, 0, 1, 4 } };
static const struct header mh = { IPPROTO_MH, 8, { IPPROTO_NONE, 0, 1 } };

struct packet {
	struct xt2_pkt pkt;
	u8 bytes[256];
	u8 mac[14];
};

static u32 network_header(u8 *p, u8 family, u8 next, u32 size)
{
	static const u8 v4[20] = { 0x45, 0, 0,	0, 0, 0, 0x40, 0, 64, 0,
				   0,	 0, 10, 0, 0, 1, 10,   0, 0,  2 };
	static const u8 v6[40] = { 0x60, [7] = 64, [8] = 0x20,	1, 0x0d, 0xb8, [19] = 0xff,
				   0xfe, [23] = 1, [24] = 0x20, 1, 0x0d, 0xb8, [39] = 2 };

	if (family == XT2_IPV4) {
		memcpy(p, v4, sizeof(v4));
		xt2_put_be16(p + 2, (u16)(sizeof(v4) + size));
		p[9] = next;
		return sizeof(v4);
	}
	memcpy(p, v6, sizeof(v6));
	xt2_put_be16(p + 4, (u16)size);
	p[6] = next;
	return sizeof(v6);
}

/* What only a host can know is there, too. */
static void host_fields(struct packet *p, u8 family)
{
	static const u8 addresses[] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 };
	struct xt2_pkt *pkt = &p->pkt;

	memcpy(p->mac, addresses, sizeof(addresses));
	xt2_put_be16(p->mac + 12, family == XT2_IPV4 ? 0x0800 : 0x86dd);
	pkt->hook = XT2_INPUT;
	memcpy(pkt->in, "eth0", 4);
	memcpy(pkt->physin, "eth0", 4);
	pkt->bridged = 1;
	pkt->mac = p->mac;
	pkt->mac_len = sizeof(p->mac);
	pkt->mark = 1;
	pkt->src_type = pkt->dst_type = 1; /* RTN_UNICAST */
	pkt->ct.state = XT2_CT_ESTABLISHED;
	pkt->ct.mark = 1;
}

static int packet_make(struct packet *p, u8 family, const struct header *h)
{
	bool extension = family == XT2_IPV6 &&
			 (h->bytes[0] == IPPROTO_UDP || h->number == IPPROTO_MH);
	u32 size = h->size + (extension ? udp.size : 0) + PAYLOAD, at;

	memset(p, 0, sizeof(*p));
	at = network_header(p->bytes, family, h->number, size);
	memcpy(p->bytes + at, h->bytes, h->size);
	at += h->size;
	if (extension) {
		memcpy(p->bytes + at, udp.bytes, udp.size);
		at += udp.size;
	}
	memset(p->bytes + at, 'x', PAYLOAD);
	memcpy(p->bytes + at + PAYLOAD - 6, "needle", 6);
	p->pkt.data = p->bytes;
	p->pkt.caplen = p->pkt.len = at + PAYLOAD;
	host_fields(p, family);
	return xt2_pkt_parse(&p->pkt, family);
}

/* --- the extensions --------------------------------------------------------------------- */

/* base: what a rule needs before the text that is measured; instead: what it replaces */
struct row {
	u8 type, family;
	const struct header *packet;
	const char *base, *text;
	const char *table, *chain; /* NULL: filter, INPUT */
	const char *instead;
};

#define MATCH(type, family, packet, base, text)                    \
	{                                                          \
		type, family, packet, base, text, NULL, NULL, NULL \
	}

static const struct row matches[] = {
	MATCH(XT2_M_TCP, XT2_IPV4, &tcp, "-p tcp", "-m tcp --dport 80"),
	MATCH(XT2_M_UDP, XT2_IPV4, &udp, "-p udp", "-m udp --dport 53"),
	MATCH(XT2_M_UDPLITE, XT2_IPV4, &udplite, "-p udp", "-m udp --dport 53"),
	MATCH(XT2_M_ICMP, XT2_IPV4, &icmp, "-p icmp", "-m icmp --icmp-type 8"),
	MATCH(XT2_M_ICMP6, XT2_IPV6, &icmp6, "-p ipv6-icmp", "-m icmp6 --icmpv6-type 128"),
	MATCH(XT2_M_MULTIPORT, XT2_IPV4, &tcp, "-p tcp",
	      "-m multiport --dports 22,25,53,80,443,8080:8090"),
	MATCH(XT2_M_IPRANGE, XT2_IPV4, &tcp, "", "-m iprange --src-range 10.0.0.1-10.0.0.9"),
	MATCH(XT2_M_LENGTH, XT2_IPV4, &tcp, "", "-m length --length 20:1500"),
	MATCH(XT2_M_TTL, XT2_IPV4, &tcp, "", "-m ttl --ttl-gt 5"),
	MATCH(XT2_M_HL, XT2_IPV6, &tcp, "", "-m hl --hl-gt 5"),
	MATCH(XT2_M_TOS, XT2_IPV4, &tcp, "", "-m tos --tos 0x00/0xff"),
	MATCH(XT2_M_DSCP, XT2_IPV4, &tcp, "", "-m dscp --dscp 0x00"),
	MATCH(XT2_M_ECN, XT2_IPV4, &tcp, "", "-m ecn --ecn-ip-ect 0"),
	MATCH(XT2_M_MARK, XT2_IPV4, &tcp, "", "-m mark --mark 0x1"),
	MATCH(XT2_M_CONNMARK, XT2_IPV4, &tcp, "", "-m connmark --mark 0x1"),
	MATCH(XT2_M_MAC, XT2_IPV4, &tcp, "", "-m mac --mac-source 02:00:00:00:00:01"),
	MATCH(XT2_M_PKTTYPE, XT2_IPV4, &tcp, "", "-m pkttype --pkt-type unicast"),
	MATCH(XT2_M_STRING, XT2_IPV4, &tcp, "", "-m string --algo bm --string needle"),
	MATCH(XT2_M_U32, XT2_IPV4, &tcp, "", "-m u32 --u32 \"0>>28=4&&6&0xff=0:6\""),
	MATCH(XT2_M_BPF, XT2_IPV4, &tcp, "",
	      "-m bpf --bytecode \"4,48 0 0 9,21 0 1 6,6 0 0 1,6 0 0 0\""),
	MATCH(XT2_M_FRAG, XT2_IPV6, &frag, "", "-m frag --fragfirst"),
	MATCH(XT2_M_RT, XT2_IPV6, &rt, "", "-m rt --rt-type 0"),
	MATCH(XT2_M_HBH, XT2_IPV6, &hbh, "", "-m hbh --hbh-len 8"),
	MATCH(XT2_M_DST, XT2_IPV6, &dst, "", "-m dst --dst-len 8"),
	MATCH(XT2_M_MH, XT2_IPV6, &mh, "-p 135", "-m mh --mh-type 1"),
	MATCH(XT2_M_IPV6HEADER, XT2_IPV6, &hbh, "", "-m ipv6header --header hop-by-hop --soft"),
	MATCH(XT2_M_EUI64, XT2_IPV6, &udp, "", "-m eui64"),
	MATCH(XT2_M_AH, XT2_IPV4, &ah, "-p ah", "-m ah --ahspi 256"),
	MATCH(XT2_M_ESP, XT2_IPV4, &esp, "-p esp", "-m esp --espspi 256"),
	MATCH(XT2_M_IPCOMP, XT2_IPV4, &ipcomp, "-p ipcomp", "-m ipcomp --ipcompspi 2"),
	MATCH(XT2_M_SCTP, XT2_IPV4, &sctp, "-p sctp", "-m sctp --dport 80"),
	MATCH(XT2_M_DCCP, XT2_IPV4, &dccp, "-p dccp", "-m dccp --dport 80"),
	MATCH(XT2_M_TCPMSS, XT2_IPV4, &tcp, "-p tcp", "-m tcpmss --mss 1000:1500"),
	MATCH(XT2_M_COMMENT, XT2_IPV4, &tcp, "", "-m comment --comment words"),
	MATCH(XT2_M_CPU, XT2_IPV4, &tcp, "", "-m cpu --cpu 0"),
	MATCH(XT2_M_DEVGROUP, XT2_IPV4, &tcp, "", "-m devgroup --src-group 0"),
	MATCH(XT2_M_PHYSDEV, XT2_IPV4, &tcp, "", "-m physdev --physdev-in eth0"),
	MATCH(XT2_M_ADDRTYPE, XT2_IPV4, &tcp, "", "-m addrtype --src-type UNICAST"),
	MATCH(XT2_M_TIME, XT2_IPV4, &tcp, "", "-m time --datestart 2001-01-01"),
	MATCH(XT2_M_STATISTIC, XT2_IPV4, &tcp, "", "-m statistic --mode random --probability 0.5"),
	MATCH(XT2_M_LIMIT, XT2_IPV4, &tcp, "", "-m limit --limit 10000/sec --limit-burst 10000"),
	MATCH(XT2_M_QUOTA, XT2_IPV4, &tcp, "", "-m quota --quota 1000000000000000"),
	MATCH(XT2_M_STATE, XT2_IPV4, &tcp, "", "-m cpu --cpu 0"),
	MATCH(XT2_M_HASHLIMIT, XT2_IPV4, &tcp, "",
	      "-m hashlimit --hashlimit-upto 10000/sec --hashlimit-burst 10000 "
	      "--hashlimit-mode srcip --hashlimit-name cycles"),
	MATCH(XT2_M_RECENT, XT2_IPV4, &tcp, "", "-m recent --set --name cycles"),
	MATCH(XT2_M_CONNTRACK, XT2_IPV4, &tcp, "", "-m conntrack --ctstate ESTABLISHED"),
};

#define TARGET(type, family, base, text, table)                        \
	{                                                              \
		type, family, &tcp, base, text, table, "FORWARD", NULL \
	}
#define DECIDES(type, family, base, text)                                      \
	{                                                                      \
		type, family, &tcp, base, text, "filter", "FORWARD", "-j DROP" \
	}
#define TRACKER(type, text)                                               \
	{                                                                 \
		type, XT2_IPV4, &tcp, "", text, "raw", "PREROUTING", NULL \
	}

static const struct row targets[] = {
	DECIDES(XT2_T_REJECT, XT2_IPV4, "", "-j REJECT"),
	TARGET(XT2_T_LOG, XT2_IPV4, "", "-j LOG", "filter"),
	TARGET(XT2_T_NFLOG, XT2_IPV4, "", "-j NFLOG --nflog-group 1", "filter"),
	DECIDES(XT2_T_NFQUEUE, XT2_IPV4, "", "-j NFQUEUE --queue-num 1"),
	TARGET(XT2_T_MARK, XT2_IPV4, "", "-j MARK --set-mark 0x1", "mangle"),
	TARGET(XT2_T_CONNMARK, XT2_IPV4, "", "-j CONNMARK --set-mark 0x1", "mangle"),
	TARGET(XT2_T_CLASSIFY, XT2_IPV4, "", "-j CLASSIFY --set-class 1:1", "mangle"),
	TRACKER(XT2_T_TRACE, "-j TRACE"),
	TRACKER(XT2_T_NOTRACK, "-j CT --notrack"),
	TRACKER(XT2_T_CT, "-j CT --notrack"),
	TARGET(XT2_T_TTL, XT2_IPV4, "", "-j TTL --ttl-set 64", "mangle"),
	TARGET(XT2_T_HL, XT2_IPV6, "", "-j HL --hl-set 64", "mangle"),
	TARGET(XT2_T_TOS, XT2_IPV4, "", "-j TOS --set-tos 0x00/0xff", "mangle"),
	TARGET(XT2_T_DSCP, XT2_IPV4, "", "-j DSCP --set-dscp 0x00", "mangle"),
	TARGET(XT2_T_ECN, XT2_IPV4, "-p tcp", "-j ECN --ecn-tcp-remove", "mangle"),
	TARGET(XT2_T_TCPMSS, XT2_IPV4, "-p tcp -m tcp --tcp-flags SYN,RST SYN",
	       "-j TCPMSS --set-mss 1400", "mangle"),
};

static bool has_row(const struct row *rows, size_t count, int type)
{
	size_t i;

	for (i = 0; i < count && rows[i].type != type; i++)
		;
	return i < count;
}

/* => 0, 1: extensions that the engine evaluates have no row */
static int rows_missing(void)
{
	int missing = 0, type;

	for (type = XT2_M_TCP; type < XT2_M_COUNT; type++) {
		if (!xt2_match_name((u8)type) || xt2_match_info((u8)type) & XT2_EXT_FOREIGN ||
		    has_row(matches, XT2_ARRAY_SIZE(matches), type))
			continue;
		printf("%s: no figure: it has no row in the table\n", xt2_match_name((u8)type));
		missing = 1;
	}
	for (type = XT2_T_REJECT; type < XT2_T_COUNT; type++) {
		if (!xt2_target_name((u8)type) || has_row(targets, XT2_ARRAY_SIZE(targets), type))
			continue;
		printf("%s: no figure: it has no row in the table\n", xt2_target_name((u8)type));
		missing = 1;
	}
	return missing;
}

/* --- chains ------------------------------------------------------------------------------ */

static const char *chain_of(const struct row *row)
{
	return row->chain ? row->chain : "INPUT";
}

static u32 rules_of(const struct row *row)
{
	return row->instead ? 1 : RULES;
}

static int write_text(const struct row *row, const char *text)
{
	int fd = memfd_create("rules", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(dup(fd), "w");
	u32 i;

	if (!f)
		return -1;
	fprintf(f, "*%s\n:%s ACCEPT [0:0]\n", row->table ? row->table : "filter", chain_of(row));
	for (i = 0; i < rules_of(row); i++)
		fprintf(f, "-A %s %s %s\n", chain_of(row), row->base, text);
	fputs("COMMIT\n", f);
	return fclose(f) ? -1 : fd;
}

static bool is_target(const struct row *row)
{
	return row >= targets && row < targets + XT2_ARRAY_SIZE(targets);
}

/*
 * Extensions that libxtables of today does not write: another one's rules, renamed.
 * udplite is udp under another number; the first form of state, a bare mask; NOTRACK
 * has no data.
 */
static void rename_match(const struct row *row, struct xt2_match *m)
{
	if (is_target(row))
		return;
	if (row->type == XT2_M_UDPLITE && m->type == XT2_M_UDP)
		m->type = XT2_M_UDPLITE;
	if (row->type == XT2_M_UDPLITE && m->type == XT2_M_PROTO)
		m->arg = IPPROTO_UDPLITE;
	if (row->type == XT2_M_STATE && m->type == XT2_M_CPU) {
		m->type = XT2_M_STATE;
		m->flags = 0;
		m->arg = XT2_CT_ESTABLISHED;
	}
}

static bool is_renamed(const struct row *row)
{
	if (is_target(row))
		return row->type == XT2_T_NOTRACK;
	return row->type == XT2_M_UDPLITE || row->type == XT2_M_STATE;
}

static void rename_all(const struct engine *e, const struct row *row)
{
	const struct xt2_image *img = engine_image(e);
	const struct xt2_root *root = xt2_image_root(img);
	struct xt2_chain *c;
	struct xt2_rule *r;
	struct xt2_match *m;
	u32 i;

	xt2_image_for_each_chain(c, i, img, root) {
		xt2_chain_for_each_rule(r, c) {
			xt2_rule_for_each_match(m, r)
				rename_match(row, m);
			if (is_target(row) && row->type == XT2_T_NOTRACK &&
			    XT2_TARGET_KIND(r->target) == XT2_T_CT)
				r->target = XT2_TARGET(XT2_T_NOTRACK, 0);
		}
	}
}

/* => an engine with a chain of rules, NULL if the text was refused */
static struct engine *chain_make(struct heap *heap, const struct row *row, const char *text)
{
	struct xt2_text_options options = { .family = row->family };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_text_errors errors = { 0 };
	struct engine *e = NULL;
	struct xt2_mapping map;
	struct xt2_err err = { 0 };
	char path[40];
	int fd = write_text(row, text);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!rs || fd < 0)
		exit(4);
	if (xt2_text_load(path, rs, &options, &errors)) {
		if (errors.count)
			xt2_err_print(&errors.list[0], stdout);
	} else if (!xt2_ruleset_write(rs, &map, &err)) {
		e = engine_new(heap, map.image, map.size, row->family,
			       (u8)xt2_hook_number(row->family, chain_of(row)));
		xt2_image_close(&map);
	}
	if (e)
		rename_all(e, row);
	xt2_text_errors_free(&errors);
	xt2_ruleset_free(rs);
	close(fd);
	return e;
}

static bool has_match(const struct xt2_rule *r, u8 type)
{
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r) {
		if (m->type == type)
			return true;
	}
	return false;
}

/* => packets that the rules with the extension counted; -1: not every rule has it */
static long long counted(const struct engine *e, const struct row *row)
{
	const struct xt2_image *img = engine_image(e);
	const struct xt2_root *root = xt2_image_root(img);
	long long sum = 0, rules = 0;
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(c, i, img, root) {
		xt2_chain_for_each_rule(r, c) {
			if (!(is_target(row) ? XT2_TARGET_KIND(r->target) == row->type
					     : has_match(r, row->type)))
				continue;
			rules++;
			sum += (long long)r->packets;
		}
	}
	return rules == rules_of(row) ? sum : -1;
}

/* Ticks per packet: with the extension, and how many more than without. */
struct cost {
	double with, more;
};

static u64 evaluate(struct engine *e, const struct packet *p, int packets)
{
	u64 start = ticks();
	int i;

	for (i = 0; i < packets; i++) {
		struct xt2_pkt fresh = p->pkt; /* targets change it */

		engine_eval(e, &fresh);
	}
	return (ticks() - start) / (u64)packets;
}

/* Medians over windows of some packets; cold: of one, each after its caches were emptied. */
static struct cost chain_measure(struct engine *without, struct engine *with,
				 const struct packet *p, bool cold, int windows)
{
	const int packets = cold ? 1 : WINDOW;
	double most[WINDOWS], more[WINDOWS];
	int i;

	for (i = 0; i < windows; i++) {
		u64 least;

		if (cold)
			cache_evict();
		least = evaluate(without, p, packets);
		if (cold)
			cache_evict();
		most[i] = (double)evaluate(with, p, packets);
		more[i] = most[i] - (double)least;
	}
	return (struct cost){ median_of(most, (size_t)windows), median_of(more, (size_t)windows) };
}

static int row_measure(const struct row *row, double per_ns, int rounds, FILE *csv)
{
	const char *name = is_target(row) ? xt2_target_name(row->type) : xt2_match_name(row->type);
	const double count = rules_of(row), rule = per_ns * count;
	const int windows = 3 * rounds < WINDOWS ? 3 * rounds : WINDOWS;
	const int colds = rounds < COLD ? rounds : COLD;
	struct engine *without, *with;
	struct heap heap = { 0 };
	struct cost warm, cold;
	struct packet p;
	long long hits;

	if (packet_make(&p, row->family, row->packet))
		abort();
	if (row->table && !strcmp(row->table, "raw"))
		p.pkt.ct.state = 0; /* comes later */
	without = chain_make(&heap, row, row->instead ? row->instead : "");
	with = chain_make(&heap, row, row->text);
	if (!without || !with || counted(with, row) < 0) {
		printf("  %-12s no figure: the text does not make such a rule\n", name);
		heap_free(&heap);
		return 1;
	}
	warm = chain_measure(without, with, &p, false, windows);
	cold = chain_measure(without, with, &p, true, colds);
	hits = engine_faults(with) ? 0 : counted(with, row);
	printf("  %-12s %8.2f %8.2f %8.2f %6.0f%%   %s %s%s\n", name, warm.more / rule,
	       warm.with / rule, cold.more / rule,
	       100.0 * (double)hits / ((windows * WINDOW + colds) * count), row->base, row->text,
	       is_renamed(row) ? " (renamed)" : "");
	if (csv)
		fprintf(csv,
			"extension,%s,warm,%.0f,1,%.0f,,,%.0f,%.3f,,,%.3f\n"
			"extension,%s,cold,%.0f,1,%.0f,,,%.0f,%.3f,,,%.3f\n",
			name, count, count, warm.with, per_ns, warm.more / rule, name, count, count,
			cold.with, per_ns, cold.more / rule);
	heap_free(&heap);
	if (hits)
		return 0;
	printf("  %-12s did not hold: the figure is that of a miss\n", name);
	return 1;
}

int extensions_measure(double per_ns, int rounds, FILE *csv)
{
	int bad = rows_missing();
	size_t i;

	puts("\nmatches: nanoseconds that each adds to a rule, and a rule with it; what it adds with\n"
	     "cold caches; how often it held");
	for (i = 0; i < XT2_ARRAY_SIZE(matches); i++)
		bad |= row_measure(&matches[i], per_ns, rounds, csv);
	printf("\ntargets: the same; REJECT and NFQUEUE beside DROP\n");
	for (i = 0; i < XT2_ARRAY_SIZE(targets); i++)
		bad |= row_measure(&targets[i], per_ns, rounds, csv);
	return bad;
}
