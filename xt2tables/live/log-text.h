/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log-text.h - an event of LOG or NFLOG in words */
#ifndef XT2_XT2TABLES_LIVE_LOG_TEXT_H
#define XT2_XT2TABLES_LIVE_LOG_TEXT_H

#include <stddef.h>
#include "kernel/bpf/log.h"

#define XT2_LOG_LINE 4096 /* bytes that are enough for a line */

/*
 * xt2_log_line - the line that the kernel's LOG prints for a packet
 * @size: of line; what has no room is left out
 *
 * Without the blank at its end.  What the event's bytes don't reach is told as
 * TRUNCATED.  Names and prefixes are shown as libxt2/printable.h has it.
 */
void xt2_log_line(const struct xt2_log_event *e, char *line, size_t size);

/* The rule's prefix, as the user wrote it.  => prefix */
const char *xt2_log_prefix(const struct xt2_log_event *e, char prefix[65]);

#endif
