/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bridge-print.c - rules of ebtables as ebtables-save prints them
 *
 * The plugins trust a payload to be what ebtables made; one that the kernel
 * would refuse is not shown to them.  What no option says is refused by name
 * rather than left out.
 */
#include "bridge.h"
#include <errno.h>
#include <linux/netfilter_bridge/ebt_log.h>
#include <linux/netfilter_bridge/ebt_nflog.h>
#include <string.h>

static void __attribute__((noreturn)) unsaid(const char *what)
{
	xt2_throw(XT2_E_UNSUPPORTED, OTHER_PROBLEM, "ebtables has no option for %s", what);
}

/* --- base tests ---------------------------------------------------------------- */

/* The name that /etc/ethertypes has, if it is this type's alone. */
static void print_type_name(FILE *to, int type)
{
	const struct xt_ethertypeent *ent = xtables_getethertypebynumber(type);
	char name[32] = "";

	if (ent && strlen(ent->e_name) < sizeof(name))
		strcpy(name, ent->e_name);
	ent = *name ? xtables_getethertypebyname(name) : NULL;
	if (ent && ent->e_ethertype == type)
		fputs(name, to);
	else
		fprintf(to, "0x%x", (unsigned int)type);
}

static void print_type(FILE *to, const struct ebt_entry *e)
{
	const bool invert = e->invflags & EBT_IPROTO;
	const unsigned int type = xt2_be16((const __u8 *)&e->ethproto);

	if (e->bitmask & EBT_NOPROTO) {
		if (type || invert)
			unsaid("the type of a frame that is not tested");
		return;
	}
	fprintf(to, " -p %s", invert ? "! " : "");
	if (e->bitmask & EBT_802_3) {
		if (type)
			unsaid("a type with a length");
		fputs("LENGTH", to);
		return;
	}
	if (type < 0x600)
		unsaid("a type that is a length");
	print_type_name(to, (int)type);
}

static void print_mac(FILE *to, const char *option, bool invert, const __u8 *addr, const __u8 *mask)
{
	int i;

	for (i = 0; i < 6; i++)
		if (addr[i] & ~mask[i])
			unsaid("bits of an address that are not tested");
	fprintf(to, " %s %s", option, invert ? "! " : "");
	xt2_print_mac(to, addr, mask);
}

static void print_device(FILE *to, const char *option, bool invert, const char *name)
{
	char text[IFNAMSIZ + 1] = "";
	size_t i;

	memcpy(text, name, IFNAMSIZ);
	if (!*text) {
		if (invert)
			unsaid("a device without a name");
		return;
	}
	for (i = 0; text[i]; i++) {
		if (text[i] == 1 && !text[i + 1])
			text[i] = '+';
		else if (text[i] <= ' ' || strchr("\"\\'!+", text[i]))
			unsaid("a device of this name");
	}
	if (i >= IFNAMSIZ)
		unsaid("a device's name without an end");
	fprintf(to, " %s %s%s", option, invert ? "! " : "", text);
}

static void print_base(FILE *to, const struct ebt_entry *e)
{
	print_type(to, e);
	if (e->bitmask & EBT_SOURCEMAC)
		print_mac(to, "-s", e->invflags & EBT_ISOURCE, e->sourcemac, e->sourcemsk);
	if (e->bitmask & EBT_DESTMAC)
		print_mac(to, "-d", e->invflags & EBT_IDEST, e->destmac, e->destmsk);
	print_device(to, "-i", e->invflags & EBT_IIN, e->in);
	print_device(to, "--logical-in", e->invflags & EBT_ILOGICALIN, e->logical_in);
	print_device(to, "-o", e->invflags & EBT_IOUT, e->out);
	print_device(to, "--logical-out", e->invflags & EBT_ILOGICALOUT, e->logical_out);
}

/* --- extensions ------------------------------------------------------------------ */

void xt2_bridge_sound(const struct ebt_rule *rule, bool target, const struct xt2_instance *in)
{
	struct xt2_legacy_cache cache = { { NULL } };
	const struct legacy_known *k;
	const struct ebt_known *own = NULL;
	u32 index;
	int err;

	k = ebt_known_find(&cache, target, in->name, in->revision, &own, &index, &err);
	if (!k || !own)
		unsaid(in->name);
	if (k->size != EBT_ANY_SIZE && in->size != legacy_native(k))
		err = -EINVAL;
	else
		err = own->check
			      ? own->check(rule, xt2_instance_data(in), legacy_align(in->size, 8))
			      : 0;
	if (!err)
		return;
	xt2_hint("ip, ip6, arp, arpreply and vlan need their protocol with -p, stp needs -d BGA, "
		 "and nothing returns from a base chain");
	xt2_throw(XT2_E_OPTION, OTHER_PROBLEM, "the kernel would refuse this '%s'", in->name);
}

/* A string that comes back from between quotes. */
static void quotable(const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size && text[i]; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == '"' || text[i] == '\\')
			unsaid("a prefix with these characters");
}

