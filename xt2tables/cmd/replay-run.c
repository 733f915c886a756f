/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay-run.c - the packets of a capture, evaluated in batches
 *
 * A batch is filled packet by packet, those that no rule will see included,
 * and emptied at once: xt2_evaluate_batch() evaluates its packets one after
 * the other, each with its own time, and then their results are written in
 * order.  So nothing depends on the size of batches but the time it takes.
 */
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "replay.h"

#define ROOM	64 /* bytes by which a target may lengthen a packet */
#define FIGURES 32 /* columns beside the bar */

/* A packet of a batch. */
struct slot {
	unsigned long long number;
	struct xt2_captured c;
	int hook; /* -1: it is not evaluated */
	const char *verdict, *why; /* then */
	__u8 *scratch; /* a frame that stays, and that targets may change */
	size_t scratch_size;
	__u8 mac[XT2_MAC];
};

struct xt2_replay_batch {
	unsigned int n;
	struct slot slot[XT2_BATCH];
	struct xt2_pkt pkt[XT2_BATCH];
	struct xt2_result result[XT2_BATCH];
};

/* A bar on the terminal, from the second second on; percent -1: not known. */
static void progress(struct xt2_replay *r, int percent)
{
	static const char full[] = "########################################";
	struct winsize window;
	int width = sizeof(full) - 1;
	struct timespec t;

	if (r->quiet || !isatty(STDERR_FILENO))
		return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	if (t.tv_sec - r->started.tv_sec < 2 || t.tv_sec == r->shown.tv_sec)
		return;
	r->shown = t;
	/* a line that the terminal breaks cannot be written over */
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &window) && window.ws_col &&
	    window.ws_col < width + FIGURES)
		width = window.ws_col > FIGURES ? window.ws_col - FIGURES : 0;
	if (percent >= 0)
		fprintf(stderr, "\r[%-*.*s] %3d%%  %llu packets", width, percent * width / 100,
			full, percent, r->packets);
	else
		fprintf(stderr, "\r%llu packets, %ld s", r->packets,
			(long)(t.tv_sec - r->started.tv_sec));
	fflush(stderr);
}

void xt2_replay_bar_end(const struct xt2_replay *r)
{
	if (r->shown.tv_sec)
		fputs("\r\033[K", stderr);
}

/* --- a packet ------------------------------------------------------------------ */

/* A frame of the slot's own, with room to grow. */
static int own_frame(struct slot *s)
{
	struct xt2_captured *c = &s->c;

	if (c->caplen + ROOM > s->scratch_size) {
		size_t size = c->caplen + ROOM + 4096;
		__u8 *p = realloc(s->scratch, size);

		if (!p)
			return -ENOMEM;
		s->scratch = p;
		s->scratch_size = size;
	}
	c->frame = memcpy(s->scratch, c->frame, c->caplen);
	if (c->mac)
		c->mac = memcpy(s->mac, c->mac, XT2_MAC);
	return 0;
}

static void verdict_line(struct xt2_replay *r, unsigned long long number,
			 const struct xt2_result *res)
{
	FILE *to = r->verdicts_to;

	fprintf(to, "{\"packet\":%llu,\"verdict\":\"%s\"", number, xt2_verdict_name(res->verdict));
	if (res->table) {
		xt2_json_string(to, ",\"table\":", res->table);
		xt2_json_string(to, ",\"chain\":", res->chain);
		fprintf(to, ",\"rule\":%u", res->rule);
	}
	if (res->hotdrop)
		fputs(",\"hotdrop\":true", to);
	fputs("}\n", to);
}

/* What a target has made of the frame: it may be longer or shorter now. */
static int keep(struct xt2_replay *r, struct xt2_captured *c, const struct xt2_pkt *pkt,
		int verdict)
{
	struct xt2_dump *to =
		r->dump[verdict == XT2_ACCEPT ? XT2_REPLAY_ACCEPTED : XT2_REPLAY_DROPPED];
	__u32 end = c->network + pkt->caplen;

	if (!to)
		return 0;
	if (r->writes && end > c->caplen) {
		c->len += end - c->caplen;
		c->caplen = end;
	}
	return xt2_dump_write(to, c);
}

