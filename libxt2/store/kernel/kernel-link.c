/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel-link.c - talk to the kernel module by netlink: see <xt2/netlink.h>
 *
 * Each request is acknowledged before the next one is sent, so that errors belong to what caused
 * them.
 */
#include "config.h"
#include "kernel-link.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libxt2/err.h"

static struct nlmsghdr *begin(struct xt2_kernel_link *k, __u16 type, __u8 command, __u8 version)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(k->message);
	struct genlmsghdr *g;

	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	h->nlmsg_seq = ++k->sequence;
	g = mnl_nlmsg_put_extra_header(h, sizeof(*g));
	g->cmd = command;
	g->version = version;
	return h;
}

void xt2_kernel_begin(struct xt2_kernel_link *k, __u8 command)
{
	begin(k, k->family, command, XT2_NL_VERSION);
}

const struct nlattr *xt2_kernel_attr(const struct nlmsghdr *h, __u16 type)
{
	const struct nlattr *a;

	mnl_attr_for_each(a, h,
			  sizeof(struct genlmsghdr)) if (mnl_attr_get_type(a) == type) return a;
	return NULL;
}

__u64 xt2_kernel_number(const struct nlmsghdr *h, __u16 type)
{
	const struct nlattr *a = xt2_kernel_attr(h, type);
	__u64 n = 0;

	if (a && mnl_attr_get_payload_len(a) <= sizeof(n))
		memcpy(&n, mnl_attr_get_payload(a), mnl_attr_get_payload_len(a));
	return n;
}

/* --- answers ------------------------------------------------------------------- */

struct answer {
	struct xt2_kernel_link *k;
	mnl_cb_t seen;
	void *data;
};

static int on_message(const struct nlmsghdr *h, void *data)
{
	const struct genlmsghdr *g = mnl_nlmsg_get_payload(h);
	struct answer *a = data;
	const struct nlattr *text;

	if (h->nlmsg_type == a->k->family && g->cmd == XT2_CMD_ERROR) {
		text = xt2_kernel_attr(h, XT2_A_TEXT);
		if (text && mnl_attr_validate(text, MNL_TYPE_NUL_STRING) >= 0)
			snprintf(a->k->text, sizeof(a->k->text), "%s", mnl_attr_get_str(text));
		return MNL_CB_OK;
	}
	return a->seen ? a->seen(h, a->data) : MNL_CB_OK;
}

/* => 0, -errno of the acknowledgement */
static int receive(struct xt2_kernel_link *k, mnl_cb_t seen, void *data)
{
	struct answer a = { k, seen, data };
	char *buffer = malloc(XT2_MESSAGE_SIZE);
	ssize_t n;
	int ret = buffer ? MNL_CB_OK : MNL_CB_ERROR;

	while (ret == MNL_CB_OK) { /* until the acknowledgement, or the end of a dump */
		n = mnl_socket_recvfrom(k->socket, buffer, XT2_MESSAGE_SIZE);
		ret = n < 0 ? MNL_CB_ERROR
			    : mnl_cb_run(buffer, (size_t)n, k->sequence,
					 mnl_socket_get_portid(k->socket), on_message, &a);
	}
	free(buffer);
	return ret == MNL_CB_STOP ? 0 : -(errno ? errno : EPROTO);
}

static int send_and_receive(struct xt2_kernel_link *k, mnl_cb_t seen, void *data)
{
	k->text[0] = '\0';
	if (mnl_socket_sendto(k->socket, k->message, k->message->nlmsg_len) < 0)
		return -errno;
	return receive(k, seen, data);
}

/* Words about rules, or about the moment? */
static int code_of(const struct xt2_kernel_link *k, int ret)
{
	return k->text[0] && ret != -EBUSY && ret != -ESTALE && ret != -ENOMEM ? XT2_E_UNSUPPORTED
									       : XT2_E_SYSTEM;
}

int xt2_kernel_ask(struct xt2_kernel_link *k, __u16 flags, mnl_cb_t seen, void *data,
		   struct xt2_err *err)
{
	int ret;

	k->message->nlmsg_flags |= flags;
	ret = send_and_receive(k, seen, data);
	if (ret)
		xt2_err_set(err, code_of(k, ret), -ret, "the kernel module xt2: %s",
			    k->text[0] ? k->text : strerror(-ret));
	return ret;
}

/* --- the socket ------------------------------------------------------------------- */

static int on_family(const struct nlmsghdr *h, void *family)
{
	*(__u16 *)family = (__u16)xt2_kernel_number(h, CTRL_ATTR_FAMILY_ID);
	return MNL_CB_OK;
}

/* => 0, -ENOENT: there is none, -errno */
static int find_family(struct xt2_kernel_link *k)
{
	struct nlmsghdr *h = begin(k, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	int ret;

	mnl_attr_put_strz(h, CTRL_ATTR_FAMILY_NAME, XT2_NL_FAMILY);
	ret = send_and_receive(k, on_family, &k->family);
	return ret ? ret : k->family ? 0 : -ENOENT;
}

static int refuse(struct xt2_kernel_link *k, int ret, struct xt2_err *err)
{
	xt2_kernel_close(k);
	if (ret != -ENOENT)
		return xt2_err_set(err, XT2_E_SYSTEM, -ret, "netlink: %s", strerror(-ret));
	xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP, "the kernel module xt2 is not loaded");
	xt2_err_hint(err,
		     "modprobe xt2; or without --host kernel: BPF programs evaluate the rules");
	return -EOPNOTSUPP;
}

int xt2_kernel_open(struct xt2_kernel_link *k, struct xt2_err *err)
{
	int ret;

	*k = (struct xt2_kernel_link){ .sequence = (__u32)time(NULL) };
	k->message = malloc(XT2_MESSAGE_SIZE);
	k->socket = k->message ? mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC) : NULL;
	if (!k->socket)
		return refuse(k, k->message ? -errno : -ENOMEM, err);
	ret = mnl_socket_bind(k->socket, 0, MNL_SOCKET_AUTOPID) < 0 ? -errno : find_family(k);
	return ret ? refuse(k, ret, err) : 0;
}

void xt2_kernel_close(struct xt2_kernel_link *k)
{
	if (k->socket)
		mnl_socket_close(k->socket);
	free(k->message);
	k->socket = NULL;
	k->message = NULL;
}
