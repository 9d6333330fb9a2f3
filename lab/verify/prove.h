/* Proves a collective's schedules correct for one rank count, root and count, without MPI. */
#ifndef SUMMAND_LAB_VERIFY_PROVE_H
#define SUMMAND_LAB_VERIFY_PROVE_H

#include "algorithm/algorithm.h"
#include "lab/verify/play.h"

struct summand__proof {
    struct summand__cost counted; /* what the schedules do */
    char fault[320];              /* what is wrong, or "" */
};

/* Builds and plays the schedules of all ranks of `call` (its rank is ignored). Proved: they end
 * under rendezvous; no region is read before it is written or touched while a message uses it;
 * sendbuf and buffers that are not significant are left alone; every result element holds each
 * contribution exactly once, in rank order and with the bracketing that the algorithm promises;
 * messages, elements and depth are those of its formula. */
bool summand__prove(const struct summand__algorithm *algorithm, const struct summand__call *call,
                    struct summand__proof *proof);

/* The same for what runs where `node` ranks at a time share memory: late receives from near ranks
 * in their last rounds, and joined with what combines them (lab/verify/play.h). Not held against
 * the formula. */
bool summand__prove_joined(const struct summand__algorithm *algorithm,
                           const struct summand__call *call, int node,
                           struct summand__proof *proof);

/* The same for schedules and joins made elsewhere, one of each per rank. */
bool summand__prove_fused(const struct summand__algorithm *algorithm,
                          const struct summand__call *call, int node,
                          const struct summand__schedule *schedules,
                          const struct summand__fused *const *fused, struct summand__proof *proof);

/* The same as summand__prove for schedules made elsewhere: one per rank, against the promises and
 * formula of `algorithm`. Tests hand in broken ones. */
bool summand__prove_schedules(const struct summand__algorithm *algorithm,
                              const struct summand__call *call,
                              const struct summand__schedule *schedules,
                              struct summand__proof *proof);

#endif
