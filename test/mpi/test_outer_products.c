/* np: 1 2 3, long: 4 5 6 7 8 9; costly; also: generic/2 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products: all algorithms, results, shapes, numbers of pairs and types, against a
 * plain chain of fma and, if any order is allowed, exact sums. Covers calls and plans; several
 * matrices; gaps between rows; updates; special values; two active plans; a reversed communicator.
 * */
#include "algorithm/algorithm.h"
#include "mpi/outer.h"

/* The results that an algorithm can make, by docs/outer.md. */
enum makes {
    ANY,    /* every one */
    CUT,    /* rows, blocks, for a root, and the results of SPREAD */
    ROOTED, /* for a root */
    SPREAD, /* whole ones with contiguous rows; if updated, the same on all ranks */
    WHOLE,
    PLAIN, /* whole ones that are not updated */
};

static const struct row {
    const char *name; /* NULL: the library's choice */
    enum makes makes;
    enum summand_promise promise; /* asks for it */
    bool apart;                   /* runs no collective inside */
} table[] = {{NULL, ANY, SUMMAND_PROMISE_DEFAULT, false},
             {"outer-gather", ANY, SUMMAND_PROMISE_DEFAULT, false},
             {"outer-slices", CUT, SUMMAND_PROMISE_DEFAULT, false},
             {"outer-grid", CUT, SUMMAND_PROMISE_DEFAULT, false},
             {"outer-groups", SPREAD, SUMMAND_PROMISE_DEFAULT, false},
             {"outer-hybrid", SPREAD, SUMMAND_PROMISE_DEFAULT, false},
             {"outer-rabenseifner", SPREAD, SUMMAND_PROMISE_DEFAULT, false},
             {"outer-pipeline", WHOLE, SUMMAND_PROMISE_DEFAULT, false},
             {"outer-allreduce", WHOLE, SUMMAND_PROMISE_SAME, false},
             {"outer-reduce", ROOTED, SUMMAND_PROMISE_SAME, false},
             {"outer-allgather", PLAIN, SUMMAND_PROMISE_DEFAULT, false},
             {"outer-passes", PLAIN, SUMMAND_PROMISE_DEFAULT, true},
             {"outer-bruck", PLAIN, SUMMAND_PROMISE_NONE, true}};
enum { ALGORITHMS = sizeof table / sizeof *table };

/* The list has every row of the table, and no other. This program has the table of papers
 * (lab/papers), which is the library's and more. */
static void test_table(void)
{
    for (int i = 0; summand__algorithms[i]; i++) {
        bool known = !summand__algorithms[i]->build[SUMMAND__COLL_OUTER];
        for (int r = 1; r < ALGORITHMS; r++)
            known = known || !strcmp(table[r].name, summand__algorithms[i]->name);
        CHECK(known, "%s is not tested", summand__algorithms[i]->name);
    }
    for (int r = 1; r < ALGORITHMS; r++)
        CHECK(summand__algorithm_named(table[r].name), "%s is none", table[r].name);
}

static const double updates[][2] = {{1, 0}, {0.5, 0}, {1, 1}, {-0.1, 0.9}};
static const char *const insides[] = {NULL, "ring", "direct", "neighbor-exchange"};
static const char *const inside_reductions[] = {NULL, "ring", "direct", "binomial"};

/* The name if the algorithm can run it inside, else NULL: by docs/outer.md. */
static const char *fitting(const struct row *row, const char *inside)
{
    const enum summand__collective collective = row->makes == ROOTED ? SUMMAND__COLL_REDUCE
                                                : row->promise       ? SUMMAND__COLL_ALLREDUCE
                                                                     : SUMMAND__COLL_ALLGATHERV;
    return inside && !row->apart && summand__algorithm_named(inside)->build[collective] ? inside
                                                                                        : NULL;
}

