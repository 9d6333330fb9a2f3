/* np: 1 2 3 4 5, long: 6 7 8; together; also: late/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of matrices on any grids: the same ranks, others, some in common, in any order. Blocks
 * are ragged; matrices are transposed and updated; panels have any width, and rings have slots.
 * Integers are exact. Fractions have the bits of the defined chain on all grids. No memory is read
 * without need, nor written between columns. Plans are started repeatedly, two at a time. Each
 * element is finished once. Exposed matrices are used in place. */
#include <math.h>

#include "matrix/activation.h"
#include "mpi/matrices.h"

static MPI_Comm comm;
struct product {
    struct held a, b, c;
    MPI_Count rows, columns, inner;
    int trans_a, trans_b, integers;
    double alpha, beta;
    summand_gemm_options options;
    int row_biased, column_biased, called;
    int exposed[3]; /* A, B, C: within a node no part of it is copied */
    void *bias[2];  /* this rank's rows and columns */
    MPI_Count finished, wrong_tiles;
};

/* Element (row, column) of A, B or C: small integers, or full-length fractions. */
struct recipe {
    int matrix, start, integers, nan;
};

static double element(MPI_Count row, MPI_Count column, void *context)
{
    const struct recipe *recipe = context;
    uint64_t seed = (uint64_t)(row * 1009 + column * 31 + recipe->matrix * 7 + recipe->start);
    uint64_t drawn = harness_random(&seed);
    if (recipe->nan)
        return NAN;
    return recipe->integers ? (double)(drawn % 9) - 4 : (double)(drawn >> 12) * 0x1p-51 - 1;
}

static void fill(struct held *h, struct recipe recipe)
{
    int code = summand_matrix_fill(h->matrix, element, &recipe);
    CHECK(code == MPI_SUCCESS, "fill: %d", code);
}

/* The bias of a global row (0) or column (1). */
static double bias_of(int side, MPI_Count index)
{
    return (double)((index * 5 + 3 * side) % 7) / 4 - 0.75;
}

/* The test's function for each element: halves it and adds its column's number. */
static double called_with(double x, MPI_Count column, int single)
{
    double half = x / 2;
    return single ? (double)((float)half + (float)column) : half + (double)column;
}

static void call_tile(const summand_gemm_tile *tile, void *context)
{
    struct product *p = context;
    void *data;
    MPI_Count lead, rows, columns;
    summand_matrix_local(p->c.matrix, &data, &lead, &rows, &columns);
    p->finished += tile->rows * tile->columns;
    p->wrong_tiles +=
        tile->lead != lead || tile->row < 0 || tile->row + tile->rows > rows || tile->column < 0 ||
        tile->column + tile->columns > columns ||
        tile->elements != (char *)data + (size_t)(tile->column * lead + tile->row) * p->c.unit;
    for (MPI_Count j = 0; j < tile->columns && !p->wrong_tiles; j++)
        for (MPI_Count i = 0; i < tile->rows; i++) {
            MPI_Count row, column;
            summand_matrix_index(p->c.matrix, tile->row + i, tile->column + j, &row, &column);
            if (p->c.single) {
                float *x = (float *)tile->elements + j * lead + i;
                *x = (float)called_with((double)*x, column, 1);
            } else {
                double *x = (double *)tile->elements + j * lead + i;
                *x = called_with(*x, column, 0);
            }
        }
}

static double rounded(double value, int single)
{
    return single ? (double)(float)value : value;
}

static double linked(double x, double y, double sum, int single)
{
    return single ? (double)fmaf((float)x, (float)y, (float)sum) : fma(x, y, sum);
}

static double expected(const struct product *p, MPI_Count i, MPI_Count j, int start)
{
    struct recipe a = {1, start, p->integers, 0}, b = {2, start, p->integers, 0},
                  c = {3, start, p->integers, 0};
    int single = p->c.single;
    double alpha = rounded(p->alpha, single), beta = rounded(p->beta, single), sum = 0;
    for (MPI_Count k = 0; k < p->inner && alpha != 0; k++)
        sum = linked(rounded(p->trans_a ? element(k, i, &a) : element(i, k, &a), single),
                     rounded(p->trans_b ? element(j, k, &b) : element(k, j, &b), single), sum,
                     single);
    sum = alpha == 1 || alpha == 0 ? sum : rounded(alpha * sum, single);
    sum = beta == 0 ? sum : linked(beta, rounded(element(i, j, &c), single), sum, single);
    if (p->row_biased)
        sum = rounded(sum + bias_of(0, i), single);
    if (p->column_biased)
        sum = rounded(sum + bias_of(1, j), single);
    float narrow = (float)sum;
    summand__activations[p->options.activation].f32(1, &narrow);
    summand__activations[p->options.activation].f64(1, &sum);
    sum = single ? (double)narrow : sum;
    return p->called ? called_with(sum, j, single) : sum;
}

