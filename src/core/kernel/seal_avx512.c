/* SPDX-License-Identifier: BSD-3-Clause */
/* Folding alone, in registers of 64 bytes: at 4 KiB 1.8 times as fast as two units with registers
 * of 32 bytes (AMD EPYC, Zen 4). */
#include "kernel/seal_sums.inc.h"
#include "kernel/seal_x86.inc.h"

#define HASH_BYTES 64
#include "kernel/seal_hash.inc.h"

#define WIDEST __attribute__((target("avx512f,avx2,pclmul,vpclmulqdq")))

enum { REGISTER = 64, LANES = 8 };

static inline WIDEST __m512i fold_wide(__m512i lane, __m512i factors, __m512i next)
{
    enum { XOR_OF_THREE = 0x96 };
    return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(lane, factors, 0x00),
                                     _mm512_clmulepi64_epi128(lane, factors, 0x11), next,
                                     XOR_OF_THREE);
}

/* The factors of a distance: seal_x86.inc.h. */
static inline WIDEST __m512i by(int64_t low, int64_t high)
{
    return _mm512_set4_epi64(high, low, high, low);
}

static WIDEST uint32_t widest(uint32_t crc, const unsigned char *p, size_t count)
{
    const __m512i eight = by(0xbd6f81f8, 0xdd7e3b0c), four = by(0xdcb17aa4, 0xb9e02b86),
                  two = by(0x6992cea2, 0x0d3b6092), one = by(0x740eef02, 0x9e4addf8);
    const unsigned char *const end = p + count / REGISTER * REGISTER;
    __m512i lane[LANES];
    for (int l = 0; l < LANES; l++)
        lane[l] = _mm512_loadu_si512(p + REGISTER * l);
    lane[0] = _mm512_xor_si512(lane[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)~crc)));
    for (p += sizeof lane; (size_t)(end - p) >= sizeof lane; p += sizeof lane)
        for (int l = 0; l < LANES; l++)
            lane[l] = fold_wide(lane[l], eight, _mm512_loadu_si512(p + REGISTER * l));
    for (int l = 0; l < 4; l++)
        lane[l] = fold_wide(lane[l], four, lane[l + 4]);
    lane[0] = fold_wide(lane[0], two, lane[2]);
    lane[0] = fold_wide(lane[0], one, fold_wide(lane[1], two, lane[3]));
    for (; p < end; p += REGISTER)
        lane[0] = fold_wide(lane[0], one, _mm512_loadu_si512(p));
    return ~fold_last(_mm512_castsi512_si256(lane[0]), _mm512_extracti64x4_epi64(lane[0], 1));
}

static uint32_t crc32c_widest(uint32_t crc, const void *bytes, size_t count)
{
    const size_t whole = count / REGISTER * REGISTER;
    if (count < LANES * REGISTER || !__builtin_cpu_supports("vpclmulqdq"))
        return crc32c(crc, bytes, count);
    crc = widest(crc, bytes, whole);
    return whole == count ? crc : crc32c(crc, (const unsigned char *)bytes + whole, count - whole);
}

const struct summand__seal_kernels summand__seal_avx512 = {crc32c_widest, hash, SUMS};
