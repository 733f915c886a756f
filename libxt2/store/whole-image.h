/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whole-image.h - an image that is written whole, ready to be edited: see whole-image.c; not installed */
#ifndef XT2_LIBXT2_STORE_WHOLE_IMAGE_H
#define XT2_LIBXT2_STORE_WHOLE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include "engine/env.h"

struct xt2_file_facts;
struct xt2_image;
struct xt2_image_past;

struct xt2_whole_image {
	struct xt2_image *img; /* with its past */
	size_t capacity; /* bytes mapped */
	bool prepared; /* it has what its first edit needs */
};

/*
 * xt2_whole_image_make - an image and its past in memory of their own, prepared for edits
 * @w: out; to be ended if 0 is returned
 * @image: with a root; @checked: it is sound, else it is checked
 * @past: of it
 *
 * What does not pass the check, or for which there is no memory, is not prepared.
 * => 0, -ENOMEM
 */
int xt2_whole_image_make(struct xt2_whole_image *w, const struct xt2_image *image, bool checked,
			 const struct xt2_image_past *past);

void xt2_whole_image_end(struct xt2_whole_image *w);

/*
 * xt2_whole_image_stamp - say which file an image that was prepared is in
 * @facts: of the file, which has all of it
 * @changed: time that the file will tell: ns since 1970
 * @at: out: offset of the stamp, which is to be written to the file
 * => bytes of the stamp
 */
size_t xt2_whole_image_stamp(struct xt2_whole_image *w, const struct xt2_file_facts *facts,
			     u64 changed, u64 *at);

#endif
