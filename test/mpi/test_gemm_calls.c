/* np: 2 3, long: 4 5 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Products without a plan, one after the other. A call with the matrices, scalars and options of an
 * earlier one runs its cached plan, after one agreement; every other call makes a plan. Counting
 * the library's agreements over the MPI tells the two apart. The result is right whatever changes
 * between calls: elements, biases, functions, scalars, matrices freed and remade, exposed matrices,
 * and plans that only one rank has dropped. */
#include <stdbool.h>
#include <summand.h>

#include "matrix/mpi/gemm.h"
#include "mpi/refused.h"

enum { N = 12, KEPT = 8 };

static MPI_Comm comm;
static int agreements;

int __real_PMPI_Iallreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm,
                           MPI_Request *);
int __wrap_PMPI_Iallreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm,
                           MPI_Request *);

int __wrap_PMPI_Iallreduce(const void *send, void *recv, int n, MPI_Datatype datatype, MPI_Op op,
                           MPI_Comm c, MPI_Request *request)
{
    agreements++;
    return __real_PMPI_Iallreduce(send, recv, n, datatype, op, c, request);
}

struct product {
    summand_matrix *a, *b, *c;
    int start; /* of the elements of A and B */
    double alpha, beta;
    summand_gemm_options options;
    double bias;  /* of all rows */
    double added; /* by the function */
};

static double element(MPI_Count row, MPI_Count column, void *start)
{
    return (double)((row * 3 + column * 5 + *(const int *)start) % 7) - 3;
}

static summand_matrix *make(MPI_Count rows, MPI_Count columns, int first_rank, MPI_Count block)
{
    int group[64];
    for (int i = 0; i < harness_ranks; i++)
        group[i] = (first_rank + i) % harness_ranks;
    const summand_matrix_shape shape = {rows, columns, block, block, 1, harness_ranks, group};
    summand_matrix *made = NULL;
    int code = summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, comm, &made);
    CHECK(code == MPI_SUCCESS && made, "create: %d", code);
    return made;
}

static struct product new_product(int first_rank)
{
    return (struct product){.a = make(N, N, first_rank, 3),
                            .b = make(N, N, first_rank + 1, 5),
                            .c = make(N, N, first_rank, 2),
                            .alpha = 2,
                            .beta = -1};
}

static void free_product(struct product *p)
{
    summand_matrix_free(&p->a);
    summand_matrix_free(&p->b);
    summand_matrix_free(&p->c);
}

static void check_result(const struct product *p, MPI_Count inner, const char *what)
{
    void *data;
    MPI_Count lead, rows, columns;
    long wrong = 0;
    int start = p->start, other = p->start + 1, third = p->start + 2;
    summand_matrix_local(p->c, &data, &lead, &rows, &columns);
    for (MPI_Count j = 0; j < columns; j++)
        for (MPI_Count i = 0; i < rows; i++) {
            MPI_Count row, column;
            summand_matrix_index(p->c, i, j, &row, &column);
            double sum = p->beta * element(row, column, &third) + p->bias;
            for (MPI_Count k = 0; k < inner; k++)
                sum += p->alpha * element(row, k, &start) * element(k, column, &other);
            if (p->options.activation == SUMMAND_ACTIVATION_RELU && sum < 0)
                sum = 0;
            wrong += ((double *)data)[j * lead + i] != sum + p->added;
        }
    CHECK(!wrong, "%s: %ld elements wrong", what, wrong);
}

static int call_it(struct product *p)
{
    int other = p->start + 1, third = p->start + 2;
    summand_matrix_fill(p->a, element, &p->start);
    summand_matrix_fill(p->b, element, &other);
    summand_matrix_fill(p->c, element, &third);
    agreements = 0;
    return summand_gemm(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, p->alpha, p->a, p->b, p->beta,
                        p->c, &p->options);
}

/* Sets new elements and makes the call; returns whether it ran a cached plan. */
static void multiply(struct product *p, bool kept, const char *what)
{
    p->start++;
    int code = call_it(p);
    CHECK(code == MPI_SUCCESS, "%s: code %d", what, code);
    CHECK((agreements == 1) == kept, "%s: %d agreements", what, agreements);
    check_result(p, N, what);
}