/* Whether the algorithm makes that result, by docs/outer.md. */
static bool does(const struct outer_case *c, int algorithm)
{
    const summand_outer_options *o = &c->options;
    bool all = o->result == SUMMAND_OUTER_WHOLE && c->root == SUMMAND_ROOT_ALL;
    bool spreads = all && !c->gap && (c->beta == 0 || o->replicated);
    bool parts = o->result == SUMMAND_OUTER_ROWS || o->result == SUMMAND_OUTER_BLOCKS;
    bool root = c->root != SUMMAND_ROOT_ALL;
    const bool makes[] = {[ANY] = true,    [CUT] = parts || root || spreads,
                          [ROOTED] = root, [SPREAD] = spreads,
                          [WHOLE] = all,   [PLAIN] = all && c->alpha == 1 && c->beta == 0};
    return makes[table[algorithm].makes];
}

static enum summand__outer_result whole_of(int algorithm)
{
    return table[algorithm].makes == ROOTED ? SUMMAND__OUTER_ROOT : SUMMAND__OUTER_ALL;
}

static void check(const struct outer_case *c, const struct outer_buffers *x, int ranks, int code,
                  const char *how)
{
    for (int m = 0; m < c->n; m++) {
        size_t wrong = code == MPI_SUCCESS ? outer_wrong(c, x, m, ranks) : 1;
        CHECK(!wrong,
              "%s %s: matrix %d of %d, %zu x %zu, type %d, values %d, result %d, root %d, pattern "
              "%d, gap %zu, alpha %g, beta %g: code %d, %zu wrong",
              how, c->options.algorithm ? c->options.algorithm : "any", m, c->n, c->rows[m],
              c->columns[m], (int)c->type, (int)c->values, (int)c->options.result, c->root,
              c->pattern, c->gap, c->alpha, c->beta, code, wrong);
    }
}

static void run_in(struct outer_case *c, MPI_Comm comm, bool plans)
{
    struct outer_buffers x;
    int rank, ranks, code;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Count pairs = (MPI_Count)outer_pairs(c, rank, ranks);
    c->options.room = (MPI_Count)outer_all(c, ranks);
    c->options.finished = c->told ? outer_told : NULL;
    c->options.context = &x;
    outer_make(c, &x, rank, ranks);
    if (!plans) {
        code = summand_outer(pairs, c->n, c->alpha, x.matrix, c->beta, outer_datatype(c->type),
                             c->root, comm, &c->options);
        check(c, &x, ranks, code, "call");
        outer_free(c, &x);
        return;
    }
    summand_plan *plan;
    code = summand_outer_init(pairs, c->n, c->alpha, x.matrix, c->beta, outer_datatype(c->type),
                              c->root, comm, &c->options, &plan);
    CHECK(code == MPI_SUCCESS, "init: %d", code);
    for (int start = 0; start < 2 && code == MPI_SUCCESS; start++) {
        int done = 0;
        c->seed++;
        outer_fill(c, &x, rank, ranks);
        code = summand_plan_start(plan);
        while (code == MPI_SUCCESS && !done)
            code = start ? (done = 1, summand_plan_wait(plan)) : summand_plan_test(plan, &done);
        check(c, &x, ranks, code, "plan");
    }
    summand_plan_free(&plan);
    outer_free(c, &x);
}

static void run(struct outer_case *c, bool plans)
{
    run_in(c, MPI_COMM_WORLD, plans);
}

/* Sizes below the number of ranks, above it, and zero. */
static size_t side(int which)
{
    const size_t sides[] = {3, 7, 1, (size_t)harness_ranks + 1, 0, 16, 33};
    return sides[which % 7];
}

