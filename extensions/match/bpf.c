/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf.c - classic BPF programs
 *
 * As xt_bpf: the program starts at the network header and hits if it returns
 * anything but 0.  All arithmetic is modulo 2^32; a shift by X counts modulo
 * 32; a division by X = 0, or a load of what isn't there, returns 0.  Jumps
 * only go forward, so a program ends after at most as many steps as it has
 * instructions.
 *
 * Negative offsets reach beyond the packet: from SKF_NET_OFF on they count
 * from the network header, from SKF_LL_OFF on from the Ethernet header.  A
 * packet that this host sends has none at OUTPUT.  Elsewhere, where the host
 * gave none, the device is taken to have none, so they count from the network
 * header, but at POSTROUTING: there the load fails.
 *
 * Of the ancillary loads, protocol, packet type, mark, processor and A ^= X
 * are done; interface index, hash, queue, VLAN tags, payload offset, netlink
 * attributes and random numbers are not in the packet's metadata.
 *
 * Source: net/core/filter.c bpf_check_classic(), bpf_convert_filter().
 */
#include "payload.h"

enum {
	LD_IMM = 0x00,
	LD_ABS_W = 0x20,
	LD_ABS_H = 0x28,
	LD_ABS_B = 0x30,
	LD_IND_W = 0x40,
	LD_IND_H = 0x48,
	LD_IND_B = 0x50,
	LD_MEM = 0x60,
	LD_LEN = 0x80,
	LDX_IMM = 0x01,
	LDX_MEM = 0x61,
	LDX_LEN = 0x81,
	LDX_MSH = 0xb1,
	ST = 0x02,
	STX = 0x03,
	RET_K = 0x06,
	RET_A = 0x16,
	TAX = 0x07,
	TXA = 0x87,
	ALU = 0x04,
	ADD = 0x00,
	SUB = 0x10,
	MUL = 0x20,
	DIV = 0x30,
	OR = 0x40,
	AND = 0x50,
	LSH = 0x60,
	RSH = 0x70,
	NEG = 0x80,
	MOD = 0x90,
	XOR = 0xa0,
	JMP = 0x05,
	JA = 0x00,
	JEQ = 0x10,
	JGT = 0x20,
	JGE = 0x30,
	JSET = 0x40,
	X = 0x08,
	CLASS = 0x07,
	OP = 0xf0,
	SIZE = 0x18,
	HALF = 0x08,
	BYTE = 0x10,
};

/* Offsets with a meaning of their own, and what they load. */
#define NET_OFF (-0x100000)
#define LL_OFF	(-0x200000)
#define AD_OFF	0xfffff000u
enum { PROTOCOL = 0, PKTTYPE = 4, MARK = 20, CPU = 36, XOR_X = 40, ANCILLARY_MAX = 60 };

#define WORDS	   16 /* of scratch memory */
#define ETHER_SIZE 14

struct machine {
	struct xt2_pkt *pkt;
	u32 a, x;
	u32 mem[WORDS];
};

static u32 bytes_of(u16 code)
{
	return (code & SIZE) == BYTE ? 1 : (code & SIZE) == HALF ? 2 : 4;
}

/* One byte counted from the Ethernet header.  => -1: there is none */
static int link_byte(struct xt2_pkt *pkt, u32 off)
{
	bool arp = pkt->family == XT2_ARP;
	const u8 *p;

	if (arp ? pkt->hook == XT2_ARP_OUTPUT : pkt->hook == XT2_OUTPUT)
		return -1;
	if (pkt->mac && pkt->mac_len >= ETHER_SIZE) {
		if (off < ETHER_SIZE)
			return pkt->mac[off];
		off -= ETHER_SIZE;
	} else if (!arp && pkt->hook == XT2_POSTROUTING) {
		return -1;
	}
	p = xt2_pkt_at(pkt, off, 1);
	return p ? *p : -1;
}

/* => false: not there, the program returns 0 */
static bool load(struct xt2_pkt *pkt, s32 off, u32 size, u32 *val)
{
	u32 i, v = 0;
	const u8 *p;
	int byte;

	if (off < 0 && off >= NET_OFF) {
		off -= NET_OFF;
	} else if (off < 0 && off >= LL_OFF) {
		for (i = 0; i < size && xt2_can_loop; i++) {
			byte = link_byte(pkt, (u32)(off - LL_OFF) + i);
			if (byte < 0)
				return false;
			v = v << 8 | (u32)byte;
		}
		*val = v;
		return true;
	}
	p = off < 0 ? NULL : xt2_pkt_at(pkt, off, size);
	if (!p)
		return false;
	*val = size == 1 ? *p : size == 2 ? xt2_be16(p) : xt2_be32(p);
	return true;
}

