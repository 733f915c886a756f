/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-new-file.c - libxt2/store/new-file.c
 *
 * Each case has a folder of its own.  test-image-file.c has calls that fail or
 * fall short.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libxt2/store/new-file.h"
#include "tests/lib/unit-program.h"

static char folder[64], path[128];
static struct xt2_new_file f;

static int setup(void **state)
{
	strcpy(folder, "/tmp/xt2-new-file-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/file", folder);
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

/* The file's content, as far as it fits; "" if there is no file. */
static const char *content(const char *name)
{
	static char text[64];
	FILE *in = fopen(name, "r");
	size_t n = in ? fread(text, 1, sizeof(text) - 1, in) : 0;

	if (in)
		fclose(in);
	text[n] = 0;
	return text;
}

static void write_text(const char *text)
{
	assert_int_equal(xt2_new_file_create(&f, path), 0);
	assert_int_equal(xt2_write_all(f.fd, text, strlen(text)), 0);
}

static void a_file_appears_at_the_end(void **state)
{
	struct stat st;

	write_text("one");
	assert_string_equal(content(path), "");
	assert_string_equal(content(f.name), "one");
	assert_int_equal(xt2_new_file_close(&f, false), 0);
	assert_int_equal(f.fd, -1);
	assert_string_equal(content(path), "");
	assert_int_equal(xt2_new_file_place(&f, false), 0);
	assert_string_equal(content(path), "one");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	write_text("two");
	assert_string_equal(content(path), "one");
	assert_int_equal(xt2_new_file_close(&f, true), 0);
	assert_int_equal(xt2_new_file_place(&f, true), 0);
	assert_string_equal(content(path), "two");
}

static void files_exchange_their_names(void **state)
{
	write_text("one");
	assert_int_equal(xt2_new_file_close(&f, false), 0);
	assert_int_equal(xt2_new_file_exchange(&f), -ENOENT);
	assert_int_equal(xt2_new_file_place(&f, false), 0);
	write_text("two");
	assert_int_equal(xt2_new_file_close(&f, true), 0);
	assert_int_equal(xt2_new_file_exchange(&f), 0);
	assert_string_equal(content(path), "two");
	assert_string_equal(content(f.name), "one");
	assert_int_equal(xt2_new_file_placed(&f, true), 0);
}

static void what_is_dropped_leaves_nothing(void **state)
{
	char name[PATH_MAX];

	write_text("one");
	strcpy(name, f.name);
	assert_int_equal(access(name, F_OK), 0);
	xt2_new_file_drop(&f);
	assert_int_equal(access(name, F_OK), -1);
	assert_int_equal(access(path, F_OK), -1);
}

static void links_are_followed(void **state)
{
	char link[160], real[PATH_MAX];

	snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(symlink("file", link), 0);
	assert_int_equal(xt2_resolve(link, real), 0); /* to what is not there yet */
	assert_string_equal(real, path);
	strcpy(path, link);
	write_text("one");
	assert_int_equal(xt2_new_file_close(&f, false), 0);
	assert_int_equal(xt2_new_file_place(&f, false), 0);
	assert_string_equal(content(real), "one");
	assert_int_equal(readlink(link, real, sizeof(real)), 4); /* still a link */
}

static void other_things_are_not_replaced(void **state)
{
	char loop[160], real[PATH_MAX];

	snprintf(loop, sizeof(loop), "%s/loop", folder);
	assert_int_equal(symlink("loop", loop), 0);
	assert_int_equal(xt2_resolve(loop, real), -ELOOP);
	assert_true(xt2_new_file_create(&f, folder) < 0);
	assert_non_null(f.failed);
	assert_int_equal(xt2_new_file_create(&f, "/nonesuch/file"), -ENOENT);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(xt2_new_file_create(&f, path) < 0);
}

static void all_bytes_are_written(void **state)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(xt2_write_all(ends[1], "abc", 3), 0);
	assert_int_equal(xt2_write_all(ends[1], "", 0), 0);
	assert_int_equal(read(ends[0], path, 8), 3);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(xt2_write_all(ends[1], "abc", 3), -EBADF);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(a_file_appears_at_the_end, setup, teardown),
	cmocka_unit_test_setup_teardown(files_exchange_their_names, setup, teardown),
	cmocka_unit_test_setup_teardown(what_is_dropped_leaves_nothing, setup, teardown),
	cmocka_unit_test_setup_teardown(links_are_followed, setup, teardown),
	cmocka_unit_test_setup_teardown(other_things_are_not_replaced, setup, teardown),
	cmocka_unit_test_setup_teardown(all_bytes_are_written, setup, teardown),
};

UNITS(tests)
