/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-read.c - a ruleset from JSON
 *
 * jansson reads the file; what it says goes into a copy of the ruleset, which
 * takes the ruleset's place when all of it was good.  The text of a rule is
 * the truth and goes the way of all text.  Its fields, if they are there, must
 * be what is printed for the rule that came out: a user who changes the one and
 * forgets the other gets an error, not a rule that differs from its fields.
 *
 * Values don't know their position in the file, so after an error the file, which
 * is well-formed by then, is searched for it.
 */
#include "config.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "libxt2/ruleset/ruleset.h"
#include "xt2tables/text/bridge/bridge.h"
#include "xt2tables/text/commands.h"
#include "xt2tables/files/opened-file.h"
#include "json-fields.h"
#include "json-load.h"
#include "json-position.h"
#include "json-rule.h"
#include "xt2tables/text/hook-rules.h"
#include "json-ruleset.h"
#include "xt2tables/text/text.h"

#define SCHEMA	 1 /* of doc/json.md */
#define NOT_JSON "this is not JSON: "
#define TEXT_MAX (1u << 31) /* bytes: more than any ruleset takes */

struct reader {
	const char *path;
	struct xt2_ruleset *rs; /* the copy */
	int only; /* family; 0: all */
	struct xt2_err *err;
	char *text;
	size_t size;

	/* "tables" 0 "chains" 2 "rules" 5, and the member in question */
	struct xt2_json_step way[8];
	unsigned int depth;

	int family, table, chain;
	json_t *chains; /* of the table */
	struct xt2_json_parser parser;
};

/* --- errors -------------------------------------------------------------------- */

/* "ipv4 filter/INPUT:3: ", as far as that is known. */
static size_t whose(const struct reader *r, char *buf, size_t size)
{
	size_t n = 0;

	if (r->table < 0)
		return 0;
	n += (size_t)snprintf(buf, size, "%s %s", xt2_family_name(r->family),
			      xt2_table_name(r->rs, r->table));
	if (r->chain >= 0)
		n += (size_t)snprintf(buf + n, size - n, "/%s", xt2_chain_name(r->rs, r->chain));
	if (r->chain >= 0 && r->depth >= 6)
		n += (size_t)snprintf(buf + n, size - n, ":%zu", r->way[5].index + 1);
	return n + (size_t)snprintf(buf + n, size - n, ": ");
}

/* What is wrong where the reader is, or with a member there.  => -EINVAL */
static int __attribute__((format(printf, 4, 5)))
wrong(struct reader *r, const char *member, int code, const char *format, ...)
{
	struct xt2_err *err = r->err;
	unsigned int depth = r->depth;
	va_list args;
	size_t n;

	if (member)
		r->way[depth++] = (struct xt2_json_step){ .key = member };
	err->code = code;
	snprintf(err->file, sizeof(err->file), "%s", r->path);
	n = whose(r, err->message, sizeof(err->message));
	va_start(args, format);
	vsnprintf(err->message + n, sizeof(err->message) - n, format, args);
	va_end(args);
	xt2_json_position(r->text, r->size, r->way, depth, &err->line, &err->column);
	return -EINVAL;
}

static int hint(struct reader *r, const char *text)
{
	snprintf(r->err->hint, sizeof(r->err->hint), "%s", text);
	return -EINVAL;
}

/* What is wrong with the file as a whole.  => -EINVAL */
static int file_wrong(struct reader *r, int code, const char *what, const char *why)
{
	struct xt2_err *err = r->err;

	err->code = code;
	snprintf(err->file, sizeof(err->file), "%s", r->path);
	snprintf(err->message, sizeof(err->message), "%s%s", what, why);
	return -EINVAL;
}

/* => error */
static int failed(struct reader *r, int error)
{
	file_wrong(r, error == -E2BIG ? XT2_E_LIMIT : XT2_E_SYSTEM, "", strerror(-error));
	r->err->errnum = -error;
	return error;
}

