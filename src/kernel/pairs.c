#include "kernel/pairs.h"

static const struct summand__pairs_kernels *const tables[SUMMAND__ARCHS] = {
    [SUMMAND__GENERIC] = &summand__pairs_generic,
#if defined(__x86_64__)
    [SUMMAND__AVX2] = &summand__pairs_avx2,
    [SUMMAND__AVX512] = &summand__pairs_avx512,
#endif
#if defined(__aarch64__)
    [SUMMAND__NEON] = &summand__pairs_neon,
#endif
};

const struct summand__pairs_kernels *summand__pairs_kernels_of(enum summand__arch arch)
{
    return tables[arch];
}

const struct summand__pairs_kernels *summand__pairs_kernels(void)
{
    return tables[summand__arch()];
}
