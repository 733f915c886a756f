/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-sets.c - matches and targets that name ipsets, with the numbers of this network namespace
 *
 * A program that reads text answers socket() and getsockopt() of libxtables by itself
 * (xt2tables/text/sets.c), so the kernel is called without them.
 */
#include "bpf-left.h"

#include <sys/socket.h>
#include <sys/syscall.h>

#include <linux/netfilter/ipset/ip_set.h>
#include "translators/ext/xt-sets.h"

static int set_number(void *unused, const char *name)
{
	struct ip_set_req_get_set request = { .op = IP_SET_OP_GET_BYNAME,
					      .version = IPSET_PROTOCOL_MIN };
	int ret, fd = (int)syscall(SYS_socket, AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
	socklen_t size = sizeof(request);

	(void)unused;
	if (fd < 0)
		return -errno;
	memcpy(request.set.name, name, strnlen(name, IPSET_MAXNAMELEN - 1));
	ret = syscall(SYS_getsockopt, fd, IPPROTO_IP, SO_IP_SET, &request, &size) ? -errno : 0;
	close(fd);
	if (ret)
		return ret;
	return request.set.index == IPSET_INVALID_ID ? -ENODEV : request.set.index;
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
