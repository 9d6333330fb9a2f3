/* SPDX-License-Identifier: BSD-3-Clause */
/* The exact accumulator for one's own MPI calls: datatype and operator. */
#include <pthread.h>
#include <summand/exact.h>
#include <summand/sum.h>

#include "comm/callbacks.h"
#include "comm/error.h"
#include "comm/finalize.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Datatype type = MPI_DATATYPE_NULL;
static MPI_Op merge = MPI_OP_NULL;

static void merge_accumulators(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    const summand_exact *other = in;
    summand_exact *mine = inout;
    (void)datatype;
    for (int i = 0; i < *count; i++)
        summand_exact_merge(&mine[i], &other[i]);
}

static void on_finalize(void)
{
    PMPI_Type_free(&type);
    PMPI_Op_free(&merge);
}

/* Both or none: what failed half-way is not found by the next call. */
static int make_both(void)
{
    int code = PMPI_Type_contiguous(sizeof(summand_exact), MPI_BYTE, &type);
    if (code == MPI_SUCCESS)
        code = PMPI_Type_commit(&type);
    if (code == MPI_SUCCESS)
        code = summand__create_op(merge_accumulators, &merge);
    if (code == MPI_SUCCESS)
        code = summand__at_finalize(on_finalize);
    if (code != MPI_SUCCESS && type != MPI_DATATYPE_NULL)
        PMPI_Type_free(&type);
    if (code != MPI_SUCCESS && merge != MPI_OP_NULL)
        PMPI_Op_free(&merge);
    return code;
}

static int make(const char *call)
{
    int code = MPI_SUCCESS;
    if (!summand__mpi_runs())
        return summand__no_mpi(call);
    pthread_mutex_lock(&lock);
    if (type == MPI_DATATYPE_NULL)
        code = make_both();
    pthread_mutex_unlock(&lock);
    return code;
}

static int refuse(const char *call, const char *wrong)
{
    return summand__mpi_runs() ? summand__raise(call, MPI_COMM_NULL,
                                                summand__refuse(SUMMAND_ERR_ARGUMENT, "%s", wrong))
                               : summand__no_mpi(call);
}

int summand_exact_datatype(MPI_Datatype *datatype)
{
    static const char call[] = "summand_exact_datatype";
    if (!datatype)
        return refuse(call, "datatype is NULL");
    int code = make(call);
    *datatype = type;
    return code;
}

int summand_exact_op(MPI_Op *op)
{
    static const char call[] = "summand_exact_op";
    if (!op)
        return refuse(call, "op is NULL");
    int code = make(call);
    *op = merge;
    return code;
}
