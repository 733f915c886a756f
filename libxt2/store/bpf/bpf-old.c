/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-old.c - what was live before
 *
 * An edit writes over nothing, so the arena has each generation since the ruleset was installed.  What
 * is about to be replaced by another installed ruleset is written to a file first, with all that it
 * has of older ones, and kept as the old files of an image are (libxt2/store/old-files.c): a few
 * of them, named after the folder of the pins, until that is taken away.  A BPF file
 * system has no files, so they are in a folder of their own.
 *
 * The arena's bytes, and those files, are an image but for two things: rules have the places of
 * their counters in it, and cells are elsewhere.  So an older generation has counted nothing, and
 * its matches remember nothing.
 */
#include "bpf-private.h"
#include "engine/check.h"
#include "engine/index/patched.h"
#include "engine/order.h"
#include "libxt2/change/history.h"
#include "libxt2/store/new-file.h"
#include "libxt2/store/old-files.h"

#include <limits.h>

#define PARENT "/run/xt2"
#define PLACE  PARENT "/live"

/* => the name that an image would have whose old files these are; false: it is too long */
static bool place_of(const char *folder, char real[PATH_MAX])
{
	const char *name = strrchr(folder, '/');

	return name && snprintf(real, PATH_MAX, PLACE "%s", name) < PATH_MAX;
}

/* The name of one that is not kept yet; so it cannot be taken for one that is. */
static bool new_name(const char *real, char name[PATH_MAX])
{
	return snprintf(name, PATH_MAX, "%s.new", real) < PATH_MAX;
}

/* --- keeping --------------------------------------------------------------------- */

/* Of a process that was killed, the arena's header may be another one. */
static int write_bytes(int fd, const struct xt2_live_ruleset *l)
{
	const struct xt2_image *img = xt2_live_at_(l->image);
	struct xt2_image header = *img;
	int ret;

	header.root = l->root;
	header.size = l->image_size;
	ret = xt2_write_all(fd, &header, sizeof(header));
	return ret ? ret : xt2_write_all(fd, img + 1, l->image_size - sizeof(header));
}

static int write_file(const char *name, const struct xt2_live_ruleset *l)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
	int fd = open(name, flags, 0600), ret;

	if (fd < 0)
		return -errno;
	ret = write_bytes(fd, l);
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

u32 xt2_live_old_begin_(const struct xt2_live *host, const char *folder)
{
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	char real[PATH_MAX], name[PATH_MAX];
	struct xt2_history h;
	int ret;

	xt2_live_history_(host, &h);
	if (!h.file || l->image_size > XT2_OLD_BYTES || !place_of(folder, real) ||
	    !new_name(real, name))
		return 0;
	mkdir(PARENT, 0755);
	mkdir(PLACE, 0700);
	ret = write_file(name, l);
	if (ret == -ENOSPC && xt2_old_files_drop(real))
		ret = write_file(name, l);
	if (!ret)
		return h.file;
	unlink(name);
	return 0;
}

void xt2_live_old_end_(const char *folder, u32 number, bool replaced)
{
	char real[PATH_MAX], name[PATH_MAX];

	if (!number || !place_of(folder, real) || !new_name(real, name))
		return;
	if (replaced)
		xt2_old_file_keep(real, name, number);
	else
		unlink(name);
}

void xt2_live_old_drop_(const char *folder)
{
	char real[PATH_MAX], name[PATH_MAX];

	if (!place_of(folder, real) || !new_name(real, name))
		return;
	unlink(name);
	xt2_old_files_drop(real);
}

/* --- reading --------------------------------------------------------------------- */

/* What rules and their groups have in the place of counters goes. */
static void forget_counts(struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	struct xt2_in_order o;
	struct xt2_rule *r;
	u32 i, run;

	xt2_image_for_each_chain(c, i, img, root) {
		const struct xt2_index *ix = xt2_chain_index(xt2_chain_compiled(img, c));

		xt2_chain_for_each(r, &o, img, c)
			r->packets = r->bytes = 0;
		for (run = 0; ix && run < ix->runs; run++)
			xt2_index_runs(ix)[run].packets = xt2_index_runs(ix)[run].bytes = 0;
	}
}

