/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzer of the exact accumulator. Bytes are a sequence of operations on a few accumulators; MPFR,
 * wide enough never to round, does the same. A difference aborts.
 *   libFuzzer:  clang -fsanitize=fuzzer,address,undefined -DSUMMAND_LIBFUZZER (target fuzz)
 *   otherwise:  fuzz-exact [SECONDS [SEED]] makes byte strings, half of them by mutation */
#include "unit/exact_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernel/arch.h"

enum { ACCUMULATORS = 4, MOST = 3000 };

struct input {
    const uint8_t *at, *end;
};

static struct oracle oracles[ACCUMULATORS];
static summand_exact accs[ACCUMULATORS];
static double x[MOST], y[MOST];
static float xs[MOST], ys[MOST];

static uint64_t take(struct input *in, unsigned bytes)
{
    uint64_t value = 0;
    for (; bytes && in->at < in->end; bytes--)
        value = value << 8 | *in->at++;
    return value;
}

/* Plain bits, a power of two, a small integer, or something with an ordinary exponent. */
static double take_double(struct input *in)
{
    const unsigned how = (unsigned)take(in, 1);
    uint64_t bits = take(in, how & 4 ? 8 : 2);
    double value;
    if (how % 4 == 0)
        bits = bits << 52;
    else if (how % 4 == 1)
        return (double)(int64_t)(bits << 48) * 0x1p-48;
    else if (how % 4 == 2)
        bits = (bits & UINT64_C(0x801fffffffffffff)) | UINT64_C(0x3fe0000000000000);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float take_float(struct input *in)
{
    const unsigned how = (unsigned)take(in, 1);
    uint32_t bits = (uint32_t)take(in, how & 1 ? 4 : 2);
    float value;
    if (how & 2)
        bits <<= 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A few given terms, repeated up to n with a change of scale or sign, so that few bytes reach every
 * block size. */
static size_t take_terms(struct input *in)
{
    const unsigned how = (unsigned)take(in, 1);
    const size_t n = how & 1 ? (size_t)take(in, 2) % MOST : (size_t)take(in, 1) % 80;
    const size_t period = 1 + (size_t)take(in, 1) % 8;
    for (size_t i = 0; i < n && i < period; i++) {
        x[i] = take_double(in);
        y[i] = how & 2 ? take_double(in) : x[i];
        xs[i] = take_float(in);
        ys[i] = how & 2 ? take_float(in) : xs[i];
    }
    for (size_t i = period; i < n; i++) {
        x[i] = how & 4 ? x[i - period] * 0.75 : -x[i - period];
        y[i] = how & 8 ? y[i - period] * -1.5 : y[i - period];
        xs[i] = how & 4 ? xs[i - period] * 0.75f : -xs[i - period];
        ys[i] = ys[i - period];
    }
    return n;
}

static void add_to_oracle(struct oracle *o, unsigned kind, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double a = kind & 4 ? (double)xs[i] : x[i], b = kind & 4 ? (double)ys[i] : y[i];
        if (kind % 4 == 0)
            oracle_add(o, a);
        else if (kind % 4 == 1)
            oracle_add(o, fabs(a));
        else
            oracle_product(o, a, kind % 4 == 2 ? a : b);
    }
}

static void add(unsigned which, unsigned kind, size_t n)
{
    summand_exact *acc = &accs[which];
    add_to_oracle(&oracles[which], kind, n);
    switch (kind) {
    case 0:
        summand_exact_add(acc, n, x);
        break;
    case 1:
        summand_exact_add_abs(acc, n, x);
        break;
    case 2:
        summand_exact_add_squares(acc, n, x);
        break;
    case 3:
        summand_exact_add_products(acc, n, x, y);
        break;
    case 4:
        summand_exact_add_f32(acc, n, xs);
        break;
    case 5:
        summand_exact_add_abs_f32(acc, n, xs);
        break;
    case 6:
        summand_exact_add_squares_f32(acc, n, xs);
        break;
    default:
        summand_exact_add_products_f32(acc, n, xs, ys);
    }
}

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_exact: %s\n", what);
    abort();
}

