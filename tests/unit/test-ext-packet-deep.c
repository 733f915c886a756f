/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-ext-packet-deep.c - string, u32 and bpf against other witnesses
 *
 * string against a search by brute force, and against Boyer and Moore's with
 * the kernel's tables where these lose matches; u32 against an interpreter of
 * the native structure; bpf against libpcap's filter and against the kernel's
 * own, attached to a socket.
 */
#include "packet-case.h"
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

struct native_string {
	u16 from, to;
	char algo[16];
	u8 pattern[128], len, flags;
	u64 config;
};

struct native_u32 {
	struct {
		struct {
			u32 number;
			u8 op;
		} location[11];
		struct {
			u32 min, max;
		} value[11];
		u8 nnums, nvalues;
	} tests[11];
	u8 ntests, invert;
};

struct native_bpf {
	u16 n;
	struct sock_insn insn[64];
	u64 filter;
};

static u8 up(u8 c)
{
	return (c >= 'a' && c <= 'z') || (c >= 0xdf && c != 0xf7) ? c - 32 : c;
}

static u8 down(u8 c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 0xc0 && c < 0xdf && c != 0xd7) ? c + 32 : c;
}

static bool occurs_at(const struct native_string *s, const u8 *text)
{
	u32 i;

	for (i = 0; i < s->len; i++)
		if (s->flags & 2 ? up(text[i]) != up(s->pattern[i]) : text[i] != s->pattern[i])
			return false;
	return true;
}

/* What the kernel's tables say: how far to go on after good bytes matched. */
static int good_shift(const struct native_string *s, int good)
{
	int by, i, len = s->len;
	bool ok;

	if (!good)
		return 1;
	for (by = 1; by < len; by++) {
		ok = true;
		for (i = len - good; i < len; i++)
			if (i - by >= 0 && up(s->pattern[i - by]) != up(s->pattern[i]))
				ok = false;
		i = len - good - 1;
		if (i - by >= 0 && up(s->pattern[i - by]) == up(s->pattern[i]))
			ok = false;
		if (ok)
			break;
	}
	return by;
}

static bool occurs_bm(const struct native_string *s, const u8 *text, int n)
{
	int bad[256], at, i, a, b, len = s->len;

	for (i = 0; i < 256; i++)
		bad[i] = len;
	for (i = 0; i < len - 1; i++)
		bad[up(s->pattern[i])] = bad[down(up(s->pattern[i]))] = len - 1 - i;
	for (at = len - 1; at<n; at += a> b ? a : b) {
		for (i = 0; i < len && up(text[at - i]) == up(s->pattern[len - 1 - i]); i++)
			;
		if (i == len)
			return true;
		a = bad[text[at - i]] - i;
		b = good_shift(s, i);
	}
	return false;
}

static bool occurs(const struct native_string *s, const u8 *bytes, u32 n)
{
	u32 i, to = s->to < n ? s->to : n;

	if (s->from >= to)
		return false;
	if (s->algo[0] == 'b' && s->flags & 2)
		return occurs_bm(s, bytes + s->from, to - s->from);
	for (i = s->from; i + s->len <= to; i++)
		if (occurs_at(s, bytes + i))
			return true;
	return false;
}

static u32 string_hits, string_lost;

static void random_string(u64 seed)
{
	u8 family = test_random(&seed) % 2 ? XT2_IPV4 : XT2_IPV6;
	struct native_string s;
	struct test_packet t;
	u8 *exact;
	bool want;
	u32 i;

	test_string_random(&s, &seed);
	test_packet_random(&t, family, &seed);
	if (test_random(&seed) % 2 && t.pkt.len >= s.len) /* plant it */
		memcpy(t.room + test_random(&seed) % (t.pkt.len - s.len + 1), s.pattern, s.len);
	exact = malloc(t.pkt.caplen);
	memcpy(exact, t.room, t.pkt.caplen);
	t.pkt.data = exact;
	want = occurs(&s, exact, t.pkt.caplen);
	string_hits += want;
	for (i = s.from; !want && i + s.len <= t.pkt.caplen && i + s.len <= s.to; i++)
		if (occurs_at(&s, exact + i)) {
			string_lost++;
			break;
		}
	if (s.flags & 1)
		want = !want;
	assert_int_equal(test_ask(&t, family, "string", 1, &s, sizeof(s)),
			 want ? XT2_HIT : XT2_MISS);
	free(exact);
}

