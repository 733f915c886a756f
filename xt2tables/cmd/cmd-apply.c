/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-apply.c - xt2 apply: make rulesets live
 *
 * A text says what is to become of its tables, as iptables-restore takes it:
 * the others stay.  An image is a whole ruleset: what it does not have goes.
 * Files are loaded and checked before anything is locked, and published
 * together.  With --take-over the kernel's own tables of these names are emptied after
 * that, and with --persist it is there again after a boot.
 */
#include "engine/image.h"
#include "libxt2/ruleset/ruleset.h"
#include "libxt2/ruleset/table-copy.h"
#include "cmd.h"
#include "cmd-confirm.h"
#include "libxt2/store/bpf/bpf-store.h"
#include "xt2tables/host/persist.h"
#include "xt2tables/host/take-over.h"
#include "xt2tables/live/live-refused.h"
#include "xt2tables/tables/past-text.h"

struct apply {
	struct xt2_store store;
	struct xt2_files files;
	int start; /* enum xt2_live_start: of rules that are live, in tables that a file has */
	struct xt2_ruleset *live; /* empty: nothing is */
	bool first; /* nothing was live */
	bool resolve, verbose;
	struct xt2_mapping live_map;
	struct xt2_take_over over;
	struct xt2_persist persist;
};

/* --- files --------------------------------------------------------------- */

/* => the file that has a table, of the first n; or -1 */
static int file_with(const struct apply *a, int n, int family, const char *table)
{
	int i;

	for (i = 0; i < n; i++)
		if (xt2_table_find(a->files.list[i].rs, family, table) >= 0)
			return i;
	return -1;
}

/* Two files that say what a table is would leave one of them out. */
static int check_tables(const struct apply *a, int file)
{
	const struct xt2_ruleset *rs = a->files.list[file].rs;
	int i, other;

	for (i = 0; i < xt2_ruleset_tables(rs); i++) {
		other = file_with(a, file, xt2_table_family(rs, i), xt2_table_name(rs, i));
		if (other >= 0)
			return xt2_usage("apply", "table %s of %s is in %s and in %s",
					 xt2_table_name(rs, i),
					 xt2_family_name(xt2_table_family(rs, i)),
					 a->files.list[other].path, a->files.list[file].path);
	}
	return XT2_EXIT_OK;
}

/* Can all of it be live?  => XT2_EXIT_* */
static int check_live(const struct xt2_input *in, const struct apply *a)
{
	struct xt2_refused list = {
		.rs = in->rs,
		.image = in->map.image,
		.path = in->path,
		.forced = a->store.forced,
		.text = in->family,
		.max = XT2_REFUSALS_MAX,
	};
	int ret = xt2_live_refused(&list);

	if (list.more)
		fprintf(stderr, "%s: %s\n", in->path, list.rest);
	return ret;
}

static int load_files(struct apply *a)
{
	int i, ret, worst = XT2_EXIT_OK;

	for (i = 0; i < a->files.count; i++) {
		struct xt2_input *in = &a->files.list[i];

		ret = xt2_input_load(in);
		if (ret == XT2_EXIT_OK && a->store.kind == XT2_STORE_LIVE)
			ret = check_live(in, a);
		if (ret == XT2_EXIT_OK && worst == XT2_EXIT_OK)
			ret = check_tables(a, i);
		worst = xt2_exit_worse(worst, ret);
	}
	return worst;
}

/* --- what is live -------------------------------------------------------- */

static int read_live(struct apply *a, struct xt2_err *err)
{
	int ret = xt2_store_load(&a->store, "what is live", &a->live, &a->live_map, err);

	a->first = !a->live_map.image;
	return ret;
}

static bool family_is_live(const struct apply *a, int family)
{
	int i;

	for (i = 0; i < xt2_ruleset_tables(a->live); i++)
		if (xt2_table_family(a->live, i) == family)
			return true;
	return false;
}

/* An image's family is 0: it has them all. */
static bool stays(const struct apply *a, int table)
{
	int i;

	for (i = 0; i < a->files.count; i++)
		if (!a->files.list[i].family)
			return false;
	return file_with(a, a->files.count, xt2_table_family(a->live, table),
			 xt2_table_name(a->live, table)) < 0;
}

