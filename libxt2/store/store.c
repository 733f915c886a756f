/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store.c - the functions of all kinds of store: the rows, and the answer where one is missing */
#include "config.h"
#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct xt2_store_ops *const kinds[XT2_STORES] = {
	[XT2_STORE_FILE] = &xt2_store_file_,
	[XT2_STORE_LIVE] = &xt2_store_bpf_,
	[XT2_STORE_KERNEL] = &xt2_store_kernel_,
};

/* The preloaded library has these functions, but not those of err.h. */
static int fail(struct xt2_err *err, int code, int errnum, const char *what, const char *why)
{
	if (!err)
		return -errnum;
	memset(err, 0, sizeof(*err));
	err->code = code;
	err->errnum = errnum;
	snprintf(err->message, sizeof(err->message), "%s: %s", what, why);
	return -errnum;
}

bool xt2_store_is_host(const char *name)
{
	return !strcmp(name, "bpf") || !strcmp(name, "kernel");
}

enum xt2_store_kind xt2_store_live_kind(const struct xt2_store *s)
{
	return s->host && !strcmp(s->host, "kernel") ? XT2_STORE_KERNEL : XT2_STORE_LIVE;
}

int xt2_store_built(enum xt2_store_kind kind, struct xt2_err *err)
{
	if (kinds[kind])
		return 0;
	fail(err, XT2_E_UNSUPPORTED, EOPNOTSUPP, "live rulesets are not in this build",
	     XT2_BPF_MISSING);
	if (err)
		snprintf(err->hint, sizeof(err->hint),
			 "scripts/deps bpf installs what they need; then configure and make again");
	return -EOPNOTSUPP;
}

int xt2_store_lock(struct xt2_store *s, enum xt2_store_access access, int wait, struct xt2_err *err)
{
	int ret = s->locked ? 0 : xt2_store_built(s->kind, err);

	if (ret || s->locked)
		return ret;
	ret = kinds[s->kind]->lock(s, access, wait, err);
	s->locked = !ret;
	s->access = access;
	return ret;
}

void xt2_store_unlock(struct xt2_store *s)
{
	if (s->locked)
		kinds[s->kind]->unlock(s);
	s->locked = false;
}

int xt2_store_read(const struct xt2_store *s, bool whole, struct xt2_mapping *map,
		   struct xt2_err *err)
{
	int ret = xt2_store_built(s->kind, err);

	return ret ? ret : kinds[s->kind]->read(s, whole, map, err);
}

int xt2_store_load(const struct xt2_store *s, const char *what, struct xt2_ruleset **rs,
		   struct xt2_mapping *map, struct xt2_err *err)
{
	int ret = 0;

	memset(map, 0, sizeof(*map));
	*rs = xt2_ruleset_new();
	if (*rs)
		ret = xt2_store_read(s, false, map, err);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	ret = *rs ? xt2_ruleset_load(*rs, map->image, map->size) : -ENOMEM;
	if (ret)
		fail(err, XT2_E_SYSTEM, -ret, what, strerror(-ret));
	return ret;
}

int xt2_store_commit(struct xt2_store *s, const struct xt2_mapping *map,
		     const struct xt2_store_counters *counters, struct xt2_err *err)
{
	int ret = xt2_store_built(s->kind, err);

	return ret ? ret : kinds[s->kind]->commit(s, map, counters, err);
}

int xt2_store_add_counters(struct xt2_store *s, const struct xt2_counts *add, __u32 n,
			   struct xt2_err *err)
{
	int ret = xt2_store_built(s->kind, err);

	if (!ret && !kinds[s->kind]->add_counters)
		ret = fail(err, XT2_E_UNSUPPORTED, EOPNOTSUPP, "counters are in the image",
			   strerror(EOPNOTSUPP));
	return ret ? ret : kinds[s->kind]->add_counters(s, add, n, err);
}

int xt2_store_refusals(enum xt2_store_kind kind, const struct xt2_image *img, xt2_refused found,
		       void *data)
{
	int ret = xt2_store_built(kind, NULL);

	return ret ? ret : kinds[kind]->refusals(img, found, data);
}

int xt2_store_shares(enum xt2_store_kind kind, const struct xt2_image *img, xt2_shared found,
		     void *data)
{
	int ret = xt2_store_built(kind, NULL);

	return ret || !kinds[kind]->shares ? ret : kinds[kind]->shares(img, found, data);
}
