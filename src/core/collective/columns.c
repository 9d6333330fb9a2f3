/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_column_sums, summand_exact_vector_reduce: exact sums of vectors (collective/exact_plan.h)
 * of which each rank's terms are rows, or an accumulator of them. */
#include <summand/columns.h>

#include <stdint.h>
#include <stdlib.h>

#include "base/extent.h"
#include "collective/exact_layout.h"
#include "collective/exact_plan.h"
#include "collective/reduction.h"
#include "exact/vector.h"
#include "op/predefined.h"
#include "process/error.h"
#include "wait/presence.h"

/* The range and the lanes of the sums of a block; NULL: its terms changed meanwhile. */
static void range_block(const struct summand__exact_block *block,
                        struct summand__lanes_range *range)
{
    if (block)
        summand__exact_block_range(block, range);
}

static bool encode_block(const struct summand__exact_block *block,
                         const struct summand__lanes_format *format, int64_t *lanes)
{
    return block && summand__exact_block_share(block, format, lanes);
}

static int check_datatype(MPI_Datatype datatype, size_t *each)
{
    enum summand__lanes_type type;
    char name[SUMMAND__TYPE_NAME];
    if (summand__datatype_lanes(datatype, &type, each))
        return MPI_SUCCESS;
    summand__datatype_name(datatype, name, sizeof name);
    return datatype == MPI_DATATYPE_NULL
               ? summand__refuse_as(MPI_ERR_TYPE, "datatype is %s", name)
               : summand__refuse(SUMMAND_ERR_DATATYPE,
                                 "datatype is %s, not float, double, complex numbers of them, or "
                                 "half precision",
                                 name);
}

/* The exact promise is kept, whichever valid one is asked for. */
static struct summand__operation operation_of(const struct summand__exact_source *source,
                                              const void *of, void *y, MPI_Count count,
                                              MPI_Datatype datatype, int root,
                                              const summand_options *given,
                                              summand_options *options)
{
    *options = given ? *given : summand_options_default();
    if (options->promise >= SUMMAND_PROMISE_DEFAULT && options->promise < SUMMAND_PROMISE_EXACT)
        options->promise = SUMMAND_PROMISE_EXACT;
    return (struct summand__operation){
        .collective = root == SUMMAND_ROOT_ALL ? SUMMAND__COLL_ALLREDUCE : SUMMAND__COLL_REDUCE,
        .recvbuf = y,
        .count = count,
        .datatype = datatype,
        .op = MPI_SUM,
        .root = root == SUMMAND_ROOT_ALL ? 0 : root,
        .options = options,
        .source = source,
        .of = of};
}

/* Memory for the sums of some blocks of columns, and which they are. */
struct tile {
    struct summand__exact_block block[SUMMAND__EXACT_TILE];
    size_t first, count;
    bool good; /* the terms have not changed meanwhile */
};

/* Rows of this rank. */
struct rows {
    const void *x;
    MPI_Count rows, lead;
    enum summand__lanes_type type;
    size_t each;       /* numbers per element */
    struct tile *tile; /* NULL: out of memory */
};

/* If this rank gets the result: the rows are read again after a part of it is written. */
static int check_apart(const struct summand__operation *operation, int rank)
{
    const struct rows *rows = operation->of;
    const size_t element = rows->each * summand__lanes_element(rows->type);
    const uintptr_t x = (uintptr_t)rows->x, y = (uintptr_t)operation->recvbuf;
    const size_t row = (size_t)operation->count * element;
    const size_t all = ((size_t)rows->rows - 1) * (size_t)rows->lead * element + row;
    if (operation->collective == SUMMAND__COLL_REDUCE && operation->root != rank)
        return MPI_SUCCESS;
    if (!row || !rows->rows || x >= y + row || y >= x + all)
        return MPI_SUCCESS;
    return summand__refuse_as(MPI_ERR_BUFFER, "y (%p) overlaps the rows of x (%p)",
                              operation->recvbuf, rows->x);
}

