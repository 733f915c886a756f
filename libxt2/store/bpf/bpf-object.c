/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf-object.c - the compiled BPF programs, as a part of the program that loads them */
#include "bpf-store.h"

/* clang-format off */
__asm__(".section .rodata\n"
	".balign 16\n"
	".global xt2_bpf_object\n"
	".hidden xt2_bpf_object\n"
	"xt2_bpf_object:\n"
	".incbin \"kernel/bpf/xt2.bpf.o\"\n"
	".global xt2_bpf_object_end\n"
	".hidden xt2_bpf_object_end\n"
	"xt2_bpf_object_end:\n"
	".balign 16\n"
	".global xt2_bpf_links\n"
	".hidden xt2_bpf_links\n"
	"xt2_bpf_links:\n"
	".incbin \"kernel/bpf/links.bpf.o\"\n"
	".global xt2_bpf_links_end\n"
	".hidden xt2_bpf_links_end\n"
	"xt2_bpf_links_end:\n"
	".previous\n");
