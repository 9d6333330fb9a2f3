/* np: 1 2 3, long: 4 5 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums in the index tree without a plan, one after the other. A call runs a cached plan if all
 * ranks had its shapes in one earlier call; it then asks the MPI for no agreement. Every other call
 * agrees and makes a plan. Counting the library's agreements over the MPI tells the two apart. The
 * bits are always those of eq. 2.1. */
#include <stdbool.h>

#include "mpi/sums.h"
#include "plan/cache.h"
#include "sum/calls.h"
#include "sum/sums.h"

enum { K = 3, MOST = 200, KEPT = SUMMAND__CACHED_PLANS };

static MPI_Comm comm;
static int agreements;
static uint64_t seed = 5;

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

/* The same on all ranks: term i has n[i] elements, distributed by `split`. */
struct shape {
    int k;
    size_t n[K];
    enum summand_kind kind[K];
    size_t starts[K][65];
    bool named; /* displacements are given, not in rank order */
    int root;
};

static struct shape new_shape(int k, size_t most, bool named, int root)
{
    struct shape shape = {.k = k, .named = named, .root = root};
    for (int i = 0; i < k; i++) {
        shape.n[i] = 1 + harness_random(&seed) % most;
        shape.kind[i] = (enum summand_kind)(harness_random(&seed) % 4);
        fill_split(&seed, shape.n[i], harness_ranks, shape.starts[i]);
    }
    return shape;
}

/* The ranks' parts lie in rank order; or, if displacements are given, reversed. */
static int part_of(const struct shape *shape)
{
    return shape->named ? harness_ranks - 1 - harness_rank : harness_rank;
}

/* New elements, in other memory than before. */
struct elements {
    double *x[K], *y[K], *own_x[K], *own_y[K], *results;
};

static struct elements new_elements(const struct shape *shape, summand_term *terms)
{
    struct elements e = {.results = malloc(K * sizeof *e.results)};
    for (int i = 0; i < shape->k; i++) {
        size_t start = shape->starts[i][part_of(shape)];
        size_t count = shape->starts[i][part_of(shape) + 1] - start;
        e.x[i] = malloc(shape->n[i] * sizeof **e.x);
        e.y[i] = malloc(shape->n[i] * sizeof **e.y);
        fill_values(&seed, shape->n[i], 40, e.x[i]);
        fill_values(&seed, shape->n[i], 40, e.y[i]);
        e.own_x[i] = malloc((count + 1) * sizeof **e.x);
        e.own_y[i] = malloc((count + 1) * sizeof **e.y);
        memcpy(e.own_x[i], e.x[i] + start, count * sizeof **e.x);
        memcpy(e.own_y[i], e.y[i] + start, count * sizeof **e.y);
        terms[i] = (summand_term){.kind = shape->kind[i],
                                  .count = (MPI_Count)count,
                                  .displacement =
                                      shape->named ? (MPI_Count)start : SUMMAND_DISPLACEMENT_APPEND,
                                  .x = e.own_x[i],
                                  .y = e.own_y[i]};
    }
    return e;
}

/* NaN in the memory to which a cached plan still points. */
static void free_elements(const struct shape *shape, struct elements *e, const summand_term *terms)
{
    for (int i = 0; i < shape->k; i++) {
        size_t bytes = ((size_t)terms[i].count + 1) * sizeof(double);
        memset(e->own_x[i], 0xff, bytes);
        memset(e->own_y[i], 0xff, bytes);
        free(e->own_x[i]);
        free(e->own_y[i]);
        free(e->x[i]);
        free(e->y[i]);
    }
    free(e->results);
}

static int call_it(const struct shape *shape, const summand_term *terms, double *results)
{
    const summand_options options = {.promise = SUMMAND_PROMISE_INDEX};
    for (int i = 0; i < shape->k; i++)
        results[i] = -7;
    agreements = 0;
    return summand_sums(shape->k, terms, results, MPI_DOUBLE, shape->root, comm, &options);
}

/* Sets new elements, makes the call and checks its bits; returns whether it ran a cached plan. */
static void sum(const struct shape *shape, bool kept, const char *what)
{
    /* Two sets at a time, so that no call has its elements at the previous addresses. */
    static struct elements last;
    static summand_term last_terms[K];
    static struct shape last_shape;
    summand_term terms[K];
    struct elements e = new_elements(shape, terms);
    if (last.results)
        free_elements(&last_shape, &last, last_terms);
    int code = call_it(shape, terms, e.results);
    bool receives = shape->root == SUMMAND_ROOT_ALL || shape->root == harness_rank;
    CHECK(code == MPI_SUCCESS, "%s: code %d", what, code);
    CHECK((agreements == 0) == kept, "%s: %d agreements", what, agreements);
    for (int i = 0; i < shape->k; i++) {
        double right = receives ? oracle_tree(shape->kind[i], shape->n[i], e.x[i], e.y[i]) : -7;
        CHECK(!memcmp(&right, &e.results[i], sizeof right), "%s: %a, not %a", what, e.results[i],
              right);
    }
    last = e;
    last_shape = *shape;
    memcpy(last_terms, terms, sizeof terms);
}

