/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log-text.c - an event of LOG or NFLOG in words: see log-text.h
 *
 * The words, and which of them a broken packet gets, are those of the kernel's
 * net/netfilter/nf_log_syslog.c, which is what log analysers know.
 */
#include <arpa/inet.h>
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/netfilter/nf_log.h>
#include <netinet/in.h>
#include <stdarg.h>
#include "log-text.h"
#include "engine/env.h"
#include "libxt2/printable.h"
#include <xt2/ext.h>

struct line {
	char *text;
	size_t size, used;
	const struct xt2_log_event *e;
	u8 flags; /* NF_LOG_* */
	bool inner; /* the packet that an ICMP error quotes */
};

static void add(struct line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct line *l, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(l->text + l->used, l->size - l->used, format, args);
	va_end(args);
	l->used += n < (int)(l->size - l->used) ? (size_t)n : l->size - l->used - 1;
}

static void add_safe(struct line *l, const char *s, size_t max)
{
	char text[66], shown[4 * sizeof(text)];

	snprintf(text, sizeof(text), "%.*s", (int)max, s);
	xt2_show(text, shown, sizeof(shown));
	add(l, "%s", shown);
}

static void add_hex(struct line *l, const u8 *p, u32 n)
{
	add(l, "OPT (");
	while (n--)
		add(l, "%02X", *p++);
	add(l, ") ");
}

static void add_mac(struct line *l, const u8 *p, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		add(l, i ? ":%02x" : "%02x", p[i]);
}

/* => bytes of the packet; NULL: they are not there, which has been said */
static const u8 *look(struct line *l, u32 off, u32 size)
{
	const struct xt2_log_event *e = l->e;

	if (off <= e->caplen && e->caplen - off >= size)
		return e->bytes + off;
	if (off + size <= e->len)
		add(l, "TRUNCATED ");
	else
		add(l, "INCOMPLETE [%u bytes] ", e->len - off);
	return NULL;
}

/* --- transport headers ---------------------------------------------------- */

static void add_tcp_flags(struct line *l, u16 flags)
{
	static const char names[][4] = { "AE",	"CWR", "ECE", "URG", "ACK",
					 "PSH", "RST", "SYN", "FIN" };
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(names); i++)
		if (flags >> (XT2_ARRAY_SIZE(names) - 1 - i) & 1)
			add(l, "%s ", names[i]);
}

/* => false: the words after the header's fields are left out */
static bool add_tcp(struct line *l, u32 off, bool fragment)
{
	const u8 *p;
	u32 size;

	add(l, "PROTO=TCP ");
	if (fragment)
		return true;
	p = look(l, off, 20);
	if (!p)
		return false;
	add(l, "SPT=%u DPT=%u ", xt2_be16(p), xt2_be16(p + 2));
	if (l->flags & NF_LOG_TCPSEQ)
		add(l, "SEQ=%u ACK=%u ", xt2_be32(p + 4), xt2_be32(p + 8));
	add(l, "WINDOW=%u RES=0x%02x ", xt2_be16(p + 14), (p[12] & 0x0e) << 2);
	add_tcp_flags(l, xt2_be16(p + 12) & 0x1ff);
	add(l, "URGP=%u ", xt2_be16(p + 18));
	size = (p[12] >> 4) * 4u;
	if (!(l->flags & NF_LOG_TCPOPT) || size <= 20)
		return true;
	if (l->e->caplen < off + size) {
		add(l, "OPT (TRUNCATED)");
		return false;
	}
	add_hex(l, p + 20, size - 20);
	return true;
}

static bool add_udp(struct line *l, u8 proto, u32 off, bool fragment)
{
	const u8 *p;

	add(l, proto == IPPROTO_UDP ? "PROTO=UDP " : "PROTO=UDPLITE ");
	if (fragment)
		return true;
	p = look(l, off, 8);
	if (p)
		add(l, "SPT=%u DPT=%u LEN=%u ", xt2_be16(p), xt2_be16(p + 2), xt2_be16(p + 4));
	return p;
}

