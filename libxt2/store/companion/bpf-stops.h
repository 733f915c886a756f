/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf-stops.h - matches at which live packets stop; not installed */
#ifndef XT2_LIBXT2_STORE_COMPANION_BPF_STOPS_H
#define XT2_LIBXT2_STORE_COMPANION_BPF_STOPS_H

#include "bpf-left.h"

struct xt2_stops {
	u32 *offset; /* of the matches in the image, in order */
	u32 n, cap;
	u8 *most; /* by chain; NULL if n is 0 */
};

/* All of an image's rules that packets can come to.  => 0, -ENOMEM; in any case xt2_stops_free_() */
int xt2_stops_find_(struct xt2_stops *stops, const struct xt2_image *img);
void xt2_stops_free_(struct xt2_stops *stops);

bool xt2_stops_has_(const struct xt2_stops *stops, const struct xt2_image *img,
		    const struct xt2_match *m);

/* => how often a packet may stop that enters a chain, at most; saturating */
u32 xt2_stops_most_(const struct xt2_stops *stops, u32 chain);

#endif
