/* SPDX-License-Identifier: BSD-3-Clause */
/* Any number of terms, chunk by chunk: which pass, and when to try others. */
#ifndef SUMMAND_EXACT_CHUNKS_H
#define SUMMAND_EXACT_CHUNKS_H

#include "exact/drive.h"

/* Adds all n terms. The caller has entered the default floating-point environment. */
void summand__chunks_add(struct summand__drive *drive, summand_exact *acc, size_t n, const void *x,
                         const void *y);

/* Adds n terms of a kind with their flags, in whatever way is fastest. Enters the environment. */
void summand__terms_add(summand_exact *acc, enum summand__pass_kind kind, bool f32, size_t n,
                        const void *x, const void *y);

#endif
