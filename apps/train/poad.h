/* SPDX-License-Identifier: BSD-3-Clause */
/* The training of Schmidtobreick (2017), chapter 2.4, as a protocol: the waits of each rank, and
 * the slots that it fills. Pure functions of the stage and the batch; the ranks (train/mpi/poad.c)
 * and the proof (lab/train/prove_twins.c) use them.
 *
 * Each stage g has two ranks: F(g) works forward, its twin R(g) works back. R(g) has the weights,
 * updates them by each batch, and puts each version into F(g)'s window while F(g) computes. F(g)
 * takes the newest complete version when it begins a batch. A version is the number of batches in
 * it. Batch t sees version t on its way back, and forward a version v with t - behind <= v <= t.
 *
 * Rings have behind + 1 slots, and need no credits. F(g) begins batch t once version t - behind is
 * there. R(g) made it after it had finished batches up to t - behind - 1. Batch t uses their slots:
 * in R(g)'s rings, and in those of the stages behind g, which were done before R(g) was. Version t
 * goes into the slot of version t - behind - 1, which only batches up to t - 1 may see; F(g) has
 * put batch t - 1 before R(g) updates by it. Nothing waits for a result of a later batch, so no
 * rank waits for ever.
 *
 * Twins may also be stashed: batch t sees version t - d(g), forward and back, with d(g) =
 * 2 (stages - 1 - g) + 1. So many batches F(g) can be ahead of R(g) if all ranks have something to
 * do. F(g) takes exactly that version, and R(g) keeps as many in a ring of its own. So the result
 * does not depend on times.
 *
 * Twins may be one rank ("together"). Then stage g works forward on up to stages - g batches before
 * it works back on the first. Forward it reads the newest weights in place. Such a rank updates its
 * weights before it puts errors, because the gradient reads the slot of its inputs, and the stage
 * before fills that slot again once it has the errors. Twins that are apart put errors first, so
 * that the stage before need not wait.
 *
 * `last` is Algorithm 3 as it is printed: a batch ends in R(0), which computes the gradients of all
 * layers, updates all weights, and puts each version to all other ranks. R(g) puts the inputs and
 * errors of its layers to R(0), and takes the newest version that has arrived, as F(g) does. When
 * version t - behind is made, batch t - behind - 1 is over on all ranks, so the slots suffice. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "train/pipeline.h"

struct train_poad {
    int stages;
    size_t behind, batches;
    bool together;
    bool stashed; /* apart; `behind` is that of stage 0 */
    bool last;    /* apart, not stashed: R(0) updates all weights */
};

/* Rings of slots. Other ranks put into them, and each slot has a counter; OUTPUTS of twins that are
 * together, and STASH, are a rank's own. */
enum train_ring {
    TRAIN_INPUTS,   /* of F(g): outputs of F(g - 1) */
    TRAIN_VERSIONS, /* of F(g); last: of all but R(0). Weights of the keeper; version 0 is there at
                       the beginning */
    TRAIN_OUTPUTS,  /* of R(g): inputs and outputs of the layers of F(g) */
    TRAIN_ERRORS,   /* of R(g): errors from R(g + 1) */
    TRAIN_STASH,    /* of R(g), stashed: its weights; version 0 is there at the beginning */
    TRAIN_SOURCES,  /* + g, last: of R(0): inputs and errors of the layers of R(g), g > 0 */
    TRAIN_RINGS_MOST = TRAIN_SOURCES + TRAIN_STAGES_MOST
};

enum train_poad_kind {
    TRAIN_WAIT,   /* until `number` slots of the ring have been put into this rank's window */
    TRAIN_READ,   /* what is in the slot */
    TRAIN_STORE,  /* into the slot of this rank */
    TRAIN_PUT,    /* into the slot of the peer, and behind it adds one to the ring's counter */
    TRAIN_IMPROVE /* updates the weights; the gradient reads again all that the turn has read */
};

struct train_poad_act {
    enum train_poad_kind kind;
    enum train_ring ring;
    int peer;
    size_t number; /* TRAIN_WAIT: how many; else what the slot holds: a batch, or a version */
    size_t slot;
};

/* A batch, forward or back. */
struct train_poad_turn {
    bool back;
    int stage;
    size_t batch;
    /* Acts before the work: waits and reads; acts after it: stores, puts and the update. A rank
     * that takes a version may read any from `oldest` on that has arrived; stashed: exactly that
     * one. */
    struct train_poad_act before[5 + 2 * TRAIN_STAGES_MOST], after[4 + 2 * TRAIN_STAGES_MOST];
    int befores, afters;
    bool takes_version;
    size_t oldest;
};

/* The number of batches by which forward weights may be behind: `wanted` if not below 0; else as
 * many as keep all ranks of the pipeline busy. */
size_t train_poad_behind(int ranks, long long wanted);

/* For stashed twins: the batches by which weights are behind in the first stage, the largest
 * delay. */
size_t train_poad_stashed(int stages);
/* The number of batches by which weights may be behind in a stage. */
size_t train_poad_behind_in(const struct train_poad *poad, int stage);

size_t train_poad_slots(const struct train_poad *poad);
/* A number that differs between trainings with different delays (train_run.delay). */
size_t train_poad_mark(const struct train_poad *poad);
int train_poad_ranks(const struct train_poad *poad);
int train_poad_stage(const struct train_poad *poad, int rank);
int train_poad_twin(const struct train_poad *poad, int stage); /* the rank that is R(stage) */
/* The rank that updates a stage's weights. */
int train_poad_keeper(const struct train_poad *poad, int stage);
/* True if a rank has its weights from a keeper. */
bool train_poad_follows(const struct train_poad *poad, int rank);
int train_poad_rings(const struct train_poad *poad); /* those beyond have no slots */

/* Turn `number` of a rank, from 0 on; false: there are no more. At the end F(g) waits until all
 * versions are there. */
bool train_poad_turn(const struct train_poad *poad, int rank, size_t number,
                     struct train_poad_turn *turn);
