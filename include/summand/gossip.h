/* SPDX-License-Identifier: BSD-3-Clause */
/* All-reduce by gossip: approximate, to a given accuracy, and resilient against bit flips in
 * messages, in the state of the computation and in its input.
 *
 * Source: Casas, Gansterer, Wimmer (2018), "Resilient gossip-inspired all-reduce algorithms for
 * high performance computing". The default algorithm, hpfcc in fixed point, is ours
 * (docs/gossip.md).
 *
 * Cost per round and rank: one message of (d + 5) x 8 bytes, and 2 x round x (d + 2) additions. In
 * floating point d is count. In fixed point d is the number of digits to base 2^32: 2 to 4 times
 * count for elements of similar magnitude. Every round sends the whole vector, so use gossip for
 * short vectors. A longer vector is cut into slices of at most 70 digits and 38 elements. */
#ifndef SUMMAND_GOSSIP_H
#define SUMMAND_GOSSIP_H

#include <stdint.h>
#include <summand/error.h>
#include <summand/mpi.h>
#include <summand/options.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What eps is relative to, in this order: |mean| (or |sum|); the root mean square of the inputs
 *  (for a sum times the number of ranks); 1. */
enum summand_gossip_norm {
    SUMMAND_GOSSIP_RELATIVE = 0,
    SUMMAND_GOSSIP_RMS = 1,
    SUMMAND_GOSSIP_ABSOLUTE = 2
};

/** The arithmetic. Fixed: digits of the exact operands in 64-bit integers; sums whose terms cancel
 *  converge too. Double, single: numbers scaled by a power of two per element. */
enum summand_gossip_form {
    SUMMAND_GOSSIP_FIXED = 0,
    SUMMAND_GOSSIP_DOUBLE = 1,
    SUMMAND_GOSSIP_SINGLE = 2
};

/** Options. Zero is the default of every field; NULL means all zero. Fields marked (all) must agree
 *  on all ranks. */
typedef struct summand_gossip_options {
    const char *algorithm;        /**< (all) a name of `summand gossip list`; NULL: hpfcc */
    enum summand_promise promise; /**< (all) at most SUMMAND_PROMISE_SAME, the default: the same
                                     bits on all ranks. NONE: ranks may differ, within eps */
    double timeout; /**< (all) seconds that a rank waits for another one before it aborts the call
                         with SUMMAND_ERR_TIMEOUT on all ranks. The time counts from when all ranks
                         have begun the call. 0: the value of SUMMAND_TIMEOUT, or 60 */
    enum summand_gossip_form form; /**< (all) */
    double eps;                    /**< (all) accuracy, finite; 0: 1e-9 */
    enum summand_gossip_norm norm; /**< (all) */
    int max_rounds;                /**< (all) the call stops after so many; 0: 1000 */
    uint64_t seed;                 /**< (all) of the random choice of partners; 0: 1 */
    const char *topology; /**< (all) of asynchronous algorithms: full, hypercube, torus2, torus3,
                               ring, regular:D; NULL: full. Other algorithms refuse it */
    int average;          /**< (all) not 0, with MPI_SUM: the weighted mean rather than the sum */
    double weight;        /**< of this rank, finite; 0: 1. Read with `average` and MPI_SUM */
    double tau; /**< (all) checksum threshold relative to the scale; 0: the algorithm's. In
                     floating point at least 16 roundings: 2^-48 (double), 2^-19. Algorithms
                     without a checksum refuse it */
    /** [in] bits to flip, for tests and demonstrations (summand/gossip_faults.h), or NULL. Each
     * rank reads those that name it; keep them until the call returns. */
    const struct summand_gossip_faults *faults;
    /** NULL, or called after each round with this rank's estimates of the result. */
    void (*watch)(void *context, int round, const double *y, int count);
    void *context; /**< of watch */
} summand_gossip_options;

/** The defaults, all zero: hpfcc in fixed point, eps 1e-9 relative, 1000 rounds, the same bits on
 *  all ranks. Local. */
SUMMAND_API summand_gossip_options summand_gossip_options_default(void);

/** Report of a call; the same on all ranks. Counts are sums over all ranks. */
typedef struct summand_gossip_report {
    int rounds;    /**< of the slice that took the most rounds */
    int converged; /**< 1: every element is finite, and either within eps of the true one, rounding
                      to `datatype` included, or equal to the true one but for that rounding; else
                      0. In floating point this ignores flips below tau; `spread` includes one */
    int rigorous;  /**< 1: `spread` is a proven bound, and finite; else 0 */
    double spread; /**< largest over the elements: no rank's result is farther from the true one.
                      Infinite if an element is infinite, or if nothing is known of it */
    uint64_t messages, bytes;
    uint64_t bad_messages; /**< with a wrong checksum */
    uint64_t bad_states;   /**< checks that found a rank's state bad */
    uint64_t repairs;      /**< flows restored from the partner, inputs from their second copy */
    uint64_t resets;       /**< flows set to zero */
} summand_gossip_report;

/** All-reduce by gossip. Collective; blocks. It stops when the estimates of all ranks lie within
 *  eps of each other. Inputs must be finite, of any scale. A sum that overflows is infinite, a sum
 *  of zeros is +0. Minimum and maximum order -0 below +0.
 *
 *  Promise of hpfcc in fixed point, and of minimum and maximum: after a bit flip in a rank's memory
 *  or in a received message, all ranks get the same bits as without the flip, or an error. Once all
 *  ranks have begun the call, none waits for ever: see `timeout`. After an error the next call
 *  works.
 *  @param sendbuf [in] count elements, or MPI_IN_PLACE; may be recvbuf
 *  @param recvbuf [out] count elements (MPI_IN_PLACE: [inout]); never MPI_IN_PLACE. Without
 * elements both may be NULL
 *  @param count (all) elements, 0 or more
 *  @param datatype (all) MPI_DOUBLE, MPI_FLOAT or Fortran's name of one
 *  @param op (all) MPI_SUM, MPI_MIN or MPI_MAX; minimum and maximum are exact with any algorithm
 *  @param comm an intra-communicator
 *  @param options [in] or NULL: the default
 *  @param report [out] or NULL
 *  Errors, whose texts name the argument and its value (summand_error_text):
 *  - MPI_ERR_COUNT, _BUFFER, _TYPE, _OP, and MPI_ERR_COMM, which only this rank gets
 *  - SUMMAND_ERR_DATATYPE; _ALGORITHM; _ARGUMENT: an option is out of range; _NOT_FINITE
 *  - SUMMAND_ERR_ENVIRONMENT: SUMMAND_FAULT; _MISMATCH, _COMMUNICATORS, _MEMORY
 *  - SUMMAND_ERR_TIMEOUT, _DAMAGED
 *  An error on one rank is an error on all ranks (_REMOTE), and no recvbuf changes. But whether a
 *  result that misses eps is an error (_NOT_CONVERGED) is up to each rank: with a report the rank
 *  gets the result, and `converged` is 0; without one it gets the error, and recvbuf does not
 *  change. */
SUMMAND_API int summand_gossip_allreduce(const void *sendbuf, void *recvbuf, int count,
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                         const summand_gossip_options *options,
                                         summand_gossip_report *report);

#ifdef __cplusplus
}
#endif
#endif
