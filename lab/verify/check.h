/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a play can be told from each schedule alone: that steps touch nothing outside of their
 * rank's memory; that no message shares a region with another step of its round, or of the rounds
 * that it outlasts, unless both only read it, or are those of receives that combine (touch.h); that
 * no receive may overtake another; and that messages to all go to all. */
#ifndef SUMMAND_LAB_VERIFY_CHECK_H
#define SUMMAND_LAB_VERIFY_CHECK_H

#include <stdint.h>

#include "lab/verify/play.h"

#define SUMMAND__NO_ROUND SIZE_MAX

/* Room for the check of one rank after the other. */
struct summand__checker {
    struct summand__extent *extents; /* what the steps of a round touch */
    size_t extent_count;
    bool lags;                   /* a message of the round is late */
    struct summand__late *lates; /* messages of rounds before that are under way */
    size_t late_count;
    size_t *last;         /* per peer: the last round of the last receive so far */
    unsigned char *marks; /* per element that a rank can touch, its places one behind the other */
    size_t base[SUMMAND__MOST_PLACES]; /* where they begin */
};

/* False when out of memory. */
bool summand__checker_init(struct summand__checker *checker, const struct summand__play *play);
void summand__checker_free(struct summand__checker *checker);

/* The first round of the rank, counted from 0, in which something is wrong, or SUMMAND__NO_ROUND.
 * Cost: linear in the steps, and in the elements that they touch where rounds are long; with
 * receives that combine, their number times the messages of their round. */
size_t summand__check_rank(struct summand__checker *checker, const struct summand__play *play,
                           int rank);

/* Says in play->fault what is wrong in that round. Returns false. */
bool summand__check_explain(struct summand__play *play, int rank, size_t round);

#endif
