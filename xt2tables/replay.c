/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay.c - xt2 replay: filter a capture with a ruleset
 *
 * Each packet goes the way it would go in the kernel: the receive path's
 * checks, the parser, then the tables of one hook in their order.  Counters
 * are counted in the packed rules themselves, which are private to the
 * process until --update stores them; the clock of limit and time is the
 * capture's.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "../engine/image.h"
#include "text.h"
#include "xt2.h"

#define ROOM	 64 /* bytes by which a target may lengthen a packet */
#define MAC	 14 /* bytes of an Ethernet header */
#define FAMILIES 3
#define REASONS	 16 /* why packets were not seen */
#define FIGURES	 32 /* columns beside the bar */

static const int families[FAMILIES] = { XT2_IPV4, XT2_IPV6, XT2_ARP };

struct packet {
	struct xt2_captured c;
	__u64 number;
};

struct replay {
	struct xt2_input in;
	struct xt2_host host;
	struct xt2_evaluator *ev;
	const char *hook, *table;
	int hooks[FAMILIES]; /* number of the hook, -1: family is not evaluated */
	const char *counters, *verdicts, *accepted, *dropped;
	FILE *verdicts_to;
	struct xt2_dump *accepted_to, *dropped_to;
	int linktype; /* of what they get */
	bool json, quiet, preload, writes;
	bool update; /* the image keeps what was counted */
	unsigned long long loops;
	__u8 *scratch; /* a frame that targets may change */
	size_t scratch_size;

	/* figures */
	__u64 packets, evaluated, other, cut, faults, hotdrops, events;
	__u64 verdict[XT2_NEXT];
	struct {
		const char *why;
		__u64 packets;
	} unseen[REASONS];
	double seconds;
	struct timespec started, shown;
	bool noted; /* the notes have been printed */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* A bar on the terminal, from the second second on; percent -1: not known. */
static void progress(struct replay *r, int percent)
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
			full, percent, (unsigned long long)r->packets);
	else
		fprintf(stderr, "\r%llu packets, %ld s", (unsigned long long)r->packets,
			(long)(t.tv_sec - r->started.tv_sec));
	fflush(stderr);
}

/* The line of the bar is free for what follows. */
static void progress_end(const struct replay *r)
{
	if (r->shown.tv_sec)
		fputs("\r\033[K", stderr);
}

/* A frame whose bytes targets may change, with room to grow. */
static int own_frame(struct replay *r, struct xt2_captured *c)
{
	if (c->caplen + ROOM > r->scratch_size) {
		size_t size = c->caplen + ROOM + 4096;
		__u8 *p = realloc(r->scratch, size);

		if (!p)
			return -ENOMEM;
		r->scratch = p;
		r->scratch_size = size;
	}
	memcpy(r->scratch, c->frame, c->caplen);
	c->frame = r->scratch;
	return 0;
}

static void verdict_line(struct replay *r, __u64 number, const struct xt2_result *res)
{
	FILE *to = r->verdicts_to;

	fprintf(to, "{\"packet\":%llu,\"verdict\":\"%s\"", (unsigned long long)number,
		xt2_verdict_name(res->verdict));
	if (res->table) {
		fputs(",\"table\":", to);
		xt2_json_string(to, res->table);
		fputs(",\"chain\":", to);
		xt2_json_string(to, res->chain);
		fprintf(to, ",\"rule\":%u", res->rule);
	}
	if (res->hotdrop)
		fputs(",\"hotdrop\":true", to);
	fputs("}\n", to);
}

static void reason_line(struct replay *r, __u64 number, const char *verdict, const char *reason)
{
	if (r->verdicts_to)
		fprintf(r->verdicts_to, "{\"packet\":%llu,\"verdict\":\"%s\",\"reason\":\"%s\"}\n",
			(unsigned long long)number, verdict, reason);
}

static int family_index(const struct replay *r, int family)
{
	int i;

	for (i = 0; i < FAMILIES; i++)
		if (families[i] == family && r->hooks[i] >= 0)
			return i;
	return -1;
}

