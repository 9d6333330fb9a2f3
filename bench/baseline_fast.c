/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/baseline.h"

#include <stdatomic.h>

static const struct baseline_loops *const loops[SUMMAND__ARCHS] = {
    [SUMMAND__GENERIC] = &baseline_fast_generic,
#if defined(__x86_64__)
    [SUMMAND__AVX2] = &baseline_fast_avx2,
    [SUMMAND__AVX512] = &baseline_fast_avx512,
#elif defined(__aarch64__)
    [SUMMAND__NEON] = &baseline_fast_neon,
#endif
};

const struct baseline_loops *baseline_fast(enum summand__arch arch)
{
    return loops[arch];
}

/* Asks the processor once: a sum of some hundred elements takes no longer than ten queries. */
enum summand__arch baseline_arch(void)
{
    static atomic_int known = -1;
    int arch = atomic_load_explicit(&known, memory_order_relaxed);
    if (arch < 0) {
        arch = SUMMAND__ARCHS - 1; /* the better ones come later */
        while (!summand__arch_supported((enum summand__arch)arch))
            arch--;
        atomic_store_explicit(&known, arch, memory_order_relaxed);
    }
    return (enum summand__arch)arch;
}

#define OVER_ONE(name, T)                                                                          \
    T baseline_fast_##name(const T *x, size_t n)                                                   \
    {                                                                                              \
        return loops[baseline_arch()]->name(x, n);                                                 \
    }
#define OVER_TWO(name, T)                                                                          \
    T baseline_fast_##name(const T *x, const T *y, size_t n)                                       \
    {                                                                                              \
        return loops[baseline_arch()]->name(x, y, n);                                              \
    }

OVER_ONE(sum_f64, double)
OVER_ONE(asum_f64, double)
OVER_ONE(squares_f64, double)
OVER_TWO(dot_f64, double)
OVER_ONE(sum_f32, float)
OVER_ONE(asum_f32, float)
OVER_ONE(squares_f32, float)
OVER_TWO(dot_f32, float)
