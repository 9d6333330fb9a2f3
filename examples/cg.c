/* SPDX-License-Identifier: BSD-3-Clause */
/* Conjugate gradients whose iterates have the same bits on any number of ranks: with exact dot
 * products. With plain loops and MPI_Allreduce beside them, the iterates change with the ranks.
 *     make cg && mpirun -np 3 ./cg
 * Prints on 3 ranks: exact: 60 equal steps, plain: fewer */
#include <stdio.h>
#include <string.h>
#include <summand.h>

enum { N = 500, STEPS = 60 };

static double dot(const double *x, const double *y, int n, MPI_Comm comm, int exact)
{
    double sum = 0, all;
    for (int i = 0; i < n && !exact; i++)
        sum += x[i] * y[i];
    if (exact)
        summand_dot(x, y, &all, n, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
    else
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    return all;
}

/* q = A p on this rank's rows: 2.01 on the diagonal, -1 beside it; p[-1], p[n]: of neighbours. */
static void multiply(double *p, double *q, int n, int left, int right, MPI_Comm comm)
{
    MPI_Status status;
    MPI_Sendrecv(p + n - 1, 1, MPI_DOUBLE, right, 0, p - 1, 1, MPI_DOUBLE, left, 0, comm, &status);
    MPI_Sendrecv(p, 1, MPI_DOUBLE, left, 1, p + n, 1, MPI_DOUBLE, right, 1, comm, &status);
    for (int i = 0; i < n; i++)
        q[i] = 2.01 * p[i] - (p[i - 1] + p[i + 1]);
}

/* Writes x of each step: rows of N, of which this rank has those from `first` to `end` - 1. */
static void solve(double x[STEPS][N], int exact, MPI_Comm comm)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int first = N * rank / ranks, n = N * (rank + 1) / ranks - first;
    const int left = rank ? rank - 1 : MPI_PROC_NULL;
    const int right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    double here[N] = {0}, r[N], space[N + 2] = {0}, *p = space + 1, q[N];
    for (int i = 0; i < n; i++)
        r[i] = p[i] = 1.0 / (1 + first + i);
    double rr = dot(r, r, n, comm, exact);
    for (int step = 0; step < STEPS; step++) {
        multiply(p, q, n, left, right, comm);
        const double alpha = rr / dot(p, q, n, comm, exact), old = rr;
        for (int i = 0; i < n; i++) {
            x[step][first + i] = here[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rr = dot(r, r, n, comm, exact);
        for (int i = 0; i < n; i++)
            p[i] = r[i] + rr / old * p[i];
    }
}

int main(int argc, char **argv)
{
    static double all[STEPS][N], one[STEPS][N];
    int rank, ranks, equal[2] = {0, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int first = N * rank / ranks, n = N * (rank + 1) / ranks - first;
    for (int exact = 0; exact < 2; exact++) {
        int step = 0;
        solve(all, exact, MPI_COMM_WORLD);
        solve(one, exact, MPI_COMM_SELF);
        while (step < STEPS && !memcmp(&all[step][first], &one[step][first], n * sizeof(double)))
            step++;
        MPI_Allreduce(&step, &equal[exact], 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("exact: %d equal steps, plain: %s\n", equal[1], equal[0] < STEPS ? "fewer" : "all");
    MPI_Finalize();
}
