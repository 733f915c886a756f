/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make-seeds.c - an image of every rule of rules.h
 *
 * make-seeds FOLDER writes them there, one file each; a rule that the installed
 * libxtables does not know is left out, and named.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "fuzz-rules.h"
#include "engine/env.h"
#include "xt2tables/text/text.h"

/* => 0; -errno */
static int write_text(const char *path, const struct fuzz_rule *r)
{
	FILE *to = fopen(path, "w");

	if (!to)
		return -errno;
	fprintf(to, "*%s\n%s\n%s", r->table, r->rule, r->family == XT2_ARP ? "" : "COMMIT\n");
	return fclose(to) ? -errno : 0;
}

/* Not xt2_image_store(), which waits for the disk. */
static int write_bytes(const char *path, const void *bytes, size_t size)
{
	FILE *to = fopen(path, "w");

	if (!to)
		return -errno;
	fwrite(bytes, 1, size, to);
	return fclose(to) ? -errno : 0;
}

static int pack(const char *text, const char *image, const struct fuzz_rule *r)
{
	struct xt2_text_options opt = { .family = r->family };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_text_errors errors = { 0 };
	struct xt2_mapping map = { 0 };
	struct xt2_err err;
	int ret = rs ? xt2_text_load(text, rs, &opt, &errors) : -ENOMEM;

	if (!ret)
		ret = xt2_ruleset_write(rs, &map, &err);
	if (!ret)
		ret = write_bytes(image, map.image, map.size);
	else if (errors.count)
		printf("left out: %s: %s\n", r->rule, errors.list[0].message);
	xt2_image_close(&map);
	xt2_text_errors_free(&errors);
	xt2_ruleset_free(rs);
	return ret == -EINVAL ? 0 : ret;
}

int main(int argc, char **argv)
{
	char text[512], image[512];
	size_t i;
	int ret;

	if (argc != 2)
		return 2;
	snprintf(text, sizeof(text), "%s/rule", argv[1]);
	for (i = 0; i < XT2_ARRAY_SIZE(fuzz_rules); i++) {
		snprintf(image, sizeof(image), "%s/rule-%03zu", argv[1], i);
		ret = write_text(text, &fuzz_rules[i]);
		if (!ret)
			ret = pack(text, image, &fuzz_rules[i]);
		if (ret < 0) {
			fprintf(stderr, "%s: %s\n", image, strerror(-ret));
			return 1;
		}
	}
	unlink(text);
	return 0;
}
