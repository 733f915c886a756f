/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json-load.h - jansson, and no memory: see json-load.c */
#ifndef XT2_XT2TABLES_JSON_JSON_LOAD_H
#define XT2_XT2TABLES_JSON_JSON_LOAD_H

#include <jansson.h>

/*
 * xt2_json_load - json_loadb(), which refuses members that come twice
 * => the value, to json_decref(); NULL: see error
 */
json_t *xt2_json_load(const char *text, size_t size, json_error_t *error);

#endif
