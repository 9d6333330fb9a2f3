/* Where the blocks of so many ranks begin, and the total, while their cost is found: in the
 * caller's frame where they are few, so that the choice of an algorithm takes no memory. */
#ifndef SUMMAND_REDUCE_STARTS_H
#define SUMMAND_REDUCE_STARTS_H

#include <stddef.h>

enum { SUMMAND__FEW = 1024 };

struct summand__starts {
    size_t *at; /* ranks + 1 positions; NULL: out of memory */
    size_t few[SUMMAND__FEW + 1];
};

void summand__starts_open(struct summand__starts *starts, int ranks);
void summand__starts_close(struct summand__starts *starts);

#endif
