/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <summand/exact.h>
#include <summand/network.h>

/* Without MPI: 1, which a plain loop loses. */
int main(void)
{
    const double x[3] = {1e16, 1, -1e16};
    char error[80];
    summand_network *network;
    if (!summand_network_load("no.model", &network, error, sizeof error))
        puts(error);
    summand_network_free(&network);
    printf("%g\n", summand_exact_sum(3, x));
}
