/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-known.c - the matches and targets that the kernel has
 *
 * A row is what struct xt_match or xt_target says at registration (Linux
 * 6.1, families and revisions of 6.18): the size of its structure, how much of
 * it userspace gets back, and where it may be used.  Rows are sorted by name,
 * then revision.  Most structures differ between the widths only by the
 * padding at their end; the others have a size of their own in compat.
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

/* A row is a line, however long: name, families, revision; then what is not 0. */
/* clang-format off */
const struct legacy_known legacy_matches[] = {
	{ "addrtype", V4, 0, .size = 12 },
	{ "addrtype", IP, 1, .size = 8, .check = legacy_addrtype_check },
	{ "ah", V4, 0, .size = 12, .proto = IPPROTO_AH },
	{ "ah", V6, 0, .size = 16 },
	{ "bpf", ANY, 0, .size = 528, .hidden = 8 },
	{ "bpf", ANY, 1, .size = 528, .hidden = 8 },
	{ "cgroup", ANY, 0, .size = 8, .hooks = IN | OUT | POST, .check = legacy_cgroup0_check },
	{ "cgroup", ANY, 1, .size = 4112, .hidden = 8, .hooks = IN | OUT | POST, .check = legacy_cgroup_check },
	{ "cgroup", ANY, 2, .size = 528, .hidden = 8, .hooks = IN | OUT | POST, .check = legacy_cgroup_check },
	{ "cluster", IP, 0, .size = 16, .check = legacy_cluster_check },
	{ "comment", ANY, 0, .size = 256 },
	{ "connbytes", ANY, 0, .size = 24, .check = legacy_connbytes_check },
	{ "connlabel", ANY, 0, .size = 4, .check = legacy_connlabel_check },
	{ "connlimit", IP, 1, .size = 32, .hidden = 8 },
	{ "connmark", ANY, 1, .size = 12 },
	{ "conntrack", ANY, 1, .size = 152 },
	{ "conntrack", ANY, 2, .size = 156 },
	{ "conntrack", ANY, 3, .size = 164 },
	{ "cpu", ANY, 0, .size = 8 },
	{ "dccp", IP, 0, .size = 16, .proto = IPPROTO_DCCP },
	{ "devgroup", ANY, 0, .size = 20, .check = legacy_devgroup_check },
	{ "dscp", IP, 0, .size = 2, .first = { 1, 0, 63, EDOM } },
	{ "dst", V6, 0, .size = 40 },
	{ "ecn", IP, 0, .size = 4, .check = legacy_ecn_check },
	{ "esp", IP, 0, .size = 12, .proto = IPPROTO_ESP },
	{ "eui64", V6, 0, .size = 4, .hooks = PRE | IN | FWD },
	{ "frag", V6, 0, .size = 16 },
	{ "hashlimit", IP, 1, .size = 56, .hidden = 8, .check = legacy_hashlimit1_check },
	{ "hashlimit", IP, 2, .size = 304, .hidden = 8, .check = legacy_hashlimit_check },
	{ "hashlimit", IP | LEGACY_CUTS, 3, .size = 312, .hidden = 8, .check = legacy_hashlimit_check },
	{ "hbh", V6, 0, .size = 40 },
	{ "helper", ANY | LEGACY_CUTS, 0, .size = 36 },
	{ "hl", V6, 0, .size = 2 },
	{ "icmp", V4, 0, .size = 4, .proto = IPPROTO_ICMP },
	{ "icmp6", V6, 0, .size = 4, .proto = IPPROTO_ICMPV6 },
	{ "ipcomp", IP, 0, .size = 12, .proto = IPPROTO_COMP },
	{ "iprange", IP, 1, .size = 68 },
	{ "ipv6header", V6, 0, .size = 3 },
	{ "ipvs", ANY, 0, .size = 40 },
	{ "l2tp", IP, 0, .size = 16, .hooks = PRE | IN | FWD | OUT, .check = legacy_l2tp_check },
	{ "length", IP, 0, .size = 6 },
	{ "limit", ANY, 0, .size = 40, .hidden = 32, .compat = 28 },
	{ "mac", IP, 0, .size = 12, .hooks = PRE | IN | FWD },
	{ "mark", ANY, 1, .size = 12 },
	{ "mh", V6, 0, .size = 3, .proto = IPPROTO_MH },
	{ "multiport", IP, 1, .size = 48, .check = legacy_multiport_check },
	{ "nfacct", ANY, 0, .size = 40, .hidden = 8, .check = legacy_nfacct_check },
	{ "nfacct", ANY, 1, .size = 40, .hidden = 8, .check = legacy_nfacct_check },
	{ "osf", V4, 0, .size = 48, .hooks = PRE | IN | FWD, .proto = IPPROTO_TCP },
	{ "owner", IP, 1, .size = 20, .hooks = OUT | POST, .check = legacy_owner_check },
	{ "physdev", IP, 0, .size = 66, .check = legacy_physdev_check },
	{ "pkttype", ANY, 0, .size = 8 },
	{ "policy", IP, 0, .size = 308, .check = legacy_policy_check },
	{ "quota", ANY, 0, .size = 24, .hidden = 8 },
	{ "rateest", ANY, 0, .size = 72, .hidden = 16, .check = legacy_rateest_check },
	{ "realm", V4, 0, .size = 12, .hooks = IN | FWD | OUT | POST },
	{ "recent", IP, 0, .size = 212, .check = legacy_recent_check },
	{ "recent", IP, 1, .size = 228, .check = legacy_recent_check },
	{ "rpfilter", IP, 0, .size = 1, .tables = RAW | MANGLE, .hooks = PRE, .first = { 1, 0, 15 } },
	{ "rt", V6, 0, .size = 280 },
	{ "sctp", IP, 0, .size = 292, .proto = IPPROTO_SCTP },
	{ "set", V4, 0, .size = 32 },
	{ "set", IP, 1, .size = 4 },
	{ "set", IP, 2, .size = 4 },
	{ "set", IP, 3, .size = 48 },
	{ "set", IP, 4, .size = 48 },
	{ "socket", V4, 0, .size = 0, .hooks = PRE | IN },
	{ "socket", IP, 1, .size = 1, .hooks = PRE | IN, .first = { 1, 0, 1 } },
	{ "socket", IP, 2, .size = 1, .hooks = PRE | IN, .first = { 1, 0, 3 } },
	{ "socket", IP, 3, .size = 1, .hooks = PRE | IN, .first = { 1, 0, 7 } },
	{ "srh", V6, 0, .size = 10, .check = legacy_srh_check },
	{ "srh", V6, 1, .size = 108, .check = legacy_srh1_check },
	{ "state", ANY, 0, .size = 4 },
	{ "statistic", ANY, 0, .size = 24, .hidden = 8 },
	{ "string", ANY, 1, .size = 160, .hidden = 8, .check = legacy_string_check },
	{ "tcp", IP, 0, .size = 12, .proto = IPPROTO_TCP },
	{ "tcpmss", IP, 0, .size = 6, .proto = IPPROTO_TCP },
	{ "time", ANY, 0, .size = 24 },
	{ "tos", IP, 1, .size = 3 },
	{ "ttl", V4, 0, .size = 2 },
	{ "u32", ANY, 0, .size = 1984 },
	{ "udp", IP, 0, .size = 10, .proto = IPPROTO_UDP },
	{ "udplite", IP, 0, .size = 10, .proto = IPPROTO_UDPLITE },
};