/* => the header of AH or ESP; NULL: it is not there */
static const u8 *add_spi(struct line *l, u8 proto, u32 off)
{
	const u8 *p = look(l, off, proto == IPPROTO_AH ? 12 : 8);

	if (p)
		add(l, "SPI=0x%x ", xt2_be32(p + (proto == IPPROTO_AH ? 4 : 0)));
	return p;
}

/* UID and MARK are the packet's, not those of one that it quotes. */
static void add_common(struct line *l)
{
	if (l->inner)
		return;
	if (l->flags & NF_LOG_UID && l->e->flags & XT2_LOG_OWNER)
		add(l, "UID=%u GID=%u ", l->e->uid, l->e->gid);
	if (l->e->mark)
		add(l, "MARK=0x%x ", l->e->mark);
}

/* Of IP headers: errors quote a packet. */
static void add_ipv4(struct line *l, u32 at);
static void add_ipv6(struct line *l, u32 at);

static void add_quoted(struct line *l, void (*add_ip)(struct line *, u32), u32 at)
{
	if (l->inner)
		return;
	add(l, "[");
	l->inner = true;
	add_ip(l, at);
	l->inner = false;
	add(l, "] ");
}

/* Bytes that the fields of a message need: echoes, errors, time stamps, address masks. */
static const u8 icmp_size[] = {
	[0] = 4,       [8] = 4,	  [3] = 8 + 20, [4] = 8 + 20, [5] = 8 + 20, [11] = 8 + 20,
	[12] = 8 + 20, [13] = 20, [14] = 20,	[17] = 12,    [18] = 12,
};

static void add_icmp_fields(struct line *l, const u8 *p, u32 off)
{
	char address[INET_ADDRSTRLEN];

	switch (p[0]) {
	case 0:
	case 8: add(l, "ID=%u SEQ=%u ", xt2_be16(p + 4), xt2_be16(p + 6)); break;
	case 12: add(l, "PARAMETER=%u ", p[4]); break;
	case 5:
		add(l, "GATEWAY=%s ", inet_ntop(AF_INET, p + 4, address, sizeof(address)));
		__fallthrough;
	case 3:
	case 4:
	case 11:
		add_quoted(l, add_ipv4, off + 8);
		if (p[0] == 3 && p[1] == 4)
			add(l, "MTU=%u ", xt2_be16(p + 6));
	}
}

static void add_icmpv6_fields(struct line *l, const u8 *p, u32 off)
{
	switch (p[0]) {
	case 128: /* echo, and its reply */
	case 129: add(l, "ID=%u SEQ=%u ", xt2_be16(p + 4), xt2_be16(p + 6)); break;
	case 4: add(l, "POINTER=%08x ", xt2_be32(p + 4)); __fallthrough;
	case 1: /* errors */
	case 2:
	case 3:
		add_quoted(l, add_ipv6, off + 8);
		if (p[0] == 2)
			add(l, "MTU=%u ", xt2_be32(p + 4));
	}
}

static bool add_icmp(struct line *l, bool v6, u32 off, bool fragment)
{
	u32 left = l->e->len - off;
	const u8 *p;

	add(l, v6 ? "PROTO=ICMPv6 " : "PROTO=ICMP ");
	if (fragment)
		return true;
	p = look(l, off, 8);
	if (!p)
		return !v6;
	add(l, "TYPE=%u CODE=%u ", p[0], p[1]);
	if (v6)
		add_icmpv6_fields(l, p, off);
	else if (p[0] < sizeof(icmp_size) && left < icmp_size[p[0]])
		add(l, "INCOMPLETE [%u bytes] ", left);
	else
		add_icmp_fields(l, p, off);
	return true;
}

