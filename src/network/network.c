/* SPDX-License-Identifier: BSD-3-Clause */
#include "network/network.h"

#include <stdlib.h>
#include <string.h>

size_t summand__net_ld(size_t columns)
{
    return (columns + SUMMAND__NET_LINE - 1) / SUMMAND__NET_LINE * SUMMAND__NET_LINE;
}

/* Zeros, aligned to a cache line; NULL without memory. */
static float *make_floats(size_t count)
{
    float *memory = NULL;
    if (count > SIZE_MAX / sizeof *memory - SUMMAND__NET_LINE)
        return NULL;
    size_t bytes = (summand__net_ld(count) + SUMMAND__NET_LINE) * sizeof *memory;
    if (posix_memalign((void **)&memory, SUMMAND__NET_LINE * sizeof *memory, bytes))
        return NULL;
    memset(memory, 0, bytes);
    return memory;
}

bool summand__net_weights_make(struct summand__net_weights *weights,
                               const struct summand__net_shape *shape, int first, int last)
{
    *weights = (struct summand__net_weights){.layers = shape->layers};
    for (int l = first; l <= last; l++) {
        struct summand__net_matrix *m = &weights->layer[l];
        *m = (struct summand__net_matrix){.rows = shape->widths[l - 1] + 1,
                                          .columns = shape->widths[l]};
        m->ld = summand__net_ld(m->columns);
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

void summand__net_weights_free(struct summand__net_weights *weights)
{
    free(weights->memory);
    *weights = (struct summand__net_weights){0};
}

void summand__net_weights_copy(struct summand__net_weights *to,
                               const struct summand__net_weights *from)
{
    memcpy(to->memory, from->memory, from->floats * sizeof *from->memory);
}

/* Lays out the matrices of a pass in its memory; with memory NULL, returns their size. */
static size_t lay_out(struct summand__net_pass *pass, float *memory)
{
    size_t at = 0;
    for (int l = pass->first - 1; l <= pass->last; l++) {
        size_t width = pass->shape->widths[l], ld = summand__net_ld(width + 1);
        pass->x[l] = (struct summand__net_matrix){memory + at, pass->most, width, ld};
        at += pass->most * ld;
        pass->d[l] = (struct summand__net_matrix){memory + at, pass->most, width, ld};
        at += pass->most * ld;
    }
    return at;
}

bool summand__net_pass_make(struct summand__net_pass *pass, const struct summand__net_shape *shape,
                            const struct summand__net_arithmetic *arithmetic, size_t most,
                            int first, int last)
{
    *pass = (struct summand__net_pass){shape, arithmetic, most, first, last, NULL, {{0}}, {{0}}};
    size_t widest = most;
    for (int l = first - 1; l <= last; l++)
        widest = shape->widths[l] + 1 > widest ? shape->widths[l] + 1 : widest;
    if (most > SIZE_MAX / 16 / (widest + SUMMAND__NET_LINE) / (size_t)(last - first + 2))
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

void summand__net_pass_free(struct summand__net_pass *pass)
{
    free(pass->memory);
    pass->memory = NULL;
}

void summand__net_pass_forward(struct summand__net_pass *pass,
                               const struct summand__net_weights *weights, int l, size_t samples)
{
    const struct summand__net_matrix *in = &pass->x[l - 1], *out = &pass->x[l],
                                     *w = &weights->layer[l];
    struct summand__net_product product = {samples, w->columns, w->rows, false,  false,
                                           in->at,  w->at,      out->at, in->ld, w->ld,
                                           out->ld, 1,          0};
    summand__net_multiply(pass->arithmetic, &product);
    if (l == pass->shape->layers && pass->shape->loss->is_softmax)
        return;
    for (size_t s = 0; s < samples; s++)
        summand__net_activation_of(pass->shape, l)->apply(out->columns, out->at + s * out->ld);
}

void summand__net_pass_outputs(struct summand__net_pass *pass, size_t samples)
{
    const struct summand__net_matrix *x = &pass->x[pass->shape->layers];
    for (size_t s = 0; pass->shape->loss->outputs && s < samples; s++)
        pass->shape->loss->outputs(x->columns, x->at + s * x->ld);
}
