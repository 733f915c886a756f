/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extension-checks.c - extensions that the kernel refuses in some rules
 *
 * The tables and protocols of an extension are those of its row in
 * translators/table/legacy-known.c.  A rule in the wrong table would be refused at
 * COMMIT; here it is refused at its own line and with the reason.
 * So are options that the checkentry functions of legacy-entry.c refuse and give
 * a reason for, where iptables-restore would say "line N failed".
 */
#include "config.h"
#include <string.h>
#include "line.h"
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_rateest.h>
#include <linux/netfilter/xt_tcpudp.h>
#include <linux/netfilter/xt_time.h>
#include "translators/table/legacy-format.h"

#define TCP_SYN 0x02

static void __attribute__((noreturn))
refuse(struct xt2_line *l, const char *name, const char *message, const char *hint)
{
	xt2_line_point(l, name);
	if (hint)
		xt2_hint("%s", hint);
	xt2_throw(XT2_E_OPTION, OTHER_PROBLEM, "%s: %s", name, message);
}

/* --- tables and protocols ------------------------------------------------- */

static void __attribute__((noreturn))
wrong_table(struct xt2_line *l, const char *what, const struct legacy_known *k)
{
	char list[64] = "";
	unsigned int i;

	for (i = 0; i < LEGACY_TABLES; i++)
		if (k->tables & 1u << i) {
			strcat(list, *list ? " or " : "");
			strcat(list, legacy_table_names[i]);
		}
	xt2_line_point(l, k->name);
	xt2_hint("move the rule to table %s", list);
	xt2_throw(XT2_E_TABLE, OTHER_PROBLEM, "%s %s is allowed in table %s only, not in %s", what,
		  k->name, list, l->table);
}

static void check_place(struct xt2_line *l, const char *what, const char *name)
{
	const struct legacy_known *k = legacy_known_named((u8)l->family, name);
	const char *proto;

	if (!k)
		return;
	if (k->tables && !(k->tables & legacy_table_bit(l->table)))
		wrong_table(l, what, k);
	if (!k->proto || (l->proto && !(l->inverted & XT2_OPT_BIT(XT2_OPT_PROTOCOL)) &&
			  (l->proto == k->proto || l->proto == k->proto2)))
		return;
	xt2_line_point(l, name);
	proto = xt2_libxt_proto_name(k->proto);
	if (proto)
		xt2_hint("write -p %s before it", proto);
	else
		xt2_hint("write -p %u before it", k->proto);
	xt2_throw(XT2_E_OPTION, OTHER_PROBLEM, "%s %s needs -p %s, not inverted", what, name,
		  proto ? proto : "its protocol");
}

/* --- options -------------------------------------------------------------- */

/* net/netfilter/xt_TCPMSS.c */
static void check_tcpmss(struct xt2_line *l, const void *payload)
{
	const struct xtables_rule_match *m;
	const struct xt_tcp *tcp;

	for (m = l->ext.matches; m; m = m->next) {
		tcp = (const struct xt_tcp *)m->match->m->data;
		if (!strcmp(m->match->m->u.user.name, "tcp") && tcp->flg_cmp & TCP_SYN &&
		    !(tcp->invflags & XT_TCP_INV_FLAGS))
			return;
	}
	refuse(l, "TCPMSS", "it only works on TCP SYN packets", "add --tcp-flags SYN,RST SYN");
}

/* The kernel finds no estimator, and libxtables' printer exits at such a rule. */
static void check_rateest(struct xt2_line *l, const void *payload)
{
	const struct xt_rateest_match_info *info = payload;

	if (!info->name1[0] || (info->flags & XT_RATEEST_MATCH_REL && !info->name2[0]))
		refuse(l, "rateest", "the estimator has no name", NULL);
}

/* Never true, and iptables would save 5:0 as 5. */
static void check_conntrack3(struct xt2_line *l, const void *payload)
{
	const struct xt_conntrack_mtinfo3 *info = payload;

	if ((info->origsrc_port && !info->origsrc_port_high) ||
	    (info->origdst_port && !info->origdst_port_high) ||
	    (info->replsrc_port && !info->replsrc_port_high) ||
	    (info->repldst_port && !info->repldst_port_high))
		refuse(l, "conntrack", "a range of ports ends before it begins",
		       "write the smaller port first");
}

/* Never true, and iptables would save it without --tcp-flags: always true. */
static void check_tcp(struct xt2_line *l, const void *payload)
{
	const struct xt_tcp *tcp = payload;

	if (!tcp->flg_mask && tcp->flg_cmp)
		refuse(l, "tcp", "--tcp-flags examines no flag", NULL);
}

/* What the kernel does not check, or checks in the rule's other matches. */
static const struct {
	const char *name;
	int revision;
	void (*check)(struct xt2_line *l, const void *payload);
} own_checks[] = {
	{ "TCPMSS", 0, check_tcpmss },
	{ "conntrack", 3, check_conntrack3 },
	{ "rateest", 0, check_rateest },
	{ "tcp", 0, check_tcp },
};

/* The kernel's checks, those that have a text for their reason. */
static void check_options(struct xt2_line *l, const struct legacy_known *k, const void *payload)
{
	static const u8 no_header[256];
	struct legacy_why why = { NULL, NULL };
	const struct legacy_rule rule = {
		.family = (u8)l->family,
		.table = l->table,
		.proto = (u16)l->proto,
		.inv_proto = l->inverted & XT2_OPT_BIT(XT2_OPT_PROTOCOL),
		.flag_proto = true,
		.base = no_header,
		.revision = k->revision,
		.why = &why,
	};

	if (k->check && k->check(&rule, payload) && why.what)
		refuse(l, k->name, why.what, why.hint);
}

void xt2_extension_check(struct xt2_line *l, bool target, const char *name, int revision,
			 void *payload)
{
	struct xt2_legacy_cache cache = { { NULL } };
	const struct legacy_known *k;
	u32 index;
	size_t i;
	int err;

	check_place(l, target ? "target" : "match", name);
	k = legacy_known_find(&cache, (u8)l->family, target, name, (u8)revision, &index, &err);
	if (k)
		check_options(l, k, payload);
	for (i = 0; i < XT2_ARRAY_SIZE(own_checks); i++)
		if (own_checks[i].revision == revision && !strcmp(own_checks[i].name, name))
			own_checks[i].check(l, payload);
	if (k && k->families & LEGACY_CUTS)
		legacy_payload_cut(k, payload);
	if (!strcmp(name,
		    "time")) /* of days of a month, 0 is none, and iptables does not save it */
		((struct xt_time_info *)payload)->monthdays_match &= XT_TIME_ALL_MONTHDAYS;
}
