/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm/half.h"

#include <pthread.h>
#include <stdbool.h>

#include "comm/finalize.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool made;
static MPI_Datatype types[SUMMAND__HALVES];
static const char *const names[] = {"summand_float16", "summand_bfloat16"};

static void free_all(void)
{
    for (int h = 0; h < SUMMAND__HALVES; h++)
        if (types[h] != MPI_DATATYPE_NULL)
            PMPI_Type_free(&types[h]);
    made = false;
}

static int make_one(int h)
{
    int code = PMPI_Type_contiguous(1, MPI_UINT16_T, &types[h]);
    if (code == MPI_SUCCESS)
        code = PMPI_Type_set_name(types[h], names[h]);
    return code == MPI_SUCCESS ? PMPI_Type_commit(&types[h]) : code;
}

/* All or none: the next call begins again. */
static int make_all(void)
{
    int code = MPI_SUCCESS;
    for (int h = 0; h < SUMMAND__HALVES; h++)
        types[h] = MPI_DATATYPE_NULL;
    for (int h = 0; h < SUMMAND__HALVES && code == MPI_SUCCESS; h++)
        code = make_one(h);
    if (code == MPI_SUCCESS)
        code = summand__at_finalize(free_all);
    if (code != MPI_SUCCESS)
        free_all();
    made = code == MPI_SUCCESS;
    return code;
}

int summand__half_datatype(enum summand__half half, MPI_Datatype *datatype)
{
    pthread_mutex_lock(&lock);
    const int code = made ? MPI_SUCCESS : make_all();
    *datatype = made ? types[half] : MPI_DATATYPE_NULL;
    pthread_mutex_unlock(&lock);
    return code;
}

enum summand__half summand__half_of(MPI_Datatype datatype)
{
    int half = 0;
    pthread_mutex_lock(&lock);
    while (half < SUMMAND__HALVES && !(made && datatype == types[half]))
        half++;
    pthread_mutex_unlock(&lock);
    return (enum summand__half)half;
}
