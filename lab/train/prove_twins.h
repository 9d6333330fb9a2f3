/* SPDX-License-Identifier: BSD-3-Clause */
/* Proves the protocol of training with twins (train/poad.h) as a schedule of puts, counters and
 * copies (lab/verify/prove_steps.h), for all timings. No rank waits forever; each batch finds in
 * each slot what the training defines. No two ranks touch a slot at once; no version is overwritten
 * before every batch that may see it has seen it; each version is put once. If a batch may take any
 * of several versions, it reads the oldest one. */
#pragma once

#include "train/poad.h"

/* Proves all cases of so many stages, up to TRAIN_PROOF_STAGES: twins apart and together, and
 * apart with the last rank updating all weights; any bound on how far weights are behind, up to 64
 * batches. Adds to `proofs`; false after writing the first
 * fault. */
bool train_prove_poad(int stages, size_t *proofs, char *fault, size_t room);

/* The same for stashed twins: each batch finds its version, forward and back. */
bool train_prove_stashed_twins(int stages, size_t *proofs, char *fault, size_t room);

/* A broken protocol, which the proof must refute. */
struct train_twins_flaw {
    bool slot_less;       /* in every ring */
    bool no_waits;        /* no waits for one ring */
    enum train_ring ring; /* that ring */
    bool turned;          /* each turn does its later acts in reverse order */
};

/* One case; `flaw` may be NULL. */
bool train_prove_twins(const struct train_poad *poad, const struct train_twins_flaw *flaw,
                       char *fault, size_t room);
