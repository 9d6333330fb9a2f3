/* The automatic choice of an algorithm: a pure function of what all ranks know alike. */
#ifndef SUMMAND_SELECT_CHOOSE_H
#define SUMMAND_SELECT_CHOOSE_H

#include "reduce/algorithm.h"

struct summand__question {
    enum summand__collective collective;
    int ranks;
    size_t node_size;  /* ranks per node, consecutive ones; 1: unknown, or nodes of one rank */
    size_t bytes;      /* of the whole vector */
    size_t element;    /* bytes of one schedule element, >= 1 */
    unsigned promises; /* of enum summand__promise, that the algorithm must give */
};

struct summand__choice {
    const struct summand__algorithm *algorithm;
    size_t parameter[SUMMAND__PARAMETERS]; /* of the call; 0: the algorithm's default */
};

/* The algorithm does the collective for any rank count, root and count, and gives the promises. */
void summand__choose(const struct summand__question *question, struct summand__choice *choice);

/* Whether the algorithm gives the promises where the collective has an operator. */
bool summand__promises_kept(const struct summand__algorithm *algorithm,
                            enum summand__collective collective, unsigned promises);

#endif
