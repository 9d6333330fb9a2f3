/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs with requests share: terms, faults, and rows that their arguments name. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifndef HAS_INIT /* Open MPI 4 has them by another name */
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Reduce_init MPIX_Reduce_init
#define MPI_Reduce_scatter_block_init MPIX_Reduce_scatter_block_init
#define MPI_Reduce_scatter_init MPIX_Reduce_scatter_init
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Allgather_init MPIX_Allgather_init
#define MPI_Allgatherv_init MPIX_Allgatherv_init
#define MPI_Scan_init MPIX_Scan_init
#define MPI_Exscan_init MPIX_Exscan_init
#endif

enum { MOST = 20000, RANKS = 8 };
static int rank, ranks, faults;
static MPI_Comm world;

static void check(int good, const char *what, long where)
{
    if (!good && faults++ < 10)
        printf("rank %d of %d: %s, %ld\n", rank, ranks, what, where);
}

/* Terms that cancel, so that each order of a sum has other bits. */
static double number(long i, int seed)
{
    unsigned long x = (unsigned long)(i * 31 + rank * 1009 + seed * 77) * 0x9e3779b97f4a7c15;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9;
    return (double)(long)(x >> 11) * (x % 3 ? 1e-9 : 1e9);
}

static void fill(double *x, long n, int seed)
{
    for (long i = 0; i < n; i++)
        x[i] = number(i, seed);
}

static double in[MOST * RANKS], out[MOST * RANKS], wanted[MOST * RANKS];

static void prepare(int seed)
{
    fill(in, MOST * RANKS, seed);
    memset(out, 0, sizeof out);
    memset(wanted, 0, sizeof wanted);
    if (rank == ranks / 2) /* the root of broadcasts */
        memcpy(out, in, sizeof out), memcpy(wanted, in, sizeof out);
}

struct row {
    const char *name;
    void (*run)(void);
};

/* Without arguments all rows run. A row that hangs is a fault, too. */
static int run_rows(int argc, char **argv, int level, const struct row *rows, size_t count)
{
    int provided;
    MPI_Init_thread(&argc, &argv, level, &provided);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    for (size_t r = 0; r < count; r++) {
        int asked = argc == 1;
        for (int a = 1; a < argc; a++)
            asked |= !strcmp(argv[a], rows[r].name);
        if (asked)
            rows[r].run();
    }
    fflush(stdout);
    MPI_Finalize();
    return faults != 0;
}
