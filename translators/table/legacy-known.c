/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-known.c - the matches and targets that the kernel has
 *
 * A row is what struct xt_match or xt_target says at registration (Linux
 * 6.1, families and revisions of 6.18): the size of its structure, how much of
 * it userspace gets back, and where it may be used.  Rows are sorted by name,
 * then revision.  Most structures differ between the widths only by the
 * padding behind them; those that don't have a size of their own in compat.
 * CLUSTERIP is gone from 6.18, but tools still send it.
 */
#include "translators/ebt/ebt.h"
#include <linux/in.h>
#include <linux/in6.h>

#define V4	 LEGACY_V4
#define V6	 LEGACY_V6
#define IP	 LEGACY_IP
#define ARP	 LEGACY_ARP
#define ANY	 LEGACY_ANY
#define FILTER	 LEGACY_FILTER
#define NAT	 LEGACY_NAT
#define MANGLE	 LEGACY_MANGLE
#define RAW	 LEGACY_RAW
#define SECURITY LEGACY_SECURITY
#define PRE	 LEGACY_PRE
#define IN	 LEGACY_IN
#define FWD	 LEGACY_FWD
#define OUT	 LEGACY_OUT
#define POST	 LEGACY_POST
#define ARP_OUT	 (1 << XT2_ARP_OUTPUT)
#define ARP_FWD	 (1 << XT2_ARP_FORWARD)

