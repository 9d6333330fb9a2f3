/* SPDX-License-Identifier: BSD-3-Clause */
/* Proves a collective's schedules correct for one rank count, root and count, without MPI. */
#pragma once

#include "algorithm/algorithm.h"
#include "lab/verify/play.h"

struct summand__proof {
    struct summand__cost counted; /* what the schedules do */
    char fault[320];              /* what is wrong, or "" */
};

/* Builds the schedules of all ranks of `call` (its rank is ignored) and plays them as they run if
 * nothing is combined on arrival. Proves:
 * - they end under rendezvous;
 * - no region is read before it is written, or touched while a message uses it;
 * - sendbuf and insignificant buffers do not change;
 * - every result element holds each contribution exactly once, in rank order and with the
 *   bracketing that the algorithm promises;
 * - messages, elements and depth are those of its formula. */
bool summand__prove(const struct summand__algorithm *algorithm, const struct summand__call *call,
                    struct summand__proof *proof);

/* The same, and also proves what runs if ranks of a node combine messages of each other on arrival,
 * except its depth. It covers every partition of few ranks into nodes, and some partitions of more;
 * `turn` selects them (placements.h). Placements that run the same are played once. Adds to
 * `proofs`. */
bool summand__prove_placed(const struct summand__algorithm *algorithm,
                           const struct summand__call *call, unsigned turn, size_t *proofs,
                           struct summand__proof *proof);

/* Makes what runs on one placement: the schedules of all ranks after the passes. The caller frees
 * them in any case. `node`: of each rank; NULL: nothing is combined on arrival. False when out of
 * memory. */
bool summand__placed_schedules(const struct summand__algorithm *algorithm,
                               const struct summand__call *call, const int *node,
                               struct summand__schedule *schedules);

/* Proves given schedules, one per rank, against the promises and the formula of `algorithm`; checks
 * the depth only without `node`. Tests pass broken ones. */
bool summand__prove_schedules(const struct summand__algorithm *algorithm,
                              const struct summand__call *call, const int *node,
                              const struct summand__schedule *schedules,
                              struct summand__proof *proof);

/* The same. `checked`: ranks whose schedules passed their own check (lab/verify/check.h) in an
 * earlier proof, which asked the same of the placement. */
bool summand__prove_checked(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, const int *node,
                            const struct summand__schedule *schedules, const bool *checked,
                            struct summand__proof *proof);

/* Proves schedules of matrix products: every element of C is a chain over the inner dimension in
 * order, with each product once, and is updated as the call says. Elements between the columns of
 * an array are not touched. */

/* As summand__prove_schedules. */
bool summand__prove_gemm(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, const int *node,
                         const struct summand__schedule *schedules, struct summand__proof *proof);

/* Proves schedules of sums of outer products: every element of the result is a chain over all pairs
 * in order, with each pair once. If the order is open, it holds each rank's own chain once.
 * Elements between the rows of a result are not touched. */

/* As summand__prove_schedules. */
bool summand__prove_outer(const struct summand__algorithm *algorithm,
                          const struct summand__call *call, const int *node,
                          const struct summand__schedule *schedules, struct summand__proof *proof);