const struct legacy_known legacy_targets[] = {
	{ "", IP | ARP, 0, .size = 4 },
	{ "AUDIT", ANY, 0, .size = 1, .check = legacy_audit_check },
	{ "CHECKSUM", IP, 0, .size = 1, .tables = MANGLE, .first = { 1, 1, 1 } },
	{ "CLASSIFY", ARP, 0, .size = 4, .hooks = ARP_OUT | ARP_FWD },
	{ "CLASSIFY", IP, 0, .size = 4, .hooks = FWD | OUT | POST },
	{ "CLUSTERIP", V4, 0, .size = 64, .hidden = 8, .compat = 60, .check = legacy_clusterip_check },
	{ "CONNMARK", IP, 1, .size = 16 },
	{ "CONNMARK", IP, 2, .size = 16 },
	{ "CONNSECMARK", IP, 0, .size = 1, .tables = MANGLE | SECURITY, .first = { 1, 1, 2 } },
	{ "CT", IP, 0, .size = 40, .hidden = 8, .tables = RAW, .check = legacy_ct_check },
	{ "CT", IP, 1, .size = 72, .hidden = 8, .tables = RAW, .check = legacy_ct_check },
	{ "CT", IP, 2, .size = 72, .hidden = 8, .tables = RAW, .check = legacy_ct_check },
	{ "DNAT", V4, 0, .size = 20, .tables = NAT, .hooks = PRE | OUT, .first = { 4, 1, 1 } },
	{ "DNAT", ANY, 1, .size = 40, .tables = NAT, .hooks = PRE | OUT },
	{ "DNAT", ANY, 2, .size = 44, .tables = NAT, .hooks = PRE | OUT },
	{ "DNPT", V6, 0, .size = 36, .hidden = 2, .tables = MANGLE, .hooks = PRE | OUT, .check = legacy_npt_check },
	{ "DSCP", IP, 0, .size = 1, .tables = MANGLE },
	{ "ECN", V4, 0, .size = 3, .tables = MANGLE, .check = legacy_ecn_target_check },
	{ "ERROR", IP | ARP, 0, .size = 30 },
	{ "HL", V6, 0, .size = 2, .tables = MANGLE },
	{ "HMARK", IP, 0, .size = 60, .check = legacy_hmark_check },
	{ "IDLETIMER", IP, 0, .size = 40, .hidden = 8, .check = legacy_idletimer_check },
	{ "IDLETIMER", IP, 1, .size = 48, .hidden = 8, .check = legacy_idletimer1_check },
	{ "LED", IP, 0, .size = 40, .hidden = 8, .first = { 1, 1, 255 } },
	{ "LOG", IP, 0, .size = 32 },
	{ "MARK", IP | ARP, 2, .size = 8 },
	{ "MASQUERADE", V4, 0, .size = 20, .tables = NAT, .hooks = POST, .check = legacy_masquerade4_check },
	{ "MASQUERADE", V6, 0, .size = 40, .tables = NAT, .hooks = POST, .check = legacy_masquerade6_check },
	{ "NETMAP", V4, 0, .size = 20, .tables = NAT, .hooks = PRE | IN | OUT | POST, .check = legacy_netmap4_check },
	{ "NETMAP", V6, 0, .size = 40, .tables = NAT, .hooks = PRE | IN | OUT | POST, .check = legacy_netmap6_check },
	{ "NFLOG", IP, 0, .size = 76 },
	{ "NFQUEUE", ANY, 0, .size = 2 },
	{ "NFQUEUE", ANY, 1, .size = 4 },
	{ "NFQUEUE", ANY, 2, .size = 6 },
	{ "NFQUEUE", ANY, 3, .size = 6 },
	{ "NOTRACK", IP, 0, .size = 0, .tables = RAW },
	{ "RATEEST", IP, 0, .size = 32, .hidden = 8, .check = legacy_rateest_target_check },
	{ "REDIRECT", V4, 0, .size = 20, .tables = NAT, .hooks = PRE | OUT, .check = legacy_masquerade4_check },
	{ "REDIRECT", V6, 0, .size = 40, .tables = NAT, .hooks = PRE | OUT, .check = legacy_masquerade6_check },
	{ "REJECT", IP, 0, .size = 4, .tables = FILTER, .hooks = IN | FWD | OUT, .check = legacy_reject_check },
	{ "SECMARK", IP | LEGACY_CUTS, 0, .size = 264, .tables = MANGLE | SECURITY, .first = { 1, 1, 1 } },
	{ "SECMARK", IP | LEGACY_CUTS, 1, .size = 264, .hidden = 4, .tables = MANGLE | SECURITY, .first = { 1, 1, 1 } },
	{ "SET", V4, 0, .size = 64 },
	{ "SET", IP, 1, .size = 8 },
	{ "SET", IP, 2, .size = 16 },
	{ "SET", IP, 3, .size = 20 },
	{ "SNAT", V4, 0, .size = 20, .tables = NAT, .hooks = IN | POST, .first = { 4, 1, 1 } },
	{ "SNAT", ANY, 1, .size = 40, .tables = NAT, .hooks = IN | POST },
	{ "SNAT", ANY, 2, .size = 44, .tables = NAT, .hooks = IN | POST },
	{ "SNPT", V6, 0, .size = 36, .hidden = 2, .tables = MANGLE, .hooks = IN | POST, .check = legacy_npt_check },
	{ "SYNPROXY", IP, 0, .size = 4, .hooks = IN | FWD, .proto = IPPROTO_TCP, .check = legacy_synproxy_check },
	{ "TCPMSS", IP, 0, .size = 2, .proto = IPPROTO_TCP, .check = legacy_tcpmss_check },
	{ "TCPOPTSTRIP", IP, 0, .size = 32, .tables = MANGLE, .proto = IPPROTO_TCP },
	{ "TEE", IP, 1, .size = 40, .hidden = 8, .check = legacy_tee_check },
	{ "TOS", IP, 1, .size = 2, .tables = MANGLE },
	{ "TPROXY", V4, 0, .size = 16, .tables = MANGLE, .hooks = PRE, .proto = IPPROTO_TCP, .proto2 = IPPROTO_UDP },
	{ "TPROXY", IP, 1, .size = 28, .tables = MANGLE, .hooks = PRE, .proto = IPPROTO_TCP, .proto2 = IPPROTO_UDP },
	{ "TRACE", IP, 0, .size = 0, .tables = RAW },
	{ "TTL", V4, 0, .size = 2, .tables = MANGLE },
	{ "mangle", ARP, 0, .size = 48, .check = legacy_mangle_check },
};
/* clang-format on */

