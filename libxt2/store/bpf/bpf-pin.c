/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-pin.c - objects that stay in the kernel when the process ends
 *
 * A folder holds the arena, the programs that give it memory, and a link for
 * each hook, named after its table, family and hook.  Links hold their
 * programs.  The order of steps makes every state that a kill leaves behind a
 * harmless one: the arena comes first and goes last, so that links and
 * programs are always its own; links come before the ruleset, and without one
 * they let all packets pass.
 *
 * The folder is net- and the inode and the cookie of its network namespace: an inode
 * may be that of another one later, a cookie never.
 */
#include "bpf-private.h"
#include "bpf-owner.h"

#include <dirent.h>
#include <sys/file.h>
#include <time.h>

#define READERS_MS 10000 /* for readers to finish */
#define PAUSE_MS   10

/*
 * => true: the lock is held by a reader, or by a process that exited meanwhile, and a while
 * has passed
 */
static bool wait_for_readers(int fd, enum xt2_store_access access, struct xt2_lock_owner_ *owner)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000 };

	owner->pid = 0;
	if (xt2_lock_owner_(fd, owner) && (!owner->reads || access == XT2_STORE_LOOK))
		return false;
	nanosleep(&pause, NULL);
	return true;
}

/*
 * Lock a folder that may go away, and come back, meanwhile.
 * => a file descriptor, -errno; -EAGAIN: owner has it, if its pid is not 0
 */
static int lock_folder(const char *folder, enum xt2_store_access access,
		       struct xt2_lock_owner_ *owner)
{
	const int how = access == XT2_STORE_LOOK ? LOCK_SH : LOCK_EX;
	int fd, pauses = READERS_MS / PAUSE_MS;

	for (;;) {
		if (access == XT2_STORE_CREATE && mkdir(folder, 0700) && errno != EEXIST)
			return -errno;
		fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT && access == XT2_STORE_CREATE)
			continue;
		if (fd < 0)
			return -errno;
		while (flock(fd, how | LOCK_NB)) {
			if (wait_for_readers(fd, access, owner) && pauses--)
				continue;
			close(fd);
			return -EAGAIN;
		}
		if (xt2_same_file_(fd, folder))
			return fd;
		close(fd);
	}
}

static int somebody(const struct xt2_lock_owner_ *owner, struct xt2_err *err)
{
	if (!owner->pid)
		return xt2_err_set(err, XT2_E_SYSTEM, EAGAIN,
				   "another command is at work on this live ruleset");
	return xt2_err_set(err, XT2_E_SYSTEM, EAGAIN,
			   "another command is at work on this live ruleset: process %d, %s",
			   owner->pid, *owner->command ? owner->command : "which has ended");
}

static int folder_path(const char *pin, bool create, char *folder, size_t size, struct xt2_err *err)
{
	__u64 cookie = xt2_live_cookie_();
	char root[256];
	struct stat ns;
	int ret = xt2_live_root_(pin, create, root, sizeof(root), err);

	if (ret)
		return ret;
	if (!cookie || stat("/proc/self/ns/net", &ns))
		return xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP,
				   "the kernel does not say which network namespace this is");
	if (snprintf(folder, size, "%s/net-%lu-%llu", root, (unsigned long)ns.st_ino,
		     (unsigned long long)cookie) >= (int)size)
		return xt2_err_set(err, XT2_E_SYNTAX, ENAMETOOLONG, "%s: too long", root);
	return 0;
}

int xt2_live_path(const char *pin, char *folder, size_t size, struct xt2_err *err)
{
	return folder_path(pin, false, folder, size, err);
}

int xt2_live_folder(const char *pin, enum xt2_store_access access, char *folder, size_t size,
		    struct xt2_err *err)
{
	int fd = folder_path(pin, access == XT2_STORE_CREATE, folder, size, err);
	struct xt2_lock_owner_ owner;

	if (fd)
		return fd;
	fd = lock_folder(folder, access, &owner);
	if (fd == -ENOENT)
		return xt2_live_none_(err);
	if (fd == -EAGAIN)
		return somebody(&owner, err);
	if (fd == -EACCES || fd == -EPERM)
		return xt2_live_forbidden_(err);
	if (fd < 0)
		return xt2_err_path(err, -fd, folder);
	return fd;
}

void xt2_live_leave(const char *folder, int lock)
{
	rmdir(folder); /* if it is empty */
	close(lock);
}

static int join(char *path, size_t size, const char *folder, const char *name)
{
	return snprintf(path, size, "%s/%s", folder, name) < (int)size ? 0 : -ENAMETOOLONG;
}

