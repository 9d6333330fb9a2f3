/* SPDX-License-Identifier: BSD-3-Clause */
/* The intercepted functions: one list for the preloaded part (entry/), the part that serves (core/,
 * face/), the report and the records. */
#pragma once

/* X(Name, name, id, arguments of the blocking, the non-blocking and the persistent function). */
#define SHIM_COLLECTIVES(X)                                                                        \
    X(Reduce, reduce, REDUCE, 7, 8, 9)                                                             \
    X(Allreduce, allreduce, ALLREDUCE, 6, 7, 8)                                                    \
    X(Reduce_scatter, reduce_scatter, REDUCE_SCATTER, 6, 7, 8)                                     \
    X(Reduce_scatter_block, reduce_scatter_block, REDUCE_SCATTER_BLOCK, 6, 7, 8)                   \
    X(Bcast, bcast, BCAST, 5, 6, 7)                                                                \
    X(Allgather, allgather, ALLGATHER, 7, 8, 9)                                                    \
    X(Allgatherv, allgatherv, ALLGATHERV, 8, 9, 10)                                                \
    X(Scan, scan, SCAN, 6, 7, 8)                                                                   \
    X(Exscan, exscan, EXSCAN, 6, 7, 8)

enum shim_collective {
#define SHIM_ID(Name, name, id, ...) SHIM_##id,
    SHIM_COLLECTIVES(SHIM_ID)
#undef SHIM_ID
        SHIM_COLLECTIVE_COUNT
};

/* True if it has an operator. */
static inline int shim_combines(enum shim_collective collective)
{
    return collective <= SHIM_REDUCE_SCATTER_BLOCK || collective >= SHIM_SCAN;
}

/* All forms, whatever MPI the shim is built with: Open MPI 4, 5 and 6 share a soname, so the shim
 * of one serves programs of another. Open MPI 4 has the persistent forms as an extension. */
