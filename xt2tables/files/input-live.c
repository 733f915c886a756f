/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input-live.c - the live ruleset in place of a file */
#include "input.h"
#include "sandbox.h"

#define LIVE_WAIT 10 /* seconds for a command that changes the live ruleset */

int xt2_input_path(struct xt2_input *in, const char *command, char **left)
{
	if (!in->live && (in->store.netns || in->store.pin))
		return xt2_usage(command, "--netns and --pin are for --live");
	if (!in->live && in->store.host)
		return xt2_usage(command, "--host is for --live");
	if (in->store.pin && xt2_store_live_kind(&in->store) == XT2_STORE_KERNEL)
		return xt2_usage(command, "--host kernel has no --pin");
	if (in->live && *left)
		return xt2_usage(command, "--live is instead of a file");
	if (!in->live && (!*left || left[1]))
		return xt2_usage(command, "give one file, or --live");
	in->path = in->live ? "the live ruleset" : *left;
	return XT2_EXIT_OK;
}

void xt2_input_sandbox(const struct xt2_input *in)
{
	if (!in->live)
		xt2_sandbox_enter(&(struct xt2_sandbox){ .text = true, .network = in->resolve });
}

int xt2_input_open(struct xt2_input *in)
{
	struct xt2_err err = { 0 };
	int ret;

	if (!in->live)
		return xt2_input_load(in);
	in->family = 0;
	in->store.kind = xt2_store_live_kind(&in->store);
	ret = xt2_store_lock(&in->store, XT2_STORE_LOOK, LIVE_WAIT, &err);
	if (!ret)
		ret = xt2_store_read(&in->store, true, &in->map, &err);
	xt2_store_unlock(&in->store);
	if (ret)
		return xt2_fail_live(&err);
	ret = xt2_input_use(in);
	if (ret != XT2_EXIT_OK)
		xt2_input_close(in);
	return ret;
}
