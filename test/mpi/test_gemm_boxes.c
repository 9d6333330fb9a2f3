/* np: 1 2 3 5, long: 4 6 8; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Products cut in three dimensions: few rows and columns with a long inner dimension, tall, skinny,
 * single elements and rows, C on one rank, separate groups. Integers equal the integer sums
 * computed here. Fractions match a product by the local kernel, within a bound from the norms. The
 * library chooses boxes itself if any order is allowed, and never if the order is promised. */
#include <math.h>

#include "compute/product.h"
#include "mpi/matrices.h"
#include "plan/plan.h"

static MPI_Comm comm;

struct cut {
    MPI_Count rows, columns, inner;
};

static const struct cut cuts[] = {{1, 1, 3000}, {3, 5, 1000}, {16, 16, 700}, {900, 2, 30},
                                  {2, 700, 9},  {1, 300, 40}, {400, 1, 400}, {37, 41, 43}};
enum { CUTS = sizeof cuts / sizeof *cuts };

struct recipe {
    int matrix, integers;
};

static double element(MPI_Count row, MPI_Count column, void *context)
{
    const struct recipe *recipe = context;
    uint64_t seed = (uint64_t)(row * 10007 + column * 31 + recipe->matrix * 7);
    uint64_t drawn = harness_random(&seed);
    return recipe->integers ? (double)(drawn % 9) - 4 : (double)(drawn >> 12) * 0x1p-51 - 1;
}

/* op(A) or op(B) as one matrix of doubles, by columns. */
static double *whole(MPI_Count rows, MPI_Count columns, int turned, struct recipe recipe)
{
    double *all = malloc((size_t)(rows * columns + 1) * sizeof *all);
    for (MPI_Count j = 0; j < columns; j++)
        for (MPI_Count i = 0; i < rows; i++)
            all[j * rows + i] = turned ? element(j, i, &recipe) : element(i, j, &recipe);
    return all;
}

static double *by_integers(const struct cut *cut, const double *a, const double *b)
{
    double *c = malloc((size_t)(cut->rows * cut->columns) * sizeof *c);
    for (MPI_Count j = 0; j < cut->columns; j++)
        for (MPI_Count i = 0; i < cut->rows; i++) {
            int64_t sum = 0;
            for (MPI_Count k = 0; k < cut->inner; k++)
                sum += (int64_t)a[k * cut->rows + i] * (int64_t)b[j * cut->inner + k];
            c[j * cut->rows + i] = (double)sum;
        }
    return c;
}

static double *by_kernel(const struct cut *cut, const double *a, const double *b, int ordered)
{
    double *c = malloc((size_t)(cut->rows * cut->columns) * sizeof *c);
    const struct summand__product product = {.a = a,
                                             .b = b,
                                             .c = c,
                                             .rows = (size_t)cut->rows,
                                             .columns = (size_t)cut->columns,
                                             .inner = (size_t)cut->inner,
                                             .lda = (size_t)cut->rows,
                                             .ldb = (size_t)cut->inner,
                                             .ldc = (size_t)cut->rows,
                                             .alpha = 1};
    summand__product_kernel(ordered)->run(SUMMAND__PRODUCT_F64, &product);
    return c;
}

struct product {
    struct cut cut;
    int turned[2], integers;
    double beta;
    struct held held[3];
    double *want, *before; /* of all of C */
};

/* A and B on any grids, or on one half of the ranks each; C on any, or on one rank. */
static void draw_held(struct product *p, int kind)
{
    const MPI_Count extent[3][2] = {
        {p->cut.rows, p->cut.inner}, {p->cut.inner, p->cut.columns}, {p->cut.rows, p->cut.columns}};
    for (int m = 0; m < 3; m++) {
        int turned = m < 2 && p->turned[m];
        struct held *h = &p->held[m];
        draw_distribution(h, extent[m][turned], extent[m][!turned], kind == 1 && m == 2 ? 0 : -1);
        if (kind == 2 && harness_ranks > 1) { /* separate groups, one block on each rank */
            int half = harness_ranks / 2, first = m == 1 ? half : 0;
            h->shape.grid_rows = 1;
            h->shape.grid_columns = m == 1 ? harness_ranks - half : half;
            for (int i = 0; i < h->shape.grid_columns; i++)
                h->group[i] = first + i;
            h->shape.block_rows = h->shape.rows;
            h->shape.block_columns = (h->shape.columns - 1) / h->shape.grid_columns + 1;
            place_rank(h);
        }
        int code = make_matrix(h, comm);
        CHECK(code == MPI_SUCCESS, "create: %d", code);
    }
}

