/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-fields.c - the conditions and the target of a rule as JSON
 *
 * A row says how the fields of an extension are printed, from its payload in
 * the kernel's form.  An extension without a row, or one that says more than
 * its row can, has its options as text.  These members are there for the
 * reader's convenience: xt2 itself compares them with what it would have
 * printed, so what is printed here may change, but must not depend on the host.
 */
#include "config.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "translators/ext/translate.h"
#include "json-members.h"
#include "xt2tables/text/text.h"

#define PAYLOAD_MAX 0x10000

/* Is it N ones, then zeros?  => N, or -1 */
static int prefix_of(const __u8 *mask, unsigned int size)
{
	unsigned int n = 0, i;

	while (n < 8 * size && mask[n / 8] & 0x80 >> n % 8)
		n++;
	for (i = n; i < 8 * size; i++)
		if (mask[i / 8] & 0x80 >> i % 8)
			return -1;
	return (int)n;
}

/* An address, and how much of it counts. */
static void network(FILE *to, int family, const void *addr, const void *mask)
{
	int prefix = prefix_of(mask, family == XT2_IPV6 ? 16 : 4);

	xt2_json_address(to, "address", family, addr);
	if (prefix >= 0)
		fprintf(to, ",\"prefix\":%d", prefix);
	else
		xt2_json_address(to, "mask", family, mask);
}

/* --- base tests --------------------------------------------------------------- */

static void put_addr4(FILE *to, const struct xt2_match *m)
{
	const struct xt2_match_addr4_mask *k = (const struct xt2_match_addr4_mask *)m;
	bool masked = m->type == XT2_M_SRC4_MASK || m->type == XT2_M_DST4_MASK;
	__u32 addr = htonl(m->arg);
	__u32 mask = htonl(masked ? k->mask : ~0u << (m->flags & XT2_ADDR4_SHIFT));

	network(to, XT2_IPV4, &addr, &mask);
}

static void put_addr6(FILE *to, const struct xt2_match *m)
{
	const struct xt2_match_addr6_mask *k = (const struct xt2_match_addr6_mask *)m;
	bool masked = m->type == XT2_M_SRC6_MASK || m->type == XT2_M_DST6_MASK;
	static const __u64 all[2] = { ~0ull, ~0ull };

	network(to, XT2_IPV6, k->addr, masked ? k->mask : all);
}

static void put_iface(FILE *to, const struct xt2_match *m)
{
	const struct xt2_match_iface *k = (const struct xt2_match_iface *)m;
	const struct xt2_match_iface_mask *masked = (const struct xt2_match_iface_mask *)m;
	size_t len;

	if (m->type == XT2_M_IN_MASK || m->type == XT2_M_OUT_MASK) {
		xt2_json_hex(to, "bytes", (const __u8 *)masked->name, sizeof(masked->name));
		xt2_json_hex(to, "mask", (const __u8 *)masked->mask, sizeof(masked->mask));
		return;
	}
	len = strnlen((const char *)k->name, m->arg < 16 ? m->arg : 16);
	xt2_json_text(to, "interface", k->name, len);
	xt2_json_yes(to, "prefix", len == m->arg);
}

static void put_number(FILE *to, const struct xt2_match *m)
{
	xt2_json_member(to, "number", m->arg);
}

static void put_nothing(FILE *to, const struct xt2_match *m)
{
}

static void put_arp_number(FILE *to, const struct xt2_match *m)
{
	xt2_json_member(to, "number", m->arg & 0xffff);
	xt2_json_member(to, "mask", m->arg >> 16);
}

static void put_arp_mac(FILE *to, const struct xt2_match *m)
{
	const struct xt2_match_arp_dev *k = (const struct xt2_match_arp_dev *)m;

	xt2_json_hex(to, "address", k->addr, m->arg);
	xt2_json_hex(to, "mask", k->mask, m->arg);
}

static const struct base {
	__u8 type;
	const char *name;
	void (*put)(FILE *to, const struct xt2_match *m);
} bases[] = {
	{ XT2_M_SRC4, "source", put_addr4 },
	{ XT2_M_SRC4_MASK, "source", put_addr4 },
	{ XT2_M_DST4, "destination", put_addr4 },
	{ XT2_M_DST4_MASK, "destination", put_addr4 },
	{ XT2_M_SRC6, "source", put_addr6 },
	{ XT2_M_SRC6_MASK, "source", put_addr6 },
	{ XT2_M_DST6, "destination", put_addr6 },
	{ XT2_M_DST6_MASK, "destination", put_addr6 },
	{ XT2_M_IN, "in-interface", put_iface },
	{ XT2_M_IN_MASK, "in-interface", put_iface },
	{ XT2_M_OUT, "out-interface", put_iface },
	{ XT2_M_OUT_MASK, "out-interface", put_iface },
	{ XT2_M_PROTO, "protocol", put_number },
	{ XT2_M_FRAGMENT, "fragment", put_nothing },
	{ XT2_M_ARP_HRD, "h-type", put_arp_number },
	{ XT2_M_ARP_PRO, "proto-type", put_arp_number },
	{ XT2_M_ARP_HLN, "h-length", put_arp_number },
	{ XT2_M_ARP_OP, "opcode", put_arp_number },
	{ XT2_M_ARP_SHA, "src-mac", put_arp_mac },
	{ XT2_M_ARP_THA, "dst-mac", put_arp_mac },
};

