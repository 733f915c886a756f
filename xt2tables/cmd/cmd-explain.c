/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-explain.c - xt2 explain: what happens to a packet, and why
 *
 * Shows the rules in the order in which they are tried, the first condition
 * that failed in each, and the rule that decided.
 */
#include "explain.h"

static const char help[] =
	"Usage: xt2 explain {RULES | --live} [-4|-6|--arp] --hook HOOK PACKET [OPTIONS]\n\n"
	"Shows which rules a packet meets, the first condition that fails in each, and the\n"
	"rule that decides.  RULES is iptables-save text or an image.\n\n"
	"  -H, --hook HOOK        PREROUTING, INPUT, FORWARD, OUTPUT, POSTROUTING\n"
	"  -t, --table T          only this table\n"
	"      --why-not CHAIN:N  why did this rule not decide?\n"
	"  -b, --brief            only the rules that match\n"
	"      --json             JSON\n" XT2_INPUT_HELP
	"      --resolve          host names in the rules may be looked up\n\n"
	"PACKET is one of:\n"
	"  -s ADDR -d ADDR -p PROTO --sport N --dport N --tcp-flags F,F --icmp-type T[/C]\n"
	"  --length N --ttl N --tos N --fragment --mac-source M --mac-destination M\n"
	"  --arp-op request|reply\n"
	"                         a plain packet; what is not given has a default\n"
	"  --capture FILE --number N\n"
	"                         the N-th packet of a capture\n"
	"  --hex BYTES            from the network header on\n\n"
	"What only a host knows:\n" XT2_HOST_HELP;

#define PACKET(name, letter, field) XT2_WORD(name, letter, struct xt2_explain, spec.field)
#define ICMP_TYPE		    0x1001 /* two names of one option */

static const struct xt2_option rows[] = {
	XT2_FAMILY_ROWS(struct xt2_explain, in.family),
	XT2_WORD("hook", 'H', struct xt2_explain, hook),
	XT2_WORD("table", 't', struct xt2_explain, table),
	XT2_WORD("why-not", 0, struct xt2_explain, why.text),
	XT2_FLAG("brief", 'b', struct xt2_explain, brief),
	XT2_FLAG("json", 0, struct xt2_explain, json),
	PACKET("source", 's', source),
	PACKET("destination", 'd', destination),
	PACKET("protocol", 'p', protocol),
	PACKET("sport", 0, sport),
	PACKET("dport", 0, dport),
	PACKET("tcp-flags", 0, tcp_flags),
	PACKET("icmp-type", ICMP_TYPE, icmp_type),
	PACKET("icmpv6-type", ICMP_TYPE, icmp_type),
	PACKET("length", 0, length),
	PACKET("ttl", 0, ttl),
	PACKET("tos", 0, tos),
	XT2_FLAG("fragment", 0, struct xt2_explain, spec.fragment),
	PACKET("mac-source", 0, mac_source),
	PACKET("mac-destination", 0, mac_destination),
	PACKET("arp-op", 0, arp_op),
	PACKET("capture", 0, capture),
	XT2_WORD("number", 0, struct xt2_explain, number),
	PACKET("hex", 0, hex),
	XT2_HOST_ROWS(struct xt2_explain, host),
	XT2_INPUT_ROWS(struct xt2_explain, in),
	XT2_ROWS_END,
};

/* A packet is given in one way.  => -1: go on; XT2_EXIT_USAGE */
static int packet_given(struct xt2_explain *e)
{
	struct xt2_packet_spec *s = &e->spec;
	const bool fields = s->source || s->destination || s->protocol || s->sport || s->dport ||
			    s->tcp_flags || s->icmp_type || s->length || s->ttl || s->tos ||
			    s->fragment || s->mac_source || s->mac_destination || s->arp_op;
	unsigned long long number = 1;

	if (!!s->capture + !!s->hex + fields > 1)
		return xt2_usage("explain",
				 "the packet is given by --capture, by --hex, or by its fields");
	if (e->number && !s->capture)
		return xt2_usage("explain", "--number is for packets of a --capture");
	if (e->number && (!xt2_number(e->number, 10, &number) || !number))
		return xt2_usage("explain", "--number: bad number '%s'", e->number);
	s->number = number;
	/* rules without -4 and -6 are of the family of the address */
	if (!e->in.family && ((s->source && strchr(s->source, ':')) ||
			      (s->destination && strchr(s->destination, ':'))))
		e->in.family = XT2_IPV6;
	s->family = e->in.family ? e->in.family : XT2_IPV4;
	return -1;
}

/* => -1: go on; XT2_EXIT_* */
static int arguments(struct xt2_explain *e, int argc, char **argv)
{
	int ret = xt2_options("explain", help, rows, e, argc, argv);

	if (ret >= 0)
		return ret;
	if (xt2_input_path(&e->in, "explain", argv + optind))
		return XT2_EXIT_USAGE;
	if (!e->hook)
		return xt2_usage("explain", "which hook? Give --hook, such as --hook INPUT");
	if (xt2_input_and_capture(&e->in, e->spec.capture))
		return XT2_EXIT_USAGE;
	return packet_given(e);
}

int xt2_explain_main(int argc, char **argv)
{
	static struct xt2_explain e;
	int ret;

	xt2_host_init(&e.host);
	ret = arguments(&e, argc, argv);
	if (ret >= 0)
		return ret;
	xt2_input_sandbox(&e.in);
	ret = xt2_input_open(&e.in);
	if (ret == XT2_EXIT_OK && e.in.family)
		ret = xt2_input_reload(&e.in); /* numbers of the image, for cells */
	if (ret != XT2_EXIT_OK)
		return ret;
	if (!e.in.family && e.spec.capture)
		e.spec.family = 0; /* an image has all families */
	ret = xt2_explain_run(&e);
	if (ret < XT2_EXIT_USAGE && e.incomplete)
		ret = xt2_no_memory("explain");
	free(e.changes);
	xt2_input_close(&e.in);
	return ret;
}
