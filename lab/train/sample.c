/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/train/sample.h"

#include <string.h>

#include "lab/train/sample_poad.h"
#include "train/pipeline.h"

static void build(enum train_delay delay, const struct summand__sample_size *size, int rank,
                  struct summand__schedule *schedule)
{
    struct train_stage_places places;
    struct summand__net_shape shape = {.layers = size->ranks,
                                       .hidden = summand__net_activation_find("relu"),
                                       .last = summand__net_activation_find("linear"),
                                       .loss = summand__net_loss_find("cross-entropy")};
    struct train_pipeline pipeline = {.shape = &shape,
                                      .arithmetic = summand__net_arithmetics[0],
                                      .delay = delay,
                                      .samples = size->blocks * size->count,
                                      .batch = size->count,
                                      .piece = size->count / size->slots,
                                      .rate = 0.1};
    for (int l = 0; l <= shape.layers && l <= SUMMAND__NET_LAYERS_MOST; l++)
        shape.widths[l] = size->rows;
    if (shape.layers <= SUMMAND__NET_LAYERS_MOST && train_pipeline_cut(&pipeline, size->ranks))
        train_pipeline_build(&pipeline, rank, schedule, &places);
    else
        schedule->failed = true;
}

static void build_sync(const struct summand__sample_size *size, int rank,
                       struct summand__schedule *schedule)
{
    build(TRAIN_SYNC, size, rank, schedule);
}

static void build_stashed(const struct summand__sample_size *size, int rank,
                          struct summand__schedule *schedule)
{
    build(TRAIN_STASHED, size, rank, schedule);
}

static void build_2bw(const struct summand__sample_size *size, int rank,
                      struct summand__schedule *schedule)
{
    build(TRAIN_2BW, size, rank, schedule);
}

static void build_last(const struct summand__sample_size *size, int rank,
                       struct summand__schedule *schedule)
{
    build(TRAIN_LAST, size, rank, schedule);
}

static const struct summand__sample samples[] = {
    {.name = "train-sync",
     .description = "4 batches in 4 pieces; the pipeline empties between batches",
     .usual = {4, 4, 4, 512, 256, 0},
     .build = build_sync},
    {.name = "train-stashed",
     .description = "12 batches, one behind the other",
     .usual = {4, 12, 1, 512, 256, 0},
     .build = build_stashed},
    {.name = "train-2bw",
     .description = "4 batches in 4 pieces behind the batch before",
     .usual = {4, 4, 4, 512, 256, 0},
     .build = build_2bw},
    {.name = "train-last",
     .description = "12 batches; stage 0 makes all gradients",
     .usual = {4, 12, 1, 512, 256, 0},
     .build = build_last},
    {.name = "train-poad",
     .description = "12 batches; the first half of the ranks works forward, their twins back",
     .usual = {4, 12, 1, 512, 256, 0},
     .build = train_sample_poad},
    {.name = "train-poad-last",
     .description = "the same; the last rank of the way updates all weights",
     .usual = {4, 12, 1, 512, 256, 0},
     .build = train_sample_poad_last}};

const struct summand__sample *const train_samples[] = {
    &samples[0], &samples[1], &samples[2], &samples[3], &samples[4], &samples[5], NULL};

const struct summand__sample *train_sample_named(const char *name)
{
    for (int i = 0; train_samples[i]; i++)
        if (!strcmp(train_samples[i]->name, name))
            return train_samples[i];
    return NULL;
}

int train_sample_ranks(const struct summand__sample *sample)
{
    return sample->build == train_sample_poad || sample->build == train_sample_poad_last ? 2 : 1;
}
