/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/pairs_simd.inc.h"

const struct summand__pairs_kernels summand__pairs_avx2 = PAIRS_TABLE;
