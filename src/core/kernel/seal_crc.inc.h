/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC32C by the processor's instruction, which takes three cycles but can begin in each: so three
 * parts of the bytes are in work at a time (Gopal et al. 2011). Includer: `word` and `byte`, one
 * step each, and `shift`, the CRC of a part and of as many zeros as its factor says. */
#include "kernel/seal.h"

enum { LONG = 1024, SHORT = 128 }; /* bytes of a part */

static inline uint64_t load(const unsigned char *p)
{
    uint64_t loaded;
    memcpy(&loaded, p, sizeof loaded);
    return loaded;
}

/* The CRC of three parts of `length` bytes; `once` and `twice`: by so many the first ones move. */
static inline TARGET uint32_t three(uint32_t crc, const unsigned char *p, size_t length,
                                    uint32_t once, uint32_t twice)
{
    uint32_t second = 0, third = 0;
    for (size_t i = 0; i < length; i += 8) {
        crc = word(crc, load(p + i));
        second = word(second, load(p + length + i));
        third = word(third, load(p + 2 * length + i));
    }
    return shift(crc, twice) ^ shift(second, once) ^ third;
}

/* Factors: x to the power of 8 times the bytes minus 33, modulo Castagnoli's polynomial. */
static TARGET uint32_t crc32c(uint32_t crc, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    crc = ~crc;
    for (; count >= 3 * LONG; count -= 3 * LONG, p += 3 * LONG)
        crc = three(crc, p, LONG, 0x170076fa, 0xa51b6135);
    for (; count >= 3 * SHORT; count -= 3 * SHORT, p += 3 * SHORT)
        crc = three(crc, p, SHORT, 0x0d3b6092, 0xb9e02b86);
    for (; count >= 8; count -= 8, p += 8)
        crc = word(crc, load(p));
    for (; count; count--)
        crc = byte(crc, *p++);
    return ~crc;
}