static void test_repeated(void)
{
    struct product p = new_product(0);
    multiply(&p, false, "first call");
    for (int i = 0; i < 5; i++)
        multiply(&p, true, "repeated call");
    p.alpha = 3;
    multiply(&p, false, "another alpha");
    p.beta = 0;
    multiply(&p, false, "another beta");
    p.alpha = 2;
    p.beta = -1;
    multiply(&p, true, "the first scalars");
    p.options.panel = 3;
    multiply(&p, false, "another panel");
    multiply(&p, true, "that panel");
    p.options.timeout = 50;
    multiply(&p, false, "a timeout");
    p.options.timeout = 60;
    multiply(&p, true, "another timeout");
    free_product(&p);
}

static void add_that(const summand_gemm_tile *tile, void *context)
{
    for (MPI_Count j = 0; j < tile->columns; j++)
        for (MPI_Count i = 0; i < tile->rows; i++)
            ((double *)tile->elements)[i + j * tile->lead] += *(double *)context;
}

static void subtract_that(const summand_gemm_tile *tile, void *context)
{
    for (MPI_Count j = 0; j < tile->columns; j++)
        for (MPI_Count i = 0; i < tile->rows; i++)
            ((double *)tile->elements)[i + j * tile->lead] -= *(double *)context;
}

/* The finishing belongs to its call; the memory to which it pointed may be freed. */
static void test_finished(void)
{
    struct product p = new_product(1);
    for (int i = 0; i < 6; i++) {
        double *bias = malloc(N * sizeof *bias), *context = malloc(sizeof *context);
        p.bias = i;
        for (int r = 0; r < N; r++)
            bias[r] = p.bias;
        *context = i + 0.5;
        p.added = i % 2 ? *context : -*context;
        p.options.row_bias = bias;
        p.options.activation = i > 2 ? SUMMAND_ACTIVATION_RELU : SUMMAND_ACTIVATION_IDENTITY;
        p.options.finish = i % 2 ? add_that : subtract_that;
        p.options.context = context;
        multiply(&p, i > 0, "another bias, activation and function");
        memset(bias, 0x55, N * sizeof *bias);
        memset(context, 0x55, sizeof *context);
        free(bias);
        free(context);
    }
    memset(&p.options, 0, sizeof p.options);
    p.bias = p.added = 0;
    multiply(&p, false, "nothing to finish");
    multiply(&p, true, "nothing to finish, again");
    free_product(&p);
}

/* Matrices of other distributions, which often have the addresses of the previous ones. */
static void test_made_anew(void)
{
    struct product p = new_product(0);
    multiply(&p, false, "first call");
    for (int i = 1; i < 6; i++) {
        summand_matrix **one = i % 3 == 0 ? &p.a : i % 3 == 1 ? &p.b : &p.c;
        summand_matrix_free(one);
        *one = make(N, N, i, 1 + i % 4);
        multiply(&p, false, "a matrix made anew");
        multiply(&p, true, "the same again");
    }
    free_product(&p);
}

static void test_exposed(void)
{
    struct product p = new_product(0);
    multiply(&p, false, "before exposure");
    for (int i = 0; i < 3; i++) {
        summand_matrix *one = i == 0 ? p.a : i == 1 ? p.c : p.b;
        int class, code = summand_matrix_expose(one);
        MPI_Error_class(code, &class);
        CHECK(code == MPI_SUCCESS || class == MPI_ERR_UNSUPPORTED_OPERATION, "expose: %d", code);
        multiply(&p, false, "after exposure");
        multiply(&p, true, "after exposure, again");
    }
    free_product(&p);
}

/* As many as the cache holds, and one more: the oldest cached plan goes. */
static void test_many(void)
{
    struct product p[KEPT + 1];
    for (int i = 0; i <= KEPT; i++)
        p[i] = new_product(i);
    for (int i = 0; i < 2 * KEPT; i++)
        multiply(&p[i % KEPT], i >= KEPT, "in turn");
    multiply(&p[KEPT], false, "one more");
    multiply(&p[1], true, "the second");
    multiply(&p[0], false, "the first");
    multiply(&p[1], false, "the second, which has gone for the first");
    for (int i = 0; i <= KEPT; i++)
        free_product(&p[i]);
}

/* A rank drops a plan alone: for lack of memory, or after an error. */
static void test_lost(void)
{
    struct product p = new_product(0);
    for (int poor = 0; poor < harness_ranks; poor++) {
        multiply(&p, false, "before one is lost");
        multiply(&p, true, "before one is lost, again");
        if (harness_rank == poor)
            summand__gemm_forget(p.c);
        multiply(&p, false, "one rank has dropped its plan");
        multiply(&p, true, "all have one again");
        p.alpha++;
        multiply(&p, false, "another alpha");
        p.alpha--;
        if (harness_rank != poor)
            summand__gemm_forget(p.a);
        multiply(&p, false, "one rank alone has its plan");
        p.beta++;
    }
    free_product(&p);
}

