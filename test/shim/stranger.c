/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of the standard ABI, and a module for `loader`: no mpi.h of it need be here. */
#include <stdio.h>

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, void *datatype, void *op,
                  void *comm);
int PMPI_Comm_rank(void *comm, int *rank); /* so that this library is needed, too */
int module_main(void);

int module_main(void)
{
    double one = 1, sum = 0;
    int rank = -1;
    MPI_Init(NULL, NULL);
    int code = MPI_Allreduce(&one, &sum, 1, (void *)0x214, (void *)0x21, (void *)0x101);
    PMPI_Comm_rank((void *)0x101, &rank);
    printf("rank %d, code %d: %g\n", rank, code, sum);
    return MPI_Finalize();
}

int main(void)
{
    return module_main();
}
