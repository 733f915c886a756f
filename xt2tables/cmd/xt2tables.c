/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt2tables.c - xt2tables, xt2tables-restore, xt2tables-save and their ip6 and arp kin
 *
 * One program; its name says what it does.  Options, messages that scripts
 * look for and exit codes are those of iptables' own programs; the ruleset is
 * an image file instead of the kernel's tables, or with --live what BPF
 * programs evaluate.  Restoring holds the lock from reading the old ruleset
 * until the new one is stored, and stores nothing unless the whole file is good.
 */
#include "config.h"
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>
#include <xtables.h>
#include "libxt2/printable.h"
#include "xt2tables/files/output.h"
#include "xt2tables/files/usage.h"
#include "xt2tables/tables/tables-main.h"
#include "xt2tables/tables/where.h"
#include "xt2tables/text/text.h"
#include "engine/env.h"

/* The iptables that callers take this for. */
#define LIKE_VERSION   "1.8.9"
#define LIKE_LEGACY    LIKE_VERSION " (legacy)"
#define LIKE_ARPTABLES "0.0.5"
#define OWN_VERSION    LIKE_VERSION " (xt2 " PACKAGE_VERSION ")"
#define LIVE_WAIT      10 /* seconds that saving waits for a command that changes the live ruleset */

struct program;

/* How the programs of a kind are called, and their work. */
struct kind {
	const char *letters; /* of options, for getopt_long() */
	const struct option *names;
	int files; /* that may follow the options */
	const char *usage; /* what follows the name */
	int (*run)(const struct program *program, int argc, char **argv);
};

struct program {
	const char *name;
	const char *legacy; /* iptables' name, in messages that scripts read */
	int family;
	const struct kind *kind;
	const char *version; /* of iptables, and whose it is */
};

struct options {
	struct xt2_text_options text;
	struct xt2_where where;
	const struct program *program;
	int status; /* of the commit, when the text is what asks for it */
	const char *file;
};

static int print_version(const struct program *program)
{
	printf("%s v%s\n", program->legacy, program->version);
	return 0;
}

/* --- options ---------------------------------------------------------------------- */

/* The number of an option whose argument may be the next word.  => false: not one */
static bool number_option(int argc, char **argv, int *number)
{
	char *arg = optarg, *end;

	if (!arg && optind < argc && argv[optind][0] >= '0' && argv[optind][0] <= '9')
		arg = argv[optind++];
	if (!arg)
		return true;
	*number = (int)strtol(arg, &end, 0);
	return end != arg && !*end;
}

/* The options of both kinds.  => -1: go on; else: an exit status */
static int parse(const struct program *program, int argc, char **argv, struct options *o)
{
	const struct kind *kind = program->kind;
	const char *wrong = NULL;
	int c, unused;

	while (!wrong && (c = getopt_long(argc, argv, kind->letters, kind->names, NULL)) != -1) {
		switch (c) {
		case 'b': fprintf(stderr, "-b/--binary option is not implemented\n"); break;
		case 'c': o->text.counters = true; break;
		case 'v': o->text.report = stdout; break;
		case 'V': return print_version(program);
		case 'h': printf("Usage: %s %s", program->name, kind->usage); return 0;
		case 'n': o->text.noflush = true; break;
		case 'w':
			o->where.wait = -1;
			if (!number_option(argc, argv, &o->where.wait))
				wrong = "seconds";
			break;
		case 'W':
			if (!number_option(argc, argv, &unused))
				wrong = "interval";
			break;
		case 'd':
		case 'M': break;
		case 'f': o->file = optarg; break;
		case 't': /* a table of saving, a test of restoring */
		case 'T':
			if (optarg)
				o->text.table = optarg;
			else
				o->where.test = true;
			break;
		case XT2_WHERE_RESOLVE: o->text.resolve = true; break;
		default:
			if (xt2_where_option(&o->where, c, optarg))
				break;
			fprintf(stderr, "Try `%s -h' for more information.\n", program->name);
			return OTHER_PROBLEM;
		}
	}
	if (wrong) {
		fprintf(stderr, "%s: wait %s not numeric\n", program->legacy, wrong);
		return PARAMETER_PROBLEM;
	}
	if (optind < argc - kind->files) {
		fprintf(stderr, "Unknown arguments found on commandline\n");
		return OTHER_PROBLEM;
	}
	if (optind < argc)
		o->file = argv[optind];
	o->where.name = program->name;
	o->where.legacy = program->legacy;
	return xt2_where_end(&o->where, program->family);
}