static int check_rows(const struct summand__operation *operation, int rank)
{
    const struct rows *rows = operation->of;
    const MPI_Count count = operation->count;
    size_t each;
    if (rows->rows < 0)
        return summand__refuse_as(MPI_ERR_COUNT, "rows is %lld, not 0 or more",
                                  (long long)rows->rows);
    if (count < 0)
        return summand__refuse_as(MPI_ERR_COUNT, "count is %lld, not 0 or more", (long long)count);
    int code = check_datatype(operation->datatype, &each);
    if (code != MPI_SUCCESS)
        return code;
    if (rows->rows && count && (!rows->x || rows->x == MPI_IN_PLACE))
        return summand__refuse_as(MPI_ERR_BUFFER, "x is %s",
                                  rows->x ? "MPI_IN_PLACE" : "NULL, and there are rows");
    if (rows->rows > 1 && rows->lead < count)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "lead is %lld, not at least count, which is %lld",
                               (long long)rows->lead, (long long)count);
    if (summand__span(rows->rows, rows->lead, count, each * sizeof(double)) < 0)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "lead is %lld: %lld rows of %lld elements are more than memory can "
                               "hold",
                               (long long)rows->lead, (long long)rows->rows, (long long)count);
    return rows->tile ? check_apart(operation, rank) : summand_error_code(SUMMAND_ERR_MEMORY);
}

/* Sums the columns of the blocks from this one on. Needs no memory: there is room for any sum. */
static void sum_tile(const struct rows *rows, const struct summand__exact_span *span)
{
    struct tile *tile = rows->tile;
    const char *x = (const char *)rows->x + span->first * summand__lanes_element(rows->type);
    size_t left = span->left;
    tile->first = span->block;
    for (tile->count = 0; left && tile->count < SUMMAND__EXACT_TILE; tile->count++) {
        struct summand__exact_block *own = &tile->block[tile->count];
        own->n = left < SUMMAND__LANES_BLOCK ? left : SUMMAND__LANES_BLOCK;
        left -= own->n;
        summand__exact_block_clear(own);
    }
    tile->good = !rows->rows ||
                 summand__exact_blocks_add(tile->block, tile->count, rows->type, x,
                                           (size_t)rows->rows, (size_t)rows->lead * rows->each);
}

static const struct summand__exact_block *sum_rows(const struct rows *rows,
                                                   const struct summand__exact_span *span)
{
    const struct tile *tile = rows->tile;
    if (!span->block || span->block >= tile->first + tile->count)
        sum_tile(rows, span);
    return tile->good ? &tile->block[span->block - tile->first] : NULL;
}

static void range_rows(const void *of, enum summand__lanes_type type,
                       const struct summand__exact_span *span, struct summand__lanes_range *range)
{
    (void)type; /* that of the rows */
    range_block(sum_rows(of, span), range);
}

static bool encode_rows(const void *of, enum summand__lanes_type type,
                        const struct summand__exact_span *span,
                        const struct summand__lanes_format *format, int64_t *lanes)
{
    (void)type;
    return encode_block(sum_rows(of, span), format, lanes);
}

static void free_tile(struct tile *tile)
{
    for (int b = 0; tile && b < SUMMAND__EXACT_TILE; b++)
        free(tile->block[b].lanes);
    free(tile);
}

static struct tile *make_tile(void)
{
    const size_t room = (size_t)SUMMAND__EXACT_BLOCK_LANES * SUMMAND__LANES_BLOCK;
    struct tile *tile = calloc(1, sizeof *tile);
    for (int b = 0; tile && b < SUMMAND__EXACT_TILE; b++) {
        tile->block[b].lanes = malloc(room * sizeof *tile->block[b].lanes);
        tile->block[b].room = room;
        if (!tile->block[b].lanes) {
            free_tile(tile);
            return NULL;
        }
    }
    return tile;
}

static void drop_rows(void *of)
{
    free_tile(((struct rows *)of)->tile);
    free(of);
}

static int rows_ready(const void *of, bool *filled)
{
    *filled = ((const struct rows *)of)->rows;
    return MPI_SUCCESS;
}

static const struct summand__exact_source row_source = {.call = "summand_column_sums",
                                                        .init = "summand_column_sums_init",
                                                        .entered = SUMMAND__ENTERED_COLUMN_SUMS,
                                                        .check = check_rows,
                                                        .ready = rows_ready,
                                                        .range = range_rows,
                                                        .encode = encode_rows,
                                                        .drop = drop_rows};

static struct rows rows_of(const void *x, MPI_Count count, MPI_Count lead, MPI_Datatype datatype)
{
    struct rows rows = {.x = x, .rows = count, .lead = lead, .tile = make_tile()};
    summand__datatype_lanes(datatype, &rows.type, &rows.each);
    return rows;
}

