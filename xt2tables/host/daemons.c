/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemons.c - programs that go on calling iptables
 *
 * They put their rules back, or add to them, where xt2 has emptied the tables.  A process
 * is known by its name, and only counts if it is in this network namespace.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "daemons.h"
#include "engine/env.h"

#define UNIT(unit) \
	"systemctl edit " unit ", [Service], Environment=PATH= with the folder of links first"

static const struct {
	const char *name; /* as in /proc/PID/comm: 15 bytes of it */
	const char *how;
} known[] = {
	{ "dockerd", UNIT("docker") },
	{ "fail2ban-server", UNIT("fail2ban") },
	{ "kubelet", UNIT("kubelet") },
	{ "kube-proxy", "have the links in its container's PATH, or xt2 run it" },
	{ "kube-router", "have the links in its container's PATH" },
	{ "firewalld", "FirewallBackend=iptables, and " UNIT(
			       "firewalld") "; its backend nftables goes on beside" },
	{ "libvirtd", UNIT("libvirtd") },
	{ "virtnetworkd", UNIT("virtnetworkd") },
	{ "tailscaled", UNIT("tailscaled") },
	{ "flanneld", "have the links in its container's PATH" },
	{ "calico-node", "have the links in its container's PATH" },
	{ "cilium-agent", "have the links in its container's PATH" },
	{ "k3s", UNIT("k3s") },
	{ "crowdsec-firewa", UNIT("crowdsec-firewall-bouncer") },
	{ "sshguard", UNIT("sshguard") },
	{ "psad", UNIT("psad") },
	{ "miniupnpd", UNIT("miniupnpd") },
	{ "ufw", UNIT("ufw") },
	{ "shorewall", UNIT("shorewall") },
};

static const char *name_of(const char *pid, char *name, size_t size)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	f = fopen(path, "re");
	if (!f)
		return NULL;
	if (!fgets(name, (int)size, f))
		*name = '\0';
	name[strcspn(name, "\n")] = '\0';
	fclose(f);
	return name;
}

static bool is_here(const char *pid, ino_t net)
{
	char path[300];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s/ns/net", pid);
	return !stat(path, &st) && st.st_ino == net;
}

static bool look(const char *pid, ino_t net, struct xt2_daemon *d)
{
	char name[32];
	size_t i;

	if (!isdigit((unsigned char)*pid) || !name_of(pid, name, sizeof(name)))
		return false;
	for (i = 0; i < XT2_ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, name) && is_here(pid, net)) {
			*d = (struct xt2_daemon){ atoi(pid), known[i].name, known[i].how };
			return true;
		}
	return false;
}

int xt2_daemons(void (*found)(void *data, const struct xt2_daemon *d), void *data)
{
	DIR *dir = opendir("/proc");
	struct xt2_daemon d;
	struct dirent *e;
	struct stat st;
	int n = 0;

	if (dir && stat("/proc/self/ns/net", &st)) {
		closedir(dir);
		dir = NULL;
	}
	while (dir && (e = readdir(dir)))
		if (look(e->d_name, st.st_ino, &d)) {
			found(data, &d);
			n++;
		}
	if (dir)
		closedir(dir);
	return n;
}
