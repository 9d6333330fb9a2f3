/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that only move elements, of any size, from one rectangle to another. */
#pragma once

#include "schedule/compute.h"

/* Elements of the operand, in row-major order, become those of the result. */
int summand__run_pack(const struct summand__work *work, size_t unit, size_t first, size_t rows);

/* Element (j, i) of the operand becomes (i, j) of the result. */
int summand__run_transpose(const struct summand__work *work, size_t unit, size_t first,
                           size_t rows);
