#include "kernel/pass.h"

static const struct summand__pass_kernels *const tables[SUMMAND__ARCHS] = {
    [SUMMAND__GENERIC] = &summand__pass_generic,
#if defined(__x86_64__)
    [SUMMAND__AVX2] = &summand__pass_avx2,
    [SUMMAND__AVX512] = &summand__pass_avx512,
#endif
#if defined(__aarch64__)
    [SUMMAND__NEON] = &summand__pass_neon,
#endif
};

const struct summand__pass_kernels *summand__pass_kernels_of(enum summand__arch arch)
{
    return tables[arch];
}

const struct summand__pass_kernels *summand__pass_kernels(void)
{
    return tables[summand__arch()];
}
