/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-dump.c - xt2 dump: the layout of an image, with offsets and sizes
 *
 * For people who want to see the bytes' structure; doc/format.md explains it.
 * The kernel's binary formats are dump-blob.c's.
 */
#include "engine/order.h"
#include "engine/index/patched.h"
#include "dump.h"
#include "xt2tables/files/file.h"
#include "xt2tables/text/nearest.h"
#include "xt2tables/cmd/index-report.h"
#include "xt2tables/files/sandbox.h"
#include "xt2tables/text/text.h"

struct dump {
	struct xt2_rows rows;
	const struct xt2_image *img;
	const struct xt2_root *root;
	const char *only; /* of the chains, only this one */
	bool bytes;
	bool no_memory; /* to say why a chain is plain */
};

static void bytes(const struct dump *d, const void *p, size_t n)
{
	if (d->bytes)
		xt2_row_bytes(&d->rows, p, n);
}

static void dump_rule(struct dump *d, const struct xt2_rule *r, unsigned int n)
{
	const struct xt2_match *m;

	xt2_row(&d->rows, r, 2, "rule", r->size);
	xt2_row_add(&d->rows, "number %u target %s", n,
		    xt2_target_name(XT2_TARGET_KIND(r->target)));
	if (XT2_TARGET_ARG(r->target))
		xt2_row_add(&d->rows, "argument %u", XT2_TARGET_ARG(r->target));
	xt2_row_add(&d->rows, "packets %llu bytes %llu", r->packets, r->bytes);
	xt2_row_end(&d->rows);
	xt2_rule_for_each_match(m, r) {
		xt2_row(&d->rows, m, 4, "match", m->size);
		xt2_row_add(&d->rows, "type %s flags %u argument %u", xt2_match_name(m->type),
			    m->flags, m->arg);
		bytes(d, m + 1, m->size - sizeof(*m));
		xt2_row_end(&d->rows);
	}
	if (xt2_rule_target_size(r)) {
		xt2_row(&d->rows, xt2_rule_target_data(r), 4, "target data",
			xt2_rule_target_size(r));
		bytes(d, xt2_rule_target_data(r), xt2_rule_target_size(r));
		xt2_row_end(&d->rows);
	}
}

static void dump_index(struct dump *d, const struct xt2_chain *c,
		       const struct xt2_representation *rep)
{
	xt2_row(&d->rows, xt2_chain_index(c), 2, "index", rep->size);
	xt2_row_add(&d->rows, "kind %s fields %s units %u runs %u", xt2_kind_name(rep->kind),
		    rep->fields, rep->units, rep->runs);
	if (rep->kind == XT2_INDEX_PAIRS) {
		xt2_row_add(&d->rows, "buckets %u nested %u nested_units %u", rep->buckets,
			    rep->nested, rep->nested_units);
	}
	if (rep->kind == XT2_INDEX_SEGMENTS) {
		xt2_row_add(&d->rows, "segments %u commons %u", rep->segments, rep->commons);
	}
	xt2_row_add(&d->rows, "bytes_a_rule %.1f", (double)rep->size / rep->rules);
	xt2_row_end(&d->rows);
}

/* Numbers of a patched chain's rules, asked for in their order. */
struct numbers {
	struct xt2_in_order order;
	const struct xt2_rule *next; /* NULL: the end */
	unsigned int n; /* its number */
};

static void numbers_begin(struct numbers *w, const struct dump *d, const struct xt2_chain *c)
{
	xt2_order_begin(&w->order, d->img, c);
	w->next = xt2_order_next(&w->order);
	w->n = 1;
}

static void numbers_step(struct numbers *w)
{
	w->next = xt2_order_next(&w->order);
	w->n++;
}

/* => number of a rule that was compiled; 0: it is deleted */
static unsigned int number_compiled(struct numbers *w, const struct xt2_rule *r)
{
	while (w->next && !xt2_is_compiled(w->order.compiled, w->next))
		numbers_step(w);
	if (w->next != r)
		return 0;
	numbers_step(w);
	return w->n - 1;
}

static unsigned int number_inserted(struct numbers *w, const struct xt2_rule *r)
{
	while (w->next && w->next != r)
		numbers_step(w);
	return w->n;
}

