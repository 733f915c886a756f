/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf-sets.c - matches and targets that name ipsets, with the numbers of this network namespace */
#include "bpf-left.h"

#include "libxt2/store/kernel-ipsets.h"
#include "translators/ext/xt-sets.h"

/* A set that is not there is -ENODEV, which nothing else says. */
static int set_number(void *unused, const char *name)
{
	const int number = xt2_kernel_ipsets.number(unused, name);

	return number == -ENOENT ? -ENODEV : number;
}

int xt2_left_info_(u8 kind, const struct xt2_left_ext *ext, void **info, u32 *size)
{
	const struct xt2_sets *sets = xt2_sets_find(kind, ext->name, ext->revision);
	struct xt2_instance *in = calloc(1, sizeof(*in) + ext->size + 8);
	int ret = 0;

	*size = sets ? sets->size : ext->size;
	*info = calloc(1, ext->size + 8);
	if (!*info || !in)
		ret = -ENOMEM;
	else if (ext->size < *size)
		ret = -EINVAL;
	if (!ret) {
		*in = (struct xt2_instance){ .kind = kind,
					     .revision = ext->revision,
					     .size = ext->size };
		memcpy(in->name, ext->name, sizeof(in->name));
		memcpy(in + 1, ext->data, ext->size);
		memcpy(*info, ext->data, *size);
	}
	if (!ret && sets)
		ret = xt2_sets_number(sets, in, *info, set_number, NULL);
	free(in);
	if (ret) {
		free(*info);
		*info = NULL;
	}
	return ret;
}
