/* SPDX-License-Identifier: BSD-3-Clause */
/* A library before the MPI that has functions of MPI 4.1, by the MPI's own MPI_Request_get_status.
 * It also has PMPI_Comm_rank, by which the shim knows an MPI: with it, the MPI is a newer one. */
#include "shim/newer.h"

#include <dlfcn.h>

static void *behind(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    return ((int (*)(MPI_Comm, int *))behind("PMPI_Comm_rank"))(comm, rank);
}

/* Behind the shim, which must learn it from the calls below. */
static int is_over(MPI_Request request)
{
    int flag = 0;
    ((int (*)(MPI_Request, int *, MPI_Status *))behind("PMPI_Request_get_status"))(
        request, &flag, MPI_STATUS_IGNORE);
    return flag;
}

int PMPI_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag,
                                MPI_Status *status)
{
    int known = 0;
    (void)status;
    *flag = 0;
    *index = MPI_UNDEFINED;
    for (int i = 0; i < count && !*flag; i++) {
        known += requests[i] != MPI_REQUEST_NULL;
        *flag = requests[i] != MPI_REQUEST_NULL && is_over(requests[i]);
        if (*flag)
            *index = i;
    }
    *flag |= !known;
    return MPI_SUCCESS;
}

int PMPI_Request_get_status_all(int count, const MPI_Request requests[], int *flag,
                                MPI_Status statuses[])
{
    (void)statuses;
    *flag = 1;
    for (int i = 0; i < count; i++)
        *flag &= requests[i] == MPI_REQUEST_NULL || is_over(requests[i]);
    return MPI_SUCCESS;
}

int PMPI_Request_get_status_some(int count, const MPI_Request requests[], int *done, int places[],
                                 MPI_Status statuses[])
{
    int known = 0;
    (void)statuses;
    *done = 0;
    for (int i = 0; i < count; i++) {
        known += requests[i] != MPI_REQUEST_NULL;
        if (requests[i] != MPI_REQUEST_NULL && is_over(requests[i]))
            places[(*done)++] = i;
    }
    *done = known ? *done : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int MPI_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag,
                               MPI_Status *status)
{
    return PMPI_Request_get_status_any(count, requests, index, flag, status);
}

int MPI_Request_get_status_all(int count, const MPI_Request requests[], int *flag,
                               MPI_Status statuses[])
{
    return PMPI_Request_get_status_all(count, requests, flag, statuses);
}

int MPI_Request_get_status_some(int count, const MPI_Request requests[], int *done, int places[],
                                MPI_Status statuses[])
{
    return PMPI_Request_get_status_some(count, requests, done, places, statuses);
}