/* Watchers, whose text is not always one that reads back. */
static bool print_watcher(FILE *to, const struct xt2_instance *in)
{
	struct ebt_nflog_info nflog;
	struct ebt_log_info log;

	if (!strcmp(in->name, "log")) {
		memcpy(&log, xt2_instance_data(in), sizeof(log));
		quotable((const char *)log.prefix, sizeof(log.prefix));
	} else if (!strcmp(in->name, "nflog")) {
		memcpy(&nflog, xt2_instance_data(in), sizeof(nflog));
		quotable(nflog.prefix, sizeof(nflog.prefix));
		if (nflog.prefix[0] || nflog.group || nflog.len ||
		    nflog.threshold != EBT_NFLOG_DEFAULT_THRESHOLD)
			return false;
		fputs("--nflog ", to);
		return true;
	}
	return false;
}

static void print_extension(FILE *to, const struct ebt_rule *rule, bool target,
			    const struct xt2_instance *in)
{
	const void *payload = xt2_instance_data(in);
	__u64 copy[XT2_LEGACY_PAYLOAD / 8];

	xt2_bridge_sound(rule, target, in);
	if (!strcmp(in->name, "among") && !target) {
		if (!xt2_bridge_among_print(to, payload, in->size))
			unsaid("an empty list of among");
		return;
	}
	if (!strcmp(in->name, "limit") && !target) {
		if (!xt2_bridge_limit_print(to, payload, in->size))
			unsaid("this rate of a limit");
		return;
	}
	if (target && print_watcher(to, in))
		return;
	if (in->size > sizeof(copy))
		unsaid(in->name);
	memcpy(copy, payload, in->size);
	xt2_libxt_print_bridge(to, target, in->name, copy, in->size);
}

/* --- rules -------------------------------------------------------------------------- */

static const struct xt2_instance *instance(const struct xt2_printer *p, __u32 number)
{
	const struct xt2_instance *in = xt2_instance_get(p->rs, number);

	if (!in)
		xt2_throw(XT2_E_IMAGE, OTHER_PROBLEM, "an instance that is not there");
	return in;
}

static void print_target(struct xt2_printer *p, const struct ebt_rule *rule,
			 const struct xt2_rule *r)
{
	const __u8 kind = XT2_TARGET_KIND(r->target);
	const struct xt2_instance *in;

	if (kind <= XT2_T_RETURN) {
		fprintf(p->to, "-j %s", xt2_target_name(kind));
	} else if (kind == XT2_T_JUMP) {
		fprintf(p->to, "-j %s", xt2_chain_name(p->rs, (int)XT2_TARGET_ARG(r->target)));
	} else if (kind == XT2_T_FOREIGN) {
		in = instance(p, XT2_TARGET_ARG(r->target));
		fprintf(p->to, "-j %s ", in->name);
		print_extension(p->to, rule, true, in);
	} else {
		unsaid("this target");
	}
}

/* The base tests of a rule, as the kernel has them. */
static struct ebt_entry entry_of(const struct xt2_rule *r)
{
	struct ebt_entry e = { .bitmask = EBT_ENTRY_OR_ENTRIES | EBT_NOPROTO };
	const struct xt2_match *m;
	__u32 seen = 0;

	xt2_rule_for_each_match(m, r)
		if (m->type != XT2_M_FOREIGN && m->type != XT2_M_COMMENT &&
		    ebt_base_unpack(m, &e, &seen))
			unsaid("these conditions together");
	return e;
}

void xt2_bridge_print_match(struct xt2_printer *p, const struct xt2_match *m)
{
	struct ebt_entry e = { .bitmask = EBT_ENTRY_OR_ENTRIES | EBT_NOPROTO };
	__u32 seen = 0;

	if (ebt_base_unpack(m, &e, &seen))
		unsaid("this condition alone");
	print_base(p->to, &e);
}

void xt2_bridge_print_target(struct xt2_printer *p, int table, const struct xt2_rule *r)
{
	const struct ebt_entry e = entry_of(r);
	const struct ebt_rule rule = { .e = &e, .table = xt2_table_name(p->rs, table) };

	print_target(p, &rule, r);
}

void xt2_bridge_print(struct xt2_printer *p, int table, const struct xt2_rule *r, bool counters)
{
	const struct ebt_entry e = entry_of(r);
	const struct ebt_rule rule = { .e = &e, .table = xt2_table_name(p->rs, table) };
	const struct xt2_instance *in;
	const struct xt2_match *m;

	print_base(p->to, &e);
	fputc(' ', p->to);
	xt2_rule_for_each_match(m, r) {
		if (m->type == XT2_M_COMMENT)
			unsaid("comments");
		if (m->type != XT2_M_FOREIGN)
			continue;
		in = instance(p, m->arg);
		print_extension(p->to, &rule, in->kind != XT2_INSTANCE_MATCH, in);
	}
	print_target(p, &rule, r);
	if (counters)
		fprintf(p->to, " -c %llu %llu", (unsigned long long)r->packets,
			(unsigned long long)r->bytes);
}
