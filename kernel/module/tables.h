/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.h - tables of a network namespace, and one that packets are in
 *
 * A table's rules are an image that never changes but for its counters, which are elsewhere:
 * struct xt2k_live.  A new one takes its place (table.c); packets that are in the old one
 * are waited for, so that what they count is not lost, and it is freed.
 *
 * Locking: a namespace's mutex serializes everything that changes or lists its tables: system
 * calls, and the work item that builds indexes.  Packets take no lock: they find the live table by RCU's rules,
 * with softirqs off, and a sequence number of their processor tells writers that they are there.
 */
#ifndef XT2_MODULE_TABLES_H
#define XT2_MODULE_TABLES_H

#include <linux/kconfig.h>
#include <linux/mutex.h>
#include <linux/netfilter.h>
#include <linux/netfilter/x_tables.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>

#include "engine/eval.h"
#include "engine/index/search.h"
#include "engine/parse.h"
#include "libxt2/ruleset/ruleset.h"

enum xt2k_family { XT2K_IPV4, XT2K_IPV6, XT2K_ARP, XT2K_FAMILIES };
enum xt2k_name { XT2K_FILTER, XT2K_MANGLE, XT2K_NAT, XT2K_RAW, XT2K_SECURITY, XT2K_NAMES };

extern const char *const xt2k_names[XT2K_NAMES];

/* How a family differs from others. */
struct xt2k_kind {
	const char *prefix; /* of names in /proc/net */
	u8 nfproto;
	u16 entry; /* bytes of struct ipt_entry or its like, and offsets in it: */
	u16 target_offset, next_offset, comefrom;
};

extern const struct xt2k_kind xt2k_kinds[XT2K_FAMILIES];

/* --- counters (counters.c) --------------------------------------------- */

#define XT2K_LATE 64

/* Counted where a page was not to be had. */
struct xt2k_late {
	u32 slot;
	struct xt2_counts n;
};

/*
 * A rule's counter is the sum of what each processor's strip has at its slot, and one strip more
 * for what system calls add.  Strips are pages that come when something is counted in them.
 */
struct xt2k_counters {
	u32 slots, pages; /* of each strip */
	u32 used; /* slots below this one were taken at some time; 0 is that of no rule */
	u32 *free, frees, free_cap; /* those that can be taken again */
	struct xt2_counts **page; /* of all strips, one after the other */
	spinlock_t lock; /* of the rest */
	u32 lates;
	u64 lost; /* packets that a rule has not counted, since there was not even room here */
	struct xt2k_late late[XT2K_LATE];
};

/* => 0, -ENOMEM */
int xt2k_counters_init(struct xt2k_counters *c, u32 slots);
void xt2k_counters_free(struct xt2k_counters *c);

/* => the strip of a processor; of nr_cpu_ids: of system calls; of the next number: one that stays empty */
static inline struct xt2_counts **xt2k_strip(const struct xt2k_counters *c, unsigned int cpu)
{
	return c->page + (size_t)cpu * c->pages;
}

/* Sum of all strips; what is counted meanwhile may be in it or not. */
struct xt2_counts xt2k_counters_read(struct xt2k_counters *c, u32 slot);

/* The same by what XT2K_SLOTS has left in a rule: its slot and its group's. */
struct xt2_counts xt2k_slots_read(struct xt2k_counters *c, struct xt2_counts slots);

/* By system calls, under the namespace's mutex: make room for what will be added to a slot.  => 0, -ENOMEM */
int xt2k_counters_room(struct xt2k_counters *c, u32 slot);
void xt2k_counters_add(struct xt2k_counters *c, u32 slot, struct xt2_counts n);

/*
 * xt2k_slot_take - a slot for a rule that comes; what the rules before it have counted there is not the rule's
 * => 0; -ENOSPC: all are in use; -ENOMEM
 */
int xt2k_slot_take(struct xt2k_counters *c, struct xt2_counts n, u32 *slot);

