/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages and their twins on ranks (poad.c): the data of one rank. */
#pragma once

#include <summand/notify.h>

#include "train/mpi/recorder.h"
#include "train/pipeline.h"
#include "train/poad.h"
#include "train/run.h"

enum { TWINS_ROWS, TWINS_WEIGHTS, TWINS_QUEUES };
/* In floats of a rank's segment: the beginning of each ring, and the distance of its slots. */
struct twins_layout {
    size_t at[TRAIN_RINGS_MOST], slot[TRAIN_RINGS_MOST];
    size_t x_at[SUMMAND__NET_LAYERS_MOST + 1]; /* of layer l's outputs in a slot of TRAIN_OUTPUTS */
    size_t source_at[SUMMAND__NET_LAYERS_MOST + 1]; /* of layer l in a slot of TRAIN_SOURCES: its
                                                       inputs, and behind these its errors */
    size_t floats;
};

struct twins {
    struct train_poad poad;
    struct train_pipeline cut;    /* layers of the stages */
    int first, last;              /* of this rank's */
    int kept;                     /* the last layer that this rank updates, from its first one on */
    bool forward, back;           /* roles of this rank */
    struct twins_layout *layouts; /* of all ranks */
    const struct twins_layout *layout; /* of this rank */
    struct summand__net_pass pass;
    float *x[SUMMAND__NET_LAYERS_MOST + 1],
        *d; /* of the pass: its own outputs, and errors after `last` */
    summand_segment *segment;
    float *memory;
    int id;                            /* of the first ring */
    uint64_t before[TRAIN_RINGS_MOST]; /* values of the counters at the beginning of the stretch */
    size_t begin;                      /* first batch of the stretch */
    struct train_recorder recorder;
};

/* twins_make.c. Of `kind` the members `stashed` and `last` count. Collective; a failure on one rank
 * is a failure on all. */
bool twins_open(struct train_run *run, struct train_poad kind, struct summand__net_fault *fault);
void twins_close(struct train_run *run);

size_t twins_rows_of(const struct train_run *run, int l);                  /* floats */
size_t twins_weights_of(const struct train_run *run, int first, int last); /* floats */
/* The slot of batch or version `number` in this rank's ring. */
float *twins_slot_of(const struct twins *own, enum train_ring ring, size_t number);
