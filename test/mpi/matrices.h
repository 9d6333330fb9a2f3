/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of tests: random distributions, memory with guards, and a comparison of every element of
 * every rank with the distribution's definition. An element's value is its global index. */
#pragma once

#include <summand.h>

#include "mpi/harness.h"

enum { MATRIX_RANKS = 16, MATRIX_GUARD = 0x5a };

struct held {
    summand_matrix_shape shape;
    int group[MATRIX_RANKS];
    int single, theirs; /* floats; memory of the test's */
    int p, q;           /* of this rank, or -1 */
    summand_matrix *matrix;
    unsigned char *memory; /* of the test's, with guards */
    size_t bytes, unit;
    MPI_Count lead;
};

static uint64_t matrices_seed;

static inline int draw(int below)
{
    return (int)(harness_random(&matrices_seed) % (uint64_t)below);
}

/* In order, reversed or shuffled, any ranks. */
static inline void draw_group(struct held *h)
{
    int order[MATRIX_RANKS], kind = draw(4);
    for (int i = 0; i < harness_ranks; i++)
        order[i] = kind == 1 ? harness_ranks - 1 - i : i;
    for (int i = harness_ranks - 1; kind > 1 && i > 0; i--) {
        int j = draw(i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    memcpy(h->group, order, sizeof order);
}

static inline void place_rank(struct held *h)
{
    int columns = h->shape.grid_columns;
    h->p = h->q = -1;
    for (int i = 0; i < h->shape.grid_rows * columns; i++)
        if (h->group[i] == harness_rank) {
            h->p = i / columns;
            h->q = i % columns;
        }
}

/* Grid number `grid` of those that fit (a random one if < 0), any group and blocks. */
static inline void draw_distribution(struct held *h, MPI_Count rows, MPI_Count columns, int grid)
{
    int grids = 0, wanted;
    memset(h, 0, sizeof *h);
    for (int p = 1; p <= harness_ranks; p++)
        grids += harness_ranks / p;
    wanted = grid < 0 ? draw(grids) : grid % grids;
    h->shape = (summand_matrix_shape){.rows = rows,
                                      .columns = columns,
                                      .block_rows = 1 + draw(draw(2) ? 3 : 9),
                                      .block_columns = 1 + draw(draw(2) ? 3 : 9),
                                      .grid_rows = 1};
    while (wanted >= harness_ranks / h->shape.grid_rows)
        wanted -= harness_ranks / h->shape.grid_rows++;
    h->shape.grid_columns = wanted + 1;
    draw_group(h);
    h->theirs = draw(2);
    place_rank(h);
}

static inline int deals(MPI_Count index, MPI_Count block, int parts, int part)
{
    return part >= 0 && index / block % parts == part;
}

static inline double value_of(MPI_Count row, MPI_Count column, void *salt)
{
    return (double)(row * 100 + column + 1) + *(const double *)salt;
}

/* This rank's rows or columns, by counting. */
static inline MPI_Count count_dealt(MPI_Count extent, MPI_Count block, int parts, int part)
{
    MPI_Count count = 0;
    for (MPI_Count i = 0; i < extent; i++)
        count += deals(i, block, parts, part);
    return count;
}

static inline int make_matrix(struct held *h, MPI_Comm comm)
{
    const summand_matrix_shape *s = &h->shape;
    MPI_Count rows = count_dealt(s->rows, s->block_rows, s->grid_rows, h->p);
    MPI_Count columns = count_dealt(s->columns, s->block_columns, s->grid_columns, h->q);
    h->shape.group = h->group;
    h->unit = h->single ? sizeof(float) : sizeof(double);
    h->lead = rows + harness_rank % 3;
    h->lead += !h->lead;
    h->bytes = (size_t)(h->lead * columns + 1) * h->unit;
    h->memory = malloc(h->bytes);
    memset(h->memory, MATRIX_GUARD, h->bytes);
    int code = summand_matrix_create(&h->shape, h->single ? MPI_FLOAT : MPI_DOUBLE,
                                     h->theirs ? h->memory : NULL, h->theirs ? h->lead : 0, comm,
                                     &h->matrix);
    if (code == MPI_SUCCESS) {
        MPI_Count there[3], extent[2];
        void *data;
        summand_matrix_local(h->matrix, &data, &there[0], &there[1], &there[2]);
        CHECK((there[1] == rows && there[2] == columns) || h->p < 0, "%lld x %lld",
              (long long)there[1], (long long)there[2]);
        CHECK(h->p >= 0 || (!there[1] && !there[2] && !data), "nothing here");
        CHECK(summand_matrix_extent(s, harness_rank, &extent[0], &extent[1]) == MPI_SUCCESS &&
                  extent[0] == there[1] && extent[1] == there[2],
              "extent");
    }
    return code;
}

static inline void drop_matrix(struct held *h)
{
    summand_matrix_free(&h->matrix);
    free(h->memory);
    h->memory = NULL;
}

/* Counts wrong elements; in a `turned` matrix, (j, i) belongs to (i, j). */
static inline long wrong_elements(const struct held *h, int turned, double salt)
{
    const summand_matrix_shape *s = &h->shape;
    void *data;
    MPI_Count lead, rows, columns, r, c = 0;
    long wrong = 0;
    summand_matrix_local(h->matrix, &data, &lead, &rows, &columns);
    for (MPI_Count j = 0; j < s->columns; j++) {
        if (!deals(j, s->block_columns, s->grid_columns, h->q))
            continue;
        r = 0;
        for (MPI_Count i = 0; i < s->rows; i++) {
            if (!deals(i, s->block_rows, s->grid_rows, h->p))
                continue;
            double want = turned ? value_of(j, i, &salt) : value_of(i, j, &salt);
            double got =
                h->single ? (double)((float *)data)[c * lead + r] : ((double *)data)[c * lead + r];
            wrong += got != want;
            r++;
        }
        c++;
    }
    return wrong;
}

/* Counts changed bytes of the test's memory that belong to no element. */
static inline long changed_guards(const struct held *h)
{
    MPI_Count lead, rows, columns;
    long changed = 0;
    summand_matrix_local(h->matrix, NULL, &lead, &rows, &columns);
    for (size_t i = 0; i < h->bytes; i++) {
        MPI_Count element = (MPI_Count)(i / h->unit);
        int inside = h->theirs && element / h->lead < columns && element % h->lead < rows;
        changed += !inside && h->memory[i] != MATRIX_GUARD;
    }
    return changed;
}

static inline void fill_matrix(struct held *h, double salt)
{
    int code = summand_matrix_fill(h->matrix, value_of, &salt);
    CHECK(code == MPI_SUCCESS, "fill: %d", code);
}

static inline void check_matrix(const struct held *h, int turned, double salt, const char *what)
{
    long wrong = wrong_elements(h, turned, salt), changed = changed_guards(h);
    CHECK(!wrong && !changed,
          "%s: %lld x %lld, blocks %lld x %lld on %d x %d: %ld wrong, %ld bytes between changed",
          what, (long long)h->shape.rows, (long long)h->shape.columns,
          (long long)h->shape.block_rows, (long long)h->shape.block_columns, h->shape.grid_rows,
          h->shape.grid_columns, wrong, changed);
}