/* --- values -------------------------------------------------------------------- */

static void enter(struct reader *r, const char *key, size_t index)
{
	r->way[r->depth++] = (struct xt2_json_step){ .key = key };
	r->way[r->depth++] = (struct xt2_json_step){ .index = index };
}

static void leave(struct reader *r)
{
	r->depth -= 2;
}

/* An object that has no other members than these. */
static int members(struct reader *r, json_t *o, const char *const *names)
{
	const char *key, *const *n;
	json_t *value;

	if (!json_is_object(o))
		return wrong(r, NULL, XT2_E_SYNTAX, "this is not an object");
	json_object_foreach(o, key, value)
	{
		for (n = names; *n && strcmp(*n, key); n++)
			;
		if (!*n)
			return wrong(r, key, XT2_E_SYNTAX, "no member \"%.40s\" belongs here", key);
	}
	return 0;
}

static int member_of(struct reader *r, json_t *o, const char *name, json_t **value)
{
	*value = json_object_get(o, name);
	return *value ? 0 : wrong(r, NULL, XT2_E_SYNTAX, "\"%s\" is missing", name);
}

/* A copy of a member's bytes. */
static int text_of(struct reader *r, json_t *o, const char *name, char **text)
{
	json_t *v;

	if (member_of(r, o, name, &v) < 0)
		return -EINVAL;
	if (!json_is_string(v))
		return wrong(r, name, XT2_E_SYNTAX, "\"%s\" is not a string", name);
	*text = malloc(json_string_length(v) + 1);
	if (!*text)
		return failed(r, -ENOMEM);
	memcpy(*text, json_string_value(v), json_string_length(v) + 1);
	xt2_json_bytes_back(*text, json_string_length(v));
	return 0;
}

static int list_of(struct reader *r, json_t *o, const char *name, json_t **list)
{
	if (member_of(r, o, name, list) < 0)
		return -EINVAL;
	if (!json_is_array(*list))
		return wrong(r, name, XT2_E_SYNTAX, "\"%s\" is not an array", name);
	return 0;
}

/* A counter: a number, or digits in a string; 0 if it is not there. */
static int counter_of(struct reader *r, json_t *o, const char *name, __u64 *value)
{
	json_t *v = json_object_get(o, name);
	const char *s;

	*value = 0;
	if (!v)
		return 0;
	if (json_is_integer(v) && json_integer_value(v) >= 0) {
		*value = (__u64)json_integer_value(v);
		return 0;
	}
	s = json_is_string(v) ? json_string_value(v) : "";
	errno = 0;
	if (*s && !s[strspn(s, "0123456789")]) {
		*value = strtoull(s, NULL, 10);
		if (!errno)
			return 0;
	}
	return wrong(r, name, XT2_E_SYNTAX, "\"%s\" is not a number from 0 to 18446744073709551615",
		     name);
}

static int counters_of(struct reader *r, json_t *o, __u64 *packets, __u64 *bytes)
{
	int ret = counter_of(r, o, "packets", packets);

	return ret ? ret : counter_of(r, o, "bytes", bytes);
}

/* --- rules ---------------------------------------------------------------------- */

static int add_rule(struct reader *r, const char *options)
{
	struct xt2_failure failure;
	int ret = xt2_json_rule_append(&r->parser, r->chain, options, &failure);

	if (ret == -EINVAL) {
		wrong(r, "rule", failure.code, "%s", failure.message);
		return hint(r, failure.hint);
	}
	return ret < 0 ? failed(r, ret) : 0;
}

/* What this program prints as the fields of a rule.  => NULL: no memory */
static json_t *fields_of(struct reader *r, const struct xt2_rule *rule)
{
	json_error_t error;
	json_t *fields = NULL;
	char *buf = NULL;
	size_t size = 0;
	FILE *mem = open_memstream(&buf, &size);
	int ret = 0, lost;

	if (!mem)
		return NULL;
	fputc('{', mem);
	if (r->family != XT2_BRIDGE)
		ret = xt2_json_fields(mem, r->rs, r->chain, rule);
	fputc('}', mem);
	lost = ferror(mem);
	if (!(fclose(mem) | lost | ret) && buf)
		fields = xt2_json_load(buf, size, &error);
	free(buf);
	return fields;
}

