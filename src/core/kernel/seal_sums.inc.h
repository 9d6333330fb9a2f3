/* SPDX-License-Identifier: BSD-3-Clause */
/* The sums of seal.h, for numbers of each width. Vectors of 32 bytes on all instruction sets: 64
 * bytes would need 18 registers. */
#include "kernel/seal.h"

#define SUMS_ROW 32
#define SUMS_OF(bits)                                                                              \
    typedef uint##bits##_t sums_row_##bits __attribute__((vector_size(SUMS_ROW)));                 \
    static void sums_##bits(struct summand__seal_sums *sums, const void *bytes, size_t count)      \
    {                                                                                              \
        enum { ROWS = sizeof *sums / SUMS_ROW, LAG = 4 };                                          \
        const unsigned char *p = bytes, *const end = p + count;                                    \
        unsigned char last[sizeof *sums] = {0};                                                    \
        sums_row_##bits s[ROWS], next;                                                             \
        memcpy(s, sums, sizeof s);                                                                 \
        while (p < end) {                                                                          \
            const size_t left = (size_t)(end - p);                                                 \
            const unsigned char *from = left < sizeof last ? memcpy(last, p, left) : p;            \
            for (int r = 0; r < ROWS; r++) {                                                       \
                memcpy(&next, from + SUMS_ROW * r, sizeof next);                                   \
                s[r] += next + s[(r + ROWS - LAG) % ROWS];                                         \
            }                                                                                      \
            p += left < sizeof last ? left : sizeof last;                                          \
        }                                                                                          \
        memcpy(sums, s, sizeof s);                                                                 \
    }

SUMS_OF(8)
SUMS_OF(16)
SUMS_OF(32)
SUMS_OF(64)

#define SUMS                                                                                       \
    {                                                                                              \
        sums_8, sums_16, sums_32, sums_64                                                          \
    }
