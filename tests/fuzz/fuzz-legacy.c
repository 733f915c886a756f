/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz-legacy.c - hostile SET_REPLACE blobs of eight formats
 *
 * The first byte says which format; XT2_FUZZ_FORMAT=ipt32, or a name of the
 * program that ends with a format's, keeps to one.  What is accepted becomes
 * rules, each well-formed, and is written in both widths; both are accepted
 * again with the same rules, and are then written as they were.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "engine/rule.h"
#include "translators/table/legacy.h"
#include "legacy-mutate.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const u8 *a, size_t a_size, const u8 *b, size_t b_size, u8 *out,
				 size_t max, unsigned int seed);

#define SIZE_MAX_IN (64 * 1024)
#define ROOM	    (8 * SIZE_MAX_IN)
#define INSTANCES   4096
#define HEADER_MAX  128

/* A blob, and the rules that it says. */
struct side {
	const struct fuzz_format *f;
	struct xt2_legacy in;
	struct xt2_legacy_err err;
	void *scratch;
	u8 *rules, *carried; /* ROOM bytes each: rules, and instances */
	u32 rules_used, carried_used;
	const struct xt2_instance *instance[INSTANCES];
	u32 instances, cells;
};

static int only = -1; /* the format */
static struct side sides[3];
static struct xt2_legacy_sink *sink;
static struct xt2_legacy_writer *writer;

#define must(ok) ((ok) ? (void)0 : die(#ok))

static void die(const char *what)
{
	u32 i;

	fprintf(stderr, "does not hold: %s\n", what);
	fprintf(stderr, "writer: %s\n", writer->what ? writer->what : "-");
	for (i = 0; i < 3; i++)
		fprintf(stderr, "%u: %s, entry %u, offset %u, %s\n", i,
			sides[i].err.what ? sides[i].err.what : "-", sides[i].err.entry,
			sides[i].err.offset, sides[i].err.field ? sides[i].err.field : "-");
	abort();
}

/* --- in ---------------------------------------------------------------------------- */

static int add_instance(void *data, u8 kind, u8 revision, const char *name, const void *payload,
			u32 size)
{
	struct side *s = data;
	struct xt2_instance *in = (struct xt2_instance *)(s->carried + s->carried_used);

	u32 whole = (u32)((sizeof(*in) + size + 7) & ~7ul);

	must(s->instances < INSTANCES && s->carried_used + whole <= ROOM);
	memset(in, 0, whole); /* all of it is compared */
	in->kind = kind;
	in->revision = revision;
	in->size = size;
	strncpy(in->name, name, sizeof(in->name) - 1);
	memcpy(in + 1, payload, size);
	s->carried_used += whole;
	s->instance[s->instances] = in;
	return (int)s->instances++;
}

/* Each with a memory has one of its own, or the last: an image has so many. */
static int add_cell(void *data, u8 family, const struct xt2_match *m)
{
	struct side *s = data;
	u32 first = s->cells;

	(void)family;
	if (!(xt2_match_info(m->type) & XT2_EXT_MEMORY)) {
		s->cells++;
		return (int)first;
	}
	first = (first + XT2_MEMORY_CELLS - 1) / XT2_MEMORY_CELLS * XT2_MEMORY_CELLS;
	if (first >= XT2_MEMORIES_MAX * XT2_MEMORY_CELLS)
		return (XT2_MEMORIES_MAX - 1) * XT2_MEMORY_CELLS;
	s->cells = first + XT2_MEMORY_CELLS;
	return (int)first;
}

static const struct xt2_instance *get_instance(void *data, u32 number)
{
	const struct side *s = data;

	return number < s->instances ? s->instance[number] : NULL;
}

static void read_chain(struct side *s, u32 number)
{
	const struct xt2_rule *r = (const struct xt2_rule *)sink->rule;
	struct xt2_rule_bounds bounds = { .family = s->f->family, .chains = s->in.chains };
	struct xt2_legacy_chain c;
	const char *why = NULL;
	u32 n = 0;
	int ret;

	xt2_legacy_chain(&s->in, number, &c);
	while ((ret = xt2_legacy_rule(&s->in, &c, sink)) > 0) {
		bounds.cells = s->cells;
		bounds.instances = s->instances;
		if (xt2_check_rule(r, r->size, &bounds, &why))
			die(why);
		must(s->rules_used + r->size <= ROOM);
		memcpy(s->rules + s->rules_used, r, r->size);
		s->rules_used += r->size;
		n++;
	}
	must(!ret && n == c.rules);
	must(xt2_rule_is_tail(r, s->f->family, c.hook != XT2_HOOK_NONE));
}

