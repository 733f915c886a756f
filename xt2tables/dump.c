/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump.c - xt2 dump: the layout of an image, with offsets and sizes
 *
 * For people who want to see the bytes' structure; doc/format.md explains it.
 * One walk serves both forms: each thing is a row with its offset, its kind
 * and its properties, a line of text or an object of JSON.
 */
#include <getopt.h>
#include <string.h>
#include "../engine/image.h"
#include "text.h"
#include "xt2.h"

struct dump {
	const struct xt2_image *img;
	const struct xt2_root *root;
	const char *only; /* of the chains, only this one */
	bool bytes, json, first;
};

/* Starts a row: where it is, what it is, how large. */
static void row(struct dump *d, const void *at, unsigned int indent, const char *what, __u64 size)
{
	unsigned long long off = (const __u8 *)at - (const __u8 *)d->img;

	if (d->json) {
		printf("%s{\"offset\":%llu,\"what\":\"%s\",\"size\":%llu", d->first ? "" : ",\n",
		       off, what, (unsigned long long)size);
		d->first = false;
	} else {
		printf("%8llx  %*s%s: %llu bytes", off, indent, "", what, (unsigned long long)size);
	}
}

static void number(const struct dump *d, const char *name, unsigned long long v)
{
	printf(d->json ? ",\"%s\":%llu" : ", %s %llu", name, v);
}

static void word(const struct dump *d, const char *name, const char *v)
{
	if (d->json) {
		printf(",\"%s\":", name);
		xt2_json_string(stdout, v);
	} else {
		printf(", %s ", name);
		for (; *v; v++) /* a terminal must not obey an image */
			putchar((unsigned char)*v < 0x20 || *v == 0x7f ? '?' : *v);
	}
}

static void bytes(const struct dump *d, const void *p, size_t n)
{
	const __u8 *b = p;
	size_t i;

	if (!d->bytes || !n)
		return;
	fputs(d->json ? ",\"bytes\":\"" : ",", stdout);
	for (i = 0; i < n; i++)
		printf("%s%02x", d->json || i % 8 ? "" : " ", b[i]);
	if (d->json)
		putchar('"');
}

static void end(const struct dump *d)
{
	fputs(d->json ? "}" : "\n", stdout);
}

static void dump_rule(struct dump *d, const struct xt2_rule *r, unsigned int n)
{
	const struct xt2_match *m;

	row(d, r, 2, "rule", r->size);
	number(d, "number", n);
	word(d, "target", xt2_target_name(XT2_TARGET_KIND(r->target)));
	if (XT2_TARGET_ARG(r->target))
		number(d, "argument", XT2_TARGET_ARG(r->target));
	number(d, "packets", r->packets);
	number(d, "bytes", r->bytes);
	end(d);
	xt2_rule_for_each_match(m, r) {
		row(d, m, 4, "match", m->size);
		word(d, "type", xt2_match_name(m->type));
		number(d, "flags", m->flags);
		number(d, "argument", m->arg);
		bytes(d, m + 1, m->size - sizeof(*m));
		end(d);
	}
	if (xt2_rule_target_size(r)) {
		row(d, xt2_rule_target_data(r), 4, "target data", xt2_rule_target_size(r));
		bytes(d, xt2_rule_target_data(r), xt2_rule_target_size(r));
		end(d);
	}
}

static void dump_chain(struct dump *d, const struct xt2_chain *c)
{
	const struct xt2_chain_cold *cold = xt2_image_chain_cold(d->img, d->root, c->index);
	const struct xt2_table *t = xt2_image_table(d->img, d->root, c->table);
	const struct xt2_rule *r;
	unsigned int n = 1;

	if (d->only && strcmp(d->only, cold->name))
		return;
	row(d, c, 0, "chain", c->size);
	number(d, "index", c->index);
	word(d, "family", xt2_family_name(t->family));
	word(d, "table", t->name);
	word(d, "name", cold->name);
	if (c->hook != XT2_HOOK_NONE)
		word(d, "hook", xt2_hook_name(t->family, c->hook));
	number(d, "rules", c->rules);
	number(d, "used", c->used);
	end(d);
	xt2_chain_for_each_rule(r, c)
		dump_rule(d, r, n++);
}

static void dump_instance(struct dump *d, const struct xt2_instance *in, unsigned int i)
{
	static const char *const kinds[] = { "?", "comment", "match", "target", "source" };
	char text[256];

	row(d, in, 0, "instance", sizeof(*in) + in->size);
	number(d, "index", i);
	word(d, "kind", kinds[in->kind]);
	if (in->name[0]) {
		word(d, "name", in->name);
		number(d, "revision", in->revision);
		bytes(d, xt2_instance_data(in), in->size);
	}
	if (!in->name[0] || in->kind == XT2_INSTANCE_COMMENT) {
		snprintf(text, sizeof(text), "%.*s", (int)in->size,
			 (const char *)xt2_instance_data(in));
		word(d, "text", text);
	}
	end(d);
}

