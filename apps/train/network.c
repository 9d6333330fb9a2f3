/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gossip/random.h"

size_t train_ld(size_t columns)
{
    return (columns + TRAIN_LINE - 1) / TRAIN_LINE * TRAIN_LINE;
}

/* Zeros, aligned to a cache line; NULL without memory. */
static float *make_floats(size_t count)
{
    float *memory = NULL;
    if (count > SIZE_MAX / sizeof *memory - TRAIN_LINE)
        return NULL;
    size_t bytes = (train_ld(count) + TRAIN_LINE) * sizeof *memory;
    if (posix_memalign((void **)&memory, TRAIN_LINE * sizeof *memory, bytes))
        return NULL;
    memset(memory, 0, bytes);
    return memory;
}

bool train_weights_make(struct train_weights *weights, const struct train_shape *shape, int first,
                        int last)
{
    *weights = (struct train_weights){.layers = shape->layers};
    for (int l = first; l <= last; l++) {
        struct train_matrix *m = &weights->layer[l];
        *m = (struct train_matrix){.rows = shape->widths[l - 1] + 1, .columns = shape->widths[l]};
        m->ld = train_ld(m->columns);
        if (m->ld > (SIZE_MAX / 8 - weights->floats) / m->rows)
            return false;
        weights->floats += m->rows * m->ld;
    }
    weights->memory = make_floats(weights->floats);
    float *at = weights->memory;
    for (int l = first; l <= last && at; l++) {
        weights->layer[l].at = at;
        at += weights->layer[l].rows * weights->layer[l].ld;
    }
    return at;
}

void train_weights_free(struct train_weights *weights)
{
    free(weights->memory);
    *weights = (struct train_weights){0};
}

void train_weights_copy(struct train_weights *to, const struct train_weights *from)
{
    memcpy(to->memory, from->memory, from->floats * sizeof *from->memory);
}

/* The activation after layer l. */
static const struct train_activation *activation_of(const struct train_shape *shape, int l)
{
    return l < shape->layers ? shape->hidden : shape->last;
}

void train_weights_draw(struct train_weights *weights, const struct train_shape *shape,
                        uint64_t seed)
{
    for (int l = 1; l <= shape->layers; l++) {
        struct train_matrix *m = &weights->layer[l];
        size_t inputs = shape->widths[l - 1], outputs = shape->widths[l];
        bool he = (l < shape->layers || !shape->loss->is_softmax) &&
                  activation_of(shape, l)->is_rectifier;
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

/* Lays out the matrices of a pass in its memory; with memory NULL, returns their size. */
static size_t lay_out(struct train_pass *pass, float *memory)
{
    size_t at = 0;
    for (int l = pass->first - 1; l <= pass->last; l++) {
        size_t width = pass->shape->widths[l], ld = train_ld(width + 1);
        pass->x[l] = (struct train_matrix){memory + at, pass->most, width, ld};
        at += pass->most * ld;
        pass->d[l] = (struct train_matrix){memory + at, pass->most, width, ld};
        at += pass->most * ld;
    }
    return at;
}

bool train_pass_make(struct train_pass *pass, const struct train_shape *shape,
                     const struct train_arithmetic *arithmetic, size_t most, int first, int last)
{
    *pass = (struct train_pass){shape, arithmetic, most, first, last, NULL, {{0}}, {{0}}};
    size_t widest = most;
    for (int l = first - 1; l <= last; l++)
        widest = shape->widths[l] + 1 > widest ? shape->widths[l] + 1 : widest;
    if (most > SIZE_MAX / 16 / (widest + TRAIN_LINE) / (size_t)(last - first + 2))
        return false;
    pass->memory = make_floats(lay_out(pass, NULL));
    if (!pass->memory)
        return false;
    lay_out(pass, pass->memory);
    for (int l = first - 1; l <= last; l++)
        for (size_t s = 0; s < most; s++)
            pass->x[l].at[s * pass->x[l].ld + pass->x[l].columns] = 1;
    return true;
}

void train_pass_free(struct train_pass *pass)
{
    free(pass->memory);
    pass->memory = NULL;
}

void train_pass_forward(struct train_pass *pass, const struct train_weights *weights, int l,
                        size_t samples)
{
    const struct train_matrix *in = &pass->x[l - 1], *out = &pass->x[l], *w = &weights->layer[l];
    struct train_product product = {samples, w->columns, w->rows, false,   false, in->at, w->at,
                                    out->at, in->ld,     w->ld,   out->ld, 1,     0};
    train_multiply(pass->arithmetic, &product);
    if (l == pass->shape->layers && pass->shape->loss->is_softmax)
        return;
    for (size_t s = 0; s < samples; s++)
        activation_of(pass->shape, l)->apply(out->columns, out->at + s * out->ld);
}

void train_pass_loss(struct train_pass *pass, const int32_t *labels, size_t samples, float *loss,
                     bool *right)
{
    const struct train_shape *shape = pass->shape;
    const struct train_matrix *x = &pass->x[shape->layers], *d = &pass->d[shape->layers];
    for (size_t s = 0; s < samples; s++) {
        float *outputs = x->at + s * x->ld, *errors = d->at + s * d->ld;
        size_t label = (size_t)labels[s], greatest = 0;
        if (shape->loss->outputs)
            shape->loss->outputs(x->columns, outputs);
        for (size_t i = 1; i < x->columns; i++)
            greatest = outputs[i] > outputs[greatest] ? i : greatest;
        loss[s] = shape->loss->value(x->columns, outputs, label);
        right[s] = greatest == label;
        shape->loss->derive(x->columns, outputs, label, errors);
        if (!shape->loss->is_softmax)
            shape->last->derive(x->columns, outputs, errors);
    }
}

void train_pass_backward(struct train_pass *pass, const struct train_weights *weights, int l,
                         size_t samples)
{
    const struct train_matrix *d = &pass->d[l], *to = &pass->d[l - 1], *w = &weights->layer[l];
    const struct train_matrix *x = &pass->x[l - 1];
    struct train_product product = {samples, w->rows - 1, w->columns, false,  true, d->at, w->at,
                                    to->at,  d->ld,       w->ld,      to->ld, 1,    0};
    train_multiply(pass->arithmetic, &product);
    for (size_t s = 0; s < samples; s++)
        pass->shape->hidden->derive(to->columns, x->at + s * x->ld, to->at + s * to->ld);
}

void train_pass_gradient(struct train_pass *pass, int l, size_t samples, float alpha, float beta,
                         struct train_matrix *g)
{
    const struct train_matrix *in = &pass->x[l - 1], *d = &pass->d[l];
    struct train_product product = {g->rows, g->columns, samples, true,  false, in->at, d->at,
                                    g->at,   in->ld,     d->ld,   g->ld, alpha, beta};
    train_multiply(pass->arithmetic, &product);
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
