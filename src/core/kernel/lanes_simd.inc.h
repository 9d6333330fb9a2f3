/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of lanes.h over vectors of WIDTH 64-bit elements. A file of an instruction set
 * defines WIDTH, TABLE, the types vec (integers) and dbl (doubles) and the operations used here,
 * and includes this once. m_... make masks of elements, which v_blend, v_keep and v_drop take.
 *
 * The proofs, with c = bits. A digit is a slice of the shifted magnitude, with the term's sign.
 * Decode carries the digits upwards: value = A 2^c + l, 0 <= l < 2^c, in units of the digit below
 * A. If A is in [-2^t, 2^t), t = 62 - c, then A 2^c + l fits an int64_t: it becomes the new A with
 * the next digit, or at the last digit the value, converted with one rounding. Else |A 2^c + l| is
 * at least 2^62, so half a unit in the last place of the result is at least 2^9. Rounding l to odd
 * at bit max(0, c - 53) <= 8, where the digits below count as a sticky bit, changes no result
 * (Boldo and Melquiond 2008), and leaves l 53 bits: A 2^c and l are doubles if |A| <= 2^53,
 * and their sum rounds once. A larger A is split 30 bits above its end, and all of l is sticky. The
 * result times a power of two is exact: it is a multiple of 2^-1074, as the terms are. */
#include "kernel/lanes_carry.inc.h"

enum { LANES_MOST = UINT8_MAX + 1 };

/* What the loops need of a format. */
struct lanes_plan {
    vec mask, limit; /* of a digit; the bits of 2^top - 1 in its last place */
    unsigned digits;
    bool special;
    int64_t bits, low;
};

LANES_INLINE struct lanes_plan lanes_plan(const struct summand__lanes_format *format)
{
    const int field = format->top + 1023;
    const uint64_t bound = field > 2046  ? LANES_INF
                           : field > 0   ? (uint64_t)field << 52
                           : field > -52 ? UINT64_C(1) << (51 + field)
                                         : 1;
    return (struct lanes_plan){.mask = v_set((INT64_C(1) << format->bits) - 1),
                               .limit = v_set((int64_t)bound - 1),
                               .digits = format->digits,
                               .special = format->special,
                               .bits = format->bits,
                               .low = 1074 + format->lowest};
}

/* Takes special values out of a vector of terms; their counters. */
LANES_INLINE vec lanes_take_special(vec *terms)
{
    const vec size = v_and(*terms, v_set(INT64_MAX)), infinity = v_set((int64_t)LANES_INF);
    const vec plus = v_set(SUMMAND__LANES_PLUS), minus = v_set(SUMMAND__LANES_MINUS);
    const mask nan = m_gt(size, infinity), infinite = m_eq(size, infinity);
    const mask zero = m_eq(*terms, v_set(INT64_MIN)), negative = m_gt(v_set(0), *terms);
    const vec counters =
        v_or(v_keep(nan, v_or(plus, minus)), v_keep(infinite, v_blend(negative, minus, plus)));
    *terms = v_drop(zero, v_drop(infinite, v_drop(nan, *terms)));
    return v_or(counters, v_keep(zero, v_set(SUMMAND__LANES_MINUS_ZEROS)));
}

/* Prefetches the same digit of the next block, as blocks often follow each other in memory: a
 * processor follows one stream in a page. Up to twice as fast from memory, no slower from the
 * cache.
 */
LANES_INLINE void lanes_prefetch(const int64_t *digit, size_t block)
{
    __builtin_prefetch((const void *)((uintptr_t)digit + block * sizeof *digit), 1, 3);
}

LANES_INLINE void lanes_put(int64_t *to, vec v, bool add)
{
    v_store(to, add ? v_add(v, v_load(to)) : v);
}

LANES_INLINE void lanes_put_special(int64_t *to, vec counters, bool add)
{
    if (add) {
        const vec zeros = v_set(SUMMAND__LANES_MINUS_ZEROS), old = v_load(to);
        counters = v_or(v_andnot(zeros, v_or(old, counters)), v_and(v_and(old, counters), zeros));
    }
    v_store(to, counters);
}

