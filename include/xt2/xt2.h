/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt2.h - libxt2: iptables rulesets in any program
 *
 * Rulesets are edited as struct xt2_ruleset, kept and evaluated as images
 * (<xt2/format.h>).  Functions return 0 or a positive value, or -errno; they
 * never print and never exit.  On failure nothing has changed and outputs are
 * untouched; struct xt2_err says more.
 */
#ifndef XT2_XT2_H
#define XT2_XT2_H

#include <stddef.h>
#include <stdio.h>
#include <xt2/ext.h>
#include <xt2/pkt.h>
#include <xt2/verdict.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- errors ------------------------------------------------------------ */

enum xt2_code {
	XT2_OK,
	XT2_E_SYNTAX, /* the text is not in the grammar */
	XT2_E_OPTION, /* an extension's options are wrong */
	XT2_E_UNKNOWN, /* no such extension, chain, table, interface, ... */
	XT2_E_TABLE, /* not allowed in this table or hook */
	XT2_E_LOOP, /* chains jump in a circle */
	XT2_E_IMAGE, /* not a valid image */
	XT2_E_CAPTURE, /* not a valid capture */
	XT2_E_UNSUPPORTED, /* cannot be evaluated here */
	XT2_E_LIMIT, /* larger than the format allows */
	XT2_E_SYSTEM, /* the system refused: see errnum */
	XT2_E_BLOB, /* not a valid table in the kernel's own format */
};

/* The caller's; every string is NUL-terminated, empty if not known. */
struct xt2_err {
	int code; /* enum xt2_code */
	int errnum; /* errno, or 0 */
	unsigned int line; /* from 1; 0: none */
	unsigned int column; /* from 1; 0: none */
	char file[256];
	char rule[512]; /* the text of the rule or line */
	char message[512]; /* the reason */
	char hint[256]; /* what to do about it */
};

/* "E_SYNTAX" for XT2_E_SYNTAX, and so on. */
const char *xt2_code_name(int code);

/* Print "file:line:column: error[E_X]: message", the rule with a caret, the hint. */
void xt2_err_print(const struct xt2_err *err, FILE *to);

/* --- images ------------------------------------------------------------ */

struct xt2_mapping {
	struct xt2_image *image;
	size_t size; /* bytes of the image */
	size_t capacity; /* bytes mapped or allocated */
	int mapped; /* munmap() it, else free() it */
};

/*
 * xt2_image_open - read an image file and check it completely
 * @path: file; @map: filled in; release with xt2_image_close()
 *
 * It is a copy, of huge pages if it is large: counters change in memory only.
 * What is accepted is safe to evaluate, indexes of chains included.
 * => 0; -ENOENT and other errors of open(2); -ENOMEM; -EINVAL, -ELOOP: see err
 */
int xt2_image_open(const char *path, struct xt2_mapping *map, struct xt2_err *err);

/*
 * xt2_image_open_rules - the same for those who want the rules alone
 *
 * Indexes of chains are dropped, not checked, so an image whose index is wrong gives its
 * rules back.
 */
int xt2_image_open_rules(const char *path, struct xt2_mapping *map, struct xt2_err *err);

/* As xt2_image_open(), for bytes in memory; they are copied. */
int xt2_image_copy(const void *bytes, size_t size, struct xt2_mapping *map, struct xt2_err *err);

void xt2_image_close(struct xt2_mapping *map);

/*
 * xt2_image_fold - give each rule what it has counted
 *
 * Evaluation counts runs of equal rules in one place.  What reads counters out
 * of an image that was evaluated calls this first; xt2_ruleset_load() need not,
 * and an image that was opened is folded.
 */
void xt2_image_fold(struct xt2_image *image);

/*
 * xt2_image_store - write an image durably: temporary file, fsync, rename, fsync of the folder
 *
 * Whatever happens (full disk, kill -9), path is the old file or the new one.
 * The folder is not created; a symbolic link stays one; what is no regular
 * file is not replaced.  The file's mode is 0600.
 * => 0, or -errno; if only the folder could not be synced, err says that the
 *    new file is in place
 */
int xt2_image_store(const char *path, const struct xt2_image *image, size_t size,
		    struct xt2_err *err);

/*
 * xt2_image_lock - one writer at a time for the image at path
 * @wait: seconds; 0: don't wait, < 0: for ever
 *
 * The lock is on path.lock, which stays.
 * => a file descriptor to close; -EAGAIN: somebody else has it; -EINVAL: path or
 *    the lock is no regular file; -errno
 */
int xt2_image_lock(const char *path, int wait, struct xt2_err *err);

/* --- rulesets ---------------------------------------------------------- */

