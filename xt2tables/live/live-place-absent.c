/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live-place-absent.c - the functions of live-place.c, in a build without BPF */
#include "config.h"
#include <errno.h>
#include "libxt2/err.h"
#include "live-place.h"
#include "live-refused.h"
#include "xt2tables/cmd/cmd.h"

static int absent(struct xt2_err *err)
{
	xt2_err_set_(err, XT2_E_UNSUPPORTED, EOPNOTSUPP, "live rulesets are not in this build: %s",
		     XT2_BPF_MISSING);
	xt2_err_hint_(err,
		      "scripts/deps bpf installs what they need; then configure and make again");
	return -EOPNOTSUPP;
}

int xt2_live_place_enter(struct xt2_live_place *p, bool create, struct xt2_err *err)
{
	return absent(err);
}

void xt2_live_place_leave(struct xt2_live_place *p)
{
}

int xt2_live_place_read(const struct xt2_live_place *p, struct xt2_mapping *map,
			struct xt2_err *err)
{
	return absent(err);
}

int xt2_live_place_built(struct xt2_err *err)
{
	return absent(err);
}

int xt2_live_refused(struct xt2_refused *list)
{
	return XT2_EXIT_UNSUPPORTED;
}

int xt2_live_place_replace(const struct xt2_live_place *p, const struct xt2_mapping *map,
			   const __u8 *start, struct xt2_err *err)
{
	return absent(err);
}

int xt2_live_place_follow(const struct xt2_live_place *p, const struct xt2_mapping *map,
			  const __u32 *was, struct xt2_err *err)
{
	return absent(err);
}

int xt2_live_place_exit(const struct xt2_err *err)
{
	return XT2_EXIT_UNSUPPORTED;
}

int xt2_live_place_repair(const struct xt2_live_place *p, struct xt2_err *err)
{
	return absent(err);
}