static bool anything_stays(const struct apply *a)
{
	int i;

	for (i = 0; i < xt2_ruleset_tables(a->live); i++)
		if (stays(a, i))
			return true;
	return false;
}

/* --- what becomes live --------------------------------------------------- */

static int merge(const struct apply *a, struct xt2_ruleset *to)
{
	int i, j, ret = 0;

	for (i = 0; i < xt2_ruleset_tables(a->live) && !ret; i++)
		if (stays(a, i))
			ret = xt2_table_copy(to, a->live, i);
	for (i = 0; i < a->files.count && !ret; i++)
		for (j = 0; j < xt2_ruleset_tables(a->files.list[i].rs) && !ret; j++)
			ret = xt2_table_copy(to, a->files.list[i].rs, j);
	return ret;
}

/* => user chains that the other ruleset does not have */
static __u32 chains_alone(const struct xt2_ruleset *rs, const struct xt2_ruleset *other)
{
	int table, there, chain;
	__u32 n = 0;

	for (table = 0; table < xt2_ruleset_tables(rs); table++) {
		there = xt2_table_find(other, xt2_table_family(rs, table),
				       xt2_table_name(rs, table));
		xt2_table_for_each_chain(chain, rs, table)
			n += xt2_chain_hook(rs, chain) < 0 &&
			     (there < 0 ||
			      xt2_chain_find(other, there, xt2_chain_name(rs, chain)) < 0);
	}
	return n;
}

/* Chains belong to whom they did.  The history is told of chains; rules are counted by the store. */
static int tell(struct apply *a, struct xt2_ruleset *rs, struct xt2_err *err)
{
	int i, ret = 0;

	for (i = 0; i < a->files.count && !ret; i++)
		if (rs != a->files.list[i].rs)
			ret = xt2_owners_keep(rs, a->files.list[i].rs);
	if (!ret)
		ret = xt2_owners_keep(rs, a->live);
	if (ret)
		return xt2_err_set(err, XT2_E_LIMIT, -ret, "the owners of chains: %s",
				   ret == -E2BIG ? "there are too many" : strerror(-ret));
	a->store.author.changes = (struct xt2_changes){
		.chains_new = chains_alone(rs, a->live),
		.chains_gone = chains_alone(a->live, rs),
	};
	ret = xt2_store_own(&a->store, rs, err);
	return ret ? ret : xt2_take_over_begin(&a->over, rs, err);
}

static int merge_image(struct apply *a, struct xt2_mapping *map, struct xt2_err *err)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int ret = rs ? merge(a, rs) : -ENOMEM;

	if (ret)
		xt2_err_set(err, XT2_E_SYSTEM, -ret, "the rulesets cannot be put together: %s",
			    strerror(-ret));
	else
		ret = xt2_ruleset_write(rs, map, err);
	if (!ret)
		ret = tell(a, rs, err);
	xt2_ruleset_free(rs);
	return ret;
}

/* How each table of the image starts to count. */
static void choose_starts(const struct apply *a, const struct xt2_image *img, __u8 *start)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_table *t;
	__u32 i;

	xt2_image_for_each_table(t, i, img, root) {
		start[i] = (__u8)a->start;
		if (file_with(a, a->files.count, t->family, t->name) < 0)
			start[i] = XT2_LIVE_KEEP;
		else if (a->start == XT2_LIVE_KEEP && !family_is_live(a, t->family))
			start[i] = XT2_LIVE_FILE;
	}
}

/* Do the kernel's own tables allow it?  => 0, -errno */
static int look_beside(struct apply *a, struct xt2_err *err)
{
	const struct xt2_ruleset **rs = calloc((size_t)a->files.count, sizeof(*rs));
	int i, ret;

	if (!rs)
		return xt2_err_no_memory(err, "");
	for (i = 0; i < a->files.count; i++)
		rs[i] = a->files.list[i].rs;
	ret = xt2_take_over_look(&a->over, rs, a->files.count, a->first ? NULL : a->live, err);
	free(rs);
	return ret;
}

