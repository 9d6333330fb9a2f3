/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls on which an algorithm is proved and tested: counts below and above segments and rank
 * counts, parameters, equal and unequal blocks, in place or not, roots. */
#pragma once

#include "algorithm/algorithm.h"

enum summand__effort {
    SUMMAND__FEW_CASES,     /* one or two counts, one other value of each parameter; three roots */
    SUMMAND__FEW_ALL_ROOTS, /* the same; every root with the default parameters; with others one
                               root in seven, in turn */
    SUMMAND__MANY_CASES,    /* all counts and parameters; five roots */
    SUMMAND__ALL_ROOTS      /* the same with every root */
};

/* Layouts that are no runs of one size: nodes of several sizes, round-robin, at random. */
enum { SUMMAND__LAYOUTS = 3 };

/* Calls `visit` for each case that the algorithm supports, until it returns false. Each count and
 * segment gets two of these layouts, in turn. Returns false if `visit` did, or when out of memory.
 * The call's rank is 0; its offsets live until `visit` returns. */
bool summand__cases(const struct summand__algorithm *algorithm, enum summand__collective collective,
                    int ranks, enum summand__effort effort,
                    bool (*visit)(const struct summand__algorithm *algorithm,
                                  const struct summand__call *call, void *context),
                    void *context);

/* The same cases, all on the given nodes. */
bool summand__cases_on(const struct summand__algorithm *algorithm,
                       enum summand__collective collective,
                       const struct summand__groupings *groupings, enum summand__effort effort,
                       bool (*visit)(const struct summand__algorithm *algorithm,
                                     const struct summand__call *call, void *context),
                       void *context);

/* Puts ranks on nodes in layout `way`; false when out of memory. The caller frees `*made`, which is
 * NULL if so few ranks lie in runs of one size. */
bool summand__layout(int ranks, int way, struct summand__groupings **made);

/* The calls on which algorithms for matrix products are proved. Small matrices lie over grids of
 * all shapes, which are equal, disjoint or partly overlapping. There are ragged and single blocks,
 * transposes, updates, empty dimensions, panels of any width and rings of slots. */

/* As summand__cases. */
bool summand__cases_gemm(const struct summand__algorithm *algorithm, int ranks,
                         enum summand__effort effort,
                         bool (*visit)(const struct summand__algorithm *algorithm,
                                       const struct summand__call *call, void *context),
                         void *context);

/* The calls on which algorithms for sums of outer products are proved: small matrices of all odd
 * shapes, pairs on some ranks, on none or on one, layers, gaps between rows. Results of each kind
 * are updated or not; the collectives inside take turns. */

/* As summand__cases. */
bool summand__cases_outer(const struct summand__algorithm *algorithm, int ranks,
                          enum summand__effort effort,
                          bool (*visit)(const struct summand__algorithm *algorithm,
                                        const struct summand__call *call, void *context),
                          void *context);
