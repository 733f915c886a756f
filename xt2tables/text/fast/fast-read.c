/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fast-read.c - the common rules, without libxtables
 *
 * Nearly all lines of a large file are plain: "-A CHAIN", base options, the
 * matches of fast-match.c, targets of fast-target.c, what fast-cache.c has
 * seen before, and a verdict or a chain, all spelled as iptables-save or a
 * careful hand does it.  They are read here, straight into the bytes of a
 * rule, in a hundredth of the time that libxtables takes.
 *
 * Whatever is not known here for certain is not plain: names of hosts and
 * services, abbreviations, lists of addresses, an option that comes twice, and
 * everything that is wrong.  Such a line is read again, from its start, by
 * rule-parse.c.  So no error is reported here; the slow reader reports it.  A plain line means
 * what libxtables makes of it:
 * tests/prop/plain.c holds both to the same bytes.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "fast-line.h"

static const char *const protocols[] = {
	"tcp", "udp", "icmp", "icmpv6", "ipv6-icmp", "sctp", "udplite", "esp", "ah", "all",
};

_Static_assert(XT2_ARRAY_SIZE(protocols) <= XT2_FAST_KINDS, "room for all names");

static const char *const verdicts[] = { "ACCEPT", "DROP", "RETURN", "QUEUE" };

/* --- chains -------------------------------------------------------------------- */

/* => the chain's number, or -ENOENT */
static int chain_find(const struct xt2_fast *p, const char *name, u32 len)
{
	char copy[XT_EXTENSION_MAXNAMELEN];

	if (!len || len >= sizeof(copy) || *name == '-' || *name == '!')
		return -ENOENT;
	memcpy(copy, name, len);
	copy[len] = '\0';
	return xt2_chain_find(p->rs, p->table, copy);
}

/* The chain of the rule; most often that of the line before. */
static bool chain_name(struct xt2_fast *p)
{
	const char *name = p->at;
	u32 len = p->chain_len;

	if (len && p->end - name >= len && !memcmp(name, p->chain_name, len) &&
	    xt2_fast_ends(name[len])) {
		p->at += len;
		return true;
	}
	len = xt2_fast_length(name);
	p->at += len;
	p->chain_len = 0;
	p->chain = chain_find(p, name, len);
	if (p->chain < 0)
		return false;
	memcpy(p->chain_name, name, len);
	p->chain_len = len;
	p->no_in = xt2_fast_same(name, len, "OUTPUT") || xt2_fast_same(name, len, "POSTROUTING");
	p->no_out = xt2_fast_same(name, len, "INPUT") || xt2_fast_same(name, len, "PREROUTING");
	return true;
}

/* The chain that a target names, or -ENOENT; most often that of the line before. */
static int jump_chain(struct xt2_fast *p, const char *name, u32 len)
{
	if (len && len == p->jump_len && !memcmp(name, p->jump_name, len))
		return p->jump_chain;
	p->jump_chain = chain_find(p, name, len);
	p->jump_len = len < sizeof(p->jump_name) ? len : 0;
	memcpy(p->jump_name, name, p->jump_len);
	return p->jump_chain;
}

/* --- options ------------------------------------------------------------------- */

static bool give(struct xt2_fast *p, enum xt2_option o, bool invert)
{
	if (p->given & XT2_OPT_BIT(o))
		return false;
	p->given |= XT2_OPT_BIT(o);
	p->inverted |= invert ? XT2_OPT_BIT(o) : 0;
	return true;
}

static bool address(struct xt2_fast *p, struct xt2_address *a)
{
	return p->family == XT2_IPV4 ? xt2_fast_address4(p, a) : xt2_fast_address6(p, a);
}

/* libxtables warns of a slash. */
static bool iface(struct xt2_fast *p, struct xt2_iface *i)
{
	const char *name = p->at;
	const u32 len = xt2_fast_length(name);

	if (!len || len >= IFNAMSIZ || memchr(name, '/', len))
		return false;
	xt2_iface_set(i, name, len);
	p->at += len;
	return true;
}

static bool protocol(struct xt2_fast *p, bool invert)
{
	const u32 len = xt2_fast_length(p->at);
	u64 number;
	size_t i;

	if (p->named) /* as they are without it */
		return false;
	p->implied = -1;
	if (xt2_fast_number(p, 255, &number)) {
		p->proto = (unsigned int)number;
		return p->proto || !invert;
	}
	for (i = 0; i < XT2_ARRAY_SIZE(protocols); i++)
		if (xt2_fast_same(p->at, len, protocols[i]))
			break;
	if (i == XT2_ARRAY_SIZE(protocols))
		return false;
	p->proto = p->protocol[i];
	p->implied = xt2_fast_match_of(p, p->at, len);
	p->at += len;
	return p->proto || !invert;
}