#define SHIM_FORMS(Name, name, id, blocking, nonblocking, persistent)                              \
    SHIM_ENTRY(MPI_##Name, PMPI_##Name, blocking)                                                  \
    SHIM_ENTRY(MPI_I##name, PMPI_I##name, nonblocking)                                             \
    SHIM_ENTRY(MPI_##Name##_init, PMPI_##Name##_init, persistent)                                  \
    SHIM_ENTRY(MPIX_##Name##_init, PMPIX_##Name##_init, persistent)                                \
    SHIM_ENTRY(MPI_##Name##_c, PMPI_##Name##_c, blocking)                                          \
    SHIM_ENTRY(MPI_I##name##_c, PMPI_I##name##_c, nonblocking)                                     \
    SHIM_ENTRY(MPI_##Name##_init_c, PMPI_##Name##_init_c, persistent)

/* SHIM_ENTRY(MPI_Name, PMPI_Name, arguments) for each function. */
#define SHIM_ENTRIES                                                                               \
    SHIM_ENTRY(MPI_Init, PMPI_Init, 2)                                                             \
    SHIM_ENTRY(MPI_Init_thread, PMPI_Init_thread, 4)                                               \
    SHIM_ENTRY(MPI_Finalize, PMPI_Finalize, 0)                                                     \
    SHIM_ENTRY(MPI_Session_init, PMPI_Session_init, 3)                                             \
    SHIM_ENTRY(MPI_Session_finalize, PMPI_Session_finalize, 1)                                     \
    SHIM_COLLECTIVES(SHIM_FORMS)                                                                   \
    SHIM_ASIDES                                                                                    \
    SHIM_REQUESTS                                                                                  \
    SHIM_ALSO

/* What reduces without a communicator. It is the MPI's, and counted for reports and SUMMAND_STRICT
 * alone. */
#define SHIM_ASIDES                                                                                \
    SHIM_ENTRY(MPI_Reduce_local, PMPI_Reduce_local, 5)                                             \
    SHIM_ENTRY(MPI_Accumulate, PMPI_Accumulate, 9)                                                 \
    SHIM_ENTRY(MPI_Raccumulate, PMPI_Raccumulate, 10)                                              \
    SHIM_ENTRY(MPI_Get_accumulate, PMPI_Get_accumulate, 12)                                        \
    SHIM_ENTRY(MPI_Rget_accumulate, PMPI_Rget_accumulate, 13)                                      \
    SHIM_ENTRY(MPI_Fetch_and_op, PMPI_Fetch_and_op, 7)                                             \
    SHIM_ENTRY(MPI_Reduce_local_c, PMPI_Reduce_local_c, 5)                                         \
    SHIM_ENTRY(MPI_Accumulate_c, PMPI_Accumulate_c, 9)                                             \
    SHIM_ENTRY(MPI_Raccumulate_c, PMPI_Raccumulate_c, 10)                                          \
    SHIM_ENTRY(MPI_Get_accumulate_c, PMPI_Get_accumulate_c, 12)                                    \
    SHIM_ENTRY(MPI_Rget_accumulate_c, PMPI_Rget_accumulate_c, 13)

/* What starts and completes requests, and MPI_Abort: intercepted for records, and for requests that
 * are served. */
#define SHIM_REQUESTS                                                                              \
    SHIM_ENTRY(MPI_Wait, PMPI_Wait, 2)                                                             \
    SHIM_ENTRY(MPI_Waitany, PMPI_Waitany, 4)                                                       \
    SHIM_ENTRY(MPI_Waitall, PMPI_Waitall, 3)                                                       \
    SHIM_ENTRY(MPI_Waitsome, PMPI_Waitsome, 5)                                                     \
    SHIM_ENTRY(MPI_Test, PMPI_Test, 3)                                                             \
    SHIM_ENTRY(MPI_Testany, PMPI_Testany, 5)                                                       \
    SHIM_ENTRY(MPI_Testall, PMPI_Testall, 4)                                                       \
    SHIM_ENTRY(MPI_Testsome, PMPI_Testsome, 5)                                                     \
    SHIM_ENTRY(MPI_Start, PMPI_Start, 1)                                                           \
    SHIM_ENTRY(MPI_Startall, PMPI_Startall, 2)                                                     \
    SHIM_ENTRY(MPI_Request_free, PMPI_Request_free, 1)                                             \
    SHIM_ENTRY(MPI_Abort, PMPI_Abort, 2)

/* For requests that are served alone: what else learns that they are complete, and what they use.
 */
#define SHIM_ALSO                                                                                  \
    SHIM_ENTRY(MPI_Request_get_status, PMPI_Request_get_status, 3)                                 \
    SHIM_ENTRY(MPI_Request_get_status_any, PMPI_Request_get_status_any, 5)                         \
    SHIM_ENTRY(MPI_Request_get_status_all, PMPI_Request_get_status_all, 4)                         \
    SHIM_ENTRY(MPI_Request_get_status_some, PMPI_Request_get_status_some, 5)                       \
    SHIM_ENTRY(MPI_Op_free, PMPI_Op_free, 1)                                                       \
    SHIM_ENTRY(MPI_Type_free, PMPI_Type_free, 1)

enum shim_at {
#define SHIM_ENTRY(mpi, pmpi, arguments) AT_##mpi,
    SHIM_ENTRIES
#undef SHIM_ENTRY
        SHIM_AT_COUNT
};

/* A function, in the table that the preloaded part shares with the part that serves. Calls of
 * MPI_Name go to `mpi`, and those of PMPI_Name to `pmpi`. */
struct shim_slot {
    const char *name, *profiling_name;
    void *mpi, *pmpi;
    void *next; /* MPI_Name of the next tool, or of the MPI; NULL: there is none */
    void *real; /* the MPI's PMPI_Name */
    char tool;  /* `next` is a tool's: it calls PMPI_Name */
};

#define SHIM_OPEN "summand__shim_open"