/* => what xt2_legacy_check() says */
static int read_blob(struct side *s, const struct fuzz_format *f, const u8 *blob, size_t len)
{
	u32 i;
	int ret;

	free(s->scratch);
	s->scratch = malloc(xt2_legacy_scratch(f->family, f->compat, len));
	ret = xt2_legacy_check(&s->in, f->family, f->compat, blob, len, s->scratch, &s->err);
	s->f = f;
	s->rules_used = s->carried_used = s->instances = s->cells = 0;
	sink->data = s;
	for (i = 0; !ret && i < s->in.chains; i++)
		read_chain(s, i);
	return ret;
}

/* --- out ---------------------------------------------------------------------------- */

static int write_chains(struct side *s, const struct fuzz_format *f, u8 *out, u64 cap, u32 *place)
{
	const struct xt2_rule *r = (const struct xt2_rule *)s->rules;
	struct xt2_legacy_chain c;
	u32 i, n;

	must(!xt2_legacy_write_begin(writer, f->family, f->compat, out, cap, place, s->in.chains,
				     get_instance, s));
	for (i = 0; i < s->in.chains; i++) {
		xt2_legacy_chain(&s->in, i, &c);
		if (xt2_legacy_write_chain(writer, i, c.hook, c.name))
			return writer->error;
		for (n = c.rules; n; n--) {
			if (xt2_legacy_write_rule(writer, r))
				return writer->error;
			r = (const struct xt2_rule *)((const u8 *)r + r->size);
		}
	}
	return 0;
}

/* The header that a tool would send with what was written. */
static void put_header(const struct side *s, const struct fuzz_format *f, u8 *to)
{
	u32 size = (u32)writer->size, one = 1;
	u64 base = 0x10000, at;
	u32 h;

	memset(to, 0, f->header);
	memcpy(to, s->in.table, 32);
	memcpy(to + 32, &writer->valid_hooks, 4);
	memcpy(to + f->entries, &writer->entries, 4);
	memcpy(to + f->size, &size, 4);
	memcpy(to + f->num_counters, &one, 4);
	if (f->family != XT2_BRIDGE) {
		memcpy(to + f->hook_entry, writer->hook_entry, 4u * f->hooks);
		memcpy(to + f->underflow, writer->underflow, 4u * f->hooks);
		return;
	}
	memcpy(to + f->num_counters, &writer->entries, 4);
	memcpy(to + f->header - (f->compat ? 4 : 8), &base, f->compat ? 4 : 8);
	for (h = 0; h < f->hooks; h++) {
		at = base + writer->hook_entry[h];
		if (writer->valid_hooks & 1u << h)
			memcpy(to + f->hook_entry + h * (f->compat ? 4 : 8), &at,
			       f->compat ? 4 : 8);
	}
}

/* => a blob whose entries take size bytes, exactly; free() */
static u8 *write_exactly(struct side *s, const struct fuzz_format *f, u64 size, u32 *place)
{
	u8 *blob = malloc(f->header + size);
	void *scratch;

	must(!write_chains(s, f, blob + f->header, size, place));
	scratch = malloc(xt2_legacy_write_scratch(writer));
	must(!xt2_legacy_write_end(writer, scratch));
	must(writer->size == size);
	put_header(s, f, blob);
	free(scratch);
	return blob;
}

/* => a blob of *len bytes; free().  NULL: this width cannot hold it */
static u8 *write_blob(struct side *s, const struct fuzz_format *f, size_t *len)
{
	u32 *place = malloc((s->in.chains + 1) * sizeof(*place));
	u8 *blob;
	int ret;

	write_chains(s, f, NULL, 0, place);
	ret = xt2_legacy_write_end(writer, NULL);
	/* A bridge's marks may have 64 bits. */
	must(ret == -ENOSPC || ret == -E2BIG ||
	     (ret == -EOPNOTSUPP && f->compat && f->family == XT2_BRIDGE));
	if (ret != -ENOSPC) {
		free(place);
		return NULL;
	}
	*len = f->header + writer->size;
	blob = write_exactly(s, f, writer->size, place);
	free(place);
	return blob;
}

static void must_write(struct side *s, const struct fuzz_format *f, const u8 *blob, size_t len)
{
	u32 *place = malloc((s->in.chains + 1) * sizeof(*place));
	u8 *again = write_exactly(s, f, len - f->header, place);

	must(!memcmp(again, blob, len));
	free(again);
	free(place);
}

