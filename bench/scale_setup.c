/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and time of the library's set-up beside MPI_Comm_dup, in a simulation: smpi_setup.c
 * counts what ranks send (docs/results/communicators.md has the command). A line has the ranks; the
 * step; messages and bytes that a rank sends, means; us of the slowest rank. With a real MPI it
 * prints only times. Open MPI counts messages itself (--mca pml_monitoring_enable 1): the
 * difference of launches with n and n - 1 steps is a step's messages, with those of its start and
 * its printing.
 *
 *   mpiexec -n 8 scale-setup [STEPS] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand.h>

#include "bench/scale_clock.h"

/* Sent so far by all ranks: messages, and their bytes. */
__attribute__((weak)) extern unsigned long long smpi_setup_sent[2];

static int call_on(MPI_Comm comm)
{
    double x = 1, sum = 0;
    return summand_allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, NULL);
}

static int duplicate(MPI_Comm *comm)
{
    return MPI_Comm_dup(MPI_COMM_WORLD, comm);
}

static int call(MPI_Comm *comm)
{
    (void)comm;
    return call_on(MPI_COMM_WORLD);
}

static int call_there(MPI_Comm *comm)
{
    return call_on(*comm);
}

static const struct {
    const char *name;
    int (*run)(MPI_Comm *duplicate);
} steps[] = {{"MPI_Comm_dup", duplicate},
             {"the first call", call},
             {"the second call", call},
             {"the first call on the duplicate", call_there},
             {"the second call there", call_there}};

enum { STEPS = sizeof steps / sizeof *steps };

static void sent_so_far(unsigned long long sent[2])
{
    const unsigned long long *const counts = smpi_setup_sent; /* NULL without smpi_setup.c */
    memset(sent, 0, 2 * sizeof *sent);
    if (counts)
        memcpy(sent, counts, 2 * sizeof *sent);
}

int main(int argc, char **argv)
{
    int rank, ranks, count;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    count = argc > 1 ? atoi(argv[1]) : STEPS;
    for (int i = 0; i < count && i < STEPS; i++) {
        unsigned long long before[2], after[2];
        double mine, time = 0;
        scale_start_together(MPI_COMM_WORLD);
        sent_so_far(before);
        mine = MPI_Wtime();
        if (steps[i].run(&comm) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 1);
        mine = MPI_Wtime() - mine;
        scale_settle();
        sent_so_far(after);
        MPI_Reduce(&mine, &time, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (!rank)
            printf("%d,%s,%.1f,%.0f,%.1f\n", ranks, steps[i].name,
                   (double)(after[0] - before[0]) / ranks, (double)(after[1] - before[1]) / ranks,
                   1e6 * time);
    }
    MPI_Finalize();
    return 0;
}
