/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bridge-ext.c - ebtables' limit and among, which libxtables does not have
 *
 * A rate is a period between packets in 1/10000 s, as in xt_limit.  A set of
 * among is ordered by the last byte of the MAC addresses, with a table of where
 * each byte's part begins (struct ebt_mac_wormhash); the sets stand in the
 * payload in the order of their options.
 */
#include "bridge.h"
#include <arpa/inet.h>
#include <getopt.h>
#include <linux/netfilter_bridge/ebt_among.h>
#include <linux/netfilter_bridge/ebt_limit.h>
#include <netinet/ether.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- limit ------------------------------------------------------------------ */

enum { LIMIT = 1, LIMIT_BURST };

const struct option xt2_bridge_limit_options[] = {
	{ "limit", 1, NULL, LIMIT },
	{ "limit-burst", 1, NULL, LIMIT_BURST },
	{ NULL, 0, NULL, 0 },
};

static const struct {
	const char *name, *word;
	__u32 period;
} units[] = {
	{ "sec", "second", EBT_LIMIT_SCALE },
	{ "min", "minute", EBT_LIMIT_SCALE * 60 },
	{ "hour", "hour", EBT_LIMIT_SCALE * 60 * 60 },
	{ "day", "day", EBT_LIMIT_SCALE * 60 * 60 * 24 },
};

/* The largest unit in which the rate is a whole number, as exactly as it is kept. */
bool xt2_bridge_limit_print(FILE *to, const void *payload, unsigned int size)
{
	struct ebt_limit_info info;
	__u32 n;
	size_t i;

	memcpy(&info, payload, sizeof(info));
	for (i = 0; info.avg && i < XT2_ARRAY_SIZE(units); i++) {
		n = units[i].period / info.avg;
		if (!n || units[i].period / n != info.avg)
			continue;
		fprintf(to, "--limit %u/%s --limit-burst %u ", n, units[i].name, info.burst);
		return true;
	}
	return false;
}

static __u32 rate(char *text)
{
	const size_t digits = strspn(text, "0123456789");
	const unsigned long n = strtoul(text, NULL, 10);
	const char *unit = text[digits] == '/' ? text + digits + 1 : "sec";
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(units); i++)
		if (*unit && !strncasecmp(unit, units[i].word, strlen(unit)))
			break;
	if (!digits || (text[digits] && text[digits] != '/') || i == XT2_ARRAY_SIZE(units) || !n ||
	    n > units[i].period || n / (units[i].period / EBT_LIMIT_SCALE) > EBT_LIMIT_SCALE)
		xt2_throw(XT2_E_OPTION, PARAMETER_PROBLEM, "bad rate `%s'", text);
	return (__u32)(units[i].period / n);
}

void xt2_bridge_limit_option(struct xt2_bridge_own *own, int c, char *arg, bool invert)
{
	unsigned int burst;

	if (invert)
		xt2_throw(XT2_E_OPTION, PARAMETER_PROBLEM, "unexpected `!' before a limit");
	if (c == LIMIT) {
		if (own->avg_given)
			xt2_throw(XT2_E_OPTION, PARAMETER_PROBLEM, "--limit is given twice");
		own->avg = rate(arg);
		own->avg_given = true;
		return;
	}
	if (own->burst_given || !xtables_strtoui(arg, NULL, &burst, 1, 10000))
		xt2_throw(XT2_E_OPTION, PARAMETER_PROBLEM, "bad --limit-burst `%s'", arg);
	own->burst = burst;
	own->burst_given = true;
}

unsigned int xt2_bridge_limit_payload(const struct xt2_bridge_own *own, void *payload,
				      unsigned int room)
{
	const struct ebt_limit_info info = {
		.avg = own->avg_given ? own->avg : units[2].period / 3,
		.burst = own->burst_given ? own->burst : 5,
	};

	memcpy(payload, &info, sizeof(info));
	return sizeof(info);
}

/* --- among ------------------------------------------------------------------ */

enum { AMONG_DST = 1, AMONG_SRC };

const struct option xt2_bridge_among_options[] = {
	{ "among-dst", 1, NULL, AMONG_DST },
	{ "among-src", 1, NULL, AMONG_SRC },
	{ NULL, 0, NULL, 0 },
};

static void among_set(FILE *to, const char *name, const __u8 *set, bool invert)
{
	struct ebt_mac_wormhash_tuple t;
	char ip[INET_ADDRSTRLEN];
	__u32 n, i;

	memcpy(&n, set + EBT_WORMHASH - 4, sizeof(n));
	fprintf(to, "%s %s", name, invert ? "! " : "");
	for (i = 0; i < n; i++) {
		memcpy(&t, set + EBT_WORMHASH + i * sizeof(t), sizeof(t));
		fputs(i ? "," : "", to);
		xt2_print_mac(to, (const __u8 *)t.cmp + 2, NULL);
		if (t.ip)
			fprintf(to, "=%s", inet_ntop(AF_INET, &t.ip, ip, sizeof(ip)));
	}
	fputc(' ', to);
}

