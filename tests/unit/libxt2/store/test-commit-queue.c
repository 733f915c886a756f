/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-commit-queue.c - libxt2/store/commit-queue.c
 *
 * Two writers, of which the other one runs in a thread.  Syncs are counted, wait for the other
 * one where a test wants that, and fail.
 */
#include "libxt2/store/commit-queue.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include "engine/image.h"
#include "libxt2/ruleset/inplace.h"
#include "libxt2/ruleset/ruleset.h"
#include "libxt2/store/edit-file.h"
#include "tests/unit/store-case.h"

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);

/* What syncs do, from the first of a test on. */
static struct {
	unsigned int count;
	unsigned int fail; /* the one that does; 0: none */
	int error;
	void (*before)(unsigned int number); /* or NULL */
	long delay; /* ns */
} syncs;

int __wrap_fdatasync(int fd)
{
	const unsigned int number = __atomic_add_fetch(&syncs.count, 1, __ATOMIC_SEQ_CST);

	if (syncs.delay)
		nanosleep(&(struct timespec){ .tv_nsec = syncs.delay }, NULL);
	if (syncs.before)
		syncs.before(number);
	if (number == syncs.fail) {
		errno = syncs.error;
		return -1;
	}
	return __real_fdatasync(fd);
}

static int setup_queue(void **data)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map;
	int ret = setup(data);

	if (ret)
		return ret;
	memset(&syncs, 0, sizeof(syncs));
	xt2_table_add(rs, XT2_IPV4, "filter", NULL);
	ret = xt2_ruleset_write(rs, &map, NULL);
	if (!ret)
		ret = xt2_image_store(((struct state *)*data)->path, map.image, map.size, NULL);
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
	return ret;
}

/* --- writers ------------------------------------------------------------------ */

struct writer {
	const char *path;
	const char *chain; /* that it adds; NULL: nothing */
	bool shares;
	int ret;
	struct xt2_err err;
	pthread_t thread;
	struct xt2_edit_file *file;
	const char *whole;
	struct xt2_ruleset *rs;
	int lock;
};

/* => bytes that it would cut off */
static u64 begin(struct writer *w)
{
	w->lock = xt2_image_lock_(w->path, 10, NULL);
	w->rs = xt2_ruleset_new();
	assert_true(w->lock >= 0);
	assert_int_equal(xt2_edit_file_open(w->path, w->lock, &w->file, w->rs, &w->whole, NULL), 0);
	if (w->shares)
		xt2_edit_file_share(w->file);
	return xt2_edit_file_torn(w->file);
}

static void finish(struct writer *w)
{
	if (w->chain)
		assert_true(xt2_chain_add(w->rs, 0, w->chain) > 0);
	w->ret = xt2_edit_file_commit(w->file, w->rs, NULL, NULL, &w->err);
}

static void end(struct writer *w)
{
	xt2_ruleset_free(w->rs);
	xt2_edit_file_close(w->file);
	close(w->lock);
}

static void *write_one(void *writer)
{
	begin(writer);
	finish(writer);
	end(writer);
	return NULL;
}

static void start(struct writer *w)
{
	assert_int_equal(pthread_create(&w->thread, NULL, write_one, w), 0);
}

/* => user chains in the file, which is checked; one letter each */
static void chains(const char *path, char *text)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map;
	int chain;

	assert_int_equal(xt2_image_open(path, &map, NULL), 0);
	assert_int_equal(xt2_ruleset_load(rs, map.image, map.size), 0);
	xt2_table_for_each_chain(chain, rs, 0)
		if (xt2_chain_hook(rs, chain) < 0)
			*text++ = *xt2_chain_name(rs, chain);
	*text = '\0';
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
}

#define assert_chains(s, wanted)                     \
	do {                                         \
		char found_[16];                     \
		chains((s)->path, found_);           \
		assert_string_equal(found_, wanted); \
	} while (0)

static bool read_state(const char *path, struct xt2_queue_state *s)
{
	char name[80];
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "%s.lock", path);
	fd = open(name, O_RDONLY);
	n = pread(fd, s, sizeof(*s), 0);
	close(fd);
	return n == (ssize_t)sizeof(*s);
}

/* --- sharing ------------------------------------------------------------------- */

static struct writer one, other;