/* What a target has made of the frame: it may be longer or shorter now. */
static int keep(struct replay *r, struct xt2_captured *c, const struct xt2_pkt *pkt, int verdict)
{
	struct xt2_dump *to = verdict == XT2_ACCEPT ? r->accepted_to : r->dropped_to;
	__u32 end = c->network + pkt->caplen;

	if (!to)
		return 0;
	if (r->writes && end > c->caplen) {
		c->len += end - c->caplen;
		c->caplen = end;
	}
	return xt2_dump_write(to, c);
}

static void unseen(struct replay *r, __u64 number, const char *why)
{
	int i;

	reason_line(r, number, "UNSEEN", why);
	for (i = 0; i < REASONS - 1 && r->unseen[i].why && strcmp(r->unseen[i].why, why); i++)
		;
	r->unseen[i].why = why;
	r->unseen[i].packets++;
}

/* => 0, or -errno if results cannot be kept */
static int one(struct replay *r, const struct packet *p)
{
	struct xt2_captured c = p->c;
	struct xt2_pkt pkt = { 0 };
	struct xt2_result res;
	int f = family_index(r, c.family);
	const char *why;

	if (f < 0) {
		r->other++;
		reason_line(r, p->number, "OTHER", "not a packet of this ruleset's family");
		return 0;
	}
	why = xt2_host_receive(&r->host, r->hooks[f], &c, &pkt);
	if (why) {
		unseen(r, p->number, why);
		return 0;
	}
	if (r->writes && own_frame(r, &c) < 0)
		return -ENOMEM;
	pkt.data = (__u8 *)c.frame + c.network;
	pkt.caplen = c.caplen - c.network;
	if (pkt.caplen > pkt.len)
		pkt.caplen = pkt.len;
	pkt.room = r->writes ? ROOM : 0;
	if (xt2_pkt_parse(&pkt, c.family) < 0) {
		unseen(r, p->number, xt2_pkt_seen_name(XT2_UNSEEN_SHORT));
		return 0;
	}
	xt2_host_fill(&r->host, &pkt, &c);
	xt2_evaluate(r->ev, r->hooks[f], r->table, &pkt, c.time, r->verdicts_to != NULL, &res);
	r->evaluated++;
	r->verdict[res.verdict]++;
	r->cut += pkt.cut;
	r->faults += res.faults;
	r->hotdrops += res.hotdrop;
	r->events += res.events;
	if (r->verdicts_to)
		verdict_line(r, p->number, &res);
	return keep(r, &c, &pkt, res.verdict);
}

static int lost(const char *what, int error)
{
	fprintf(stderr, "xt2 replay: %s: %s\n", what, strerror(-error));
	return xt2_exit_errno(-error);
}

/* Packet by packet, in constant memory. */
static int stream(struct replay *r, struct xt2_capture *cap, struct xt2_err *err)
{
	struct packet p = { 0 };
	double start = now();
	int n;

	while ((n = xt2_capture_next(cap, &p.c, err)) > 0) {
		p.number = ++r->packets;
		n = one(r, &p);
		if (n < 0)
			return lost("cannot keep a packet", n);
		if (!(r->packets % 4096))
			progress(r, xt2_capture_percent(cap));
	}
	r->seconds += now() - start;
	return n < 0 ? xt2_fail(err) : XT2_EXIT_OK;
}

static int copy_packet(struct packet *to, const struct xt2_captured *c)
{
	__u8 *frame = malloc(c->caplen + MAC);

	if (!frame)
		return -ENOMEM;
	memcpy(frame, c->frame, c->caplen);
	to->c = *c;
	to->c.frame = frame;
	if (c->mac)
		to->c.mac = memcpy(frame + c->caplen, c->mac, MAC);
	return 0;
}

