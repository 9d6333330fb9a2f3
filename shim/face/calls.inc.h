/* SPDX-License-Identifier: BSD-3-Clause */
/* The intercepted functions of an MPI. A face includes this file; names.h says which forms there
 * are. C is the type of a count, D of a displacement. */

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
                                 : shim_end(&call, SHIM_REAL(mpi_name) give);                      \
    }

#define GIVEN(...) (__VA_ARGS__)
#define TAKEN(...) __VA_ARGS__
#define FORMS(Name, I, init, id, suffix, large, C, D)                                              \
    FUNCTION(MPI_##Name##suffix, SHIM_BLOCKING, large, TAKEN(TAKE_##Name(C, D)),                   \
             GIVEN(GIVE_##Name), .collective = SHIM_##id, FILL_##Name(suffix))                     \
    FUNCTION(I##suffix, SHIM_NONBLOCKING, large, TAKEN(TAKE_##Name(C, D), MPI_Request *request),   \
             GIVEN(GIVE_##Name, request), .collective = SHIM_##id, .request = request,             \
             FILL_##Name(suffix))                                                                  \
    FUNCTION(init##suffix, SHIM_PERSISTENT_INIT, large,                                            \
             TAKEN(TAKE_##Name(C, D), MPI_Info info, MPI_Request *request),                        \
             GIVEN(GIVE_##Name, info, request), .collective = SHIM_##id, .request = request,       \
             FILL_##Name(suffix))

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
