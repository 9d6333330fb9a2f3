/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds any number of terms, chunk by chunk: chooses the pass, and when to try others. */
#pragma once

#include "exact/drive.h"

/* Adds all n terms. The caller has entered the default floating-point environment. */
void summand__chunks_add(struct summand__drive *drive, summand_exact *acc, size_t n, const void *x,
                         const void *y);

/* Adds n terms of a kind with their flags, by the fastest method. Enters the environment. */
void summand__terms_add(summand_exact *acc, enum summand__pass_kind kind, bool f32, size_t n,
                        const void *x, const void *y);

/* Chunks that no units of a pass fit: a few terms lie far from the others, the terms form clusters,
 * or their exponents are all different. */

/* Adds the first chunk of n > 0 terms and perhaps more. Returns their number. */
size_t summand__hard_add(const struct summand__drive *drive, summand_exact *acc, size_t n,
                         const void *x, const void *y);