static void check(unsigned which)
{
    const summand_exact *acc = &accs[which];
    struct oracle *o = &oracles[which];
    double root, hi, lo;
    float root_f32;
    must(bits_of(summand_exact_round(acc)) == bits_of(oracle_round(o)), "round");
    const float single = oracle_round_f32(o);
    must(isnan(single) || bits_of_f32(summand_exact_round_f32(acc)) == bits_of_f32(single),
         "round to float");
    oracle_root(o, &root, &root_f32);
    must(isnan(root) ? isnan(summand_exact_sqrt(acc))
                     : bits_of(summand_exact_sqrt(acc)) == bits_of(root),
         "square root");
    must(isnan(root) ? isnan(summand_exact_sqrt_f32(acc))
                     : bits_of_f32(summand_exact_sqrt_f32(acc)) == bits_of_f32(root_f32),
         "square root to float");
    summand_exact_round2(acc, &hi, &lo);
    must(bits_of(hi) == bits_of(summand_exact_round(acc)), "high part");
    if (!isfinite(hi))
        return;
    mpfr_set_d(o->term, hi, MPFR_RNDN);
    mpfr_sub(o->term, o->sum, o->term, MPFR_RNDN);
    must(bits_of(lo) == bits_of(mpfr_zero_p(o->term) ? 0 : mpfr_get_d(o->term, MPFR_RNDN)),
         "low part");
}

static void merge(unsigned into, unsigned from)
{
    struct oracle *a = &oracles[into], *b = &oracles[from];
    summand_exact_merge(&accs[into], &accs[from]);
    mpfr_add(a->sum, a->sum, b->sum, MPFR_RNDN);
    a->special += b->special;
    a->any |= b->any;
    a->other |= b->other;
}

static void negate(unsigned which)
{
    struct oracle *o = &oracles[which];
    summand_exact_negate(&accs[which]);
    mpfr_neg(o->sum, o->sum, MPFR_RNDN);
    if (mpfr_zero_p(o->sum))
        mpfr_set_zero(o->sum, 1);
    o->special = o->special == 0 ? 0 : -o->special;
    o->other |= o->any;
}

/* Packs and unpacks; then unpacks the rest of the input as if it were packed. */
static void pack(unsigned which, const struct input *in)
{
    uint8_t bytes[SUMMAND_EXACT_PACKED_MAX], again[SUMMAND_EXACT_PACKED_MAX];
    summand_exact other;
    const size_t size = summand_exact_pack(&accs[which], bytes);
    must(size <= sizeof bytes && summand_exact_unpack(&accs[which], bytes, size) == size, "unpack");
    must(summand_exact_pack(&accs[which], again) == size && !memcmp(bytes, again, size), "repack");
    const size_t read = summand_exact_unpack(&other, in->at, (size_t)(in->end - in->at));
    if (read)
        must(summand_exact_pack(&other, again) == read && !memcmp(again, in->at, read),
             "a second packed form of a value");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, data + size};
    for (int i = 0; i < ACCUMULATORS; i++) {
        summand_exact_init(&accs[i]);
        oracle_init(&oracles[i]);
    }
    for (int steps = 0; in.at < in.end && steps < 12; steps++) {
        const unsigned operation = (unsigned)take(&in, 1);
        const unsigned which = (unsigned)take(&in, 1) % ACCUMULATORS;
        if (operation % 16 < 8) {
            summand__arch_force((enum summand__arch)(operation >> 6));
            add(which, operation % 8, take_terms(&in));
        } else if (operation % 16 < 11)
            merge(which, (unsigned)take(&in, 1) % ACCUMULATORS);
        else if (operation % 16 < 12)
            negate(which);
        else
            pack(which, &in);
        check(which);
    }
    for (int i = 0; i < ACCUMULATORS; i++)
        oracle_clear(&oracles[i]);
    mpfr_free_cache();
    return 0;
}

#ifndef SUMMAND_LIBFUZZER
int main(int argc, char **argv)
{
    enum { LONGEST = 400 };
    static uint8_t bytes[LONGEST];
    const double seconds = argc > 1 ? atof(argv[1]) : 2;
    const clock_t begin = clock();
    size_t runs = 0;
    if (argc > 2)
        random_state += (uint64_t)strtoull(argv[2], NULL, 10);
    while ((double)(clock() - begin) < seconds * CLOCKS_PER_SEC) {
        const size_t size = 1 + random_below(LONGEST - 1);
        const unsigned changes = runs % 2 ? 1 + random_below(8) : LONGEST;
        for (unsigned i = 0; i < changes; i++)
            bytes[changes == LONGEST ? i : random_below(LONGEST)] = (uint8_t)(random_u64() >> 56);
        LLVMFuzzerTestOneInput(bytes, size);
        runs++;
    }
    printf("fuzz_exact: %zu byte strings, no difference from MPFR\n", runs);
    return 0;
}
#endif
