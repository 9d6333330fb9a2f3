/* SPDX-License-Identifier: BSD-3-Clause */
/* Included before every file (cmake/Flags.cmake). The promised bits, and error-free transforms,
 * need arithmetic as C and IEEE 754 define it. So each option that relaxes it, visible as a macro
 * of GCC or clang, is an error. For some options clang has no macro: Flags.cmake looks for these.
 * Harmless, and allowed: -fno-math-errno, -fno-trapping-math, -frounding-math, -fsignaling-nans. */
#pragma once

#if defined(SUMMAND_RELAXED_ON_PURPOSE)
/* A loop of bench/ that shows the speed of wrong results. */
#elif defined(__FAST_MATH__)
#error "Summand's results are wrong under -ffast-math, -Ofast and -ffp-model=fast: remove them"
#elif defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "Summand's results are wrong under -ffinite-math-only: compile without it"
#elif defined(__ASSOCIATIVE_MATH__)
#error                                                                                             \
    "Summand's results are wrong under -fassociative-math and -funsafe-math-optimizations: remove them"
#elif defined(__RECIPROCAL_MATH__)
#error "Summand's results are wrong under -freciprocal-math: compile without it"
#elif defined(__NO_SIGNED_ZEROS__)
#error "Summand's results are wrong under -fno-signed-zeros: compile without it"
#elif defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error                                                                                             \
    "Summand's results are wrong if floats and doubles have more digits (x87): -msse2 -mfpmath=sse"
#elif defined(__x86_64__) && __LDBL_MANT_DIG__ != 64 /* the MPI and the C library use 64 */
#error "Summand's results are wrong under -mlong-double-64 and -mlong-double-128: remove them"
#elif defined(__GCC_IEC_559) && !__GCC_IEC_559
#error                                                                                             \
    "Summand's results are wrong under -fsingle-precision-constant and -ffp-contract=fast: remove them"
#elif defined(__GCC_IEC_559_COMPLEX) && !__GCC_IEC_559_COMPLEX
#error "Summand's results are wrong under -fcx-limited-range and -fcx-fortran-rules: remove them"
#endif
