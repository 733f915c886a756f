/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ebt-kernel.c - tables of bridges, put to a kernel
 *
 * Sends what ebtables sent and the cases of tests/legacy/ebt-cases.h to the
 * running kernel, as a 64-bit and as a 32-bit program, and holds its errno and
 * what it gives back against xt2's.  One process does both: a 32-bit system
 * call with memory below 4 GiB is one to the kernel.
 */
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <time.h>
#include <unistd.h>
#include "tests/legacy/ebt-cases.h"
#include "tests/legacy/turn.h"

#define SO_ENTRIES     128 /* EBT_SO_SET_ENTRIES, EBT_SO_GET_INFO */
#define SO_GET_ENTRIES 129
#define PAGES	       (1u << 20)
#define GARBAGE	       64 /* bytes that nobody looks at come back as they were sent */

static struct ebt_blob blob;
static uint8_t *memory; /* below 4 GiB */
static int sock;
static uint32_t done, wrong, noted;
static bool quiet; /* no notes */

/* => 0 or -errno */
static int call(bool compat, bool set, int option, void *value, uint32_t *len)
{
	long ret;

	if (!compat) {
		ret = set ? setsockopt(sock, IPPROTO_IP, option, value, *len)
			  : getsockopt(sock, IPPROTO_IP, option, value, len);
		return ret ? -errno : 0;
	}
	/* setsockopt is 366, getsockopt 365; the latter's length is a pointer */
	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(set ? 366L : 365L), "b"((long)sock), "c"((long)IPPROTO_IP),
			   "d"((long)option), "S"(value),
			   "D"(set ? (long)*len : (long)(uintptr_t)len)
			 : "memory", "r8", "r9", "r10", "r11");
	return (int)ret;
}

static void put_pointer(uint8_t *at, const void *p, bool compat)
{
	uint64_t v = (uintptr_t)p;

	memcpy(at, &v, compat ? 4 : 8);
}

/* => 0 or -errno, as xt2 answers */
static int ours(struct turn *t, bool compat, const uint8_t *bytes, uint32_t len)
{
	const char *table;
	uint32_t hooks;
	int ret;

	memset(&t->err, 0, sizeof(t->err));
	ret = turn(t, XT2_BRIDGE, compat, bytes, len, compat, true);
	if (ret)
		return ret;
	table = t->in.table;
	hooks = !strcmp(table, "filter")   ? 0x0e
		: !strcmp(table, "nat")	   ? 0x19
		: !strcmp(table, "broute") ? 0x20
					   : 0;
	return xt2_legacy_check_table(&t->in, hooks, ~0u, &t->err);
}

/* What the kernel has now, of so many bytes and rules.  => 0 or -errno */
static int theirs(const char *table, bool compat, uint32_t entries, uint32_t size)
{
	uint32_t *len = (uint32_t *)memory, header = compat ? 80 : 120;
	uint8_t *h = memory + 64;

	memset(memory, 0, 64 + 2 * (header + size));
	strcpy((char *)h, table);
	ebt_put32(h + 36, entries);
	ebt_put32(h + 40, size);
	put_pointer(h + (compat ? 76 : 112), h + header, compat);
	*len = header + size;
	return call(compat, false, SO_GET_ENTRIES, h, len);
}

static void say(const char *what, const char *name, bool compat, const char *more)
{
	if (!quiet || !strcmp(what, "WRONG"))
		printf("%s: %s, %s: %s\n", what, name, compat ? "compat" : "native", more);
}

/* The kernel's table in a width against ours. */
static void compare(struct turn *t, const char *name, bool compat, int flags)
{
	uint32_t i, size = (uint32_t)t->out.size;
	uint8_t *got = memory + 64 + (compat ? 80 : 120);
	bool other = flags & EBT_OTHER || (compat && flags & EBT_PADDED);
	char text[80];
	int ret = theirs(t->in.table, compat, t->out.entries, size);

	if (!ret && flags & GARBAGE)
		ebt_mask(got, size, compat);
	if (ret) {
		snprintf(text, sizeof(text), "getting %u bytes back: %s", size, strerror(-ret));
		say(other ? "note" : "WRONG", name, compat, text);
	} else {
		for (i = 0; i < size && got[i] == t->bytes[i]; i++)
			;
		if (i == size)
			return;
		snprintf(text, sizeof(text), "byte %u of %u: kernel %02x, xt2 %02x", i, size,
			 got[i], t->bytes[i]);
		say(other ? "note" : "WRONG", name, compat, text);
	}
	noted += other;
	wrong += !other;
}

