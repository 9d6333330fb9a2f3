/* SPDX-License-Identifier: BSD-3-Clause */
/* The largest count for one MPI call. Tests set a small value, to reach the code above it with few
 * elements. */
#pragma once

#include <limits.h>

#ifndef SUMMAND_INT_MAX
#define SUMMAND_INT_MAX INT_MAX
#endif
