/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trial.h - a ruleset that has to be confirmed: the kernel's own timer
 *
 * A part of xt2.bpf.c.  While a ruleset is on trial, the one before stays where
 * it is, and nothing is done with its counters.  When the time is over, a
 * timer of the kernel makes it the live one again: no process has to be there
 * for it.  Who confirms and the timer decide by compare-and-swap.
 */
#ifndef XT2_KERNEL_BPF_TRIAL_H
#define XT2_KERNEL_BPF_TRIAL_H

#define CLOCK_BOOTTIME 7

struct trial {
	struct bpf_timer timer;
};

EXPORTED struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct trial);
} trials SEC(".maps");

static int end_trial(void *map, u32 *key, struct trial *trial)
{
	struct xt2_state __img *state = xt2_arena(XT2_ARENA_STATE);

	use_arena();
	if (bpf_ktime_get_boot_ns() < state->deadline)
		return 0;
	if (__sync_val_compare_and_swap(&state->trial, XT2_TRIAL_WAITS, XT2_TRIAL_BACK) ==
	    XT2_TRIAL_WAITS)
		*(volatile u64 __img *)&state->ruleset = state->previous;
	return 0;
}

EXPORTED SEC("syscall") int xt2_try(struct xt2_trial_time *t)
{
	u32 key = 0;
	struct trial *trial = bpf_map_lookup_elem(&trials, &key);

	use_arena();
	if (!trial)
		return 0;
	bpf_timer_init(&trial->timer, &trials, CLOCK_BOOTTIME); /* it may be one already */
	t->error = bpf_timer_set_callback(&trial->timer, end_trial);
	if (!t->error)
		t->error = bpf_timer_start(&trial->timer, t->ns, 0);
	return 0;
}

#endif
