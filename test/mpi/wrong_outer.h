/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong arguments of sums of outer products, on one rank or on all: the code, and words that name
 * the argument, its value and the rank. */
#pragma once

#include <math.h>
#include <stdbool.h>

#include "mpi/refused.h"

/* A valid call, which one of the rows below changes. */
struct wrong_call {
    MPI_Datatype datatype;
    MPI_Count pairs;
    int n, root;
    double beta;
    const summand_outer_matrix *matrices;
    summand_outer_matrix matrix[2];
    summand_outer_options options;
    summand_outer_list list_a, list_b;
    summand_outer_compressed compressed;
    MPI_Count begin_a[3], begin_b[3], rows[5];
    uint32_t index_a[3], index_b[3], index[16];
    double a[16], b[16], g[2][48], value_a[3], value_b[3], value[16];
};

static inline void begin_wrong(struct wrong_call *c)
{
    static const struct wrong_call none;
    *c = none;
    c->pairs = 2;
    c->n = 2;
    c->datatype = MPI_DOUBLE;
    c->root = SUMMAND_ROOT_ALL;
    c->matrices = c->matrix;
    for (int m = 0; m < 2; m++)
        c->matrix[m] =
            (summand_outer_matrix){.rows = 4, .columns = 3, .a = c->a, .b = c->b, .g = c->g[m]};
    for (int k = 0; k < 2; k++)
        c->begin_a[k + 1] = c->begin_b[k + 1] = k + 1;
    c->index_a[1] = 3;
    c->index_b[1] = 2;
    c->list_a = (summand_outer_list){c->begin_a, c->index_a, c->value_a};
    c->list_b = (summand_outer_list){c->begin_b, c->index_b, c->value_b};
    c->compressed = (summand_outer_compressed){c->rows, c->index, c->value, 16};
    c->options = summand_outer_options_default();
}

static inline void use_lists(struct wrong_call *c)
{
    c->matrix[1].list_a = &c->list_a;
    c->matrix[1].list_b = &c->list_b;
}

static inline void take_tile(void *context, int matrix, const summand_outer_part *part,
                             const void *values, MPI_Count lead)
{
    (void)context, (void)matrix, (void)part, (void)values, (void)lead;
}

enum wrong_code { ARGUMENT, ALGORITHM, DATATYPE, COUNT, TYPE, ROOT, BUFFER };

static inline int code_of_wrong(enum wrong_code code)
{
    return code == ARGUMENT    ? summand_error_code(SUMMAND_ERR_ARGUMENT)
           : code == ALGORITHM ? summand_error_code(SUMMAND_ERR_ALGORITHM)
           : code == DATATYPE  ? summand_error_code(SUMMAND_ERR_DATATYPE)
           : code == COUNT     ? MPI_ERR_COUNT
           : code == TYPE      ? MPI_ERR_TYPE
           : code == ROOT      ? MPI_ERR_ROOT
                               : MPI_ERR_BUFFER;
}

/* Form: 0 dense, 1 lists, 2 lists with compressed rows; 3 and 4 as 0 and 1, for arguments that all
 * ranks must give alike. */