/* The digits of a vector of finite terms by shifts. The result is not zero where one does not fit.
 */
LANES_INLINE vec lanes_slice(const struct lanes_plan *plan, unsigned digits, vec terms, int64_t *to,
                             size_t stride, bool add)
{
    const vec sign = v_negative(terms), size = v_and(terms, v_set(INT64_MAX));
    const vec field = v_srl(size, 52), normal = v_sub(v_set(0), v_min32(field, v_set(1)));
    const vec m =
        v_or(v_and(size, v_set((INT64_C(1) << 52) - 1)), v_and(normal, v_set(INT64_C(1) << 52)));
    const vec shift = v_sub(v_add(field, normal), v_set(plan->low));
    const vec lost = v_shift(m, v_add(v_max32(shift, v_set(-64)), v_set(64)));
    for (unsigned i = 0; i < digits; i++) {
        const vec digit = v_and(v_shift(m, v_sub(shift, v_set(plan->bits * i))), plan->mask);
        lanes_put(to + i * stride, v_sub(v_xor(digit, sign), sign), add);
        lanes_prefetch(to + i * stride, digits * stride);
    }
    const mask wide = m_gt(size, plan->limit), zero = m_eq(terms, v_set(INT64_MIN));
    return v_or(lost, v_or(v_keep(wide, v_set(1)), v_keep(zero, v_set(1))));
}

/* Encodes `count` terms, a multiple of WIDTH. */
LANES_INLINE bool lanes_encode_digits(enum summand__lanes_type type, const void *x, size_t count,
                                      const struct summand__lanes_format *format, unsigned digits,
                                      int64_t *lanes, size_t stride, bool add)
{
    const struct lanes_plan plan = lanes_plan(format);
    vec wide = v_set(0);
    for (size_t j = 0; j < count; j += WIDTH) {
        vec terms = v_terms(type, x, j);
        if (plan.special)
            lanes_put_special(lanes + plan.digits * stride + j, lanes_take_special(&terms), add);
        wide = v_or(wide, lanes_slice(&plan, digits, terms, lanes + j, stride, add));
    }
    return !v_any(wide);
}

#ifdef LANES_CONVERTS
enum { LANES_CONVERTED = 4 };

/* Whether the scales of the digits, at most LANES_CONVERTED, are normal numbers. */
LANES_INLINE bool lanes_scales(const struct summand__lanes_format *format)
{
    return format->digits && format->digits <= LANES_CONVERTED && format->lowest >= -1000 &&
           format->lowest + format->bits * (format->digits - 1) <= 1000;
}

/* The same digits by conversions, from the highest to the lowest; each remainder is exact. A term
 * that does not fit leaves a remainder, which is -0.0 for -0.0, or is too large. */
LANES_INLINE bool lanes_convert(enum summand__lanes_type type, const void *x, size_t count,
                                const struct summand__lanes_format *format, unsigned digits,
                                int64_t *lanes, size_t stride, bool add)
{
    const struct lanes_plan plan = lanes_plan(format);
    dbl down[LANES_CONVERTED], up[LANES_CONVERTED], most = d_set(0);
    vec wide = v_set(0);
    for (unsigned i = 0; i < digits; i++) {
        down[i] = d_set(lanes_two_to(-format->lowest - (int)(format->bits * i)));
        up[i] = d_set(lanes_two_to(format->lowest + (int)(format->bits * i)));
    }
    for (size_t j = 0; j < count; j += WIDTH) {
        vec terms = v_terms(type, x, j);
        if (plan.special)
            lanes_put_special(lanes + digits * stride + j, lanes_take_special(&terms), add);
        dbl rest = d_of(terms);
        most = d_largest(most, rest);
        for (unsigned i = digits; i-- > 0;) {
            const vec digit = v_truncate(d_mul(rest, down[i]));
            lanes_put(lanes + i * stride + j, digit, add);
            lanes_prefetch(lanes + i * stride + j, digits * stride);
            rest = d_subtract_product(d_convert(digit, NULL), up[i], rest);
        }
        wide = v_or(wide, v_of(rest));
    }
    return !v_any(v_or(wide, v_keep(m_gt(v_of(most), plan.limit), v_set(1))));
}
#endif

