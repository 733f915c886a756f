/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-root.c - the BPF file system where rulesets are pinned
 *
 * A pinned object lasts as long as its file system is mounted somewhere.  Many
 * commands have mounts of their own that end with them (ip netns exec, unshare
 * -m, services with PrivateMounts), so xt2's own file system is mounted where
 * the first process of the machine has its files.  If that process may not be inspected, the
 * kernel's own threads will do: they have the mounts that the
 * machine was started with.  Their presence also tells that /proc shows the
 * machine and not a container.  Where it does not, nothing is known to last, and
 * only a file system that was named is taken.
 */
#include "bpf-private.h"

#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#define OWN_ROOT      "/run/xt2-live"
#define BPF_MAGIC     0xcafe4a11
#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD of linux/sched.h */

/* Where things last: the mounts of a process. */
struct lasting {
	int pid; /* of it */
	int ns; /* a file descriptor */
};

bool xt2_is_bpffs_(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && (unsigned long)fs.f_type == BPF_MAGIC;
}

bool xt2_same_file_(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

int xt2_live_none_(struct xt2_err *err)
{
	return xt2_err_set(err, XT2_E_SYSTEM, ENOENT, "there is no live ruleset here");
}

/* --- what lasts ------------------------------------------------------------- */

/* Process 2 is the kernel's, so /proc shows all processes of the machine. */
static bool sees_machine(void)
{
	char line[512], *end;
	unsigned int flags;
	FILE *f = fopen("/proc/2/stat", "re");
	bool kernel;

	if (!f)
		return false;
	end = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	kernel = end && sscanf(end, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
		 flags & KERNEL_THREAD;
	fclose(f);
	return kernel;
}

/* => 0: close(l->ns); -EOPNOTSUPP: what lasts is out of sight; -EPERM */
static int find_lasting(struct lasting *l)
{
	char path[64];

	if (!sees_machine())
		return -EOPNOTSUPP;
	for (l->pid = 1; l->pid <= 2; l->pid++) {
		snprintf(path, sizeof(path), "/proc/%d/ns/mnt", l->pid);
		l->ns = open(path, O_RDONLY | O_CLOEXEC);
		if (l->ns >= 0)
			return 0;
	}
	return -EPERM;
}

static bool same(const char *path, const char *other)
{
	struct stat a, b;

	return !stat(path, &a) && !stat(other, &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* Does this process have a file system mounted? */
static bool has_mounted(int pid, const char *root)
{
	unsigned int maj, min;
	char line[4096];
	bool found = false;
	struct stat st;
	FILE *f;

	snprintf(line, sizeof(line), "/proc/%d/mountinfo", pid);
	f = stat(root, &st) ? NULL : fopen(line, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*d %*d %u:%u ", &maj, &min) == 2 &&
			maj == major(st.st_dev) && min == minor(st.st_dev);
	if (f)
		fclose(f);
	return found;
}

/* Of a container that has process numbers of its own: it ends with its first process. */
static bool is_container(void)
{
	return getpid() != 1 && !sees_machine() && same("/proc/self/ns/mnt", "/proc/1/ns/mnt");
}

static int passing(const char *root, struct xt2_err *err)
{
	xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP,
		    "%s: mounted for this command and its like only: what is pinned there would "
		    "end with them",
		    root);
	xt2_err_hint(err, "leave --pin out; or mount it outside of ip netns exec, unshare or the "
			  "service, and name the network namespace by --netns");
	return -EOPNOTSUPP;
}

static int check_lasts(const char *root, struct xt2_err *err)
{
	struct lasting l;
	int ret = find_lasting(&l);
	bool lasts;

	if (ret == -EPERM)
		return xt2_live_forbidden_(err);
	if (ret)
		return is_container() ? 0 : passing(root, err);
	lasts = xt2_same_file_(l.ns, "/proc/self/ns/mnt") || has_mounted(l.pid, root);
	close(l.ns);
	return lasts ? 0 : passing(root, err);
}

bool xt2_live_ends_early(const char *pin)
{
	return pin && !sees_machine();
}

/* --- xt2's own file system --------------------------------------------------- */

/* One is enough: others that do the same now wait, and see it.  => 0, -errno */
static int mount_own(void)
{
	int fd, ret = 0;

	if (mkdir(OWN_ROOT, 0700) && errno != EEXIST)
		return -errno;
	fd = open(OWN_ROOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX) ||
	    (!xt2_is_bpffs_(OWN_ROOT) && mount("bpf", OWN_ROOT, "bpf", 0, "mode=0700")))
		ret = -errno;
	close(fd);
	return ret;
}

/* fd becomes that of OWN_ROOT in the mount namespace that it was of.  => 0, -errno */
static int go_there(int fd, bool create)
{
	int dir, ret;

	if (setns(fd, CLONE_NEWNS))
		return -errno;
	ret = create && !xt2_is_bpffs_(OWN_ROOT) ? mount_own() : 0;
	if (ret)
		return ret;
	if (!xt2_is_bpffs_(OWN_ROOT))
		return access(OWN_ROOT, F_OK) ? -ENOENT : -ENODEV;
	dir = open(OWN_ROOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	ret = dup3(dir, fd, O_CLOEXEC) < 0 ? -errno : 0;
	close(dir);
	return ret;
}

/*
 * In a process of its own, so that this one keeps its mounts; they share the table of
 * file descriptors.
 */
static int open_own(int fd, bool create)
{
	pid_t child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	int status;

	if (child < 0)
		return -errno;
	if (!child)
		_exit(-go_there(fd, create));
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

int xt2_live_no_root_(int errnum, struct xt2_err *err)
{
	switch (errnum) {
	case ENOENT: return xt2_live_none_(err);
	case ENODEV:
		return xt2_err_set(err, XT2_E_SYSTEM, ENOENT,
				   "there is no live ruleset here: " OWN_ROOT " was unmounted, "
				   "and all that was live went with it");
	case EPERM:
	case EACCES: return xt2_live_forbidden_(err);
	case EOPNOTSUPP:
		xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP,
			    "the first process of the machine is out of sight, so " OWN_ROOT
			    " cannot be found where it lasts");
		xt2_err_hint(err, "in a container: --pin DIR takes a BPF file system of its own; "
				  "else go without a PID namespace, and with /proc");
		return -EOPNOTSUPP;
	}
	xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP,
		    "cannot mount a BPF file system at " OWN_ROOT ": %s", strerror(errnum));
	xt2_err_hint(err, "--pin DIR takes one that is mounted");
	return -EOPNOTSUPP;
}

/* => 0 and its path, which is good as long as this process; -errno */
static int find_own(bool create, char *own, size_t size)
{
	struct lasting l;
	int ret = find_lasting(&l);

	if (ret)
		return ret;
	ret = open_own(l.ns, create);
	if (!ret && !xt2_same_file_(l.ns, OWN_ROOT)) {
		snprintf(own, size, "/proc/self/fd/%d", l.ns);
		return 0;
	}
	if (!ret)
		snprintf(own, size, OWN_ROOT);
	close(l.ns);
	return ret;
}

/* It is found once: a process has only one network namespace, too. */
static int own_root(bool create, char *root, size_t size)
{
	static char own[32];
	int ret = *own ? 0 : find_own(create, own, sizeof(own));

	if (!ret)
		snprintf(root, size, "%s", own);
	return ret;
}

int xt2_live_root_(const char *pin, bool create, char *root, size_t size, struct xt2_err *err)
{
	int ret;

	if (geteuid())
		return xt2_live_forbidden_(err);
	if (access("/proc/self/ns/net", F_OK)) {
		xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP,
			    "which network namespace this is cannot be seen: "
			    "/proc/self/ns/net: %s",
			    strerror(errno));
		xt2_err_hint(err, "live rulesets need /proc: mount -t proc proc /proc");
		return -EOPNOTSUPP;
	}
	if (!pin) {
		ret = own_root(create, root, size);
		if (ret == -ENOENT && create) /* there is not even /run */
			ret = -ENOTDIR;
		return ret ? xt2_live_no_root_(-ret, err) : 0;
	}
	if (!xt2_is_bpffs_(pin)) {
		xt2_err_set(err, XT2_E_SYNTAX, EINVAL, "%s: not a BPF file system", pin);
		xt2_err_hint(err,
			     "mount -t bpf bpf DIR makes one; ip netns exec hides /sys/fs/bpf, "
			     "--netns NAME does not");
		return -EINVAL;
	}
	if (snprintf(root, size, "%s", pin) >= (int)size)
		return xt2_err_set(err, XT2_E_SYNTAX, ENAMETOOLONG, "%s: too long", pin);
	return create ? check_lasts(root, err) : 0;
}
