/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump.c - xt2 dump: the layout of an image, with offsets and sizes
 *
 * For people who want to see the bytes' structure; doc/format.md explains it.
 */
#include <getopt.h>
#include <string.h>
#include "../engine/image.h"
#include "text.h"
#include "xt2.h"

static __u64 offset(const struct xt2_image *img, const void *p)
{
	return (const __u8 *)p - (const __u8 *)img;
}

static void hex(const void *p, size_t n)
{
	const __u8 *b = p;
	size_t i;

	for (i = 0; i < n; i++)
		printf("%s%02x", i % 8 ? "" : " ", b[i]);
}

static void dump_rule(const struct xt2_image *img, const struct xt2_rule *r, unsigned int n,
		      bool bytes)
{
	const char *target = xt2_target_name(XT2_TARGET_KIND(r->target));
	__u32 arg = XT2_TARGET_ARG(r->target);
	const struct xt2_match *m;

	printf("    %8llx  rule %u: %u bytes, %s", (unsigned long long)offset(img, r), n, r->size,
	       target);
	if (arg)
		printf(" %u", arg);
	printf(", %llu packets %llu bytes\n", (unsigned long long)r->packets,
	       (unsigned long long)r->bytes);
	xt2_rule_for_each_match(m, r) {
		printf("    %8llx    %s%s: %u bytes, arg 0x%x", (unsigned long long)offset(img, m),
		       m->flags & XT2_MATCH_INVERT ? "! " : "", xt2_match_name(m->type), m->size,
		       m->arg);
		if (bytes && m->size > sizeof(*m))
			hex(m + 1, m->size - sizeof(*m));
		putchar('\n');
	}
	if (xt2_rule_target_size(r)) {
		printf("    %8llx    target data: %u bytes",
		       (unsigned long long)offset(img, xt2_rule_target_data(r)),
		       xt2_rule_target_size(r));
		if (bytes)
			hex(xt2_rule_target_data(r), xt2_rule_target_size(r));
		putchar('\n');
	}
}

static void dump_chain(const struct xt2_image *img, const struct xt2_root *root,
		       const struct xt2_chain *c, const char *only, bool bytes)
{
	const struct xt2_chain_cold *cold = xt2_image_chain_cold(img, root, c->index);
	const struct xt2_table *t = xt2_image_table(img, root, c->table);
	const struct xt2_rule *r;
	unsigned int n = 1;

	if (only && strcmp(only, cold->name))
		return;
	printf("%8llx  chain %u %s/%s/%s: %u bytes, %u used, %u rules", (unsigned long long)offset(img, c),
	       c->index, xt2_family_name(t->family), t->name, cold->name, c->size, c->used, c->rules);
	if (c->hook != XT2_HOOK_NONE)
		printf(", hook %s", xt2_hook_name(t->family, c->hook));
	putchar('\n');
	xt2_chain_for_each_rule(r, c)
		dump_rule(img, r, n++, bytes);
}

static void dump_instances(const struct xt2_image *img, const struct xt2_root *root)
{
	static const char *const kinds[] = { "?", "comment", "match", "target", "source" };
	__u32 i;

	for (i = 0; i < root->instances; i++) {
		const struct xt2_instance *in = xt2_image_instance(img, root, i);

		printf("%8llx  instance %u: %s", (unsigned long long)offset(img, in), i, kinds[in->kind]);
		if (in->name[0])
			printf(" %s revision %u", in->name, in->revision);
		if (in->kind == XT2_INSTANCE_COMMENT || in->kind == XT2_INSTANCE_SOURCE)
			printf(" \"%.*s\"", (int)in->size, (const char *)xt2_instance_data(in));
		printf(", %u bytes\n", in->size);
	}
}

static void dump(const struct xt2_image *img, const char *only, bool bytes)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_table *t;
	const struct xt2_hook *h;
	__u32 i;

	printf("%8x  image: version %u, %llu bytes\n", 0, img->version, (unsigned long long)img->size);
	if (!root) {
		puts("          no ruleset");
		return;
	}
	printf("%8llx  root: generation %llu, %u tables, %u hooks, %u chains, %u cells, %u instances, "
	       "depth %u, visits %llu\n", (unsigned long long)img->root,
	       (unsigned long long)root->generation, root->tables, root->hooks, root->chains,
	       root->cells, root->instances, root->depth, (unsigned long long)root->visits);
	xt2_image_for_each_table(t, i, img, root)
		printf("%8llx  table %u: %s %s\n", (unsigned long long)offset(img, t), i,
		       xt2_family_name(t->family), t->name);
	xt2_image_for_each_hook(h, i, img, root)
		printf("%8llx  hook: %s %s, table %u, priority %d, chain %u, depth %u, visits %llu\n",
		       (unsigned long long)offset(img, h), xt2_family_name(h->family),
		       xt2_hook_name(h->family, h->hook), h->table, h->priority, h->chain, h->depth,
		       (unsigned long long)h->visits);
	printf("%8x  chain table: %u pages\n", root->chain_dir,
	       (root->chains + XT2_CHAIN_PAGE - 1) / XT2_CHAIN_PAGE);
	xt2_image_for_each_chain(c, i, img, root)
		dump_chain(img, root, c, only, bytes);
	for (i = 0; i < root->cells; i++)
		printf("%8llx  cell %u: 0x%llx\n", (unsigned long long)root->cell + 8 * i, i,
		       (unsigned long long)*xt2_image_cell(img, root, i));
	dump_instances(img, root);
}

static const char help[] =
	"Usage: xt2 dump [-x] [--chain NAME] IMAGE\n\n"
	"Shows an image's layout: everything in it with its offset and size.\n\n"
	"  -x, --hex              the payloads' bytes as well\n"
	"  -c, --chain NAME       of the chains, only this one\n";

static const struct option options[] = {
	{ "hex", 0, NULL, 'x' }, { "chain", 1, NULL, 'c' }, { "help", 0, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

int xt2_dump_main(int argc, char **argv)
{
	struct xt2_mapping map;
	struct xt2_err err = { 0 };
	const char *only = NULL;
	bool bytes = false;
	int c;

	while ((c = getopt_long(argc, argv, "xc:h", options, NULL)) != -1)
		switch (c) {
		case 'x': bytes = true; break;
		case 'c': only = optarg; break;
		case 'h': fputs(help, stdout); return XT2_EXIT_OK;
		default: return xt2_usage("dump", "bad arguments");
		}
	if (optind + 1 != argc)
		return xt2_usage("dump", "give one image");
	if (xt2_image_open(argv[optind], &map, &err) < 0)
		return xt2_fail(&err);
	dump(map.image, only, bytes);
	xt2_image_close(&map);
	return fflush(stdout) == EOF ? XT2_EXIT_RESOURCE : XT2_EXIT_OK;
}
