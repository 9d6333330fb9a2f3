/* SPDX-License-Identifier: BSD-3-Clause */
/* Activations of layers, and losses of the last one. They use only float additions, products and
 * quotients in a fixed order, and no system library: the same bits on every machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summand__net_activation {
    const char *name;
    bool is_rectifier;                 /* initialised after He, others after Glorot */
    void (*apply)(size_t n, float *x); /* x = a(x) */
    /* d = d a'(z), from x = a(z) */
    void (*derive)(size_t n, const float *x, float *d);
};

/* sigmoid, tanh, relu, linear; ended by NULL. */
extern const struct summand__net_activation *const summand__net_activations[];
const struct summand__net_activation *summand__net_activation_find(const char *name);

/* The place of the largest element, the first one of several. */
size_t summand__net_greatest(size_t n, const float *x);

/* Of one sample: n outputs, and n targets. A class is a target of 1 among zeros; the cross-entropy
 * takes no others. */
struct summand__net_loss {
    const char *name;
    bool is_softmax; /* the last layer's activation is the softmax, and no other */
    /* From sums z to outputs x, in place; NULL: the last layer's activation does this. */
    void (*outputs)(size_t n, float *x);
    float (*value)(size_t n, const float *x, const float *target);
    /* The derivative of the loss by the outputs, for a softmax by the sums. */
    void (*derive)(size_t n, const float *x, const float *target, float *d);
};

/* cross-entropy (of the softmax), squared (half the squared distance); ended by NULL. */
extern const struct summand__net_loss *const summand__net_losses[];
const struct summand__net_loss *summand__net_loss_find(const char *name);

/* e^x to 2 units in the last place; 0 below -87, infinity above 88; NaN stays. */
float summand__net_exp(float x);
/* Natural logarithm of a positive number, likewise; of 0 it is -infinity. */
float summand__net_log(float x);
