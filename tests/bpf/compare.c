/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.c - the BPF programs and the native evaluator, packet by packet
 *
 *	compare TABLE HOOK[:TIMES] {IMAGE CAPTURE}...
 *
 * Each packet of a capture is given to the table's program by
 * BPF_PROG_TEST_RUN, without traffic, and to xt2_evaluate().  Verdicts must be
 * the same, and in the end every counter and all state.  Prints how many there
 * were; exit status 1: they differ, 77: this kernel or this user can't load the
 * programs.
 * Rulesets follow one another in the same arena.
 *
 * With TIMES the first packet of each capture is given to the program so many
 * times, and the nanoseconds per packet are printed.
 */
#include "libxt2/store/bpf/bpf-private.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ETHER = 14, SAME = 0, DIFFER = 1, USAGE = 2, FAILED = 4, SKIP = 77 };

/* What struct nf_hook_state begins with: all that a test run takes. */
struct hook_state {
	__u8 hook, pf;
	__u8 rest[6];
	void *in, *out, *sk, *net, *okfn;
};

struct test {
	struct xt2_mapping map;
	struct xt2_evaluator *ev;
	struct xt2_live *host;
	const char *table;
	int program, hook;
	unsigned int packets, dropped, unseen, differ;
	__u64 evaluated; /* by the programs, before this ruleset */
};

static int die(const struct xt2_err *err, int status)
{
	xt2_err_print(err, stderr);
	return status;
}

/* => the program's answer, 0 or 1; -1: the packet can't be given to it */
static int run_bpf(const struct test *t, const struct xt2_pkt *pkt, int repeat, __u32 *ns)
{
	static __u8 frame[ETHER + 65536];
	struct hook_state state = { .hook = (__u8)t->hook, .pf = pkt->family };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .repeat = repeat,
		    .data_size_in = ETHER + pkt->len, .ctx_in = &state,
		    .ctx_size_in = sizeof(state));
	int err;

	frame[12] = pkt->family == XT2_IPV6 ? 0x86 : 0x08;
	frame[13] = pkt->family == XT2_IPV6 ? 0xdd : 0x00;
	memcpy(frame + ETHER, pkt->data, pkt->len);
	err = bpf_prog_test_run_opts(t->program, &opts);
	if (ns)
		*ns = opts.duration;
	return err ? -1 : (int)opts.retval;
}

/* => false: a packet that neither of them sees, or whole packets only one of them */
static bool make_packet(const struct xt2_captured *c, struct xt2_pkt *pkt, int hook)
{
	__u32 caplen = c->caplen - c->network;

	memset(pkt, 0, sizeof(*pkt));
	if (c->family != XT2_IPV4 && c->family != XT2_IPV6)
		return false;
	if (xt2_pkt_receive((__u8)c->family, c->frame + c->network, caplen, c->len - c->network,
			    &pkt->len) != XT2_SEEN)
		return false;
	pkt->data = (__u8 *)c->frame + c->network;
	pkt->caplen = caplen;
	pkt->hook = (__u8)hook;
	return pkt->len <= caplen && !xt2_pkt_parse(pkt, (__u8)c->family);
}

/* Kernels differ in the hooks at which a test run has its loopback device at which end. */
static void take_devices(struct xt2_pkt *pkt)
{
	const struct xt2_slot *slot = xt2_live_at_(XT2_ARENA_SLOTS); /* processor 0 */

	memcpy(pkt->in, slot->pkt.in, sizeof(pkt->in));
	memcpy(pkt->out, slot->pkt.out, sizeof(pkt->out));
}

static int compare_packet(struct test *t, const struct xt2_captured *c)
{
	struct xt2_result result;
	struct xt2_pkt pkt;
	int bpf, native;

	if (!make_packet(c, &pkt, t->hook)) {
		t->unseen++;
		return 0;
	}
	bpf = run_bpf(t, &pkt, 1, NULL);
	if (bpf < 0) { /* the kernel's test runs take no such packet */
		t->unseen++;
		return 0;
	}
	take_devices(&pkt);
	native = xt2_evaluate(t->ev, t->hook, t->table, &pkt, c->time, 0, &result) == XT2_ACCEPT;
	t->packets++;
	t->dropped += !native;
	if (bpf != native) {
		t->differ++;
		fprintf(stderr, "packet %u: BPF %s, native %s\n", t->packets,
			bpf ? "ACCEPT" : "DROP", native ? "ACCEPT" : "DROP");
	}
	return 0;
}

static void compare_counters(struct test *t, const struct xt2_image *live)
{
	const struct xt2_image *img = t->map.image;
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(c, i, img, root) {
		xt2_chain_for_each_rule(r, c) {
			const struct xt2_rule *l = xt2_at(live, (u8 *)r - (u8 *)img);

			if (l->packets == r->packets && l->bytes == r->bytes)
				continue;
			t->differ++;
			fprintf(stderr, "%s rule %u: BPF [%llu:%llu], native [%llu:%llu]\n",
				xt2_image_chain_cold(img, root, i)->name,
				xt2_rule_number(img, c, r), l->packets, l->bytes, r->packets,
				r->bytes);
		}
	}
}

/* State goes into the number of its cell, as far as it has room. */
static void inline_cells(struct xt2_image *img)
{
	struct xt2_root *root = xt2_at(img, img->root);
	const struct xt2_chain *c;
	struct xt2_match *m;
	struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(c, i, img, root)
		xt2_chain_for_each_rule(r, c)
			xt2_rule_for_each_match(m, r)
				if (xt2_match_info(m->type) & XT2_EXT_CELL) {
					const u64 cell = *xt2_image_cell(img, root, m->arg);

					m->arg = (u32)(cell ^ cell >> 32);
				}
	if (root->cells)
		memset(xt2_image_cell(img, root, 0), 0, root->cells * sizeof(u64));
	root->cell = root->cells = 0;
}