/* Make room in free[] for so many more.  => 0, -ENOMEM */
int xt2k_slots_reserve(struct xt2k_counters *c, u32 more);

/* How a rule of a transaction starts to count. */
struct xt2k_start {
	struct xt2_counts n;
	struct xt2_counts from; /* slots of the table before that are added later; bytes 0: none */
	u32 slot; /* out: that it has got */
};

/*
 * Counters for an image: each rule's becomes the number of a slot, where it has what it had.  There
 * are slots for rule groups as well, which come with an index.
 * @start: the rules have numbers in it instead; or NULL
 * => 0, -ENOMEM
 */
int xt2k_counters_take(struct xt2k_counters *c, struct xt2_image *img, struct xt2k_start *start);

/* Rule groups of an image whose rules have slots get some, too, from this one on.  => the next one after them */
u32 xt2k_counters_groups(struct xt2_image *img, u32 first);

/* --- the kernel's own matches and targets (native.c) -------------------- */

struct xt2k_native {
	union {
		const struct xt_match *match;
		const struct xt_target *target;
		const void *any; /* NULL: a comment */
	};
	void *info; /* the payload, which its owner may change */
	u32 users; /* rules */
	bool is_target;
};

/* What a table remembers: other images of its rules take it over. */
struct xt2k_state {
	struct net *net;
	u8 nfproto;
	bool tracks; /* has a reference to connection tracking */
	struct xt2k_counters counters;
};

/* --- a table that packets are in (table.c) ------------------------------ */

#define XT2K_RUNS 4 /* evaluations inside each other, on a processor: TEE, REJECT */

struct xt2k_live {
	struct xt2_image *img;
	size_t size;
	const struct xt2_root *root;
	const struct xt2_hook *entry[NF_INET_NUMHOOKS]; /* NULL: the table has no such hook */
	u32 depth; /* frames that an evaluation may need */
	bool indexed, wants_index; /* chains have indexes; may have some that they lack */
	bool asks_time;
	u32 asks_ct; /* matches that look at connections, which are tracked while there are any */
	const char *table; /* its name */
	struct xt2_frame *frames; /* depth + 1 for each run and processor */
	struct xt2k_native *native; /* by instance of the image; NULL: taken over, too */
	u32 natives; /* room */
	struct xt2k_state *state; /* NULL: it was taken over */
	struct xt2k_edit *edit; /* the image can be edited in its place; NULL: it cannot */
};

struct xt2k_table {
	struct net *net;
	const struct xt2k_kind *kind;
	u8 name; /* enum xt2k_name */
	bool held; /* the module: there are rules */
	bool edits; /* it was edited in place before: images are made for that */
	u64 version; /* counts live tables */
	struct xt2k_live __rcu *live; /* NULL: nobody has asked for the table */
	struct delayed_work index; /* index-later.c */
	struct nf_hook_ops ops[NF_INET_NUMHOOKS];
	u32 hooks; /* used ops */
	u32 came; /* tables that were asked for later have larger numbers; 0: none was */
	atomic64_t faults; /* packets that were dropped as no rule could decide */
};

struct xt2k_net {
	struct mutex lock;
	u32 came; /* tables that were asked for */
	u64 generation; /* commits */
	atomic_t dumps; /* under way, of netlink */
	spinlock_t owner; /* of the pointer: whoever closes a socket cannot wait for the mutex */
	struct xt2k_transaction *transaction; /* or NULL */
	struct xt2k_table table[XT2K_FAMILIES][XT2K_NAMES];
};

extern unsigned int xt2k_net_id;
extern bool xt2k_ready; /* namespaces have their tables */

/* => the live table; the namespace's mutex is held, or there is nobody else */
static inline struct xt2k_live *xt2k_table_live(const struct xt2k_table *t)
{
	return rcu_dereference_protected(t->live, true);
}

