/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of results that are computed during messages on which they do not depend. */
#ifndef SUMMAND_OUTER_ALGORITHM_OVERLAP_H
#define SUMMAND_OUTER_ALGORITHM_OVERLAP_H

#include "outer/algorithm/build.h"

/* The rows. `multiply` appends the products of some of them; it is called for all rows in order. */
struct summand__outer_rows {
    void (*multiply)(const struct summand__outer_build *build, const void *context, size_t first,
                     size_t rows);
    const void *context;
    size_t rows;
};

enum { SUMMAND__OUTER_LEAST_ROWS = 16 }; /* of a product beside a round, but for the last one */

/* Inserts these rows beside the messages of the schedule's steps from `begin` on, on which they do
 * not depend. The share of the rows in each round is the share of the elements that the round
 * moves. Without messages the rows come last. */
void summand__outer_beside(const struct summand__outer_build *build, size_t begin,
                           const struct summand__outer_rows *rows);
/* Appends an allgather, as summand__outer_embed, with these rows beside it. */
void summand__outer_overlap(const struct summand__outer_build *build,
                            const struct summand__outer_part *part,
                            const struct summand__call *call, uint32_t place, size_t at,
                            const struct summand__outer_rows *rows);

/* Seconds of both together. Between nodes, messages move while a rank computes, once it has posted
 * them, about one for each other rank. Within a node they do not: the rank's processor moves them.
 */
double summand__outer_both(const struct summand__call *call, double messages, double products,
                           const struct summand__model *model);

/* How long the rows take: `seconds` are those of the products of some of them, made at once; it is
 * called for all rows in order. A product reads b again, so pieces take longer than the whole. */
struct summand__outer_work {
    double (*seconds)(const void *context, size_t first, size_t rows,
                      const struct summand__model *model);
    const void *context;
    size_t rows;
};

/* Seconds of messages in phases of equal rounds, with these rows beside them, as
 * summand__outer_beside puts them: rows do not always divide as the messages do. */
struct summand__outer_phase {
    double seconds;
    size_t rounds;
};
double summand__outer_stage(const struct summand__call *call, int phases,
                            const struct summand__outer_phase *phase,
                            const struct summand__outer_work *work,
                            const struct summand__model *model);

/* Seconds more of slices in so many parts, where only `takers` ranks take any, of so many elements
 * of a pair. The others wait for no messages. If those that they send do not wait either, they send
 * all parts at once, and share their cards among so many: the cards of the takers are then not full
 * until these parts are there. On the play of 24 ranks of which 15 take, within 5 %; of which 20
 * take, up to 16 % too short. */
double summand__outer_ahead(const struct summand__call *call, double takers, size_t elements,
                            size_t parts, const struct summand__model *model);

#endif
