/* SPDX-License-Identifier: BSD-3-Clause */
/* When transfers are hidden behind computations: the analysis of Schmidtobreick (2017), section
 * 5.2.3, for the rates of a recorded run or of a model. */
#ifndef SUMMAND_CLI_ALGORITHMS_HIDING_H
#define SUMMAND_CLI_ALGORITHMS_HIDING_H

#include "cli/common/json.h"
#include "cli/tune/comparison.h"

struct hiding {
    double overlap;   /* hidden communication by all communication; NaN: not known */
    double flop_rate; /* operations/s of a rank */
    double bandwidth; /* bytes/s of a rank */
    double block;     /* from so many rows and columns on a block's transfer is hidden */
    double needed;    /* operations for each number that comes: 2 b - 1 of the next whole b */
    double done;      /* as many as these are in this schedule */
};

/* Of doubles.
 * @param operations on all ranks
 * @param bytes that came to ranks from others */
struct hiding hiding_of(double overlap, double flop_rate, double bandwidth, double operations,
                        double bytes);

/* Of what was predicted with `trace`. Where it is no product of matrices, only the overlap. */
struct hiding hiding_predicted(const struct comparison_setup *setup,
                               const struct summand__algorithm *algorithm,
                               const struct summand__predict *predict);

/* As sentences, and as members of an object (null where a number is none). */
void hiding_print(const struct hiding *hiding);
void hiding_json(const struct hiding *hiding, json_t *object);

#endif
