/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet.h - one packet, from options, bytes or a capture; and in words */
#ifndef XT2_XT2TABLES_PACKET_PACKET_H
#define XT2_XT2TABLES_PACKET_PACKET_H

#include "xt2tables/cmd/cmd.h"

/* What the user told about a packet; builds the bytes when all is known. */
struct xt2_packet_spec {
	int family;
	const char *source, *destination; /* addresses */
	const char *protocol; /* name or number */
	const char *sport, *dport;
	const char *icmp_type; /* TYPE or TYPE/CODE */
	const char *tcp_flags; /* "SYN,ACK"; default: SYN */
	const char *ttl, *tos, *length;
	const char *mac_source, *mac_destination;
	const char *arp_op; /* request, reply or a number */
	bool fragment; /* one that is not the first */
	const char *hex; /* the bytes from the network header on */
	const char *capture; /* a file, and the packet's number from 1 */
	unsigned long number;
	const struct xt2_host *host;
	const char *hook; /* name of the hook it shall be at */
};

/* Room for a packet; pkt points into it. */
struct xt2_packet {
	struct xt2_pkt pkt;
	struct xt2_captured captured;
	__u8 mac[14];
	__u8 bytes[65536 + 64];
};

/*
 * xt2_packet_build - make the packet
 * => 0, or -EINVAL, -ENOENT and so on with err filled in
 */
int xt2_packet_build(const struct xt2_packet_spec *spec, struct xt2_packet *packet,
		     struct xt2_err *err);

/* Does the protocol's header begin with two ports? */
bool xt2_proto_has_ports(int proto);

/* "tcp 192.0.2.1:40000 -> 198.51.100.1:22 SYN, 40 bytes".  => as snprintf() */
int xt2_packet_describe(const struct xt2_pkt *pkt, char *buf, size_t size);

/* What the packet has where a match looked: "source is 192.0.2.1"; may be empty. */
void xt2_packet_value(const struct xt2_pkt *pkt, const struct xt2_match *m, char *buf, size_t size);

#endif
