/* SPDX-License-Identifier: BSD-3-Clause */
/* A process grid's rows and columns, each with an all-reduce of its own, in one schedule of a rank:
 * in sequence with and without draining, or interleaved. For proofs, and for runs over the MPI. */
#pragma once

#include "algorithm/algorithm.h"
#include "schedule/embed.h"

enum manner { DRAINED, FOLLOWED, INTERLEAVED, MANNERS };
static const char *const manners[MANNERS] = {"drained", "followed", "interleaved"};

struct grid {
    int rows, columns;
    size_t count; /* of each all-reduce */
    const char *algorithm[2];
    size_t segment;
    bool dependent; /* columns reduce what the rows have made */
    size_t skew;
};

/* The all-reduce of the rank's row (0) or column (1). */
static inline bool grid_part(const struct grid *grid, int which, int rank,
                             struct summand__schedule *part, struct summand__embedding *embedding)
{
    int row = rank / grid->columns, column = rank % grid->columns;
    struct summand__call call = {.collective = SUMMAND__COLL_ALLREDUCE,
                                 .rank = which ? row : column,
                                 .ranks = which ? grid->rows : grid->columns,
                                 .count = grid->count};
    call.parameter[SUMMAND__SEGMENT] = grid->segment;
    bool good = summand__build(summand__algorithm_named(grid->algorithm[which]), &call, part);
    *embedding = (struct summand__embedding){.base = which ? column : row * grid->columns,
                                             .stride = which ? grid->columns : 1,
                                             .odd = -1};
    embedding->at[SUMMAND__SENDBUF].place =
        which && grid->dependent ? SUMMAND__RECVBUF : SUMMAND__SENDBUF;
    embedding->at[SUMMAND__RECVBUF].place = SUMMAND__RECVBUF;
    embedding->at[SUMMAND__RECVBUF].first = which ? grid->count : 0;
    embedding->at[SUMMAND__SCRATCH].place = SUMMAND__SCRATCH;
    return good;
}

/* False when out of memory. */
static inline bool grid_build(const struct grid *grid, enum manner manner, int rank,
                              struct summand__schedule *whole)
{
    struct summand__schedule part[2];
    struct summand__embedding embedding[2];
    const struct summand__schedule *parts[2] = {&part[0], &part[1]};
    const struct summand__embedding *embeddings[2] = {&embedding[0], &embedding[1]};
    const size_t skew[2] = {0, grid->skew};
    bool good = true;
    for (int which = 0; which < 2; which++)
        good = grid_part(grid, which, rank, &part[which], &embedding[which]) && good;
    embedding[1].at[SUMMAND__SCRATCH].first = part[0].scratch;
    summand__schedule_init(whole);
    if (manner == INTERLEAVED)
        summand__interleave(whole, 2, parts, embeddings, skew);
    for (int which = 0; manner != INTERLEAVED && which < 2; which++)
        (manner == DRAINED ? summand__embed : summand__follow)(whole, parts[which],
                                                               embeddings[which]);
    summand__drain(whole);
    summand__schedule_free(&part[0]);
    summand__schedule_free(&part[1]);
    return good && !whole->failed;
}