/* The first sync lasts until the other writer has appended its commit as well. */
static void let_the_other_append(unsigned int number)
{
	struct xt2_queue_state s;
	u64 first;

	if (number != 1)
		return;
	assert_true(read_state(one.path, &s));
	first = s.appended.number;
	start(&other);
	while (!read_state(one.path, &s) || s.appended.number == first)
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	assert_true(s.published.number < first);
}

static void two_writers(const struct state *s)
{
	one = (struct writer){ .path = s->path, .chain = "a", .shares = true };
	other = (struct writer){ .path = s->path, .chain = "b", .shares = true };
	syncs.before = let_the_other_append;
	write_one(&one);
	pthread_join(other.thread, NULL);
}

static void two_commits_share_a_sync(void **data)
{
	const struct state *s = *data;

	two_writers(s);
	assert_int_equal(one.ret, 0);
	assert_int_equal(other.ret, 0);
	assert_int_equal(syncs.count, 3);
	assert_chains(s, "ab");
}

static void one_commit_alone_syncs_twice(void **data)
{
	const struct state *s = *data;

	one = (struct writer){ .path = s->path, .chain = "a", .shares = true };
	write_one(&one);
	assert_int_equal(one.ret, 0);
	assert_int_equal(syncs.count, 2);
	assert_chains(s, "a");
}

/* One that was stopped has the turn and does nothing. */
static void a_leader_that_was_stopped_is_not_waited_for(void **data)
{
	struct flock turn = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };
	const struct state *s = *data;
	char name[80];
	int fd;

	one = (struct writer){ .path = s->path, .chain = "a", .shares = true };
	write_one(&one);
	snprintf(name, sizeof(name), "%s.lock", s->path);
	fd = open(name, O_RDWR);
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &turn), 0);
	one.chain = "b";
	write_one(&one);
	close(fd);
	assert_int_equal(one.ret, 0);
	assert_chains(s, "ab");
}

/* What changes nothing is durable only when what it has read is. */
static void a_commit_without_a_change_waits_as_well(void **data)
{
	const struct state *s = *data;

	one = (struct writer){ .path = s->path, .chain = "a", .shares = true };
	write_one(&one);
	syncs.count = 0;
	one = (struct writer){ .path = s->path, .shares = true };
	write_one(&one);
	assert_int_equal(one.ret, 0);
	assert_int_equal(syncs.count, 0);
	assert_chains(s, "a");
}

static void a_late_sync_leaves_a_file_that_is_believed(void **data)
{
	const struct state *s = *data;

	one = (struct writer){ .path = s->path, .chain = "a", .shares = true };
	syncs.delay = XT2_STAMP_SETTLED + 20000000;
	write_one(&one);
	assert_int_equal(one.ret, 0);
	one = (struct writer){ .path = s->path };
	assert_int_equal(begin(&one), 0);
	assert_null(one.whole);
	end(&one);
	one.rs = xt2_ruleset_new();
	assert_int_equal(xt2_edit_file_open(s->path, -1, &one.file, one.rs, &one.whole, NULL), 0);
	assert_null(one.whole); /* nor do readers check it */
	xt2_ruleset_free(one.rs);
	xt2_edit_file_close(one.file);
}

/* --- failing -------------------------------------------------------------------- */

static void next_commit_works(const struct state *s, const char *wanted)
{
	memset(&syncs, 0, sizeof(syncs));
	one = (struct writer){ .path = s->path, .chain = "z", .shares = true };
	write_one(&one);
	assert_int_equal(one.ret, 0);
	assert_chains(s, wanted);
}

static void all_are_told_of_a_sync_that_fails(void **data)
{
	const struct state *s = *data;

	syncs.fail = 1;
	syncs.error = EIO;
	two_writers(s);
	assert_int_equal(one.ret, -EIO);
	assert_int_equal(other.ret, -EIO);
	assert_null(strstr(one.err.message, "stored"));
	assert_null(strstr(other.err.message, "stored"));
	assert_chains(s, "");
	next_commit_works(s, "z");
}

static void what_the_header_names_is_stored(void **data)
{
	const struct state *s = *data;

	syncs.fail = 2;
	syncs.error = EIO;
	two_writers(s);
	assert_int_equal(one.ret, -EIO);
	assert_int_equal(other.ret, -EIO);
	assert_non_null(strstr(one.err.message, "which is stored"));
	assert_null(strstr(other.err.message, "stored"));
	assert_chains(s, "a");
	next_commit_works(s, "az");
}

