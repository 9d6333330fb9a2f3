/* SPDX-License-Identifier: BSD-3-Clause */
/* Combining vectors on one rank, with the bits of a reduction of as many ranks. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/request.h"
#include "exact/vector.h"
#include "kernel/fpenv_call.h"
#include "process/datatype.h"
#include "process/error.h"
#include "shape/halving.h"

/* Where elements with gaps are copied, by one thread at a time. */
static MPI_Comm self = MPI_COMM_NULL;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum { ALIGNMENT = 64 }; /* of elements, as where a blocking call keeps them */

/* Memory of folds that have ended, for later ones: the system takes as long to give new pages as
 * the MPI to fill them. Less of it lies behind the fold. */
enum { KEPT = 4, KEPT_LEAST = 1 << 16, KEPT_MOST = 16 << 20 };
static struct kept {
    char *memory;
    size_t bytes;
} kept[KEPT];
static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;

/* Of at least so many bytes, and at most four times as many; else new. */
static char *take_memory(size_t bytes, size_t *room)
{
    struct kept found = {NULL, bytes};
    *room = bytes;
    if (bytes > KEPT_MOST)
        return malloc(bytes);
    pthread_mutex_lock(&keeping);
    for (int i = 0; i < KEPT && !found.memory; i++)
        if (kept[i].bytes >= bytes && kept[i].bytes / 4 <= bytes) {
            found = kept[i];
            kept[i] = (struct kept){NULL, 0};
        }
    pthread_mutex_unlock(&keeping);
    *room = found.bytes;
    return found.memory ? found.memory : malloc(bytes);
}

/* In an empty place, or in place of another one, each in turn. */
static void give_memory(char *memory, size_t bytes)
{
    static unsigned turn;
    struct kept other = {memory, bytes};
    if (bytes <= KEPT_MOST) {
        pthread_mutex_lock(&keeping);
        int at = 0;
        while (at < KEPT && kept[at].memory)
            at++;
        if (at == KEPT)
            at = turn++ % KEPT;
        other = kept[at];
        kept[at] = (struct kept){memory, bytes};
        pthread_mutex_unlock(&keeping);
    }
    free(other.memory);
}

void shim_folds_begin(void)
{
    shim_depth++; /* no communicator of the program's */
    const int code = PMPI_Comm_dup(MPI_COMM_SELF, &self);
    shim_depth--;
    if (code != MPI_SUCCESS)
        shim_request_fail("MPI_Init", "a communicator of its own", code);
}

void shim_folds_end(void)
{
    if (self != MPI_COMM_NULL)
        PMPI_Comm_free(&self);
    for (int i = 0; i < KEPT; i++) {
        free(kept[i].memory);
        kept[i] = (struct kept){NULL, 0};
    }
}

/* SIZE_MAX: no memory has so many. */
static size_t bytes_of(const struct summand__datatype *type, MPI_Count length, int vectors)
{
    MPI_Aint bytes = 0;
    if (length && __builtin_mul_overflow((MPI_Aint)length * vectors, type->extent, &bytes))
        return SIZE_MAX;
    return ALIGNMENT + (size_t)bytes;
}

size_t shim_fold_behind(const struct summand__datatype *type, MPI_Count length, int vectors)
{
    const size_t bytes = bytes_of(type, length, vectors);
    return bytes < KEPT_LEAST ? bytes : 0;
}

bool shim_fold_begin(struct shim_fold *fold, const struct summand__datatype *type, MPI_Op op,
                     MPI_Count length, int vectors, void *behind)
{
    struct summand__vector *vector = &fold->vector;
    const struct summand__datatype *element = &vector->datatype;
    vector->datatype = *type;
    vector->layout = (struct summand__datatype_layout){type->handle, element->extent, 1};
    vector->self_copy = (struct summand__self_copy){self, 0, 0};
    summand__vector_set_operator(vector, op);
    fold->length = fold->count = length;
    fold->vectors = vectors;
    const size_t bytes = bytes_of(type, length, vectors);
    char *memory = behind;
    if (bytes >= KEPT_LEAST)
        memory = fold->memory = bytes < SIZE_MAX ? take_memory(bytes, &fold->room) : NULL;
    if (!memory)
        return false;
    const uintptr_t first = (uintptr_t)memory - (uintptr_t)element->true_lb;
    fold->at = (char *)((first + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    return true;
}

static char *vector_at(const struct shim_fold *fold, int place)
{
    const MPI_Aint elements = (MPI_Aint)place * (MPI_Aint)fold->length + (MPI_Aint)fold->first;
    return fold->at + elements * fold->vector.layout.stride;
}

/* The result of a range is left in its last vector. */
static void fold_range(const struct summand__operator *op, const struct shim_fold *fold, int low,
                       int high)
{
    if (high - low < 2)
        return;
    const int middle = summand__halving_middle(low, high);
    fold_range(op, fold, low, middle);
    fold_range(op, fold, middle, high);
    op->reduce(op->context, vector_at(fold, middle - 1), vector_at(fold, high - 1),
               (size_t)fold->count);
}

static int fold_in_order(struct shim_fold *fold)
{
    SUMMAND__IN_DEFAULT_FPENV;
    const struct summand__operator op = summand__vector_operator(&fold->vector);
    fold->vector.code = MPI_SUCCESS;
    fold_range(&op, fold, 0, fold->vectors);
    if (!fold->vector.datatype.dense)
        pthread_mutex_lock(&lock);
    op.copy(op.context, vector_at(fold, fold->vectors - 1), fold->result, (size_t)fold->count);
    if (!fold->vector.datatype.dense)
        pthread_mutex_unlock(&lock);
    return fold->vector.code;
}

/* In parts whose sums stay in a cache. */
static int fold_exactly(const struct shim_fold *fold)
{
    enum { MOST = 16 * SUMMAND__LANES_BLOCK };
    const size_t bytes = summand__lanes_element(fold->numbers);
    const size_t count = (size_t)fold->count * fold->each;
    const size_t stride = (size_t)fold->length * fold->each;
    int status = SUMMAND_EXACT_OK;
    for (size_t done = 0; done < count && status == SUMMAND_EXACT_OK; done += MOST) {
        const size_t n = count - done < MOST ? count - done : MOST;
        summand_exact_vector *sums = summand_exact_vector_new(n);
        status = sums ? summand__exact_vector_add(sums, fold->numbers, (size_t)fold->vectors,
                                                  stride, vector_at(fold, 0) + done * bytes)
                      : SUMMAND_EXACT_MEMORY;
        if (status == SUMMAND_EXACT_OK)
            status = summand__exact_vector_round(sums, fold->numbers,
                                                 (char *)fold->result + done * bytes);
        summand_exact_vector_free(&sums);
    }
    return status == SUMMAND_EXACT_OK ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MEMORY);
}

int shim_fold_run(struct shim_fold *fold)
{
    if (!fold->vectors || !fold->count)
        return MPI_SUCCESS;
    shim_depth++; /* an operator of the program's may call the MPI */
    const int code = fold->exact ? fold_exactly(fold) : fold_in_order(fold);
    shim_depth--;
    return code;
}

void shim_fold_end(struct shim_fold *fold)
{
    if (fold->memory)
        give_memory(fold->memory, fold->room);
}
