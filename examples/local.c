/* SPDX-License-Identifier: BSD-3-Clause */
/* The exact accumulator alone, without MPI: parts of a sum, merged in any order.
 *     make local && ./local
 * Prints on 1 rank: 0.59999999999999998 */
#include <stdio.h>
#include <summand/exact.h>

int main(void)
{
    const double first[2] = {0.3, 1e300}, second[3] = {0.1, -1e300, 0.2};
    summand_exact all, part;
    summand_exact_init(&all);
    summand_exact_init(&part);
    summand_exact_add(&all, 2, first);
    summand_exact_add(&part, 3, second);
    summand_exact_merge(&all, &part);
    printf("%.17g\n", summand_exact_round(&all));
    return 0;
}
