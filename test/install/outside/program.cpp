/* SPDX-License-Identifier: BSD-3-Clause */
#include <cstdio>
#include <summand.h>
#include <vector>

// A part of each header: the number of ranks, on each rank.
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    std::vector<double> x{1e16, 1, -1e16};
    double sum = 0, again = 0, ones = 0, one = 1;
    summand_sum(x.data(), &sum, 3, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, nullptr);
    summand_options options = summand_options_default();
    options.promise = SUMMAND_PROMISE_CANONICAL;
    summand_plan *plan = nullptr;
    summand_allreduce_init(&one, &ones, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options, &plan);
    summand_plan_start(plan);
    summand_plan_wait(plan);
    summand_plan_free(&plan);
    summand_exact acc;
    summand_exact_init(&acc);
    for (double term : x)
        summand_exact_add(&acc, 1, &term);
    again = summand_exact_round(&acc);
    bool right = sum == ones && again == 1 && summand_version()[0];
    std::printf("%g\n", right ? sum : -1);
    MPI_Finalize();
}
