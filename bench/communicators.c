/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of a communicator: its time if used once and freed, its memory, and how many can live.
 *
 *   mpiexec -n 2 bench-communicators [REPETITIONS]   times, then memory
 *   mpiexec -n 2 bench-communicators live MOST       as many as the MPI has, up to MOST
 *
 * A communicator is made (a duplicate; all ranks in reverse order; halves of the ranks), used for
 * one all-reduce of 8 bytes, and freed, by the MPI and by the library in turn. Times are the least
 * and the median over repetitions, for the slowest rank. Memory is the growth per live communicator
 * beyond that of the same number used by the MPI alone: pages of this process, with shared ones
 * divided by their users (Pss), and addresses. */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand.h>

enum { WAYS = 3, LIVE = 100 };

static const char *const ways[WAYS] = {"duplicate", "reverse", "halves"};
static int rank, ranks;

static MPI_Comm make(int way)
{
    MPI_Comm comm;
    if (way == 0)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else if (way == 1)
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    else
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    return comm;
}

static int use(MPI_Comm comm, int ours)
{
    double x = 1, sum = 0;
    int size, code;
    MPI_Comm_size(comm, &size);
    code = ours ? summand_allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, NULL)
                : MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    if (code == MPI_SUCCESS && sum != size) {
        fprintf(stderr, "rank %d: a sum of %g on %d ranks\n", rank, sum, size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return code;
}

static double once(int way, int ours)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime(), mine, most;
    MPI_Comm comm = make(way);
    use(comm, ours);
    MPI_Comm_free(&comm);
    mine = MPI_Wtime() - start;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure_times(int repetitions)
{
    double *seconds = malloc(2 * (size_t)repetitions * sizeof *seconds);
    for (int way = 0; way < WAYS; way++) {
        double *native = seconds, *ours = seconds + repetitions;
        for (int i = -10; i < repetitions; i++) {
            double first = once(way, i & 1), second = once(way, !(i & 1));
            if (i >= 0) {
                native[i] = i & 1 ? second : first;
                ours[i] = i & 1 ? first : second;
            }
        }
        qsort(native, (size_t)repetitions, sizeof *native, by_size);
        qsort(ours, (size_t)repetitions, sizeof *ours, by_size);
        int middle = repetitions / 2;
        if (!rank)
            printf("%-10s %8.2f us %8.2f us %6.2f   %8.2f us %8.2f us %6.2f\n", ways[way],
                   1e6 * native[0], 1e6 * ours[0], ours[0] / native[0], 1e6 * native[middle],
                   1e6 * ours[middle], ours[middle] / native[middle]);
    }
    free(seconds);
}

struct memory {
    double pages, addresses; /* bytes */
};

static struct memory memory_now(void)
{
    struct memory memory = {(double)mallinfo2().uordblks, 0};
    char line[256];
    long bytes = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Pss_Shmem: %ld", &bytes) == 1)
            memory.pages += 1024.0 * (double)bytes;
    if (file)
        fclose(file);
    file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld", &bytes) == 1)
        memory.addresses = 4096.0 * (double)bytes;
    if (file)
        fclose(file);
    return memory;
}

/* Does not count the first communicators: they make what all others share. */
static struct memory memory_of(int ours)
{
    MPI_Comm comm[2 * LIVE];
    struct memory before = {0, 0}, after;
    for (int i = 0; i < 2 * LIVE; i++) {
        if (i == LIVE) {
            MPI_Barrier(MPI_COMM_WORLD);
            before = memory_now();
            MPI_Barrier(MPI_COMM_WORLD);
        }
        comm[i] = make(0);
        use(comm[i], ours);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    after = memory_now();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2 * LIVE; i++)
        MPI_Comm_free(&comm[i]);
    return (struct memory){(after.pages - before.pages) / LIVE,
                           (after.addresses - before.addresses) / LIVE};
}

static void measure_memory(void)
{
    struct memory native = memory_of(0), ours = memory_of(1);
    double mine[4] = {native.pages, ours.pages, native.addresses, ours.addresses}, all[4];
    MPI_Reduce(mine, all, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank)
        printf("memory of one that lives, all ranks together: %.1f KiB (the MPI's own %.1f), "
               "addresses %.1f KiB (%.1f)\n",
               (all[1] - all[0]) / 1024, all[0] / 1024, (all[3] - all[2]) / 1024, all[2] / 1024);
}

/* Duplicates until the MPI has no more, or the library. */
static void measure_live(int most)
{
    MPI_Comm *comm = malloc((size_t)most * sizeof *comm);
    int n = 0, code = MPI_SUCCESS;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (; n < most; n++) {
        code = MPI_Comm_dup(MPI_COMM_WORLD, &comm[n]);
        if (code != MPI_SUCCESS)
            break;
        MPI_Comm_set_errhandler(comm[n], MPI_ERRORS_RETURN);
        code = use(comm[n], 1);
        if (code != MPI_SUCCESS)
            break;
    }
    int used = n;
    for (int i = 0; code == MPI_SUCCESS && i < n; i++)
        code = use(comm[i], 1);
    if (!rank)
        printf("%d communicators live and are used%s\n", used,
               used < most ? "; the next one is refused" : "");
    free(comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 2 && !strcmp(argv[1], "live")) {
        measure_live(atoi(argv[2]));
        MPI_Finalize();
        return 0;
    }
    if (!rank)
        printf("%d ranks: made, one all-reduce of 8 bytes, freed\n"
               "           least: MPI     Summand  times   median: MPI    Summand  times\n",
               ranks);
    measure_times(argc > 1 ? atoi(argv[1]) : 500);
    measure_memory();
    MPI_Finalize();
    return 0;
}
