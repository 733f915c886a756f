/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libxt.c - libxtables and its extensions, as the text programs use them
 *
 * The distribution's plugins are the grammar of extension options.  They keep
 * their state in globals and leave through the exit_err hook when an option is
 * wrong; the hook longjmps back to xt2_try(), which is why nothing here owns
 * memory that only a local variable knows.  Rules are parsed one after the
 * other: xt2_libxt_begin() resets the state that the rule before has left.
 *
 * The kernel is never asked: revisions come from what the translators know,
 * and extensions whose parser would talk to it are refused by name.
 */
#include "config.h"
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <netdb.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libxt.h"
#include "resolve.h"
#include "translators/ext/translate.h"

#define OPTION_RANGE 256 /* numbers that libxtables gives to one extension's options */

/* Exported by libxtables, but not declared in its header. */
extern struct xtables_match *xtables_pending_matches;
extern struct xtables_target *xtables_pending_targets;

/*
 * For LeakSanitizer, which looks for functions of these names: a plugin that
 * throws cannot give back what it had allocated.
 */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libxtables.so\nleak:/xtables/lib\n";
}

const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}

static int current; /* family; 0: not set up */

static struct {
	jmp_buf *back;
	struct xt2_failure *failure;
	int errnum;
	char hint[256];
} trap;

int xt2_try(void (*run)(void *arg), void *arg, struct xt2_failure *failure)
{
	jmp_buf *outer_back = trap.back;
	struct xt2_failure *outer_failure = trap.failure;
	jmp_buf here;
	int thrown;

	trap.back = &here;
	trap.failure = failure;
	trap.hint[0] = '\0';
	trap.errnum = 0;
	thrown = setjmp(here);
	if (!thrown)
		run(arg);
	trap.back = outer_back;
	trap.failure = outer_failure;
	return thrown ? -1 : 0;
}

static void __attribute__((noreturn, format(printf, 3, 0))) throw(int code, int status,
								  const char *format, va_list args)
{
	struct xt2_failure *f = trap.failure;
	size_t len;

	if (!trap.back)
		abort(); /* a caller forgot xt2_try() */
	f->code = code;
	f->status = status;
	vsnprintf(f->message, sizeof(f->message), format, args);
	for (len = strlen(f->message); len && isspace((unsigned char)f->message[len - 1]); len--)
		f->message[len - 1] = '\0';
	memcpy(f->hint, trap.hint, sizeof(f->hint));
	f->errnum = trap.errnum;
	trap.hint[0] = '\0';
	trap.errnum = 0;
	longjmp(*trap.back, 1);
}

void xt2_throw(int code, int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	throw(code, status, format, args);
}

static void __attribute__((noreturn, format(printf, 2, 3)))
leave(enum xtables_exittype status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	throw(XT2_E_OPTION, status, format, args);
}

void xt2_hint(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(trap.hint, sizeof(trap.hint), format, args);
	va_end(args);
}

void xt2_rethrow(const struct xt2_failure *f)
{
	xt2_hint("%s", f->hint);
	xt2_fails_with(f->errnum);
	xt2_throw(f->code, f->status, "%s", f->message);
}

void xt2_fails_with(int errnum)
{
	trap.errnum = errnum;
}

static bool row_known(const char *name, uint8_t revision)
{
	return xt2_row_find(current, false, name, revision) ||
	       xt2_row_find(current, true, name, revision);
}

/*
 * Of an extension that the translators know, only the revisions that they
 * know; of any other, all: it is carried as it is.
 */
static int revision_known(const char *name, uint8_t revision, int opt)
{
	unsigned int i;

	if (current == XT2_BRIDGE || row_known(name, revision)) /* the rows are of the others */
		return 1;
	for (i = 0; i < 16; i++)
		if (row_known(name, i))
			return 0;
	return 1;
}

static struct xtables_globals globals = {
	.program_name = "xt2tables",
	.program_version = PACKAGE_VERSION,
	.exit_err = leave,
	.compat_rev = revision_known,
};

