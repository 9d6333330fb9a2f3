/* SPDX-License-Identifier: BSD-3-Clause */
/* Proves a collective's schedules correct for one rank count, root and count, without MPI. */
#ifndef SUMMAND_LAB_VERIFY_PROVE_H
#define SUMMAND_LAB_VERIFY_PROVE_H

#include "algorithm/algorithm.h"
#include "lab/verify/play.h"

struct summand__proof {
    struct summand__cost counted; /* what the schedules do */
    char fault[320];              /* what is wrong, or "" */
};

/* Builds the schedules of all ranks of `call` (its rank is ignored) and plays them as they run
 * where nothing is combined as it arrives. Proved: they end under rendezvous; no region is read
 * before it is written or touched while a message uses it; sendbuf and buffers that are not
 * significant are left alone; every result element holds each contribution exactly once, in rank
 * order and with the bracketing that the algorithm promises; messages, elements and depth are those
 * of its formula. */
bool summand__prove(const struct summand__algorithm *algorithm, const struct summand__call *call,
                    struct summand__proof *proof);

/* The same, and all but the depth of what runs where ranks of a node combine what arrives from one
 * another: on every partition of few ranks into nodes, and on some of more, which ones by `turn`
 * (placements.h). Of those that run alike one is played. Adds to `proofs`. */
bool summand__prove_placed(const struct summand__algorithm *algorithm,
                           const struct summand__call *call, unsigned turn, size_t *proofs,
                           struct summand__proof *proof);

/* What runs on one placement: the schedules of all ranks after the passes, to be freed by the
 * caller in any case. `node` of each rank; NULL: nothing is combined as it arrives. False when out
 * of memory. */
bool summand__placed_schedules(const struct summand__algorithm *algorithm,
                               const struct summand__call *call, const int *node,
                               struct summand__schedule *schedules);

/* Proves schedules made elsewhere: one per rank, against the promises and formula of `algorithm`
 * (the depth without `node`). Tests hand in broken ones. */
bool summand__prove_schedules(const struct summand__algorithm *algorithm,
                              const struct summand__call *call, const int *node,
                              const struct summand__schedule *schedules,
                              struct summand__proof *proof);

/* The same. `checked`: ranks whose schedules passed the check by themselves (lab/verify/check.h) in
 * an earlier proof, which asked the same of the placement. */
bool summand__prove_checked(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, const int *node,
                            const struct summand__schedule *schedules, const bool *checked,
                            struct summand__proof *proof);

/* Proves schedules of matrix products: every element of C is a chain over the inner dimension in
 * its order, each product once, and is updated as the call says; what lies between the columns of
 * an array is not touched. */

/* As summand__prove_schedules. */
bool summand__prove_gemm(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, const int *node,
                         const struct summand__schedule *schedules, struct summand__proof *proof);

/* Proves schedules of sums of outer products: every element of the result is a chain over all
 * pairs in their order, each once; or, where the order is left open, holds each rank's own chain
 * once. What lies between the rows of a result is not touched. */

/* As summand__prove_schedules. */
bool summand__prove_outer(const struct summand__algorithm *algorithm,
                          const struct summand__call *call, const int *node,
                          const struct summand__schedule *schedules, struct summand__proof *proof);

#endif
