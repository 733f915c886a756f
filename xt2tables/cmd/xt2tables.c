/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt2tables.c - xt2tables-restore, xt2tables-save and their ip6 and arp kin
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
#include "libxt2/store/store.h"
#include "xt2tables/files/output.h"
#include "xt2tables/files/usage.h"
#include "xt2tables/live/live-refused.h"
#include "xt2tables/live/live-trace.h"
#include "xt2tables/text/text.h"
#include "engine/env.h"

#define LIKE_VERSION "1.8.9" /* the iptables that callers take this for */
#define LIVE_WAIT    10 /* seconds that saving waits for a command that changes the live ruleset */

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
};

struct options {
	struct xt2_text_options text;
	struct xt2_store store;
	const char *file;
	bool test;
	int wait; /* seconds; < 0: for ever */
	bool changed[XT2_TABLES_MAX]; /* by the text */
};

static int print_version(const struct program *program)
{
	printf("%s v" LIKE_VERSION " (xt2 " PACKAGE_VERSION ")\n", program->legacy);
	return 0;
}

/* What the system lacks or forbids is a resource; anything else is wrong input. */
static int status_of(int error)
{
	static const int resources[] = { ENOMEM, EAGAIN, ENOSPC, EDQUOT, EFBIG,	      EIO,
					 EROFS,	 EACCES, EPERM,	 ENOENT, ENOTDIR,     EISDIR,
					 ELOOP,	 ENXIO,	 EMFILE, ENFILE, ENAMETOOLONG };
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(resources); i++)
		if (error == -resources[i])
			return RESOURCE_PROBLEM;
	return OTHER_PROBLEM;
}

static int problem(struct xt2_err *err, int error)
{
	if ((error == -EACCES || error == -EROFS) && !err->hint[0])
		snprintf(err->hint, sizeof(err->hint),
			 "an image of your own: --image FILE or XT2_IMAGE=FILE; only looking: "
			 "xt2 check");
	xt2_err_print(err, stderr);
	return status_of(error);
}

static int failed(const struct xt2_store *s, struct xt2_err *err, int error)
{
	return s->kind == XT2_STORE_LIVE ? xt2_fail_live(err) : problem(err, error);
}

/* --- where the ruleset is ----------------------------------------------------- */

enum { OPT_IMAGE = 256, OPT_RESOLVE, OPT_LIVE, OPT_NETNS, OPT_PIN };

/* clang-format off */
#define WHERE_OPTIONS						\
	{ "image", required_argument, NULL, OPT_IMAGE },	\
	{ "live", no_argument, NULL, OPT_LIVE },		\
	{ "netns", required_argument, NULL, OPT_NETNS },	\
	{ "pin", required_argument, NULL, OPT_PIN }
/* clang-format on */

#define WHERE_HELP                                                                      \
	"      --image      image file (else $XT2_IMAGE, else " XT2_DEFAULT_IMAGE ")\n" \
	"      --live       instead of an image, what the kernel evaluates\n"           \
	"      --netns      of this network namespace, as of ip-netns(8)\n"             \
	"      --pin        in this folder of a BPF file system\n"

/* => false: not one of WHERE_OPTIONS */
static bool where_option(struct xt2_store *s, int c)
{
	switch (c) {
	case OPT_IMAGE: s->path = optarg; return true;
	case OPT_LIVE: s->kind = XT2_STORE_LIVE; return true;
	case OPT_NETNS: s->netns = optarg; return true;
	case OPT_PIN: s->pin = optarg; return true;
	}
	return false;
}

/* The options' words are there.  => -1: go on; or an exit status */
static int where_end(const struct program *program, struct xt2_store *s)
{
	const bool live = s->kind == XT2_STORE_LIVE;
	const char *wrong = NULL;

	if (live && s->path)
		wrong = "--live and --image exclude each other";
	else if (live && program->family == XT2_ARP)
		wrong = "--live is for IPv4 and IPv6";
	else if (!live && (s->netns || s->pin))
		wrong = "--netns and --pin are for --live";
	else if (s->path && !*s->path)
		wrong = "--image needs a name";
	if (wrong)
		fprintf(stderr, "%s: %s\n", program->name, wrong);
	if (!live)
		s->path = xt2_image_path(s->path);
	return wrong ? PARAMETER_PROBLEM : -1;
}

