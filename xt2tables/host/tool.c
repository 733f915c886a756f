/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tool.c - run iptables' own programs
 *
 * What stands in the kernel's own tables is read and written by the programs that own them: they
 * know the formats of their version, and take their own locks.  One of our programs under the
 * name of iptables (xt2tables(8)) would answer for us, so it is passed over.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tool.h"

#define FOLDERS "/usr/sbin:/sbin:/usr/local/sbin"

static bool is_ours(const char *path)
{
	char real[PATH_MAX];
	const char *name = realpath(path, real) ? strrchr(real, '/') : NULL;

	return name && !strncmp(name + 1, "xt2", 3);
}

/* => false: in none of these folders */
static bool look(const char *folders, const char *name, char *path, size_t size)
{
	const char *at = folders, *end;

	for (; at; at = end ? end + 1 : NULL) {
		end = strchr(at, ':');
		const int n = end ? (int)(end - at) : (int)strlen(at);

		if (n && *at == '/' && snprintf(path, size, "%.*s/%s", n, at, name) < (int)size &&
		    !access(path, X_OK) && !is_ours(path))
			return true;
	}
	return false;
}

static bool find(const char *name, char *path, size_t size)
{
	const char *folders = getenv("PATH");

	return (folders && look(folders, name, path, size)) || look(FOLDERS, name, path, size);
}

bool xt2_tool_exists(const char *name)
{
	char path[PATH_MAX];

	return find(name, path, sizeof(path));
}

/* The last line that is not empty. */
static void read_said(int fd, char *said)
{
	char text[4096], *line;
	const off_t end = lseek(fd, 0, SEEK_END);
	const off_t from = end > (off_t)sizeof(text) - 1 ? end - (off_t)sizeof(text) + 1 : 0;
	ssize_t n = pread(fd, text, sizeof(text) - 1, from);

	*said = '\0';
	while (n > 0 && text[n - 1] == '\n')
		n--;
	if (n <= 0)
		return;
	text[n] = '\0';
	line = strrchr(text, '\n');
	snprintf(said, XT2_SAID, "%.*s", XT2_SAID - 1, line ? line + 1 : text);
}

static int spawn(const char *path, const char *const *argv, int in, int out, int said)
{
	posix_spawn_file_actions_t actions;
	int ret, status = 0;
	pid_t pid;

	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	ret = in < 0 ? posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
		     : posix_spawn_file_actions_adddup2(&actions, in, 0);
	if (!ret)
		ret = out < 0 ? posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY,
								 0)
			      : posix_spawn_file_actions_adddup2(&actions, out, 1);
	if (!ret)
		ret = posix_spawn_file_actions_adddup2(&actions, said, 2);
	if (!ret)
		ret = posix_spawn(&pid, path, &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (ret)
		return -ret;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int xt2_tool_run(const char *const *argv, int in, int out, char *said)
{
	char path[PATH_MAX];
	int fd, ret;

	*said = '\0';
	if (!find(*argv, path, sizeof(path)))
		return -ENOENT;
	fd = memfd_create("said", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = spawn(path, argv, in, out, fd);
	read_said(fd, said);
	close(fd);
	return ret;
}
