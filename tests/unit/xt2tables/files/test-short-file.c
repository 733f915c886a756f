/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-short-file.c - a mapped file that becomes shorter (xt2tables/files/short-file.c) */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/lib/unit-program.h"
#include "xt2tables/files/short-file.h"

#define SIZE 8192

/* Maps a file, cuts it off, and reads behind its end. */
static void read_beyond(int err)
{
	char path[] = "/tmp/xt2-short-XXXXXX";
	int fd = mkstemp(path);
	volatile char *map;

	unlink(path);
	dup2(err, STDERR_FILENO);
	if (fd < 0 || ftruncate(fd, SIZE))
		_exit(90);
	map = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		_exit(91);
	xt2_short_file_fails("xt2 history", "/etc/rules.xt2", 4);
	if (ftruncate(fd, 0))
		_exit(92);
	_exit(map[SIZE - 1] ? 93 : 94);
}

static void test_says_why(void **unused)
{
	char said[512] = "";
	int p[2], status;
	pid_t child;

	assert_int_equal(pipe(p), 0);
	child = fork();
	if (!child)
		read_beyond(p[1]);
	close(p[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 4);
	assert_true(read(p[0], said, sizeof(said) - 1) > 0);
	assert_non_null(strstr(said, "xt2 history: /etc/rules.xt2: the file became shorter"));
	close(p[0]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_says_why),
};

UNITS(tests)
