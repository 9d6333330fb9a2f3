/* SPDX-License-Identifier: BSD-3-Clause */
/* Both units share long arrays: 1.5 to 1.9 times as fast as the instruction alone. */
#include "kernel/seal_sums.inc.h"
#include "kernel/seal_x86.inc.h"

#define HASH_BYTES 32
#define TIMES_FACTOR(words)                                                                        \
    ((hash_register)_mm256_mul_epu32((__m256i)(words), _mm256_set1_epi64x(SUMMAND__HASH_FACTOR)) + \
     ((hash_register)_mm256_mul_epu32((__m256i)((words) >> 32),                                    \
                                      _mm256_set1_epi64x(SUMMAND__HASH_FACTOR))                    \
      << 32))
#include "kernel/seal_hash.inc.h"

/* A block: eight registers, folded seven times, and three parts of twelve words for each time. */
enum {
    LANES = 8,
    TIMES = 7,
    WORDS = 12,
    FOLDED = 32 * LANES * (TIMES + 1),
    PART = 8 * WORDS * TIMES
};
enum { BLOCK = FOLDED + 3 * PART };

static inline WIDE uint32_t fold_lanes(__m256i lane[LANES])
{
    for (int l = 0; l < 4; l++)
        lane[l] = fold(lane[l], 0x6992cea2, 0x0d3b6092, lane[l + 4]);
    for (int l = 0; l < 2; l++)
        lane[l] = fold(lane[l], 0x740eef02, 0x9e4addf8, lane[l + 2]);
    return fold_last(lane[0], lane[1]);
}

static inline WIDE __m256i load_lane(const unsigned char *p, int l)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)(p + 32 * l));
}

static WIDE uint32_t block(uint32_t crc, const unsigned char *p)
{
    const unsigned char *q = p + FOLDED;
    uint32_t first = 0, second = 0, third = 0;
    __m256i lane[LANES];
    for (int l = 0; l < LANES; l++)
        lane[l] = load_lane(p, l);
    lane[0] = _mm256_xor_si256(lane[0], _mm256_setr_epi32((int)crc, 0, 0, 0, 0, 0, 0, 0));
    for (int t = 0; t < TIMES; t++) {
        p += sizeof lane;
        for (int l = 0; l < LANES; l++)
            lane[l] = fold(lane[l], 0xdcb17aa4, 0xb9e02b86, load_lane(p, l));
        for (int w = 0; w < WORDS; w++, q += 8) {
            first = word(first, load(q));
            second = word(second, load(q + PART));
            third = word(third, load(q + 2 * PART));
        }
    }
    return shift(fold_lanes(lane), 0x45cddf4e) ^ shift(first, 0xc9c8b782) ^
           shift(second, 0xcec3662e) ^ third;
}

static uint32_t crc32c_wide(uint32_t crc, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    if (count >= BLOCK && __builtin_cpu_supports("vpclmulqdq")) {
        crc = ~crc;
        for (; count >= BLOCK; count -= BLOCK, p += BLOCK)
            crc = block(crc, p);
        crc = ~crc;
    }
    return crc32c(crc, p, count);
}

const struct summand__seal_kernels summand__seal_avx2 = {crc32c_wide, hash, SUMS};