/* The whole capture in memory first, then evaluation only, several times. */
static int preloaded(struct replay *r, struct xt2_capture *cap, struct xt2_err *err)
{
	struct packet *list = NULL;
	size_t n = 0, room = 0, i;
	struct xt2_captured c;
	unsigned long long loop;
	double start;
	int got, ret = XT2_EXIT_OK;

	while ((got = xt2_capture_next(cap, &c, err)) > 0) {
		if (n == room) {
			struct packet *more;

			room = room ? room * 2 : 1024;
			more = realloc(list, room * sizeof(*list));
			if (!more)
				break;
			list = more;
		}
		if (copy_packet(&list[n], &c) < 0)
			break;
		n++;
	}
	if (got) {
		ret = got < 0 ? xt2_fail(err) : lost("capture", -ENOMEM);
		goto out;
	}
	start = now();
	for (loop = 0; loop < r->loops && ret == XT2_EXIT_OK; loop++) {
		for (i = 0; i < n; i++) {
			list[i].number = ++r->packets;
			got = one(r, &list[i]);
			if (got < 0) {
				ret = lost("cannot keep a packet", got);
				break;
			}
			if (!(r->packets % 4096))
				progress(r, (loop * n + i) * 100 / (r->loops * n));
		}
	}
	r->seconds += now() - start;
out:
	for (i = 0; i < n; i++)
		free((void *)list[i].c.frame);
	free(list);
	return ret;
}

static __u64 unseen_total(const struct replay *r)
{
	__u64 n = 0;
	size_t i;

	for (i = 0; i < REASONS; i++)
		n += r->unseen[i].packets;
	return n;
}

static void summary_json(const struct replay *r, FILE *to)
{
	static const int verdicts[] = { XT2_ACCEPT, XT2_DROP, XT2_REJECT, XT2_QUEUE };
	size_t i;

	fprintf(to, "{\"packets\":%llu,\"evaluated\":%llu,\"verdicts\":{",
		(unsigned long long)r->packets, (unsigned long long)r->evaluated);
	for (i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		fprintf(to, "%s\"%s\":%llu", i ? "," : "", xt2_verdict_name(verdicts[i]),
			(unsigned long long)r->verdict[verdicts[i]]);
	fputs("},\"unseen\":{", to);
	for (i = 0; i < REASONS && r->unseen[i].why; i++)
		fprintf(to, "%s\"%s\":%llu", i ? "," : "", r->unseen[i].why,
			(unsigned long long)r->unseen[i].packets);
	fprintf(to,
		"},\"other\":%llu,\"cut\":%llu,\"hotdrops\":%llu,\"events\":%llu,"
		"\"faults\":%llu,\"seconds\":%.6f}\n",
		(unsigned long long)r->other, (unsigned long long)r->cut,
		(unsigned long long)r->hotdrops, (unsigned long long)r->events,
		(unsigned long long)r->faults, r->seconds);
}

static void summary_text(const struct replay *r, FILE *to)
{
	static const int verdicts[] = { XT2_ACCEPT, XT2_DROP, XT2_REJECT, XT2_QUEUE };
	size_t i;

	fprintf(to, "%llu packets", (unsigned long long)r->packets);
	for (i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		if (r->verdict[verdicts[i]] || i < 2)
			fprintf(to, ", %llu %s", (unsigned long long)r->verdict[verdicts[i]],
				xt2_verdict_name(verdicts[i]));
	fputc('\n', to);
	if (r->hotdrops)
		fprintf(to, "%llu of them dropped because a match found them malformed\n",
			(unsigned long long)r->hotdrops);
	if (r->events)
		fprintf(to, "%llu logged or traced\n", (unsigned long long)r->events);
	if (unseen_total(r)) {
		fprintf(to, "%llu not seen by the hook, the kernel drops them before",
			(unsigned long long)unseen_total(r));
		for (i = 0; i < REASONS && r->unseen[i].why; i++)
			fprintf(to, "%s%llu %s", i ? ", " : " (",
				(unsigned long long)r->unseen[i].packets, r->unseen[i].why);
		fputs(")\n", to);
	}
	if (r->other)
		fprintf(to, "%llu not %s, and so not evaluated\n", (unsigned long long)r->other,
			!r->in.family		   ? "of a family of the image"
			: r->in.family == XT2_IPV4 ? "IPv4"
			: r->in.family == XT2_IPV6 ? "IPv6"
						   : "ARP");
	if (r->cut)
		fprintf(to,
			"warning: %llu were captured with too short a snap length to decide all"
			" conditions\n",
			(unsigned long long)r->cut);
	if (r->faults)
		fprintf(to, "warning: %llu faults\n", (unsigned long long)r->faults);
	if (r->seconds > 0 && r->packets)
		fprintf(to, "%.3f s, %.2f million packets a second\n", r->seconds,
			r->packets / r->seconds / 1e6);
}

/* Has any rule such a target (XT2_EXT_*) or this match?  seen: in these chains only, or NULL */
static bool image_has(const struct xt2_image *img, const __u8 *seen, __u32 info, int match)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_rule *rule;
	const struct xt2_match *m;
	__u32 i;

	if (!root)
		return false;
	xt2_image_for_each_chain(c, i, img, root) {
		if (seen && !seen[c->index])
			continue;
		xt2_chain_for_each_rule(rule, c) {
			if (xt2_target_info(XT2_TARGET_KIND(rule->target)) & info)
				return true;
			xt2_rule_for_each_match(m, rule)
				if ((int)m->type == match)
					return true;
		}
	}
	return false;
}

static bool image_has_nat(const struct xt2_image *img, const __u8 *seen)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_rule *rule;
	__u32 i;

	if (!root)
		return false;
	xt2_image_for_each_chain(c, i, img, root)
		xt2_chain_for_each_rule(rule, c)
			if (seen[c->index] && XT2_TARGET_KIND(rule->target) == XT2_T_NAT)
				return true;
	return false;
}

