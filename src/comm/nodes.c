#include "comm/nodes.h"

#include "base/environment.h"
#include "base/machine.h"

/* 0 where it is unset, -1 where it is no such number. */
static int declared_size(void)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    return summand__environment_read("SUMMAND_NODE_SIZE", &setting, &complaint)
               ? (int)setting.number
               : -1;
}

/* Containers, batch systems and taskset give fewer than the machine has; mpiexec binds each rank to
 * some of them. So it is what all ranks of the node may use together. */
static int count_processors(MPI_Comm node, int *processors)
{
    unsigned char mine[SUMMAND__AFFINITY_BYTES], all[SUMMAND__AFFINITY_BYTES];
    int known = summand__affinity(mine), all_known = 0, bits = 0;
    int code = MPI_Allreduce(&known, &all_known, 1, MPI_INT, MPI_MIN, node);
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(mine, all, sizeof mine, MPI_BYTE, MPI_BOR, node);
    for (size_t i = 0; code == MPI_SUCCESS && i < 8 * sizeof all; i++)
        bits += all[i / 8] >> i % 8 & 1;
    if (all_known && bits)
        *processors = bits;
    return code;
}

/* Ranks that share memory with this one: how many, the lowest of `comm`, and their processors. */
static int find_node(MPI_Comm comm, int *size, int *first, int *processors)
{
    MPI_Comm node;
    int rank, code;
    MPI_Comm_rank(comm, &rank);
    code = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    if (code != MPI_SUCCESS)
        return code;
    MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
    MPI_Comm_size(node, size);
    *first = rank;
    code = MPI_Bcast(first, 1, MPI_INT, 0, node);
    if (code == MPI_SUCCESS)
        code = count_processors(node, processors);
    MPI_Comm_free(&node);
    return code;
}

/* 0 for a rank whose node is not the run of ranks that rank 0's node suggests. */
static int fits(int size, int first, int full, int rank, int ranks)
{
    int node = rank / full;
    int wanted = ranks - node * full < full ? ranks - node * full : full;
    return first == node * full && size == wanted;
}

int summand__nodes_read(MPI_Comm comm, struct summand__nodes *nodes, bool *complaint)
{
    int rank, ranks, full = 0, size = 1, first, fine, all_fine, processors = summand__processors();
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (rank == 0)
        full = declared_size();
    int code = MPI_Bcast(&full, 1, MPI_INT, 0, comm);
    *complaint = full < 0;
    nodes->declared = full > 0;
    nodes->node_size = full > 0 ? full : 1;
    if (code == MPI_SUCCESS && !nodes->declared)
        code = find_node(comm, &size, &first, &processors);
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(&processors, &nodes->processors, 1, MPI_INT, MPI_MIN, comm);
    if (code != MPI_SUCCESS || full)
        return code;
    full = size;
    code = MPI_Bcast(&full, 1, MPI_INT, 0, comm);
    fine = code == MPI_SUCCESS && fits(size, first, full, rank, ranks);
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(&fine, &all_fine, 1, MPI_INT, MPI_MIN, comm);
    if (code == MPI_SUCCESS && all_fine)
        nodes->node_size = full;
    return code;
}
