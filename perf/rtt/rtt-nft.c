/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rtt-nft - the benchmarks' IPv6 rulesets in nf_tables, every rule with a counter
 *
 * Reads what perf/gen/xt2-gen makes: iptables-save text whose rules have addresses
 * and a verdict or a chain to jump to, nothing else; any other word is refused.
 * A rule becomes what nft(8) makes of "ip6 saddr ... ip6 daddr ... counter":
 * per address a load and a comparison, as many bytes as the prefix has.
 *
 *	rtt-nft load < RULES	into the table "rtt" of this network namespace
 *	rtt-nft dump		"[packets:bytes] -A CHAIN" for each rule
 *
 * Rules go to the kernel in batches that are each a transaction.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <libnftnl/chain.h>
#include <libnftnl/common.h>
#include <libnftnl/expr.h>
#include <libnftnl/rule.h>
#include <libnftnl/table.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define TABLE	"rtt"
#define BATCH	(16u << 20) /* bytes of a transaction */
#define MESSAGE 4096 /* at most, of one message */
#define REPLY	(1u << 16)

struct nft {
	struct mnl_socket *nl;
	char *batch;
	size_t used;
	struct nlmsghdr *last; /* of the messages in the batch */
	uint32_t seq;
	unsigned long line;
};

static void die(const char *what)
{
	fprintf(stderr, "rtt-nft: %s: %s\n", what, strerror(errno));
	exit(4);
}

static void refuse(const struct nft *t, const char *what, const char *word)
{
	fprintf(stderr, "rtt-nft: line %lu: %s: '%s'\n", t->line, what, word);
	exit(2);
}

static void *must(void *p)
{
	if (!p) {
		errno = ENOMEM;
		die("memory");
	}
	return p;
}

/* --- transactions ---------------------------------------------------------------- */

static struct nlmsghdr *begin_message(struct nft *t, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *h = nftnl_nlmsg_build_hdr(t->batch + t->used, type, NFPROTO_IPV6,
						   NLM_F_CREATE | flags, ++t->seq);

	t->last = h;
	return h;
}

static void begin(struct nft *t)
{
	struct nlmsghdr *h = nftnl_batch_begin(t->batch, ++t->seq);

	t->used = h->nlmsg_len;
	t->last = NULL;
}

/* Send what there is, as one transaction, and wait for the kernel's word. */
static void commit(struct nft *t)
{
	char buf[REPLY];
	uint32_t last;
	ssize_t n;

	if (!t->last)
		return;
	t->last->nlmsg_flags |= NLM_F_ACK;
	last = t->last->nlmsg_seq;
	t->used += nftnl_batch_end(t->batch + t->used, ++t->seq)->nlmsg_len;
	if (mnl_socket_sendto(t->nl, t->batch, t->used) < 0)
		die("send");
	do {
		const struct nlmsghdr *h = (const struct nlmsghdr *)buf;
		const struct nlmsgerr *e;
		int left;

		n = mnl_socket_recvfrom(t->nl, buf, sizeof(buf));
		if (n < 0)
			die("receive");
		for (left = (int)n; mnl_nlmsg_ok(h, left); h = mnl_nlmsg_next(h, &left)) {
			if (h->nlmsg_type != NLMSG_ERROR)
				continue;
			e = mnl_nlmsg_get_payload(h);
			errno = -e->error;
			if (errno)
				die("the kernel refuses the ruleset");
			if (h->nlmsg_seq == last)
				last = 0;
		}
	} while (last);
	begin(t);
}

static void end_message(struct nft *t)
{
	t->used += MNL_ALIGN(t->last->nlmsg_len);
	if (t->used > BATCH - 2 * MESSAGE)
		commit(t);
}

static void add_table(struct nft *t)
{
	struct nftnl_table *table = must(nftnl_table_alloc());

	nftnl_table_set_str(table, NFTNL_TABLE_NAME, TABLE);
	nftnl_table_set_u32(table, NFTNL_TABLE_FAMILY, NFPROTO_IPV6);
	nftnl_table_nlmsg_build_payload(begin_message(t, NFT_MSG_NEWTABLE, NLM_F_EXCL), table);
	end_message(t);
	nftnl_table_free(table);
}

/* --- the text -------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t number;
} hooks[] = { { "INPUT", NF_INET_LOCAL_IN },
	      { "FORWARD", NF_INET_FORWARD },
	      { "OUTPUT", NF_INET_LOCAL_OUT } },
  verdicts[] = { { "ACCEPT", NF_ACCEPT }, { "DROP", NF_DROP }, { "RETURN", NFT_RETURN } };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ":CHAIN POLICY [packets:bytes]" */
