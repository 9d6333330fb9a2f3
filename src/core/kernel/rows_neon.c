/* SPDX-License-Identifier: BSD-3-Clause */
#define WIDTH 2
#define TABLE summand__rows_neon
#include "kernel/rows_simd.inc.h"
