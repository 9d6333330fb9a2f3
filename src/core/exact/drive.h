/* SPDX-License-Identifier: BSD-3-Clause */
/* Drives the fast passes of kernel/pass.h: chooses units and flushes, and handles chunks that do
 * not fit. */
#pragma once

#include "exact/limbs.h"
#include "kernel/pass.h"

/* One call's terms, and the state of its pass. */
struct summand__drive {
    struct summand__pass pass;
    const struct summand__pass_kernels *kernels;
    summand__pass_run *run;
    summand__pass_largest *largest;
    summand__pass_terms *terms;
    summand__pass_sift *sift;
    summand__pass_brief *brief;
    enum summand__pass_kind kind;
    bool f32;
    bool products;     /* of doubles: with error terms, on four levels */
    bool ready;        /* the levels have units */
    unsigned restless; /* chunks in a row that the units before them did not fit */
    unsigned stubborn; /* chunks in a row that no units fitted */
};

void summand__drive_init(struct summand__drive *drive, enum summand__pass_kind kind, bool f32);

/* Empties the levels, with units for terms of at most 2^margin times `largest`; false if there are
 * none: it is not finite or nearly too large for a double. */
bool summand__drive_start(struct summand__drive *drive, double largest, int margin);

/* The same for terms like the first ones of n. */
bool summand__drive_start_like(struct summand__drive *drive, size_t n, const void *x,
                               const void *y);

/* Adds the levels' values to the accumulator, and empties the levels. */
void summand__drive_flush(struct summand__drive *drive, summand_exact *acc);

/* True if all n terms are -0.0. Cost: up to the first other term. */
bool summand__drive_minus_zero(const struct summand__drive *drive, size_t n, const void *x,
                               const void *y);

/* Element i, which need not be aligned. */
double summand__drive_element(const void *x, size_t i, bool f32);

/* Adds n terms one by one, with their flags, by integer arithmetic: for special values, products
 * that underflow, and values near overflow. */
void summand__drive_slowly(enum summand__pass_kind kind, bool f32, summand_exact *acc, size_t n,
                           const void *x, const void *y);

/* The sum of few terms as that of four doubles; false if they are too many or too far apart. */
bool summand__drive_brief(const struct summand__drive *drive, size_t n, const void *x,
                          const void *y, double sums[SUMMAND__PASS_LEVELS]);
