/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bridge-parse.c - rules of ebtables out of text
 *
 * Options of all extensions are known from the start, as ebtables has them: no
 * -m names a match.  An extension comes into being with its first option, and
 * matches stand in a rule in the order in which they were first named.  "!" is
 * a word of its own, before an option or after it.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <xt2/sockopt.h>
#include "bridge.h"
#include "xt2tables/text/commands.h"

#define PAYLOAD_MAX 0x10000
#define RANGE	    256 /* numbers of one extension's options; 0 is the base options' */

enum source { MATCH, WATCHER, TARGET, OWN_LIMIT, OWN_AMONG };

/* In the order in which ebtables tries them; check_length() knows the first. */
static const struct extension {
	const char *name;
	enum source source;
} extensions[] = {
	{ "802_3", MATCH },	{ "arp", MATCH },	{ "ip", MATCH },
	{ "ip6", MATCH },	{ "mark_m", MATCH },	{ "limit", OWN_LIMIT },
	{ "pkttype", MATCH },	{ "vlan", MATCH },	{ "stp", MATCH },
	{ "among", OWN_AMONG }, { "log", WATCHER },	{ "nflog", WATCHER },
	{ "mark", TARGET },	{ "dnat", TARGET },	{ "snat", TARGET },
	{ "arpreply", TARGET }, { "redirect", TARGET },
};

#define EXTENSIONS XT2_ARRAY_SIZE(extensions)

static const struct option base_options[] = {
	{ "append", 1, NULL, 'A' },	  { "protocol", 1, NULL, 'p' },
	{ "proto", 1, NULL, 'p' },	  { "source", 1, NULL, 's' },
	{ "src", 1, NULL, 's' },	  { "destination", 1, NULL, 'd' },
	{ "dst", 1, NULL, 'd' },	  { "in-interface", 1, NULL, 'i' },
	{ "in-if", 1, NULL, 'i' },	  { "out-interface", 1, NULL, 'o' },
	{ "out-if", 1, NULL, 'o' },	  { "logical-in", 1, NULL, 2 },
	{ "logical-out", 1, NULL, 3 },	  { "jump", 1, NULL, 'j' },
	{ "set-counters", 1, NULL, 'c' }, { NULL, 0, NULL, 0 },
};

/* A rule being read; what it owns is released by line_free(). */
static struct line {
	struct xt2_load *load;
	struct ebt_entry e;
	const char *chain, *jump;
	int hook; /* of the chain, -1: a user chain */
	bool given[128]; /* base options */
	__u64 packets, bytes;
	unsigned int used[EXTENSIONS]; /* 0: not; else place in the order of the line */
	unsigned int order;
	unsigned int flags[EXTENSIONS];
	union { /* their headers are alike */
		struct xt_entry_match *match;
		struct xt_entry_target *target;
	} entry[EXTENSIONS];
	struct xt2_bridge_own own;
	__u64 rule[2 * XT2_RULE_MAX / 8];
} line;

static void line_free(void)
{
	size_t i;

	for (i = 0; i < EXTENSIONS; i++)
		free(line.entry[i].match);
	xt2_bridge_own_free(&line.own);
	memset(&line, 0, sizeof(line));
}

static void __attribute__((noreturn, format(printf, 1, 2))) wrong(const char *format, ...)
{
	char message[256];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	xt2_bad_text("%s", message);
}

/* --- options ------------------------------------------------------------------ */

/* Is it a target to libxtables? */
static bool is_target(size_t i)
{
	return extensions[i].source == WATCHER || extensions[i].source == TARGET;
}

static struct xtables_match *match_of(size_t i)
{
	return xtables_find_match(extensions[i].name, XTF_TRY_LOAD, NULL);
}

static struct xtables_target *target_of(size_t i)
{
	return xtables_find_target(extensions[i].name, XTF_TRY_LOAD);
}

