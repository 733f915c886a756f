/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image-file.c - images in files
 *
 * Opening reads a file and checks all of it; evaluation then counts in memory
 * only.  The copy cannot change after the check, and it can have huge pages:
 * through those of a mapped file, a packet in 100,000 rules waits longer for
 * address translation than for the rules.
 *
 * Storing is durable, see new-file.c.  The lock is a file beside the image,
 * since the image's own inode changes with every store.
 */
#include "config.h"
#include "libxt2/ruleset/arena.h"
#include "libxt2/err.h"
#include "new-file.h"
#include "libxt2/ruleset/ruleset.h"
#include "engine/check.h"
#include "engine/index/search.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * Between two tries for a lock: an eighth of the time that was waited, within these.  Others hold it
 * for as long as a commit takes, and who comes later must not be much faster.
 */
#define LOCK_POLL_MIN 100000L /* ns */
#define LOCK_POLL_MAX 1000000L

static int system_error(struct xt2_err *err, const char *verb, const char *path)
{
	return xt2_file_error(err, errno, verb, path);
}

static int image_error(struct xt2_err *err, int ret, const struct xt2_check_err *why)
{
	char place[64] = "";

	if (why->rule)
		snprintf(place, sizeof(place), ", chain %u, rule %u", why->chain, why->rule);
	else if (why->chain != ~0u)
		snprintf(place, sizeof(place), ", chain %u", why->chain);
	return xt2_err_set(err, ret == -ELOOP ? XT2_E_LOOP : XT2_E_IMAGE, -ret,
			   "not a valid image: %s (offset %llu%s)", why->what,
			   (unsigned long long)why->offset, place);
}

/* The rules are good: which chain's index is wrong, and what to do about it. */
static int index_error(struct xt2_err *err, const struct xt2_image *image,
		       const struct xt2_check_err *why)
{
	const struct xt2_root *root = xt2_image_root(image);
	const struct xt2_chain *c = xt2_image_chain(image, root, why->chain);

	xt2_err_set(err, XT2_E_IMAGE, EINVAL, "not a valid image: table %s, chain %s: %s",
		    xt2_image_table(image, root, c->table)->name,
		    xt2_image_chain_cold(image, root, why->chain)->name, why->what);
	xt2_err_hint(err, "the rules are whole: xt2tables-save gives them back, and "
			  "xt2tables-restore makes the index again");
	return -EINVAL;
}

/*
 * rules: it is the rules alone that are wanted: see xt2_check_rules()
 * => 0, -ENOMEM, or what xt2_check() found
 */
static int check(void *bytes, size_t size, bool rules, struct xt2_err *err)
{
	struct xt2_check_err why = { .what = "too short", .chain = ~0u };
	bool whole = false;
	void *scratch;
	int ret;

	if (size < sizeof(struct xt2_image))
		return image_error(err, -EINVAL, &why);
	scratch = malloc(xt2_check_scratch(size));
	if (!scratch)
		return xt2_err_no_memory(err, " to check the image");
	ret = rules ? xt2_check_rules(bytes, size, scratch, &why)
		    : xt2_check(bytes, size, scratch, &why);
	if (ret == -EINVAL && !rules)
		whole = !xt2_check_rules(bytes, size, scratch, NULL);
	free(scratch);
	if (!ret)
		return 0;
	return whole ? index_error(err, bytes, &why) : image_error(err, ret, &why);
}

/* An image is a regular file.  => 0, -EISDIR, -EINVAL */
static int check_kind(const struct stat *st, const char *verb, const char *path,
		      struct xt2_err *err)
{
	if (S_ISREG(st->st_mode))
		return 0;
	if (S_ISDIR(st->st_mode))
		return xt2_file_error(err, EISDIR, verb, path);
	xt2_err_set(err, XT2_E_IMAGE, EINVAL, "not a valid image: it is no regular file");
	xt2_err_file(err, path);
	return -EINVAL;
}

int xt2_image_room_(size_t size, struct xt2_mapping *map, struct xt2_err *err)
{
	map->mapped = size >= XT2_LARGE_;
	map->capacity = map->mapped ? XT2_LARGE_SIZE_(size) : size;
	map->image = xt2_room_alloc_(size ? size : 1);
	if (!map->image)
		return xt2_err_no_memory(err, " for the image");
	return 0;
}

/* Bytes worth reading: as many as the header says, if it does and the file has them. */
static size_t image_size(const struct xt2_image *header, size_t file)
{
	if (header->magic != XT2_MAGIC || header->size > XT2_SIZE_MAX)
		return sizeof(*header);
	return header->size < file ? (size_t)header->size : file;
}

/*
 * A commit may append meanwhile: the header is read before the file's size, and it is the one
 * that counts.
 */
static int read_image(int fd, const char *path, bool rules, struct xt2_mapping *map,
		      struct xt2_err *err)
{
	struct xt2_image header = { 0 };
	struct stat st;
	size_t size;
	ssize_t n;
	int ret;

	if (fstat(fd, &st))
		return system_error(err, "read", path);
	ret = check_kind(&st, "read", path, err);
	if (ret)
		return ret;
	n = xt2_read_header_(fd, &header);
	if (n < 0)
		return xt2_file_error(err, (int)-n, "read", path);
	if (fstat(fd, &st))
		return system_error(err, "read", path);
	size = (size_t)st.st_size;
	if (size > sizeof(header))
		size = image_size(&header, size);
	ret = xt2_image_room_(size, map, err);
	if (ret)
		return ret;
	n = xt2_read_up_to(fd, map->image, size);
	if (n >= (ssize_t)sizeof(header))
		*map->image = header;
	ret = n < 0 ? xt2_file_error(err, (int)-n, "read", path)
		    : check(map->image, (size_t)n, rules, err);
	if (!ret) {
		map->size = map->image->size;
		return 0;
	}
	xt2_image_close(map);
	return ret;
}

