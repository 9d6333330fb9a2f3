/* SPDX-License-Identifier: BSD-3-Clause */
/* The automatic choice of an algorithm and its parameters: a pure function of facts that are equal
 * on all ranks. All algorithms that do the call and keep its promises, with parameters from
 * search.h, are ordered by their estimated time (algorithm/estimate.h) on a machine model. On one
 * node the first one is taken. Between nodes the first ones are played (play/predict.h), for the
 * call's bucket of lengths, and the one that ends first is taken.
 *
 * Cost: tens of microseconds on one node; if ranks share processors, messages are counted for 0.1
 * us more per rank of a node; no memory for up to 1024 ranks of a node (algorithm/displs.h). Plays:
 * tournament.c. All arithmetic is IEEE's, so ranks with the same rounding agree. */
#pragma once

#include "calibrate/calibration.h"
#include "select/search.h"

struct summand__query {
    enum summand__collective collective;
    int ranks;
    size_t node_size; /* consecutive ranks per node; 1: unknown, or nodes of one rank */
    const struct summand__grouping *grouping; /* nodes of other sizes or in another order, node_size
                                                 is then its `most`; NULL: such runs */
    const struct summand__groupings *groupings; /* both, one of which `grouping` is; NULL: no other
                                                   one is known, or there is none */
    int processors;    /* of a node whose ranks share memory; 0: one for each rank */
    size_t bytes;      /* of the whole vector */
    size_t element;    /* bytes of one schedule element, >= 1 */
    unsigned promises; /* of enum summand__promise, required of the algorithm */
    bool estimated;    /* not played, because the caller adds up estimates */
    const struct summand__outer_shape *outer; /* of a sum of outer products, else NULL */
    const struct summand__gemm_shape *gemm;   /* of a product of matrices, else NULL */
    const struct summand__model *model;       /* its per_node is ignored; NULL: select/defaults.h */
    const struct summand__calibration *calibration; /* of a node, for the default model's memory;
                                                       NULL: the standard one */
};

/* The algorithm does the collective for any number of ranks, root and count, and keeps the
 * promises. Its time is that of the bucket's length. It does not rise if a promise is weakened, but
 * where ranks are scattered over nodes and the query has one grouping only. False when
 * out of memory: a choice without it could differ from the other ranks'. */
bool summand__choose(const struct summand__query *query, struct summand__choice *choice);

/* Of calls that are played, the one that stands for those of about its length: its count, or that
 * of a block, has four binary digits or is the longest of those alike by `eager`. Otherwise the
 * query itself. So a choice depends on no earlier one, and ranks with other histories agree. */
struct summand__query summand__query_bucket(const struct summand__query *query);
/* True between nodes, and wherever an algorithm without an estimate may be chosen, for collectives
 * of the MPI of less than 2^32 elements, unless estimates are asked for. */
bool summand__query_plays(const struct summand__query *query);
int summand__query_nodes(const struct summand__query *query);
/* The same call with these promises: operands in rank order lie on runs of consecutive ranks. */
struct summand__query summand__query_promising(const struct summand__query *query,
                                               unsigned promises);
/* The grouping whose groups are whole nodes, if it is known, else the query's. */
const struct summand__grouping *summand__query_whole(const struct summand__query *query);
/* Makes the bucket's choice one for this query, with as many segments. */
void summand__choice_fit(struct summand__choice *choice, const struct summand__query *query);

/* The best parameters of every algorithm that may be chosen, by estimates, the fastest first; for
 * queries that are not played, the first is summand__choose's. For much slower ones not all
 * parameters are tried. Algorithms that equal another one on one node are left out there. Returns
 * the number, at most `room`; -1 when out of memory. */
int summand__choices(const struct summand__query *query, struct summand__choice *choices, int room);

/* The machine of a query: its model, or the default, with its nodes. */
struct summand__model summand__query_model(const struct summand__query *query);

/* Sets a node's memory from a measurement, if there is one. */
void summand__calibrate_level(struct summand__level *level,
                              const struct summand__calibration *calibration);
/* The same for local work. */
void summand__calibrate_work(struct summand__model *model,
                             const struct summand__calibration *calibration);

/* The call, with root 0, without parameters; blocks count as equal. */
struct summand__call summand__query_call(const struct summand__query *query);

/* The estimated time of a choice, on any machine; INFINITY when out of memory. */
double summand__choice_seconds(const struct summand__query *query,
                               const struct summand__choice *choice,
                               const struct summand__model *model);

/* The seconds of a play, and what it does not have: the work of pieces, and that of ranks that
 * share processors. INFINITY when out of memory. */
double summand__played_seconds(double seconds, const struct summand__algorithm *algorithm,
                               const struct summand__call *call, size_t element,
                               const struct summand__model *model);

/* True if the algorithm does the query's call, keeps its promises, and is no worse twin of another.
 */
bool summand__may_be_chosen(const struct summand__query *query,
                            const struct summand__algorithm *algorithm,
                            const struct summand__call *call);

/* True if the algorithm keeps the promises, or the collective has no operator and no order. */
bool summand__promises_kept(const struct summand__algorithm *algorithm,
                            enum summand__collective collective, unsigned promises);
