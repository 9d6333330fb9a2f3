/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes: equal on every machine. Names of users' files and generated numbers depend on them. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* FNV-1a. */
#define SUMMAND__HASH_BEGIN UINT64_C(14695981039346656037) /* of nothing */

/* Continues a hash with more bytes. */
static inline uint64_t summand__hash(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
    return hash;
}

static inline uint64_t summand__hash_text(const char *text)
{
    return summand__hash(SUMMAND__HASH_BEGIN, text, strlen(text));
}

/* 2^64 over the golden ratio: products with it spread over the high bits (Knuth), and a sum that
 * grows by it visits all numbers. */
#define SUMMAND__GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* The finalizer of SplitMix64 (Steele, Lea, Flood 2014): spreads small numbers over all values. */
static inline uint64_t summand__spread(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