static struct outer_case case_of(unsigned turn, int algorithm, enum summand__outer_result result)
{
    struct outer_case c = {.type = (enum summand__outer_type)(turn % 4),
                           .values = (enum values)(turn / 3 % VALUES),
                           .n = turn % 5 == 4 ? 3 : 1,
                           .pattern = (int)(turn / 2 % 4),
                           .gap = turn % 3 == 2 ? 3 : 0,
                           .symmetric = turn % 7 == 6,
                           .told = turn % 2,
                           .seed = (int)turn};
    c.options = summand_outer_options_default();
    c.root = outer_ask(&c.options, result, (int)(turn % (unsigned)harness_ranks));
    c.alpha = updates[turn / 5 % 4][0];
    c.beta = updates[turn / 5 % 4][1];
    c.options.replicated = 1;
    c.options.algorithm = table[algorithm].name;
    if (algorithm && result == SUMMAND__OUTER_ALL)
        c.options.inside.algorithm = fitting(&table[algorithm], insides[turn % 4]);
    if (table[algorithm].makes == ROOTED)
        c.options.inside.algorithm = fitting(&table[algorithm], inside_reductions[turn % 4]);
    c.options.promise = table[algorithm].promise;
    if (c.options.promise)
        c.values = EXACT;
    for (int m = 0; m < c.n; m++) {
        c.rows[m] = side((int)turn + m);
        c.columns[m] = c.symmetric ? c.rows[m] : side((int)turn / 2 + 3 * m + 1);
    }
    return c;
}

static void test_all(void)
{
    for (int algorithm = 0; algorithm < ALGORITHMS; algorithm++)
        for (int result = 0; result <= SUMMAND__OUTER_FACTORS; result++)
            for (unsigned turn = 0; turn < 36; turn++) {
                struct outer_case c = case_of(turn * 7 + (unsigned)result, algorithm,
                                              (enum summand__outer_result)result);
                if (does(&c, algorithm) && !harness_skips())
                    run(&c, turn % 3 == 0);
            }
}

/* Long enough for quanta, pieces of messages, and results that bypass the caches. Over messages and
 * between nodes every third algorithm has the longest: the pieces are the transport's. */
static void test_long(void)
{
    const char *transport = getenv("SUMMAND_TRANSPORT");
    const int far = harness_spans_nodes() || (transport && !strcmp(transport, "p2p"));
    static const size_t sizes[][2] = {{200, 301}, {1100, 1000}};
    for (int algorithm = 0; algorithm < ALGORITHMS; algorithm++)
        for (int size = 0; size < (harness_ranks < 4 && (!far || algorithm % 3 == 0) ? 2 : 1);
             size++) {
            struct outer_case c = case_of(0, algorithm, whole_of(algorithm));
            c.rows[0] = sizes[size][0];
            c.columns[0] = sizes[size][1];
            c.values = c.options.promise ? EXACT : RANDOM;
            c.alpha = 1;
            c.beta = 0;
            c.gap = 0;
            c.pattern = 5;
            run(&c, algorithm % 2);
        }
}

/* A symmetric matrix with so many pairs that opposite elements are made once, in a part with all or
 * some of the diagonal. */
static void test_symmetric(void)
{
    for (int algorithm = 0; algorithm < ALGORITHMS; algorithm++)
        for (int result = 0; result < SUMMAND__OUTER_FACTORS; result++) {
            struct outer_case c = case_of((unsigned)(algorithm + 4 * result), algorithm,
                                          (enum summand__outer_result)result);
            c.n = 1;
            c.symmetric = 1;
            c.rows[0] = c.columns[0] = 150;
            c.pattern = 70 / harness_ranks + 1;
            c.gap = algorithm < 2 ? 3 : 0;
            if (does(&c, algorithm))
                run(&c, algorithm % 2);
        }
}

/* Sums that are exact in any order, by a BLAS if there is one. */
static void test_any_bits(void)
{
    static const enum summand__outer_result results[] = {SUMMAND__OUTER_ALL, SUMMAND__OUTER_ROOT};
    for (int algorithm = 0; algorithm < ALGORITHMS; algorithm++)
        for (int update = 0; update < 8; update++) {
            struct outer_case c =
                case_of((unsigned)(4 * update + algorithm % 2), algorithm, results[update / 4]);
            c.n = 1;
            c.values = EXACT;
            c.symmetric = 0;
            c.rows[0] = 50;
            c.columns[0] = 61;
            c.pattern = 260; /* of all ranks at least 256 */
            c.gap = algorithm < 2 ? 3 : 0;
            c.options.promise = SUMMAND_PROMISE_NONE;
            c.alpha = update ? 0.5 : 1; /* exact as well */
            c.beta = update % 3;
            if (does(&c, algorithm))
                run(&c, algorithm % 2);
        }
}

