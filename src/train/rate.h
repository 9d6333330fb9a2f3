/* Learning-rate schedules: the rate of an epoch. */
#ifndef SUMMAND_TRAIN_RATE_H
#define SUMMAND_TRAIN_RATE_H

#include <stddef.h>

struct train_rate {
    const char *name, *description;
    double (*factor)(size_t epoch, size_t epochs); /* epoch from 0 on */
};

/* Ended by NULL. */
extern const struct train_rate *const train_rates[];

#endif
