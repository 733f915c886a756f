/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - xt2tables-restore, xt2tables-save and their ip6 and arp kin
 *
 * One program; its name says what it does.  Options, messages that scripts
 * look for and exit codes are those of iptables' own programs; the ruleset is
 * an image file instead of the kernel's tables.  Restoring holds the image's
 * lock from reading the old image until the new one is stored, and stores
 * nothing unless the whole file is good.
 */
#include "config.h"
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xtables.h>
#include "image-path.h"
#include "text.h"
#include "../engine/env.h"

#define LIKE_VERSION "1.8.9" /* the iptables that callers take this for */

struct program {
	const char *name;
	const char *legacy; /* iptables' name, in messages that scripts read */
	int family;
	int (*run)(const struct program *program, int argc, char **argv);
};

static int restore(const struct program *program, int argc, char **argv);
static int save(const struct program *program, int argc, char **argv);

static const struct program programs[] = {
	{ "xt2tables-restore", "iptables-restore", XT2_IPV4, restore },
	{ "xt2ip6tables-restore", "ip6tables-restore", XT2_IPV6, restore },
	{ "xt2arptables-restore", "arptables-restore", XT2_ARP, restore },
	{ "xt2tables-save", "iptables-save", XT2_IPV4, save },
	{ "xt2ip6tables-save", "ip6tables-save", XT2_IPV6, save },
	{ "xt2arptables-save", "arptables-save", XT2_ARP, save },
};

static int print_version(const struct program *program)
{
	printf("%s v" LIKE_VERSION " (xt2 " PACKAGE_VERSION ")\n", program->legacy);
	return 0;
}

/* What the system lacks or forbids is a resource; anything else is wrong input. */
static int status_of(int error)
{
	static const int resources[] = { ENOMEM, EAGAIN, ENOSPC, EDQUOT,  EFBIG,  EIO,	 EROFS,
					 EACCES, EPERM,	 ENOENT, ENOTDIR, EMFILE, ENFILE };
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(resources); i++)
		if (error == -resources[i])
			return RESOURCE_PROBLEM;
	return OTHER_PROBLEM;
}

static int failed(struct xt2_err *err, int error)
{
	if ((error == -EACCES || error == -EROFS) && !err->hint[0])
		snprintf(err->hint, sizeof(err->hint),
			 "an image of your own: --image FILE or XT2_IMAGE=FILE; only looking: "
			 "xt2 check");
	xt2_err_print(err, stderr);
	return status_of(error);
}

/* => 0 and the ruleset of an image, empty if there is no image yet; -errno */
static int load_image(const char *path, struct xt2_ruleset **rs, struct xt2_mapping *map,
		      struct xt2_err *err)
{
	int ret;

	memset(map, 0, sizeof(*map));
	memset(err, 0, sizeof(*err));
	*rs = xt2_ruleset_new();
	if (!*rs) {
		err->code = XT2_E_SYSTEM;
		err->errnum = ENOMEM;
		return -ENOMEM;
	}
	ret = xt2_image_open(path, map, err);
	if (ret == -ENOENT)
		return 0;
	if (ret < 0)
		return ret;
	ret = xt2_ruleset_load(*rs, map->image, map->size);
	if (ret < 0) {
		err->code = XT2_E_SYSTEM;
		err->errnum = -ret;
		snprintf(err->message, sizeof(err->message), "%s: %s", path, strerror(-ret));
	}
	return ret;
}

/* --- restore ------------------------------------------------------------------ */

struct restore_options {
	struct xt2_text_options text;
	const char *image, *file;
	bool test;
	int wait; /* seconds; < 0: for ever */
};

enum { OPT_IMAGE = 256, OPT_RESOLVE };

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
	{ "image", required_argument, NULL, OPT_IMAGE },
	{ "resolve", no_argument, NULL, OPT_RESOLVE },
	{ NULL, 0, NULL, 0 },
};