/* --- a rule --------------------------------------------------------------------------- */

struct fields {
	FILE *to;
	const struct xt2_ruleset *rs;
	int family, chain;
	const struct xt2_rule *rule;
};

static __u8 payload[PAYLOAD_MAX] __attribute__((aligned(16)));

/* A match, or, if m is NULL, the target, as text; as snprintf(). */
static int part(const struct fields *f, const struct xt2_match *m, char *buf, size_t size)
{
	return m ? xt2_text_match(f->rs, f->chain, m, buf, size)
		 : xt2_text_target(f->rs, f->chain, f->rule, buf, size);
}

/* What has no fields of its own: all but the first two words, "-m name". */
static int put_options(const struct fields *f, const struct xt2_match *m)
{
	char *text, *options;
	int len = part(f, m, NULL, 0), ret, words = 2;

	if (len < 0)
		return len;
	text = malloc((size_t)len + 1);
	if (!text)
		return -ENOMEM;
	ret = part(f, m, text, (size_t)len + 1);
	if (ret >= 0) {
		for (options = text; words && *options; words--) {
			options += strcspn(options, " ");
			options += strspn(options, " ");
		}
		xt2_json_word(f->to, "options", options);
	}
	free(text);
	return ret < 0 ? ret : 0;
}

/* A row prints into memory first: it may find that it cannot say everything. */
static int put_extension(const struct fields *f, const struct xt2_match *m, xt2_json_put *put,
			 const struct xt2_json_ext *e)
{
	char *buf = NULL;
	size_t size = 0;
	FILE *mem;
	bool said;

	if (!put)
		return put_options(f, m);
	mem = open_memstream(&buf, &size);
	if (!mem)
		return -ENOMEM;
	said = put(mem, e);
	if (ferror(mem) | fclose(mem) || !buf) {
		free(buf);
		return -ENOMEM;
	}
	if (said)
		fputs(buf, f->to);
	free(buf);
	return said ? 0 : put_options(f, m);
}

static void name_of(const struct fields *f, const char *name)
{
	fputs("{\"name\":", f->to);
	xt2_json_bytes(f->to, name);
}

static int put_instance(const struct fields *f, const struct xt2_match *m, __u32 i)
{
	const struct xt2_instance *in = xt2_instance_get(f->rs, i);

	if (m && m->type == XT2_M_COMMENT) {
		name_of(f, "comment");
		xt2_json_text(f->to, "text", xt2_instance_data(in), in->size);
		return 0;
	}
	name_of(f, in->name);
	return put_options(f, m);
}

static int put_match(const struct fields *f, const struct xt2_match *m)
{
	struct xt2_json_ext e = { .family = f->family, .payload = payload };
	const struct xt2_row *row;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(bases); i++)
		if (bases[i].type == m->type) {
			name_of(f, bases[i].name);
			xt2_json_yes(f->to, "not", m->flags & XT2_MATCH_INVERT);
			bases[i].put(f->to, m);
			return 0;
		}
	if (xt2_match_info(m->type) & XT2_EXT_INSTANCE)
		return put_instance(f, m, m->arg);
	if (xt2_match_unpack((__u8)f->family, m, &row, payload, sizeof(payload)) < 0)
		return -EOPNOTSUPP;
	name_of(f, row->name);
	e.revision = row->revision;
	return put_extension(f, m, xt2_json_match_find(m->type), &e);
}

static int put_target(const struct fields *f)
{
	struct xt2_json_ext e = { .family = f->family, .payload = payload };
	__u8 kind = XT2_TARGET_KIND(f->rule->target);
	__u32 arg = XT2_TARGET_ARG(f->rule->target);
	const struct xt2_row *row;

	if (kind == XT2_T_JUMP || kind == XT2_T_GOTO) {
		fprintf(f->to, "{\"%s\":", kind == XT2_T_JUMP ? "jump" : "goto");
		xt2_json_bytes(f->to, xt2_chain_name(f->rs, (int)arg));
		return 0;
	}
	if (kind <= XT2_T_QUEUE) {
		name_of(f, xt2_target_name(kind));
		return 0;
	}
	if (xt2_target_info(kind) & XT2_EXT_INSTANCE)
		return put_instance(f, NULL, arg);
	if (xt2_target_unpack((__u8)f->family, f->rule, &row, payload, sizeof(payload)) < 0)
		return -EOPNOTSUPP;
	name_of(f, row->name);
	e.revision = row->revision;
	return put_extension(f, NULL, xt2_json_target_find(kind), &e);
}

int xt2_json_fields(FILE *to, const struct xt2_ruleset *rs, int chain, const struct xt2_rule *r)
{
	struct fields f = { to, rs, xt2_table_family(rs, xt2_chain_table(rs, chain)), chain, r };
	const struct xt2_match *m;
	const char *comma = "";
	int ret = 0;

	fputs("\"match\":[", to);
	xt2_rule_for_each_match(m, r) {
		fputs(comma, to);
		comma = ",";
		ret = put_match(&f, m);
		if (ret < 0)
			return ret;
		fputc('}', to);
	}
	fputs("],\"target\":", to);
	if (XT2_TARGET_KIND(r->target) == XT2_T_CONTINUE) {
		fputs("null", to);
		return 0;
	}
	ret = put_target(&f);
	fputc('}', to);
	return ret;
}
