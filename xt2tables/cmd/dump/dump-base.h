/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump-base.h - the conditions of a legacy entry itself, as text */
#ifndef XT2_XT2TABLES_CMD_DUMP_DUMP_BASE_H
#define XT2_XT2TABLES_CMD_DUMP_DUMP_BASE_H

#include <stddef.h>

/*
 * xt2_base_text - addresses, interfaces, protocol and so on, as options
 * @entry: the start of struct ipt_entry or its like, of any alignment
 * What no option says is there as a number.  As snprintf(): text is cut at size.
 */
void xt2_base_text(int family, const void *entry, char *text, size_t size);

#endif
