/* SPDX-License-Identifier: BSD-3-Clause */
/* Learning-rate schedules. */
#ifndef SUMMAND_TRAIN_RATE_H
#define SUMMAND_TRAIN_RATE_H

#include <stdbool.h>
#include <stddef.h>

struct train_rate {
    const char *name, *description;
    double (*factor)(size_t epoch, size_t epochs); /* epoch from 0 on */
    bool warm; /* the first epoch begins with a lower rate where weights are behind */
};

/* The factor of the rate when the part `done` of an epoch is over, from 0 to 1, in a training whose
 * weights are up to `behind` batches behind.
 *
 * Delays do most harm at first, when weights change fast. A warm schedule begins with the rate
 * divided by the root of 1 + behind, and rises to the usual rate during the first epoch. Without
 * delays warm makes no difference. Source: the rates of C. Yang et al., PipeMare (2021), who divide
 * by the whole delay, and for longer; measured in docs/training.md. */
double train_rate_factor(const struct train_rate *rate, size_t epoch, double done, size_t epochs,
                         size_t behind);

/* Ended by NULL. */
extern const struct train_rate *const train_rates[];

#endif
