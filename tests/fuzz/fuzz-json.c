/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz-json.c - hostile rulesets in JSON
 *
 * The input is a file for xt2_json_read(), and so is the next: the ruleset
 * lives on.  A file that is refused must be refused with a reason and a place,
 * and must not change anything.  What is accepted is printed, unless iptables
 * prints a rule that it cannot read; what is printed must read back as the same
 * rules and print the same.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "engine/env.h"
#include "xt2tables/json/json-ruleset.h"
#include "xt2tables/text/text.h"
#include "round-trip.h"

#define need(so)                                                                \
	do {                                                                    \
		if (!(so)) {                                                    \
			dprintf(STDOUT_FILENO, "line %d: %s\n", __LINE__, #so); \
			abort();                                                \
		}                                                               \
	} while (0)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static int file;
static char path[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	round_trip_option(argc, argv, "-detect_leaks=0"); /* of plugins, as in fuzz-text.c */
	round_trip_option(argc, argv, "-max_len=4096");
	stderr = fopen("/dev/null", "w");
	file = memfd_create("json", MFD_CLOEXEC);
	need(stderr && file >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return 0;
}

static int json_read(const void *json, size_t size, struct xt2_ruleset *rs)
{
	struct xt2_err err;
	int ret;

	need(!ftruncate(file, 0));
	need(pwrite(file, json, size, 0) == (ssize_t)size);
	ret = xt2_json_read(path, rs, 0, &err);
	if (ret)
		need(ret == -EINVAL && err.line && err.message[0] && !strcmp(err.file, path));
	return ret;
}

/* => NULL: it has a rule whose text is not its own */
static char *json_write(const struct xt2_ruleset *rs, size_t *size)
{
	char *json = NULL;
	FILE *mem = open_memstream(&json, size);
	int ret;

	need(mem);
	ret = xt2_json_write(mem, rs, 0, NULL);
	need(!fclose(mem));
	if (!ret)
		return json;
	need(ret == -EOPNOTSUPP && *xt2_text_why());
	free(json);
	return NULL;
}

static void same(const struct xt2_ruleset *a, const struct xt2_ruleset *b)
{
	u8 x[XT2_DIGEST_SIZE], y[XT2_DIGEST_SIZE];

	need(!xt2_ruleset_digest(a, x) && !xt2_ruleset_digest(b, y));
	need(!memcmp(x, y, sizeof(x)));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const char start[] =
		"{\"xt2\":1,\"tables\":[{\"family\":\"ipv4\",\"name\":\"nat\",\"chains\":["
		"{\"name\":\"a\",\"rules\":[{\"rule\":\"-j LOG\",\"packets\":3}]}]}]}";
	struct xt2_ruleset *rs = xt2_ruleset_new(), *back = xt2_ruleset_new(), *before;
	char *json, *again;
	size_t len;

	need(rs && back && !json_read(start, sizeof(start) - 1, rs));
	before = xt2_ruleset_clone(rs);
	need(before);
	if (json_read(data, size, rs)) {
		same(rs, before);
	} else {
		json = json_write(rs, &len);
		if (json) {
			need(!json_read(json, len, back));
			same(rs, back);
			again = json_write(back, &len);
			need(again && !strcmp(json, again));
			free(again);
		}
		free(json);
	}
	xt2_ruleset_free(before);
	xt2_ruleset_free(back);
	xt2_ruleset_free(rs);
	return 0;
}
