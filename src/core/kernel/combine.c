/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/combine.h"

#include <complex.h>
#include <stdint.h>

#include "kernel/arch_rows.h"
#include "kernel/combine_kernels.h"

static const struct summand__combine_kernels *const tables[SUMMAND__ARCHS] =
    SUMMAND__ARCH_ROWS(combine);

static const char *const operator_names[SUMMAND__COMBINE_OPERATORS] = {
    "sum", "prod", "min", "max", "land", "lor", "lxor", "band", "bor", "bxor", "minloc", "maxloc"};

static const struct {
    const char *name;
    size_t extent;
    enum summand__combine_environment environment;
} types[SUMMAND__COMBINE_TYPES] = {
    [SUMMAND__COMBINE_I8] = {"int8", sizeof(int8_t), SUMMAND__COMBINE_NONE},
    [SUMMAND__COMBINE_I16] = {"int16", sizeof(int16_t), SUMMAND__COMBINE_NONE},
    [SUMMAND__COMBINE_I32] = {"int32", sizeof(int32_t), SUMMAND__COMBINE_NONE},
    [SUMMAND__COMBINE_I64] = {"int64", sizeof(int64_t), SUMMAND__COMBINE_NONE},
    [SUMMAND__COMBINE_U8] = {"uint8", sizeof(uint8_t), SUMMAND__COMBINE_NONE},
    [SUMMAND__COMBINE_U16] = {"uint16", sizeof(uint16_t), SUMMAND__COMBINE_NONE},
    [SUMMAND__COMBINE_U32] = {"uint32", sizeof(uint32_t), SUMMAND__COMBINE_NONE},
    [SUMMAND__COMBINE_U64] = {"uint64", sizeof(uint64_t), SUMMAND__COMBINE_NONE},
    [SUMMAND__COMBINE_F16] = {"float16", sizeof(uint16_t), SUMMAND__COMBINE_PLAIN},
    [SUMMAND__COMBINE_BF16] = {"bfloat16", sizeof(uint16_t), SUMMAND__COMBINE_PLAIN},
    [SUMMAND__COMBINE_F32] = {"float", sizeof(float), SUMMAND__COMBINE_PLAIN},
    [SUMMAND__COMBINE_F64] = {"double", sizeof(double), SUMMAND__COMBINE_PLAIN},
    [SUMMAND__COMBINE_LONG_DOUBLE] = {"long-double", sizeof(long double),
                                      SUMMAND__COMBINE_EXTENDED},
    [SUMMAND__COMBINE_COMPLEX32] = {"float-complex", sizeof(float _Complex),
                                    SUMMAND__COMBINE_PLAIN},
    [SUMMAND__COMBINE_COMPLEX64] = {"double-complex", sizeof(double _Complex),
                                    SUMMAND__COMBINE_PLAIN},
    [SUMMAND__COMBINE_COMPLEX_LONG] = {"long-double-complex", sizeof(long double _Complex),
                                       SUMMAND__COMBINE_EXTENDED},
    [SUMMAND__COMBINE_BOOL] = {"bool", sizeof(bool), SUMMAND__COMBINE_NONE},
    [SUMMAND__COMBINE_SHORT_INT] = {"short-int", sizeof(struct combine_short_int),
                                    SUMMAND__COMBINE_NONE},
    [SUMMAND__COMBINE_INT_INT] = {"int-int", sizeof(struct combine_int_int), SUMMAND__COMBINE_NONE},
    [SUMMAND__COMBINE_LONG_INT] = {"long-int", sizeof(struct combine_long_int),
                                   SUMMAND__COMBINE_NONE},
    [SUMMAND__COMBINE_F32_INT] = {"float-int", sizeof(struct combine_f32_int),
                                  SUMMAND__COMBINE_PLAIN},
    [SUMMAND__COMBINE_F64_INT] = {"double-int", sizeof(struct combine_f64_int),
                                  SUMMAND__COMBINE_PLAIN},
    [SUMMAND__COMBINE_LONG_DOUBLE_INT] = {"long-double-int", sizeof(struct combine_long_double_int),
                                          SUMMAND__COMBINE_EXTENDED},
};

summand__combiner *summand__combine_kernel(enum summand__combine_operator operator,
                                           enum summand__combine_type type)
{
    return tables[summand__arch()]->of[operator][type];
}

const char *summand__combine_operator_name(enum summand__combine_operator operator)
{
    return operator_names[operator];
}

const char *summand__combine_type_name(enum summand__combine_type type)
{
    return types[type].name;
}

size_t summand__combine_type_extent(enum summand__combine_type type)
{
    return types[type].extent;
}

enum summand__combine_environment summand__combine_type_environment(enum summand__combine_type type)
{
    return types[type].environment;
}
