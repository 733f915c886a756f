/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-state.c - xt2 state: what matches remember
 *
 * Lists of recent and buckets of hashlimit as the kernel shows them in /proc/net/xt_recent and
 * /proc/net/ipt_hashlimit, each once, under its name; but times are seconds since 1970, since
 * the kernel's count from a start that nobody knows.  Then the cells of single rules.
 */
#include "extensions/state/hashlimit.h"
#include "extensions/state/limit.h"
#include "extensions/state/recent.h"
#include "libxt2/ruleset/ruleset.h"
#include "cmd.h"

#include <arpa/inet.h>

#define TICKS	250u /* a second */
#define SECOND	1000000000ull
#define IN_USE	0x80000000u
#define STRIDE4 (XT2_BUCKET_KEY + 3u)
#define STRIDE6 (XT2_BUCKET_KEY + 9u)

struct showing {
	struct xt2_input in;
	bool shown[XT2_MEMORIES_MAX];
};

static void print_tick(__u64 tick)
{
	printf("%llu.%03llu", tick / TICKS, tick % TICKS * (1000 / TICKS));
}

/* All groups of an IPv6 address, as the kernel writes it there. */
static void print_addr6(const __u8 *addr)
{
	int i;

	for (i = 0; i < 16; i += 2)
		printf("%s%02x%02x", i ? ":" : "", addr[i], addr[i + 1]);
}

/* --- recent --------------------------------------------------------------- */

static void print_address(const __u64 *cell, __u32 i)
{
	const __u64 *key = cell + xt2_recent_key_at(i);
	const __u32 head = (__u32)cell[xt2_recent_head_at(i)];
	__u32 words[4], place = XT2_RECENT_HEAD_PLACE(head), n;

	for (n = 0; n < 4; n++)
		words[n] = (__u32)key[n];
	printf("src=");
	if (head & XT2_RECENT_HEAD_IPV6)
		print_addr6((__u8 *)words);
	else
		printf("%u.%u.%u.%u", words[0] & 0xff, words[0] >> 8 & 0xff, words[0] >> 16 & 0xff,
		       words[0] >> 24);
	printf(" ttl: %u last_seen: ", XT2_RECENT_HEAD_TTL(head));
	print_tick(cell[xt2_recent_time_at(i, place - 1)]);
	printf(" oldest_pkt: %u", place);
	for (n = 0; n < XT2_RECENT_HEAD_TIMES(head) && n < XT2_RECENT_STAMPS; n++) {
		printf("%s ", n ? "," : "");
		print_tick(cell[xt2_recent_time_at(i, n)]);
	}
	putchar('\n');
}

static void print_list(const struct xt2_match_recent *k, const __u64 *cell)
{
	__u32 i;

	printf("recent ");
	xt2_print_shown(stdout, k->name);
	putchar('\n');
	for (i = 0; i < XT2_RECENT_ADDRESSES; i++)
		if (cell[xt2_recent_head_at(i)] & XT2_RECENT_HEAD_USED)
			print_address(cell, i);
}

/* --- hashlimit ------------------------------------------------------------ */

static void print_end(const __u64 *key, bool ip6, __u32 port)
{
	__u32 words[4], i;

	for (i = 0; i < 4; i++)
		words[i] = htonl((__u32)key[ip6 ? i : 0]);
	if (ip6)
		print_addr6((__u8 *)words);
	else
		printf("%u.%u.%u.%u", (__u32)*key >> 24, (__u32)*key >> 16 & 0xff,
		       (__u32)*key >> 8 & 0xff, (__u32)*key & 0xff);
	printf(":%u", port);
}

/* @config: cells, the first of which is 1 */
static void print_bucket(const __u64 *bucket, const __u64 *config, bool ip6, __u64 now)
{
	const __u64 *key = bucket + XT2_BUCKET_KEY;
	const __u32 mode = (__u32)config[XT2_HASHLIMIT_MODE], ports = (__u32)key[ip6 ? 8 : 2];
	const __u32 revision = (__u32)(config[XT2_HASHLIMIT_MODE] >> 32);
	const __u64 end =
		bucket[XT2_BUCKET_TICK] + (__u32)config[XT2_HASHLIMIT_EXPIRE] / (1000 / TICKS);
	const __u64 avg = config[XT2_HASHLIMIT_AVG], burst = config[XT2_HASHLIMIT_BURST];
	const bool bytes = mode & XT2_HASHLIMIT_BYTES;

	printf("%lld ", (long long)(end - now) / (long long)TICKS);
	print_end(key, ip6, ports >> 16);
	printf("->");
	print_end(key + (ip6 ? 4 : 1), ip6, ports & 0xffff);
	printf(" %llu %llu %llu\n", (__u32)bucket[XT2_BUCKET_LOW] | bucket[XT2_BUCKET_HIGH] << 32,
	       bytes ? (__u64)(__u32)bucket[XT2_BUCKET_BURST]
		     : xt2_hashlimit_credits(avg * burst, revision),
	       bytes ? xt2_hashlimit_credits_b((__u32)avg) : xt2_hashlimit_credits(avg, revision));
}

