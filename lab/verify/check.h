/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of a play that need each schedule alone. Steps touch only their rank's memory. No message
 * shares a region with another step of its round, or of the rounds that it outlasts, unless both
 * only read it or belong to receives that combine (touch.h). No receive may overtake another, and
 * multicasts go to all ranks. */
#pragma once

#include <stdint.h>

#include "lab/verify/play.h"

#define SUMMAND__NO_ROUND SIZE_MAX

/* Memory for checking ranks one after the other. */
struct summand__checker {
    struct summand__extent *extents; /* what the steps of a round touch */
    size_t extent_count;
    bool lags;                   /* a message of the round is late */
    struct summand__late *lates; /* messages of earlier rounds in flight */
    size_t late_count;
    size_t *last;         /* per peer: the last round of the last receive so far */
    unsigned char *marks; /* per element that a rank can touch, its places one behind the other */
    size_t base[SUMMAND__MOST_PLACES]; /* where they begin */
};

/* False when out of memory. */
bool summand__checker_init(struct summand__checker *checker, const struct summand__play *play);
void summand__checker_free(struct summand__checker *checker);

/* Returns the first round of the rank, counted from 0, with an error, or SUMMAND__NO_ROUND. Cost:
 * linear in the steps, and in long rounds in the elements that they touch; with receives that
 * combine, their number times the messages of their round. */
size_t summand__check_rank(struct summand__checker *checker, const struct summand__play *play,
                           int rank);

/* Describes the error of this round in play->fault. Returns false. */
bool summand__check_explain(struct summand__play *play, int rank, size_t round);