/*
 * xt2k_table_make - the only table of a ruleset, ready to become the live one; the hooks are registered
 * @start: see xt2k_counters_take(): rules have numbers in the place of packets; or NULL
 * => it, or ERR_PTR() of allocation, a check of an extension or the registration of hooks; give it up
 *    with xt2k_table_unmake()
 */
struct xt2k_live *xt2k_table_make(struct xt2k_table *t, const struct xt2_ruleset *rs,
				  struct xt2k_start *start, struct xt2_err *err);
void xt2k_table_unmake(struct xt2k_table *t, struct xt2k_live *live);

/* => the table before, which no packet is in any more; NULL: there was none.  Free it */
struct xt2k_live *xt2k_table_publish(struct xt2k_table *t, struct xt2k_live *live);

/* A live table with rules keeps the module. */
void xt2k_table_hold(struct xt2k_table *t, const struct xt2k_live *live);

/* The table goes, and its hooks. */
void xt2k_table_remove(struct xt2k_table *t);

void xt2k_live_free(struct xt2k_live *live);

/* What rules have in the place of their counters, in a copy of a live table's image; groups have nothing. */
enum xt2k_counts {
	XT2K_COUNTED, /* what they have counted up to now, also in groups */
	XT2K_ZERO,
	XT2K_SLOTS, /* packets: the number of the slot; bytes: 1 more than that of the group's, or 1 */
};

/*
 * counters.c.  _raw: as it is in memory; the other one is written whole, if the image was edited
 * @map: released with xt2_image_close().  => 0, -ENOMEM
 */
int xt2k_image_copy(const struct xt2k_live *live, enum xt2k_counts counts, struct xt2_mapping *map);
int xt2k_image_copy_raw(const struct xt2k_live *live, enum xt2k_counts counts,
			struct xt2_mapping *map);

extern const struct xt2_index_limits xt2k_plain; /* no indexes */

/*
 * The parts of this that repack.c and table-edit.c use.
 * xt2k_live_new - a live table of an image, without state
 * @t: whose it will be
 * @map: becomes the table's, or is released
 * => it, or ERR_PTR(-ENOMEM)
 */
struct xt2k_live *xt2k_live_new(const struct xt2k_table *t, struct xt2_mapping *map);

/* Does a match look at the packet's connection? */
static inline bool xt2k_asks_ct(const struct xt2_match *m)
{
	return m->type == XT2_M_STATE || m->type == XT2_M_CONNTRACK || m->type == XT2_M_CONNMARK;
}

/* => stacks for evaluations of chains so deep, on all processors; NULL: no memory */
struct xt2_frame *xt2k_frames(u32 depth);

/* => the table before, which no packet is in any more; NULL: there was none */
struct xt2k_live *xt2k_live_swap(struct xt2k_table *t, struct xt2k_live *live);

void xt2k_table_init(struct xt2k_table *t, struct net *net, enum xt2k_family family,
		     enum xt2k_name name);

/* The hooks go, and what is being built; xt2k_table_exit() after a grace period. */
void xt2k_table_unhook(struct xt2k_table *t);
void xt2k_table_exit(struct xt2k_table *t);

/* Make the instances of a live table.  @rs: its ruleset; @loads: any module may be loaded.  => 0, or what a check said */
int xt2k_natives_make(struct xt2k_live *live, const struct xt2k_kind *kind,
		      const struct xt2_ruleset *rs, bool loads, struct xt2_err *err);
void xt2k_natives_free(struct xt2k_live *live);

/* Numbers that a transaction notes. */
struct xt2k_numbers {
	u32 *number, n, cap;
};

/* Room for so many more.  => 0, -ENOMEM */
int xt2k_numbers_reserve(struct xt2k_numbers *to, u32 more);

/* => 0, -ENOMEM */
static inline int xt2k_note(struct xt2k_numbers *to, u32 number)
{
	const int ret = xt2k_numbers_reserve(to, 1);

	if (!ret)
		to->number[to->n++] = number;
	return ret;
}