static __u32 pairs_of(const __u8 *payload, int at)
{
	__u32 n = 0;

	if (at)
		memcpy(&n, payload + at + EBT_WORMHASH - 4, sizeof(n));
	return n;
}

bool xt2_bridge_among_print(FILE *to, const void *payload, unsigned int size)
{
	const __u8 *bytes = payload;
	struct ebt_among_info info;

	memcpy(&info, payload, sizeof(info));
	if ((info.wh_src_ofs && !pairs_of(bytes, info.wh_src_ofs)) ||
	    (info.wh_dst_ofs && !pairs_of(bytes, info.wh_dst_ofs)) ||
	    (!info.wh_src_ofs && !info.wh_dst_ofs))
		return false;
	if (info.wh_src_ofs && info.wh_src_ofs < info.wh_dst_ofs)
		among_set(to, "--among-src", bytes + info.wh_src_ofs,
			  info.bitmask & EBT_AMONG_SRC_NEG);
	if (info.wh_dst_ofs)
		among_set(to, "--among-dst", bytes + info.wh_dst_ofs,
			  info.bitmask & EBT_AMONG_DST_NEG);
	if (info.wh_src_ofs && info.wh_src_ofs > info.wh_dst_ofs)
		among_set(to, "--among-src", bytes + info.wh_src_ofs,
			  info.bitmask & EBT_AMONG_SRC_NEG);
	return true;
}

static void pair_read(struct ebt_mac_wormhash_tuple *t, char *text)
{
	char *ip = strchr(text, '=');
	const struct ether_addr *mac;

	if (ip)
		*ip++ = '\0';
	mac = ether_aton(text);
	if (!mac || (ip && inet_pton(AF_INET, ip, &t->ip) != 1))
		xt2_throw(XT2_E_OPTION, PARAMETER_PROBLEM, "bad address `%s' in a list",
			  mac ? ip : text);
	memcpy((__u8 *)t->cmp + 2, mac, 6);
}

void xt2_bridge_among_option(struct xt2_bridge_own *own, int c, char *arg, bool invert)
{
	struct xt2_bridge_set *set = c == AMONG_SRC ? &own->src : &own->dst;
	size_t room = strlen(arg) / 2 + 1;
	char *rest = NULL, *word;

	if (set->given)
		xt2_throw(XT2_E_OPTION, PARAMETER_PROBLEM, "a list of among is given twice");
	set->pair = calloc(room, sizeof(*set->pair));
	if (!set->pair)
		xt2_no_memory();
	set->given = true;
	set->invert = invert;
	if (!own->src.given || !own->dst.given)
		own->src_first = c == AMONG_SRC;
	for (word = strtok_r(arg, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		pair_read(&set->pair[set->count++], word);
	if (!set->count)
		xt2_throw(XT2_E_OPTION, PARAMETER_PROBLEM, "a list of among is empty");
}

/* The tuples byte by byte, so that those of one byte keep their order. */
static void set_write(const struct xt2_bridge_set *set, __u8 *to)
{
	__u32 table[257] = { 0 }, n = 0, byte, i;

	for (byte = 0; byte < 256; byte++) {
		table[byte] = n;
		for (i = 0; i < set->count; i++) {
			if (((const __u8 *)set->pair[i].cmp)[7] != byte)
				continue;
			memcpy(to + EBT_WORMHASH + n++ * sizeof(set->pair[i]), &set->pair[i],
			       sizeof(set->pair[i]));
		}
	}
	table[256] = n;
	memcpy(to, table, sizeof(table));
	memcpy(to + EBT_WORMHASH - 4, &n, sizeof(n));
}

static unsigned int set_size(const struct xt2_bridge_set *set)
{
	return set->given ? EBT_WORMHASH +
				    set->count * (unsigned int)sizeof(struct ebt_mac_wormhash_tuple)
			  : 0;
}

unsigned int xt2_bridge_among_payload(const struct xt2_bridge_own *own, void *payload,
				      unsigned int room)
{
	const unsigned int src = set_size(&own->src), dst = set_size(&own->dst),
			   base = sizeof(struct ebt_among_info);
	const unsigned int size = base + src + dst;
	struct ebt_among_info info = {
		.wh_src_ofs = (int)(src ? base + (own->src_first ? 0 : dst) : 0),
		.wh_dst_ofs = (int)(dst ? base + (own->src_first ? src : 0) : 0),
		.bitmask = (own->src.invert ? EBT_AMONG_SRC_NEG : 0) |
			   (own->dst.invert ? EBT_AMONG_DST_NEG : 0),
	};

	if (size > room)
		xt2_throw(XT2_E_LIMIT, OTHER_PROBLEM, "the lists of among are too long");
	memset(payload, 0, size);
	memcpy(payload, &info, sizeof(info));
	if (src)
		set_write(&own->src, (__u8 *)payload + info.wh_src_ofs);
	if (dst)
		set_write(&own->dst, (__u8 *)payload + info.wh_dst_ofs);
	return size;
}

void xt2_bridge_own_free(struct xt2_bridge_own *own)
{
	free(own->src.pair);
	free(own->dst.pair);
	memset(own, 0, sizeof(*own));
}
