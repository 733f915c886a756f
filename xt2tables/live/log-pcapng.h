/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log-pcapng.h - events of LOG and NFLOG as a capture */
#ifndef XT2_XT2TABLES_LIVE_LOG_PCAPNG_H
#define XT2_XT2TABLES_LIVE_LOG_PCAPNG_H

#include <stdio.h>
#include "kernel/bpf/log.h"

/*
 * Write a file's beginning, a packet, its end; errors are to() 's: see ferror(3).
 * @time: of the packet, ns since 1970; @comment: at most 65535 bytes
 * @lost: packets that were not written
 */
void xt2_pcapng_begin(FILE *to);
void xt2_pcapng_packet(FILE *to, const struct xt2_log_event *e, __u64 time, const char *comment);
void xt2_pcapng_end(FILE *to, __u64 time, __u64 packets, __u64 lost);

#endif
