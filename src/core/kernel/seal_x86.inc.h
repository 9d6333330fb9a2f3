/* SPDX-License-Identifier: BSD-3-Clause */
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
