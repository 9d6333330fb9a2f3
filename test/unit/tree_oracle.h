/* SPDX-License-Identifier: BSD-3-Clause */
/* The index tree directly from its definition, slow and recursive; and test data for it. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernel/tree.h"

static inline uint64_t oracle_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Magnitudes over 60 binades and both signs: hardly any two trees round alike. If `special`, about
 * every eighth number is a zero of either sign, a denormal, an infinity or a NaN. */
static inline double oracle_number(uint64_t *state, bool special)
{
    static const double odd[] = {0.0,      -0.0,      0x1p-1074,  -0x1.8p-1030, 0x1p-149,
                                 INFINITY, -INFINITY, NAN,        -0x1.4p-130,  0x1.fffffep127,
                                 -0.0,     0x1p-1022, -0x1p-1074, 0.0,          -0x1p-126};
    uint64_t r = oracle_random(state);
    if (special && r % 8 == 0)
        return odd[r / 8 % (sizeof odd / sizeof *odd)];
    double mantissa = (double)(int64_t)(oracle_random(state) >> 11) * 0x1p-52 - 1.0;
    return ldexp(mantissa, (int)(r >> 8) % 60 - 30);
}

/* reduce(x, y) of eq. 2.1 in the thesis of C. Stelz (2022), over elements [0, N). */
#define ORACLE(T, suffix, absolute)                                                                \
    static inline T oracle_leaf_##suffix(enum summand__tree_kind kind, T x, T y)                   \
    {                                                                                              \
        if (kind == SUMMAND__TREE_ASUM)                                                            \
            return absolute(x);                                                                    \
        if (kind == SUMMAND__TREE_SQUARES)                                                         \
            return x * x;                                                                          \
        return kind == SUMMAND__TREE_DOT ? x * y : x;                                              \
    }                                                                                              \
    static inline T oracle_combine_##suffix(enum summand__tree_kind kind, T a, T b)                \
    {                                                                                              \
        if (kind == SUMMAND__TREE_MIN)                                                             \
            return a < b ? a : b;                                                                  \
        if (kind == SUMMAND__TREE_MAX)                                                             \
            return a > b ? a : b;                                                                  \
        return kind == SUMMAND__TREE_PROD ? a * b : a + b;                                         \
    }                                                                                              \
    static T oracle_##suffix(enum summand__tree_kind kind, const T *x, const T *y, uint64_t n,     \
                             uint64_t at, unsigned level)                                          \
    {                                                                                              \
        if (level == 0)                                                                            \
            return oracle_leaf_##suffix(kind, x[at], y[at]);                                       \
        uint64_t half = (uint64_t)1 << (level - 1);                                                \
        T left = oracle_##suffix(kind, x, y, n, at, level - 1);                                    \
        if (at + half >= n)                                                                        \
            return left;                                                                           \
        T right = oracle_##suffix(kind, x, y, n, at + half, level - 1);                            \
        return oracle_combine_##suffix(kind, left, right);                                         \
    }                                                                                              \
    static inline bool oracle_same_##suffix(T a, T b)                                              \
    {                                                                                              \
        return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof a);                                \
    }

ORACLE(double, f64, fabs)
ORACLE(float, f32, fabsf)
