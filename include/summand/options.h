/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of reductions and of the collectives that they are made of. */
#ifndef SUMMAND_OPTIONS_H
#define SUMMAND_OPTIONS_H

#include <summand/mpi.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** As root, in the calls that say so: the result goes to every rank. */
#define SUMMAND_ROOT_ALL (-1)

/** What a call promises of the bits of its result. Each promise includes those above it. A call
 *  refuses a promise that it cannot keep (SUMMAND_ERR_ARGUMENT); its comment says which it keeps,
 *  and which is its default.
 *
 *  SUMMAND_PROMISE_CANONICAL treats every element of a vector by itself. An element of the result
 *  depends on the ranks' operands for that element, the operator and the number of ranks, and on
 *  nothing else. Slicing, fusing or offsetting a vector never changes the bits of an element:
 *  - slicing: one call for 1000 elements gives the bits of ten calls for 100.
 *  - fusing: two vectors in one call give the bits of two calls.
 *  - offsetting: neither the place of an element in the vector nor the address of a buffer matters.
 *
 *  With it summand_reduce, _allreduce, _reduce_scatter and _reduce_scatter_block give the same bits
 *  as each other. A user's operator must treat all elements alike too, whatever length it is called
 *  with. */
enum summand_promise {
    SUMMAND_PROMISE_DEFAULT = 0,    /**< what the call promises by itself */
    SUMMAND_PROMISE_NONE = 1,       /**< none: ranks may get different bits */
    SUMMAND_PROMISE_SAME = 2,       /**< all ranks that get the result get the same bits; operands
                                         that commute are combined in any order, as in MPI */
    SUMMAND_PROMISE_RANK_ORDER = 3, /**< operands are combined in rank order, in any bracketing,
                                         also if the operator commutes */
    SUMMAND_PROMISE_CANONICAL = 4,  /**< one bracketing for each number of ranks: the same bits for
                                         every root, count, algorithm, segment, placement and MPI */
    SUMMAND_PROMISE_INDEX = 5,      /**< one order over the index of the elements: the same bits on
                                         any number of ranks */
    SUMMAND_PROMISE_EXACT = 6 /**< the exact result of what the ranks pass in, rounded once: in
                                   any order, by any algorithm. On another number of ranks it
                                   has the same bits if they pass in the same numbers; a loop
                                   that sums before the call has rounded already */
};

/** What is checked of a call's messages and sums, and what follows damage: docs/checked.md. */
enum summand_checked {
    SUMMAND_CHECKED_DEFAULT = 0, /**< the value of SUMMAND_CHECKED on rank 0 */
    SUMMAND_CHECKED_OFF = 1,     /**< nothing is checked */
    SUMMAND_CHECKED_DETECT = 2,  /**< damage is an error, SUMMAND_ERR_DAMAGED */
    SUMMAND_CHECKED_CORRECT = 3  /**< damaged messages are sent again */
};

/** Options of a call or plan. All but `timeout` must agree on all ranks. NULL means all zero. The
 *  fields serve several algorithms. A named algorithm moves those that it uses into its range
 *  (`summand list`); one that it does not use must be 0, else it is SUMMAND_ERR_ARGUMENT, as a
 *  negative one is. Without a name the algorithm that the library chooses takes those that it uses.
 *  summand_plan_describe returns the values in use. The options of all capabilities begin with the
 *  same three fields: algorithm, promise and timeout. */
typedef struct summand_options {
    const char *algorithm; /**< name as in `summand list`, or NULL: chosen by the library */
    enum summand_promise promise;
    double timeout; /**< seconds: this rank aborts with SUMMAND_ERR_TIMEOUT when it has waited for
                         so long and no message of the call or plan has moved. Ranks may differ.
                         0: the value of SUMMAND_TIMEOUT */
    MPI_Count segment; /**< elements per segment of a pipeline; 0: the algorithm's default. In
                            bcast and allgather(v): bytes, because ranks may describe the same
                            data by different datatypes. The library raises a value that would
                            make more than 16384 segments */
    int radix;         /**< children, or partners plus one, per round; 0: the default */
    int node_size;     /**< consecutive ranks per node of a node-aware algorithm; 0: those that
                            share memory, or SUMMAND_NODE_SIZE */
    int leaders;       /**< ranks per node that talk to other nodes; 0: the default */
    int radix_between; /**< inter-node radix, where `radix` holds inside nodes; 0: the default */
    enum summand_checked check; /**< 0: as SUMMAND_CHECKED says */
} summand_options;

/** The defaults: all zero. Local. */
SUMMAND_API summand_options summand_options_default(void);

#ifdef __cplusplus
}
#endif
#endif