/* IPv6 has told AH and ESP before, among its extension headers. */
static void add_transport(struct line *l, bool v6, u8 proto, u32 off, bool fragment)
{
	bool whole = true;

	switch (proto) {
	case IPPROTO_TCP: whole = add_tcp(l, off, fragment); break;
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE: whole = add_udp(l, proto, off, fragment); break;
	case IPPROTO_AH:
		if (fragment)
			break;
		add(l, "PROTO=AH ");
		add_spi(l, proto, off);
		break;
	case IPPROTO_ESP:
		add(l, "PROTO=ESP ");
		if (!fragment)
			add_spi(l, proto, off);
		break;
	default:
		if (proto == (v6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP))
			whole = add_icmp(l, v6, off, fragment);
		else
			add(l, "PROTO=%u ", proto);
	}
	if (whole)
		add_common(l);
}

/* --- IPv4 ------------------------------------------------------------------ */

static void add_ipv4_fragment(struct line *l, u16 word)
{
	add(l, "%s%s%s", word & 0x8000 ? "CE " : "", word & 0x4000 ? "DF " : "",
	    word & 0x2000 ? "MF " : "");
	if (word & 0x1fff)
		add(l, "FRAG:%u ", word & 0x1fff);
}

static void add_ipv4(struct line *l, u32 at)
{
	char src[INET_ADDRSTRLEN], dst[INET_ADDRSTRLEN];
	const struct xt2_log_event *e = l->e;
	u32 size, len;
	const u8 *p;

	if (e->caplen < at + 20) {
		add(l, "TRUNCATED");
		return;
	}
	p = e->bytes + at;
	size = (p[0] & 15) * 4u;
	len = xt2_be16(p + 2);
	if (!len && e->len > 65535) /* of segments that are not cut yet */
		len = e->len - at;
	add(l, "SRC=%s DST=%s LEN=%u TOS=0x%02X PREC=0x%02X TTL=%u ID=%u ",
	    inet_ntop(AF_INET, p + 12, src, sizeof(src)),
	    inet_ntop(AF_INET, p + 16, dst, sizeof(dst)), len, p[1] & 0x1e, p[1] & 0xe0, p[8],
	    xt2_be16(p + 4));
	add_ipv4_fragment(l, xt2_be16(p + 6));
	if (l->flags & NF_LOG_IPOPT && size > 20) {
		if (e->caplen < at + size) {
			add(l, "TRUNCATED");
			return;
		}
		add_hex(l, p + 20, size - 20);
	}
	add_transport(l, false, p[9], at + size, xt2_be16(p + 6) & 0x1fff);
}

/* --- IPv6 ------------------------------------------------------------------ */

/* => bytes of the extension header; 0: nothing more can be told */
static u32 add_extension(struct line *l, u8 type, u32 off, bool *fragment)
{
	const bool options = l->flags & NF_LOG_IPOPT;
	const u8 *p = l->e->bytes + off;

	switch (type) {
	case IPPROTO_FRAGMENT:
		add(l, "FRAG:");
		if (l->e->caplen < off + 8) {
			add(l, "TRUNCATED ");
			return 0;
		}
		add(l, "%u %sID:%08x ", xt2_be16(p + 2) & 0xfff8, p[3] & 1 ? "INCOMPLETE " : "",
		    xt2_be32(p + 4));
		*fragment |= xt2_be16(p + 2) & 0xfff8;
		return 8;
	case IPPROTO_AH:
	case IPPROTO_ESP:
		if (!options)
			return type == IPPROTO_AH ? (p[1] + 2) * 4u : 0;
		add(l, type == IPPROTO_AH ? "AH " : "ESP ");
		if (!*fragment)
			p = add_spi(l, type, off);
		if (type == IPPROTO_ESP || *fragment || !p) {
			add(l, ")");
			return 0;
		}
		return (p[1] + 2) * 4u;
	}
	if (*fragment && options)
		add(l, ")");
	return *fragment ? 0 : (p[1] + 1) * 8u;
}

static bool is_extension(u8 proto)
{
	static const char extensions[] = { IPPROTO_HOPOPTS, IPPROTO_ROUTING, IPPROTO_FRAGMENT,
					   IPPROTO_ESP,	    IPPROTO_AH,	     IPPROTO_DSTOPTS };

	return memchr(extensions, proto, sizeof(extensions));
}

