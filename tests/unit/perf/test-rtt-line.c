/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-rtt-line.c - perf/rtt/rtt-line.c: what a hostile peer can do to a measurement
 *
 * In a network namespace of the test's own, whose kernel does not answer echo
 * requests, a process does: with copies, pieces, forgeries, and late.  Skipped
 * where such namespaces are not allowed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>
#include "tests/lib/unit-program.h"
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "perf/rtt/rtt.h"

#define REQUESTS 30
#define TIMEOUT	 400000000u /* ns */

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ok;

	if (fd < 0)
		return -1;
	ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return ok ? 0 : -1;
}

static int loopback_up(void)
{
	struct ifreq r = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0), ret;

	ret = fd < 0 ? -1 : ioctl(fd, SIOCSIFFLAGS, &r);
	close(fd);
	return ret;
}

/* => 0: this process is alone with a loopback interface */
static int isolate(void)
{
	unsigned int uid = getuid(), gid = getgid();
	char map[32];

	if (unshare(uid ? CLONE_NEWUSER | CLONE_NEWNET : CLONE_NEWNET))
		return -1;
	if (uid) {
		put("/proc/self/setgroups", "deny");
		snprintf(map, sizeof(map), "0 %u 1", gid);
		if (put("/proc/self/gid_map", map))
			return -1;
		snprintf(map, sizeof(map), "0 %u 1", uid);
		if (put("/proc/self/uid_map", map))
			return -1;
	}
	return loopback_up() || put("/proc/sys/net/ipv4/ping_group_range", "0 0") ||
	       put("/proc/sys/net/ipv6/icmp/echo_ignore_all", "1");
}

/* --- the peer ------------------------------------------------------------------- */

static const struct sockaddr_in6 here = { .sin6_family = AF_INET6,
					  .sin6_addr = IN6ADDR_LOOPBACK_INIT };

static void reply(int fd, const uint8_t *packet, size_t len)
{
	if (sendto(fd, packet, len, 0, (const struct sockaddr *)&here, sizeof(here)) < 0)
		_exit(1);
}

/* Every tenth request gets the same treatment. */
static void treat(int fd, unsigned int n, uint8_t *p)
{
	static uint8_t kept[RTT_PACKET];
	uint8_t forged[RTT_PACKET + 1] = { 0 };

	p[0] = 129;
	memcpy(forged, p, RTT_PACKET);
	switch (n % 10) {
	case 1: reply(fd, p, RTT_PACKET); break; /* and once more, below */
	case 2: reply(fd, p, RTT_PACKET / 2); break;
	case 3: /* knows number and identifier, but not the payload */
		memset(forged + RTT_HEADER, 0, RTT_PAYLOAD);
		reply(fd, forged, RTT_PACKET);
		break;
	case 4: memcpy(kept, p, sizeof(kept)); return; /* much later, with number 7 */
	case 5: reply(fd, forged, sizeof(forged)); break;
	case 6:
		forged[7] ^= 1; /* the next one's number */
		reply(fd, forged, RTT_PACKET);
		break;
	case 7: reply(fd, kept, sizeof(kept)); break;
	}
	reply(fd, p, RTT_PACKET);
}

static void peer(int fd)
{
	unsigned int n = 0;
	uint8_t bytes[512];
	ssize_t len;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while ((len = recv(fd, bytes, sizeof(bytes), 0)) >= 0)
		if (len == RTT_PACKET && bytes[0] == 128)
			treat(fd, ++n, bytes);
	_exit(1);
}

/* --- the measurement -------------------------------------------------------------- */

static void a_hostile_peer(void **state)
{
	struct rtt_line l = { .to = here, .timeout = TIMEOUT };
	uint64_t times[REQUESTS], sum = 0, start;
	int raw, i;
	pid_t pid;

	if (isolate())
		skip();
	raw = socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6);
	assert_true(raw >= 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		peer(raw);
	close(raw);
	l.times = times;
	assert_int_equal(rtt_line_open(&l), 0);
	assert_int_equal(rtt_init(&l.table, &here.sin6_addr, REQUESTS), 0);
	start = rtt_now();
	for (i = 0; i < REQUESTS; i++)
		assert_int_equal(rtt_line_exchange(&l), 0);
	start = rtt_now() - start;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);

	/* A slow machine may give up more, but nothing is counted twice or as something else. */
	assert_int_equal(l.table.count, REQUESTS);
	assert_int_equal(l.table.kinds[RTT_REPLY] + l.table.lost, REQUESTS);
	assert_int_equal(l.table.kinds[RTT_TRUNCATED], REQUESTS / 10);
	assert_int_equal(l.table.kinds[RTT_FOREIGN], 3 * REQUESTS / 10);
	assert_in_range(l.table.kinds[RTT_DUPLICATE], 1, REQUESTS / 5);
	assert_in_range(l.table.lost, REQUESTS / 10, REQUESTS / 2);
	assert_in_range(l.table.kinds[RTT_LATE], 1, l.table.lost + REQUESTS / 10);
	assert_int_equal(l.table.kinds[RTT_BACKWARDS], 0);
	assert_int_equal(l.replies, l.table.kinds[RTT_REPLY]);
	for (i = 0; i < (int)l.replies; i++)
		sum += times[i];
	assert_true(sum > 0 && sum <= start);
	assert_true(start >= (uint64_t)TIMEOUT * (REQUESTS / 10));
	assert_int_equal(rtt_line_exchange(&l), -ENOSPC);
	close(l.fd);
	rtt_free(&l.table);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_hostile_peer),
};

UNITS(tests)
