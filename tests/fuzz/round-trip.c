/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * round-trip.c - text in, text out, and in again
 *
 * The input is a file for xt2tables-restore.  Its first line may be a comment
 * that says how to read it: "#4", "#6" or "#a" for the family, then letters
 * for the options: n noflush, v verbose, z without counters, T and t one table
 * only.
 *
 * The file is read a second time with plain rules, too, through libxtables: all
 * errors and the rules must be the same.
 *
 * A file that is refused must be refused with a reason for every error.  A
 * file that is accepted is packed; the image must pass the check, and packets
 * are evaluated on it.  It is saved; what was saved must load, be the same
 * rules, and save to the same text.
 *
 * The file is read from memory: read() and time() are the linker's wrapped
 * ones.
 */
#include "round-trip.h"

#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <xt2/ext.h>
#include <xt2/xt2.h>
#include "engine/image.h"
#include "xt2tables/text/text.h"
#include "tests/lib/packets.h"

#define VISITS_MAX 4096
#define NOW	   (1700000000ull * 1000000000)

ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);
time_t __wrap_time(time_t *t);

static struct {
	const u8 *at;
	size_t left;
} input;

ssize_t __wrap_read(int fd, void *buf, size_t size)
{
	if (fd != STDIN_FILENO)
		return __real_read(fd, buf, size);
	if (size > input.left)
		size = input.left;
	memcpy(buf, input.at, size);
	input.at += size;
	input.left -= size;
	return (ssize_t)size;
}

time_t __wrap_time(time_t *t)
{
	if (t)
		*t = 0;
	return 0;
}

#define need(so) need_((so), #so)

static void need_(bool so, const char *what)
{
	if (so)
		return;
	dprintf(STDERR_FILENO, "round-trip.c: not so: %s\n", what);
	abort();
}

/* --- in and out -------------------------------------------------------------- */

static void check_errors(const struct xt2_text_errors *e, bool failed)
{
	need(failed == (e->count + e->more > 0));
	need(!failed || e->status);
	for (unsigned int i = 0; i < e->count; i++)
		need(e->list[i].code != XT2_OK && e->list[i].message[0]);
}

/* Packed alike to the byte. */
static void same_images(const struct xt2_ruleset *a, const struct xt2_ruleset *b)
{
	struct xt2_mapping x, y;
	struct xt2_err err;
	int ret = xt2_ruleset_write(a, &x, &err);

	need(xt2_ruleset_write(b, &y, &err) == ret);
	if (ret)
		return;
	need(x.size == y.size && !memcmp(x.image, y.image, x.size));
	xt2_image_close(&x);
	xt2_image_close(&y);
}

static void load_no_plain(const u8 *text, size_t size, const struct xt2_text_options *opt,
			  const struct xt2_ruleset *is, const struct xt2_text_errors *errors,
			  int answer)
{
	struct xt2_text_options full = *opt;
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_text_errors e;

	need(rs);
	full.no_plain = true;
	input.at = text;
	input.left = size;
	need(xt2_text_load("-", rs, &full, &e) == answer);
	need(e.count == errors->count && e.more == errors->more && e.status == errors->status);
	for (unsigned int i = 0; i < e.count; i++)
		need(!memcmp(&e.list[i], &errors->list[i], sizeof(e.list[i])));
	same_images(is, rs);
	xt2_text_errors_free(&e);
	xt2_ruleset_free(rs);
}

/* => NULL: refused */
static struct xt2_ruleset *load(const u8 *text, size_t size, const struct xt2_text_options *opt)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_text_errors errors;
	int ret;

	need(rs);
	input.at = text;
	input.left = size;
	ret = xt2_text_load("-", rs, opt, &errors);
	need(!ret || ret == -EINVAL);
	check_errors(&errors, ret < 0);
	load_no_plain(text, size, opt, rs, &errors, ret);
	xt2_text_errors_free(&errors);
	if (!ret)
		return rs;
	xt2_ruleset_free(rs);
	return NULL;
}

