/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-trial.c - rulesets that have to be confirmed: see trial.h
 *
 * All that a command has to know is in the arena.  The timer needs no process,
 * but its remains take memory until one comes: xt2_live_settle().
 */
#include "bpf-private.h"

#include <time.h>

#define SECOND 1000000000ull

static u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (u64)t.tv_sec * SECOND + (u64)t.tv_nsec;
}

static u32 trial(void)
{
	return __atomic_load_n(&xt2_live_state_()->trial, __ATOMIC_ACQUIRE);
}

static bool decide(u32 how)
{
	u32 waits = XT2_TRIAL_WAITS;

	return __atomic_compare_exchange_n(&xt2_live_state_()->trial, &waits, how, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void go_back(void)
{
	struct xt2_state *state = xt2_live_state_();

	__atomic_store_n(&state->ruleset, state->previous, __ATOMIC_RELEASE);
}

void xt2_live_try(struct xt2_live *host, u32 seconds)
{
	host->seconds = seconds;
}

int xt2_live_begin_trial_(struct xt2_live *host)
{
	struct xt2_trial_time t = { .ns = host->seconds * SECOND, .error = -EIO };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &t, .ctx_size_in = sizeof(t));
	struct xt2_state *state = xt2_live_state_();

	if (!host->seconds)
		return 0;
	state->previous = host->ruleset;
	state->deadline = now() + t.ns;
	__atomic_store_n(&state->trial, XT2_TRIAL_WAITS, __ATOMIC_RELEASE);
	if (!bpf_prog_test_run_opts(host->fd[XT2_PIN_TRY], &opts) && !t.error)
		return 0;
	__atomic_store_n(&state->trial, XT2_TRIAL_NONE, __ATOMIC_RELEASE);
	return t.error ? (int)t.error : -errno;
}

void xt2_live_check_trial_(struct xt2_live *host)
{
	if (host->seconds && trial() == XT2_TRIAL_BACK)
		go_back();
}

u32 xt2_live_trial(const struct xt2_live *host, u32 *left)
{
	const struct xt2_state *state = xt2_live_state_();
	u64 t = now();

	*left = state->deadline > t ? (u32)((state->deadline - t + SECOND - 1) / SECOND) : 0;
	return trial();
}

/* The memory of the ruleset that is not live. */
static void release_other(struct xt2_live *host)
{
	u32 other = host->ruleset ? !host->region : 0;
	u64 *have = &xt2_live_state_()->region_size[other];

	if (*have)
		xt2_live_release_(host, XT2_ARENA_REGION(other), *have);
	*have = 0;
}

int xt2_live_settle(struct xt2_live *host)
{
	int ret;

	if (trial() != XT2_TRIAL_BACK)
		return trial() == XT2_TRIAL_WAITS ? -EBUSY : 0;
	ret = xt2_live_wait_(host); /* for the timer, too */
	if (ret)
		return ret;
	host->ruleset = xt2_live_state_()->ruleset;
	host->region = host->ruleset >= XT2_ARENA_REGION(1);
	release_other(host);
	return 0;
}

int xt2_live_settle_first_(struct xt2_live *host, struct xt2_err *err)
{
	int ret = xt2_live_settle(host);
	u32 left;

	if (ret == -EBUSY) {
		xt2_live_trial(host, &left);
		xt2_err_set(err, XT2_E_SYSTEM, EBUSY,
			    "the live ruleset waits to be confirmed, for %u seconds more", left);
		xt2_err_hint(err, "xt2 confirm keeps it, xt2 confirm --no takes it back");
		return ret;
	}
	if (ret)
		return xt2_err_set(err, XT2_E_SYSTEM, -ret,
				   "the ruleset that was not confirmed is still in use: %s",
				   strerror(-ret));
	__atomic_store_n(&xt2_live_state_()->trial, XT2_TRIAL_NONE, __ATOMIC_RELEASE);
	return 0;
}

int xt2_live_confirm(struct xt2_live *host, bool keep)
{
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);

	if (!decide(keep ? XT2_TRIAL_NONE : XT2_TRIAL_BACK))
		return -ENOENT;
	if (!keep) {
		go_back();
		return xt2_live_settle(host);
	}
	if (l->from) /* of a process that was killed */
		return xt2_live_fold_(host);
	release_other(host);
	return 0;
}