int summand_column_sums(const void *x, MPI_Count rows, MPI_Count lead, void *y, MPI_Count count,
                        MPI_Datatype datatype, int root, MPI_Comm comm,
                        const summand_options *options)
{
    struct rows of = rows_of(x, rows, lead, datatype);
    summand_options own;
    const struct summand__operation operation =
        operation_of(&row_source, &of, y, count, datatype, root, options, &own);
    int code = summand__exact_run(&operation, comm);
    free_tile(of.tile);
    return code;
}

int summand_column_sums_init(const void *x, MPI_Count rows, MPI_Count lead, void *y,
                             MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                             const summand_options *options, summand_plan **plan)
{
    struct rows of = rows_of(x, rows, lead, datatype), *kept = malloc(sizeof *kept);
    summand_options own;
    if (kept)
        *kept = of;
    else {
        free_tile(of.tile); /* the check refuses */
        of.tile = NULL;
        kept = &of;
    }
    const struct summand__operation operation =
        operation_of(&row_source, kept, y, count, datatype, root, options, &own);
    int code = summand__exact_init(&operation, comm, plan);
    if (code == MPI_SUCCESS)
        summand__exact_own(*plan);
    else if (kept != &of)
        drop_rows(kept);
    return code;
}

static int check_vector(const struct summand__operation *operation, int rank)
{
    (void)rank;
    const summand_exact_vector *vector = operation->of;
    size_t each;
    int code = check_datatype(operation->datatype, &each);
    if (code != MPI_SUCCESS)
        return code;
    if (!vector)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "vector is NULL, not an accumulator");
    if (vector->count % each)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "vector has %zu elements, not an even number for complex numbers",
                               vector->count);
    return MPI_SUCCESS;
}

static int vector_ready(const void *of, bool *filled)
{
    const summand_exact_vector *vector = of;
    *filled = vector->count && vector->block[0].any; /* rows and terms fill all blocks */
    return vector->failed ? summand_error_code(SUMMAND_ERR_MEMORY) : MPI_SUCCESS;
}

/* Parts of a layout begin at blocks of the vector. */
static const struct summand__exact_block *vector_block(const summand_exact_vector *vector,
                                                       const struct summand__exact_span *span)
{
    return &vector->block[span->first / SUMMAND__LANES_BLOCK];
}

static void range_vector(const void *of, enum summand__lanes_type type,
                         const struct summand__exact_span *span, struct summand__lanes_range *range)
{
    (void)type; /* sums have any */
    range_block(vector_block(of, span), range);
}

static bool encode_vector(const void *of, enum summand__lanes_type type,
                          const struct summand__exact_span *span,
                          const struct summand__lanes_format *format, int64_t *lanes)
{
    (void)type;
    return encode_block(vector_block(of, span), format, lanes);
}

static const struct summand__exact_source vector_source = {
    .call = "summand_exact_vector_reduce",
    .init = "summand_exact_vector_reduce_init",
    .entered = SUMMAND__ENTERED_EXACT_VECTOR_REDUCE,
    .check = check_vector,
    .ready = vector_ready,
    .range = range_vector,
    .encode = encode_vector};

static struct summand__operation reduction_of(const summand_exact_vector *vector, void *y,
                                              MPI_Datatype datatype, int root,
                                              const summand_options *options, summand_options *own)
{
    enum summand__lanes_type type;
    size_t each = 1;
    summand__datatype_lanes(datatype, &type, &each);
    const MPI_Count count = vector ? (MPI_Count)(vector->count / each) : 0;
    return operation_of(&vector_source, vector, y, count, datatype, root, options, own);
}

int summand_exact_vector_reduce(const summand_exact_vector *vector, void *y, MPI_Datatype datatype,
                                int root, MPI_Comm comm, const summand_options *options)
{
    summand_options own;
    const struct summand__operation operation =
        reduction_of(vector, y, datatype, root, options, &own);
    return summand__exact_run(&operation, comm);
}

int summand_exact_vector_reduce_init(const summand_exact_vector *vector, void *y,
                                     MPI_Datatype datatype, int root, MPI_Comm comm,
                                     const summand_options *options, summand_plan **plan)
{
    summand_options own;
    const struct summand__operation operation =
        reduction_of(vector, y, datatype, root, options, &own);
    return summand__exact_init(&operation, comm, plan);
}
