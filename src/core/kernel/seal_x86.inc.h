/* SPDX-License-Identifier: BSD-3-Clause */
/* Two units of the processor make CRC32C: one has an instruction for it, the other one multiplies
 * polynomials, several pairs of words at a time with VPCLMULQDQ (Gopal et al. 2009: folding). */
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

/* Moves both halves of each 16 bytes by as many bits as the factors say. Factors: x to the power of
 * the distance in bits plus and minus 32, reflected. */
static inline WIDE __m256i fold(__m256i lane, int64_t low, int64_t high, __m256i next)
{
    const __m256i factors = _mm256_set_epi64x(high, low, high, low);
    return _mm256_xor_si256(_mm256_xor_si256(_mm256_clmulepi64_epi128(lane, factors, 0x00),
                                             _mm256_clmulepi64_epi128(lane, factors, 0x11)),
                            next);
}

/* The CRC of 64 bytes. */
static inline WIDE uint32_t fold_last(__m256i first, __m256i second)
{
    const __m256i lane = fold(first, 0x1384aa63a, 0xba4fc28e, second);
    const __m256i upper = _mm256_permute2x128_si256(lane, lane, 0x81);
    const __m128i rest = _mm256_castsi256_si128(fold(lane, 0xf20c0dfe, 0x14cd00bd6, upper));
    return word(word(0, (uint64_t)_mm_cvtsi128_si64(rest)), (uint64_t)_mm_extract_epi64(rest, 1));
}
