/* SPDX-License-Identifier: BSD-3-Clause */
#define PLAIN_COMBINE plain_combine_generic
#include "bench/plain_combine.inc.h"