int xt2_libxt_setup(int family, struct option *base, bool resolve)
{
	xt2_names_resolve(resolve);
	if (globals.opts == globals.orig_opts) /* else they are freed as a rule's */
		globals.opts = base;
	globals.orig_opts = base;
	if (current == family)
		return 0;
	if (current) {
		/* plugins register for one family only: load them anew */
		xtables_fini();
		xtables_matches = NULL;
		xtables_targets = NULL;
		xtables_pending_matches = NULL;
		xtables_pending_targets = NULL;
	}
	current = family;
	globals.opts = globals.orig_opts;
	return xtables_init_all(&globals, family) < 0 ? -ENOSYS : 0;
}

struct option *xt2_libxt_options(void)
{
	return globals.opts;
}

void xt2_libxt_begin(struct xt2_ext *ext)
{
	struct xtables_match *m;
	struct xtables_target *t;

	memset(ext, 0, sizeof(*ext));
	for (m = xtables_matches; m; m = m->next)
		m->mflags = 0;
	for (t = xtables_targets; t; t = t->next) {
		t->tflags = 0;
		t->used = 0;
	}
	globals.opts = globals.orig_opts;
	globals.option_offset = 0;
}

void xt2_libxt_target_drop(struct xt2_ext *ext)
{
	struct xtables_target *t = ext->target;

	if (!t)
		return;
	free(t->t);
	t->t = NULL;
	free(t->udata);
	t->udata = NULL;
	if (t == t->next)
		free(t);
	ext->target = NULL;
}

void xt2_libxt_end(struct xt2_ext *ext)
{
	struct xtables_rule_match *m;

	for (m = ext->matches; m; m = m->next) {
		free(m->match->udata);
		m->match->udata = NULL;
	}
	xtables_rule_matches_free(&ext->matches);
	xt2_libxt_target_drop(ext);
	xtables_free_opts(1);
	globals.opts = globals.orig_opts;
}

/* An option that means something to the running kernel alone. */
static void refuse_kernel_bound(const char *name, const char *option)
{
	if (strcmp(name, "bpf") || strcmp(option, "object-pinned"))
		return;
	xt2_hint("give the program with --bytecode instead");
	xt2_throw(XT2_E_UNSUPPORTED, OTHER_PROBLEM,
		  "bpf --object-pinned cannot be kept in an image: a rule holds a file descriptor "
		  "of the running kernel");
}

static void merge(const struct xt_option_entry *x6, const struct option *extra,
		  unsigned int *offset)
{
	struct option *o;

	if (x6)
		o = xtables_options_xfrm(globals.orig_opts, globals.opts, x6, offset);
	else
		o = xtables_merge_options(globals.orig_opts, globals.opts, extra, offset);
	if (!o)
		xt2_no_memory();
	globals.opts = o;
}

static void match_init(struct xtables_match *m, bool cloned)
{
	size_t size = XT_ALIGN(sizeof(struct xt_entry_match)) + m->size;

	m->m = xtables_calloc(1, size);
	m->m->u.match_size = size;
	strcpy(m->m->u.user.name, m->real_name ? m->real_name : m->name);
	m->m->u.user.revision = m->revision;
	if (m->udata_size) {
		free(m->udata);
		m->udata = xtables_calloc(1, m->udata_size);
	}
	if (m->init)
		m->init(m->m);
	if (!cloned)
		merge(m->x6_options, m->extra_opts, &m->option_offset);
}

void xt2_libxt_match(struct xt2_ext *ext, const char *name)
{
	struct xtables_match *m;

	m = xtables_find_match(name, XTF_LOAD_MUST_SUCCEED, &ext->matches);
	if (m->real_name && !(m->ext_flags & XTABLES_EXT_ALIAS))
		fprintf(stderr,
			"Notice: the %s match is converted into %s match "
			"in rule listing and saving.\n",
			m->name, m->real_name);
	match_init(m, m == m->next);
}

bool xt2_libxt_match_is(const char *name, const char *real, int revision, unsigned int size)
{
	const struct xtables_match *m = xtables_find_match(name, XTF_TRY_LOAD, NULL);

	return m && m->revision == revision && m->size == size &&
	       !strcmp(m->real_name ? m->real_name : m->name, real);
}

