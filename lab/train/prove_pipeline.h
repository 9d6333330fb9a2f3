/* SPDX-License-Identifier: BSD-3-Clause */
/* Proofs of the pipelines of training (train/pipeline.h): nobody waits for ever; no slot, credit or
 * version is touched while it is in use; and the weights at the end are, term by term, those of a
 * sequential training in which every piece sees the version that its mode promises. A stretch is
 * played until what ranks know at its end is the same twice, so any number of them is proved;
 * within one, batches repeat what those before them did once the pipeline is full, and the cases
 * have more batches than that takes. */
#ifndef SUMMAND_LAB_TRAIN_PROVE_PIPELINE_H
#define SUMMAND_LAB_TRAIN_PROVE_PIPELINE_H

#include "lab/verify/prove_steps.h"
#include "train/pipeline.h"

enum { TRAIN_PROOF_STAGES = 8, TRAIN_PROOF_WIDTH = 1 };

/* All cases of a mode in so many stages: batches, whole and partial ones, momentum, decay. Adds to
 * `proofs`; false after writing the first fault. */
bool train_prove_mode(enum train_delay delay, int stages, size_t *proofs, char *fault, size_t room);

/* Its parts. Layers of one neuron, and pieces of one sample. */
struct train_shape train_proof_shape(int layers);
struct train_pipeline train_proof_pipeline(const struct train_shape *shape, enum train_delay delay,
                                           int stages, size_t samples, size_t batch);
/* Schedules of all stages, to be freed whether this is true or false (out of memory). */
bool train_proof_make(const struct train_pipeline *pipeline, struct summand__schedule *schedules,
                      struct train_stage_places *places);
bool train_prove_pipeline(const struct train_pipeline *pipeline,
                          const struct summand__schedule *schedules,
                          const struct train_stage_places *places,
                          struct summand__steps_proof *proof);

#endif
