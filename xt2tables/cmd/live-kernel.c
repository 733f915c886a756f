/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live-kernel.c - xt2 status and xt2 detach with --host kernel
 *
 * The module keeps its hooks itself, and nobody can take one away: status has less to compare than
 * with BPF programs.
 */
#include "cmd.h"
#include "libxt2/store/kernel/kernel-store.h"
#include "live-kernel.h"

static void print_table(void *any, const struct xt2_kernel_head *head)
{
	xt2_print_line(stdout, "table %s %s memory %llu faults %llu uncounted %llu",
		       xt2_family_name(head->family), head->name, (unsigned long long)head->size,
		       (unsigned long long)head->faults, (unsigned long long)head->uncounted);
	*(bool *)any = true;
}

int xt2_kernel_status(struct xt2_store *s)
{
	struct xt2_err err = { 0 };
	bool any = false;
	__u64 generation;
	int ret;

	ret = xt2_store_lock(s, XT2_STORE_LOOK, 0, &err);
	if (!ret)
		ret = xt2_kernel_tables(s, &generation, print_table, &any, &err);
	xt2_store_unlock(s);
	if (ret)
		return xt2_fail_live(&err);
	printf("generation %llu\n", (unsigned long long)generation);
	return any ? XT2_EXIT_OK : XT2_EXIT_NO;
}

int xt2_kernel_detach_all(struct xt2_store *s)
{
	struct xt2_err err = { 0 };
	int ret = xt2_store_lock(s, XT2_STORE_CHANGE, 0, &err);

	if (!ret)
		ret = xt2_kernel_detach(s, &err);
	xt2_store_unlock(s);
	return ret ? xt2_fail_live(&err) : XT2_EXIT_OK;
}
