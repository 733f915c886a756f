/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-store.h - rulesets that the kernel's BPF programs evaluate
 *
 * One struct xt2_live per process.  Needs CAP_BPF, CAP_NET_ADMIN and
 * CAP_PERFMON.  Functions return 0 or -errno; err says more, and names what a
 * kernel lacks.
 */
#ifndef XT2_LIBXT2_STORE_BPF_BPF_STORE_H
#define XT2_LIBXT2_STORE_BPF_BPF_STORE_H

#include "kernel/bpf/shared-arena.h"

#include <signal.h>
#include <stdbool.h>
#include <xt2/xt2.h>
#include "libxt2/store/store.h"

extern const char xt2_bpf_object[], xt2_bpf_object_end[];

struct xt2_live;

struct xt2_live_status {
	__u64 packets; /* evaluated, once for each table */
	__u64 faults; /* of them, dropped because they could not be evaluated */
	__u64 events; /* of LOG and NFLOG that readers got or will get */
	__u64 lost; /* events for which there was no room */
	__u32 rules;
	__u32 cpus;
	__u64 bytes; /* of the live ruleset, its counters and stacks */
};

/*
 * Rules that a packet may meet at a hook.  The kernel's processor does nothing else
 * meanwhile, and what it allows a program's loops holds for each function alone: for
 * so many rules it is up to a second.
 */
#define XT2_LIVE_RULES_MAX (1ull << 30)

/*
 * xt2_live_refusals - all that BPF programs cannot carry out
 * @img: a checked image
 * @found: called for each, table by table; a non-zero answer ends the calls; may be NULL
 *
 * Rules that no packet can reach are not examined.
 * => number of refusals; -ENOMEM
 */
int xt2_live_refusals(const struct xt2_image *img, xt2_refused found, void *data);

/*
 * xt2_live_shares - what the kernel's own matches and targets do for a ruleset
 * @img: a checked image
 * @found: called for each, rule by rule and then hook by hook
 *
 * Rules that no packet can reach are not told, and those of which xt2_live_refusals() says that they
 * are refused may be.
 * => 0, -ENOMEM
 */
int xt2_live_shares(const struct xt2_image *img, xt2_shared found, void *data);

/*
 * xt2_live_check - can BPF programs carry out these rules?
 * @img: a checked image
 * @forced: see xt2_live_yields()
 * @tables: out: a bit 1 << XT2_RAW ... of each table; may be NULL
 * => 0; -EOPNOTSUPP, -E2BIG: err names the first of xt2_live_refusals(); -ENOMEM
 */
int xt2_live_check(const struct xt2_image *img, bool forced, unsigned int *tables,
		   struct xt2_err *err);

/* => false: a hook of a table without effect, such as an empty nat: no program is there */
bool xt2_live_hooked(const struct xt2_image *img, const struct xt2_hook *h);

/*
 * xt2_live_verbose - let the kernel speak on standard error when programs are loaded
 *
 * For each, how many instructions the verifier looked at and how long it took; of one that is
 * refused, why.  Of this process, from now on.
 */
void xt2_live_verbose(bool on);

/* Programs to be loaded.  Tables are bits 1 << XT2_RAW ..., as xt2_live_check() says. */
struct xt2_live_programs {
	unsigned int hooks; /* tables some hook of which has no program */
	unsigned int tables; /* that packets are evaluated in */
	__u32 needs; /* enum xt2_need: what rules ask for */
};

/* => those of a ruleset, but for the hooks that are there; @again: something is live already */
struct xt2_live_programs xt2_live_needed(const struct xt2_image *img, bool again);

/*
 * xt2_live_load - load programs, without a ruleset
 * => 0; -EPERM; -EOPNOTSUPP: the kernel is too old; -ENOMEM, and others
 */
int xt2_live_load(struct xt2_live **host, const struct xt2_live_programs *what,
		  struct xt2_err *err);

/* Release everything; what is not pinned is gone. */
void xt2_live_free(struct xt2_live *host);

/* What a ruleset says of itself when it is made live. */
struct xt2_live_told {
	const struct xt2_author *author;
	const struct xt2_chain_owners *owners; /* see xt2_store_own(); or NULL */
	bool uncounted; /* the author has not counted rules that come and go */
	__u64 generation; /* out */
};

