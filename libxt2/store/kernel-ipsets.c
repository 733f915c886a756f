/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel-ipsets.c - ask the kernel for numbers and names of ipsets
 *
 * Source: ip_set_sockfn_get() of net/netfilter/ipset/ip_set_core.c
 */
#include "config.h"
#include "kernel-ipsets.h"

#include <errno.h>
#include <linux/netfilter/ipset/ip_set.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ask(struct ip_set_req_get_set *request)
{
	int ret, fd = (int)syscall(SYS_socket, AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
	socklen_t size = sizeof(*request);

	if (fd < 0)
		return -errno;
	request->version = IPSET_PROTOCOL_MIN;
	ret = syscall(SYS_getsockopt, fd, IPPROTO_IP, SO_IP_SET, request, &size) ? -errno : 0;
	close(fd);
	return ret;
}

static int set_number(void *unused, const char *name)
{
	struct ip_set_req_get_set request = { .op = IP_SET_OP_GET_BYNAME };
	int ret;

	(void)unused;
	memcpy(request.set.name, name, strnlen(name, IPSET_MAXNAMELEN - 1));
	ret = ask(&request);
	if (ret)
		return ret;
	return request.set.index == IPSET_INVALID_ID ? -ENOENT : request.set.index;
}

static int set_name(void *unused, __u16 number, char *name)
{
	struct ip_set_req_get_set request = { .op = IP_SET_OP_GET_BYINDEX, .set.index = number };
	int ret = ask(&request);

	(void)unused;
	if (ret)
		return ret;
	if (!request.set.name[0])
		return -ENOENT;
	memcpy(name, request.set.name, IPSET_MAXNAMELEN);
	name[IPSET_MAXNAMELEN - 1] = '\0';
	return 0;
}

const struct xt2_sockopt_sets xt2_kernel_ipsets = { .name = set_name, .number = set_number };
