/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/prefetch.h"

_Atomic(uint32_t) summand__prefetch_first = 1024, summand__prefetch_second = 4096;
