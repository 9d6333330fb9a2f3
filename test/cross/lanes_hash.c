/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a hash of what the kernels of lanes and the sums of columns give on seeded data, for
 * comparison between machines: one line for each type and spread of exponents. It uses no test
 * library, so it runs with any cross compiler and emulator. SUMMAND_ARCH sets the instruction set.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <summand/exact_vector.h>

#include "kernel/lanes.h"

enum { N = 300, RANKS = 3, ROUNDS = 60, LANES = 80 * N };

static uint64_t state = 88172645463325252u;
static int wrong;

static uint64_t random_u64(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* FNV-1a */
static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    return hash;
}

/* Numbers with any sign and fraction and `span` exponents; seldom infinities, NaNs and zeros. */
static void fill(int type, unsigned span, size_t n, void *x)
{
    static const int digits[] = {52, 23, 10, 7}, fields[] = {2048, 256, 32, 256};
    const size_t bytes = summand__lanes_element((enum summand__lanes_type)type);
    const unsigned most = (unsigned)fields[type] - 1;
    const unsigned from = (unsigned)(random_u64() % most), to = span < most ? span : most;
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = random_u64();
        uint64_t field = from + (r >> 40) % to;
        if (field >= most)
            field = most - 1;
        if (r % 3001 == 0)
            field = r % 2 ? most : 0;
        uint64_t bits = random_u64() & ((UINT64_C(1) << digits[type]) - 1);
        bits |= field << digits[type];
        if (r % 5 == 0)
            bits &= ~UINT64_C(0) << r / 8 % 52;
        bits |= r >> 63 << (8 * bytes - 1);
        for (size_t b = 0; b < bytes; b++)
            ((unsigned char *)x)[i * bytes + b] = (unsigned char)(bits >> 8 * b);
    }
}

static uint64_t sum(uint64_t hash, int type, unsigned span, size_t n)
{
    static unsigned char x[RANKS][N * 8], y[N * 8];
    static int64_t one[LANES], all[LANES];
    const struct summand__lanes_kernels *kernels = summand__lanes_kernels();
    struct summand__lanes_range range = SUMMAND__LANES_RANGE_NONE;
    for (int r = 0; r < RANKS; r++) {
        fill(type, span, n, x[r]);
        kernels->range[type](x[r], n, &range);
    }
    struct summand__lanes_range wide = range; /* that of the sums */
    wide.top += range.top == SUMMAND__LANES_NONE ? 0 : 2;
    struct summand__lanes_format f =
        summand__lanes_format(&wide, 32 + (unsigned)(random_u64() % 29));
    f.top = (int16_t)(f.digits ? range.top : 0);
    const size_t size = summand__lanes_size(&f, n);
    memset(all, 0, sizeof all);
    for (int r = 0; r < RANKS; r++) {
        wrong += !kernels->encode[type](x[r], n, &f, one);
        for (size_t i = 0; i < size; i++)
            all[i] += one[i];
        wrong += !kernels->add[type](x[r], n, &f, one) || !kernels->normalise(&f, one, n);
        hash = mix(hash, one, size * 8);
    }
    hash = mix(mix(hash, &range, sizeof range), all, size * 8);
    for (int to = 0; to < SUMMAND__LANES_TYPES; to++) {
        static const int low[] = {-1074, -149, -24, -133};
        if (f.lowest < low[to])
            continue;
        kernels->decode[to](&f, RANKS, all, n, y);
        hash = mix(hash, y, n * summand__lanes_element((enum summand__lanes_type)to));
    }
    return hash;
}

/* Sums of columns, rounded to the type of the terms. */
static int add(summand_exact_vector *sums, int type, size_t rows, size_t n, const void *x)
{
    switch (type) {
    case SUMMAND__LANES_F64:
        return summand_exact_vector_add(sums, rows, n, x);
    case SUMMAND__LANES_F32:
        return summand_exact_vector_add_f32(sums, rows, n, x);
    case SUMMAND__LANES_F16:
        return summand_exact_vector_add_f16(sums, rows, n, x);
    default:
        return summand_exact_vector_add_bf16(sums, rows, n, x);
    }
}

static int rounded(const summand_exact_vector *sums, int type, void *y)
{
    switch (type) {
    case SUMMAND__LANES_F64:
        return summand_exact_vector_round(sums, y);
    case SUMMAND__LANES_F32:
        return summand_exact_vector_round_f32(sums, y);
    case SUMMAND__LANES_F16:
        return summand_exact_vector_round_f16(sums, y);
    default:
        return summand_exact_vector_round_bf16(sums, y);
    }
}

static uint64_t columns(uint64_t hash, int type, unsigned span, size_t n, size_t rows)
{
    summand_exact_vector *sums = summand_exact_vector_new(n);
    unsigned char *x = malloc(n * rows * 8 + 1), *y = malloc(n * 8);
    if (!x || !y || !sums)
        exit(2);
    fill(type, span, n * rows, x);
    wrong += add(sums, type, rows, n, x) || rounded(sums, type, y);
    hash = mix(hash, y, n * summand__lanes_element((enum summand__lanes_type)type));
    summand_exact_vector_free(&sums);
    free(x);
    free(y);
    return hash;
}

int main(void)
{
    static const unsigned spans[] = {1, 6, 24, 60, 2047};
    for (int type = 0; type < SUMMAND__LANES_TYPES; type++)
        for (unsigned s = 0; s < sizeof spans / sizeof *spans; s++) {
            uint64_t hash = 0xcbf29ce484222325u;
            for (unsigned round = 0; round < ROUNDS; round++) {
                const size_t n = random_u64() % (N + 1), wide = 1 + random_u64() % 70;
                const size_t rows = random_u64() % 300;
                hash = sum(hash, type, spans[s], n);
                hash = columns(hash, type, spans[s], wide, rows);
            }
            printf("lanes %d %u %016llx\n", type, spans[s], (unsigned long long)hash);
        }
    if (wrong)
        fprintf(stderr, "%d blocks did not fit their range\n", wrong);
    return wrong != 0;
}
