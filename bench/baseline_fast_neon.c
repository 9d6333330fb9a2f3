/* SPDX-License-Identifier: BSD-3-Clause */
#define BASELINE(name) neon_##name
#define BASELINE_STORAGE static
#include "bench/baseline.inc.h"

const struct baseline_loops baseline_fast_neon = BASELINE_LOOPS;
