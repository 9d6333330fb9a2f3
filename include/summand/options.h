/* Options of reductions and of the collectives that they are made of. */
#ifndef SUMMAND_OPTIONS_H
#define SUMMAND_OPTIONS_H

#include <mpi.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a reduction promises of its bits. */
enum summand_promise {
    SUMMAND_ANY_ORDER,     /**< MPI's own: a commutative operator may meet operands in any order */
    SUMMAND_IN_RANK_ORDER, /**< operands in rank order, bracketed in any way, whether or not the
                                operator is commutative */
    SUMMAND_CANONICAL_BITS /**< one bracketing for given rank count: the same bits whatever the
                                root, count, algorithm, segment, placement or MPI */
};

/** Options of a call or plan, the same on all ranks; NULL means all zero. One set serves several
 * algorithms: an algorithm leaves out what it has no use for, and takes the nearest value of its
 * range (`summand list`); summand_plan_describe says what is taken. */
typedef struct summand_options {
    const char *algorithm; /**< name as in `summand list`, or NULL: chosen by the library */
    MPI_Count segment;     /**< elements per segment of a pipeline; in bcast, allgather(v), whose
                                ranks may describe the same data by different datatypes, bytes;
                                0: the algorithm's default. One that would make more than 16384
                                segments of the vector is made longer; summand_plan_describe says
                                what is taken */
    int radix;             /**< children, or partners plus one, per round; 0: the default */
    int node_size;         /**< ranks per node of a node-aware algorithm, consecutive ones; 0: those
                                that share memory, or SUMMAND_NODE_SIZE */
    int leaders;           /**< ranks per node that talk to other nodes; 0: the default */
    int radix_between;     /**< the radix between nodes, where `radix` is that inside them; 0: the
                                default */
    enum summand_promise promise;
    double timeout; /**< seconds that this rank waits without any message of the call or plan
                         moving, until it gives up with SUMMAND_ERR_TIMEOUT; need not be the
                         same on all ranks; 0: those of SUMMAND_TIMEOUT */
} summand_options;

/** All zero. Local. */
SUMMAND_API summand_options summand_options_default(void);

#ifdef __cplusplus
}
#endif
#endif
