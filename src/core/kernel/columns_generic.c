/* SPDX-License-Identifier: BSD-3-Clause */
#define WIDTH 2
#define TABLE summand__columns_generic
#include "kernel/columns_simd.inc.h"
