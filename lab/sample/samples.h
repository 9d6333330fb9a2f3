/* SPDX-License-Identifier: BSD-3-Clause */
/* What the samples' files share. */
#ifndef SUMMAND_LAB_SAMPLE_SAMPLES_H
#define SUMMAND_LAB_SAMPLE_SAMPLES_H

#include "lab/sample/sample.h"
#include "lab/verify/prove_steps.h"

extern const struct summand__sample summand__sample_ring, summand__sample_product;
extern const struct summand__sample summand__sample_redistribution, summand__sample_transpose;

#endif
