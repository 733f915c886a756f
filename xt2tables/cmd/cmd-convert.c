/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-convert.c - xt2 convert: rulesets from one form into another
 *
 * Whatever comes in becomes an image, and what goes out is made from that
 * image: text, JSON, or the bytes that iptables hands to the kernel.  A form
 * is a row with how it is read and how it is written.
 */
#include <sys/mman.h>
#include <unistd.h>
#include <xt2/sockopt.h>
#include "libxt2/store/new-file.h"
#include "xt2tables/files/file.h"
#include "xt2tables/text/nearest.h"
#include "xt2tables/json/json-ruleset.h"
#include "xt2tables/files/sandbox.h"
#include "xt2tables/text/text.h"
#include "cmd.h"

struct conversion {
	struct xt2_input in; /* path, family; the ruleset */
	const char *out, *table;
	int family;
	int from_compat, to_compat;
	__u32 num_counters; /* that a binary table said; 0: none did */
	struct xt2_bytes result;
};

/* => XT2_EXIT_*, the error told */
static int wrong(const struct conversion *c, int code, const char *what)
{
	struct xt2_err err;

	xt2_err_set(&err, code, 0, "%s", what);
	xt2_err_file(&err, c->in.path);
	return xt2_fail(&err);
}

/* --- in ------------------------------------------------------------------- */

/* What was read goes through an image.  => XT2_EXIT_* */
static int read_with(struct conversion *c,
		     int (*read)(struct conversion *c, struct xt2_ruleset *rs, struct xt2_err *err))
{
	struct xt2_err err = { 0 };
	int ret;

	c->in.rs = xt2_ruleset_new();
	if (!c->in.rs)
		return wrong(c, XT2_E_SYSTEM, "out of memory");
	ret = read(c, c->in.rs, &err);
	if (ret < 0 && !err.file[0])
		xt2_err_file(&err, c->in.path);
	if (ret >= 0)
		ret = xt2_ruleset_write(c->in.rs, &c->in.map, &err);
	return ret < 0 ? xt2_fail(&err) : xt2_input_reload(&c->in);
}

static int from_replace(struct conversion *c, struct xt2_ruleset *rs, struct xt2_err *err)
{
	struct xt2_bytes blob;
	int ret = xt2_file_read(c->in.path, XT2_BLOB_MAX, &blob, err);

	if (ret)
		return ret;
	ret = xt2_table_read_replace(rs, c->family, c->from_compat, blob.at, blob.len, 1, err);
	if (ret >= 0)
		memcpy(&c->num_counters,
		       (const char *)blob.at + xt2_num_counters_at(c->family, c->from_compat), 4);
	free(blob.at);
	return ret;
}

static int from_json(struct conversion *c, struct xt2_ruleset *rs, struct xt2_err *err)
{
	return xt2_json_read(c->in.path, rs, c->family, err);
}

/* --- out ------------------------------------------------------------------ */

/* Without counters iptables-save's text is as people know it. */
static bool has_counters(const struct conversion *c, int table)
{
	const struct xt2_ruleset *rs = c->in.rs;
	const struct xt2_rule *r;
	unsigned int i;
	__u64 p, b;
	int chain;

	xt2_table_for_each_chain(chain, rs, table) {
		if (c->family == XT2_ARP && !xt2_chain_counters(rs, chain, &p, &b) && (p || b))
			return true;
		for (i = 0; (r = xt2_rule_get(rs, chain, i)); i++)
			if (r->packets || r->bytes)
				return true;
	}
	return false;
}

static int to_text(struct conversion *c, FILE *to)
{
	bool counters = false;
	int t;

	for (t = 0; t < xt2_ruleset_tables(c->in.rs); t++)
		if (xt2_table_family(c->in.rs, t) == c->family)
			counters |= has_counters(c, t);
	return xt2_text_save(to, c->in.rs, c->family, c->table, counters);
}

/* Only the tables that are printed.  => NULL: no memory */
static struct xt2_ruleset *printed(const struct conversion *c)
{
	struct xt2_ruleset *rs = xt2_ruleset_clone(c->in.rs);
	int t;

	for (t = 0; rs && t < xt2_ruleset_tables(rs); t++)
		if (xt2_table_family(rs, t) != c->family ||
		    (c->table && strcmp(c->table, xt2_table_name(rs, t))))
			xt2_table_reset(rs, t, NULL);
	return rs;
}

