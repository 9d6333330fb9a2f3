/* SPDX-License-Identifier: BSD-3-Clause */
/* A schedule of several parts, for tests of composition. */
#ifndef SUMMAND_LAB_SAMPLE_MIXED_H
#define SUMMAND_LAB_SAMPLE_MIXED_H

#include "lab/sample/sample.h"

/* The ring of that size, an all-reduce of `count` elements of the sendbuf, the ring again. */
void summand__sample_mixed(const struct summand__sample_size *size, const char *algorithm, int rank,
                           size_t count, struct summand__schedule *whole);

#endif
