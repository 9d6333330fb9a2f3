/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks that no units of a pass fit: a few terms lie far from the others, the terms form clusters,
 * or their exponents are all different. */
#ifndef SUMMAND_EXACT_HARD_H
#define SUMMAND_EXACT_HARD_H

#include "exact/drive.h"

/* Adds the first chunk of n > 0 terms and perhaps more. Returns their number. */
size_t summand__hard_add(const struct summand__drive *drive, summand_exact *acc, size_t n,
                         const void *x, const void *y);

#endif
