/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves a matrix from one grid to another, and transposes it. Source: P x Q processes with P <= Q
 * as equal as possible, in blocks of `tile` x `tile`. Target: Q x P processes in reverse order of
 * ranks, in blocks of `blocks` x `slots`. */
#include <stdlib.h>

#include "lab/sample/sample.h"
#include "matrix/move.h"

static void build_move(const struct summand__sample_size *size, int rank, bool transposed,
                       struct summand__schedule *schedule)
{
    int64_t rows = (int64_t)size->rows, columns = (int64_t)size->count, extent[4] = {0};
    int across = 1, ranks = size->ranks;
    for (int p = 1; p * p <= ranks; p++)
        across = ranks % p ? across : p;
    int *group = malloc(2 * (size_t)ranks * sizeof *group);
    struct summand__holder *holders = malloc(2 * (size_t)ranks * sizeof *holders);
    if (group && holders) {
        for (int i = 0; i < ranks; i++) {
            group[i] = i;
            group[ranks + i] = ranks - 1 - i;
        }
        const struct summand__grid from = {{rows, (int64_t)size->tile, across},
                                           {columns, (int64_t)size->tile, ranks / across},
                                           group};
        const struct summand__grid to = {
            {transposed ? columns : rows, (int64_t)size->blocks, ranks / across},
            {transposed ? rows : columns, (int64_t)size->slots, across},
            group + ranks};
        summand__grid_holders(&from, holders);
        summand__grid_holders(&to, holders + ranks);
        summand__grid_extent(&from, rank, &extent[0], &extent[1]);
        summand__grid_extent(&to, ranks - 1 - rank, &extent[2], &extent[3]);
        const struct summand__move move = {.from = holders,
                                           .to = holders + ranks,
                                           .from_count = ranks,
                                           .to_count = ranks,
                                           .from_lead = extent[0],
                                           .to_lead = extent[2],
                                           .from_room = (size_t)(extent[0] * extent[1]),
                                           .to_room = (size_t)(extent[2] * extent[3]),
                                           .transposed = transposed,
                                           .unit = sizeof(double)};
        summand__move_build(&move, rank, schedule);
    } else {
        schedule->failed = true;
    }
    free(group);
    free(holders);
}

static void build_copy(const struct summand__sample_size *size, int rank,
                       struct summand__schedule *schedule)
{
    build_move(size, rank, false, schedule);
}

static void build_transpose(const struct summand__sample_size *size, int rank,
                            struct summand__schedule *schedule)
{
    build_move(size, rank, true, schedule);
}

const struct summand__sample summand__sample_redistribution = {
    .name = "redistribution",
    .description = "a block-cyclic matrix to another grid, one message per pair of ranks",
    .usual = {.ranks = 4, .blocks = 64, .slots = 64, .rows = 256, .count = 256, .tile = 32},
    .build = build_copy};

const struct summand__sample summand__sample_transpose = {
    .name = "transpose",
    .description = "the transpose of a block-cyclic matrix on another grid",
    .usual = {.ranks = 4, .blocks = 64, .slots = 64, .rows = 256, .count = 256, .tile = 32},
    .build = build_transpose};