/* What a user should know before believing the figures. */
static void notes(struct replay *r)
{
	const struct xt2_image *img = r->in.map.image;
	const struct xt2_root *root = xt2_image_root(img);
	__u8 *seen = r->quiet || r->noted ? NULL : xt2_input_reached(&r->in, r->hook, r->table);

	if (!seen)
		return;
	r->noted = true;
	if (!root || !memchr(seen, 1, root->chains))
		fprintf(stderr, "note: no table of the rules has a chain at %s: all packets pass\n",
			r->hook);
	if (image_has_nat(img, seen))
		fputs("note: addresses are not translated; NAT targets count and accept\n", stderr);
	if (!r->host.ct.state &&
	    (image_has(img, seen, 0, XT2_M_CONNTRACK) || image_has(img, seen, 0, XT2_M_STATE)))
		fputs("note: rules ask for the conntrack state, and no --ctstate was given: packets count"
		      " as INVALID, as without conntrack\n",
		      stderr);
	if (!r->host.nlocal && image_has(img, seen, 0, XT2_M_ADDRTYPE))
		fputs("note: rules ask for address types; tell the host's own addresses with --local\n",
		      stderr);
	free(seen);
}

/* => 0, or -errno of what could not be written */
static int flushed(FILE *to)
{
	errno = 0;
	if (fflush(to) != EOF && !ferror(to))
		return 0;
	return errno ? -errno : -EIO;
}

static int write_counters(struct replay *r)
{
	FILE *to = strcmp(r->counters, "-") ? fopen(r->counters, "we") : stdout;
	int i, flush, ret = 0;

	if (!to)
		return lost(r->counters, -errno);
	if (xt2_input_reload(&r->in) != XT2_EXIT_OK) {
		if (to != stdout)
			fclose(to);
		return XT2_EXIT_RESOURCE;
	}
	for (i = 0; i < FAMILIES && !ret; i++)
		if (r->hooks[i] >= 0) {
			ret = xt2_text_save(to, r->in.rs, families[i], r->table, true);
			if (ret == -ENOENT) /* no such table in this family */
				ret = 0;
		}
	flush = flushed(to);
	if (flush && (!ret || ret == -EIO))
		ret = flush;
	if (to != stdout && fclose(to) == EOF && !ret)
		ret = -errno;
	return ret < 0 ? lost(r->counters, ret) : XT2_EXIT_OK;
}

