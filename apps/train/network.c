/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/network.h"

#include <math.h>

#include "base/random.h"

void train_weights_draw(struct summand__net_weights *weights,
                        const struct summand__net_shape *shape, uint64_t seed)
{
    for (int l = 1; l <= shape->layers; l++) {
        struct summand__net_matrix *m = &weights->layer[l];
        size_t inputs = shape->widths[l - 1], outputs = shape->widths[l];
        bool he = (l < shape->layers || !shape->loss->is_softmax) &&
                  summand__net_activation_of(shape, l)->is_rectifier;
        float limit = (float)sqrt(6.0 / (double)(he ? inputs : inputs + outputs));
        uint64_t of_layer = summand__stream(seed, (uint64_t)l);
        for (size_t i = 0; m->at && i < inputs; i++) {
            uint64_t of_row = summand__stream(of_layer, i);
            for (size_t j = 0; j < outputs; j++)
                m->at[i * m->ld + j] =
                    limit * (float)(2 * summand__unit(summand__stream(of_row, j)) - 1);
        }
    }
}

void train_pass_loss(struct summand__net_pass *pass, const float *targets, size_t samples,
                     float *loss, bool *right)
{
    const struct summand__net_shape *shape = pass->shape;
    const struct summand__net_matrix *x = &pass->x[shape->layers], *d = &pass->d[shape->layers];
    summand__net_pass_outputs(pass, samples);
    for (size_t s = 0; s < samples; s++) {
        float *outputs = x->at + s * x->ld, *errors = d->at + s * d->ld;
        const float *target = targets + s * x->columns;
        loss[s] = shape->loss->value(x->columns, outputs, target);
        right[s] =
            summand__net_greatest(x->columns, outputs) == summand__net_greatest(x->columns, target);
        shape->loss->derive(x->columns, outputs, target, errors);
        if (!shape->loss->is_softmax)
            shape->last->derive(x->columns, outputs, errors);
    }
}

void train_pass_backward(struct summand__net_pass *pass, const struct summand__net_weights *weights,
                         int l, size_t samples)
{
    const struct summand__net_matrix *d = &pass->d[l], *to = &pass->d[l - 1],
                                     *w = &weights->layer[l];
    const struct summand__net_matrix *x = &pass->x[l - 1];
    struct summand__net_product product = {samples, w->rows - 1, w->columns, false, true,
                                           d->at,   w->at,       to->at,     d->ld, w->ld,
                                           to->ld,  1,           0};
    summand__net_multiply(pass->arithmetic, &product);
    for (size_t s = 0; s < samples; s++)
        pass->shape->hidden->derive(to->columns, x->at + s * x->ld, to->at + s * to->ld);
}

void train_pass_gradient(struct summand__net_pass *pass, int l, size_t samples, float alpha,
                         float beta, struct summand__net_matrix *g)
{
    const struct summand__net_matrix *in = &pass->x[l - 1], *d = &pass->d[l];
    struct summand__net_product product = {g->rows, g->columns, samples, true,   false,
                                           in->at,  d->at,      g->at,   in->ld, d->ld,
                                           g->ld,   alpha,      beta};
    summand__net_multiply(pass->arithmetic, &product);
}

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
