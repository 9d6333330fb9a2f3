/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduces without end, until it is killed. After its first reduction a rank creates a file rank.PID
 * in the working directory. It ends by itself after two minutes, with status 3. */
#include <stdio.h>
#include <stdlib.h>
#include <summand.h>
#include <unistd.h>

static void end(const char *why)
{
    fprintf(stderr, "endless: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char **argv)
{
    enum { COUNT = 1000 };
    static double from[COUNT], to[COUNT];
    char name[32];
    FILE *file;
    MPI_Init(&argc, &argv);
    for (double begin = MPI_Wtime(); MPI_Wtime() - begin < 120;) {
        if (summand_allreduce(from, to, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL) !=
            MPI_SUCCESS)
            end("a reduction failed");
        snprintf(name, sizeof name, "rank.%ld", (long)getpid());
        if (access(name, F_OK) == 0)
            continue;
        file = fopen(name, "w");
        if (!file || fclose(file) != 0)
            end(name);
    }
    end("nobody has ended it");
}
