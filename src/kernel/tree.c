#include "kernel/tree.h"

#include "kernel/tree_kernels.h"

static const struct summand__tree_kernels *const tables[SUMMAND__ARCHS] = {
    [SUMMAND__GENERIC] = &summand__tree_generic,
#if defined(__x86_64__)
    [SUMMAND__AVX2] = &summand__tree_avx2,
    [SUMMAND__AVX512] = &summand__tree_avx512,
#endif
#if defined(__aarch64__)
    [SUMMAND__NEON] = &summand__tree_neon,
#endif
};

const struct summand__tree_kernels *summand__tree_kernels_of(enum summand__arch arch)
{
    return tables[arch];
}

const struct summand__tree_kernels *summand__tree_kernels(void)
{
    return tables[summand__arch()];
}
