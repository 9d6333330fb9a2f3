/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/arch.h"

#include <stdatomic.h>
#if defined(__x86_64__)
#include <cpuid.h>

/* PCLMULQDQ, and F16C, which clang 14's __builtin_cpu_supports does not know. On a virtual machine
 * the instruction is a trap of 20 to 70 us, so its answer is kept. */
static bool rest(void)
{
    static atomic_int answer = -1;
    int known = atomic_load_explicit(&answer, memory_order_relaxed);
    if (known < 0) {
        unsigned a, b, c, d;
        known = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) && (c & bit_PCLMUL);
        atomic_store_explicit(&answer, known, memory_order_relaxed);
    }
    return known;
}
#endif

bool summand__arch_supported(enum summand__arch arch)
{
    switch (arch) {
    case SUMMAND__GENERIC:
        return true;
#if defined(__x86_64__)
    case SUMMAND__AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && rest();
    case SUMMAND__AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && rest();
#endif
#if defined(__aarch64__)
    case SUMMAND__NEON:
        return true;
#endif
    default:
        return false;
    }
}

enum summand__arch summand__arch_best(void)
{
    static const enum summand__arch order[] = {SUMMAND__AVX512, SUMMAND__AVX2, SUMMAND__NEON};
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        if (summand__arch_supported(order[i]))
            return order[i];
    return SUMMAND__GENERIC;
}
