/* SPDX-License-Identifier: BSD-3-Clause */
/* The intercepted functions, with arguments of C: Fortran's functions call MPI_Name (MPICH) or
 * PMPI_Name (Open MPI) of C, with addresses and handles of C. What mpi.h does not declare is
 * intercepted all the same: the program may meet a newer MPI. C is the type of a count, D of a
 * displacement. */
#include "core/shim.h"

#define TAKE_Reduce(C, D)                                                                          \
    const void *sendbuf, void *recvbuf, C count, MPI_Datatype datatype, MPI_Op op, int root,       \
        MPI_Comm comm
#define GIVE_Reduce sendbuf, recvbuf, count, datatype, op, root, comm
#define FILL_Reduce(s)                                                                             \
    .sendbuf = sendbuf, .recvbuf = recvbuf, .recvcount = count, .recvtype = datatype, .op = op,    \
    .root = root

#define TAKE_Allreduce(C, D)                                                                       \
    const void *sendbuf, void *recvbuf, C count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm
#define GIVE_Allreduce sendbuf, recvbuf, count, datatype, op, comm
#define FILL_Allreduce(s)                                                                          \
    .sendbuf = sendbuf, .recvbuf = recvbuf, .recvcount = count, .recvtype = datatype, .op = op

#define TAKE_Reduce_scatter(C, D)                                                                  \
    const void *sendbuf, void *recvbuf, const C recvcounts[], MPI_Datatype datatype, MPI_Op op,    \
        MPI_Comm comm
#define GIVE_Reduce_scatter sendbuf, recvbuf, recvcounts, datatype, op, comm
#define FILL_Reduce_scatter(s)                                                                     \
    .sendbuf = sendbuf, .recvbuf = recvbuf, .recvcounts##s = recvcounts, .recvtype = datatype,     \
    .op = op

#define TAKE_Reduce_scatter_block(C, D) TAKE_Allreduce(C, D)
#define GIVE_Reduce_scatter_block GIVE_Allreduce
#define FILL_Reduce_scatter_block(s) FILL_Allreduce(s)

#define TAKE_Bcast(C, D) void *buffer, C count, MPI_Datatype datatype, int root, MPI_Comm comm
#define GIVE_Bcast buffer, count, datatype, root, comm
#define FILL_Bcast(s) .recvbuf = buffer, .recvcount = count, .recvtype = datatype, .root = root

#define TAKE_Allgather(C, D)                                                                       \
    const void *sendbuf, C sendcount, MPI_Datatype sendtype, void *recvbuf, C recvcount,           \
        MPI_Datatype recvtype, MPI_Comm comm
#define GIVE_Allgather sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
#define FILL_Allgather(s)                                                                          \
    .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf,          \
    .recvcount = recvcount, .recvtype = recvtype

#define TAKE_Allgatherv(C, D)                                                                      \
    const void *sendbuf, C sendcount, MPI_Datatype sendtype, void *recvbuf, const C recvcounts[],  \
        const D displs[], MPI_Datatype recvtype, MPI_Comm comm
#define GIVE_Allgatherv sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm
#define FILL_Allgatherv(s)                                                                         \
    .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf,          \
    .recvcounts##s = recvcounts, .displs##s = displs, .recvtype = recvtype

#define TAKE_Scan(C, D) TAKE_Allreduce(C, D)
#define GIVE_Scan GIVE_Allreduce
#define FILL_Scan(s) FILL_Allreduce(s)
#define TAKE_Exscan(C, D) TAKE_Allreduce(C, D)
#define GIVE_Exscan GIVE_Allreduce
#define FILL_Exscan(s) FILL_Allreduce(s)

/* One function: what it fills in, and what it calls if the call is not served. */
#define FUNCTION(mpi_name, form_, large_, take, give, ...)                                         \
    static int on_##mpi_name(take)                                                                 \
    {                                                                                              \
        struct shim_call call = {.form = form_,                                                    \
                                 .large = large_,                                                  \
                                 .handle = comm,                                                   \
                                 .caller = __builtin_return_address(0),                            \
                                 __VA_ARGS__};                                                     \
        return shim_begin(&call) ? shim_end(&call, call.code)                                      \
                                 : shim_end(&call, ((int (*)(take))SHIM_FUNCTION(mpi_name))give);  \
    }

