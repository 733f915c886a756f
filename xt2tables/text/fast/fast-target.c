/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fast-target.c - targets of plain lines whose words differ from rule to rule
 *
 * Addresses to translate to, marks and prefixes of logs: a row per target.
 * As in fast-match.c, options fill in the payload that libxtables' plugin
 * would, and what is not known for certain is left.  Targets that are not here
 * mostly have the same words each time: fast-cache.c.
 */
#include "config.h"
#include <arpa/inet.h>
#include <string.h>
#include "fast-line.h"
#include <linux/netfilter/nf_nat.h>
#include <linux/netfilter/xt_LOG.h>

#define LOG_LEVEL 4 /* unless --log-level says otherwise */

union payload {
	struct nf_nat_range2 range2;
	struct nf_nat_range range;
	struct nf_nat_ipv4_multi_range_compat multi;
	struct xt_log_info log;
	struct xt_mark_tginfo2 mark;
	__u8 bytes[XT2_FAST_NAT];
};

struct target {
	const char *name;
	int family; /* 0: any */
	u8 revision;
	bool nat; /* carried as an instance, in the table of that name alone */
	u16 size;
	bool (*read)(struct xt2_fast *p, union payload *payload);
};

/* Take "--NAME " of this name.  => false: it is another one */
static bool option(struct xt2_fast *p, const char *name)
{
	const char *at = xt2_fast_behind(p->at);
	u32 len;

	if (at[0] != '-' || at[1] != '-')
		return false;
	len = xt2_fast_length(at + 2);
	if (!xt2_fast_same(at + 2, len, name) || !xt2_fast_blank(at[2 + len]))
		return false;
	p->at = at + 2 + len;
	xt2_fast_skip(p);
	return true;
}

/* Is what follows, if anything does, another option of the rule? */
static bool options_end(const struct xt2_fast *p)
{
	const char *at = p->at;

	if (!xt2_fast_ends(*at))
		return false;
	at = xt2_fast_behind(at);
	return *at == '\n' || (at[0] == '-' && at[1] != '-');
}

/* --- addresses ----------------------------------------------------------------- */

/* ADDRESS or ADDRESS:PORT: one of each. */
static bool nat(struct xt2_fast *p, union payload *payload, const char *name)
{
	struct nf_nat_range2 *range = &payload->range2;
	const bool six = p->family == XT2_IPV6;
	bool brackets;
	u64 addr[2], port;

	if (!option(p, name))
		return false;
	brackets = six && xt2_fast_take(p, '[');
	if (!(six ? xt2_fast_groups(p, addr) : xt2_fast_quad(p, addr)) ||
	    (brackets && !xt2_fast_take(p, ']')))
		return false;
	range->flags = NF_NAT_RANGE_MAP_IPS;
	if (six)
		memcpy(&range->min_addr, addr, sizeof(addr));
	else
		range->min_addr.ip = htonl((u32)addr[0]);
	range->max_addr = range->min_addr;
	if (xt2_fast_ends(*p->at))
		return !brackets;
	if ((six && !brackets) || !xt2_fast_take(p, ':') || !xt2_fast_number(p, 65535, &port) ||
	    !port || !(p->proto == IPPROTO_TCP || p->proto == IPPROTO_UDP) ||
	    p->inverted & XT2_OPT_BIT(XT2_OPT_PROTOCOL))
		return false;
	range->flags |= NF_NAT_RANGE_PROTO_SPECIFIED;
	range->min_proto.all = range->max_proto.all = htons((u16)port);
	return true;
}

static bool dnat(struct xt2_fast *p, union payload *payload)
{
	return nat(p, payload, "to-destination");
}

static bool snat6(struct xt2_fast *p, union payload *payload)
{
	return nat(p, payload, "to-source"); /* struct nf_nat_range begins alike */
}

static bool snat4(struct xt2_fast *p, union payload *payload)
{
	struct nf_nat_range2 r;

	if (!nat(p, payload, "to-source"))
		return false;
	r = payload->range2;
	memset(payload, 0, sizeof(*payload));
	payload->multi.rangesize = 1;
	payload->multi.range[0] = (struct nf_nat_ipv4_range){
		.flags = r.flags,
		.min_ip = r.min_addr.ip,
		.max_ip = r.max_addr.ip,
		.min = r.min_proto,
		.max = r.max_proto,
	};
	return true;
}

/* --- others -------------------------------------------------------------------- */

