/* SPDX-License-Identifier: BSD-3-Clause */
/* Assigns layers to stages. */
#include "train/pipeline.h"

static double product_of(const struct summand__net_shape *shape, int l)
{
    return (double)(shape->widths[l - 1] + 1) * (double)shape->widths[l];
}

/* In `last` stage 0 computes the gradients. Twins are cut by their own layers' products. */
static bool is_last(const struct train_pipeline *p)
{
    return p->delay == TRAIN_LAST && !p->twins;
}

/* A layer's operations per sample, output and input, in its stage. The first layer sends no errors
 * back. */
static double work_of(const struct train_pipeline *p, int l)
{
    int products = 1 + (l > 1) + !is_last(p);
    return products * product_of(p->shape, l);
}

/* The work of stage 0 besides its layers. */
static double work_of_first(const struct train_pipeline *p)
{
    double work = 0;
    for (int l = 1; l <= p->shape->layers && is_last(p); l++)
        work += product_of(p->shape, l);
    return work;
}

/* Cuts greedily under a limit; returns the number of stages, each with at least one layer. */
static int stages_under(struct train_pipeline *p, double limit)
{
    int g = 0;
    double load = 0;
    for (int l = 1; l <= p->shape->layers; l++) {
        double work = work_of(p, l) + (l == 1 ? work_of_first(p) : 0);
        bool must = p->shape->layers - l + 1 <= p->stages - g - 1 && l > 1;
        if (l == 1 || load + work > limit || must) {
            if (l > 1)
                g++;
            if (g >= p->stages)
                return g + 1;
            p->first[g] = l;
            load = 0;
        }
        load += work;
    }
    p->first[g + 1] = p->shape->layers + 1;
    return g + 1;
}

bool train_pipeline_cut(struct train_pipeline *pipeline, int stages)
{
    pipeline->stages = stages;
    if (stages < 1 || stages > TRAIN_STAGES_MOST || stages > pipeline->shape->layers)
        return false;
    double low = 0, high = work_of_first(pipeline);
    for (int l = 1; l <= pipeline->shape->layers; l++)
        high += work_of(pipeline, l);
    for (int i = 0; i < 60; i++) {
        double limit = (low + high) / 2;
        *(stages_under(pipeline, limit) <= stages ? &high : &low) = limit;
    }
    return stages_under(pipeline, high) == stages;
}

size_t train_pipeline_piece(enum train_delay delay, int stages, size_t batch)
{
    enum { PIECES = 4, FEW_PIECES = 2, LEAST_PIECE = 32 };
    size_t count = (size_t)stages, least = count > FEW_PIECES ? count : FEW_PIECES;
    if (train_pipeline_whole(delay) || (delay == TRAIN_SYNC && stages == 1))
        return batch;
    size_t fewest = (batch + least - 1) / least,
           most = (batch + PIECES * count - 1) / (PIECES * count);
    if (delay == TRAIN_2BW || fewest <= LEAST_PIECE)
        return fewest;
    return most > LEAST_PIECE ? most : LEAST_PIECE;
}
