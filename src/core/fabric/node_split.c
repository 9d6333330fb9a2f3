/* SPDX-License-Identifier: BSD-3-Clause */
/* MPICH without shared memory of its own, which is its default over UCX from version 5 on, says
 * that each rank is alone (pmodels/mpich issues 7705 and 7814). Then ranks of one kernel and one
 * PID namespace are taken together: containers have one kernel, but cannot see each other's
 * processes. Whether ranks can share memory is tried later. Other MPIs are believed: in a simulator
 * all nodes have one kernel. */
#include "fabric/node_split.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/hash.h"
#include "process/machine.h"
#include "wait/ballot.h"
#include "wait/presence.h"

/* A hash of what names the running kernel and this process's PID namespace, in 62 bits; 0: they are
 * not known. */
static uint64_t kernel_now(void)
{
    enum { UUID = 37 }; /* with its line's end */
    char text[64] = "";
    const uint64_t space = summand__presence_space();
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t bytes = file < 0 ? 0 : read(file, text, UUID);
    if (file >= 0)
        close(file);
    if (bytes <= 0 || !space)
        return 0;
    snprintf(text + bytes, sizeof text - (size_t)bytes, " %llu", (unsigned long long)space);
    return summand__hash_text(text) >> 2;
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
    if (voted != MPI_SUCCESS) {
        *node = MPI_COMM_NULL; /* not freed: its other ranks may not come */
        return voted;
    }
    if (least[0] != 1 || least[1] != -1 || !least[2])
        return code;
    PMPI_Comm_free(node);
    code = split_by_kernel(comm, rank, kernel, node);
    if (code != MPI_SUCCESS)
        *node = MPI_COMM_NULL;
    return code;
}