/* The fields that a file gives are those of the rule, or the file is wrong. */
static int check_fields(struct reader *r, json_t *o, unsigned int at)
{
	static const char *const names[] = { "match", "target" };
	const struct xt2_rule *rule = xt2_rule_get(r->rs, r->chain, at);
	json_t *fields, *given;
	int ret = 0;
	size_t i;

	if (!json_object_get(o, "match") && !json_object_get(o, "target"))
		return 0;
	fields = fields_of(r, rule);
	if (!fields)
		return failed(r, -ENOMEM);
	for (i = 0; !ret && i < XT2_ARRAY_SIZE(names); i++) {
		given = json_object_get(o, names[i]);
		if (!given || json_equal(given, json_object_get(fields, names[i])))
			continue;
		ret = wrong(r, names[i], XT2_E_SYNTAX,
			    "\"%s\" and the text of the rule say different things", names[i]);
		hint(r, "the text counts: correct it, and leave \"match\" and \"target\" out");
	}
	json_decref(fields);
	return ret;
}

static int read_rule(struct reader *r, json_t *o)
{
	static const char *const names[] = { "rule", "packets", "bytes", "match", "target", NULL };
	unsigned int at = xt2_chain_rules(r->rs, r->chain);
	__u64 packets, bytes;
	char *options;
	int ret = members(r, o, names);

	if (!ret && !json_object_get(o, "rule")) {
		wrong(r, NULL, XT2_E_SYNTAX, "the rule has no text");
		return hint(r, "write its options into \"rule\", as iptables-save prints them; "
			       "\"match\" and \"target\" are not enough");
	}
	if (!ret)
		ret = counters_of(r, o, &packets, &bytes);
	if (!ret)
		ret = text_of(r, o, "rule", &options);
	if (ret < 0)
		return ret;
	ret = add_rule(r, options);
	if (!ret)
		ret = check_fields(r, o, at);
	if (ret < 0 && !r->err->rule[0]) {
		snprintf(r->err->rule, sizeof(r->err->rule), "%s", options);
		r->err->column = 0; /* that of the file is not one of the rule */
	}
	free(options);
	if (!ret && xt2_rule_set_counters(r->rs, r->chain, at, packets, bytes) < 0)
		ret = failed(r, -ENOMEM);
	return ret;
}

/* --- chains ----------------------------------------------------------------------- */

/* What only chains with a policy have. */
static int no_policy(struct reader *r, json_t *o)
{
	static const char *const none[] = { "policy", "packets", "bytes" };
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(none); i++)
		if (json_object_get(o, none[i]))
			return wrong(r, none[i], XT2_E_SYNTAX, "only base chains have \"%s\"",
				     none[i]);
	return 0;
}

static int read_policy(struct reader *r, json_t *o)
{
	json_t *policy = json_object_get(o, "policy");
	const char *name = json_string_value(policy);
	int ret;
	__u64 packets, bytes;

	if (xt2_chain_policy(r->rs, r->chain) < 0)
		return no_policy(r, o);
	if (!name || xt2_chain_set_policy(r->rs, r->chain, xt2_verdict_named(name)) < 0)
		return wrong(r, policy ? "policy" : NULL, XT2_E_SYNTAX,
			     "the chain needs a \"policy\": \"ACCEPT\"%s",
			     xt2_chain_hook(r->rs, r->chain) < 0 ? ", \"DROP\" or \"RETURN\""
								 : " or \"DROP\"");
	ret = counters_of(r, o, &packets, &bytes);
	if (!ret)
		xt2_chain_set_counters(r->rs, r->chain, packets, bytes);
	return ret;
}

