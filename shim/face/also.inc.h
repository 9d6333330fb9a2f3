/* SPDX-License-Identifier: BSD-3-Clause */
/* What may be called while requests of Summand's are in flight. A call that blocks may wait for a
 * rank that waits for such a request: it becomes its non-blocking form, and progresses them. */

static int on_MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    if (shim_progresses())
        shim_requests_move(false);
    return SHIM_REAL(MPI_Request_get_status)(request, flag, status);
}

/* MPI does not cancel collectives. */
static int on_MPI_Cancel(MPI_Request *request)
{
    if ((shim_progresses() || shim_keeps_any()) && request && shim_request_is_ours(*request))
        return shim_refuse(MPI_ERR_REQUEST, "MPI_Cancel");
    return SHIM_REAL(MPI_Cancel)(request);
}

static int on_MPI_Op_free(MPI_Op *op)
{
    if ((shim_progresses() || shim_keeps_any()) && op && shim_request_keeps_op(*op)) {
        *op = MPI_OP_NULL;
        return MPI_SUCCESS;
    }
    return SHIM_REAL(MPI_Op_free)(op);
}

static int wait_for(const char *name, int code, int count, MPI_Request *requests,
                    MPI_Status *statuses)
{
    return code != MPI_SUCCESS
               ? code
               : shim_complete(&(struct shim_completion){.how = count > 1 ? SHIM_ALL : SHIM_ONE,
                                                         .waits = true,
                                                         .name = name,
                                                         .count = count,
                                                         .requests = requests,
                                                         .statuses = statuses});
}

#define SENDS(Name, name)                                                                          \
    static int on_MPI_##Name(const void *buf, int count, MPI_Datatype type, int to, int tag,       \
                             MPI_Comm comm)                                                        \
    {                                                                                              \
        MPI_Request request;                                                                       \
        if (!shim_progresses())                                                                    \
            return SHIM_REAL(MPI_##Name)(buf, count, type, to, tag, comm);                         \
        return wait_for("MPI_" #Name, PMPI_I##name(buf, count, type, to, tag, comm, &request), 1,  \
                        &request, MPI_STATUS_IGNORE);                                              \
    }
SENDS(Send, send)
SENDS(Ssend, ssend)
SENDS(Rsend, rsend)

static int on_MPI_Recv(void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                       MPI_Status *status)
{
    MPI_Request request;
    if (!shim_progresses())
        return SHIM_REAL(MPI_Recv)(buf, count, type, from, tag, comm, status);
    return wait_for("MPI_Recv", PMPI_Irecv(buf, count, type, from, tag, comm, &request), 1,
                    &request, status);
}

static int on_MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message,
                        MPI_Status *status)
{
    MPI_Request request;
    if (!shim_progresses())
        return SHIM_REAL(MPI_Mrecv)(buf, count, type, message, status);
    return wait_for("MPI_Mrecv", PMPI_Imrecv(buf, count, type, message, &request), 1, &request,
                    status);
}

static int on_MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int to,
                           int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                           int from, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request[2];
    MPI_Status statuses[2];
    if (!shim_progresses())
        return SHIM_REAL(MPI_Sendrecv)(sendbuf, sendcount, sendtype, to, sendtag, recvbuf,
                                       recvcount, recvtype, from, recvtag, comm, status);
    int code = PMPI_Irecv(recvbuf, recvcount, recvtype, from, recvtag, comm, &request[0]);
    if (code != MPI_SUCCESS)
        return code;
    code = PMPI_Isend(sendbuf, sendcount, sendtype, to, sendtag, comm, &request[1]);
    if (code != MPI_SUCCESS) {
        PMPI_Cancel(&request[0]);
        PMPI_Wait(&request[0], MPI_STATUS_IGNORE);
        return code;
    }
    code = wait_for("MPI_Sendrecv", code, 2, request, statuses);
    if (status != MPI_STATUS_IGNORE)
        *status = statuses[0];
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        PMPI_Error_class(code, &class);
    if (class == MPI_ERR_IN_STATUS)
        code = statuses[0].MPI_ERROR != MPI_SUCCESS ? statuses[0].MPI_ERROR : statuses[1].MPI_ERROR;
    return code;
}

static int on_MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct shim_pause pause = {.turns = 0};
    int flag = 0, code = MPI_SUCCESS;
    while (shim_progresses() && !flag && code == MPI_SUCCESS) {
        shim_pause(&pause);
        code = PMPI_Iprobe(from, tag, comm, &flag, status);
    }
    return flag || code != MPI_SUCCESS ? code : SHIM_REAL(MPI_Probe)(from, tag, comm, status);
}

static int on_MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    struct shim_pause pause = {.turns = 0};
    int flag = 0, code = MPI_SUCCESS;
    while (shim_progresses() && !flag && code == MPI_SUCCESS) {
        shim_pause(&pause);
        code = PMPI_Improbe(from, tag, comm, &flag, message, status);
    }
    return flag || code != MPI_SUCCESS ? code
                                       : SHIM_REAL(MPI_Mprobe)(from, tag, comm, message, status);
}

/* Collectives of the MPI: requests on their communicator are finished first. All ranks have started
 * these, and come to the collective. */