/* A copy with cells of its own, after its last byte.  => 0; -ENOENT: it is no image; -ENOMEM */
static int with_cells(const struct xt2_image *from, const struct xt2_commit *c,
		      struct xt2_image **copy)
{
	struct xt2_image *img;
	struct xt2_root *root;

	if (c->size % XT2_ALIGN || c->root % XT2_ALIGN || c->root < sizeof(*img) ||
	    c->size < sizeof(*root) || c->root > c->size - sizeof(*root))
		return -ENOENT;
	root = xt2_at(from, c->root);
	if (root->cells > XT2_CELLS_MAX || c->size > XT2_SIZE_MAX - root->cells * sizeof(u64))
		return -ENOENT;
	img = calloc(1, c->size + root->cells * sizeof(u64));
	if (!img)
		return -ENOMEM;
	memcpy(img, from, c->size);
	root = xt2_at(img, c->root);
	root->cell = root->cells ? (u32)c->size : 0;
	img->root = c->root;
	img->size = c->size + root->cells * sizeof(u64);
	*copy = img;
	return 0;
}

/* => 0; -EINVAL: it is none; -ENOMEM */
static int check(struct xt2_image *img)
{
	void *scratch = malloc(xt2_check_scratch(img->size));
	int ret = scratch ? xt2_check_sparse(img, img->size, scratch, NULL) : -ENOMEM;

	free(scratch);
	return ret;
}

/* The generation of a commit, in bytes that nobody has checked.  => 0; -ENOENT: it is not there; -ENOMEM */
static int take(const struct xt2_image *from, u64 size, const struct xt2_commit *c,
		struct xt2_mapping *map)
{
	struct xt2_image *img = NULL;
	int ret = c->size <= size ? with_cells(from, c, &img) : -ENOENT;

	if (!ret)
		ret = check(img);
	if (ret) {
		free(img);
		return ret == -ENOMEM ? ret : -ENOENT;
	}
	forget_counts(img);
	*map = (struct xt2_mapping){ .image = img, .size = img->size, .capacity = img->size };
	return 0;
}

/* From the arena, or an old file.  => 0; -ENOENT: it is not there; -errno */
static int find(const struct xt2_live *host, const char *folder, u64 generation,
		struct xt2_mapping *map, struct xt2_err *err)
{
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	struct xt2_mapping raw;
	struct xt2_history h;
	struct xt2_past past;
	char real[PATH_MAX];
	int ret;

	xt2_live_history_(host, &h);
	if (!xt2_history_find(&h, generation, &past))
		return -ENOENT;
	if (past.commit.file == h.file)
		return take(xt2_live_at_(l->image), l->image_size, &past.commit, map);
	if (!place_of(folder, real) || xt2_old_file_read(real, &past, &raw, err))
		return -ENOENT;
	ret = take(raw.image, raw.size, &past.commit, map);
	xt2_image_close(&raw);
	return ret;
}

/* => of what is live; 0: nothing is */
static u64 generation_of(const struct xt2_live *host)
{
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	const struct xt2_root *root;

	if (!host->ruleset)
		return 0;
	root = xt2_at((struct xt2_image *)xt2_live_at_(l->image), l->root);
	return root->generation;
}

int xt2_live_generation_(struct xt2_live *host, const char *folder, u64 generation,
			 struct xt2_mapping *map, struct xt2_err *err)
{
	int ret;

	if (generation_of(host) == generation)
		return xt2_live_read(host, map, err);
	ret = find(host, folder, generation, map, err);
	if (ret == -ENOENT)
		xt2_no_generation(generation, err);
	return ret == -ENOMEM ? xt2_err_no_memory(err, " for the generation") : ret;
}
