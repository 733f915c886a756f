/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inject.c - put captures into the kernel's receive path
 *
 * Usage: inject TUN TAP < list of pcap files, or words
 *
 * Makes a tun device (raw IP) and a tap device (Ethernet, MAC 02:aa:00:00:00:01) in the network
 * namespace it runs in and brings them and the loopback device up.  Each line on stdin names a pcap file; its packets are
 * written to the device that fits its link type, and a line "<written> <refused>" is printed.
 *
 * In a "cooked" file (LINKTYPE_LINUX_SLL) packets have a direction: those that go out are sent by this
 * host, through a raw socket, the others come in by TUN.  What the host doesn't let out is refused.
 * The word "forget" has the kernel forget all connections of the namespace.
 *
 * A write() to such a device runs the receive path, hooks included, before it returns (no NAPI flag,
 * no batching, no receive steering in a fresh namespace).  So once the line is printed, the counters
 * are final.  EINVAL is the device's way to refuse what is not an IP packet or an Ethernet frame.
 * The process stays on CPU 0: with it `-m cpu` is predictable and the order of packets is fixed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_tun.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define PCAP_MAGIC    0xa1b2c3d4u
#define LINK_ETHERNET 1
#define LINK_RAW      101
#define LINK_COOKED   113
#define COOKED	      16 /* bytes of its header; the second byte is the direction */
#define OUTGOING      4

struct pcap_head {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, figures, snaplen, link;
};

struct pcap_record {
	uint32_t sec, usec, caplen, len;
};

static int fail(const char *what)
{
	fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
	return -1;
}

/* Best effort: without it the kernel's own neighbour traffic leaves by the device; nothing reads it. */
static void quiet(const char *name)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/addr_gen_mode", name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return;
	if (write(fd, "1", 1) < 0)
		fail(path);
	close(fd);
}

/* Give a device its MAC, if it has one, and bring it up. */
static int bring_up(const char *name, int ethernet)
{
	static const unsigned char mac[6] = { 0x02, 0xaa, 0, 0, 0, 1 };
	struct ifreq req = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret = 0;

	if (fd < 0)
		return fail("socket");
	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", name);
	if (ethernet) {
		req.ifr_hwaddr.sa_family = ARPHRD_ETHER;
		memcpy(req.ifr_hwaddr.sa_data, mac, sizeof(mac));
		if (ioctl(fd, SIOCSIFHWADDR, &req) < 0)
			ret = fail("SIOCSIFHWADDR");
	}
	req.ifr_flags = IFF_UP | IFF_RUNNING;
	if (!ret && ioctl(fd, SIOCSIFFLAGS, &req) < 0)
		ret = fail("SIOCSIFFLAGS");
	close(fd);
	return ret;
}

static int device(const char *name, int flags)
{
	struct ifreq req = { 0 };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return fail("/dev/net/tun");
	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", name);
	req.ifr_flags = flags | IFF_NO_PI;
	if (ioctl(fd, TUNSETIFF, &req) < 0) {
		close(fd);
		return fail("TUNSETIFF");
	}
	quiet(name);
	if (bring_up(name, flags & IFF_TAP) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Send an IP packet as it is. */
static ssize_t send_raw(const unsigned char *p, size_t size)
{
	static int fd4 = -1, fd6 = -1;
	struct sockaddr_in to4 = { .sin_family = AF_INET };
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6 };

	if (fd4 < 0) {
		fd4 = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
		fd6 = socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
	}
	if (size >= 20 && p[0] >> 4 == 4) {
		memcpy(&to4.sin_addr, p + 16, 4);
		return sendto(fd4, p, size, 0, (struct sockaddr *)&to4, sizeof(to4));
	}
	if (size < 40)
		return -1;
	memcpy(&to6.sin6_addr, p + 24, 16);
	return sendto(fd6, p, size, 0, (struct sockaddr *)&to6, sizeof(to6));
}

/* Of both families. */
static int forget_connections(void)
{
	struct {
		struct nlmsghdr head;
		struct nfgenmsg family;
	} msg = {
		.head = { .nlmsg_len = NLMSG_LENGTH(sizeof(struct nfgenmsg)),
			  .nlmsg_type = NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_DELETE,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
	};
	struct {
		struct nlmsghdr head;
		struct nlmsgerr answer;
	} got = { .answer.error = -1 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);

	if (fd < 0 || send(fd, &msg, msg.head.nlmsg_len, 0) < 0 ||
	    recv(fd, &got, sizeof(got), 0) < 0)
		fail("conntrack");
	if (fd >= 0)
		close(fd);
	printf("0 %d\n", -got.answer.error);
	fflush(stdout);
	return got.answer.error;
}

/* One packet. => bytes, or -1 and errno */
static ssize_t put(const unsigned char *p, size_t size, int fd, int cooked)
{
	if (!cooked)
		return write(fd, p, size);
	if (size < COOKED)
		return -1;
	if (p[1] != OUTGOING)
		return write(fd, p + COOKED, size - COOKED) + COOKED;
	if (send_raw(p + COOKED, size - COOKED) >= 0)
		return size;
	errno = EINVAL;
	return -1;
}

static int write_all(const unsigned char *p, const unsigned char *end, int fd, int cooked)
{
	unsigned int written = 0, refused = 0;
	struct pcap_record rec;

	while ((size_t)(end - p) >= sizeof(rec)) {
		memcpy(&rec, p, sizeof(rec));
		p += sizeof(rec);
		if (rec.caplen > (size_t)(end - p))
			return fail("record is cut off");
		if (put(p, rec.caplen, fd, cooked) == (ssize_t)rec.caplen)
			written++;
		else if (errno == EINVAL)
			refused++;
		else
			return fail("write");
		p += rec.caplen;
	}
	printf("%u %u\n", written, refused);
	fflush(stdout);
	return 0;
}

static int inject(const char *path, int tun, int tap)
{
	struct pcap_head head;
	struct stat st;
	unsigned char *map;
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = -1;

	if (fd < 0 || fstat(fd, &st) < 0 || (size_t)st.st_size < sizeof(head)) {
		fail(path);
		goto out;
	}
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED) {
		fail(path);
		goto out;
	}
	memcpy(&head, map, sizeof(head));
	if (head.magic != PCAP_MAGIC ||
	    (head.link != LINK_ETHERNET && head.link != LINK_RAW && head.link != LINK_COOKED))
		fprintf(stderr, "inject: %s: not a pcap file of IP, Ethernet or cooked\n", path);
	else
		ret = write_all(map + sizeof(head), map + st.st_size,
				head.link == LINK_ETHERNET ? tap : tun, head.link == LINK_COOKED);
	munmap(map, st.st_size);
out:
	if (fd >= 0)
		close(fd);
	return ret;
}

int main(int argc, char **argv)
{
	char line[4096];
	cpu_set_t cpus;
	int tun, tap;

	if (argc != 3) {
		fprintf(stderr, "Usage: inject TUN TAP < list of pcap files\n");
		return 2;
	}
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0)
		fail("CPU 0");
	tun = device(argv[1], IFF_TUN);
	tap = device(argv[2], IFF_TAP);
	if (tun < 0 || tap < 0 || bring_up("lo", 0) < 0)
		return 1;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if ((strcmp(line, "forget") ? inject(line, tun, tap) : forget_connections()) < 0)
			return 1;
	}
	return 0;
}
