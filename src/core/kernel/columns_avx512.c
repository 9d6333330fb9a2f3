/* SPDX-License-Identifier: BSD-3-Clause */
#define WIDTH 8
#define TABLE summand__columns_avx512
#include "kernel/columns_simd.inc.h"
