/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump-base.c - the conditions of a legacy entry itself, as text
 *
 * The bytes may be anything: whatever an option cannot say (masks with holes,
 * unknown flags) is printed as a number, so that nothing stays hidden.
 */
#include <arpa/inet.h>
#include <linux/netfilter_arp/arp_tables.h>
#include <linux/netfilter_bridge/ebtables.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <xt2/format.h>
#include "dump-base.h"
#include "xt2tables/cmd/say.h"

/* " ! -s" */
static void option(struct xt2_say *t, bool invert, const char *name)
{
	xt2_say(t, "%s%s%s", t->len ? " " : "", invert ? "! " : "", name);
}

static void hex(struct xt2_say *t, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;
	size_t i;

	for (i = 0; i < n; i++)
		xt2_say(t, "%02x", b[i]);
}

static bool any(const void *bytes, size_t n)
{
	const unsigned char *b = bytes;
	size_t i;

	for (i = 0; i < n; i++)
		if (b[i])
			return true;
	return false;
}

/* => leading ones if there are no others, else -1 */
static int prefix(const unsigned char *mask, int bits)
{
	int i, n = 0;

	while (n < bits && mask[n / 8] >> (7 - n % 8) & 1)
		n++;
	for (i = n; i < bits; i++)
		if (mask[i / 8] >> (7 - i % 8) & 1)
			return -1;
	return n;
}

static void address(struct xt2_say *t, const char *name, bool invert, int af, const void *addr,
		    const void *mask)
{
	const int len = af == AF_INET ? 4 : 16, n = prefix(mask, 8 * len);
	char buf[INET6_ADDRSTRLEN];

	if (!invert && !any(addr, (size_t)len) && !n)
		return;
	option(t, invert, name);
	xt2_say(t, " %s", inet_ntop(af, addr, buf, sizeof(buf)));
	if (n < 0)
		xt2_say(t, "/%s", inet_ntop(af, mask, buf, sizeof(buf)));
	else
		xt2_say(t, "/%d", n);
}

/* A byte of a name that would break the line is a '?'. */
static void name(struct xt2_say *t, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n && s[i]; i++)
		xt2_say(t, "%c", s[i] > ' ' && s[i] < 0x7f ? s[i] : '?');
}

static void interface(struct xt2_say *t, const char *opt, bool invert, const char *iface,
		      const unsigned char *mask)
{
	size_t len = strnlen(iface, IFNAMSIZ);
	size_t plus = len && iface[len - 1] == '+' ? len - 1 : len; /* the tools leave it there */
	int n = prefix(mask, 8 * IFNAMSIZ);

	if (!invert && !any(iface, IFNAMSIZ) && !n)
		return;
	option(t, invert, opt);
	xt2_say(t, " ");
	name(t, iface, IFNAMSIZ);
	if (n > 0 && (size_t)n == 8 * plus) {
		if (plus == len)
			xt2_say(t, "+");
	} else if (n < 0 || n % 8 || (size_t)n != 8 * (len < IFNAMSIZ ? len + 1 : len)) {
		xt2_say(t, "/");
		hex(t, mask, IFNAMSIZ);
	}
}

static void flags(struct xt2_say *t, const char *what, unsigned int bits)
{
	if (!bits)
		return;
	option(t, false, what);
	xt2_say(t, " 0x%x", bits);
}

static void ipv4(struct xt2_say *t, const void *entry)
{
	struct ipt_ip ip;

	memcpy(&ip, entry, sizeof(ip));
	address(t, "-s", ip.invflags & IPT_INV_SRCIP, AF_INET, &ip.src, &ip.smsk);
	address(t, "-d", ip.invflags & IPT_INV_DSTIP, AF_INET, &ip.dst, &ip.dmsk);
	interface(t, "-i", ip.invflags & IPT_INV_VIA_IN, ip.iniface, ip.iniface_mask);
	interface(t, "-o", ip.invflags & IPT_INV_VIA_OUT, ip.outiface, ip.outiface_mask);
	if (ip.proto || ip.invflags & XT_INV_PROTO) {
		option(t, ip.invflags & XT_INV_PROTO, "-p");
		xt2_say(t, " %u", ip.proto);
	}
	if (ip.flags & IPT_F_FRAG || ip.invflags & IPT_INV_FRAG)
		option(t, ip.invflags & IPT_INV_FRAG, ip.flags & IPT_F_FRAG ? "-f" : "(-f)");
	flags(t, "flags", ip.flags & ~(unsigned int)(IPT_F_FRAG | IPT_F_GOTO));
	flags(t, "invflags", ip.invflags & ~(unsigned int)IPT_INV_MASK);
	flags(t, "invert TOS", ip.invflags & IPT_INV_TOS);
}

static void ipv6(struct xt2_say *t, const void *entry)
{
	struct ip6t_ip6 ip;

	memcpy(&ip, entry, sizeof(ip));
	address(t, "-s", ip.invflags & IP6T_INV_SRCIP, AF_INET6, &ip.src, &ip.smsk);
	address(t, "-d", ip.invflags & IP6T_INV_DSTIP, AF_INET6, &ip.dst, &ip.dmsk);
	interface(t, "-i", ip.invflags & IP6T_INV_VIA_IN, ip.iniface, ip.iniface_mask);
	interface(t, "-o", ip.invflags & IP6T_INV_VIA_OUT, ip.outiface, ip.outiface_mask);
	if (ip.proto || ip.flags & IP6T_F_PROTO || ip.invflags & XT_INV_PROTO) {
		option(t, ip.invflags & XT_INV_PROTO, ip.flags & IP6T_F_PROTO ? "-p" : "(-p)");
		xt2_say(t, " %u", ip.proto);
	}
	flags(t, "tos", ip.tos);
	flags(t, "flags", ip.flags & ~(unsigned int)(IP6T_F_PROTO | IP6T_F_GOTO));
	flags(t, "invflags",
	      ip.invflags & ~(unsigned int)(IP6T_INV_SRCIP | IP6T_INV_DSTIP | IP6T_INV_VIA_IN |
					    IP6T_INV_VIA_OUT | XT_INV_PROTO));
}

