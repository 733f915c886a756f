/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain-rules.c - files of random rules, for plain.c
 *
 * Some rules are such as must be plain; the others are made of the same parts
 * and of odd ones (names, abbreviations, other bases, what is wrong), in any
 * order, and then some have a byte changed.  In each file a few extensions come
 * again and again, as fast-cache.c wants it.
 */
#include "plain-parts.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xt2/xt2.h>
/* --- matches ------------------------------------------------------------------- */

static void tcp_udp(bool tcp)
{
	static const char *const flags[] = { "SYN", "ACK", "FIN", "RST", "URG", "PSH", "ALL" };
	static const char *const odd[] = { "--tcp-option 5",
					   "--tcp-flags SYN",
					   "--tcp-flags none SYN",
					   "--syn x",
					   "--dpor 5",
					   "--sport=5",
					   "--tcp-flags , SYN",
					   "--tcp-flags NONE ALL",
					   "--destination-po 7" };
	u32 i, order = plain_roll(2);

	for (i = 0; i < 2; i++) {
		if (plain_roll(2))
			continue;
		plain_add(" %s%s%s", plain_not(),
			  (i ^ order) ? (plain_roll(6) ? "--dport" : "--destination-port")
				      : (plain_roll(6) ? "--sport" : "--source-port"),
			  plain_space());
		plain_ports();
	}
	if (tcp && !plain_roll(4)) {
		if (plain_roll(2)) {
			plain_add(" %s--syn", plain_not());
		} else {
			plain_add(" %s--tcp-flags%s", plain_not(), plain_space());
			plain_list(flags, 7, 4);
			plain_add("%s", plain_space());
			if (plain_roll(4))
				plain_list(flags, 7, 3);
			else
				plain_add("NONE");
		}
	}
	if (plain_oddly())
		plain_add(" %s", pick(odd));
}

static void icmp(void)
{
	static const char *const four[] = {
		"any",
		"echo-request",
		"echo-reply",
		"time-exceeded",
		"destination-unreachable",
		"redirect",
		"fragmentation-needed",
		"parameter-problem",
		"source-quench",
	};
	static const char *const six[] = {
		"echo-request",		  "echo-reply",
		"packet-too-big",	  "redirect",
		"time-exceeded",	  "neighbour-solicitation",
		"neighbor-solicitation",  "neighbour-advertisement",
		"neighbor-advertisement", "router-advertisement",
		"router-solicitation",	  "destination-unreachable",
		"parameter-problem",
	};
	static const char *const odd[] = { "echo",
					   "Any",
					   "3/16:17",
					   "3:4",
					   "256",
					   "8/",
					   "pong",
					   "host-unreachable",
					   "tos",
					   "ECHO-REQUEST",
					   "time",
					   "08",
					   "network-unreachable" };

	plain_add(" %s--icmp%s-type%s", plain_not(), plain_file.family == XT2_IPV6 ? "v6" : "",
		  plain_space());
	if (plain_oddly())
		plain_add("%s", pick(odd));
	else if (plain_roll(2))
		plain_add("%s", plain_file.family == XT2_IPV6 ? pick(six) : pick(four));
	else if (plain_roll(2))
		plain_add("%u", plain_roll(256));
	else
		plain_add("%u/%u", plain_roll(256), plain_roll(256));
}

static void multiport(void)
{
	static const char *const names[] = { "--dports", "--sports", "--ports", "--source-ports",
					     "--destination-ports" };
	static const char *const odd[] = { "1,,2",
					   "5:5",
					   "7:3",
					   "ssh,22",
					   "1,2,",
					   "1:2:3",
					   "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
					   "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15:16",
					   "" };
	u32 i, n = 1 + plain_roll(7), first;

	plain_add(" -m multiport %s%s%s", plain_not(), pick(names), plain_space());
	if (plain_oddly()) {
		plain_add("%s", pick(odd));
		return;
	}
	for (i = 0; i < n; i++) {
		first = plain_roll(65535);
		plain_add(plain_roll(4) ? "%s%u" : "%s%u:%u", i ? "," : "", first,
			  first + 1 + plain_roll(65535 - first));
	}
}

