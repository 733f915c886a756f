/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay-summary.c - what xt2 replay says about a run, before and after it */
#include "engine/image.h"
#include "engine/order.h"
#include "replay.h"

static const int verdicts[] = { XT2_ACCEPT, XT2_DROP, XT2_REJECT, XT2_QUEUE };

static unsigned long long unseen_total(const struct xt2_replay *r)
{
	unsigned long long n = 0;
	size_t i;

	for (i = 0; i < XT2_REPLAY_REASONS; i++)
		n += r->unseen[i].packets;
	return n;
}

void xt2_replay_summary_json(const struct xt2_replay *r, FILE *to)
{
	size_t i;

	fprintf(to, "{\"packets\":%llu,\"evaluated\":%llu,\"verdicts\":{", r->packets,
		r->evaluated);
	for (i = 0; i < XT2_ARRAY_SIZE(verdicts); i++)
		fprintf(to, "%s\"%s\":%llu", i ? "," : "", xt2_verdict_name(verdicts[i]),
			r->verdict[verdicts[i]]);
	fputs("},\"unseen\":{", to);
	for (i = 0; i < XT2_REPLAY_REASONS && r->unseen[i].why; i++)
		fprintf(to, "%s\"%s\":%llu", i ? "," : "", r->unseen[i].why, r->unseen[i].packets);
	fprintf(to,
		"},\"other\":%llu,\"cut\":%llu,\"hotdrops\":%llu,\"events\":%llu,"
		"\"faults\":%llu,\"seconds\":%.6f}\n",
		r->other, r->cut, r->hotdrops, r->events, r->faults, r->seconds);
}

void xt2_replay_summary_text(const struct xt2_replay *r, FILE *to)
{
	size_t i;

	fprintf(to, "%llu packets", r->packets);
	for (i = 0; i < XT2_ARRAY_SIZE(verdicts); i++)
		if (r->verdict[verdicts[i]] || i < 2)
			fprintf(to, ", %llu %s", r->verdict[verdicts[i]],
				xt2_verdict_name(verdicts[i]));
	fputc('\n', to);
	if (r->hotdrops)
		fprintf(to, "%llu of them dropped because a match found them malformed\n",
			r->hotdrops);
	if (r->events)
		fprintf(to, "%llu logged or traced\n", r->events);
	if (unseen_total(r)) {
		fprintf(to, "%llu not seen by the hook, the kernel drops them before",
			unseen_total(r));
		for (i = 0; i < XT2_REPLAY_REASONS && r->unseen[i].why; i++)
			fprintf(to, "%s%llu %s", i ? ", " : " (", r->unseen[i].packets,
				r->unseen[i].why);
		fputs(")\n", to);
	}
	if (r->other)
		fprintf(to, "%llu not %s, and so not evaluated\n", r->other,
			!r->in.family		   ? "of a family of the image"
			: r->in.family == XT2_IPV4 ? "IPv4"
			: r->in.family == XT2_IPV6 ? "IPv6"
						   : "ARP");
	if (r->cut)
		fprintf(to,
			"warning: %llu were captured with too short a snap length to decide all"
			" conditions\n",
			r->cut);
	if (r->faults)
		fprintf(to, "warning: %llu faults\n", r->faults);
	if (r->seconds > 0 && r->packets)
		fprintf(to, "%.3f s, %.2f million packets a second\n", r->seconds,
			r->packets / r->seconds / 1e6);
}

/* What a rule may have. */
struct part {
	__u32 info; /* a target with these of XT2_EXT_*, */
	int target, match; /* or one of this kind, or this match; 0: none */
};

static bool rule_has(const struct xt2_rule *rule, const struct part *part)
{
	const __u32 kind = XT2_TARGET_KIND(rule->target);
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, rule)
		if (part->match && (int)m->type == part->match)
			return true;
	return xt2_target_info(kind) & part->info || (part->target && (int)kind == part->target);
}

/* Has any rule such a part?  seen: in these chains only, or NULL */
static bool image_has(const struct xt2_image *img, const __u8 *seen, struct part part)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_rule *rule;
	struct xt2_in_order o;
	__u32 i;

	if (!root)
		return false;
	xt2_image_for_each_chain(c, i, img, root) {
		if (seen && !seen[c->index])
			continue;
		xt2_chain_for_each(rule, &o, img, c)
			if (rule_has(rule, &part))
				return true;
	}
	return false;
}

bool xt2_image_writes(const struct xt2_image *img)
{
	return image_has(img, NULL, (struct part){ .info = XT2_EXT_WRITES });
}

void xt2_replay_notes(struct xt2_replay *r)
{
	const struct xt2_image *img = r->in.map.image;
	const struct xt2_root *root = xt2_image_root(img);
	__u8 *seen = r->quiet || r->noted ? NULL : xt2_input_reached(&r->in, r->hook, r->table);

	if (!seen)
		return;
	r->noted = true;
	if (!root || !memchr(seen, 1, root->chains))
		xt2_print_line(stderr,
			       "note: no table of the rules has a chain at %s: all packets pass",
			       r->hook);
	if (image_has(img, seen, (struct part){ .target = XT2_T_NAT }))
		fputs("note: addresses are not translated; NAT targets count and accept\n", stderr);
	if (!r->host.ct.state && (image_has(img, seen, (struct part){ .match = XT2_M_CONNTRACK }) ||
				  image_has(img, seen, (struct part){ .match = XT2_M_STATE })))
		fputs("note: rules ask for the conntrack state, and no --ctstate was given: packets count"
		      " as INVALID, as without conntrack\n",
		      stderr);
	if (!r->host.nlocal && image_has(img, seen, (struct part){ .match = XT2_M_ADDRTYPE }))
		fputs("note: rules ask for address types; tell the host's own addresses with --local\n",
		      stderr);
	free(seen);
}