static void test_reversed(void)
{
    MPI_Comm reversed;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -harness_rank, &reversed);
    for (int algorithm = 0; algorithm < ALGORITHMS; algorithm++) {
        struct outer_case c = case_of(1, algorithm, SUMMAND__OUTER_ALL);
        c.symmetric = 0;
        c.gap = 0;
        c.pattern = 0;
        if (does(&c, algorithm))
            run_in(&c, reversed, algorithm % 2);
    }
    MPI_Comm_free(&reversed);
}

static void test_two_plans(void)
{
    struct outer_case c[2] = {case_of(0, 0, SUMMAND__OUTER_ALL),
                              case_of(8, 0, SUMMAND__OUTER_ROWS)};
    struct outer_buffers x[2];
    summand_plan *plan[2];
    for (int p = 0; p < 2; p++) {
        c[p].told = false;
        outer_make(&c[p], &x[p], harness_rank, harness_ranks);
        int code =
            summand_outer_init((MPI_Count)outer_pairs(&c[p], harness_rank, harness_ranks), c[p].n,
                               c[p].alpha, x[p].matrix, c[p].beta, outer_datatype(c[p].type),
                               c[p].root, MPI_COMM_WORLD, &c[p].options, &plan[p]);
        CHECK(code == MPI_SUCCESS, "init %d: %d", p, code);
    }
    for (int p = 0; p < 2; p++)
        summand_plan_start(plan[p]);
    for (int i = 0; i < 2; i++) { /* ranks wait in other orders */
        int p = (i + harness_rank) % 2, code = summand_plan_wait(plan[p]);
        check(&c[p], &x[p], harness_ranks, code, "two plans");
    }
    for (int p = 0; p < 2; p++) {
        summand_plan_free(&plan[p]);
        outer_free(&c[p], &x[p]);
    }
}

/* There a grid makes whole results, on all ranks or a root, in bands of rows. */
static void test_bands(void)
{
    static const size_t rows[] = {400, 3, 37, 64}; /* two ranks cut products of 400 rows, too */
    MPI_Comm comm = outer_slow_network();
    int grid = 0;
    while (strcmp(table[grid + 1].name, "outer-grid") != 0)
        grid++;
    for (unsigned turn = 0; turn < 48; turn++) {
        struct outer_case c = case_of(turn, turn % 5 ? grid + 1 : 0,
                                      turn < 24 ? SUMMAND__OUTER_ALL : SUMMAND__OUTER_ROOT);
        c.pattern = turn % 2 ? 5 : 0;
        c.gap = 0;
        c.rows[0] = rows[turn % 4];
        c.columns[0] = c.symmetric ? c.rows[0] : turn % 3 ? 50 : 19;
        run_in(&c, comm, turn % 3 == 0);
    }
    MPI_Comm_free(&comm);
}

static bool is_error(int code, enum summand_error error)
{
    return code == summand_error_code(error);
}