/* Instances for rules that come to a live table by an edit. */
struct xt2k_natives_more {
	struct xt2k_live *live; /* with room for them */
	const struct xt2k_kind *kind;
	const struct xt2_ruleset *rs; /* that they come from */
	const u32 *number; /* by instance of rs: that of the table */
	const u8 *came; /* by rule of rs, in the order of its chains: 1: it comes */
	/* => which hooks lead to a chain of this name, a bit each */
	u32 (*hooks)(void *data, const char *chain);
	void *data;
	struct xt2k_numbers *made; /* out: once for each rule that got one, for xt2k_native_put() */
};

/* => 0, or what a check said, or -ENOMEM */
int xt2k_natives_add(struct xt2k_natives_more *m, struct xt2_err *err);

/* A rule that had this instance goes, which goes with its last rule. */
void xt2k_native_put(struct xt2k_live *live, u32 number);

/* --- images made anew (repack.c) ---------------------------------------------------- */

#define XT2K_EDIT_ROOM	  (128u << 10) /* bytes at least beside an image that is edited */
#define XT2K_NATIVES_ROOM 64u

struct xt2k_repack {
	u64 version; /* of the table that was copied */
	u32 slots; /* that it uses */
	struct xt2_mapping copy;
	struct xt2k_live *live; /* what is made of it */
	u32 *native, natives; /* by instance: the number before */
	struct xt2_counts *group; /* for rules that counted in groups: their slots, the groups' */
	u32 groups;
};

/* Under the mutex; there is a live table.  => 0, -ENOMEM; xt2k_repack_end() in either case */
int xt2k_repack_copy(struct xt2k_table *t, struct xt2k_repack *r);

/*
 * xt2k_repack_make - the same rules, packed anew
 * @edit: to be edited in place, with so many bytes of room and more
 * => 0, -errno
 */
int xt2k_repack_make(struct xt2k_table *t, struct xt2k_repack *r,
		     const struct xt2_index_limits *limits, bool edit, u32 need);

/* Under the mutex.  => 0; -ESTALE: another table is live; -ENOSPC, -ENOMEM */
int xt2k_repack_publish(struct xt2k_table *t, struct xt2k_repack *r);

void xt2k_repack_end(struct xt2k_repack *r);

/* --- edits in place (table-edit.c) --------------------------------------------------- */

struct xt2k_edit;

/* An image, in so much memory, is edited from now on.  @map: its size changes.  => it, ERR_PTR(-errno) */
struct xt2k_edit *xt2k_edit_new(struct xt2_mapping *map);
void xt2k_edit_free(struct xt2k_edit *e);
void xt2k_edit_counts(struct xt2k_edit *e, struct xt2k_counters *c);

/* --- indexes (index-later.c) ------------------------------------------------------- */

/* The chains of a table that has just become live get their indexes later. */
void xt2k_index_later(struct xt2k_table *t);
void xt2k_index_work(struct work_struct *work);

/* --- packets (hook.c) ----------------------------------------------------- */

#define XT2K_HEAD    256 /* bytes of a packet in pages that are copied before it is evaluated */
#define XT2K_WINDOW  1024 /* and of each part beyond that a rule asks for */
#define XT2K_WINDOWS 4

/* One evaluation. */
struct xt2k_run {
	struct sk_buff *skb;
	const struct xt2k_live *live;
	struct xt_action_param par;
	struct xt2_pkt pkt;
	struct xt2_ctx ctx;
	struct xt2_search search;
	bool stolen; /* by a target: it has become somebody else's */
	u32 window; /* that was used last */
	u8 head[XT2K_HEAD];
	u8 part[XT2K_WINDOWS][XT2K_WINDOW];
};

/* The packet's fields from the skb: at the beginning, and when a target may have changed it. */
void xt2k_packet(struct xt2k_run *run);

unsigned int xt2k_hook(void *priv, struct sk_buff *skb, const struct nf_hook_state *state);

