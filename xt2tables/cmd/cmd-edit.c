/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd-edit.c - xt2 edit: its options; see xt2tables/tables/edit.c */
#include "cmd.h"
#include "xt2tables/files/options.h"
#include "xt2tables/files/sandbox.h"
#include "xt2tables/tables/edit.h"

#define WAIT	  10 /* seconds for another program's lock, unless --wait says otherwise */
#define WAIT_MOST 86400

struct editing {
	struct xt2_edit how;
	bool live;
	const char *seconds;
};

static const char help[] =
	"Usage: xt2 edit [-4|-6|--arp] [--image FILE | --live] [OPTIONS] < LINES\n\n"
	"Carries out lines such as \"-A INPUT -p tcp --dport 22 -j ACCEPT\", in iptables' grammar,\n"
	"as one transaction: all of them take effect, or none.  COMMIT ends a transaction, and\n"
	"others may follow.  Each is answered by \"ok GENERATION\" or \"error LINE: WHY\".\n"
	"\"*nat\" and \"family ipv6\" are for the lines that follow, up to COMMIT.\n"
	"\"if-generation N\": only if nobody has changed generation N.  \"owner NAME\" and\n"
	"\"reason TEXT\" are what the history will say.\n\n"
	"  -4, -6, --arp          the family of lines that do not say it; default: IPv4\n"
	"      --image FILE       image (else $XT2_IMAGE, else " XT2_DEFAULT_IMAGE ")\n"
	"      --live             instead of an image, what the kernel evaluates\n" XT2_PLACE_HELP
		XT2_LIVE_HOST_HELP
	"      --owner NAME       for whom the changes are (else $XT2_OWNER)\n"
	"      --reason TEXT      why\n"
	"      --force            change chains of other owners, too\n"
	"      --resolve          host names in the rules may be looked up\n"
	"      --stream           lines that no COMMIT ends have no effect, even if there is none\n"
	"  -v, --verbose          say whether all of the file was checked, and why\n"
	"      --wait SECONDS     for other programs; default: 10\n\n"
	"Exit codes: 0 ok, 2 a line or an argument is wrong, 3 not possible here or not\n"
	"permitted, 4 out of a resource, 5 the generation is another one,\n"
	"6 a chain belongs to another owner.\n";

static const struct xt2_option rows[] = {
	XT2_FAMILY_ROWS(struct editing, how.family),
	XT2_WORD("image", 0, struct editing, how.where.store.path),
	XT2_FLAG("live", 0, struct editing, live),
	XT2_STORE_ROWS(struct editing, how.where.store),
	XT2_LIVE_HOST_ROW(struct editing, how.where.store),
	XT2_WORD("owner", 0, struct editing, how.where.owner),
	XT2_WORD("reason", 0, struct editing, how.where.reason),
	XT2_FLAG("force", 0, struct editing, how.where.force),
	XT2_FLAG("resolve", 0, struct editing, how.resolve),
	XT2_FLAG("verbose", 'v', struct editing, how.where.verbose),
	XT2_FLAG("stream", 0, struct editing, how.stream),
	XT2_WORD("wait", 'w', struct editing, seconds),
	XT2_ROWS_ALONE,
};

/* => -1: go on; or XT2_EXIT_* */
static int options(struct editing *e, int argc, char **argv)
{
	struct xt2_where *w = &e->how.where;
	unsigned long long seconds = WAIT;
	int ret = xt2_options("edit", help, rows, e, argc, argv);

	if (ret >= 0)
		return ret;
	if (e->seconds && (!xt2_number(e->seconds, 10, &seconds) || seconds > WAIT_MOST))
		return xt2_usage("edit", "--wait takes seconds, up to %d", WAIT_MOST);
	w->wait = (int)seconds;
	if (e->live)
		w->store.kind = XT2_STORE_LIVE;
	return xt2_where_end(w, e->how.family) < 0 ? -1 : xt2_see_help("edit");
}

int xt2_edit_main(int argc, char **argv)
{
	struct editing e = { .how.where = { .name = "xt2 edit", .legacy = "iptables" } };
	const char **path = &e.how.where.store.path;
	int ret = options(&e, argc, argv);

	if (ret >= 0)
		return ret;
	if (!e.live) {
		xt2_image_folder(*path);
		xt2_sandbox_enter(&(struct xt2_sandbox){
			.outputs = path, .count = 1, .text = true, .network = e.how.resolve });
	}
	return xt2_edit(&e.how);
}
