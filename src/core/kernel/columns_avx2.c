/* SPDX-License-Identifier: BSD-3-Clause */
#define WIDTH 4
#define TABLE summand__columns_avx2
#include "kernel/columns_simd.inc.h"