static const struct fuzz_format *other(const struct fuzz_format *f)
{
	return &fuzz_formats[(f - fuzz_formats) ^ 1];
}

/* Do both carry the same? */
static bool carry_alike(const struct side *a, const struct side *b)
{
	return a->instances == b->instances && a->carried_used == b->carried_used &&
	       !memcmp(a->carried, b->carried, a->carried_used);
}

static void must_agree(const struct side *a, const struct side *b)
{
	must(a->in.chains == b->in.chains && a->cells == b->cells);
	must(a->rules_used == b->rules_used && !memcmp(a->rules, b->rules, a->rules_used));
	must(carry_alike(a, b));
}

/*
 * What came in, and what was made of it.  Carried payloads lose what is the
 * kernel's own, and what is carried for that alone is then packed.
 */
static void must_stay(const struct side *in, const struct side *out)
{
	must(in->in.chains == out->in.chains);
	if (carry_alike(in, out))
		must_agree(in, out);
}

/*
 * Write what came in, and read that.  What was carried for the sake of bytes
 * that do not stay is packed then, so that may take a second time.
 * => the blob, free(), which comes out of s as it is; NULL: too large
 */
static u8 *settle(struct side *in, struct side *s, const struct fuzz_format *f, size_t *len)
{
	u8 *blob = write_blob(in, f, len), *first;

	if (!blob)
		return NULL;
	must(!read_blob(s, f, blob, *len));
	must_stay(in, s);
	if (!carry_alike(in, s)) {
		first = blob;
		blob = write_blob(s, f, len);
		must(blob && !read_blob(s, f, blob, *len));
		free(first);
	}
	must_write(s, f, blob, *len);
	return blob;
}

static void turn(const struct fuzz_format *f, const u8 *data, size_t size)
{
	struct side *in = &sides[0], *one = &sides[1], *two = &sides[2];
	size_t one_len, two_len;
	u8 *one_blob, *two_blob;

	if (read_blob(in, f, data, size))
		return;
	one_blob = settle(in, one, f, &one_len);
	two_blob = settle(in, two, other(f), &two_len);
	if (one_blob && two_blob) /* and so they are written alike */
		must_agree(one, two);
	free(one_blob);
	free(two_blob);
}

/* --- libFuzzer ------------------------------------------------------------------------ */

static int format_named(const char *name)
{
	size_t len = strlen(name), n;
	int i, found = -1;

	for (i = 0; i < FUZZ_FORMATS; i++) {
		n = strlen(fuzz_formats[i].name);
		if (len >= n && !strcmp(name + len - n, fuzz_formats[i].name))
			found = i;
	}
	return found;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("XT2_FUZZ_FORMAT");
	u32 i;

	only = format_named(name ? name : (*argv)[0]);
	if (name && only < 0) {
		fprintf(stderr, "XT2_FUZZ_FORMAT: no such format\n");
		exit(2);
	}
	sink = calloc(1, sizeof(*sink));
	writer = calloc(1, sizeof(*writer));
	sink->instance = add_instance;
	sink->cell = add_cell;
	for (i = 0; i < 3; i++) {
		sides[i].rules = malloc(ROOM);
		sides[i].carried = malloc(ROOM);
	}
	return 0;
}

static const struct fuzz_format *format_of(const u8 *data)
{
	return &fuzz_formats[only >= 0 ? only : data[0] % FUZZ_FORMATS];
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const struct fuzz_format *f;

	if (size < 1 || size > SIZE_MAX_IN)
		return 0;
	f = format_of(data);
	if (xt2_legacy_family(f->family))
		turn(f, data + 1, size - 1);
	return 0;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	const struct fuzz_format *f;

	if (!size)
		data[0] = (u8)seed;
	f = format_of(data);
	data[0] = (u8)(f - fuzz_formats);
	return 1 + fuzz_mutate(f, data + 1, size ? size - 1 : 0, max - 1, seed);
}

size_t LLVMFuzzerCustomCrossOver(const u8 *a, size_t a_size, const u8 *b, size_t b_size, u8 *out,
				 size_t max, unsigned int seed)
{
	const struct fuzz_format *f;
	size_t n;

	if (!a_size || !b_size || max < 2)
		return 0;
	f = format_of(a);
	out[0] = (u8)(f - fuzz_formats);
	if (f != format_of(b))
		return 0;
	n = fuzz_cross(f, a + 1, a_size - 1, b + 1, b_size - 1, out + 1, max - 1, seed);
	return n ? n + 1 : 0;
}
