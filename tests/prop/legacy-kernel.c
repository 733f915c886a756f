/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-kernel.c - the legacy translators against the running kernel
 *
 *	legacy-kernel mutate FORMAT SEED COUNT FILE.vec...
 *	legacy-kernel tables
 *	legacy-kernel send FORMAT BLOB
 *
 * mutate changes captured SET_REPLACE blobs at random and gives them to the
 * kernel and to the translators: both have to answer alike, but for what is
 * documented as stricter and for what depends on the kernel's state.  What is
 * taken is read back; written by the translators, what was sent and what came
 * back have to be the same bytes, and those the kernel has to take and to give
 * back unchanged.  tables does the last part with what is loaded, in both
 * widths.  send says what both answer to one blob.
 *
 * Works on the tables of the network namespace that it is run in: not for
 * yours.  32-bit calls come from this 64-bit program by int 0x80.
 */
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "translators/table/legacy-format.h"
#include "tests/fuzz/legacy-mutate.h"
#include "tests/legacy/turn.h"

#define SKIP	 77
#define ROOM	 (4u << 20) /* of a call's value */
#define LARGEST	 16384
#define PROBLEMS 10

size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max);

struct seed {
	u8 *bytes;
	u32 len;
};

static const struct fuzz_format *f;
static struct seed *seeds;
static u32 seed_count, problems;
static u8 *room, *old_counters; /* below 4 GB */
static int sock = -1;
static struct turn *turn_in, *turn_back;
static u32 random_state;

static u32 any(u32 n)
{
	random_state = random_state * 1664525 + 1013904223;
	return n ? (random_state >> 8) % n : 0;
}

/* What libFuzzer would do to bytes, in short. */
size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max)
{
	static const u32 values[] = {
		0,    1,    2,	    4,		8,	    0x10, 0x20, 0x7f,
		0x80, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 6,	  17,	0x100
	};
	u32 n = 1 + any(3), at, v;

	for (; n && size; n--) {
		at = any((u32)size);
		v = values[any(XT2_ARRAY_SIZE(values))];
		switch (any(4)) {
		case 0: data[at] ^= (u8)(1 << any(8)); break;
		case 1: data[at] = (u8)any(256); break;
		case 2: data[at] = (u8)v; break;
		case 3: memcpy(data + at, &v, size - at < 4 ? size - at : 4); break;
		}
	}
	return size;
}

/* --- the kernel ------------------------------------------------------------------- */

static int call32(int number, int name, void *value, u32 len)
{
	int ret = -ENOSYS;

#ifdef __x86_64__
	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(number), "b"(sock), "c"(f->family == XT2_IPV6 ? 41 : 0), "d"(name),
			   "S"(value), "D"((u64)len)
			 : "memory", "r8", "r9", "r10", "r11");
#endif
	return ret;
}

static int option(u32 number)
{
	return (int)(f->family == XT2_ARP ? 96 + number : 64 + number);
}

/* The value has to be in room.  => 0, -errno */
static int set(u32 number, u32 len)
{
	if (f->compat)
		return call32(366, option(number), room, len);
	return setsockopt(sock, f->family == XT2_IPV6 ? IPPROTO_IPV6 : IPPROTO_IP, option(number),
			  room, len)
		       ? -errno
		       : 0;
}

static int get(u32 number, u32 len)
{
	socklen_t *at = (socklen_t *)(old_counters + ROOM / 2); /* it has to be below 4 GB, too */

	*at = len;
	if (f->compat)
		return call32(365, option(number), room, (u32)(uintptr_t)at);
	return getsockopt(sock, f->family == XT2_IPV6 ? IPPROTO_IPV6 : IPPROTO_IP, option(number),
			  room, at)
		       ? -errno
		       : 0;
}