/* Packets that saw what was live before this call have left it, and all that they counted is there. */
void xt2k_packets_wait(void);

int xt2k_hooks_init(void);
void xt2k_hooks_exit(void);

/* --- traced packets (trace.c) ---------------------------------------------- */

/* The packet's rules have a line each from now on. */
void xt2k_trace_begin(struct xt2k_run *run);

/* A rule has counted the packet. */
void xt2k_trace(struct xt2k_run *run, u64 slot);

/* --- edits of a transaction (splice.c) --------------------------------------------- */

/* An edit of a table in its place: see <xt2/netlink.h>. */
struct xt2k_op {
	struct list_head list;
	u8 edit; /* enum xt2_nl_edit */
	bool append, find; /* there is no position; a rule says it */
	u32 at, deletes, inserts;
	char chain[XT2_NAME_SIZE], to[XT2_NAME_SIZE];
};

/*
 * xt2k_splice - do edits beside the live table
 * @add: the image that rules come from, checked; or NULL
 * => 0: xt2k_edit_publish() or xt2k_edit_abort() follows; -EXFULL: the table has to be sent whole;
 *    -ENOENT, -EEXIST, ...: see err
 */
int xt2k_splice(struct xt2k_table *t, const struct list_head *ops, const struct xt2_mapping *add,
		struct xt2_err *err);
bool xt2k_edit_publish(struct xt2k_table *t); /* => has it changed? */
void xt2k_edit_abort(const struct xt2k_table *t);

/* --- transactions (table-transaction.c) ------------------------------------------- */

/* The namespace's mutex is held.  => 0, -EBUSY, -ESTALE, -ENOMEM */
int xt2k_begin(struct net *net, u32 port, const u64 *expected, struct xt2_err *err);

/* => the transaction of a socket, or ERR_PTR(-EINVAL) */
struct xt2k_transaction *xt2k_transaction(struct net *net, u32 port);

/* @size: of its image; 0: it goes.  => 0, -ENOENT, -EEXIST, -EFBIG, -EINVAL, -ENOMEM */
int xt2k_add_table(struct xt2k_transaction *x, struct net *net, u8 family, const char *name,
		   u64 size, u32 rules, struct xt2_err *err);

/* A table that is edited in its place.  @size: of the image that its rules come from, or 0.  => as xt2k_add_table() */
int xt2k_add_splice(struct xt2k_transaction *x, struct net *net, u8 family, const char *name,
		    u64 size, struct xt2_err *err);

/* An edit of the table that was added last, which becomes the transaction's.  => 0, -EINVAL, -ENOMEM */
int xt2k_add_edit(struct xt2k_transaction *x, const struct xt2k_op *op);

/* Of the table that was added last.  => 0, -EINVAL */
int xt2k_add_piece(struct xt2k_transaction *x, u64 offset, const void *data, size_t size);
int xt2k_add_keep(struct xt2k_transaction *x, u64 offset, const void *data, size_t size);

/* It is over then.  => 0; -ESTALE, -EINVAL, -ENOMEM, -errno of checks: nothing has changed */
int xt2k_commit(struct net *net, u32 port, struct xt2_err *err);

/* Without the mutex, too, when the socket is closed: then it makes no request any more.  @port: 0: any socket's */
void xt2k_abort(struct net *net, u32 port);

/* A commit is done: the namespace has a new generation.  @port: of a netlink socket, or 0 */
void xt2k_committed(struct net *net, u32 port);

/* --- interfaces ------------------------------------------------------------ */

extern bool xt2k_sockopts; /* iptables' own interfaces are this module's */

int xt2k_netlink_init(void); /* netlink.c */
void xt2k_netlink_exit(void);
void xt2k_netlink_committed(struct net *net, u64 generation, u32 port);

int xt2k_sockopts_init(void); /* sockopts.c */
void xt2k_sockopts_exit(void);
int xt2k_proc_init(struct net *net); /* proc.c */
void xt2k_proc_exit(struct net *net);

#endif
