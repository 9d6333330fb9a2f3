/* SPDX-License-Identifier: BSD-3-Clause */
/* The largest count that is handed to the MPI in one call. Tests pretend that it is small, so that
 * what happens above it is run with few elements. */
#ifndef SUMMAND_BASE_INT_MAX_H
#define SUMMAND_BASE_INT_MAX_H

#include <limits.h>

#ifndef SUMMAND_INT_MAX
#define SUMMAND_INT_MAX INT_MAX
#endif

#endif
