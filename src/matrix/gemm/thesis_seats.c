/* SPDX-License-Identifier: BSD-3-Clause */
/* Seats: room for the ranks that put, in a product by pairs. */
#include <stdlib.h>

#include "matrix/gemm/thesis_plan.h"

bool summand__gemm_seats_init(struct summand__gemm_seats *seats, int ranks)
{
    *seats = (struct summand__gemm_seats){
        ranks, calloc((size_t)ranks * (size_t)ranks, sizeof *seats->gives)};
    return seats->gives;
}

void summand__gemm_seats_free(struct summand__gemm_seats *seats)
{
    free(seats->gives);
    seats->gives = NULL;
}

static bool *gives_to(const struct summand__gemm_seats *seats, int from, int to)
{
    return &seats->gives[(size_t)from * (size_t)seats->ranks + (size_t)to];
}

/* Ranks below `from` that put to `to`. */
static size_t before(const struct summand__gemm_seats *seats, int from, int to)
{
    size_t count = 0;
    for (int rank = 0; rank < from; rank++)
        count += *gives_to(seats, rank, to);
    return count;
}

struct summand__gemm_seat summand__gemm_seat_of(const struct summand__gemm_seats *seats, int own,
                                                int other)
{
    return (struct summand__gemm_seat){before(seats, other, own), before(seats, own, other)};
}

size_t summand__gemm_seats_most(const struct summand__gemm_seats *seats)
{
    size_t most = 0;
    for (int to = 0; to < seats->ranks; to++) {
        size_t count = before(seats, seats->ranks, to);
        most = count > most ? count : most;
    }
    return most;
}

void summand__gemm_thesis_seat(const struct summand__gemm_thesis *plan,
                               struct summand__gemm_seats *pieces,
                               struct summand__gemm_seats *parts)
{
    int owner = summand__gemm_thesis_owner(plan);
    for (size_t p = 0; p < plan->pairs; p++) {
        const struct summand__gemm_pair *pair = &plan->pair[p];
        if (pair->a == pair->b)
            continue;
        *gives_to(pieces, pair->b, pair->a) = true; /* `half` is at least 1 */
        if (pair->half < pair->size)
            *gives_to(pieces, pair->a, pair->b) = true;
    }
    for (size_t m = 0; m < plan->makers; m++)
        if (plan->maker[m] != owner)
            *gives_to(parts, plan->maker[m], owner) = true;
}
