/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads a library by dlopen, calls it and unloads it, three times, and ends the MPI, which must not
 * call what is gone. Usage: unload LIBRARY FOLDER CALL. The program changes to the folder when it
 * has loaded the library. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

typedef int allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, const void *);
typedef int get_op(MPI_Op *);

/* The word says which function is called: each gives the MPI functions to call back. */
static int call(void *library, const char *which, double *sum)
{
    const double one = 1;
    MPI_Op op;
    if (which[0] == 'o') {
        get_op *exact;
        *(void **)&exact = dlsym(library, "summand_exact_op");
        return exact ? exact(&op) : MPI_ERR_OTHER;
    }
    allreduce *reduce;
    *(void **)&reduce = dlsym(library, "summand_allreduce");
    return reduce ? reduce(&one, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL) : MPI_ERR_OTHER;
}

int main(int argc, char **argv)
{
    int ranks;
    double sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < 3; round++) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!library || (round == 0 && chdir(argv[2])) ||
            call(library, argv[3], &sum) != MPI_SUCCESS) {
            fprintf(stderr, "unload: round %d: %s\n", round, library ? "call" : dlerror());
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        dlclose(library);
    }
    MPI_Finalize();
    if (argv[3][0] == 'o' || sum == ranks)
        fputs("unloaded\n", stdout); /* in one write: lines of ranks do not mix */
    return 0;
}