/* @seen: a byte for each number of a base chain: it was in the file */
static int declare_chain(struct reader *r, json_t *o, __u8 *seen)
{
	static const char *const names[] = { "name", "policy", "packets", "bytes", "rules", NULL };
	char *name;
	int ret = members(r, o, names), hook;

	if (!ret)
		ret = text_of(r, o, "name", &name);
	if (ret < 0)
		return ret;
	r->chain = xt2_chain_find(r->rs, r->table, name);
	hook = r->chain < 0 ? -1 : xt2_chain_hook(r->rs, r->chain);
	ret = 0;
	if (r->chain >= 0 && (hook < 0 || seen[hook]++)) {
		ret = -EEXIST;
	} else if (r->chain < 0) {
		ret = xt2_verdict_named(name) ? -EEXIST : xt2_chain_add(r->rs, r->table, name);
		r->chain = ret;
	}
	if (ret == -ENOMEM) {
		failed(r, ret);
	} else if (ret < 0) {
		r->chain = -1;
		ret = wrong(r, "name", XT2_E_SYNTAX, "no chain can be called '%.64s': %s", name,
			    strerror(-ret));
	}
	free(name);
	return ret < 0 ? ret : read_policy(r, o);
}

static int read_rules(struct reader *r, json_t *o)
{
	json_t *list, *rule;
	char *name;
	size_t i;
	int ret = text_of(r, o, "name", &name);

	if (ret < 0)
		return ret;
	r->chain = xt2_chain_find(r->rs, r->table, name);
	free(name);
	ret = list_of(r, o, "rules", &list);
	if (ret < 0)
		return ret;
	json_array_foreach(list, i, rule)
	{
		enter(r, "rules", i);
		ret = read_rule(r, rule);
		if (ret < 0)
			return ret;
		leave(r);
	}
	return 0;
}

/* --- tables ------------------------------------------------------------------------- */

/* For xt2_reach_check(): keep the first problem of the table. */
static void report_rule(void *data, int chain, unsigned int rule, int code, const char *message,
			const char *text)
{
	struct reader *r = data;
	char name[XT2_NAME_SIZE * 4];
	json_t *o;
	size_t i;

	if (r->err->message[0])
		return;
	r->chain = chain;
	json_array_foreach(r->chains, i, o)
	{
		snprintf(name, sizeof(name), "%s", json_string_value(json_object_get(o, "name")));
		xt2_json_bytes_back(name, strlen(name));
		if (strcmp(name, xt2_chain_name(r->rs, chain)))
			continue;
		enter(r, "chains", i);
		enter(r, "rules", rule);
		break;
	}
	wrong(r, NULL, code, "%s", message);
	r->err->column = 0;
	xt2_text_rule(r->rs, chain, rule, r->err->rule, sizeof(r->err->rule));
	hint(r, text);
}

/*
 * User chains are ordered by name unless they came otherwise, as those of
 * arptables may.  @last: the user chain before this one, or -1
 */
static void note_order(struct reader *r, int *last)
{
	if (xt2_chain_hook(r->rs, r->chain) >= 0)
		return;
	if (*last >= 0 &&
	    strcmp(xt2_chain_name(r->rs, *last), xt2_chain_name(r->rs, r->chain)) > 0) {
		r->rs->table[r->table].as_came = true;
		r->rs->order->sorted = false;
	}
	*last = r->chain;
}

/* What can be said only now that the table is complete. */
static int check_table(struct reader *r)
{
	struct xt2_failure failure;
	int ret;

	if (r->family == XT2_BRIDGE) {
		ret = xt2_json_parser_check(&r->parser, &failure);
		return ret == -EINVAL ? wrong(r, NULL, failure.code, "%s", failure.message)
		       : ret	      ? failed(r, ret)
				      : 0;
	}
	ret = xt2_reach_check(r->rs, r->table, report_rule, r);
	if (ret < 0)
		return failed(r, ret);
	return ret ? -EINVAL : 0;
}