/* When a plan is made, an error of one rank, or a difference, is an error of all. */
static void test_errors(void)
{
    double a[8] = {0}, b[8] = {0}, g[64] = {0};
    summand_outer_matrix matrix = {.rows = 4, .columns = 4, .a = a, .b = b, .g = g};
    summand_outer_options options = summand_outer_options_default();
    bool first = !harness_rank;
    MPI_Comm comm = harness_comm();
    for (int what = 0; what < 8; what++) {
        summand_outer_matrix m = matrix;
        summand_outer_options o = options;
        MPI_Count pairs = 2;
        double beta = 0;
        summand_plan *plan;
        int everywhere = what >= 5, root = SUMMAND_ROOT_ALL;
        if (first || everywhere) {
            pairs = what == 0 ? -1 : pairs;
            m.lead_a = what == 1 ? 3 : 0;
            m.a = what == 2 ? NULL : m.a;
            m.rows = what == 3 ? 5 : m.rows;
            beta = what == 4 ? 0.5 : 0;
            o.algorithm = what == 5 ? "ring" : what == 6 ? "outer-allreduce" : NULL;
            root = what == 7 ? harness_ranks : SUMMAND_ROOT_ALL;
        }
        int code = summand_outer_init(pairs, 1, 1, &m, beta, MPI_DOUBLE, root, comm, &o, &plan);
        bool differs = what == 3 || what == 4;
        bool found = harness_ranks > 1 || !differs;
        CHECK(found == (code != MPI_SUCCESS) && found == !plan, "error %d", what);
        if (harness_ranks > 1 && !differs && !everywhere)
            CHECK(is_error(code, SUMMAND_ERR_REMOTE) == !first, "error %d: %d", what, code);
        if (harness_ranks > 1 && differs)
            CHECK(is_error(code, SUMMAND_ERR_MISMATCH), "error %d: %d", what, code);
        summand_plan_free(&plan);
        code = summand_outer(2, 1, 1, &matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &options);
        CHECK(code == MPI_SUCCESS, "after error %d: %d", what, code);
        if (differs) /* ranks may wait for ever */
            continue;
        code = summand_outer(pairs, 1, 1, &m, beta, MPI_DOUBLE, root, comm, &o);
        CHECK(code != MPI_SUCCESS, "call with error %d", what);
    }
    MPI_Comm_free(&comm);
}

static void count_rows(void *context, int matrix, MPI_Count row, MPI_Count rows)
{
    CHECK(matrix == 0 && row >= 0 && rows > 0, "matrix %d, rows %lld", matrix, (long long)rows);
    *(MPI_Count *)context += rows;
}

/* A call keeps plans of earlier ones: not for another factor, or for less room. */
static void test_kept(void)
{
    static const double alphas[] = {NAN, 2, 0, -0.0, 0};
    double a[2] = {1, 2}, b[2] = {3, 4}, g[4], *rows = calloc((size_t)harness_ranks, sizeof g);
    summand_outer_matrix matrix = {.rows = 2, .columns = 2, .a = a, .b = b, .g = g};
    summand_outer_options options = summand_outer_options_default();
    MPI_Count told = 0;
    MPI_Comm comm = harness_comm();
    for (size_t i = 0; i < sizeof alphas / sizeof *alphas; i++) {
        CHECK(!summand_outer(1, 1, alphas[i], &matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm,
                             &options),
              "alpha");
        double right = alphas[i] * 3 * harness_ranks;
        CHECK(isnan(right) ? isnan(g[0]) : harness_bits(g[0]) == harness_bits(right),
              "alpha %g: %g, right %g", alphas[i], g[0], right);
    }
    options = summand_outer_options_default();
    options.result = SUMMAND_OUTER_FACTORS;
    options.finished = count_rows;
    options.context = &told;
    matrix.g = rows;
    for (int turn = 0; turn < 3 && rows; turn++) {
        options.room = turn == 1 ? harness_ranks - 1 : harness_ranks;
        told = 0;
        rows[4 * harness_ranks - 1] = -7;
        int code = summand_outer(1, 1, 1, &matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &options);
        CHECK((code != MPI_SUCCESS) == (turn == 1), "room %lld: code %d", (long long)options.room,
              code);
        CHECK(rows[4 * harness_ranks - 1] == (turn == 1 ? -7 : 4), "the last row of factors");
        CHECK(turn == 1 || told == harness_ranks, "told of %lld rows", (long long)told);
    }
    free(rows);
    MPI_Comm_free(&comm);
}