static void add_chain(struct nft *t, char *text)
{
	const char *name = strtok(text, " "), *policy = strtok(NULL, " ");
	struct nftnl_chain *chain = must(nftnl_chain_alloc());
	size_t i;

	if (!name || !policy)
		refuse(t, "no chain and policy", text);
	nftnl_chain_set_str(chain, NFTNL_CHAIN_TABLE, TABLE);
	nftnl_chain_set_str(chain, NFTNL_CHAIN_NAME, name);
	for (i = 0; i < COUNT(hooks); i++) {
		if (strcmp(hooks[i].name, name))
			continue;
		nftnl_chain_set_str(chain, NFTNL_CHAIN_TYPE, "filter");
		nftnl_chain_set_u32(chain, NFTNL_CHAIN_HOOKNUM, hooks[i].number);
		nftnl_chain_set_s32(chain, NFTNL_CHAIN_PRIO, 0);
		nftnl_chain_set_u32(chain, NFTNL_CHAIN_POLICY,
				    strcmp(policy, "DROP") ? NF_ACCEPT : NF_DROP);
	}
	nftnl_chain_nlmsg_build_payload(begin_message(t, NFT_MSG_NEWCHAIN, NLM_F_EXCL), chain);
	end_message(t);
	nftnl_chain_free(chain);
}

static struct nftnl_expr *add_expr(struct nftnl_rule *rule, const char *name)
{
	struct nftnl_expr *e = must(nftnl_expr_alloc(name));

	nftnl_rule_add_expr(rule, e);
	return e;
}

/* load, mask if the prefix does not end with a byte, compare */
static void add_address(struct nftnl_rule *rule, uint32_t offset, const struct in6_addr *a,
			unsigned int prefix)
{
	static const uint8_t zero[16];
	uint32_t bytes = (prefix + 7) / 8;
	struct nftnl_expr *e;
	uint8_t mask[16];

	if (!bytes)
		return;
	e = add_expr(rule, "payload");
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_BASE, NFT_PAYLOAD_NETWORK_HEADER);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_OFFSET, offset);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_LEN, bytes);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_DREG, NFT_REG_1);
	if (prefix % 8) {
		memset(mask, 0xff, sizeof(mask));
		mask[bytes - 1] = (uint8_t)(0xff00 >> prefix % 8);
		e = add_expr(rule, "bitwise");
		nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_SREG, NFT_REG_1);
		nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_DREG, NFT_REG_1);
		nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_LEN, bytes);
		nftnl_expr_set(e, NFTNL_EXPR_BITWISE_MASK, mask, bytes);
		nftnl_expr_set(e, NFTNL_EXPR_BITWISE_XOR, zero, bytes);
	}
	e = add_expr(rule, "cmp");
	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_OP, NFT_CMP_EQ);
	nftnl_expr_set(e, NFTNL_EXPR_CMP_DATA, a->s6_addr, bytes);
}

static void parse_address(const struct nft *t, struct nftnl_rule *rule, uint32_t offset, char *text)
{
	char *slash = strchr(text, '/'), *end = "";
	unsigned long prefix = 128;
	struct in6_addr a;

	if (slash) {
		*slash = '\0';
		prefix = strtoul(slash + 1, &end, 10);
	}
	if (*end || prefix > 128 || inet_pton(AF_INET6, text, &a) != 1)
		refuse(t, "not an address", text);
	add_address(rule, offset, &a, (unsigned int)prefix);
}

static void add_verdict(struct nftnl_rule *rule, const char *name)
{
	struct nftnl_expr *e = add_expr(rule, "immediate");
	uint32_t verdict = (uint32_t)NFT_JUMP;
	size_t i;

	for (i = 0; i < COUNT(verdicts); i++)
		if (!strcmp(verdicts[i].name, name))
			verdict = verdicts[i].number;
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DREG, NFT_REG_VERDICT);
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_VERDICT, verdict);
	if (verdict == (uint32_t)NFT_JUMP)
		nftnl_expr_set_str(e, NFTNL_EXPR_IMM_CHAIN, name);
}

/* "-A CHAIN [-s ADDRESS] [-d ADDRESS] [-j NAME]" */
static void add_rule(struct nft *t, char *text)
{
	struct nftnl_rule *rule = must(nftnl_rule_alloc());
	const char *option, *target = NULL;
	char *word;

	nftnl_rule_set_u32(rule, NFTNL_RULE_FAMILY, NFPROTO_IPV6);
	nftnl_rule_set_str(rule, NFTNL_RULE_TABLE, TABLE);
	for (option = strtok(text, " "); option; option = strtok(NULL, " ")) {
		word = strtok(NULL, " ");
		if (!word)
			refuse(t, "a word is missing behind", option);
		if (!strcmp(option, "-A"))
			nftnl_rule_set_str(rule, NFTNL_RULE_CHAIN, word);
		else if (!strcmp(option, "-s"))
			parse_address(t, rule, 8, word);
		else if (!strcmp(option, "-d"))
			parse_address(t, rule, 24, word);
		else if (!strcmp(option, "-j"))
			target = word;
		else
			refuse(t, "not for this benchmark", option);
	}
	add_expr(rule, "counter");
	if (target)
		add_verdict(rule, target);
	nftnl_rule_nlmsg_build_payload(begin_message(t, NFT_MSG_NEWRULE, NLM_F_APPEND), rule);
	end_message(t);
	nftnl_rule_free(rule);
}

