/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.c - files that are written, and standard output
 *
 * A file appears under its name when all of it is there (libxt2/store/new-file.c):
 * after any failure the old one is what it was.  What cannot be replaced, a
 * pipe or a device, is written to as it comes.
 *
 * The C library forgets why a write failed, unless errno is read at once, and callers that
 * print do not.  So streams are ours (fopencookie), and keep the errno.
 *
 * A program that is ended by a signal takes its temporary files along.
 */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "output.h"
#include "engine/env.h"
#include "libxt2/err.h"

#define OUTPUTS	    8 /* that a program has at most */
#define STDOUT_ROOM 65536 /* bytes written at once */

/* --- streams --------------------------------------------------------------- */

struct stream {
	int fd;
	int *error;
};

static struct stream standard;
static int standard_error;

static ssize_t stream_write(void *cookie, const char *p, size_t n)
{
	const struct stream *s = cookie;
	ssize_t written = 0;

	while (n && !*s->error) {
		ssize_t got = write(s->fd, p + written, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			*s->error = got ? errno : ENOSPC;
		else
			written += got;
		n -= got > 0 ? (size_t)got : 0;
	}
	errno = *s->error;
	return n ? 0 : written;
}

static int stream_close(void *cookie)
{
	if (cookie != &standard)
		free(cookie);
	return 0;
}

/* => NULL: no memory */
static FILE *stream_open(struct stream *s)
{
	static const cookie_io_functions_t calls = { .write = stream_write, .close = stream_close };

	return fopencookie(s, "w", calls);
}

/* => 0, -ENOMEM */
static int open_stream(struct xt2_output *o)
{
	struct stream *s = malloc(sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = (struct stream){ o->fd, &o->error };
	o->to = stream_open(s);
	if (!o->to)
		free(s);
	return o->to ? 0 : -ENOMEM;
}

/* --- temporary files and signals --------------------------------------------- */

static const char *volatile temporary[OUTPUTS];

static void remove_temporaries(int signal)
{
	size_t i;

	for (i = 0; i < OUTPUTS; i++)
		if (temporary[i])
			unlink(temporary[i]);
	raise(signal); /* which ends the program: the action has been reset */
}

static void remember(const char *name)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM };
	const struct sigaction act = { .sa_handler = remove_temporaries,
				       .sa_flags = (int)(SA_RESETHAND | SA_NODEFER) };
	struct sigaction old;
	size_t i;

	for (i = 0; i < OUTPUTS && temporary[i]; i++)
		;
	if (i < OUTPUTS)
		temporary[i] = name;
	for (i = 0; i < XT2_ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &act, NULL);
}

static void forget(const char *name)
{
	size_t i;

	for (i = 0; i < OUTPUTS; i++)
		if (temporary[i] == name)
			temporary[i] = NULL;
}

/* --- which file ---------------------------------------------------------------- */

