/* SPDX-License-Identifier: BSD-3-Clause */
/* Work before a pass, and on chunks that no units fit; part of pass_simd.inc.h. */

INLINE bits term_size(vec x, vec y, enum summand__pass_kind kind)
{
    if (is_product(kind))
        x = x * y;
    return (bits)x & ABSOLUTE;
}

INLINE double largest_lane(bits most)
{
    int64_t lane[WIDTH], top = 0;
    double size;
    memcpy(lane, &most, sizeof most);
    for (int j = 0; j < WIDTH; j++)
        top = lane[j] > top ? lane[j] : top;
    memcpy(&size, &top, sizeof size);
    return size;
}

/* Magnitudes compare as integers do, NaN above infinity. */
INLINE double largest(const void *x, const void *y, size_t n, enum summand__pass_kind kind,
                      bool f32)
{
    bits most = {0}, more = {0};
    size_t i = 0;
    if (kind != SUMMAND__PASS_DOT)
        y = x;
    for (; i + 2 * WIDTH <= n; i += 2 * WIDTH) {
        most = larger(most, term_size(load(x, i, f32), load(y, i, f32), kind));
        more = larger(more, term_size(load(x, i + WIDTH, f32), load(y, i + WIDTH, f32), kind));
    }
    for (; i < n; i += WIDTH) {
        const size_t count = n - i;
        const vec a = count < WIDTH ? load_part(x, i, count, f32) : load(x, i, f32);
        const vec b = count < WIDTH ? load_part(y, i, count, f32) : load(y, i, f32);
        most = larger(most, term_size(a, b, kind));
    }
    return largest_lane(larger(most, more));
}

static unsigned odd(const void *x, size_t n)
{
    const bits normal = (bits){0} + (INT64_C(1) << 52),
               last = (bits){0} + ((INT64_C(0x7ff) << 52) - 1);
    bits low = {0}, high = {0};
    for (size_t i = 0; i < n; i += WIDTH) {
        const vec a = n - i < WIDTH ? load_part(x, i, n - i, false) : load(x, i, false);
        const bits size = (bits)a & ABSOLUTE;
        low |= size - normal;
        high |= last - size;
    }
    return (any_bits(low, INT64_MIN) ? SUMMAND__PASS_LOW : 0) |
           (any_bits(high, INT64_MIN) ? SUMMAND__PASS_HIGH : 0);
}

/* Smaller products, except zeros, may have error terms below the smallest denormal. */
#define SMALLEST_PRODUCT 0x1p-950

INLINE size_t terms(const void *x, const void *y, size_t n, double *out,
                    enum summand__pass_kind kind, bool f32)
{
    const size_t padded = (n + SUMMAND__PASS_LANES - 1) / SUMMAND__PASS_LANES * SUMMAND__PASS_LANES;
    const bool two = is_product(kind) && !f32;
    bits bad = {0};
    if (kind != SUMMAND__PASS_DOT)
        y = x;
    for (size_t i = 0; i < padded; i += WIDTH) {
        const size_t count = i < n ? n - i : 0;
        vec a = count < WIDTH ? load_part(x, count ? i : 0, count, f32) : load(x, i, f32);
        vec b = count < WIDTH ? load_part(y, count ? i : 0, count, f32) : load(y, i, f32);
        if (is_product(kind)) {
            const vec p = a * b, e = product_error(a, b, p), size = (vec)((bits)p & ABSOLUTE);
            const bits zero = (bits)(a == 0) | (bits)(b == 0);
            bad |= ~((bits)(size >= SMALLEST_PRODUCT) | zero) | (bits)(p - p != 0) | (bits)(e != e);
            a = p;
            b = e;
        } else if (kind == SUMMAND__PASS_ASUM)
            a = (vec)((bits)a & ABSOLUTE);
        memcpy(out + i, &a, sizeof a);
        if (two)
            memcpy(out + padded + i, &b, sizeof b);
    }
    if (two && any_bits(bad, INT64_MIN))
        return 0;
    return two ? 2 * padded : padded;
}