static void open_socket(void)
{
	if (sock >= 0)
		close(sock);
	sock = socket(f->family == XT2_IPV6 ? AF_INET6 : AF_INET, SOCK_RAW, IPPROTO_RAW);
	if (sock < 0) {
		printf("SKIP: no raw socket: %m\n");
		exit(SKIP);
	}
}

struct info {
	u32 valid_hooks, hook_entry[5], underflow[5], entries, size;
};

static int get_info(const char *table, struct info *info)
{
	u32 hooks = f->hooks, *p = (u32 *)(room + 32);
	int ret;

	memset(room, 0, 84);
	memcpy(room, table, strnlen(table, 31));
	ret = get(0, 40 + 8 * hooks + 4);
	if (ret)
		return ret;
	info->valid_hooks = p[0];
	memcpy(info->hook_entry, p + 1, 4 * hooks);
	memcpy(info->underflow, p + 1 + hooks, 4 * hooks);
	info->entries = p[1 + 2 * hooks];
	info->size = p[2 + 2 * hooks];
	return 0;
}

/* A table as a SET_REPLACE.  => its bytes, free(); NULL: it cannot be had */
static u8 *get_table(const char *table, struct info *info, u32 *len)
{
	u32 head = f->compat ? 36 : 40, one = 1;
	u8 *blob;

	if (get_info(table, info))
		return NULL;
	memset(room, 0, head + info->size); /* the kernel writes names up to their NUL */
	memcpy(room, table, strnlen(table, 31));
	memcpy(room + 32, &info->size, 4);
	if (get(1, head + info->size))
		return NULL;
	*len = f->header + info->size;
	blob = calloc(1, *len);
	memcpy(blob, table, strnlen(table, 31));
	memcpy(blob + 32, &info->valid_hooks, 4);
	memcpy(blob + f->entries, &info->entries, 4);
	memcpy(blob + f->size, &info->size, 4);
	memcpy(blob + f->hook_entry, info->hook_entry, 4u * f->hooks);
	memcpy(blob + f->underflow, info->underflow, 4u * f->hooks);
	memcpy(blob + f->num_counters, &one, 4);
	memcpy(blob + f->header, room + head, info->size);
	return blob;
}

/* The counters of the old table go to where there is room for them, whatever the blob says. */
static int replace(u8 *blob, u32 len)
{
	u64 to = (uintptr_t)old_counters;

	if (len >= f->header)
		memcpy(blob + f->header - (f->compat ? 4 : 8), &to, f->compat ? 4 : 8);
	memcpy(room, blob, len);
	return set(0, len);
}

/* --- the same here ------------------------------------------------------------------ */

static u32 hooks_of(const char *table)
{
	static const struct {
		const char *name;
		u32 hooks;
	} tables[] = { { "filter", 0x0e },
		       { "security", 0x0e },
		       { "nat", 0x1b },
		       { "mangle", 0x1f },
		       { "raw", 0x09 } };
	size_t i;

	if (f->family == XT2_ARP)
		return strcmp(table, "filter") ? 0 : 7;
	for (i = 0; i < XT2_ARRAY_SIZE(tables); i++)
		if (!strcmp(tables[i].name, table))
			return tables[i].hooks;
	return 0;
}

/* What the kernel finds when nothing counts yet. */
static void clear_counters(u8 *bytes, u32 size, bool compat)
{
	u32 pos, entry = fuzz_formats[(f - fuzz_formats) & ~1].entry;

	if (compat && f->family != XT2_IPV4)
		entry -= 4;
	for (pos = 0; pos < size; pos += legacy_u16(bytes + pos + f->next))
		memset(bytes + pos + entry - 16, 0, 16);
}

static int behind; /* of a stricter refusal: what would have been said without it */