bool xt2_libxt_target_is(const char *name, int revision, unsigned int size)
{
	const struct xtables_target *t = xtables_find_target(name, XTF_TRY_LOAD);

	return t && t->revision == revision && t->size == size && !t->real_name;
}

/* The match's name for a protocol that may be given as a number. */
static const char *proto_match_name(const char *protocol)
{
	unsigned int number;

	if (xtables_strtoui(protocol, NULL, &number, 0, UINT8_MAX))
		return xt2_libxt_proto_name(number);
	return protocol;
}

bool xt2_libxt_match_proto(struct xt2_ext *ext, const char *protocol, bool *used)
{
	const char *name = proto_match_name(protocol);
	struct xtables_match *m;

	if (!name || (*used && xtables_find_match(name, XTF_DONT_LOAD, NULL)))
		return false;
	m = xtables_find_match(name, XTF_TRY_LOAD, &ext->matches);
	if (!m)
		return false;
	*used = true;
	match_init(m, false);
	return true;
}

bool xt2_libxt_target(struct xt2_ext *ext, const char *name)
{
	struct xtables_target *t;
	size_t size;

	t = xtables_find_target(name, XTF_TRY_LOAD);
	if (!t)
		return false;
	ext->target = t;
	size = XT_ALIGN(sizeof(struct xt_entry_target)) + t->size;
	t->t = xtables_calloc(1, size);
	t->t->u.target_size = size;
	if (t->real_name && !(t->ext_flags & XTABLES_EXT_ALIAS))
		fprintf(stderr,
			"Notice: The %s target is converted into %s target "
			"in rule listing and saving.\n",
			name, t->real_name);
	strcpy(t->t->u.user.name, t->real_name ? t->real_name : name);
	t->t->u.user.revision = t->revision;
	if (t->udata_size) {
		free(t->udata);
		t->udata = xtables_calloc(1, t->udata_size);
	}
	if (t->init)
		t->init(t->t);
	merge(t->x6_options, t->extra_opts, &t->option_offset);
	return true;
}

void xt2_libxt_target_must(const char *name)
{
	xtables_find_target(name, XTF_LOAD_MUST_SUCCEED);
	xt2_throw(XT2_E_UNKNOWN, PARAMETER_PROBLEM, "Couldn't load target `%s'", name);
}

static bool mine(unsigned int offset, int c)
{
	return offset && (unsigned int)c >= offset && (unsigned int)c < offset + OPTION_RANGE;
}

bool xt2_libxt_option(struct xt2_ext *ext, int c, const char *name, char **argv, bool invert)
{
	struct xtables_target *t = ext->target;
	struct xtables_rule_match *m;

	if (t && (t->parse || t->x6_parse) && mine(t->option_offset, c)) {
		xtables_option_tpcall(c, argv, invert, t, &ext->entry);
		return true;
	}
	for (m = ext->matches; m; m = m->next) {
		if (m->completed || !(m->match->parse || m->match->x6_parse) ||
		    !mine(m->match->option_offset, c))
			continue;
		if (name)
			refuse_kernel_bound(m->match->name, name);
		xtables_option_mpcall(c, argv, invert, m->match, &ext->entry);
		return true;
	}
	return false;
}

void xt2_libxt_finish(struct xt2_ext *ext)
{
	struct xtables_rule_match *m;

	for (m = ext->matches; m; m = m->next)
		xtables_option_mfcall(m->match);
	if (ext->target)
		xtables_option_tfcall(ext->target);
}

/* Plugins print to stdout; for the time of one call it is another stream. */
static void print_to(FILE *to, void (*print)(void *arg), void *arg)
{
	struct xt2_failure f;
	FILE *before = stdout;
	int ret;

	stdout = to;
	ret = xt2_try(print, arg, &f);
	stdout = before;
	if (ret < 0)
		xt2_throw(f.code, f.status, "%s", f.message);
}

/* Room for the largest payload; aligned as malloc() would. */
static union {
	struct xt_entry_match match;
	struct xt_entry_target target;
	char bytes[sizeof(struct xt_entry_match) + 0x10000];
} legacy __attribute__((aligned(16)));

