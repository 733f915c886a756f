/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-store.c - load the BPF programs, give them memory, attach them to hooks
 *
 * The kernel hands out the arena's memory page by page; a program of type
 * syscall asks for many at once, and gets an answer instead of a signal if
 * there is no memory.  The mapping is not inherited over fork(2).
 */
#include "bpf-private.h"

#include <sys/mman.h>

#define PAGE	   4096u
#define PRIORITIES 9 /* above a table's own: nothing else is there */

const char *const xt2_pin_names_[XT2_PINS] = {
	[XT2_PIN_ARENA] = "arena",
	[XT2_PIN_LOGS] = "logs",
	[XT2_PIN_TRIALS] = "trials",
	[XT2_PIN_NOTES] = "notes",
	[XT2_PIN_STEPS] = "steps",
	[XT2_PIN_ANSWERS] = "answers",
	[XT2_PIN_STOPPED] = "stopped",
	[XT2_PIN_EVALUATORS] = "evaluators",
	[XT2_PIN_AGAIN] = "again_raw",
	[XT2_PIN_AGAIN_MANGLE] = "again_mangle",
	[XT2_PIN_AGAIN_FILTER] = "again_filt",
	[XT2_PIN_AGAIN_SECURITY] = "again_secu",
	[XT2_PIN_TRY] = "try",
	[XT2_PIN_RESERVE] = "reserve",
	[XT2_PIN_RELEASE] = "release",
	[XT2_PIN_GATE] = "gate",
	[XT2_PIN_NAT_GATE] = "nat_gate",
	[XT2_PIN_CLEAR] = "clear",
	[XT2_PIN_GUARD] = "guard",
};

/* --- memory ------------------------------------------------------------ */

static int ask(int program, u64 offset, u64 size, u32 *done)
{
	struct xt2_page_range p = {
		.offset = offset,
		.pages = (u32)((size + PAGE - 1) / PAGE),
	};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &p, .ctx_size_in = sizeof(p));
	int err = bpf_prog_test_run_opts(program, &opts);

	*done = p.done;
	return err;
}

int xt2_live_reserve_(struct xt2_live *host, u64 offset, u64 size)
{
	u32 done;

	return ask(host->fd[XT2_PIN_RESERVE], offset, size, &done) || !done ? -ENOMEM : 0;
}

int xt2_live_release_(struct xt2_live *host, u64 offset, u64 size)
{
	u32 done;

	return ask(host->fd[XT2_PIN_RELEASE], offset, size, &done) ? -ENOMEM : 0;
}

/* The kernel answers an update of a map of maps after the programs that run have ended. */
int xt2_live_wait_(const struct xt2_live *host)
{
	const __u32 key = 0;

	return bpf_map_update_elem(host->outer, &key, &host->inner, BPF_ANY);
}

/* --- loading ----------------------------------------------------------- */

static struct bpf_map *find_map(const struct xt2_live *host, const char *name)
{
	return bpf_object__find_map_by_name(host->object, name);
}

/* Maps that are there already; others will be new ones. */
static int reuse(const struct xt2_live *host)
{
	int i, err = 0;

	for (i = 0; i < XT2_PIN_MAPS && !err; i++)
		if (host->pinned[i] >= 0)
			err = bpf_map__reuse_fd(find_map(host, xt2_pin_names_[i]), host->pinned[i]);
	return err;
}

/* Programs are named after a table, or what is pinned. */
static struct bpf_program *program_of(const struct xt2_live *host, const char *name)
{
	char full[32];

	snprintf(full, sizeof(full), "xt2_%s", name);
	return bpf_object__find_program_by_name(host->object, full);
}

static int find_program(const struct xt2_live *host, const char *name)
{
	return bpf_program__fd(program_of(host, name));
}

/* hooks: tables; evaluators: likewise, with what they can do */
static int load_object(struct xt2_live *host, unsigned int hooks, unsigned int evaluators,
		       u32 needs)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "xt2",
		    .kernel_log_level = xt2_live_prints_());
	int i, err;

	host->object =
		bpf_object__open_mem(xt2_bpf_object, xt2_bpf_object_end - xt2_bpf_object, &opts);
	if (!host->object)
		return -errno;
	err = reuse(host);
	if (!err)
		err = bpf_map__set_max_entries(find_map(host, "contexts"), host->cpus * XT2_SLOTS);
	if (!err)
		err = bpf_map__set_max_entries(find_map(host, "lists"), host->cpus * XT2_SLOTS);
	if (!err)
		err = bpf_map__set_max_entries(find_map(host, "stops"), host->cpus * XT2_SLOTS);
	if (!err)
		err = bpf_map__set_initial_value(find_map(host, ".rodata.xt2"), &needs,
						 sizeof(needs));
	if (err)
		return err;
	for (i = 0; i < XT2_PROGRAMS; i++) {
		bpf_program__set_autoload(program_of(host, xt2_live_table_name_((u32)i)),
					  hooks >> i & 1);
		bpf_program__set_autoload(xt2_evaluator_of_(host, (u32)i), evaluators >> i & 1);
	}
	return bpf_object__load(host->object);
}

