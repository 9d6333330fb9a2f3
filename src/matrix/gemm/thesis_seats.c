/* SPDX-License-Identifier: BSD-3-Clause */
/* Seats: room for the ranks that put, in a product by pairs. */
#include <stdlib.h>

#include "matrix/gemm/thesis_plan.h"

bool summand__gemm_seats_init(struct summand__gemm_seats *seats, int ranks)
{
    *seats = (struct summand__gemm_seats){
        ranks, calloc((size_t)ranks * (size_t)ranks, sizeof *seats->gives),
        calloc((size_t)ranks, sizeof *seats->givers)};
    return seats->gives && seats->givers;
}

void summand__gemm_seats_free(struct summand__gemm_seats *seats)
{
    free(seats->gives);
    free(seats->givers);
    seats->gives = NULL;
    seats->givers = NULL;
}

static bool *gives_to(const struct summand__gemm_seats *seats, int from, int to)
{
    return &seats->gives[(size_t)from * (size_t)seats->ranks + (size_t)to];
}

static void give(struct summand__gemm_seats *seats, int from, int to)
{
    seats->givers[to] += !*gives_to(seats, from, to);
    *gives_to(seats, from, to) = true;
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
    bool gives = *gives_to(seats, own, other), takes = *gives_to(seats, other, own);
    return (struct summand__gemm_seat){takes ? before(seats, other, own) : 0,
                                       gives ? before(seats, own, other) : 0};
}

size_t summand__gemm_seats_most(const struct summand__gemm_seats *seats)
{
    size_t most = 0;
    for (int to = 0; to < seats->ranks; to++)
        most = seats->givers[to] > most ? seats->givers[to] : most;
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
        give(pieces, pair->b, pair->a); /* `half` is at least 1 */
        if (pair->half < pair->size)
            give(pieces, pair->a, pair->b);
    }
    for (size_t m = 0; m < plan->makers; m++)
        if (plan->maker[m] != owner)
            give(parts, plan->maker[m], owner);
}
