/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf-nat.h - NAT of live rulesets by companions; not installed */
#ifndef XT2_LIBXT2_STORE_BPF_BPF_NAT_H
#define XT2_LIBXT2_STORE_BPF_BPF_NAT_H

#include "libxt2/store/bpf/bpf-companion.h"

/* Is it a target that nf_tables has an expression for, with all that it says? */
bool xt2_nat_can_(const struct xt2_instance *in, u8 family);

/*
 * xt2_nat_put_ - the rule does what the target does
 * @source: the hook is one at which the source is changed
 * => 0, -ENOMEM, -EOPNOTSUPP: see xt2_nat_can_()
 */
int xt2_nat_put_(struct nftnl_rule *rule, const struct xt2_instance *in, u8 family, bool source);

/* Sends a packet to one address and one port, which a map can have. */
struct xt2_nat_place {
	union nf_inet_addr address;
	__be16 port;
};

/* => does the target do that, and nothing else? */
bool xt2_nat_place_(const struct xt2_instance *in, u8 family, struct xt2_nat_place *place);

/* The rule does that, with what is in the registers from one on: see bpf-nat-known.c.  => 0, -ENOMEM */
int xt2_nat_put_place_(struct nftnl_rule *rule, u8 family, u32 reg);

/* --- which companions a ruleset needs (bpf-nat-plan.c) ------------------------ */

/* Hooks whose packets find their companions in one tree. */
enum xt2_nat_tree { XT2_NAT_DST, XT2_NAT_IN, XT2_NAT_POST, XT2_NAT_TREES };

/*
 * Digits of a companion's number: the lowest has one bit, so that a packet asks few companions, the
 * others have two.  => bits of so many low digits
 */
static inline u32 xt2_nat_low_(u32 digits)
{
	return digits ? 2 * digits - 1 : 0;
}

#define XT2_NAT_QUICK 6u /* digits of trees that have a short way, see bpf-nat-quick.c */
#define XT2_NAT_WAY   2u /* uses: of the chain that has the rule, and of the one where it leads */

#define XT2_NAT_KNOWN (1u << XT2_ACT_RANK_BITS) /* companions of a destination */

/* Packets to an address and a port may need a companion. */
struct xt2_nat_key {
	u64 address[2]; /* as in rules: IPv4 is a number */
	u16 port;
	u8 rank; /* among those for the same packets: each has another one */
	u32 instance;
};

/* Of a family. */
struct xt2_nat_plan {
	u32 hooks; /* bits: where its nat table is, if that has an effect */
	u32 trees; /* bits: that these hooks lead to */
	u32 digits; /* of the numbers, of two bits each: 1 at least */
	bool quick; /* its trees have a short way */
	struct {
		u32 *leaf; /* instances, in the order of their numbers */
		u32 leaves;
	} tree[XT2_NAT_TREES];
	struct xt2_nat_key *key; /* of the first tree, if it has a short way: bpf-nat-keys.c */
	u32 keys, rank_bits;
	u32 chains, uses; /* that all of it has in the kernel: rules, and jumps to chains */
};

/* => how many instances there may be before trees have to be made anew; digits of a tree */
u32 xt2_nat_room_(const struct xt2_image *img);
u32 xt2_nat_digits_(u32 room);

/* => 0; -ENOMEM; then, too, xt2_nat_plan_free_() */
int xt2_nat_plan_(struct xt2_nat_plan *plan, const struct xt2_image *img, u8 family);

/* The same, of the ruleset that is live.  @img: its image, or a copy */
int xt2_nat_plan_live_(struct xt2_nat_plan *plan, const struct xt2_live_ruleset *l,
		       const struct xt2_image *img, u8 family);

/* The same, without companions. */
int xt2_nat_plan_empty_(struct xt2_nat_plan *plan, const struct xt2_image *img, u8 family,
			u32 digits);

/* A plan was, or will be, carried out: programs can find its companions. */
void xt2_nat_made_(struct xt2_live_ruleset *l, const struct xt2_nat_plan *plan, u32 six);
void xt2_nat_plan_free_(struct xt2_nat_plan *plan);

/* What rules at its hooks say about destinations, into a plan without keys.  => 0, -ENOMEM */
int xt2_nat_keys_(struct xt2_nat_plan *plan, const struct xt2_image *img, u8 family);

/* => the tree of a hook */
enum xt2_nat_tree xt2_nat_tree_of_(u32 hook);

/* --- trees of companions (bpf-nat-tree.c) --------------------------------------- */

