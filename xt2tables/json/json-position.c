/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-position.c - where in a file a value of JSON is
 *
 * The library that reads JSON forgets positions, and they are needed for errors
 * only: the text is read once more, up to the value.  It is well-formed, so
 * what is not looked for is skipped by counting brackets outside of strings.
 */
#include "json-position.h"
#include <stdbool.h>
#include <string.h>

struct scan {
	const char *at, *end;
};

static void blanks(struct scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' ||
				  *s->at == '\r' || *s->at == ',' || *s->at == ':'))
		s->at++;
}

/* From a quote to the byte after the closing one. */
static void skip_string(struct scan *s)
{
	for (s->at++; s->at < s->end && *s->at != '"'; s->at++)
		if (*s->at == '\\')
			s->at++;
	s->at++;
}

static void skip_value(struct scan *s)
{
	size_t open = 0;

	do {
		blanks(s);
		if (s->at >= s->end)
			return;
		if (*s->at == '"') {
			skip_string(s);
			continue;
		}
		if (*s->at == '{' || *s->at == '[')
			open++;
		else if (*s->at == '}' || *s->at == ']')
			open--;
		else
			s->at += strcspn(s->at, " \t\r\n,:{}[]\"") - 1;
		s->at++;
	} while (open);
}

/* Into an object or array, to a member's key or an element.  => false: not there */
static bool step(struct scan *s, const struct xt2_json_step *to)
{
	size_t i, len = to->key ? strlen(to->key) : 0;

	s->at++;
	for (i = 0;; i++) {
		blanks(s);
		if (s->at >= s->end || *s->at == '}' || *s->at == ']')
			return false;
		if (to->key ? (size_t)(s->end - s->at) > len + 1 && s->at[len + 1] == '"' &&
				      !memcmp(s->at + 1, to->key, len)
			    : i == to->index)
			return true;
		if (to->key)
			skip_string(s);
		skip_value(s);
	}
}

void xt2_json_line(const char *text, const char *at, unsigned int *line, unsigned int *column)
{
	*line = *column = 1;
	for (; text < at; text++) {
		*column = *text == '\n' ? 1 : *column + 1;
		*line += *text == '\n';
	}
}

void xt2_json_position(const char *text, size_t size, const struct xt2_json_step *way,
		       unsigned int depth, unsigned int *line, unsigned int *column)
{
	struct scan s = { text, text + size };
	const char *found;
	unsigned int i;

	blanks(&s);
	found = s.at;
	for (i = 0; i < depth && s.at < s.end && (*s.at == '{' || *s.at == '['); i++) {
		if (!step(&s, &way[i]))
			break;
		found = s.at;
		if (way[i].key) {
			skip_string(&s);
			blanks(&s);
		}
	}
	xt2_json_line(text, found, line, column);
}