/* What was live is again. */
static void take_back(struct apply *a)
{
	static const __u8 start[XT2_TABLES_MAX]; /* all XT2_LIVE_FILE */
	const struct xt2_store_counters counters = { .start = start };
	struct xt2_err err = { 0 };

	if (a->first ? xt2_live_detach(a->store.folder, &err)
		     : xt2_store_commit(&a->store, &a->live_map, &counters, &err))
		xt2_err_print(&err, stderr);
}

/* All that comes before is done, so that as little as possible fails after it.  => 0, -errno */
static int commit(struct apply *a, const struct xt2_mapping *map, struct xt2_err *err)
{
	__u8 start[XT2_TABLES_MAX];
	int ret = xt2_persist_prepare(&a->persist, map, err);

	if (!ret) {
		choose_starts(a, map->image, start);
		ret = xt2_store_commit(&a->store, map,
				       &(struct xt2_store_counters){ .start = start }, err);
	}
	if (ret) {
		xt2_take_over_undo(&a->over);
		return ret;
	}
	ret = xt2_take_over_finish(&a->over, err);
	if (ret)
		take_back(a);
	return ret ? ret : xt2_persist_place(&a->persist, err);
}

static int publish(struct apply *a, struct xt2_err *err)
{
	struct xt2_mapping merged = { 0 }, *map = &a->files.list->map;
	int ret = read_live(a, err);

	if (!ret && a->store.kind == XT2_STORE_LIVE)
		ret = look_beside(a, err);
	if (!ret && (a->files.count > 1 || anything_stays(a))) {
		ret = merge_image(a, &merged, err);
		map = &merged;
	} else if (!ret) {
		ret = tell(a, a->files.list->rs, err);
	}
	if (!ret)
		ret = commit(a, map, err);
	xt2_persist_drop(&a->persist);
	xt2_take_over_end(&a->over);
	xt2_image_close(&merged);
	xt2_ruleset_free(a->live);
	xt2_image_close(&a->live_map);
	return ret;
}

static int apply(struct apply *a)
{
	struct xt2_err err = { 0 };
	int i, ret = load_files(a);

	if (!ret) {
		ret = xt2_store_lock(&a->store, XT2_STORE_CREATE, 0, &err);
		if (!ret)
			ret = publish(a, &err);
		xt2_store_unlock(&a->store);
		ret = ret ? xt2_fail_live(&err) : XT2_EXIT_OK;
	}
	for (i = 0; i < a->files.count; i++)
		xt2_input_close(&a->files.list[i]);
	if (!ret && a->over.wanted)
		xt2_take_over_warn();
	if (!ret && a->store.confirm && a->first)
		xt2_confirm_keeper(&a->store);
	return ret;
}

/* --- arguments ----------------------------------------------------------- */

static const char help[] =
	"Usage: xt2 apply [--counters keep|reset|file] [--confirm TIME] [--take-over] [--force]\n"
	"                 [--persist] [--owner NAME] [--reason TEXT] [--netns NAME] [--pin DIR]\n"
	"                 [--host kernel]\n"
	"                 {[-4|-6] RULES|IMAGE}...\n\n"
	"Makes rulesets live: BPF programs at the hooks of their tables evaluate them, and go on\n"
	"when this command has ended.  Whatever changes does so in one step.  What neither they\n"
	"nor the kernel's own matches and targets can do is refused, and nothing changes.\n"
	"RULES is iptables-save text (-4, the default) or ip6tables-save text (-6); live tables that\n"
	"no text has stay as they are.  IMAGE is a whole ruleset, and replaces all that is live.\n"
	"-4 and -6 are for the files that follow.  xt2 check --live tells beforehand what is\n"
	"refused.\n\n"
	"      --counters keep    rules that are live already go on counting (the default)\n"
	"      --counters reset   all rules of the files start at 0\n"
	"      --counters file    they start with what the files say\n"
	"      --confirm TIME     take it all back if no xt2 confirm comes in time: 60, 60s, 2m\n"
	"      --take-over        empty the tables of iptables-legacy and iptables-nft that have the\n"
	"                         same rules; xt2 detach gives them back\n"
	"      --force            leave the same rules in force twice; with --take-over, take tables\n"
	"                         with other rules as well; ask the kernel 64 matches at a hook\n"
	"                         about each packet, instead of 32\n"
	"      --persist          keep it for the next boot, see xt2-restore(8)\n" XT2_PLACE_HELP
		XT2_LIVE_HOST_HELP
	"      --owner NAME       for whom the change is (else $XT2_OWNER)\n"
	"      --reason TEXT      why: xt2 history --live tells\n"
	"      --resolve          host names in the rules may be looked up\n"
	"  -v, --verbose          print what the kernel's verifier says about the programs\n\n"
	"Exit codes: 0 ok, 2 a file is wrong, 3 rules or kernel: not possible, or not permitted,\n"
	"4 out of a resource, chains lead on in too many ways, another command is at work, or\n"
	"another ruleset is live there.  After 2 to 4 the live ruleset has not changed.\n";