static char *save(const struct xt2_ruleset *rs, int family, const char *table, size_t *size)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, size);

	need(to);
	need(!xt2_text_save(to, rs, family, table, true));
	need(!fclose(to) && text);
	return text;
}

/* --- the same rules ---------------------------------------------------------- */

/*
 * Bytes of what is only carried may differ where they mean the same; comments may not.
 */
static bool same_instance(const struct xt2_ruleset *a, u32 i, const struct xt2_ruleset *b, u32 j)
{
	const struct xt2_instance *x = xt2_instance_get(a, i), *y = xt2_instance_get(b, j);

	need(x && y);
	if (x->kind != y->kind || x->revision != y->revision || x->size != y->size ||
	    strcmp(x->name, y->name))
		return false;
	return x->kind != XT2_INSTANCE_COMMENT ||
	       !memcmp(xt2_instance_data(x), xt2_instance_data(y), x->size);
}

/* Of an IPv4 mask "recent" fills 16 bytes, or 4. */
static bool same_payload(const struct xt2_match *m, const struct xt2_match *n)
{
	const u32 mask = offsetof(struct xt2_match_recent, mask), end = mask + 16;
	const u8 *x = (const u8 *)m, *y = (const u8 *)n;

	if (m->type != XT2_M_RECENT)
		return !memcmp(m + 1, n + 1, m->size - sizeof(*m));
	return !memcmp(x + sizeof(*m), y + sizeof(*m), mask - sizeof(*m) + 4) &&
	       !memcmp(x + end, y + end, m->size - end);
}

static bool same_match(const struct xt2_ruleset *a, const struct xt2_match *m,
		       const struct xt2_ruleset *b, const struct xt2_match *n)
{
	u32 info = xt2_match_info(m->type);

	if (m->type != n->type || m->flags != n->flags || m->size != n->size || !same_payload(m, n))
		return false;
	if (info & XT2_EXT_INSTANCE)
		return same_instance(a, m->arg, b, n->arg);
	return info & XT2_EXT_CELL || m->arg == n->arg;
}

static bool same_target(const struct xt2_ruleset *a, const struct xt2_rule *r,
			const struct xt2_ruleset *b, const struct xt2_rule *s)
{
	u8 kind = XT2_TARGET_KIND(r->target);
	u32 i = XT2_TARGET_ARG(r->target), j = XT2_TARGET_ARG(s->target);

	if (kind != XT2_TARGET_KIND(s->target) ||
	    xt2_rule_target_size(r) != xt2_rule_target_size(s) ||
	    memcmp(xt2_rule_target_data(r), xt2_rule_target_data(s), xt2_rule_target_size(r)))
		return false;
	if (kind == XT2_T_JUMP || kind == XT2_T_GOTO)
		return !strcmp(xt2_chain_name(a, (int)i), xt2_chain_name(b, (int)j));
	if (kind == XT2_T_FOREIGN || kind == XT2_T_NAT)
		return same_instance(a, i, b, j);
	return i == j;
}

/* "-p all" of IPv6, which iptables-save does not print. */
static const struct xt2_match *past_any_proto(const struct xt2_match *m)
{
	return m->type == XT2_M_PROTO && !m->arg ? xt2_match_next(m) : m;
}

static bool same_rule(const struct xt2_ruleset *a, const struct xt2_rule *r,
		      const struct xt2_ruleset *b, const struct xt2_rule *s)
{
	const struct xt2_match *m = xt2_rule_first_match(r), *n = xt2_rule_first_match(s);
	const u8 *m_end = (const u8 *)r + r->target_offset;
	const u8 *n_end = (const u8 *)s + s->target_offset;

	for (;; m = xt2_match_next(m), n = xt2_match_next(n)) {
		if ((const u8 *)m < m_end)
			m = past_any_proto(m);
		if ((const u8 *)m >= m_end || (const u8 *)n >= n_end)
			break;
		if (!same_match(a, m, b, n))
			return false;
	}
	return (const u8 *)m == m_end && (const u8 *)n == n_end && r->packets == s->packets &&
	       r->bytes == s->bytes && same_target(a, r, b, s);
}

