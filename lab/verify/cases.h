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

/* Calls `visit` for each case that the algorithm does, until it returns false; false if it did, or
 * when out of memory. The call's rank is 0; its offsets live until `visit` returns. */
bool summand__cases(const struct summand__algorithm *algorithm, enum summand__collective collective,
                    int ranks, enum summand__effort effort,
                    bool (*visit)(const struct summand__algorithm *algorithm,
                                  const struct summand__call *call, void *context),
                    void *context);

#endif
