/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of each instruction set, defined in its file, and the functions that they share. */
#pragma once

#include "kernel/combine.h"

extern const struct summand__combine_kernels summand__combine_generic;
extern const struct summand__combine_kernels summand__combine_avx2;
extern const struct summand__combine_kernels summand__combine_avx512;
extern const struct summand__combine_kernels summand__combine_neon;

#define COMBINE_PAIR(name, T)                                                                      \
    struct combine_##name {                                                                        \
        T value;                                                                                   \
        int index;                                                                                 \
    }
COMBINE_PAIR(short_int, short);
COMBINE_PAIR(int_int, int);
COMBINE_PAIR(long_int, long);
COMBINE_PAIR(f32_int, float);
COMBINE_PAIR(f64_int, double);
COMBINE_PAIR(long_double_int, long double);

/* Kernels that no instruction set speeds up: kernel/combine_plain.c. */
summand__combiner summand__combine_sum_long, summand__combine_prod_long, summand__combine_min_long,
    summand__combine_max_long, summand__combine_sum_complex_long, summand__combine_prod_complex32,
    summand__combine_prod_complex64, summand__combine_prod_complex_long,
    summand__combine_minloc_short_int, summand__combine_minloc_int_int,
    summand__combine_minloc_long_int, summand__combine_minloc_f32_int,
    summand__combine_minloc_f64_int, summand__combine_minloc_long_double_int,
    summand__combine_maxloc_short_int, summand__combine_maxloc_int_int,
    summand__combine_maxloc_long_int, summand__combine_maxloc_f32_int,
    summand__combine_maxloc_f64_int, summand__combine_maxloc_long_double_int;