/* Counters and state, as if the packets had passed; the image has been locked all the time. */
static int update_image(struct replay *r)
{
	struct xt2_err err = { 0 };

	xt2_image_fold(r->in.map.image);
	if (xt2_image_store(r->in.path, r->in.map.image, r->in.map.size, &err) < 0)
		return xt2_fail(&err);
	return XT2_EXIT_OK;
}

static int open_outputs(struct replay *r, const struct xt2_capture *like)
{
	struct xt2_err err = { 0 };

	if ((r->accepted_to || r->dropped_to) && r->linktype != xt2_capture_linktype(like)) {
		fputs("xt2 replay: --accepted and --dropped need captures of one link type\n",
		      stderr);
		return XT2_EXIT_USAGE;
	}
	r->linktype = xt2_capture_linktype(like);
	if (r->verdicts && !r->verdicts_to) {
		r->verdicts_to = strcmp(r->verdicts, "-") ? fopen(r->verdicts, "we") : stdout;
		if (!r->verdicts_to)
			return lost(r->verdicts, -errno);
	}
	if (r->accepted && !r->accepted_to) {
		r->accepted_to = xt2_dump_open(r->accepted, like, &err);
		if (!r->accepted_to)
			return xt2_fail(&err);
	}
	if (r->dropped && !r->dropped_to) {
		r->dropped_to = xt2_dump_open(r->dropped, like, &err);
		if (!r->dropped_to)
			return xt2_fail(&err);
	}
	return XT2_EXIT_OK;
}

static int close_outputs(struct replay *r)
{
	struct xt2_err err = { 0 };
	int ret = XT2_EXIT_OK, flush;

	if (r->verdicts_to) {
		flush = flushed(r->verdicts_to);
		if (flush)
			ret = lost(r->verdicts, flush);
		if (r->verdicts_to != stdout)
			fclose(r->verdicts_to);
	}
	if (r->accepted_to && xt2_dump_close(r->accepted_to, &err) < 0)
		ret = xt2_fail(&err);
	if (r->dropped_to && xt2_dump_close(r->dropped_to, &err) < 0)
		ret = xt2_fail(&err);
	return ret;
}

static int captures(struct replay *r, char **paths)
{
	struct xt2_err err = { 0 };
	int ret = XT2_EXIT_OK;

	for (; *paths && ret == XT2_EXIT_OK; paths++) {
		struct xt2_capture *cap = xt2_capture_open(*paths, &err);

		if (!cap)
			return xt2_fail(&err);
		ret = open_outputs(r, cap);
		if (ret == XT2_EXIT_OK) {
			notes(r);
			ret = r->preload ? preloaded(r, cap, &err) : stream(r, cap, &err);
		}
		xt2_capture_close(cap);
	}
	progress_end(r);
	return ret;
}

static const char help[] =
	"Usage: xt2 replay (--rules FILE [-4|-6|--arp] | --image FILE) [--table T]\n"
	"                  --hook HOOK [OPTIONS] CAPTURE...\n\n"
	"Filters the packets of pcap and pcapng files as the kernel's tables would.\n\n"
	"  -r, --rules FILE       iptables-save text (-4, the default), ip6tables-save\n"
	"                         text (-6) or arptables-save text (--arp)\n"
	"      --image FILE       an image: packets of all its families\n"
	"  -H, --hook HOOK        PREROUTING, INPUT, FORWARD, OUTPUT, POSTROUTING\n"
	"  -t, --table T          only this table; default: all of the hook, in the\n"
	"                         kernel's order (nat only for NEW packets)\n"
	"  -c, --counters FILE    write iptables-save -c text; \"-\": standard output\n"
	"      --update           the image keeps the counters, and the state of its rules\n"
	"      --verdicts FILE    write a line of JSON for each packet; rule 0: the policy\n"
	"      --accepted FILE, --dropped FILE\n"
	"                         write captures of what was accepted, and of the rest\n"
	"      --json             print the summary as JSON\n"
	"      --preload          read the capture into memory first\n"
	"      --loop N           evaluate it N times (implies --preload)\n"
	"      --seed N           for -m statistic --mode random\n"
	"      --resolve          host names in the rules may be looked up\n"
	"  -q, --quiet            no notes, no progress\n" XT2_HOST_HELP;