static void print_buckets(const struct xt2_match_hashlimit *k, int family, const __u64 *cell)
{
	const bool ip6 = family == XT2_IPV6;
	const __u32 stride = ip6 ? STRIDE6 : STRIDE4;
	const __u32 n = (ip6 ? XT2_HASHLIMIT_SETS6 : XT2_HASHLIMIT_SETS4) * XT2_HASHLIMIT_SET;
	const __u64 *bucket = cell + XT2_MEMORY_DATA;
	const __u64 now = xt2_clock_ns(CLOCK_REALTIME) / (SECOND / TICKS);
	__u32 i;

	printf("hashlimit %s ", xt2_family_name(family));
	xt2_print_shown(stdout, k->name);
	putchar('\n');
	for (i = 0; i < n; i++, bucket += stride)
		if (*bucket & IN_USE)
			print_bucket(bucket, cell + XT2_MEMORY_CONFIG, ip6, now);
}

/* --- rules ------------------------------------------------------------------ */

static void print_cell(const struct xt2_match *m, __u64 cell)
{
	const struct xt2_match_limit *limit = (const struct xt2_match_limit *)m;
	const struct xt2_match_quota *quota = (const struct xt2_match_quota *)m;
	const __u32 cost = m->type == XT2_M_LIMIT ? xt2_limit_credits(limit->avg) : 0;

	if (m->type == XT2_M_LIMIT && !(cell >> 63))
		printf("limit: no packet yet\n");
	else if (m->type == XT2_M_LIMIT)
		printf("limit: %u of %u packets left\n", cost ? (__u32)cell / cost : 0,
		       limit->burst);
	else if (m->type == XT2_M_QUOTA)
		printf("quota: %llu of %llu bytes spent\n", cell, (__u64)quota->quota);
	else
		printf("statistic: count %u\n", (__u32)cell);
}

static void print_rule(const struct xt2_ruleset *rs, int chain, unsigned int at,
		       const struct xt2_match *m)
{
	int table = xt2_chain_table(rs, chain);

	printf("%s ", xt2_family_name(xt2_table_family(rs, table)));
	xt2_print_shown(stdout, xt2_table_name(rs, table));
	putchar(' ');
	xt2_print_shown(stdout, xt2_chain_name(rs, chain));
	printf(" %u ", at + 1);
	print_cell(m, rs->cell[m->arg]);
}

static void show_match(struct showing *s, int chain, unsigned int at, const struct xt2_match *m,
		       bool memories)
{
	const struct xt2_ruleset *rs = s->in.rs;
	const __u32 info = xt2_match_info(m->type), number = m->arg / XT2_MEMORY_CELLS;
	const int family = xt2_table_family(rs, xt2_chain_table(rs, chain));

	if (!(info & XT2_EXT_CELL) || !!(info & XT2_EXT_MEMORY) != memories)
		return;
	if (!memories) {
		print_rule(rs, chain, at, m);
		return;
	}
	if (s->shown[number])
		return;
	s->shown[number] = true;
	if (m->type == XT2_M_RECENT)
		print_list((const struct xt2_match_recent *)m, rs->cell + m->arg);
	else
		print_buckets((const struct xt2_match_hashlimit *)m, family, rs->cell + m->arg);
}

static void show(struct showing *s, bool memories)
{
	const struct xt2_ruleset *rs = s->in.rs;
	int table, chain, tables = xt2_ruleset_tables(rs);
	const struct xt2_match *m;
	unsigned int i;

	for (table = 0; table < tables; table++)
		xt2_table_for_each_chain(chain, rs, table)
			for (i = 0; i < xt2_chain_rules(rs, chain); i++)
				xt2_rule_for_each_match(m, xt2_rule_get(rs, chain, i))
					show_match(s, chain, i, m, memories);
}

static const char help[] =
	"Usage: xt2 state FILE | [--live]\n\n"
	"Prints what matches remember: for each name of recent and hashlimit a line, and a line\n"
	"for each address as the kernel has it in /proc/net/xt_recent and ipt_hashlimit, but with\n"
	"seconds since 1970; then a line for each rule with limit, quota or statistic.\n"
	"FILE is an image.\n\n" XT2_INPUT_HELP
	"      --resolve          host names in the rules may be looked up\n\n"
	"Exit codes: 0 ok, 1 there is no live ruleset, 2 the file is wrong,\n"
	"3 not possible here or not permitted, 4 out of a resource.\n";

static const struct xt2_option rows[] = {
	XT2_INPUT_ROWS(struct showing, in),
	XT2_ROWS_END,
};

int xt2_state_main(int argc, char **argv)
{
	static struct showing s;
	int ret = xt2_options("state", help, rows, &s, argc, argv);

	if (ret >= 0)
		return ret;
	if (!argv[optind])
		s.in.live = true;
	s.in.image = true;
	if (xt2_input_path(&s.in, "state", argv + optind))
		return XT2_EXIT_USAGE;
	xt2_input_sandbox(&s.in);
	ret = xt2_input_open(&s.in);
	if (ret != XT2_EXIT_OK)
		return ret;
	show(&s, true);
	show(&s, false);
	xt2_input_close(&s.in);
	return XT2_EXIT_OK;
}
