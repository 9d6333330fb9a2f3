/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers like the per-site log-likelihoods of a phylogenetic tree: negative, most near -2, a tail
 * down to about -150, some sites alike. Value i depends only on the seed and i. */
#pragma once

#include <stdint.h>

void psllh_like_fill(uint64_t seed, uint64_t first, uint64_t count, double *values);
