/* SPDX-License-Identifier: BSD-3-Clause */
/* Test programs in one launch, one after the other: `together NAME...`, or all without a name.
 * Starting the ranks of a program takes as long as most programs run. A line before each names it,
 * so a program that ends the process is known; each counts its own checks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* together.inc has a line PROGRAM(test_name) for each. */
#define PROGRAM(name) int name##_main(int argc, char **argv);
#include "together.inc"
#undef PROGRAM

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} programs[] = {
#define PROGRAM(name) {#name, name##_main},
#include "together.inc"
#undef PROGRAM
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static int find(const char *name)
{
    int i = 0;
    while (i < PROGRAMS && strcmp(programs[i].name, name) != 0)
        i++;
    return i;
}

/* A program that fails leaves its state behind; the later ones run all the same. */
static int run(int i, int rank)
{
    char name[64], *argv[2] = {name, NULL};
    snprintf(name, sizeof name, "%s", programs[i].name);
    if (!rank)
        printf("%s: ", name);
    fflush(stdout);
    int failed = programs[i].run(1, argv);
    if (!rank && failed)
        printf("FAILED: %s\n", name);
    fflush(stdout);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    return failed != 0;
}

int main(int argc, char **argv)
{
    int rank, level, failed = 0, count = argc > 1 ? argc - 1 : PROGRAMS;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < count; k++) {
        int i = argc > 1 ? find(argv[k + 1]) : k;
        if (i == PROGRAMS) {
            fprintf(stderr, "together: there is no program %s\n", argv[k + 1]);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        failed += run(i, rank);
    }
    if (!rank)
        printf("%d programs, %d failed\n", count, failed);
    MPI_Finalize();
    return failed ? 1 : 0;
}
