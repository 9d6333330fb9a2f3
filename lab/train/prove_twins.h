/* The protocol of training with twins (train/poad.h) is proved by playing it. Ranks have vector
 * clocks, which only waits for counters advance; so what is found to come before something else
 * does so in every run, whatever the times. Then nobody waits for ever; every slot holds what is
 * read from it, and is not written before that; no version that a batch may see is overwritten
 * before it has; and each version is put once, in order. */
#ifndef SUMMAND_LAB_TRAIN_PROVE_TWINS_H
#define SUMMAND_LAB_TRAIN_PROVE_TWINS_H

#include "train/poad.h"

/* All cases of so many stages, up to TRAIN_PROOF_STAGES: twins apart and together, any bound on how
 * far weights are behind, up to 64 batches. Adds to `proofs`; false after writing the first fault.
 */
bool train_prove_poad(int stages, size_t *proofs, char *fault, size_t room);

/* The same of stashed twins: each batch finds the version that it is to see, forward and back. */
bool train_prove_stashed_twins(int stages, size_t *proofs, char *fault, size_t room);

/* A protocol that is no good, which the proof must refute. */
struct train_twins_flaw {
    bool slot_less;       /* in every ring */
    bool no_waits;        /* for one ring */
    enum train_ring ring; /* that one */
    bool turned;          /* what a turn leaves goes in the other order */
};

/* One case; `flaw` may be NULL. */
bool train_prove_twins(const struct train_poad *poad, const struct train_twins_flaw *flaw,
                       char *fault, size_t room);

#endif