static int read_chains(struct reader *r)
{
	__u8 seen[XT2_HOOKS_MAX] = { 0 };
	const size_t n = json_array_size(r->chains);
	int last = -1, ret;
	json_t *o;
	size_t i;

	for (i = 0; i < 2 * n; i++) { /* when rules are read, all chains can be jumped to */
		enter(r, "chains", i % n);
		o = json_array_get(r->chains, i % n);
		ret = i < n ? declare_chain(r, o, seen) : read_rules(r, o);
		if (ret < 0)
			return ret;
		if (i < n)
			note_order(r, &last);
		leave(r);
		r->chain = -1;
	}
	return check_table(r);
}

static int family_of(const char *name)
{
	static const int families[] = { XT2_IPV4, XT2_IPV6, XT2_ARP, XT2_BRIDGE };
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(families); i++)
		if (name && !strcmp(name, xt2_family_name(families[i])))
			return families[i];
	return 0;
}

/* Is a table of the same family and name before this one? */
static int twice(json_t *tables, size_t at)
{
	json_t *o = json_array_get(tables, at), *before;
	size_t i;

	for (i = 0; i < at; i++) {
		before = json_array_get(tables, i);
		if (json_equal(json_object_get(o, "family"), json_object_get(before, "family")) &&
		    json_equal(json_object_get(o, "name"), json_object_get(before, "name")))
			return 1;
	}
	return 0;
}

/* The table is there, in its initial state. */
static int table_begin(struct reader *r, const char *name)
{
	int table = xt2_table_find(r->rs, r->family, name), ret;

	if (table < 0)
		table = ret = xt2_table_add(r->rs, r->family, name, r->path);
	else
		ret = xt2_table_reset(r->rs, table, r->path);
	if (ret >= 0)
		ret = xt2_json_parser_begin(&r->parser, r->rs, table);
	if (ret < 0)
		return failed(r, ret);
	r->table = table;
	return 0;
}

static int read_table(struct reader *r, json_t *tables, size_t at)
{
	static const char *const names[] = { "family", "name", "chains", NULL };
	json_t *o = json_array_get(tables, at);
	const char *name = json_string_value(json_object_get(o, "name")), *family;
	int ret = members(r, o, names);

	if (ret < 0)
		return ret;
	family = json_string_value(json_object_get(o, "family"));
	r->family = family_of(family);
	if (!r->family) {
		wrong(r, "family", XT2_E_UNKNOWN, "'%.32s' is not a family", family ? family : "");
		return hint(r, "families are \"ipv4\", \"ipv6\", \"arp\" and \"bridge\"");
	}
	if (!name || !xt2_table_hooks(r->family, name)) {
		wrong(r, "name", XT2_E_UNKNOWN, "%s has no table '%.64s'",
		      xt2_family_name(r->family), name ? name : "");
		return hint(r, r->family == XT2_ARP ? "tables are filter"
			       : r->family == XT2_BRIDGE
				       ? "tables are filter, nat and broute"
				       : "tables are filter, nat, mangle, raw and "
					 "security");
	}
	if (twice(tables, at))
		return wrong(r, "name", XT2_E_SYNTAX, "the table %s is here for the second time",
			     name);
	ret = list_of(r, o, "chains", &r->chains);
	if (ret < 0 || (r->only && r->only != r->family))
		return ret;
	ret = table_begin(r, name);
	return ret < 0 ? ret : read_chains(r);
}

/* --- files -------------------------------------------------------------------------- */

static int read_top(struct reader *r, json_t *top)
{
	static const char *const names[] = { "xt2", "tables", NULL };
	json_t *version = json_object_get(top, "xt2"), *tables;
	int ret = members(r, top, names);
	size_t i;

	if (ret < 0)
		return ret;
	if (!json_is_integer(version) || json_integer_value(version) != SCHEMA)
		return wrong(r, version ? "xt2" : NULL, XT2_E_SYNTAX,
			     "this is no ruleset: \"xt2\": %d is missing", SCHEMA);
	ret = list_of(r, top, "tables", &tables);
	for (i = 0; !ret && i < json_array_size(tables); i++) {
		r->table = r->chain = -1;
		enter(r, "tables", i);
		ret = read_table(r, tables, i);
		leave(r);
	}
	return ret;
}