/*
 * Text of ebtables that reads back as the same rules.  Its plugins print what
 * their options say: anything else in a payload would be lost without a word.
 * => XT2_EXIT_*
 */
static int check_text(const struct conversion *c)
{
	struct xt2_opened_file text = { .fd = memfd_create("text", MFD_CLOEXEC) };
	const struct xt2_text_options opt = { .family = c->family,
					      .counters = true,
					      .file = &text };
	struct xt2_ruleset *rs = xt2_ruleset_new(), *sent = printed(c);
	__u8 digest[2][XT2_DIGEST_SIZE];
	struct xt2_text_errors errors = { 0 };
	int ret = -ENOMEM;

	if (rs && sent && text.fd >= 0 && !xt2_write_all(text.fd, c->result.at, c->result.len) &&
	    !lseek(text.fd, 0, SEEK_SET))
		ret = xt2_text_load(c->in.path, rs, &opt, &errors);
	if (!ret)
		ret = xt2_ruleset_digest(rs, digest[0]);
	if (!ret)
		ret = xt2_ruleset_digest(sent, digest[1]);
	if (!ret && memcmp(digest[0], digest[1], XT2_DIGEST_SIZE))
		ret = -EILSEQ;
	if (errors.count && errors.list[0].code != XT2_E_SYSTEM)
		ret = wrong(c, XT2_E_UNSUPPORTED, errors.list[0].message);
	else if (ret == -EILSEQ)
		ret = wrong(c, XT2_E_UNSUPPORTED,
			    "the options of ebtables cannot say these rules exactly");
	else if (ret)
		ret = wrong(c, XT2_E_SYSTEM, "out of memory");
	xt2_text_errors_free(&errors);
	xt2_ruleset_free(rs);
	xt2_ruleset_free(sent);
	xt2_opened_file_close(&text);
	return ret;
}

static int to_json(struct conversion *c, FILE *to)
{
	return xt2_json_write(to, c->in.rs, c->family, c->table);
}

/* Into memory.  => XT2_EXIT_* */
static int print_with(struct conversion *c, int (*print)(struct conversion *c, FILE *to))
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	int ret = to ? print(c, to) : -ENOMEM;

	if (to && (fclose(to) || !text) && !ret)
		ret = -ENOMEM;
	c->result.at = text;
	c->result.len = len;
	if (!ret)
		return XT2_EXIT_OK;
	return wrong(c, ret == -EOPNOTSUPP ? XT2_E_UNSUPPORTED : XT2_E_SYSTEM,
		     *xt2_text_why() ? xt2_text_why() : strerror(-ret));
}

/* The only table there is.  => its number, or -1: several, or none */
static int only_table(const struct conversion *c)
{
	int i, found = -1;

	for (i = 0; i < xt2_ruleset_tables(c->in.rs); i++) {
		if (xt2_table_family(c->in.rs, i) != c->family)
			continue;
		if (found >= 0)
			return -1;
		found = i;
	}
	return found;
}

/* The tables by name, in a sentence. */
static int which_table(const struct conversion *c)
{
	char what[256] = "there is no table in it";
	size_t n = 0;
	int i;

	for (i = 0; i < xt2_ruleset_tables(c->in.rs); i++) {
		if (xt2_table_family(c->in.rs, i) != c->family)
			continue;
		n += (size_t)snprintf(what + n, sizeof(what) - n, "%s%s",
				      n ? ", " : "one table at a time: say -t and one of ",
				      xt2_table_name(c->in.rs, i));
		if (n >= sizeof(what))
			break;
	}
	return wrong(c, XT2_E_UNKNOWN, what);
}

static int write_replace(struct conversion *c)
{
	int table = c->table ? xt2_table_find(c->in.rs, c->family, c->table) : only_table(c);
	struct xt2_err err = { 0 };

	if (table < 0)
		return which_table(c);
	if (xt2_table_write_replace(c->in.rs, table, c->to_compat, NULL, &c->result.at,
				    &c->result.len, &err) < 0) {
		xt2_err_file(&err, c->in.path);
		return xt2_fail(&err);
	}
	if (c->num_counters)
		memcpy((char *)c->result.at + xt2_num_counters_at(c->family, c->to_compat),
		       &c->num_counters, 4);
	return XT2_EXIT_OK;
}

/* --- the command ------------------------------------------------------------ */