static u32 protocol(u8 family)
{
	return family == XT2_IPV4 ? 0x0800 : family == XT2_IPV6 ? 0x86dd : 0x0806;
}

/* LD: => false: return 0 */
static bool load_a(struct machine *s, const struct xt2_bpf_insn __img *i)
{
	switch (i->code) {
	case LD_IMM: s->a = i->k; return true;
	case LD_MEM: s->a = s->mem[i->k % WORDS]; return true;
	case LD_LEN: s->a = s->pkt->len; return true;
	case LD_IND_W:
	case LD_IND_H:
	case LD_IND_B: return load(s->pkt, (s32)(s->x + i->k), bytes_of(i->code), &s->a);
	}
	switch (i->k - AD_OFF) {
	case PROTOCOL: s->a = protocol(s->pkt->family); return true;
	case PKTTYPE: s->a = s->pkt->pkttype; return true;
	case MARK: s->a = s->pkt->mark; return true;
	case CPU: s->a = s->pkt->cpu; return true;
	case XOR_X: s->a ^= s->x; return true;
	}
	return load(s->pkt, (s32)i->k, bytes_of(i->code), &s->a);
}

/* LDX: => false: return 0 */
static bool load_x(struct machine *s, const struct xt2_bpf_insn __img *i)
{
	switch (i->code) {
	case LDX_IMM: s->x = i->k; return true;
	case LDX_MEM: s->x = s->mem[i->k % WORDS]; return true;
	case LDX_LEN: s->x = s->pkt->len; return true;
	}
	if (!load(s->pkt, (s32)i->k, 1, &s->x))
		return false;
	s->x = (s->x & 15) << 2;
	return true;
}

/* => false: division by zero, return 0 */
static bool alu(u32 *a, u16 code, u32 v)
{
	switch (code & OP) {
	case ADD: *a += v; break;
	case SUB: *a -= v; break;
	case MUL: *a *= v; break;
	case OR: *a |= v; break;
	case AND: *a &= v; break;
	case XOR: *a ^= v; break;
	case LSH: *a <<= v & 31; break;
	case RSH: *a >>= v & 31; break;
	case NEG: *a = -*a; break;
	case DIV:
		if (!v)
			return false;
		*a /= v;
		break;
	case MOD:
		if (!v)
			return false;
		*a %= v;
		break;
	}
	return true;
}

/* How many instructions a jump skips. */
static u32 jump(u32 a, u32 v, const struct xt2_bpf_insn __img *i)
{
	bool yes = false;

	switch (i->code & OP) {
	case JA: return i->k;
	case JEQ: yes = a == v; break;
	case JGT: yes = a > v; break;
	case JGE: yes = a >= v; break;
	case JSET: yes = a & v; break;
	}
	return yes ? i->jt : i->jf;
}

static u32 run(struct machine *s, const struct xt2_bpf_insn __img *insn, u32 n)
{
	const struct xt2_bpf_insn __img *i;
	u32 pc, v;

	for (pc = 0; pc < n && xt2_can_loop; pc++) {
		i = insn + pc;
		v = i->code & X ? s->x : i->k;
		switch (i->code & CLASS) {
		case LD_IMM:
			if (!load_a(s, i))
				return 0;
			break;
		case LDX_IMM:
			if (!load_x(s, i))
				return 0;
			break;
		case ST: s->mem[i->k % WORDS] = s->a; break;
		case STX: s->mem[i->k % WORDS] = s->x; break;
		case ALU:
			if (!alu(&s->a, i->code, v))
				return 0;
			break;
		case JMP: pc += jump(s->a, v, i); break;
		case RET_K: return i->code == RET_A ? s->a : i->k;
		default: *(i->code == TAX ? &s->x : &s->a) = i->code == TAX ? s->a : s->x; break;
		}
	}
	return 0;
}

static u32 count(const struct xt2_match __img *m)
{
	return (m->size - sizeof(*m)) / sizeof(struct xt2_bpf_insn);
}

int xt2_bpf_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct xt2_match_bpf __img *k = (const void __img *)m;
	struct machine s = { .pkt = xt2_ctx_pkt(ctx) };

	return run(&s, k->insn, count(m)) ? XT2_HIT : XT2_MISS;
}