static int open_image(const char *path, bool rules, struct xt2_mapping *map, struct xt2_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct xt2_mapping m;
	int ret;

	if (fd < 0)
		return system_error(err, "open", path);
	ret = read_image(fd, path, rules, &m, err);
	close(fd);
	if (ret) {
		xt2_err_file(err, path);
		return ret;
	}
	*map = m;
	xt2_image_fold(map->image);
	return 0;
}

int xt2_image_open(const char *path, struct xt2_mapping *map, struct xt2_err *err)
{
	return open_image(path, false, map, err);
}

int xt2_image_open_rules(const char *path, struct xt2_mapping *map, struct xt2_err *err)
{
	return open_image(path, true, map, err);
}

void xt2_image_fold(struct xt2_image *image)
{
	const struct xt2_root *root = xt2_image_root(image);
	struct xt2_chain *c;
	u32 i;

	if (!root)
		return;
	xt2_image_for_each_chain(c, i, image, root)
		xt2_chain_fold(c);
}

int xt2_image_copy(const void *bytes, size_t size, struct xt2_mapping *map, struct xt2_err *err)
{
	struct xt2_mapping m;
	int ret = xt2_image_room_(size, &m, err);

	if (ret)
		return ret;
	memcpy(m.image, bytes, size);
	ret = check(m.image, size, false, err);
	if (ret) {
		xt2_image_close(&m);
		return ret;
	}
	*map = m;
	map->size = map->image->size;
	return 0;
}

void xt2_image_close(struct xt2_mapping *map)
{
	if (map->mapped)
		munmap(map->image, map->capacity);
	else
		free(map->image);
	memset(map, 0, sizeof(*map));
}

/* All bytes, or nothing stays. */
static int fill(struct xt2_new_file *f, const void *bytes, size_t size)
{
	int ret = xt2_write_all(f->fd, bytes, size);

	f->failed = "write";
	if (!ret)
		ret = xt2_new_file_close(f, true);
	if (ret)
		xt2_new_file_drop(f);
	return ret;
}

int xt2_image_store(const char *path, const struct xt2_image *image, size_t size,
		    struct xt2_err *err)
{
	struct xt2_new_file f;
	int ret = xt2_new_file_create(&f, path);

	if (!ret)
		ret = fill(&f, image, size);
	if (!ret)
		ret = xt2_new_file_place(&f, true);
	return ret ? xt2_file_error(err, -ret, f.failed, path) : 0;
}

/* => ns since then */
static long long since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - start->tv_sec) * 1000000000ll + now.tv_nsec - start->tv_nsec;
}

static struct timespec next_pause(long long waited)
{
	long long ns = waited / 8;

	if (ns < LOCK_POLL_MIN)
		ns = LOCK_POLL_MIN;
	return (struct timespec){ .tv_nsec = ns < LOCK_POLL_MAX ? (long)ns : LOCK_POLL_MAX };
}

/* flock() has no time limit of its own.  => 0, or -1 and errno */
static int lock(int fd, int wait)
{
	struct timespec start, pause;
	long long waited;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while (flock(fd, wait < 0 ? LOCK_EX : LOCK_EX | LOCK_NB)) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return -1;
		waited = since(&start);
		if (waited >= wait * 1000000000ll) {
			errno = EAGAIN;
			return -1;
		}
		pause = next_pause(waited);
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* What a lock file must not be.  => -errno */
static int no_lock_file(struct xt2_err *err, int errnum, const char *what, const char *name)
{
	xt2_err_set(err, XT2_E_SYSTEM, errnum, "the lock file is %s", what);
	xt2_err_file(err, name);
	xt2_err_hint(err, "remove it, and find out who has put it there");
	return -errnum;
}

int xt2_lock_open(const char *name, struct xt2_err *err)
{
	int fd =
		open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
	struct stat st;

	if (fd < 0 && errno == ELOOP)
		return no_lock_file(err, ELOOP, "a symbolic link", name);
	if (fd < 0 && errno != EISDIR && errno != ENXIO)
		return system_error(err, "open the lock file", name);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	if (fd >= 0)
		close(fd);
	return no_lock_file(err, EISDIR, "not a regular file", name);
}

/* What is no image will not become one: no lock is left beside a folder or a device.  => 0, -errno */
static int refuse_others(const char *path, struct xt2_err *err)
{
	struct stat st;

	if (stat(path, &st))
		return errno == ENOENT ? 0 : system_error(err, "open", path);
	return check_kind(&st, "open", path, err);
}

int xt2_image_lock_(const char *path, int wait, struct xt2_err *err)
{
	char real[PATH_MAX], name[PATH_MAX];
	int fd, ret = refuse_others(path, err);

	if (ret)
		return ret;
	ret = xt2_resolve(path, real);
	if (ret)
		return xt2_file_error(err, -ret, "resolve", path);
	if (snprintf(name, sizeof(name), "%s.lock", real) >= (int)sizeof(name))
		return xt2_file_error(err, ENAMETOOLONG, "lock", path);
	fd = xt2_lock_open(name, err);
	if (fd < 0)
		return fd;
	if (!lock(fd, wait))
		return fd;
	if (errno == EAGAIN) {
		xt2_err_set(err, XT2_E_SYSTEM, EAGAIN, "another program is changing this image");
		xt2_err_file(err, path);
		xt2_err_hint(err, "try again when it is done");
		ret = -EAGAIN;
	} else {
		ret = system_error(err, "lock", name);
	}
	close(fd);
	return ret;
}
