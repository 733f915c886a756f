/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * take-over.c - a ruleset that becomes live beside the kernel's own tables
 *
 * The same rules in both would count twice, log twice and translate addresses twice.  So xt2
 * apply refuses what stands in a table of the same name of iptables-legacy or iptables-nft with the
 * same rules; xt2 apply --take-over empties that table (taken.c).  A table with other rules works beside the live
 * one, as ever, but is not taken over: its rules would be lost.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "daemons.h"
#include "libxt2/err.h"
#include "libxt2/printable.h"
#include "take-over.h"

/* Rulesets that will be live. */
struct files {
	const struct xt2_ruleset *const *rs;
	int count;
};

/* => the one that has the table; NULL: none */
static const struct xt2_ruleset *file_with(const struct files *f, int family, const char *name)
{
	int i;

	for (i = 0; i < f->count; i++)
		if (xt2_table_find(f->rs[i], family, name) >= 0)
			return f->rs[i];
	return NULL;
}

static bool wanted(void *files, int family, const char *name)
{
	const struct xt2_ruleset *rs = file_with(files, family, name);

	return rs && xt2_table_has_effect(rs, family, name);
}

/* With --take-over the ruleset may also say that a table is empty. */
static bool named(void *files, int family, const char *name)
{
	return file_with(files, family, name);
}

static int is_double(const struct xt2_kernel_table *t, struct xt2_err *err)
{
	char words[XT2_KERNEL_WORDS];

	xt2_kernel_words(t, words);
	xt2_err_set(err, XT2_E_SYSTEM, EBUSY,
		    "%s has the same rules: packets would be counted, logged and translated twice",
		    words);
	xt2_err_hint(err, "xt2 apply --take-over empties it once the ruleset is live, and xt2 "
			  "detach gives it back");
	return -EBUSY;
}

static int is_other(const struct xt2_kernel_table *t, struct xt2_err *err)
{
	char words[XT2_KERNEL_WORDS], hint[256];

	xt2_kernel_words(t, words);
	xt2_err_set(err, XT2_E_SYSTEM, EBUSY,
		    "%s has other rules than the ruleset: taking it over would lose them", words);
	snprintf(hint, sizeof(hint),
		 "apply what %s-save prints, or empty it; --force takes it over all the same",
		 xt2_kernel_program(t->way, t->family));
	xt2_err_hint(err, hint);
	return -EBUSY;
}

static int no_program(const char *program, struct xt2_err *err)
{
	xt2_err_set(err, XT2_E_UNSUPPORTED, ENOENT,
		    "%s has tables, and there is no %s-save to read them", program, program);
	xt2_err_hint(err, "the package iptables has it");
	return -ENOENT;
}

/* All that is wrong is told: the last of it by err.  => 0, -EBUSY */
static int judge(const struct xt2_take_over *t, const struct files *files, struct xt2_err *err)
{
	const struct xt2_kernel_table *k;
	int i, ret = 0;

	for (i = 0; i < t->k.count; i++) {
		k = &t->k.list[i];
		const bool same = xt2_kernel_table_is(k, file_with(files, k->family, k->name));

		if (t->wanted ? same || t->force : !same)
			continue;
		if (ret) {
			xt2_err_hint(err, "");
			xt2_err_print(err, stderr);
		}
		ret = same ? is_double(k, err) : is_other(k, err);
	}
	return ret;
}

int xt2_take_over_look(struct xt2_take_over *t, const struct xt2_ruleset *const *rs, int count,
		       const struct xt2_ruleset *live, struct xt2_err *err)
{
	struct files files = { rs, count };
	const char *missing;
	int ret = xt2_taken_read(&t->taken, err);

	if (!ret)
		ret = xt2_taken_settle(&t->taken, live, err);
	if (ret || (t->force && !t->wanted))
		return ret;
	ret = xt2_kernel_tables_read(&t->k, t->wanted ? named : wanted, &files, &missing, err);
	if (!ret && missing && t->wanted)
		ret = no_program(missing, err);
	else if (!ret && missing)
		xt2_print_line(stderr,
			       "warning: %s has tables, and there is no %s-save to compare them",
			       missing, missing);
	return ret ? ret : judge(t, &files, err);
}

int xt2_take_over_begin(struct xt2_take_over *t, const struct xt2_ruleset *rs, struct xt2_err *err)
{
	return t->wanted ? xt2_taken_begin(&t->taken, &t->k, rs, err) : 0;
}

void xt2_take_over_undo(struct xt2_take_over *t)
{
	if (t->wanted)
		xt2_taken_undo(&t->taken);
}

int xt2_take_over_finish(struct xt2_take_over *t, struct xt2_err *err)
{
	char words[XT2_KERNEL_WORDS];
	bool begun[XT2_KERNEL_TABLES];
	int i, ret;

	if (!t->wanted)
		return 0;
	for (i = 0; i < t->taken.count; i++)
		begun[i] = t->taken.list[i].state == XT2_TAKEN_BEGUN;
	ret = xt2_taken_finish(&t->taken, err);
	for (i = 0; i < t->taken.count && !ret; i++)
		if (begun[i]) {
			xt2_kernel_words(&t->taken.list[i].table, words);
			printf("taken over: %s\n", words);
		}
	return ret;
}

void xt2_take_over_end(struct xt2_take_over *t)
{
	xt2_taken_free(&t->taken);
	xt2_kernel_tables_free(&t->k);
}

int xt2_take_over_settle(struct xt2_store *s, struct xt2_err *err)
{
	struct xt2_mapping map = { 0 };
	struct xt2_ruleset *rs = NULL;
	struct xt2_taken taken;
	int ret = xt2_taken_read(&taken, err);

	if (!ret && xt2_taken_unfinished(&taken)) {
		ret = xt2_store_load(s, "what is live", &rs, &map, err);
		if (!ret)
			ret = xt2_taken_settle(&taken, map.image ? rs : NULL, err);
		xt2_ruleset_free(rs);
		xt2_image_close(&map);
	}
	xt2_taken_free(&taken);
	return ret;
}

int xt2_take_over_print(void)
{
	struct xt2_taken taken;
	struct xt2_err err;
	int i, n = 0;

	if (xt2_taken_read(&taken, &err))
		return 0;
	for (i = 0; i < taken.count; i++) {
		const struct xt2_taken_table *e = &taken.list[i];

		printf("taken %s %s %s%s\n", xt2_family_name(e->table.family), e->table.name,
		       xt2_kernel_program(e->table.way, e->table.family),
		       e->state == XT2_TAKEN_OVER ? "" : " unfinished");
		n += e->state != XT2_TAKEN_OVER;
	}
	xt2_taken_free(&taken);
	return n;
}

static void warn(void *data, const struct xt2_daemon *d)
{
	fprintf(stderr, "warning: %s (process %d) goes on calling iptables\n   hint: %s\n", d->name,
		d->pid, d->how);
}

void xt2_take_over_warn(void)
{
	if (xt2_daemons(warn, NULL))
		fputs("   xt2-restore(8) tells of the links that change what is live\n", stderr);
}
