/* SPDX-License-Identifier: BSD-3-Clause */
#include "process/process_datatypes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <summand/exact.h>

#include "process/callbacks.h"
#include "process/finalize.h"

static void merge_accumulators(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    const summand_exact *other = in;
    summand_exact *mine = inout;
    (void)datatype;
    for (int i = 0; i < *count; i++)
        summand_exact_merge(&mine[i], &other[i]);
}

static struct row {
    const char *name;
    int halves, bytes;        /* content: one of these is 0 */
    MPI_User_function *merge; /* NULL: no operator */
    /* MPI_DATATYPE_NULL: not yet made. Calls look for theirs without the lock. */
    _Atomic(MPI_Datatype) datatype;
    MPI_Op op;
} rows[] = {[SUMMAND__FLOAT16] = {"summand_float16", 1, 0, NULL, MPI_DATATYPE_NULL, MPI_OP_NULL},
            [SUMMAND__BFLOAT16] = {"summand_bfloat16", 1, 0, NULL, MPI_DATATYPE_NULL, MPI_OP_NULL},
            [SUMMAND__EXACT] = {"summand_exact", 0, sizeof(summand_exact), merge_accumulators,
                                MPI_DATATYPE_NULL, MPI_OP_NULL}};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool registered;

static void free_row(struct row *row)
{
    MPI_Datatype made = atomic_exchange(&row->datatype, MPI_DATATYPE_NULL);
    if (made != MPI_DATATYPE_NULL)
        PMPI_Type_free(&made);
    if (row->op != MPI_OP_NULL)
        PMPI_Op_free(&row->op);
}

static void free_all(void)
{
    for (int i = 0; i < SUMMAND__PROCESS_DATATYPES; i++)
        free_row(&rows[i]);
}

/* Makes all parts or none. */
static int make(struct row *row)
{
    MPI_Datatype made = MPI_DATATYPE_NULL;
    int code = registered ? MPI_SUCCESS : summand__at_finalize(free_all);
    registered = registered || code == MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        code = row->halves ? PMPI_Type_contiguous(row->halves, MPI_UINT16_T, &made)
                           : PMPI_Type_contiguous(row->bytes, MPI_BYTE, &made);
    if (code == MPI_SUCCESS)
        code = PMPI_Type_set_name(made, row->name);
    if (code == MPI_SUCCESS)
        code = PMPI_Type_commit(&made);
    if (code == MPI_SUCCESS && row->merge)
        code = summand__create_op(row->merge, &row->op);
    if (code == MPI_SUCCESS)
        atomic_store(&row->datatype, made);
    else if (made != MPI_DATATYPE_NULL)
        PMPI_Type_free(&made);
    return code;
}

int summand__process_datatype_get(enum summand__process_datatype which, MPI_Datatype *datatype,
                                  MPI_Op *op)
{
    struct row *row = &rows[which];
    pthread_mutex_lock(&lock);
    int code = row->datatype == MPI_DATATYPE_NULL ? make(row) : MPI_SUCCESS;
    *datatype = row->datatype;
    if (op)
        *op = row->op;
    pthread_mutex_unlock(&lock);
    return code;
}

enum summand__process_datatype summand__process_datatype_of(MPI_Datatype datatype)
{
    int which = 0;
    while (which < SUMMAND__PROCESS_DATATYPES &&
           (datatype == MPI_DATATYPE_NULL || datatype != atomic_load(&rows[which].datatype)))
        which++;
    return (enum summand__process_datatype)which;
}