/*
 * xt2_live_ready - nothing is on trial, and no packet uses the ruleset before the live one
 * => 0; -EBUSY and others: no other ruleset can be made live
 */
int xt2_live_ready(struct xt2_live *host, struct xt2_err *err);

/*
 * xt2_live_install - make a ruleset the live one, in one step for all packets
 * @img: a checked image that xt2_live_check() accepted
 * @counters: NULL: those of the image; with was, no other ruleset has become live since
 *	xt2_live_read()
 * @told: NULL: nothing
 *
 * Returns when no packet uses the ruleset before any more.  A process that is
 * killed leaves the one or the other, with exact counters.
 * => 0; -EFBIG; -ENOMEM and others: the one before stays
 */
int xt2_live_install(struct xt2_live *host, const struct xt2_image *img, size_t size,
		     const struct xt2_store_counters *counters, struct xt2_live_told *told,
		     struct xt2_err *err);

/*
 * xt2_live_try - the next ruleset that is made live has to be confirmed
 *
 * If it is not, the one before, or none, is live again after so many seconds,
 * with the counters that it had.  The kernel does that by itself.  Meanwhile
 * no other ruleset can be made live: -EBUSY.
 */
void xt2_live_try(struct xt2_live *host, __u32 seconds);

/* End a trial now, and keep the ruleset or go back.  => 0; -ENOENT: there is none; -errno */
int xt2_live_confirm(struct xt2_live *host, bool keep);

/* => enum xt2_trial; left: seconds */
__u32 xt2_live_trial(const struct xt2_live *host, __u32 *left);

/* Put away what a trial that failed has left.  => 0; -EBUSY: it is not over; -errno */
int xt2_live_settle(struct xt2_live *host);

/*
 * xt2_live_read - a copy of the live ruleset, with its counters and its state
 * @map: filled in; release with xt2_image_close()
 * => 0; -ENOENT: there is none; -ENOMEM
 */
int xt2_live_read(struct xt2_live *host, struct xt2_mapping *map, struct xt2_err *err);

/*
 * xt2_live_add - add to what rules have counted, while packets go on counting
 * @add: by rule of the live ruleset, in the order of chains, tails included; modulo 2^64
 * @n: rules
 * => 0; -ENOENT: there is none; -EAGAIN: it has another number of rules; -errno
 */
struct xt2_counts;
int xt2_live_add(struct xt2_live *host, const struct xt2_counts *add, __u32 n, struct xt2_err *err);

/*
 * Live rulesets outlive the process that made them: programs, links and arena
 * are pinned in a folder of a BPF file system, one folder for each network
 * namespace.
 *
 * xt2_live_folder - the folder of this process's network namespace
 * @pin: a BPF file system; NULL: xt2's own, which XT2_STORE_CREATE mounts if need be
 * @folder: out: its path, which is good as long as this process
 *
 * Readers wait only for writers; a writer waits for readers, up to 10 s.
 * => a file descriptor for xt2_live_leave(): the others are kept out until then; -EAGAIN:
 *    another process is in, and err names it; -ENOENT: nothing is live; -EPERM; -EINVAL: pin is
 *    no BPF file system; -EOPNOTSUPP: what would be pinned would not last; and others
 */
int xt2_live_folder(const char *pin, enum xt2_store_access access, char *folder, size_t size,
		    struct xt2_err *err);

/* The same without entering: only where it is, or would be.  => 0, -errno */
int xt2_live_path(const char *pin, char *folder, size_t size, struct xt2_err *err);

/* Go to the network namespace, and find s->folder, without a lock.  => 0, -EINVAL, -EPERM and others */
int xt2_live_find(struct xt2_store *s, struct xt2_err *err);

/*
 * xt2_live_repair - bring back hooks and connection tracking that others took away
 * @s: locked
 * => 0; -ENOENT: nothing is live; -errno
 */
int xt2_live_repair(const struct xt2_store *s, struct xt2_err *err);

/* What is pinned there ends with the container that this process is in. */
bool xt2_live_ends_early(const char *pin);

/* Let others in; an empty folder goes away. */
void xt2_live_leave(const char *folder, int lock);

