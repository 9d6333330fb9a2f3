/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls on which an algorithm is proved and tested: counts below and above segments and rank
 * counts, parameters, blocks of equal and unequal sizes, in place or not, roots. */
#ifndef SUMMAND_LAB_VERIFY_CASES_H
#define SUMMAND_LAB_VERIFY_CASES_H

#include "algorithm/algorithm.h"

enum summand__effort {
    SUMMAND__FEW_CASES,     /* one or two counts, one other value of each parameter; three roots */
    SUMMAND__FEW_ALL_ROOTS, /* the same; every root with the default parameters, one root in seven,
                               in turn, with others */
    SUMMAND__MANY_CASES,    /* all counts and parameters; five roots */
    SUMMAND__ALL_ROOTS      /* the same with every root */
};

/* Ways in which ranks lie on nodes that are no runs of one size: of several sizes, round-robin, at
 * random. */
enum { SUMMAND__LAYOUTS = 3 };

/* With each count and segment go two of these, in turn. Calls `visit` for each case that the
 * algorithm does, until it returns false; false if it did, or when out of memory. The call's rank
 * is 0; its offsets live until `visit` returns. */
bool summand__cases(const struct summand__algorithm *algorithm, enum summand__collective collective,
                    int ranks, enum summand__effort effort,
                    bool (*visit)(const struct summand__algorithm *algorithm,
                                  const struct summand__call *call, void *context),
                    void *context);

/* The same cases, all on these nodes. */
bool summand__cases_on(const struct summand__algorithm *algorithm,
                       enum summand__collective collective,
                       const struct summand__groupings *groupings, enum summand__effort effort,
                       bool (*visit)(const struct summand__algorithm *algorithm,
                                     const struct summand__call *call, void *context),
                       void *context);

/* Ranks on nodes in one of these ways; false when out of memory. `*made` is to be freed; NULL where
 * so few ranks lie in runs of one size. */
bool summand__layout(int ranks, int way, struct summand__groupings **made);

/* The calls on which algorithms for matrix products are proved: small matrices over grids of all
 * shapes, equal, disjoint and overlapping in part; with ragged and single blocks, transposes,
 * updates, empty dimensions, panels of any width and rings of slots. */

/* As summand__cases. */
bool summand__cases_gemm(const struct summand__algorithm *algorithm, int ranks,
                         enum summand__effort effort,
                         bool (*visit)(const struct summand__algorithm *algorithm,
                                       const struct summand__call *call, void *context),
                         void *context);

/* The calls on which algorithms for sums of outer products are proved: small matrices of all odd
 * shapes, pairs on some ranks, on none or on one, layers, results of each kind that are updated or
 * not, gaps between rows; the collectives inside in turn. */

/* As summand__cases. */
bool summand__cases_outer(const struct summand__algorithm *algorithm, int ranks,
                          enum summand__effort effort,
                          bool (*visit)(const struct summand__algorithm *algorithm,
                                        const struct summand__call *call, void *context),
                          void *context);

#endif
