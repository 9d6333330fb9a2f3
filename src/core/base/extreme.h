/* SPDX-License-Identifier: BSD-3-Clause */
/* The lesser and the larger of two numbers of one type; the second one if either is NaN. */
#pragma once

#define SUMMAND__EXTREMES(type, suffix)                                                            \
    static inline type summand__lesser_##suffix(type a, type b)                                    \
    {                                                                                              \
        return a < b ? a : b;                                                                      \
    }                                                                                              \
    static inline type summand__larger_##suffix(type a, type b)                                    \
    {                                                                                              \
        return a > b ? a : b;                                                                      \
    }

SUMMAND__EXTREMES(int, int)
SUMMAND__EXTREMES(unsigned, unsigned)
SUMMAND__EXTREMES(long, long)
SUMMAND__EXTREMES(unsigned long, ulong)
SUMMAND__EXTREMES(double, double)

/* Mixed types become those of a + b. */
#define SUMMAND__EXTREME(which, a, b)                                                              \
    _Generic((a) + (b), int                                                                        \
             : summand__##which##_int, unsigned                                                    \
             : summand__##which##_unsigned, long                                                   \
             : summand__##which##_long, unsigned long                                              \
             : summand__##which##_ulong, double                                                    \
             : summand__##which##_double)(a, b)
#define summand__lesser(a, b) SUMMAND__EXTREME(lesser, a, b)
#define summand__larger(a, b) SUMMAND__EXTREME(larger, a, b)
