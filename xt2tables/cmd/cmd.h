/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd.h - what the subcommands of xt2 share */
#ifndef XT2_XT2TABLES_CMD_CMD_H
#define XT2_XT2TABLES_CMD_CMD_H

#include <stdbool.h>
#include <xt2/xt2.h>
#include "xt2tables/live/live-place.h"

/* Exit codes of xt2; after 2, 3 and 4 no image has changed. */
enum xt2_exit {
	XT2_EXIT_OK,
	XT2_EXIT_NO, /* a negative answer */
	XT2_EXIT_USAGE, /* wrong arguments, or an error in an input file */
	XT2_EXIT_UNSUPPORTED,
	XT2_EXIT_RESOURCE,
};

int xt2_replay_main(int argc, char **argv);
int xt2_explain_main(int argc, char **argv);
int xt2_check_main(int argc, char **argv);
int xt2_bench_main(int argc, char **argv);
int xt2_dump_main(int argc, char **argv);
int xt2_convert_main(int argc, char **argv);
int xt2_replace_main(int argc, char **argv);
int xt2_run_main(int argc, char **argv);
int xt2_digest_main(int argc, char **argv);
int xt2_apply_main(int argc, char **argv);
int xt2_status_main(int argc, char **argv);
int xt2_save_main(int argc, char **argv);
int xt2_counters_main(int argc, char **argv);
int xt2_repair_main(int argc, char **argv);
int xt2_detach_main(int argc, char **argv);
int xt2_log_main(int argc, char **argv);
int xt2_confirm_main(int argc, char **argv);

/* Says what is wrong with the arguments and how to get help.  => XT2_EXIT_USAGE */
int xt2_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same when getopt() has said what is wrong. */
int xt2_see_help(const char *command);

/* Prints an error.  => the exit code for it */
int xt2_fail(const struct xt2_err *err);

/* The exit code for an error. */
int xt2_exit_code(const struct xt2_err *err);

/*
 * The exit code for an errno: a file that is not there, or is not ours, is an
 * error of the arguments; a full disk is not.
 */
int xt2_exit_errno(int error);

/* The exit code for several files, by how much is wrong: an error in a file is more than 3. */
int xt2_exit_worse(int a, int b);

/* --- a ruleset from a text or an image (input.c) ------------------------- */

struct xt2_input {
	const char *path;
	int family; /* of a text; 0: an image, which has them all */
	bool image, text; /* it must be one */
	bool rules_only; /* an image's indexes are not asked for, so they need not be right */
	bool resolve;
	bool live; /* what the kernel evaluates: see xt2_input_open() */
	struct xt2_live_place place;
	void (*report)(void *data, const struct xt2_err *err); /* NULL: print errors */
	void *data;
	unsigned int more; /* errors of the text that were too many to report */
	struct xt2_ruleset *rs;
	struct xt2_mapping map;
};

/*
 * xt2_input_load - read and check a ruleset; reports every error
 * @in: path; family for a text, 0 to find out by looking at the file
 * => XT2_EXIT_*
 */
int xt2_input_load(struct xt2_input *in);
void xt2_input_close(struct xt2_input *in);

/* As xt2_input_load() for a file that is open, and the caller's to close. */
struct xt2_opened_file;
int xt2_input_load_file(struct xt2_input *in, const struct xt2_opened_file *f);

/* Can the ruleset and this capture, or NULL, both be read?  => XT2_EXIT_*, the reason told */
int xt2_input_and_capture(const struct xt2_input *in, const char *capture);

/* The ruleset of the evaluated image, counters included: in->rs is replaced. */
int xt2_input_reload(struct xt2_input *in);

/* Reports what cannot be evaluated at a hook; NULL: anywhere.  => number of such rules, -ENOMEM */
int xt2_input_unsupported(const struct xt2_input *in, const char *hook, const char *table);

/*
 * xt2_input_too_long - report that packets have too long a way to go
 *
 * Chains that jump to the next one twice each make 2^n ways.
 * => XT2_EXIT_RESOURCE
 */
int xt2_input_too_long(const struct xt2_input *in);

/*
 * xt2_input_no_evaluator - report why xt2_evaluator_new() gave none
 * @error: its errno
 *
 * => XT2_EXIT_*
 */