/* => the descriptor that a path is a name of, or -1 */
static int descriptor_of(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
	char *end;
	size_t i;
	long fd;

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (i = 0; i < XT2_ARRAY_SIZE(folders); i++) {
		size_t n = strlen(folders[i]);

		if (strncmp(path, folders[i], n) || path[n] < '0' || path[n] > '9')
			continue;
		fd = strtol(path + n, &end, 10);
		if (!*end && fd <= INT_MAX)
			return (int)fd;
	}
	return -1;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The mode that a new file gets. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/*
 * Owner and mode of the old file, as far as they are ours to give: another group
 * may do no more than others.  => 0, -errno
 */
static int take_after(int fd, const struct stat *old)
{
	mode_t mode = old->st_mode & 0777;

	if (fchown(fd, (uid_t)-1, old->st_gid))
		mode &= ~0070u | (mode & 07) << 3;
	(void)!fchown(fd, old->st_uid, (gid_t)-1); /* else it is ours, as a new file would be */
	return fchmod(fd, mode) ? -errno : 0;
}

/* @old: the file that will be replaced, or NULL */
static int open_temporary(struct xt2_output *o, const struct stat *old, struct xt2_err *err)
{
	int ret;

	if (old && faccessat(AT_FDCWD, o->path, W_OK, AT_EACCESS))
		return xt2_file_error(err, errno, "write", o->path);
	ret = xt2_new_file_create(&o->file, o->path);
	if (ret) {
		xt2_file_error(err, -ret, o->file.failed, o->path);
		if (old && (ret == -EACCES || ret == -EPERM))
			xt2_err_hint(err, "a new file takes its place, and needs a folder that can "
					  "be written; or let the shell write: > FILE");
		return ret;
	}
	o->temporary = true;
	remember(o->file.name);
	o->fd = o->file.fd;
	if (old)
		ret = take_after(o->fd, old);
	else
		ret = fchmod(o->fd, usual_mode()) ? -errno : 0;
	if (!ret)
		return 0;
	xt2_output_drop(o);
	return xt2_file_error(err, -ret, "set the mode of the new file", o->path);
}

static int open_file(struct xt2_output *o, struct xt2_err *err)
{
	struct stat st, out;

	o->fd = descriptor_of(o->path);
	if (o->fd >= 0) {
		o->standard = o->fd == STDOUT_FILENO;
		return fstat(o->fd, &st) ? xt2_file_error(err, errno, "write", o->path) : 0;
	}
	if (stat(o->path, &st))
		return errno == ENOENT ? open_temporary(o, NULL, err)
				       : xt2_file_error(err, errno, "write", o->path);
	if (!S_ISCHR(st.st_mode) && !fstat(STDOUT_FILENO, &out) && same_file(&st, &out)) {
		o->standard = true;
		o->fd = STDOUT_FILENO;
		return 0;
	}
	if (S_ISREG(st.st_mode))
		return open_temporary(o, &st, err);
	o->fd = open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return o->fd < 0 ? xt2_file_error(err, errno, "write", o->path) : 0;
}

static void start(struct xt2_output *o, const char *path)
{
	memset(o, 0, sizeof(*o));
	o->path = path;
	o->fd = -1;
}

int xt2_output_open(struct xt2_output *o, const char *path, struct xt2_err *err)
{
	int ret;

	start(o, path);
	ret = open_file(o, err);
	if (!ret && open_stream(o)) {
		xt2_output_drop(o);
		ret = xt2_file_error(err, ENOMEM, "write", path);
	}
	return ret;
}

int xt2_output_stream(struct xt2_output *o, const char *path, struct xt2_err *err)
{
	const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
	struct stat st;
	int ret;

	if (descriptor_of(path) >= 0)
		return xt2_output_open(o, path, err);
	start(o, path);
	if (stat(path, &st) && errno == ENOENT)
		o->fd = open(path, flags | O_CREAT | O_EXCL, 0666);
	else
		o->fd = open(path, flags);
	if (o->fd < 0)
		return xt2_file_error(err, errno, "write", path);
	if (!fstat(o->fd, &st) && S_ISREG(st.st_mode) && st.st_size) {
		xt2_output_drop(o);
		ret = xt2_file_error(err, EEXIST, "write", path);
		xt2_err_hint(err, "give a new name, or take the old file away");
		return ret;
	}
	if (!open_stream(o))
		return 0;
	xt2_output_drop(o);
	return xt2_file_error(err, ENOMEM, "write", path);
}

/* --- the end --------------------------------------------------------------------- */

/* A descriptor of our own, that is not a temporary file's. */
static bool is_ours(const struct xt2_output *o)
{
	return o->fd >= 0 && !o->temporary && !o->standard && descriptor_of(o->path) < 0;
}

int xt2_output_finish(struct xt2_output *o, struct xt2_err *err)
{
	const char *what = "write";
	int ret;

	if (o->to && fclose(o->to) && !o->error)
		o->error = errno ? errno : EIO;
	o->to = NULL;
	if (o->temporary && !o->error) {
		ret = xt2_new_file_close(&o->file, o->durable);
		o->error = -ret;
		what = ret ? o->file.failed : what;
	}
	if (is_ours(o)) {
		if (close(o->fd) && !o->error)
			o->error = errno;
	}
	o->fd = -1;
	if (!o->error)
		return 0;
	ret = xt2_file_error(err, o->error, what, o->standard ? "standard output" : o->path);
	xt2_output_drop(o);
	return ret;
}

int xt2_output_place(struct xt2_output *o, struct xt2_err *err)
{
	int ret;

	if (!o->temporary)
		return 0;
	o->temporary = false;
	ret = xt2_new_file_place(&o->file, o->durable);
	forget(o->file.name);
	return ret ? xt2_file_error(err, -ret, o->file.failed, o->path) : 0;
}

void xt2_output_drop(struct xt2_output *o)
{
	if (o->to)
		fclose(o->to);
	o->to = NULL;
	if (o->temporary) {
		xt2_new_file_drop(&o->file);
		forget(o->file.name);
	} else if (o->path && is_ours(o)) {
		close(o->fd);
	}
	o->temporary = false;
	o->fd = -1;
}

/* --- one file for two things --------------------------------------------------------- */

struct identity {
	struct stat st; /* of the file, or of the folder that it will be in */
	const char *name; /* in it; NULL: the file is there */
	char real[PATH_MAX];
};

/* A file that will be made: its folder and its name.  => false: not known */
static bool identify_new(const char *path, struct identity *id)
{
	char *slash;

	if (xt2_resolve(path, id->real))
		return false;
	slash = strrchr(id->real, '/');
	id->name = slash ? slash + 1 : id->real;
	if (!slash)
		return !stat(".", &id->st);
	*slash = '\0';
	return !stat(slash == id->real ? "/" : id->real, &id->st);
}

/* => false: not known, or it may well be used twice */
static bool identify(const struct xt2_use *use, struct identity *id)
{
	int fd = strcmp(use->path, "-") || use->output ? -1 : STDIN_FILENO;

	id->name = NULL;
	if (fd < 0)
		fd = descriptor_of(use->path);
	if (fd >= 0 ? fstat(fd, &id->st) : stat(use->path, &id->st))
		return fd < 0 && use->output && errno == ENOENT && identify_new(use->path, id);
	return S_ISREG(id->st.st_mode) || S_ISFIFO(id->st.st_mode) || S_ISBLK(id->st.st_mode);
}

static bool same(const struct xt2_use *a, const struct xt2_use *b)
{
	struct identity x, y;

	if (a->output && b->output && descriptor_of(a->path) >= 0 &&
	    descriptor_of(a->path) == descriptor_of(b->path))
		return true;
	return identify(a, &x) && identify(b, &y) && same_file(&x.st, &y.st) &&
	       !x.name == !y.name && (!x.name || !strcmp(x.name, y.name));
}

/* => how two uses are in each other's way; NULL: they are not */
static const char *conflict(const struct xt2_use *a, const struct xt2_use *b)
{
	if (!a->path || !b->path)
		return NULL;
	if (!a->output && !b->output)
		return strcmp(a->path, "-") || strcmp(b->path, "-")
			       ? NULL
			       : "is standard input, which can be read once, and so is";
	return same(a, b) ? "is the same file as" : NULL;
}

int xt2_uses_check(const struct xt2_use *uses, unsigned int n, struct xt2_err *err)
{
	const struct xt2_use *a, *b;
	const char *how;

	for (a = uses; a < uses + n; a++)
		for (b = uses; b < uses + n; b++) {
			if (a == b || (a->output == b->output && b < a) || a->output < b->output)
				continue;
			how = conflict(a, b);
			if (!how)
				continue;
			xt2_err_set(err, XT2_E_SYSTEM, EEXIST, "%s %s %s, %s", a->what, how,
				    b->what, b->path);
			xt2_err_file(err, a->path);
			return -EINVAL;
		}
	return 0;
}

/* --- standard streams ------------------------------------------------------------------ */

/* Nothing can be read from or written to it, as if it were closed. */
static void hold_descriptors(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/", O_PATH | O_CLOEXEC) < 0)
			return; /* then nothing else can be opened either */
}

/* A write says EFBIG then.  No SIG_IGN: a command that is started would have it, too. */
static void on_large_file(int signal)
{
}

void xt2_stdio_begin(void)
{
	static char room[STDOUT_ROOM];
	const struct sigaction act = { .sa_handler = on_large_file };
	struct sigaction old;
	FILE *to;

	hold_descriptors();
	if (!sigaction(SIGXFSZ, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &act, NULL);
	standard = (struct stream){ STDOUT_FILENO, &standard_error };
	to = stream_open(&standard);
	if (!to)
		return;
	setvbuf(to, room, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof(room));
	stdout = to;
}

int xt2_stdio_lost(void)
{
	errno = 0;
	if (fflush(stdout) == EOF || ferror(stdout))
		return standard_error ? standard_error : errno ? errno : EIO;
	return 0;
}