static bool code_known(u16 code)
{
	switch (code) {
	case LD_IMM:
	case LD_ABS_W:
	case LD_ABS_H:
	case LD_ABS_B:
	case LD_IND_W:
	case LD_IND_H:
	case LD_IND_B:
	case LD_MEM:
	case LD_LEN:
	case LDX_IMM:
	case LDX_MEM:
	case LDX_LEN:
	case LDX_MSH:
	case ST:
	case STX:
	case RET_K:
	case RET_A:
	case TAX:
	case TXA:
	case ALU | NEG:
	case JMP | JA: return true;
	}
	switch (code & ~X) {
	case ALU | ADD:
	case ALU | SUB:
	case ALU | MUL:
	case ALU | DIV:
	case ALU | OR:
	case ALU | AND:
	case ALU | LSH:
	case ALU | RSH:
	case ALU | MOD:
	case ALU | XOR:
	case JMP | JEQ:
	case JMP | JGT:
	case JMP | JGE:
	case JMP | JSET: return true;
	}
	return false;
}

static bool is_jump_if(u16 code)
{
	return (code & CLASS) == JMP && code != (JMP | JA);
}

/* One instruction with left more after it; 0, -EINVAL, -EOPNOTSUPP as xt2_bpf_verify() */
static int verify_one(const struct xt2_bpf_insn __img *i, u32 left)
{
	if (!code_known(i->code))
		return -EINVAL;
	if (is_jump_if(i->code))
		return i->jt < left && i->jf < left ? 0 : -EINVAL;
	switch (i->code) {
	case ALU | DIV:
	case ALU | MOD: return i->k ? 0 : -EINVAL;
	case ALU | LSH:
	case ALU | RSH: return i->k < 32 ? 0 : -EINVAL;
	case LD_MEM:
	case LDX_MEM:
	case ST:
	case STX: return i->k < WORDS ? 0 : -EINVAL;
	case JMP | JA: return i->k < left ? 0 : -EINVAL;
	case LD_ABS_W:
	case LD_ABS_H:
	case LD_ABS_B:
		if (i->k < AD_OFF)
			return 0;
		switch (i->k - AD_OFF) {
		case PROTOCOL:
		case PKTTYPE:
		case MARK:
		case CPU:
		case XOR_X: return 0;
		}
		return i->k - AD_OFF <= ANCILLARY_MAX && !(i->k & 3) ? -EOPNOTSUPP : -EINVAL;
	}
	return 0;
}

/* No path may read scratch memory that it hasn't written. */
static bool memory_written(const struct xt2_bpf_insn __img *insn, u32 n)
{
	const struct xt2_bpf_insn __img *i;
	u16 at[XT2_BPF_MAX], now = 0;
	u32 pc;

	memset(at, 0xff, sizeof(at));
	for (pc = 0; pc < n && xt2_can_loop; pc++) {
		i = insn + pc;
		now &= at[pc];
		if (i->code == ST || i->code == STX) {
			now |= 1 << i->k;
		} else if (i->code == LD_MEM || i->code == LDX_MEM) {
			if (!(now >> i->k & 1))
				return false;
		} else if (i->code == (JMP | JA)) {
			at[pc + 1 + i->k] &= now;
			now = 0xffff;
		} else if (is_jump_if(i->code)) {
			at[pc + 1 + i->jt] &= now;
			at[pc + 1 + i->jf] &= now;
			now = 0xffff;
		}
	}
	return true;
}

int xt2_bpf_verify(const struct xt2_match __img *m)
{
	const struct xt2_bpf_insn __img *insn = ((const struct xt2_match_bpf __img *)m)->insn;
	u32 pc, n = count(m);
	int err, unknown = 0;

	if (!n || n > XT2_BPF_MAX)
		return -EINVAL;
	for (pc = 0; pc < n && xt2_can_loop; pc++) {
		err = verify_one(insn + pc, n - pc - 1);
		if (err == -EINVAL)
			return err;
		if (err)
			unknown = err;
	}
	if (insn[n - 1].code != RET_K && insn[n - 1].code != RET_A)
		return -EINVAL;
	return memory_written(insn, n) ? unknown : -EINVAL;
}

int xt2_bpf_check(const struct xt2_match __img *m, u8 family)
{
	bool revision1 = m->flags == XT2_BPF_REVISION1;

	if ((!revision1 && (m->flags || m->arg)) || m->size % sizeof(struct xt2_bpf_insn))
		return -EINVAL;
	return xt2_bpf_verify(m) ? -EINVAL : 0;
}