/* Headers of matches and targets are alike. */
_Static_assert(sizeof(legacy.match) == sizeof(legacy.target) &&
		       offsetof(struct xt_entry_match, data) ==
			       offsetof(struct xt_entry_target, data),
	       "headers");

/* What a plugin prints of the payload at legacy: a match or a target. */
struct printing {
	struct xtables_match *match;
	struct xtables_target *target;
	const union xt2_entry *entry;
	const char *name;
};

/* A payload at legacy, for a plugin that has a structure of so many bytes; ~0: there is none. */
static void legacy_fill(const char *what, const char *name, int revision, size_t plugin_size,
			const void *payload, unsigned int size)
{
	if (plugin_size > size || size > sizeof(legacy.bytes) - sizeof(legacy.match))
		xt2_throw(XT2_E_UNSUPPORTED, OTHER_PROBLEM,
			  "no library here can print %s %s, revision %d", what, name, revision);
	memset(&legacy.match, 0, sizeof(legacy.match));
	strncpy(legacy.match.u.user.name, name, sizeof(legacy.match.u.user.name) - 1);
	legacy.match.u.user.revision = (__u8)revision;
	legacy.match.u.match_size = (__u16)(sizeof(legacy.match) + size);
	memcpy(legacy.match.data, payload, size);
}

static void match_print(void *arg)
{
	const struct printing *p = arg;

	printf(" -m %s", p->match->alias ? p->match->alias(&legacy.match) : p->name);
	if (p->match->save)
		p->match->save(p->entry, &legacy.match);
}

void xt2_libxt_print_match(FILE *to, const union xt2_entry *entry, const char *name, int revision,
			   const void *payload, unsigned int size)
{
	struct printing p = { .entry = entry, .name = name };

	p.match = xtables_find_match(name, XTF_TRY_LOAD, NULL);
	if (p.match)
		p.match = xtables_find_match_revision(name, XTF_TRY_LOAD, p.match, revision);
	legacy_fill("match", name, revision, p.match ? p.match->size : ~(size_t)0, payload, size);
	print_to(to, match_print, &p);
}

static void target_print(void *arg)
{
	const struct printing *p = arg;

	printf(" -j %s", p->target->alias ? p->target->alias(&legacy.target) : p->name);
	if (p->target->save)
		p->target->save(p->entry, &legacy.target);
}

/* Plugins for ARP print what arptables reads; those for any family save it. */
static void target_print_arp(void *arg)
{
	const struct printing *p = arg;

	if (p->target->family != NFPROTO_ARP && p->target->save)
		p->target->save(p->entry, &legacy.target);
	else if (p->target->print)
		p->target->print(p->entry, &legacy.target, 1);
}

void xt2_libxt_print_target(FILE *to, const union xt2_entry *entry, const char *name, int revision,
			    const void *payload, unsigned int size, bool arp)
{
	struct printing p = { .entry = entry, .name = name };

	p.target = xtables_find_target(name, XTF_TRY_LOAD);
	if (p.target)
		p.target = xtables_find_target_revision(name, XTF_TRY_LOAD, p.target, revision);
	legacy_fill("target", name, revision, p.target ? p.target->size : ~(size_t)0, payload,
		    size);
	print_to(to, arp ? target_print_arp : target_print, &p);
}

/* --- lists ------------------------------------------------------------------- */

#define OTHER_REVISION " [unsupported revision]"

/* The plugin of this revision prints; another one is only named. */
struct list_part {
	struct printing p;
	bool exact; /* its revision is the rule's */
	bool numeric;
};

static void match_list(void *arg)
{
	const struct list_part *l = arg;
	const struct xtables_match *m = l->p.match;

	if (!m)
		printf("UNKNOWN match `%s' ", l->p.name);
	else if (l->exact && m->print)
		m->print(l->p.entry, &legacy.match, l->numeric);
	else
		printf("%s%s ", m->name, m->print ? OTHER_REVISION : "");
}