/* --- restore ------------------------------------------------------------------ */

/* All errors, then the line that iptables-restore would end with. */
static int report(const struct program *program, const struct xt2_text_errors *errors)
{
	unsigned int i, line = 0;

	fflush(stdout);
	if (!errors->count) { /* not even room to say what is wrong */
		fprintf(stderr, "%s: out of memory\n", program->legacy);
		return RESOURCE_PROBLEM;
	}
	for (i = 0; i < errors->count; i++) {
		xt2_err_print(&errors->list[i], stderr);
		if (!line)
			line = errors->list[i].line;
	}
	if (errors->more)
		fprintf(stderr, "%u more errors\n", errors->more);
	if (line)
		fprintf(stderr, "%s: line %u failed\n", program->legacy, line);
	return errors->status ? errors->status : OTHER_PROBLEM;
}

/* What -v said must have arrived.  => 0, or an exit status */
static int said(const struct program *program)
{
	int lost = xt2_stdio_lost();

	if (!lost)
		return 0;
	fprintf(stderr, "%s: standard output: %s\n", program->legacy, strerror(lost));
	return RESOURCE_PROBLEM;
}

/* The text was read: store what it has changed.  => 0, or not */
static int commit_text(void *data, const struct xt2_commit_check *check)
{
	struct options *o = data;

	o->where.check = check;
	o->status = said(o->program);
	if (!o->status)
		o->status = xt2_where_commit(&o->where);
	return o->status;
}

static int restore_text(const struct program *program, struct options *o)
{
	const bool in_place = o->where.in_place;
	struct xt2_text_errors errors;
	int status;

	o->text.commit = in_place ? commit_text : NULL;
	o->text.data = o;
	o->program = program;
	if (xt2_text_load(o->file, o->where.rs, &o->text, &errors) < 0)
		status = o->status && o->status != XT2_WHERE_WRONG ? o->status
								   : report(program, &errors);
	else
		status = said(program);
	if (!status && !in_place)
		status = xt2_where_commit(&o->where);
	xt2_text_errors_free(&errors);
	return status;
}

static int restore(const struct program *program, int argc, char **argv)
{
	struct options o = { .text.family = program->family, .file = "-" };
	int status = parse(program, argc, argv, &o);

	if (status >= 0)
		return status;
	o.where.source = o.file;
	o.text.zero_policies = o.where.store.kind != XT2_STORE_FILE;
	o.where.replaces = !o.text.noflush;
	if (o.text.zero_policies || o.where.replaces)
		o.text.changed = o.where.changed;
	o.where.whole = !o.text.noflush;
	status = xt2_where_open(&o.where, XT2_STORE_CREATE);
	o.text.replaces = o.where.base;
	if (!status)
		status = restore_text(program, &o);
	xt2_where_close(&o.where);
	return status;
}

/* --- save --------------------------------------------------------------------- */

/* A table that is named comes into being, as it does in the kernel. */
static int add_table(struct xt2_ruleset *rs, int family, const char *table)
{
	if (!table || xt2_table_find(rs, family, table) >= 0)
		return 0;
	if (!xt2_table_hooks(family, table)) {
		fprintf(stderr, "Cannot initialize: Table does not exist "
				"(do you need to insmod?)\n");
		return OTHER_PROBLEM;
	}
	return xt2_table_add(rs, family, table, NULL) < 0 ? RESOURCE_PROBLEM : 0;
}

