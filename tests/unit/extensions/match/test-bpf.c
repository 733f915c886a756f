/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-bpf.c - extensions/match/bpf.c
 *
 * Against libpcap's filter and against the kernel's own, attached to a socket.
 */
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"
#include <pcap/bpf.h>
#include <sys/socket.h>
#include <unistd.h>

#undef BPF_MAXINSNS
#define BPF_MAXINSNS 4096

struct sock_insn {
	u16 code;
	u8 jt, jf;
	u32 k;
};

struct sock_prog {
	unsigned short len;
	struct sock_insn *insn;
};

struct native_bpf {
	u16 n;
	struct sock_insn insn[64];
	u64 filter;
};

static u32 pcap_ran, pcap_hits;

/* libpcap makes 0 of a shift beyond 31 and fails an offset that wraps; the kernel doesn't. */
static bool pcap_differs(const struct native_bpf *b)
{
	u32 i, code;

	for (i = 0; i < b->n; i++) {
		code = b->insn[i].code;
		if (code == 0x6c || code == 0x7c || code == 0x40 || code == 0x48 || code == 0x50)
			return true;
	}
	return false;
}

static void random_program(u64 seed)
{
	struct native_bpf b = { 0 };
	struct test_packet t;
	u32 want;

	b.n = test_program_random(b.insn, &seed);
	test_packet_random(&t, XT2_IPV4, &seed);
	if (test_pack(XT2_IPV4, "bpf", 0, &b, sizeof(b)) <= 0 || pcap_differs(&b))
		return;
	want = bpf_filter((struct bpf_insn *)b.insn, t.room, t.pkt.len, t.pkt.caplen);
	pcap_ran++;
	pcap_hits += !!want;
	assert_int_equal(xt2_match_ext(test_packed(), &t.ctx), want ? XT2_HIT : XT2_MISS);
}

static void test_bpf_pcap(void **state)
{
	test_many(200000, random_program);
	print_message("%u programs ran, %u hit\n", pcap_ran, pcap_hits);
	if (!getenv("XT2_SEED")) {
		assert_in_range(pcap_ran, 5000, 200000);
		assert_in_range(pcap_hits, 500, pcap_ran - 500);
	}
}

static int pair[2];
static u32 kernel_ran, kernel_hits, kernel_refused;

/* The kernel's filter of datagrams: a program that returns 0 loses them. */
static void random_attached(u64 seed)
{
	struct native_bpf b = { 0 };
	struct sock_prog prog;
	struct test_packet t;
	bool arrived;
	int err;

	b.n = test_program_random(b.insn, &seed);
	test_packet_random(&t, XT2_IPV4, &seed);
	t.pkt.caplen = t.pkt.len = 1 + t.pkt.len / 2;
	t.pkt.hook = XT2_OUTPUT; /* where, as here, there is no link layer yet to load from */
	prog.len = b.n;
	prog.insn = b.insn;
	err = setsockopt(pair[0], SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog));
	if (err) {
		kernel_refused++;
		assert_int_equal(test_pack(XT2_IPV4, "bpf", 0, &b, sizeof(b)), -EINVAL);
		return;
	}
	assert_true(test_pack(XT2_IPV4, "bpf", 0, &b, sizeof(b)) > 0);
	assert_int_equal(send(pair[1], t.room, t.pkt.len, 0), t.pkt.len);
	arrived = recv(pair[0], t.room + 128, 128, MSG_DONTWAIT) > 0;
	kernel_ran++;
	kernel_hits += arrived;
	assert_int_equal(xt2_match_ext(test_packed(), &t.ctx), arrived ? XT2_HIT : XT2_MISS);
}

static void test_bpf_kernel(void **state)
{
	struct sock_insn all = { 6, 0, 0, 100 };
	struct sock_prog prog = { 1, &all };

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) ||
	    setsockopt(pair[0], SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog))) {
		print_message("SKIP: no socket filters here\n");
		skip();
	}
	test_many(20000, random_attached);
	print_message("%u programs ran, %u hit, %u refused\n", kernel_ran, kernel_hits,
		      kernel_refused);
	if (!getenv("XT2_SEED")) {
		assert_in_range(kernel_hits, 50, kernel_ran - 50);
		assert_in_range(kernel_refused, 50, 19000);
	}
	close(pair[0]);
	close(pair[1]);
}

