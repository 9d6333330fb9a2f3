/* SPDX-License-Identifier: BSD-3-Clause */
/* The automatic choice of an algorithm and its parameters: a pure function of what all ranks know
 * alike. Of every algorithm that does the call and keeps its promises, with parameters tried as in
 * search.h, the one with the least estimated time (algorithm/estimate.h) on a machine model. Cost:
 * tens of microseconds; where ranks share processors, whose messages are counted, 0.1 us more per
 * rank of a node; no memory for up to 1024 ranks of a node (algorithm/displs.h). All arithmetic is
 * IEEE's, so ranks that round alike agree. */
#ifndef SUMMAND_SELECT_CHOOSE_H
#define SUMMAND_SELECT_CHOOSE_H

#include "calibrate/calibration.h"
#include "select/search.h"

struct summand__query {
    enum summand__collective collective;
    int ranks;
    size_t node_size; /* ranks per node, consecutive ones; 1: unknown, or nodes of one rank */
    const struct summand__grouping *grouping; /* nodes of other sizes or in another order, whose
                                                 `most` is node_size then; NULL: such runs */
    int processors;    /* of a node whose ranks share memory; 0: one for each rank */
    size_t bytes;      /* of the whole vector */
    size_t element;    /* bytes of one schedule element, >= 1 */
    unsigned promises; /* of enum summand__promise, that the algorithm must give */
    const struct summand__outer_shape *outer; /* of a sum of outer products, else NULL */
    const struct summand__gemm_shape *gemm;   /* of a product of matrices, else NULL */
    const struct summand__model *model; /* its per_node is not read; NULL: select/defaults.h */
    const struct summand__calibration *calibration; /* of a node, which the default's memory then
                                                       follows; NULL: the standard one */
};

/* The algorithm does the collective for any rank count, root and count, and gives the promises.
 * False when out of memory: a rank that then chose by what it knows would choose another one. */
bool summand__choose(const struct summand__query *query, struct summand__choice *choice);

/* The best parameters of every algorithm that may be chosen, the fastest first; the first is
 * summand__choose's. Of those that are many times slower not all parameters have been tried, and
 * what is another one on one node is left out there. Returns how many, at most `room`; -1 when out
 * of memory. */
int summand__choices(const struct summand__query *query, struct summand__choice *choices, int room);

/* The machine that a query is about: its model, or the default, with its nodes. */
struct summand__model summand__query_model(const struct summand__query *query);

/* A node's memory as it was measured, if it was. */
void summand__calibrate_level(struct summand__level *level,
                              const struct summand__calibration *calibration);
/* Local work likewise. */
void summand__calibrate_work(struct summand__model *model,
                             const struct summand__calibration *calibration);

/* The call, rooted at rank 0, without parameters; blocks are taken for equally long. */
struct summand__call summand__query_call(const struct summand__query *query);

/* The estimated time of a choice, on any machine; INFINITY when out of memory. */
double summand__choice_seconds(const struct summand__query *query,
                               const struct summand__choice *choice,
                               const struct summand__model *model);

/* Whether the algorithm gives the promises where the collective has an operator, or an order. */
bool summand__promises_kept(const struct summand__algorithm *algorithm,
                            enum summand__collective collective, unsigned promises);

#endif
