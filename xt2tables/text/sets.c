/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sets.c - ipsets by name, without asking the kernel
 *
 * A rule with -m set or -j SET holds the numbers that the kernel gave to its
 * ipsets, and libxtables asks the kernel to translate between names and
 * numbers.  An image is read where the kernel is another one, or has no such
 * set (yet).  So this program answers that question itself: the sets of a line
 * are numbered as they come, and what is carried of it names them
 * (translators/ext/xt-sets.h); to print it, its sets are numbered anew.
 *
 * libxtables asks through a raw socket, which needs root; the socket that it
 * gets here is none.
 */
#include "config.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/netfilter/ipset/ip_set.h>
#include "libxt2/ruleset/ruleset.h"
#include "nearest.h"
#include "sets.h"

#define OURS __attribute__((visibility("default")))

/* Sets by number. */
struct numbered {
	unsigned int n;
	char name[256][IPSET_MAXNAMELEN];
};

static struct numbered parsed, printed;

_Static_assert(IPSET_MAXNAMELEN == XT2_SETS_NAME, "names of sets fit");

/* => number, IPSET_INVALID_ID: too many */
static int number_of(struct numbered *sets, const char *name)
{
	unsigned int i;

	for (i = 0; i < sets->n; i++)
		if (!strcmp(sets->name[i], name))
			return (int)i;
	if (i == XT2_ARRAY_SIZE(sets->name))
		return IPSET_INVALID_ID;
	strcpy(sets->name[sets->n++], name);
	return (int)i;
}

void xt2_sets_begin(void)
{
	parsed.n = 0;
}

static int parsed_name(void *with, u16 number, char *name)
{
	if (number >= parsed.n)
		return -EINVAL;
	memcpy(name, parsed.name[number], XT2_SETS_NAME);
	return 0;
}

int xt2_sets_carry(const struct xt2_sets *sets, void *data)
{
	return xt2_sets_name(sets, data, parsed_name, NULL);
}

static int printed_number(void *with, const char *name)
{
	return number_of(&printed, name);
}

int xt2_sets_show(const struct xt2_sets *sets, const struct xt2_instance *in, void *payload)
{
	printed.n = 0;
	return xt2_sets_number(sets, in, payload, printed_number, NULL);
}

/* --- sets of a kernel's table whose names were not known ------ */

/* => the number of such a set, or -1 */
static int nameless(const struct xt2_ruleset *rs, __u32 number)
{
	const struct xt2_instance *in = xt2_instance_get(rs, (int)number);
	const struct xt2_sets *sets;

	if (!in || in->kind == XT2_INSTANCE_COMMENT) /* nearly all of them are */
		return -1;
	sets = xt2_sets_find(in->kind, in->name, in->revision);
	return sets ? xt2_sets_nameless(sets, in) : -1;
}

static int nameless_in(const struct xt2_ruleset *rs, const struct xt2_rule *r)
{
	const struct xt2_match *m;
	int set;

	xt2_rule_for_each_match(m, r) {
		set = m->type == XT2_M_FOREIGN ? nameless(rs, m->arg) : -1;
		if (set >= 0)
			return set;
	}
	return XT2_TARGET_KIND(r->target) == XT2_T_FOREIGN ? nameless(rs, XT2_TARGET_ARG(r->target))
							   : -1;
}

static bool check_table(const struct xt2_ruleset *rs, int table, char *why, size_t size)
{
	const struct xt2_rule *r;
	unsigned int i;
	int chain, set;

	xt2_table_for_each_chain(chain, rs, table)
		for (i = 0; (r = xt2_rule_get(rs, chain, i)); i++) {
			set = nameless_in(rs, r);
			if (set < 0)
				continue;
			snprintf(why, size,
				 "table %s, chain %s, rule %u: ipset number %d is not known by "
				 "name: it came without a kernel that could be asked; load the "
				 "rule from text, or with iptables under xt2 run",
				 xt2_table_name(rs, table), xt2_chain_name(rs, chain), i + 1, set);
			return false;
		}
	return true;
}

bool xt2_sets_check(const struct xt2_ruleset *rs, int family, const char *table, char *why,
		    size_t size)
{
	bool some = false;
	__u32 i;
	int t;

	for (i = 0; !some && xt2_instance_get(rs, i); i++)
		some = nameless(rs, i) >= 0;
	for (t = 0; some && t < xt2_ruleset_tables(rs); t++)
		if (xt2_table_among(rs, t, family, table) && !check_table(rs, t, why, size))
			return false;
	return true;
}

/* --- libxtables' questions ---------------------------------------------- */

OURS int socket(int domain, int type, int protocol)
{
	static __typeof__(socket) *libc;

	if (domain == AF_INET && type == SOCK_RAW && protocol == IPPROTO_RAW)
		return open("/dev/null", O_RDWR | O_CLOEXEC);
	if (!libc)
		libc = (__typeof__(libc))dlsym(RTLD_NEXT, "socket");
	if (libc)
		return libc(domain, type, protocol);
	errno = ENOSYS;
	return -1;
}

static int answer(void *value, socklen_t size)
{
	struct ip_set_req_get_set_family *family = value;
	struct ip_set_req_get_set *plain = value;
	struct ip_set_req_version *version = value;

	if (size >= sizeof(*version) && version->op == IP_SET_OP_VERSION) {
		version->version = IPSET_PROTOCOL;
		return 0;
	}
	if (size >= sizeof(*family) && family->op == IP_SET_OP_GET_FNAME) {
		family->set.name[IPSET_MAXNAMELEN - 1] = 0;
		family->set.index = (ip_set_id_t)number_of(&parsed, family->set.name);
		family->family = 0; /* either */
		return 0;
	}
	if (size >= sizeof(*plain) && plain->op == IP_SET_OP_GET_BYINDEX) {
		ip_set_id_t i = plain->set.index;

		memset(&plain->set, 0, sizeof(plain->set));
		if (i < printed.n)
			memcpy(plain->set.name, printed.name[i], IPSET_MAXNAMELEN);
		return 0;
	}
	errno = EBADMSG;
	return -1;
}

OURS int getsockopt(int fd, int level, int option, void *restrict value, socklen_t *restrict size)
{
	static __typeof__(getsockopt) *libc;

	if (level == SOL_IP && option == SO_IP_SET)
		return answer(value, *size);
	if (!libc)
		libc = (__typeof__(libc))dlsym(RTLD_NEXT, "getsockopt");
	if (libc)
		return libc(fd, level, option, value, size);
	errno = ENOSYS;
	return -1;
}