static int make_maps(struct xt2_live *host)
{
	host->inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "xt2_inner", 4, 4, 1, NULL);
	if (host->inner < 0)
		return -errno;
	LIBBPF_OPTS(bpf_map_create_opts, opts, .inner_map_fd = host->inner);
	host->outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "xt2_outer", 4, 4, 1, &opts);
	return host->outer < 0 ? -errno : 0;
}

/* Did the programs find the kernel's connections when they were loaded? */
static bool knows_connections(const struct xt2_live *host)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	return !bpf_prog_test_run_opts(find_program(host, "tracks"), &opts) && opts.retval;
}

static int prepare(struct xt2_live *host)
{
	u64 slots = (u64)host->cpus * XT2_SLOTS * sizeof(struct xt2_slot);
	struct xt2_state *state;

	madvise(xt2_live_at_(0), (size_t)XT2_ARENA_PAGES * PAGE, MADV_DONTFORK);
	_Static_assert(XT2_ARENA_STATE + sizeof(*state) <= XT2_ARENA_CPUS, "no room");
	if (xt2_live_reserve_(host, XT2_ARENA_STATE, sizeof(*state)) ||
	    xt2_live_reserve_(host, XT2_ARENA_CPUS, host->cpus * sizeof(struct xt2_cpu)) ||
	    xt2_live_reserve_(host, XT2_ARENA_SLOTS, slots))
		return -ENOMEM;
	state = xt2_live_state_();
	state->cpus = host->cpus;
	xt2_live_start_clock_(state);
	state->tracks = knows_connections(host);
	state->version = XT2_ARENA_VERSION;
	return 0;
}

/* The arena that another process made; libbpf maps only new ones. */
static int take_over(struct xt2_live *host, int arena)
{
	const size_t size = (size_t)XT2_ARENA_PAGES * PAGE;
	void *base = mmap(xt2_live_at_(0), size, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED_NOREPLACE, arena, 0);

	if (base == MAP_FAILED)
		return -errno;
	host->mapped = base;
	madvise(base, size, MADV_DONTFORK);
	if (xt2_live_state_()->version != XT2_ARENA_VERSION ||
	    xt2_live_state_()->cpus != host->cpus)
		return -EPROTO;
	host->ruleset = xt2_live_state_()->ruleset;
	host->region = host->ruleset >= XT2_ARENA_REGION(1);
	return 0;
}

/* Without programs to load, what is pinned is all that it takes. */
static int load_programs(struct xt2_live *host, unsigned int hooks, unsigned int evaluators,
			 u32 needs)
{
	bool whole = !hooks && !evaluators;
	int i, ret;

	for (i = XT2_PIN_MAPS; i < XT2_PINS; i++)
		whole &= host->pinned[i] >= 0;
	memcpy(host->fd, host->pinned, sizeof(host->fd));
	ret = whole ? 0 : load_object(host, hooks, evaluators, needs);
	for (i = 0; i < XT2_PINS && !whole && !ret; i++)
		host->fd[i] = i < XT2_PIN_MAPS ? bpf_map__fd(find_map(host, xt2_pin_names_[i]))
					       : find_program(host, xt2_pin_names_[i]);
	return ret;
}

static int start(struct xt2_live *host, const struct xt2_live_programs *what)
{
	const bool first = host->pinned[XT2_PIN_ARENA] < 0;
	unsigned int evaluators;
	u32 needs;
	int ret = 0;

	host->cpus = (u32)libbpf_num_possible_cpus();
	if (host->cpus > XT2_CPUS_MAX)
		return -E2BIG;
	if (!first)
		ret = take_over(host, host->pinned[XT2_PIN_ARENA]);
	if (ret)
		return ret;
	evaluators = first ? what->tables
			   : xt2_evaluators_lacking_(host, what->tables, what->needs);
	needs = first ? what->needs : xt2_evaluators_for_(evaluators, what->needs);
	ret = load_programs(host, what->hooks, evaluators, needs);
	if (!ret)
		ret = make_maps(host);
	if (!ret && first)
		ret = prepare(host);
	if (!ret)
		ret = xt2_evaluators_put_(host, evaluators, needs);
	if (!ret && evaluators && host->ruleset) /* what packets meet next, all of them can do */
		ret = xt2_live_wait_(host);
	return ret;
}