static void check(const struct product *p, int start, const char *what)
{
    const summand_matrix_shape *s = &p->c.shape;
    void *data;
    long wrong = 0;
    MPI_Count lead, rows, columns;
    int exact = p->integers || (!p->options.promise && !p->options.algorithm);
    summand_matrix_local(p->c.matrix, &data, &lead, &rows, &columns);
    for (MPI_Count j = 0; j < columns; j++)
        for (MPI_Count i = 0; i < rows; i++) {
            MPI_Count row, column;
            summand_matrix_index(p->c.matrix, i, j, &row, &column);
            double want = expected(p, row, column, start);
            double got = p->c.single ? (double)((float *)data)[j * lead + i]
                                     : ((double *)data)[j * lead + i];
            double bound = exact ? 0
                                 : 16 * ((double)p->inner + 2) * (p->c.single ? 0x1p-24 : 0x1p-53) *
                                       ((double)p->inner + 2);
            wrong += !(fabs(got - want) <= bound);
        }
    long changed = changed_guards(&p->c);
    CHECK(p->finished == (p->called ? rows * columns : 0) && !p->wrong_tiles,
          "%s: %lld of %lld elements finished", what, (long long)p->finished,
          (long long)(rows * columns));
    CHECK(!wrong && !changed,
          "%s: %lld x %lld x %lld, transposes %d %d, alpha %g, beta %g, %s, blocks %lld x %lld on "
          "%d x %d: %ld wrong, %ld bytes between changed",
          what, (long long)p->rows, (long long)p->inner, (long long)p->columns, p->trans_a,
          p->trans_b, p->alpha, p->beta, p->c.single ? "float" : "double", (long long)s->block_rows,
          (long long)s->block_columns, s->grid_rows, s->grid_columns, wrong, changed);
}

static void fill_all(struct product *p, int start)
{
    fill(&p->a, (struct recipe){1, start, p->integers, p->alpha == 0});
    fill(&p->b, (struct recipe){2, start, p->integers, p->alpha == 0});
    fill(&p->c, (struct recipe){3, start, p->integers, p->beta == 0});
    p->finished = 0;
}

static MPI_Count draw_extent(int large)
{
    return draw(9) ? 1 + draw(large ? 200 : 20) : 0;
}

static void widen(struct held *h)
{
    h->shape.block_rows += 4;
    h->shape.block_columns += 4;
}

static void draw_product(struct product *p, int large)
{
    static const char *names[] = {NULL, NULL, NULL, NULL, "gemm-boxes", "gemm-pairs"};
    static const double factors[][2] = {{1, 0}, {1, 0}, {1, 1}, {-0.5, 0}, {2, -3}, {0, 2}, {0, 0}};
    int factor = draw(7), single = draw(2);
    memset(p, 0, sizeof *p);
    p->rows = draw_extent(large);
    p->columns = draw_extent(large);
    p->inner = draw_extent(large);
    p->trans_a = draw(2);
    p->trans_b = draw(2);
    p->integers = draw(2);
    p->alpha = factors[factor][0];
    p->beta = factors[factor][1];
    p->options = (summand_gemm_options){.no_help = draw(3) == 0,
                                        .panel = draw(2) ? 0 : 1 + draw(40),
                                        .memory = draw(2) ? 0 : 1 + draw(40000),
                                        .algorithm = names[large ? 0 : draw(7)]};
    if (p->options.algorithm && strstr(p->options.algorithm, "pairs"))
        p->options.memory = 0; /* it would be refused */
    p->options.promise = draw(3) ? SUMMAND_PROMISE_DEFAULT : SUMMAND_PROMISE_SAME;
    draw_distribution(&p->a, p->trans_a ? p->inner : p->rows, p->trans_a ? p->rows : p->inner, -1);
    draw_distribution(&p->b, p->trans_b ? p->columns : p->inner, p->trans_b ? p->inner : p->columns,
                      -1);
    draw_distribution(&p->c, p->rows, p->columns, -1);
    p->a.single = p->b.single = p->c.single = single;
    if (p->options.algorithm) { /* pairs put each piece separately */
        widen(&p->a);
        widen(&p->b);
        widen(&p->c);
    }
    for (int m = 0; m < 3; m++)
        p->exposed[m] = draw(2);
    if (draw(2)) {
        p->row_biased = draw(2);
        p->column_biased = draw(2);
        p->called = draw(2);
        p->options.activation = (enum summand_activation)draw(SUMMAND__ACTIVATIONS);
    }
}

