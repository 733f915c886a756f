/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ebt-blob.h - tables of bridges as a tool would send them, for tests
 *
 * A blob is struct ebt_replace and its entries behind it, in either width.
 * Pointers count from b->base, which is where the entries are, or would be.
 */
#ifndef XT2_TESTS_LEGACY_EBT_H
#define XT2_TESTS_LEGACY_EBT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/in.h>
#include <linux/if_ether.h>
#include <linux/netfilter_bridge/ebtables.h>
#include <linux/netfilter_bridge/ebt_802_3.h>
#include <linux/netfilter_bridge/ebt_among.h>
#include <linux/netfilter_bridge/ebt_arp.h>
#include <linux/netfilter_bridge/ebt_arpreply.h>
#include <linux/netfilter_bridge/ebt_ip.h>
#include <linux/netfilter_bridge/ebt_ip6.h>
#include <linux/netfilter_bridge/ebt_limit.h>
#include <linux/netfilter_bridge/ebt_log.h>
#include <linux/netfilter_bridge/ebt_mark_m.h>
#include <linux/netfilter_bridge/ebt_mark_t.h>
#include <linux/netfilter_bridge/ebt_nat.h>
#include <linux/netfilter_bridge/ebt_nflog.h>
#include <linux/netfilter_bridge/ebt_pkttype.h>
#include <linux/netfilter_bridge/ebt_redirect.h>
#include <linux/netfilter_bridge/ebt_stp.h>
#include <linux/netfilter_bridge/ebt_vlan.h>

#define EBT_BLOB_MAX 65536

struct ebt_blob {
	bool compat;
	bool native_inside; /* a 32-bit program that sends the native layout */
	uint64_t base;
	uint32_t size; /* of the entries so far */
	uint32_t chain[16], chains; /* offsets of heads */
	uint32_t rule[64], rules; /* of rules */
	uint32_t part; /* of the last rule: 0 matches, 1 watchers, 2 target */
	uint32_t ext; /* offset of the last extension */
	uint32_t hooks;
	int64_t place[NF_BR_NUMHOOKS]; /* offsets that the header's pointers name */
	uint8_t bytes[120 + EBT_BLOB_MAX]; /* entries start at 120, whatever the width */
	uint8_t out[120 + EBT_BLOB_MAX]; /* the whole */
	uint32_t len;
	char table[32];
	uint32_t entries, num_counters; /* for the header */
	int32_t longer; /* bytes that the length is off */
	uint32_t sizes_off; /* and entries_size */
};

static uint8_t *ebt_at(struct ebt_blob *b, uint32_t offset)
{
	return b->bytes + 120 + offset;
}

static void ebt_put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static uint32_t ebt_get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* A field of a head or a rule. */
#define EBT_HEAD_FIELD(b, chain_, field) \
	(ebt_at(b, (b)->chain[chain_] + offsetof(struct ebt_entries, field)))
#define EBT_RULE_FIELD(b, rule_, field) \
	(ebt_at(b, (b)->rule[rule_] + offsetof(struct ebt_entry, field)))

static uint32_t ebt_ext_header(const struct ebt_blob *b)
{
	return b->compat && !b->native_inside ? 36 : 40;
}

static void ebt_begin(struct ebt_blob *b, bool compat, bool native_inside, const char *table)
{
	memset(b, 0, offsetof(struct ebt_blob, bytes));
	memset(b->bytes, 0, sizeof(b->bytes));
	b->compat = compat;
	b->native_inside = native_inside;
	b->base = compat ? 0x10000 : 0x7f0000010000;
	b->longer = 0;
	b->sizes_off = 0;
	b->entries = b->num_counters = 0;
	memset(b->table, 0, sizeof(b->table));
	strcpy(b->table, table);
}

