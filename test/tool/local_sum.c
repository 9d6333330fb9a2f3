/* SPDX-License-Identifier: BSD-3-Clause */
/* The library without the MPI: several sums. */
#include <stdio.h>
#include <summand/exact.h>

int main(void)
{
    static double x[1000];
    double sum = 0;
    for (int i = 0; i < 1000; i++)
        x[i] = i;
    for (int i = 0; i < 3; i++)
        sum = summand_exact_sum(1000, x);
    printf("%g\n", sum);
    return 0;
}