enum {
	OPT_ARP = 1,
	OPT_IMAGE,
	OPT_VERDICTS,
	OPT_ACCEPTED,
	OPT_DROPPED,
	OPT_JSON,
	OPT_PRELOAD,
	OPT_LOOP,
	OPT_SEED,
	OPT_RESOLVE,
	OPT_UPDATE
};

static const struct option options[] = {
	{ "rules", 1, NULL, 'r' },
	{ "image", 1, NULL, OPT_IMAGE },
	{ "arp", 0, NULL, OPT_ARP },
	{ "ipv4", 0, NULL, '4' },
	{ "ipv6", 0, NULL, '6' },
	{ "hook", 1, NULL, 'H' },
	{ "table", 1, NULL, 't' },
	{ "counters", 1, NULL, 'c' },
	{ "verdicts", 1, NULL, OPT_VERDICTS },
	{ "accepted", 1, NULL, OPT_ACCEPTED },
	{ "dropped", 1, NULL, OPT_DROPPED },
	{ "json", 0, NULL, OPT_JSON },
	{ "preload", 0, NULL, OPT_PRELOAD },
	{ "loop", 1, NULL, OPT_LOOP },
	{ "seed", 1, NULL, OPT_SEED },
	{ "resolve", 0, NULL, OPT_RESOLVE },
	{ "update", 0, NULL, OPT_UPDATE },
	{ "quiet", 0, NULL, 'q' },
	{ "help", 0, NULL, 'h' },
	XT2_HOST_OPTIONS,
	{ NULL, 0, NULL, 0 },
};

/* => 0; or -EINVAL: not a number, or less than the least */
static int number(const char *arg, unsigned long long least, unsigned long long *out)
{
	char *end;

	errno = 0;
	*out = strtoull(arg, &end, 0);
	return errno || end == arg || *end || *arg == '-' || *out < least ? -EINVAL : 0;
}

/* => XT2_EXIT_OK, or < 0: help was asked for, or XT2_EXIT_USAGE */
static int arguments(struct replay *r, int argc, char **argv, unsigned long long *seed)
{
	int c, index = 0;
	const char *name;

	while ((c = getopt_long(argc, argv, "r:46H:t:c:i:o:qh", options, &index)) != -1) {
		switch (c) {
		case 'r':
		case OPT_IMAGE:
			if (r->in.path)
				return xt2_usage("replay", "more than one file of rules");
			r->in.path = optarg;
			r->in.image = c == OPT_IMAGE;
			break;
		case '4': r->in.family = XT2_IPV4; break;
		case '6': r->in.family = XT2_IPV6; break;
		case OPT_ARP: r->in.family = XT2_ARP; break;
		case 'H': r->hook = optarg; break;
		case 't': r->table = optarg; break;
		case 'c': r->counters = optarg; break;
		case OPT_VERDICTS: r->verdicts = optarg; break;
		case OPT_ACCEPTED: r->accepted = optarg; break;
		case OPT_DROPPED: r->dropped = optarg; break;
		case OPT_JSON: r->json = true; break;
		case OPT_PRELOAD: r->preload = true; break;
		case OPT_LOOP:
			r->preload = true;
			if (number(optarg, 1, &r->loops) < 0)
				return xt2_usage("replay", "--loop: bad number '%s'", optarg);
			break;
		case OPT_SEED:
			if (number(optarg, 0, seed) < 0)
				return xt2_usage("replay", "--seed: bad number '%s'", optarg);
			break;
		case OPT_RESOLVE: r->in.resolve = true; break;
		case OPT_UPDATE: r->update = true; break;
		case 'q': r->quiet = true; break;
		case 'h': fputs(help, stdout); return -1;
		case 'i':
		case 'o':
		case XT2_HOST_OPTION:
			name = c == 'i' ? "in" : c == 'o' ? "out" : options[index].name;
			if (xt2_host_option(&r->host, name, optarg) != 1)
				return xt2_usage("replay", "--%s: bad argument '%s'", name, optarg);
			break;
		default: return xt2_see_help("replay");
		}
	}
	if (!r->in.path)
		return xt2_usage("replay", "which rules? Give --rules FILE or --image FILE");
	if (r->update && !r->in.image)
		return xt2_usage("replay", "--update needs an --image");
	if (!r->hook)
		return xt2_usage("replay", "which hook? Give --hook, such as --hook INPUT");
	if (optind == argc)
		return xt2_usage("replay", "no capture given");
	return XT2_EXIT_OK;
}