static void test_repeated(void)
{
    struct shape shape = new_shape(K, MOST, false, SUMMAND_ROOT_ALL), other = shape;
    sum(&shape, false, "first call");
    for (int i = 0; i < 5; i++)
        sum(&shape, true, "repeated call");
    other.root = harness_ranks - 1;
    sum(&other, false, "another root");
    sum(&other, true, "another root, again");
    sum(&shape, true, "the first root");
    other = shape;
    other.kind[1] = shape.kind[1] == SUMMAND_KIND_DOT ? SUMMAND_KIND_SUM : SUMMAND_KIND_DOT;
    sum(&other, false, "another kind");
    other = shape;
    other.k = 2;
    sum(&other, false, "fewer terms");
    sum(&other, true, "fewer terms, again");
    other.k = 0;
    sum(&other, false, "no terms");
    sum(&other, true, "no terms, again");
    sum(&shape, true, "all terms");
}

/* As before on all ranks except one or two: the others alone would run the cached plan. */
static void test_counts(void)
{
    for (int r = 1; r <= harness_ranks; r++) {
        struct shape shape = new_shape(2, MOST, r % 2, SUMMAND_ROOT_ALL);
        for (int i = 1; i <= harness_ranks; i++) /* some everywhere */
            shape.starts[1][i] = (size_t)i * 4;
        shape.n[1] = shape.starts[1][harness_ranks];
        sum(&shape, false, "first call");
        struct shape other = shape;
        if (r < harness_ranks)
            other.starts[1][r]++; /* a border moves: displacements of two ranks */
        else
            other.n[1] = ++other.starts[1][r];
        sum(&other, false, "another count");
        sum(&other, true, "another count, again");
        sum(&shape, true, "the first counts");
    }
}

/* The same counts at other places. */
static void test_places(void)
{
    struct shape shape = new_shape(1, MOST, false, SUMMAND_ROOT_ALL);
    for (int i = 0; i <= harness_ranks; i++)
        shape.starts[0][i] = (size_t)i * 3;
    shape.n[0] = shape.starts[0][harness_ranks];
    struct shape named = shape;
    named.named = true;
    sum(&shape, false, "in rank order");
    sum(&named, false, "places given, backwards");
    sum(&shape, true, "in rank order, again");
    sum(&named, true, "places given, again");
}

/* Shapes that are the same on one rank and differ on others: that rank finds both plans. */
static void test_ambiguous(void)
{
    struct shape shapes[3];
    for (int s = 0; s < 3; s++) {
        shapes[s] = new_shape(1, MOST, false, SUMMAND_ROOT_ALL);
        shapes[s].kind[0] = SUMMAND_KIND_DOT;
        for (int i = 1; i <= harness_ranks; i++) /* rank 0 alone has more each time */
            shapes[s].starts[0][i] = (size_t)(s + 2 * i);
        shapes[s].n[0] = shapes[s].starts[0][harness_ranks];
        sum(&shapes[s], false, "a new shape");
    }
    for (int i = 0; i < 9; i++)
        sum(&shapes[i * i % 3], true, "shapes in turn");
}

/* As many as the cache holds, and one more: the oldest cached plan goes. Every rank's counts differ
 * from shape to shape. */
static void test_many(void)
{
    struct shape shapes[KEPT + 1];
    for (int s = 0; s <= KEPT; s++) {
        shapes[s] = new_shape(1, MOST, false, SUMMAND_ROOT_ALL);
        for (int i = 0; i <= harness_ranks; i++)
            shapes[s].starts[0][i] = (size_t)(i * (s + 1));
        shapes[s].n[0] = shapes[s].starts[0][harness_ranks];
        shapes[s].kind[0] = SUMMAND_KIND_SUM;
    }
    for (int s = 0; s < 2 * KEPT; s++)
        sum(&shapes[s % KEPT], s >= KEPT, "in turn");
    sum(&shapes[KEPT], false, "one more");
    sum(&shapes[1], true, "the second");
    sum(&shapes[0], false, "the first");
    sum(&shapes[1], false, "the second, which has gone for the first");
}

/* A plan that would take more than SUMMAND__CACHED_BYTES is not cached; all cached ones together
 * take no more. */
