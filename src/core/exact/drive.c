/* SPDX-License-Identifier: BSD-3-Clause */
#include "exact/drive.h"

enum {
    LOWEST = -1074, /* the unit of the smallest denormal */
    HIGHEST = 960,  /* units above leave no room for 2^52 units */
    SAMPLE = 256    /* first terms, as a sample of the rest */
};

void summand__drive_init(struct summand__drive *drive, enum summand__pass_kind kind, bool f32)
{
    drive->kernels = summand__pass_kernels();
    drive->run = f32 ? drive->kernels->run_f32[kind] : drive->kernels->run_f64[kind];
    drive->largest = f32 ? drive->kernels->largest_f32[kind] : drive->kernels->largest_f64[kind];
    drive->terms = f32 ? drive->kernels->terms_f32[kind] : drive->kernels->terms_f64[kind];
    drive->sift = f32 ? drive->kernels->sift_f32[kind] : drive->kernels->sift_f64[kind];
    drive->brief = f32 ? drive->kernels->brief_f32[kind] : drive->kernels->brief_f64[kind];
    drive->kind = kind;
    drive->f32 = f32;
    drive->products = !f32 && (kind == SUMMAND__PASS_SQUARES || kind == SUMMAND__PASS_DOT);
    drive->ready = false;
    drive->restless = drive->stubborn = 0;
}

static void set_room(struct summand__drive *drive)
{
    drive->pass.room =
        (size_t)drive->kernels->lanes *
        (drive->products ? SUMMAND__PASS_ADDITIONS_PRODUCTS : SUMMAND__PASS_ADDITIONS);
}

/* Units for terms of at most 2^margin largest, two or four levels, none below `lowest`. */
static bool start(struct summand__drive *drive, double largest, int margin, bool products,
                  int lowest)
{
    const int field = (int)(summand__bits_f64(largest) >> 52);
    const int additions = products ? 8 : 10; /* binary logarithm */
    const int gap = products ? SUMMAND__PASS_GAP_PRODUCTS : SUMMAND__PASS_GAP;
    const int reach = products ? gap + SUMMAND__PASS_GAP_ERRORS : gap;
    /* largest < 2^(exponent + 1); a level holds 2^51 units to either side. */
    const int exponent = (field ? field : 1) - 1023;
    int unit = exponent + 1 + additions + margin - 51;
    if (unit < lowest + reach)
        unit = lowest + reach;
    if (field == 0x7ff || unit > HIGHEST)
        return false;
    struct summand__pass *pass = &drive->pass;
    pass->levels = products ? 4 : 2;
    for (int i = 0; i < 4; i++)
        pass->unit[i] = unit - i % 2 * gap - i / 2 * SUMMAND__PASS_GAP_ERRORS;
    drive->kernels->start(pass);
    set_room(drive);
    return true;
}

bool summand__drive_start(struct summand__drive *drive, double largest, int margin)
{
    return start(drive, largest, margin, drive->products,
                 drive->products ? drive->kernels->product_floor : LOWEST);
}

bool summand__drive_start_like(struct summand__drive *drive, size_t n, const void *x, const void *y)
{
    return summand__drive_start(drive, drive->largest(x, y, n < SAMPLE ? n : SAMPLE),
                                n < SAMPLE        ? 0
                                : drive->products ? 2
                                                  : 4);
}

bool summand__drive_brief(const struct summand__drive *drive, size_t n, const void *x,
                          const void *y, double sums[SUMMAND__PASS_LEVELS])
{
    sums[2] = sums[3] = 0;
    return n <= (drive->products ? SUMMAND__PASS_BRIEF_MOST_PRODUCTS : SUMMAND__PASS_BRIEF_MOST) &&
           drive->brief(x, y, n, sums);
}

double summand__drive_element(const void *x, size_t i, bool f32)
{
    double value;
    float single;
    if (!f32) {
        memcpy(&value, (const char *)x + i * sizeof value, sizeof value);
        return value;
    }
    memcpy(&single, (const char *)x + i * sizeof single, sizeof single);
    return (double)single;
}

bool summand__drive_minus_zero(const struct summand__drive *drive, size_t n, const void *x,
                               const void *y)
{
    if (drive->kind != SUMMAND__PASS_SUM && drive->kind != SUMMAND__PASS_DOT)
        return n == 0;
    for (size_t i = 0; i < n; i++) {
        const double a = summand__drive_element(x, i, drive->f32);
        const double b =
            drive->kind == SUMMAND__PASS_DOT ? summand__drive_element(y, i, drive->f32) : 1.0;
        const bool negative = (summand__bits_f64(a) ^ summand__bits_f64(b)) >> 63;
        if (!negative || (a != 0 && b != 0) || a != a || b != b)
            return false;
    }
    return true;
}

void summand__drive_slowly(enum summand__pass_kind kind, bool f32, summand_exact *acc, size_t n,
                           const void *x, const void *y)
{
    for (size_t i = 0; i < n; i++) {
        const double a = summand__drive_element(x, i, f32);
        if (kind == SUMMAND__PASS_SUM)
            summand__exact_add_one(acc, a);
        else if (kind == SUMMAND__PASS_ASUM)
            summand__exact_add_one(acc,
                                   summand__f64_of_bits(summand__bits_f64(a) & ~SUMMAND__SIGN_F64));
        else
            summand__exact_add_product(
                acc, a, kind == SUMMAND__PASS_DOT ? summand__drive_element(y, i, f32) : a);
    }
}

void summand__drive_flush(struct summand__drive *drive, summand_exact *acc)
{
    int64_t sums[SUMMAND__PASS_LEVELS];
    const struct summand__pass *pass = &drive->pass;
    drive->kernels->flush(&drive->pass, sums);
    set_room(drive);
    for (unsigned i = 0; i < pass->levels; i += 2) {
        const int64_t scale = INT64_C(1) << (pass->unit[i] - pass->unit[i + 1]);
        summand__exact_deposit(acc, (summand__i128)sums[i] * scale + sums[i + 1],
                               (unsigned)(pass->unit[i + 1] + SUMMAND__ORIGIN));
    }
}
