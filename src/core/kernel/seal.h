/* SPDX-License-Identifier: BSD-3-Clause */
/* Seals: what tells that bytes have changed. Bits are equal on every instruction set, as ranks
 * compare them.
 *
 * A seal over words is a hash that detects every single changed word, and other changes that do
 * not depend on its formula except with probability 2^-64. A sum of the words would let a bit of a
 * value and the same bit of the sum flip unseen. Cost: about a cycle and a half per word.
 *
 * The CRC32C of bytes (Castagnoli, Braeuer, Herrmann 1993; RFC 3720) detects every burst of up to
 * 32 bits, up to three changed bits in 64 KiB, and any other change except with probability 2^-32.
 * Cost where processors have it: a cycle per word. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/arch.h"

#define SUMMAND__HASH_FACTOR 0x9fb21c65u /* odd */

/* Sums of numbers, modulo 2^bits: 9 rows of 32 bytes. The bytes follow in rows, too, the last ones
 * filled up with zeros; row t of the sums is s(t) = x(t) + s(t - 4) + s(t - 9), where x(t) is row t
 * of the bytes and s(t - 9) is the row that it replaces. So they are linear, and those of a sum of
 * vectors are the sums of their ones, whatever wraps. A changed number always shows. Two show if
 * they are in other columns, or if their distance is no multiple of 511 rows: x^9 + x^5 + 1 is
 * primitive modulo 2. More damage, which does not depend on the formula, stays unseen in one case
 * in 2^36, if only the highest bits of words of 64 bits change; else in fewer. Cost: two additions
 * a vector. */
struct summand__seal_sums {
    uint64_t word[36];
};

struct summand__seal_kernels {
    /* The CRC32C of the bytes behind those whose CRC32C is `crc`; 0: of none. */
    uint32_t (*crc32c)(uint32_t crc, const void *bytes, size_t count);
    /* A hash that sees each changed word, and more damage, which does not depend on its formula,
     * except with probability 2^-64. From 256 bytes on 32 lanes, each with every 32nd word. A step
     * keeps the highest bit in its place, so a lane alone misses one that a later word takes back:
     * therefore also the exclusive or of each lane's words. Cost: half of the CRC32C's with
     * AVX-512. */
    uint64_t (*hash)(uint64_t start, const void *bytes, size_t count);
    /* Adds bytes behind whole groups of 9 rows, or behind none: numbers of 8, 16, 32, 64 bits. */
    void (*sums[4])(struct summand__seal_sums *sums, const void *bytes, size_t count);
};

/* The table of summand__arch(). */
const struct summand__seal_kernels *summand__seal_kernels(void);

extern const struct summand__seal_kernels summand__seal_generic;
extern const struct summand__seal_kernels summand__seal_avx2;
extern const struct summand__seal_kernels summand__seal_avx512;
extern const struct summand__seal_kernels summand__seal_neon;

/* Each step is bijective in h and in the word, so a single changed word always changes the
 * result. */
static inline uint64_t summand__seal_step(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9fb21c651e98df25u;
    return h ^ h >> 32;
}

/* The seal of `count` words of 8 bytes; `start` identifies their role. */
static inline uint64_t summand__seal(uint64_t start, const void *words, size_t count)
{
    const unsigned char *bytes = words;
    uint64_t lane[4] = {start, ~start, start + count, 0x7365616c};
    uint64_t word[4];
    size_t k = 0;
    for (; k + 4 <= count; k += 4) { /* four at a time: their multiplications overlap */
        memcpy(word, bytes + 8 * k, sizeof word);
        for (int l = 0; l < 4; l++)
            lane[l] = summand__seal_step(lane[l], word[l]);
    }
    for (; k < count; k++) {
        memcpy(word, bytes + 8 * k, sizeof *word);
        lane[k % 4] = summand__seal_step(lane[k % 4], word[0]);
    }
    uint64_t h = summand__seal_step(count, lane[0]); /* else bit 63 of lanes 0 and 1 would cancel */
    for (int l = 1; l < 4; l++)
        h = summand__seal_step(h, lane[l]);
    return h;
}