/*
 * A ruleset in memory, made to be edited: tables, chains, rules as packed
 * bytes, instances, cells.  Chain, instance and cell numbers in a rule's bytes
 * are those of its ruleset; xt2_ruleset_write() renumbers.  Positions count
 * from 0.  A ruleset belongs to one thread at a time, for questions too.
 */
struct xt2_ruleset;

struct xt2_ruleset *xt2_ruleset_new(void); /* NULL: no memory */
void xt2_ruleset_free(struct xt2_ruleset *rs);

/*
 * xt2_ruleset_clone - a copy with the same numbers, to try changes on
 *
 * A program that must change all or nothing changes a clone and swaps it in
 * when all went well.  If the original was loaded from an image, the bytes
 * must stay until both are freed.
 * => NULL: no memory
 */
struct xt2_ruleset *xt2_ruleset_clone(const struct xt2_ruleset *rs);
/* Exchange what two rulesets hold; cannot fail. */
void xt2_ruleset_swap(struct xt2_ruleset *a, struct xt2_ruleset *b);

/*
 * Fill an empty ruleset from a checked image; numbers are the image's.  The
 * bytes must stay as they are until free, only counters may run meanwhile.
 * => 0, -EINVAL (not empty), -ENOMEM
 */
int xt2_ruleset_load(struct xt2_ruleset *rs, const struct xt2_image *image, size_t size);

/*
 * xt2_ruleset_write - pack a ruleset
 * @map: filled in; release with xt2_image_close()
 *
 * Chains are renumbered in the order of xt2_chain_next(), so rulesets that
 * print alike are packed alike.  Instances and cells that no rule names are
 * left out; each match with state gets a cell of its own with the old value.
 * The image's generation is one more than that of the image loaded, or 1.
 * => 0; -ENOMEM; -ELOOP, -EFBIG and -EINVAL: see err (table, chain, reason)
 */
int xt2_ruleset_write(const struct xt2_ruleset *rs, struct xt2_mapping *map, struct xt2_err *err);

/* Hooks that a table of this name has: bit mask; 0: no such table.  Priorities by hook. */
unsigned int xt2_table_hooks(int family, const char *table);
int xt2_table_priority(int family, const char *table, int hook);
/* Name of a base chain ("INPUT"), NULL if there is none; and back, -1 if there is none. */
const char *xt2_hook_name(int family, int hook);
int xt2_hook_number(int family, const char *name);
/* "ip", "ip6", "arp" and so on are not names of families; these are: ipv4 ipv6 arp bridge. */
const char *xt2_family_name(int family);

/* Tables, oldest first.  => number >= 0, -ENOENT; add: -EEXIST, -EINVAL, -ENOMEM */
int xt2_ruleset_tables(const struct xt2_ruleset *rs);
int xt2_table_find(const struct xt2_ruleset *rs, int family, const char *name);
int xt2_table_add(struct xt2_ruleset *rs, int family, const char *name, const char *source);
int xt2_table_family(const struct xt2_ruleset *rs, int table);
const char *xt2_table_name(const struct xt2_ruleset *rs, int table);
const char *xt2_table_source(const struct xt2_ruleset *rs, int table); /* NULL: not known */
/* Back to the initial state: empty base chains with policy ACCEPT, no user chains. */
int xt2_table_reset(struct xt2_ruleset *rs, int table, const char *source);

/*
 * Chains.  A number stays valid while the chain lives.
 * => number >= 0 or 0; -ENOENT (no such table or chain), -EEXIST, -EINVAL (not
 *    a name of 1 to 31 bytes; not for a base chain, or only for one), -E2BIG,
 *    -ENOMEM
 */
int xt2_chain_find(const struct xt2_ruleset *rs, int table, const char *name);
int xt2_chain_add(struct xt2_ruleset *rs, int table, const char *name);
int xt2_chain_delete(struct xt2_ruleset *rs, int chain); /* -EBUSY: still named; -ENOTEMPTY */
int xt2_chain_rename(struct xt2_ruleset *rs, int chain, const char *name);
int xt2_chain_base(const struct xt2_ruleset *rs, int table, int hook);
int xt2_chain_hook(const struct xt2_ruleset *rs, int chain); /* -1: user chain */
int xt2_chain_table(const struct xt2_ruleset *rs, int chain);
const char *xt2_chain_name(const struct xt2_ruleset *rs, int chain);
unsigned int xt2_chain_rules(const struct xt2_ruleset *rs, int chain); /* tail not counted */
int xt2_chain_flush(struct xt2_ruleset *rs, int chain);
int xt2_chain_references(const struct xt2_ruleset *rs, int chain); /* rules that jump here */
/*
 * Base chains of a table in hook order, then user chains: in the order of their
 * names, or, if the table came from elsewhere in another, in that and new ones last.
 */
