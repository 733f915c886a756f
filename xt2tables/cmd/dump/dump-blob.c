/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump-blob.c - a table in the kernel's binary format, for people
 *
 * Eight formats are eight rows of offsets.  Nothing in the file is trusted:
 * an entry is looked into when it has been seen to lie in the file, an
 * extension when it lies in its entry; what is not sound ends the walk.  Why a
 * kernel would refuse the table is the library's to say, after the rows.
 */
#include <xt2/sockopt.h>
#include "dump-base.h"
#include "dump.h"
#include "xt2tables/text/nearest.h"

#define HOOKS_MAX 6
#define EBT_CHAIN 48 /* struct ebt_entries */
#define EBT_ENTRY 112 /* struct ebt_entry */

static const struct layout {
	int family, compat;
	unsigned int header, hooks;
	unsigned int num_counters;
	unsigned int entry; /* struct ipt_entry and its like */
	unsigned int offsets; /* in it: target_offset and next_offset */
	unsigned int comefrom, counters;
	unsigned int extension; /* struct xt_entry_match and its like */
} layouts[] = {
	{ XT2_IPV4, 0, 96, 5, 84, 112, 88, 92, 96, 32 },
	{ XT2_IPV4, 1, 92, 5, 84, 112, 88, 92, 96, 32 },
	{ XT2_IPV6, 0, 96, 5, 84, 168, 140, 144, 152, 32 },
	{ XT2_IPV6, 1, 92, 5, 84, 164, 140, 144, 148, 32 },
	{ XT2_ARP, 0, 80, 3, 68, 192, 164, 168, 176, 32 },
	{ XT2_ARP, 1, 76, 3, 68, 188, 164, 168, 172, 32 },
	{ XT2_BRIDGE, 0, 120, 6, 96, EBT_ENTRY, 104, 0, 0, 40 },
	{ XT2_BRIDGE, 1, 80, 6, 68, EBT_ENTRY, 104, 0, 0, 36 },
};

#define LAYOUTS (XT2_ARRAY_SIZE(layouts))

/* A chain, and where jumps to it lead. */
struct chain {
	__u32 at;
	char name[XT2_NAME_SIZE];
};

struct walk {
	struct xt2_blob_dump *d;
	const struct layout *l;
	const __u8 *at; /* entries */
	__u32 size; /* of them, in the file */
	__u32 hooks, hook[HOOKS_MAX], underflow[HOOKS_MAX];
	struct chain *chain; /* user chains, by place */
	__u32 chains, room;
	char now[XT2_NAME_SIZE]; /* chain of the entry */
	char why[96]; /* what is not sound */
};

