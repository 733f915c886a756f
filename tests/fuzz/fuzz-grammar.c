/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz-grammar.c - hostile rules, as far as our own grammar goes
 *
 * Tables, chains, counters, quoting, commands, base options, addresses.  What
 * libxtables would do with plugins, files and name services is cut off, so
 * that this one is fast: no extension can be found.  See round-trip.c for what
 * is done with the text.
 */
#include <netdb.h>
#include <stdlib.h>
#include "lines.h"
#include "round-trip.h"
#include "xt2tables/text/line.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed);

/* --- no extensions, no files -------------------------------------------------- */

void __wrap_xt2_libxt_match(struct xt2_ext *ext, const char *name);
bool __wrap_xt2_libxt_match_proto(struct xt2_ext *ext, const char *protocol, bool *used);
bool __wrap_xt2_libxt_target(struct xt2_ext *ext, const char *name);
void __wrap_xt2_libxt_target_must(const char *name) __attribute__((noreturn));
struct xtables_target *__wrap_xtables_find_target(const char *name, enum xtables_tryload load);

bool __wrap_xt2_libxt_match_is(const char *name, const char *real, int revision, unsigned int size);

bool __wrap_xt2_libxt_match_is(const char *name, const char *real, int revision, unsigned int size)
{
	return false;
}

void __wrap_xt2_libxt_match(struct xt2_ext *ext, const char *name)
{
	xt2_throw(XT2_E_UNKNOWN, PARAMETER_PROBLEM, "no match %s", name);
}

bool __wrap_xt2_libxt_match_proto(struct xt2_ext *ext, const char *protocol, bool *used)
{
	return false;
}

bool __wrap_xt2_libxt_target(struct xt2_ext *ext, const char *name)
{
	return false;
}

void __wrap_xt2_libxt_target_must(const char *name)
{
	xt2_throw(XT2_E_UNKNOWN, PARAMETER_PROBLEM, "no target %s", name);
}

struct xtables_target *__wrap_xtables_find_target(const char *name, enum xtables_tryload load)
{
	return NULL;
}

const struct legacy_known *__wrap_legacy_known_named(__u8 family, const char *name);

const struct legacy_known *__wrap_legacy_known_named(__u8 family, const char *name)
{
	return NULL;
}

/* libxtables finds these before libc's. */
struct protoent *getprotobyname(const char *name)
{
	static char sctp[] = "sctp";
	static struct protoent ent = { .p_name = sctp, .p_proto = 132 };

	return strcmp(name, sctp) ? NULL : &ent;
}

struct protoent *getprotobynumber(int number)
{
	return number == 132 ? getprotobyname("sctp") : NULL;
}

struct netent *getnetent(void)
{
	return NULL;
}

void setnetent(int stay)
{
}

void endnetent(void)
{
}

/* --- the fuzzer ------------------------------------------------------------------- */

