/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/displs.h"

#include <stdlib.h>

void summand__displs_open(struct summand__displs *displs, int ranks)
{
    displs->at = displs->few;
    if (ranks > SUMMAND__FEW)
        displs->at = calloc((size_t)ranks + 1, sizeof *displs->at);
}

void summand__displs_close(struct summand__displs *displs)
{
    if (displs->at != displs->few)
        free(displs->at);
}
