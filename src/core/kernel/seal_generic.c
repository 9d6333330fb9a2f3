/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC32C by tables, eight bytes at a time (Kounavis, Berry 2005: slicing). */
#include <pthread.h>

#define HASH_BYTES 8
#include "kernel/seal_hash.inc.h"
#include "kernel/seal_sums.inc.h"

enum { SLICES = 8, VALUES = 256 };
static const uint32_t polynomial = 0x82f63b78; /* Castagnoli's, the highest power in bit 0 */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t after[SLICES][VALUES]; /* [s][b]: of byte b and s zeros behind it */

static void fill(void)
{
    for (uint32_t b = 0; b < VALUES; b++) {
        uint32_t crc = b;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
        after[0][b] = crc;
    }
    for (int s = 1; s < SLICES; s++)
        for (int b = 0; b < VALUES; b++)
            after[s][b] = after[s - 1][b] >> 8 ^ after[0][after[s - 1][b] & 255];
}

static uint32_t crc32c(uint32_t crc, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    pthread_once(&once, fill);
    crc = ~crc;
    for (; count >= SLICES; count -= SLICES, p += SLICES) {
        uint32_t next = 0;
        for (int s = 0; s < SLICES; s++)
            next ^= after[SLICES - 1 - s][p[s] ^ (s < 4 ? crc >> 8 * s & 255 : 0)];
        crc = next;
    }
    for (; count; count--)
        crc = crc >> 8 ^ after[0][(crc ^ *p++) & 255];
    return ~crc;
}

const struct summand__seal_kernels summand__seal_generic = {crc32c, hash, SUMS};
