/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extension-checks.c - extensions that the kernel refuses in some rules
 *
 * The tables and protocols of an extension are those of its row in
 * translators/table/legacy-known.c.  A rule in the wrong table would be refused at
 * COMMIT; here it is refused at its own line and with the reason.
 *
 * Checks of checkentry functions that look beyond the extension's own data:
 * at the rule's protocol or at its other matches; and of extensions that are
 * carried as they are, so that no translator looks at them.  Each names the
 * option that is missing, where iptables-restore would say "line N failed".
 */
#include "config.h"
#include <limits.h>
#include <string.h>
#include "line.h"
#include <linux/netfilter/xt_CT.h>
#include <linux/netfilter/xt_IDLETIMER.h>
#include <linux/netfilter/xt_TCPMSS.h>
#include <linux/netfilter/xt_addrtype.h>
#include <linux/netfilter/xt_cgroup.h>
#include <linux/netfilter/xt_connlabel.h>
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_devgroup.h>
#include <linux/netfilter/xt_hashlimit.h>
#include <linux/netfilter/xt_physdev.h>
#include <linux/netfilter/xt_policy.h>
#include <linux/netfilter/xt_rateest.h>
#include <linux/netfilter/xt_recent.h>
#include <linux/netfilter/xt_ecn.h>
#include <linux/netfilter/xt_tcpudp.h>
#include <linux/netfilter/xt_time.h>
#include <linux/netfilter_ipv4/ipt_REJECT.h>
#include <linux/netfilter_ipv6/ip6t_NPT.h>
#include <linux/netfilter_ipv6/ip6t_REJECT.h>
#include "translators/table/legacy-format.h"

#define TCP_SYN		  0x02
#define HASHLIMIT_MAX	  1048576 /* of its size and of its entries */
#define RECENT_STAMPS_MAX 65535 /* an older kernel has 255 */

static bool is_tcp(const struct xt2_line *l)
{
	return l->proto == IPPROTO_TCP && !(l->inverted & XT2_OPT_BIT(XT2_OPT_PROTOCOL));
}

static void refuse(struct xt2_line *l, const char *name, const char *message, const char *hint)
	__attribute__((noreturn));

static void refuse(struct xt2_line *l, const char *name, const char *message, const char *hint)
{
	xt2_line_point(l, name);
	if (hint)
		xt2_hint("%s", hint);
	xt2_throw(XT2_E_OPTION, OTHER_PROBLEM, "%s: %s", name, message);
}

/* --- tables and protocols ------------------------------------------------- */

static void wrong_table(struct xt2_line *l, const char *what, const struct legacy_known *k)
	__attribute__((noreturn));

static void wrong_table(struct xt2_line *l, const char *what, const struct legacy_known *k)
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

void xt2_place_check(struct xt2_line *l, const char *what, const char *name)
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

/* net/netfilter/xt_ecn.c */
static void check_ecn(struct xt2_line *l, int revision, const void *payload)
{
	const struct xt_ecn_info *info = payload;

	if (info->operation & (XT_ECN_OP_MATCH_ECE | XT_ECN_OP_MATCH_CWR) && !is_tcp(l))
		refuse(l, "ecn", "the TCP flags need -p tcp, not inverted",
		       "write -p tcp before it");
}

/* net/ipv4/netfilter/ipt_REJECT.c, net/ipv6/netfilter/ip6t_REJECT.c */
static void check_reject(struct xt2_line *l, int revision, const void *payload)
{
	const struct ipt_reject_info *four = payload;
	const struct ip6t_reject_info *six = payload;
	bool reset = l->family == XT2_IPV6 ? six->with == IP6T_TCP_RESET
					   : four->with == IPT_TCP_RESET;

	if (reset && !is_tcp(l))
		refuse(l, "REJECT", "--reject-with tcp-reset needs -p tcp, not inverted",
		       "write -p tcp before it");
}

/* net/netfilter/xt_CT.c; revision 0 has no timeout, what is behind its helper is the kernel's */
static void check_ct(struct xt2_line *l, int revision, const void *payload)
{
	const struct xt_ct_target_info_v1 *info = payload;
	bool asks = info->helper[0] || (revision && info->timeout[0]);

	if (asks && !(info->flags & XT_CT_NOTRACK) &&
	    (!l->proto || l->inverted & XT2_OPT_BIT(XT2_OPT_PROTOCOL)))
		refuse(l, "CT", "--helper and --timeout need -p, not inverted",
		       "write -p and the protocol that they are for before it");
}

/* net/netfilter/xt_TCPMSS.c */
static void check_tcpmss(struct xt2_line *l, int revision, const void *payload)
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

/* net/netfilter/xt_cgroup.c */
static void check_cgroup(struct xt2_line *l, int revision, const void *payload)
{
	const struct xt_cgroup_info_v1 *info = payload; /* v2 starts alike */

	if (revision && !info->has_path == !info->has_classid)
		refuse(l, "cgroup", "it takes either --path or --cgroup", NULL);
}