static void make(struct product *p, const struct cut *cut, int kind, int ordered)
{
    *p = (struct product){.cut = *cut,
                          .turned = {draw(2), draw(2)},
                          .integers = !ordered && draw(2),
                          .beta = ordered ? 0 : draw(2)};
    struct recipe recipe = {0, p->integers};
    double *a = whole(cut->rows, cut->inner, p->turned[0], recipe);
    recipe.matrix = 1;
    double *b = whole(cut->inner, cut->columns, p->turned[1], recipe);
    recipe.matrix = 2;
    p->before = whole(cut->rows, cut->columns, 0, recipe);
    p->want = p->integers ? by_integers(cut, a, b) : by_kernel(cut, a, b, ordered);
    free(a);
    free(b);
    draw_held(p, kind);
}

static void drop(struct product *p)
{
    for (int m = 0; m < 3; m++)
        drop_matrix(&p->held[m]);
    free(p->want);
    free(p->before);
}

static void fill(struct product *p)
{
    for (int m = 0; m < 3; m++) {
        struct recipe recipe = {m, p->integers};
        summand_matrix_fill(p->held[m].matrix, element, &recipe);
    }
}

/* A sum in any order has an error of at most about inner * u * |A| |B|; elements are at most 1. */
static void check(const struct product *p, int exact, const char *what)
{
    double inner = (double)p->cut.inner,
           bound = exact ? 0 : 2 * (inner + 2) * (inner + 2) * 0x1p-53;
    void *data;
    MPI_Count lead, rows, columns;
    long wrong = 0;
    summand_matrix_local(p->held[2].matrix, &data, &lead, &rows, &columns);
    for (MPI_Count j = 0; j < columns; j++)
        for (MPI_Count i = 0; i < rows; i++) {
            MPI_Count row, column;
            summand_matrix_index(p->held[2].matrix, i, j, &row, &column);
            size_t at = (size_t)(column * p->cut.rows + row);
            double want = p->want[at] + p->beta * p->before[at];
            wrong += !(fabs(((double *)data)[j * lead + i] - want) <= bound);
        }
    CHECK(!wrong && !changed_guards(&p->held[2]), "%s: %lld x %lld x %lld: %ld wrong", what,
          (long long)p->cut.rows, (long long)p->cut.inner, (long long)p->cut.columns, wrong);
}

static summand_plan *plan_of(struct product *p, const summand_gemm_options *options)
{
    summand_plan *plan = NULL;
    int code = summand_gemm_init((enum summand_transpose)p->turned[0],
                                 (enum summand_transpose)p->turned[1], 1, p->held[0].matrix,
                                 p->held[1].matrix, p->beta, p->held[2].matrix, options, &plan);
    CHECK(code == MPI_SUCCESS && plan, "plan: %d", code);
    return plan;
}

static void run(struct product *p, const summand_gemm_options *options, int exact, const char *what)
{
    summand_plan *plan = plan_of(p, options);
    for (int start = 0; start < 2 && plan; start++) {
        fill(p);
        int code = summand_plan_start(plan);
        if (code == MPI_SUCCESS)
            code = summand_plan_wait(plan);
        CHECK(code == MPI_SUCCESS, "start %d: %d", start, code);
        check(p, exact, what);
    }
    summand_plan_free(&plan);
}

/* `memory`: so little that boxes use rings of slots. */
static void by_name(const struct cut *cut, int kind)
{
    const summand_gemm_options options[] = {
        {.promise = SUMMAND_PROMISE_SAME, .algorithm = "gemm-boxes"},
        {.promise = SUMMAND_PROMISE_SAME, .algorithm = "gemm-boxes", .memory = 20000},
        {.algorithm = "gemm-boxes", .panel = 1 + draw(30)},
        {.promise = SUMMAND_PROMISE_SAME}};
    struct product p;
    make(&p, cut, kind, 0);
    for (int o = 0; o < 4; o++)
        run(&p, &options[o], p.integers, options[o].algorithm ? "boxes" : "any order");
    drop(&p);
}

/* The algorithm that runs if none is named. */
static void choice(int any_order, const char *expected)
{
    const struct cut cut = {24, 24, 20000};
    struct product p;
    make(&p, &cut, 2, 1);
    const summand_gemm_options options = {.promise = any_order ? SUMMAND_PROMISE_SAME
                                                               : SUMMAND_PROMISE_DEFAULT};
    summand_plan *plan = plan_of(&p, &options);
    const char *name = plan ? plan->choice.algorithm->name : "none";
    CHECK(!strcmp(name, expected), "any order %d: %s", any_order, name);
    summand_plan_free(&plan);
    run(&p, &options, !any_order, expected);
    drop(&p);
}

TESTS
{
    matrices_seed = harness_seed();
    comm = harness_comm();
    for (int i = 0; i < 3 * CUTS; i++)
        if (!harness_skips())
            by_name(&cuts[i % CUTS], i / CUTS);
    choice(0, "gemm-panels");
    /* With A on one of two ranks of a node, and half of B on a third rank, boxes gain too little.
     * */
    if (harness_ranks > 1 && !(harness_ranks == 3 && harness_spans_nodes()))
        choice(1, "gemm-boxes");
    MPI_Comm_free(&comm);
}
