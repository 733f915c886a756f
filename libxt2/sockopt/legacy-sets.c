/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-sets.c - ask the caller for the names and numbers of ipsets
 *
 * A set number of unknown origin is never passed to a kernel that could mistake
 * it for one of its own sets: the rule would test another set.
 */
#include "config.h"
#include "legacy-sets.h"

#include <stdio.h>

_Static_assert(offsetof(struct xt2_asked_sets_, data) ==
		       offsetof(struct xt2_asked_sets_, in) + sizeof(struct xt2_instance),
	       "an instance's data follows it");

/* => error */
static int fail(struct xt2_asked_sets_ *s, int error, const char *hint)
{
	s->error = error;
	snprintf(s->hint, sizeof(s->hint), "%s", hint);
	return error;
}

/* What the host could not say.  => -ENOENT: to the caller, a set that is not there */
static int unknown(struct xt2_asked_sets_ *s, int error, const char *set)
{
	if (error == -ENOENT) {
		snprintf(s->why, sizeof(s->why), "the kernel has no ipset %s", set);
		return fail(s, -ENOENT,
			    "create it first; xt2tables-save and xt2tables-restore "
			    "know sets by name, and ask no kernel");
	}
	snprintf(s->why, sizeof(s->why), "the kernel cannot be asked for ipset %s: %s", set,
		 strerror(-error));
	return fail(s, -ENOENT,
		    "that takes root (CAP_NET_ADMIN); xt2tables-save and "
		    "xt2tables-restore ask no kernel");
}

static int ask_name(void *with, u16 number, char *name)
{
	struct xt2_asked_sets_ *s = with;
	int ret = s->host->name(s->host->data, number, name);
	char set[32];

	if (!ret)
		return 0;
	snprintf(set, sizeof(set), "number %u", number);
	return unknown(s, ret, set);
}

int xt2_sets_read_(struct xt2_asked_sets_ *s, u8 kind, u8 revision, const char *name,
		   const void **payload, u32 *size)
{
	const struct xt2_sets *sets = s->host ? xt2_sets_find(kind, name, revision) : NULL;
	int ret;

	if (!sets || *size != sets->size)
		return 0;
	memcpy(s->data, *payload, *size);
	ret = xt2_sets_name(sets, s->data, ask_name, s);
	if (ret < 0)
		return ret;
	*payload = s->data;
	*size = (u32)ret;
	return 0;
}

static int ask_number(void *with, const char *name)
{
	struct xt2_asked_sets_ *s = with;
	int ret = s->host->number(s->host->data, name);
	char set[XT2_SETS_NAME + 2];

	if (ret >= 0)
		return ret;
	snprintf(set, sizeof(set), "'%s'", name);
	return unknown(s, ret, set);
}

const struct xt2_instance *xt2_sets_write_(struct xt2_asked_sets_ *s, const struct xt2_instance *in)
{
	const struct xt2_sets *sets = s->host ? xt2_sets_find(in->kind, in->name, in->revision)
					      : NULL;
	int number = sets ? xt2_sets_nameless(sets, in) : -1;

	if (!sets)
		return in;
	if (number >= 0) {
		snprintf(s->why, sizeof(s->why), "ipset number %d is not known by name", number);
		fail(s, -EOPNOTSUPP,
		     "it came without a kernel that could be asked; load the rule "
		     "from text, or with iptables under xt2 run");
		return NULL;
	}
	if (xt2_sets_number(sets, in, s->data, ask_number, s) < 0)
		return NULL;
	s->in = *in;
	s->in.size = sets->size;
	return &s->in;
}
