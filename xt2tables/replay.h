/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.h - what the parts of xt2 replay share */
#ifndef XT2_REPLAY_H
#define XT2_REPLAY_H

#include <time.h>
#include "xt2.h"

#define XT2_REPLAY_FAMILIES 3 /* xt2_replay_families */
#define XT2_REPLAY_REASONS  16 /* why packets were not seen */

extern const int xt2_replay_families[XT2_REPLAY_FAMILIES];

struct xt2_replay_batch;

struct xt2_replay {
	struct xt2_input in;
	struct xt2_host host;
	struct xt2_evaluator *ev;
	const char *hook, *table;
	int hooks[XT2_REPLAY_FAMILIES]; /* number of the hook, -1: family is not evaluated */
	const char *counters, *verdicts, *accepted, *dropped;
	FILE *verdicts_to;
	struct xt2_dump *accepted_to, *dropped_to;
	int linktype; /* of what they get */
	bool json, quiet, preload, writes;
	bool update; /* the image keeps what was counted */
	unsigned long long loops, batch_size;
	struct xt2_replay_batch *batch; /* packets that are to be evaluated together */

	/* figures */
	__u64 packets, evaluated, other, cut, faults, hotdrops, events;
	__u64 verdict[XT2_NEXT];
	struct {
		const char *why;
		__u64 packets;
	} unseen[XT2_REPLAY_REASONS];
	double seconds;
	struct timespec started, shown;
	bool noted; /* the notes have been printed */
};

/* --- packets (replay-run.c) ------------------------------------------------ */

/* Evaluate the packets of a capture as they are read.  => XT2_EXIT_* */
int xt2_replay_stream(struct xt2_replay *r, struct xt2_capture *cap, struct xt2_err *err);

/* The whole capture in memory first, then evaluation only, several times.  => XT2_EXIT_* */
int xt2_replay_preloaded(struct xt2_replay *r, struct xt2_capture *cap, struct xt2_err *err);

void xt2_replay_batch_free(struct xt2_replay_batch *batch); /* NULL is fine */

/* The line of the progress bar is free for what follows. */
void xt2_replay_bar_end(const struct xt2_replay *r);

/* Say what is lost, and why.  => the exit code */
int xt2_replay_lost(const char *what, int error);

/* --- words (replay-summary.c) ---------------------------------------------- */

void xt2_replay_summary_json(const struct xt2_replay *r, FILE *to);
void xt2_replay_summary_text(const struct xt2_replay *r, FILE *to);

/* What a user should know before believing the figures. */
void xt2_replay_notes(struct xt2_replay *r);

/* Has any rule a target that changes bytes? */
bool xt2_replay_writes(const struct xt2_image *img);

#endif