static void dump_items(struct dump *d, const struct xt2_patch_part *part, struct numbers *numbers)
{
	const struct xt2_patch_page *page = xt2_at(d->img, part->page);
	const struct xt2_inserted *in;
	__u32 i;

	xt2_row(&d->rows, page, 2, "items", sizeof(*page));
	xt2_row_add(&d->rows, "number %u more %d", page->items, part->more);
	xt2_row_end(&d->rows);
	for (i = 0; i < page->items; i++) {
		const struct xt2_patch_item *item = &page->item[i];

		if (!item->rule) {
			xt2_row(&d->rows, item, 4, "deleted", sizeof(*item));
			xt2_row_add(&d->rows, "at %u", item->at);
			xt2_row_end(&d->rows);
			continue;
		}
		in = xt2_inserted_of(xt2_at(d->img, item->rule));
		xt2_row(&d->rows, in, 4, "inserted", sizeof(*in) - sizeof(in->rule));
		xt2_row_add(&d->rows, "at %u label %u line %u", in->at, in->label, in->line);
		xt2_row_end(&d->rows);
		dump_rule(d, &in->rule, number_inserted(numbers, &in->rule));
	}
}

static void dump_buckets(struct dump *d, const struct xt2_patch *p)
{
	const struct xt2_patch_bucket *b;
	__u32 i, at;

	for (i = 0; i < xt2_patch_slots(p); i++) {
		for (at = xt2_patch_slot_at(d->img, p, i)->bucket; at; at = b->next) {
			b = xt2_at(d->img, at);
			xt2_row(&d->rows, b, 2, "bucket", sizeof(*b));
			xt2_row_add(&d->rows, "number %u entries %u", i, b->entries);
			xt2_row_end(&d->rows);
		}
	}
}

/* The tail of a patched chain, its changes, and the rules that were compiled. */
static void dump_patch(struct dump *d, const struct xt2_chain *c, const struct xt2_patch *p)
{
	const struct xt2_patch_part *part = xt2_at(d->img, p->part);
	const struct xt2_chain *compiled = xt2_chain_compiled(d->img, c);
	const struct xt2_rule *r;
	struct numbers numbers;
	__u32 i;

	dump_rule(d, xt2_chain_tail(c), xt2_chain_length(d->img, c));
	xt2_row(&d->rows, p, 2, "patch", sizeof(*p));
	xt2_row_add(&d->rows, "inserted %u deleted %u parts %u classes %u", p->inserted, p->deleted,
		    p->parts, p->classes);
	xt2_row_end(&d->rows);
	numbers_begin(&numbers, d, c);
	for (i = 0; i < p->parts; i++)
		dump_items(d, &part[i], &numbers);
	dump_buckets(d, p);
	xt2_row(&d->rows, compiled, 2, "compiled", compiled->size);
	xt2_row_add(&d->rows, "rules %u used %u", compiled->rules, compiled->used);
	xt2_row_end(&d->rows);
	numbers_begin(&numbers, d, c);
	xt2_chain_for_each_rule(r, compiled)
		dump_rule(d, r, number_compiled(&numbers, r));
}

static void dump_chain(struct dump *d, const struct xt2_chain *c)
{
	const struct xt2_chain *compiled = xt2_chain_compiled(d->img, c);
	const struct xt2_patch *p = xt2_chain_patch(c);
	const struct xt2_chain_cold *cold = xt2_image_chain_cold(d->img, d->root, c->index);
	const struct xt2_table *t = xt2_image_table(d->img, d->root, c->table);
	struct xt2_representation rep;
	const struct xt2_rule *r;
	unsigned int n = 1;

	if (d->only && strcmp(d->only, cold->name))
		return;
	xt2_row(&d->rows, c, 0, "chain", c->size);
	xt2_row_add(&d->rows, "index %u family %s table %s name %s", c->index,
		    xt2_family_name(t->family), t->name, cold->name);
	if (c->hook != XT2_HOOK_NONE)
		xt2_row_add(&d->rows, "hook %s", xt2_hook_name(t->family, c->hook));
	xt2_row_add(&d->rows, "rules %u used %u", xt2_chain_length(d->img, c), c->used);
	d->no_memory |= xt2_represent(compiled, t->family, &rep) < 0;
	xt2_row_add(&d->rows, "represented %s why %s", xt2_kind_name(rep.kind), rep.why);
	xt2_row_end(&d->rows);
	if (p) {
		dump_patch(d, c, p);
	} else {
		xt2_chain_for_each_rule(r, c)
			dump_rule(d, r, n++);
	}
	if (rep.kind)
		dump_index(d, compiled, &rep);
}