static void test_errors(void)
{
    struct product p = new_product(0);
    multiply(&p, false, "before an error");
    for (int bad = 0; bad < harness_ranks; bad++) {
        const summand_gemm_options kept = p.options;
        p.options.panel = harness_rank == bad ? -1 : 0;
        int code = call_it(&p);
        CHECK(code == summand_error_code(harness_rank == bad ? SUMMAND_ERR_ARGUMENT
                                                             : SUMMAND_ERR_REMOTE),
              "a panel of -1 on rank %d: %d", bad, code);
        p.options.panel = harness_rank == bad ? 4 : 0;
        code = call_it(&p);
        CHECK(code == summand_error_code(SUMMAND_ERR_MISMATCH), "panels that differ: %d", code);
        p.options = kept;
        multiply(&p, true, "after errors of other calls");
    }
    free_product(&p);
}

/* A valid product, which a row of the table below changes. */
struct wrong {
    enum summand_transpose trans_a, trans_b;
    const summand_matrix *a, *b;
    summand_matrix *c;
    summand_gemm_options options;
};

static void check_wrong(const struct wrong *right, const struct wrong *wrong,
                        enum summand_error error, const char *words)
{
    const int code = summand_error_code(error), last = harness_ranks - 1;
    for (int i = 0; i < 4; i++) {
        const bool all = i % 2;
        const struct wrong *g = all || harness_rank == last ? wrong : right;
        summand_plan *plan = NULL;
        int got = i < 2 ? summand_gemm(g->trans_a, g->trans_b, 1, g->a, g->b, 0, g->c, &g->options)
                        : summand_gemm_init(g->trans_a, g->trans_b, 1, g->a, g->b, 0, g->c,
                                            &g->options, &plan);
        check_refused(got, code, all ? ALL_RANKS : last, words, i < 2 ? "gemm" : "gemm_init");
        CHECK(!plan, "%s: a plan", words);
    }
}

static void test_words(void)
{
    const summand_matrix_shape shape = {4, 3, 2, 2, 1, harness_ranks, NULL};
    summand_matrix *a = make(4, 5, 0, 2), *b = make(5, 3, 0, 2), *c = make(4, 3, 0, 2);
    summand_matrix *narrow = NULL, *elsewhere = NULL;
    MPI_Comm other;
    MPI_Comm_dup(comm, &other);
    CHECK(!summand_matrix_create(&shape, MPI_FLOAT, NULL, 0, comm, &narrow) &&
              !summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, other, &elsewhere),
          "create");
    const struct wrong right = {.a = a, .b = b, .c = c};
