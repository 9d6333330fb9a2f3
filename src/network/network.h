/* SPDX-License-Identifier: BSD-3-Clause */
/* A fully connected feed-forward network: its shape, its weights, and the passes over a batch,
 * layer by layer. Layers 1..L have widths[1..L]; widths[0] is that of the input.
 *
 * Samples are rows. Layer l's weights are a matrix of widths[l - 1] + 1 rows. The last row is the
 * biases, because each row of inputs ends with a 1. Rows begin at cache lines, with zeros
 * between. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/activation.h"
#include "network/fault.h"
#include "network/product.h"

enum { SUMMAND__NET_LAYERS_MOST = 64, SUMMAND__NET_LINE = 16, SUMMAND__NET_WIDTH_MOST = 1 << 24 };

struct summand__net_shape {
    int layers;
    size_t widths[SUMMAND__NET_LAYERS_MOST + 1];
    const struct summand__net_activation *hidden;
    const struct summand__net_activation
        *last; /* of the last layer, unless the loss has a softmax */
    const struct summand__net_loss *loss;
};

/* The activation behind layer l. */
static inline const struct summand__net_activation *
summand__net_activation_of(const struct summand__net_shape *shape, int l)
{
    return l < shape->layers ? shape->hidden : shape->last;
}

struct summand__net_matrix {
    float *at;
    size_t rows, columns, ld;
};

/* The leading dimension of rows with so many columns, in elements. */
size_t summand__net_ld(size_t columns);

/* Weights of all layers, or other arrays of their shape. */
struct summand__net_weights {
    size_t floats;
    float *memory;
    int layers;
    struct summand__net_matrix layer[SUMMAND__NET_LAYERS_MOST + 1]; /* from 1 on */
};

/* Layers first..last of a shape; zeros. False when out of memory. */
bool summand__net_weights_make(struct summand__net_weights *weights,
                               const struct summand__net_shape *shape, int first, int last);
void summand__net_weights_free(struct summand__net_weights *weights);
void summand__net_weights_copy(struct summand__net_weights *to,
                               const struct summand__net_weights *from);

/* Outputs and errors of one batch of up to `most` samples in layers first..last. */
struct summand__net_pass {
    const struct summand__net_shape *shape;
    const struct summand__net_arithmetic *arithmetic;
    size_t most;
    int first, last;
    float *memory;
    /* Of layer l: outputs (0: the inputs of the first), with a 1 after each row; and errors, the
     * derivatives of the loss by the layer's sums. */
    struct summand__net_matrix x[SUMMAND__NET_LAYERS_MOST + 1], d[SUMMAND__NET_LAYERS_MOST + 1];
};

bool summand__net_pass_make(struct summand__net_pass *pass, const struct summand__net_shape *shape,
                            const struct summand__net_arithmetic *arithmetic, size_t most,
                            int first, int last);
void summand__net_pass_free(struct summand__net_pass *pass);

/* x[l] from x[l - 1], of `samples` rows; a softmax is left to summand__net_pass_outputs. */
void summand__net_pass_forward(struct summand__net_pass *pass,
                               const struct summand__net_weights *weights, int l, size_t samples);
/* The softmax of the last layer's sums, in place, if the loss has one. */
void summand__net_pass_outputs(struct summand__net_pass *pass, size_t samples);