/* This rank's part of a bias. */
static void *make_bias(const struct product *p, int side)
{
    MPI_Count extent[2];
    summand_matrix_local(p->c.matrix, NULL, NULL, &extent[0], &extent[1]);
    char *bias = malloc((size_t)(extent[side] + 1) * p->c.unit);
    for (MPI_Count i = 0; i < extent[side]; i++) {
        MPI_Count index[2];
        if (!extent[!side])
            break;
        summand_matrix_index(p->c.matrix, side ? 0 : i, side ? i : 0, &index[0], &index[1]);
        double value = bias_of(side, index[side]);
        float single = (float)value;
        memcpy(bias + (size_t)i * p->c.unit, p->c.single ? (void *)&single : &value, p->c.unit);
    }
    return bias;
}

static void set_finish(struct product *p)
{
    if (p->row_biased)
        p->options.row_bias = p->bias[0] = make_bias(p, 0);
    if (p->column_biased)
        p->options.column_bias = p->bias[1] = make_bias(p, 1);
    if (p->called) {
        p->options.finish = call_tile;
        p->options.context = p;
    }
}

/* Moves it to the library's memory. If no rank can access another one's memory, products put all
 * data. */
static void expose(struct held *h, int wanted)
{
    if (!wanted || h->theirs)
        return;
    int code = summand_matrix_expose(h->matrix), class = code;
    MPI_Error_class(code, &class);
    CHECK(code == MPI_SUCCESS || class == MPI_ERR_UNSUPPORTED_OPERATION, "expose: %d", code);
}

static void make_product(struct product *p)
{
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int code = make_matrix(&p->a, comm);
    CHECK(code == MPI_SUCCESS, "create: %d", code);
    code = make_matrix(&p->b, comm);
    CHECK(code == MPI_SUCCESS, "create: %d", code);
    code = make_matrix(&p->c, comm);
    CHECK(code == MPI_SUCCESS, "create: %d", code);
    expose(&p->a, p->exposed[0]);
    expose(&p->b, p->exposed[1]);
    expose(&p->c, p->exposed[2]);
    set_finish(p);
}

static void drop_product(struct product *p)
{
    drop_matrix(&p->a);
    drop_matrix(&p->b);
    drop_matrix(&p->c);
    free(p->bias[0]);
    free(p->bias[1]);
}

static summand_plan *plan_of(struct product *p)
{
    summand_plan *plan = NULL;
    int code = summand_gemm_init((enum summand_transpose)p->trans_a,
                                 (enum summand_transpose)p->trans_b, p->alpha, p->a.matrix,
                                 p->b.matrix, p->beta, p->c.matrix, &p->options, &plan);
    CHECK(code == MPI_SUCCESS && plan, "plan: %d", code);
    return plan;
}

static void once(struct product *p)
{
    fill_all(p, 0);
    int code = summand_gemm((enum summand_transpose)p->trans_a, (enum summand_transpose)p->trans_b,
                            p->alpha, p->a.matrix, p->b.matrix, p->beta, p->c.matrix, &p->options);
    CHECK(code == MPI_SUCCESS, "gemm: %d", code);
    check(p, 0, "once");
}

static void again(struct product *p, int starts)
{
    summand_plan *plan = plan_of(p);
    for (int start = 1; start <= starts && plan; start++) {
        fill_all(p, start);
        if (draw(4) == 0 && start % harness_ranks == harness_rank)
            usleep(300);
        int code = summand_plan_start(plan);
        if (code == MPI_SUCCESS)
            code = summand_plan_wait(plan);
        CHECK(code == MPI_SUCCESS, "start %d: %d", start, code);
        check(p, start, "again");
    }
    summand_plan_free(&plan);
}