/* => a file descriptor, -errno */
static int get_pinned(const char *folder, const char *name)
{
	char path[512];
	int ret = join(path, sizeof(path), folder, name);

	return ret ? ret : bpf_obj_get(path);
}

int xt2_live_open(struct xt2_live **host, const char *folder, const struct xt2_live_programs *what,
		  struct xt2_err *err)
{
	int i, pinned[XT2_PINS];

	pinned[XT2_PIN_ARENA] = get_pinned(folder, "arena");
	if (pinned[XT2_PIN_ARENA] == -ENOENT)
		return xt2_live_none_(err);
	if (pinned[XT2_PIN_ARENA] < 0)
		return xt2_live_refused_(-pinned[XT2_PIN_ARENA], err);
	for (i = XT2_PIN_ARENA + 1; i < XT2_PINS; i++)
		pinned[i] = get_pinned(folder, xt2_pin_names_[i]);
	if (what && pinned[XT2_PIN_EVALUATORS] < 0)
		pinned[XT2_PIN_EVALUATORS] = xt2_evaluators_find_(folder);
	return xt2_live_start_(host, what, pinned, err);
}

static bool is_pinned(const char *folder, const char *name)
{
	char path[512];

	return !join(path, sizeof(path), folder, name) && !access(path, F_OK);
}

static int pin(const char *folder, const char *name, int fd)
{
	char path[512];

	if (is_pinned(folder, name))
		return 0;
	if (join(path, sizeof(path), folder, name))
		return -ENAMETOOLONG;
	return bpf_obj_pin(fd, path);
}

int xt2_live_clear_(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	int failed = 0;

	if (!dir)
		return -errno;
	xt2_guards_drop_(folder); /* the first, or they would drop packets for want of the rest */
	xt2_live_old_drop_(folder);
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.' && strcmp(e->d_name, "arena") &&
		    strcmp(e->d_name, "evaluators") && /* hooks drop packets for want of them */
		    unlinkat(dirfd(dir), e->d_name, 0) &&
		    (errno != EISDIR || unlinkat(dirfd(dir), e->d_name, AT_REMOVEDIR)))
			failed = errno;
	if (!failed && unlinkat(dirfd(dir), "evaluators", 0) && errno != ENOENT)
		failed = errno;
	if (!failed && unlinkat(dirfd(dir), "arena", 0) && errno != ENOENT)
		failed = errno;
	closedir(dir);
	return -failed;
}

static int pin_arena(const struct xt2_live *host, const char *folder)
{
	int i, ret = 0;

	if (!is_pinned(folder, "arena")) /* the folder has files of another arena */
		xt2_live_clear_(folder);
	for (i = 0; i < XT2_PINS && !ret; i++)
		ret = pin(folder, xt2_pin_names_[i], host->fd[i]);
	return ret;
}

/* The link's name: "filter-ipv4-INPUT". */
static int link_path(char *path, size_t size, const char *folder, const char *table, u8 family,
		     u32 hook)
{
	char name[128];

	snprintf(name, sizeof(name), "%s-%s-%s", table, xt2_family_name(family),
		 xt2_hook_name(family, (int)hook));
	return join(path, size, folder, name);
}

static int hook_path(char *path, size_t size, const char *folder, const struct xt2_image *img,
		     const struct xt2_hook *h)
{
	const char *table = xt2_image_table(img, xt2_image_root(img), h->table)->name;

	return link_path(path, size, folder, table, h->family, h->hook);
}

static u32 table_of(const struct xt2_image *img, const struct xt2_hook *h)
{
	return (u32)xt2_live_table_(xt2_image_table(img, xt2_image_root(img), h->table)->name);
}

bool xt2_live_has_hook(const char *folder, const struct xt2_links *links,
		       const struct xt2_image *img, const struct xt2_hook *h)
{
	char path[512];
	u32 id;

	if (hook_path(path, sizeof(path), folder, img, h) || access(path, F_OK))
		return false;
	id = links ? xt2_pinned_link_(folder, strrchr(path, '/') + 1) : 0;
	return !id || xt2_links_find_(links, id); /* 0: not known, so leave it alone */
}

unsigned int xt2_live_missing(const char *folder, const struct xt2_links *links,
			      const struct xt2_image *img)
{
	const struct xt2_hook *h;
	unsigned int tables = 0;
	u32 i;

	xt2_image_for_each_hook(h, i, img, xt2_image_root(img)) {
		if (xt2_live_hooked(img, h) && !xt2_live_has_hook(folder, links, img, h))
			tables |= 1u << table_of(img, h);
	}
	if (xt2_live_unguarded(folder, links, img, XT2_IPV4) ||
	    xt2_live_unguarded(folder, links, img, XT2_IPV6))
		tables |= XT2_LIVE_UNGUARDED;
	if (xt2_live_unevaluated(folder))
		tables |= XT2_LIVE_UNEVALUATED;
	return tables;
}