LANES_INLINE bool lanes_encode_full(enum summand__lanes_type type, const void *x, size_t count,
                                    const struct summand__lanes_format *format, int64_t *lanes,
                                    size_t stride, bool add)
{
#ifdef LANES_CONVERTS
    const bool scales = lanes_scales(format);
    if (scales && format->digits == 1)
        return lanes_convert(type, x, count, format, 1, lanes, stride, add);
    if (scales && format->digits == 2)
        return lanes_convert(type, x, count, format, 2, lanes, stride, add);
    if (scales)
        return lanes_convert(type, x, count, format, format->digits, lanes, stride, add);
#else
    if (format->digits == 1)
        return lanes_encode_digits(type, x, count, format, 1, lanes, stride, add);
    if (format->digits == 2)
        return lanes_encode_digits(type, x, count, format, 2, lanes, stride, add);
#endif
    return lanes_encode_digits(type, x, count, format, format->digits, lanes, stride, add);
}

typedef bool lanes_encoder(const void *x, size_t count, const struct summand__lanes_format *format,
                           int64_t *lanes, size_t stride);

/* All terms: the last ones, fewer than WIDTH, in a copy. */
static bool lanes_encode_all(lanes_encoder *encode, size_t bytes, const void *x, size_t n,
                             const struct summand__lanes_format *format, int64_t *lanes)
{
    const size_t whole = n / WIDTH * WIDTH, rest = n - whole;
    if (whole && !encode(x, whole, format, lanes, n))
        return false;
    if (!rest)
        return true;
    const size_t rows = format->digits + (size_t)format->special;
    int64_t copy[LANES_MOST * WIDTH], terms[WIDTH] = {0};
    memcpy(terms, (const char *)x + whole * bytes, rest * bytes);
    for (size_t i = 0; i < rows; i++)
        memcpy(copy + i * WIDTH, lanes + i * n + whole, rest * sizeof *copy);
    const bool fits = encode(terms, WIDTH, format, copy, WIDTH);
    for (size_t i = 0; i < rows; i++)
        memcpy(lanes + i * n + whole, copy + i * WIDTH, rest * sizeof *copy);
    return fits;
}

/* What decoding needs of a format, of which the digits' bits are c. */
struct lanes_back {
    int64_t lowest;
    vec mask, below, unit, room; /* 2^c - 1, 2^k - 1, 2^k, 2^t */
    dbl factor, scale;           /* 2^c, 2^lowest */
    unsigned c, span;            /* t + 1 */
};

LANES_INLINE struct lanes_back lanes_back(const struct summand__lanes_format *format)
{
    const unsigned c = format->bits, k = c > 53 ? c - 53 : 0;
    return (struct lanes_back){.lowest = format->lowest,
                               .mask = v_set((INT64_C(1) << c) - 1),
                               .below = v_set((INT64_C(1) << k) - 1),
                               .unit = v_set(INT64_C(1) << k),
                               .room = v_set(INT64_C(1) << (62 - c)),
                               .factor = d_set(lanes_two_to((int)c)),
                               .scale = d_set(lanes_two_to(format->lowest)),
                               .c = c,
                               .span = 63 - c};
}

/* Where A is in [-2^t, 2^t). */
LANES_INLINE mask lanes_small(const struct lanes_back *back, vec a)
{
    return m_eq(v_srl(v_add(a, back->room), back->span), v_set(0));
}

/* Not zero where A is not in [-2^53, 2^53). */
LANES_INLINE vec lanes_large(vec a)
{
    return v_srl(v_add(a, v_set(INT64_C(1) << 53)), 54);
}