static void dump_instance(struct dump *d, const struct xt2_instance *in, unsigned int i)
{
	static const char *const kinds[] = { "?", "comment", "match", "target", "source" };
	char text[256];

	xt2_row(&d->rows, in, 0, "instance", sizeof(*in) + in->size);
	xt2_row_add(&d->rows, "index %u kind %s", i, kinds[in->kind]);
	if (in->name[0]) {
		xt2_row_add(&d->rows, "name %s revision %u", in->name, in->revision);
		bytes(d, xt2_instance_data(in), in->size);
	}
	if (!in->name[0] || in->kind == XT2_INSTANCE_COMMENT) {
		snprintf(text, sizeof(text), "%.*s", (int)in->size,
			 (const char *)xt2_instance_data(in));
		xt2_row_add(&d->rows, "text %s", text);
	}
	xt2_row_end(&d->rows);
}

static void dump_root(struct dump *d)
{
	const struct xt2_root *root = d->root;

	xt2_row(&d->rows, root, 0, "root", sizeof(*root));
	xt2_row_add(
		&d->rows,
		"generation %llu tables %u hooks %u chains %u cells %u instances %u depth %u visits %llu",
		root->generation, root->tables, root->hooks, root->chains, root->cells,
		root->instances, root->depth, root->visits);
	xt2_row_end(&d->rows);
}

static void dump_hook(struct dump *d, const struct xt2_hook *h)
{
	xt2_row(&d->rows, h, 0, "hook", sizeof(*h));
	xt2_row_add(&d->rows,
		    "family %s hook %s table %u priority %d chain %u depth %u visits %llu",
		    xt2_family_name(h->family), xt2_hook_name(h->family, h->hook), h->table,
		    h->priority, h->chain, h->depth, h->visits);
	xt2_row_end(&d->rows);
}

static void dump(struct dump *d)
{
	const struct xt2_chain *c;
	const struct xt2_table *t;
	const struct xt2_hook *h;
	__u32 i;

	xt2_row(&d->rows, d->img, 0, "image", d->img->size);
	xt2_row_add(&d->rows, "version %u", d->img->version);
	xt2_row_end(&d->rows);
	if (!d->root)
		return;
	dump_root(d);
	xt2_image_for_each_table(t, i, d->img, d->root) {
		xt2_row(&d->rows, t, 0, "table", sizeof(*t));
		xt2_row_add(&d->rows, "index %u family %s name %s", i, xt2_family_name(t->family),
			    t->name);
		xt2_row_end(&d->rows);
	}
	xt2_image_for_each_hook(h, i, d->img, d->root)
		dump_hook(d, h);
	xt2_image_for_each_chain(c, i, d->img, d->root)
		dump_chain(d, c);
	for (i = 0; i < d->root->cells; i++) {
		xt2_row(&d->rows, xt2_image_cell(d->img, d->root, i), 0, "cell", sizeof(__u64));
		xt2_row_add(&d->rows, "index %u value %llu", i,
			    *xt2_image_cell(d->img, d->root, i));
		xt2_row_end(&d->rows);
	}
	for (i = 0; i < d->root->instances; i++)
		if (xt2_instance_offset(d->img, d->root, i))
			dump_instance(d, xt2_image_instance(d->img, d->root, i), i);
}

static const char help[] =
	"Usage: xt2 dump [-x] [--chain NAME] [--json] {IMAGE | --live}\n"
	"       xt2 dump [--family 4|6|arp|eb] [--width 64|32] [--chain NAME] [--json] BLOB\n\n"
	"Shows an image's layout: everything in it with its offset and size, and why a chain\n"
	"has an index or none.  Or a table in\n"
	"the kernel's binary format, header and entries, as iptables hands it to\n"
	"setsockopt(SO_SET_REPLACE); of a broken one what is sound, and then the reason.\n\n"
	"  -x, --hex              the payloads' bytes as well; of BLOB they are always shown\n"
	"  -c, --chain NAME       of the chains, only this one\n"
	"      --family, --width  BLOB's format, if it cannot be told from its bytes\n"
	"      --json             JSON: an array of objects\n" XT2_INPUT_HELP
	"\nExit codes: 0 ok, 1 there is no live ruleset, 2 the file or the arguments are wrong,\n"
	"3 not possible here or not permitted, 4 out of a resource.\n";

