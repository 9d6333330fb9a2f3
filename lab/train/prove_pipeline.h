/* SPDX-License-Identifier: BSD-3-Clause */
/* Proofs of the pipelines of training (train/pipeline.h). No rank waits forever; no slot, credit or
 * version is touched while it is in use. The weights at the end are, term by term, those of a
 * sequential training in which every piece sees the version that its mode promises. A stretch is
 * played until the ranks' knowledge at its end is the same twice, which proves any number of
 * stretches. Within a stretch, batches repeat those before them once the pipeline is full; the
 * cases have more batches than that. */
#pragma once

#include "lab/verify/prove_steps.h"
#include "train/pipeline.h"

enum { TRAIN_PROOF_STAGES = 8, TRAIN_PROOF_WIDTH = 1 };

/* Proves all cases of a mode in so many stages: batches, full and partial ones, momentum, decay.
 * Adds to `proofs`; false after writing the first fault. */
bool train_prove_mode(enum train_delay delay, int stages, size_t *proofs, char *fault, size_t room);

/* Parts of the proof. Layers have one neuron, and pieces one sample. */
struct summand__net_shape train_proof_shape(int layers);
struct train_pipeline train_proof_pipeline(const struct summand__net_shape *shape,
                                           enum train_delay delay, int stages, size_t samples,
                                           size_t batch);
/* Makes the schedules of all stages; false when out of memory. The caller frees them in any
 * case. */
bool train_proof_make(const struct train_pipeline *pipeline, struct summand__schedule *schedules,
                      struct train_stage_places *places);
bool train_prove_pipeline(const struct train_pipeline *pipeline,
                          const struct summand__schedule *schedules,
                          const struct train_stage_places *places,
                          struct summand__steps_proof *proof);
