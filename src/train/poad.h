/* The dissertation's training (Schmidtobreick 2017, chapter 2.4) as a protocol: who waits for what,
 * and into which slot what is put. Pure functions of the stage and the batch: the ranks follow them
 * (train/mpi/poad.c), and so does the proof (lab/train/prove_twins.c).
 *
 * Stages of layers are there twice: F(g) works forward, its twin R(g) back. R(g) has the weights,
 * improves them by each batch, and puts each version into F(g)'s window while that computes. F(g)
 * takes the newest version that has come whole when it begins a batch. Batch t sees, forward, a
 * version v with t - behind <= v <= t (a version is the number of batches in it), and back version
 * t: `behind` bounds how far apart they are.
 *
 * Rings have behind + 1 slots, and need no credits. F(g) begins batch t once version t - behind is
 * there. R(g) made it after it was done with batches up to t - behind - 1, whose slots the batch
 * takes: in R(g)'s rings, and in those of the stages behind g, which were done before R(g) was. A
 * version goes into the slot of the one behind + 1 before it, which only batches up to t - 1 may
 * see if it is version t; F(g) has put batch t - 1 before R(g) improved by it. Nothing waits for
 * what comes of a later batch, so nobody waits for ever.
 *
 * Twins may also be stashed: batch t sees version t - d(g), forward and back, with d(g) =
 * 2 (stages - 1 - g) + 1, which is how many batches F(g) can be ahead of R(g) where all ranks have
 * something to do. F(g) takes exactly that version, and R(g) keeps as many in a ring of its own. So
 * what comes of it does not depend on times.
 *
 * Twins may be one rank ("together"): then stage g works forward on up to stages - g batches before
 * it works back on the first, and forward weights are the newest ones where they lie. Such a rank
 * improves its weights before it puts errors: the gradient reads the slot of its inputs, which the
 * stage before fills again once it has the errors. Twins that are apart put errors first, so that
 * the stage before need not wait. */
#ifndef SUMMAND_TRAIN_POAD_H
#define SUMMAND_TRAIN_POAD_H

#include <stdbool.h>
#include <stddef.h>

struct train_poad {
    int stages;
    size_t behind, batches;
    bool together;
    bool stashed; /* apart; `behind` is that of stage 0 */
};

/* What other ranks put into a window, with a counter behind each slot; and slots of a rank's own:
 * OUTPUTS where twins are together, and STASH. */
enum train_ring {
    TRAIN_INPUTS,   /* of F(g): outputs of F(g - 1) */
    TRAIN_VERSIONS, /* of F(g): weights of R(g); version 0 is there at the beginning */
    TRAIN_OUTPUTS,  /* of R(g): what went into and out of the layers of F(g) */
    TRAIN_ERRORS,   /* of R(g): errors from R(g + 1) */
    TRAIN_STASH,    /* of R(g), stashed: its weights; version 0 is there at the beginning */
    TRAIN_RINGS
};

enum train_poad_kind {
    TRAIN_WAIT,   /* until `number` slots of the ring have been put into this rank's window */
    TRAIN_READ,   /* what is in the slot */
    TRAIN_STORE,  /* into the slot of this rank */
    TRAIN_PUT,    /* into the slot of the peer, and behind it adds one to the ring's counter */
    TRAIN_IMPROVE /* the weights, by a gradient that reads again all that the turn has read */
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
    /* Acts before the work: waits, and what is read; then what the work leaves. F(g) may read
     * versions from `oldest` on, whichever has come; stashed, that one. */
    struct train_poad_act before[5], after[4];
    int befores, afters;
    bool takes_version;
    size_t oldest;
};

/* How far forward weights may be behind by default: as far as the line of ranks is long, which then
 * all have something to do; or `wanted`, if that is not below 0. */
size_t train_poad_behind(int ranks, long long wanted);

/* Of stashed twins: how far weights are behind in the first stage, which is where most. */
size_t train_poad_stashed(int stages);
/* By how many batches weights may be behind in a stage. */
size_t train_poad_behind_in(const struct train_poad *poad, int stage);

size_t train_poad_slots(const struct train_poad *poad);
/* What tells a training from those of other delays (train_run.delay). */
size_t train_poad_mark(const struct train_poad *poad);
int train_poad_ranks(const struct train_poad *poad);
int train_poad_stage(const struct train_poad *poad, int rank);
int train_poad_twin(const struct train_poad *poad, int stage); /* the rank that is R(stage) */

/* Turn `number` of a rank, from 0 on; false: there are no more. At the end F(g) waits until all
 * versions are there. */
bool train_poad_turn(const struct train_poad *poad, int rank, size_t number,
                     struct train_poad_turn *turn);

#endif
