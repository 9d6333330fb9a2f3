/* SPDX-License-Identifier: BSD-3-Clause */
/* MPICH without shared memory of its own, which is its default over UCX from version 5 on, says
 * that each rank is alone (pmodels/mpich issues 7705 and 7814). Then ranks of one kernel are taken
 * together; whether they can share memory is tried later. Other MPIs are believed: in a simulator
 * all nodes have one kernel. */
#include "fabric/node_split.h"

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "base/hash.h"
#include "process/machine.h"
#include "wait/ballot.h"

/* A hash of what names the running kernel, in 62 bits; 0: it is not known. */
static uint64_t kernel_now(void)
{
    char text[64] = "";
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t bytes = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    return bytes > 0 ? summand__hash_text(text) >> 2 : 0;
}

/* By both halves of the hash, as colours have 31 bits. */
static int split_by_kernel(MPI_Comm comm, int rank, uint64_t kernel, MPI_Comm *node)
{
    MPI_Comm half = MPI_COMM_NULL;
    int code = PMPI_Comm_split(comm, (int)(kernel >> 31), rank, &half);
    if (code != MPI_SUCCESS)
        return code;
    code = PMPI_Comm_split(half, (int)(kernel & INT32_MAX), rank, node);
    PMPI_Comm_free(&half);
    return code;
}

int summand__node_split(MPI_Comm comm, MPI_Comm *node)
{
    int rank, here = 0;
    PMPI_Comm_rank(comm, &rank);
    int code = PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, node);
    if (code != MPI_SUCCESS)
        *node = MPI_COMM_NULL;
    if (!summand__mpi_derives_from_mpich())
        return code;
    if (*node != MPI_COMM_NULL)
        PMPI_Comm_size(*node, &here);
    const uint64_t kernel = kernel_now();
    /* All have a node of one rank, and know their kernel. */
    int least[3] = {here, -here, kernel != 0};
    const int voted = summand__ballot_least(comm, least, 3);
    if (voted != MPI_SUCCESS || least[0] != 1 || least[1] != -1 || !least[2])
        return code;
    PMPI_Comm_free(node);
    code = split_by_kernel(comm, rank, kernel, node);
    if (code != MPI_SUCCESS)
        *node = MPI_COMM_NULL;
    return code;
}
