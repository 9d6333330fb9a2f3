// SPDX-License-Identifier: BSD-3-Clause
// The first sum, from C++17: make first && mpirun -np 3 ./first
// Prints on 3 ranks: 3
#include <cstdio>
#include <summand.hpp>
#include <vector>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const std::vector<double> x{1e16, 1, -1e16};
    const double sum = summand::sum(x, MPI_COMM_WORLD); // the same bits on any number of ranks
    if (rank == 0)
        std::printf("%g\n", sum); // the number of ranks; a plain loop gives 0
    MPI_Finalize();
}