/*
 * Tables come in the order of their priorities.  A link stays at the one that it was
 * attached at, and a second link would have packets meet the table twice.
 */
static int stays_in_order(const char *folder, const char *name, const struct xt2_links *links,
			  u32 table, const struct xt2_hook *h, struct xt2_err *err)
{
	const struct xt2_link *link = NULL;

	if (links)
		link = xt2_links_find_(links, xt2_pinned_link_(folder, name));
	if (!link || xt2_live_beside_(table, h, link->priority))
		return 0;
	xt2_err_set(err, XT2_E_SYSTEM, EBUSY,
		    "%s is live at priority %d, and cannot be moved to %d", name, link->priority,
		    h->priority);
	xt2_err_hint(err, "xt2 detach takes away what is live");
	return -EBUSY;
}

static int attach_hook(struct xt2_live *host, const char *folder, const struct xt2_image *img,
		       const struct xt2_links *links, const struct xt2_hook *h, struct xt2_err *err)
{
	struct bpf_link *link;
	char path[512];
	int ret;

	if (hook_path(path, sizeof(path), folder, img, h))
		return xt2_err_set(err, XT2_E_SYSTEM, ENAMETOOLONG, "%s: too long", folder);
	if (xt2_live_has_hook(folder, links, img, h))
		return stays_in_order(folder, strrchr(path, '/') + 1, links, table_of(img, h), h,
				      err);
	unlink(path); /* of a link that is off its hook */
	ret = xt2_live_attach_(host, table_of(img, h), h, &link, err);
	if (ret)
		return ret;
	ret = bpf_link__pin(link, path);
	bpf_link__destroy(link); /* the pinned one stays */
	if (ret)
		return xt2_err_path(err, -ret, path);
	return 0;
}

/* => does what is live lack a hook, which comes back? */
static bool comes_back(const struct xt2_live *host, const char *folder,
		       const struct xt2_links *links, const struct xt2_image *img)
{
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	const struct xt2_hook *h;
	u32 i;

	if (!host->ruleset)
		return false;
	xt2_image_for_each_hook(h, i, img, xt2_image_root(img))
		if (xt2_live_hooked(img, h) &&
		    l->hook[table_of(img, h)][h->family == XT2_IPV6][h->hook] &&
		    !xt2_live_has_hook(folder, links, img, h))
			return true;
	return false;
}

int xt2_live_attach(struct xt2_live *host, const char *folder, const struct xt2_links *links,
		    const struct xt2_image *img, struct xt2_err *err)
{
	const struct xt2_root *root = xt2_image_root(img);
	int ret = pin_arena(host, folder);
	const bool closed = comes_back(host, folder, links, img);
	const struct xt2_hook *h;
	u32 i;

	if (ret)
		xt2_err_path(err, -ret, folder);
	xt2_image_for_each_hook(h, i, img, root) {
		if (closed) /* for a while from now on */
			xt2_guards_close_();
		if (!ret && xt2_live_hooked(img, h))
			ret = attach_hook(host, folder, img, links, h, err);
	}
	if (!ret) {
		ret = xt2_guards_attach_(host, folder, links, img);
		if (ret)
			xt2_err_set(err, XT2_E_SYSTEM, -ret,
				    "cannot attach the guard of a hook: %s", strerror(-ret));
	}
	if (closed)
		xt2_guards_open_(host);
	return ret;
}

void xt2_live_tidy(const struct xt2_live *host, const char *folder)
{
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	static const u8 families[] = { XT2_IPV4, XT2_IPV6 };
	char path[512];
	u32 table, six, hook;

	if (!host->ruleset) {
		xt2_live_clear_(folder);
		xt2_live_unact(NULL, folder, NULL);
	}
	for (table = 0; host->ruleset && table < XT2_PROGRAMS; table++)
		for (six = 0; six < XT2_ARRAY_SIZE(families); six++)
			for (hook = 0; hook <= XT2_POSTROUTING; hook++)
				if (!l->hook[table][six][hook] &&
				    !link_path(path, sizeof(path), folder,
					       xt2_live_table_name_(table), families[six], hook))
					unlink(path);
	if (host->ruleset)
		xt2_guards_tidy_(folder, l);
}

int xt2_live_detach(const char *folder, struct xt2_err *err)
{
	int ret = xt2_live_clear_(folder);

	if (ret == -ENOENT)
		return xt2_live_none_(err);
	xt2_live_unact(NULL, folder, NULL);
	xt2_live_untrack(~0u);
	return ret ? xt2_err_path(err, -ret, folder) : 0;
}