static const struct xt2_err no_memory = { .code = XT2_E_SYSTEM,
					  .errnum = ENOMEM,
					  .message = "out of memory" };

/* @f: the image; NULL: what is live.  => XT2_EXIT_* */
static int dump_image(struct dump *d, struct xt2_input *in, const struct xt2_opened_file *f)
{
	char say[XT2_NEAREST_SIZE];
	int ret;

	in->image = in->patched = true;
	ret = f ? xt2_input_load_file(in, f) : xt2_input_open(in);
	if (ret != XT2_EXIT_OK)
		return ret;
	d->rows.base = d->img = in->map.image;
	d->root = xt2_image_root(in->map.image);
	if (d->only && !xt2_nearest_chain(in->rs, 0, NULL, d->only, say)) {
		ret = xt2_usage("dump", "%s has no chain '%s'%s", in->path, d->only, say);
		xt2_input_close(in);
		return ret;
	}
	if (d->rows.json)
		putchar('[');
	dump(d);
	if (d->rows.json)
		puts("]");
	xt2_input_close(in);
	if (d->no_memory)
		return xt2_fail(&no_memory);
	return XT2_EXIT_OK;
}

/* @must: it was said to be one.  => XT2_EXIT_*; -1: it is none */
static int dump_blob(struct xt2_blob_dump *b, const struct xt2_opened_file *f, bool must)
{
	struct xt2_err err;
	int ret = xt2_file_rest(f, b->path, XT2_BLOB_MAX, &b->blob, &err);

	if (ret == -EFBIG && !must)
		return -1;
	if (ret)
		return xt2_fail(&err);
	ret = xt2_blob_format(b);
	if (!ret)
		ret = xt2_blob_dump(b);
	else if (ret == -ENOMEM)
		ret = xt2_fail(&no_memory);
	else if (must)
		ret = xt2_usage("dump", "%s: cannot tell its format: say --family and --width",
				b->path);
	free(b->blob.at);
	return ret;
}

static int dump_file(struct dump *d, struct xt2_blob_dump *b, struct xt2_input *in)
{
	bool said = b->family || b->compat >= 0;
	struct xt2_opened_file f;
	struct xt2_err err;
	int ret = xt2_opened_file_open(&f, b->path);

	if (ret) {
		xt2_file_error(&err, -ret, "read", b->path);
		return xt2_fail(&err);
	}
	b->rows.json = d->rows.json;
	b->only = d->only;
	ret = -1;
	if (said || !xt2_opened_file_is_image(&f))
		ret = dump_blob(b, &f, said);
	if (ret < 0)
		ret = dump_image(d, in, &f); /* or tell why it is none */
	xt2_opened_file_close(&f);
	return ret;
}

struct options {
	struct xt2_blob_dump b;
	struct dump d;
	struct xt2_input in;
};

static const struct xt2_option rows[] = {
	XT2_FLAG("hex", 'x', struct options, d.bytes),
	XT2_WORD("chain", 'c', struct options, d.only),
	XT2_FLAG("json", 0, struct options, d.rows.json),
	XT2_FAMILY_WORD("family", struct options, b.family),
	XT2_WIDTH_WORD("width", struct options, b.compat),
	XT2_LIVE_ROWS(struct options, in),
	XT2_ROWS_END,
};

int xt2_dump_main(int argc, char **argv)
{
	struct options o = { .b.compat = -1 };
	int ret = xt2_options("dump", help, rows, &o, argc, argv);

	if (ret >= 0)
		return ret;
	if (xt2_input_path(&o.in, "dump", argv + optind))
		return XT2_EXIT_USAGE;
	o.b.path = o.in.path;
	if (!o.in.live)
		xt2_sandbox_enter(&(struct xt2_sandbox){ .text = false });
	return o.in.live ? dump_image(&o.d, &o.in, NULL) : dump_file(&o.d, &o.b, &o.in);
}
