/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a family of kernels, one per instruction set that is compiled. A new instruction set
 * needs one line here. */
#pragma once

#include "kernel/arch.h"

/* clang-format off */
#if defined(__x86_64__)
#define SUMMAND__ARCH_ROWS(family) {                                                                \
    [SUMMAND__GENERIC] = &summand__##family##_generic,                                              \
    [SUMMAND__AVX2] = &summand__##family##_avx2,                                                    \
    [SUMMAND__AVX512] = &summand__##family##_avx512}
#elif defined(__aarch64__)
#define SUMMAND__ARCH_ROWS(family) {                                                                \
    [SUMMAND__GENERIC] = &summand__##family##_generic,                                              \
    [SUMMAND__NEON] = &summand__##family##_neon}
#else
#define SUMMAND__ARCH_ROWS(family) {[SUMMAND__GENERIC] = &summand__##family##_generic}
#endif
/* clang-format on */