/* => NULL: the library of this extension is not there */
static const struct option *options_of(size_t i)
{
	const struct xtables_target *t;
	const struct xtables_match *m;

	switch (extensions[i].source) {
	case OWN_LIMIT: return xt2_bridge_limit_options;
	case OWN_AMONG: return xt2_bridge_among_options;
	case MATCH: m = match_of(i); return m && m->parse ? m->extra_opts : NULL;
	default: t = target_of(i); return t && t->parse ? t->extra_opts : NULL;
	}
}

/*
 * All options, each extension's in a range of its own.  They are collected for
 * each line: their names belong to plugins, which go when libxtables is set up
 * for another family.
 */
static const struct option *all_options(void)
{
	static struct option all[512];
	const struct option *o;
	size_t n = 0, i;

	for (o = base_options; o->name; o++)
		all[n++] = *o;
	for (i = 0; i < EXTENSIONS; i++)
		for (o = options_of(i); o && o->name && n + 1 < XT2_ARRAY_SIZE(all); o++) {
			all[n] = *o;
			all[n].flag = NULL;
			all[n++].val = (int)(i + 1) * RANGE + o->val;
		}
	memset(&all[n], 0, sizeof(all[n]));
	return all;
}

/* The payload of an extension, with its header. */
static void entry_make(size_t i, const char *name, size_t size)
{
	struct xt_entry_match *e = xtables_calloc(1, sizeof(*e) + size);

	e->u.match_size = (__u16)(sizeof(*e) + size);
	strcpy(e->u.user.name, name);
	line.entry[i].match = e;
}

/* An extension in the rule; with what its plugin starts from. */
static void use(size_t i)
{
	struct xtables_target *t;
	struct xtables_match *m;

	if (line.used[i])
		return;
	line.used[i] = ++line.order;
	if (extensions[i].source == MATCH) {
		m = match_of(i);
		entry_make(i, m->name, m->size);
		if (m->init)
			m->init(line.entry[i].match);
	} else if (is_target(i)) {
		t = target_of(i);
		if (!t)
			wrong("Couldn't load target `%s'", extensions[i].name);
		entry_make(i, t->name, t->size);
		if (t->init)
			t->init(line.entry[i].target);
	}
}

static void extension_option(size_t i, int c, char **argv, bool invert)
{
	int taken = 1;

	if (extensions[i].source == TARGET && !line.used[i])
		wrong("this option belongs to -j %s, which is to come before it",
		      extensions[i].name);
	use(i);
	switch (extensions[i].source) {
	case OWN_LIMIT: xt2_bridge_limit_option(&line.own, c, optarg, invert); break;
	case OWN_AMONG: xt2_bridge_among_option(&line.own, c, optarg, invert); break;
	case MATCH:
		taken = match_of(i)->parse(c, argv, invert, &line.flags[i], &line.e,
					   &line.entry[i].match);
		break;
	default:
		taken = target_of(i)->parse(c, argv, invert, &line.flags[i], &line.e,
					    &line.entry[i].target);
	}
	if (!taken)
		wrong("%s does not take this option", extensions[i].name);
}

/* --- base tests ---------------------------------------------------------------- */

static void type_option(char *arg, bool invert)
{
	const struct xt_ethertypeent *ent;
	char *end;
	unsigned long type = strtoul(arg, &end, 16);

	line.e.bitmask &= ~(unsigned int)EBT_NOPROTO;
	if (invert)
		line.e.invflags |= EBT_IPROTO;
	if (!strcasecmp(arg, "LENGTH")) {
		line.e.bitmask |= EBT_802_3;
		return;
	}
	if (*end || end == arg) {
		ent = xtables_getethertypebyname(arg);
		if (!ent)
			wrong("Problem with the specified Ethernet protocol '%s', perhaps "
			      "/etc/ethertypes is missing",
			      arg);
		type = (unsigned long)ent->e_ethertype;
	}
	if (type < 0x600 || type > 0xffff)
		wrong("an Ethernet protocol is a number from 0600 to ffff, hexadecimal");
	line.e.ethproto = (__be16)__builtin_bswap16((__u16)type);
}