static void comment(void)
{
	static const char *const texts[] = {
		"plain",	 "\"two words\"", "\"a \\\"quote\\\" and \\\\\"",
		"\"tab\there\"", "'single'",	  "\"!\"",
		"\"-j DROP\"",	 "a\\b",	  "\"\\a\"",
		"\"x, y: z/0\"", "\303\244",
	};
	static const char *const odd[] = { "\"\"", "\"open",  "a\"b c\"", "\"a\"b",
					   "",	   "\"a\\\"", "!",	  "\"long" };
	u32 i;

	plain_add(" %s comment --comment%s", plain_roll(4) ? "-m" : "--match", plain_space());
	if (!plain_oddly()) {
		plain_add("%s", pick(texts));
		return;
	}
	if (plain_roll(2)) {
		plain_add("%s", pick(odd));
		return;
	}
	for (i = 250 + plain_roll(8); i; i--)
		plain_add("%c", 'a' + (char)plain_roll(26));
}

static void states(bool alias)
{
	static const char *const names[] = { "NEW", "ESTABLISHED", "RELATED", "INVALID",
					     "UNTRACKED" };
	static const char *const odd[] = { "new", "NE",	   "SNAT", "DNAT,NEW", "NEW ESTABLISHED",
					   "",	  "BOGUS", ",NEW" };

	plain_add(" -m %s %s--%s%s", alias ? "state" : "conntrack", plain_not(),
		  alias ? "state" : "ctstate", plain_space());
	if (plain_oddly())
		plain_add("%s", pick(odd));
	else
		plain_list(names, 5, 3);
	if (!alias && plain_oddly())
		plain_add(" --ctstatus ASSURED");
}

static void mark(void)
{
	static const char *const odd[] = { "0x",  "0x1ffffffff", "4294967296", "1/", "010",
					   "0X1", "1/2/3",	 "-1",	       "x" };

	plain_add(" -m mark %s--mark%s", plain_not(), plain_space());
	if (plain_oddly())
		plain_add("%s", pick(odd));
	else
		plain_add(plain_roll(2) ? (plain_roll(2) ? "0x%x/0x%X" : "0x%x")
					: (plain_roll(2) ? "%u/%u" : "%u"),
			  plain_roll(0x7fffffff) >> plain_roll(31),
			  plain_roll(0x7fffffff) * 2 + plain_roll(2));
}

static void mac(void)
{
	static const char *const odd[] = { "0:1:2:3:4:5", "00:11:22:33:44", "00-11-22-33-44-55",
					   "00:11:22:33:44:55:66", "g0:11:22:33:44:55" };

	plain_add(" -m mac %s--mac-source%s", plain_not(), plain_space());
	if (plain_oddly())
		plain_add("%s", pick(odd));
	else
		plain_add(plain_roll(2) ? "%02x:%02x:%02x:%02x:%02x:%02x"
					: "%02X:%02X:%02X:%02X:%02X:%02X",
			  plain_roll(256), plain_roll(256), plain_roll(256), plain_roll(256),
			  plain_roll(256), plain_roll(256));
}

static void limit(void)
{
	static const char *const units[] = { "",	"/sec", "/min", "/hour", "/second",
					     "/minute", "/s",	"/m",	"/h" };
	static const char *const odd[] = { "1/day",	     "1000/d",	  "5/SEC",  "5/se",
					   "0/sec",	     "20000/sec", "5/",	    "x/sec",
					   "1000000000/day", "5/week",	  "05/min", "5 /sec" };

	plain_add(" -m limit");
	if (plain_roll(5)) {
		plain_add(" --limit%s", plain_space());
		if (plain_oddly())
			plain_add("%s", pick(odd));
		else
			plain_add("%u%s", 1 + plain_roll(10000), pick(units));
	}
	if (!plain_roll(2)) {
		plain_add(" --limit-burst%s", plain_space());
		if (plain_oddly())
			plain_number(10001);
		else
			plain_add("%u", 1 + plain_roll(100));
	}
	if (plain_oddly())
		plain_add(" ! --limit 5/sec");
}