static void mac_address(struct xt2_say *t, const unsigned char *b)
{
	xt2_say(t, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5]);
}

static void mac(struct xt2_say *t, const char *opt, bool invert, const void *addr, const void *mask)
{
	option(t, invert, opt);
	xt2_say(t, " ");
	mac_address(t, addr);
	if (prefix(mask, 48) == 48)
		return;
	xt2_say(t, "/");
	mac_address(t, mask);
}

static void number(struct xt2_say *t, const char *opt, bool invert, unsigned int value,
		   unsigned int mask)
{
	if (!invert && !value && !mask)
		return;
	option(t, invert, opt);
	xt2_say(t, " %u/0x%x", value, mask);
}

static void arp(struct xt2_say *t, const void *entry)
{
	struct arpt_arp a;

	memcpy(&a, entry, sizeof(a));
	address(t, "-s", a.invflags & ARPT_INV_SRCIP, AF_INET, &a.src, &a.smsk);
	address(t, "-d", a.invflags & ARPT_INV_TGTIP, AF_INET, &a.tgt, &a.tmsk);
	interface(t, "-i", a.invflags & ARPT_INV_VIA_IN, a.iniface, a.iniface_mask);
	interface(t, "-o", a.invflags & ARPT_INV_VIA_OUT, a.outiface, a.outiface_mask);
	if (a.invflags & ARPT_INV_SRCDEVADDR || any(&a.src_devaddr, sizeof(a.src_devaddr)))
		mac(t, "--source-mac", a.invflags & ARPT_INV_SRCDEVADDR, a.src_devaddr.addr,
		    a.src_devaddr.mask);
	if (a.invflags & ARPT_INV_TGTDEVADDR || any(&a.tgt_devaddr, sizeof(a.tgt_devaddr)))
		mac(t, "--destination-mac", a.invflags & ARPT_INV_TGTDEVADDR, a.tgt_devaddr.addr,
		    a.tgt_devaddr.mask);
	number(t, "--h-length", a.invflags & ARPT_INV_ARPHLN, a.arhln, a.arhln_mask);
	number(t, "--opcode", a.invflags & ARPT_INV_ARPOP, ntohs(a.arpop), ntohs(a.arpop_mask));
	number(t, "--h-type", a.invflags & ARPT_INV_ARPHRD, ntohs(a.arhrd), ntohs(a.arhrd_mask));
	number(t, "--proto-type", a.invflags & ARPT_INV_ARPPRO, ntohs(a.arpro),
	       ntohs(a.arpro_mask));
	flags(t, "flags", a.flags);
	flags(t, "invflags", a.invflags & ~(unsigned int)ARPT_INV_MASK);
}

/* An interface of ebtables: a 1 in its name is its "+". */
static void port(struct xt2_say *t, const char *opt, bool invert, const char *iface)
{
	size_t i;

	if (!*iface && !invert)
		return;
	option(t, invert, opt);
	xt2_say(t, " ");
	for (i = 0; i < IFNAMSIZ && iface[i]; i++)
		xt2_say(t, "%c",
			iface[i] == 1			    ? '+'
			: iface[i] > ' ' && iface[i] < 0x7f ? iface[i]
							    : '?');
}

static void bridge(struct xt2_say *t, const void *entry)
{
	struct ebt_entry e;

	memcpy(&e, entry, sizeof(e));
	if (e.bitmask & EBT_802_3) {
		option(t, e.invflags & EBT_IPROTO, "-p LENGTH");
	} else if (!(e.bitmask & EBT_NOPROTO)) {
		option(t, e.invflags & EBT_IPROTO, "-p");
		xt2_say(t, " 0x%04x", ntohs(e.ethproto));
	}
	if (e.bitmask & EBT_SOURCEMAC)
		mac(t, "-s", e.invflags & EBT_ISOURCE, e.sourcemac, e.sourcemsk);
	if (e.bitmask & EBT_DESTMAC)
		mac(t, "-d", e.invflags & EBT_IDEST, e.destmac, e.destmsk);
	port(t, "-i", e.invflags & EBT_IIN, e.in);
	port(t, "--logical-in", e.invflags & EBT_ILOGICALIN, e.logical_in);
	port(t, "-o", e.invflags & EBT_IOUT, e.out);
	port(t, "--logical-out", e.invflags & EBT_ILOGICALOUT, e.logical_out);
	flags(t, "flags", e.bitmask & ~(unsigned int)EBT_F_MASK);
	flags(t, "invflags", e.invflags & ~(unsigned int)EBT_INV_MASK);
}

void xt2_base_text(int family, const void *entry, char *text, size_t size)
{
	struct xt2_say t = { .at = text, .size = size };

	*text = '\0';
	switch (family) {
	case XT2_IPV4: ipv4(&t, entry); break;
	case XT2_IPV6: ipv6(&t, entry); break;
	case XT2_ARP: arp(&t, entry); break;
	case XT2_BRIDGE: bridge(&t, entry); break;
	}
}
