/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of computations that every capability may use. */
#pragma once

#include "schedule/compute.h"

/* NULL ends the list. */
extern const struct summand__kernel *const summand__kernels[];
const struct summand__kernel *summand__kernel_named(const char *name);