static int run(struct test_packet *t, struct native_bpf b)
{
	return test_ask(t, XT2_IPV4, "bpf", 0, &b, sizeof(b));
}

#define LOADS(k_, value)                                                                       \
	((struct native_bpf){                                                                  \
		4,                                                                             \
		{ { 0x20, 0, 0, k_ }, { 0x15, 0, 1, value }, { 6, 0, 0, 1 }, { 6, 0, 0, 0 } }, \
		0 })

static void test_bpf_offsets(void **state)
{
	static const u8 ether[14] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 8, 0 };
	struct test_packet t;

	test_packet4(&t);
	t.pkt.mark = 77;
	t.pkt.cpu = 5;
	t.pkt.pkttype = 2;
	assert_int_equal(run(&t, LOADS(12, 0x0a010203)), XT2_HIT);
	assert_int_equal(run(&t, LOADS(37, 0)), XT2_MISS);
	assert_int_equal(run(&t, LOADS(-0x100000 + 12, 0x0a010203)), XT2_HIT);
	assert_int_equal(run(&t, LOADS(-0x200000 + 12, 0x0a010203)), XT2_HIT);
	t.pkt.mac = ether;
	t.pkt.mac_len = 14;
	assert_int_equal(run(&t, LOADS(-0x200000 + 6, 0x0708090a)), XT2_HIT);
	assert_int_equal(run(&t, LOADS(-0x200000 + 12, 0x080045b8)), XT2_HIT);
	assert_int_equal(run(&t, LOADS(-0x200000 + 26, 0x0a010203)), XT2_HIT);
	t.pkt.hook = XT2_OUTPUT;
	assert_int_equal(run(&t, LOADS(-0x200000 + 26, 0x0a010203)), XT2_MISS);
	t.pkt.mac = NULL;
	t.pkt.hook = XT2_POSTROUTING;
	assert_int_equal(run(&t, LOADS(-0x200000 + 12, 0x0a010203)), XT2_MISS);
	assert_int_equal(run(&t, LOADS(-0x300000, 0)), XT2_MISS);
	assert_int_equal(run(&t, LOADS(-0x1000, 0x0800)), XT2_HIT);
	assert_int_equal(run(&t, LOADS(-0x1000 + 4, 2)), XT2_HIT);
	assert_int_equal(run(&t, LOADS(-0x1000 + 20, 77)), XT2_HIT);
	assert_int_equal(run(&t, LOADS(-0x1000 + 36, 5)), XT2_HIT);
	assert_int_equal(run(&t, LOADS(-0x1000 + 40, 0)), XT2_HIT);
	t.pkt.caplen = 20;
	assert_int_equal(run(&t, LOADS(20, 0)), XT2_MISS);
	assert_int_equal(t.pkt.cut, 1);
}

static void test_checked(void **state)
{
	/* an instruction is code, jumps, k: 06 is a return */
	RIGHT(IPV4, BPF, 0, 16, 0, 6 | 1ull << 32);
	WRONG(IPV4, BPF, 0, 16, 1, 6 | 1ull << 32);
	RIGHT(IPV4, BPF, XT2_BPF_REVISION1, 16, 1, 6 | 1ull << 32);
	WRONG(IPV4, BPF, 1, 16, 0, 6 | 1ull << 32);
	WRONG(IPV4, BPF, 0, 8, 0);
	WRONG(IPV4, BPF, 0, 16, 0, 0); /* no return at the end */
	RIGHT(IPV4, BPF, 0, 24, 0, 5, 6); /* a jump to the next one */
	WRONG(IPV4, BPF, 0, 24, 0, 5 | 1ull << 32, 6); /* and beyond the end */
}

static const struct CMUnitTest tests[] = {
	test_of_seeds(test_bpf_pcap),
	test_of_seeds(test_bpf_kernel),
	cmocka_unit_test(test_bpf_offsets),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