/* A row is a line, however long: the columns are those of struct legacy_known. */
/* clang-format off */
const struct legacy_known legacy_matches[] = {
	{ "addrtype", V4, 0, 12, 12, 0, 0, 0, 0, 0, NULL },
	{ "addrtype", IP, 1, 8, 8, 0, 0, 0, 0, 0, legacy_addrtype_check },
	{ "ah", V4, 0, 12, 12, 0, 0, 0, IPPROTO_AH, 0, NULL },
	{ "ah", V6, 0, 16, 16, 0, 0, 0, 0, 0, NULL },
	{ "bpf", ANY, 0, 528, 520, 0, 0, 0, 0, 0, NULL },
	{ "bpf", ANY, 1, 528, 520, 0, 0, 0, 0, 0, NULL },
	{ "cgroup", ANY, 0, 8, 8, 0, 0, IN | OUT | POST, 0, 0, legacy_cgroup0_check },
	{ "cgroup", ANY, 1, 4112, 4104, 0, 0, IN | OUT | POST, 0, 0, legacy_cgroup_check },
	{ "cgroup", ANY, 2, 528, 520, 0, 0, IN | OUT | POST, 0, 0, legacy_cgroup_check },
	{ "cluster", IP, 0, 16, 16, 0, 0, 0, 0, 0, legacy_cluster_check },
	{ "comment", ANY, 0, 256, 256, 0, 0, 0, 0, 0, NULL },
	{ "connbytes", ANY, 0, 24, 24, 0, 0, 0, 0, 0, legacy_connbytes_check },
	{ "connlabel", ANY, 0, 4, 4, 0, 0, 0, 0, 0, legacy_connlabel_check },
	{ "connlimit", IP, 1, 32, 24, 0, 0, 0, 0, 0, NULL },
	{ "connmark", ANY, 1, 12, 12, 0, 0, 0, 0, 0, NULL },
	{ "conntrack", ANY, 1, 152, 152, 0, 0, 0, 0, 0, NULL },
	{ "conntrack", ANY, 2, 156, 156, 0, 0, 0, 0, 0, NULL },
	{ "conntrack", ANY, 3, 164, 164, 0, 0, 0, 0, 0, NULL },
	{ "cpu", ANY, 0, 8, 8, 0, 0, 0, 0, 0, NULL },
	{ "dccp", IP, 0, 16, 16, 0, 0, 0, IPPROTO_DCCP, 0, NULL },
	{ "devgroup", ANY, 0, 20, 20, 0, 0, 0, 0, 0, legacy_devgroup_check },
	{ "dscp", IP, 0, 2, 2, 0, 0, 0, 0, 0, legacy_dscp_check },
	{ "dst", V6, 0, 40, 40, 0, 0, 0, 0, 0, NULL },
	{ "ecn", IP, 0, 4, 4, 0, 0, 0, 0, 0, legacy_ecn_check },
	{ "esp", IP, 0, 12, 12, 0, 0, 0, IPPROTO_ESP, 0, NULL },
	{ "eui64", V6, 0, 4, 4, 0, 0, PRE | IN | FWD, 0, 0, NULL },
	{ "frag", V6, 0, 16, 16, 0, 0, 0, 0, 0, NULL },
	{ "hashlimit", IP, 1, 56, 48, 0, 0, 0, 0, 0, legacy_hashlimit1_check },
	{ "hashlimit", IP, 2, 304, 296, 0, 0, 0, 0, 0, legacy_hashlimit_check },
	{ "hashlimit", IP | LEGACY_CUTS, 3, 312, 304, 0, 0, 0, 0, 0, legacy_hashlimit_check },
	{ "hbh", V6, 0, 40, 40, 0, 0, 0, 0, 0, NULL },
	{ "helper", ANY | LEGACY_CUTS, 0, 36, 36, 0, 0, 0, 0, 0, NULL },
	{ "hl", V6, 0, 2, 2, 0, 0, 0, 0, 0, NULL },
	{ "icmp", V4, 0, 4, 4, 0, 0, 0, IPPROTO_ICMP, 0, NULL },
	{ "icmp6", V6, 0, 4, 4, 0, 0, 0, IPPROTO_ICMPV6, 0, NULL },
	{ "ipcomp", IP, 0, 12, 12, 0, 0, 0, IPPROTO_COMP, 0, NULL },
	{ "iprange", IP, 1, 68, 68, 0, 0, 0, 0, 0, NULL },
	{ "ipv6header", V6, 0, 3, 3, 0, 0, 0, 0, 0, NULL },
	{ "ipvs", ANY, 0, 40, 40, 0, 0, 0, 0, 0, NULL },
	{ "l2tp", IP, 0, 16, 16, 0, 0, PRE | IN | FWD | OUT, 0, 0, legacy_l2tp_check },
	{ "length", IP, 0, 6, 6, 0, 0, 0, 0, 0, NULL },
	{ "limit", ANY, 0, 40, 8, 28, 0, 0, 0, 0, NULL },
	{ "mac", IP, 0, 12, 12, 0, 0, PRE | IN | FWD, 0, 0, NULL },
	{ "mark", ANY, 1, 12, 12, 0, 0, 0, 0, 0, NULL },
	{ "mh", V6, 0, 3, 3, 0, 0, 0, IPPROTO_MH, 0, NULL },
	{ "multiport", IP, 1, 48, 48, 0, 0, 0, 0, 0, legacy_multiport_check },
	{ "nfacct", ANY, 0, 40, 32, 0, 0, 0, 0, 0, legacy_nfacct_check },
	{ "nfacct", ANY, 1, 40, 32, 0, 0, 0, 0, 0, legacy_nfacct_check },
	{ "osf", V4, 0, 48, 48, 0, 0, PRE | IN | FWD, IPPROTO_TCP, 0, NULL },
	{ "owner", IP, 1, 20, 20, 0, 0, OUT | POST, 0, 0, legacy_owner_check },
	{ "physdev", IP, 0, 66, 66, 0, 0, 0, 0, 0, legacy_physdev_check },
	{ "pkttype", ANY, 0, 8, 8, 0, 0, 0, 0, 0, NULL },
	{ "policy", IP, 0, 308, 308, 0, 0, 0, 0, 0, legacy_policy_check },
	{ "quota", ANY, 0, 24, 16, 0, 0, 0, 0, 0, NULL },
	{ "rateest", ANY, 0, 72, 56, 0, 0, 0, 0, 0, legacy_rateest_check },
	{ "realm", V4, 0, 12, 12, 0, 0, IN | FWD | OUT | POST, 0, 0, NULL },
	{ "recent", IP, 0, 212, 212, 0, 0, 0, 0, 0, legacy_recent_check },
	{ "recent", IP, 1, 228, 228, 0, 0, 0, 0, 0, legacy_recent_check },
	{ "rpfilter", IP, 0, 1, 1, 0, RAW | MANGLE, PRE, 0, 0, legacy_rpfilter_check },
	{ "rt", V6, 0, 280, 280, 0, 0, 0, 0, 0, NULL },
	{ "sctp", IP, 0, 292, 292, 0, 0, 0, IPPROTO_SCTP, 0, NULL },
	{ "set", V4, 0, 32, 32, 0, 0, 0, 0, 0, NULL },
	{ "set", IP, 1, 4, 4, 0, 0, 0, 0, 0, NULL },
	{ "set", IP, 2, 4, 4, 0, 0, 0, 0, 0, NULL },
	{ "set", IP, 3, 48, 48, 0, 0, 0, 0, 0, NULL },
	{ "set", IP, 4, 48, 48, 0, 0, 0, 0, 0, NULL },
	{ "socket", V4, 0, 0, 0, 0, 0, PRE | IN, 0, 0, NULL },
	{ "socket", IP, 1, 1, 1, 0, 0, PRE | IN, 0, 0, legacy_socket_check },
	{ "socket", IP, 2, 1, 1, 0, 0, PRE | IN, 0, 0, legacy_socket_check },
	{ "socket", IP, 3, 1, 1, 0, 0, PRE | IN, 0, 0, legacy_socket_check },
	{ "srh", V6, 0, 10, 10, 0, 0, 0, 0, 0, legacy_srh_check },
	{ "srh", V6, 1, 108, 108, 0, 0, 0, 0, 0, legacy_srh1_check },
	{ "state", ANY, 0, 4, 4, 0, 0, 0, 0, 0, NULL },
	{ "statistic", ANY, 0, 24, 16, 0, 0, 0, 0, 0, NULL },
	{ "string", ANY, 1, 160, 152, 0, 0, 0, 0, 0, legacy_string_check },
	{ "tcp", IP, 0, 12, 12, 0, 0, 0, IPPROTO_TCP, 0, NULL },
	{ "tcpmss", IP, 0, 6, 6, 0, 0, 0, IPPROTO_TCP, 0, NULL },
	{ "time", ANY, 0, 24, 24, 0, 0, 0, 0, 0, NULL },
	{ "tos", IP, 1, 3, 3, 0, 0, 0, 0, 0, NULL },
	{ "ttl", V4, 0, 2, 2, 0, 0, 0, 0, 0, NULL },
	{ "u32", ANY, 0, 1984, 1984, 0, 0, 0, 0, 0, NULL },
	{ "udp", IP, 0, 10, 10, 0, 0, 0, IPPROTO_UDP, 0, NULL },
	{ "udplite", IP, 0, 10, 10, 0, 0, 0, IPPROTO_UDPLITE, 0, NULL },
};

