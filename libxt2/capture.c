/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture.c - packets from capture files, and back into them
 *
 * libpcap reads pcap and pcapng and scales every time stamp to nanoseconds.
 * What is ours is the way from a frame to its network header: a row of
 * link_types[] per kind of link.  A frame that is too short or carries another
 * protocol is no error, it has family 0; a file that is broken is one, and the
 * packets before the break were good.
 *
 * Nothing in a frame says who received it, so on Ethernet an address that is
 * not a group's counts as the receiver's own (PACKET_HOST).
 */
#include "config.h"
#include "capture.h"
#include "err.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <linux/if_packet.h>
#include <pcap/pcap.h>
#include "engine/parse.h"

#define ETHER_SIZE   14
#define COOKED_SIZE  16
#define COOKED2_SIZE 20
#define VLAN_SIZE    4
#define ETHER_DEVICE 1 /* ARPHRD_ETHER */
#define SNAPLEN	     262144 /* what tcpdump captures at most */
#define NSEC	     1000000000ull

enum ethertype {
	TYPE_IPV4 = 0x0800,
	TYPE_ARP = 0x0806,
	TYPE_VLAN = 0x8100,
	TYPE_IPV6 = 0x86dd,
	TYPE_VLAN_SERVICE = 0x88a8,
};

struct xt2_capture {
	pcap_t *pcap;
	const struct link_type *link;
	unsigned long long packets; /* that were read */
	u8 mac[ETHER_SIZE]; /* made from a cooked header */
	char name[sizeof(((struct xt2_err *)0)->file)];
};

struct xt2_dump {
	pcap_t *pcap;
	pcap_dumper_t *dumper;
	FILE *to;
	int lost; /* -errno of the first write that failed */
	char name[sizeof(((struct xt2_err *)0)->file)];
};

/* Fills in network, family, mac and pkttype, which are 0, 0, NULL and PACKET_HOST before. */
struct link_type {
	int type;
	int family; /* of all packets; 0: they tell */
	void (*find)(struct xt2_capture *cap, struct xt2_captured *p);
};

/* --- from a frame to its network header ---------------------------------- */

static const struct {
	u16 type;
	int family;
} protocols[] = {
	{ TYPE_IPV4, XT2_IPV4 },
	{ TYPE_IPV6, XT2_IPV6 },
	{ TYPE_ARP, XT2_ARP },
};

static int family_of(u16 type)
{
	for (size_t i = 0; i < XT2_ARRAY_SIZE(protocols); i++)
		if (protocols[i].type == type)
			return protocols[i].family;
	return 0;
}

static u16 type_of(int family)
{
	for (size_t i = 0; i < XT2_ARRAY_SIZE(protocols); i++)
		if (protocols[i].family == family)
			return protocols[i].type;
	return 0;
}

/* What follows a link-layer header that ends at off and names a type, tags included. */
static void find_ethertype(struct xt2_captured *p, u16 type, u32 off)
{
	while (type == TYPE_VLAN || type == TYPE_VLAN_SERVICE) {
		if (p->caplen - off < VLAN_SIZE)
			return;
		type = xt2_be16(p->frame + off + 2);
		off += VLAN_SIZE;
	}
	p->family = family_of(type);
	p->network = off;
}

/* An Ethernet header as the kernel has it when the tags are taken off. */
static void make_mac(struct xt2_capture *cap, struct xt2_captured *p, const u8 *dst, const u8 *src)
{
	memcpy(cap->mac, dst, 6);
	memcpy(cap->mac + 6, src, 6);
	xt2_put_be16(cap->mac + 12, type_of(p->family));
	p->mac = cap->mac;
}