static int save_to(const struct program *program, const struct options *o,
		   const struct xt2_ruleset *rs)
{
	struct xt2_err err = { 0 };
	struct xt2_output out;
	int ret = xt2_output_open(&out, o->file ? o->file : "-", &err);

	if (ret < 0) {
		fputs("Failed to open file, error: ", stderr);
		xt2_err_print(&err, stderr);
		return OTHER_PROBLEM;
	}
	out.durable = true;
	ret = xt2_text_save(out.to, rs, program->family, o->text.table, o->text.counters);
	if (ret < 0 && ret != -EIO) {
		xt2_output_drop(&out);
		xt2_print_line(stderr, "%s: %s", program->legacy,
			       *xt2_text_why() ? xt2_text_why() : strerror(-ret));
		return xt2_where_status(ret);
	}
	ret = xt2_output_finish(&out, &err);
	if (!ret)
		ret = xt2_output_place(&out, &err);
	return ret < 0 ? xt2_where_problem(&o->where, &err, ret) : 0;
}

/* The text must not take the place of the image that it is made from. */
static int check_file(const struct options *o)
{
	const struct xt2_use uses[] = { { o->where.store.path, "the image", false },
					{ o->file, "-f", true } };
	struct xt2_err err;

	if (!xt2_uses_check(uses, XT2_ARRAY_SIZE(uses), &err))
		return 0;
	xt2_err_print(&err, stderr);
	return PARAMETER_PROBLEM;
}

static int save(const struct program *program, int argc, char **argv)
{
	struct options o = { .file = NULL };
	struct xt2_where *w = &o.where;
	int status = parse(program, argc, argv, &o);

	if (status >= 0)
		return status;
	w->wait = LIVE_WAIT;
	w->whole = true;
	status = check_file(&o);
	if (!status)
		status = xt2_where_open(w, XT2_STORE_LOOK);
	xt2_store_unlock(&w->store);
	if (!status && !w->map.image)
		xt2_print_line(stderr, "note: there is no %s%s",
			       w->store.path ? "image " : "live ruleset",
			       w->store.path ? w->store.path : "");
	if (!status)
		status = add_table(w->rs, program->family, o.text.table);
	if (!status)
		status = save_to(program, &o, w->rs);
	xt2_where_close(w);
	return status;
}

/* --- the programs ------------------------------------------------------------- */

static const struct option restore_options[] = {
	{ "counters", no_argument, NULL, 'c' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "version", no_argument, NULL, 'V' },
	{ "test", no_argument, NULL, 't' },
	{ "help", no_argument, NULL, 'h' },
	{ "noflush", no_argument, NULL, 'n' },
	{ "modprobe", required_argument, NULL, 'M' },
	{ "table", required_argument, NULL, 'T' },
	{ "wait", optional_argument, NULL, 'w' },
	{ "wait-interval", optional_argument, NULL, 'W' },
	XT2_WHERE_OPTIONS,
	{ "resolve", no_argument, NULL, XT2_WHERE_RESOLVE },
	{ NULL, 0, NULL, 0 },
};

static const struct kind restoring = {
	"bcvVthnw::W::M:T:", restore_options, 1,
	"[-c] [-v] [-V] [-t] [-h] [-n] [-w secs] [-W usecs] [-T table] "
	"[-M command]\n       [--image PATH | --live [--netns NAME] [--pin DIR]] [--resolve] [file]\n"
	"  -c, --counters   take the counters from the file\n"
	"  -n, --noflush    don't empty the tables first\n"
	"  -t, --test       check the file, store nothing\n"
	"  -T, --table      only this table of the file\n"
	"  -v, --verbose    say what is being done\n"
	"  -w, --wait       wait for another program, for so many seconds at most\n"
	"  -W, -M           accepted and not needed\n" XT2_WHERE_HELP
	"      --resolve    look host names up (DNS)\n",
	restore
};

