/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live-absent.c - the commands of live.c, in an xt2 that was built without BPF */
#include <stdio.h>
#include "xt2.h"

static int absent(void)
{
	fputs("xt2: live rulesets are not in this build: they need clang 19, libbpf 1.4, bpftool, libnftnl and libmnl\n",
	      stderr);
	return XT2_EXIT_UNSUPPORTED;
}

int xt2_apply_main(int argc, char **argv)
{
	return absent();
}

int xt2_status_main(int argc, char **argv)
{
	return absent();
}

int xt2_counters_main(int argc, char **argv)
{
	return absent();
}

int xt2_detach_main(int argc, char **argv)
{
	return absent();
}
