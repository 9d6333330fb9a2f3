/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/collective.h"

#define CALLS(word) .name = word, .call = "summand_" word, .init = "summand_" word "_init"

const struct summand__collective_row summand__collectives[SUMMAND__COLLECTIVES] = {
    [SUMMAND__COLL_REDUCE] = {CALLS("reduce"), .even = SUMMAND__COLL_REDUCE, .root = true,
                              .combines = true, .in_place = true},
    [SUMMAND__COLL_ALLREDUCE] = {CALLS("allreduce"), .even = SUMMAND__COLL_ALLREDUCE,
                                 .combines = true, .in_place = true},
    [SUMMAND__COLL_BCAST] = {CALLS("bcast"), .even = SUMMAND__COLL_BCAST, .root = true},
    [SUMMAND__COLL_REDUCE_SCATTER_BLOCK] = {CALLS("reduce_scatter_block"),
                                            .even = SUMMAND__COLL_REDUCE_SCATTER_BLOCK,
                                            .blocks = true, .combines = true, .in_place = true},
    [SUMMAND__COLL_REDUCE_SCATTER] = {CALLS("reduce_scatter"),
                                      .even = SUMMAND__COLL_REDUCE_SCATTER_BLOCK, .blocks = true,
                                      .offsets = true, .combines = true, .in_place = true},
    [SUMMAND__COLL_ALLGATHER] = {CALLS("allgather"), .even = SUMMAND__COLL_ALLGATHER,
                                 .blocks = true, .in_place = true},
    [SUMMAND__COLL_ALLGATHERV] = {CALLS("allgatherv"), .even = SUMMAND__COLL_ALLGATHER,
                                  .blocks = true, .offsets = true, .displaced = true,
                                  .in_place = true},
    [SUMMAND__COLL_SCAN] = {CALLS("scan"), .even = SUMMAND__COLL_SCAN, .combines = true,
                            .in_place = true, .prefix = true},
    [SUMMAND__COLL_EXSCAN] = {CALLS("exscan"), .even = SUMMAND__COLL_EXSCAN, .combines = true,
                              .in_place = true, .prefix = true},
    [SUMMAND__COLL_OUTER] = {CALLS("outer"), .even = SUMMAND__COLL_OUTER},
    [SUMMAND__COLL_GEMM] = {CALLS("gemm"), .even = SUMMAND__COLL_GEMM},
};
