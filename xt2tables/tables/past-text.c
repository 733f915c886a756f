/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * past-text.c - a commit of the past in words
 *
 * For lists of commits, and for those who come too late: they are told who was there before.
 * Times are those of UTC, so that lines of several machines compare.
 */
#include "config.h"
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "engine/env.h"
#include "libxt2/printable.h"
#include "past-text.h"

const char *xt2_author_wrong(const struct xt2_author *a)
{
	if (a->owner && (!*a->owner || strlen(a->owner) >= XT2_NAME_SIZE))
		return "an owner has a name of 1 to 31 bytes";
	if (a->reason && strlen(a->reason) > XT2_REASON_MAX)
		return "a reason is a text of up to 255 bytes";
	return NULL;
}

const char *xt2_author_owner(const char *option)
{
	const char *env = getenv("XT2_OWNER");

	if (option)
		return option;
	return env && *env ? env : NULL;
}

static const char *kind_of(const struct xt2_past *past)
{
	static const char *const names[] = {
		[XT2_COMMIT_EDIT] = "edit", [XT2_COMMIT_WHOLE] = "whole", [XT2_COMMIT_ROLLBACK] = "rollback"
	};
	const u8 kind = past->commit.kind;

	return kind < XT2_ARRAY_SIZE(names) ? names[kind] : "unknown";
}

/* "2026-11-23T10:00:00Z" */
static void time_text(const struct xt2_past *past, char *text, size_t size)
{
	const time_t seconds = (time_t)(past->commit.time / 1000000000u);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) || !strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(text, size, "?");
}

/* => the user's name; NULL: the system does not know */
static const char *user_of(const struct xt2_past *past)
{
	const struct passwd *user = getpwuid(past->commit.uid);

	return user ? user->pw_name : NULL;
}

void xt2_past_who(const struct xt2_past *past, char text[XT2_PAST_TEXT])
{
	const struct xt2_commit *c = &past->commit;
	const char *user = user_of(past);
	char number[24];

	snprintf(number, sizeof(number), "uid %u", c->uid);
	snprintf(text, XT2_PAST_TEXT, "%s (pid %u)%s%s", user ? user : number, c->pid,
		 *c->owner ? " for " : "", c->owner);
}

void xt2_past_circumstances(const struct xt2_past *past, char text[XT2_PAST_TEXT])
{
	char when[40], who[XT2_PAST_TEXT];

	time_text(past, when, sizeof(when));
	xt2_past_who(past, who);
	snprintf(text, XT2_PAST_TEXT, "%.200s at %s%s%.400s", who, when, *past->reason ? ": " : "",
		 past->reason);
}

/* "+2 -1 rules, " */
static size_t add_counts(char *text, size_t size, const char *what, u32 came, u32 went)
{
	if (!came && !went)
		return 0;
	if (!came || !went)
		return (size_t)snprintf(text, size, "%c%u %s%s, ", came ? '+' : '-', came + went,
					what, came + went == 1 ? "" : "s");
	return (size_t)snprintf(text, size, "+%u -%u %ss, ", came, went, what);
}

/* What has changed, in numbers. */
static void changes_text(const struct xt2_past *past, char *text, size_t size)
{
	const struct xt2_changes *n = &past->commit.changes;
	size_t len = add_counts(text, size, "rule", n->rules_new, n->rules_gone);

	len += add_counts(text + len, size - len, "chain", n->chains_new, n->chains_gone);
	if (n->policies)
		len += (size_t)snprintf(text + len, size - len, "%u polic%s, ", n->policies,
					n->policies == 1 ? "y" : "ies");
	if (!len)
		snprintf(text, size, "nothing counted");
	else
		text[len - 2] = '\0';
}

void xt2_past_print(FILE *to, const struct xt2_past *past)
{
	char when[40], who[XT2_PAST_TEXT], changes[128];

	time_text(past, when, sizeof(when));
	xt2_past_who(past, who);
	changes_text(past, changes, sizeof(changes));
	xt2_print_line(to, "%llu  %s  %s  %s: %s%s%s", (unsigned long long)past->commit.generation,
		       when, kind_of(past), who, changes, *past->reason ? "; " : "", past->reason);
}

/* As a string of JSON; what is no UTF-8 is taken for Latin-1. */
static void print_string(FILE *to, const char *s)
{
	unsigned int point;
	int n;

	putc('"', to);
	for (; *s; s += n ? n : 1) {
		n = xt2_utf8(s, &point);
		if (n)
			fwrite(s, 1, (size_t)n, to);
		else if (*s == '"' || *s == '\\')
			fprintf(to, "\\%c", *s);
		else if ((u8)*s < 0x20 || (u8)*s > 0x7e)
			fprintf(to, "\\u%04x", (u8)*s);
		else
			putc(*s, to);
	}
	putc('"', to);
}

static void print_member(FILE *to, const char *name, const char *value)
{
	fprintf(to, ",\"%s\":", name);
	print_string(to, value);
}

void xt2_past_print_json(FILE *to, const struct xt2_past *past)
{
	const struct xt2_commit *c = &past->commit;
	const char *user = user_of(past);
	char when[40];

	time_text(past, when, sizeof(when));
	fprintf(to, "{\"generation\":%llu,\"time\":\"%s\",\"kind\":\"%s\",\"uid\":%u,\"pid\":%u",
		(unsigned long long)c->generation, when, kind_of(past), c->uid, c->pid);
	if (user)
		print_member(to, "user", user);
	if (*c->owner)
		print_member(to, "owner", c->owner);
	if (*past->reason)
		print_member(to, "reason", past->reason);
	fprintf(to,
		",\"rules_new\":%u,\"rules_gone\":%u,\"chains_new\":%u,\"chains_gone\":%u,"
		"\"policies\":%u}\n",
		c->changes.rules_new, c->changes.rules_gone, c->changes.chains_new,
		c->changes.chains_gone, c->changes.policies);
}
