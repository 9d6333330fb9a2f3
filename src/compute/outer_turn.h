/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of numbers transposed in registers, for packing factors that are stored by index: element
 * (j, k) goes to (k, j). TURN is 1 if the instruction set has no such code. */
#pragma once

#include <immintrin.h>
#include <stddef.h>

/* 8 x 8 floats: swaps pairs, then fours, then halves of a register. */
static inline void outer_turn_f32(const float *from, size_t ld, float *to, size_t width)
{
    __m256 x[8], y[8];
    for (int j = 0; j < 8; j++)
        x[j] = _mm256_loadu_ps(from + (size_t)j * ld);
    for (int j = 0; j < 8; j += 2) {
        y[j] = _mm256_unpacklo_ps(x[j], x[j + 1]);
        y[j + 1] = _mm256_unpackhi_ps(x[j], x[j + 1]);
    }
    for (int j = 0; j < 8; j += 4)
        for (int i = 0; i < 2; i++) {
            x[j + 2 * i] = _mm256_shuffle_ps(y[j + i], y[j + i + 2], _MM_SHUFFLE(1, 0, 1, 0));
            x[j + 2 * i + 1] = _mm256_shuffle_ps(y[j + i], y[j + i + 2], _MM_SHUFFLE(3, 2, 3, 2));
        }
    for (int j = 0; j < 4; j++) {
        _mm256_storeu_ps(to + (size_t)j * width, _mm256_permute2f128_ps(x[j], x[j + 4], 0x20));
        _mm256_storeu_ps(to + (size_t)(j + 4) * width,
                         _mm256_permute2f128_ps(x[j], x[j + 4], 0x31));
    }
}

/* 4 x 4 doubles. */
static inline void outer_turn_f64(const double *from, size_t ld, double *to, size_t width)
{
    __m256d x[4], y[4];
    for (int j = 0; j < 4; j++)
        x[j] = _mm256_loadu_pd(from + (size_t)j * ld);
    for (int j = 0; j < 4; j += 2) {
        y[j] = _mm256_unpacklo_pd(x[j], x[j + 1]);
        y[j + 1] = _mm256_unpackhi_pd(x[j], x[j + 1]);
    }
    for (int j = 0; j < 2; j++) {
        _mm256_storeu_pd(to + (size_t)j * width, _mm256_permute2f128_pd(y[j], y[j + 2], 0x20));
        _mm256_storeu_pd(to + (size_t)(j + 2) * width,
                         _mm256_permute2f128_pd(y[j], y[j + 2], 0x31));
    }
}
