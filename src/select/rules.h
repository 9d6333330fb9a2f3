/* The automatic choice of an algorithm: a pure function of what all ranks know alike. */
#ifndef SUMMAND_SELECT_RULES_H
#define SUMMAND_SELECT_RULES_H

#include "reduce/algorithm.h"

struct summand__question {
    enum summand__collective collective;
    int ranks;
    size_t bytes;      /* of the whole vector */
    unsigned promises; /* of enum summand__promise, that the algorithm must give */
};

/* Never NULL; does the collective for any rank count, root and count, and gives the promises. */
const struct summand__algorithm *summand__choose(const struct summand__question *question);

/* Whether the algorithm gives the promises where the collective has an operator. */
bool summand__promises_kept(const struct summand__algorithm *algorithm,
                            enum summand__collective collective, unsigned promises);

#endif
