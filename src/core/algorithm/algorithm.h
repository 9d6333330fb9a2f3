/* SPDX-License-Identifier: BSD-3-Clause */
/* Defines an algorithm: a pure function from a call to one rank's schedule, with its promises. Each
 * algorithm is one const struct, a row, in a file of its own; table.c names each once. A row's
 * functions get the row, so algorithms that differ by a shape or by their parts share them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "algorithm/collective.h"
#include "model/model.h"
#include "schedule/schedule.h"
#include "shape/grouping.h"
#include "shape/tree.h"

/* The parameters that a caller may choose besides the algorithm. */
enum summand__parameter {
    SUMMAND__SEGMENT,          /* elements per segment of a pipeline; whole vectors by default */
    SUMMAND__RADIX,            /* children, or partners plus one, per round */
    SUMMAND__NODE_SIZE,        /* ranks per node, consecutive; the last node may have fewer */
    SUMMAND__LEADERS,          /* ranks per node that talk to other nodes */
    SUMMAND__INTER_NODE_RADIX, /* the radix between nodes, if `radix` is the one inside nodes */
    SUMMAND__PARAMETERS
};

/* One rank's view of a call. Zero for a parameter stands for the algorithm's default. */
struct summand__call {
    enum summand__collective collective;
    int rank, ranks, root;
    size_t count; /* elements of the vector, or of each block if there are blocks */
    /* Blocks of any sizes: ranks + 1 positions, block r is [offsets[r], offsets[r + 1]); offsets[0]
     * is 0. Not read for other collectives. */
    const size_t *offsets;
    /* The contribution lies in recvbuf: reduce: at the root only; allgather: in the rank's own
     * block; reduce_scatter: the whole vector; the result overwrites it from element 0 on. */
    bool in_place;
    size_t parameter[SUMMAND__PARAMETERS];
    /* Nodes that are not consecutive runs of SUMMAND__NODE_SIZE ranks; then that parameter is not
     * read. NULL: such runs. One with `member` needs an operator that commutes (regroup.h). */
    const struct summand__grouping *grouping;
    const struct summand__grouping
        *uneven; /* of an estimate: its nodes; an algorithm that sees nodes counts each as one of
                    the largest size; NULL: equal nodes */
    const struct summand__outer_shape
        *outer; /* of a sum of outer products (outer/algorithm/shape.h) */
    const struct summand__gemm_shape *gemm; /* of a product of matrices (matrix/gemm/shape.h) */
};

enum summand__promise {
    SUMMAND__RANK_ORDER = 1, /* operands combined in rank order: for non-commutative operators */
    SUMMAND__SAME_BITS = 2,  /* one bracketing on all ranks */
    SUMMAND__CANONICAL = 4,  /* the bracketing of shape/halving.h, for any root and count */
    SUMMAND__PAIR_ORDER = 8, /* sums of outer products: a chain over the global index of the pair;
                                products of matrices: over the inner dimension */
};

/* The total costs of an operation: exact formulas, which the verifier compares with the
 * schedules. */
struct summand__cost {
    size_t messages;    /* sent by all ranks together */
    size_t elements;    /* sent by all ranks together */
    size_t depth;       /* messages on the longest chain in which each waits for the one before */
    bool depth_at_most; /* `depth` is an upper bound (ragged compositions only) */
    size_t repeats;     /* messages that repeat another one's data: n - 1 of the n messages of a
                           multicast */
    size_t repeated;    /* elements of these */
    bool unknown;       /* out of memory: no other field is valid */
};

/* The range of a parameter; most 0: the algorithm has no such parameter. */
struct summand__limits {
    size_t least, most, standard;
};

struct summand__algorithm;

/* Trees (tree/pipe.h, tree/double_tree.h): the shape over ranks; or over nodes, if there is another
 * shape inside nodes. */
struct summand__tree_variant {
    const struct summand__tree_shape *shape, *second; /* the latter: of the second tree of two */
    const struct summand__tree_shape *inside;         /* NULL: one level */
};

/* Compositions over nodes (hierarchical/): the algorithms of the levels. */
struct summand__composition {
    const struct summand__algorithm *inside; /* a node */
    /* Between leaders, by the whole call's collective; with blocks, of any sizes. */
    const struct summand__algorithm *between[SUMMAND__COLLECTIVES];
    /* Between leaders: blocks are exchanged by halves of halves of the nodes. */
    bool blocks_by_halves;
    /* Several leaders per node: the time inside, for a vector on so many ranks; `holders` of them
     * have parts of it. */
    struct summand__there_and_back (*inside_time)(const struct summand__model *model, int ranks,
                                                  int holders, double bytes);
};

/* Sums of outer products (outer/algorithm/shape.h): a number of the call's shape that the choice
 * sets for the algorithm. It tries `least`, twice that, and so on, and takes the one with the least
 * estimated time. */
struct summand__outer_number {
    size_t at; /* offset in the shape of that int; 0: there is none */
    int least;
    bool whole, other;  /* of a whole result on all ranks; of a part on each, or for a root */
    bool between_nodes; /* only if there are several nodes */
};

