/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-owner.c - the process that holds the lock of a folder
 *
 * A BPF file system has no ordinary files, so the holder cannot leave its name
 * there.  The kernel knows it: /proc/locks has a line for each lock,
 *
 *	3: FLOCK  ADVISORY  WRITE 4242 00:2b:17 0 EOF
 *
 * with the kind, the process, the file's device and inode.  Processes of
 * another PID namespace are not in there.
 */
#include "bpf-owner.h"
#include "engine/env.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* => true: the line is that of a flock(2) on this file */
static bool parse(const char *line, const struct stat *file, int *pid, bool *reads)
{
	unsigned int major, minor;
	unsigned long long inode;
	char mode[8];

	if (sscanf(line, "%*[^:]: FLOCK %*s %7s %d %x:%x:%llu", mode, pid, &major, &minor,
		   &inode) != 5)
		return false;
	*reads = !strcmp(mode, "READ");
	return major == major(file->st_dev) && minor == minor(file->st_dev) &&
	       inode == file->st_ino;
}

/* The command line of a process, for a message. */
static void read_command(int pid, char *command, size_t size)
{
	char path[64];
	size_t i, n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	f = fopen(path, "re");
	n = f ? fread(command, 1, size - 1, f) : 0;
	if (f)
		fclose(f);
	while (n && !command[n - 1])
		n--;
	command[n] = '\0';
	for (i = 0; i < n; i++)
		if (!isprint((unsigned char)command[i]))
			command[i] = ' ';
}

bool xt2_lock_owner_(int fd, struct xt2_lock_owner_ *owner)
{
	struct stat file;
	char line[256];
	bool reads, found = false;
	FILE *f;
	int pid;

	f = fstat(fd, &file) ? NULL : fopen("/proc/locks", "re");
	if (!f)
		return false;
	while ((!found || owner->reads) && fgets(line, sizeof(line), f)) {
		if (!parse(line, &file, &pid, &reads))
			continue;
		found = true;
		owner->pid = pid;
		owner->reads = reads;
	}
	fclose(f);
	if (found)
		read_command(owner->pid, owner->command, sizeof(owner->command));
	return found;
}
