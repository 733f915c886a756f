/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sets.c - ipsets by name, without asking the kernel
 *
 * A rule with -m set or -j SET holds the numbers that the kernel gave to its
 * ipsets, and libxtables asks the kernel to translate between names and
 * numbers.  An image is read where the kernel is another one, or has no such
 * set (yet).  So this program answers that question itself: names get numbers
 * as they come, and a carried set match keeps its sets' names behind its
 * payload (doc/format.md), where printing finds them again.
 *
 * libxtables asks through a raw socket, which needs root; the socket that it
 * gets here is none.
 */
#include "config.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/netfilter/ipset/ip_set.h>
#include "sets.h"

#define OURS	 __attribute__((visibility("default")))
#define MAGIC	 0x73746573u /* "sets" */
#define NOTED	 16 /* sets that one match or target can name */
#define SETS_MAX 65535 /* numbers are 16 bits, and the last means none */

/* Behind a payload: names, then how many, then the magic. */
struct set_name {
	__u16 index, reserved;
	char name[IPSET_MAXNAMELEN];
};

struct tail {
	__u32 count, magic;
};

static char (*sets)[IPSET_MAXNAMELEN]; /* by number; empty: not used */
static unsigned int nsets;
static struct set_name noted[NOTED];
static unsigned int nnoted;

bool xt2_sets_used(const char *extension)
{
	return !strcmp(extension, "set") || !strcmp(extension, "SET");
}

/* => 0, or -ENOMEM, -ENOSPC */
static int set_at(unsigned int index, const char *name)
{
	if (index >= SETS_MAX)
		return -ENOSPC;
	if (index >= nsets) {
		unsigned int n = index < 32 ? 64 : index * 2;
		void *more = realloc(sets, n * sizeof(*sets));

		if (!more)
			return -ENOMEM;
		sets = more;
		memset(sets + nsets, 0, (n - nsets) * sizeof(*sets));
		nsets = n;
	}
	memset(sets[index], 0, sizeof(*sets));
	memcpy(sets[index], name, strnlen(name, IPSET_MAXNAMELEN - 1));
	return 0;
}

/* The number of a set, a new one if need be.  => number, or IPSET_INVALID_ID */
static unsigned int number_of(const char *name)
{
	unsigned int i, unused = nsets;

	for (i = nsets; i-- > 0;) {
		if (!strncmp(sets[i], name, IPSET_MAXNAMELEN))
			return i;
		if (!sets[i][0])
			unused = i;
	}
	return set_at(unused, name) < 0 ? IPSET_INVALID_ID : unused;
}

static unsigned int note(const char *name)
{
	unsigned int index = number_of(name), i;

	for (i = 0; i < nnoted; i++)
		if (noted[i].index == index)
			return index;
	if (index == IPSET_INVALID_ID || nnoted == NOTED)
		return IPSET_INVALID_ID;
	noted[nnoted] = (struct set_name){ .index = index };
	memcpy(noted[nnoted++].name, sets[index], sizeof(*sets));
	return index;
}

void xt2_sets_begin(void)
{
	nnoted = 0;
}

int xt2_sets_noted(void *to, size_t size)
{
	struct tail tail = { nnoted, MAGIC };
	size_t names = nnoted * sizeof(noted[0]);

	if (names + sizeof(tail) > size)
		return -ENOSPC;
	memcpy(to, noted, names);
	memcpy((char *)to + names, &tail, sizeof(tail));
	return (int)(names + sizeof(tail));
}

void xt2_sets_learn(const struct xt2_instance *in)
{
	const char *data = (const char *)(in + 1);
	struct set_name one;
	struct tail tail;
	__u32 i, from;

	if (!xt2_sets_used(in->name) || in->size < sizeof(tail))
		return;
	memcpy(&tail, data + in->size - sizeof(tail), sizeof(tail));
	if (tail.magic != MAGIC || tail.count > NOTED ||
	    in->size - sizeof(tail) < tail.count * sizeof(one))
		return;
	from = in->size - (__u32)sizeof(tail) - tail.count * (__u32)sizeof(one);
	for (i = 0; i < tail.count; i++) {
		memcpy(&one, data + from + i * sizeof(one), sizeof(one));
		one.name[sizeof(one.name) - 1] = 0;
		set_at(one.index, one.name);
	}
}

void xt2_sets_learn_all(const struct xt2_ruleset *rs)
{
	const struct xt2_instance *in;
	unsigned int i;

	for (i = 0; (in = xt2_instance_get(rs, i)); i++)
		xt2_sets_learn(in);
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
		family->set.index = (ip_set_id_t)note(family->set.name);
		family->family = 0; /* either */
		return 0;
	}
	if (size >= sizeof(*plain) && plain->op == IP_SET_OP_GET_BYINDEX) {
		ip_set_id_t i = plain->set.index;

		memset(&plain->set, 0, sizeof(plain->set));
		if (i < nsets)
			memcpy(plain->set.name, sets[i], sizeof(*sets));
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
