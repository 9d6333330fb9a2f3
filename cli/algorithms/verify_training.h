/* SPDX-License-Identifier: BSD-3-Clause */
/* The pipelines of training, as `summand verify` proves them. */
#ifndef SUMMAND_CLI_ALGORITHMS_VERIFY_TRAINING_H
#define SUMMAND_CLI_ALGORITHMS_VERIFY_TRAINING_H

#include <stdbool.h>
#include <stddef.h>

enum { VERIFY_STAGES = 8 };

struct verify_training {
    const char *name;
    /* All cases of so many stages: adds to `proofs`, or returns false after writing a fault. */
    bool (*prove)(int stages, size_t *proofs, char *fault, size_t room);
};

/* Ended by one without a name. */
extern const struct verify_training verify_trainings[];
const struct verify_training *verify_training_named(const char *name);

#endif
