/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel-tables.c - tables of iptables-legacy and iptables-nft
 *
 * What there is, is asked of the kernel, for the programs make a table by looking at it: legacy
 * ones are in /proc/net/ip_tables_names, those of iptables-nft are base chains of nf_tables in
 * tables of iptables' names.  Their text is what iptables-legacy-save and iptables-nft-save print, and they
 * are changed by -restore, which takes effect in one step.
 *
 * Two tables are the same if their digests are (doc/format.md, Digest): neither counters nor the
 * order of chains make a difference.  A text that we cannot read is compared as text.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "engine/image.h"
#include "kernel-tables.h"
#include "libxt2/err.h"
#include "libxt2/host/hooked.h"
#include "libxt2/ruleset/pair.h"
#include "libxt2/ruleset/ruleset.h"
#include "libxt2/ruleset/table-copy.h"
#include "libxt2/store/new-file.h"
#include "tool.h"
#include "xt2tables/text/text.h"

#define TEXT_MAX (1u << 30) /* bytes */

static const char *const names[] = { "raw", "mangle", "nat", "filter", "security" };
#define NAMES XT2_ARRAY_SIZE(names)

static const int families[] = { XT2_IPV4, XT2_IPV6 };

static const char *const programs[XT2_WAYS][2] = {
	[XT2_WAY_LEGACY] = { "iptables-legacy", "ip6tables-legacy" },
	[XT2_WAY_NFT] = { "iptables-nft", "ip6tables-nft" },
};

const char *xt2_kernel_program(enum xt2_kernel_way way, int family)
{
	return programs[way][family == XT2_IPV6];
}

void xt2_kernel_words(const struct xt2_kernel_table *t, char *words)
{
	snprintf(words, XT2_KERNEL_WORDS, "table %s of %s in %s", t->name,
		 xt2_family_name(t->family), xt2_kernel_program(t->way, t->family));
}

/* --- which are there ------------------------------------------------------- */

/* Bits by number in names[], of each way and family. */
struct there {
	unsigned int bits[XT2_WAYS][2];
};

static unsigned int bit_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < NAMES; i++)
		if (!strcmp(names[i], name))
			return 1u << i;
	return 0;
}

static unsigned int legacy_tables(bool six)
{
	FILE *f = fopen(six ? "/proc/self/net/ip6_tables_names" : "/proc/self/net/ip_tables_names",
			"re");
	unsigned int bits = 0;
	char name[64];

	while (f && fscanf(f, "%63s", name) == 1)
		bits |= bit_of(name);
	if (f)
		fclose(f);
	return bits;
}

static void see_chain(void *data, const struct xt2_nft_chain *c)
{
	struct there *there = data;

	if (c->family == NFPROTO_IPV4 || c->family == NFPROTO_IPV6)
		there->bits[XT2_WAY_NFT][c->family == NFPROTO_IPV6] |= bit_of(c->table);
}

/* A kernel without nf_tables has none there. */
static void look(struct there *there)
{
	memset(there, 0, sizeof(*there));
	there->bits[XT2_WAY_LEGACY][0] = legacy_tables(false);
	there->bits[XT2_WAY_LEGACY][1] = legacy_tables(true);
	xt2_nft_chains(see_chain, there);
}

void xt2_kernel_tables_each(void (*found)(void *data, enum xt2_kernel_way way, int family,
					  const char *name),
			    void *data)
{
	struct there there;
	size_t i, six;
	int way;

	look(&there);
	for (way = 0; way < XT2_WAYS; way++)
		for (six = 0; six < XT2_ARRAY_SIZE(families); six++)
			for (i = 0; i < NAMES; i++)
				if (there.bits[way][six] >> i & 1)
					found(data, way, families[six], names[i]);
}

/* --- their text ------------------------------------------------------------ */

void xt2_kernel_table_free(struct xt2_kernel_table *t)
{
	free(t->text);
	xt2_ruleset_free(t->rs);
	t->text = NULL;
	t->rs = NULL;
}

void xt2_kernel_tables_free(struct xt2_kernel_tables *k)
{
	while (k->count)
		xt2_kernel_table_free(&k->list[--k->count]);
}