/* A on each grid with B on each grid, C on all in turn; on 4 and 5 ranks each third pair. */
static void every_grid(void)
{
    int grids = 0, step = harness_ranks == 4 || harness_ranks == 5 ? 3 : 1;
    for (int p = 1; p <= harness_ranks; p++)
        grids += harness_ranks / p;
    for (int pair = 0; pair < grids * grids; pair += step) {
        struct product p;
        draw_product(&p, 0);
        draw_distribution(&p.a, p.trans_a ? p.inner : p.rows, p.trans_a ? p.rows : p.inner,
                          pair / grids);
        draw_distribution(&p.b, p.trans_b ? p.columns : p.inner, p.trans_b ? p.inner : p.columns,
                          pair % grids);
        draw_distribution(&p.c, p.rows, p.columns, pair);
        if (pair % 4 == 0) /* one block, which one rank has */
            p.a.shape.block_rows = p.a.shape.block_columns = p.b.shape.block_rows =
                p.b.shape.block_columns = p.c.shape.block_rows = p.c.shape.block_columns = 100;
        make_product(&p);
        once(&p);
        drop_product(&p);
    }
}

/* Sums in any order on equal inner blocks run along memory: A on 1 x Q ranks, B on Q x 1, ragged.
 * */
static void equal_inner(void)
{
    for (int i = 0; i < 12; i++) {
        struct product p;
        draw_product(&p, i % 2);
        int grid = draw(harness_ranks), turned[] = {p.trans_a, !p.trans_b};
        struct held *held[] = {&p.a, &p.b};
        p.options = (summand_gemm_options){.promise = SUMMAND_PROMISE_SAME};
        for (int m = 0; m < 2; m++) {
            summand_matrix_shape *s = &held[m]->shape;
            draw_distribution(held[m], s->rows, s->columns, grid);
            s->block_rows = s->block_columns = 1 + i % 5;
            s->grid_rows = turned[m] ? grid + 1 : 1;
            s->grid_columns = turned[m] ? 1 : grid + 1;
            place_rank(held[m]);
        }
        p.c.single = 0;
        make_product(&p);
        once(&p);
        drop_product(&p);
    }
}

/* Several plans active at once; ranks start and wait for them in different orders. */
static void two_at_once(void)
{
    struct product p[2];
    summand_plan *plan[2];
    for (int i = 0; i < 2; i++) {
        draw_product(&p[i], 1);
        make_product(&p[i]);
        plan[i] = plan_of(&p[i]);
    }
    for (int start = 1; start < 6 && plan[0] && plan[1]; start++) {
        int first = harness_rank % 2, code = MPI_SUCCESS;
        for (int i = 0; i < 2; i++)
            fill_all(&p[i], start);
        for (int i = 0; i < 2 && code == MPI_SUCCESS; i++)
            code = summand_plan_start(plan[start % 2 ? i ^ first : i]);
        for (int i = 0; i < 2 && code == MPI_SUCCESS; i++)
            code = summand_plan_wait(plan[i ^ first]);
        CHECK(code == MPI_SUCCESS, "two at once: %d", code);
        check(&p[0], start, "two at once");
        check(&p[1], start, "two at once");
    }
    for (int i = 0; i < 2; i++) {
        summand_plan_free(&plan[i]);
        drop_product(&p[i]);
    }
}

