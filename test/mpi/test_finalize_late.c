/* np: 3; other_sleeper */
/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank reaches MPI_Finalize later than SUMMAND_STALL and SUMMAND_TIMEOUT allow. The others
 * report once that they wait for it there, then stop waiting, and end. A rank that fails shows in
 * the exit status of the launch. */
#include <fcntl.h>
#include <summand/reduce.h>

#include "mpi/harness.h"

static char said[65536];

static int open_file(void)
{
    char path[] = "/tmp/summand-finalize-XXXXXX";
    if (!harness_rank)
        close(mkstemp(path));
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    int file = open(path, O_RDWR | O_APPEND);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!harness_rank)
        unlink(path);
    return file;
}

/* The number of the rank's lines about MPI_Finalize. */
static int lines_of(int file, int rank)
{
    char begin[64];
    int count = 0;
    ssize_t length = pread(file, said, sizeof said - 1, 0);
    said[length > 0 ? length : 0] = 0;
    snprintf(begin, sizeof begin, "summand: rank %d of %d on ", rank, harness_ranks);
    for (const char *at = said; (at = strstr(at, begin)); at++) {
        const char *words = strstr(at, " s in MPI_Finalize, for ranks that have not come to it");
        count += words && words < at + strcspn(at, "\n");
    }
    return count;
}

/* At most a minute: a silent rank fails below. */
static void await_lines(int file)
{
    for (int turn = 0; turn < 600 && !(lines_of(file, 0) && lines_of(file, 1)); turn++)
        usleep(100000);
}

int main(int argc, char **argv)
{
    double one = 1, sum = 0;
    setenv("SUMMAND_TIMEOUT", "1.5", 1);
    setenv("SUMMAND_STALL", "1", 1);
    harness_begin(&argc, &argv);
    int code = summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL);
    CHECK(code == MPI_SUCCESS && sum == harness_ranks, "sum %g", sum);
    int file = open_file(), own_stderr = dup(STDERR_FILENO);
    int late = harness_rank == harness_ranks - 1;
    if (late) {
        await_lines(file);
        usleep(1000000); /* the others' time is over */
    } else {
        dup2(file, STDERR_FILENO);
    }
    MPI_Finalize();
    dup2(own_stderr, STDERR_FILENO);
    int lines = lines_of(file, harness_rank);
    CHECK(lines == !late, "%d lines: %s", lines, said);
    return harness_failures != 0;
}