static void load(struct nft *t)
{
	char line[1024];
	int done = 0;

	t->batch = must(malloc(BATCH));
	begin(t);
	add_table(t);
	while (fgets(line, sizeof(line), stdin)) {
		t->line++;
		line[strcspn(line, "\n")] = '\0';
		if (done)
			refuse(t, "more behind COMMIT", line);
		if (line[0] == ':')
			add_chain(t, line + 1);
		else if (!strncmp(line, "-A ", 3))
			add_rule(t, line);
		else if (!strcmp(line, "COMMIT"))
			done = 1;
		else if (strcmp(line, "*filter"))
			refuse(t, "not for this benchmark", line);
	}
	if (!done)
		refuse(t, "no COMMIT", "");
	commit(t);
}

/* --- counters -------------------------------------------------------------------- */

struct names {
	char **list;
	size_t count;
};

/* Let the kernel answer a request, which is ready in buf, to the end. */
static void ask(struct nft *t, char *buf, mnl_cb_t answer, void *data)
{
	struct nlmsghdr *h = (struct nlmsghdr *)buf;
	uint32_t seq = h->nlmsg_seq;
	ssize_t n;
	int ret;

	if (mnl_socket_sendto(t->nl, h, h->nlmsg_len) < 0)
		die("send");
	do {
		n = mnl_socket_recvfrom(t->nl, buf, REPLY);
		if (n < 0)
			die("receive");
		ret = mnl_cb_run(buf, (size_t)n, seq, mnl_socket_get_portid(t->nl), answer, data);
		if (ret < 0)
			die("list");
	} while (ret > 0);
}

static int chain_name(const struct nlmsghdr *h, void *data)
{
	struct nftnl_chain *chain = must(nftnl_chain_alloc());
	struct names *names = data;

	if (nftnl_chain_nlmsg_parse(h, chain) < 0)
		die("chain");
	if (!strcmp(nftnl_chain_get_str(chain, NFTNL_CHAIN_TABLE), TABLE)) {
		if (!(names->count & (names->count - 1)))
			names->list =
				must(realloc(names->list, (names->count ? 2 * names->count : 1) *
								  sizeof(*names->list)));
		names->list[names->count++] =
			must(strdup(nftnl_chain_get_str(chain, NFTNL_CHAIN_NAME)));
	}
	nftnl_chain_free(chain);
	return MNL_CB_OK;
}

static int counter(struct nftnl_expr *e, void *data)
{
	if (strcmp(nftnl_expr_get_str(e, NFTNL_EXPR_NAME), "counter"))
		return 0;
	printf("[%llu:%llu] -A %s\n",
	       (unsigned long long)nftnl_expr_get_u64(e, NFTNL_EXPR_CTR_PACKETS),
	       (unsigned long long)nftnl_expr_get_u64(e, NFTNL_EXPR_CTR_BYTES), (const char *)data);
	return 0;
}

static int rule_counter(const struct nlmsghdr *h, void *data)
{
	struct nftnl_rule *rule = must(nftnl_rule_alloc());

	if (nftnl_rule_nlmsg_parse(h, rule) < 0)
		die("rule");
	nftnl_expr_foreach(rule, counter, data);
	nftnl_rule_free(rule);
	return MNL_CB_OK;
}

static void dump(struct nft *t)
{
	char buf[REPLY];
	struct names names = { 0 };
	size_t i;

	nftnl_nlmsg_build_hdr(buf, NFT_MSG_GETCHAIN, NFPROTO_IPV6, NLM_F_DUMP, ++t->seq);
	ask(t, buf, chain_name, &names);
	for (i = 0; i < names.count; i++) {
		struct nftnl_rule *rule = must(nftnl_rule_alloc());
		struct nlmsghdr *h = nftnl_nlmsg_build_hdr(buf, NFT_MSG_GETRULE, NFPROTO_IPV6,
							   NLM_F_DUMP, ++t->seq);

		nftnl_rule_set_str(rule, NFTNL_RULE_TABLE, TABLE);
		nftnl_rule_set_str(rule, NFTNL_RULE_CHAIN, names.list[i]);
		nftnl_rule_nlmsg_build_payload(h, rule);
		nftnl_rule_free(rule);
		ask(t, buf, rule_counter, names.list[i]);
		free(names.list[i]);
	}
	free(names.list);
}

int main(int argc, char **argv)
{
	struct nft t = { 0 };
	int room = 2 * BATCH;

	if (argc != 2 || (strcmp(argv[1], "load") && strcmp(argv[1], "dump"))) {
		fputs("usage: rtt-nft load < RULES\n       rtt-nft dump\n", stderr);
		return argc == 2 && !strcmp(argv[1], "--help") ? 0 : 2;
	}
	t.nl = mnl_socket_open(NETLINK_NETFILTER);
	if (!t.nl || mnl_socket_bind(t.nl, 0, MNL_SOCKET_AUTOPID) < 0)
		die("netlink");
	if (setsockopt(mnl_socket_get_fd(t.nl), SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)))
		die("send buffer");
	if (!strcmp(argv[1], "load"))
		load(&t);
	else
		dump(&t);
	if (fflush(stdout))
		die("write");
	free(t.batch);
	mnl_socket_close(t.nl);
	return 0;
}
