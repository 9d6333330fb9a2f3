/* SPDX-License-Identifier: BSD-3-Clause */
/* Updates of weights, element by element: the same functions, and so the same bits, in all modes.
 * Biases, the last row of a matrix, do not decay. */
#ifndef SUMMAND_TRAIN_UPDATE_H
#define SUMMAND_TRAIN_UPDATE_H

#include <stddef.h>

/* to = kept from; they may be the same. */
void train_decay(size_t n, float kept, const float *from, float *to);
/* v = v + decay w: adds the decay to a velocity. */
void train_pull(size_t n, float decay, const float *w, float *v);
/* w = w - rate v. */
void train_step(size_t n, float rate, const float *v, float *w);

/* The share of a weight that the decay of one step leaves. */
float train_kept(double rate, double decay);

#endif
