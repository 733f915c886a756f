/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-format.h - the layouts of the legacy tables; private to legacy*.c
 *
 * One descriptor per family and width.  Blobs may have any alignment, so
 * fields are read and written through memcpy.
 */
#ifndef XT2_TRANSLATORS_TABLE_LEGACY_FORMAT_H
#define XT2_TRANSLATORS_TABLE_LEGACY_FORMAT_H

#include "legacy.h"

#define LEGACY_NONE	  (~0u)
#define LEGACY_TARGET	  32 /* struct xt_entry_target, xt_entry_match */
#define LEGACY_NAME	  29 /* bytes of an extension's name */
#define LEGACY_PLACES	  5 /* of hooks in struct ipt_replace and its like */
#define LEGACY_ERROR	  64 /* struct xt_error_target */
#define LEGACY_ERROR_NAME 30
#define LEGACY_RULE_MAX	  65535
#define LEGACY_TABLE_MAX  (512u << 20) /* XT_MAX_TABLE_SIZE, with 64 bytes of the kernel's own */
#define LEGACY_TABLE_INFO 64
#define LEGACY_RETURN	  (-5)
#define LEGACY_REVISION	  31 /* offset in a match or target */

/* Fields of struct ipt_ip, ip6t_ip6, arpt_arp; the same in both widths. */
struct legacy_base {
	u8 size;
	u8 addr; /* bytes of an address */
	u8 src, dst, smsk, dmsk;
	u8 in, out, in_mask, out_mask;
	u8 flags, invflags;
	u8 invflags_size;
	u8 proto; /* 0: there is none */
	u8 flags_mask; /* that the kernel knows */
	u8 f_goto; /* 0: there is none */
	u16 invflags_mask;
	u16 inv_in, inv_out, inv_src, inv_dst, inv_proto;
};

#define LEGACY_VERDICTS 8 /* kinds of targets, of which some have verdicts */

struct xt2_legacy_format_ {
	const struct legacy_base *base;
	u8 family;
	bool compat;
	u8 hooks;
	u8 align; /* of entries, matches and targets */
	/* struct ipt_replace */
	u8 header;
	u8 underflow; /* offset; hook_entry is at 44 */
	u8 num_counters, counters;
	/* struct ipt_entry */
	u8 entry; /* its size */
	u8 native_entry;
	u8 target_offset, next_offset, comefrom, entry_counters;
	u8 standard; /* bytes of struct xt_standard_target */
	const signed char *verdicts; /* by kind of target; 0: none */
};

/* What is known about the entry that starts in a slot of the blob. */
struct xt2_legacy_entry_ {
	u32 offset; /* LEGACY_NONE: no entry starts here */
	u32 back; /* while hooks are traced: the slot of where we came from */
	u32 chain; /* of which it is the first rule; or LEGACY_NONE */
	u16 next; /* bytes of the entry */
	u8 hooks; /* that lead here */
	u8 flags; /* LEGACY_ENTRY_* */
};

#define LEGACY_ENTRY_ERROR   1
#define LEGACY_ENTRY_PATH    2 /* on the way from the hook */
#define LEGACY_ENTRY_PLAIN   4 /* a standard target, and no extension to be checked */
#define LEGACY_ENTRY_JUMP    8 /* a standard target that leads elsewhere than to the next entry */
#define LEGACY_ENTRY_DECIDES 16 /* a standard target that leads nowhere */
#define LEGACY_ENTRY_STRANGE 32 /* legacy_base_strange() */

struct xt2_legacy_chain_ {
	u32 head; /* offset of its ERROR entry; base: of the first rule */
	u32 first, entries;
	u8 hook;
	u8 fall; /* enum legacy_fall */
	u16 reserved;
	u32 next; /* chain that it runs into */
};

/* How a chain ends that has no tail of its own. */
enum legacy_fall {
	LEGACY_TAIL, /* it has one */
	LEGACY_ENDS, /* nothing gets past its last rule */
	LEGACY_DROPS, /* runs into an ERROR entry, which drops */
	LEGACY_RUNS, /* runs into a base chain */
};

/* Why an extension's check refuses a rule, and how it can be written; static texts. */
struct legacy_why {
	const char *what, *hint; /* or NULL */
};

/* What an extension's check sees of its rule; the text programs fill one in for what they parsed. */
struct legacy_rule {
	u8 family;
	bool inv_proto;
	bool flag_proto; /* the entry's flags say that it has a protocol; IPv4: always */
	u8 hooks;
	u16 proto;
	const char *table;
	const u8 *base; /* struct ipt_ip or its like */
	const u8 *matches, *matches_end;
	bool compat;
	u8 revision; /* of the extension that is being checked */
	struct legacy_why *why; /* gets the reason where there is a text for it; or NULL */
};