static void mac_option(char *arg, bool invert, unsigned char *addr, unsigned char *mask,
		       unsigned int bit, unsigned int flag)
{
	if (xtables_parse_mac_and_mask(arg, addr, mask))
		wrong("Problem with specified mac '%s'", arg);
	line.e.bitmask |= bit;
	if (invert)
		line.e.invflags |= (__u16)flag;
}

static void device_option(const char *arg, bool invert, char *name, unsigned int flag)
{
	const size_t len = strlen(arg);

	if (!len || len >= IFNAMSIZ)
		wrong("a device's name has 1 to %d characters: '%s'", IFNAMSIZ - 1, arg);
	memcpy(name, arg, len);
	if (name[len - 1] == '+')
		name[len - 1] = 1;
	if (invert)
		line.e.invflags |= (__u16)flag;
}

/* "-c packets bytes" */
static void counters_option(char **argv, int argc)
{
	char *end = NULL;

	line.packets = strtoull(optarg, &end, 10);
	if (*end || optind >= argc)
		wrong("-c needs two numbers");
	line.bytes = strtoull(argv[optind++], &end, 10);
	if (*end)
		wrong("-c needs two numbers");
}

static void jump_option(const char *name)
{
	size_t i;

	line.jump = name;
	for (i = 0; i < EXTENSIONS; i++)
		if (extensions[i].source == TARGET && !strcmp(extensions[i].name, name))
			use(i);
}

static void base_option(int c, char **argv, int argc, bool invert)
{
	struct ebt_entry *e = &line.e;

	if (line.given[c])
		wrong("an option is given twice");
	line.given[c] = true;
	if (invert && strchr("Ajc", c))
		wrong("unexpected `!'");
	switch (c) {
	case 'A': line.chain = optarg; break;
	case 'p': type_option(optarg, invert); break;
	case 's':
		mac_option(optarg, invert, e->sourcemac, e->sourcemsk, EBT_SOURCEMAC, EBT_ISOURCE);
		break;
	case 'd': mac_option(optarg, invert, e->destmac, e->destmsk, EBT_DESTMAC, EBT_IDEST); break;
	case 'i': device_option(optarg, invert, e->in, EBT_IIN); break;
	case 'o': device_option(optarg, invert, e->out, EBT_IOUT); break;
	case 2: device_option(optarg, invert, e->logical_in, EBT_ILOGICALIN); break;
	case 3: device_option(optarg, invert, e->logical_out, EBT_ILOGICALOUT); break;
	case 'j': jump_option(optarg); break;
	case 'c': counters_option(argv, argc); break;
	}
}

static bool is_not(const char *word)
{
	return word && !strcmp(word, "!");
}

static void parse(struct xt2_words *w)
{
	const struct option *all = all_options();
	bool invert = false;
	int c;

	optind = 0;
	opterr = 0;
	while ((c = getopt_long(w->count, w->word, "-:A:p:s:d:i:o:j:c:", all, NULL)) != -1) {
		line.load->line.at = optind > 1 ? optind - 1 : 1;
		if (c == 1 && is_not(optarg) && !invert) {
			invert = true;
			continue;
		}
		if (c == 1)
			wrong("Bad argument `%s'", optarg);
		if (c == '?' || c == ':')
			wrong(c == ':' ? "option \"%s\" requires an argument"
				       : "unknown option \"%s\"",
			      w->word[optind - 1]);
		if (is_not(optarg)) {
			if (invert || optind >= w->count)
				wrong("nothing appropriate following !");
			invert = true;
			optarg = w->word[optind++];
		}
		if (c < RANGE)
			base_option(c, w->word, w->count, invert);
		else
			extension_option((size_t)(c / RANGE) - 1, c % RANGE, w->word, invert);
		invert = false;
	}
	if (invert)
		wrong("nothing appropriate following !");
}

