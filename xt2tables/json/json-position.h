/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json-position.h - where in a file a value of JSON is: see json-position.c */
#ifndef XT2_XT2TABLES_JSON_JSON_POSITION_H
#define XT2_XT2TABLES_JSON_JSON_POSITION_H

#include <stddef.h>

struct xt2_json_step {
	const char *key; /* of an object's member; NULL: */
	size_t index; /* of an array's element */
};

/*
 * xt2_json_position - find a value
 * @text: size bytes of well-formed JSON
 * @way: depth steps from the outermost value
 * @line, @column: of the value, from 1; of a member, of its key; of what is
 *   around it if it is not there
 */
void xt2_json_position(const char *text, size_t size, const struct xt2_json_step *way,
		       unsigned int depth, unsigned int *line, unsigned int *column);

/* The line and the column, from 1, of a byte of text. */
void xt2_json_line(const char *text, const char *at, unsigned int *line, unsigned int *column);

#endif