/* => what the translators say; t->bytes and t->out if that is 0 */
static int ours(struct turn *t, const u8 *blob, u32 len, bool to_compat, u32 entries)
{
	int ret = turn(t, f->family, f->compat, blob, len, to_compat, true), last;

	if (t->why) {
		printf("accepted, but: %d, %s\n", ret, t->why);
		return -EPROTO;
	}
	if (ret && !t->err.stricter)
		return ret;
	last = xt2_legacy_check_table(&t->in, hooks_of(t->in.table), entries, ret ? NULL : &t->err);
	if (ret) {
		behind = last;
		return ret;
	}
	if (!last)
		clear_counters(t->bytes, (u32)t->out.size, to_compat);
	return last;
}

/* --- a problem -------------------------------------------------------------------- */

static const char *name_of(int err)
{
	return err ? strerrorname_np(-err) : "ok";
}

static void problem(const u8 *blob, u32 len, const char *what, int kernel, int mine)
{
	char path[64];
	FILE *to;

	snprintf(path, sizeof(path), "legacy-kernel-%s-%u.blob", f->name, ++problems);
	printf("FAIL %s: %s; kernel %s, xt2 %s", f->name, what, name_of(kernel), name_of(mine));
	if (mine)
		printf(" (entry %u, offset %u, %s: %s)", turn_in->err.entry, turn_in->err.offset,
		       turn_in->err.field ? turn_in->err.field : "-",
		       turn_in->err.what ? turn_in->err.what : "-");
	printf("; again: legacy-kernel send %s %s\n", f->name, path);
	to = fopen(path, "w");
	if (to) {
		fwrite(blob, 1, len, to);
		fclose(to);
	}
}

/* Where bytes of entries differ.  => true: they do not */
static bool same(const char *what, const u8 *theirs, u32 their_len, const u8 *mine, u32 my_len)
{
	u32 i;

	for (i = 0; i < their_len && i < my_len && theirs[i] == mine[i]; i++)
		;
	if (i == their_len && i == my_len)
		return true;
	printf("%s: %u and %u bytes, differ at %u", what, their_len, my_len, i);
	if (i < their_len && i < my_len)
		printf(": %02x and %02x", theirs[i], mine[i]);
	printf("\n");
	return false;
}

/* --- extensions that ask the kernel for what it has --------------------------------- */

static bool has(const u8 *blob, u32 len, const char *name)
{
	return memmem(blob, len, name, strlen(name) + 1);
}

/*
 * They answer ENOENT where we, who cannot ask, take the rule or go on to the
 * next one; and what they have been given decides over the answer of two.
 */
static const struct {
	const char *name;
	bool anything;
} stateful[] = {
	{ "set", false },   { "SET", false },	  { "nfacct", false },	  { "rateest", false },
	{ "cgroup", true }, { "CT", false },	  { "bpf", true },	  { "ipvs", false },
	{ "LED", false },   { "SECMARK", false }, { "CLUSTERIP", false },
};

/* => true: the kernel's refusal may come from what it has, or has not */
static bool depends(const u8 *blob, u32 len, int kernel)
{
	size_t i;

	for (i = 0; kernel && i < XT2_ARRAY_SIZE(stateful); i++)
		if (has(blob, len, stateful[i].name) && (stateful[i].anything || kernel == -ENOENT))
			return true;
	return false;
}

/* --- mutate ------------------------------------------------------------------------ */

static struct tally {
	u32 blobs, taken, refused, stricter, state;
} tally;

/* What does not come back, or comes with the kernel's own: see doc/legacy.md. */
static bool comes_back_less(const u8 *blob, u32 len)
{
	const u8 *at = blob, *ct;

	if (f->compat && has(blob, len, "limit"))
		return true;
	while ((ct = memmem(at, (u32)(blob + len - at), "CT", 3))) {
		if (ct + 29 < blob + len && ct[29])
			return true; /* its revision: half of the larger ones is kept back */
		at = ct + 1;
	}
	return false;
}

