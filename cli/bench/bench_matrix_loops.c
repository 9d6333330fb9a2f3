/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/bench/bench_matrix_loops.h"

#include <stdlib.h>
#include <string.h>

#include "base/extreme.h"

/* The owner of an element of a dimension, and the number of following elements of the same
 * owner. */
struct stretch {
    int part;
    int64_t count;
};

static struct stretch stretch_of(const struct summand__cyclic *cyclic, int64_t index)
{
    int64_t left = cyclic->block - index % cyclic->block;
    return (struct stretch){summand__cyclic_part(cyclic, index), left};
}

/* A rank's position in a grid, and its rows and columns: none for a rank outside. */
struct part {
    int p, q;
    int64_t m, n;
};

static struct part part_of(const struct summand__grid *grid, int rank)
{
    struct part part = {0};
    int process = summand__grid_process(grid, rank);
    if (process < 0)
        return part;
    summand__grid_extent(grid, process, &part.m, &part.n);
    part.p = process / grid->columns.parts;
    part.q = process % grid->columns.parts;
    return part;
}

/* Walks through a local array by columns, in parts of a column with one remote owner: calls `do`
 * with its rank, the part's position in the array, and its length. */
typedef void stretch_work(struct matrix_loops *loops, int rank, int64_t at, int64_t count,
                          int64_t apart);

/* The sender's array: if transposed, its columns are rows of the other matrix. */
static void walk_source(struct matrix_loops *loops, stretch_work *work)
{
    const struct summand__grid *own = &loops->from, *other = &loops->to;
    const struct summand__cyclic *rows = loops->transposed ? &other->columns : &other->rows;
    const struct summand__cyclic *columns = loops->transposed ? &other->rows : &other->columns;
    struct part part = part_of(own, loops->rank);
    for (int64_t j = 0; j < part.n; j++) {
        int across = summand__cyclic_part(columns, summand__cyclic_index(&own->columns, part.q, j));
        for (int64_t i = 0, count; i < part.m; i += count) {
            int64_t row = summand__cyclic_index(&own->rows, part.p, i);
            struct stretch there = stretch_of(rows, row);
            count = summand__lesser(
                summand__lesser(there.count, own->rows.block - row % own->rows.block), part.m - i);
            int r = loops->transposed ? across : there.part,
                c = loops->transposed ? there.part : across;
            work(loops, other->group[r * other->columns.parts + c], i + j * part.m, count, 1);
        }
    }
}

/* The receiver's array, in the order of packing. */
static void walk_target(struct matrix_loops *loops, stretch_work *work)
{
    const struct summand__grid *own = &loops->to, *other = &loops->from;
    const struct summand__cyclic *own_rows = loops->transposed ? &own->columns : &own->rows;
    const struct summand__cyclic *own_columns = loops->transposed ? &own->rows : &own->columns;
    struct part part = part_of(own, loops->rank);
    int part_rows = loops->transposed ? part.q : part.p,
        part_columns = loops->transposed ? part.p : part.q;
    int64_t rows = loops->transposed ? part.n : part.m,
            columns = loops->transposed ? part.m : part.n;
    int64_t down = loops->transposed ? part.m : 1, along = loops->transposed ? 1 : part.m;
    for (int64_t j = 0; j < columns; j++) {
        int across = summand__cyclic_part(&other->columns,
                                          summand__cyclic_index(own_columns, part_columns, j));
        for (int64_t i = 0, count; i < rows; i += count) {
            int64_t row = summand__cyclic_index(own_rows, part_rows, i);
            struct stretch there = stretch_of(&other->rows, row);
            count = summand__lesser(
                summand__lesser(there.count, own_rows->block - row % own_rows->block), rows - i);
            work(loops, other->group[there.part * other->columns.parts + across],
                 i * down + j * along, count, down);
        }
    }
}

static void count_sent(struct matrix_loops *loops, int rank, int64_t at, int64_t count,
                       int64_t apart)
{
    (void)at, (void)apart;
    loops->counts[rank] += (int)count;
}

static void count_received(struct matrix_loops *loops, int rank, int64_t at, int64_t count,
                           int64_t apart)
{
    (void)at, (void)apart;
    loops->counts[loops->ranks + rank] += (int)count;
}

static void pack(struct matrix_loops *loops, int rank, int64_t at, int64_t count, int64_t apart)
{
    (void)apart;
    memcpy(loops->next[rank], loops->source + at, (size_t)count * sizeof(double));
    loops->next[rank] += count;
}

static void unpack(struct matrix_loops *loops, int rank, int64_t at, int64_t count, int64_t apart)
{
    const double *from = loops->next[rank];
    double *to = loops->target + at;
    if (apart == 1)
        memcpy(to, from, (size_t)count * sizeof(double));
    else
        for (int64_t i = 0; i < count; i++)
            to[i * apart] = from[i];
    loops->next[rank] += count;
}

static void begin(struct matrix_loops *loops, int way)
{
    for (int r = 0; r < loops->ranks; r++)
        loops->next[r] = loops->packed[way] + loops->displs[way * loops->ranks + r];
}

int matrix_loops_run(void *context)
{
    struct matrix_loops *loops = context;
    int *counts = loops->counts, *displs = loops->displs, ranks = loops->ranks;
    begin(loops, 0);
    walk_source(loops, pack);
    int code = MPI_Alltoallv(loops->packed[0], counts, displs, MPI_DOUBLE, loops->packed[1],
                             counts + ranks, displs + ranks, MPI_DOUBLE, loops->comm);
    begin(loops, 1);
    walk_target(loops, unpack);
    return code;
}

int matrix_loops_make(struct matrix_loops *loops)
{
    size_t ranks = (size_t)loops->ranks;
    loops->counts = calloc(2 * ranks, sizeof *loops->counts);
    loops->displs = calloc(2 * ranks, sizeof *loops->displs);
    loops->next = calloc(ranks, sizeof *loops->next);
    if (!loops->counts || !loops->displs || !loops->next)
        return 0;
    walk_source(loops, count_sent);
    walk_target(loops, count_received);
    for (int way = 0; way < 2; way++) {
        int *counts = loops->counts + way * loops->ranks,
            *displs = loops->displs + way * loops->ranks;
        size_t total = 0;
        for (int r = 0; r < loops->ranks; r++) {
            displs[r] = (int)total;
            total += (size_t)counts[r];
        }
        loops->packed[way] = malloc((total + 1) * sizeof(double));
        if (!loops->packed[way])
            return 0;
        memset(loops->packed[way], 0, total * sizeof(double)); /* own pages */
    }
    return 1;
}

void matrix_loops_free(struct matrix_loops *loops)
{
    free(loops->counts);
    free(loops->displs);
    free(loops->next);
    free(loops->packed[0]);
    free(loops->packed[1]);
}
