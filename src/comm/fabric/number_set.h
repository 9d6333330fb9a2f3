/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of contexts of a fabric, or of those that it lends: which are free, and how the ranks of
 * a communicator find one that is free on all of them. Each offers some, which nobody else gets
 * meanwhile, joins the offers of all by MPI_BAND, and takes the lowest that is left. */
#ifndef SUMMAND_COMM_FABRIC_NUMBER_SET_H
#define SUMMAND_COMM_FABRIC_NUMBER_SET_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SUMMAND__MOST_NUMBERS = 2048, /* no MPI of ours has more communicators */
    SUMMAND__NUMBER_WORDS = SUMMAND__MOST_NUMBERS / 64
};

/* In use are those that are in none of these. */
struct summand__number_set {
    uint64_t free[SUMMAND__NUMBER_WORDS]; /* that this rank may offer */
    uint64_t left[SUMMAND__NUMBER_WORDS]; /* given up, but perhaps not clean yet */
    uint64_t dead[SUMMAND__NUMBER_WORDS]; /* none takes them again, as messages may come */
};

/* The first `count` are free. */
void summand__number_set_begin(struct summand__number_set *set, int count);

/* Those of the first `words` words that are free and have a bit in `of`, repeated in each word. */
void summand__number_set_offer(struct summand__number_set *set, uint64_t of, int words,
                               uint64_t *offered);

/* They are free again, but for one that is taken, or for none: -1. */
void summand__number_set_take_back(struct summand__number_set *set, const uint64_t *offered,
                                   int words, int taken);

/* Of what all have offered; -1: none. */
int summand__number_set_lowest(const uint64_t *words, int count);

/* Given up, `clean` or with messages that may still come. */
void summand__number_set_leave(struct summand__number_set *set, int number, bool clean);

bool summand__number_set_any_left(const struct summand__number_set *set);

/* Whether nobody has it: then messages that come for it are nobody's. */
bool summand__number_set_idle(const struct summand__number_set *set, int number);

#endif
