/* How weights change, element by element: the same functions, and so the same bits, in all modes.
 * Decay is of weights, not of biases, which are a matrix's last row. */
#ifndef SUMMAND_TRAIN_UPDATE_H
#define SUMMAND_TRAIN_UPDATE_H

#include <stddef.h>

/* to = kept from; they may be the same. */
void train_decay(size_t n, float kept, const float *from, float *to);
/* v = v + decay w: the part of decay in a velocity. */
void train_pull(size_t n, float decay, const float *w, float *v);
/* w = w - rate v. */
void train_step(size_t n, float rate, const float *v, float *w);

/* What of a weight is left by decay alone in a step. */
float train_kept(double rate, double decay);

#endif
