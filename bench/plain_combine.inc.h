/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of plain_combine.h; PLAIN_COMBINE names their table. */
#include <stdint.h>

#include "bench/plain_combine.h"

#define LOOP(name, T, value)                                                                       \
    static void name(const void *in, void *inout, size_t count)                                    \
    {                                                                                              \
        const T *restrict x = in;                                                                  \
        T *restrict y = inout;                                                                     \
        for (size_t i = 0; i < count; i++)                                                         \
            y[i] = (T)(value);                                                                     \
    }
#define ARITHMETIC(suffix, T)                                                                      \
    LOOP(sum_##suffix, T, x[i] + y[i])                                                             \
    LOOP(prod_##suffix, T, x[i] * y[i])                                                            \
    LOOP(min_##suffix, T, x[i] < y[i] ? x[i] : y[i])                                               \
    LOOP(max_##suffix, T, x[i] > y[i] ? x[i] : y[i])
#define INTEGER(suffix, T)                                                                         \
    ARITHMETIC(suffix, T)                                                                          \
    LOOP(land_##suffix, T, x[i] && y[i])                                                           \
    LOOP(lor_##suffix, T, x[i] || y[i])                                                            \
    LOOP(lxor_##suffix, T, !x[i] != !y[i])                                                         \
    LOOP(band_##suffix, T, x[i] & y[i])                                                            \
    LOOP(bor_##suffix, T, x[i] | y[i])                                                             \
    LOOP(bxor_##suffix, T, x[i] ^ y[i])
INTEGER(i8, int8_t)
INTEGER(i16, int16_t)
INTEGER(i32, int32_t)
INTEGER(i64, int64_t)
INTEGER(u8, uint8_t)
INTEGER(u16, uint16_t)
INTEGER(u32, uint32_t)
INTEGER(u64, uint64_t)
ARITHMETIC(f32, float)
ARITHMETIC(f64, double)
ARITHMETIC(long, long double)
LOOP(sum_c32, float _Complex, x[i] + y[i])
LOOP(sum_c64, double _Complex, x[i] + y[i])
LOOP(prod_c32, float _Complex, x[i] * y[i])
LOOP(prod_c64, double _Complex, x[i] * y[i])

struct double_int {
    double value;
    int index;
};

static void minloc(const void *in, void *inout, size_t count)
{
    const struct double_int *restrict x = in;
    struct double_int *restrict y = inout;
    for (size_t i = 0; i < count; i++)
        if (x[i].value < y[i].value)
            y[i] = x[i];
        else if (x[i].value == y[i].value && x[i].index < y[i].index)
            y[i].index = x[i].index;
}

#define INTEGERS(name)                                                                             \
    [SUMMAND__COMBINE_I8] = name##_i8, [SUMMAND__COMBINE_I16] = name##_i16,                        \
    [SUMMAND__COMBINE_I32] = name##_i32, [SUMMAND__COMBINE_I64] = name##_i64,                      \
    [SUMMAND__COMBINE_U8] = name##_u8, [SUMMAND__COMBINE_U16] = name##_u16,                        \
    [SUMMAND__COMBINE_U32] = name##_u32, [SUMMAND__COMBINE_U64] = name##_u64
#define NUMBERS(name)                                                                              \
    INTEGERS(name), [SUMMAND__COMBINE_F32] = name##_f32, [SUMMAND__COMBINE_F64] = name##_f64,      \
                    [SUMMAND__COMBINE_LONG_DOUBLE] = name##_long

const struct plain_combine_table PLAIN_COMBINE = {{
    [SUMMAND__COMBINE_SUM] = {NUMBERS(sum), [SUMMAND__COMBINE_COMPLEX32] = sum_c32,
                              [SUMMAND__COMBINE_COMPLEX64] = sum_c64},
    [SUMMAND__COMBINE_PROD] = {NUMBERS(prod), [SUMMAND__COMBINE_COMPLEX32] = prod_c32,
                               [SUMMAND__COMBINE_COMPLEX64] = prod_c64},
    [SUMMAND__COMBINE_MIN] = {NUMBERS(min)},
    [SUMMAND__COMBINE_MAX] = {NUMBERS(max)},
    [SUMMAND__COMBINE_LAND] = {INTEGERS(land)},
    [SUMMAND__COMBINE_LOR] = {INTEGERS(lor)},
    [SUMMAND__COMBINE_LXOR] = {INTEGERS(lxor)},
    [SUMMAND__COMBINE_BAND] = {INTEGERS(band)},
    [SUMMAND__COMBINE_BOR] = {INTEGERS(bor)},
    [SUMMAND__COMBINE_BXOR] = {INTEGERS(bxor)},
    [SUMMAND__COMBINE_MINLOC] = {[SUMMAND__COMBINE_F64_INT] = minloc},
}};