/* => what the word says, XT2_T_CONTINUE: no verdict */
static u32 verdict(const char *name, u32 len)
{
	switch (len) { /* of so many bytes a comparison is one instruction */
	case 4: return memcmp(name, "DROP", 4) ? XT2_T_CONTINUE : XT2_T_DROP;
	case 5: return memcmp(name, "QUEUE", 5) ? XT2_T_CONTINUE : XT2_T_QUEUE;
	case 6:
		if (!memcmp(name, "ACCEPT", 6))
			return XT2_T_ACCEPT;
		return memcmp(name, "RETURN", 6) ? XT2_T_CONTINUE : XT2_T_RETURN;
	}
	return XT2_T_CONTINUE;
}

/* What is neither a verdict nor a chain is an extension, or wrong. */
static bool jump(struct xt2_fast *p, bool go)
{
	const char *name = p->at;
	const u32 len = xt2_fast_length(name);
	const u32 said = !go && p->verdicts ? verdict(name, len) : XT2_T_CONTINUE;
	int chain;

	if (said != XT2_T_CONTINUE) {
		p->at += len;
		p->target = XT2_TARGET(said, 0);
		return !p->nat || said != XT2_T_DROP;
	}
	chain = jump_chain(p, name, len);
	if (chain < 0)
		return !go && xt2_fast_match_done(p) &&
		       (xt2_fast_target(p) || xt2_fast_known_target(p));
	if (xt2_chain_hook(p->rs, chain) >= 0)
		return false;
	p->at += len;
	p->target = XT2_TARGET(go ? XT2_T_GOTO : XT2_T_JUMP, chain);
	return true;
}

/* Two numbers, with this between them. */
static bool counters(struct xt2_fast *p, char between)
{
	if (!xt2_fast_number(p, ~0ull, &p->packets))
		return false;
	if (!xt2_fast_take(p, between)) {
		if (between != ',' || !xt2_fast_blank(*p->at))
			return false;
		xt2_fast_skip(p);
	}
	return xt2_fast_number(p, ~0ull, &p->bytes);
}

static bool base_option(struct xt2_fast *p, char letter, bool invert)
{
	switch (letter) {
	case 's': return give(p, XT2_OPT_SOURCE, invert) && address(p, &p->src);
	case 'd': return give(p, XT2_OPT_DESTINATION, invert) && address(p, &p->dst);
	case 'i': return !p->no_in && give(p, XT2_OPT_IN, invert) && iface(p, &p->in);
	case 'o': return !p->no_out && give(p, XT2_OPT_OUT, invert) && iface(p, &p->out);
	case 'p': return give(p, XT2_OPT_PROTOCOL, invert) && protocol(p, invert);
	case 'f': return p->family == XT2_IPV4 && give(p, XT2_OPT_FRAGMENT, invert);
	}
	if (invert)
		return false;
	switch (letter) {
	case 'j':
	case 'g': return give(p, XT2_OPT_JUMP, false) && jump(p, letter == 'g');
	case 'm': return xt2_fast_match(p);
	case 'c': return give(p, XT2_OPT_COUNTERS, false) && counters(p, ',');
	}
	return false;
}

static bool match_option(struct xt2_fast *p, const struct xt2_fast_option *o, bool invert)
{
	if (p->match_given & o->given || (invert && !o->invertible))
		return false;
	p->match_given |= o->given;
	if (!o->bare) {
		if (!xt2_fast_blank(*p->at))
			return false;
		xt2_fast_skip(p);
	}
	return o->read(p, invert, o->arg);
}

/* "-s", "--source", "--dport": what follows is the option's own. */
static bool option(struct xt2_fast *p, bool invert)
{
	const struct xt2_fast_option *o;
	char letter = p->at[1];
	u32 len;

	if (p->at[0] != '-')
		return false;
	p->at += 2;
	if (letter == '-') {
		const char *name = p->at;

		len = xt2_fast_length(name);
		p->at += len;
		o = xt2_fast_match_option(p, name, len);
		if (o)
			return match_option(p, o, invert);
		letter = xt2_fast_letter(name, len);
	}
	if (!letter || !xt2_fast_ends(*p->at))
		return false;
	if (letter != 'f') /* which no word belongs to */
		xt2_fast_skip(p);
	return base_option(p, letter, invert);
}

static bool options(struct xt2_fast *p)
{
	bool invert;

	for (;;) {
		if (!xt2_fast_ends(*p->at))
			return false;
		xt2_fast_skip(p);
		if (*p->at == '\n')
			return p->at == p->end;
		invert = xt2_fast_take(p, '!');
		if (invert) {
			if (!xt2_fast_blank(*p->at))
				return false;
			xt2_fast_skip(p);
		}
		if (!option(p, invert))
			return false;
	}
}

/* --- the rule ------------------------------------------------------------------ */

/* Their bytes are known only now: matches may come before them. */
static void put_base(struct xt2_fast *p)
{
	const struct xt2_base b = {
		p->family, p->given, p->inverted, &p->src, &p->dst, &p->in, &p->out, p->proto,
	};
	u64 room[XT2_BASE_ROOM / sizeof(u64)];
	const u32 size = (u32)(xt2_base_pack((u8 *)room, &b) - (u8 *)room);

	p->front -= size;
	memcpy(p->front, room, size);
}

