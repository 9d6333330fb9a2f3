/* SPDX-License-Identifier: BSD-3-Clause */
#define WIDTH 8
#define TABLE summand__rows_avx512
#include "kernel/rows_simd.inc.h"
