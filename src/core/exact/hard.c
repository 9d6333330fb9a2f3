/* SPDX-License-Identifier: BSD-3-Clause */
#include "exact/chunks.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEW = 32,       /* most terms of a chunk that are added one by one */
    SAMPLE = 9,     /* terms that are a sample of a chunk, */
    TYPICAL = 6,    /* the seventh in size: two of the nine may be too large, six zeros */
    MARGIN = 8,     /* binary digits by which others may be larger */
    MANY_PEELS = 4, /* from here on, sorting by exponent is faster */
    CHUNKS = 32,    /* chunks that are sorted before an easier method is tried again */
    BINS = 4096,    /* a sign and an exponent */
    FIELDS = 2048,  /* exponents */
    GROUP = 32,     /* exponents whose bins are added up before they are deposited */
    FRACTION = 52,
    BIAS = 1075
};

static size_t chunk_of(size_t n)
{
    return n < SUMMAND__PASS_CHUNK ? n : SUMMAND__PASS_CHUNK;
}

static const void *behind(const struct summand__drive *drive, const void *x, size_t n)
{
    return x ? (const char *)x + n * (drive->f32 ? sizeof(float) : sizeof(double)) : NULL;
}

/* The magnitude of a typical term; 0: there is none. */
static double typical(const struct summand__drive *drive, size_t n, const void *x, const void *y)
{
    double sizes[SAMPLE];
    for (size_t i = 0; i < SAMPLE; i++) {
        const size_t from = i * (n - 1) / (SAMPLE - 1);
        double size = summand__drive_element(x, from, drive->f32);
        if (drive->kind == SUMMAND__PASS_SQUARES || drive->kind == SUMMAND__PASS_DOT)
            size *= drive->kind == SUMMAND__PASS_DOT ? summand__drive_element(y, from, drive->f32)
                                                     : size;
        size = size < 0 ? -size : size;
        size_t at = i;
        for (; at > 0 && sizes[at - 1] > size; at--)
            sizes[at] = sizes[at - 1];
        sizes[at] = size;
    }
    return sizes[TYPICAL];
}

static double power_of_two(int field)
{
    return summand__f64_of_bits((uint64_t)field << FRACTION);
}

/* Adds a chunk in which few terms are far from the others; adds these one by one. False: there are
 * more such terms, and nothing was added. */
static bool add_by_sifting(const struct summand__drive *drive, struct summand__drive *summer,
                           summand_exact *acc, size_t n, const void *x, const void *y)
{
    double others[FEW + SUMMAND__PASS_LANES];
    const double size = typical(drive, n, x, y);
    if (!(size > 0) || !summand__drive_start(summer, size, MARGIN))
        return false;
    const int bound = (int)(summand__bits_f64(size) >> FRACTION) + 1 + MARGIN;
    const int least = summer->pass.unit[1] + BIAS; /* its last digit is a unit of the last level */
    if (bound >= FIELDS - 1)
        return false;
    const size_t moved = drive->sift(&summer->pass, x, y, n, least > 1 ? power_of_two(least) : 0,
                                     power_of_two(bound), others, FEW);
    if (moved >= FEW)
        return false;
    summand__drive_flush(summer, acc);
    for (size_t i = 0; i < moved; i++)
        summand__exact_add_one(acc, others[i]);
    return true;
}

/* Removes the largest 90 binary digits, and repeats this for the rest: most chunks have few such
 * clusters. False: there are many, and `terms` holds the rest. */
static bool add_by_peeling(struct summand__drive *summer, summand_exact *acc, double *terms,
                           size_t n, double largest)
{
    for (int peels = 0; largest > 0; peels++) {
        if (peels == MANY_PEELS || !summand__drive_start(summer, largest, 0))
            return false; /* or too large for units */
        largest = summer->kernels->peel(&summer->pass, terms, n);
        summand__drive_flush(summer, acc);
    }
    return true;
}

/* A bin holds the mantissas of one exponent and sign (after R. Neal, 2015, whose large
 * superaccumulator counts terms; here a bin's highest bit says when it must be emptied). */
static void empty_bin(summand_exact *acc, uint64_t *bins, size_t i)
{
    const size_t field = i % FIELDS;
    const summand__i128 sum = (summand__i128)bins[i];
    summand__exact_deposit(acc, i < FIELDS ? sum : -sum,
                           (unsigned)((int)(field ? field : 1) - BIAS + SUMMAND__ORIGIN));
    bins[i] = 0;
}

/* Term i, which need not be aligned. */
static inline uint64_t image_of(const void *terms, size_t i)
{
    uint64_t image;
    memcpy(&image, (const char *)terms + i * sizeof image, sizeof image);
    return image;
}

/* Adds a few terms from the i-th on: a bin that is not full has room for them all. `normal`, a
 * constant: all have a hidden bit; testing for it takes a third of the time. */