#define WRONG_DENSE(X)                                                                             \
    X(0, COUNT, "pairs is -1, not 0 or more", c->pairs = -1)                                       \
    X(0, COUNT, "n is -1, not 0 to 64", c->n = -1)                                                 \
    X(0, COUNT, "n is 65, not 0 to 64", c->n = 65)                                                 \
    X(0, BUFFER, "matrices is NULL, with n 2", c->matrices = NULL)                                 \
    X(0, DATATYPE, "datatype is MPI_INT, not MPI_DOUBLE, MPI_FLOAT, or that of",                   \
      c->datatype = MPI_INT)                                                                       \
    X(0, DATATYPE, "datatype is MPI_UINT16_T, not MPI_DOUBLE", c->datatype = MPI_UINT16_T)         \
    X(0, TYPE, "datatype is MPI_DATATYPE_NULL", c->datatype = MPI_DATATYPE_NULL)                   \
    X(0, ARGUMENT,                                                                                 \
      "options.promise is SUMMAND_PROMISE_EXACT; this call keeps at most SUMMAND_PROMISE_INDEX",   \
      c->options.promise = SUMMAND_PROMISE_EXACT)                                                  \
    X(0, ARGUMENT, "options.promise is 7, not one of enum summand_promise",                        \
      c->options.promise = (enum summand_promise)7)                                                \
    X(0, ARGUMENT, "options.timeout is nan", c->options.timeout = (double)NAN)                     \
    X(0, ARGUMENT, "options.timeout is -1 s, not 0 or more", c->options.timeout = -1)              \
    X(0, ARGUMENT, "options.result is 4, not 0 (SUMMAND_OUTER_WHOLE)",                             \
      c->options.result = (enum summand_outer_result)4)                                            \
    X(0, ARGUMENT, "options.result is -1, not 0",                                                  \
      c->options.result = (enum summand_outer_result) - 1)                                         \
    X(0, ARGUMENT, "options.room is -4", c->options.room = -4)                                     \
    X(0, ROOT, "root is -2, not 0 to ", c->root = -2)                                              \
    X(0, ROOT, "root is 1000000, not 0 to ", c->root = 1000000)                                    \
    X(0, ROOT, "root is 0, not SUMMAND_ROOT_ALL, with options.result SUMMAND_OUTER_ROWS",          \
      c->options.result = SUMMAND_OUTER_ROWS;                                                      \
      c->root = 0)                                                                                 \
    X(0, ARGUMENT, "options.grid_rows x options.grid_columns is 1 x 0",                            \
      c->options.result = SUMMAND_OUTER_BLOCKS;                                                    \
      c->options.grid_rows = 1)                                                                    \
    X(0, ARGUMENT, "options.grid_rows x options.grid_columns is 65536 x 65536",                    \
      c->options.result = SUMMAND_OUTER_BLOCKS;                                                    \
      c->options.grid_rows = c->options.grid_columns = 65536)                                      \
    X(0, ARGUMENT, "beta is 0.5, not 0, with options.tile", c->options.tile = take_tile;           \
      c->beta = 0.5)                                                                               \
    X(0, ARGUMENT, "options.tile is given with options.result SUMMAND_OUTER_FACTORS",              \
      c->options.tile = take_tile;                                                                 \
      c->options.result = SUMMAND_OUTER_FACTORS)                                                   \
    X(0, ARGUMENT, "options.inside.segment is -8", c->options.inside.segment = -8)                 \
    X(0, ARGUMENT, "options.inside.radix is -1", c->options.inside.radix = -1)                     \
    X(0, ARGUMENT, "options.inside.node_size is -2", c->options.inside.node_size = -2)             \
    X(0, ARGUMENT, "options.inside.leaders is -3", c->options.inside.leaders = -3)                 \
    X(0, ARGUMENT, "options.inside.radix_between is -4", c->options.inside.radix_between = -4)     \
    X(0, ARGUMENT, "options.inside.timeout is 1, not 0: options.timeout is the call's",            \
      c->options.inside.timeout = 1)                                                               \
    X(0, ARGUMENT, "options.inside.check is 2, not 0: one-sided data are not checked",             \
      c->options.inside.check = SUMMAND_CHECKED_DETECT)                                            \
    X(0, ARGUMENT, "options.inside.promise is 2, not 0: options.promise is the call's",            \
      c->options.inside.promise = SUMMAND_PROMISE_SAME)                                            \
    X(0, ALGORITHM, "options.algorithm is 'outer-gathr'", c->options.algorithm = "outer-gathr")    \
    X(0, ALGORITHM, "outer-gather", c->options.algorithm = "outer-gathr")                          \
    X(0, ALGORITHM, "options.algorithm is 'ring', which does not do outer; these do: 'outer-",     \
      c->options.algorithm = "ring")                                                               \
    X(0, ALGORITHM, "options.inside.algorithm is 'rimg'", c->options.inside.algorithm = "rimg")    \
    X(0, COUNT, "matrices[1].rows is -1, not 0 to 2^60", c->matrix[1].rows = -1)                   \
    X(0, COUNT, "matrices[0].columns is 9223372036854775807", c->matrix[0].columns = INT64_MAX)    \
    X(0, COUNT, "matrices[1].pairs is -5", c->pairs = SUMMAND_OUTER_PAIRS_OF_MATRIX;               \
      c->matrix[1].pairs = -5)                                                                     \
    X(0, ARGUMENT, "matrices[1].lead_a is 3, not 0, or 4 (rows)", c->matrix[1].lead_a = 3)         \
    X(0, ARGUMENT, "matrices[0].lead_b is -3, not 0, or 3 (columns)", c->matrix[0].lead_b = -3)    \
    X(0, ARGUMENT, "matrices[1].lead_g is -1", c->matrix[1].lead_g = -1)                           \
    X(0, ARGUMENT, "matrices[1].lead_g is 2, not 0, or 3", c->matrix[1].lead_g = 2)                \
    X(0, ARGUMENT, "matrices[1] is symmetric, but rows are 4 and columns 3",                       \
      c->matrix[1].symmetric = 1)                                                                  \
    X(0, BUFFER, "matrices[1].a is NULL, for 2 x 4", c->matrix[1].a = NULL)                        \
    X(0, BUFFER, "matrices[0].b is NULL, for 2 x 3", c->matrix[0].b = NULL)                        \
    X(0, BUFFER, "matrices[1].g is NULL, for 4 x 3", c->matrix[1].g = NULL)                        \
    X(0, BUFFER, "matrices[1].g overlaps matrices[0].a", c->matrix[1].g = c->a)                    \
    X(0, BUFFER, "matrices[0].g overlaps matrices[0].b", c->matrix[0].g = c->b + 5)                \
    X(0, BUFFER, "matrices[1].g overlaps matrices[0].g", c->matrix[1].g = c->g[0] + 11)            \
    X(0, BUFFER, "matrices[1].g overlaps matrices[0].g", c->matrix[1].g = c->g[0] + 4;             \
      c->matrix[0].lead_g = c->matrix[1].lead_g = 6)                                               \
    X(0, ARGUMENT, "matrices[0].compressed is given, but neither",                                 \
      c->matrix[0].compressed = &c->compressed)

