/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/arch.h"

#include <stdatomic.h>

#if !defined(SUMMAND_EXACT_ARCH) /* 0: plain C, 1: AVX2, 2: AVX-512; -1: the best one that is there */
#define SUMMAND_EXACT_ARCH -1
#endif

enum summand__arch summand__arch(void)
{
    static atomic_int chosen = SUMMAND_EXACT_ARCH;
    int arch = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (arch < 0) {
        arch = (int)summand__arch_best();
        atomic_store_explicit(&chosen, arch, memory_order_relaxed);
    }
    return (enum summand__arch)arch;
}