static const struct fuzz_rule rules[] = {
	{ XT2_IPV4, "filter", "-A INPUT -s 10.0.0.1 -d 10.1.0.0/16 -j ACCEPT" },
	{ XT2_IPV4, "filter", "-A a ! -s 10.0.0.0/255.0.255.0 ! --destination 010.1.1.1 -j DROP" },
	{ XT2_IPV4, "filter", "-A INPUT -s 10.0.0.1,10.0.0.2/31 -d 1.2.3.4,10 -j RETURN" },
	{ XT2_IPV4, "filter", "-A FORWARD -i eth0 ! -o br+ -p tcp -f -j QUEUE" },
	{ XT2_IPV4, "filter", "-A OUTPUT ! -f --out-interface lo ! --protocol 47 -c 7 9" },
	{ XT2_IPV4, "filter", "-A INPUT --jump a --set-counters 8,10 --proto sctp" },
	{ XT2_IPV4, "filter", "-A b -g a --src 1.2.3.4 --dst 0/0 -v" },
	{ XT2_IPV4, "filter", "-I INPUT 1 -j \"a\"" },
	{ XT2_IPV4, "filter", "-R INPUT 1 -s 1.1.1.1 -j DROP" },
	{ XT2_IPV4, "filter", "-D INPUT 1" },
	{ XT2_IPV4, "filter", "-D INPUT -s 10.0.0.1 -d 10.1.0.0/16 -j ACCEPT" },
	{ XT2_IPV4, "filter", "--check INPUT -s 10.0.0.1 -d 10.1.0.0/16 -j ACCEPT" },
	{ XT2_IPV4, "filter", "-F INPUT" },
	{ XT2_IPV4, "filter", "-F" },
	{ XT2_IPV4, "filter", "-X" },
	{ XT2_IPV4, "filter", "-X a" },
	{ XT2_IPV4, "filter", "-N c" },
	{ XT2_IPV4, "filter", "--new-chain this-name.is_28-bytes-long.x" },
	{ XT2_IPV4, "filter", "-E a d" },
	{ XT2_IPV4, "filter", "-P INPUT DROP" },
	{ XT2_IPV4, "filter", "-P OUTPUT ACCEPT -c 5 6" },
	{ XT2_IPV4, "filter", "-Z" },
	{ XT2_IPV4, "filter", "-Z INPUT 1" },
	{ XT2_IPV4, "filter", ":a - [0:0]" },
	{ XT2_IPV4, "filter", ":FORWARD DROP [18446744073709551615:1]" },
	{ XT2_IPV4, "filter", "[5:6] -4 -A INPUT -s 4.4.4.4 -j DROP" },
	{ XT2_IPV4, "filter", "-6 -A INPUT -s ::6 -j DROP" },
	{ XT2_IPV4, "filter", "-A a -p all ! -i eth+ -n -x --line-numbers -M x" },
	{ XT2_IPV4, "filter", "-A a -s host -m tcp -j REJECT -t filter -w 5 -W 1 -L -S -h -V" },
	{ XT2_IPV4, "nat", "-A PREROUTING -j ACCEPT" },
	{ XT2_IPV4, "nat", "-A POSTROUTING -o eth0 -j DROP" },
	{ XT2_IPV4, "mangle", "-A PREROUTING -i eth0 -j RETURN" },
	{ XT2_IPV4, "raw", "-A OUTPUT -o eth0 -j a" },
	{ XT2_IPV4, "security", "-A INPUT -j ACCEPT" },
	{ XT2_IPV6, "filter", "-A INPUT -s fd00::1 -d fd00::/8 -j ACCEPT" },
	{ XT2_IPV6, "filter", "-A INPUT ! -s fd00::1/ffff::ffff -p tcp -j DROP" },
	{ XT2_IPV6, "filter", "-A FORWARD -s ::1,::2/127 -d ::ffff:1.2.3.4 -i eth0 -o eth1 -j a" },
	{ XT2_IPV6, "filter", "-A INPUT -p all -g a" },
	{ XT2_IPV6, "filter", "-A INPUT -p ipv6-icmp ! -i + -j QUEUE" },
	{ XT2_IPV6, "filter", "-A INPUT -f -p 0" },
	{ XT2_IPV6, "filter", ":a - [0:0]" },
	{ XT2_IPV6, "raw", "-A PREROUTING -j ACCEPT" },
	{ XT2_ARP, "filter", "-A INPUT -s 10.0.0.1 -d 10.0.0.0/8 -j DROP" },
	{ XT2_ARP, "filter",
	  "-A INPUT -s ! 10.0.0.1 --src-mac 02:00:00:00:00:01/ff:ff:ff:00:00:00" },
	{ XT2_ARP, "filter", "-A INPUT ! --dst-mac Unicast --opcode Reply --h-length 6 -j ACCEPT" },
	{ XT2_ARP, "filter", "-A INPUT --source-mac Multicast --dst-mac ! Broadcast" },
	{ XT2_ARP, "filter", "-A OUTPUT -o eth+ ! --h-type 1/ffff --proto-type 0x800/0xff0f" },
	{ XT2_ARP, "filter", "-A OUTPUT --h-type Ethernet --proto-type ipv4 -l 6/255 -j RETURN" },
	{ XT2_ARP, "filter", "-A INPUT --opcode 1/3 ! --h-length 5/7 -i eth0 -j a -c 3 4" },
	{ XT2_ARP, "filter", ":INPUT DROP [1:2]" },
	{ XT2_ARP, "filter", "-P OUTPUT DROP" },
	{ XT2_ARP, "filter", ":a -" },
	{ XT2_ARP, "filter", "-D INPUT 1 --p-length 4" },
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	/* looked for when the fuzzer ends; in every run it costs more than the run */
	round_trip_option(argc, argv, "-detect_leaks=0");
	round_trip_option(argc, argv, "-max_len=400");
	round_trip_option(argc, argv, "-use_cmp=0");
	round_trip_option(argc, argv, "-entropic=0");
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	round_trip(data, size);
	return 0;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	return lines_mutate(data, size, max, seed, rules, XT2_ARRAY_SIZE(rules));
}