static void restore_usage(const struct program *program, FILE *to)
{
	fprintf(to,
		"Usage: %s [-c] [-v] [-V] [-t] [-h] [-n] [-w secs] [-W usecs] [-T table] "
		"[-M command] [--image PATH] [--resolve] [file]\n"
		"  -c, --counters   take the counters from the file\n"
		"  -n, --noflush    don't empty the tables first\n"
		"  -t, --test       check the file, store nothing\n"
		"  -T, --table      only this table of the file\n"
		"  -v, --verbose    say what is being done\n"
		"  -w, --wait       wait for the image's lock, for so many seconds at most\n"
		"  -W, -M           accepted and not needed\n"
		"      --image      image file (else $XT2_IMAGE, else " XT2_DEFAULT_IMAGE ")\n"
		"      --resolve    look host names up (DNS)\n",
		program->name);
}

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

/* => -1: go on; else: an exit status */
static int restore_parse(const struct program *program, int argc, char **argv,
			 struct restore_options *o)
{
	int c, unused;

	while ((c = getopt_long(argc, argv, "bcvVthnw::W::M:T:", restore_options, NULL)) != -1) {
		switch (c) {
		case 'b': fprintf(stderr, "-b/--binary option is not implemented\n"); break;
		case 'c': o->text.counters = true; break;
		case 'v': o->text.report = stdout; break;
		case 'V': return print_version(program);
		case 't': o->test = true; break;
		case 'h': restore_usage(program, stdout); return 0;
		case 'n': o->text.noflush = true; break;
		case 'w':
			o->wait = -1;
			if (!number_option(argc, argv, &o->wait)) {
				fprintf(stderr, "%s: wait seconds not numeric\n", program->legacy);
				return PARAMETER_PROBLEM;
			}
			break;
		case 'W':
			if (!number_option(argc, argv, &unused)) {
				fprintf(stderr, "%s: wait interval not numeric\n", program->legacy);
				return PARAMETER_PROBLEM;
			}
			break;
		case 'M': break;
		case 'T': o->text.table = optarg; break;
		case OPT_IMAGE: o->image = optarg; break;
		case OPT_RESOLVE: o->text.resolve = true; break;
		default:
			fprintf(stderr, "Try `%s -h' for more information.\n", program->name);
			return OTHER_PROBLEM;
		}
	}
	if (optind < argc - 1) {
		fprintf(stderr, "Unknown arguments found on commandline\n");
		return OTHER_PROBLEM;
	}
	o->file = optind < argc ? argv[optind] : "-";
	return -1;
}

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

static int lock_image(const char *path, int wait, int *lock)
{
	struct xt2_err err;
	int ret;

	xt2_image_folder(path);
	memset(&err, 0, sizeof(err));
	ret = xt2_image_lock(path, wait, &err);
	if (ret == -EAGAIN) {
		fprintf(stderr, "Another app is currently holding the xtables lock. ");
		if (wait)
			fprintf(stderr, "Stopped waiting after %ds.\n", wait);
		else
			fprintf(stderr, "Perhaps you want to use the -w option?\n");
		return RESOURCE_PROBLEM;
	}
	if (ret < 0)
		return failed(&err, ret);
	*lock = ret;
	return 0;
}

/* Pack the ruleset and store it, unless it is only a test.  => exit status */
static int store(struct xt2_ruleset *rs, const char *path, bool test)
{
	struct xt2_mapping map;
	struct xt2_err err;
	int ret;

	memset(&err, 0, sizeof(err));
	ret = xt2_ruleset_write(rs, &map, &err);
	if (ret < 0)
		return failed(&err, ret);
	if (!test)
		ret = xt2_image_store(path, map.image, map.size, &err);
	xt2_image_close(&map);
	return ret < 0 ? failed(&err, ret) : 0;
}

static int restore_image(const struct program *program, const struct restore_options *o,
			 const char *path)
{
	struct xt2_text_errors errors;
	struct xt2_ruleset *rs;
	struct xt2_mapping map;
	struct xt2_err err;
	int ret, status;

	ret = load_image(path, &rs, &map, &err);
	if (ret < 0) {
		status = failed(&err, ret);
	} else {
		ret = xt2_text_load(o->file, rs, &o->text, &errors);
		status = ret < 0 ? report(program, &errors) : store(rs, path, o->test);
		xt2_text_errors_free(&errors);
	}
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	return status;
}