static const struct option save_options[] = {
	{ "counters", no_argument, NULL, 'c' },
	{ "dump", no_argument, NULL, 'd' },
	{ "table", required_argument, NULL, 't' },
	{ "modprobe", required_argument, NULL, 'M' },
	{ "file", required_argument, NULL, 'f' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	XT2_WHERE_OPTIONS,
	{ NULL, 0, NULL, 0 },
};

static const struct kind saving = { "bcdt:M:f:Vh", save_options, 0,
				    "[-c] [-t table] [-f file] [-V] [-h] [-M command]\n"
				    "       [--image PATH | --live [--netns NAME] [--pin DIR]]\n"
				    "  -c, --counters   print the counters of rules\n"
				    "  -t, --table      only this table\n"
				    "  -f, --file       write to this file\n"
				    "  -M               accepted and not needed\n" XT2_WHERE_HELP,
				    save };

/* One command line. */
static int command(const struct program *program, int argc, char **argv)
{
	const struct xt2_tables tables = { .name = program->name,
					   .legacy = program->legacy,
					   .version = program->version,
					   .family = program->family };

	return xt2_tables_main(&tables, argc, argv);
}

static const struct kind commanding = { .run = command };

static const struct program programs[] = {
	{ "xt2tables", "iptables", XT2_IPV4, &commanding, OWN_VERSION },
	{ "xt2ip6tables", "ip6tables", XT2_IPV6, &commanding, OWN_VERSION },
	{ "xt2arptables", "arptables", XT2_ARP, &commanding, OWN_VERSION },
	{ "xt2tables-restore", "iptables-restore", XT2_IPV4, &restoring, OWN_VERSION },
	{ "xt2ip6tables-restore", "ip6tables-restore", XT2_IPV6, &restoring, OWN_VERSION },
	{ "xt2arptables-restore", "arptables-restore", XT2_ARP, &restoring, OWN_VERSION },
	{ "xt2tables-save", "iptables-save", XT2_IPV4, &saving, OWN_VERSION },
	{ "xt2ip6tables-save", "ip6tables-save", XT2_IPV6, &saving, OWN_VERSION },
	{ "xt2arptables-save", "arptables-save", XT2_ARP, &saving, OWN_VERSION },
};

/* "iptables-legacy-save" as "iptables-save" */
static void take_legacy(const char *name, char *plain, size_t size)
{
	static const char word[] = "-legacy";
	const char *at = strstr(name, word);

	if (at)
		snprintf(plain, size, "%.*s%s", (int)(at - name), name, at + strlen(word));
	else
		snprintf(plain, size, "%s", name);
}

/*
 * The program of this name: its own, or iptables', with or without "-legacy".
 * By iptables' name it says that it is iptables.
 */
static bool find(const char *name, struct program *program)
{
	char plain[64];
	size_t i;

	take_legacy(name, plain, sizeof(plain));
	for (i = 0; i < XT2_ARRAY_SIZE(programs); i++) {
		*program = programs[i];
		if (!strcmp(name, program->name))
			return true;
		if (strcmp(plain, program->legacy))
			continue;
		program->name = program->legacy;
		program->version = program->family == XT2_ARP ? LIKE_ARPTABLES : LIKE_LEGACY;
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	struct program program;
	int status;
	size_t i;

	xt2_stdio_begin();
	if (!strncmp(name, "lt-", 3)) /* libtool runs it under this name */
		name += 3;
	if (find(name, &program)) {
		status = program.kind->run(&program, argc, argv);
		return status ? status : said(&program);
	}
	xt2_print_line(stderr, "%s: this program goes by its name, which is one of:", name);
	for (i = 0; i < XT2_ARRAY_SIZE(programs); i++)
		fprintf(stderr, "  %s\n", programs[i].name);
	return PARAMETER_PROBLEM;
}