/* --- the rule -------------------------------------------------------------------- */

static void finish(size_t i)
{
	const struct xtables_target *t;
	const struct xtables_match *m;

	if (extensions[i].source == MATCH) {
		m = match_of(i);
		if (m->final_check)
			m->final_check(line.flags[i]);
	} else if (is_target(i)) {
		t = target_of(i);
		if (t->final_check)
			t->final_check(line.flags[i]);
	}
}

/* => number of the extension's instance */
static __u32 instance(size_t i)
{
	static __u8 payload[PAYLOAD_MAX];
	const struct extension *x = &extensions[i];
	const int kind = is_target(i) ? XT2_INSTANCE_TARGET : XT2_INSTANCE_MATCH;
	const struct ebt_rule rule = {
		.e = &line.e,
		.table = line.load->line.table,
		.hooks = line.hook < 0 ? 0 : (__u8)(1u << line.hook | EBT_ON_BASE),
	};
	const void *data = payload;
	unsigned int size;
	int number;

	finish(i);
	switch (x->source) {
	case OWN_LIMIT: size = xt2_bridge_limit_payload(&line.own, payload, PAYLOAD_MAX); break;
	case OWN_AMONG: size = xt2_bridge_among_payload(&line.own, payload, PAYLOAD_MAX); break;
	default:
		data = line.entry[i].match->data;
		size = line.entry[i].match->u.match_size -
		       (unsigned int)sizeof(struct xt_entry_match);
	}
	number = xt2_instance_add(line.load->rs, kind, 0, x->name, data, size);
	if (number < 0)
		xt2_throw(number == -ENOMEM ? XT2_E_SYSTEM : XT2_E_LIMIT, OTHER_PROBLEM, "%s: %s",
			  x->name, strerror(-number));
	xt2_line_point(&line.load->line, x->name);
	xt2_bridge_sound(&rule, is_target(i),
			 xt2_instance_get(line.load->rs, (unsigned int)number));
	line.load->line.at = 0;
	return (__u32)number;
}

/* Extensions of one sort, in the order of the line.  => bytes */
static __u32 pack_extensions(__u8 *to, bool watchers)
{
	const struct xt2_match head = { .type = XT2_M_FOREIGN, .size = sizeof(head) };
	struct xt2_match *m = (struct xt2_match *)to;
	unsigned int n;
	size_t i;

	for (n = 1; n <= line.order; n++)
		for (i = 0; i < EXTENSIONS; i++) {
			if (line.used[i] != n || extensions[i].source == TARGET ||
			    (extensions[i].source == WATCHER) != watchers)
				continue;
			*m = head;
			m++->arg = instance(i);
		}
	return (__u32)((__u8 *)m - to);
}

static __u32 target(void)
{
	const struct xt2_load *load = line.load;
	size_t i;
	int chain, kind;

	if (!line.jump || !strcmp(line.jump, "CONTINUE"))
		return XT2_TARGET(XT2_T_CONTINUE, 0);
	kind = xt2_verdict_named(line.jump);
	if (kind && kind != XT2_T_QUEUE)
		return XT2_TARGET(kind, 0);
	for (i = 0; i < EXTENSIONS; i++)
		if (extensions[i].source == TARGET && !strcmp(line.jump, extensions[i].name))
			return XT2_TARGET(XT2_T_FOREIGN, instance(i));
	chain = xt2_chain_find(load->rs, load->line.table_number, line.jump);
	if (chain < 0)
		xt2_throw(XT2_E_UNKNOWN, PARAMETER_PROBLEM, "Illegal target name `%s'", line.jump);
	if (xt2_chain_hook(load->rs, chain) >= 0)
		wrong("can't jump to a standard chain");
	return XT2_TARGET(XT2_T_JUMP, chain);
}