/* l rounded to odd at bit k; all bits of `sticky` lie below. */
LANES_INLINE vec lanes_odd(const struct lanes_back *back, vec l, vec sticky)
{
    const mask even = m_eq(v_or(v_and(l, back->below), sticky), v_set(0));
    return v_or(v_andnot(back->below, l), v_drop(even, back->unit));
}

/* 2^exponent for exponents from -1074 on; of those above 1023, 2^1023. */
LANES_INLINE dbl lanes_power(vec exponent)
{
    const mask high = m_gt(exponent, v_set(1023)), low = m_gt(v_set(-1022), exponent);
    const vec bounded = v_blend(high, v_set(1023), exponent);
    return d_of(v_blend(low, v_shift(v_set(1), v_add(exponent, v_set(1074))),
                        v_sll(v_add(bounded, v_set(1023)), 52)));
}

/* sum + rest, exact; |rest| is at most half a unit in the last place of sum. */
struct lanes_sum {
    dbl sum, rest;
};

/* hi factor + lo, of which lo is a double without rounding or hi is zero. */
LANES_INLINE struct lanes_sum lanes_add_parts(vec hi, dbl factor, vec lo)
{
    dbl rest;
    const dbl p = d_mul(d_convert(hi, NULL), factor), q = d_convert(lo, &rest), sum = d_add(p, q);
    return (struct lanes_sum){sum, d_add(d_sub(q, d_sub(sum, p)), rest)};
}

/* The sum as a double: rounded to nearest, or to odd for a later rounding. */
LANES_INLINE dbl lanes_finish(struct lanes_sum sum, dbl scale, bool odd)
{
    if (odd) {
        const vec bits = v_of(sum.sum), against = v_negative(v_xor(bits, v_of(sum.rest)));
        sum.sum = d_of(v_blend(d_is_zero(sum.rest), bits, v_or(v_add(bits, against), v_set(1))));
    }
    return d_mul(sum.sum, scale);
}

LANES_INLINE dbl lanes_one(const struct lanes_back *back, const int64_t *lanes, bool odd)
{
    struct lanes_sum sum;
    sum.sum = d_convert(v_load(lanes), &sum.rest);
    return lanes_finish(sum, back->scale, odd);
}

/* Two digits. *large is not zero if |A| is too large. */
LANES_INLINE dbl lanes_two(const struct lanes_back *back, const int64_t *lanes, size_t stride,
                           bool odd, vec *large)
{
    const vec low = v_load(lanes), l = v_and(low, back->mask);
    const vec a = v_add(v_load(lanes + stride), v_sra(low, back->c));
    const mask small = lanes_small(back, a);
    const vec lo = v_blend(small, v_add(v_sll(a, back->c), l), lanes_odd(back, l, v_set(0)));
    *large = v_or(*large, lanes_large(a));
    return lanes_finish(lanes_add_parts(v_drop(small, a), back->factor, lo), back->scale, odd);
}

/* Any number of digits from two on. */
LANES_INLINE dbl lanes_many(const struct lanes_back *back, unsigned digits, const int64_t *lanes,
                            size_t stride, bool odd)
{
    const unsigned c = back->c, last = digits - 1;
    vec digit[LANES_MOST], l = v_set(0), carry = l, sticky = l, at = v_set(last - 1);
    for (unsigned i = 0; i < last; i++) {
        const vec sum = v_add(v_load(lanes + i * stride), carry);
        lanes_prefetch(lanes + i * stride, digits * stride);
        l = digit[i] = v_and(sum, back->mask);
        carry = v_sra(sum, c);
    }
    lanes_prefetch(lanes + last * stride, digits * stride);
    vec a = v_add(v_load(lanes + last * stride), carry);
    for (unsigned i = last - 1; i; i--) {
        const mask small = lanes_small(back, a);
        a = v_blend(small, v_add(v_sll(a, c), l), a);
        l = v_blend(small, digit[i - 1], l);
        sticky = v_or(sticky, v_drop(small, digit[i - 1]));
        at = v_blend(small, v_set(i - 1), at);
    }
    const mask small = lanes_small(back, a), fine = m_eq(lanes_large(a), v_set(0));
    const mask none = m_eq(v_or(l, sticky), v_set(0));
    const vec half = v_and(a, v_set((1 << 30) - 1)),
              split = v_or(v_sll(half, 1), v_drop(none, v_set(1)));
    const vec odd_l = lanes_odd(back, l, sticky);
    const vec lo = v_blend(fine, v_blend(small, v_add(v_sll(a, c), l), odd_l), split);
    const vec hi = v_blend(fine, v_drop(small, a), v_sra(a, 30));
    const dbl factor = d_of(v_blend(fine, v_of(back->factor), v_of(d_set(0x1p31))));
    const vec exponent =
        v_add(v_set(back->lowest), v_add(v_mul32(at, (int)c), v_drop(fine, v_set((int64_t)c - 1))));
    return lanes_finish(lanes_add_parts(hi, factor, lo), lanes_power(exponent), odd);
}