/*
 * xt2_links_read - all netfilter links of BPF programs that are attached, on this machine
 * @folder: of xt2_live_folder() or xt2_live_path(); "": none
 * @keep: pin beside it what a later command would have to load again
 * => 0: release with xt2_links_free(); -errno: the kernel does not tell
 */
struct xt2_links;
int xt2_links_read(struct xt2_links **links, const char *folder, bool keep);
void xt2_links_free(struct xt2_links *links);

/* Is a program pinned for a hook, and, if links are known, at it?  links may be NULL. */
bool xt2_live_has_hook(const char *folder, const struct xt2_links *links,
		       const struct xt2_image *img, const struct xt2_hook *h);

/* Of the hooks at which a family has tables, those without a guard: bits. */
__u32 xt2_live_unguarded(const char *folder, const struct xt2_links *links,
			 const struct xt2_image *img, __u8 family);

/* Is the pin gone that keeps evaluators?  Then hooks drop all packets. */
bool xt2_live_unevaluated(const char *folder);

/*
 * The tables of a ruleset that are not at all of their hooks: bits as in xt2_live_check(); and
 * XT2_LIVE_UNGUARDED: some hook has no guard; XT2_LIVE_UNEVALUATED: evaluators were taken away.
 */
#define XT2_LIVE_UNGUARDED   (1u << XT2_PROGRAMS)
#define XT2_LIVE_UNEVALUATED (2u << XT2_PROGRAMS)
unsigned int xt2_live_missing(const char *folder, const struct xt2_links *links,
			      const struct xt2_image *img);

/* What is pinned in a folder, with programs that it lacks; NULL: none.  => 0; -ENOENT: nothing; -errno */
int xt2_live_open(struct xt2_live **host, const char *folder, const struct xt2_live_programs *what,
		  struct xt2_err *err);

/*
 * xt2_live_attach - pin the arena, and attach to the hooks that a ruleset needs
 * @img: a checked image that xt2_live_check() accepted and that will be installed next
 *
 * Packets pass until a ruleset is installed, and those of tables that it
 * doesn't have always.
 * => 0; -EBUSY: another BPF program has a priority, and others, or a table is live at another
 *    priority than the image has for it; what was attached before stays, and xt2_live_tidy()
 *    takes the rest away
 */
int xt2_live_attach(struct xt2_live *host, const char *folder, const struct xt2_links *links,
		    const struct xt2_image *img, struct xt2_err *err);

/* After a failure: leave the hooks that the live ruleset has; without one, nothing. */
void xt2_live_tidy(const struct xt2_live *host, const char *folder);

/*
 * Connection tracking of this network namespace, on as long as its live ruleset
 * asks about connections.  Families are bits: 1 IPv4, 2 IPv6.
 *
 * xt2_live_tracked - the families in which a ruleset asks about connections
 */
unsigned int xt2_live_tracked(const struct xt2_image *img);

/*
 * xt2_live_track - turn it on; it comes before the programs that ask about it
 * @begun: out: families in which it was not on
 * => 0; -EOPNOTSUPP, -ENOENT and others: the kernel can't; -EPERM, -ENOMEM: nothing changed
 */
int xt2_live_track(unsigned int wanted, unsigned int *begun, struct xt2_err *err);

/* Turn it off, as far as live rulesets are concerned. */
void xt2_live_untrack(unsigned int unwanted);

/* => the families in which it is on for live rulesets */
unsigned int xt2_live_tracking(void);

/*
 * Companions are rules of nf_tables, and gates after them, that carry out what no BPF program can:
 * see kernel/bpf/act.h.
 *
 * xt2_live_act - make those that a ruleset needs, before it is installed, or where some are missing
 * @live: the ruleset is the live one; else host is xt2_live_ready() for it
 * @host: attached to its hooks; the companions of its live ruleset stay
 * => 0; -EOPNOTSUPP and others: the kernel can't; -EBUSY: there is no priority for them
 */
int xt2_live_act(const struct xt2_live *host, const char *folder, const struct xt2_image *img,
		 bool live, struct xt2_err *err);

/* => the families in which companions or gates are missing: bits as above */
unsigned int xt2_live_lacks(const struct xt2_live *host, const struct xt2_links *links,
			    const char *folder, const struct xt2_image *img);