static void other_match(void)
{
	static const char *const others[] = {
		" -m length --length 5:9",
		" -m iprange --src-range 1.2.3.4-1.2.3.9",
		" -m nosuch",
		" -m comment",
		" -m icmp",
		" -m icmp6",
		" -m tcp",
		" -m udp",
		" -m statistic --mode nth --every 2 --packet 0",
		" -m state",
		" -m multiport",
		" -m addrtype --dst-type LOCAL",
		" --dport 5",
		" --syn",
		" -m conntrack --ctproto 6",
		" -m tcp -m tcp --dport 5",
		" -m mac",
		" --icmp-type 8",
		" --sport 7:9",
	};

	plain_add("%s", pick(others));
}

/* Extensions that come again and again in a file, with the same words. */
static const char *again_match[2], *again_target[2];

static const char *const all_matches[] = {
	"statistic --mode random --probability 0.5",
	"statistic --mode nth --every 3",
	"addrtype --dst-type LOCAL",
	"addrtype ! --src-type UNICAST --limit-iface-in",
	"length --length 5:9",
	"pkttype ! --pkt-type multicast",
	"hashlimit --hashlimit-above 5/sec --hashlimit-mode srcip --hashlimit-name h",
	"hashlimit --hashlimit-upto 5/min --hashlimit-burst 7 --hashlimit-name \"h\"",
	"recent --set --name r --rsource",
	"recent --update --seconds 60 --hitcount 4 --name r",
	"time --timestart 01:00:00 --weekdays Mon,Tue",
	"quota --quota 500",
	"string --string \"a \\\"b -s\" --algo bm",
	"connmark --mark 1",
	"iprange --src-range 10.0.0.1-10.0.0.9",
	"iprange ! --dst-range fc00::1-fc00::9",
	"tos --tos 0x10",
	"dscp --dscp 5",
	"u32 --u32 0x0=1",
	"ecn --ecn-tcp-cwr",
	"tcpmss --mss 5:6",
	"connbytes --connbytes 5:9 --connbytes-dir both --connbytes-mode packets",
	"connlimit --connlimit-above 3",
	"owner --uid-owner 5",
	"physdev --physdev-in eth0",
	"sctp --chunk-types any INIT",
	"sctp --dport 5",
	"dccp --sport 5",
	"frag --fragfirst",
	"ttl --ttl-eq 5",
	"hl --hl-eq 5",
	"esp --espspi 5",
	"conntrack --ctstatus ASSURED",
	"helper --helper ftp",
	"realm --realm 1",
	"cpu --cpu 1",
	"statistic --mode random --prob 0.5",
	"length --length 5 --dport 7",
	"connmark --mark 1 -m mark --mark 2 -m connmark --mark 3",
	"mark --mark 1 -m connmark --mark 2 -m mark --mark 3",
};

