/* Options of reductions and of the collectives that they are made of. */
#ifndef SUMMAND_OPTIONS_H
#define SUMMAND_OPTIONS_H

#include <mpi.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a reduction promises of its bits. Each promise includes those above it. Under each, all
 *  ranks that get a result get the same bits. None makes the bits independent of the number of
 *  ranks; for that use summand/sum.h or summand/ordered.h.
 *
 *  SUMMAND_CANONICAL_BITS treats every element of a vector by itself. An element of the result
 *  depends on the ranks' operands for that element, the operator and the number of ranks, and on
 *  nothing else. Slicing, fusing or offsetting a vector never changes the bits of an element:
 *  - slicing: one call for 1000 elements gives the bits of ten calls for 100.
 *  - fusing: two vectors in one call give the bits of two calls.
 *  - offsetting: neither the place of an element in the vector nor the address of a buffer matters.
 *
 *  summand_reduce, _allreduce, _reduce_scatter and _reduce_scatter_block give the same bits as each
 *  other. A user's operator must treat all elements alike too, whatever length it is called with.
 */
enum summand_promise {
    SUMMAND_ANY_ORDER,     /**< as MPI: a commutative operator takes its operands in any order */
    SUMMAND_IN_RANK_ORDER, /**< operands are combined in rank order, in any bracketing, also where
                                the operator is commutative */
    SUMMAND_CANONICAL_BITS /**< one bracketing for each number of ranks: the same bits for every
                                root, count, algorithm, segment, placement and MPI */
};

/** Options of a call or plan. All but `timeout` must agree on all ranks. NULL means all zero. The
 *  fields serve several algorithms. Each algorithm ignores the fields that it does not use, and
 *  moves the others into its range (`summand list`). summand_plan_describe returns the values in
 *  use. */
typedef struct summand_options {
    const char *algorithm; /**< name as in `summand list`, or NULL: chosen by the library */
    MPI_Count segment;     /**< elements per segment of a pipeline; 0: the algorithm's default. In
                                bcast and allgather(v): bytes, because ranks may describe the same
                                data by different datatypes. The library raises a value that would
                                make more than 16384 segments */
    int radix;             /**< children, or partners plus one, per round; 0: the default */
    int node_size;         /**< consecutive ranks per node of a node-aware algorithm; 0: those that
                                share memory, or SUMMAND_NODE_SIZE */
    int leaders;           /**< ranks per node that talk to other nodes; 0: the default */
    int radix_between; /**< inter-node radix, where `radix` holds inside nodes; 0: the default */
    enum summand_promise promise;
    double timeout; /**< seconds: this rank aborts with SUMMAND_ERR_TIMEOUT when it has waited for
                         so long and no message of the call or plan has moved. Ranks may differ.
                         0: the value of SUMMAND_TIMEOUT */
} summand_options;

/** The defaults: all zero. Local. */
SUMMAND_API summand_options summand_options_default(void);

#ifdef __cplusplus
}
#endif
#endif
