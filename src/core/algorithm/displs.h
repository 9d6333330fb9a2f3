/* SPDX-License-Identifier: BSD-3-Clause */
/* Displacements of the blocks of so many ranks, and the total, for cost formulas. Few of them lie
 * in the caller's frame, so that the choice of an algorithm takes no memory. */
#pragma once

#include <stddef.h>

enum { SUMMAND__FEW = 1024 };

struct summand__displs {
    size_t *at; /* ranks + 1 positions; NULL: out of memory */
    size_t few[SUMMAND__FEW + 1];
};

void summand__displs_open(struct summand__displs *displs, int ranks);
void summand__displs_close(struct summand__displs *displs);