/* => are the chains the same in both, state and counters included? */
static bool same_chains(const struct xt2_image *img, const struct xt2_image *live)
{
	const struct xt2_root *root = xt2_image_root(img), *other = xt2_image_root(live);
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	u32 i;

	if (root->chains != other->chains || root->hooks != other->hooks)
		return false;
	xt2_image_for_each_chain(c, i, img, root) {
		if (strcmp(xt2_image_chain_cold(img, root, i)->name,
			   xt2_image_chain_cold(live, other, i)->name))
			return false;
		xt2_chain_for_each_rule(r, c)
			if (memcmp(r, xt2_at(live, (u8 *)r - (u8 *)img), r->size))
				return false;
	}
	return true;
}

/* With equal counters, the chains that are read back are the image's, state included. */
static void compare_chains(struct test *t, const struct xt2_mapping *live)
{
	struct xt2_image *copy = malloc(t->map.size);
	const struct xt2_root *root = xt2_image_root(t->map.image);
	bool same = copy && live->size >= t->map.size;

	if (same) {
		memcpy(copy, t->map.image, t->map.size);
		/* What the file's cells were when it was installed; they are in the arena since. */
		memset(xt2_at(live->image, root->cell), 0, root->cells * sizeof(u64));
		inline_cells(copy);
		inline_cells(live->image);
		same = same_chains(copy, live->image);
	}
	free(copy);
	if (t->differ || same)
		return;
	t->differ++;
	fputs("state, or what else is read back, differs\n", stderr);
}

static int compare_all(struct test *t, struct xt2_capture *cap, struct xt2_err *err)
{
	struct xt2_live_status status;
	struct xt2_mapping live;
	struct xt2_captured c;
	int got;

	while ((got = xt2_capture_next(cap, &c, err)) > 0)
		compare_packet(t, &c);
	if (got < 0 || xt2_live_read(t->host, &live, err))
		return die(err, FAILED);
	xt2_image_fold(t->map.image);
	compare_counters(t, live.image);
	compare_chains(t, &live);
	xt2_image_close(&live);
	xt2_live_status(t->host, &status);
	printf("packets %u dropped %u unseen %u faults %llu differ %u\n", t->packets, t->dropped,
	       t->unseen, status.faults, t->differ);
	if (t->differ || status.faults || status.packets - t->evaluated != t->packets)
		return DIFFER;
	t->evaluated = status.packets;
	return SAME;
}

static int measure(struct test *t, struct xt2_capture *cap, int repeat, struct xt2_err *err)
{
	struct xt2_captured c;
	struct xt2_pkt pkt;
	__u32 ns = 0;

	if (xt2_capture_next(cap, &c, err) <= 0 || !make_packet(&c, &pkt, t->hook) ||
	    run_bpf(t, &pkt, repeat, &ns) < 0)
		return FAILED;
	printf("%u ns\n", ns);
	return SAME;
}

static int load_programs(struct test *t, struct xt2_err *err)
{
	const int which = xt2_live_table_(t->table);
	const struct xt2_live_programs what = { .hooks = 1u << which,
						.tables = 1u << which,
						.needs = ~0u };
	int ret = xt2_live_load(&t->host, &what, err);

	if (ret)
		return die(err, ret == -EPERM || ret == -EOPNOTSUPP ? SKIP : FAILED);
	t->program = xt2_live_program(t->host, (enum xt2_program)which);
	return t->program < 0 ? FAILED : SAME;
}

static int run_image(struct test *t, const char *image, const char *capture, int repeat)
{
	struct xt2_err err = { 0 };
	struct xt2_capture *cap;
	int status = FAILED;

	t->packets = t->dropped = t->unseen = 0;
	if (xt2_image_open(image, &t->map, &err))
		return die(&err, FAILED);
	cap = xt2_capture_open(capture, &err);
	t->ev = xt2_evaluator_new(t->map.image, t->map.size);
	if (cap && t->ev && !xt2_live_check(t->map.image, false, NULL, &err) &&
	    !xt2_live_install(t->host, t->map.image, t->map.size, NULL, NULL, &err))
		status = repeat ? measure(t, cap, repeat, &err) : compare_all(t, cap, &err);
	if (err.code)
		xt2_err_print(&err, stderr);
	if (cap)
		xt2_capture_close(cap);
	xt2_evaluator_free(t->ev);
	xt2_image_close(&t->map);
	return status;
}

int main(int argc, char **argv)
{
	struct xt2_err err = { 0 };
	struct test t = { 0 };
	int i, status, repeat;
	char *times;
	cpu_set_t one;

	if (argc < 5 || argc % 2 == 0 || xt2_live_table_(argv[1]) < 0) {
		fputs("usage: compare TABLE HOOK[:TIMES] {IMAGE CAPTURE}...\n", stderr);
		return USAGE;
	}
	t.table = argv[1];
	times = strchr(argv[2], ':');
	if (times)
		*times++ = '\0';
	repeat = times ? atoi(times) : 0;
	t.hook = xt2_hook_number(XT2_IPV4, argv[2]);
	CPU_ZERO(&one); /* the evaluator's packets are processor 0's */
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	status = t.hook < 0 ? USAGE : load_programs(&t, &err);
	for (i = 3; i < argc && !status; i += 2)
		status = run_image(&t, argv[i], argv[i + 1], repeat);
	xt2_live_free(t.host);
	return status;
}