#define FINISHES(Name, take, give)                                                                 \
    static int on_MPI_##Name(take)                                                                 \
    {                                                                                              \
        if (shim_progresses())                                                                     \
            shim_requests_finish(comm);                                                            \
        return ((__typeof__(&MPI_##Name))SHIM_FUNCTION(MPI_##Name))give;                           \
    }
#define SENT const void *in, int sent, MPI_Datatype as
#define SENT_EACH const void *in, const int sent[], const int from[], MPI_Datatype as
#define GOT void *out, int got, MPI_Datatype type
#define GOT_EACH void *out, const int got[], const int to[], MPI_Datatype type
FINISHES(Barrier, TAKEN(MPI_Comm comm), GIVEN(comm))
FINISHES(Gather, TAKEN(SENT, GOT, int root, MPI_Comm comm),
         GIVEN(in, sent, as, out, got, type, root, comm))
FINISHES(Gatherv, TAKEN(SENT, GOT_EACH, int root, MPI_Comm comm),
         GIVEN(in, sent, as, out, got, to, type, root, comm))
FINISHES(Scatter, TAKEN(SENT, GOT, int root, MPI_Comm comm),
         GIVEN(in, sent, as, out, got, type, root, comm))
FINISHES(Scatterv, TAKEN(SENT_EACH, GOT, int root, MPI_Comm comm),
         GIVEN(in, sent, from, as, out, got, type, root, comm))
FINISHES(Alltoall, TAKEN(SENT, GOT, MPI_Comm comm), GIVEN(in, sent, as, out, got, type, comm))
FINISHES(Alltoallv, TAKEN(SENT_EACH, GOT_EACH, MPI_Comm comm),
         GIVEN(in, sent, from, as, out, got, to, type, comm))
FINISHES(Alltoallw,
         TAKEN(const void *in, const int sent[], const int from[], const MPI_Datatype as[],
               void *out, const int got[], const int to[], const MPI_Datatype type[],
               MPI_Comm comm),
         GIVEN(in, sent, from, as, out, got, to, type, comm))

/* What makes communicators: `made` is the last argument. Calls from within the MPI are for itself.
 */
#define MAKES(mpi_name, take, give, made)                                                          \
    static int on_##mpi_name(take)                                                                 \
    {                                                                                              \
        if (shim_progresses())                                                                     \
            shim_requests_finish(comm);                                                            \
        const int code = ((__typeof__(&mpi_name))SHIM_FUNCTION(mpi_name))give;                     \
        if (code == MPI_SUCCESS && !shim_is_inside(__builtin_return_address(0)))                   \
            shim_comm_made(*(made));                                                               \
        return code;                                                                               \
    }
MAKES(MPI_Comm_dup, TAKEN(MPI_Comm comm, MPI_Comm *made), GIVEN(comm, made), made)
MAKES(MPI_Comm_dup_with_info, TAKEN(MPI_Comm comm, MPI_Info info, MPI_Comm *made),
      GIVEN(comm, info, made), made)
MAKES(MPI_Comm_split, TAKEN(MPI_Comm comm, int color, int key, MPI_Comm *made),
      GIVEN(comm, color, key, made), made)
MAKES(MPI_Comm_split_type, TAKEN(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
      GIVEN(comm, type, key, info, made), made)
MAKES(MPI_Comm_create, TAKEN(MPI_Comm comm, MPI_Group group, MPI_Comm *made),
      GIVEN(comm, group, made), made)

/* Only the group comes, so nothing is waited for. */
static int on_MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
    const int code = SHIM_REAL(MPI_Comm_create_group)(comm, group, tag, made);
    if (code == MPI_SUCCESS && !shim_is_inside(__builtin_return_address(0)))
        shim_comm_made(*made);
    return code;
}

MAKES(MPI_Cart_create,
      TAKEN(MPI_Comm comm, int n, const int dims[], const int periods[], int reorder,
            MPI_Comm *made),
      GIVEN(comm, n, dims, periods, reorder, made), made)
MAKES(MPI_Cart_sub, TAKEN(MPI_Comm comm, const int remain[], MPI_Comm *made),
      GIVEN(comm, remain, made), made)
MAKES(MPI_Graph_create,
      TAKEN(MPI_Comm comm, int n, const int index[], const int edges[], int reorder,
            MPI_Comm *made),
      GIVEN(comm, n, index, edges, reorder, made), made)
MAKES(MPI_Dist_graph_create,
      TAKEN(MPI_Comm comm, int n, const int sources[], const int degrees[],
            const int destinations[], const int weights[], MPI_Info info, int reorder,
            MPI_Comm *made),
      GIVEN(comm, n, sources, degrees, destinations, weights, info, reorder, made), made)
MAKES(MPI_Dist_graph_create_adjacent,
      TAKEN(MPI_Comm comm, int in, const int sources[], const int source_weights[], int out,
            const int destinations[], const int destination_weights[], MPI_Info info, int reorder,
            MPI_Comm *made),
      GIVEN(comm, in, sources, source_weights, out, destinations, destination_weights, info,
            reorder, made),
      made)
MAKES(MPI_Intercomm_merge, TAKEN(MPI_Comm comm, int high, MPI_Comm *made), GIVEN(comm, high, made),
      made)
