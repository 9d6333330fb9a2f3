/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash of seal.h. Includer: HASH_BYTES, of a register; and TIMES_FACTOR, the product of each
 * word of one and SUMMAND__HASH_FACTOR, if the compiler's is slow. */
#include "kernel/seal.h"

typedef uint64_t hash_register __attribute__((vector_size(HASH_BYTES), aligned(8)));

#ifndef TIMES_FACTOR
#define TIMES_FACTOR(words) ((words)*SUMMAND__HASH_FACTOR)
#endif

static uint64_t hash(uint64_t start, const void *bytes, size_t count)
{
    enum { LANES = 32, REGISTERS = 8 * LANES / sizeof(hash_register) };
    const unsigned char *p = bytes, *const end = p + count;
    uint64_t h = start ^ count, word[LANES], plain[LANES], all = 0;
    hash_register lane[REGISTERS] = {{0}}, sum[REGISTERS] = {{0}}, next;
    for (; (size_t)(end - p) >= sizeof lane; p += sizeof lane)
        for (int r = 0; r < (int)REGISTERS; r++) {
            memcpy(&next, p + sizeof next * (size_t)r, sizeof next);
            sum[r] ^= next;
            next ^= lane[r];
            next ^= next >> 32;
            lane[r] = TIMES_FACTOR(next);
        }
    memcpy(word, lane, sizeof word);
    memcpy(plain, sum, sizeof plain);
    for (int l = 0; l < LANES && count >= sizeof lane; l++) {
        h = summand__seal_step(h, word[l]);
        all = summand__seal_step(all, plain[l]);
    }
    for (; p < end; p += sizeof *word) {
        const size_t left = (size_t)(end - p);
        *word = 0;
        memcpy(word, p, left < sizeof *word ? left : sizeof *word);
        h = summand__seal_step(h, *word);
        all = (all << 1 | all >> 63) ^ *word;
    }
    return summand__seal_step(h, all);
}