static void compare_chains(const struct xt2_ruleset *a, int c, const struct xt2_ruleset *b, int d)
{
	unsigned int i, n = xt2_chain_rules(a, c);

	need(!strcmp(xt2_chain_name(a, c), xt2_chain_name(b, d)));
	need(xt2_chain_hook(a, c) == xt2_chain_hook(b, d) && n == xt2_chain_rules(b, d));
	if (xt2_chain_hook(a, c) >= 0)
		need(xt2_chain_policy(a, c) == xt2_chain_policy(b, d));
	for (i = 0; i < n; i++)
		need(same_rule(a, xt2_rule_get(a, c, i), b, xt2_rule_get(b, d, i)));
}

/* Tables one by one: the newest is saved first, so their order alternates. */
static void compare_text(const struct xt2_ruleset *a, const struct xt2_ruleset *b, int family,
			 const char *table)
{
	size_t m, n;
	char *s = save(a, family, table, &m), *t = save(b, family, table, &n);

	need(m == n && !memcmp(s, t, m));
	free(s);
	free(t);
}

static void compare(const struct xt2_ruleset *a, const struct xt2_ruleset *b, int family)
{
	int t, u, c, d;

	need(xt2_ruleset_tables(a) == xt2_ruleset_tables(b));
	for (t = 0; t < xt2_ruleset_tables(a); t++) {
		u = xt2_table_find(b, family, xt2_table_name(a, t));
		need(u >= 0);
		d = xt2_chain_next(b, u, -1);
		for (c = xt2_chain_next(a, t, -1); c >= 0; c = xt2_chain_next(a, t, c)) {
			need(d >= 0);
			compare_chains(a, c, b, d);
			d = xt2_chain_next(b, u, d);
		}
		need(d < 0);
		compare_text(a, b, family, xt2_table_name(a, t));
	}
}

/* Every part of a rule can be said by itself, as explain and check do. */
static void say_rule(const struct xt2_ruleset *rs, int chain, unsigned int at)
{
	const struct xt2_rule *r = xt2_rule_get(rs, chain, at);
	const struct xt2_match *m;
	char buf[64]; /* most texts are longer: they are cut, and nothing more */

	need(xt2_text_rule(rs, chain, at, buf, sizeof(buf)) > 0);
	need(xt2_text_target(rs, chain, r, buf, sizeof(buf)) >= 0);
	xt2_rule_for_each_match(m, r)
		need(xt2_text_match(rs, chain, m, buf, sizeof(buf)) >= 0);
}

static void say_rules(const struct xt2_ruleset *rs)
{
	int t, c;

	for (t = 0; t < xt2_ruleset_tables(rs); t++)
		for (c = xt2_chain_next(rs, t, -1); c >= 0; c = xt2_chain_next(rs, t, c))
			if (xt2_chain_rules(rs, c))
				say_rule(rs, c, xt2_chain_rules(rs, c) - 1);
}

/* --- evaluation ---------------------------------------------------------------- */

static void eval_hook(struct xt2_evaluator *ev, u8 family, u8 hook)
{
	struct xt2_result result;
	struct xt2_pkt pkt;
	u8 buf[256];
	u32 size;

	memset(buf, 0, sizeof(buf));
	if (family == XT2_IPV4)
		size = packet_ipv4(buf, 0x0a000001, 0x0a000002, 6, 4096, 80);
	else if (family == XT2_IPV6)
		size = packet_ipv6(buf, 1, 2, 6, 4096, 80);
	else
		size = packet_arp(buf, 0x0a000001, 0x0a000002);
	need(!packet_parse(&pkt, family, buf, size));
	pkt.hook = hook;
	memcpy(pkt.in, "eth0", 4);
	pkt.room = sizeof(buf) - size;
	pkt.ct.state = XT2_CT_NEW;
	need(xt2_evaluate(ev, hook, NULL, &pkt, NOW, 1, &result) >= 0);
	need(result.faults || (result.table && result.chain));
}

