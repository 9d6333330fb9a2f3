/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of the standard ABI. Without words: the version of the MPI's library. "library": sums
 * by Summand; lines with the same bits on any MPI, and with "any ranks" on any number of ranks.
 * "plain": the MPI's own calls, for the shim. Exit status 1: a sum is wrong. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <summand.h>

enum { N = 3000, MOST = 64 };

static int rank, ranks, wrong;

/* Element i of numbers whose sums round, whoever has it. */
static double element(int i)
{
    return sin(i + 1.0) * pow(2, i * 7 % 60 - 30);
}

static void tell(const char *what, const void *data, size_t bytes)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * UINT64_C(1099511628211);
    if (!rank)
        printf("%s %016llx\n", what, (unsigned long long)hash);
}

static void library(void)
{
    static double part[N], vector[N], result[N];
    const int first = (int)((long)N * rank / ranks), end = (int)((long)N * (rank + 1) / ranks);
    const summand_options canonical = {.promise = SUMMAND_PROMISE_CANONICAL},
                          exact = {.promise = SUMMAND_PROMISE_EXACT},
                          tree = {.promise = SUMMAND_PROMISE_INDEX};
    double sum;
    for (int i = first; i < end; i++)
        part[i - first] = element(i);
    for (int i = 0; i < N; i++)
        vector[i] = element(i + rank * N);
    wrong += summand_sum(part, &sum, end - first, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD,
                         NULL) != MPI_SUCCESS;
    tell("any ranks: exact sum", &sum, sizeof sum);
    wrong += summand_sum(part, &sum, end - first, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD,
                         &tree) != MPI_SUCCESS;
    tell("any ranks: tree", &sum, sizeof sum);
    wrong += summand_allreduce(vector, result, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                               &canonical) != MPI_SUCCESS;
    tell("canonical", result, sizeof result);
    wrong += summand_allreduce(vector, result, N, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD, &exact) !=
             MPI_SUCCESS;
    tell("exact vectors", result, sizeof result);
}

static void plain(void)
{
    static double vector[N], result[N], all[N * MOST];
    for (int n = 1; n <= N; n *= 8) {
        int counts[MOST], integer = rank, most = -1;
        for (int r = 0; r < ranks; r++)
            counts[r] = n / ranks + (r < n % ranks);
        for (int i = 0; i < N; i++)
            vector[i] = element(i + rank * N);
        MPI_Allreduce(vector, result, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        tell("allreduce", result, (size_t)n * sizeof *result);
        MPI_Allreduce(MPI_IN_PLACE, vector, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        wrong += memcmp(vector, result, (size_t)n * sizeof *result) != 0;
        MPI_Reduce_scatter(result, vector, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allgather(vector, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
        tell("reduce-scatter", all, n < ranks ? 0 : (size_t)ranks * sizeof *all);
        MPI_Reduce(rank == ranks - 1 ? MPI_IN_PLACE : result, result, n, MPI_DOUBLE, MPI_PROD,
                   ranks - 1, MPI_COMM_WORLD);
        MPI_Bcast(result, n, MPI_DOUBLE, ranks - 1, MPI_COMM_WORLD);
        tell("reduce", result, (size_t)n * sizeof *result);
        MPI_Allreduce(&integer, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        wrong += most != ranks - 1;
    }
}

int main(int argc, char **argv)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length, all = 1;
    if (argc < 2) {
        MPI_Get_library_version(version, &length);
        puts(version);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!rank)
        printf("%d ranks\n", ranks);
    if (!strcmp(argv[1], "plain"))
        plain();
    else
        library();
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
