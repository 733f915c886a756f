/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolve.c - no DNS unless asked
 *
 * libxtables looks names up by getaddrinfo() and getnetbyname().  Loading a
 * firewall must not hang on a name server, nor depend on its answer, so this
 * program's own functions of these names come first in the symbol search and
 * answer from numbers (and /etc/networks) alone.
 */
#include "config.h"
#include <dlfcn.h>
#include <netdb.h>
#include <nss.h>
#include <string.h>
#include <sys/socket.h>
#include "resolve.h"

#define OURS __attribute__((visibility("default")))

static bool resolve;

void xt2_names_resolve(bool on)
{
	resolve = on;
}

bool xt2_names_resolving(void)
{
	return resolve;
}

void xt2_names_list(bool on)
{
	if (!on)
		__nss_configure_lookup("hosts", "files");
}

OURS int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		     struct addrinfo **res)
{
	static __typeof__(getaddrinfo) *libc;
	struct addrinfo h = { .ai_flags = 0 };

	if (!libc)
		libc = (__typeof__(libc))dlsym(RTLD_NEXT, "getaddrinfo");
	if (!libc)
		return EAI_SYSTEM;
	if (hints)
		h = *hints;
	if (!resolve)
		h.ai_flags |= AI_NUMERICHOST;
	return libc(node, service, &h, res);
}

OURS struct netent *getnetbyname(const char *name)
{
	struct netent *net;

	setnetent(0);
	while ((net = getnetent()))
		if (!strcmp(net->n_name, name))
			break;
	endnetent();
	return net;
}
