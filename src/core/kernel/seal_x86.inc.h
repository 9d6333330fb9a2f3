/* SPDX-License-Identifier: BSD-3-Clause */
/* Two units of the processor share long arrays: one has the instruction for CRC32C, the other one
 * multiplies polynomials, four pairs of words at a time with VPCLMULQDQ (Gopal et al. 2009:
 * folding). Together they are 1.5 to 1.9 times as fast as the first alone. */
#include <immintrin.h>
#include <stdint.h>

#define TARGET __attribute__((target("pclmul")))

static inline uint32_t word(uint32_t crc, uint64_t next)
{
    return (uint32_t)_mm_crc32_u64(crc, next);
}

static inline uint32_t byte(uint32_t crc, unsigned char next)
{
    return _mm_crc32_u8(crc, next);
}

static inline TARGET uint32_t shift(uint32_t crc, uint32_t factor)
{
    __m128i product =
        _mm_clmulepi64_si128(_mm_cvtsi32_si128((int)crc), _mm_cvtsi32_si128((int)factor), 0);
    return word(0, (uint64_t)_mm_cvtsi128_si64(product));
}

#include "kernel/seal_crc.inc.h"

#define WIDE __attribute__((target("avx2,pclmul,vpclmulqdq")))

/* A block: eight registers, folded seven times, and three parts of twelve words for each time. */
enum {
    LANES = 8,
    TIMES = 7,
    WORDS = 12,
    FOLDED = 32 * LANES * (TIMES + 1),
    PART = 8 * WORDS * TIMES
};
enum { BLOCK = FOLDED + 3 * PART };

/* Moves both halves of each 16 bytes by as many bits as the factors say. */
static inline WIDE __m256i fold(__m256i lane, int64_t low, int64_t high, __m256i next)
{
    const __m256i factors = _mm256_set_epi64x(high, low, high, low);
    return _mm256_xor_si256(_mm256_xor_si256(_mm256_clmulepi64_epi128(lane, factors, 0x00),
                                             _mm256_clmulepi64_epi128(lane, factors, 0x11)),
                            next);
}

/* Factors: x to the power of the distance in bits plus and minus 32, reflected. */
static inline WIDE uint32_t fold_lanes(__m256i lane[LANES])
{
    for (int l = 0; l < 4; l++)
        lane[l] = fold(lane[l], 0x6992cea2, 0x0d3b6092, lane[l + 4]);
    for (int l = 0; l < 2; l++)
        lane[l] = fold(lane[l], 0x740eef02, 0x9e4addf8, lane[l + 2]);
    lane[0] = fold(lane[0], 0x1384aa63a, 0xba4fc28e, lane[1]);
    __m256i upper = _mm256_permute2x128_si256(lane[0], lane[0], 0x81);
    __m128i rest = _mm256_castsi256_si128(fold(lane[0], 0xf20c0dfe, 0x14cd00bd6, upper));
    return word(word(0, (uint64_t)_mm_cvtsi128_si64(rest)), (uint64_t)_mm_extract_epi64(rest, 1));
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
