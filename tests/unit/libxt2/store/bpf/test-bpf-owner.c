/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-owner.c - libxt2/store/bpf/bpf-owner.c: which process holds a lock */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "libxt2/store/bpf/bpf-owner.h"
#include "tests/lib/unit-program.h"

static char path[] = "/tmp/xt2-owner-XXXXXX";

/* => a file of its own, locked like this; -1: no locks are listed here */
static int locked(int how)
{
	char text[8];
	FILE *locks = fopen("/proc/locks", "r");
	int fd;

	if (!locks)
		return -1;
	strcpy(path, "/tmp/xt2-owner-XXXXXX");
	fd = mkstemp(path);
	unlink(path);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, how), 0);
	if (!fgets(text, sizeof(text), locks)) { /* none, although there is one */
		close(fd);
		fd = -1;
	}
	fclose(locks);
	return fd;
}

static void a_lock_has_an_owner(void **state)
{
	struct xt2_lock_owner_ owner = { 0 };
	int fd = locked(LOCK_EX);

	if (fd < 0)
		skip();
	assert_true(xt2_lock_owner_(fd, &owner));
	assert_int_equal(owner.pid, getpid());
	assert_false(owner.reads);
	assert_non_null(strstr(owner.command, "run-bpf"));
	close(fd);
}

static void readers_are_told_apart(void **state)
{
	struct xt2_lock_owner_ owner = { 0 };
	int fd = locked(LOCK_SH);

	if (fd < 0)
		skip();
	assert_true(xt2_lock_owner_(fd, &owner));
	assert_true(owner.reads);
	assert_int_equal(flock(fd, LOCK_UN), 0);
	assert_false(xt2_lock_owner_(fd, &owner));
	close(fd);
}

static void no_file_no_owner(void **state)
{
	struct xt2_lock_owner_ owner = { 0 };

	assert_false(xt2_lock_owner_(-1, &owner));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_lock_has_an_owner),
	cmocka_unit_test(readers_are_told_apart),
	cmocka_unit_test(no_file_no_owner),
};

UNITS(tests)
