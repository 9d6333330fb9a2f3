/* The plain loop of the meaning. */
#include "kernel/outer.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernel/fpenv.h"

static float of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float of_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31,
             fraction = half & 1023;
    if (exponent == 31)
        return of_bits(sign | 0x7f800000u | fraction << 13);
    if (exponent)
        return of_bits(sign | (exponent + 112) << 23 | fraction << 13);
    float value = (float)fraction * 0x1p-24f;
    return sign ? -value : value;
}

static float factor(enum summand__outer_type type, const void *from, size_t i)
{
    return type == SUMMAND__OUTER_F32    ? ((const float *)from)[i]
           : type == SUMMAND__OUTER_BF16 ? of_bits((uint32_t)((const uint16_t *)from)[i] << 16)
                                         : of_half(((const uint16_t *)from)[i]);
}

static double canonical(double value)
{
    return isnan(value) ? (double)NAN : value;
}

static void run_double(const struct summand__outer *work, size_t i)
{
    const double *a = work->a, *b = work->b;
    double *g = (double *)work->g + i * work->ldg;
    for (size_t j = work->upper ? i : 0; j < work->columns; j++) {
        double s = work->continues ? g[j] : 0;
        for (size_t k = 0; k < work->pairs; k++)
            s = fma(a[k * work->lda + i], b[k * work->ldb + j], s);
        if (!work->continues && work->alpha != 1)
            s *= work->alpha;
        if (!work->continues && work->beta != 0)
            s = fma(work->beta, g[j], s);
        g[j] = canonical(s);
    }
}

static void run_float(enum summand__outer_type type, const struct summand__outer *work, size_t i)
{
    float *g = (float *)work->g + i * work->ldg, alpha = (float)work->alpha,
          beta = (float)work->beta;
    for (size_t j = work->upper ? i : 0; j < work->columns; j++) {
        float s = work->continues ? g[j] : 0;
        for (size_t k = 0; k < work->pairs; k++)
            s = fmaf(factor(type, work->a, k * work->lda + i),
                     factor(type, work->b, k * work->ldb + j), s);
        if (!work->continues && alpha != 1)
            s *= alpha;
        if (!work->continues && beta != 0)
            s = fmaf(beta, g[j], s);
        g[j] = (float)canonical((double)s);
    }
}

void summand__outer_run(enum summand__outer_type type, const struct summand__outer *work,
                        size_t first, size_t rows)
{
    uint32_t saved = summand__fpenv_enter();
    for (size_t i = first; i < first + rows; i++)
        if (type == SUMMAND__OUTER_F64)
            run_double(work, i);
        else
            run_float(type, work, i);
    summand__fpenv_leave(saved);
}

size_t summand__outer_factor_size(enum summand__outer_type type)
{
    return type == SUMMAND__OUTER_F64 ? 8 : type == SUMMAND__OUTER_F32 ? 4 : 2;
}

size_t summand__outer_result_size(enum summand__outer_type type)
{
    return type == SUMMAND__OUTER_F64 ? 8 : 4;
}

const char *summand__outer_type_name(enum summand__outer_type type)
{
    static const char *const names[SUMMAND__OUTER_TYPES] = {"f64", "f32", "bf16", "f16"};
    return names[type];
}
