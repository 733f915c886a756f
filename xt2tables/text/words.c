/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.c - a line of iptables-save text, cut into words
 *
 * The quoting is iptables-restore's own: double quotes keep blanks together, a
 * backslash takes the next byte as it is but only inside quotes, and a closing
 * quote ends the word.  Words are copied into one buffer that is used for all
 * lines; the line itself stays, so that messages can quote it.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "line.h"

int xt2_verdict_named(const char *name)
{
	return !strcmp(name, "ACCEPT")	 ? XT2_T_ACCEPT
	       : !strcmp(name, "DROP")	 ? XT2_T_DROP
	       : !strcmp(name, "RETURN") ? XT2_T_RETURN
	       : !strcmp(name, "QUEUE")	 ? XT2_T_QUEUE
					 : XT2_T_CONTINUE;
}

static void word_add(struct xt2_words *w, char *start, char *end, const char *source)
{
	if (end - start > XT2_WORD_MAX)
		xt2_bad_text("Parameter too long!");
	if (w->count >= XT2_WORDS_MAX)
		xt2_bad_text("Parser cannot handle more arguments");
	*end = '\0';
	w->word[w->count] = start;
	w->source[w->count++] = source;
	w->word[w->count] = NULL;
}

static void words_room(struct xt2_words *w, size_t len)
{
	char *more;

	if (w->room >= 2 * len + 2)
		return;
	more = realloc(w->buf, 4 * len + 256);
	if (!more)
		xt2_no_memory();
	w->buf = more;
	w->room = 4 * len + 256;
}

void xt2_words_cut(struct xt2_words *w, const char *line, size_t len)
{
	static char program[] = "iptables-restore";
	const char *p = line, *end = line + len, *source = NULL;
	char *out, *start;
	bool quote = false;

	words_room(w, len);
	w->word[0] = program;
	w->source[0] = line;
	w->word[1] = NULL;
	w->count = 1;
	out = start = w->buf;
	for (; p < end; p++) {
		if (!source && *p != ' ' && *p != '\t')
			source = p;
		if (quote) {
			if (*p == '\\' && p + 1 < end)
				*out++ = *++p;
			else if (*p != '"')
				*out++ = *p;
			else
				quote = false;
			if (quote)
				continue;
		} else if (*p == '"') {
			quote = true;
			continue;
		} else if (*p != ' ' && *p != '\t') {
			*out++ = *p;
			continue;
		} else if (out == start) {
			continue;
		}
		word_add(w, start, out, source);
		start = ++out;
		source = NULL;
	}
	if (quote)
		xt2_bad_text("a quote is not closed");
	if (out > start)
		word_add(w, start, out, source);
}

void xt2_words_free(struct xt2_words *w)
{
	free(w->buf);
	w->buf = NULL;
	w->room = 0;
}