/* => a file in memory with these bytes; -errno */
static int memory_file(const void *bytes, size_t size)
{
	int fd = memfd_create("table", MFD_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = size ? xt2_write_all(fd, bytes, size) : 0;
	if (!ret && lseek(fd, 0, SEEK_SET) < 0)
		ret = -errno;
	if (ret)
		close(fd);
	return ret ? ret : fd;
}

/* What we cannot read stays text. */
static void read_rules(struct xt2_kernel_table *t)
{
	struct xt2_text_options opt = { .family = t->family, .counters = true };
	struct xt2_text_errors errors = { 0 };
	int fd = memory_file(t->text, t->size);
	struct xt2_opened_file f;
	char path[64];

	if (fd < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	t->rs = xt2_ruleset_new();
	if (t->rs && !xt2_opened_file_open(&f, path)) {
		opt.file = &f;
		if (xt2_text_load(path, t->rs, &opt, &errors)) {
			xt2_ruleset_free(t->rs);
			t->rs = NULL;
		}
		xt2_text_errors_free(&errors);
		xt2_opened_file_close(&f);
	}
	close(fd);
}

int xt2_kernel_table_set(struct xt2_kernel_table *t, const char *text, size_t size)
{
	char *copy = malloc(size + 1);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, size);
	copy[size] = '\0';
	xt2_kernel_table_free(t);
	t->text = copy;
	t->size = size;
	if (size)
		read_rules(t);
	return 0;
}

static int no_text(struct xt2_err *err, const struct xt2_kernel_table *t, int ret, const char *said)
{
	char words[XT2_KERNEL_WORDS];

	xt2_kernel_words(t, words);
	if (ret == -ENOENT) {
		xt2_err_set(err, XT2_E_UNSUPPORTED, ENOENT, "%s: there is no %s", words,
			    xt2_kernel_program(t->way, t->family));
		xt2_err_hint(err, "the package iptables has it");
		return -ENOENT;
	}
	if (ret < 0)
		return xt2_err_set(err, XT2_E_SYSTEM, -ret, "%s: %s", words, strerror(-ret));
	return xt2_err_set(err, XT2_E_SYSTEM, EIO, "%s: %s", words,
			   *said ? said : "its program fails");
}

/* => 0, -errno: see err */
static int take_text(struct xt2_kernel_table *t, int fd, struct xt2_err *err)
{
	const off_t size = lseek(fd, 0, SEEK_END);
	char *text = size < 0 || size > (off_t)TEXT_MAX ? NULL : malloc((size_t)size + 1);
	int ret = text ? 0 : -ENOMEM;

	if (!ret &&
	    (lseek(fd, 0, SEEK_SET) < 0 || xt2_read_up_to(fd, text, (size_t)size) != (ssize_t)size))
		ret = -EIO;
	if (!ret)
		ret = xt2_kernel_table_set(t, text, (size_t)size);
	free(text);
	return ret ? no_text(err, t, ret, "") : 0;
}

/* It is there.  => 0, -errno: see err */
static int read_table(struct xt2_kernel_table *t, struct xt2_err *err)
{
	char program[32], said[XT2_SAID];
	const char *argv[] = { program, "-c", "-t", t->name, NULL };
	int ret, fd = memfd_create("saved", MFD_CLOEXEC);

	if (fd < 0)
		return no_text(err, t, -errno, "");
	snprintf(program, sizeof(program), "%s-save", xt2_kernel_program(t->way, t->family));
	ret = xt2_tool_run(argv, -1, fd, said);
	ret = ret ? no_text(err, t, ret, said) : take_text(t, fd, err);
	close(fd);
	return ret;
}

int xt2_kernel_table_read(struct xt2_kernel_table *t, struct xt2_err *err)
{
	struct there there;

	look(&there);
	if (there.bits[t->way][t->family == XT2_IPV6] & bit_of(t->name))
		return read_table(t, err);
	return xt2_kernel_table_set(t, "", 0) ? no_text(err, t, -ENOMEM, "") : 0;
}

/* => 0, -errno: see err */
static int add(struct xt2_kernel_tables *k, struct xt2_kernel_table t, const char **missing,
	       struct xt2_err *err)
{
	int ret = read_table(&t, err);

	if (ret == -ENOENT) {
		*missing = xt2_kernel_program(t.way, t.family);
		return 0;
	}
	if (ret || xt2_kernel_table_empty(&t)) {
		xt2_kernel_table_free(&t);
		return ret;
	}
	k->list[k->count++] = t;
	return 0;
}

int xt2_kernel_tables_read(struct xt2_kernel_tables *k,
			   bool (*wanted)(void *data, int family, const char *name), void *data,
			   const char **missing, struct xt2_err *err)
{
	struct there there;
	size_t i, six;
	int way, ret = 0;

	k->count = 0;
	*missing = NULL;
	look(&there);
	for (way = 0; way < XT2_WAYS; way++)
		for (six = 0; six < XT2_ARRAY_SIZE(families); six++)
			for (i = 0; i < NAMES && !ret; i++) {
				struct xt2_kernel_table t = { .way = way, .family = families[six] };

				if (!(there.bits[way][six] >> i & 1) ||
				    (wanted && !wanted(data, families[six], names[i])))
					continue;
				snprintf(t.name, sizeof(t.name), "%s", names[i]);
				ret = add(k, t, missing, err);
			}
	if (ret)
		xt2_kernel_tables_free(k);
	return ret;
}

/* --- compared -------------------------------------------------------------- */

/* Of one table of a ruleset; without it, of none.  => 0, -errno */
static int digest(const struct xt2_ruleset *from, int family, const char *name, __u8 *digest)
{
	const int table = from ? xt2_table_find(from, family, name) : -1;
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int ret = rs ? 0 : -ENOMEM;

	if (!ret && table >= 0)
		ret = xt2_table_copy(rs, from, table);
	if (!ret)
		ret = xt2_ruleset_digest(rs, digest);
	xt2_ruleset_free(rs);
	return ret;
}

static bool same(const struct xt2_ruleset *a, const struct xt2_ruleset *b, int family,
		 const char *name)
{
	__u8 one[XT2_DIGEST_SIZE], other[XT2_DIGEST_SIZE];

	return !digest(a, family, name, one) && !digest(b, family, name, other) &&
	       !memcmp(one, other, sizeof(one));
}

bool xt2_table_has_effect(const struct xt2_ruleset *rs, int family, const char *name)
{
	return !same(rs, NULL, family, name);
}

/* An image with one table of a ruleset.  => 0, -errno */
static int one_table(const struct xt2_ruleset *from, int family, const char *name,
		     struct xt2_mapping *map)
{
	const int table = xt2_table_find(from, family, name);
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int ret = rs ? 0 : -ENOMEM;

	if (!ret && table >= 0)
		ret = xt2_table_copy(rs, from, table);
	if (!ret)
		ret = xt2_ruleset_write(rs, map, NULL);
	xt2_ruleset_free(rs);
	return ret;
}

/* Rules that have a partner, tails aside.  => how many, -ENOMEM */
static int count_pairs(const struct xt2_image *old, const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	size_t rules = 0, at = 0, k;
	u32 i, *pair;
	int n = 0;

	xt2_image_for_each_chain(c, i, img, root)
		rules += c->rules;
	pair = calloc(rules + 1, sizeof(*pair));
	if (!pair || xt2_image_pair(old, img, NULL, pair)) {
		free(pair);
		return -ENOMEM;
	}
	xt2_image_for_each_chain(c, i, img, root) {
		for (k = at; k + 1 < at + c->rules; k++)
			n += pair[k] != 0;
		at += c->rules;
	}
	free(pair);
	return n;
}

int xt2_kernel_table_shares(const struct xt2_kernel_table *t, const struct xt2_ruleset *rs)
{
	struct xt2_mapping kernel = { 0 }, live = { 0 };
	int ret;

	if (!t->rs)
		return 0;
	ret = one_table(t->rs, t->family, t->name, &kernel);
	if (!ret)
		ret = one_table(rs, t->family, t->name, &live);
	if (!ret)
		ret = count_pairs(kernel.image, live.image);
	xt2_image_close(&kernel);
	xt2_image_close(&live);
	return ret < 0 ? -ENOMEM : ret;
}

/* The next character that counts: of no comment and no counter, from the start of a line or not. */
static const char *skip(const char *at)
{
	while (*at == '#') {
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	if (*at == '[' && isdigit((unsigned char)at[1]))
		at += strcspn(at, "]\n") + 1;
	return at;
}

static bool same_text(const char *a, const char *b)
{
	bool start = true;

	for (;; a++, b++) {
		if (start || *a == '[')
			a = skip(a);
		if (start || *b == '[')
			b = skip(b);
		while (start && *a == ' ')
			a++;
		while (start && *b == ' ')
			b++;
		if (*a != *b || !*a)
			return *a == *b;
		start = *a == '\n';
	}
}

bool xt2_kernel_table_empty(const struct xt2_kernel_table *t)
{
	return !t->size || (t->rs && same(t->rs, NULL, t->family, t->name));
}

bool xt2_kernel_tables_same(const struct xt2_kernel_table *a, const struct xt2_kernel_table *b)
{
	if (a->rs && b->rs)
		return same(a->rs, b->rs, a->family, a->name);
	return !a->rs == !b->rs && same_text(a->text, b->text);
}

bool xt2_kernel_table_is(const struct xt2_kernel_table *t, const struct xt2_ruleset *rs)
{
	return t->rs && same(t->rs, rs, t->family, t->name);
}

/* --- changed --------------------------------------------------------------- */

/*
 * iptables-nft flushes all chains of a table, those of others too, unless it is told not to; xt2 may
 * have one there (libxt2/store/companion/bpf-bound.c).
 */
static int restore(const struct xt2_kernel_table *t, const char *text, size_t size,
		   struct xt2_err *err)
{
	char program[32], said[XT2_SAID];
	const char *legacy[] = { program, "-c", "-w", "5", NULL };
	const char *nft[] = { program, "-c", "-n", NULL };
	int ret, fd = memory_file(text, size);

	if (fd < 0)
		return no_text(err, t, fd, "");
	snprintf(program, sizeof(program), "%s-restore", xt2_kernel_program(t->way, t->family));
	ret = xt2_tool_run(t->way == XT2_WAY_LEGACY ? legacy : nft, fd, -1, said);
	close(fd);
	return ret ? no_text(err, t, ret, said) : 0;
}

/* The next chain of a text, in a line that begins with a colon.  => its name's length; 0: there is none */
static int next_chain(const char **at, const char **name, bool *user)
{
	const char *line = *at;

	while (line && *line && *line != ':') {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line || !*line)
		return 0;
	*name = line + 1;
	*at = strchr(line, '\n');
	line = strchr(line, ' ');
	*user = line && line[1] == '-';
	return line ? (int)(line - *name) : 0;
}

/* A line for each chain of a table: its users', its own, or both. */
static void put_chains(FILE *f, const char *text, bool users, bool own, const char *before,
		       const char *after)
{
	const char *at = text, *name;
	bool user;
	int n;

	while ((n = next_chain(&at, &name, &user)))
		if (user ? users : own)
			fprintf(f, "%s%.*s%s\n", before, n, name, after);
}

int xt2_kernel_table_clear(const struct xt2_kernel_table *t, struct xt2_err *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int ret;

	if (!f)
		return no_text(err, t, -errno, "");
	fprintf(f, "*%s\n", t->name);
	put_chains(f, t->text, false, true, ":", " ACCEPT [0:0]");
	if (t->way == XT2_WAY_NFT) {
		put_chains(f, t->text, true, true, "-F ", "");
		put_chains(f, t->text, true, false, "-X ", "");
	}
	fputs("COMMIT\n", f);
	ret = fclose(f) ? -ENOMEM : 0;
	ret = ret ? no_text(err, t, ret, "") : restore(t, text, size, err);
	free(text);
	return ret;
}

int xt2_kernel_table_restore(const struct xt2_kernel_table *t, struct xt2_err *err)
{
	return restore(t, t->text, t->size, err);
}
