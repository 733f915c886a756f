/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel-tables.h - tables of iptables-legacy and iptables-nft: see kernel-tables.c */
#ifndef XT2_XT2TABLES_HOST_KERNEL_TABLES_H
#define XT2_XT2TABLES_HOST_KERNEL_TABLES_H

#include <stdbool.h>
#include <xt2/xt2.h>

enum xt2_kernel_way { XT2_WAY_LEGACY, XT2_WAY_NFT, XT2_WAYS };

/* A table of the kernel's own, as one of the two keeps it. */
struct xt2_kernel_table {
	enum xt2_kernel_way way;
	int family;
	char name[32];
	char *text; /* as iptables-save -c prints it */
	size_t size; /* bytes of it */
	struct xt2_ruleset *rs; /* that text, read; NULL: it has something that we don't read */
};

/* The most that there can be: five tables, of two families, kept in two ways. */
#define XT2_KERNEL_TABLES 20

struct xt2_kernel_tables {
	struct xt2_kernel_table list[XT2_KERNEL_TABLES];
	int count;
};

/* => "iptables-legacy", "ip6tables-nft" */
const char *xt2_kernel_program(enum xt2_kernel_way way, int family);

/* "filter of ipv4 in iptables-legacy" */
#define XT2_KERNEL_WORDS 80
void xt2_kernel_words(const struct xt2_kernel_table *t, char *words);

/*
 * xt2_kernel_tables_read - all that have rules, chains of users or policies but ACCEPT
 * @wanted: only these; NULL: all
 * @missing: out: a program that would be needed to read one, and is not there; NULL: none
 *
 * Nothing is brought into being by it.
 * => 0: release them with xt2_kernel_tables_free(); -errno: see err
 */
int xt2_kernel_tables_read(struct xt2_kernel_tables *k,
			   bool (*wanted)(void *data, int family, const char *name), void *data,
			   const char **missing, struct xt2_err *err);
void xt2_kernel_tables_free(struct xt2_kernel_tables *k);
void xt2_kernel_table_free(struct xt2_kernel_table *t);

/* Calls found() for each that is there, empty or not. */
void xt2_kernel_tables_each(void (*found)(void *data, enum xt2_kernel_way way, int family,
					  const char *name),
			    void *data);

/* => rules of the table that a ruleset's table of the same name has as well, in the same chains; -ENOMEM */
int xt2_kernel_table_shares(const struct xt2_kernel_table *t, const struct xt2_ruleset *rs);

/* Of one table, as it is now; its text is empty if it is not there.  => 0; -errno: see err */
int xt2_kernel_table_read(struct xt2_kernel_table *t, struct xt2_err *err);

/* A table that was remembered as text.  The text is copied.  => 0, -ENOMEM */
int xt2_kernel_table_set(struct xt2_kernel_table *t, const char *text, size_t size);

/* Does it nothing? */
bool xt2_kernel_table_empty(const struct xt2_kernel_table *t);

/* Do both say the same, counters aside? */
bool xt2_kernel_tables_same(const struct xt2_kernel_table *a, const struct xt2_kernel_table *b);

/* Does a ruleset have the table, with the same rules, counters aside? */
bool xt2_kernel_table_is(const struct xt2_kernel_table *t, const struct xt2_ruleset *rs);

/* => is the table in a ruleset one that does something? */
bool xt2_table_has_effect(const struct xt2_ruleset *rs, int family, const char *name);

/* Take all rules, chains and policies out of the kernel's table, in one step.  => 0, -errno */
int xt2_kernel_table_clear(const struct xt2_kernel_table *t, struct xt2_err *err);

/* Make the kernel's table what the text says, counters included, in one step.  => 0, -errno */
int xt2_kernel_table_restore(const struct xt2_kernel_table *t, struct xt2_err *err);

#endif
