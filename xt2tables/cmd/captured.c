/* SPDX-License-Identifier: GPL-2.0-or-later */
/* captured.c - packets that are kept, and the options that tell what their capture does not */
#include "cmd.h"

int xt2_captured_copy(struct xt2_captured *to, const struct xt2_captured *c)
{
	__u8 *frame = malloc(c->caplen + XT2_MAC);

	if (!frame)
		return -ENOMEM;
	*to = *c;
	to->frame = memcpy(frame, c->frame, c->caplen);
	if (c->mac)
		to->mac = memcpy(frame + c->caplen, c->mac, XT2_MAC);
	return 0;
}

int xt2_host_take(const struct xt2_given *g)
{
	const char *name = g->row->name;

	if (!name)
		name = g->row->letter == 'i' ? "in" : "out";
	if (xt2_host_option(g->field, name, g->arg) == 1)
		return XT2_EXIT_OK;
	return xt2_usage(g->command, "--%s: bad argument '%s'", name, g->arg);
}
