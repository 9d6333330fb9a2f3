/* SPDX-License-Identifier: BSD-3-Clause */
/* Activations of networks, element by element, and their exponentials. They use only additions,
 * products and quotients in a fixed order, and no system library. So bits are the same on every
 * machine that rounds to nearest (kernel/fpenv.h). A NaN stays a NaN. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* e^x to 2 units in the last place; 0 below -87, infinity above 88. x = k ln 2 + r with
 * |r| <= ln 2 / 2; the rest of the series is below 2^-25. It does not branch on x, so that
 * compilers vectorise it. */
static inline float summand__exp_f32(float x)
{
    const float magic = 0x1.8p23f; /* adding it rounds to an integer */
    float bounded = x < -87.0f ? -87.0f : x > 88.0f ? 88.0f : x;
    float k = bounded * 0x1.715476p0f + magic;
    uint32_t bits;
    memcpy(&bits, &k, sizeof bits);
    k -= magic;
    float r = (bounded - k * 0x1.62e4p-1f) + k * -0x1.7f7d1cp-20f;
    float p = 1.0f / 5040;
    p = p * r + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r * r + r + 1.0f;
    uint32_t power = (bits + 127) << 23;
    float scale;
    memcpy(&scale, &power, sizeof scale);
    float y = p * scale;
    y = x < -87.0f ? 0.0f : y;
    y = x > 88.0f ? INFINITY : y;
    return x == x ? y : x;
}

/* The same for doubles: 0 below -708, infinity above 709; the rest is below 2^-57. */
static inline double summand__exp_f64(double x)
{
    const double magic = 0x1.8p52;
    double bounded = x < -708.0 ? -708.0 : x > 709.0 ? 709.0 : x;
    double k = bounded * 0x1.71547652b82fep0 + magic;
    uint64_t bits;
    memcpy(&bits, &k, sizeof bits);
    k -= magic;
    double r = (bounded - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r * r + r + 1.0;
    uint64_t power = (bits + 1023) << 52;
    double scale;
    memcpy(&scale, &power, sizeof scale);
    double y = p * scale;
    y = x < -708.0 ? 0.0 : y;
    y = x > 709.0 ? (double)INFINITY : y;
    return x == x ? y : x;
}

/* x = a(x) for n elements. Both types to a few units in the last place. */
struct summand__activation {
    const char *name;
    void (*f64)(size_t n, double *x);
    void (*f32)(size_t n, float *x);
};

/* In the order of enum summand_activation. */
enum {
    SUMMAND__IDENTITY,
    SUMMAND__SIGMOID, /* 1 / (1 + e^-x) */
    SUMMAND__TANH,
    SUMMAND__RELU, /* 0 below 0, else x */
    SUMMAND__ACTIVATIONS
};
void summand__identity_f32(size_t n, float *x);
void summand__sigmoid_f32(size_t n, float *x);
void summand__tanh_f32(size_t n, float *x);
void summand__relu_f32(size_t n, float *x);
extern const struct summand__activation summand__activations[SUMMAND__ACTIVATIONS];