static int restore(const struct program *program, int argc, char **argv)
{
	struct restore_options o = { .text.family = program->family };
	int status, lock = -1;
	const char *path;

	status = restore_parse(program, argc, argv, &o);
	if (status >= 0)
		return status;
	path = xt2_image_path(o.image);
	if (!o.test)
		status = lock_image(path, o.wait, &lock);
	if (status <= 0)
		status = restore_image(program, &o, path);
	if (lock >= 0)
		close(lock);
	return status;
}

/* --- save --------------------------------------------------------------------- */

struct save_options {
	const char *table, *image, *file;
	bool counters;
};

static const struct option save_options[] = {
	{ "counters", no_argument, NULL, 'c' },
	{ "dump", no_argument, NULL, 'd' },
	{ "table", required_argument, NULL, 't' },
	{ "modprobe", required_argument, NULL, 'M' },
	{ "file", required_argument, NULL, 'f' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ "image", required_argument, NULL, OPT_IMAGE },
	{ NULL, 0, NULL, 0 },
};

static void save_usage(const struct program *program)
{
	printf("Usage: %s [-c] [-t table] [-f file] [-V] [-h] [-M command] [--image PATH]\n"
	       "  -c, --counters   print the counters of rules\n"
	       "  -t, --table      only this table\n"
	       "  -f, --file       write to this file\n"
	       "  -M               accepted and not needed\n"
	       "      --image      image file (else $XT2_IMAGE, else " XT2_DEFAULT_IMAGE ")\n",
	       program->name);
}

/* => -1: go on; else: an exit status */
static int save_parse(const struct program *program, int argc, char **argv, struct save_options *o)
{
	int c;

	while ((c = getopt_long(argc, argv, "bcdt:M:f:Vh", save_options, NULL)) != -1) {
		switch (c) {
		case 'b': fprintf(stderr, "-b/--binary option is not implemented\n"); break;
		case 'c': o->counters = true; break;
		case 'd':
		case 'M': break;
		case 't': o->table = optarg; break;
		case 'f': o->file = optarg; break;
		case 'V': return print_version(program);
		case 'h': save_usage(program); return 0;
		case OPT_IMAGE: o->image = optarg; break;
		default:
			fprintf(stderr, "Try `%s -h' for more information.\n", program->name);
			return OTHER_PROBLEM;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "Unknown arguments found on commandline\n");
		return OTHER_PROBLEM;
	}
	return -1;
}

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

static int save_to(const struct program *program, const struct save_options *o,
		   const struct xt2_ruleset *rs)
{
	FILE *to = o->file ? fopen(o->file, "we") : stdout;
	int ret;

	if (!to) {
		fprintf(stderr, "Failed to open file, error: %s\n", strerror(errno));
		return OTHER_PROBLEM;
	}
	ret = xt2_text_save(to, rs, program->family, o->table, o->counters);
	if ((o->file ? fclose(to) : fflush(to)) && !ret)
		ret = -errno;
	if (ret < 0)
		fprintf(stderr, "%s: %s\n", program->legacy,
			*xt2_text_why() ? xt2_text_why() : strerror(-ret));
	return ret < 0 ? status_of(ret) : 0;
}

static int save(const struct program *program, int argc, char **argv)
{
	struct save_options o = { .table = NULL };
	const char *path;
	struct xt2_ruleset *rs;
	struct xt2_mapping map;
	struct xt2_err err;
	int ret, status;

	status = save_parse(program, argc, argv, &o);
	if (status >= 0)
		return status;
	path = xt2_image_path(o.image);
	ret = load_image(path, &rs, &map, &err);
	if (!ret && !map.image)
		fprintf(stderr, "note: there is no image %s\n", path);
	if (ret < 0)
		status = failed(&err, ret);
	else
		status = add_table(rs, program->family, o.table);
	if (!status)
		status = save_to(program, &o, rs);
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	return status;
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	size_t i;

	if (!strncmp(name, "lt-", 3)) /* libtool runs it under this name */
		name += 3;
	for (i = 0; i < XT2_ARRAY_SIZE(programs); i++)
		if (!strcmp(name, programs[i].name))
			return programs[i].run(&programs[i], argc, argv);
	fprintf(stderr, "%s: this program goes by its name, which is one of:\n", name);
	for (i = 0; i < XT2_ARRAY_SIZE(programs); i++)
		fprintf(stderr, "  %s\n", programs[i].name);
	return PARAMETER_PROBLEM;
}
