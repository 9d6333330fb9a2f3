/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of results that are computed while independent messages travel. */
#pragma once

#include "outer/algorithm/build.h"

/* The rows. `multiply` appends the products of some of them; it is called for all rows in order. */
struct summand__outer_rows {
    void (*multiply)(const struct summand__outer_build *build, const void *context, size_t first,
                     size_t rows);
    const void *context;
    size_t rows;
};

enum {
    SUMMAND__OUTER_LEAST_ROWS = 16
}; /* fewest rows of a product beside a round, except for the last */

/* Inserts these rows beside the messages of the schedule's steps from `begin` on; the rows must not
 * depend on them. Each round gets the share of the rows that equals its share of the moved
 * elements. Without messages the rows come last. */
void summand__outer_beside(const struct summand__outer_build *build, size_t begin,
                           const struct summand__outer_rows *rows);
/* Appends an allgather, as summand__outer_embed, with these rows beside it. */
void summand__outer_overlap(const struct summand__outer_build *build,
                            const struct summand__outer_part *part,
                            const struct summand__call *call, uint32_t place, size_t at,
                            const struct summand__outer_rows *rows);

/* Seconds of both together. Between nodes, posted messages move while a rank computes, about one
 * for each other rank. Within a node they do not overlap: the rank's processor moves them.
 */
double summand__outer_both(const struct summand__call *call, double messages, double products,
                           const struct summand__model *model);

/* The time of the rows: `seconds` returns that of some rows computed at once, and is called for all
 * rows in order. A product reads b again, so several products take longer than one. */
struct summand__outer_work {
    double (*seconds)(const void *context, size_t first, size_t rows,
                      const struct summand__model *model);
    const void *context;
    size_t rows;
};

/* Seconds of messages in phases of equal rounds, with these rows beside them, as
 * summand__outer_beside puts them. Rows do not always divide in proportion to the messages. */
struct summand__outer_phase {
    double seconds, moved; /* moved: bytes that a rank receives */
    size_t rounds;
};
double summand__outer_stage(const struct summand__call *call, int phases,
                            const struct summand__outer_phase *phase,
                            const struct summand__outer_work *work,
                            const struct summand__model *model);

/* Additional seconds for slices in so many parts, of so many elements of a pair, if only `takers`
 * ranks take any. The other ranks wait for no messages. If their sends do not wait either, they
 * send all parts at once and share their cards among these. Then the cards of the takers are not
 * fully used until these parts arrive. In the simulation of 24 ranks with 15 takers the error is
 * within 5 %; with 20 takers it is up to 16 % too short. */
double summand__outer_ahead(const struct summand__call *call, double takers, size_t elements,
                            size_t parts, const struct summand__model *model);
