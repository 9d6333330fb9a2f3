/* SPDX-License-Identifier: BSD-3-Clause */
#define PLAIN_COMBINE plain_combine_avx2
#include "bench/plain_combine.inc.h"