#define WRONG(code, words, ...)                                                                    \
    do {                                                                                           \
        struct wrong g = right;                                                                    \
        __VA_ARGS__;                                                                               \
        check_wrong(&right, &g, SUMMAND_ERR_##code, words);                                        \
    } while (0)
    WRONG(ARGUMENT, "a is NULL, not a matrix", g.a = NULL);
    WRONG(ARGUMENT, "b is NULL, not a matrix", g.b = NULL);
    WRONG(ARGUMENT, "c is NULL, not a matrix", g.c = NULL);
    WRONG(ARGUMENT, "trans_a is 2, not 0 (SUMMAND_TRANSPOSE_NO)",
          g.trans_a = (enum summand_transpose)2);
    WRONG(ARGUMENT, "trans_b is -1, not 0", g.trans_b = (enum summand_transpose) - 1);
    WRONG(ARGUMENT, "op(a) is 5 x 4, op(b) is 5 x 3, c is 4 x 3",
          g.trans_a = SUMMAND_TRANSPOSE_YES);
    WRONG(ARGUMENT, "b has type MPI_FLOAT, c has type MPI_DOUBLE", g.b = narrow);
    WRONG(ARGUMENT, "a and c are on different communicators", g.a = elsewhere);
    WRONG(ARGUMENT, "c is b", g.b = c);
    WRONG(ARGUMENT, "options.panel is -1, not 0 or more", g.options.panel = -1);
    WRONG(ARGUMENT, "options.memory is -9, not 0 or more", g.options.memory = -9);
    WRONG(ARGUMENT, "options.memory is 9, which 'gemm-pairs' does not use", g.options.memory = 9;
          g.options.algorithm = "gemm-pairs");
    WRONG(ARGUMENT, "options.timeout is -1 s, not 0 or more", g.options.timeout = -1);
    WRONG(ARGUMENT,
          "options.promise is SUMMAND_PROMISE_EXACT; this call keeps at most SUMMAND_PROMISE_INDEX",
          g.options.promise = SUMMAND_PROMISE_EXACT);
    WRONG(ARGUMENT, "options.promise is -1, not one of enum summand_promise",
          g.options.promise = (enum summand_promise) - 1);
    WRONG(ARGUMENT,
          "options.activation is 4, not 0 (SUMMAND_ACTIVATION_IDENTITY) to 3 "
          "(SUMMAND_ACTIVATION_RELU)",
          g.options.activation = (enum summand_activation)4);
    WRONG(ALGORITHM, "options.algorithm is 'gemm-panel'", g.options.algorithm = "gemm-panel");
    WRONG(ALGORITHM, "did you mean 'gemm-panels'", g.options.algorithm = "gemm-panel");
    WRONG(ALGORITHM, "options.algorithm is 'ring', which does not do gemm; these do: 'gemm-",
          g.options.algorithm = "ring");
#undef WRONG
    int code =
        summand_gemm_init(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, a, b, 0, c, NULL, NULL);
    check_refused(code, summand_error_code(SUMMAND_ERR_ARGUMENT), ALL_RANKS, "plan is NULL",
                  "init");
    summand_matrix *all[] = {a, b, c, narrow, elsewhere};
    for (int i = 0; i < 5; i++)
        summand_matrix_free(&all[i]);
    MPI_Comm_free(&other);
}

enum { INNER = 512 };

/* A product for which a rank with only C takes up to `mebibytes`, and not much less. */
static struct product large(int mebibytes)
{
    enum { FEW = 2 };
    const MPI_Count rows = (MPI_Count)mebibytes * (1 << 20) / (INNER * 8);
    return (struct product){.a = make(rows, INNER, 0, INNER),
                            .b = make(INNER, FEW, 1, INNER),
                            .c = make(rows, FEW, 1, INNER),
                            .alpha = 1,
                            .beta = 1,
                            .options = {.panel = INNER, .memory = 1 << 30, .no_help = 1}};
}

static void multiply_large(struct product *p, bool kept, const char *what)
{
    int code = call_it(p);
    CHECK(code == MPI_SUCCESS, "%s: code %d", what, code);
    CHECK((agreements == 1) == kept, "%s: %d agreements", what, agreements);
    check_result(p, INNER, what);
}

/* Cached plans take at most 64 MiB on a rank, so ranks with smaller plans still have some that
 * others have dropped. */
static void test_bound(void)
{
    struct product one = large(80), first = large(40), second = large(40), small = large(10);
    multiply_large(&one, false, "80 MiB");
    multiply_large(&one, true, "80 MiB, again");
    multiply_large(&first, false, "40 MiB");
    multiply_large(&first, true, "40 MiB, again");
    multiply_large(&small, false, "10 MiB");
    multiply_large(&first, true, "40 MiB beside 10");
    multiply_large(&second, false, "another 40 MiB");
    multiply_large(&small, true, "10 MiB beside 40");
    multiply_large(&first, false, "the first 40 MiB, which have gone");
    multiply_large(&second, false, "the second 40 MiB, which have gone for them");
    free_product(&one);
    free_product(&first);
    free_product(&second);
    free_product(&small);
}

static void test_communicators(void)
{
    MPI_Comm world = comm;
    for (int order = 0; order < 2; order++) {
        MPI_Comm_dup(world, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        struct product p = new_product(order), q = new_product(1);
        multiply(&p, false, "on a communicator of its own");
        multiply(&q, false, "another one there");
        multiply(&p, true, "on a communicator of its own, again");
        if (order)
            free_product(&p);
        MPI_Comm_free(&comm);
        free_product(&p);
        free_product(&q);
    }
    comm = world;
}

TESTS
{
    comm = harness_comm();
    test_repeated();
    test_finished();
    test_made_anew();
    test_exposed();
    test_many();
    test_lost();
    test_errors();
    test_words();
    if (!harness_spans_nodes()) /* between nodes, panels lie in rings of other sizes */
        test_bound();
    test_communicators();
    MPI_Comm_free(&comm);
}
