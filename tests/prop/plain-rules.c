/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain-rules.c - files of random rules, for plain.c
 *
 * Some rules are such as must be plain; the others are made of the same parts
 * and of odd ones (names, abbreviations, other bases, what is wrong), in any
 * order, and then some have a byte changed.  In each file a few extensions come
 * again and again, as plain-known.c wants it.
 */
#include "plain-rules.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xt2/xt2.h>

static u64 state;

static u32 roll(u32 n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (u32)(state >> 11) % n;
}

#define pick(list) ((list)[roll(XT2_ARRAY_SIZE(list))])

/* --- text ---------------------------------------------------------------------- */

struct plain_file plain_file;

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void add(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	plain_file.len += (size_t)vsnprintf(plain_file.text + plain_file.len,
					    sizeof(plain_file.text) - plain_file.len, format, args);
	va_end(args);
}

/* Now and then, in an odd rule. */
static bool oddly(void)
{
	return plain_file.odd && !roll(8);
}

static const char *space(void)
{
	static const char *const spaces[] = { " ", "  ", "\t", " \t " };

	return roll(20) ? " " : pick(spaces);
}

static const char * not(void)
{
	return roll(6) ? "" : roll(20) ? "! " : "!\t ";
}

/* Of any length, as counters have. */
static void counter(void)
{
	static const char *const odd[] = { "00", "007",	      "18446744073709551616",
					   "1x", "12345678:", "" };
	u32 digits = 1 + roll(plain_file.odd ? 20 : 19);

	if (oddly()) {
		add("%s", pick(odd));
		return;
	}
	if (!roll(4)) {
		add("0");
		return;
	}
	add("%u", 1 + roll(9));
	while (--digits)
		add("%u", roll(10));
}

/* --- parts --------------------------------------------------------------------- */

static void addr4(void)
{
	static const char *const odd[] = {
		"10.1",	       "10/8",
		"010.0.0.1",   "0x7f.0.0.1",
		"1.2.3.256",   "1.2.3.4/33",
		"localhost",   "1.2.3.4/-1",
		"1.2.3.4/",    "/8",
		"any/0",       "::1",
		"1.2.3",       "1.2.3.4,5.6.7.8/30",
		"1.2.3.4.5",   "1.2.3.4/24/24",
		"1.2.3.4/024", "1.2.3.4/0x18",
		"1..2.3",      "loopback",
		"0",	       "1.2.3.4/255.0",
		"00.0.0.0",    "999.1.1.1",
		".1.2.3",      "1.2.3.",
		"1234.1.1.1",  "1.2.3.0004",
		"1.2.3.4x",    "1.2.3:4",
		"1.2.3.4/32x", "1.2.3.4/00",
	};

	if (oddly()) {
		add("%s", pick(odd));
		return;
	}
	add("%u.%u.%u.%u", roll(256), roll(256), roll(4) ? roll(256) : 0, roll(256));
	switch (roll(8)) {
	case 0: add("/%u.%u.%u.%u", roll(2) * 255, roll(256), roll(256), roll(2) * 255); break;
	case 1: add("/255.255.%u.0", 256 - (1u << roll(9))); break;
	case 2: break;
	default: add("/%u", roll(33));
	}
}

static void addr6(void)
{
	static const char *const odd[] = {
		"::ffff:1.2.3.4",
		"1::2::3",
		"12345::",
		"1:2:3:4:5:6:7",
		"1:2:3:4:5:6:7:8:9",
		"::/129",
		"ip6-localhost",
		":1",
		"1:",
		"1:2:3:4:5:6:7:8::",
		"::1,::2",
		"g::",
		"::/64/",
		"fe80::1%eth0",
		"1.2.3.4",
		"any/0",
		"::1/-1",
		"::1/0x40",
		":::",
		"1:2:3:4:5:6:7:8:",
	};
	static const char *const masks[] = { "ffff::", "ffff:ffff::ff", "::", "::1", "ff00::/8" };
	char text[INET6_ADDRSTRLEN];
	u16 group[8];
	u32 i, zero = roll(4) ? roll(9) : 9;

	if (oddly()) {
		add("%s", pick(odd));
		return;
	}
	for (i = 0; i < 8; i++)
		group[i] = (u16)(i >= zero || !roll(4) ? 0 : roll(65536) >> 4 * roll(4));
	if (roll(8))
		add("%s", inet_ntop(AF_INET6, group, text, sizeof(text)));
	else
		for (i = 0; i < 8; i++)
			add(i & 1 ? ":%04x" : i ? ":%X" : "%x", group[i]);
	if (!roll(8))
		add("/%s", masks[roll(plain_file.odd ? 5 : 4)]);
	else if (roll(4))
		add("/%u", roll(129));
}

