/* SPDX-License-Identifier: BSD-3-Clause */
#define WIDTH 4
#define TABLE summand__rows_avx2
#include "kernel/rows_simd.inc.h"