static void a_full_disk_gets_room_from_older_files(void **data)
{
	const struct state *s = *data;
	char old[80];

	snprintf(old, sizeof(old), "%s.old-3", s->path);
	close(open(old, O_WRONLY | O_CREAT, 0600));
	syncs.fail = 1;
	syncs.error = ENOSPC;
	two_writers(s);
	assert_int_equal(one.ret, 0);
	assert_int_equal(other.ret, 0);
	assert_int_equal(access(old, F_OK), -1);
	assert_chains(s, "ab");
}

/* --- what is found in lock files -------------------------------------------------- */

/* A writer appends, and is killed: nothing of it is there but what it wrote. */
static void append_and_die(const struct state *s)
{
	struct writer w = { .path = s->path, .chain = "a", .shares = true };
	struct xt2_queue_state state;
	pid_t pid = fork();
	int status;

	if (!pid) {
		memset(&syncs, 0, sizeof(syncs));
		syncs.before = (void (*)(unsigned int))(void (*)(void))_exit;
		write_one(&w);
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 1); /* the number of the sync */
	assert_true(read_state(s->path, &state));
	assert_true(state.published.number < state.appended.number);
}

static void what_nobody_waits_for_is_cut_off(void **data)
{
	const struct state *s = *data;

	append_and_die(s);
	assert_chains(s, "");
	one = (struct writer){ .path = s->path, .chain = "b" };
	assert_true(begin(&one) > 0);
	finish(&one);
	assert_int_equal(one.ret, 0);
	end(&one);
	assert_chains(s, "b");
	append_and_die(s);
	one = (struct writer){ .path = s->path, .lock = xt2_image_lock(s->path, 0, NULL) };
	assert_true(one.lock >= 0);
	close(one.lock);
	assert_chains(s, "b");
}

/* The lock file of others, or with other bytes, is as good as an empty one. */
static void a_lock_file_may_say_anything(void **data)
{
	const struct state *s = *data;
	struct xt2_queue_state state;
	char name[80];
	size_t at;
	int fd;

	snprintf(name, sizeof(name), "%s.lock", s->path);
	append_and_die(s);
	assert_true(read_state(s->path, &state));
	for (at = 0; at < sizeof(state); at += 8) {
		const u64 was = ((u64 *)&state)[at / 8], wrong = at % 16 ? ~was : 8;

		fd = open(name, O_WRONLY);
		assert_int_equal(pwrite(fd, &wrong, 8, (off_t)at), 8);
		close(fd);
		assert_chains(s, "");
		one = (struct writer){ .path = s->path };
		begin(&one);
		end(&one);
		fd = open(name, O_WRONLY);
		assert_int_equal(pwrite(fd, &state, sizeof(state), 0), (ssize_t)sizeof(state));
		close(fd);
	}
	assert_int_equal(chmod(name, 0666), 0);
	next_commit_works(s, "z");
}

/* Whoever replaces the file finds nothing that waits. */
static void a_file_is_replaced_after_what_waits(void **data)
{
	struct state *s = *data;

	one = (struct writer){ .path = s->path, .chain = "a", .shares = true };
	syncs.delay = 30000000;
	start(&one);
	while (!__atomic_load_n(&syncs.count, __ATOMIC_SEQ_CST))
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	assert_int_equal(xt2_store_lock(&s->one, XT2_STORE_CHANGE, 10, NULL), 0);
	assert_chains(s, "a");
	add_table(&s->one, "nat");
	xt2_store_unlock(&s->one);
	pthread_join(one.thread, NULL);
	assert_int_equal(one.ret, 0);
	assert_chains(s, "a");
	assert_int_equal(tables(&s->one), 2);
}

#undef CASE
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup_queue, teardown)

static const struct CMUnitTest cases[] = {
	CASE(two_commits_share_a_sync),
	CASE(one_commit_alone_syncs_twice),
	CASE(a_leader_that_was_stopped_is_not_waited_for),
	CASE(a_commit_without_a_change_waits_as_well),
	CASE(a_late_sync_leaves_a_file_that_is_believed),
	CASE(all_are_told_of_a_sync_that_fails),
	CASE(what_the_header_names_is_stored),
	CASE(a_full_disk_gets_room_from_older_files),
	CASE(what_nobody_waits_for_is_cut_off),
	CASE(a_lock_file_may_say_anything),
	CASE(a_file_is_replaced_after_what_waits),
};

UNITS(cases)
