/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-image-file.c - libxt2/store/image-file.c
 *
 * Every case works in a folder of its own.  write(2), fsync(2) and rename(2)
 * of the library go through this program, which lets them fall short or fail;
 * a full disk is also a real one, and kill -9 a real kill.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "tests/lib/unit-program.h"
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <xt2/xt2.h>
#include "engine/image.h"
#include "tests/lib/fail-alloc.h"
#include "tests/lib/rules.h"

#define SKIPPED 77

/* --- what may fail ----------------------------------------------------- */

static struct {
	int write_errno; /* of the write after write_left bytes */
	size_t write_left;
	size_t write_most; /* bytes of one write; 0: any */
	int interrupted; /* writes that a signal cuts short */
	int fsync_errno; /* of the fsync_nth call, from 1 */
	int fsync_nth;
	int rename_errno;
} fault;

ssize_t __real_write(int fd, const void *p, size_t n);
int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
ssize_t __wrap_write(int fd, const void *p, size_t n);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);

static int with_errno(int errnum)
{
	errno = errnum;
	return -1;
}

ssize_t __wrap_write(int fd, const void *p, size_t n)
{
	if (fault.interrupted && fault.interrupted--)
		return with_errno(EINTR);
	if (fault.write_most && n > fault.write_most)
		n = fault.write_most;
	if (fault.write_errno && n > fault.write_left) {
		if (!fault.write_left)
			return with_errno(fault.write_errno);
		n = fault.write_left;
	}
	if (fault.write_errno)
		fault.write_left -= n;
	return __real_write(fd, p, n);
}

int __wrap_fsync(int fd)
{
	if (fault.fsync_nth && !--fault.fsync_nth)
		return with_errno(fault.fsync_errno);
	return __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
	return fault.rename_errno ? with_errno(fault.rename_errno) : __real_rename(from, to);
}

/* --- a folder and two images ------------------------------------------- */

static char folder[] = "/tmp/xt2-test-XXXXXX";
static struct xt2_mapping small, large;

/* An image with so many rules. */
static void make(struct xt2_mapping *map, unsigned int rules)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct rule_build b;

	xt2_table_add(rs, XT2_IPV4, "filter", NULL);
	while (rules--) {
		rule_begin(&b);
		rule_source(&b, rules + 1, 32);
		xt2_rule_append(rs, 0, rule_end(&b, XT2_TARGET(XT2_T_DROP, 0)), rules);
	}
	assert_int_equal(xt2_ruleset_write(rs, map, NULL), 0);
	xt2_ruleset_free(rs);
}

static int group_setup(void **state)
{
	make(&small, 3);
	make(&large, 10000);
	return 0;
}

static int group_teardown(void **state)
{
	xt2_image_close(&small);
	xt2_image_close(&large);
	return 0;
}

/* => entries of the current folder */
static int entries(void)
{
	DIR *d = opendir(".");
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void empty_folder(void)
{
	DIR *d = opendir(".");
	struct dirent *e;

	while ((e = readdir(d))) {
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			remove(e->d_name);
	}
	closedir(d);
}

static int setup(void **state)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	memset(&fault, 0, sizeof(fault));
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	empty_folder();
	return chdir("/") || rmdir(folder);
}

static int store(const char *path, const struct xt2_mapping *map, struct xt2_err *err)
{
	return xt2_image_store(path, map->image, map->size, err);
}

static void stored(const char *path, const struct xt2_mapping *map)
{
	struct xt2_mapping got;

	assert_int_equal(xt2_image_open(path, &got, NULL), 0);
	assert_int_equal(got.size, map->size);
	assert_memory_equal(got.image, map->image, map->size);
	xt2_image_close(&got);
	assert_null(got.image);
}

/* --- opening ----------------------------------------------------------- */

static void put_file(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(__real_write(fd, bytes, size), size);
	close(fd);
}

/* Neither a file with these bytes nor the bytes themselves are taken. */
static void bad_image(const void *bytes, size_t size)
{
	struct xt2_mapping map = { .capacity = 7 };
	struct xt2_err err;

	put_file("bad", bytes, size);
	assert_int_equal(xt2_image_open("bad", &map, &err), -EINVAL);
	assert_int_equal(err.code, XT2_E_IMAGE);
	assert_string_equal(err.file, "bad");
	assert_int_equal(strncmp(err.message, "not a valid image: ", 19), 0);
	assert_int_equal(xt2_image_copy(bytes, size, &map, &err), -EINVAL);
	assert_int_equal(err.code, XT2_E_IMAGE);
	assert_int_equal(map.capacity, 7);
	assert_null(map.image);
}

