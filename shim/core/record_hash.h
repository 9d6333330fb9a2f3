/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash of a record: equal on every machine of one byte order. It sees the position of each
 * word, so swapped words have another hash, and two inputs that differ in one word never have the
 * same one; others do with probability 2^-64.
 *
 * Four lanes start with their number. Word i of 8 bytes (the last one filled up with zeros) enters
 * lane i % 4 by step(lane, word): x = (lane ^ word) * 0x9e3779b97f4a7c15, then x ^ x >> 32, all in
 * 64 bits. At the end the number of bytes and then the lanes enter one more lane, which starts with
 * 0, in the same way, and summand__spread mixes it. Cost: about 0.1 ns a byte. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"

enum { RECORD_LANES = 4 };

struct record_hash {
    uint64_t lane[RECORD_LANES];
    uint64_t bytes;   /* so far */
    uint64_t partial; /* of the word that is not complete */
};

static inline uint64_t record_hash_step(uint64_t lane, uint64_t word)
{
    uint64_t x = (lane ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 32;
}

static inline struct record_hash record_hash_begin(void)
{
    return (struct record_hash){.lane = {0, 1, 2, 3}};
}

/* One byte at a time: for what is left before and after whole words. */
static inline void record_hash_byte(struct record_hash *hash, unsigned char byte)
{
    hash->partial |= (uint64_t)byte << 8 * (hash->bytes % 8);
    if (++hash->bytes % 8)
        return;
    uint64_t *lane = &hash->lane[(hash->bytes / 8 - 1) % RECORD_LANES];
    *lane = record_hash_step(*lane, hash->partial);
    hash->partial = 0;
}

static inline void record_hash_add(struct record_hash *hash, const void *data, size_t count)
{
    const unsigned char *at = data, *end = at + count;
    enum { BLOCK = 8 * RECORD_LANES };
    while (at < end && hash->bytes % BLOCK)
        record_hash_byte(hash, *at++);
    size_t blocks = (size_t)(end - at) / BLOCK;
    for (; (size_t)(end - at) >= BLOCK; at += BLOCK) {
        uint64_t word[RECORD_LANES];
        memcpy(word, at, BLOCK);
        for (int i = 0; i < RECORD_LANES; i++)
            hash->lane[i] = record_hash_step(hash->lane[i], word[i]);
    }
    hash->bytes += blocks * BLOCK;
    while (at < end)
        record_hash_byte(hash, *at++);
}

static inline uint64_t record_hash_end(const struct record_hash *hash)
{
    uint64_t lanes[RECORD_LANES];
    memcpy(lanes, hash->lane, sizeof lanes);
    if (hash->bytes % 8) {
        uint64_t *lane = &lanes[hash->bytes / 8 % RECORD_LANES];
        *lane = record_hash_step(*lane, hash->partial);
    }
    uint64_t all = record_hash_step(0, hash->bytes);
    for (int i = 0; i < RECORD_LANES; i++)
        all = record_hash_step(all, lanes[i]);
    return summand__spread(all);
}
