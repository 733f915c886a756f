/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input-live.c - the live ruleset in place of a file */
#include <getopt.h>
#include <stdio.h>
#include "xt2tables/cmd/cmd.h"

#define LIVE_WAIT 10 /* seconds for a command that changes the live ruleset */

bool xt2_input_option(struct xt2_input *in, int c)
{
	switch (c) {
	case XT2_INPUT_LIVE: in->live = true; return true;
	case XT2_INPUT_NETNS: in->place.netns = optarg; return true;
	case XT2_INPUT_PIN: in->place.pin = optarg; return true;
	}
	return false;
}

int xt2_input_path(struct xt2_input *in, const char *command, char **left)
{
	if (!in->live && (in->place.netns || in->place.pin))
		return xt2_usage(command, "--netns and --pin are for --live");
	if (in->live && *left)
		return xt2_usage(command, "--live is instead of a file");
	if (!in->live && (!*left || left[1]))
		return xt2_usage(command, "give one file, or --live");
	in->path = in->live ? "the live ruleset" : *left;
	in->place.wait = LIVE_WAIT;
	in->place.look = true;
	return XT2_EXIT_OK;
}

int xt2_input_open(struct xt2_input *in)
{
	struct xt2_err err = { 0 };
	int ret;

	if (!in->live)
		return xt2_input_load(in);
	in->family = 0;
	ret = xt2_live_place_enter(&in->place, false, &err);
	if (!ret) {
		ret = xt2_live_place_read(&in->place, &in->map, &err);
		xt2_live_place_leave(&in->place);
	}
	if (ret) {
		xt2_err_print(&err, stderr);
		return xt2_live_place_exit(&err);
	}
	ret = xt2_input_reload(in);
	if (ret != XT2_EXIT_OK)
		xt2_input_close(in);
	return ret;
}