/* What the kernel has now, in our writing, is what was sent, in our writing. */
static void check_taken(const u8 *blob, u32 len)
{
	struct info info;
	u32 back_len, size = (u32)turn_in->out.size;
	u8 *back = get_table(turn_in->in.table, &info, &back_len);
	int ret = back ? ours(turn_back, back, back_len, f->compat, 1) : -ENOENT;

	if (ret && ret != -EAGAIN)
		problem(blob, len, "what the kernel gives back is not taken", 0, ret);
	else if (!turn_back->bytes || !same("as written", turn_back->bytes,
					    (u32)turn_back->out.size, turn_in->bytes, size))
		problem(blob, len, "what was sent and what came back differ as written", 0, 0);
	free(back);
}

/* Of hooks that a table has not, compat programs get what is left of ~0. */
static bool same_hooks(const struct info *info, const struct xt2_legacy_writer *w)
{
	u32 h;

	for (h = 0; h < f->hooks; h++)
		if (w->valid_hooks & 1u << h && (info->hook_entry[h] != w->hook_entry[h] ||
						 info->underflow[h] != w->underflow[h]))
			return false;
	return info->valid_hooks == w->valid_hooks && info->entries == w->entries;
}

/* The table as we write it: the kernel has to take it and to give it back like this. */
static void check_written(const u8 *blob, u32 len)
{
	const struct xt2_legacy_writer *w = &turn_in->out;
	u32 size = (u32)w->size, back_len;
	u8 *mine = calloc(1, f->header + size), *back;
	struct info info;
	int ret;

	if (get_info(turn_in->in.table, &info))
		return;
	memcpy(mine, turn_in->in.table, 32);
	memcpy(mine + 32, &w->valid_hooks, 4);
	memcpy(mine + f->entries, &w->entries, 4);
	memcpy(mine + f->size, &size, 4);
	memcpy(mine + f->hook_entry, w->hook_entry, 4u * f->hooks);
	memcpy(mine + f->underflow, w->underflow, 4u * f->hooks);
	memcpy(mine + f->num_counters, &info.entries, 4);
	memcpy(mine + f->header, turn_in->bytes, size);
	ret = replace(mine, f->header + size);
	back = ret ? NULL : get_table(turn_in->in.table, &info, &back_len);
	if (ret && !depends(blob, len, ret))
		problem(blob, len, "the kernel refuses what was written", ret, 0);
	else if (!ret &&
		 (!back ||
		  !same("entries", back + f->header, back_len - f->header, turn_in->bytes, size) ||
		  !same_hooks(&info, w)))
		problem(blob, len, "the kernel's bytes are not what was written", 0, 0);
	free(back);
	free(mine);
}

static void compare(u8 *blob, u32 len, u32 entries)
{
	int kernel = replace(blob, len), mine;

	mine = ours(turn_in, blob, len, f->compat, entries);
	tally.blobs++;
	if (kernel != mine) {
		/* Without the refusal, either side may have found something behind it. */
		if (mine && turn_in->err.stricter && (kernel || !behind))
			tally.stricter++;
		/* Whether a rate is too high depends on the kernel's clock. */
		else if (depends(blob, len, kernel) ||
			 (kernel == -ERANGE && has(blob, len, "hashlimit")))
			tally.state++;
		else
			problem(blob, len, "other answers", kernel, mine);
		return;
	}
	if (kernel) {
		tally.refused++;
		return;
	}
	tally.taken++;
	if (comes_back_less(blob, len))
		return;
	check_taken(blob, len);
	check_written(blob, len);
}

static void one(void)
{
	static u8 blob[2 * LARGEST];
	const struct seed *s = &seeds[any(seed_count)];
	struct info info = { .entries = 0 };
	char table[32];
	u32 len = s->len, n;

	memcpy(blob, s->bytes, len);
	for (n = any(3); n; n--)
		len = (u32)fuzz_mutate(f, blob, len, LARGEST, random_state ^ any(1 << 24));
	memcpy(table, blob, 31);
	table[31] = '\0';
	get_info(table, &info);
	if (len >= f->header && any(32))
		memcpy(blob + f->num_counters, &info.entries, 4);
	compare(blob, len, info.entries);
}