const struct legacy_known legacy_targets[] = {
	{ "", IP | ARP, 0, 4, 4, 0, 0, 0, 0, 0, NULL },
	{ "AUDIT", ANY, 0, 1, 1, 0, 0, 0, 0, 0, legacy_audit_check },
	{ "CHECKSUM", IP, 0, 1, 1, 0, MANGLE, 0, 0, 0, legacy_checksum_check },
	{ "CLASSIFY", ARP, 0, 4, 4, 0, 0, ARP_OUT | ARP_FWD, 0, 0, NULL },
	{ "CLASSIFY", IP, 0, 4, 4, 0, 0, FWD | OUT | POST, 0, 0, NULL },
	{ "CLUSTERIP", V4, 0, 64, 56, 60, 0, 0, 0, 0, legacy_clusterip_check },
	{ "CONNMARK", IP, 1, 16, 16, 0, 0, 0, 0, 0, NULL },
	{ "CONNMARK", IP, 2, 16, 16, 0, 0, 0, 0, 0, NULL },
	{ "CONNSECMARK", IP, 0, 1, 1, 0, MANGLE | SECURITY, 0, 0, 0, legacy_connsecmark_check },
	{ "CT", IP, 0, 40, 32, 0, RAW, 0, 0, 0, legacy_ct_check },
	{ "CT", IP, 1, 72, 64, 0, RAW, 0, 0, 0, legacy_ct_check },
	{ "CT", IP, 2, 72, 64, 0, RAW, 0, 0, 0, legacy_ct_check },
	{ "DNAT", V4, 0, 20, 20, 0, NAT, PRE | OUT, 0, 0, legacy_nat4_check },
	{ "DNAT", ANY, 1, 40, 40, 0, NAT, PRE | OUT, 0, 0, NULL },
	{ "DNAT", ANY, 2, 44, 44, 0, NAT, PRE | OUT, 0, 0, NULL },
	{ "DNPT", V6, 0, 36, 34, 0, MANGLE, PRE | OUT, 0, 0, legacy_npt_check },
	{ "DSCP", IP, 0, 1, 1, 0, MANGLE, 0, 0, 0, NULL },
	{ "ECN", V4, 0, 3, 3, 0, MANGLE, 0, 0, 0, legacy_ecn_target_check },
	{ "ERROR", IP | ARP, 0, 30, 30, 0, 0, 0, 0, 0, NULL },
	{ "HL", V6, 0, 2, 2, 0, MANGLE, 0, 0, 0, NULL },
	{ "HMARK", IP, 0, 60, 60, 0, 0, 0, 0, 0, legacy_hmark_check },
	{ "IDLETIMER", IP, 0, 40, 32, 0, 0, 0, 0, 0, legacy_idletimer_check },
	{ "IDLETIMER", IP, 1, 48, 40, 0, 0, 0, 0, 0, legacy_idletimer1_check },
	{ "LED", IP, 0, 40, 32, 0, 0, 0, 0, 0, legacy_led_check },
	{ "LOG", IP, 0, 32, 32, 0, 0, 0, 0, 0, NULL },
	{ "MARK", IP | ARP, 2, 8, 8, 0, 0, 0, 0, 0, NULL },
	{ "MASQUERADE", V4, 0, 20, 20, 0, NAT, POST, 0, 0, legacy_masquerade4_check },
	{ "MASQUERADE", V6, 0, 40, 40, 0, NAT, POST, 0, 0, legacy_masquerade6_check },
	{ "NETMAP", V4, 0, 20, 20, 0, NAT, PRE | IN | OUT | POST, 0, 0, legacy_netmap4_check },
	{ "NETMAP", V6, 0, 40, 40, 0, NAT, PRE | IN | OUT | POST, 0, 0, legacy_netmap6_check },
	{ "NFLOG", IP, 0, 76, 76, 0, 0, 0, 0, 0, NULL },
	{ "NFQUEUE", ANY, 0, 2, 2, 0, 0, 0, 0, 0, NULL },
	{ "NFQUEUE", ANY, 1, 4, 4, 0, 0, 0, 0, 0, NULL },
	{ "NFQUEUE", ANY, 2, 6, 6, 0, 0, 0, 0, 0, NULL },
	{ "NFQUEUE", ANY, 3, 6, 6, 0, 0, 0, 0, 0, NULL },
	{ "NOTRACK", IP, 0, 0, 0, 0, RAW, 0, 0, 0, NULL },
	{ "RATEEST", IP, 0, 32, 24, 0, 0, 0, 0, 0, legacy_rateest_target_check },
	{ "REDIRECT", V4, 0, 20, 20, 0, NAT, PRE | OUT, 0, 0, legacy_masquerade4_check },
	{ "REDIRECT", V6, 0, 40, 40, 0, NAT, PRE | OUT, 0, 0, legacy_masquerade6_check },
	{ "REJECT", IP, 0, 4, 4, 0, FILTER, IN | FWD | OUT, 0, 0, legacy_reject_check },
	{ "SECMARK", IP | LEGACY_CUTS, 0, 264, 264, 0, MANGLE | SECURITY, 0, 0, 0,
	  legacy_secmark_check },
	{ "SECMARK", IP | LEGACY_CUTS, 1, 264, 260, 0, MANGLE | SECURITY, 0, 0, 0,
	  legacy_secmark_check },
	{ "SET", V4, 0, 64, 64, 0, 0, 0, 0, 0, NULL },
	{ "SET", IP, 1, 8, 8, 0, 0, 0, 0, 0, NULL },
	{ "SET", IP, 2, 16, 16, 0, 0, 0, 0, 0, NULL },
	{ "SET", IP, 3, 20, 20, 0, 0, 0, 0, 0, NULL },
	{ "SNAT", V4, 0, 20, 20, 0, NAT, IN | POST, 0, 0, legacy_nat4_check },
	{ "SNAT", ANY, 1, 40, 40, 0, NAT, IN | POST, 0, 0, NULL },
	{ "SNAT", ANY, 2, 44, 44, 0, NAT, IN | POST, 0, 0, NULL },
	{ "SNPT", V6, 0, 36, 34, 0, MANGLE, IN | POST, 0, 0, legacy_npt_check },
	{ "SYNPROXY", IP, 0, 4, 4, 0, 0, IN | FWD, IPPROTO_TCP, 0, legacy_synproxy_check },
	{ "TCPMSS", IP, 0, 2, 2, 0, 0, 0, IPPROTO_TCP, 0, legacy_tcpmss_check },
	{ "TCPOPTSTRIP", IP, 0, 32, 32, 0, MANGLE, 0, IPPROTO_TCP, 0, NULL },
	{ "TEE", IP, 1, 40, 32, 0, 0, 0, 0, 0, legacy_tee_check },
	{ "TOS", IP, 1, 2, 2, 0, MANGLE, 0, 0, 0, NULL },
	{ "TPROXY", V4, 0, 16, 16, 0, MANGLE, PRE, IPPROTO_TCP, IPPROTO_UDP, NULL },
	{ "TPROXY", IP, 1, 28, 28, 0, MANGLE, PRE, IPPROTO_TCP, IPPROTO_UDP, NULL },
	{ "TRACE", IP, 0, 0, 0, 0, RAW, 0, 0, 0, NULL },
	{ "TTL", V4, 0, 2, 2, 0, MANGLE, 0, 0, 0, NULL },
	{ "mangle", ARP, 0, 48, 48, 0, 0, 0, 0, 0, legacy_mangle_check },
};
/* clang-format on */