static void bad_images_are_refused(void **state)
{
	u8 *bytes = malloc(small.size);

	memcpy(bytes, small.image, small.size);
	bad_image(bytes, 0);
	bad_image(bytes, 63);
	bad_image(bytes, small.size - 8);
	bytes[0] ^= 0xff;
	bad_image(bytes, small.size);
	memset(bytes, 0, small.size);
	bad_image(bytes, small.size);
	free(bytes);
}

static void other_files_are_refused(void **state)
{
	struct xt2_mapping map = { 0 };
	struct xt2_err err;

	assert_int_equal(xt2_image_open("none", &map, &err), -ENOENT);
	assert_int_equal(err.code, XT2_E_SYSTEM);
	assert_int_equal(err.errnum, ENOENT);
	assert_string_equal(err.message, "cannot open: No such file or directory");
	assert_int_equal(xt2_image_open(".", &map, &err), -EISDIR);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(xt2_image_open("fifo", &map, &err), -EINVAL);
	assert_string_equal(err.message, "not a valid image: it is no regular file");
	assert_null(map.image);
}

/* The file keeps its counters, whatever is counted in memory. */
static void mappings_are_private(void **state)
{
	struct xt2_mapping map;
	struct xt2_chain *c;

	assert_int_equal(store("image", &small, NULL), 0);
	assert_int_equal(xt2_image_open("image", &map, NULL), 0);
	c = xt2_image_chain(map.image, xt2_image_root(map.image), 0);
	xt2_chain_first(c)->packets += 5;
	stored("image", &small);
	xt2_image_close(&map);
}

static void copies_are_copies(void **state)
{
	struct xt2_mapping map;

	assert_int_equal(xt2_image_copy(small.image, small.size, &map, NULL), 0);
	assert_ptr_not_equal(map.image, small.image);
	assert_memory_equal(map.image, small.image, small.size);
	xt2_image_close(&map);
}

/* A file's end is not the image's: the header says how much of it there is. */
static void bytes_behind_an_image_are_not_read(void **state)
{
	const size_t much = 64u << 20;
	struct xt2_mapping map;
	int fd;

	assert_int_equal(store("image", &small, NULL), 0);
	fd = open("image", O_WRONLY);
	assert_int_equal(ftruncate(fd, (off_t)much), 0);
	close(fd);
	assert_int_equal(xt2_image_open("image", &map, NULL), 0);
	assert_int_equal(map.size, small.size);
	assert_true(map.capacity < much);
	assert_memory_equal(map.image, small.image, small.size);
	xt2_image_close(&map);
}

/* What a header asks for is not believed: no image is as large as this file. */
static void sizes_are_limited(void **state)
{
	struct xt2_mapping map = { 0 };
	struct xt2_image header = *small.image;
	struct xt2_err err;

	header.size = 8ull << 30;
	put_file("image", &header, sizeof(header));
	assert_int_equal(truncate("image", (off_t)header.size), 0);
	assert_int_equal(xt2_image_open("image", &map, &err), -EINVAL);
	assert_int_equal(err.code, XT2_E_IMAGE);
	assert_null(map.image);
}

/* A header alone is an image without a ruleset. */
static void a_header_is_enough(void **state)
{
	struct xt2_mapping map = { 0 };
	struct xt2_image header = *small.image;
	struct xt2_err err;

	header.size = sizeof(header);
	header.root = 0;
	put_file("image", &header, sizeof(header));
	assert_int_equal(xt2_image_open("image", &map, &err), 0);
	assert_null(xt2_image_root(map.image));
	xt2_image_close(&map);
}