static void close_pinned(const int *pinned)
{
	int i;

	for (i = 0; i < XT2_PINS; i++)
		if (pinned[i] >= 0)
			close(pinned[i]);
}

static int other_version(struct xt2_err *err)
{
	xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP,
		    "the live ruleset is that of another version of xt2");
	xt2_err_hint(err, "xt2 detach takes it away");
	return -EOPNOTSUPP;
}

int xt2_live_start_(struct xt2_live **out, const struct xt2_live_programs *what, const int *pinned,
		    struct xt2_err *err)
{
	static const struct xt2_live_programs none;
	struct xt2_live *host = calloc(1, sizeof(*host));
	int ret;

	if (!host) {
		close_pinned(pinned);
		return xt2_err_no_memory(err, "");
	}
	host->outer = host->inner = -1;
	memcpy(host->pinned, pinned, sizeof(host->pinned));
	ret = xt2_questions_new_(&host->questions);
	if (!ret)
		ret = start(host, what ? what : &none);
	if (!ret) {
		*out = host;
		return 0;
	}
	xt2_live_free(host);
	if (ret == -EPROTO)
		return other_version(err);
	return xt2_live_refused_(-ret, err);
}

int xt2_live_load(struct xt2_live **out, const struct xt2_live_programs *what, struct xt2_err *err)
{
	int nothing[XT2_PINS];

	memset(nothing, -1, sizeof(nothing));
	return xt2_live_start_(out, what, nothing, err);
}

void xt2_live_free(struct xt2_live *host)
{
	if (!host)
		return;
	if (host->mapped)
		munmap(host->mapped, (size_t)XT2_ARENA_PAGES * PAGE);
	if (host->outer >= 0)
		close(host->outer);
	if (host->inner >= 0)
		close(host->inner);
	xt2_questions_free_(host->questions);
	bpf_object__close(host->object);
	close_pinned(host->pinned);
	free(host);
}

int xt2_live_program(const struct xt2_live *host, enum xt2_program which)
{
	int fd = find_program(host, xt2_live_table_name_(which));

	return fd < 0 ? -ENOENT : fd;
}

/* --- hooks ------------------------------------------------------------- */

/*
 * The kernel lets no BPF program in at a priority where something is already,
 * such as its own tables; the next ones have the same neighbours.  Between the program of
 * nat and NAT itself there is room for steps.
 */
bool xt2_live_beside_(u32 table, const struct xt2_hook *h, int priority)
{
	const s64 after = (s64)priority - h->priority;

	return table == XT2_NAT ? after < -1 && after >= -PRIORITIES - 2
				: after >= 0 && after <= PRIORITIES;
}

int xt2_live_attach_(struct xt2_live *host, u32 table, const struct xt2_hook *h,
		     struct bpf_link **link, struct xt2_err *err)
{
	LIBBPF_OPTS(bpf_netfilter_opts, opts, .pf = h->family, .hooknum = h->hook,
		    .priority = table == XT2_NAT ? h->priority - 2 : h->priority);
	struct bpf_program *p = program_of(host, xt2_live_table_name_(table));
	int errnum;

	for (;;) {
		*link = bpf_program__attach_netfilter(p, &opts);
		if (*link)
			return 0;
		errnum = errno;
		opts.priority += table == XT2_NAT ? -1 : 1;
		if (errnum != EBUSY || !xt2_live_beside_(table, h, opts.priority))
			break;
	}
	return xt2_err_set(err, XT2_E_SYSTEM, errnum, "cannot attach to %s of %s, priority %d: %s",
			   xt2_hook_name(h->family, h->hook), xt2_family_name(h->family),
			   h->priority,
			   errnum == EBUSY ? "it is taken, and those beside" : strerror(errnum));
}

void xt2_live_status(const struct xt2_live *host, struct xt2_live_status *status)
{
	const struct xt2_slot *slot = xt2_live_at_(XT2_ARENA_SLOTS);
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	u32 i;

	memset(status, 0, sizeof(*status));
	status->cpus = host->cpus;
	status->faults = __atomic_load_n(&xt2_live_state_()->lost, __ATOMIC_RELAXED);
	for (i = 0; i < host->cpus * XT2_SLOTS; i++) {
		status->packets += __atomic_load_n(&slot[i].packets, __ATOMIC_RELAXED);
		status->faults += __atomic_load_n(&slot[i].faults, __ATOMIC_RELAXED);
		status->events += __atomic_load_n(&slot[i].events, __ATOMIC_RELAXED);
		status->lost += __atomic_load_n(&slot[i].unseen, __ATOMIC_RELAXED);
	}
	if (host->ruleset) {
		status->rules = l->rules;
		status->bytes = l->size;
	}
}