/* The maximum number of matrices in a call, by every algorithm. */
static void test_many(void)
{
    enum { MANY = 64 };
    double a[3] = {1, 2, 3}, g[MANY][12];
    summand_outer_matrix matrix[MANY];
    for (int m = 0; m < MANY; m++)
        matrix[m] = (summand_outer_matrix){
            .rows = 3, .columns = 3, .a = a, .b = a, .g = g[m], .lead_g = m % 2 ? 4 : 0};
    for (int i = 0; i < 4 * ALGORITHMS; i++) {
        summand_outer_options options = summand_outer_options_default();
        const struct row *row = &table[i / 4];
        const bool sums = row->promise == SUMMAND_PROMISE_SAME, rooted = row->makes == ROOTED;
        const bool root = rooted || (row->makes == CUT && i / 2 % 2), gaps = sums || root;
        options.algorithm = row->name;
        options.promise = row->promise ? row->promise : SUMMAND_PROMISE_SAME;
        options.replicated = 1;
        const int beta = i % 2;
        options.inside.algorithm = rooted ? fitting(row, inside_reductions[i % 4])
                                   : sums ? fitting(row, insides[i % 4])
                                          : NULL;
        for (int m = 0; m < MANY; m++) {
            matrix[m].lead_g = m % 2 && gaps ? 4 : 0;
            for (int j = 0; j < 12; j++)
                g[m][j] = 1;
        }
        if (row->makes == PLAIN && i % 2)
            continue;
        int code = summand_outer(1, MANY, 1, matrix, beta, MPI_DOUBLE, root ? 0 : SUMMAND_ROOT_ALL,
                                 MPI_COMM_WORLD, &options),
            bad = 0;
        for (int m = 0; m < MANY && (!root || !harness_rank); m++)
            bad += !(g[m][1] == 2 * harness_ranks + beta) ||
                   !(g[m][matrix[m].lead_g ? 10 : 8] == 9 * harness_ranks + beta);
        CHECK(code == MPI_SUCCESS && !bad, "%d matrices, %s: code %d, %d wrong", MANY,
              options.algorithm ? options.algorithm : "any", code, bad);
    }
}

/* The owner of a part depends on rows and columns alone. */
static void test_part_of(void)
{
    summand_outer_matrix matrix = {
        .rows = 5, .columns = 3, .lead_a = 1, .lead_b = -1, .lead_g = -1};
    summand_outer_options options = summand_outer_options_default();
    summand_outer_part part;
    options.result = SUMMAND_OUTER_ROWS;
    CHECK(!summand_outer_part_of(1, &matrix, 0, SUMMAND_ROOT_ALL, 1, 2, &options, &part) &&
              part.row == 2 && part.rows == 3 && part.column == 0 && part.columns == 3,
          "part of rank 1 of 2");
    CHECK(summand_outer_part_of(1, NULL, 0, SUMMAND_ROOT_ALL, 1, 2, &options, &part) ==
                  MPI_ERR_BUFFER &&
              summand_outer_part_of(65, &matrix, 0, SUMMAND_ROOT_ALL, 1, 2, &options, &part) ==
                  MPI_ERR_COUNT,
          "parts of no matrices");
    CHECK(summand_outer_part_of(1, &matrix, 0, SUMMAND_ROOT_ALL, 2, 2, &options, &part) ==
                  MPI_ERR_RANK &&
              summand_outer_part_of(1, &matrix, 0, 1, 1, 2, &options, &part) == MPI_ERR_ROOT,
          "no rank, and a root of rows");
    CHECK(is_error(summand_outer_part_of(1, &matrix, 1, SUMMAND_ROOT_ALL, 1, 2, &options, &part),
                   SUMMAND_ERR_ARGUMENT) &&
              is_error(summand_outer_part_of(1, &matrix, 0, SUMMAND_ROOT_ALL, 1, 2, &options, NULL),
                       SUMMAND_ERR_ARGUMENT),
          "no matrix, and no place");
}

TESTS
{
    test_table();
    test_all();
    test_long();
    test_symmetric();
    test_any_bits();
    test_reversed();
    test_two_plans();
    test_errors();
    test_kept();
    test_many();
    test_part_of();
    test_bands();
}
