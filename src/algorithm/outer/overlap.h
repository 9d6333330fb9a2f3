/* Rows of results that are made while an allgather moves what they do not depend on. */
#ifndef SUMMAND_ALGORITHM_OUTER_OVERLAP_H
#define SUMMAND_ALGORITHM_OUTER_OVERLAP_H

#include "algorithm/outer/build.h"

/* So many rows; `multiply` appends the products of some of them, and comes for all in order. */
struct summand__outer_rows {
    void (*multiply)(const struct summand__outer_build *build, const void *context, size_t first,
                     size_t rows);
    const void *context;
    size_t rows;
};

/* Appends an allgather, as summand__outer_embed, with these rows beside it: in each of its rounds
 * as many as it moves of its elements. Among one rank the rows alone. */
void summand__outer_overlap(const struct summand__outer_build *build,
                            const struct summand__outer_part *part,
                            const struct summand__call *call, uint32_t place, size_t at,
                            const struct summand__outer_rows *rows);

/* Seconds of both together: messages move while a rank computes, once it has posted them, about one
 * for each other rank; but within a node, where its own processor moves them. */
double summand__outer_both(const struct summand__call *call, double messages, double products,
                           const struct summand__model *model);

#endif