/* Messages of a table that is made or changed. */
struct xt2_nat_maker {
	const struct xt2_live *host;
	const struct xt2_image *img;
	const struct xt2_nat_plan *plan; /* of a table that is made */
	const char *table;
	bool one; /* in one transaction: the kernel looks at all of a table for each */
	bool quick; /* as the plan's */
	u32 region, digits;
	u32 chains, uses; /* that paths have added */
	u8 family;
	struct xt2_nft b;
	int program[XT2_NAT_DIGITS][4]; /* by digit and its value; < 0: not asked for yet */
	int quick_program[2 * XT2_NAT_DIGITS +
			  XT2_ACT_RANK_BITS]; /* by bit, two more, by a rank's bit; likewise */
};

/* A transaction begins; members up to region, digits and family are set.  => 0: to be ended; -errno */
int xt2_nat_begin_(struct xt2_nat_maker *m);
void xt2_nat_end_(struct xt2_nat_maker *m);

/* A new table in the place of what may be there; hooks come last.  => 0, -errno */
int xt2_nat_put_table_(struct xt2_nat_maker *m);

/*
 * xt2_nat_put_path_ - one companion more
 * @there: is there a chain of so many low digits for this prefix?
 * => 0, -errno
 */
int xt2_nat_put_path_(struct xt2_nat_maker *m, u32 tree, u32 number,
		      bool (*there)(void *arg, u32 digits, u32 prefix), void *arg);

/* A chain of so many low digits, for the numbers that begin with a prefix. */
extern const char *const xt2_nat_trees_[XT2_NAT_TREES];
void xt2_nat_chain_name_(const struct xt2_nat_maker *m, char *name, size_t size, u32 tree,
			 u32 digits, u32 prefix);

/* What is full is sent.  => 0, -errno */
int xt2_nat_go_on_(struct xt2_nat_maker *m);
int xt2_nat_put_chain_(struct xt2_nat_maker *m, const char *name);

/* => 0, -ENOMEM */
int xt2_nat_put_goto_(struct nftnl_rule *rule, const char *chain);

/* The rule is freed; @ret: of what made it.  => 0, -errno */
int xt2_nat_put_rule_(struct xt2_nat_maker *m, const char *chain, struct nftnl_rule *rule, int ret);

/* The packet's priority: set; from a register, and into one; a bit of it is set.  => 0, -ENOMEM */
int xt2_nat_put_priority_(struct nftnl_rule *rule, u32 priority);
int xt2_nat_store_priority_(struct nftnl_rule *rule, u32 reg);
int xt2_nat_load_priority_(struct nftnl_rule *rule, u32 reg);
int xt2_nat_put_bit_(struct nftnl_rule *rule, u32 bit);

/* A program is asked that all trees share.  => 0, -errno */
int xt2_nat_put_question_(struct xt2_nat_maker *m, struct nftnl_rule *rule, u32 which,
			  enum xt2_question_kind kind, struct xt2_question question);

/* A map; types are nft's, and sizes bytes. */
struct xt2_nat_map {
	const char *name;
	u32 id, key_type, key_size;
	u32 data_type, data_size; /* 0: chains */
};

/* It, and an element of it.  => 0, -errno */
int xt2_nat_put_set_(struct xt2_nat_maker *m, const struct xt2_nat_map *map);
int xt2_nat_put_chain_of_(struct xt2_nat_maker *m, const struct xt2_nat_map *map, const void *key,
			  const char *chain);
int xt2_nat_put_data_of_(struct xt2_nat_maker *m, const struct xt2_nat_map *map, const void *key,
			 const void *data);

/* --- a short way (bpf-nat-quick.c) ------------------------------------------------ */

/* The chain that is in front of a tree. */
void xt2_nat_quick_name_(char *name, size_t size, u32 tree);
int xt2_nat_put_quick_(struct xt2_nat_maker *m, u32 tree);

/* The map of the tree's last chains, which are there; and one chain more.  => 0, -errno */
int xt2_nat_put_map_(struct xt2_nat_maker *m, u32 tree);
int xt2_nat_put_key_(struct xt2_nat_maker *m, u32 tree, u32 prefix, const char *chain);

/* --- a shorter one (bpf-nat-known.c) ------------------------------------------------ */

/*
 * The map of the plan's destinations; then the rules by which a chain finds a packet's companion there.
 * Packets of which none was found come to the chain's next rules with any priority.
 * => 0, -errno
 */
int xt2_nat_put_known_(struct xt2_nat_maker *m);
int xt2_nat_put_lookup_(struct xt2_nat_maker *m, const char *chain);

/* The table of a region, and that of what edits have added; they are gone, if they were there. */
extern const char *const xt2_nat_tables_[2][XT2_REGIONS];
void xt2_nat_drop_table_(u8 family, const char *table);

/* => is it a hook of a nat table of a family that has a program? */
bool xt2_nat_is_at_(const struct xt2_image *img, const struct xt2_hook *h, u8 family);

#endif