/* => 0 and the ruleset, empty if there is none yet; an exit status */
static int where_load(const struct xt2_store *s, struct xt2_ruleset **rs, struct xt2_mapping *map)
{
	struct xt2_err err = { 0 };
	int ret = xt2_store_load(s, s->path ? s->path : "the live ruleset", rs, map, &err);

	if (!*rs)
		err.message[0] = '\0'; /* the errno says enough */
	return ret ? failed(s, &err, ret) : 0;
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
			o->wait = -1;
			if (!number_option(argc, argv, &o->wait))
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
				o->test = true;
			break;
		case OPT_RESOLVE: o->text.resolve = true; break;
		default:
			if (where_option(&o->store, c))
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
	return where_end(program, &o->store);
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

static int busy(int wait)
{
	fprintf(stderr, "Another app is currently holding the xtables lock. ");
	if (wait)
		fprintf(stderr, "Stopped waiting after %ds.\n", wait);
	else
		fprintf(stderr, "Perhaps you want to use the -w option?\n");
	return RESOURCE_PROBLEM;
}

/* Of an image iptables' own words say enough. */
static int lock_failed(const struct options *o, struct xt2_err *err, int ret)
{
	int status = RESOURCE_PROBLEM;

	if (ret != -EAGAIN || o->store.kind == XT2_STORE_LIVE)
		status = failed(&o->store, err, ret);
	return ret == -EAGAIN ? busy(o->wait) : status;
}

/* Reports all that cannot be live.  => exit status */
static int check_live(const struct xt2_ruleset *rs, const struct options *o,
		      const struct xt2_mapping *map)
{
	struct xt2_refused list = { .rs = rs,
				    .image = map->image,
				    .path = strcmp(o->file, "-") ? o->file : "<stdin>",
				    .text = true,
				    .max = XT2_REFUSALS_MAX };
	int ret = xt2_live_refused(&list);

	if (list.more)
		fprintf(stderr, "%s: %s\n", list.path, list.rest);
	return ret;
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

/* => exit status */
static int commit(const struct xt2_ruleset *rs, struct options *o, const struct xt2_mapping *old,
		  const struct xt2_mapping *map)
{
	struct xt2_err err = { .code = XT2_E_SYSTEM, .errnum = ENOMEM };
	__u32 *was = NULL;
	int ret = -ENOMEM;

	if (o->store.kind == XT2_STORE_LIVE)
		was = xt2_live_trace(rs, old, map, o->changed);
	if (was || o->store.kind != XT2_STORE_LIVE)
		ret = xt2_store_commit(&o->store, map, &(struct xt2_store_counters){ .was = was },
				       &err);
	free(was);
	return ret ? failed(&o->store, &err, ret) : 0;
}

/* Pack the ruleset and store it, unless it is only a test.  => exit status */
static int store(const struct xt2_ruleset *rs, struct options *o, const struct xt2_mapping *old)
{
	struct xt2_err err = { 0 };
	struct xt2_mapping map;
	int ret = xt2_ruleset_write(rs, &map, &err), status = 0;

	if (ret < 0)
		return problem(&err, ret);
	if (o->store.kind == XT2_STORE_LIVE)
		status = check_live(rs, o, &map);
	if (!status && !o->test)
		status = commit(rs, o, old, &map);
	xt2_image_close(&map);
	return status;
}

static int restore_ruleset(const struct program *program, struct options *o)
{
	struct xt2_text_errors errors;
	struct xt2_ruleset *rs;
	struct xt2_mapping map;
	int status = where_load(&o->store, &rs, &map);

	if (!status) {
		if (xt2_text_load(o->file, rs, &o->text, &errors) < 0)
			status = report(program, &errors);
		else
			status = said(program);
		if (!status)
			status = store(rs, o, &map);
		xt2_text_errors_free(&errors);
	}
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	return status;
}

/* A test locks no image; of what is live it only looks, and is content if there is nothing yet. */
static int restore(const struct program *program, int argc, char **argv)
{
	struct options o = { .text.family = program->family, .file = "-" };
	struct xt2_err err = { 0 };
	int ret, status = parse(program, argc, argv, &o);

	if (status >= 0)
		return status;
	if (o.store.kind == XT2_STORE_LIVE) {
		o.text.zero_policies = true;
		o.text.changed = o.changed;
	}
	ret = xt2_store_lock(&o.store, o.test ? XT2_STORE_LOOK : XT2_STORE_CREATE, o.wait, &err);
	if (ret && !(ret == -ENOENT && o.test))
		return lock_failed(&o, &err, ret);
	status = restore_ruleset(program, &o);
	xt2_store_unlock(&o.store);
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
		return status_of(ret);
	}
	ret = xt2_output_finish(&out, &err);
	if (!ret)
		ret = xt2_output_place(&out, &err);
	return ret < 0 ? problem(&err, ret) : 0;
}

/* The text must not take the place of the image that it is made from. */
static int check_file(const struct options *o)
{
	const struct xt2_use uses[] = { { o->store.path, "the image", false },
					{ o->file, "-f", true } };
	struct xt2_err err;

	if (!xt2_uses_check(uses, XT2_ARRAY_SIZE(uses), &err))
		return 0;
	xt2_err_print(&err, stderr);
	return PARAMETER_PROBLEM;
}

/* => 0 and the ruleset; an exit status */
static int load(struct xt2_store *s, struct xt2_ruleset **rs, struct xt2_mapping *map)
{
	struct xt2_err err = { 0 };
	int status, ret = xt2_store_lock(s, XT2_STORE_LOOK, LIVE_WAIT, &err);

	if (ret && ret != -ENOENT)
		return failed(s, &err, ret);
	status = where_load(s, rs, map);
	xt2_store_unlock(s);
	return status;
}

static int save(const struct program *program, int argc, char **argv)
{
	struct options o = { .file = NULL };
	struct xt2_mapping map = { 0 };
	struct xt2_ruleset *rs = NULL;
	int status = parse(program, argc, argv, &o);

	if (status >= 0)
		return status;
	status = check_file(&o);
	if (!status)
		status = load(&o.store, &rs, &map);
	if (!status && !map.image)
		xt2_print_line(stderr, "note: there is no %s%s",
			       o.store.path ? "image " : "live ruleset",
			       o.store.path ? o.store.path : "");
	if (!status)
		status = add_table(rs, program->family, o.text.table);
	if (!status)
		status = save_to(program, &o, rs);
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
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
	WHERE_OPTIONS,
	{ "resolve", no_argument, NULL, OPT_RESOLVE },
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
	"  -W, -M           accepted and not needed\n" WHERE_HELP
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
	WHERE_OPTIONS,
	{ NULL, 0, NULL, 0 },
};

static const struct kind saving = { "bcdt:M:f:Vh", save_options, 0,
				    "[-c] [-t table] [-f file] [-V] [-h] [-M command]\n"
				    "       [--image PATH | --live [--netns NAME] [--pin DIR]]\n"
				    "  -c, --counters   print the counters of rules\n"
				    "  -t, --table      only this table\n"
				    "  -f, --file       write to this file\n"
				    "  -M               accepted and not needed\n" WHERE_HELP,
				    save };

static const struct program programs[] = {
	{ "xt2tables-restore", "iptables-restore", XT2_IPV4, &restoring },
	{ "xt2ip6tables-restore", "ip6tables-restore", XT2_IPV6, &restoring },
	{ "xt2arptables-restore", "arptables-restore", XT2_ARP, &restoring },
	{ "xt2tables-save", "iptables-save", XT2_IPV4, &saving },
	{ "xt2ip6tables-save", "ip6tables-save", XT2_IPV6, &saving },
	{ "xt2arptables-save", "arptables-save", XT2_ARP, &saving },
};

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	int status;
	size_t i;

	xt2_stdio_begin();
	if (!strncmp(name, "lt-", 3)) /* libtool runs it under this name */
		name += 3;
	for (i = 0; i < XT2_ARRAY_SIZE(programs); i++)
		if (!strcmp(name, programs[i].name)) {
			status = programs[i].kind->run(&programs[i], argc, argv);
			return status ? status : said(&programs[i]);
		}
	xt2_print_line(stderr, "%s: this program goes by its name, which is one of:", name);
	for (i = 0; i < XT2_ARRAY_SIZE(programs); i++)
		fprintf(stderr, "  %s\n", programs[i].name);
	return PARAMETER_PROBLEM;
}
