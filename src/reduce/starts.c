#include "reduce/starts.h"

#include <stdlib.h>

void summand__starts_open(struct summand__starts *starts, int ranks)
{
    starts->at = starts->few;
    if (ranks > SUMMAND__FEW)
        starts->at = calloc((size_t)ranks + 1, sizeof *starts->at);
}

void summand__starts_close(struct summand__starts *starts)
{
    if (starts->at != starts->few)
        free(starts->at);
}