static void address(void)
{
	if (plain_file.family == XT2_IPV4)
		addr4();
	else
		addr6();
}

static void iface(void)
{
	static const char *const names[] = {
		"eth0", "lo",	    "br-lan", "wlan0.12", "abcdefghijklmno", "eth+",
		"+",	"tun12345", "a",      "abcdefg",  "abcdefgh+"
	};
	static const char *const odd[] = { "a/b",   "abcdefghijklmnop", "\"eth0\"", "!", "-x", "",
					   "eth0+1" };

	add("%s", oddly() ? pick(odd) : pick(names));
}

static void number(u32 max)
{
	static const char *const odd[] = { "-1",  "08", "0x1f", "65536", "99999999999999999999",
					   "1e3", "",	"ssh",	"http",	 "256",
					   "1 2" };

	if (oddly())
		add("%s", pick(odd));
	else
		add("%u", roll(3) ? roll(max + 1) : roll(2) * max);
}

static void port(void)
{
	number(65535);
}

/* => true: the range is not empty */
static void ports(void)
{
	static const char *const odd[] = { ":", "5:3", "1:2:3", "1,2", "domain", "ssh:http", "5:5" };
	u32 first = roll(65536);

	if (oddly()) {
		add("%s", pick(odd));
		return;
	}
	switch (roll(5)) {
	case 0: add("%u:%u", first, first + roll(65536 - first)); break;
	case 1: add(":%u", first); break;
	case 2: add("%u:", first); break;
	default: port();
	}
}

static void list(const char *const *words, u32 n, u32 max)
{
	u32 i, count = 1 + roll(max);

	for (i = 0; i < count; i++)
		add("%s%s", i ? "," : "", words[roll(n)]);
	if (oddly())
		add("%s", roll(2) ? "," : ",,");
}

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
	u32 i, order = roll(2);

	for (i = 0; i < 2; i++) {
		if (roll(2))
			continue;
		add(" %s%s%s", not(),
		    (i ^ order) ? (roll(6) ? "--dport" : "--destination-port")
				: (roll(6) ? "--sport" : "--source-port"),
		    space());
		ports();
	}
	if (tcp && !roll(4)) {
		if (roll(2)) {
			add(" %s--syn", not());
		} else {
			add(" %s--tcp-flags%s", not(), space());
			list(flags, 7, 4);
			add("%s", space());
			if (roll(4))
				list(flags, 7, 3);
			else
				add("NONE");
		}
	}
	if (oddly())
		add(" %s", pick(odd));
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

	add(" %s--icmp%s-type%s", not(), plain_file.family == XT2_IPV6 ? "v6" : "", space());
	if (oddly())
		add("%s", pick(odd));
	else if (roll(2))
		add("%s", plain_file.family == XT2_IPV6 ? pick(six) : pick(four));
	else if (roll(2))
		add("%u", roll(256));
	else
		add("%u/%u", roll(256), roll(256));
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
	u32 i, n = 1 + roll(7), first;

	add(" -m multiport %s%s%s", not(), pick(names), space());
	if (oddly()) {
		add("%s", pick(odd));
		return;
	}
	for (i = 0; i < n; i++) {
		first = roll(65535);
		add(roll(4) ? "%s%u" : "%s%u:%u", i ? "," : "", first,
		    first + 1 + roll(65535 - first));
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

	add(" %s comment --comment%s", roll(4) ? "-m" : "--match", space());
	if (!oddly()) {
		add("%s", pick(texts));
		return;
	}
	if (roll(2)) {
		add("%s", pick(odd));
		return;
	}
	for (i = 250 + roll(8); i; i--)
		add("%c", 'a' + (char)roll(26));
}

static void states(bool alias)
{
	static const char *const names[] = { "NEW", "ESTABLISHED", "RELATED", "INVALID",
					     "UNTRACKED" };
	static const char *const odd[] = { "new", "NE",	   "SNAT", "DNAT,NEW", "NEW ESTABLISHED",
					   "",	  "BOGUS", ",NEW" };

	add(" -m %s %s--%s%s", alias ? "state" : "conntrack", not(), alias ? "state" : "ctstate",
	    space());
	if (oddly())
		add("%s", pick(odd));
	else
		list(names, 5, 3);
	if (!alias && oddly())
		add(" --ctstatus ASSURED");
}

static void mark(void)
{
	static const char *const odd[] = { "0x",  "0x1ffffffff", "4294967296", "1/", "010",
					   "0X1", "1/2/3",	 "-1",	       "x" };

	add(" -m mark %s--mark%s", not(), space());
	if (oddly())
		add("%s", pick(odd));
	else
		add(roll(2) ? (roll(2) ? "0x%x/0x%X" : "0x%x") : (roll(2) ? "%u/%u" : "%u"),
		    roll(0x7fffffff) >> roll(31), roll(0x7fffffff) * 2 + roll(2));
}

