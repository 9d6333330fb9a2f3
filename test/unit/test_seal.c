/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC32C, the hash and the sums on every instruction set: the vectors of RFC 3720 (B.4) and the
 * check value of the catalogue of CRCs; the definitions, bit by bit or word by word, at every
 * length about the kernels' parts and at several alignments; and that every changed bit is seen. */
#include <stdlib.h>
#include <string.h>

#include "kernel/seal.h"
#include "unit/unit.h"

/* Division of polynomials, as the RFC describes it. */
static uint32_t by_definition(const unsigned char *bytes, size_t count)
{
    uint32_t rest = 0xffffffff;
    for (size_t i = 0; i < 8 * count; i++) {
        uint32_t bit = bytes[i / 8] >> i % 8 & 1;
        rest = rest >> 1 ^ ((rest ^ bit) & 1 ? 0x82f63b78 : 0);
    }
    return ~rest;
}

/* 32 lanes of every 32nd word and their exclusive ors, and words of the rest in order. */
static uint64_t hash_by_definition(uint64_t start, const unsigned char *bytes, size_t count)
{
    uint64_t lane[32] = {0}, sum[32] = {0}, word, h = start ^ count, all = 0;
    size_t at = 0;
    for (; count - at >= sizeof lane; at += sizeof lane)
        for (size_t l = 0; l < 32; l++) {
            memcpy(&word, bytes + at + 8 * l, 8);
            sum[l] ^= word;
            word ^= lane[l];
            lane[l] = (word ^ word >> 32) * 0x9fb21c65u;
        }
    for (size_t l = 0; l < 32 && at; l++) {
        h = summand__seal_step(h, lane[l]);
        all = summand__seal_step(all, sum[l]);
    }
    for (; at < count; at += 8) {
        word = 0;
        memcpy(&word, bytes + at, count - at < 8 ? count - at : 8);
        h = summand__seal_step(h, word);
        all = (all << 1 | all >> 63) ^ word;
    }
    return summand__seal_step(h, all);
}

/* Rows of 32 bytes, each added to the one four before and to the one nine before. */
static struct summand__seal_sums sums_by_definition(int bits, const unsigned char *bytes,
                                                    size_t count)
{
    enum { ROW = 32, ROWS = 9 };
    const size_t rows = (count + ROW * ROWS - 1) / (ROW * ROWS) * ROWS, width = (size_t)bits / 8;
    unsigned char *s = calloc(rows + ROWS, ROW), *own = s + ROW * ROWS;
    struct summand__seal_sums sums;
    memcpy(own, bytes, count);
    for (size_t at = 0; at < ROW * rows; at += width) {
        uint64_t x = 0, four = 0, nine = 0;
        memcpy(&x, own + at, width);
        memcpy(&four, own + at - 4 * ROW, width);
        memcpy(&nine, own + at - 9 * ROW, width);
        x += four + nine;
        memcpy(own + at, &x, width);
    }
    memcpy(&sums, own + ROW * rows - sizeof sums, sizeof sums);
    free(s);
    return sums;
}

static struct summand__seal_sums sums_of(const struct summand__seal_kernels *kernels, int width,
                                         const void *bytes, size_t count)
{
    struct summand__seal_sums sums = {{0}};
    kernels->sums[width](&sums, bytes, count);
    return sums;
}

static int same(struct summand__seal_sums a, struct summand__seal_sums b)
{
    return !memcmp(&a, &b, sizeof a);
}

static void on_each_set(void (*test)(const struct summand__seal_kernels *kernels))
{
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++)
        if (summand__arch_force((enum summand__arch)arch))
            test(summand__seal_kernels());
    summand__arch_force(summand__arch_best());
}

static void check_vectors(const struct summand__seal_kernels *kernels)
{
    unsigned char zeros[32] = {0}, ones[32], up[32], down[32];
    static const unsigned char command[48] = {
        0x01, 0xc0, 0, 0,    0, 0, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 4, 0,
        0,    0,    0, 0x14, 0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 2,    0, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < 32; i++) {
        ones[i] = 0xff;
        up[i] = (unsigned char)i;
        down[i] = (unsigned char)(31 - i);
    }
    assert_int_equal(kernels->crc32c(0, "", 0), 0);
    assert_int_equal(kernels->crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(kernels->crc32c(0, zeros, 32), 0x8a9136aa);
    assert_int_equal(kernels->crc32c(0, ones, 32), 0x62a8ab43);
    assert_int_equal(kernels->crc32c(0, up, 32), 0x46dd794e);
    assert_int_equal(kernels->crc32c(0, down, 32), 0x113fdb5c);
    assert_int_equal(kernels->crc32c(0, command, 48), 0xd9963a56);
}

TEST(vectors)
{
    on_each_set(check_vectors);
}

enum { MOST = 7000 };
static unsigned char data[MOST];

static void check_lengths(const struct summand__seal_kernels *kernels)
{
    for (size_t n = 0; n < MOST; n += n < 1200 ? 1 : 97) {
        uint32_t crc = by_definition(data + n % 8, n - (n > 8 ? 8 : n));
        size_t length = n - (n > 8 ? 8 : n), half = length / 3;
        assert_int_equal(kernels->crc32c(0, data + n % 8, length), crc);
        assert_int_equal(kernels->hash(n, data + n % 8, length),
                         hash_by_definition(n, data + n % 8, length));
        for (int width = 0; width < 4; width++) {
            struct summand__seal_sums sums = sums_of(kernels, width, data + n % 8, length);
            assert_true(same(sums, sums_by_definition(8 << width, data + n % 8, length)));
        }
        uint32_t part = kernels->crc32c(0, data + n % 8, half);
        assert_int_equal(kernels->crc32c(part, data + n % 8 + half, length - half), crc);
    }
}

TEST(lengths)
{
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < MOST; i++) { /* xorshift (Marsaglia 2003) */
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        data[i] = (unsigned char)(x >> 24);
    }
    on_each_set(check_lengths);
}

