/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/combine_simd.inc.h"

const struct summand__combine_kernels summand__combine_avx512 = COMBINE_TABLE;