/* => 0, or -errno of the kernel's checkentry function */
typedef int legacy_check_fn(const struct legacy_rule *rule, const void *payload);

struct legacy_known {
	const char *name;
	u8 families; /* bits, LEGACY_* */
	u8 revision;
	u16 size; /* of the kernel's structure, not aligned */
	u16 hidden; /* bytes at its end that userspace does not get back */
	u16 compat; /* of the compat structure, if it differs by more than padding */
	u8 tables; /* bits; 0: any */
	u8 hooks; /* mask; 0: any */
	u8 proto, proto2; /* 0: any; of either */
	struct {
		u8 bytes, least, most;
		u8 err; /* 0: EINVAL */
	} first; /* bounds of the number that the payload begins with; bytes 0: any */
	legacy_check_fn *check; /* of the rule around it, or of a payload that is carried */
};

#define LEGACY_V4     1
#define LEGACY_V6     2
#define LEGACY_ARP    4
#define LEGACY_IP     (LEGACY_V4 | LEGACY_V6)
#define LEGACY_UNSPEC 8 /* found by every family, but not for ARP rules */
#define LEGACY_BRIDGE 16 /* rows in ebt-known.c */
#define LEGACY_ANY    (LEGACY_IP | LEGACY_UNSPEC)
#define LEGACY_CUTS   32 /* the kernel changes a payload on its way in: legacy-format.c */

enum legacy_table {
	LEGACY_FILTER = 1,
	LEGACY_NAT = 2,
	LEGACY_MANGLE = 4,
	LEGACY_RAW = 8,
	LEGACY_SECURITY = 16,
};

#define LEGACY_PRE  (1 << XT2_PREROUTING)
#define LEGACY_IN   (1 << XT2_INPUT)
#define LEGACY_FWD  (1 << XT2_FORWARD)
#define LEGACY_OUT  (1 << XT2_OUTPUT)
#define LEGACY_POST (1 << XT2_POSTROUTING)

extern const struct legacy_known legacy_matches[], legacy_targets[];
extern const u32 legacy_known_rows[2]; /* of matches, of targets */
#define LEGACY_TABLES 5
extern const char *const legacy_table_names[LEGACY_TABLES]; /* in the order of their bits */
u8 legacy_table_bit(const char *name);

/*
 * => the row, and *index, its place; or NULL, and *err: -ENOENT, or
 *    -EPROTOTYPE: only other revisions are registered for all families
 */
const struct legacy_known *legacy_known_find(struct xt2_legacy_cache *cache, u8 family, bool target,
					     const char *name, u8 revision, u32 *index, int *err);

/* xt2_legacy_revision() for all families but bridges */
int legacy_known_revision(u8 family, bool target, const char *name, u8 revision);

/*
 * => a match or target of this name: its tables, hooks and protocols are those
 *    of all revisions in the family, or of another family if this one has no
 *    extension of the name; NULL: there is none at all
 */
const struct legacy_known *legacy_known_named(u8 family, const char *name);

/* => 0, or -errno of the kernel's checkentry function, as far as rows know it */
int legacy_known_check(const struct legacy_known *k, const struct legacy_rule *rule,
		       const void *payload);

/* checkentry functions that look at more than xt2's own translators do: legacy-entry.c */
legacy_check_fn legacy_ecn_check, legacy_ecn_target_check, legacy_ct_check, legacy_reject_check,
	legacy_synproxy_check, legacy_tcpmss_check, legacy_cgroup0_check, legacy_cgroup_check,
	legacy_npt_check, legacy_nfacct_check, legacy_devgroup_check, legacy_addrtype_check,
	legacy_multiport_check, legacy_owner_check, legacy_policy_check, legacy_physdev_check,
	legacy_recent_check, legacy_hashlimit1_check, legacy_hashlimit_check, legacy_rateest_check,
	legacy_rateest_target_check, legacy_idletimer_check, legacy_idletimer1_check,
	legacy_cluster_check, legacy_connbytes_check, legacy_connlabel_check, legacy_l2tp_check,
	legacy_string_check, legacy_srh_check, legacy_srh1_check, legacy_audit_check,
	legacy_netmap4_check, legacy_netmap6_check, legacy_masquerade4_check,
	legacy_masquerade6_check, legacy_mangle_check, legacy_hmark_check, legacy_tee_check,
	legacy_clusterip_check;

/* => bits of the hooks in which these options of an extension are not allowed */
u32 legacy_bad_hooks(const char *name, const void *payload);

/* Payloads that only newer kernels refuse. */
bool legacy_newer(const struct legacy_known *k, const void *payload);

/* --- fields ----------------------------------------------------------------- */