static void unseen(struct xt2_replay *r, struct slot *s, const char *why)
{
	int i;

	s->verdict = "UNSEEN";
	s->why = why;
	for (i = 0; i < XT2_REPLAY_REASONS - 1 && r->unseen[i].why && strcmp(r->unseen[i].why, why);
	     i++)
		;
	r->unseen[i].why = why;
	r->unseen[i].packets++;
}

/*
 * Make a packet ready to be evaluated, or note why it is not.
 * @stays: the frame is there until then
 * => 0, -ENOMEM
 */
static int ready(struct xt2_replay *r, struct slot *s, struct xt2_pkt *pkt, bool stays)
{
	struct xt2_captured *c = &s->c;
	const int hook = r->hooks[c->family];
	const char *why;

	s->hook = -1;
	if (hook < 0) {
		r->other++;
		s->verdict = "OTHER";
		s->why = "not a packet of this ruleset's family";
		return 0;
	}
	memset(pkt, 0, sizeof(*pkt));
	why = xt2_host_receive(&r->host, hook, c, pkt);
	if (why) {
		unseen(r, s, why);
		return 0;
	}
	if ((r->writes || !stays) && own_frame(s) < 0)
		return -ENOMEM;
	pkt->data = (__u8 *)c->frame + c->network;
	pkt->caplen = c->caplen - c->network;
	if (pkt->caplen > pkt->len)
		pkt->caplen = pkt->len;
	pkt->room = r->writes ? ROOM : 0;
	if (xt2_pkt_parse(pkt, (__u8)c->family) < 0) {
		unseen(r, s, xt2_pkt_seen_name(XT2_UNSEEN_SHORT));
		return 0;
	}
	xt2_host_fill(&r->host, pkt, c);
	s->hook = hook;
	return 0;
}

/* => 0, or -errno if the packet cannot be kept */
static int write_result(struct xt2_replay *r, unsigned int at)
{
	struct slot *s = &r->batch->slot[at];
	const struct xt2_pkt *pkt = &r->batch->pkt[at];
	const struct xt2_result *res = &r->batch->result[at];

	if (s->hook < 0) {
		if (r->verdicts_to)
			fprintf(r->verdicts_to,
				"{\"packet\":%llu,\"verdict\":\"%s\",\"reason\":\"%s\"}\n",
				s->number, s->verdict, s->why);
		return 0;
	}
	r->evaluated++;
	r->verdict[res->verdict]++;
	r->cut += pkt->cut;
	r->faults += res->faults;
	r->hotdrops += res->hotdrop;
	r->events += res->events;
	if (r->verdicts_to)
		verdict_line(r, s->number, res);
	return keep(r, &s->c, pkt, res->verdict);
}

/* --- a batch -------------------------------------------------------------------- */

/* Consecutive packets for one hook, from slot at on. => the slot after them */
static unsigned int evaluate(struct xt2_replay *r, unsigned int at)
{
	struct xt2_replay_batch *b = r->batch;
	struct xt2_pkt *pkts[XT2_BATCH];
	struct xt2_result result[XT2_BATCH];
	unsigned int from[XT2_BATCH], n = 0, i;
	__u64 now[XT2_BATCH];
	int hook = -1;

	for (; at < b->n; at++) {
		const struct slot *s = &b->slot[at];

		if (s->hook < 0)
			continue;
		if (hook >= 0 && s->hook != hook)
			break;
		hook = s->hook;
		pkts[n] = &b->pkt[at];
		now[n] = s->c.time;
		from[n++] = at;
	}
	if (n)
		xt2_evaluate_batch(r->ev, hook, r->table, pkts, now, n, r->verdicts_to != NULL,
				   result);
	for (i = 0; i < n; i++)
		b->result[from[i]] = result[i];
	return at;
}

