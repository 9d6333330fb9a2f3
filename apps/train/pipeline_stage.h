/* SPDX-License-Identifier: BSD-3-Clause */
/* A stage while its schedule is built, and the places of its data (pipeline.c). */
#pragma once

#include "train/pipeline_pieces.h"

/* Counters of a stage; one TRAIN_SENT for each stage but the first. */
enum { TRAIN_ARRIVED, TRAIN_RETURNED, TRAIN_FREE_AHEAD, TRAIN_FREE_BEHIND, TRAIN_MADE, TRAIN_SENT };

struct train_stage {
    const struct train_pipeline *p;
    struct summand__schedule *schedule;
    int g, first, last;
    size_t pieces, depth;   /* pieces in flight, at most */
    size_t updates;         /* in the steps so far */
    int64_t credited[2];    /* the highest count that was awaited */
    uint32_t ahead, behind; /* windows: from the stage before, and from the one after */
    uint32_t sums, errors, raw;
    size_t all_floats;  /* of the first version */
    size_t more_floats; /* of another one */
    /* TRAIN_LAST: windows for versions of a stage's weights, and for inputs and errors of which
     * gradients are computed; and floats of their slots. */
    uint32_t versions, sources;
    size_t version_floats, source_floats;
    size_t shown; /* versions of stage 0 that were awaited */
    /* Floats before layer l. A layer's rows are contiguous, slot by slot, so those of a batch are
     * too. */
    size_t x_at[SUMMAND__NET_LAYERS_MOST + 1], d_at[SUMMAND__NET_LAYERS_MOST + 1],
        w_at[SUMMAND__NET_LAYERS_MOST + 1];
    size_t more_at[SUMMAND__NET_LAYERS_MOST + 1]; /* in versions but the first one */
    size_t source_at[SUMMAND__NET_LAYERS_MOST + 1];
    struct train_stage_places *places;
};

size_t train_stage_width(const struct train_stage *s, int l);  /* of a layer */
size_t train_stage_floats(const struct train_stage *s, int l); /* of a layer's weights */
bool train_decays_alone(const struct train_pipeline *p);

/* Outputs and errors of a layer: of `rows` samples from the piece on. */
struct summand__tile train_stage_outputs(const struct train_stage *s,
                                         const struct train_piece *piece, int l, size_t rows,
                                         size_t count);
struct summand__tile train_stage_errors(const struct train_stage *s,
                                        const struct train_piece *piece, int l, size_t rows);

size_t train_stage_versions(const struct train_stage *s, int l);
struct summand__tile train_stage_weights(const struct train_stage *s, size_t version, int l,
                                         size_t rows);

struct summand__tile train_stage_inputs_of(const struct train_stage *s,
                                           const struct train_piece *begin, int l, bool there);
struct summand__tile train_stage_errors_of(const struct train_stage *s,
                                           const struct train_piece *begin, int l, bool there);
