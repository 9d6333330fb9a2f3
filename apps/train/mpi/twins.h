/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages and their twins on ranks (poad.c): what one rank keeps. */
#ifndef SUMMAND_TRAIN_MPI_TWINS_H
#define SUMMAND_TRAIN_MPI_TWINS_H

#include <summand/notify.h>

#include "train/mpi/recorder.h"
#include "train/pipeline.h"
#include "train/poad.h"
#include "train/run.h"

enum { TWINS_ROWS, TWINS_WEIGHTS, TWINS_QUEUES };
/* Floats of a rank's segment: where a ring begins, and from one slot to the next. */
struct twins_layout {
    size_t at[TRAIN_RINGS], slot[TRAIN_RINGS];
    size_t x_at[TRAIN_LAYERS_MOST + 1]; /* of layer l's outputs in a slot of TRAIN_OUTPUTS */
    size_t floats;
};

struct twins {
    struct train_poad poad;
    struct train_pipeline cut;  /* layers of the stages */
    int first, last;            /* of this rank's */
    bool forward, back;         /* what this rank is */
    struct twins_layout layout; /* of this rank */
    struct train_pass pass;
    float *x[TRAIN_LAYERS_MOST + 1],
        *d; /* of the pass: its own outputs, and errors behind `last` */
    summand_segment *segment;
    float *memory;
    int id;                       /* of the first ring */
    uint64_t before[TRAIN_RINGS]; /* what the counters were at the beginning of the stretch */
    size_t begin;                 /* first batch of the stretch */
    struct train_recorder recorder;
};

/* twins_make.c. Collective; what fails on one rank fails on all. */
bool twins_open(struct train_run *run, bool stashed, struct train_fault *fault);
void twins_close(struct train_run *run);

struct twins_layout twins_layout_of(const struct train_run *run, const struct twins *own, int rank);
size_t twins_weights_of(const struct train_run *run, int first, int last); /* floats */
/* Of this rank's ring: where batch or version `number` lies. */
float *twins_slot_of(const struct twins *own, enum train_ring ring, size_t number);

#endif
