/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-log.c - the ring of events: see log.h
 *
 * It is made for the first ruleset that has something to log, and stays until
 * detach: a reader sees all rulesets that come and go.  The ring has room for
 * one reader, which holds a lock of its own; commands don't wait for it.
 */
#include "bpf-private.h"
#include "kernel/bpf/log.h"

#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>

#define PATIENCE 1 /* seconds until a reader looks whether all is still there */

struct xt2_live_log {
	char folder[300], map[310]; /* paths */
	ino_t inode; /* of the map's */
	int maps, lock;
	struct ring_buffer *ring; /* NULL: there is none yet */
	const struct xt2_state *arena; /* mapped, or NULL */
	int (*event)(void *data, const struct xt2_log_event *e);
	void *data;
};

static int ring_of(int maps)
{
	const __u32 key = 0;
	__u32 id;

	return bpf_map_lookup_elem(maps, &key, &id) ? -errno : bpf_map_get_fd_by_id(id);
}

int xt2_live_ring_(const struct xt2_live *host)
{
	const __u32 key = 0;
	int maps = host->fd[XT2_PIN_LOGS], ring = ring_of(maps), ret = 0;

	if (ring < 0) {
		ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "xt2_ring", 0, 0, XT2_LOG_RING, NULL);
		ret = ring < 0 ? -errno : bpf_map_update_elem(maps, &key, &ring, BPF_ANY);
	}
	if (ring >= 0)
		close(ring);
	return ret;
}

/* --- the reader ---------------------------------------------------------- */

static int take_event(void *data, void *bytes, size_t size)
{
	const struct xt2_live_log *log = data;
	const struct xt2_log_event *e = bytes;

	if (size < sizeof(*e) || size - sizeof(*e) < e->caplen)
		return 0;
	return log->event(log->data, e);
}

static int find_ring(struct xt2_live_log *log)
{
	int fd = log->ring ? -1 : ring_of(log->maps);

	if (fd < 0)
		return 0;
	log->ring = ring_buffer__new(fd, take_event, log, NULL);
	close(fd);
	return log->ring ? 0 : -ENOMEM;
}

/* One reader at a time: the lock is a folder's, for maps in files can't be locked. */
static int lock_out_others(struct xt2_live_log *log)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/reader", log->folder);
	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	log->lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (log->lock < 0)
		return -errno;
	return flock(log->lock, LOCK_EX | LOCK_NB) ? -errno : 0;
}

static bool is_there(const struct xt2_live_log *log)
{
	struct stat s;

	return !stat(log->map, &s) && s.st_ino == log->inode;
}

/* As other processes have it, at the same address; read only. */
static int map_arena(struct xt2_live_log *log)
{
	char path[320];
	void *at;
	int fd;

	snprintf(path, sizeof(path), "%s/arena", log->folder);
	fd = bpf_obj_get(path);
	if (fd < 0)
		return fd;
	at = mmap(xt2_live_at_(0), XT2_ARENA_SIZE, PROT_READ, MAP_SHARED | MAP_FIXED_NOREPLACE, fd,
		  0);
	close(fd);
	if (at == MAP_FAILED)
		return -errno;
	log->arena = xt2_live_state_();
	return log->arena->version == XT2_ARENA_VERSION ? 0 : -EPROTO;
}

static int open_log(struct xt2_live_log *log, const char *folder)
{
	struct stat s;
	int ret;

	if (snprintf(log->folder, sizeof(log->folder), "%s", folder) >= (int)sizeof(log->folder))
		return -ENAMETOOLONG;
	snprintf(log->map, sizeof(log->map), "%s/logs", log->folder);
	if (stat(log->map, &s))
		return -errno;
	log->inode = s.st_ino;
	log->maps = bpf_obj_get(log->map);
	if (log->maps < 0)
		return -errno;
	ret = lock_out_others(log);
	if (!ret)
		ret = map_arena(log);
	return ret ? ret : find_ring(log);
}

int xt2_live_log_open(struct xt2_live_log **out, const char *folder,
		      int (*event)(void *data, const struct xt2_log_event *e), void *data,
		      struct xt2_err *err)
{
	struct xt2_live_log *log = calloc(1, sizeof(*log));
	int ret;

	if (!log)
		return xt2_err_no_memory(err, "");
	log->maps = log->lock = -1;
	log->event = event;
	log->data = data;
	ret = open_log(log, folder);
	if (!ret) {
		*out = log;
		return 0;
	}
	if (ret == -EWOULDBLOCK) {
		close(log->lock); /* the folder is the other one's */
		log->lock = -1;
	}
	xt2_live_log_close(log);
	if (ret == -ENOENT)
		return xt2_live_none_(err);
	if (ret == -EWOULDBLOCK)
		return xt2_err_set(err, XT2_E_SYSTEM, EBUSY,
				   "another xt2 log reads these events already");
	if (ret == -EPROTO)
		return xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP,
				   "the live ruleset is that of another version of xt2");
	return xt2_err_path(err, -ret, folder);
}

void xt2_live_log_close(struct xt2_live_log *log)
{
	char path[320];

	if (!log)
		return;
	ring_buffer__free(log->ring);
	if (log->arena)
		munmap(xt2_live_at_(0), XT2_ARENA_SIZE);
	if (log->lock >= 0) {
		snprintf(path, sizeof(path), "%s/reader", log->folder);
		rmdir(path);
		close(log->lock);
	}
	if (log->maps >= 0)
		close(log->maps);
	free(log);
}

int xt2_live_log_read(struct xt2_live_log *log)
{
	int ret = find_ring(log);

	if (ret)
		return ret;
	return log->ring ? ring_buffer__consume(log->ring) : 0;
}

__u64 xt2_live_log_lost(const struct xt2_live_log *log)
{
	const struct xt2_slot *slot = xt2_live_at_(XT2_ARENA_SLOTS);
	u32 i, slots = log->arena->cpus * XT2_SLOTS;
	__u64 lost = 0;

	for (i = 0; i < slots; i++)
		lost += __atomic_load_n(&slot[i].unseen, __ATOMIC_RELAXED);
	return lost;
}

int xt2_live_log_wait(const struct xt2_live_log *log, const sigset_t *mask)
{
	struct pollfd p = { .fd = log->ring ? ring_buffer__epoll_fd(log->ring) : -1,
			    .events = POLLIN };
	const struct timespec patience = { .tv_sec = PATIENCE };
	int ready = ppoll(&p, 1, &patience, mask);

	if (ready < 0)
		return -errno;
	return ready || is_there(log) ? 0 : -ENODEV;
}
