/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/baseline.h"

#define BASELINE(name) baseline_plain_##name
#define BASELINE_STORAGE
#include "bench/baseline.inc.h"