static void mac(void)
{
	static const char *const odd[] = { "0:1:2:3:4:5", "00:11:22:33:44", "00-11-22-33-44-55",
					   "00:11:22:33:44:55:66", "g0:11:22:33:44:55" };

	add(" -m mac %s--mac-source%s", not(), space());
	if (oddly())
		add("%s", pick(odd));
	else
		add(roll(2) ? "%02x:%02x:%02x:%02x:%02x:%02x" : "%02X:%02X:%02X:%02X:%02X:%02X",
		    roll(256), roll(256), roll(256), roll(256), roll(256), roll(256));
}

static void limit(void)
{
	static const char *const units[] = { "",	"/sec", "/min", "/hour", "/second",
					     "/minute", "/s",	"/m",	"/h" };
	static const char *const odd[] = { "1/day",	     "1000/d",	  "5/SEC",  "5/se",
					   "0/sec",	     "20000/sec", "5/",	    "x/sec",
					   "1000000000/day", "5/week",	  "05/min", "5 /sec" };

	add(" -m limit");
	if (roll(5)) {
		add(" --limit%s", space());
		if (oddly())
			add("%s", pick(odd));
		else
			add("%u%s", 1 + roll(10000), pick(units));
	}
	if (!roll(2)) {
		add(" --limit-burst%s", space());
		if (oddly())
			number(10001);
		else
			add("%u", 1 + roll(100));
	}
	if (oddly())
		add(" ! --limit 5/sec");
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

	add("%s", pick(others));
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

	if (oddly()) {
		add(" %s-p %s", not(), pick(odd));
		return false;
	}
	if (!roll(4)) {
		name = pick(others);
		add(" %s-p %s", name[0] == '0' || !strcmp(name, "all") ? "" : not(), name);
		return false;
	}
	add(" %s%s", roll(8) ? "-p" : "--protocol", space());
	add("%s", name);
	if (!strcmp(name, "tcp") || !strcmp(name, "udp")) {
		if (!roll(2))
			add(" -m %s", name);
		if (roll(3))
			tcp_udp(name[0] == 't');
	}
	return true;
}

static void icmp_rule(void)
{
	const bool six = plain_file.family == XT2_IPV6;

	add(" -p %s", six ? (roll(2) ? "icmpv6" : "ipv6-icmp") : "icmp");
	if (roll(2))
		add(" -m %s", six ? "icmp6" : "icmp");
	icmp();
}

/* Targets whose words differ from rule to rule. */
static void varied_target(void)
{
	static const char *const odd[] = {
		" --random", " --persistent", ":0", ":1-5",  " --log-tcp-options", "/0x1", " -x",
		":70000",    "-1.2.3.9",      "/",  "\"a b", " --log-level 3"
	};

	switch (roll(6)) {
	case 0:
	case 1: {
		const bool six = plain_file.family == XT2_IPV6, ports = roll(2);
		const bool brackets = six && (ports || !roll(8));

		add(" %s%s%s", roll(2) ? "-j DNAT --to-destination" : "-j SNAT --to-source",
		    space(), brackets ? "[" : "");
		if (six)
			add("2001:db8:%x::%x", roll(65536), roll(65536));
		else
			add("%u.%u.%u.%u", roll(256), roll(256), roll(256), roll(256));
		add("%s", brackets ? "]" : "");
		if (ports)
			add(":%u", roll(65537));
		break;
	}
	case 2:
	case 3:
		add(" -j LOG%s--log-prefix%s\"x%u: \\\"%s\"", space(), space(), roll(100000),
		    roll(4) ? "" : "and a lot more of it that is long");
		if (roll(2))
			add(" --log-level %u", roll(9));
		break;
	default:
		add(" -j MARK --set-%smark%s", roll(2) ? "x" : "", space());
		add(roll(2) ? "0x%x" : "%u", roll(0x7fffffff) >> roll(31));
		if (roll(2))
			add("/0x%x", roll(0x7fffffff) * 2 + roll(2));
	}
	if (oddly())
		add("%s", pick(odd));
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

	if (!roll(10))
		return;
	if (plain_file.odd && !roll(4))
		varied_target();
	else if (plain_file.odd && !roll(3))
		add(" %s %s", roll(9) ? "-j" : "--jump", pick(again_target));
	else if (oddly())
		add(" %s%s %s", not(), roll(2) ? "-j" : "-g", pick(odd));
	else if (roll(8))
		add(" %s%s%s", roll(8) ? "-j" : "--jump", space(), pick(targets));
	else
		add(" %s t%u", roll(4) ? "-g" : "--goto", 1 + roll(2));
}

