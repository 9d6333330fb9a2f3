/* SPDX-License-Identifier: BSD-3-Clause */
/* The protocol of training with twins (train/poad.h) is proved as a schedule of puts, counters and
 * copies (lab/verify/prove_steps.h), whatever the times: nobody waits for ever; each batch finds in
 * each slot what it is to find there, by the definition of the training; no slot is touched by two
 * ranks at once; no version that a batch may see is overwritten before it has; and each version is
 * put once. Of versions of which a batch may take any, the oldest one is read. */
#ifndef SUMMAND_LAB_TRAIN_PROVE_TWINS_H
#define SUMMAND_LAB_TRAIN_PROVE_TWINS_H

#include "train/poad.h"

/* All cases of so many stages, up to TRAIN_PROOF_STAGES: twins apart and together, any bound on how
 * far weights are behind, up to 64 batches. Adds to `proofs`; false after writing the first
 * fault. */
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