/* Evaluate what is there, and write its results. => 0, or -errno if they cannot be kept */
static int empty(struct xt2_replay *r)
{
	struct xt2_replay_batch *b = r->batch;
	unsigned int i = 0;
	int ret = 0;

	while (i < b->n)
		i = evaluate(r, i);
	for (i = 0; i < b->n && !ret; i++)
		ret = write_result(r, i);
	b->n = 0;
	return ret;
}

/* One more packet. => 0, or -errno if results cannot be kept */
static int add(struct xt2_replay *r, const struct xt2_captured *c, bool stays)
{
	struct xt2_replay_batch *b = r->batch;
	struct slot *s = &b->slot[b->n];

	s->number = ++r->packets;
	s->c = *c;
	if (ready(r, s, &b->pkt[b->n], stays) < 0)
		return -ENOMEM;
	return ++b->n < r->batch_size ? 0 : empty(r);
}

void xt2_replay_batch_free(struct xt2_replay_batch *batch)
{
	unsigned int i;

	for (i = 0; batch && i < XT2_BATCH; i++)
		free(batch->slot[i].scratch);
	free(batch);
}

static int make_batch(struct xt2_replay *r)
{
	if (!r->batch)
		r->batch = calloc(1, sizeof(*r->batch));
	return r->batch ? 0 : -ENOMEM;
}

/* --- a capture -------------------------------------------------------------------- */

/* Say which file cannot have a packet, if it is one; else there was no memory.  => exit code */
static int not_kept(const struct xt2_replay *r, int error)
{
	int i;

	for (i = 0; i < XT2_REPLAY_OUTPUTS; i++)
		if (r->out[i].error)
			return xt2_replay_lost(r->out[i].path, -r->out[i].error);
	return xt2_replay_lost("cannot keep a packet", error);
}

static void add_time(struct xt2_replay *r, __u64 start)
{
	r->seconds += (double)(xt2_clock_ns(CLOCK_MONOTONIC) - start) / 1e9;
}

int xt2_replay_stream(struct xt2_replay *r, struct xt2_capture *cap, struct xt2_err *err)
{
	const bool stays = r->batch_size == 1;
	struct xt2_captured c;
	const __u64 start = xt2_clock_ns(CLOCK_MONOTONIC);
	int n = 0, ret = make_batch(r);

	while (!ret && (n = xt2_capture_next(cap, &c, err)) > 0) {
		ret = add(r, &c, stays);
		if (!(r->packets % 4096))
			progress(r, xt2_capture_percent(cap));
	}
	if (!ret)
		ret = empty(r);
	add_time(r, start);
	if (ret < 0)
		return not_kept(r, ret);
	return n < 0 ? xt2_fail(err) : XT2_EXIT_OK;
}

/* => 0, or -errno if results cannot be kept */
static int evaluate_all(struct xt2_replay *r, const struct xt2_captured_list *all)
{
	unsigned long long loop;
	int ret = make_batch(r);
	size_t i;

	for (loop = 0; loop < r->loops && !ret; loop++)
		for (i = 0; i < all->n && !ret; i++) {
			ret = add(r, &all->at[i], true);
			if (!(r->packets % 4096))
				progress(r, (int)((loop * all->n + i) * 100 / (r->loops * all->n)));
		}
	return ret ? ret : empty(r);
}

int xt2_replay_preloaded(struct xt2_replay *r, struct xt2_capture *cap, struct xt2_err *err)
{
	struct xt2_captured_list all = { 0 };
	int ret = xt2_captured_read(cap, SIZE_MAX, &all, err);
	const __u64 start = xt2_clock_ns(CLOCK_MONOTONIC);

	if (ret < 0) {
		ret = err->code ? xt2_fail(err) : xt2_replay_lost("capture", -ENOMEM);
	} else {
		ret = evaluate_all(r, &all);
		ret = ret < 0 ? not_kept(r, ret) : XT2_EXIT_OK;
		add_time(r, start);
	}
	xt2_captured_free(&all);
	return ret;
}