/* @hook: -1: a user chain */
static void ebt_chain(struct ebt_blob *b, int hook, const char *name, int policy)
{
	uint8_t *head = ebt_at(b, b->size);

	if (b->chains) /* the chain before is complete */
		ebt_put32(EBT_HEAD_FIELD(b, b->chains - 1, nentries),
			  b->rules - ebt_get32(EBT_HEAD_FIELD(b, b->chains - 1, counter_offset)));
	b->chain[b->chains++] = b->size;
	strcpy((char *)head + 4, name);
	ebt_put32(head + offsetof(struct ebt_entries, counter_offset), b->rules);
	ebt_put32(head + offsetof(struct ebt_entries, policy), (uint32_t)policy);
	if (hook >= 0) {
		b->hooks |= 1u << hook;
		b->place[hook] = b->size;
	}
	b->size += sizeof(struct ebt_entries);
}

static void ebt_rule_offsets(struct ebt_blob *b)
{
	uint8_t *at = ebt_at(b, b->rule[b->rules - 1]);
	uint32_t i;

	for (i = b->part; i < 3; i++)
		ebt_put32(at + offsetof(struct ebt_entry, watchers_offset) + 4 * i,
			  b->size - b->rule[b->rules - 1]);
}

static void ebt_rule(struct ebt_blob *b)
{
	b->rule[b->rules++] = b->size;
	b->part = 0;
	ebt_put32(ebt_at(b, b->size), EBT_ENTRY_OR_ENTRIES | EBT_NOPROTO);
	b->size += sizeof(struct ebt_entry);
	ebt_rule_offsets(b);
}

static void ebt_rule_type(struct ebt_blob *b, uint32_t type)
{
	uint8_t *at = ebt_at(b, b->rule[b->rules - 1]);

	ebt_put32(at, EBT_ENTRY_OR_ENTRIES);
	at[8] = (uint8_t)(type >> 8);
	at[9] = (uint8_t)type;
}

/* @size: as written into the header; the payload is padded to the width's alignment */
static void ebt_ext(struct ebt_blob *b, uint32_t part, const char *name, const void *data,
		    uint32_t size)
{
	uint32_t header = ebt_ext_header(b), align = header == 36 ? 4 : 8;
	uint32_t padded = (size + align - 1) & ~(align - 1);
	uint8_t *at = ebt_at(b, b->size);

	b->part = part;
	b->ext = b->size;
	strcpy((char *)at, name);
	ebt_put32(at + 32, padded);
	memcpy(at + header, data, size);
	b->size += header + padded;
	ebt_rule_offsets(b);
	if (part == 2) /* target_offset was set when it began */
		ebt_put32(EBT_RULE_FIELD(b, b->rules - 1, target_offset),
			  b->ext - b->rule[b->rules - 1]);
	if (part == 2 && ebt_get32(EBT_RULE_FIELD(b, b->rules - 1, watchers_offset)) >
				 b->ext - b->rule[b->rules - 1])
		ebt_put32(EBT_RULE_FIELD(b, b->rules - 1, watchers_offset),
			  b->ext - b->rule[b->rules - 1]);
	if (part == 1 && ebt_get32(EBT_RULE_FIELD(b, b->rules - 1, watchers_offset)) >
				 b->ext - b->rule[b->rules - 1])
		ebt_put32(EBT_RULE_FIELD(b, b->rules - 1, watchers_offset),
			  b->ext - b->rule[b->rules - 1]);
}

#define EBT_MATCH(b, name, info)   ebt_ext(b, 0, name, &(info), sizeof(info))
#define EBT_WATCHER(b, name, info) ebt_ext(b, 1, name, &(info), sizeof(info))
#define EBT_TARGET(b, name, info)  ebt_ext(b, 2, name, &(info), sizeof(info))

static void ebt_verdict(struct ebt_blob *b, int verdict)
{
	ebt_ext(b, 2, "standard", &verdict, sizeof(verdict));
}

/* Those with longs inside. */
static void ebt_mark_m(struct ebt_blob *b, uint32_t mark, uint32_t mask, uint8_t bits)
{
	struct ebt_mark_m_info info;
	uint32_t small[3] = { mark, mask, (uint32_t)bits << 8 };

	memset(&info, 0, sizeof(info));
	info.mark = mark;
	info.mask = mask;
	info.bitmask = bits;
	if (ebt_ext_header(b) == 36)
		EBT_MATCH(b, "mark_m", small);
	else
		EBT_MATCH(b, "mark_m", info);
}