/* @flags: those of a case, and GARBAGE */
static void put(struct turn *t, const char *name, bool compat, const uint8_t *bytes, uint32_t len,
		int flags)
{
	int mine = ours(t, compat, bytes, len), ret;
	uint32_t size = len, other;
	char text[80];

	memcpy(memory, bytes, len);
	ret = call(compat, true, SO_ENTRIES, memory, &size);
	done++;
	if (ret == -ENOENT && !mine && compat && flags & EBT_LAX) {
		say("note", name, compat, "the kernel asks for a revision of the standard target");
		noted++;
		return;
	}
	if (ret != mine && !(flags & EBT_STRICT && t->err.stricter)) {
		snprintf(text, sizeof(text), "kernel %d, xt2 %d", -ret, -mine);
		say("WRONG", name, compat, text);
		wrong++;
		return;
	}
	if (ret || mine)
		return;
	for (other = 0; other < 2; other++)
		if (!turn(t, XT2_BRIDGE, t->in.compat, bytes, len, compat ^ other, true))
			compare(t, name, compat ^ other, flags);
}

static void put_case(struct turn *t, const struct ebt_case *c, bool compat)
{
	uint64_t at = (uintptr_t)memory + (compat ? 80 : 120);
	int want = ebt_case_make(&blob, c, compat, at), mine;

	mine = ours(t, compat, blob.out, blob.len);
	if (mine != -want && !(c->flags & EBT_STRICT)) {
		say("WRONG", c->name, compat, "not as the case says");
		wrong++;
	}
	put(t, c->name, compat, blob.out, blob.len, c->flags);
}

/* A capture, with pointers to where it is now.  Garbage comes back as it was sent. */
static void put_vector(struct turn *t, uint8_t *bytes, uint32_t len, bool compat, const char *name)
{
	uint8_t *entries = bytes + (compat ? 76 : 112);
	uint64_t old = compat ? ebt_get32(entries) : xt2_raw64(entries), p;
	const uint8_t *now = memory + (compat ? 80 : 120);
	uint32_t i;

	for (i = 0; i < NF_BR_NUMHOOKS; i++) {
		uint8_t *at = bytes + (compat ? 44 + 4 * i : 48 + 8 * i);

		p = compat ? ebt_get32(at) : xt2_raw64(at);
		if (ebt_get32(bytes + 32) & 1u << i)
			put_pointer(at, now + (p - old), compat);
	}
	put_pointer(entries, now, compat);
	ebt_put32(bytes + (compat ? 68 : 96), 0);
	put(t, name, compat, bytes, len,
	    EBT_LAX | GARBAGE | (strstr(name, "2-filter") ? EBT_PADDED : 0));
}

static void put_vectors(struct turn *t)
{
	const char *top = getenv("top_srcdir");
	static uint8_t bytes[65536];
	char path[512], what[16], name[64];
	int family, compat;
	uint32_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/legacy/vectors/ebt.vec", top ? top : ".");
	f = fopen(path, "r");
	if (!f) {
		perror(path);
		exit(1);
	}
	while (fscanf(f, "%d %d %15s %u %63[^\n]", &family, &compat, what, &len, name) == 5) {
		if (fgetc(f) != '\n' || len > sizeof(bytes) || fread(bytes, 1, len, f) != len)
			exit(1);
		put_vector(t, bytes, len, compat, name);
	}
	fclose(f);
}

/* Pointers and the number of old counters are kept: what they name is not damaged. */
static void put_damaged(struct turn *t)
{
	const struct ebt_case *c = &ebt_cases[ebt_below(EBT_CASES)];
	bool compat = ebt_below(2);
	uint32_t from = compat ? 68 : 96, to = compat ? 80 : 120;
	uint8_t kept[24];
	char name[64];

	ebt_case_make(&blob, c, compat, (uintptr_t)memory + to);
	snprintf(name, sizeof(name), "%s, damaged", c->name);
	memcpy(kept, blob.out + from, to - from);
	ebt_damage(blob.out, blob.len);
	memcpy(blob.out + from, kept, to - from);
	put(t, name, compat, blob.out, blob.len, EBT_OTHER | EBT_STRICT | EBT_LAX);
}

/* Arguments: how many damaged tables, and a seed. */
int main(int argc, char **argv)
{
	uint32_t i, len = 120, damaged = argc > 1 ? (uint32_t)atoi(argv[1]) : 2000;
	struct turn *t = turn_new();

	memory = mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
		      -1, 0);
	if (memory == MAP_FAILED || unshare(CLONE_NEWNET)) {
		perror("SKIP");
		return 77;
	}
	sock = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
	memset(memory, 0, 120);
	strcpy((char *)memory, "filter");
	if (sock < 0 || call(false, false, SO_ENTRIES, memory, &len)) {
		puts("SKIP: this kernel has no ebtables");
		return 77;
	}
	for (i = 0; i < EBT_CASES; i++) {
		put_case(t, &ebt_cases[i], false);
		put_case(t, &ebt_cases[i], true);
	}
	put_vectors(t);
	quiet = true;
	ebt_random = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
	printf("%u damaged tables from seed %llu\n", damaged, (unsigned long long)ebt_random);
	for (i = 0; i < damaged; i++)
		put_damaged(t);
	printf("%u tables, %u wrong, %u come back in another form\n", done, wrong, noted);
	turn_free(t);
	return wrong ? 1 : 0;
}