struct summand__algorithm {
    const char *name;
    const char *description;
    const char *source;
    unsigned
        promises; /* of enum summand__promise; without RANK_ORDER: commutative operators only */
    struct summand__limits limits[SUMMAND__PARAMETERS];
    bool (*applicable)(const struct summand__call *call); /* NULL: always */
    /* NULL if the algorithm does not do the collective. These and `cost` see calls whose parameters
     * are set and in range. */
    void (*build[SUMMAND__COLLECTIVES])(const struct summand__algorithm *algorithm,
                                        const struct summand__call *call,
                                        struct summand__schedule *schedule);
    /* depth: true to compute it; for a tree that takes longer than all else. If false, the depth is
     * 0. */
    struct summand__cost (*cost)(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth);
    /* Approximate seconds until the last rank has ended; element: bytes of one. Assumes blocks of
     * equal length. O(log p), no memory. NULL: the choice plays the algorithm. */
    double (*estimate)(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model);
    /* The algorithm with the same schedules and parameters if all ranks are on one node. The choice
     * then takes that one. */
    const struct summand__algorithm *single_node_equivalent[SUMMAND__COLLECTIVES];
    /* The node-aware algorithm that does the same. On four or more nodes of several ranks the
     * choice takes that one, because here edges cross the nodes' borders by chance, which estimates
     * do not see. */
    const struct summand__algorithm *sees_nodes;
    /* Data that distinguish the algorithm from others with the same functions. */
    struct summand__tree_variant tree;
    struct summand__composition composition;
    struct summand__outer_number outer_number;
    /* Sums of outer products: ranks first exchange the lengths of slices of lists
     * (outer/mpi/factored.h). */
    bool takes_slices;
    /* Products of matrices: boxes are cut when the product is laid out (matrix/gemm/boxes.h). */
    bool takes_boxes;
    /* Products of matrices by pairs: which block of C, of rows x columns blocks, is number `step`
     * (matrix/gemm/thesis_plan.h). */
    struct summand__gemm_block (*order)(size_t step, size_t rows, size_t columns);
};

/* Entries of `build` for collectives with one vector, and for those with a block per rank. */
#define SUMMAND__VECTORS(function)                                                                 \
    [SUMMAND__COLL_REDUCE] = function, [SUMMAND__COLL_ALLREDUCE] = function,                       \
    [SUMMAND__COLL_BCAST] = function
#define SUMMAND__BLOCKS(function)                                                                  \
    [SUMMAND__COLL_REDUCE_SCATTER_BLOCK] = function, [SUMMAND__COLL_REDUCE_SCATTER] = function,    \
    [SUMMAND__COLL_ALLGATHER] = function, [SUMMAND__COLL_ALLGATHERV] = function

/* All algorithms of the library, ended by NULL; and the most that fit. src/tables fills the
 * table. */
enum { SUMMAND__MOST_ALGORITHMS = 64 };
extern const struct summand__algorithm *const summand__algorithms[];

const struct summand__algorithm *summand__algorithm_named(const char *name);
const char *summand__parameter_name(enum summand__parameter parameter);
bool summand__algorithm_does(const struct summand__algorithm *algorithm,
                             const struct summand__call *call);

/* True if ranks must keep their places: the promises are of their order, or each rank's result is
 * that of the ranks below. */
static inline bool summand__keeps_order(enum summand__collective collective, unsigned promises)
{
    const unsigned of_order = SUMMAND__RANK_ORDER | SUMMAND__CANONICAL;
    return summand__is_prefix(collective) ||
           (summand__has_operator(collective) && (promises & of_order));
}

/* The algorithm's promises for the call: without rank order if ranks change places. */
unsigned summand__promises_of(const struct summand__algorithm *algorithm,
                              const struct summand__call *call);

/* True if operands may only be swapped by a commutative operator. */
bool summand__needs_commutative(const struct summand__algorithm *algorithm);

/* Segments of a vector, or of all blocks together. Each has its own steps of 96 bytes, one or two
 * per message and one per operand. The limit is sixteen times what the choice uses. */
enum { SUMMAND__MOST_SEGMENTS = 16384 };

/* The call with defaults for parameters of 0, and the others moved into their ranges. Segments are
 * lengthened so that there are at most SUMMAND__MOST_SEGMENTS. */
struct summand__call summand__call_complete(const struct summand__algorithm *algorithm,
                                            const struct summand__call *call);

/* Builds the schedule of call->rank; false when out of memory. */
bool summand__build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                    struct summand__schedule *schedule);

/* The algorithm's formula for the call (call->rank is ignored). */
struct summand__cost summand__cost_of(const struct summand__algorithm *algorithm,
                                      const struct summand__call *call);

/* The same without the depth, for the choice. Except for blocks of any sizes, that costs at most
 * O(log p) operations per rank, and no memory for up to SUMMAND__FEW ranks of a node
 * (algorithm/displs.h). */
struct summand__cost summand__volume_of(const struct summand__algorithm *algorithm,
                                        const struct summand__call *call);

/* The algorithm's estimate for the call; INFINITY if it has none. Only the total of the offsets is
 * read; NULL: blocks of call->count. */
double summand__estimate_of(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, size_t element,
                            const struct summand__model *model);