void xt2_libxt_list_match(FILE *to, const union xt2_entry *entry, const char *name, int revision,
			  const void *payload, unsigned int size, bool numeric)
{
	struct list_part l = { .p = { .entry = entry, .name = name }, .numeric = numeric };
	struct xtables_match *m = xtables_find_match(name, XTF_TRY_LOAD, NULL), *same;

	same = m ? xtables_find_match_revision(name, XTF_TRY_LOAD, m, revision) : NULL;
	l.exact = same && same->size <= size;
	l.p.match = l.exact ? same : m;
	if (l.exact)
		legacy_fill("match", name, revision, same->size, payload, size);
	print_to(to, match_list, &l);
}

/* As target_print_arp(): plugins for ARP list what arptables reads. */
static void target_list(void *arg)
{
	const struct list_part *l = arg;
	const struct xtables_target *t = l->p.target;

	if (!t)
		printf("[%u bytes of unknown target data] ",
		       legacy.target.u.target_size - (unsigned int)sizeof(legacy.target));
	else if (!l->exact)
		printf(" %s%s", t->name, t->print ? OTHER_REVISION : "");
	else if (current == XT2_ARP && t->family != NFPROTO_ARP && t->save)
		t->save(l->p.entry, &legacy.target);
	else if (t->print)
		t->print(l->p.entry, &legacy.target, l->numeric);
}

void xt2_libxt_list_target(FILE *to, const union xt2_entry *entry, const char *name, int revision,
			   const void *payload, unsigned int size, bool numeric)
{
	struct list_part l = { .p = { .entry = entry, .name = name }, .numeric = numeric };
	struct xtables_target *t = xtables_find_target(name, XTF_TRY_LOAD), *same;

	same = t ? xtables_find_target_revision(name, XTF_TRY_LOAD, t, revision) : NULL;
	l.exact = same && same->size <= size;
	l.p.target = l.exact ? same : t;
	legacy_fill("target", name, revision, l.exact ? same->size : 0, payload, size);
	print_to(to, target_list, &l);
}

static void help_of(const char *name, void (*help)(void))
{
	putchar('\n');
	if (help)
		help();
	else
		printf("%s does not take any options\n", name);
}

void xt2_libxt_help(const struct xt2_ext *ext)
{
	const struct xtables_rule_match *m;
	const struct xtables_target *t;

	for (t = xtables_targets; t; t = t->next)
		if (t->used)
			help_of(t->name, t->help);
	for (m = ext->matches; m; m = m->next)
		help_of(m->match->name, m->match->help);
}

/* What a plugin of bridges prints, options without the extension's name. */
static void bridge_print(void *arg)
{
	const struct printing *p = arg;

	if (p->match)
		p->match->print(NULL, &legacy.match, 0);
	else
		p->target->print(NULL, &legacy.target, 0);
}

void xt2_libxt_print_bridge(FILE *to, bool target, const char *name, const void *payload,
			    unsigned int size)
{
	struct printing p = { NULL };
	bool known;

	if (target) {
		p.target = xtables_find_target(name, XTF_TRY_LOAD);
		known = p.target && p.target->family == NFPROTO_BRIDGE && p.target->print &&
			p.target->size <= size;
	} else {
		p.match = xtables_find_match(name, XTF_TRY_LOAD, NULL);
		known = p.match && p.match->family == NFPROTO_BRIDGE && p.match->print &&
			p.match->size <= size;
	}
	if (!known || size > sizeof(legacy.bytes) - sizeof(legacy.match))
		xt2_throw(XT2_E_UNSUPPORTED, OTHER_PROBLEM, "ebtables has no options for '%s'",
			  name);
	memset(&legacy.match, 0, sizeof(legacy.match));
	memcpy(legacy.match.data, payload, size);
	print_to(to, bridge_print, &p);
}

const char *xt2_libxt_proto_name(unsigned int proto)
{
	static const char *names[256];
	static const char none[] = "";
	const struct xtables_pprot *p;
	struct protoent *ent;

	if (proto > 255)
		return NULL;
	if (!names[proto]) {
		for (p = xtables_chain_protos; p->name && p->num != proto; p++)
			;
		if (p->name)
			names[proto] = p->name;
		else if (proto && (ent = getprotobynumber(proto)))
			names[proto] = strdup(ent->p_name);
		if (!names[proto])
			names[proto] = none;
	}
	return names[proto] == none ? NULL : names[proto];
}