int xt2_chain_next(const struct xt2_ruleset *rs, int table, int previous); /* -1 starts, -1 ends */
/*
 * Policy of a base chain: XT2_T_ACCEPT or XT2_T_DROP; its counters are the tail's.
 * User chains of bridge tables have one as well; theirs may be XT2_T_RETURN, and is at first.
 */
int xt2_chain_policy(const struct xt2_ruleset *rs, int chain);
int xt2_chain_set_policy(struct xt2_ruleset *rs, int chain, int target);
int xt2_chain_counters(const struct xt2_ruleset *rs, int chain, __u64 *packets, __u64 *bytes);
int xt2_chain_set_counters(struct xt2_ruleset *rs, int chain, __u64 packets, __u64 bytes);

/*
 * Rules.  Bytes are copied and checked; pointers are valid until the next
 * change.  A rule is 8-byte aligned and can be read for its size.
 * => 0; -ENOENT (no such chain or position), -EINVAL (not a valid rule, or it
 *    names what is not there), -ENOMEM
 */
const struct xt2_rule *xt2_rule_get(const struct xt2_ruleset *rs, int chain, unsigned int at);
unsigned int xt2_rule_line(const struct xt2_ruleset *rs, int chain, unsigned int at);
int xt2_rule_insert(struct xt2_ruleset *rs, int chain, unsigned int at, const struct xt2_rule *rule,
		    unsigned int line);
int xt2_rule_append(struct xt2_ruleset *rs, int chain, const struct xt2_rule *rule,
		    unsigned int line);
int xt2_rule_replace(struct xt2_ruleset *rs, int chain, unsigned int at,
		     const struct xt2_rule *rule, unsigned int line);
int xt2_rule_delete(struct xt2_ruleset *rs, int chain, unsigned int at);
int xt2_rule_set_counters(struct xt2_ruleset *rs, int chain, unsigned int at, __u64 packets,
			  __u64 bytes);
/*
 * First rule equal to this one but for counters, cells and numbers of equal
 * instances.  => position, -ENOENT, -EINVAL
 */
int xt2_rule_find(const struct xt2_ruleset *rs, int chain, const struct xt2_rule *rule);

/*
 * Instances (enum xt2_instance_kind; texts without NUL) and cells.  Comments, and targets of
 * NAT, that say the same have one number, which several rules may name.
 * => number >= 0, -EINVAL, -E2BIG, -ENOMEM
 */
int xt2_instance_add(struct xt2_ruleset *rs, int kind, int revision, const char *name,
		     const void *data, size_t size);
const struct xt2_instance *xt2_instance_get(const struct xt2_ruleset *rs, unsigned int i);
int xt2_cell_add(struct xt2_ruleset *rs); /* starts at 0 */

/*
 * xt2_ruleset_digest - what a ruleset says, as a number
 *
 * SHA-256 over families, tables, chains by name, policies and rules, in the
 * form that doc/format.md specifies.  It is the same wherever the ruleset came
 * from, and whatever its counters and state are.
 * => 0, -ENOMEM
 */
#define XT2_DIGEST_SIZE 32
int xt2_ruleset_digest(const struct xt2_ruleset *rs, __u8 digest[XT2_DIGEST_SIZE]);

/* --- evaluation -------------------------------------------------------- */

struct xt2_evaluator;

/* What decided; strings belong to the image. */
struct xt2_result {
	int verdict; /* enum xt2_verdict */
	unsigned int arg; /* QUEUE: number; REJECT: type */
	const char *table; /* NULL: no table of this hook had anything to say */
	const char *chain;
	unsigned int rule; /* from 1; 0: the policy */
	int hotdrop; /* a match refused the packet as malformed */
	int faults; /* the image is at fault: the packet was dropped */
	unsigned int events; /* LOG, NFLOG, TRACE that happened */
};

/*
 * xt2_evaluator_new - prepare to evaluate packets with a checked image
 *
 * Rules count in the image, which must stay until free.  To read the counters,
 * load it into a ruleset: xt2_ruleset_load(), then packets and bytes of
 * xt2_rule_get(), and xt2_chain_counters().
 * => NULL and errno: ENOMEM; E2BIG: chains that jump more than 2^20 deep, or
 *    send a packet through more chains than XT2_VISITS_MAX and than it has rules
 */
struct xt2_evaluator *xt2_evaluator_new(struct xt2_image *image, size_t size);
void xt2_evaluator_free(struct xt2_evaluator *ev);
/* Evaluate rule after rule, without the indexes of chains, or with them again. */
void xt2_evaluator_linear(struct xt2_evaluator *ev, int on);
/* Seed of -m statistic --mode random. */
void xt2_evaluator_seed(struct xt2_evaluator *ev, __u64 seed);