static void ebt_mark(struct ebt_blob *b, uint32_t part, uint32_t mark, int target)
{
	struct ebt_mark_t_info info;
	uint32_t small[2] = { mark, (uint32_t)target };

	memset(&info, 0, sizeof(info)); /* what pads it as well */
	info.mark = mark;
	info.target = target;
	if (ebt_ext_header(b) == 36)
		ebt_ext(b, part, "mark", small, sizeof(small));
	else
		ebt_ext(b, part, "mark", &info, sizeof(info));
}

static void ebt_limit(struct ebt_blob *b, uint32_t avg, uint32_t burst)
{
	uint32_t words[8] = { avg, burst };

	ebt_ext(b, 0, "limit", words, ebt_ext_header(b) == 36 ? 24 : 32);
}

/* The last chain's number of rules, and what the header counts. */
static void ebt_count(struct ebt_blob *b)
{
	if (b->chains)
		ebt_put32(EBT_HEAD_FIELD(b, b->chains - 1, nentries),
			  b->rules - ebt_get32(EBT_HEAD_FIELD(b, b->chains - 1, counter_offset)));
	b->entries = b->rules;
}

/* Header and entries into b->out, pointers as for entries at b->base. */
static void ebt_finish(struct ebt_blob *b)
{
	bool small = b->compat && !b->native_inside;
	uint32_t header = small ? 80 : 120, i;
	uint8_t *h = b->out;

	memset(h, 0, header);
	memcpy(h, b->table, 32);
	ebt_put32(h + 32, b->hooks);
	ebt_put32(h + 36, b->entries);
	ebt_put32(h + 40, b->size + b->sizes_off);
	for (i = 0; i < NF_BR_NUMHOOKS; i++) {
		uint64_t p = b->hooks & 1u << i ? b->base + (uint64_t)b->place[i] : 0;

		memcpy(small ? h + 44 + 4 * i : h + 48 + 8 * i, &p, small ? 4 : 8);
	}
	ebt_put32(small ? h + 68 : h + 96, b->num_counters);
	memcpy(small ? h + 76 : h + 112, &b->base, small ? 4 : 8);
	memcpy(h + header, ebt_at(b, 0), b->size);
	b->len = header + b->size + (uint32_t)b->longer;
}

/*
 * filter: INPUT 0: ip -j ACCEPT; FORWARD 1: -j one, 2: -p LENGTH -j DROP; OUTPUT;
 * one 3: limit, log -j two; 4: -j RETURN; two (DROP) 5: -j ACCEPT.
 */
static void ebt_sample(struct ebt_blob *b, bool compat, bool native_inside)
{
	struct ebt_ip_info ip = { .protocol = IPPROTO_TCP, .bitmask = EBT_IP_PROTO };
	struct ebt_log_info log = { .prefix = "x", .loglevel = 6 };

	ebt_begin(b, compat, native_inside, "filter");
	ebt_chain(b, NF_BR_LOCAL_IN, "INPUT", EBT_ACCEPT);
	ebt_rule(b);
	ebt_rule_type(b, ETH_P_IP);
	EBT_MATCH(b, "ip", ip);
	ebt_verdict(b, EBT_ACCEPT);
	ebt_chain(b, NF_BR_FORWARD, "FORWARD", EBT_DROP);
	ebt_rule(b);
	ebt_verdict(b, 0);
	ebt_rule(b);
	ebt_put32(EBT_RULE_FIELD(b, 2, bitmask), EBT_ENTRY_OR_ENTRIES | EBT_802_3);
	ebt_verdict(b, EBT_DROP);
	ebt_chain(b, NF_BR_LOCAL_OUT, "OUTPUT", EBT_ACCEPT);
	ebt_chain(b, -1, "one", EBT_RETURN);
	ebt_rule(b);
	ebt_limit(b, 1000, 5);
	EBT_WATCHER(b, "log", log);
	ebt_verdict(b, 0);
	ebt_rule(b);
	ebt_verdict(b, EBT_RETURN);
	ebt_chain(b, -1, "two", EBT_DROP);
	ebt_rule(b);
	ebt_verdict(b, EBT_ACCEPT);
	ebt_count(b);
}