LANES_INLINE void lanes_decode_full(enum summand__lanes_type type,
                                    const struct summand__lanes_format *format,
                                    const int64_t *lanes, size_t stride, size_t count, void *y)
{
    const struct lanes_back back = lanes_back(format);
    const unsigned digits = format->digits;
    const bool odd = type != SUMMAND__LANES_F64;
    vec large = v_set(digits > 3);
    if (!digits)
        memset(y, 0, count * (size_t)lanes_binary(type).bytes);
    for (size_t j = 0; j < count && digits == 1; j += WIDTH)
        v_results(type, y, j, lanes_one(&back, lanes + j, odd));
    for (size_t j = 0; j < count && digits == 2; j += WIDTH) {
        v_results(type, y, j, lanes_two(&back, lanes + j, stride, odd, &large));
        lanes_prefetch(lanes + j, 2 * stride);
        lanes_prefetch(lanes + j + stride, 2 * stride);
    }
    for (size_t j = 0; j < count && digits == 3; j += WIDTH)
        v_results(type, y, j, lanes_many(&back, 3, lanes + j, stride, odd));
    if (v_any(large)) /* rare for two digits, which then are decoded again */
        for (size_t j = 0; j < count; j += WIDTH)
            v_results(type, y, j, lanes_many(&back, digits, lanes + j, stride, odd));
}

typedef void lanes_decoder(const struct summand__lanes_format *format, const int64_t *lanes,
                           size_t stride, size_t count, void *y);

static void lanes_decode_all(enum summand__lanes_type type, lanes_decoder *decode,
                             const struct summand__lanes_format *format, size_t ranks,
                             const int64_t *lanes, size_t n, void *y)
{
    const size_t whole = n / WIDTH * WIDTH, rest = n - whole;
    const size_t bytes = (size_t)lanes_binary(type).bytes;
    if (whole)
        decode(format, lanes, n, whole, y);
    if (rest) {
        int64_t copy[LANES_MOST * WIDTH], results[WIDTH];
        memset(copy, 0, format->digits * WIDTH * sizeof *copy);
        for (size_t i = 0; i < format->digits; i++)
            memcpy(copy + i * WIDTH, lanes + i * n + whole, rest * sizeof *copy);
        decode(format, copy, WIDTH, WIDTH, results);
        memcpy((char *)y + whole * bytes, results, rest * bytes);
    }
    for (size_t j = 0; j < n && format->special; j++)
        if (lanes[format->digits * n + j])
            lanes_store_special(type, lanes[format->digits * n + j], ranks, y, j);
}

typedef void lanes_ranger(const void *x, size_t count, struct summand__lanes_range *range);

static void lanes_range_all(lanes_ranger *run, size_t bytes, const void *x, size_t n,
                            struct summand__lanes_range *range)
{
    const size_t whole = n / WIDTH * WIDTH, rest = n - whole;
    int64_t terms[WIDTH] = {0};
    if (whole)
        run(x, whole, range);
    if (rest) {
        memcpy(terms, (const char *)x + whole * bytes, rest * bytes);
        run(terms, WIDTH, range);
    }
}