static void load(const char *file)
{
	unsigned int family, compat, len;
	char what[16], name[128];
	FILE *from = fopen(file, "r");
	u8 *bytes;

	if (!from) {
		perror(file);
		exit(2);
	}
	while (fscanf(from, "%u %u %15s %u %127[^\n]", &family, &compat, what, &len, name) == 5) {
		bytes = malloc(len + 1);
		if (fgetc(from) != '\n' || fread(bytes, 1, len, from) != len)
			exit(2);
		if (family != f->family || compat != f->compat || len > LARGEST / 2 ||
		    len < f->header) {
			free(bytes);
			continue;
		}
		seeds = realloc(seeds, (seed_count + 1) * sizeof(*seeds));
		seeds[seed_count++] = (struct seed){ bytes, len };
	}
	fclose(from);
}

static int mutate(u32 start, u32 count, char **files)
{
	u32 i;

	for (; *files; files++)
		load(*files);
	if (!seed_count) {
		printf("SKIP: no blobs of this format\n");
		return SKIP;
	}
	for (i = start; i < start + count && problems < PROBLEMS; i++) {
		random_state = i * 2654435761u;
		any(1);
		one();
	}
	printf("%s: %u blobs: %u taken, %u refused alike, %u stricter, %u depend on the kernel's "
	       "state\n",
	       f->name, tally.blobs, tally.taken, tally.refused, tally.stricter, tally.state);
	if (problems)
		printf("seeds from %u: legacy-kernel mutate %s %u %u ...\n", start, f->name, start,
		       i - start);
	return problems != 0;
}

/* --- tables ---------------------------------------------------------------------- */

/*
 * What is documented as not kept: names of interfaces that are not compared, compat limits' state.
 * => true: an entry with a verdict had no other condition than such a name ("-i +"), so hooks do
 * not lead to what follows it any more, and comefrom is another one.
 */
static bool forget(const struct fuzz_format *g, u8 *bytes, u32 size)
{
	u32 name = g->family == XT2_ARP ? 94 : g->family == XT2_IPV6 ? 64 : 16, pos, at, i;
	const struct xt2_legacy_format_ *format = legacy_format_find(g->family, g->compat);
	bool always, other = false;

	for (pos = 0; pos < size; pos += legacy_u16(bytes + pos + g->next)) {
		u8 *e = bytes + pos, *t = e + legacy_u16(e + g->target);

		always = legacy_unconditional(format, e);
		for (i = name; i < name + 32; i++)
			if (!e[i + 32])
				e[i] = 0;
		if (!always && legacy_unconditional(format, e) && legacy_is_standard(t))
			other |= legacy_verdict(t) < 0;
		for (at = g->entry; at < legacy_u16(e + g->target); at += legacy_u16(e + at))
			if (g->compat && !strcmp((char *)e + at + 2, "limit"))
				memset(e + at + 40, 0, 20);
	}
	return other;
}

static void forget_comefrom(const struct fuzz_format *g, u8 *bytes, u32 size)
{
	u32 pos;

	for (pos = 0; pos < size; pos += legacy_u16(bytes + pos + g->next))
		memset(bytes + pos + g->next + 2, 0, 4);
}

static bool other_comefrom; /* of the last table: forget() */

static bool comes_out(const char *what, bool compat, const u8 *from, u32 from_len, const u8 *to,
		      u32 to_len)
{
	bool to_compat = compat == (from == to);
	const struct fuzz_format *g = f + to_compat;
	u8 *theirs;
	bool ok;

	if (turn(turn_in, f->family, compat, from, from_len, to_compat, true))
		return false;
	theirs = malloc(to_len);
	memcpy(theirs, to, to_len);
	other_comefrom = forget(g, theirs + g->header, to_len - g->header);
	forget(g, turn_in->bytes, (u32)turn_in->out.size);
	if (other_comefrom) {
		forget_comefrom(g, theirs + g->header, to_len - g->header);
		forget_comefrom(g, turn_in->bytes, (u32)turn_in->out.size);
	}
	ok = same(what, theirs + g->header, to_len - g->header, turn_in->bytes,
		  (u32)turn_in->out.size);
	free(theirs);
	return ok;
}

