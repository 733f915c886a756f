/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * printable.h - text from outside, as a terminal may have it; private to xt2
 *
 * Names, prefixes and comments come from files, packets and arguments that may
 * be hostile: what a terminal would obey, what would forge a line, and what
 * turns the order of the text around is shown as the C language writes its
 * bytes (\n, \x1b).  Blanks, tabs and all other UTF-8 stay as they are.
 */
#ifndef XT2_LIBXT2_PRINTABLE_H
#define XT2_LIBXT2_PRINTABLE_H

#include <stdio.h>

#define XT2_SHOWN_MAX_ 17 /* one character, shown: 4 bytes of 4 characters, and a zero */

/*
 * xt2_utf8 - the character at the start of a text, in its shortest form
 * @s: ends with a zero
 * @point: its number, if it is more than one byte
 * => its bytes, 2 to 4; 0: it is ASCII, or no UTF-8
 */
int xt2_utf8(const char *s, unsigned int *point);

/*
 * xt2_shown_ - the first character of a text, as it is shown
 * @s: not empty
 * => bytes of @s that it takes
 */
size_t xt2_shown_(const char *s, char shown[XT2_SHOWN_MAX_]);

/*
 * xt2_show - a whole text
 * @size: of buf; what has no room is left out, from a character on
 * => length of what is in buf
 */
size_t xt2_show(const char *s, char *buf, size_t size);
void xt2_print_shown(FILE *to, const char *s);

/*
 * xt2_print_line - a line for people: all of it is shown as such, and ended
 * @format: as for printf(), without the newline; cut after 16 KiB
 */
void xt2_print_line(FILE *to, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

#endif