/* Widens by a largest term and the least value of a lowest bit: 0 and infinity if there is none. */
LANES_INLINE void lanes_widen(struct summand__lanes_range *range, double most, double least)
{
    struct summand__lanes_range more = SUMMAND__LANES_RANGE_NONE;
    if (!(most > 0))
        return;
    uint64_t bits;
    int exponent;
    memcpy(&bits, &most, sizeof bits);
    uint64_t m = lanes_magnitude(bits, &exponent);
    more.top = exponent + 64 - __builtin_clzll(m);
    memcpy(&bits, &least, sizeof bits);
    m = lanes_magnitude(bits, &exponent);
    more.low = -(exponent + __builtin_ctzll(m));
    range->top = more.top > range->top ? more.top : range->top;
    range->low = more.low > range->low ? more.low : range->low;
}

#include "kernel/lanes_check.inc.h"

#define LANES_FUNCTIONS(suffix, TYPE, BYTES)                                                       \
    static void range_full_##suffix(const void *x, size_t count,                                   \
                                    struct summand__lanes_range *range)                            \
    {                                                                                              \
        lanes_range_full(TYPE, x, count, range);                                                   \
    }                                                                                              \
    static void range_##suffix(const void *x, size_t n, struct summand__lanes_range *range)        \
    {                                                                                              \
        lanes_range_all(range_full_##suffix, BYTES, x, n, range);                                  \
    }                                                                                              \
    static bool encode_full_##suffix(const void *x, size_t count,                                  \
                                     const struct summand__lanes_format *format, int64_t *lanes,   \
                                     size_t stride)                                                \
    {                                                                                              \
        return lanes_encode_full(TYPE, x, count, format, lanes, stride, false);                    \
    }                                                                                              \
    static bool encode_##suffix(const void *x, size_t n,                                           \
                                const struct summand__lanes_format *format, int64_t *lanes)        \
    {                                                                                              \
        return lanes_encode_all(encode_full_##suffix, BYTES, x, n, format, lanes);                 \
    }                                                                                              \
    static bool add_full_##suffix(const void *x, size_t count,                                     \
                                  const struct summand__lanes_format *format, int64_t *lanes,      \
                                  size_t stride)                                                   \
    {                                                                                              \
        return lanes_encode_full(TYPE, x, count, format, lanes, stride, true);                     \
    }                                                                                              \
    static bool add_##suffix(const void *x, size_t n, const struct summand__lanes_format *format,  \
                             int64_t *lanes)                                                       \
    {                                                                                              \
        return lanes_encode_all(add_full_##suffix, BYTES, x, n, format, lanes);                    \
    }                                                                                              \
    static void decode_full_##suffix(const struct summand__lanes_format *format,                   \
                                     const int64_t *lanes, size_t stride, size_t count, void *y)   \
    {                                                                                              \
        lanes_decode_full(TYPE, format, lanes, stride, count, y);                                  \
    }                                                                                              \
    static void decode_##suffix(const struct summand__lanes_format *format, size_t ranks,          \
                                const int64_t *lanes, size_t n, void *y)                           \
    {                                                                                              \
        lanes_decode_all(TYPE, decode_full_##suffix, format, ranks, lanes, n, y);                  \
    }

LANES_FUNCTIONS(f64, SUMMAND__LANES_F64, 8)
LANES_FUNCTIONS(f32, SUMMAND__LANES_F32, 4)
LANES_FUNCTIONS(f16, SUMMAND__LANES_F16, 2)
LANES_FUNCTIONS(bf16, SUMMAND__LANES_BF16, 2)

const struct summand__lanes_kernels TABLE = {
    .range = {range_f64, range_f32, range_f16, range_bf16},
    .encode = {encode_f64, encode_f32, encode_f16, encode_bf16},
    .add = {add_f64, add_f32, add_f16, add_bf16},
    .decode = {decode_f64, decode_f32, decode_f16, decode_bf16},
    .normalise = lanes_normalise,
    .check = check_lanes};
