/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay-output.c - the files that xt2 replay writes
 *
 * All of them are opened before the first packet is evaluated, and take the
 * place of old files when all of them are complete: a run that fails changes
 * no file.  Before any is opened, their names are compared with those of what
 * is read.
 */
#include "libxt2/capture.h"
#include "replay.h"
#include "xt2tables/text/text.h"

const int xt2_replay_families[XT2_REPLAY_FAMILIES] = { XT2_IPV4, XT2_IPV6, XT2_ARP };

static const char *const options[XT2_REPLAY_OUTPUTS] = {
	[XT2_REPLAY_VERDICTS] = "--verdicts",
	[XT2_REPLAY_ACCEPTED] = "--accepted",
	[XT2_REPLAY_DROPPED] = "--dropped",
	[XT2_REPLAY_COUNTERS] = "--counters",
};

int xt2_replay_lost(const char *what, int error)
{
	xt2_print_line(stderr, "xt2 replay: %s: %s", what, strerror(-error));
	return xt2_exit_errno(-error);
}

int xt2_replay_outputs_check(const struct xt2_replay *r, char *const *captures)
{
	struct xt2_use *uses;
	struct xt2_err err;
	unsigned int n = 0, i, ret;

	while (captures[n])
		n++;
	uses = calloc(n + XT2_REPLAY_OUTPUTS + 1, sizeof(*uses));
	if (!uses)
		return xt2_replay_lost("outputs", -ENOMEM);
	for (i = 0; i < n; i++)
		uses[i] = (struct xt2_use){ captures[i], "the capture", false };
	uses[n++] = (struct xt2_use){ r->in.path, r->in.image ? "the image" : "the rules", false };
	for (i = 0; i < XT2_REPLAY_OUTPUTS; i++)
		uses[n++] = (struct xt2_use){ r->path[i], options[i], true };
	ret = xt2_uses_check(uses, n, &err) ? (unsigned int)xt2_fail(&err) : XT2_EXIT_OK;
	free(uses);
	return (int)ret;
}

static int open_all(struct xt2_replay *r)
{
	struct xt2_err err = { 0 };
	int i;

	for (i = 0; i < XT2_REPLAY_OUTPUTS; i++)
		if (r->path[i] && xt2_output_open(&r->out[i], r->path[i], &err))
			return xt2_fail(&err);
	r->verdicts_to = r->out[XT2_REPLAY_VERDICTS].to;
	return XT2_EXIT_OK;
}

/* The stream of an output becomes a capture.  => XT2_EXIT_* */
static int start_capture(struct xt2_output *o, const struct xt2_capture *like,
			 struct xt2_dump **dump)
{
	struct xt2_err err = { 0 };

	if (!o->to)
		return XT2_EXIT_OK;
	*dump = xt2_dump_stream(o->to, o->path, like, &err);
	o->to = NULL;
	return *dump ? XT2_EXIT_OK : xt2_fail(&err);
}

int xt2_replay_outputs_open(struct xt2_replay *r, const struct xt2_capture *like)
{
	int i, ret;

	if (r->opened) {
		if (!(r->dump[XT2_REPLAY_ACCEPTED] || r->dump[XT2_REPLAY_DROPPED]) ||
		    r->linktype == xt2_capture_linktype(like))
			return XT2_EXIT_OK;
		fputs("xt2 replay: --accepted and --dropped need captures of one link type\n",
		      stderr);
		return XT2_EXIT_USAGE;
	}
	r->opened = true;
	r->linktype = xt2_capture_linktype(like);
	ret = open_all(r);
	for (i = XT2_REPLAY_ACCEPTED; i <= XT2_REPLAY_DROPPED && ret == XT2_EXIT_OK; i++)
		ret = start_capture(&r->out[i], like, &r->dump[i]);
	return ret;
}

/* => XT2_EXIT_* */
static int write_counters(struct xt2_replay *r, struct xt2_output *o)
{
	int i, ret = 0;

	if (xt2_input_reload(&r->in) != XT2_EXIT_OK)
		return XT2_EXIT_RESOURCE;
	o->durable = true;
	for (i = 0; i < XT2_REPLAY_FAMILIES && !ret; i++)
		if (r->hooks[xt2_replay_families[i]] >= 0) {
			ret = xt2_text_save(o->to, r->in.rs, xt2_replay_families[i], r->table,
					    true);
			if (ret == -ENOENT) /* no such table in this family */
				ret = 0;
		}
	if (!ret || ret == -EIO) /* which the output knows better */
		return XT2_EXIT_OK;
	return xt2_replay_lost(o->path, ret);
}

/* => XT2_EXIT_* */
static int close_capture(struct xt2_dump **dump)
{
	struct xt2_err err = { 0 };
	int ret = *dump ? xt2_dump_close(*dump, &err) : 0;

	*dump = NULL;
	return ret < 0 ? xt2_fail(&err) : XT2_EXIT_OK;
}

int xt2_replay_outputs_finish(struct xt2_replay *r)
{
	struct xt2_err err = { 0 };
	int i, ret = close_capture(&r->dump[XT2_REPLAY_ACCEPTED]);

	if (ret == XT2_EXIT_OK)
		ret = close_capture(&r->dump[XT2_REPLAY_DROPPED]);
	if (ret == XT2_EXIT_OK && r->out[XT2_REPLAY_COUNTERS].to)
		ret = write_counters(r, &r->out[XT2_REPLAY_COUNTERS]);
	for (i = 0; i < XT2_REPLAY_OUTPUTS && ret == XT2_EXIT_OK; i++)
		if (r->out[i].path && xt2_output_finish(&r->out[i], &err))
			ret = xt2_fail(&err);
	return ret;
}

int xt2_replay_outputs_place(struct xt2_replay *r)
{
	struct xt2_err err = { 0 };
	int i;

	for (i = 0; i < XT2_REPLAY_OUTPUTS; i++)
		if (xt2_output_place(&r->out[i], &err))
			return xt2_fail(&err);
	return XT2_EXIT_OK;
}

void xt2_replay_outputs_drop(struct xt2_replay *r)
{
	int i;

	for (i = 0; i < XT2_REPLAY_OUTPUTS; i++) {
		if (r->dump[i])
			xt2_dump_close(r->dump[i], NULL);
		r->dump[i] = NULL;
		xt2_output_drop(&r->out[i]);
	}
}

bool xt2_replay_outputs_standard(const struct xt2_replay *r)
{
	int i;

	for (i = 0; i < XT2_REPLAY_OUTPUTS; i++)
		if (r->out[i].standard)
			return true;
	return false;
}