/* --counters: the names of enum xt2_live_start. */
static int take_start(const struct xt2_given *g)
{
	static const char *const names[] = {
		[XT2_LIVE_FILE] = "file",
		[XT2_LIVE_RESET] = "reset",
		[XT2_LIVE_KEEP] = "keep",
	};
	int i;

	for (i = 0; i < (int)XT2_ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], g->arg)) {
			*(int *)g->field = i;
			return XT2_EXIT_OK;
		}
	return xt2_usage("apply", "--counters is keep, reset or file");
}

static int take_confirm(const struct xt2_given *g)
{
	if (xt2_confirm_seconds(g->arg, g->field))
		return XT2_EXIT_OK;
	return xt2_usage("apply", "--confirm is 1s to 24 hours: %s", g->arg);
}

static const struct xt2_option rows[] = {
	XT2_FILES_ROWS(struct apply, files),
	{ "counters", 0, true, offsetof(struct apply, start), 0, take_start },
	{ "confirm", 0, true, offsetof(struct apply, store.confirm), 0, take_confirm },
	XT2_FLAG("take-over", 0, struct apply, over.wanted),
	XT2_FLAG("force", 0, struct apply, over.force),
	XT2_FLAG("persist", 0, struct apply, persist.wanted),
	XT2_STORE_ROWS(struct apply, store),
	XT2_LIVE_HOST_ROW(struct apply, store),
	XT2_WORD("owner", 0, struct apply, store.author.owner),
	XT2_WORD("reason", 0, struct apply, store.author.reason),
	XT2_FLAG("resolve", 0, struct apply, resolve),
	XT2_FLAG("verbose", 'v', struct apply, verbose),
	XT2_ROWS_END,
};

/* Whoever kept a ruleset for the next boot has insisted then. */
static bool is_forced(const struct apply *a)
{
	return a->over.force ||
	       (a->files.count == 1 && !strcmp(a->files.list[0].path, xt2_persisted()));
}

int xt2_apply_main(int argc, char **argv)
{
	struct apply a = { .start = XT2_LIVE_KEEP, .store.kind = XT2_STORE_LIVE };
	struct xt2_author *author = &a.store.author;
	int i, ret = xt2_files_new(&a.files, "apply", argc);

	if (ret == XT2_EXIT_OK)
		ret = xt2_options("apply", help, rows, &a, argc, argv);
	author->owner = xt2_author_owner(author->owner);
	if (ret < 0 && xt2_author_wrong(author))
		ret = xt2_usage("apply", "%s", xt2_author_wrong(author));
	a.store.kind = xt2_store_live_kind(&a.store);
	if (ret < 0 && a.store.kind == XT2_STORE_KERNEL &&
	    (a.store.confirm || a.over.wanted || a.persist.wanted || a.store.pin))
		ret = xt2_usage("apply", "--host kernel has no --confirm, --take-over, --persist "
					 "and --pin yet");
	if (ret < 0 && a.store.confirm && (a.over.wanted || a.persist.wanted))
		ret = xt2_usage("apply", "what is on trial is neither taken over nor persisted: "
					 "--force it beside, confirm it, and apply it again");
	if (ret < 0)
		ret = xt2_files_end(&a.files, "apply", argv + optind) ? XT2_EXIT_USAGE : -1;
	for (i = 0; i < a.files.count; i++)
		a.files.list[i].resolve = a.resolve;
	a.store.forced = is_forced(&a);
	xt2_live_verbose(a.verbose);
	if (ret < 0)
		ret = apply(&a);
	xt2_files_free(&a.files);
	return ret;
}
