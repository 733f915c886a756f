/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json-members.c - members of the objects that conditions and targets are */
#include "config.h"
#include <arpa/inet.h>
#include <string.h>
#include "json-members.h"

void xt2_json_yes(FILE *to, const char *name, bool on)
{
	if (on)
		fprintf(to, ",\"%s\":true", name);
}

void xt2_json_member(FILE *to, const char *name, __u64 v)
{
	fputc(',', to);
	xt2_json_number(to, name, v);
}

void xt2_json_hex(FILE *to, const char *name, const __u8 *bytes, size_t n)
{
	size_t i;

	fprintf(to, ",\"%s\":\"", name);
	for (i = 0; i < n; i++)
		fprintf(to, "%s%02x", i ? ":" : "", bytes[i]);
	fputc('"', to);
}

void xt2_json_word(FILE *to, const char *name, const char *text)
{
	fprintf(to, ",\"%s\":", name);
	xt2_json_bytes(to, text);
}

void xt2_json_text(FILE *to, const char *name, const void *bytes, size_t size)
{
	char copy[257];
	size_t len = strnlen(bytes, size < 256 ? size : 256);

	memcpy(copy, bytes, len);
	copy[len] = '\0';
	xt2_json_word(to, name, copy);
}

void xt2_json_range(FILE *to, const char *name, unsigned int first, unsigned int last)
{
	fprintf(to, ",\"%s\":[%u,%u]", name, first, last);
}

void xt2_json_address(FILE *to, const char *name, int family, const void *addr)
{
	char buf[INET6_ADDRSTRLEN];

	xt2_json_word(to, name,
		      inet_ntop(family == XT2_IPV6 ? AF_INET6 : AF_INET, addr, buf, sizeof(buf)));
}
