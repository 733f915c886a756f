/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-refused.c - why the kernel does not take the BPF programs
 *
 * bpf(2) answers with a number, and often with the same one for a feature that
 * it lacks and for a program that its verifier doesn't like.  So what the
 * programs need is tried one by one, from the oldest kernel to the newest.
 */
#include "bpf-private.h"

#include <stdarg.h>

#define TYPES "/sys/kernel/btf/vmlinux"

/* Newer than the kernel's headers may be. */
enum { PROG_TYPE_NETFILTER = 32, MAP_TYPE_ARENA = 33 };

static int unsupported(struct xt2_err *err, const char *what)
{
	return xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP, "the kernel has no %s", what);
}

/* => 0; -EOPNOTSUPP: err says what the kernel lacks */
static int probe(struct xt2_err *err)
{
	static const struct {
		int map, prog;
		const char *what;
	} rows[] = {
		{ 0, PROG_TYPE_NETFILTER,
		  "BPF netfilter programs (Linux 6.4, CONFIG_NETFILTER_BPF_LINK)" },
		{ MAP_TYPE_ARENA, 0, "BPF arenas (Linux 6.9)" },
	};
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		int has = rows[i].map ? libbpf_probe_bpf_map_type(rows[i].map, NULL)
				      : libbpf_probe_bpf_prog_type(rows[i].prog, NULL);

		if (!has)
			return unsupported(err, rows[i].what);
	}
	if (access(TYPES, R_OK))
		return unsupported(err,
				   "description of its types in " TYPES " (CONFIG_DEBUG_INFO_BTF)");
	return 0;
}

int xt2_live_forbidden_(struct xt2_err *err)
{
	xt2_err_set(err, XT2_E_SYSTEM, EPERM, "live rulesets are root's");
	xt2_err_hint(err, "sudo; or CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN and CAP_SYS_ADMIN of the "
			  "system itself: a container's root has not got them");
	return -EPERM;
}

int xt2_live_refused_(int errnum, struct xt2_err *err)
{
	switch (errnum) {
	case EPERM: return xt2_live_forbidden_(err);
	case ENOMEM: return xt2_err_no_memory(err, " for BPF programs");
	case ENOSYS: return unsupported(err, "BPF (CONFIG_BPF_SYSCALL)");
	}
	if (probe(err))
		return -EOPNOTSUPP;
	xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP, "the kernel refuses the BPF programs: %s",
		    strerror(errnum));
	xt2_err_hint(err, "they need Linux 6.10 or newer: netfilter programs (6.4), arenas and "
			  "may_goto (6.9), preemption control (6.10)");
	return -EOPNOTSUPP;
}

/* --- its own words ------------------------------------------------------ */

#define LOG_STATS 4 /* how long the verifier took, and how many instructions it looked at */

static bool verbose;

/* Of libbpf: its warnings, which have the verifier's log of a program that is refused, and other logs. */
static int say(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level != LIBBPF_WARN && !strstr(format, "LOAD LOG"))
		return 0;
	return vfprintf(stderr, format, args);
}

void xt2_live_verbose(bool on)
{
	verbose = on;
}

int xt2_live_prints_(void)
{
	libbpf_set_print(verbose ? say : NULL);
	return verbose ? LOG_STATS : 0;
}