static const char *const all_targets[] = {
	"REJECT",
	"REJECT --reject-with tcp-reset",
	"REJECT --reject-with icmp6-no-route",
	"REJECT --reject-with icmp-host-prohibited",
	"LOG --log-prefix \"a b -j DROP \" --log-level 5",
	"LOG --log-uid",
	"MARK --set-xmark 0x1/0xff",
	"MARK --set-mark 5",
	"MARK --or-mark 0x10",
	"NFLOG --nflog-group 5 --nflog-prefix x",
	"NFQUEUE --queue-num 2 --queue-bypass",
	"CONNMARK --save-mark",
	"CONNMARK --set-xmark 0x1/0x2",
	"CLASSIFY --set-class 1:2",
	"DNAT --to-destination 1.2.3.4:5",
	"DNAT --to-destination [fc00::1]:5-9",
	"SNAT --to-source 1.2.3.4-1.2.3.9 --random",
	"MASQUERADE --random-fully",
	"MASQUERADE",
	"MASQUERADE --to-ports 1024-65535 --random",
	"REDIRECT --to-ports 5",
	"NOTRACK",
	"CT --notrack",
	"TCPMSS --clamp-mss-to-pmtu",
	"AUDIT --type accept",
	"TTL --ttl-set 5",
	"HL --hl-set 5",
	"TRACE",
	"CHECKSUM --checksum-fill",
	"DSCP --set-dscp 5",
	"TOS --set-tos 0x10",
	"TEE --gateway 1.2.3.4",
	"SET --add-set none src",
	"LOG --log-level 5 --syn",
	"LOG --log-pre x",
};

/* --- rules --------------------------------------------------------------------- */

/* A protocol and its match: => the ports of multiport have a meaning */
static bool protocol(void)
{
	static const char *const names[] = { "tcp", "udp", "tcp", "6", "17", "sctp", "udplite" };
	static const char *const others[] = { "esp", "ah",   "all",	  "0",	   "47",
					      "255", "icmp", "ipv6-icmp", "icmpv6" };
	static const char *const odd[] = { "TCP",  "0x6",    "gre", "256", "igmp",
					   "dccp", "nosuch", "06",  "ipv6" };
	const char *name = pick(names);

	if (plain_oddly()) {
		plain_add(" %s-p %s", plain_not(), pick(odd));
		return false;
	}
	if (!plain_roll(4)) {
		name = pick(others);
		plain_add(" %s-p %s", name[0] == '0' || !strcmp(name, "all") ? "" : plain_not(),
			  name);
		return false;
	}
	plain_add(" %s%s", plain_roll(8) ? "-p" : "--protocol", plain_space());
	plain_add("%s", name);
	if (!strcmp(name, "tcp") || !strcmp(name, "udp")) {
		if (!plain_roll(2))
			plain_add(" -m %s", name);
		if (plain_roll(3))
			tcp_udp(name[0] == 't');
	}
	return true;
}

static void icmp_rule(void)
{
	const bool six = plain_file.family == XT2_IPV6;

	plain_add(" -p %s", six ? (plain_roll(2) ? "icmpv6" : "ipv6-icmp") : "icmp");
	if (plain_roll(2))
		plain_add(" -m %s", six ? "icmp6" : "icmp");
	icmp();
}

/* Targets whose words differ from rule to rule. */
static void varied_target(void)
{
	static const char *const odd[] = {
		" --random", " --persistent", ":0", ":1-5",  " --log-tcp-options", "/0x1", " -x",
		":70000",    "-1.2.3.9",      "/",  "\"a b", " --log-level 3"
	};

	switch (plain_roll(6)) {
	case 0:
	case 1: {
		const bool six = plain_file.family == XT2_IPV6, ports = plain_roll(2);
		const bool brackets = six && (ports || !plain_roll(8));

		plain_add(" %s%s%s",
			  plain_roll(2) ? "-j DNAT --to-destination" : "-j SNAT --to-source",
			  plain_space(), brackets ? "[" : "");
		if (six)
			plain_add("2001:db8:%x::%x", plain_roll(65536), plain_roll(65536));
		else
			plain_add("%u.%u.%u.%u", plain_roll(256), plain_roll(256), plain_roll(256),
				  plain_roll(256));
		plain_add("%s", brackets ? "]" : "");
		if (ports)
			plain_add(":%u", plain_roll(65537));
		break;
	}
	case 2:
	case 3:
		plain_add(" -j LOG%s--log-prefix%s\"x%u: \\\"%s\"", plain_space(), plain_space(),
			  plain_roll(100000),
			  plain_roll(4) ? "" : "and a lot more of it that is long");
		if (plain_roll(2))
			plain_add(" --log-level %u", plain_roll(9));
		break;
	default:
		plain_add(" -j MARK --set-%smark%s", plain_roll(2) ? "x" : "", plain_space());
		plain_add(plain_roll(2) ? "0x%x" : "%u", plain_roll(0x7fffffff) >> plain_roll(31));
		if (plain_roll(2))
			plain_add("/0x%x", plain_roll(0x7fffffff) * 2 + plain_roll(2));
	}
	if (plain_oddly())
		plain_add("%s", pick(odd));
}

