/* SPDX-License-Identifier: BSD-3-Clause */
#include "network/activation.h"

#include <math.h>
#include <string.h>

#include "matrix/activation.h"

float summand__net_exp(float x)
{
    return summand__exp_f32(x);
}

/* x = 2^k m with m from sqrt(1/2) on; log m by the series of atanh((m - 1) / (m + 1)). */
float summand__net_log(float x)
{
    if (!(x > 0) || x > 0x1.fffffep127f)
        return x > 0 ? x : x == 0 ? -INFINITY : NAN;
    int k;
    float m = frexpf(x, &k); /* exact */
    if (m < 0x1.6a09e6p-1f) {
        m *= 2;
        k--;
    }
    double t = ((double)m - 1) / ((double)m + 1), s = t * t;
    double p = 1.0 / 13;
    for (int i = 11; i > 0; i -= 2)
        p = p * s + 1.0 / i;
    return (float)(2 * t * p + k * 0x1.62e42fefa39efp-1);
}

static void derive_sigmoid(size_t n, const float *x, float *d)
{
    for (size_t i = 0; i < n; i++)
        d[i] = d[i] * (x[i] * (1.0f - x[i]));
}

static void derive_hyperbolic(size_t n, const float *x, float *d)
{
    for (size_t i = 0; i < n; i++)
        d[i] = d[i] * (1.0f - x[i] * x[i]);
}

static void derive_rectify(size_t n, const float *x, float *d)
{
    for (size_t i = 0; i < n; i++)
        d[i] = x[i] > 0 ? d[i] : 0;
}

static void derive_linear(size_t n, const float *x, float *d)
{
    (void)n;
    (void)x;
    (void)d;
}

static const struct summand__net_activation rows[] = {
    {"sigmoid", false, summand__sigmoid_f32, derive_sigmoid},
    {"tanh", false, summand__tanh_f32, derive_hyperbolic},
    {"relu", true, summand__relu_f32, derive_rectify},
    {"linear", false, summand__identity_f32, derive_linear}};

const struct summand__net_activation *const summand__net_activations[] = {&rows[0], &rows[1],
                                                                          &rows[2], &rows[3], NULL};

const struct summand__net_activation *summand__net_activation_find(const char *name)
{
    for (int i = 0; summand__net_activations[i]; i++)
        if (!strcmp(summand__net_activations[i]->name, name))
            return summand__net_activations[i];
    return NULL;
}

size_t summand__net_greatest(size_t n, const float *x)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

static void softmax(size_t n, float *x)
{
    float greatest = x[0], sum = 0;
    for (size_t i = 1; i < n; i++)
        greatest = x[i] > greatest ? x[i] : greatest;
    for (size_t i = 0; i < n; i++)
        x[i] = summand__exp_f32(x[i] - greatest);
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    for (size_t i = 0; i < n; i++)
        x[i] /= sum;
}

/* An output that has rounded to 0 counts as the least positive number, so that the loss of a very
 * wrong sample is finite. */
static float cross_entropy(size_t n, const float *x, const float *target)
{
    size_t label = summand__net_greatest(n, target);
    return -summand__net_log(x[label] < 0x1p-126f ? 0x1p-126f : x[label]);
}

static void derive_cross_entropy(size_t n, const float *x, const float *target, float *d)
{
    for (size_t i = 0; i < n; i++)
        d[i] = x[i] - target[i];
}

static float squared(size_t n, const float *x, const float *target)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
        float off = x[i] - target[i];
        sum += off * off;
    }
    return 0.5f * sum;
}

static const struct summand__net_loss losses[] = {
    {"cross-entropy", true, softmax, cross_entropy, derive_cross_entropy},
    {"squared", false, NULL, squared, derive_cross_entropy /* the same difference */}};

const struct summand__net_loss *const summand__net_losses[] = {&losses[0], &losses[1], NULL};

const struct summand__net_loss *summand__net_loss_find(const char *name)
{
    for (int i = 0; summand__net_losses[i]; i++)
        if (!strcmp(summand__net_losses[i]->name, name))
            return summand__net_losses[i];
    return NULL;
}
