/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc-files.c - files of the kernel that look as if the image were its tables
 *
 * iptables-save without -t asks /proc/net/ip_tables_names which tables there
 * are.  /proc/sys/kernel/modprobe names the program that the tools start if
 * they think that a module is missing; without it they leave that alone.
 */
#include "proc-files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct {
	const char *path;
	int family;
} files[] = {
	{ "/proc/net/ip_tables_names", XT2_IPV4 },
	{ "/proc/net/ip6_tables_names", XT2_IPV6 },
	{ "/proc/net/arp_tables_names", XT2_ARP },
	{ "/proc/sys/kernel/modprobe", 0 },
};

int xt2_names_file(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strcmp(path, files[i].path))
			return files[i].family;
	return -1;
}

int xt2_names_open(struct xt2_shim_store *store, int family)
{
	size_t len;
	char *text = xt2_shim_store_names(store, family, &len);
	int fd = text ? memfd_create("tables_names", MFD_CLOEXEC) : -1;

	if (fd >= 0 && (write(fd, text, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET))) {
		close(fd);
		fd = -1;
	}
	free(text);
	return fd < 0 ? -ENOMEM : fd;
}