/* => the number of one more that says the same; -errno */
static int copy_instance(struct xt2_fast *p, int instance)
{
	const struct xt2_instance *in = xt2_instance_get(p->rs, (u32)instance);

	return xt2_instance_add(p->rs, in->kind, in->revision, in->name, xt2_instance_data(in),
				in->size);
}

/* What the ruleset has to know of before the rule can name it. */
static bool add_late(struct xt2_fast *p)
{
	int number;
	u32 i;

	for (i = 0; i < p->lates; i++) {
		const struct xt2_fast_late *l = &p->late[i];

		if (l->text)
			number = xt2_instance_add(p->rs, XT2_INSTANCE_COMMENT, 0, "comment",
						  l->text, l->len);
		else
			number = l->instance < 0 ? xt2_cells_add(p->rs, p->family, l->m)
						 : copy_instance(p, l->instance);
		if (number < 0)
			return false;
		l->m->arg = (u32)number;
	}
	if (p->nat_name)
		number = xt2_instance_add(p->rs, XT2_INSTANCE_TARGET, p->nat_revision, p->nat_name,
					  p->nat_payload, p->nat_size);
	else if (p->target_instance >= 0)
		number = copy_instance(p, p->target_instance);
	else
		return true;
	p->target = XT2_TARGET(XT2_TARGET_KIND(p->target), (u32)number);
	return number >= 0;
}

static const struct xt2_rule *rule(struct xt2_fast *p)
{
	struct xt2_rule *r;
	u32 size;

	if (!add_late(p))
		return NULL;
	put_base(p);
	p->front -= sizeof(*r);
	size = (u32)(p->behind - p->front);
	if (p->target_size)
		memcpy(p->behind, p->target_data, p->target_size);
	r = (struct xt2_rule *)p->front;
	*r = (struct xt2_rule){
		.size = (u16)(size + p->target_size),
		.target_offset = (u16)size,
		.target = p->target,
		.packets = p->packets,
		.bytes = p->bytes,
	};
	return r;
}

/* --- lines --------------------------------------------------------------------- */

static void begin(struct xt2_fast *p, const char *line, const char *end)
{
	p->at = line;
	p->end = end;
	p->given = p->inverted = 0;
	p->in.len = p->out.len = 0;
	p->proto = 0;
	p->implied = p->match = -1;
	p->target = XT2_TARGET(XT2_T_CONTINUE, 0);
	p->target_instance = -1;
	p->target_size = p->knowns = 0;
	p->named = false;
	p->nat_name = NULL;
	p->packets = p->bytes = 0;
	p->match_given = p->matches = p->seen = p->lates = 0;
	p->needs_proto = 0;
	p->free = p->unquoted;
	p->front = p->behind = (u8 *)p->room + XT2_FAST_FRONT;
}

/* "[packets:bytes] " */
static bool preset(struct xt2_fast *p)
{
	if (!xt2_fast_take(p, '['))
		return true;
	if (!counters(p, ':') || !xt2_fast_take(p, ']') || !xt2_fast_blank(*p->at))
		return false;
	if (p->counters)
		return give(p, XT2_OPT_COUNTERS, false);
	p->packets = p->bytes = 0;
	return true;
}

/* "-A " */
static bool append(struct xt2_fast *p)
{
	xt2_fast_skip(p);
	if (!strncmp(p->at, "-A", 2))
		p->at += 2;
	else if (!strncmp(p->at, "--append", 8))
		p->at += 8;
	if (!xt2_fast_blank(*p->at))
		return false;
	xt2_fast_skip(p);
	return true;
}

const struct xt2_rule *xt2_fast_read(struct xt2_fast *p, const char *line, const char *end,
				     int *chain)
{
	begin(p, line, end);
	if (!preset(p) || !append(p) || !chain_name(p) || !options(p) || !xt2_fast_match_end(p))
		return NULL;
	*chain = p->chain;
	return rule(p);
}

void xt2_fast_table(struct xt2_fast *p, int table)
{
	const char *name = xt2_table_name(p->rs, table);
	size_t i;

	p->table = table;
	p->nat = name && !strcmp(name, "nat");
	p->chain_len = p->jump_len = 0;
	p->verdicts = true;
	for (i = 0; i < XT2_ARRAY_SIZE(verdicts); i++)
		if (xt2_chain_find(p->rs, table, verdicts[i]) >= 0)
			p->verdicts = false;
}

static void number_protocols(void *arg)
{
	struct xt2_fast *p = arg;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(protocols); i++)
		p->protocol[i] = xtables_parse_protocol(protocols[i]);
}

struct xt2_fast *xt2_fast_new(struct xt2_ruleset *rs, int family, bool counters)
{
	struct xt2_fast *p;
	struct xt2_failure failure;

	if (family != XT2_IPV4 && family != XT2_IPV6)
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->rs = rs;
	p->family = family;
	p->counters = counters;
	p->table = -1;
	if (xt2_try(number_protocols, p, &failure)) {
		free(p);
		return NULL;
	}
	return p;
}

void xt2_fast_free(struct xt2_fast *p)
{
	if (p)
		xt2_fast_known_free(p->known);
	free(p);
}
