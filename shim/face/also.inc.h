/* SPDX-License-Identifier: BSD-3-Clause */
/* What else learns that a request is complete, and what requests that are served use. */

static int on_MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    const int code = SHIM_REAL(MPI_Request_get_status)(request, flag, status);
    if (code == MPI_SUCCESS && *flag && shim_awaits())
        shim_request_look(request);
    return code;
}

/* Of MPI 4.1, which mpi.h may not be. */
static int on_MPI_Request_get_status_any(int count, const MPI_Request requests[], int *index,
                                         int *flag, MPI_Status *status)
{
    const int code = ((int (*)(int, const MPI_Request[], int *, int *, MPI_Status *))SHIM_FUNCTION(
        MPI_Request_get_status_any))(count, requests, index, flag, status);
    if (code == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED && shim_awaits())
        shim_request_look(requests[*index]);
    return code;
}

static int on_MPI_Request_get_status_all(int count, const MPI_Request requests[], int *flag,
                                         MPI_Status statuses[])
{
    const int code = ((int (*)(int, const MPI_Request[], int *, MPI_Status *))SHIM_FUNCTION(
        MPI_Request_get_status_all))(count, requests, flag, statuses);
    for (int i = 0; code == MPI_SUCCESS && *flag && i < count && shim_awaits(); i++)
        shim_request_look(requests[i]);
    return code;
}

static int on_MPI_Request_get_status_some(int count, const MPI_Request requests[], int *done,
                                          int places[], MPI_Status statuses[])
{
    const int code = ((int (*)(int, const MPI_Request[], int *, int *, MPI_Status *))SHIM_FUNCTION(
        MPI_Request_get_status_some))(count, requests, done, places, statuses);
    for (int i = 0; code == MPI_SUCCESS && i < *done && shim_awaits(); i++)
        shim_request_look(requests[places[i]]);
    return code;
}

static int on_MPI_Type_free(MPI_Datatype *type)
{
    if (!shim_depth && type && shim_type_keeps(*type)) {
        *type = MPI_DATATYPE_NULL;
        return MPI_SUCCESS;
    }
    return SHIM_REAL(MPI_Type_free)(type);
}

static int on_MPI_Op_free(MPI_Op *op)
{
    if (!shim_depth && op && shim_op_keeps(*op)) {
        *op = MPI_OP_NULL;
        return MPI_SUCCESS;
    }
    return SHIM_REAL(MPI_Op_free)(op);
}
