/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.h - what the parts of xt2 replay share */
#ifndef XT2_XT2TABLES_CMD_REPLAY_H
#define XT2_XT2TABLES_CMD_REPLAY_H

#include "xt2tables/files/output.h"
#include "cmd.h"

#define XT2_REPLAY_FAMILIES 3 /* xt2_replay_families */
#define XT2_REPLAY_REASONS  16 /* why packets were not seen */

extern const int xt2_replay_families[XT2_REPLAY_FAMILIES];

/* What is written, and when it is complete takes the place of an old file. */
enum {
	XT2_REPLAY_VERDICTS,
	XT2_REPLAY_ACCEPTED,
	XT2_REPLAY_DROPPED,
	XT2_REPLAY_COUNTERS,
	XT2_REPLAY_OUTPUTS
};

struct xt2_replay_batch;

struct xt2_replay {
	struct xt2_input in;
	struct xt2_host host;
	struct xt2_evaluator *ev;
	const char *hook, *table;
	int hooks[XT2_IPV6 + 1]; /* of each enum xt2_family: the hook's number; -1: not evaluated */
	const char *path[XT2_REPLAY_OUTPUTS]; /* NULL: is not asked for */
	struct xt2_output out[XT2_REPLAY_OUTPUTS];
	bool opened;
	FILE *verdicts_to;
	struct xt2_dump *dump[XT2_REPLAY_OUTPUTS]; /* of those that are captures */
	int linktype; /* of what they get */
	bool json, quiet, preload, writes;
	bool update; /* the image keeps what was counted */
	unsigned long long loops, batch_size, seed; /* seed 0: its own */
	struct xt2_replay_batch *batch; /* packets that are to be evaluated together */

	/* figures */
	unsigned long long packets, evaluated, other, cut, faults, hotdrops, events;
	unsigned long long verdict[XT2_NEXT];
	struct {
		const char *why;
		unsigned long long packets;
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

/* --- outputs (replay-output.c) ---------------------------------------------- */

/* Say what is lost, and why.  => the exit code */
int xt2_replay_lost(const char *what, int error);

/* Would a file be read and written, or written as two things?  => XT2_EXIT_* */
int xt2_replay_outputs_check(const struct xt2_replay *r, char *const *captures);

/* Open all that are asked for; for each capture.  @like: it.  => XT2_EXIT_* */
int xt2_replay_outputs_open(struct xt2_replay *r, const struct xt2_capture *like);

/* Write the counters, and close all outputs, without giving them their names.  => XT2_EXIT_* */
int xt2_replay_outputs_finish(struct xt2_replay *r);

/* Give finished outputs their names.  => XT2_EXIT_* */
int xt2_replay_outputs_place(struct xt2_replay *r);

/* Leave old files as they are.  What is placed stays. */
void xt2_replay_outputs_drop(struct xt2_replay *r);

/* Does standard output belong to one of them? */
bool xt2_replay_outputs_standard(const struct xt2_replay *r);

/* --- words (replay-summary.c) ---------------------------------------------- */

void xt2_replay_summary_json(const struct xt2_replay *r, FILE *to);
void xt2_replay_summary_text(const struct xt2_replay *r, FILE *to);

/* What a user should know before believing the figures. */
void xt2_replay_notes(struct xt2_replay *r);

#endif