/* net/netfilter/xt_rateest.c; libxtables' printer exits at such a rule */
static void check_rateest(struct xt2_line *l, int revision, const void *payload)
{
	const struct xt_rateest_match_info *info = payload;
	unsigned int how = info->flags & (XT_RATEEST_MATCH_ABS | XT_RATEEST_MATCH_REL);

	if (info->mode < XT_RATEEST_MATCH_EQ || info->mode > XT_RATEEST_MATCH_GT)
		refuse(l, "rateest", "it takes one of --rateest-lt, --rateest-gt and --rateest-eq",
		       NULL);
	if (!how || how == (XT_RATEEST_MATCH_ABS | XT_RATEEST_MATCH_REL) ||
	    !(info->flags & (XT_RATEEST_MATCH_BPS | XT_RATEEST_MATCH_PPS)))
		refuse(l, "rateest", "there is no rate to compare with", NULL);
	if (!info->name1[0] || (info->flags & XT_RATEEST_MATCH_REL && !info->name2[0]))
		refuse(l, "rateest", "the estimator has no name", NULL);
}

/* Never true, and iptables would save 5:0 as 5. */
static void check_conntrack(struct xt2_line *l, int revision, const void *payload)
{
	const struct xt_conntrack_mtinfo3 *info = payload;

	if (revision == 3 && ((info->origsrc_port && !info->origsrc_port_high) ||
			      (info->origdst_port && !info->origdst_port_high) ||
			      (info->replsrc_port && !info->replsrc_port_high) ||
			      (info->repldst_port && !info->repldst_port_high)))
		refuse(l, "conntrack", "a range of ports ends before it begins",
		       "write the smaller port first");
}

/* Never true, and iptables would save it without --tcp-flags: always true. */
static void check_tcp(struct xt2_line *l, int revision, const void *payload)
{
	const struct xt_tcp *tcp = payload;

	if (!tcp->flg_mask && tcp->flg_cmp)
		refuse(l, "tcp", "--tcp-flags examines no flag", NULL);
}

static bool outside_mask(const union nf_inet_addr *prefix, unsigned int len)
{
	unsigned int i;

	for (i = len; i < 128; i++)
		if (prefix->in6.s6_addr[i / 8] & 0x80 >> i % 8)
			return true;
	return false;
}

/* net/ipv6/netfilter/ip6t_NPT.c */
static void check_npt(struct xt2_line *l, int revision, const void *payload)
{
	const struct ip6t_npt_tginfo *npt = payload;
	const char *name = l->ext.target->t->u.user.name;

	if (npt->src_pfx_len > 64 || npt->dst_pfx_len > 64)
		refuse(l, name, "prefixes are at most 64 bits long", NULL);
	if (outside_mask(&npt->src_pfx, npt->src_pfx_len) ||
	    outside_mask(&npt->dst_pfx, npt->dst_pfx_len))
		refuse(l, name, "a prefix has bits behind its length", NULL);
}

/* The kernel makes a file of that name. */
static void check_file_name(struct xt2_line *l, const char *name, const char *file)
{
	if (!*file || !strcmp(file, ".") || !strcmp(file, "..") || strchr(file, '/'))
		refuse(l, name, "its name cannot be that of a file", NULL);
}

/* net/netfilter/xt_hashlimit.c */
static void check_hashlimit(struct xt2_line *l, int revision, const void *payload)
{
	const struct xt_hashlimit_mtinfo3 *info = payload;

	if (revision != 3)
		return;
	if (!info->cfg.gc_interval || !info->cfg.expire)
		refuse(l, "hashlimit", "--hashlimit-htable-gcinterval and -expire cannot be 0",
		       NULL);
	check_file_name(l, "hashlimit", info->name);
}

/* net/netfilter/xt_recent.c; the second revision adds to the first one's end */
static void check_recent(struct xt2_line *l, int revision, const void *payload)
{
	const struct xt_recent_mtinfo_v1 *info = payload;

	if (info->check_set & (XT_RECENT_SET | XT_RECENT_REMOVE) &&
	    (info->seconds || info->hit_count || info->check_set & XT_RECENT_MODIFIERS))
		refuse(l, "recent", "--set and --remove go with none of its other tests",
		       "--seconds, --hitcount, --reap and --rttl need --rcheck or --update");
	if (info->check_set & XT_RECENT_REAP && !info->seconds)
		refuse(l, "recent", "--reap needs --seconds", NULL);
	if (info->hit_count > RECENT_STAMPS_MAX)
		refuse(l, "recent", "--hitcount is at most 65535", NULL);
	check_file_name(l, "recent", info->name);
}

/* net/netfilter/xt_connlabel.c */
static void check_connlabel(struct xt2_line *l, int revision, const void *payload)
{
	const struct xt_connlabel_mtinfo *info = payload;

	if (info->bit > XT_CONNLABEL_MAXBIT)
		refuse(l, "connlabel", "labels are at most 127", NULL);
}