#define WRONG_LISTS(X)                                                                             \
    X(1, BUFFER, "matrices[1].list_a->begin is NULL, with 2 pairs", c->list_a.begin = NULL)        \
    X(1, ARGUMENT, "matrices[1].list_b->begin[0] is 1, not 0", c->begin_b[0] = 1)                  \
    X(1, ARGUMENT, "matrices[1].list_a->begin[2] is 0, not 1", c->begin_a[2] = 0)                  \
    X(1, ARGUMENT, "matrices[1].list_a->begin[1] is -1, not 0", c->begin_a[1] = -1)                \
    X(1, ARGUMENT, "matrices[1].list_a->begin[2] is 9223372036854775807",                          \
      c->begin_a[2] = INT64_MAX)                                                                   \
    X(1, BUFFER, "matrices[1].list_a->index is NULL, with 1 elements in pair 0",                   \
      c->list_a.index = NULL)                                                                      \
    X(1, BUFFER, "matrices[1].list_b->value is NULL", c->list_b.value = NULL)                      \
    X(1, ARGUMENT, "matrices[1].list_a->index[1] is 4, not below 4 (rows)", c->index_a[1] = 4)     \
    X(1, ARGUMENT, "matrices[1].list_b->index[0] is 4294967295, not below 3 (columns)",            \
      c->index_b[0] = UINT32_MAX)                                                                  \
    X(1, ARGUMENT, "matrices[1].list_a->index[1] is 0, not 2 (the one before in pair 0)",          \
      c->begin_a[1] = 2;                                                                           \
      c->index_a[0] = 2; c->index_a[1] = 0)                                                        \
    X(1, ARGUMENT, "matrices[1].rows is 4294967296, not below 2^32, with list_a",                  \
      c->matrix[1].rows = INT64_C(1) << 32)                                                        \
    X(1, ARGUMENT, "matrices[1].list_b is given, but the matrix is symmetric",                     \
      c->matrix[1].columns = 4;                                                                    \
      c->matrix[1].symmetric = 1)                                                                  \
    X(1, ARGUMENT, "matrices[1].list_a is given with options.result SUMMAND_OUTER_FACTORS",        \
      c->options.result = SUMMAND_OUTER_FACTORS)                                                   \
    X(1, BUFFER, "matrices[0].g overlaps matrices[1].list_a->value", c->matrix[0].g = c->value_a)  \
    X(1, BUFFER, "matrices[1].g overlaps matrices[1].list_b->begin",                               \
      c->list_b.begin = memcpy(c->g[1], c->begin_b, sizeof c->begin_b))                            \
    X(4, ALGORITHM, "options.algorithm is 'outer-slices'; lists, tiles and pairs of each matrix",  \
      c->options.algorithm = "outer-slices")                                                       \
    X(3, ALGORITHM,                                                                                \
      "options.algorithm is 'outer-rabenseifner', which does not do this call: it takes "          \
      "options.result SUMMAND_OUTER_WHOLE and root SUMMAND_ROOT_ALL",                              \
      c->options.algorithm = "outer-rabenseifner";                                                 \
      c->root = 0)                                                                                 \
    X(3, ALGORITHM,                                                                                \
      "'outer-allreduce', which does not do this call: it takes options.promise "                  \
      "SUMMAND_PROMISE_SAME",                                                                      \
      c->options.algorithm = "outer-allreduce")                                                    \
    X(3, ALGORITHM,                                                                                \
      "'outer-rabenseifner', which does not do this call: it takes results whose rows have no "    \
      "gaps",                                                                                      \
      c->options.algorithm = "outer-rabenseifner";                                                 \
      c->matrix[0].lead_g = 8)                                                                     \
    X(3, ALGORITHM, "options.inside.algorithm is 'gemm-panels', which does none of the",           \
      c->options.inside.algorithm = "gemm-panels")                                                 \
    X(3, ALGORITHM,                                                                                \
      "options.inside.algorithm is 'ring', which does none of the collectives inside "             \
      "outer-slices",                                                                              \
      c->options.algorithm = "outer-slices";                                                       \
      c->options.result = SUMMAND_OUTER_ROWS; c->options.inside.algorithm = "ring")                \
    X(3, ALGORITHM, "'neighbor-exchange', which does none of the collectives inside",              \
      c->options.algorithm = "outer-allreduce";                                                    \
      c->options.promise = SUMMAND_PROMISE_SAME;                                                   \
      c->options.inside.algorithm = "neighbor-exchange")                                           \
    X(3, ARGUMENT, "options.room is 1; matrices[0] has ",                                          \
      c->options.result = SUMMAND_OUTER_FACTORS;                                                   \
      c->options.room = 1)                                                                         \
    X(2, ARGUMENT, "beta is 1, not 0, with matrices[1].compressed", c->beta = 1)                   \
    X(2, ARGUMENT, "matrices[1].compressed is given together with options.tile",                   \
      c->options.tile = take_tile)                                                                 \
    X(2, ARGUMENT, "matrices[1].compressed->room is -1", c->compressed.room = -1)                  \
    X(2, BUFFER, "matrices[1].compressed->begin is NULL, for 4 rows", c->compressed.begin = NULL)  \
    X(2, BUFFER, "matrices[1].compressed->value is NULL", c->compressed.value = NULL)              \
    X(2, BUFFER, "matrices[1].compressed->value overlaps matrices[1].list_a->value",               \
      c->compressed.value = c->value_a + 1)                                                        \
    X(2, BUFFER, "matrices[1].compressed->index overlaps matrices[1].list_b->index",               \
      c->compressed.index = c->index_b)                                                            \
    X(2, BUFFER, "matrices[1].compressed->value overlaps matrices[1].compressed->begin",           \
      c->compressed.value = c->begin_b)