static void target(void)
{
	/* Chains that have rules are not among them: loops cannot be packed. */
	static const char *const targets[] = {
		"ACCEPT", "DROP", "RETURN", "QUEUE", "t1", "LOG", "a-name-of-28-bytes-xxxxxxxxx"
	};
	static const char *const odd[] = {
		"REJECT",   "nosuch", "OUTPUT",
		"\"DROP\"", "accept", "REJECT --reject-with icmp-port-unreachable",
		"",	    "t2 x",   "a-name-of-29-bytes-xxxxxxxxxx",
		"MARK"
	};

	if (!plain_roll(10))
		return;
	if (plain_file.odd && !plain_roll(4))
		varied_target();
	else if (plain_file.odd && !plain_roll(3))
		plain_add(" %s %s", plain_roll(9) ? "-j" : "--jump", pick(again_target));
	else if (plain_oddly())
		plain_add(" %s%s %s", plain_not(), plain_roll(2) ? "-j" : "-g", pick(odd));
	else if (plain_roll(8))
		plain_add(" %s%s%s", plain_roll(8) ? "-j" : "--jump", plain_space(), pick(targets));
	else
		plain_add(" %s t%u", plain_roll(4) ? "-g" : "--goto", 1 + plain_roll(2));
}

static void match(bool has_ports)
{
	switch (plain_roll(8)) {
	case 0: comment(); break;
	case 1: states(false); break;
	case 2: states(true); break;
	case 3: mark(); break;
	case 4: mac(); break;
	case 5: limit(); break;
	case 6:
		if (has_ports || plain_oddly())
			multiport();
		break;
	case 7:
		if (plain_oddly())
			other_match();
		break;
	}
}

static void base(const char *chain)
{
	if (plain_roll(2)) {
		plain_add(" %s%s%s", plain_not(),
			  plain_roll(9)	  ? "-s"
			  : plain_roll(2) ? "--src"
					  : "--source",
			  plain_space());
		plain_address();
	}
	if (plain_roll(2)) {
		plain_add(" %s%s%s", plain_not(),
			  plain_roll(9)	  ? "-d"
			  : plain_roll(2) ? "--dst"
					  : "--destination",
			  plain_space());
		plain_address();
	}
	if (!plain_roll(4) && (strcmp(chain, "OUTPUT") || plain_oddly())) {
		plain_add(" %s%s ", plain_not(), plain_roll(9) ? "-i" : "--in-interface");
		plain_iface();
	}
	if (!plain_roll(4) && (strcmp(chain, "INPUT") || plain_oddly())) {
		plain_add(" %s%s ", plain_not(), plain_roll(9) ? "-o" : "--out-interface");
		plain_iface();
	}
	if (!plain_roll(12) && (plain_file.family == XT2_IPV4 || plain_oddly()))
		plain_add(" %s%s", plain_not(), plain_roll(4) ? "-f" : "--fragments");
}

static void options(const char *chain)
{
	bool has_ports = false;
	u32 i;

	base(chain);
	if (!plain_roll(8))
		icmp_rule();
	else if (plain_roll(3))
		has_ports = protocol();
	for (i = plain_roll(4); i; i--)
		match(has_ports);
	if (plain_file.odd && !plain_roll(3))
		plain_add(" -m %s", pick(again_match));
	if (plain_oddly())
		match(has_ports);
	if (plain_oddly())
		base(chain);
}