static void errors(void)
{
    struct product p;
    do
        draw_product(&p, 0);
    while (!p.rows || !p.columns || !p.inner);
    make_product(&p);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int code = summand_gemm(p.trans_a, p.trans_b, harness_rank ? 1 : 2, p.a.matrix, p.b.matrix, 0,
                            p.c.matrix, NULL);
    CHECK(harness_ranks == 1 ? code == MPI_SUCCESS
                             : code == summand_error_code(SUMMAND_ERR_MISMATCH),
          "another alpha: %d", code);
    code = summand_gemm(p.trans_a, p.trans_b, 1, p.a.matrix, p.b.matrix, 0,
                        harness_rank == harness_ranks - 1 ? p.a.matrix : p.c.matrix, NULL);
    CHECK(code != MPI_SUCCESS, "A as C on one rank");
    code = summand_gemm(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, p.a.matrix, NULL, 0,
                        p.c.matrix, NULL);
    CHECK(code == summand_error_code(SUMMAND_ERR_ARGUMENT), "no B: %d", code);
    const summand_gemm_options unknown = {.algorithm = "ring"};
    code = summand_gemm(p.trans_a, p.trans_b, 1, p.a.matrix, p.b.matrix, 0, p.c.matrix, &unknown);
    CHECK(code == summand_error_code(SUMMAND_ERR_ALGORITHM), "an algorithm that is none: %d", code);
    summand_gemm_options odd = {.activation = (enum summand_activation)SUMMAND__ACTIVATIONS};
    code = summand_gemm(p.trans_a, p.trans_b, 1, p.a.matrix, p.b.matrix, 0, p.c.matrix, &odd);
    CHECK(code == summand_error_code(SUMMAND_ERR_ARGUMENT), "no activation: %d", code);
    odd.activation = harness_rank ? SUMMAND_ACTIVATION_TANH : SUMMAND_ACTIVATION_RELU;
    code = summand_gemm(p.trans_a, p.trans_b, 1, p.a.matrix, p.b.matrix, 0, p.c.matrix, &odd);
    CHECK(harness_ranks == 1 || code == summand_error_code(SUMMAND_ERR_MISMATCH),
          "other activations: %d", code);
    once(&p);
    drop_product(&p);
}

/* Columns in several chunks, with helpers. A NaN made from two infinities is the canonical one. */
static void chunks(void)
{
    enum { ROWS = 150, COLUMNS = 500, INNER = 70 };
    for (int single = 0; single < 2; single++) {
        struct product p = {.rows = ROWS,
                            .columns = COLUMNS,
                            .inner = INNER,
                            .alpha = -0.5,
                            .beta = single ? 0 : 2,
                            .row_biased = 1,
                            .column_biased = 1,
                            .called = 1};
        p.options.activation = SUMMAND_ACTIVATION_TANH;
        draw_distribution(&p.a, ROWS, INNER, -1);
        draw_distribution(&p.b, INNER, COLUMNS, -1);
        draw_distribution(&p.c, ROWS, COLUMNS, 0);
        p.a.single = p.b.single = p.c.single = single;
        make_product(&p);
        once(&p);
        again(&p, 2);
        drop_product(&p);
    }
}

static double infinite(MPI_Count row, MPI_Count column, void *context)
{
    (void)row;
    (void)column;
    (void)context;
    return INFINITY;
}

static void canonical(void)
{
    struct product p = {.rows = 5, .columns = 4, .inner = 1, .alpha = 1};
    uint64_t quiet = UINT64_C(0x7ff8000000000000);
    double bias[5] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
    long wrong = 0;
    draw_distribution(&p.a, 5, 1, -1);
    draw_distribution(&p.b, 1, 4, -1);
    draw_distribution(&p.c, 5, 4, -1);
    make_product(&p);
    p.options.row_bias = bias;
    summand_matrix_fill(p.a.matrix, infinite, NULL);
    summand_matrix_fill(p.b.matrix, infinite, NULL);
    int code = summand_gemm(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, p.a.matrix, p.b.matrix,
                            0, p.c.matrix, &p.options);
    void *data;
    MPI_Count lead, rows, columns;
    summand_matrix_local(p.c.matrix, &data, &lead, &rows, &columns);
    for (MPI_Count j = 0; j < columns; j++)
        for (MPI_Count i = 0; i < rows; i++)
            wrong += memcmp((double *)data + j * lead + i, &quiet, sizeof quiet) != 0;
    CHECK(code == MPI_SUCCESS && !wrong, "%d: %ld NaNs are others", code, wrong);
    drop_product(&p);
}

TESTS
{
    matrices_seed = harness_seed();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 40; i++) {
        struct product p;
        draw_product(&p, i % 4 == 3);
        if (harness_skips())
            continue;
        make_product(&p);
        once(&p);
        again(&p, i % 8 == 7 ? 20 : 3);
        drop_product(&p);
    }
    every_grid();
    equal_inner();
    two_at_once();
    two_at_once();
    chunks();
    canonical();
    errors();
    MPI_Comm_free(&comm);
}
