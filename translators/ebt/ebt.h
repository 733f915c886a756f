/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ebt-blob.h - the tables of bridges; private to ebt-*.c
 *
 * ebt differs from its three siblings in more than layout: a chain has a head
 * with its name, policy and number of rules; offsets in an entry have 32 bits
 * and need no alignment; sizes of extensions leave out their headers; behind
 * the matches stand watchers, which are targets; counters are elsewhere; and
 * the header names the base chains by pointers.
 */
#ifndef XT2_TRANSLATORS_EBT_EBT_H
#define XT2_TRANSLATORS_EBT_EBT_H

#include "translators/table/legacy-format.h"
#include <linux/netfilter_bridge/ebtables.h>

#define EBT_HEAD       48 /* struct ebt_entries, in both widths */
#define EBT_ENTRY      112 /* struct ebt_entry, likewise */
#define EBT_SIZE_FIELD 40 /* entries_size in the header */
#define EBT_NAME       29 /* bytes of an extension's name that the kernel looks at */
#define EBT_STANDARD   48 /* struct ebt_standard_target, native */
#define EBT_ON_BASE    (1 << NF_BR_NUMHOOKS) /* in a mask of hooks: the rule is in a base chain */
#define EBT_ANY_SIZE   0xffff /* legacy_known.size of among */
#define EBT_WORMHASH   1032 /* struct ebt_mac_wormhash without its pool */

_Static_assert(sizeof(struct ebt_entries) == EBT_HEAD && sizeof(struct ebt_entry) == EBT_ENTRY &&
		       sizeof(struct ebt_entry_match) == 40 &&
		       sizeof(struct ebt_standard_target) == EBT_STANDARD &&
		       sizeof(struct ebt_replace) == 120,
	       "ebt");

/* A chain, in the blob's order. */
struct xt2_legacy_ebt_chain_ {
	u32 head;
	u32 entries;
	u32 number; /* as the caller counts: base chains first */
	u8 hook;
	u8 mask; /* of a user chain: hooks that lead here */
	u8 path; /* on the way from the hook */
	u8 policy; /* enum xt2_target */
	/* While hooks are traced: where the jump here stands. */
	u32 back, left, from;
};

/* An extension of a rule as it stands in the blob. */
struct ebt_ext {
	const u8 *at; /* its header */
	const u8 *data;
	u32 size; /* bytes of data, as sent */
	bool target; /* or a watcher */
};

/* What an extension's own check sees of its rule. */
struct ebt_rule {
	const struct ebt_entry *e;
	const char *table;
	u8 hooks; /* that lead here, and EBT_ON_BASE */
};

/* An extension of the bridge's own. */
struct ebt_known {
	struct legacy_known k;
	/* checkentry, of the native payload; => 0, -errno */
	int (*check)(const struct ebt_rule *rule, const u8 *payload, u32 size);
	void (*fix)(u8 *payload); /* what the kernel changes in it; or NULL */
};

static inline u32 ebt_header(bool compat)
{
	return compat ? 36 : 40;
}

static inline bool ebt_is_standard(const u8 *ext)
{
	return !strncmp((const char *)ext, EBT_STANDARD_TARGET, EBT_NAME);
}

/*
 * => the extension of this name, or NULL and *err.  *own: the row if it is the
 *    bridge's own, else NULL and one for all families; *index is that one's
 */
const struct legacy_known *ebt_known_find(struct xt2_legacy_cache *cache, bool target,
					  const char *name, u8 revision,
					  const struct ebt_known **own, u32 *index, int *err);

/* Bytes that data of this size grow by on the way into the kernel. */
u32 ebt_growth(const struct legacy_known *k, u32 size);
/* => bytes of an among's payload without what pads it; it was checked */
u32 ebt_among_size(const u8 *payload);
/* A payload of this width as a native one, and back; not among's.  => 0, -EOPNOTSUPP */
void ebt_payload_in(const struct legacy_known *k, const struct ebt_known *own, bool compat,
		    const u8 *from, void *native);
int ebt_payload_out(const struct legacy_known *k, const struct ebt_known *own, bool compat,
		    const void *native, u8 *to);

/* The base tests of an entry, as matches at out.  => bytes, at most 256 */
u32 ebt_base_pack(const struct ebt_entry *e, void *out);
/* One base test into an entry.  @seen: bits of what is there.  => 0, -EOPNOTSUPP */
int ebt_base_unpack(const struct xt2_match *m, struct ebt_entry *e, u32 *seen);

/* => the chain whose head is at this offset, or NULL */
static inline struct xt2_legacy_ebt_chain_ *ebt_chain_at(const struct xt2_legacy *l, u32 offset)
{
	u32 slot = offset / EBT_HEAD, i;

	if (offset >= l->size)
		return NULL;
	i = l->ebt_slot[slot];
	return i != LEGACY_NONE && l->ebt_chain[i].head == offset ? &l->ebt_chain[i] : NULL;
}

/* Bytes of a head or a rule. */
static inline u32 ebt_step(const u8 *at)
{
	return legacy_u32(at) ? legacy_u32(at + offsetof(struct ebt_entry, next_offset)) : EBT_HEAD;
}

/* Offsets of a rule's parts: as sent, and as the kernel would have them. */
struct ebt_parts {
	u32 end[3]; /* of matches, watchers, target: in the blob */
	u32 native[3];
};

extern const char *const ebt_part_field[]; /* their names */
extern const char ebt_no_such[]; /* the reason */

struct ebt_ext ebt_ext_at(const struct xt2_legacy *l, u32 pos, bool target);
/* => the row, or NULL and *err: as ebt_known_find(); -EINVAL: its name does not end */
const struct legacy_known *ebt_find(struct xt2_legacy *l, const struct ebt_ext *x, u8 revision,
				    const struct ebt_known **own, u32 *index, int *err);

void ebt_parts_read(const struct xt2_legacy *l, u32 pos, struct ebt_parts *p);
/* With what they grow by; of compat, the extensions must have been found. */
void ebt_parts_grow(struct xt2_legacy *l, u32 pos, struct ebt_parts *p);
/* The walk that only compat blobs get; l->native_size is known then. */
int ebt_size_table(struct xt2_legacy *l);
/* The rules of a table whose chains are sound. */
int ebt_check_rules(struct xt2_legacy *l);

/* A standard target's.  A compat jump past the last chain grows with the chains, and may overflow. */
static inline s32 ebt_verdict_of(const struct xt2_legacy *l, const u8 *data)
{
	u32 verdict = legacy_u32(data);

	if (l->compat && (s32)verdict >= 0 && verdict >= l->size)
		verdict += l->native_size - l->size;
	return (s32)verdict;
}

/* The functions of legacy.h for bridges. */
u64 legacy_ebt_scratch(u64 len);
int legacy_ebt_check(struct xt2_legacy *l, u64 len, void *scratch);
void legacy_ebt_chain(const struct xt2_legacy *l, struct xt2_legacy_chain *c);
int legacy_ebt_rule(struct xt2_legacy *l, struct xt2_legacy_chain *c, struct xt2_legacy_sink *sink);
int legacy_ebt_write_rule(struct xt2_legacy_writer *w, const struct xt2_rule *r);
int ebt_close_chain(struct xt2_legacy_writer *w);
/* The head of the chain that begins now; name: of a user chain. */
int ebt_put_head(struct xt2_legacy_writer *w, const char *name);
int ebt_place_jumps(struct xt2_legacy_writer *w);

#endif