/* => the families whose nat table has an effect */
unsigned int xt2_live_nats(const struct xt2_image *img);

/*
 * xt2_live_unact - take away companions of families in which a ruleset needs none
 * @img: the live one, and no packet is under way in the one before; NULL: nothing is live, or attached
 */
void xt2_live_unact(const struct xt2_live *host, const char *folder, const struct xt2_image *img);

/* Take everything in a folder away, connection tracking included.  => 0; -ENOENT: there was nothing; -errno */
int xt2_live_detach(const char *folder, struct xt2_err *err);

/*
 * Strays are links of xt2's in this network namespace that are not pinned in a folder:
 * another ruleset, whose folder is elsewhere, or that is pinned nowhere.
 *
 * xt2_links_stray - the next one
 * @folder: NULL: all are strays
 * @at: 0 at first
 * => NULL: no more
 */
struct xt2_link;
const struct xt2_link *xt2_links_stray(const struct xt2_links *links, const char *folder,
				       size_t *at);

/* "link 7 (program 12, xt2_filter) at INPUT of ipv4, priority 0, pinned in DIR" */
void xt2_links_describe(const struct xt2_link *link, char *text, size_t size);

/* Are there strays?  => 0; -EBUSY: err names the first */
int xt2_links_alone(const struct xt2_links *links, const char *folder, struct xt2_err *err);

/* Take it off its hook, regardless of its owner.  => 0, -errno */
int xt2_links_detach(const struct xt2_link *link);

/*
 * Live rulesets of all network namespaces.  A namespace is dead if only the links of its own
 * ruleset hold it, so that it cannot be entered again.
 */
enum xt2_live_state { XT2_LIVE_ALIVE, XT2_LIVE_DEAD, XT2_LIVE_UNSURE };

struct xt2_live_net {
	char folder[256];
	unsigned long inode;
	__u64 cookie;
	__s64 since; /* seconds since 1970: when its first ruleset was made live */
	enum xt2_live_state state;
};

/*
 * xt2_live_nets - the folders of a BPF file system
 * @links: NULL: no state is sure
 * @pin: as in xt2_live_folder()
 * @nets: out: free() it
 * => how many; -errno
 */
int xt2_live_nets(const struct xt2_links *links, const char *pin, struct xt2_live_net **nets,
		  struct xt2_err *err);

/* Links of ours that are pinned in none of these folders: the next one.  => NULL: no more */
const struct xt2_link *xt2_links_elsewhere(const struct xt2_links *links,
					   const struct xt2_live_net *nets, int count, size_t *at);

/* Take away what dead namespaces hold; others are left alone.  => how many; -errno */
int xt2_live_sweep(const struct xt2_links *links, const char *pin, struct xt2_err *err);

/*
 * xt2_live_log_open - read the events of LOG and NFLOG in a folder (log.h), without a lock on it
 * @event: called by xt2_live_log_read() for each; 0, or < 0: enough
 * => 0; -ENOENT: nothing is live; -EBUSY: another process reads them; -errno
 */
struct xt2_live_log;
struct xt2_log_event;
int xt2_live_log_open(struct xt2_live_log **log, const char *folder,
		      int (*event)(void *data, const struct xt2_log_event *e), void *data,
		      struct xt2_err *err);
void xt2_live_log_close(struct xt2_live_log *log);

/* All events that are there.  => 0 or more, -ENOMEM, or what event() said; that event is read */
int xt2_live_log_read(struct xt2_live_log *log);

/* => events since attach for which there was no room */
__u64 xt2_live_log_lost(const struct xt2_live_log *log);

/*
 * xt2_live_log_wait - until there may be events, a second at most
 * @mask: of signals, meanwhile
 * => 0; -EINTR; -ENODEV: detached, no more will come
 */
int xt2_live_log_wait(const struct xt2_live_log *log, const sigset_t *mask);

/* => the descriptor of a program, for BPF_PROG_TEST_RUN; -ENOENT: not loaded */
int xt2_live_program(const struct xt2_live *host, enum xt2_program which);

void xt2_live_status(const struct xt2_live *host, struct xt2_live_status *status);

#endif
