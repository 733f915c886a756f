/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live-place.h - the live ruleset of a network namespace, for every program that has --live
 *
 * Without BPF each of these says what is missing, and the answer is -EOPNOTSUPP.
 */
#ifndef XT2_XT2TABLES_LIVE_LIVE_PLACE_H
#define XT2_XT2TABLES_LIVE_LIVE_PLACE_H

#include <stdbool.h>
#include <xt2/xt2.h>

struct xt2_links;

struct xt2_live_place {
	const char *netns, *pin; /* NULL: this one; xt2's own */
	int wait; /* for who is at work there: seconds, 0: not at all, < 0: for ever */
	__u32 confirm; /* seconds until what is published must be confirmed; 0: need not */
	bool look; /* only: others may look as well */
	char folder[256];
	int lock;
	struct xt2_links *links; /* of who creates: what is attached; NULL: not known */
};

#define XT2_PLACE_HELP                                                                     \
	"      --netns NAME       the network namespace of this name, as of ip-netns(8)\n" \
	"      --pin DIR          a folder in a BPF file system, instead of xt2's own\n"

/*
 * xt2_live_place_enter - go to the network namespace, and keep others out
 * @create: the folder, if nothing is live; what dead namespaces have left is swept then
 *
 * The process stays in the namespace.
 * => 0: go with xt2_live_place_leave(); -EAGAIN: somebody else is in; -ENOENT: nothing is
 *    live; -EINVAL: no such namespace; -EBUSY: another ruleset is live, elsewhere; -EPERM
 *    and others
 */
int xt2_live_place_enter(struct xt2_live_place *p, bool create, struct xt2_err *err);

/* The same without keeping others out: p->folder is set.  => 0, -EINVAL, -EPERM and others */
int xt2_live_place_find(struct xt2_live_place *p, struct xt2_err *err);

/* Let others in. */
void xt2_live_place_leave(struct xt2_live_place *p);

/*
 * xt2_live_place_read - a copy of what is live in a place that was entered
 * @map: filled in; release with xt2_image_close()
 * => 0; -ENOENT: nothing is live; -ENOMEM and others
 */
int xt2_live_place_read(const struct xt2_live_place *p, struct xt2_mapping *map,
			struct xt2_err *err);

/* Does this build know what can be live?  => 0; -EOPNOTSUPP: err says what is missing */
int xt2_live_place_built(struct xt2_err *err);

/*
 * xt2_live_place_replace - make an image the live ruleset of a place that was entered
 * @start: by table of the image: see xt2_live_replace() in libxt2/store/bpf/bpf-store.h
 * => 0; -EOPNOTSUPP: rules or kernel: not possible; -EPERM, -ENOMEM and others: what was
 *    live is live
 */
int xt2_live_place_replace(const struct xt2_live_place *p, const struct xt2_mapping *map,
			   const __u8 *start, struct xt2_err *err);

/* The same; was: rules of it that go on, see xt2_live_follow() in libxt2/store/bpf/bpf-store.h. */
int xt2_live_place_follow(const struct xt2_live_place *p, const struct xt2_mapping *map,
			  const __u32 *was, struct xt2_err *err);

/*
 * xt2_live_place_repair - bring back hooks and connection tracking that others took away
 * => 0; -ENOENT: nothing is live; -errno
 */
int xt2_live_place_repair(const struct xt2_live_place *p, struct xt2_err *err);

/* The exit code of xt2 for an error of these: enum xt2_exit. */
int xt2_live_place_exit(const struct xt2_err *err);

#endif