/* net/netfilter/xt_IDLETIMER.c; both revisions start alike */
static void check_idletimer(struct xt2_line *l, int revision, const void *payload)
{
	static const char *const taken[] = { "power", "subsystem", "uevent" };
	const struct idletimer_tg_info *info = payload;
	size_t i;

	if (!info->timeout)
		refuse(l, "IDLETIMER", "--timeout cannot be 0", NULL);
	if (info->timeout >= INT_MAX / 1000)
		refuse(l, "IDLETIMER", "--timeout is too long", NULL);
	check_file_name(l, "IDLETIMER", info->label);
	for (i = 0; i < XT2_ARRAY_SIZE(taken); i++)
		if (!strcmp(info->label, taken[i]))
			refuse(l, "IDLETIMER", "every device has a file of that name already",
			       "choose another --label");
}

static const struct {
	const char *name;
	void (*check)(struct xt2_line *l, int revision, const void *payload);
} checks[] = {
	{ "CT", check_ct },
	{ "DNPT", check_npt },
	{ "IDLETIMER", check_idletimer },
	{ "REJECT", check_reject },
	{ "SNPT", check_npt },
	{ "TCPMSS", check_tcpmss },
	{ "cgroup", check_cgroup },
	{ "connlabel", check_connlabel },
	{ "conntrack", check_conntrack },
	{ "ecn", check_ecn },
	{ "hashlimit", check_hashlimit },
	{ "rateest", check_rateest },
	{ "recent", check_recent },
	{ "tcp", check_tcp },
};

void xt2_place_check_options(struct xt2_line *l, const char *name, int revision,
			     const void *payload)
{
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(checks); i++)
		if (!strcmp(checks[i].name, name))
			checks[i].check(l, revision, payload);
}

/*
 * hashlimit_mt_check_common() takes less and says so in the kernel's log only.
 * Of time's days of a month, 0 is none, and iptables does not save it.
 */
void xt2_place_settle(const char *name, int revision, void *payload)
{
	struct xt_hashlimit_mtinfo3 *info = payload;
	struct xt_time_info *time = payload;

	if (!strcmp(name, "time"))
		time->monthdays_match &= XT_TIME_ALL_MONTHDAYS;
	if (strcmp(name, "hashlimit") || revision != 3)
		return;
	if (info->cfg.size > HASHLIMIT_MAX)
		info->cfg.size = HASHLIMIT_MAX;
	if (info->cfg.max > HASHLIMIT_MAX)
		info->cfg.max = HASHLIMIT_MAX;
}

/* --- hooks ---------------------------------------------------------------- */

#define PRE  (1u << XT2_PREROUTING)
#define IN   (1u << XT2_INPUT)
#define FWD  (1u << XT2_FORWARD)
#define OUT  (1u << XT2_OUTPUT)
#define POST (1u << XT2_POSTROUTING)

static unsigned int hooks_devgroup(const void *payload)
{
	const struct xt_devgroup_info *info = payload;

	return (info->flags & XT_DEVGROUP_MATCH_SRC ? PRE | IN | FWD : ~0u) &
	       (info->flags & XT_DEVGROUP_MATCH_DST ? FWD | OUT | POST : ~0u);
}

static unsigned int hooks_addrtype(const void *payload)
{
	const struct xt_addrtype_info_v1 *info = payload;

	return (info->flags & XT_ADDRTYPE_LIMIT_IFACE_OUT ? ~(PRE | IN) : ~0u) &
	       (info->flags & XT_ADDRTYPE_LIMIT_IFACE_IN ? ~(OUT | POST) : ~0u);
}

static unsigned int hooks_policy(const void *payload)
{
	const struct xt_policy_info *info = payload;

	return (info->flags & XT_POLICY_MATCH_OUT ? ~(PRE | IN) : ~0u) &
	       (info->flags & XT_POLICY_MATCH_IN ? ~(OUT | POST) : ~0u);
}

static unsigned int hooks_physdev(const void *payload)
{
	const struct xt_physdev_info *info = payload;
	bool bridged = info->bitmask & XT_PHYSDEV_OP_BRIDGED &&
		       !(info->invert & XT_PHYSDEV_OP_BRIDGED);

	return info->bitmask & (XT_PHYSDEV_OP_OUT | XT_PHYSDEV_OP_ISOUT) && !bridged ? ~OUT : ~0u;
}

static unsigned int hooks_tcpmss(const void *payload)
{
	const struct xt_tcpmss_info *info = payload;

	return info->mss == XT_TCPMSS_CLAMP_PMTU ? FWD | OUT | POST : ~0u;
}

static const struct {
	const char *name;
	unsigned int (*hooks)(const void *payload);
} option_hooks[] = {
	{ "TCPMSS", hooks_tcpmss },	{ "addrtype", hooks_addrtype },
	{ "devgroup", hooks_devgroup }, { "physdev", hooks_physdev },
	{ "policy", hooks_policy },
};

unsigned int xt2_place_option_hooks(const char *name, const void *payload)
{
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(option_hooks); i++)
		if (!strcmp(option_hooks[i].name, name))
			return option_hooks[i].hooks(payload);
	return ~0u;
}
