/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd.h - what the subcommands of xt2 share, with the headers that all of them need */
#ifndef XT2_XT2TABLES_CMD_CMD_H
#define XT2_XT2TABLES_CMD_CMD_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <xt2/xt2.h>
#include "engine/env.h"
#include "libxt2/err.h"
#include "libxt2/printable.h"
#include "xt2tables/files/input.h"
#include "xt2tables/files/usage.h"

/* The subcommands, a function each. */
typedef int xt2_command(int argc, char **argv);
xt2_command xt2_replay_main, xt2_explain_main, xt2_check_main, xt2_bench_main, xt2_dump_main,
	xt2_convert_main, xt2_replace_main, xt2_run_main, xt2_digest_main, xt2_save_main,
	xt2_counters_main, xt2_edit_main, xt2_history_main, xt2_diff_main, xt2_rollback_main,
	xt2_monitor_main, xt2_state_main;

/* Of live rulesets: NULL in a build without BPF. */
__attribute__((weak)) xt2_command xt2_apply_main, xt2_status_main, xt2_repair_main, xt2_detach_main,
	xt2_log_main, xt2_confirm_main, xt2_doctor_main;

/* --- output (json-print.c) ------------------------------------------------------ */

/*
 * The JSON before a string, and the string with its quotes.  UTF-8 stays what it is, written in
 * ASCII as \uxxxx; bytes that are none become \u00xx.
 */
void xt2_json_string(FILE *to, const char *before, const char *s);
void xt2_json_error(FILE *to, const struct xt2_err *err);

/* --- packets (captured.c, replay-summary.c) ------------------------------------ */

#define XT2_MAC 14 /* bytes of an Ethernet header */

/* Packets with frames of their own. */
struct xt2_captured_list {
	struct xt2_captured *at;
	size_t n;
};

/*
 * xt2_captured_read - the next packets of a capture
 * @max: not more of them; @list: zeroed
 * => 0: these are all; 1: there are more; -errno, with err->code unless there was no memory.
 *    The packets so far are in the list in any case
 */
int xt2_captured_read(struct xt2_capture *cap, size_t max, struct xt2_captured_list *list,
		      struct xt2_err *err);
void xt2_captured_free(struct xt2_captured_list *list);

/* => ns of a clock */
static inline __u64 xt2_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (__u64)t.tv_sec * 1000000000ull + (__u64)t.tv_nsec;
}

/* Has any rule a target that changes bytes? */
bool xt2_image_writes(const struct xt2_image *img);

/* --- the context of a packet (context.c) -------------------------------------- */

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

/* Rows of a host, for xt2_options(): one value, so that abbreviations stay what they are. */
#define XT2_HOST_OPTION 0x1000
#define XT2_HOST_ROW(name, letter, take, type, field)                         \
	{                                                                     \
		name, letter, true, offsetof(type, field), 0, xt2_host_##take \
	}
#define XT2_HOST_WORD(name, take, type, field) \
	XT2_HOST_ROW(name, XT2_HOST_OPTION, take, type, field)
/* clang-format off */
#define XT2_HOST_ROWS(type, host)								\
	XT2_HOST_ROW(NULL, 'i', interface, type, host.in),					\
	XT2_HOST_ROW(NULL, 'o', interface, type, host.out),					\
	XT2_HOST_WORD("in", interface, type, host.in),						\
	XT2_HOST_WORD("out", interface, type, host.out),					\
	XT2_HOST_WORD("physdev-in", interface, type, host.physin),				\
	XT2_HOST_WORD("physdev-out", interface, type, host.physout),				\
	XT2_HOST_WORD("mark", number, type, host.mark),						\
	XT2_HOST_WORD("ctstate", ctstate, type, host.ct),					\
	XT2_HOST_WORD("ctdir", ctdir, type, host.ct),						\
	XT2_HOST_WORD("ctmark", number, type, host.ct.mark),					\
	XT2_HOST_WORD("ctstatus", ctstatus, type, host.ct),					\
	XT2_HOST_WORD("pkttype", pkttype, type, host.pkttype),					\
	XT2_HOST_WORD("local", local, type, host),						\
	XT2_HOST_WORD("in-group", number, type, host.in_group),					\
	XT2_HOST_WORD("out-group", number, type, host.out_group),				\
	XT2_HOST_WORD("cpu", number, type, host.cpu),						\
	XT2_HOST_WORD("mtu", number, type, host.mtu),						\
	XT2_FLAG("whole-exthdrs", XT2_HOST_OPTION, type, host.whole_exthdrs)
/* clang-format on */

/* The functions of these rows. */
int xt2_host_interface(const struct xt2_given *g);
int xt2_host_number(const struct xt2_given *g);
int xt2_host_ctstate(const struct xt2_given *g);
int xt2_host_ctdir(const struct xt2_given *g);
int xt2_host_ctstatus(const struct xt2_given *g);
int xt2_host_pkttype(const struct xt2_given *g);
int xt2_host_local(const struct xt2_given *g);

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