int xt2_input_no_evaluator(const struct xt2_input *in, int error);

/*
 * xt2_input_reached - the chains that packets can get to
 * @hook, @table: from here; NULL table: all of the hook
 * => a byte for each chain of the image, to free(); NULL: no memory
 */
__u8 *xt2_input_reached(const struct xt2_input *in, const char *hook, const char *table);

/*
 * xt2_input_table - is this a table of the rules, with this hook?
 * @table: NULL is all, and fine; @why: set if not
 * => 0, -ENOENT
 */
int xt2_input_table(const struct xt2_input *in, const char *hook, const char *table, char *why,
		    size_t size);

/*
 * xt2_input_rule - a rule by its place, "CHAIN:N" or "TABLE/CHAIN:N"
 * @family: of its table; @table: unless @text says it; NULL: the first that has such a rule
 * @chain, @at: its chain, and its position from 0
 * @err: the file is the caller's to fill in
 * => 0, -EINVAL (no place), -ENOENT
 */
int xt2_input_rule(const struct xt2_input *in, int family, const char *table, const char *text,
		   int *chain, unsigned int *at, struct xt2_err *err);

/*
 * xt2_input_line - where a rule was written
 * @file: set to the text; for an image that was made from one, to its name
 * => line from 1; 0: not known, and file is the input
 */
unsigned int xt2_input_line(const struct xt2_input *in, int chain, unsigned int at,
			    const char **file);

/* --- several rulesets (input-files.c) ---------------------------------------- */

/* Options of families are for the files that follow. */
struct xt2_files {
	struct xt2_input *list; /* zeroed, but for path and family */
	int count;
	int family; /* of the next one */
	bool waits; /* the family has no file yet */
};

/* With a first '-', getopt() gives a file in its place among the options, as this. */
#define XT2_FILE_ARGUMENT 1

/* Room for all that argc words may be.  => XT2_EXIT_OK, XT2_EXIT_RESOURCE */
int xt2_files_new(struct xt2_files *f, const char *command, int argc);
void xt2_files_free(struct xt2_files *f);

void xt2_files_family(struct xt2_files *f, int family);
void xt2_files_add(struct xt2_files *f, const char *path);

/*
 * xt2_files_end - the options are gone
 * @left: further files, ends with NULL
 * => XT2_EXIT_OK, XT2_EXIT_USAGE
 */
int xt2_files_end(struct xt2_files *f, const char *command, char **left);

/* --- a ruleset that may be live (input-live.c) ----------------------------- */

/* Long options of an input that may be live, for getopt_long(). */
#define XT2_INPUT_LIVE	0x2000
#define XT2_INPUT_NETNS 0x2001
#define XT2_INPUT_PIN	0x2002
/* clang-format off */
#define XT2_INPUT_OPTIONS					\
	{ "live", 0, NULL, XT2_INPUT_LIVE },			\
	{ "netns", 1, NULL, XT2_INPUT_NETNS },			\
	{ "pin", 1, NULL, XT2_INPUT_PIN }
/* clang-format on */

#define XT2_INPUT_HELP \
	"      --live             instead of a file, what the kernel evaluates\n" XT2_PLACE_HELP

/* => false: not one of these options */
bool xt2_input_option(struct xt2_input *in, int c);

/*
 * xt2_input_path - the file that is left when the options are gone, unless the input is live
 * @left: ends with NULL
 * => XT2_EXIT_OK, XT2_EXIT_USAGE
 */
int xt2_input_path(struct xt2_input *in, const char *command, char **left);

/* As xt2_input_load(), or with --live what is live.  => XT2_EXIT_* */
int xt2_input_open(struct xt2_input *in);

/* --- output (json-print.c) ------------------------------------------------------ */

/*
 * A JSON string with its quotes.  UTF-8 stays what it is, written in ASCII as
 * \uxxxx; bytes that are none become \u00xx.
 */
void xt2_json_string(FILE *to, const char *s);
void xt2_json_error(FILE *to, const struct xt2_err *err);

/* --- what a host knows about a packet (context.c) ----------------------------- */

#define XT2_LOCAL_MAX 64