static __u32 get16(const __u8 *at)
{
	__u16 v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static __u32 get32(const __u8 *at)
{
	__u32 v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static __u64 get64(const __u8 *at)
{
	__u64 v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static bool is_bridge(const struct walk *w)
{
	return w->l->family == XT2_BRIDGE;
}

/* A name that need not end, in a fixed array. */
static void name_of(const __u8 *at, size_t n, char *name)
{
	memcpy(name, at, n);
	name[n] = '\0';
}

/* --- one entry ------------------------------------------------------------- */

struct entry {
	const __u8 *at;
	__u32 offset, next, target; /* bytes of it; where its target is */
	__u32 watchers; /* ebt; others: as target */
	bool head; /* of a chain, of ebt */
};

/* => false: it does not lie in the blob, or its parts not in it */
static bool entry_at(struct walk *w, __u32 offset, struct entry *e)
{
	const __u32 rest = w->size - offset;

	*e = (struct entry){ .at = w->at + offset, .offset = offset };
	if (is_bridge(w) && rest >= EBT_CHAIN && !get32(e->at)) {
		e->head = true;
		e->next = EBT_CHAIN;
		return true;
	}
	if (rest < w->l->entry) {
		snprintf(w->why, sizeof(w->why), "only %u bytes are left, an entry has %u", rest,
			 w->l->entry);
		return false;
	}
	if (is_bridge(w)) {
		e->watchers = get32(e->at + 100);
		e->target = get32(e->at + 104);
		e->next = get32(e->at + 108);
	} else {
		e->target = e->watchers = get16(e->at + w->l->offsets);
		e->next = get16(e->at + w->l->offsets + 2);
	}
	if (e->next <= rest && e->watchers >= w->l->entry && e->target >= e->watchers &&
	    e->target <= e->next && e->next - e->target >= w->l->extension)
		return true;
	snprintf(w->why, sizeof(w->why), "target_offset %u and next_offset %u of %u bytes left",
		 e->target, e->next, rest);
	return false;
}

/* The payload of an extension that has @rest bytes.  => its size, or -1 */
static long payload_of(const struct walk *w, const __u8 *ext, __u32 rest, const __u8 **payload)
{
	__u32 size;

	if (rest < w->l->extension)
		return -1;
	*payload = ext + w->l->extension;
	if (is_bridge(w)) {
		size = get32(ext + 32);
		return size <= rest - w->l->extension ? (long)size : -1;
	}
	size = get16(ext);
	return size >= w->l->extension && size <= rest ? (long)(size - w->l->extension) : -1;
}

static void extension_name(const struct walk *w, const __u8 *ext, char *name)
{
	if (is_bridge(w))
		name_of(ext, 31, name);
	else
		name_of(ext + 2, 29, name);
}

static bool is_error(const struct walk *w, const struct entry *e)
{
	char name[32];

	if (e->head || is_bridge(w))
		return false;
	extension_name(w, e->at + e->target, name);
	return !strcmp(name, "ERROR") && e->next - e->target >= w->l->extension + 30;
}

/* --- chains ------------------------------------------------------------------- */

static void chain_name(const struct walk *w, const struct entry *e, char *name)
{
	if (e->head)
		name_of(e->at + 4, XT2_NAME_SIZE - 1, name);
	else
		name_of(e->at + e->target + w->l->extension, 30, name);
}

/* => hook whose chain begins here, or -1 */
static int hook_at(const struct walk *w, const __u32 *place, __u32 offset)
{
	int h;

	for (h = 0; h < HOOKS_MAX; h++)
		if (w->hooks >> h & 1 && place[h] == offset)
			return h;
	return -1;
}

static bool chain_add(struct walk *w, __u32 at, const char *name)
{
	struct chain *more;

	if (w->chains == w->room) {
		w->room = w->room ? 2 * w->room : 64;
		more = realloc(w->chain, w->room * sizeof(*more));
		if (!more)
			return false;
		w->chain = more;
	}
	w->chain[w->chains].at = at;
	snprintf(w->chain[w->chains++].name, XT2_NAME_SIZE, "%s", name);
	return true;
}

/*
 * Look at all entries, and remember where chains begin.
 * => number of entries that are sound, -1: no memory; *end: the offset after them
 */
static long entries_count(struct walk *w, __u32 *end)
{
	char name[XT2_NAME_SIZE];
	struct entry e;
	__u32 pos = 0;
	long n = 0;

	while (pos < w->size && entry_at(w, pos, &e)) {
		if ((e.head && hook_at(w, w->hook, pos) < 0) || is_error(w, &e)) {
			chain_name(w, &e, name);
			if (!chain_add(w, e.head ? pos : pos + e.next, name))
				return -1;
		}
		n += !e.head;
		pos += e.next;
	}
	*end = pos;
	return n;
}

/* => name of the chain that begins here, or NULL */
static const char *chain_at(const struct walk *w, __u32 at)
{
	int h = hook_at(w, w->hook, at);
	__u32 low = 0, high = w->chains;

	if (h >= 0)
		return xt2_hook_name(w->l->family, h);
	while (low < high) {
		__u32 mid = low + (high - low) / 2;

		if (w->chain[mid].at == at)
			return w->chain[mid].name;
		if (w->chain[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* Which chain an entry is in. */
static void enter(struct walk *w, const struct entry *e)
{
	int h = hook_at(w, w->hook, e->offset);

	if (h >= 0)
		snprintf(w->now, sizeof(w->now), "%s", xt2_hook_name(w->l->family, h));
	else if (e->head || is_error(w, e))
		chain_name(w, e, w->now);
}

/* --- rows ------------------------------------------------------------------------ */

static bool goes(const struct walk *w, const struct entry *e)
{
	switch (w->l->family) {
	case XT2_IPV4: return e->at[82] & 2;
	case XT2_IPV6: return e->at[134] & 4;
	}
	return false;
}

static void verdict(const struct walk *w, const struct entry *e, int v)
{
	static const char *const words[2][5] = {
		{ "DROP", "ACCEPT", NULL, "QUEUE", "RETURN" },
		{ "ACCEPT", "DROP", "CONTINUE", "RETURN", NULL },
	};
	const char *name = NULL, *word = v < 0 && v >= -5 ? words[is_bridge(w)][-1 - v] : NULL;
	const struct xt2_rows *rows = &w->d->rows;

	xt2_row_add(rows, "verdict %d", v);
	if (!word && v >= 0) {
		name = chain_at(w, (__u32)v);
		if (!name && (__u32)v == e->offset + e->next)
			word = "the next rule";
	}
	if (word)
		xt2_row_add(rows, "is %s", word);
	else if (v >= 0)
		xt2_row_add(rows, goes(w, e) ? "goto %s" : "jump %s",
			    name ? name : "no chain begins there");
}

/* One extension.  => its bytes; 0: it is not sound */
static __u32 extension(struct walk *w, const struct entry *e, __u32 at, __u32 end, const char *what)
{
	const __u8 *ext = e->at + at, *payload;
	long size = payload_of(w, ext, end - at, &payload);
	struct xt2_rows *rows = &w->d->rows;
	bool target = *what == 't';
	char name[32];

	if (size < 0) {
		snprintf(w->why, sizeof(w->why), "a %s's size does not fit into the %u bytes left",
			 what, end - at);
		return 0;
	}
	extension_name(w, ext, name);
	xt2_row(rows, ext, 4, what, w->l->extension + (unsigned long)size);
	xt2_row_add(rows, "name %s revision %u", target && !*name ? "standard" : name, ext[31]);
	if (target && !strcmp(*name ? name : "standard", "standard") && size >= 4)
		verdict(w, e, (int)get32(payload));
	else
		xt2_row_bytes(rows, payload, (size_t)size);
	xt2_row_end(rows);
	return w->l->extension + (__u32)size;
}

static bool extensions(struct walk *w, const struct entry *e, __u32 at, __u32 end, const char *what)
{
	__u32 n;

	for (; at < end; at += n) {
		n = extension(w, e, at, end, what);
		if (!n)
			return false;
	}
	return true;
}

static void head(struct walk *w, const struct entry *e, long number)
{
	struct xt2_rows *rows = &w->d->rows;

	xt2_row(rows, e->at, 0, "chain", e->next);
	if (!e->head)
		xt2_row_add(rows, "number %llu", (unsigned long long)number);
	xt2_row_add(rows, "at %u name %s", e->offset, w->now);
	if (e->head) {
		xt2_row_add(rows, "counter_offset %u", get32(e->at + 36));
		verdict(w, e, (int)get32(e->at + 40));
		xt2_row_add(rows, "entries %u", get32(e->at + 44));
	}
	xt2_row_end(rows);
}

static void base(struct walk *w, const struct entry *e)
{
	const struct xt2_rows *rows = &w->d->rows;
	const __u8 *counters = e->at + w->l->counters;
	char text[1024];
	int h;

	if (!is_bridge(w)) {
		h = hook_at(w, w->hook, e->offset);
		if (h >= 0)
			xt2_row_add(rows, "hook %s", xt2_hook_name(w->l->family, h));
		h = hook_at(w, w->underflow, e->offset);
		if (h >= 0)
			xt2_row_add(rows, "policy %s", xt2_hook_name(w->l->family, h));
	}
	xt2_base_text(w->l->family, e->at, text, sizeof(text));
	if (*text)
		xt2_row_add(rows, "tests %s", text);
	if (is_bridge(w))
		return;
	if (get64(counters) || get64(counters + 8)) {
		xt2_row_add(rows, "packets %llu bytes %llu", get64(counters), get64(counters + 8));
	}
	if (get32(e->at + w->l->comefrom))
		xt2_row_add(rows, "comefrom %u", get32(e->at + w->l->comefrom));
}

/* => false: it is not sound */
static bool rule(struct walk *w, const struct entry *e, long number)
{
	struct xt2_rows *rows = &w->d->rows;
	bool sound;

	xt2_row(rows, e->at, 2, "entry", e->next);
	xt2_row_add(rows, "number %llu at %u", (unsigned long long)number, e->offset);
	base(w, e);
	xt2_row_end(rows);
	sound = extensions(w, e, w->l->entry, e->watchers, "match") &&
		extensions(w, e, e->watchers, e->target, "watcher");
	return sound && extension(w, e, e->target, e->next, "target");
}

static bool wanted(const struct walk *w)
{
	return !w->d->only || !strcmp(w->d->only, w->now);
}

/* Is there a chain that is wanted?  @near: sees the others */
static bool has_chain(struct walk *w, struct xt2_nearest *near)
{
	struct entry e;
	__u32 pos;

	xt2_nearest_init(near, w->d->only);
	for (pos = 0; pos < w->size && entry_at(w, pos, &e); pos += e.next) {
		char before[XT2_NAME_SIZE];

		strcpy(before, w->now);
		enter(w, &e);
		if (wanted(w))
			return true;
		if (strcmp(before, w->now) && e.next && pos + e.next < w->size)
			xt2_nearest_see(near, w->now);
	}
	return false;
}

static void entries(struct walk *w)
{
	struct entry e;
	__u32 pos;
	long n = 0;

	*w->why = *w->now = '\0';
	for (pos = 0; pos < w->size; pos += e.next) {
		if (!entry_at(w, pos, &e))
			break;
		n += !e.head;
		enter(w, &e);
		if (!wanted(w))
			continue;
		if (e.head || is_error(w, &e))
			head(w, &e, n);
		else if (!rule(w, &e, n))
			break;
	}
	if (*w->why)
		xt2_print_line(stderr, "%s: entry %ld, byte %u of the entries: %s", w->d->path,
			       n + 1, pos, w->why);
}

/* Pointers in ebt, offsets elsewhere. */
static unsigned int hook_width(const struct walk *w)
{
	return is_bridge(w) && !w->l->compat ? 8 : 4;
}

static unsigned int hook_place(const struct walk *w, unsigned int hook)
{
	return (hook_width(w) == 8 ? 48 : 44) + hook_width(w) * hook;
}

static void header(struct walk *w)
{
	const __u8 *h = w->d->blob.at;
	struct xt2_rows *rows = &w->d->rows;
	char name[XT2_NAME_SIZE + 1];
	int i;

	name_of(h, 32, name);
	xt2_row(rows, h, 0, "header", w->l->header);
	xt2_row_add(
		rows,
		"family %s width %u table %s valid_hooks %u entries %u bytes %u num_counters %u",
		xt2_family_name(w->l->family), w->l->compat ? 32 : 64, name, w->hooks,
		get32(h + 36), get32(h + 40), get32(h + w->l->num_counters));
	xt2_row_end(rows);
	for (i = 0; i < HOOKS_MAX; i++) {
		const char *hook = xt2_hook_name(w->l->family, i);

		if (!(w->hooks >> i & 1))
			continue;
		xt2_row(rows, h + hook_place(w, (unsigned int)i), 0, "hook", hook_width(w));
		xt2_row_add(rows, "name %s hook_entry %u", hook ? hook : "unknown", w->hook[i]);
		if (!is_bridge(w))
			xt2_row_add(rows, "underflow %u", w->underflow[i]);
		xt2_row_end(rows);
	}
}

/* --- the whole ----------------------------------------------------------------- */

/* The hooks' places.  ebt has pointers there; the first chain's is where the entries are. */
static void hooks_read(struct walk *w)
{
	const __u8 *h = w->d->blob.at;
	const __u8 *entries_at = h + w->l->header - hook_width(w);
	unsigned int i;

	w->hooks = get32(h + 32);
	for (i = 0; i < w->l->hooks; i++) {
		w->hook[i] = get32(h + hook_place(w, i));
		if (is_bridge(w))
			w->hook[i] -= get32(entries_at);
		else
			w->underflow[i] = get32(h + hook_place(w, w->l->hooks + i));
	}
	if (!is_bridge(w))
		w->hooks &= (1u << w->l->hooks) - 1;
}

/* => false: too short for its header */
static bool walk_start(struct walk *w, struct xt2_blob_dump *d, const struct layout *l)
{
	*w = (struct walk){ .d = d, .l = l };
	if (d->blob.len < l->header)
		return false;
	w->at = (const __u8 *)d->blob.at + l->header;
	w->size = get32((const __u8 *)d->blob.at + 40);
	if (w->size > d->blob.len - l->header)
		w->size = (__u32)(d->blob.len - l->header);
	hooks_read(w);
	return true;
}

/* A table of this format, from one end to the other?  => 1, 0, -ENOMEM */
static int fits(struct xt2_blob_dump *d, const struct layout *l)
{
	const __u8 *h = d->blob.at;
	char name[XT2_NAME_SIZE + 1];
	struct walk w;
	__u32 end;
	long n;

	if (!walk_start(&w, d, l) || get32(h + 40) != d->blob.len - l->header)
		return 0;
	name_of(h, 32, name);
	if (!xt2_table_hooks(l->family, name) || w.hooks != xt2_table_hooks(l->family, name))
		return 0;
	n = entries_count(&w, &end);
	free(w.chain);
	return n < 0 ? -ENOMEM : n == (long)get32(h + 36) && end == w.size;
}

int xt2_blob_format(struct xt2_blob_dump *d)
{
	const struct layout *found = NULL;
	size_t i;
	int n = 0, fit;

	for (i = 0; i < LAYOUTS; i++) {
		const struct layout *l = &layouts[i];
		bool said = d->family && d->compat >= 0;

		if ((d->family && d->family != l->family) ||
		    (d->compat >= 0 && d->compat != l->compat))
			continue;
		fit = said ? 1 : fits(d, l);
		if (fit < 0)
			return fit;
		if (fit)
			found = l;
		n += fit;
	}
	if (n != 1)
		return -EINVAL;
	d->family = found->family;
	d->compat = found->compat;
	return 0;
}

static const struct layout *layout_of(const struct xt2_blob_dump *d)
{
	const struct layout *l = layouts;

	while (l->family != d->family || l->compat != d->compat)
		l++;
	return l;
}

/* What a kernel would say.  => XT2_EXIT_* */
static int judge(const struct xt2_blob_dump *d)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_err err = { 0 };
	int ret = -ENOMEM;

	if (rs)
		ret = xt2_table_read_replace(rs, d->family, d->compat, d->blob.at, d->blob.len, 1,
					     &err);
	else
		err.code = XT2_E_SYSTEM;
	xt2_ruleset_free(rs);
	if (ret >= 0)
		return XT2_EXIT_OK;
	xt2_err_file(&err, d->path);
	return xt2_fail(&err);
}

static int no_chain(const struct xt2_blob_dump *d, const struct xt2_nearest *near)
{
	char say[XT2_NEAREST_SIZE];

	return xt2_usage("dump", "%s has no chain '%s'%s", d->path, d->only,
			 xt2_nearest_say(near, say));
}

/* => XT2_EXIT_* */
static int dump(struct walk *w)
{
	struct xt2_blob_dump *d = w->d;
	struct xt2_nearest near;
	__u32 end;

	if (walk_start(w, d, w->l)) {
		if (entries_count(w, &end) < 0) {
			xt2_print_line(stderr, "xt2 dump: %s: out of memory", d->path);
			return XT2_EXIT_RESOURCE;
		}
		if (d->only && !has_chain(w, &near))
			return no_chain(d, &near);
	}
	if (d->rows.json)
		putchar('[');
	if (w->at) {
		header(w);
		entries(w);
	}
	if (d->rows.json)
		puts("]");
	fflush(stdout);
	return judge(d);
}

int xt2_blob_dump(struct xt2_blob_dump *d)
{
	struct walk w = { .d = d, .l = layout_of(d) };
	int ret;

	d->rows.base = d->blob.at;
	ret = dump(&w);
	free(w.chain);
	return ret;
}