/* Devices that no frame has there, which ebtables refuses to test. */
static void check_devices(int hook)
{
	static const struct {
		char option;
		bool in;
		const char *name;
	} devices[] = {
		{ 'i', true, "-i" },
		{ 2, true, "--logical-in" },
		{ 'o', false, "-o" },
		{ 3, false, "--logical-out" },
	};
	const bool in = hook != XT2_OUTPUT && hook != XT2_POSTROUTING;
	const bool out = hook == XT2_FORWARD || hook == XT2_OUTPUT || hook == XT2_POSTROUTING;
	size_t i;

	for (i = 0; hook >= 0 && i < XT2_ARRAY_SIZE(devices); i++)
		if (line.given[(int)devices[i].option] && !(devices[i].in ? in : out))
			wrong("Use %s only in %s chains", devices[i].name,
			      devices[i].in ? "INPUT, FORWARD, PREROUTING and BROUTING"
					    : "OUTPUT, FORWARD and POSTROUTING");
}

/* ebtables asks for it; the kernel does not. */
static void check_length(void)
{
	if (line.used[0] && !(line.e.bitmask & EBT_802_3))
		wrong("For 802.3 DSAP/SSAP filtering the protocol must be LENGTH");
}

static void append(struct xt2_load *load)
{
	struct xt2_rule *r = (struct xt2_rule *)line.rule;
	__u8 *at = (__u8 *)(r + 1);
	int chain, ret;

	if (!line.chain)
		wrong("a line here is -A and a rule");
	chain = xt2_chain_find(load->rs, load->line.table_number, line.chain);
	if (chain < 0)
		xt2_throw(XT2_E_UNKNOWN, OTHER_PROBLEM, "Chain %s doesn't exist", line.chain);
	line.hook = xt2_chain_hook(load->rs, chain);
	check_devices(line.hook);
	check_length();
	at += ebt_base_pack(&line.e, at);
	at += pack_extensions(at, false);
	at += pack_extensions(at, true);
	r->size = r->target_offset = (__u16)(at - (__u8 *)r);
	r->target = target();
	r->packets = load->opt->counters ? line.packets : 0;
	r->bytes = load->opt->counters ? line.bytes : 0;
	ret = xt2_rule_append(load->rs, chain, r, load->number);
	if (ret == -ENOMEM)
		xt2_no_memory();
	if (ret < 0)
		wrong("this is not a rule: %s", strerror(-ret));
}

void xt2_bridge_line(struct xt2_load *load)
{
	line_free(); /* of a line that threw */
	line.load = load;
	line.e.bitmask = EBT_ENTRY_OR_ENTRIES | EBT_NOPROTO;
	parse(&load->line.words);
	load->line.at = 0;
	append(load);
	line_free();
}

/*
 * The table goes through the kernel's format, whose reader makes the kernel's
 * checks: an extension's about its rule, tables and hooks, chains that lead in
 * a circle.
 */
int xt2_bridge_check(struct xt2_load *load)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_err err = { .message = "out of memory" };
	void *blob = NULL;
	size_t len;
	int ret = -ENOMEM;

	if (rs)
		ret = xt2_table_write_replace(load->rs, load->line.table_number, 0, NULL, &blob,
					      &len, &err);
	if (!ret)
		ret = xt2_table_read_replace(rs, XT2_BRIDGE, 0, blob, len, 1, &err);
	xt2_ruleset_free(rs);
	free(blob);
	if (ret < 0)
		xt2_throw(err.code ? err.code : XT2_E_SYSTEM, OTHER_PROBLEM, "%s%s",
			  err.code == XT2_E_BLOB || err.code == XT2_E_LOOP
				  ? "the kernel would refuse this table: "
				  : "",
			  err.message);
	return 0;
}

void xt2_bridge_policy(struct xt2_load *load, const char *name, const char *policy)
{
	int chain = xt2_chain_find(load->rs, load->line.table_number, name);

	if (xt2_chain_set_policy(load->rs, chain, xt2_verdict_named(policy)))
		wrong("chain %s cannot have the policy `%s'", name, policy);
}