static void test_string(void **state)
{
	test_many(100000, random_string);
	print_message("%u found, %u passed over by bm\n", string_hits, string_lost);
	if (!getenv("XT2_SEED")) {
		assert_in_range(string_hits, 1000, 99000);
		assert_in_range(string_lost, 1, 99000);
	}
}

static void test_string_cut(void **state)
{
	static struct native_string s; /* zero in its padding, too, as libxtables' are */
	struct test_packet t;

	s.to = 65535;
	memcpy(s.algo, "kmp", 3);
	s.pattern[0] = 'x';
	s.len = 1;
	test_packet4(&t);
	t.pkt.caplen = 30;
	assert_int_equal(test_ask(&t, XT2_IPV4, "string", 1, &s, sizeof(s)), XT2_MISS);
	assert_int_equal(t.pkt.cut, 1);
	t.pkt.cut = 0;
	s.to = 30;
	assert_int_equal(test_ask(&t, XT2_IPV4, "string", 1, &s, sizeof(s)), XT2_MISS);
	assert_int_equal(t.pkt.cut, 0);
}

/* A whole packet in 64-bit numbers, so that nothing wraps around. */
static bool word_at(const struct test_packet *t, u64 pos, u32 *val)
{
	if (pos + 4 > t->pkt.len)
		return false;
	*val = (u32)t->room[pos] << 24 | t->room[pos + 1] << 16 | t->room[pos + 2] << 8 |
	       t->room[pos + 3];
	return true;
}

static bool u32_holds(const struct test_packet *t, const struct native_u32 *u)
{
	u32 i, j, val;
	u64 base;
	bool in;

	for (i = 0; i < u->ntests; i++) {
		base = 0;
		if (!word_at(t, u->tests[i].location[0].number, &val))
			return false;
		for (j = 1; j < u->tests[i].nnums; j++) {
			u32 number = u->tests[i].location[j].number;

			if (u->tests[i].location[j].op == 0)
				val &= number;
			else if (u->tests[i].location[j].op == 1)
				val = (u32)((u64)val << number);
			else if (u->tests[i].location[j].op == 2)
				val >>= number;
			else if (!word_at(t, (base += val) + number, &val))
				return false;
		}
		in = false;
		for (j = 0; j < u->tests[i].nvalues; j++)
			in |= u->tests[i].value[j].min <= val && val <= u->tests[i].value[j].max;
		if (!in)
			return false;
	}
	return true;
}

static u32 u32_held;

static void random_u32(u64 seed)
{
	u64 room[248] = { 0 };
	struct native_u32 *u = (struct native_u32 *)room;
	struct test_packet t;
	bool want;

	test_u32_random(u, &seed);
	test_packet_random(&t, XT2_IPV4, &seed);
	t.pkt.caplen = t.pkt.len;
	want = u32_holds(&t, u);
	u32_held += want;
	if ((want ^ u->invert) != 0)
		assert_int_equal(test_ask(&t, XT2_IPV4, "u32", 0, u, sizeof(room)), XT2_HIT);
	else
		assert_int_equal(test_ask(&t, XT2_IPV4, "u32", 0, u, sizeof(room)), XT2_MISS);
}

static void test_u32(void **state)
{
	test_many(100000, random_u32);
	if (!getenv("XT2_SEED"))
		assert_in_range(u32_held, 1000, 99000);
}

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_of_seeds(test_string),	cmocka_unit_test(test_string_cut),
		test_of_seeds(test_u32),	test_of_seeds(test_bpf_pcap),
		test_of_seeds(test_bpf_kernel), cmocka_unit_test(test_bpf_offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