const u32 legacy_known_rows[2] = { XT2_ARRAY_SIZE(legacy_matches), XT2_ARRAY_SIZE(legacy_targets) };

_Static_assert(XT2_ARRAY_SIZE(legacy_matches) <= XT2_LEGACY_KNOWN, "rows of matches");
_Static_assert(XT2_ARRAY_SIZE(legacy_targets) <= XT2_LEGACY_KNOWN, "rows of targets");

const char *const legacy_table_names[LEGACY_TABLES] = { "filter", "nat", "mangle", "raw",
							"security" };

u8 legacy_table_bit(const char *name)
{
	size_t i;

	for (i = 0; i < LEGACY_TABLES; i++)
		if (!strncmp(legacy_table_names[i], name, XT2_NAME_SIZE))
			return (u8)(1 << i);
	return 0;
}

/* => the first row that does not come before name; *end: of the rows */
static const struct legacy_known *lower_bound(bool target, const char *name,
					      const struct legacy_known **end)
{
	const struct legacy_known *rows = target ? legacy_targets : legacy_matches;
	u32 low = 0, high = legacy_known_rows[target], mid;

	*end = rows + high;
	while (low < high) {
		mid = (low + high) / 2;
		if (strncmp(rows[mid].name, name, LEGACY_NAME) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return rows + low;
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
	const struct legacy_known *end, *row = lower_bound(target, name, &end);

	*err = -ENOENT;
	for (; row < end && !strncmp(row->name, name, LEGACY_NAME); row++) {
		if (row->revision == revision && row->families & family_bits(family))
			return row;
		if (row->families & LEGACY_UNSPEC) /* the last place where the kernel looks */
			*err = -EPROTOTYPE;
	}
	return NULL;
}

const struct legacy_known *legacy_known_named(u8 family, const char *name)
{
	const struct legacy_known *row, *end, *other = NULL;
	u32 i;

	for (i = 0; i < 2; i++) {
		row = lower_bound(i, name, &end);
		for (; row < end && !strncmp(row->name, name, LEGACY_NAME); row++) {
			if (row->families & family_bits(family))
				return row;
			other = row;
		}
	}
	return other;
}

/* A place for a name: what is found there is compared.  Targets have a half of their own. */
static u32 place_of(bool target, const char *name, u8 revision)
{
	u32 hash = (u32)revision * 7, i;

	for (i = 0; i < 4 && name[i]; i++)
		hash = hash * 5 + (u8)name[i];
	return hash % 32 + (target ? 32 : 0);
}

const struct legacy_known *legacy_known_find(struct xt2_legacy_cache *cache, u8 family, bool target,
					     const char *name, u8 revision, u32 *index, int *err)
{
	const struct legacy_known *rows = target ? legacy_targets : legacy_matches;
	const struct legacy_known **at = &cache->row[place_of(target, name, revision)];

	if (!*at || (*at)->revision != revision || strncmp((*at)->name, name, LEGACY_NAME))
		*at = find(family, target, name, revision, err);
	if (*at)
		*index = (u32)(*at - rows);
	return *at;
}

int legacy_known_revision(u8 family, bool target, const char *name, u8 revision)
{
	const struct legacy_known *end, *row = lower_bound(target, name, &end);
	int ret = -ENOENT;

	for (; row < end && !strncmp(row->name, name, LEGACY_NAME); row++) {
		if (!(row->families & family_bits(family)))
			continue;
		if (row->revision == revision)
			return 0;
		ret = -EPROTONOSUPPORT;
	}
	return ret;
}

const char *legacy_misplaced(const struct xt2_legacy *l, const struct legacy_rule *rule,
			     const struct legacy_known *k)
{
	if (k->tables && !(k->tables & legacy_table_bit(l->table)))
		return "extension is not for this table";
	if (l->family == XT2_ARP && !(k->families & LEGACY_ARP))
		return "extension is not for ARP";
	if (k->hooks && rule->hooks & ~k->hooks)
		return "a hook leads here that the extension is not for";
	if (k->proto && (rule->inv_proto ||
			 (rule->proto != k->proto && (!k->proto2 || rule->proto != k->proto2))))
		return "extension is not for this protocol";
	return NULL;
}
