/* np: 2 3 5; together; over: shm; also: checked/3 corrected/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank whose operation fails leaves none waiting, also those that keep messages to send them
 * again; and the next call works. */
#include <stdbool.h>
#include <summand.h>

#include "mpi/harness.h"

enum { MOST = 20000 };

TESTS
{
    static const int counts[] = {1, 13, 133, 13333};
    double *x = calloc(MOST, sizeof *x), *y = calloc(MOST, sizeof *y);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < 4; i++) {
        const int n = counts[i], more = harness_rank != 0; /* than the root has room for */
        int code = summand_reduce(x, y, n + more, MPI_DOUBLE, MPI_SUM, 0, comm, NULL);
        const bool remote = code == summand_error_code(SUMMAND_ERR_REMOTE);
        CHECK(more ? code == MPI_SUCCESS || remote : code != MPI_SUCCESS && !remote, "%d: %s", n,
              summand_error_text(code));
        MPI_Barrier(comm); /* who goes on early would abort the next call instead */
        x[0] = 1;
        code = summand_allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, comm, NULL);
        CHECK(code == MPI_SUCCESS && y[0] == harness_ranks, "%d, then: %s, %g", n,
              summand_error_text(code), y[0]);
    }
    MPI_Comm_free(&comm);
    free(x);
    free(y);
}
