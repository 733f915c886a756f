/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * embed.c - a firewall inside a program
 *
 * Makes a ruleset with one rule, packs it, and asks about two packets:
 *
 *	cc embed.c $(pkg-config --cflags --libs xt2) && ./a.out
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <xt2/xt2.h>

/* -s 192.0.2.0/24 -j DROP */
static const struct {
	struct xt2_rule rule;
	struct xt2_match source;
} drop_net = {
	.rule = {
		.size = sizeof(drop_net),
		.target_offset = sizeof(drop_net),
		.target = XT2_TARGET(XT2_T_DROP, 0),
	},
	.source = {
		.type = XT2_M_SRC4,
		.flags = 32 - 24, /* see XT2_ADDR4_SHIFT */
		.size = sizeof(struct xt2_match),
		.arg = 0xc0000200,
	},
};

/* => 0; negative: see err */
static int make(struct xt2_mapping *map, struct xt2_err *err)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int table, ret = -1;

	if (!rs)
		return ret;
	table = xt2_table_add(rs, XT2_IPV4, "filter", NULL);
	if (table >= 0)
		ret = xt2_rule_append(rs, xt2_chain_base(rs, table, XT2_INPUT), &drop_net.rule, 0);
	if (!ret)
		ret = xt2_ruleset_write(rs, map, err);
	xt2_ruleset_free(rs);
	return ret;
}

static void ask(struct xt2_evaluator *ev, const char *source)
{
	__u8 bytes[20] = { 0x45, 0, 0, 20, 0, 0, 0, 0, 64, 17 };
	struct xt2_pkt pkt = { .data = bytes, .caplen = sizeof(bytes), .len = sizeof(bytes) };
	struct xt2_result result;

	inet_pton(AF_INET, source, bytes + 12);
	if (xt2_pkt_parse(&pkt, XT2_IPV4))
		return;
	xt2_evaluate(ev, XT2_INPUT, NULL, &pkt, 0, 1, &result);
	printf("%s: %s by %s %s %u\n", source, xt2_verdict_name(result.verdict), result.table,
	       result.chain, result.rule);
}

int main(void)
{
	struct xt2_err err = { .message = "no memory" };
	struct xt2_evaluator *ev = NULL;
	struct xt2_mapping map;

	if (make(&map, &err)) {
		xt2_err_print(&err, stderr);
		return 1;
	}
	ev = xt2_evaluator_new(map.image, map.size);
	if (ev) {
		ask(ev, "192.0.2.9");
		ask(ev, "198.51.100.1");
	}
	xt2_evaluator_free(ev);
	xt2_image_close(&map);
	return !ev;
}