static void memory_may_be_missing(void **state)
{
	struct xt2_mapping map = { 0 };
	struct xt2_err err;
	unsigned int n;
	int ret;

	assert_int_equal(store("image", &small, NULL), 0);
	fail_alloc(1);
	assert_int_equal(xt2_image_open("image", &map, &err), -ENOMEM);
	assert_int_equal(err.code, XT2_E_SYSTEM);
	assert_string_equal(err.file, "image");
	for (n = 1; n <= 2; n++) {
		fail_alloc(n);
		ret = xt2_image_copy(small.image, small.size, &map, &err);
		assert_int_equal(ret, -ENOMEM);
		assert_null(map.image);
	}
	fail_alloc(0);
}

/* --- storing ----------------------------------------------------------- */

static void stores_replace(void **state)
{
	struct stat st;

	umask(0);
	assert_int_equal(store("image", &small, NULL), 0);
	stored("image", &small);
	assert_int_equal(store("./image", &large, NULL), 0);
	stored("image", &large);
	assert_int_equal(stat("image", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(entries(), 1);
}

static void links_stay_links(void **state)
{
	char path[sizeof(folder) + 32];
	struct xt2_err err;
	struct stat st;

	assert_int_equal(mkdir("sub", 0700), 0);
	assert_int_equal(symlink("sub/two", "one"), 0);
	assert_int_equal(symlink("three", "sub/two"), 0);
	assert_int_equal(store("one", &small, NULL), 0); /* dangling */
	stored("sub/three", &small);
	snprintf(path, sizeof(path), "%s/one", folder);
	assert_int_equal(symlink(path, "zero"), 0);
	assert_int_equal(store("zero", &large, NULL), 0);
	stored("sub/three", &large);
	assert_int_equal(lstat("sub/two", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(entries(), 3);
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_int_equal(store("loop", &small, &err), -ELOOP);
	assert_int_equal(remove("sub/two") | remove("sub/three"), 0);
}

static void folders_are_not_made(void **state)
{
	struct xt2_err err;

	assert_int_equal(store("none/image", &small, &err), -ENOENT);
	assert_int_equal(err.code, XT2_E_SYSTEM);
	assert_string_equal(err.file, "none/image");
	assert_int_equal(store("", &small, &err), -ENOENT);
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(store("folder", &small, &err), -EISDIR);
	assert_int_equal(entries(), 1);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(store("fifo", &small, &err), -EINVAL);
	assert_int_equal(entries(), 2);
}

/* A store that failed left the old file and nothing else. */
static void failed(int ret, int errnum)
{
	assert_int_equal(ret, -errnum);
	memset(&fault, 0, sizeof(fault));
	stored("image", &small);
	assert_int_equal(entries(), 1);
}

static void failures_leave_the_old_image(void **state)
{
	struct xt2_err err;

	assert_int_equal(store("image", &small, NULL), 0);
	fault.write_errno = ENOSPC;
	failed(store("image", &large, &err), ENOSPC);
	assert_string_equal(err.message, "cannot write: No space left on device");
	fault.write_errno = EDQUOT;
	fault.write_left = large.size - 1;
	failed(store("image", &large, &err), EDQUOT);
	fault.fsync_errno = EIO;
	fault.fsync_nth = 1;
	failed(store("image", &large, &err), EIO);
	fault.rename_errno = EPERM;
	failed(store("image", &large, &err), EPERM);
	fault.fsync_errno = EIO;
	fault.fsync_nth = 2;
	assert_int_equal(store("image", &large, &err), -EIO);
	assert_non_null(strstr(err.message, "which is in place"));
	stored("image", &large);
}

static void short_writes_go_on(void **state)
{
	fault.write_most = 1000;
	fault.interrupted = 2;
	assert_int_equal(store("image", &large, NULL), 0);
	stored("image", &large);
}

/* => how the child ended: its exit code */
static int in_child(int (*body)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(body());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int store_within_limit(void)
{
	const struct rlimit limit = { .rlim_cur = 65536, .rlim_max = 65536 };

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit))
		return 1;
	return store("image", &large, NULL) == -EFBIG ? 0 : 2;
}

static void limits_are_a_full_disk(void **state)
{
	assert_true(large.size > 65536);
	assert_int_equal(store("image", &small, NULL), 0);
	assert_int_equal(in_child(store_within_limit), 0);
	stored("image", &small);
	assert_int_equal(entries(), 1);
}

static int store_on_full_disk(void)
{
	struct xt2_mapping map;
	bool same;

	if (unshare(CLONE_NEWNS) || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", folder, "tmpfs", 0, "size=128k") || chdir(folder))
		return SKIPPED;
	if (store("image", &small, NULL) || store("image", &large, NULL) != -ENOSPC)
		return 1;
	if (xt2_image_open("image", &map, NULL))
		return 2;
	same = map.size == small.size && !memcmp(map.image, small.image, map.size);
	xt2_image_close(&map);
	return same && entries() == 1 ? 0 : 3;
}

static void full_disks_leave_the_old_image(void **state)
{
	int ret;

	assert_true(large.size > 128 << 10);
	ret = in_child(store_on_full_disk);
	if (ret == SKIPPED) {
		print_message("SKIP: a small disk needs the right to mount\n");
		skip();
	}
	assert_int_equal(ret, 0);
}

static void store_for_ever(void)
{
	for (;;) {
		if (store("image", &large, NULL) || store("image", &small, NULL))
			_exit(1);
	}
}

/* => 1 if the small image is there, 2 if the large one is */
static int which(void)
{
	struct xt2_mapping map;
	int ret;

	assert_int_equal(xt2_image_open("image", &map, NULL), 0);
	ret = map.size == small.size ? 1 : 2;
	assert_int_equal(map.size, ret == 1 ? small.size : large.size);
	assert_memory_equal(map.image, ret == 1 ? small.image : large.image, map.size);
	xt2_image_close(&map);
	return ret;
}

static void killed_stores_leave_one_image(void **state)
{
	unsigned int i, seen = 0;
	u32 x = (u32)time(NULL) | 1;

	assert_int_equal(store("image", &small, NULL), 0);
	for (i = 0; i < 80 || (seen != 3 && i < 2000); i++) {
		struct timespec pause = { 0 };
		int status;
		pid_t pid = fork();

		if (!pid)
			store_for_ever();
		x = x * 1664525 + 1013904223;
		pause.tv_nsec = (x >> 8 & 0x7fffff) * (1 + i / 80); /* 8 ms and more */
		nanosleep(&pause, NULL);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		seen |= (unsigned int)which();
	}
	assert_int_equal(seen, 3);
}

/* --- locking ----------------------------------------------------------- */

static void one_writer_at_a_time(void **state)
{
	struct timespec before, after;
	struct xt2_err err;
	int fd, fd2;

	assert_int_equal(symlink("image", "link"), 0);
	fd = xt2_image_lock("image", 0, NULL);
	assert_true(fd >= 0);
	assert_int_equal(xt2_image_lock("image", 0, &err), -EAGAIN);
	assert_int_equal(err.code, XT2_E_SYSTEM);
	assert_int_equal(err.errnum, EAGAIN);
	clock_gettime(CLOCK_MONOTONIC, &before);
	assert_int_equal(xt2_image_lock("link", 1, &err), -EAGAIN);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true((after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec >=
		    1000000000L);
	close(fd);
	fd2 = xt2_image_lock("link", 0, NULL);
	assert_true(fd2 >= 0);
	assert_true(fcntl(fd2, F_GETFD) & FD_CLOEXEC);
	close(fd2);
	assert_int_equal(xt2_image_lock("none/image", 0, &err), -ENOENT);
}

/* What others have left where the lock belongs: nothing is made, nothing waits. */
static void strange_locks(void **state)
{
	struct xt2_err err;
	struct stat st;

	assert_int_equal(symlink("elsewhere", "image.lock"), 0);
	assert_int_equal(xt2_image_lock("image", 0, &err), -ELOOP);
	assert_string_equal(err.message, "the lock file is a symbolic link");
	assert_string_equal(err.file, "image.lock");
	assert_int_equal(lstat("elsewhere", &st), -1);
	assert_int_equal(unlink("image.lock"), 0);
	assert_int_equal(mkfifo("image.lock", 0600), 0);
	assert_int_equal(xt2_image_lock("image", 0, &err), -EISDIR);
	assert_string_equal(err.message, "the lock file is not a regular file");
	assert_int_equal(unlink("image.lock"), 0);
	assert_int_equal(mkdir("image.lock", 0700), 0);
	assert_int_equal(xt2_image_lock("image", 0, &err), -EISDIR);
	assert_int_equal(rmdir("image.lock"), 0);
	assert_int_equal(mknod("image.lock", S_IFSOCK | 0600, 0), 0);
	assert_int_equal(xt2_image_lock("image", 0, &err), -EISDIR);
	assert_int_equal(unlink("image.lock"), 0);
}

static void strange_link(mode_t mode, uid_t owner, int want)
{
	struct stat st;

	assert_int_equal(mkdir("shared", 0700), 0);
	assert_int_equal(chmod("shared", mode), 0);
	assert_int_equal(symlink("../elsewhere", "shared/image"), 0);
	assert_int_equal(lchown("shared/image", owner, (gid_t)-1), 0);
	assert_int_equal(store("shared/image", &small, NULL), want);
	assert_int_equal(lstat("elsewhere", &st), want ? -1 : 0);
	unlink("elsewhere");
	assert_int_equal(unlink("shared/image"), 0);
	assert_int_equal(rmdir("shared"), 0);
}

/* In a folder for everybody, links of others are not followed, whatever the kernel's setting. */
static void links_of_others(void **state)
{
	strange_link(01777, geteuid(), 0);
	if (geteuid())
		return;
	strange_link(01777, 65534, -EACCES);
	strange_link(0777, 65534, 0);
	strange_link(01755, 65534, 0);
}

/* What is no image gets no lock, and a lock is no link and no device. */
static void locks_are_files(void **state)
{
	struct xt2_err err;

	assert_int_equal(mkdir("folder", 0700) | mkfifo("fifo", 0600), 0);
	assert_int_equal(xt2_image_lock("folder", 0, &err), -EISDIR);
	assert_string_equal(err.file, "folder");
	assert_int_equal(xt2_image_lock("fifo", 0, &err), -EINVAL);
	assert_int_equal(xt2_image_lock("/dev/null", 0, &err), -EINVAL);
	assert_int_equal(access("/dev/null.lock", F_OK), -1);
	assert_int_equal(entries(), 2);
	assert_int_equal(symlink("elsewhere", "image.lock"), 0);
	assert_int_equal(xt2_image_lock("image", 0, &err), -ELOOP);
	assert_string_equal(err.file, "image.lock");
	assert_non_null(strstr(err.message, "a symbolic link"));
	assert_int_equal(entries(), 3);
	assert_int_equal(mkfifo("other.lock", 0600), 0);
	assert_int_equal(xt2_image_lock("other", 0, &err), -EISDIR);
}

static void hold_lock(int report)
{
	const struct timespec pause = { .tv_nsec = 200000000 };

	if (xt2_image_lock("image", 0, NULL) < 0 || __real_write(report, "x", 1) != 1)
		_exit(1);
	nanosleep(&pause, NULL);
	_exit(0);
}

/* The lock goes with the process that has it. */
static void waiting_ends(void **state)
{
	const int waits[] = { 20, -1 };
	int i, fd, ends[2];
	char c;

	assert_int_equal(pipe(ends), 0);
	for (i = 0; i < 2; i++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			hold_lock(ends[1]);
		assert_int_equal(read(ends[0], &c, 1), 1);
		assert_int_equal(xt2_image_lock("image", 0, NULL), -EAGAIN);
		fd = xt2_image_lock("image", waits[i], NULL);
		assert_true(fd >= 0);
		close(fd);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	close(ends[0]);
	close(ends[1]);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	CASE(bad_images_are_refused),
	CASE(other_files_are_refused),
	CASE(mappings_are_private),
	CASE(copies_are_copies),
	CASE(bytes_behind_an_image_are_not_read),
	CASE(sizes_are_limited),
	CASE(a_header_is_enough),
	CASE(memory_may_be_missing),
	CASE(stores_replace),
	CASE(links_stay_links),
	CASE(folders_are_not_made),
	CASE(failures_leave_the_old_image),
	CASE(short_writes_go_on),
	CASE(limits_are_a_full_disk),
	CASE(full_disks_leave_the_old_image),
	CASE(killed_stores_leave_one_image),
	CASE(links_of_others),
	CASE(strange_locks),
	CASE(one_writer_at_a_time),
	CASE(locks_are_files),
	CASE(waiting_ends),
};

UNITS_WITH(tests, group_setup, group_teardown)
