/* SPDX-License-Identifier: GPL-2.0-or-later */
/* captured.c - packets that are kept */
#include "cmd.h"

static int copy(struct xt2_captured *to, const struct xt2_captured *c)
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

int xt2_captured_read(struct xt2_capture *cap, size_t max, struct xt2_captured_list *list,
		      struct xt2_err *err)
{
	struct xt2_captured c, *more;
	size_t room = 0;
	int got;

	while ((got = xt2_capture_next(cap, &c, err)) > 0 && list->n < max) {
		if (list->n == room) {
			room = room ? room * 2 : 1024;
			more = realloc(list->at, room * sizeof(*more));
			if (!more)
				return -ENOMEM;
			list->at = more;
		}
		if (copy(&list->at[list->n], &c) < 0)
			return -ENOMEM;
		list->n++;
	}
	return got;
}

void xt2_captured_free(struct xt2_captured_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		free((void *)list->at[i].frame);
	free(list->at);
}
