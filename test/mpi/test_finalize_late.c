/* np: 3 */
/* One rank comes to MPI_Finalize later than SUMMAND_TIMEOUT allows: the others no longer wait for
 * it there, and end. A rank that fails shows in the status of the launch. */
#include <summand/reduce.h>
#include <unistd.h>

#include "mpi/harness.h"

int main(int argc, char **argv)
{
    double one = 1, sum = 0;
    setenv("SUMMAND_TIMEOUT", "0.5", 1);
    harness_begin(&argc, &argv);
    int code = summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL);
    CHECK(code == MPI_SUCCESS && sum == harness_ranks, "sum %g", sum);
    long failed = harness_failures;
    if (harness_rank == harness_ranks - 1)
        usleep(1500000);
    MPI_Finalize();
    return failed != 0;
}
