/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/update.h"

void train_decay(size_t n, float kept, const float *from, float *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = kept * from[i];
}

void train_pull(size_t n, float decay, const float *w, float *v)
{
    for (size_t i = 0; i < n; i++)
        v[i] += decay * w[i];
}

void train_step(size_t n, float rate, const float *v, float *w)
{
    for (size_t i = 0; i < n; i++)
        w[i] -= rate * v[i];
}

float train_kept(double rate, double decay)
{
    return (float)(1 - rate * decay);
}
