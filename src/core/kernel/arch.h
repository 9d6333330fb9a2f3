/* SPDX-License-Identifier: BSD-3-Clause */
/* The instruction set of the kernels. One choice per process, made at first use. */
#pragma once

#include <stdbool.h>

enum summand__arch {
    SUMMAND__GENERIC,
    SUMMAND__AVX2,   /* with FMA, F16C and PCLMULQDQ */
    SUMMAND__AVX512, /* F, DQ, BW, VL; with F16C and PCLMULQDQ */
    SUMMAND__NEON,
    SUMMAND__ARCHS
};

const char *summand__arch_name(enum summand__arch arch);
bool summand__arch_supported(enum summand__arch arch);
enum summand__arch summand__arch_best(void); /* the best supported one */

/* The best supported instruction set, or the one that SUMMAND_ARCH names. If the machine lacks that
 * one, the process is warned once and uses the best one. */
enum summand__arch summand__arch(void);

/* The error in SUMMAND_ARCH ("avx1024: no such instruction set", ...), or NULL. */
const char *summand__arch_complaint(void);

/* For tests and benchmarks only: uses `arch` from now on; false if the machine lacks it. */
bool summand__arch_force(enum summand__arch arch);