static void add_ipv6_payload(struct line *l, u8 proto, u32 off)
{
	const bool options = l->flags & NF_LOG_IPOPT;
	bool fragment = false;
	u32 size;
	u8 next;

	while (is_extension(proto)) {
		if (l->e->caplen < off + 2) {
			add(l, "TRUNCATED");
			return;
		}
		next = l->e->bytes[off];
		add(l, "%s", options ? "OPT ( " : "");
		size = add_extension(l, proto, off, &fragment);
		if (!size)
			return;
		add(l, "%s", options ? ") " : "");
		proto = next;
		off += size;
	}
	add_transport(l, true, proto, off, fragment);
}

static void add_address6(struct line *l, const char *name, const u8 *p)
{
	u32 i;

	add(l, "%s=", name);
	for (i = 0; i < 16; i += 2)
		add(l, i ? ":%04x" : "%04x", xt2_be16(p + i));
	add(l, " ");
}

static void add_ipv6(struct line *l, u32 at)
{
	const struct xt2_log_event *e = l->e;
	const u8 *p = e->bytes + at;
	u32 payload;

	if (e->caplen < at + 40) {
		add(l, "TRUNCATED");
		return;
	}
	payload = xt2_be16(p + 4);
	if (!payload && e->len > 65575)
		payload = e->len - at - 40;
	add_address6(l, "SRC", p + 8);
	add_address6(l, "DST", p + 24);
	add(l, "LEN=%u TC=%u HOPLIMIT=%u FLOWLBL=%u ", payload + 40, xt2_be16(p) >> 4 & 0xff, p[7],
	    xt2_be32(p) & 0xfffff);
	add_ipv6_payload(l, p[6], at + 40);
}

/* --- the line -------------------------------------------------------------- */

static void add_link(struct line *l)
{
	const struct xt2_log_event *e = l->e;

	if (l->flags & NF_LOG_MACDECODE && e->device == ARPHRD_ETHER) {
		if (!(e->flags & XT2_LOG_HAS_MAC) || e->mac_len < ETH_HLEN)
			return;
		add(l, "MACSRC=");
		add_mac(l, e->mac + 6, 6);
		add(l, " MACDST=");
		add_mac(l, e->mac, 6);
		add(l, " MACPROTO=%04x ", xt2_be16(e->mac + 12));
		return;
	}
	add(l, "MAC=");
	if (e->flags & XT2_LOG_HAS_MAC)
		add_mac(l, e->mac, e->hard_header < XT2_LOG_MAC ? e->hard_header : XT2_LOG_MAC);
	add(l, " ");
}

const char *xt2_log_prefix(const struct xt2_log_event *e, char prefix[65])
{
	const char *data = (const char *)e->data;
	u32 size = XT2_LOG_PREFIX;

	if (XT2_TARGET_KIND(e->target) == XT2_T_NFLOG) {
		if (XT2_TARGET_ARG(e->target) & XT2_NFLOG_SIZES)
			data += sizeof(struct xt2_nflog_sizes);
		size = XT2_NFLOG_PREFIX;
	}
	snprintf(prefix, 65, "%.*s", (int)size, data);
	return prefix;
}

void xt2_log_line(const struct xt2_log_event *e, char *text, size_t size)
{
	struct line l = { .text = text, .size = size, .e = e };
	char prefix[65];

	text[0] = '\0';
	if (XT2_TARGET_KIND(e->target) == XT2_T_LOG)
		l.flags = XT2_LOG_FLAGS(XT2_TARGET_ARG(e->target));
	add_safe(&l, xt2_log_prefix(e, prefix), sizeof(prefix));
	add(&l, "IN=");
	add_safe(&l, e->in, sizeof(e->in));
	add(&l, " OUT=");
	add_safe(&l, e->out, sizeof(e->out));
	add(&l, " ");
	if (e->in_index)
		add_link(&l);
	if (e->family == XT2_IPV6)
		add_ipv6(&l, 0);
	else
		add_ipv4(&l, 0);
	while (l.used && text[l.used - 1] == ' ')
		text[--l.used] = '\0';
}