static inline void change_wrong(struct wrong_call *c, int row)
{
    int i = 0;
#define CHANGE(form, code, words, ...)                                                             \
    if (row == i++) {                                                                              \
        __VA_ARGS__;                                                                               \
    }
    WRONG_DENSE(CHANGE)
    WRONG_LISTS(CHANGE)
#undef CHANGE
}

static const struct wrong_row {
    int form;
    enum wrong_code code;
    const char *words;
} wrong_rows[] = {
#define ROW(form, code, words, ...) {form, code, words},
    WRONG_DENSE(ROW) WRONG_LISTS(ROW)
#undef ROW
};

static inline int call_wrong(const struct wrong_call *c, MPI_Comm comm, bool init)
{
    summand_plan *plan = NULL;
    if (!init)
        return summand_outer(c->pairs, c->n, 1, c->matrices, c->beta, c->datatype, c->root, comm,
                             &c->options);
    int code = summand_outer_init(c->pairs, c->n, 1, c->matrices, c->beta, c->datatype, c->root,
                                  comm, &c->options, &plan);
    CHECK(!plan == (code != MPI_SUCCESS), "plan %d", code);
    summand_plan_free(&plan);
    return code;
}

/* `rank`: the rank with the wrong arguments, or ALL_RANKS. A call that waits for ever ends by its
 * timeout, which is an error here. */
static inline void check_wrong(int row, int rank, MPI_Comm comm, bool init)
{
    struct wrong_call c;
    begin_wrong(&c);
    const int form = wrong_rows[row].form, own = rank < 0 || rank == harness_rank;
    if (form == 1 || form == 2 || form == 4)
        use_lists(&c);
    if (form == 2)
        c.matrix[1].compressed = &c.compressed;
    c.options.timeout = 60;
    if (own)
        change_wrong(&c, row);
    const int code = call_wrong(&c, comm, init);
    if (own || init)
        check_refused(code, code_of_wrong(wrong_rows[row].code), rank, wrong_rows[row].words,
                      init ? "init" : "call");
    else
        CHECK(code == summand_error_code(SUMMAND_ERR_REMOTE), "%s: code %d", wrong_rows[row].words,
              code);
}

static inline void test_wrong(MPI_Comm comm)
{
    const int rows = (int)(sizeof wrong_rows / sizeof *wrong_rows);
    struct wrong_call right;
    begin_wrong(&right);
    for (int i = 0; i < 4 * rows; i++)
        if (i % 2 == 0 || wrong_rows[i / 4].form < 3)
            check_wrong(i / 4, i % 2 ? harness_ranks - 1 : ALL_RANKS, comm, i % 4 > 1);
    right.a[0] = right.b[0] = 3;
    CHECK(!call_wrong(&right, comm, false) && right.g[1][0] == 9 * harness_ranks, "%g",
          right.g[1][0]);
}