static void check_table(const char *table)
{
	const struct fuzz_format *native = f, *compat = f + 1;
	struct info info, small_info;
	u32 len, small_len = 0;
	u8 *large, *small;

	large = get_table(table, &info, &len);
	f = compat;
	small = large ? get_table(table, &small_info, &small_len) : NULL;
	f = native;
	if (!large || !small)
		return;
	tally.blobs++;
	if (!comes_out("native to native", false, large, len, large, len))
		problem(large, len, "the kernel's native table comes out changed", 0, 0);
	if (!comes_out("native to compat", false, large, len, small, small_len))
		problem(large, len, "not the kernel's compat table", 0, 0);
	if (!comes_out("compat to native", true, small, small_len, large, len))
		problem(small, small_len, "not the kernel's native table", 0, 0);
	/* What comefrom is then, the kernel says when it gets the table as it is written. */
	if (other_comefrom && !ours(turn_in, large, len, false, 1))
		check_written(large, len);
	free(large);
	free(small);
}

static int tables(void)
{
	static const char *const names[] = { "filter", "nat", "mangle", "raw", "security" };
	size_t i, k;

	for (i = 0; i < 6; i += 2) {
		f = &fuzz_formats[i];
		open_socket();
		for (k = 0; k < XT2_ARRAY_SIZE(names); k++)
			if (hooks_of(names[k]))
				check_table(names[k]);
	}
	printf("%u tables\n", tally.blobs);
	return problems != 0;
}

static int send_blob(const char *path)
{
	static u8 blob[LARGEST];
	struct info info = { .entries = 0 };
	FILE *from = fopen(path, "r");
	u32 len;
	int ret;

	if (!from)
		return 2;
	len = (u32)fread(blob, 1, sizeof(blob), from);
	fclose(from);
	if (len < 32)
		return 2;
	get_info((char *)blob, &info);
	ret = ours(turn_in, blob, len, f->compat, info.entries);
	printf("xt2 %s, entry %u, offset %u, %s: %s%s\n", name_of(ret), turn_in->err.entry,
	       turn_in->err.offset, turn_in->err.field ? turn_in->err.field : "-",
	       turn_in->err.what ? turn_in->err.what : "-",
	       turn_in->err.stricter ? " (stricter)" : "");
	printf("kernel %s\n", name_of(replace(blob, len)));
	return 0;
}

static const struct fuzz_format *format_named(const char *name)
{
	u32 i;

	for (i = 0; i < 6; i++)
		if (!strcmp(fuzz_formats[i].name, name))
			return &fuzz_formats[i];
	return NULL;
}

static void *low(void)
{
	void *p = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
		       -1, 0);

	if (p == MAP_FAILED)
		exit(4);
	return p;
}

int main(int argc, char **argv)
{
	room = low();
	old_counters = low();
	turn_in = turn_new();
	turn_back = turn_new();
	if (argc == 2 && !strcmp(argv[1], "tables"))
		return tables();
	f = argc > 3 ? format_named(argv[2]) : NULL;
	if (!f) {
		fputs("usage: legacy-kernel mutate FORMAT SEED COUNT FILE.vec... | tables |\n"
		      "       send FORMAT BLOB\n",
		      stderr);
		return 2;
	}
	open_socket();
	if (!strcmp(argv[1], "mutate") && argc > 5)
		return mutate((u32)strtoul(argv[3], NULL, 0), (u32)strtoul(argv[4], NULL, 0),
			      argv + 5);
	return !strcmp(argv[1], "send") ? send_blob(argv[3]) : 2;
}