static void match(bool has_ports)
{
	switch (roll(8)) {
	case 0: comment(); break;
	case 1: states(false); break;
	case 2: states(true); break;
	case 3: mark(); break;
	case 4: mac(); break;
	case 5: limit(); break;
	case 6:
		if (has_ports || oddly())
			multiport();
		break;
	case 7:
		if (oddly())
			other_match();
		break;
	}
}

static void base(const char *chain)
{
	if (roll(2)) {
		add(" %s%s%s", not(), roll(9) ? "-s" : roll(2) ? "--src" : "--source", space());
		address();
	}
	if (roll(2)) {
		add(" %s%s%s", not(),
		    roll(9)   ? "-d"
		    : roll(2) ? "--dst"
			      : "--destination",
		    space());
		address();
	}
	if (!roll(4) && (strcmp(chain, "OUTPUT") || oddly())) {
		add(" %s%s ", not(), roll(9) ? "-i" : "--in-interface");
		iface();
	}
	if (!roll(4) && (strcmp(chain, "INPUT") || oddly())) {
		add(" %s%s ", not(), roll(9) ? "-o" : "--out-interface");
		iface();
	}
	if (!roll(12) && (plain_file.family == XT2_IPV4 || oddly()))
		add(" %s%s", not(), roll(4) ? "-f" : "--fragments");
}

static void options(const char *chain)
{
	bool has_ports = false;
	u32 i;

	base(chain);
	if (!roll(8))
		icmp_rule();
	else if (roll(3))
		has_ports = protocol();
	for (i = roll(4); i; i--)
		match(has_ports);
	if (plain_file.odd && !roll(3))
		add(" -m %s", pick(again_match));
	if (oddly())
		match(has_ports);
	if (oddly())
		base(chain);
}

/* Change a byte, or exchange two words, of what has been added since. */
static void mutate(size_t from)
{
	static const char bytes[] = " \t!-\"\\0aA:/.,\r\001\377=";
	const size_t len = plain_file.len - from;
	char *text = plain_file.text + from, *a, *b;
	size_t at = roll((u32)len);

	switch (roll(4)) {
	case 0: text[at] = bytes[roll(sizeof(bytes))]; break;
	case 1:
		memmove(text + at, text + at + 1, len - at - 1);
		plain_file.len--;
		break;
	case 2: add("%.*s", (int)roll((u32)(len - at)), text + at); break;
	case 3:
		a = memchr(text + at, ' ', len - at);
		b = a ? memchr(a + 1, ' ', len - (size_t)(a + 1 - text)) : NULL;
		if (b) /* join two words */
			*(roll(2) ? a : b) = 'x';
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
	const bool counted = !roll(6);
	bool jumped = false;

	plain_file.odd = !roll(2);
	if (!plain_file.odd)
		plain_file.must_at[plain_file.must++] = from;
	plain_file.rules++;
	if (counted) {
		add("[");
		counter();
		add(":");
		counter();
		add("]%s", oddly() ? "" : " ");
	}
	if (oddly())
		add("%s", pick(odd));
	else
		add("%s%s%s", roll(9) ? "-A" : "--append", space(), chain);
	if (!roll(4)) {
		target();
		jumped = true;
	}
	options(chain);
	if (!jumped || oddly())
		target();
	if ((!counted || oddly()) && !roll(6)) {
		add(" %s ", roll(4) ? "-c" : "--set-counters");
		counter();
		add(roll(2) ? " " : ",");
		counter();
	}
	if (plain_file.odd && !roll(3))
		mutate(from);
	add("\n");
}

void plain_file_make(u64 seed)
{
	static const char *const tables[] = { "filter", "filter", "mangle", "nat", "raw" };
	const char *table;
	u32 i;

	state = seed * 0x9e3779b97f4a7c15ull + 1;
	for (i = 0; i < 2; i++) {
		again_match[i] = pick(all_matches);
		again_target[i] = pick(all_targets);
	}
	table = pick(tables);
	plain_file.len = plain_file.rules = plain_file.must = 0;
	plain_file.family = roll(2) ? XT2_IPV4 : XT2_IPV6;
	add("*%s\n:c1 - [0:0]\n:c2 - [0:0]\n:t1 - [0:0]\n:t2 - [0:0]\n:LOG - [0:0]\n", table);
	add(":a-name-of-28-bytes-xxxxxxxxx - [0:0]\n:b-name-of-28-bytes-xxxxxxxxx - [0:0]\n");
	if (strcmp(table, "filter"))
		add(":INPUT - [0:0]\n"); /* refused, where it is there; else like any other */
	plain_file.head = plain_file.len;
	for (i = 0; i < PLAIN_RULES; i++)
		rule();
	add("COMMIT\n");
	if (strcmp(table, "filter")) /* DROP is refused in nat, and not all have both hooks */
		plain_file.must = 0;
	plain_file.counters = roll(2);
}