/* The verdict of a rule's standard target. */
static uint8_t *ebt_verdict_at(struct ebt_blob *b, uint32_t rule)
{
	return ebt_at(b, b->rule[rule] + ebt_get32(EBT_RULE_FIELD(b, rule, target_offset)) +
				 ebt_ext_header(b));
}

static void ebt_jump(struct ebt_blob *b, uint32_t rule, uint32_t chain)
{
	ebt_put32(ebt_verdict_at(b, rule), b->chain[chain]);
}

/* Jumps can be made when the chains are there. */
static void ebt_sample_whole(struct ebt_blob *b, bool compat, bool native_inside)
{
	ebt_sample(b, compat, native_inside);
	ebt_jump(b, 1, 3);
	ebt_jump(b, 3, 4);
}

/* --- bytes that tools leave as they are ------------------------------------------ */

static void ebt_mask_name(uint8_t *name, uint32_t size)
{
	uint32_t len = (uint32_t)strnlen((char *)name, size);

	memset(name + len, 0, size - len);
}

static void ebt_mask_device(uint8_t *name)
{
	uint32_t i = 0;

	while (i < 16 && name[i] && name[i] != 1)
		i++;
	if (i < 16 && name[i] == 1)
		i++;
	memset(name + i, 0, 16 - i);
}

static void ebt_mask_ext(uint8_t *x, uint32_t header)
{
	ebt_mask_name(x, 31);
	memset(x + 36, 0, header - 36);
	if (strcmp((char *)x, "standard"))
		return;
	x[31] = 0;
	memset(x + header + 4, 0, ebt_get32(x + 32) - 4);
}

static void ebt_mask_rule(uint8_t *e, uint32_t header)
{
	uint32_t bits = ebt_get32(e), i, at;

	for (i = 0; i < 4; i++)
		ebt_mask_device(e + 10 + 16 * i);
	if (!(bits & EBT_SOURCEMAC))
		memset(e + 74, 0, 12);
	if (!(bits & EBT_DESTMAC))
		memset(e + 86, 0, 12);
	memset(e + 98, 0, 2);
	for (at = 112; at < ebt_get32(e + 108); at += header + ebt_get32(e + at + 32))
		ebt_mask_ext(e + at, header);
}

/* What doc/legacy.md says about the bytes that ebtables leaves as they are. */
static inline void ebt_mask(uint8_t *entries, uint32_t size, bool compat)
{
	uint32_t at, step;

	for (at = 0; at < size; at += step) {
		uint8_t *e = entries + at;

		step = ebt_get32(e) ? ebt_get32(e + 108) : 48;
		if (ebt_get32(e))
			ebt_mask_rule(e, compat ? 36 : 40);
		else
			ebt_mask_name(e + 4, 32);
	}
}

/* --- damage --------------------------------------------------------------------- */

static uint64_t ebt_random;

static uint32_t ebt_below(uint32_t n)
{
	ebt_random = ebt_random * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(ebt_random >> 33) % n;
}

static inline void ebt_damage(uint8_t *bytes, uint32_t len)
{
	static const uint32_t words[] = { 0,	      1,	  2,	      4,
					  0x30,	      0x70,	  0x28,	      0x1000,
					  0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffc };
	uint32_t n = 1 + ebt_below(3), at;

	while (n--) {
		at = ebt_below(len);
		switch (ebt_below(5)) {
		case 0: bytes[at] ^= (uint8_t)(1 << ebt_below(8)); break;
		case 1: bytes[at] = (uint8_t)ebt_below(256); break;
		case 2:
			at = at / 4 * 4;
			if (at + 4 <= len)
				ebt_put32(bytes + at,
					  words[ebt_below(sizeof(words) / sizeof(words[0]))]);
			break;
		case 3:
			at = at / 4 * 4;
			if (at + 4 <= len)
				ebt_put32(bytes + at,
					  ebt_get32(bytes + at) + 8 * ebt_below(9) - 32);
			break;
		case 4:
			memmove(bytes + at, bytes + ebt_below(len - at) + at,
				ebt_below(16) % (len - at) / 2);
			break;
		}
	}
}

#endif
