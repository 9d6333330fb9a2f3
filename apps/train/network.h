/* SPDX-License-Identifier: BSD-3-Clause */
/* How a network (network/network.h) learns: its first weights, losses, the way back over a batch,
 * and updates of weights. */
#pragma once

#include "network/network.h"

/* Random weights. Of a layer with rectifiers: uniform in +-sqrt(6 / inputs) (He 2015); else in
 * +-sqrt(6 / (inputs + outputs)) (Glorot 2010). Biases are 0. A weight depends only on seed, layer
 * and its place (a counter-based generator), so each process can draw its own. */
void train_weights_draw(struct summand__net_weights *weights,
                        const struct summand__net_shape *shape, uint64_t seed);

/* Of the last layer: each sample's loss by its targets, whether the largest output and the largest
 * target are at one place, and the errors d[L]. If the loss has a softmax, the outputs become it.
 */
void train_pass_loss(struct summand__net_pass *pass, const float *targets, size_t samples,
                     float *loss, bool *right);
/* d[l - 1] from d[l]; `weights` are those with which x was computed. */
void train_pass_backward(struct summand__net_pass *pass, const struct summand__net_weights *weights,
                         int l, size_t samples);
/* g = alpha (sum of the samples' gradients of layer l) + beta g. */
void train_pass_gradient(struct summand__net_pass *pass, int l, size_t samples, float alpha,
                         float beta, struct summand__net_matrix *g);

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
