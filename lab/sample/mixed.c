/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of different kinds as one schedule: a ring of slots, an all-reduce of the sendbuf, and the
 * ring again, with the same windows and counters. Nothing is drained between them. */

#include "algorithm/algorithm.h"
#include "lab/sample/sample.h"
#include "schedule/embed.h"

static bool build_reduction(const char *algorithm, int ranks, int rank, size_t count,
                            struct summand__schedule *part)
{
    struct summand__call call = {
        .collective = SUMMAND__COLL_ALLREDUCE, .rank = rank, .ranks = ranks, .count = count};
    return summand__build(summand__algorithm_named(algorithm), &call, part);
}

void summand__sample_mixed(const struct summand__sample_size *size, const char *algorithm, int rank,
                           size_t count, struct summand__schedule *whole)
{
    struct summand__schedule ring, reduction;
    struct summand__embedding in_ring = {.stride = 1, .odd = -1, .turns = 2};
    struct summand__embedding in_reduction = {.stride = 1, .odd = -1};
    summand__schedule_init(&ring);
    summand__sample_ring.build(size, rank, &ring);
    whole->failed = !build_reduction(algorithm, size->ranks, rank, count, &reduction) ||
                    ring.failed || whole->failed;
    for (uint32_t place = 0; place < SUMMAND__PLACES; place++)
        in_reduction.at[place].place = place;
    summand__embed_tables(whole, &ring, &in_ring);
    if (!whole->failed) {
        summand__follow(whole, &ring, &in_ring);
        summand__follow(whole, &reduction, &in_reduction);
        in_ring.turn = 1;
        summand__follow(whole, &ring, &in_ring);
        summand__drain(whole);
    }
    summand__schedule_free(&ring);
    summand__schedule_free(&reduction);
}
