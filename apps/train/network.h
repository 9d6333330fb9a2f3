/* SPDX-License-Identifier: BSD-3-Clause */
/* A fully connected feed-forward network: its shape, its weights, and the passes over a batch,
 * layer by layer. Layers 1..L have widths[1..L]; widths[0] is that of the input.
 *
 * Samples are rows. Layer l's weights are a matrix of widths[l - 1] + 1 rows. The last row is the
 * biases, because each row of inputs ends with a 1. Rows begin at cache lines, with zeros
 * between. */
#ifndef SUMMAND_TRAIN_NETWORK_H
#define SUMMAND_TRAIN_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "train/activation.h"
#include "train/fault.h"
#include "train/product.h"

enum { TRAIN_LAYERS_MOST = 64, TRAIN_LINE = 16, TRAIN_WIDTH_MOST = 1 << 24 };

struct train_shape {
    int layers;
    size_t widths[TRAIN_LAYERS_MOST + 1];
    const struct train_activation *hidden;
    const struct train_activation *last; /* of the last layer, unless the loss has a softmax */
    const struct train_loss *loss;
};

struct train_matrix {
    float *at;
    size_t rows, columns, ld;
};

/* The leading dimension of rows with so many columns, in elements. */
size_t train_ld(size_t columns);

/* Weights of all layers, or other arrays of their shape. */
struct train_weights {
    size_t floats;
    float *memory;
    int layers;
    struct train_matrix layer[TRAIN_LAYERS_MOST + 1]; /* from 1 on */
};

/* Layers first..last of a shape; zeros. False when out of memory. */
bool train_weights_make(struct train_weights *weights, const struct train_shape *shape, int first,
                        int last);
void train_weights_free(struct train_weights *weights);
void train_weights_copy(struct train_weights *to, const struct train_weights *from);

/* Random weights. Of a layer with rectifiers: uniform in +-sqrt(6 / inputs) (He 2015); else in
 * +-sqrt(6 / (inputs + outputs)) (Glorot 2010). Biases are 0. A weight depends only on seed, layer
 * and its place (a counter-based generator), so each process can draw its own. */
void train_weights_draw(struct train_weights *weights, const struct train_shape *shape,
                        uint64_t seed);

/* Outputs and errors of one batch of up to `most` samples in layers first..last. */
struct train_pass {
    const struct train_shape *shape;
    const struct train_arithmetic *arithmetic;
    size_t most;
    int first, last;
    float *memory;
    /* Of layer l: outputs (0: the inputs of the first), with a 1 after each row; and errors, the
     * derivatives of the loss by the layer's sums. */
    struct train_matrix x[TRAIN_LAYERS_MOST + 1], d[TRAIN_LAYERS_MOST + 1];
};

bool train_pass_make(struct train_pass *pass, const struct train_shape *shape,
                     const struct train_arithmetic *arithmetic, size_t most, int first, int last);
void train_pass_free(struct train_pass *pass);

/* x[l] from x[l - 1], of `samples` rows; a softmax is left to train_pass_loss. */
void train_pass_forward(struct train_pass *pass, const struct train_weights *weights, int l,
                        size_t samples);
/* Of the last layer: each sample's loss, whether its greatest output is that of its class, and the
 * errors d[L]. If the loss has a softmax, the outputs become it. */
void train_pass_loss(struct train_pass *pass, const int32_t *labels, size_t samples, float *loss,
                     bool *right);
/* d[l - 1] from d[l]; `weights` are those with which x was computed. */
void train_pass_backward(struct train_pass *pass, const struct train_weights *weights, int l,
                         size_t samples);
/* g = alpha (sum of the samples' gradients of layer l) + beta g. */
void train_pass_gradient(struct train_pass *pass, int l, size_t samples, float alpha, float beta,
                         struct train_matrix *g);

/* Updates of weights, element by element: the same functions, and so the same bits, in all modes.
 * Biases, the last row of a matrix, do not decay. */

/* to = kept from; they may be the same. */
void train_decay(size_t n, float kept, const float *from, float *to);
/* v = v + decay w: adds the decay to a velocity. */
void train_pull(size_t n, float decay, const float *w, float *v);
/* w = w - rate v. */
void train_step(size_t n, float rate, const float *v, float *w);

/* The share of a weight that the decay of one step leaves. */
float train_kept(double rate, double decay);

#endif