const u32 legacy_known_rows[2] = { XT2_ARRAY_SIZE(legacy_matches), XT2_ARRAY_SIZE(legacy_targets) };

_Static_assert(XT2_ARRAY_SIZE(legacy_matches) <= XT2_LEGACY_MATCHES, "rows of matches");
_Static_assert(XT2_ARRAY_SIZE(legacy_targets) <= XT2_LEGACY_TARGETS, "rows of targets");

u8 legacy_table_bit(const char *name)
{
	static const char *const names[] = { "filter", "nat", "mangle", "raw", "security" };
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(names); i++)
		if (!strncmp(names[i], name, XT2_NAME_SIZE))
			return (u8)(1 << i);
	return 0;
}

/* => the first row that does not come before name */
static u32 lower_bound(const struct legacy_known *rows, u32 n, const char *name)
{
	u32 low = 0, high = n, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (strncmp(rows[mid].name, name, LEGACY_NAME) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static u8 family_bits(u8 family)
{
	switch (family) {
	case XT2_IPV4: return V4;
	case XT2_IPV6: return V6;
	case XT2_BRIDGE: return LEGACY_UNSPEC;
	}
	return ARP | LEGACY_UNSPEC;
}

static const struct legacy_known *find(u8 family, bool target, const char *name, u8 revision,
				       int *err)
{
	const struct legacy_known *rows = target ? legacy_targets : legacy_matches;
	u32 n = target ? XT2_ARRAY_SIZE(legacy_targets) : XT2_ARRAY_SIZE(legacy_matches);
	u32 i = lower_bound(rows, n, name);

	*err = -ENOENT;
	for (; i < n && !strncmp(rows[i].name, name, LEGACY_NAME); i++) {
		if (rows[i].revision == revision && rows[i].families & family_bits(family))
			return &rows[i];
		if (rows[i].families & LEGACY_UNSPEC) /* the last place where the kernel looks */
			*err = -EPROTOTYPE;
	}
	return NULL;
}

/* A place for a name: what is found there is compared.  Targets have a half of their own. */
static u32 place_of(bool target, const char *name, u8 revision)
{
	u32 hash = (u32)revision * 7, i;

	for (i = 0; i < 4 && name[i]; i++)
		hash = hash * 5 + (u8)name[i];
	return hash % 32 + (target ? 32 : 0);
}

const struct legacy_known *legacy_known_find(struct xt2_legacy_cache_ *cache, u8 family,
					     bool target, const char *name, u8 revision, u32 *index,
					     int *err)
{
	const struct legacy_known *rows = target ? legacy_targets : legacy_matches;
	const struct legacy_known **at = &cache->row[place_of(target, name, revision)];

	if (!*at || (*at)->revision != revision || strncmp((*at)->name, name, LEGACY_NAME))
		*at = find(family, target, name, revision, err);
	if (*at)
		*index = (u32)(*at - rows);
	return *at;
}

int xt2_legacy_revision(u8 family, bool target, const char *name, u8 revision)
{
	const struct legacy_known *rows = target ? legacy_targets : legacy_matches;
	u32 n = target ? XT2_ARRAY_SIZE(legacy_targets) : XT2_ARRAY_SIZE(legacy_matches);
	u32 i = lower_bound(rows, n, name);
	int ret = -ENOENT;

	if (family == XT2_BRIDGE)
		return legacy_ebt_revision(target, name, revision);
	for (; i < n && !strncmp(rows[i].name, name, LEGACY_NAME); i++) {
		if (!(rows[i].families & family_bits(family)))
			continue;
		if (rows[i].revision == revision)
			return 0;
		ret = -EPROTONOSUPPORT;
	}
	return ret;
}