static void find_ethernet(struct xt2_capture *cap, struct xt2_captured *p)
{
	static const u8 broadcast[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	if (p->caplen < ETHER_SIZE)
		return;
	if (!memcmp(p->frame, broadcast, sizeof(broadcast)))
		p->pkttype = PACKET_BROADCAST;
	else if (p->frame[0] & 1)
		p->pkttype = PACKET_MULTICAST;
	find_ethertype(p, xt2_be16(p->frame + 12), ETHER_SIZE);
	if (p->family && p->network > ETHER_SIZE)
		make_mac(cap, p, p->frame, p->frame + 6);
	else
		p->mac = p->frame;
}

/* The version is all that tells raw packets apart. */
static void find_raw(struct xt2_capture *cap, struct xt2_captured *p)
{
	if (!p->caplen)
		return;
	if (p->frame[0] >> 4 == 4)
		p->family = XT2_IPV4;
	else if (p->frame[0] >> 4 == 6)
		p->family = XT2_IPV6;
}

/* A BSD loopback header: AF_INET6 has another number on every system. */
static void find_address_family(struct xt2_captured *p, u32 af)
{
	switch (af) {
	case 2: p->family = XT2_IPV4; break;
	case 10: /* Linux */
	case 24: /* NetBSD, OpenBSD */
	case 28: /* FreeBSD */
	case 30: /* Darwin */ p->family = XT2_IPV6; break;
	default: return;
	}
	p->network = 4;
}

/* In the byte order of the machine that captured, which is not told. */
static void find_null(struct xt2_capture *cap, struct xt2_captured *p)
{
	u32 af;

	if (p->caplen < 4)
		return;
	af = xt2_be32(p->frame);
	find_address_family(p, af > 0xffff ? __builtin_bswap32(af) : af);
}

static void find_loop(struct xt2_capture *cap, struct xt2_captured *p)
{
	if (p->caplen >= 4)
		find_address_family(p, xt2_be32(p->frame));
}

/*
 * A cooked header keeps the sender's address: for Ethernet that is enough of a
 * MAC header for the matches.  The receiver's address is left zero.
 */
static void cooked_mac(struct xt2_capture *cap, struct xt2_captured *p, u16 device, u16 addr_len,
		       const u8 *addr)
{
	static const u8 unknown[6];

	if (p->family && device == ETHER_DEVICE && addr_len == 6)
		make_mac(cap, p, unknown, addr);
}

static void find_cooked(struct xt2_capture *cap, struct xt2_captured *p)
{
	const u8 *h = p->frame;

	if (p->caplen < COOKED_SIZE)
		return;
	p->pkttype = h[1];
	find_ethertype(p, xt2_be16(h + 14), COOKED_SIZE);
	cooked_mac(cap, p, xt2_be16(h + 2), xt2_be16(h + 4), h + 6);
}

static void find_cooked2(struct xt2_capture *cap, struct xt2_captured *p)
{
	const u8 *h = p->frame;

	if (p->caplen < COOKED2_SIZE)
		return;
	p->pkttype = h[10];
	find_ethertype(p, xt2_be16(h), COOKED2_SIZE);
	cooked_mac(cap, p, xt2_be16(h + 8), h[11], h + 12);
}

static const struct link_type link_types[] = {
	{ DLT_EN10MB, 0, find_ethernet },  { DLT_RAW, 0, find_raw },
	{ DLT_IPV4, XT2_IPV4, NULL },	   { DLT_IPV6, XT2_IPV6, NULL },
	{ DLT_NULL, 0, find_null },	   { DLT_LOOP, 0, find_loop },
	{ DLT_LINUX_SLL, 0, find_cooked }, { DLT_LINUX_SLL2, 0, find_cooked2 },
};

/* --- reading --------------------------------------------------------------- */

static const struct link_type *link_find(int type)
{
	for (size_t i = 0; i < XT2_ARRAY_SIZE(link_types); i++)
		if (link_types[i].type == type)
			return &link_types[i];
	return NULL;
}

static void refuse_link(struct xt2_err *err, const char *name, int type)
{
	const char *known = pcap_datalink_val_to_name(type);

	xt2_err_set(err, XT2_E_UNSUPPORTED, EINVAL, "link type %d (%s) is not supported", type,
		    known ? known : "unknown");
	xt2_err_file(err, name);
	xt2_err_hint(err, "Ethernet, raw IP, BSD loopback and Linux cooked captures can be read");
}

/* => -errnum */
static int refuse_system(struct xt2_err *err, const char *name, int errnum)
{
	xt2_err_set(err, XT2_E_SYSTEM, errnum, "%s", strerror(errnum));
	xt2_err_file(err, name);
	return -errnum;
}

static struct xt2_capture *refuse(FILE *from, int errnum)
{
	if (from != stdin)
		fclose(from);
	errno = errnum;
	return NULL;
}

struct xt2_capture *xt2_capture_stream(FILE *from, const char *name, struct xt2_err *err)
{
	char reason[PCAP_ERRBUF_SIZE] = "";
	struct xt2_capture *cap;

	cap = calloc(1, sizeof(*cap));
	if (!cap) {
		refuse_system(err, name, ENOMEM);
		return refuse(from, ENOMEM);
	}
	cap->pcap =
		pcap_fopen_offline_with_tstamp_precision(from, PCAP_TSTAMP_PRECISION_NANO, reason);
	if (!cap->pcap) {
		xt2_err_set(err, XT2_E_CAPTURE, EINVAL, "not a capture: %s", reason);
		xt2_err_file(err, name);
		xt2_err_hint(err, "a capture is what tcpdump -w writes (pcap or pcapng); "
				  "unpack it if it is compressed");
		free(cap);
		return refuse(from, EINVAL);
	}
	snprintf(cap->name, sizeof(cap->name), "%s", name);
	cap->link = link_find(pcap_datalink(cap->pcap));
	if (!cap->link) {
		refuse_link(err, name, pcap_datalink(cap->pcap));
		xt2_capture_close(cap);
		errno = EINVAL;
		return NULL;
	}
	return cap;
}

/* => 0, or the errno that reading would give */
static int readable(FILE *from)
{
	const int fd = fileno(from), flags = fcntl(fd, F_GETFL);
	struct stat about;

	if (flags < 0 || fstat(fd, &about))
		return errno;
	if (flags & O_PATH) /* held in place of a closed one */
		return EBADF;
	return S_ISDIR(about.st_mode) ? EISDIR : 0;
}

struct xt2_capture *xt2_capture_open(const char *path, struct xt2_err *err)
{
	const bool standard = !strcmp(path, "-");
	FILE *from = standard ? stdin : fopen(path, "re");
	int errnum = from ? readable(from) : errno;

	if (standard)
		path = "standard input";
	if (!errnum)
		return xt2_capture_stream(from, path, err);
	refuse_system(err, path, errnum);
	if (from)
		refuse(from, errnum);
	errno = errnum;
	return NULL;
}

/* The packet after the ones that were read is broken.  => -EINVAL */
static int refuse_packet(const struct xt2_capture *cap, struct xt2_err *err)
{
	const char *reason = pcap_geterr(cap->pcap);
	char hint[128];

	if (strstr(reason, "of the first interface"))
		snprintf(hint, sizeof(hint), "write one capture for each of the interfaces");
	else
		snprintf(hint, sizeof(hint), "the %llu packets before it are complete; %s",
			 cap->packets,
			 strstr(reason, "truncated") ? "the end of the file is missing"
						     : "the file is damaged");
	xt2_err_set(err, XT2_E_CAPTURE, EINVAL, "packet %llu: %s", cap->packets + 1, reason);
	xt2_err_file(err, cap->name);
	xt2_err_hint(err, hint);
	return -EINVAL;
}

/* Nanoseconds since 1970.  libpcap reads the 32 bits of a pcap file as signed. */
static u64 time_of(const struct pcap_pkthdr *h)
{
	u64 sec = (u64)h->ts.tv_sec, nsec = (u64)h->ts.tv_usec;

	if (h->ts.tv_sec < 0)
		sec = (u32)h->ts.tv_sec;
	if (sec >= UINT64_MAX / NSEC)
		sec = UINT64_MAX / NSEC - 1;
	return sec * NSEC + (nsec < NSEC ? nsec : NSEC - 1);
}

int xt2_capture_next(struct xt2_capture *cap, struct xt2_captured *packet, struct xt2_err *err)
{
	struct xt2_captured p = { .pkttype = PACKET_HOST };
	struct pcap_pkthdr *h;
	const u_char *frame;

	switch (pcap_next_ex(cap->pcap, &h, &frame)) {
	case 1: break;
	case PCAP_ERROR_BREAK: return 0;
	default: return refuse_packet(cap, err);
	}
	cap->packets++;
	p.frame = frame;
	p.caplen = h->caplen;
	p.len = h->len > h->caplen ? h->len : h->caplen;
	p.time = time_of(h);
	p.family = cap->link->family;
	if (cap->link->find)
		cap->link->find(cap, &p);
	*packet = p;
	return 1;
}

int xt2_capture_percent(const struct xt2_capture *cap)
{
	FILE *from = pcap_file(cap->pcap);
	off_t at = from ? ftello(from) : -1;
	struct stat st;

	if (at < 0 || fstat(fileno(from), &st) < 0 || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return -1;
	return at < st.st_size ? (int)(at * 100 / st.st_size) : 100;
}

int xt2_capture_linktype(const struct xt2_capture *cap)
{
	return pcap_datalink(cap->pcap);
}

void xt2_capture_close(struct xt2_capture *cap)
{
	if (!cap)
		return;
	pcap_close(cap->pcap);
	free(cap);
}

/* --- writing ---------------------------------------------------------------- */

/* => NULL: errno */
static FILE *create(const char *path)
{
	FILE *to;
	int fd;

	if (strcmp(path, "-"))
		return fopen(path, "we");
	fd = dup(STDOUT_FILENO);
	if (fd < 0)
		return NULL;
	to = fdopen(fd, "w");
	if (!to)
		close(fd);
	return to;
}

static int dump_start(struct xt2_dump *dump, const struct xt2_capture *like)
{
	int snaplen = pcap_snapshot(like->pcap);

	dump->pcap = pcap_open_dead_with_tstamp_precision(xt2_capture_linktype(like),
							  snaplen > SNAPLEN ? snaplen : SNAPLEN,
							  PCAP_TSTAMP_PRECISION_NANO);
	if (!dump->pcap)
		return -ENOMEM;
	errno = 0;
	dump->dumper = pcap_dump_fopen(dump->pcap, dump->to);
	return dump->dumper ? 0 : -(errno ? errno : EIO);
}

static void dump_free(struct xt2_dump *dump)
{
	if (dump->dumper)
		pcap_dump_close(dump->dumper);
	else if (dump->to)
		fclose(dump->to);
	if (dump->pcap)
		pcap_close(dump->pcap);
	free(dump);
}

struct xt2_dump *xt2_dump_stream(FILE *to, const char *name, const struct xt2_capture *like,
				 struct xt2_err *err)
{
	struct xt2_dump *dump = calloc(1, sizeof(*dump));
	int status = -ENOMEM;

	if (dump) {
		dump->to = to;
		status = dump_start(dump, like);
	}
	if (!status) {
		snprintf(dump->name, sizeof(dump->name), "%s", name);
		return dump;
	}
	if (dump)
		dump_free(dump);
	else
		fclose(to);
	refuse_system(err, name, -status);
	errno = -status;
	return NULL;
}

struct xt2_dump *xt2_dump_open(const char *path, const struct xt2_capture *like,
			       struct xt2_err *err)
{
	FILE *to = create(path);
	int errnum = errno;

	if (to)
		return xt2_dump_stream(to, path, like, err);
	refuse_system(err, path, errnum);
	errno = errnum;
	return NULL;
}

/* Remember the first failure: all that follows is worth nothing. */
static int dump_status(struct xt2_dump *dump, bool lost)
{
	if (lost && !dump->lost)
		dump->lost = -(errno ? errno : EIO);
	return dump->lost;
}

int xt2_dump_write(struct xt2_dump *dump, const struct xt2_captured *packet)
{
	struct pcap_pkthdr h = {
		.ts.tv_sec = (time_t)(packet->time / NSEC),
		.ts.tv_usec = (suseconds_t)(packet->time % NSEC),
		.caplen = packet->caplen,
		.len = packet->len,
	};

	if (dump->lost)
		return dump->lost;
	errno = 0;
	pcap_dump((u_char *)dump->dumper, &h, packet->frame);
	return dump_status(dump, ferror(dump->to));
}

int xt2_dump_close(struct xt2_dump *dump, struct xt2_err *err)
{
	int fd, status;

	errno = 0;
	dump_status(dump, fflush(dump->to) != 0);
	/* Some file systems only tell when a descriptor is closed. */
	fd = dup(fileno(dump->to));
	status = dump_status(dump, fd >= 0 && close(fd) != 0);
	if (status)
		refuse_system(err, dump->name, -status);
	dump_free(dump);
	return status;
}