#define GIVEN(...) (__VA_ARGS__)
#define TAKEN(...) __VA_ARGS__
#define INIT(mpi_name, Name, id, suffix, large, C, D)                                              \
    FUNCTION(mpi_name, SHIM_PERSISTENT_INIT, large,                                                \
             TAKEN(TAKE_##Name(C, D), MPI_Info info, MPI_Request *request),                        \
             GIVEN(GIVE_##Name, info, request), .collective = SHIM_##id, .request = request,       \
             FILL_##Name(suffix))
#define FORMS(Name, name, id, suffix, large, C, D)                                                 \
    FUNCTION(MPI_##Name##suffix, SHIM_BLOCKING, large, TAKEN(TAKE_##Name(C, D)),                   \
             GIVEN(GIVE_##Name), .collective = SHIM_##id, FILL_##Name(suffix))                     \
    FUNCTION(MPI_I##name##suffix, SHIM_NONBLOCKING, large,                                         \
             TAKEN(TAKE_##Name(C, D), MPI_Request *request), GIVEN(GIVE_##Name, request),          \
             .collective = SHIM_##id, .request = request, FILL_##Name(suffix))                     \
    INIT(MPI_##Name##_init##suffix, Name, id, suffix, large, C, D)
#define ROW(Name, name, id, ...)                                                                   \
    FORMS(Name, name, id, , false, int, int)                                                       \
    INIT(MPIX_##Name##_init, Name, id, , false, int, int)                                          \
    FORMS(Name, name, id, _c, true, MPI_Count, MPI_Aint)
SHIM_COLLECTIVES(ROW)

/* Reductions without a communicator: the operands are of the datatype `type`. */
#define ASIDE(mpi_name, combines, take, give)                                                      \
    static int on_##mpi_name(take)                                                                 \
    {                                                                                              \
        shim_aside(#mpi_name, combines, op, type, __builtin_return_address(0));                    \
        return ((int (*)(take))SHIM_FUNCTION(mpi_name))give;                                       \
    }
#define TAKE_TARGET(C) int rank, MPI_Aint disp, C count, MPI_Datatype type, MPI_Op op, MPI_Win win
#define GIVE_TARGET rank, disp, count, type, op, win
#define ASIDE_FORMS(suffix, C)                                                                     \
    ASIDE(MPI_Reduce_local##suffix, count > 0,                                                     \
          TAKEN(const void *in, void *inout, C count, MPI_Datatype type, MPI_Op op),               \
          GIVEN(in, inout, count, type, op))                                                       \
    ASIDE(MPI_Accumulate##suffix, count > 0 && rank != MPI_PROC_NULL,                              \
          TAKEN(const void *origin, C from, MPI_Datatype as, TAKE_TARGET(C)),                      \
          GIVEN(origin, from, as, GIVE_TARGET))                                                    \
    ASIDE(                                                                                         \
        MPI_Raccumulate##suffix, count > 0 && rank != MPI_PROC_NULL,                               \
        TAKEN(const void *origin, C from, MPI_Datatype as, TAKE_TARGET(C), MPI_Request *request),  \
        GIVEN(origin, from, as, GIVE_TARGET, request))                                             \
    ASIDE(MPI_Get_accumulate##suffix, count > 0 && rank != MPI_PROC_NULL,                          \
          TAKEN(const void *origin, C from, MPI_Datatype as, void *result, C to,                   \
                MPI_Datatype into, TAKE_TARGET(C)),                                                \
          GIVEN(origin, from, as, result, to, into, GIVE_TARGET))                                  \
    ASIDE(MPI_Rget_accumulate##suffix, count > 0 && rank != MPI_PROC_NULL,                         \
          TAKEN(const void *origin, C from, MPI_Datatype as, void *result, C to,                   \
                MPI_Datatype into, TAKE_TARGET(C), MPI_Request *request),                          \
          GIVEN(origin, from, as, result, to, into, GIVE_TARGET, request))
ASIDE_FORMS(, int)
ASIDE_FORMS(_c, MPI_Count)
ASIDE(MPI_Fetch_and_op, rank != MPI_PROC_NULL,
      TAKEN(const void *origin, void *result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op op,
            MPI_Win win),
      GIVEN(origin, result, type, rank, disp, op, win))

static int on_MPI_Init(int *argc, char ***argv)
{
    int code = SHIM_REAL(MPI_Init)(argc, argv);
    shim_start();
    return code;
}

static int on_MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int code = SHIM_REAL(MPI_Init_thread)(argc, argv, required, provided);
    shim_start();
    return code;
}

static int on_MPI_Finalize(void)
{
    shim_finish();
    return SHIM_REAL(MPI_Finalize)();
}

/* The handle is passed on as it is: mpi.h may have no sessions. */
static int on_MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, void *session)
{
    shim_session(1);
    int code = ((int (*)(MPI_Info, MPI_Errhandler, void *))SHIM_FUNCTION(MPI_Session_init))(
        info, errhandler, session);
    if (code != MPI_SUCCESS)
        shim_session(-1);
    return code;
}

static int on_MPI_Session_finalize(void *session)
{
    int code = ((int (*)(void *))SHIM_FUNCTION(MPI_Session_finalize))(session);
    shim_session(-1);
    return code;
}