static double peel(struct summand__pass *pass, double *x, size_t n)
{
    struct chunk c;
    bits most = {0};
    c.one = ONES;
    OPAQUE(c.one);
    for (int level = 0; level < 2; level++)
        memcpy(c.acc[level], pass->acc[level], sizeof c.acc[level]);
    for (size_t i = 0; i < n; i += VECTORS * WIDTH) {
        UNROLL
        for (int j = 0; j < VECTORS; j++) {
            vec r = load(x, i + (size_t)j * WIDTH, false);
            r = take(&c, 1, j, take(&c, 0, j, r));
            most = larger(most, (bits)r & ABSOLUTE);
            memcpy(x + i + (size_t)j * WIDTH, &r, sizeof r);
        }
    }
    for (int level = 0; level < 2; level++)
        memcpy(pass->acc[level], c.acc[level], sizeof c.acc[level]);
    return largest_lane(most);
}

/* Lanes whose magnitude is neither zero nor in [least, bound). */
INLINE bits outside(bits size, bits least, bits bound)
{
    return ((bits)(size < least) | (bits)(size >= bound)) & (bits)(size != 0);
}

/* Moves the terms outside of the range from a group to `others`. */
static __attribute__((noinline)) size_t move_others(vec terms[VECTORS], bits least, bits bound,
                                                    double *others)
{
    size_t moved = 0;
    for (int i = 0; i < VECTORS; i++) {
        const bits out = outside((bits)terms[i] & ABSOLUTE, least, bound);
        for (size_t j = 0; j < WIDTH && any_bits(out, INT64_MIN); j++) {
            if (!out[j])
                continue;
            others[moved++] = terms[i][j];
            terms[i][j] = 0;
        }
    }
    return moved;
}

/* The terms of a group, without others. `whole`, a constant: the group is complete. */
INLINE size_t sifted_group(vec terms[VECTORS], const void *x, const void *y, size_t i, size_t n,
                           bits least, bits bound, double *others, enum summand__pass_kind kind,
                           bool f32, bool whole)
{
    const bits last = bound - 1;
    bits any = {0};
    UNROLL
    for (int j = 0; j < VECTORS; j++) {
        const size_t at = i + (size_t)j * WIDTH, count = whole || at + WIDTH <= n ? WIDTH
                                                         : at < n                 ? n - at
                                                                                  : 0;
        vec a = count < WIDTH ? load_part(x, count ? at : 0, count, f32) : load(x, at, f32);
        if (is_product(kind))
            a *= count < WIDTH ? load_part(y, count ? at : 0, count, f32) : load(y, at, f32);
        terms[j] = kind == SUMMAND__PASS_ASUM ? (vec)((bits)a & ABSOLUTE) : a;
        /* The sign tells it for all except zeros, which are examined again. */
        const bits size = (bits)a & ABSOLUTE;
        any |= (size - least) | (last - size);
    }
    if (!any_bits(any, INT64_MIN))
        return 0;
    vec copy[VECTORS]; /* keeps the terms themselves in registers */
    memcpy(copy, terms, sizeof copy);
    const size_t moved = move_others(copy, least, bound, others);
    memcpy(terms, copy, sizeof copy);
    return moved;
}

INLINE size_t sift(struct summand__pass *pass, const void *x, const void *y, size_t n, double least,
                   double bound, double *others, size_t most, enum summand__pass_kind kind,
                   bool f32)
{
    const bits from = (bits)(ONES * least), to = (bits)(ONES * bound);
    const size_t whole = n - n % (VECTORS * WIDTH);
    struct chunk c;
    vec terms[VECTORS];
    size_t moved = 0;
    if (kind != SUMMAND__PASS_DOT)
        y = x;
    c.one = ONES;
    OPAQUE(c.one);
    for (int level = 0; level < 2; level++)
        memcpy(c.acc[level], pass->acc[level], sizeof c.acc[level]);
    for (size_t i = 0; i < n && moved < most; i += VECTORS * WIDTH) {
        if (i < whole) {
            fetch(x, y, i, kind, f32, false);
            moved += sifted_group(terms, x, y, i, n, from, to, others + moved, kind, f32, true);
        } else
            moved += sifted_group(terms, x, y, i, n, from, to, others + moved, kind, f32, false);
        UNROLL
        for (int j = 0; j < VECTORS; j++)
            c.acc[1][j] += take(&c, 0, j, terms[j]);
    }
    for (int level = 0; level < 2; level++)
        memcpy(pass->acc[level], c.acc[level], sizeof c.acc[level]);
    return moved;
}
