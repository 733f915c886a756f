/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unsupported.h - rules that the engine cannot evaluate; not installed: for the library and its tools */
#ifndef XT2_LIBXT2_EVALUATE_UNSUPPORTED_H
#define XT2_LIBXT2_EVALUATE_UNSUPPORTED_H

#include "engine/image.h"

/* => name of a rule's first extension that cannot be evaluated, or NULL */
const char *xt2_rule_unevaluated(const struct xt2_image *img, const struct xt2_root *root,
				 const struct xt2_rule *r);

#endif