/*
 * xt2_evaluate - a packet at a hook: its tables in the kernel's order
 * @hook: number of a hook of pkt->family
 * @table: only this table; NULL: all, but nat tables only for packets that
 *   make a mapping: conntrack state NEW, or RELATED and no ICMP error
 * @pkt: parsed; matches may set pkt->cut, targets may change mark and bytes.
 *   Whether the kernel would show it to a hook at all: xt2_pkt_receive()
 * @now: ns since 1970, for limit and time
 * @want_place: fill in table, chain, rule, which costs a walk of the chain
 * => enum xt2_verdict
 */
int xt2_evaluate(struct xt2_evaluator *ev, int hook, const char *table, struct xt2_pkt *pkt,
		 __u64 now, int want_place, struct xt2_result *result);

/*
 * xt2_evaluate_batch - several packets, one after the other
 * @pkts, @now, @results: n of them, each as for xt2_evaluate(); no packet twice
 *
 * The same as that many calls of xt2_evaluate(), but where chains have an index,
 * a packet waits for memory while others do.  XT2_BATCH at a time are best.
 */
#define XT2_BATCH 32
void xt2_evaluate_batch(struct xt2_evaluator *ev, int hook, const char *table,
			struct xt2_pkt *const *pkts, const __u64 *now, unsigned int n,
			int want_place, struct xt2_result *results);

/*
 * xt2_image_unsupported - matches and targets that cannot be evaluated here
 * @family, @hook, @table: as evaluated; -1, -1, NULL: everything.  With a hook
 *   only rules that a packet can reach from it
 * @found: called for each rule with its first such extension; a non-zero
 *   answer ends the search; may be NULL
 * => number of such rules; -ENOMEM
 */
int xt2_image_unsupported(const struct xt2_image *image, int family, int hook, const char *table,
			  int (*found)(void *data, const char *table, const char *chain,
				       unsigned int rule, const char *extension),
			  void *data);

/* --- captures ---------------------------------------------------------- */

struct xt2_capture;

/* One packet of a capture; pointers are valid until the next call. */
struct xt2_captured {
	const __u8 *frame; /* the frame as captured */
	__u32 caplen, len; /* bytes captured; bytes on the wire, >= caplen */
	__u64 time; /* ns since 1970 */
	__u32 network; /* offset of the network header in frame, <= caplen */
	int family; /* enum xt2_family; 0: none of ours */
	/*
	 * The 14 bytes of an Ethernet header, NULL if there is none.  Without
	 * VLAN tags, so not always in the frame; of a cooked header only the
	 * sender's address is known, and the receiver's is zero.
	 */
	const __u8 *mac;
	__u8 pkttype; /* PACKET_*, from the cooked header or the MAC address */
};

/*
 * xt2_capture_open - read a capture: pcap or pcapng; Ethernet, raw IP, BSD
 * loopback, Linux cooked v1 and v2; VLAN tags (802.1Q, 802.1ad) are skipped
 * @path: file; "-": standard input
 * => NULL: see err and errno
 */
struct xt2_capture *xt2_capture_open(const char *path, struct xt2_err *err);

/*
 * xt2_capture_next - the next packet
 * @packet: filled in
 *
 * A frame that is too short for its headers or carries something else has
 * family 0.  Unless the link layer tells, pkttype is PACKET_HOST.
 * => 1: a packet; 0: the end; -EINVAL: see err (broken or truncated file); no
 *    more packets can be read then
 */
int xt2_capture_next(struct xt2_capture *cap, struct xt2_captured *packet, struct xt2_err *err);

/* The link type as libpcap numbers it: DLT_*. */
int xt2_capture_linktype(const struct xt2_capture *cap);

/* How much of the file has been read.  => 0 to 100; -1: not known (a pipe) */
int xt2_capture_percent(const struct xt2_capture *cap);

void xt2_capture_close(struct xt2_capture *cap); /* NULL is fine */

/* A capture being written: pcap with nanoseconds. */
struct xt2_dump;

/*
 * xt2_dump_open - create a capture file
 * @path: is overwritten; "-": standard output
 * @like: its link type is taken, and packets of no other type may be written
 * => NULL: see err and errno
 */
struct xt2_dump *xt2_dump_open(const char *path, const struct xt2_capture *like,
			       struct xt2_err *err);

/* => 0, or -errno of the first write that failed */
int xt2_dump_write(struct xt2_dump *dump, const struct xt2_captured *packet);

/* Frees dump in any case.  => 0; -errno if bytes were lost: see err */
int xt2_dump_close(struct xt2_dump *dump, struct xt2_err *err);

#ifdef __cplusplus
}
#endif

#endif
