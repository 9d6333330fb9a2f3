/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a communicator, and how many can live. Times: summand bench overhead --first.
 *
 *   mpiexec -n 2 bench-communicators              memory
 *   mpiexec -n 2 bench-communicators live MOST    as many as the MPI has, up to MOST
 *
 * Memory is the growth per live communicator beyond that of the same number used by the MPI alone:
 * pages of this process, with shared ones divided by their users (Pss), and addresses. */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand.h>

enum { LIVE = 100 };

static int rank;

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
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
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
    if (argc > 2 && !strcmp(argv[1], "live")) {
        measure_live(atoi(argv[2]));
        MPI_Finalize();
        return 0;
    }
    measure_memory();
    MPI_Finalize();
    return 0;
}