static bool log_it(struct xt2_fast *p, union payload *payload)
{
	struct xt_log_info *log = &payload->log;
	u64 level;

	log->level = LOG_LEVEL;
	if (option(p, "log-prefix")) {
		if (!xt2_fast_text(p) || p->comment_len >= sizeof(log->prefix) ||
		    memchr(p->comment, '\0', p->comment_len))
			return false;
		memcpy(log->prefix, p->comment, p->comment_len);
	}
	if (option(p, "log-level")) {
		if (!xt2_fast_number(p, 7, &level))
			return false;
		log->level = (__u8)level;
	}
	return true;
}

static bool mark(struct xt2_fast *p, union payload *payload)
{
	struct xt_mark_tginfo2 *m = &payload->mark;
	const bool whole = option(p, "set-xmark");

	m->mask = ~(__u32)0;
	if ((!whole && !option(p, "set-mark")) || !xt2_fast_number32(p, &m->mark) ||
	    (xt2_fast_take(p, '/') && !xt2_fast_number32(p, &m->mask)))
		return false;
	if (!whole)
		m->mask |= m->mark;
	return true;
}

/* --- rows ---------------------------------------------------------------------- */

enum { NAT2 = XT_ALIGN(sizeof(struct nf_nat_range2)) };

static const struct target targets[] = {
	{ "DNAT", 0, 2, true, NAT2, dnat },
	{ "LOG", 0, 0, false, sizeof(struct xt_log_info), log_it },
	{ "MARK", 0, 2, false, sizeof(struct xt_mark_tginfo2), mark },
	{ "SNAT", XT2_IPV4, 0, true, XT_ALIGN(sizeof(struct nf_nat_ipv4_multi_range_compat)),
	  snat4 },
	{ "SNAT", XT2_IPV6, 1, true, XT_ALIGN(sizeof(struct nf_nat_range)), snat6 },
};

_Static_assert(XT2_ARRAY_SIZE(targets) <= XT2_FAST_TARGETS, "room for all");
_Static_assert(NAT2 <= XT2_FAST_NAT, "room for the largest that is carried");

struct question {
	const struct target *target;
	bool same;
};

static void ask(void *arg)
{
	struct question *q = arg;

	q->same = xt2_libxt_target_is(q->target->name, q->target->revision,
				      XT_ALIGN(q->target->size));
}

/* Is this target the one that is imitated here?  libxtables is asked once. */
static bool same(struct xt2_fast *p, size_t i)
{
	struct question q = { .target = &targets[i] };
	struct xt2_failure failure;

	if (!p->target_asked[i]) {
		p->target_asked[i] = true;
		p->target_same[i] = !xt2_try(ask, &q, &failure) && q.same;
	}
	return p->target_same[i];
}

/* The rule carries the payload. */
static bool carry(struct xt2_fast *p, const struct target *t, const union payload *payload)
{
	memcpy(p->nat_payload, payload, t->size);
	p->nat_name = t->name;
	p->nat_revision = t->revision;
	p->nat_size = t->size;
	p->target = XT2_TARGET(XT2_T_NAT, 0);
	return true;
}

static bool pack(struct xt2_fast *p, const struct target *t, const union payload *payload)
{
	const struct xt2_row *row = xt2_row_find((u8)p->family, true, t->name, t->revision);
	u32 arg = 0, size = 0;

	memset(p->target_room, 0, sizeof(p->target_room));
	if (!row || xt2_target_row_put(row, payload, &arg, p->target_room, &size))
		return false;
	p->target = XT2_TARGET(row->type, arg);
	p->target_data = p->target_room;
	p->target_size = size;
	return true;
}

static bool read_target(struct xt2_fast *p, const struct target *t)
{
	union payload payload;

	memset(&payload, 0, sizeof(payload));
	if ((t->nat && !p->nat) || !t->read(p, &payload) || !options_end(p))
		return false;
	return t->nat ? carry(p, t, &payload) : pack(p, t, &payload);
}

bool xt2_fast_target(struct xt2_fast *p)
{
	const char *name = p->at;
	const u32 len = xt2_fast_length(name);
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(targets); i++) {
		if (!xt2_fast_same(name, len, targets[i].name) ||
		    (targets[i].family && targets[i].family != p->family))
			continue;
		if (!same(p, i))
			return false;
		p->at = name + len;
		if (read_target(p, &targets[i])) {
			p->named = true;
			return true;
		}
		p->at = name;
		return false;
	}
	return false;
}
