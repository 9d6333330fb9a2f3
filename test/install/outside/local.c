/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <summand/exact.h>

/* Without MPI: 1, which a plain loop loses. */
int main(void)
{
    const double x[3] = {1e16, 1, -1e16};
    printf("%g\n", summand_exact_sum(3, x));
}