/* No JSON has one, but the library takes it for a blank after a number. */
static int zero_byte(struct reader *r, const char *text)
{
	xt2_json_line(text, text + strlen(text), &r->err->line, &r->err->column);
	return file_wrong(r, XT2_E_SYNTAX, NOT_JSON, "it has a byte of value 0");
}

/*
 * A byte order mark, UTF-16, or compressed: the library would only say that
 * something is not as it should be.  => 0, -EINVAL
 */
static int foreign(struct reader *r, const struct xt2_opened_file *f)
{
	const char *hints = "", *what = xt2_opened_file_foreign(f, &hints);

	if (!what)
		return 0;
	r->err->line = r->err->column = 1;
	hint(r, hints);
	return file_wrong(r, XT2_E_SYNTAX, NOT_JSON, what);
}

/* All of the text.  => 0; -EINVAL: the error is told; -errno: it is told as well */
static int read_file(struct reader *r, const char *path)
{
	struct xt2_opened_file f;
	struct xt2_bytes bytes;
	int ret = xt2_opened_file_open(&f, path);

	if (ret)
		return failed(r, ret);
	ret = foreign(r, &f);
	if (!ret && memchr(f.head, '\0', f.len))
		ret = zero_byte(r, f.head); /* the file may have no end */
	if (!ret) {
		ret = xt2_opened_file_rest(&f, TEXT_MAX, &bytes);
		if (ret)
			failed(r, ret);
	}
	xt2_opened_file_close(&f);
	if (ret)
		return ret;
	r->text = bytes.at;
	r->size = bytes.len;
	return memchr(r->text, '\0', r->size) ? zero_byte(r, r->text) : 0;
}

/* The file is no JSON. */
static int malformed(struct reader *r, const json_error_t *e)
{
	struct xt2_err *err = r->err;

	if (json_error_code(e) == json_error_out_of_memory)
		return failed(r, -ENOMEM);
	err->line = e->line > 0 ? (unsigned int)e->line : 1;
	err->column = e->column > 0 ? (unsigned int)e->column : 1;
	if (json_error_code(e) == json_error_numeric_overflow)
		hint(r, "numbers above 9223372036854775807 are written as strings");
	return file_wrong(r, XT2_E_SYNTAX, NOT_JSON, e->text);
}

static int run(struct reader *r)
{
	json_error_t error;
	const char *path = r->path;
	json_t *top;
	int ret;

	if (!strcmp(path, "-"))
		r->path = "<stdin>";
	ret = read_file(r, path);
	if (ret < 0)
		return ret;
	top = xt2_json_load(r->text, r->size, &error);
	if (!top)
		return malformed(r, &error);
	ret = read_top(r, top);
	json_decref(top);
	xt2_json_parser_free(&r->parser);
	return ret;
}

int xt2_json_read(const char *path, struct xt2_ruleset *rs, int family, struct xt2_err *err)
{
	struct xt2_err ignored;
	struct reader *r = calloc(1, sizeof(*r));
	int ret = -ENOMEM;

	err = err ? err : &ignored;
	memset(err, 0, sizeof(*err));
	if (!r) {
		err->code = XT2_E_SYSTEM;
		err->errnum = ENOMEM;
		return ret;
	}
	r->path = path;
	r->only = family;
	r->err = err;
	r->table = r->chain = -1;
	r->rs = xt2_ruleset_clone(rs);
	ret = r->rs ? run(r) : failed(r, ret);
	if (!ret)
		xt2_ruleset_swap(rs, r->rs);
	xt2_ruleset_free(r->rs);
	free(r->text);
	free(r);
	return ret;
}