static void dump_root(struct dump *d)
{
	const struct xt2_root *root = d->root;

	row(d, root, 0, "root", sizeof(*root));
	number(d, "generation", root->generation);
	number(d, "tables", root->tables);
	number(d, "hooks", root->hooks);
	number(d, "chains", root->chains);
	number(d, "cells", root->cells);
	number(d, "instances", root->instances);
	number(d, "depth", root->depth);
	number(d, "visits", root->visits);
	end(d);
}

static void dump_hook(struct dump *d, const struct xt2_hook *h)
{
	row(d, h, 0, "hook", sizeof(*h));
	word(d, "family", xt2_family_name(h->family));
	word(d, "hook", xt2_hook_name(h->family, h->hook));
	number(d, "table", h->table);
	printf(d->json ? ",\"priority\":%d" : ", priority %d", h->priority);
	number(d, "chain", h->chain);
	number(d, "depth", h->depth);
	number(d, "visits", h->visits);
	end(d);
}

static void dump(struct dump *d)
{
	const struct xt2_chain *c;
	const struct xt2_table *t;
	const struct xt2_hook *h;
	__u32 i;

	row(d, d->img, 0, "image", d->img->size);
	number(d, "version", d->img->version);
	end(d);
	if (!d->root)
		return;
	dump_root(d);
	xt2_image_for_each_table(t, i, d->img, d->root) {
		row(d, t, 0, "table", sizeof(*t));
		number(d, "index", i);
		word(d, "family", xt2_family_name(t->family));
		word(d, "name", t->name);
		end(d);
	}
	xt2_image_for_each_hook(h, i, d->img, d->root)
		dump_hook(d, h);
	xt2_image_for_each_chain(c, i, d->img, d->root)
		dump_chain(d, c);
	for (i = 0; i < d->root->cells; i++) {
		row(d, xt2_image_cell(d->img, d->root, i), 0, "cell", sizeof(__u64));
		number(d, "index", i);
		number(d, "value", *xt2_image_cell(d->img, d->root, i));
		end(d);
	}
	for (i = 0; i < d->root->instances; i++)
		dump_instance(d, xt2_image_instance(d->img, d->root, i), i);
}

/* Is there a chain of this name? */
static bool has_chain(const struct dump *d)
{
	const struct xt2_chain *c;
	__u32 i;

	if (d->root)
		xt2_image_for_each_chain(c, i, d->img, d->root)
			if (!strcmp(xt2_image_chain_cold(d->img, d->root, c->index)->name, d->only))
				return true;
	return false;
}

static const char help[] = "Usage: xt2 dump [-x] [--chain NAME] [--json] IMAGE\n\n"
			   "Shows an image's layout: everything in it with its offset and size.\n\n"
			   "  -x, --hex              the payloads' bytes as well\n"
			   "  -c, --chain NAME       of the chains, only this one\n"
			   "      --json             JSON: an array of objects\n";

enum { OPT_JSON = 1 };

static const struct option options[] = {
	{ "hex", 0, NULL, 'x' },  { "chain", 1, NULL, 'c' }, { "json", 0, NULL, OPT_JSON },
	{ "help", 0, NULL, 'h' }, { NULL, 0, NULL, 0 },
};

int xt2_dump_main(int argc, char **argv)
{
	struct xt2_mapping map;
	struct xt2_err err = { 0 };
	struct dump d = { .first = true };
	int c;

	while ((c = getopt_long(argc, argv, "xc:h", options, NULL)) != -1)
		switch (c) {
		case 'x': d.bytes = true; break;
		case 'c': d.only = optarg; break;
		case OPT_JSON: d.json = true; break;
		case 'h': fputs(help, stdout); return XT2_EXIT_OK;
		default: return xt2_see_help("dump");
		}
	if (optind + 1 != argc)
		return xt2_usage("dump", "give one image");
	if (xt2_image_open(argv[optind], &map, &err) < 0)
		return xt2_fail(&err);
	d.img = map.image;
	d.root = xt2_image_root(map.image);
	if (d.only && !has_chain(&d)) {
		xt2_image_close(&map);
		return xt2_usage("dump", "%s has no chain '%s'", argv[optind], d.only);
	}
	if (d.json)
		putchar('[');
	dump(&d);
	if (d.json)
		puts("]");
	xt2_image_close(&map);
	return XT2_EXIT_OK;
}
