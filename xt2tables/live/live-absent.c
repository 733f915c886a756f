/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live-absent.c - the commands of cmd-live.c, in an xt2 that was built without BPF */
#include <stdio.h>
#include "live-place.h"
#include "xt2tables/cmd/cmd.h"

static int absent(void)
{
	struct xt2_live_place p = { 0 };
	struct xt2_err err = { 0 };

	xt2_live_place_enter(&p, false, &err);
	xt2_err_print(&err, stderr);
	return xt2_live_place_exit(&err);
}

int xt2_apply_main(int argc, char **argv)
{
	return absent();
}

int xt2_status_main(int argc, char **argv)
{
	return absent();
}

int xt2_log_main(int argc, char **argv)
{
	return absent();
}

int xt2_confirm_main(int argc, char **argv)
{
	return absent();
}

int xt2_detach_main(int argc, char **argv)
{
	return absent();
}

int xt2_repair_main(int argc, char **argv)
{
	return absent();
}
