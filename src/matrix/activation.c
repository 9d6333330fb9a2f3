/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/activation.h"

void summand__identity_f32(size_t n, float *x)
{
    (void)n;
    (void)x;
}

static void identity_f64(size_t n, double *x)
{
    (void)n;
    (void)x;
}

void summand__sigmoid_f32(size_t n, float *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 1.0f / (1.0f + summand__exp_f32(-x[i]));
}

static void sigmoid_f64(size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 1.0 / (1.0 + summand__exp_f64(-x[i]));
}

/* Near 0 by the series, because the quotient loses all digits there. */
void summand__tanh_f32(size_t n, float *x)
{
    for (size_t i = 0; i < n; i++) {
        float v = x[i], size = v < 0 ? -v : v, s = v * v;
        float t = summand__exp_f32(-2.0f * size), far = (1.0f - t) / (1.0f + t);
        float p = 62.0f / 2835;
        p = p * s - 17.0f / 315;
        p = p * s + 2.0f / 15;
        p = p * s - 1.0f / 3;
        float near = v + v * s * p;
        far = v < 0 ? -far : far;
        x[i] = size < 0.25f ? near : far;
    }
}

/* The rest of the series is below 2^-57 of v. */
static void tanh_f64(size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        double v = x[i], size = v < 0 ? -v : v, s = v * v;
        double t = summand__exp_f64(-2.0 * size), far = (1.0 - t) / (1.0 + t);
        double p = 18888466084.0 / 194896477400625.0;
        p = p * s - 443861162.0 / 1856156927625.0;
        p = p * s + 6404582.0 / 10854718875.0;
        p = p * s - 929569.0 / 638512875;
        p = p * s + 21844.0 / 6081075;
        p = p * s - 1382.0 / 155925;
        p = p * s + 62.0 / 2835;
        p = p * s - 17.0 / 315;
        p = p * s + 2.0 / 15;
        p = p * s - 1.0 / 3;
        double near = v + v * s * p;
        far = v < 0 ? -far : far;
        x[i] = size < 0.25 ? near : far;
    }
}

void summand__relu_f32(size_t n, float *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = x[i] < 0 ? 0 : x[i];
}

static void relu_f64(size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = x[i] < 0 ? 0 : x[i];
}

const struct summand__activation summand__activations[SUMMAND__ACTIVATIONS] = {
    [SUMMAND__IDENTITY] = {"identity", identity_f64, summand__identity_f32},
    [SUMMAND__SIGMOID] = {"sigmoid", sigmoid_f64, summand__sigmoid_f32},
    [SUMMAND__TANH] = {"tanh", tanh_f64, summand__tanh_f32},
    [SUMMAND__RELU] = {"relu", relu_f64, summand__relu_f32}};
