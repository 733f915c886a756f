/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * addresses.c - "-s 10.0.0.0/8,192.168.0.0/16" and the like
 *
 * Addresses in their usual form are read here, as fast as inet_pton() is;
 * whatever else iptables understands (octal, missing bytes, names) is left to
 * libxtables, one address at a time.
 */
#include "config.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "resolve.h"
#include "line.h"

#define TEXT_MAX 255

void xt2_print_mac(FILE *to, const __u8 *mac, const __u8 *mask)
{
	static const __u8 full[6] = { 255, 255, 255, 255, 255, 255 };

	fprintf(to, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
		mac[5]);
	if (mask && memcmp(mask, full, sizeof(full))) {
		fputc('/', to);
		xt2_print_mac(to, mask, NULL);
	}
}

static struct xt2_address *address_add(struct xt2_addresses *a)
{
	struct xt2_address *more;

	if (a->count == a->room) {
		more = realloc(a->list, (a->room + 8) * sizeof(*more));
		if (!more)
			xt2_no_memory();
		a->list = more;
		a->room += 8;
	}
	more = &a->list[a->count++];
	memset(more, 0, sizeof(*more));
	return more;
}

static void prefix_mask(__u8 *mask, unsigned int prefix)
{
	memset(mask, 0xff, prefix / 8);
	if (prefix % 8)
		mask[prefix / 8] = (__u8)(0xff << (8 - prefix % 8));
}

/* "24": digits only, without a leading zero.  => -1: something else */
static int plain_prefix(const char *text, int max)
{
	int v = 0;
	const char *p;

	if (!*text || (*text == '0' && text[1]))
		return -1;
	for (p = text; *p; p++) {
		if (*p < '0' || *p > '9' || p - text > 3)
			return -1;
		v = v * 10 + *p - '0';
	}
	return v <= max ? v : -1;
}

static bool plain_mask(int af, const char *text, __u8 *mask)
{
	int width = af == AF_INET ? 32 : 128;
	int prefix = text ? plain_prefix(text, width) : width;

	if (prefix < 0)
		return inet_pton(af, text, mask) == 1;
	prefix_mask(mask, (unsigned int)prefix);
	return true;
}

/* One address in its usual form; cuts text at the slash.  => false: some other form */
static bool plain_address(int af, char *text, struct xt2_address *a)
{
	static const __u8 zero[16];
	char *slash = strrchr(text, '/');
	unsigned int i;
	bool ok;

	if (slash)
		*slash = '\0';
	ok = plain_mask(af, slash ? slash + 1 : NULL, a->mask) &&
	     (!memcmp(a->mask, zero, sizeof(zero)) || inet_pton(af, text, a->addr) == 1);
	if (slash)
		*slash = '/';
	for (i = 0; i < sizeof(a->addr); i++)
		a->addr[i] &= a->mask[i];
	return ok;
}

static void name_hint(const char *text)
{
	if (!xt2_names_resolving() && strpbrk(text, "ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ_"))
		xt2_hint("names of hosts are looked up with --resolve only");
}

/* What libxtables makes of it; it may stand for several addresses. */
static void other_address(struct xt2_line *l, const char *text, struct xt2_addresses *a)
{
	struct in_addr *v4 = NULL, *m4 = NULL;
	struct in6_addr *v6 = NULL, *m6 = NULL;
	struct xt2_address *to;
	unsigned int n, i;

	name_hint(text);
	if (l->family == XT2_IPV6)
		xtables_ip6parse_multiple(text, &v6, &m6, &n);
	else
		xtables_ipparse_multiple(text, &v4, &m4, &n);
	xt2_hint("%s", "");
	for (i = 0; i < n; i++) {
		to = address_add(a);
		memcpy(to->addr, v6 ? (void *)&v6[i] : (void *)&v4[i], v6 ? 16 : 4);
		memcpy(to->mask, m6 ? (void *)&m6[i] : (void *)&m4[i], m6 ? 16 : 4);
	}
	free(v4);
	free(m4);
	free(v6);
	free(m6);
}

/* arptables knows one address, all four bytes of it, or a name. */
static void other_arp_address(struct xt2_line *l, char *text, struct xt2_addresses *a)
{
	char *slash = strrchr(text, '/');
	struct xt2_address k;

	memset(&k, 0, sizeof(k));
	if (slash && !plain_mask(AF_INET, slash + 1, k.mask))
		xt2_bad_text("invalid mask `%s' specified", slash + 1);
	if (!isalpha((unsigned char)*text)) {
		if (slash)
			*slash = '\0';
		xt2_bad_text("host/network `%s' not found", text);
	}
	other_address(l, text, a);
}

void xt2_addresses_parse(struct xt2_line *l, struct xt2_addresses *a)
{
	int af = l->family == XT2_IPV6 ? AF_INET6 : AF_INET;
	const char *p = a->text, *comma;
	char text[TEXT_MAX + 1];
	size_t len;

	a->count = 0;
	if (!p) {
		address_add(a); /* any */
		return;
	}
	l->at = a->at;
	for (;; p = comma + 1) {
		while (isspace((unsigned char)*p))
			p++;
		comma = l->family == XT2_ARP ? NULL : strchr(p, ',');
		len = comma ? (size_t)(comma - p) : strlen(p);
		if (len > TEXT_MAX)
			xt2_bad_text("Hostname too long");
		memcpy(text, p, len);
		text[len] = '\0';
		if (!plain_address(af, text, address_add(a))) {
			a->count--;
			if (l->family == XT2_ARP)
				other_arp_address(l, text, a);
			else
				other_address(l, text, a);
		}
		if (!comma)
			return;
	}
}
