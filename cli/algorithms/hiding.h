/* SPDX-License-Identifier: BSD-3-Clause */
/* When transfers are hidden behind computations: the analysis of Schmidtobreick (2017), section
 * 5.2.3, for the rates of a recorded run or of a model. */
#pragma once

#include "cli/output/json.h"
#include "cli/tune/comparison.h"

struct hiding {
    double overlap;   /* hidden communication / all communication; NaN: not known */
    double flop_rate; /* operations/s of a rank */
    double bandwidth; /* bytes/s of a rank */
    double block;     /* rows and columns of the smallest block whose transfer is hidden */
    double needed;    /* operations per received number: 2 b - 1 for the integer b >= block */
    double done;      /* operations per received number in this schedule */
};

/* For doubles.
 * @param operations on all ranks
 * @param bytes that ranks received from others */
struct hiding hiding_of(double overlap, double flop_rate, double bandwidth, double operations,
                        double bytes);

/* For a prediction with `trace`. If it is no product of matrices, only the overlap is known. */
struct hiding hiding_predicted(const struct comparison_setup *setup,
                               const struct summand__algorithm *algorithm,
                               const struct summand__predict *predict);

/* Prints sentences; adds members to an object (null for an unknown number). */
void hiding_print(const struct hiding *hiding);
void hiding_json(const struct hiding *hiding, json_t *object);
