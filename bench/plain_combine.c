/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/plain_combine.h"

#include "bench/baseline.h"

static const struct plain_combine_table *const tables[SUMMAND__ARCHS] = {
    [SUMMAND__GENERIC] = &plain_combine_generic,
#if defined(__x86_64__)
    [SUMMAND__AVX2] = &plain_combine_avx2,
    [SUMMAND__AVX512] = &plain_combine_avx512,
#elif defined(__aarch64__)
    [SUMMAND__NEON] = &plain_combine_neon,
#endif
};

plain_combine *plain_combine_loop(enum summand__combine_operator op, enum summand__combine_type t)
{
    return tables[baseline_arch()]->loops[op][t];
}
