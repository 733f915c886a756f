/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packets.h - small packets for tests
 *
 * Each builder fills buf (at least 128 bytes) from the network header on and
 * gives back the packet's length.  Addresses and ports are numbers.  IPv4
 * headers have a good checksum; transport checksums are zero.
 */
#ifndef TESTS_PACKETS_H
#define TESTS_PACKETS_H

#include <string.h>
#include <xt2/pkt.h>

static inline void packet_put16(__u8 *p, unsigned int v)
{
	p[0] = (__u8)(v >> 8);
	p[1] = (__u8)v;
}

static inline void packet_put32(__u8 *p, __u32 v)
{
	packet_put16(p, v >> 16);
	packet_put16(p + 2, v & 0xffff);
}

/* 8 bytes of UDP, the first 8 of ICMP, or 20 of TCP; => bytes */
static inline unsigned int packet_transport(__u8 *p, __u8 proto, unsigned int sport,
					    unsigned int dport)
{
	unsigned int size = proto == 6 ? 20 : 8;

	memset(p, 0, size);
	if (proto == 6 || proto == 17) {
		packet_put16(p, sport);
		packet_put16(p + 2, dport);
	}
	if (proto == 6) {
		p[12] = 0x50;
		p[13] = 0x02; /* SYN */
	} else if (proto == 17) {
		packet_put16(p + 4, 8);
	} else {
		p[0] = proto == 58 ? 128 : 8; /* echo request */
	}
	return size;
}

static inline void packet_ipv4_checksum(__u8 *p)
{
	__u32 sum = 0;
	int i;

	packet_put16(p + 10, 0);
	for (i = 0; i < (p[0] & 15) * 4; i += 2)
		sum += (__u32)(p[i] << 8 | p[i + 1]);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	packet_put16(p + 10, ~sum & 0xffff);
}

static inline unsigned int packet_ipv4(__u8 *buf, __u32 src, __u32 dst, __u8 proto,
				       unsigned int sport, unsigned int dport)
{
	unsigned int size = 20 + packet_transport(buf + 20, proto, sport, dport);

	memset(buf, 0, 20);
	buf[0] = 0x45;
	packet_put16(buf + 2, size);
	buf[8] = 64;
	buf[9] = proto;
	packet_put32(buf + 12, src);
	packet_put32(buf + 16, dst);
	packet_ipv4_checksum(buf);
	return size;
}

/* From and to fd00:: with these last four bytes. */
static inline unsigned int packet_ipv6(__u8 *buf, __u32 src, __u32 dst, __u8 proto,
				       unsigned int sport, unsigned int dport)
{
	unsigned int size = packet_transport(buf + 40, proto, sport, dport);

	memset(buf, 0, 40);
	buf[0] = 0x60;
	packet_put16(buf + 4, size);
	buf[6] = proto;
	buf[7] = 64;
	buf[8] = buf[24] = 0xfd;
	packet_put32(buf + 20, src);
	packet_put32(buf + 36, dst);
	return 40 + size;
}

/* A request over Ethernet. */
static inline unsigned int packet_arp(__u8 *buf, __u32 src, __u32 dst)
{
	static const __u8 head[8] = { 0, 1, 8, 0, 6, 4, 0, 1 };

	memset(buf, 0, 28);
	memcpy(buf, head, sizeof(head));
	buf[8] = 2;
	packet_put32(buf + 14, src);
	packet_put32(buf + 24, dst);
	return 28;
}

/* => what xt2_pkt_parse() says; the packet is not fragmented or cut */
static inline int packet_parse(struct xt2_pkt *pkt, __u8 family, __u8 *buf, unsigned int size)
{
	memset(pkt, 0, sizeof(*pkt));
	pkt->data = buf;
	pkt->caplen = pkt->len = size;
	return xt2_pkt_parse(pkt, family);
}

#endif
