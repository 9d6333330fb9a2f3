/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain C, one element after the other, any format. */
#include "kernel/lanes_carry.inc.h"

__extension__ typedef __int128 lanes_i128;

LANES_INLINE void range_of(enum summand__lanes_type type, const void *x, size_t n,
                           struct summand__lanes_range *range)
{
    for (size_t j = 0; j < n; j++) {
        const uint64_t bits = lanes_load(type, x, j);
        int exponent;
        const uint64_t m = lanes_magnitude(bits, &exponent);
        if (lanes_is_special(bits))
            range->special = 1;
        else if (m) {
            const int64_t top = exponent + 64 - __builtin_clzll(m);
            const int64_t low = -(exponent + __builtin_ctzll(m));
            range->top = top > range->top ? top : range->top;
            range->low = low > range->low ? low : range->low;
        }
    }
}

LANES_INLINE bool add_to(enum summand__lanes_type type, const void *x, size_t n,
                         const struct summand__lanes_format *format, int64_t *lanes)
{
    int64_t *counters = lanes + format->digits * n;
    for (size_t j = 0; j < n; j++) {
        const uint64_t bits = lanes_load(type, x, j);
        if (format->special)
            counters[j] = lanes_join(counters[j], lanes_special(bits));
        if (lanes_is_special(bits) ? !format->special : !lanes_deposit(bits, format, lanes + j, n))
            return false;
    }
    return true;
}

LANES_INLINE bool encode_to(enum summand__lanes_type type, const void *x, size_t n,
                            const struct summand__lanes_format *format, int64_t *lanes)
{
    summand__lanes_clear(format, lanes, n);
    return add_to(type, x, n, format, lanes);
}

LANES_INLINE void decode_to(enum summand__lanes_type type,
                            const struct summand__lanes_format *format, size_t ranks,
                            const int64_t *lanes, size_t n, void *y)
{
    for (size_t j = 0; j < n; j++)
        lanes_decode_one(type, format, ranks, lanes, n, j, y);
}

#define FUNCTIONS(suffix, TYPE)                                                                    \
    static void range_##suffix(const void *x, size_t n, struct summand__lanes_range *range)        \
    {                                                                                              \
        range_of(TYPE, x, n, range);                                                               \
    }                                                                                              \
    static bool encode_##suffix(const void *x, size_t n,                                           \
                                const struct summand__lanes_format *format, int64_t *lanes)        \
    {                                                                                              \
        return encode_to(TYPE, x, n, format, lanes);                                               \
    }                                                                                              \
    static bool add_##suffix(const void *x, size_t n, const struct summand__lanes_format *format,  \
                             int64_t *lanes)                                                       \
    {                                                                                              \
        return add_to(TYPE, x, n, format, lanes);                                                  \
    }                                                                                              \
    static void decode_##suffix(const struct summand__lanes_format *format, size_t ranks,          \
                                const int64_t *lanes, size_t n, void *y)                           \
    {                                                                                              \
        decode_to(TYPE, format, ranks, lanes, n, y);                                               \
    }

FUNCTIONS(f64, SUMMAND__LANES_F64)
FUNCTIONS(f32, SUMMAND__LANES_F32)
FUNCTIONS(f16, SUMMAND__LANES_F16)
FUNCTIONS(bf16, SUMMAND__LANES_BF16)

static struct summand__lanes_check check_lanes(const int64_t *lanes, size_t n)
{
    lanes_i128 sums[SUMMAND__CHECK_COLUMNS] = {0};
    uint64_t columns[SUMMAND__CHECK_COLUMNS];
    struct summand__lanes_check check = {0, 0};
    for (size_t j = 0; j < n; j++) {
        check.sum += (uint64_t)lanes[j];
        sums[j % SUMMAND__CHECK_COLUMNS] +=
            lanes[j] * (lanes_i128)summand__check_keys[j / SUMMAND__CHECK_COLUMNS];
    }
    for (int k = 0; k < SUMMAND__CHECK_COLUMNS; k++) {
        const int64_t rest = (int64_t)(sums[k] % (lanes_i128)SUMMAND__CHECK_PRIME);
        columns[k] = (uint64_t)(rest < 0 ? rest + (int64_t)SUMMAND__CHECK_PRIME : rest);
    }
    check.word = summand__check_join(columns);
    return check;
}

const struct summand__lanes_kernels summand__lanes_generic = {
    .range = {range_f64, range_f32, range_f16, range_bf16},
    .encode = {encode_f64, encode_f32, encode_f16, encode_bf16},
    .add = {add_f64, add_f32, add_f16, add_bf16},
    .decode = {decode_f64, decode_f32, decode_f16, decode_bf16},
    .normalise = lanes_normalise,
    .check = check_lanes};