struct xt2_host {
	__u64 in[2], out[2], physin[2], physout[2];
	__u32 mark, in_group, out_group, cpu;
	int pkttype; /* -1: from the capture */
	bool whole_exthdrs; /* see struct xt2_pkt */
	__u32 mtu;
	struct xt2_pkt_ct ct;
	unsigned int nlocal; /* the host's own addresses, for addrtype */
	struct {
		int family;
		__u8 addr[16];
	} local[XT2_LOCAL_MAX];
};

#define XT2_HOST_HELP                                                                     \
	"  -i, --in IF            interface the packet came in on\n"                      \
	"  -o, --out IF           interface it goes out on\n"                             \
	"      --physdev-in IF, --physdev-out IF\n"                                       \
	"                         bridge ports it passes\n"                               \
	"      --mark N           packet mark\n"                                          \
	"      --ctstate S        conntrack state: NEW, ESTABLISHED, RELATED, INVALID,\n" \
	"                         UNTRACKED; with ,SNAT ,DNAT; default: not tracked\n"    \
	"      --ctdir D          ORIGINAL or REPLY\n"                                    \
	"      --ctmark N         mark of the connection\n"                               \
	"      --ctstatus S       EXPECTED, SEEN_REPLY, ASSURED, CONFIRMED\n"             \
	"      --pkttype T        unicast, broadcast, multicast, otherhost\n"             \
	"      --local ADDR,...   addresses of this host (for addrtype)\n"                \
	"      --in-group N, --out-group N\n"                                             \
	"                         device groups\n"                                        \
	"      --cpu N            CPU that handles the packet\n"                          \
	"      --mtu N            path MTU (for TCPMSS --clamp-mss-to-pmtu)\n"            \
	"      --whole-exthdrs    IPv6 extension headers must lie in the packet as a\n"   \
	"                         whole, as newer stable kernels ask\n"

void xt2_host_init(struct xt2_host *host);

/*
 * xt2_host_option - one option of XT2_HOST_HELP
 * @name: long name; @arg: its argument
 * => 1: taken; 0: not an option of the host; -EINVAL: bad argument
 */
int xt2_host_option(struct xt2_host *host, const char *name, const char *arg);

/* Long options of a host, for getopt_long(); val is XT2_HOST_OPTION. */
#define XT2_HOST_OPTION 0x1000
/* clang-format off */
#define XT2_HOST_OPTIONS								\
	{ "in", 1, NULL, XT2_HOST_OPTION }, { "out", 1, NULL, XT2_HOST_OPTION },	\
	{ "physdev-in", 1, NULL, XT2_HOST_OPTION },					\
	{ "physdev-out", 1, NULL, XT2_HOST_OPTION },					\
	{ "mark", 1, NULL, XT2_HOST_OPTION }, { "ctstate", 1, NULL, XT2_HOST_OPTION },	\
	{ "ctdir", 1, NULL, XT2_HOST_OPTION }, { "ctmark", 1, NULL, XT2_HOST_OPTION },	\
	{ "ctstatus", 1, NULL, XT2_HOST_OPTION },					\
	{ "pkttype", 1, NULL, XT2_HOST_OPTION }, { "local", 1, NULL, XT2_HOST_OPTION },	\
	{ "in-group", 1, NULL, XT2_HOST_OPTION },					\
	{ "out-group", 1, NULL, XT2_HOST_OPTION }, { "cpu", 1, NULL, XT2_HOST_OPTION }, \
	{ "mtu", 1, NULL, XT2_HOST_OPTION },						\
	{ "whole-exthdrs", 0, NULL, XT2_HOST_OPTION }
/* clang-format on */

/*
 * xt2_host_receive - would the hook see this packet of a capture?
 * @pkt: zeroed; len and whole_exthdrs are set, for xt2_pkt_parse()
 *
 * The receive path's checks, and what the capture and the host say: a frame
 * for another host is not received, one that was sent is at no incoming hook,
 * and loopback addresses belong on lo.
 * => NULL: it would; otherwise why not
 */
const char *xt2_host_receive(const struct xt2_host *host, int hook,
			     const struct xt2_captured *captured, struct xt2_pkt *pkt);

/* Fills in the host's fields of a parsed packet. */
void xt2_host_fill(const struct xt2_host *host, struct xt2_pkt *pkt,
		   const struct xt2_captured *captured);

#endif
