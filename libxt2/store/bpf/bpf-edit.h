/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf-edit.h - a live ruleset that is edited where it is: see bpf-edit.c */
#ifndef XT2_LIBXT2_STORE_BPF_BPF_EDIT_H
#define XT2_LIBXT2_STORE_BPF_BPF_EDIT_H

#include <stdbool.h>
#include <xt2/change.h>

struct xt2_commit_check;
struct xt2_links;
struct xt2_live_edit;
struct xt2_store;

/* As xt2_edit_file_open(), _commit() and _close(), of what is live in a folder. */
struct xt2_live_edit_ops {
	/* @links: what is attached; NULL: not known */
	int (*open)(const char *folder, const struct xt2_links *links, bool change,
		    struct xt2_live_edit **edit, struct xt2_ruleset *rs, struct xt2_err *err);
	int (*commit)(struct xt2_live_edit *edit, struct xt2_ruleset *rs,
		      const struct xt2_commit_check *check, const struct xt2_author *author,
		      struct xt2_err *err);
	__u32 *(*trace)(struct xt2_live_edit *edit, struct xt2_ruleset *rs,
			struct xt2_image *written, const bool *changed, bool replaced);
	void (*close)(struct xt2_live_edit *edit);
};

extern const struct xt2_live_edit_ops xt2_live_edit_; /* of xt2_store_bpf_ */

#endif