static void check_bits(const struct summand__seal_kernels *kernels)
{
    enum { BYTES = 3500 };
    const uint32_t crc = kernels->crc32c(0, data, BYTES);
    const uint64_t hash = kernels->hash(0, data, BYTES);
    const struct summand__seal_sums sums = sums_of(kernels, 3, data, BYTES);
    for (size_t bit = 0; bit < 8 * (size_t)BYTES; bit += 13) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_not_equal(kernels->crc32c(0, data, BYTES), crc);
        assert_int_not_equal(kernels->hash(0, data, BYTES), hash);
        assert_false(same(sums_of(kernels, 3, data, BYTES), sums));
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

/* Bits of two words of one lane, the highest ones too, do not cancel. */
static void check_pairs(const struct summand__seal_kernels *kernels)
{
    enum { STRIDE = 256, BYTES = 4 * STRIDE };
    const uint64_t hash = kernels->hash(0, data, BYTES);
    for (int first = 0; first < 64; first++)
        for (int bit = 0; bit < 64; bit++) {
            unsigned char *a = &data[first / 8], *b = &data[STRIDE + bit / 8];
            *a ^= (unsigned char)(1 << first % 8), *b ^= (unsigned char)(1 << bit % 8);
            assert_int_not_equal(kernels->hash(0, data, BYTES), hash);
            *a ^= (unsigned char)(1 << first % 8), *b ^= (unsigned char)(1 << bit % 8);
        }
}

/* Signs of three floats: steps carry the highest bit on, where a later word takes it back. */
static void check_signs(const struct summand__seal_kernels *kernels)
{
    enum { BYTES = 600, BEHIND = 512, STRIDE = 256 };
    static const size_t float_of[][3] = {{0, 4, STRIDE + 4},
                                         {8, 12, STRIDE + 12},
                                         {BEHIND + 4, BEHIND + 8, BEHIND + 12},
                                         {BEHIND + 20, BEHIND + 24, BEHIND + 28}};
    const uint64_t hash = kernels->hash(0, data, BYTES);
    for (size_t row = 0; row < sizeof float_of / sizeof *float_of; row++)
        for (int turn = 0; turn < 2; turn++) {
            for (int i = 0; i < 3; i++)
                data[float_of[row][i] + 3] ^= 0x80;
            assert_int_equal(kernels->hash(0, data, BYTES) == hash, turn);
        }
}

/* The highest bits of two numbers of one column, which wrap, show at all distances but multiples of
 * 511 rows; those of nine rows that follow each other, too. */
static void check_highest(const struct summand__seal_kernels *kernels)
{
    enum { ROW = 32, ROWS = 1100 };
    static unsigned char zeros[ROW * ROWS];
    for (int width = 0; width < 4; width++) {
        const size_t highest = (1u << width) - 1; /* its byte */
        const struct summand__seal_sums none = {{0}};
        zeros[highest] = 0x80;
        for (size_t row = 1; row < ROWS; row++) {
            zeros[ROW * row + highest] = 0x80;
            assert_int_equal(same(sums_of(kernels, width, zeros, sizeof zeros), none),
                             row % 511 == 0);
            zeros[ROW * row + highest] = 0;
        }
        for (int set = 1; set < 512; set++) {
            for (int r = 0; r < 9; r++)
                zeros[ROW * r + highest] = set >> r & 1 ? 0x80 : 0;
            assert_false(same(sums_of(kernels, width, zeros, sizeof zeros), none));
        }
        memset(zeros, 0, sizeof zeros);
    }
}

TEST(signs)
{
    on_each_set(check_signs);
}

TEST(pairs)
{
    on_each_set(check_pairs);
}

TEST(highest)
{
    on_each_set(check_highest);
}

TEST(bits)
{
    on_each_set(check_bits);
}
