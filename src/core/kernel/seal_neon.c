/* SPDX-License-Identifier: BSD-3-Clause */
#include <arm_acle.h>
#include <stdint.h>
#include <sys/auxv.h>

/* Not all processors of the first version of the architecture have the instruction. */
#define TARGET __attribute__((target("+crc")))
enum { HAS_CRC32 = 1 << 7 /* HWCAP_CRC32 */ };

static inline TARGET uint32_t word(uint32_t crc, uint64_t next)
{
    return __crc32cd(crc, next);
}

static inline TARGET uint32_t byte(uint32_t crc, unsigned char next)
{
    return __crc32cb(crc, next);
}

/* Bit by bit: the instruction that multiplies so is another extension. */
static inline TARGET uint32_t shift(uint32_t crc, uint32_t factor)
{
    uint64_t product = 0;
    for (int bit = 0; bit < 32; bit++)
        product ^= (uint64_t)crc << bit & -(uint64_t)(factor >> bit & 1);
    return word(0, product);
}

#include "kernel/seal_crc.inc.h"
#define HASH_BYTES 8
#include "kernel/seal_hash.inc.h"
#include "kernel/seal_sums.inc.h"

static uint32_t either(uint32_t crc, const void *bytes, size_t count)
{
    return getauxval(AT_HWCAP) & HAS_CRC32 ? crc32c(crc, bytes, count)
                                           : summand__seal_generic.crc32c(crc, bytes, count);
}

const struct summand__seal_kernels summand__seal_neon = {either, hash, SUMS};
