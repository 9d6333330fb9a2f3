/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums of strided and of complex elements: passes over blocks of real numbers. A product of
 * complex numbers is four exact products of real ones, two for each part. */
#include "sum/elements.h"

/* Writes the real parts of n complex numbers, then the imaginary ones. */
static void separate(const union summand__block *x, bool single, size_t n,
                     union summand__block *parts)
{
    for (size_t i = 0; i < n; i++)
        if (single) {
            parts->f32[i] = x->f32[2 * i];
            parts->f32[n + i] = x->f32[2 * i + 1];
        } else {
            parts->f64[i] = x->f64[2 * i];
            parts->f64[n + i] = x->f64[2 * i + 1];
        }
}

/* Makes the factors of x, as real numbers, for one part of a product. Real: (re y, -im y), or y for
 * conj(x). Imaginary: (im y, re y), or (im y, -re y). */
static void turn(const union summand__block *y, bool single, bool conjugated, bool imaginary,
                 size_t n, union summand__block *turned)
{
    const bool negative = conjugated == imaginary;
    const size_t first = imaginary, second = !imaginary;
    for (size_t i = 0; i < n; i++)
        if (single) {
            const float a = y->f32[2 * i + first], b = y->f32[2 * i + second];
            turned->f32[2 * i] = a;
            turned->f32[2 * i + 1] = negative ? -b : b;
        } else {
            const double a = y->f64[2 * i + first], b = y->f64[2 * i + second];
            turned->f64[2 * i] = a;
            turned->f64[2 * i + 1] = negative ? -b : b;
        }
}

static void deposit_complex(const struct summand__batch *batch, size_t i, enum summand_kind kind,
                            bool single, size_t n, const union summand__block *x,
                            const union summand__block *y)
{
    const bool conjugated = kind == SUMMAND_KIND_DOT_CONJUGATED;
    const enum summand__pass_kind pass = summand__pass_kind_of(kind);
    union summand__block other;
    if (kind == SUMMAND_KIND_SUM) {
        separate(x, single, n, &other);
        const void *im = single ? (const void *)&other.f32[n] : (const void *)&other.f64[n];
        summand__batch_add(batch, 2 * i, pass, single, n, &other, NULL);
        summand__batch_add(batch, 2 * i + 1, pass, single, n, im, NULL);
    } else if (kind == SUMMAND_KIND_DOT || conjugated) {
        turn(y, single, conjugated, false, n, &other);
        summand__batch_add(batch, 2 * i, pass, single, 2 * n, x, &other);
        turn(y, single, conjugated, true, n, &other);
        summand__batch_add(batch, 2 * i + 1, pass, single, 2 * n, x, &other);
    } else {
        summand__batch_add(batch, 2 * i, pass, single, 2 * n, x, NULL);
    }
}

void summand__sums_deposit(const struct summand__batch *batch, size_t i, const summand_term *term,
                           bool single, bool complex)
{
    const size_t reals = complex ? 2 : 1, count = (size_t)term->count;
    const size_t width = reals * (single ? sizeof(float) : sizeof(double));
    const bool two = summand__sums_two(term);
    union summand__block x, y;
    if (!count)
        return;
    const struct summand__line line = summand__line_of(term->x, term->stride_x, term->count, width);
    const struct summand__line other =
        two ? summand__line_of(term->y, term->stride_y, term->count, width) : line;
    for (size_t done = 0, n; done < count; done += n) {
        n = SUMMAND__BLOCK_REALS / reals;
        if (n > count - done)
            n = count - done;
        summand__gather(&line, done, n, &x);
        if (two)
            summand__gather(&other, done, n, &y);
        if (complex)
            deposit_complex(batch, i, term->kind, single, n, &x, &y);
        else
            summand__batch_add(batch, i, summand__pass_kind_of(term->kind), single, n, &x, &y);
    }
}