static const struct form {
	const char *name;
	/* NULL: as every command reads rulesets */
	int (*read)(struct conversion *c, struct xt2_ruleset *rs, struct xt2_err *err);
	int (*print)(struct conversion *c, FILE *to); /* NULL: it is binary */
} forms[] = {
	{ "save", NULL, to_text },
	{ "replace", from_replace, NULL },
	{ "json", from_json, to_json },
};

static const struct form *form_of(const char *name)
{
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(forms); i++)
		if (!strcmp(name, forms[i].name))
			return &forms[i];
	return NULL;
}

/* => XT2_EXIT_* */
static int convert(struct conversion *c, const struct form *from, const struct form *to)
{
	char say[XT2_NEAREST_SIZE];
	struct xt2_err err;
	int ret = from->read ? read_with(c, from->read) : xt2_input_load(&c->in);

	if (ret == XT2_EXIT_OK && c->table &&
	    !xt2_nearest_table(c->in.rs, c->family, c->table, say)) {
		char what[128 + XT2_NEAREST_SIZE];

		snprintf(what, sizeof(what), "there is no table '%.32s' in it%s", c->table, say);
		ret = wrong(c, XT2_E_UNKNOWN, what);
	}
	if (ret == XT2_EXIT_OK)
		ret = to->print ? print_with(c, to->print) : write_replace(c);
	if (ret == XT2_EXIT_OK && to->print == to_text && c->family == XT2_BRIDGE)
		ret = check_text(c);
	if (ret == XT2_EXIT_OK && xt2_file_write(c->out, c->result.at, c->result.len, &err) < 0)
		ret = xt2_fail(&err);
	free(c->result.at);
	xt2_input_close(&c->in);
	return ret;
}

static const char help[] =
	"Usage: xt2 convert IN -o OUT --from FORM --to FORM --family 4|6|arp|eb\n"
	"                   [--from-width 64|32] [--to-width 64|32] [-t TABLE]\n\n"
	"Rulesets from one form into another.  FORM is\n"
	"  save      text as iptables-save, ip6tables-save, arptables-save or ebtables-save\n"
	"            print it\n"
	"  replace   one table in the kernel's binary format: header and entries, as\n"
	"            iptables hands them to setsockopt(SO_SET_REPLACE)\n"
	"  json      JSON\n\n"
	"IN and OUT may be \"-\".  OUT is written when all went well, and as a whole.\n\n"
	"      --from-width, --to-width 64|32\n"
	"                         binary format of 64-bit (default) or 32-bit programs\n"
	"  -t, --table TABLE      of the tables, only this one\n\n"
	"Exit codes: 0 ok, 2 the arguments or IN are wrong, 3 OUT cannot say it, 4 out of a\n"
	"resource.\n";

struct options {
	struct conversion c;
	const char *from, *to, *family;
};

static const struct xt2_option rows[] = {
	XT2_WORD("output", 'o', struct options, c.out),
	XT2_WORD("from", 0, struct options, from),
	XT2_WORD("to", 0, struct options, to),
	XT2_WORD("family", 0, struct options, family),
	XT2_WIDTH_WORD("from-width", struct options, c.from_compat),
	XT2_WIDTH_WORD("to-width", struct options, c.to_compat),
	XT2_WORD("table", 't', struct options, c.table),
	XT2_ROWS_END,
};

int xt2_convert_main(int argc, char **argv)
{
	struct options o = { .c.in.text = true };
	struct conversion *c = &o.c;
	const struct form *from, *to;
	int ret = xt2_options("convert", help, rows, &o, argc, argv);

	if (ret >= 0)
		return ret;
	if (optind + 1 != argc)
		return xt2_usage("convert", "give one file to convert");
	if (!c->out || !o.from || !o.to || !o.family)
		return xt2_usage("convert", "-o, --from, --to and --family are needed");
	from = form_of(o.from);
	to = form_of(o.to);
	if (!from || !to)
		return xt2_usage("convert", "no such form: %s (save, replace or json)",
				 from ? o.to : o.from);
	c->family = c->in.family = xt2_family_word(o.family);
	if (!c->family)
		return xt2_usage("convert", "no such family: %s (4, 6, arp or eb)", o.family);
	c->in.path = argv[optind];
	xt2_sandbox_enter(&(struct xt2_sandbox){ .outputs = &c->out, .count = 1, .text = true });
	return convert(c, from, to);
}