/* The numbers of the hook in the families that the ruleset has. */
static int find_hooks(struct replay *r)
{
	char why[128];
	int i;

	for (i = 0; i < FAMILIES; i++) {
		bool ours = !r->in.family || r->in.family == families[i];

		r->hooks[i] = ours ? xt2_hook_number(families[i], r->hook) : -1;
		if (r->table && xt2_table_find(r->in.rs, families[i], r->table) < 0)
			r->hooks[i] = -1;
	}
	if (xt2_input_table(&r->in, r->hook, r->table, why, sizeof(why)) < 0)
		return xt2_usage("replay", "%s", why);
	return XT2_EXIT_OK;
}

static int run(struct replay *r, char **paths, unsigned long long seed)
{
	int ret = find_hooks(r);
	FILE *to;

	if (ret != XT2_EXIT_OK)
		return ret;
	ret = xt2_input_unsupported(&r->in, r->hook, r->table);
	if (ret)
		return ret < 0 ? lost("ruleset", ret) : XT2_EXIT_UNSUPPORTED;
	r->ev = xt2_evaluator_new(r->in.map.image, r->in.map.size);
	if (!r->ev)
		return xt2_input_no_evaluator(&r->in, errno);
	if (seed)
		xt2_evaluator_seed(r->ev, seed);
	r->writes = image_has(r->in.map.image, NULL, XT2_EXT_WRITES, -1);
	clock_gettime(CLOCK_MONOTONIC, &r->started);
	ret = captures(r, paths);
	if (ret == XT2_EXIT_OK)
		ret = close_outputs(r);
	else
		close_outputs(r);
	if (ret == XT2_EXIT_OK && r->update)
		ret = update_image(r);
	if (ret != XT2_EXIT_OK)
		return ret;
	to = (r->counters && !strcmp(r->counters, "-")) ||
			     (r->verdicts && !strcmp(r->verdicts, "-"))
		     ? stderr
		     : stdout;
	if (r->json)
		summary_json(r, to);
	else if (!r->quiet || to == stdout)
		summary_text(r, to);
	return r->counters ? write_counters(r) : XT2_EXIT_OK;
}

int xt2_replay_main(int argc, char **argv)
{
	struct replay r = { .loops = 1 };
	unsigned long long seed = 0;
	struct xt2_err err = { 0 };
	char **paths;
	int ret, lock = -1;

	xt2_host_init(&r.host);
	ret = arguments(&r, argc, argv, &seed);
	if (ret != XT2_EXIT_OK)
		return ret < 0 ? XT2_EXIT_OK : ret;
	paths = argv + optind; /* parsing rules uses getopt() as well */
	if (r.update) {
		lock = xt2_image_lock(r.in.path, -1, &err);
		if (lock < 0)
			return xt2_fail(&err);
	}
	ret = xt2_input_load(&r.in);
	if (ret == XT2_EXIT_OK)
		ret = run(&r, paths, seed);
	if (lock >= 0)
		close(lock);
	xt2_evaluator_free(r.ev);
	free(r.scratch);
	xt2_input_close(&r.in);
	return ret;
}