/* Change a byte, or exchange two words, of what has been added since. */
static void mutate(size_t from)
{
	static const char bytes[] = " \t!-\"\\0aA:/.,\r\001\377=";
	const size_t len = plain_file.len - from;
	char *text = plain_file.text + from, *a, *b;
	size_t at = plain_roll((u32)len);

	switch (plain_roll(4)) {
	case 0: text[at] = bytes[plain_roll(sizeof(bytes))]; break;
	case 1:
		memmove(text + at, text + at + 1, len - at - 1);
		plain_file.len--;
		break;
	case 2: plain_add("%.*s", (int)plain_roll((u32)(len - at)), text + at); break;
	case 3:
		a = memchr(text + at, ' ', len - at);
		b = a ? memchr(a + 1, ' ', len - (size_t)(a + 1 - text)) : NULL;
		if (b) /* join two words */
			*(plain_roll(2) ? a : b) = 'x';
	}
}

static void rule(void)
{
	static const char *const chains[] = { "INPUT", "OUTPUT", "c1", "c2",
					      "b-name-of-28-bytes-xxxxxxxxx" };
	static const char *const odd[] = { "-I INPUT", "-A nosuch", "-D c1",	"-A",
					   "-AINPUT",  "-N c9",	    "--app c1", "-A \"c1\"",
					   "-I c1 1",  "-F c2",	    "-A !" };
	const char *chain = pick(chains);
	const size_t from = plain_file.len;
	const bool counted = !plain_roll(6);
	bool jumped = false;

	plain_file.odd = !plain_roll(2);
	if (!plain_file.odd)
		plain_file.must_at[plain_file.must++] = from;
	plain_file.rules++;
	if (counted) {
		plain_add("[");
		plain_counter();
		plain_add(":");
		plain_counter();
		plain_add("]%s", plain_oddly() ? "" : " ");
	}
	if (plain_oddly())
		plain_add("%s", pick(odd));
	else
		plain_add("%s%s%s", plain_roll(9) ? "-A" : "--append", plain_space(), chain);
	if (!plain_roll(4)) {
		target();
		jumped = true;
	}
	options(chain);
	if (!jumped || plain_oddly())
		target();
	if ((!counted || plain_oddly()) && !plain_roll(6)) {
		plain_add(" %s ", plain_roll(4) ? "-c" : "--set-counters");
		plain_counter();
		plain_add(plain_roll(2) ? " " : ",");
		plain_counter();
	}
	if (plain_file.odd && !plain_roll(3))
		mutate(from);
	plain_add("\n");
}

void plain_file_make(u64 seed)
{
	static const char *const tables[] = { "filter", "filter", "mangle", "nat", "raw" };
	const char *table;
	u32 i;

	plain_begin(seed);
	for (i = 0; i < 2; i++) {
		again_match[i] = pick(all_matches);
		again_target[i] = pick(all_targets);
	}
	table = pick(tables);
	plain_file.len = plain_file.rules = plain_file.must = 0;
	plain_file.family = plain_roll(2) ? XT2_IPV4 : XT2_IPV6;
	plain_add("*%s\n:c1 - [0:0]\n:c2 - [0:0]\n:t1 - [0:0]\n:t2 - [0:0]\n:LOG - [0:0]\n", table);
	plain_add(":a-name-of-28-bytes-xxxxxxxxx - [0:0]\n:b-name-of-28-bytes-xxxxxxxxx - [0:0]\n");
	if (strcmp(table, "filter"))
		plain_add(":INPUT - [0:0]\n"); /* refused, where it is there; else like any other */
	plain_file.head = plain_file.len;
	for (i = 0; i < PLAIN_RULES; i++)
		rule();
	plain_add("COMMIT\n");
	if (strcmp(table, "filter")) /* DROP is refused in nat, and not all have both hooks */
		plain_file.must = 0;
	plain_file.counters = plain_roll(2);
}
