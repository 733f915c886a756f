/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-output.c - files that are written and read (xt2tables/files/output.c, opened-file.c) */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/lib/unit-program.h"
#include "xt2tables/files/opened-file.h"
#include "xt2tables/files/output.h"

static char folder[] = "/tmp/xt2-output-XXXXXX";

static int setup(void **state)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	return chdir("/") || system(command);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void holds(const char *path, const char *text)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	got[fread(got, 1, sizeof(got) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(got, text);
}

/* Nothing has its name before the end, and the old file is there until then. */
static void files_appear_in_the_end(void **state)
{
	struct xt2_output o;
	struct xt2_err err;
	struct stat st;

	umask(027);
	assert_int_equal(xt2_output_open(&o, "new", &err), 0);
	fputs("text", o.to);
	assert_int_equal(xt2_output_finish(&o, &err), 0);
	assert_int_equal(access("new", F_OK), -1);
	assert_int_equal(xt2_output_place(&o, &err), 0);
	holds("new", "text");
	assert_int_equal(stat("new", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	xt2_output_drop(&o); /* does nothing any more */

	assert_int_equal(chmod("new", 0604), 0);
	assert_int_equal(xt2_output_open(&o, "new", &err), 0);
	fputs("other", o.to);
	xt2_output_drop(&o);
	holds("new", "text");
	assert_int_equal(xt2_output_open(&o, "new", &err), 0);
	fputs("other", o.to);
	assert_int_equal(xt2_output_finish(&o, &err), 0);
	holds("new", "text");
	assert_int_equal(xt2_output_place(&o, &err), 0);
	holds("new", "other");
	assert_int_equal(stat("new", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0604);
}

/* What is written later succeeds no more, and hides no error. */
static void errors_are_kept(void **state)
{
	const struct rlimit limit = { 10000, RLIM_INFINITY },
			    none = { RLIM_INFINITY, RLIM_INFINITY };
	struct xt2_output o;
	struct xt2_err err;
	int i;

	assert_int_equal(xt2_output_open(&o, "/dev/full", &err), 0);
	for (i = 0; i < 100000; i++)
		fputs("text", o.to);
	errno = 0;
	assert_int_equal(xt2_output_finish(&o, &err), -ENOSPC);
	assert_string_equal(err.file, "/dev/full");
	assert_string_equal(err.message, "cannot write: No space left on device");

	put("old", "old");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(xt2_output_open(&o, "old", &err), 0);
	for (i = 0; i < 100000; i++)
		fputs("text", o.to);
	assert_int_equal(xt2_output_finish(&o, &err), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	holds("old", "old");
}

static void streams_do_not_overwrite(void **state)
{
	struct xt2_output o;
	struct xt2_err err;

	put("old", "old");
	put("empty", "");
	assert_int_equal(xt2_output_stream(&o, "old", &err), -EEXIST);
	holds("old", "old");
	assert_int_equal(xt2_output_stream(&o, "none/x", &err), -ENOENT);
	assert_int_equal(xt2_output_stream(&o, "empty", &err), 0);
	fputs("text", o.to);
	fflush(o.to);
	holds("empty", "text"); /* at once */
	assert_int_equal(xt2_output_finish(&o, &err), 0);
	assert_int_equal(xt2_output_place(&o, &err), 0);
	assert_int_equal(xt2_output_stream(&o, "new", &err), 0);
	xt2_output_drop(&o);
	assert_int_equal(access("new", F_OK), 0);
}

/* => do two uses get in each other's way? */
static bool conflict(const char *a, bool a_output, const char *b, bool b_output)
{
	const struct xt2_use uses[] = { { a, "the first", a_output },
					{ NULL, "nothing", true },
					{ b, "the second", b_output } };
	struct xt2_err err = { 0 };
	int ret = xt2_uses_check(uses, 3, &err);

	assert_true(!ret || (ret == -EINVAL && err.errnum == EEXIST && err.message[0]));
	return ret;
}

static void uses_are_compared(void **state)
{
	put("a", "");
	put("b", "");
	assert_int_equal(link("a", "hard") | symlink("a", "soft") | symlink("new", "dangling"), 0);
	assert_int_equal(mkdir("sub", 0700) | symlink("sub", "other") | mkfifo("pipe", 0600), 0);
	assert_false(conflict("a", false, "a", false));
	assert_false(conflict("a", false, "b", true));
	assert_true(conflict("a", false, "./a", true));
	assert_true(conflict("hard", true, "a", false));
	assert_true(conflict("soft", true, "hard", true));
	assert_true(conflict("pipe", true, "pipe", false));
	assert_true(conflict("new", true, "./new", true));
	assert_true(conflict("dangling", true, "new", true));
	assert_true(conflict("sub/x", true, "other/x", true));
	assert_false(conflict("sub/x", true, "x", true));
	assert_false(conflict("new", true, "a", true));
	assert_false(conflict("none/x", true, "none/x", true)); /* it cannot be opened */
	assert_false(conflict("/dev/null", true, "/dev/null", false));
	assert_true(conflict("-", true, "/dev/stdout", true));
	assert_true(conflict("/dev/fd/1", true, "/proc/self/fd/1", true));
	assert_true(conflict("-", false, "-", false));
}

static void heads_are_looked_at(void **state)
{
	struct xt2_opened_file f;
	struct xt2_bytes bytes;
	const char *hint;

	put("mark", "\xef\xbb\xbf*filter\n");
	assert_int_equal(xt2_opened_file_open(&f, "mark"), 0);
	assert_false(f.stream);
	assert_non_null(strstr(xt2_opened_file_foreign(&f, &hint), "byte order mark"));
	assert_int_equal(xt2_opened_file_rest(&f, 11, &bytes), 0);
	assert_int_equal(bytes.len, 11);
	free(bytes.at);
	assert_int_equal(xt2_opened_file_rest(&f, 10, &bytes), -EFBIG);
	xt2_opened_file_close(&f);
	assert_int_equal(xt2_opened_file_open(&f, "none"), -ENOENT);
	assert_int_equal(xt2_opened_file_open(&f, "."), -EISDIR);
}

static void pipes_give_all(void **state)
{
	struct xt2_opened_file f;
	struct xt2_bytes bytes;
	char path[32], text[5000];
	int ends[2];

	memset(text, 'x', sizeof(text));
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, sizeof(text)), sizeof(text));
	close(ends[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	assert_int_equal(xt2_opened_file_open(&f, path), 0);
	assert_true(f.stream);
	assert_int_equal(f.len, XT2_HEAD);
	assert_false(xt2_opened_file_is_image(&f));
	assert_int_equal(xt2_opened_file_rest(&f, 1 << 20, &bytes), 0);
	assert_int_equal(bytes.len, sizeof(text));
	assert_memory_equal(bytes.at, text, sizeof(text));
	free(bytes.at);
	xt2_opened_file_close(&f);
	close(ends[0]);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	CASE(files_appear_in_the_end), CASE(errors_are_kept),	  CASE(streams_do_not_overwrite),
	CASE(uses_are_compared),       CASE(heads_are_looked_at), CASE(pipes_give_all),
};

UNITS(tests)