static inline void sort_few(summand_exact *acc, uint64_t bins[BINS], const void *terms, size_t i,
                            size_t few, bool normal)
{
    uint64_t seen = 0;
    for (size_t j = i; j < i + few; j++) {
        const uint64_t image = image_of(terms, j);
        const size_t bin = image >> FRACTION;
        const uint64_t hidden = (uint64_t)(normal || bin % FIELDS != 0) << FRACTION;
        seen |= bins[bin] += (image & ((UINT64_C(1) << FRACTION) - 1)) | hidden;
    }
    for (size_t j = i; j < i + few && seen >> 63; j++) {
        const size_t bin = image_of(terms, j) >> FRACTION;
        if (bins[bin] >> 63)
            empty_bin(acc, bins, bin);
    }
}

static void sort(summand_exact *acc, uint64_t bins[BINS], const void *terms, size_t n, bool normal)
{
    enum { AT_ONCE = 4 };
    size_t i = 0;
    if (normal)
        for (; i + AT_ONCE <= n; i += AT_ONCE)
            sort_few(acc, bins, terms, i, AT_ONCE, true);
    for (; i + AT_ONCE <= n; i += AT_ONCE)
        sort_few(acc, bins, terms, i, AT_ONCE, false);
    for (; i < n; i++)
        sort_few(acc, bins, terms, i, 1, false);
}

static void empty_bins(summand_exact *acc, const uint64_t bins[BINS])
{
    for (size_t group = 0; group < FIELDS; group += GROUP) {
        summand__i128 sum = 0;
        for (size_t i = group + GROUP; i-- > group + (group == 0);)
            sum = 2 * sum + ((int64_t)bins[i] - (int64_t)bins[i + FIELDS]);
        if (group == 0) /* subnormal terms have the exponent of the next bin */
            sum += (int64_t)bins[0] - (int64_t)bins[FIELDS];
        if (sum)
            summand__exact_deposit(acc, sum,
                                   (unsigned)((int)(group ? group : 1) - BIAS + SUMMAND__ORIGIN));
    }
}

/* True if these terms are finite: infinity and NaN are the largest. */
static bool finite(double largest)
{
    return summand__bits_f64(largest) < SUMMAND__INF_F64;
}

/* On the heap, because a thread may have little stack: 64 KiB. */
struct room {
    _Alignas(64) double terms[SUMMAND__PASS_TERMS];
    uint64_t bins[BINS];
};

/* Sorts the rest of the first chunk, and the terms of the following chunks. Returns the number of
 * the n following elements that were added. */
static size_t add_by_sorting(const struct summand__drive *drive,
                             const struct summand__drive *summer, summand_exact *acc,
                             struct room *room, size_t left, size_t n, const void *x, const void *y)
{
    double *const terms = room->terms;
    uint64_t *const bins = memset(room->bins, 0, sizeof room->bins);
    const bool plain = drive->kind == SUMMAND__PASS_SUM && !drive->f32;
    size_t done = 0;
    sort(acc, bins, terms, left, false);
    for (int i = 1; i < CHUNKS && done < n; i++) {
        const size_t chunk = chunk_of(n - done);
        const void *a = behind(drive, x, done), *b = behind(drive, y, done);
        const size_t count = plain ? chunk : drive->terms(a, b, chunk, terms);
        const void *from = plain ? a : terms;
        const unsigned odd = summer->kernels->odd(from, count);
        if (!count || odd & SUMMAND__PASS_HIGH)
            break;
        sort(acc, bins, from, count, !(odd & SUMMAND__PASS_LOW));
        done += chunk;
    }
    empty_bins(acc, bins);
    return done;
}

/* Adds the terms of a chunk by the fastest method; if that is sorting, also the terms after it. */
static size_t add_in(struct room *room, const struct summand__drive *drive,
                     struct summand__drive *summer, summand_exact *acc, size_t n, const void *x,
                     const void *y)
{
    const size_t chunk = chunk_of(n);
    const size_t count = drive->terms(x, y, chunk, room->terms);
    const double largest = count ? summer->largest(room->terms, NULL, count) : 0;
    if (!count || !finite(largest)) {
        summand__drive_slowly(drive->kind, drive->f32, acc, chunk, x, y);
        return chunk;
    }
    if (add_by_peeling(summer, acc, room->terms, count, largest))
        return chunk;
    return chunk + add_by_sorting(drive, summer, acc, room, count, n - chunk,
                                  behind(drive, x, chunk), behind(drive, y, chunk));
}

/* Without memory, adds the same sum one by one. */
size_t summand__hard_add(const struct summand__drive *drive, summand_exact *acc, size_t n,
                         const void *x, const void *y)
{
    const size_t chunk = chunk_of(n);
    struct summand__drive summer;
    summand__drive_init(&summer, SUMMAND__PASS_SUM, false);
    if (!drive->products && add_by_sifting(drive, &summer, acc, chunk, x, y))
        return chunk;
    struct room *room = aligned_alloc(64, sizeof *room);
    if (!room) {
        summand__drive_slowly(drive->kind, drive->f32, acc, chunk, x, y);
        return chunk;
    }
    const size_t done = add_in(room, drive, &summer, acc, n, x, y);
    free(room);
    return done;
}