static void sum_many(int k, bool kept, const char *what)
{
    const double x = harness_rank + 1;
    const summand_options options = {.promise = SUMMAND_PROMISE_INDEX};
    summand_term *terms = calloc((size_t)k, sizeof *terms);
    double *results = calloc((size_t)k, sizeof *results), right = 0;
    long wrong = 0;
    for (int r = 1; r <= harness_ranks; r++)
        right += r;
    for (int i = 0; i < k; i++)
        terms[i] = (summand_term){.kind = SUMMAND_KIND_SUM,
                                  .count = 1,
                                  .displacement = SUMMAND_DISPLACEMENT_APPEND,
                                  .x = &x};
    agreements = 0;
    int code = summand_sums(k, terms, results, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &options);
    for (int i = 0; i < k; i++)
        wrong += results[i] != right;
    CHECK(code == MPI_SUCCESS && !wrong, "%s: code %d, %ld wrong", what, code, wrong);
    CHECK((agreements == 0) == kept, "%s: %d agreements", what, agreements);
    free(terms);
    free(results);
}

static void test_bound(void)
{
    enum { TOO_MANY = 20000, MANY = 10000, FEW = 10 };
    sum_many(FEW, false, "few");
    sum_many(TOO_MANY, false, "too many");
    sum_many(TOO_MANY, false, "too many, again");
    sum_many(FEW, true, "few beside too many");
    sum_many(MANY, false, "many");
    sum_many(MANY, true, "many, again");
    sum_many(FEW, true, "few beside many");
    sum_many(MANY + 1, false, "as many, another plan");
    sum_many(MANY + 1, true, "as many, another plan, again");
    sum_many(MANY, false, "many, which have gone for them");
}

static bool any(const void *work, const void *wanted)
{
    (void)work;
    (void)wanted;
    return true;
}

/* A rank drops its plans alone: for lack of memory, or after an error. */
static void test_lost(void)
{
    struct summand__state *state;
    struct shape shape = new_shape(K, MOST, false, SUMMAND_ROOT_ALL);
    summand__state_of(comm, &state);
    for (int poor = 0; poor < harness_ranks; poor++) {
        sum(&shape, poor > 0, "before one is lost");
        if (harness_rank == poor)
            summand__plan_cache_forget(state, &summand__tree_kind, any, NULL);
        sum(&shape, false, "one rank has dropped its plans");
        if (harness_rank != poor)
            summand__plan_cache_forget(state, &summand__tree_kind, any, NULL);
        sum(&shape, harness_ranks == 1, "one rank alone has plans");
        sum(&shape, true, "all have one again");
    }
}

static void test_errors(void)
{
    struct shape shape = new_shape(K, MOST, false, SUMMAND_ROOT_ALL);
    sum(&shape, false, "before an error");
    for (int bad = 0; bad < harness_ranks; bad++) {
        summand_term terms[K];
        double results[K];
        struct elements e = new_elements(&shape, terms);
        if (harness_rank == bad)
            terms[1].count = -1;
        int code = call_it(&shape, terms, results);
        CHECK(code ==
                  (harness_rank == bad ? MPI_ERR_COUNT : summand_error_code(SUMMAND_ERR_REMOTE)),
              "a count of -1 on rank %d: %d", bad, code);
        terms[1].count = 0;
        terms[1].kind = harness_rank == bad ? SUMMAND_KIND_NRM2 : SUMMAND_KIND_SUM;
        code = call_it(&shape, terms, results);
        CHECK(code == summand_error_code(SUMMAND_ERR_MISMATCH) || harness_ranks == 1,
              "kinds that differ: %d", code);
        terms[1].kind = shape.kind[1];
        terms[1].count =
            (MPI_Count)(shape.starts[1][harness_rank + 1] - shape.starts[1][harness_rank]);
        free_elements(&shape, &e, terms);
        sum(&shape, true, "after errors of other calls");
    }
}

/* Calls on other communicators, which have their own plans, run in between. */
static void test_communicators(void)
{
    MPI_Comm world = comm, other;
    struct shape shape = new_shape(2, MOST, false, SUMMAND_ROOT_ALL);
    MPI_Comm_dup(world, &other);
    MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++) {
        comm = i % 2 ? other : world;
        sum(&shape, i > 1, "on one of two communicators");
    }
    comm = world;
    MPI_Comm_free(&other);
}

TESTS
{
    void (*const tests[])(void) = {test_repeated,  test_counts, test_places,
                                   test_ambiguous, test_many,   test_bound,
                                   test_lost,      test_errors, test_communicators};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) { /* each without cached plans */
        comm = harness_comm();
        tests[i]();
        MPI_Comm_free(&comm);
    }
}