static inline u16 legacy_u16(const void *p)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline u32 legacy_u32(const void *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void legacy_put16(void *p, u32 v)
{
	u16 half = (u16)v;

	memcpy(p, &half, sizeof(half));
}

static inline void legacy_put32(void *p, u32 v)
{
	memcpy(p, &v, sizeof(v));
}

static inline u32 legacy_align(u32 size, u32 align)
{
	return (size + align - 1) & ~(align - 1);
}

/* Bytes of an extension's structure that userspace gets back. */
static inline u32 legacy_user(const struct legacy_known *k)
{
	return (u32)(k->size - k->hidden);
}

/* Bytes of an extension's payload, native and in this width. */
static inline u32 legacy_native(const struct legacy_known *k)
{
	return legacy_align(k->size, 8);
}

static inline u32 legacy_payload(const struct legacy_known *k, bool compat)
{
	if (!compat)
		return legacy_native(k);
	return legacy_align(k->compat ? k->compat : k->size, 4);
}

/* What the payload grows by on the way into the kernel. */
static inline u32 legacy_growth(const struct legacy_known *k, bool compat)
{
	return legacy_native(k) - legacy_payload(k, compat);
}

static inline u32 legacy_next(const struct xt2_legacy_format_ *f, const u8 *e)
{
	return legacy_u16(e + f->next_offset);
}

static inline const u8 *legacy_target(const struct xt2_legacy_format_ *f, const u8 *e)
{
	return e + legacy_u16(e + f->target_offset);
}

/* => 0: a target of this kind has no verdict of its own */
static inline s32 legacy_verdict_of(const struct xt2_legacy_format_ *f, u8 kind)
{
	return kind < LEGACY_VERDICTS ? f->verdicts[kind] : 0;
}

/* Of a verdict below 0, which is sound. */
static inline u8 legacy_kind_of(const struct xt2_legacy_format_ *f, s32 verdict)
{
	u8 kind = 0;

	while (kind < LEGACY_VERDICTS && f->verdicts[kind] != verdict)
		kind++;
	return kind < LEGACY_VERDICTS ? kind : XT2_T_DROP;
}

/* In a match or target. */
static inline const char *legacy_name(const u8 *ext)
{
	return (const char *)ext + 2;
}

static inline bool legacy_is_standard(const u8 *target)
{
	return !target[2];
}

static inline bool legacy_is_error(const u8 *target)
{
	return !memcmp(target + 2, "ERROR", sizeof("ERROR"));
}

static inline s32 legacy_verdict(const u8 *target)
{
	return (s32)legacy_u32(target + LEGACY_TARGET);
}

/* The inverted tests of an entry. */
static inline u32 legacy_inverted(const struct legacy_base *b, const u8 *e)
{
	return b->invflags_size == 1 ? e[b->invflags] : legacy_u16(e + b->invflags);
}

/* No condition at all, flags included: unconditional() of ip_tables.c. */
static inline bool legacy_unconditional(const struct xt2_legacy_format_ *f, const u8 *e)
{
	static const u8 zero[192];

	return legacy_u16(e + f->target_offset) == f->entry && !memcmp(e, zero, f->base->size);
}

const struct xt2_legacy_format_ *legacy_format_find(u8 family, bool compat);

/*
 * Entries are at least this long, so in each slot of this many bytes at most
 * one starts: the slot of an offset says in one step whether it is an entry's.
 */
static inline u32 legacy_slot_size(const struct xt2_legacy_format_ *f)
{
	return f->entry + LEGACY_TARGET;
}

/*
 * The entries of a table by their places.  Several walks go over them, and
 * only the first has to look at the blob itself.
 */
struct legacy_map {
	const struct xt2_legacy_format_ *f;
	const u8 *at;
	u32 valid_hooks;
	const u32 *hook_entry;
	struct xt2_legacy_entry_ *entry;
	u32 slots; /* up to the last entry's */
};

/* => the entry that starts at this offset, or NULL */
static inline struct xt2_legacy_entry_ *legacy_map_at(const struct legacy_map *m, u32 offset)
{
	u32 slot = offset / legacy_slot_size(m->f);

	if (slot >= m->slots || m->entry[slot].offset != offset)
		return NULL;
	return &m->entry[slot];
}

static inline struct legacy_map legacy_map_of(const struct xt2_legacy *l)
{
	return (struct legacy_map){
		.f = l->f,
		.at = l->at,
		.valid_hooks = l->valid_hooks,
		.hook_entry = l->hook_entry,
		.entry = l->entry,
		.slots = l->slots,
	};
}

static inline struct xt2_legacy_entry_ *legacy_entry_at(const struct xt2_legacy *l, u32 offset)
{
	const struct legacy_map m = legacy_map_of(l);

	return legacy_map_at(&m, offset);
}

/* The chain that is written first, at offset 0: no verdict can lead there. */
static inline bool legacy_is_first(const struct xt2_legacy *l, u32 chain)
{
	return !chain && l->base_chains;
}

/*
 * Keep why a blob is refused: a header's field; an entry or a head of ebt, those
 * before it being sound; such a one that the kernel takes.  => err
 */
int legacy_header_fault(struct xt2_legacy *l, int err, u32 offset, const char *field,
			const char *what);
int legacy_wrong(struct xt2_legacy *l, int err, u32 pos, const char *field, const char *what);
int legacy_stricter(struct xt2_legacy *l, u32 pos, const char *field, const char *what);

/* The fields that all headers have. */
void legacy_header_read(struct xt2_legacy *l);

/* What struct xt_match says at registration: xt_check_match().  => NULL, or what is wrong */
const char *legacy_misplaced(const struct xt2_legacy *l, const struct legacy_rule *rule,
			     const struct legacy_known *k);
/*
 * A payload at l->payload; for bridges, only the rows for all families
 * are asked for, so what IPv4's say holds there as well.
 * => 0, or -errno as the row's checkentry function
 */
int legacy_check_payload(struct xt2_legacy *l, const struct legacy_known *k, bool target,
			 u32 index);

/* Entries in their order, by a counter of slots. */
#define legacy_map_for_each(e, i, map)                                       \
	for ((i) = 0; (i) < (map)->slots && ((e) = &(map)->entry[i]); (i)++) \
		if ((e)->offset != LEGACY_NONE)

/* => which of the hooks' places this is, or XT2_HOOK_NONE */
static inline u8 legacy_hook_of(const u32 *place, u32 offset)
{
	u8 h;

	for (h = 0; h < XT2_LEGACY_HOOKS; h++)
		if (place[h] == offset)
			return h;
	return XT2_HOOK_NONE;
}

/* Note the next entry, which is sound; m->entry has room for all slots. */
void legacy_map_add(struct legacy_map *m, u32 offset);
/* Which hooks lead where: mark_source_chains().  => LEGACY_NONE, or the offset of a loop's entry */
u32 legacy_map_trace(struct legacy_map *m);

/* Number and locate the chains.  => 0, -EINVAL */
int legacy_chains_find(struct xt2_legacy *l);

/* Append an address and its mask to the matches at *at, if some packet can fail the test. */
void legacy_addr4_pack(u8 **at, u8 type, u8 type_mask, const u8 *a, const u8 *m, bool invert);
void legacy_addr6_pack(u8 **at, u8 type, u8 type_mask, const u8 *a, const u8 *m, bool invert);
/* The base tests of an entry, as matches at out.  => bytes */
u32 legacy_base_pack(const struct xt2_legacy_format_ *f, const u8 *e, void *out);
/*
 * An IPv6 rule that names a protocol, has extensions and does not ask for the
 * protocol: they look for their header where the kernel happens to point.
 */
bool legacy_base_untested(const struct xt2_legacy_format_ *f, const u8 *e);
/* => NULL, or why an entry cannot be kept as a rule */
const char *legacy_base_strange(const struct xt2_legacy_format_ *f, const u8 *e);
/* One base test into an entry.  @seen: bits of what is there.  => 0, -EOPNOTSUPP */
int legacy_base_unpack(const struct xt2_legacy_format_ *f, const struct xt2_match *m, u8 *e,
		       u32 *seen);

/* A payload of this width as a native one; both cover what k says. */
void legacy_payload_in(const struct legacy_known *k, bool compat, const u8 *from, void *native);
/* What the kernel changes in a native payload that it takes; for rows with LEGACY_CUTS. */
void legacy_payload_cut(const struct legacy_known *k, u8 *native);
/* And back, as the kernel gives it to userspace. */
void legacy_payload_out(const struct legacy_known *k, bool compat, const void *native, u8 *to);

/* The first failure of a writer sticks.  => it */
static inline int legacy_write_fail(struct xt2_legacy_writer *w, int err, const char *what)
{
	if (!w->error) {
		w->error = err;
		w->what = what;
	}
	return w->error;
}

/* => the place for the next len bytes, zeroed; NULL: there is no room */
static inline u8 *legacy_write_reserve(const struct xt2_legacy_writer *w, u64 at, u32 len)
{
	if (!w->out || at + len > w->cap)
		return NULL;
	return memset(w->out + at, 0, len);
}

/* Append a match at *at, which moves on.  => the match, its payload zeroed */
static inline void *legacy_match_add(u8 **at, u8 type, u32 size, bool invert, u32 arg)
{
	struct xt2_match *m = (struct xt2_match *)*at;

	memset(m, 0, size);
	m->type = type;
	m->flags = invert ? XT2_MATCH_INVERT : 0;
	m->size = (u16)size;
	m->arg = arg;
	*at += size;
	return m;
}

#endif