static bool too_long(const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_hook *h;
	u32 i;

	xt2_image_for_each_hook(h, i, img, root)
		if (h->visits > VISITS_MAX)
			return true;
	return false;
}

static void evaluate(struct xt2_image *img, size_t size)
{
	const struct xt2_root *root = xt2_image_root(img);
	struct xt2_evaluator *ev;
	const struct xt2_hook *h;
	u32 i;

	if (too_long(img))
		return;
	ev = xt2_evaluator_new(img, size);
	need(ev);
	xt2_image_for_each_hook(h, i, img, root)
		eval_hook(ev, h->family, h->hook);
	xt2_evaluator_free(ev);
}

static void pack(const struct xt2_ruleset *rs)
{
	struct xt2_mapping map, copy;
	struct xt2_err err = { .code = XT2_OK };
	int ret = xt2_ruleset_write(rs, &map, &err);

	if (ret < 0) {
		need(ret != -EINVAL && err.message[0]);
		return;
	}
	need(!xt2_image_copy(map.image, map.size, &copy, &err));
	evaluate(copy.image, copy.size);
	xt2_image_close(&copy);
	xt2_image_close(&map);
}

/* --- all of it ------------------------------------------------------------------- */

static FILE *nowhere(void)
{
	static FILE *null;

	if (!null)
		null = fopen("/dev/null", "w");
	need(null);
	return null;
}

static struct xt2_text_options how_to_read(const u8 *text, size_t size)
{
	struct xt2_text_options opt = { .family = XT2_IPV4, .counters = true };

	for (size_t i = 1; size && *text == '#' && i < size && text[i] != '\n'; i++) {
		switch (text[i]) {
		case '6': opt.family = XT2_IPV6; break;
		case 'a': opt.family = XT2_ARP; break;
		case 'n': opt.noflush = true; break;
		case 'v': opt.report = nowhere(); break;
		case 'z': opt.counters = false; break;
		case 'T': opt.table = "filter"; break;
		case 't': opt.table = "mangle"; break;
		}
	}
	return opt;
}

/*
 * libxtables' printers of these put names into the text without quotes, so
 * that neither iptables-restore nor we can read one with a blank again.
 */
static bool name_unquoted(const u8 *text, size_t size)
{
	static const char *const options[] = {
		"rateest",   "--name", "--hashlimit-n", "--helper", "--nfacct",
		"--label",   "--path", "--selctx",	"-set",	    "--genre",
		"--physdev", "--oif",  "--timeout",	"--algo",
	};

	if (!memchr(text, '"', size))
		return false;
	for (size_t i = 0; i < XT2_ARRAY_SIZE(options); i++)
		if (memmem(text, size, options[i], strlen(options[i])))
			return true;
	return false;
}

void round_trip(const u8 *text, size_t size)
{
	struct xt2_text_options opt = how_to_read(text, size);
	struct xt2_ruleset *rs = load(text, size, &opt), *again;
	size_t len;
	char *saved;

	if (!rs)
		return;
	pack(rs);
	say_rules(rs);
	saved = save(rs, opt.family, NULL, &len);
	opt.counters = true;
	opt.noflush = false;
	opt.table = NULL;
	again = load((const u8 *)saved, len, &opt);
	need(again || name_unquoted(text, size));
	if (again)
		compare(rs, again, opt.family);
	xt2_ruleset_free(rs);
	xt2_ruleset_free(again);
	free(saved);
}

void round_trip_option(int *argc, char ***argv, const char *option)
{
	static char *args[64];
	int i;

	need(*argc < 60);
	for (i = *argc; i > 1; i--)
		args[i] = (*argv)[i - 1];
	args[0] = (*argv)[0];
	args[1] = (char *)option;
	args[++*argc] = NULL;
	*argv = args;
}
