/* np: 1 2 3 4 8; together; also: corrected/8 corrected-p2p/2 corrected-mixed/5 checked-p2p/2 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans: many sums at once, repeated, non-blocking, several active ones, with ranks in any order of
 * displacement, beside the user's own traffic, without growth of memory. */
#include <malloc.h>
#include <unistd.h>

#include "mpi/methods.h"
#include "mpi/sums.h"

enum { K = 9, N = 700 };

struct problem {
    double x[K][N], y[K][N];
    size_t starts[K][16];
    summand_term terms[K];
    double want[METHODS][K];
};

/* Ranks hold the parts in the order of rank_at: position -> rank. */
static void make_problem(struct problem *p, uint64_t seed, const int *rank_at)
{
    for (int i = 0; i < K; i++) {
        enum summand_kind kind = (enum summand_kind)(i % 4);
        size_t n = harness_random(&seed) % N;
        fill_values(&seed, n, 60, p->x[i]);
        fill_values(&seed, n, 60, p->y[i]);
        fill_split(&seed, n, harness_ranks, p->starts[i]);
        p->want[EXACT_METHOD][i] = oracle_exact(kind, n, p->x[i], p->y[i]);
        p->want[TREE_METHOD][i] = oracle_tree(kind, n, p->x[i], p->y[i]);
        p->want[STUDY_METHOD][i] = p->want[TREE_METHOD][i];
        for (int s = 0; s < harness_ranks; s++)
            if (rank_at[s] == harness_rank) {
                size_t first = p->starts[i][s];
                p->terms[i] = (summand_term){.kind = kind,
                                             .count = (MPI_Count)(p->starts[i][s + 1] - first),
                                             .displacement = (MPI_Count)first,
                                             .x = p->x[i] + first,
                                             .y = p->y[i] + first};
            }
    }
}

static void check_results(const struct problem *p, int method, const double *results, int all,
                          const char *what)
{
    for (int i = 0; i < K; i++)
        CHECK(!all || harness_bits(results[i]) == harness_bits(p->want[method][i]),
              "%s: %s %s: %a, not %a", what, method_names[method], kind_names[i % 4], results[i],
              p->want[method][i]);
}

static void test_orders(void)
{
    static struct problem p;
    int rank_at[16];
    uint64_t seed = 11;
    for (int order = 0; order < 4; order++) {
        for (int s = 0; s < harness_ranks; s++)
            rank_at[s] = order == 1 ? harness_ranks - 1 - s : s;
        for (int s = harness_ranks - 1; order > 1 && s > 0; s--) {
            int t = (int)(harness_random(&seed) % (uint64_t)(s + 1)), u = rank_at[s];
            rank_at[s] = rank_at[t];
            rank_at[t] = u;
        }
        make_problem(&p, 100 + (uint64_t)order, rank_at);
        for (int root = -1; root < harness_ranks; root++)
            for (int method = 0; method < METHODS; method++) {
                double results[K];
                if (harness_skips())
                    continue;
                int code =
                    method_sums(method, root, K, p.terms, results, MPI_DOUBLE, MPI_COMM_WORLD);
                CHECK(code == MPI_SUCCESS, "code %d", code);
                check_results(&p, method, results, root < 0 || root == harness_rank, "order");
            }
    }
}

/* One order of the ranks fits all terms, but no single term determines it. Term i lies only on
 * ranks i and i + 1: in rank order, chosen by the library, or reversed, with given displacements.
 * */
static void test_chained_orders(void)
{
    double x[2] = {0.1 + harness_rank, 0.7}, results[16], want[16];
    summand_term terms[16];
    int k = harness_ranks - 1;
    for (int given = 0; given < 2; given++)
        for (int method = TREE_METHOD; method < METHODS; method++) {
            for (int i = 0; i < k; i++) {
                int lower = harness_rank == i, upper = harness_rank == i + 1;
                double a[2] = {0.1 + i, 0.7}, b[2] = {1.1 + i, 0.7};
                want[i] = given ? (b[0] + b[1]) + (a[0] + a[1]) : (a[0] + a[1]) + (b[0] + b[1]);
                terms[i] =
                    (summand_term){.kind = SUMMAND_KIND_SUM,
                                   .count = lower || upper ? 2 : 0,
                                   .x = x,
                                   .displacement = given ? 2 * lower : SUMMAND_DISPLACEMENT_APPEND};
            }
            int code = method_sums(method, -1, k, terms, results, MPI_DOUBLE, MPI_COMM_WORLD);
            CHECK(code == MPI_SUCCESS, "code %d", code);
            for (int i = 0; i < k; i++)
                CHECK(harness_bits(results[i]) == harness_bits(want[i]), "term %d: %a, not %a", i,
                      results[i], want[i]);
        }
}

/* Active plans of both methods, interleaved with the user's messages of any tag. */
static void test_concurrent(void)
{
    static struct problem p;
    int rank_at[16];
    for (int s = 0; s < harness_ranks; s++)
        rank_at[s] = s;
    make_problem(&p, 7, rank_at);
    double results[METHODS][K];
    summand_plan *plan[METHODS];
    for (int m = 0; m < METHODS; m++) {
        method_init(m, -1, K, p.terms, results[m], MPI_DOUBLE, MPI_COMM_WORLD, &plan[m]);
    }
    int next = (harness_rank + 1) % harness_ranks;
    int previous = (harness_rank + harness_ranks - 1) % harness_ranks;
    for (int repeat = 0; repeat < 5; repeat++) {
        int token = -1, done[METHODS] = {0};
        MPI_Request requests[2];
        memset(results, 0, sizeof results);
        MPI_Irecv(&token, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
        for (int m = 0; m < METHODS; m++)
            summand_plan_start(plan[m]);
        MPI_Isend(&harness_rank, 1, MPI_INT, next, repeat, MPI_COMM_WORLD, &requests[1]);
        while (!done[0] || !done[1] || !done[2])
            for (int m = 0; m < METHODS; m++)
                summand_plan_test(plan[m], &done[m]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(token == previous, "the user's message came from %d", token);
        for (int m = 0; m < METHODS; m++)
            check_results(&p, m, results[m], 1, "concurrent");
    }
    for (int m = 0; m < METHODS; m++) {
        summand_plan_free(&plan[m]);
        CHECK(plan[m] == NULL, "freed plans are NULL");
    }
}

/* Ranks wait for the same plans in different orders, and for one in a blocking call: a waiting rank
 * progresses the others. */
static void test_crossed_waits(void)
{
    double x = 1, result[3] = {0};
    summand_term term = {.kind = SUMMAND_KIND_SUM, .count = 1, .x = &x};
    summand_plan *plan[2];
    int late = harness_rank >= harness_ranks / 2;
    for (int i = 0; i < 2; i++)
        summand_sums_init(1, &term, &result[i], MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL,
                          &plan[i]);
    for (int i = 0; i < 2; i++)
        summand_plan_start(plan[i]);
    summand_plan_wait(plan[late]);
    summand_plan_wait(plan[!late]);
    for (int i = 0; i < 2; i++)
        summand_plan_start(plan[i]);
    for (int i = 0, done; i < 2; i++)
        do
            summand_plan_test(plan[i ? !late : late], &done);
        while (!done);
    summand_plan_start(plan[0]);
    if (late)
        summand_plan_wait(plan[0]);
    summand_sum(&x, &result[2], 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
    summand_plan_wait(plan[0]);
    for (int i = 0; i < 3; i++)
        CHECK(result[i] == harness_ranks, "%d: %g", i, result[i]);
    for (int i = 0; i < 2; i++)
        summand_plan_free(&plan[i]);
}

static size_t heap_in_use(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* Starting a plan allocates nothing; blocking calls and communicators free all that they take. */
static void test_flat_memory(void)
{
    long calls = harness_ranks <= 2 ? 100000 : harness_skips() ? 60 : 1000;
    double x[3] = {1, 2, 4}, result = 0, tree = 0;
    summand_term term = {
        .kind = SUMMAND_KIND_SUM, .count = 3, .displacement = SUMMAND_DISPLACEMENT_APPEND, .x = x};
    const summand_options options = {.promise = SUMMAND_PROMISE_INDEX};
    summand_plan *plan;
    summand_sums_init(1, &term, &tree, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, &options,
                      &plan);
    size_t before = 0;
    for (long i = 0; i < calls; i++) {
        if (i == calls / 10)
            before = heap_in_use();
        summand_sum(x, &result, 3, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
        summand_plan_start(plan);
        summand_plan_wait(plan);
    }
    size_t after = heap_in_use();
    CHECK(result == 7.0 * harness_ranks && tree == result, "%g %g", result, tree);
    /* MPIs grow their pools occasionally; a leak of 16 bytes per call would be more. */
    size_t slack = 1 << 20;
    CHECK(after < before + slack, "heap grew from %zu to %zu in %ld calls", before, after, calls);
    summand_plan_free(&plan);
}

/* A communicator's state is freed with it: handles do not run out, and a plan outlives the user's
 * handle. */
static void test_communicators(void)
{
    double x = 1, result = 0;
    for (int i = 0; i < 300; i++) {
        MPI_Comm comm;
        if (harness_skips())
            continue;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        summand_sum(&x, &result, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
        CHECK(result == harness_ranks, "%g", result);
        MPI_Comm_free(&comm);
    }
    MPI_Comm comm;
    summand_plan *plan;
    summand_term term = {.kind = SUMMAND_KIND_SUM, .count = 1, .x = &x};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    summand_sums_init(1, &term, &result, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL, &plan);
    MPI_Comm_free(&comm);
    x = 2;
    summand_plan_start(plan);
    summand_plan_wait(plan);
    CHECK(result == 2.0 * harness_ranks, "%g", result);
    summand_plan_free(&plan);
}

/* The last plan of a communicator that the user has freed frees the library's duplicate. Our MPIs
 * wait for no rank then, so ranks may do it in any order, and a late one blocks none. */
static void test_freed_late(void)
{
    MPI_Comm comm;
    summand_plan *plan[2][2];
    double x = 1, result = 0;
    int token = 0;
    for (int c = 0; c < 2; c++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int p = 0; p < 2; p++)
            summand_allreduce_init(&x, &result, 1, MPI_DOUBLE, MPI_SUM, comm, NULL, &plan[c][p]);
        MPI_Comm_free(&comm);
    }
    if (harness_rank)
        MPI_Recv(&token, 1, MPI_INT, harness_rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int c = 0; c < 2; c++)
        for (int p = 0; p < 2; p++)
            CHECK(!summand_plan_free(&plan[c ^ (harness_rank & 1)][p]), "free");
    if (harness_rank + 1 < harness_ranks)
        MPI_Send(&token, 1, MPI_INT, harness_rank + 1, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int code = summand_allreduce(&x, &result, 1, MPI_DOUBLE, MPI_SUM, comm, NULL);
    CHECK(code == MPI_SUCCESS && result == harness_ranks, "code %d, %g", code, result);
    MPI_Comm_free(&comm);
}

/* Sums of many lengths on two communicators; plans between them are NULL. */
enum { SEVERAL = 7, LONGEST = 5000 };
struct several {
    MPI_Comm comm[2];
    double *x, *result[SEVERAL];
    summand_plan *plans[SEVERAL + 2];
};

static int length_of(int plan)
{
    return plan % 2 ? LONGEST / (plan + 1) : plan + 1;
}

static void make_several(struct several *s)
{
    *s = (struct several){.x = malloc(LONGEST * sizeof *s->x)};
    for (int i = 0; i < LONGEST; i++)
        s->x[i] = i + 1;
    for (int c = 0; c < 2; c++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &s->comm[c]);
        MPI_Comm_set_errhandler(s->comm[c], MPI_ERRORS_RETURN);
    }
    for (int k = 0; k < SEVERAL; k++) {
        s->result[k] = malloc(LONGEST * sizeof *s->x);
        int code = summand_allreduce_init(s->x, s->result[k], length_of(k), MPI_DOUBLE, MPI_SUM,
                                          s->comm[k % 2], NULL, &s->plans[k]);
        CHECK(code == MPI_SUCCESS, "plan %d: code %d", k, code);
    }
}

static void free_several(struct several *s)
{
    for (int k = 0; k < SEVERAL; k++) {
        CHECK(!summand_plan_free(&s->plans[k]), "plan %d is active", k);
        free(s->result[k]);
    }
    for (int c = 0; c < 2; c++)
        MPI_Comm_free(&s->comm[c]);
    free(s->x);
}

static void check_several(struct several *s, const char *what)
{
    for (int k = 0; k < SEVERAL; k++) {
        int wrong = 0;
        for (int i = 0; i < length_of(k); i++)
            wrong += s->result[k][i] != s->x[i] * harness_ranks;
        CHECK(!wrong, "%s: plan %d: %d wrong", what, k, wrong);
        memset(s->result[k], 0, LONGEST * sizeof *s->x);
    }
}

static void wait_each(struct several *s)
{
    for (int k = SEVERAL - 1; k >= 0; k--)
        CHECK(!summand_plan_wait(s->plans[k]), "wait %d", k);
}

static void wait_all(struct several *s)
{
    CHECK(!summand_plan_waitall(SEVERAL + 2, s->plans), "waitall");
}

/* Each index once, then none; the last one is NULL. */
static void take_each(struct several *s, int tests)
{
    int seen[SEVERAL + 2] = {0}, index = 0, done = 1, taken = 0;
    while (index != MPI_UNDEFINED) {
        int code = tests ? summand_plan_testany(SEVERAL + 2, s->plans, &index, &done)
                         : summand_plan_waitany(SEVERAL + 2, s->plans, &index);
        CHECK(code == MPI_SUCCESS, "code %d", code);
        CHECK(done || index == MPI_UNDEFINED, "%d, and not done", index);
        if (!done)
            index = 0;
        else if (index != MPI_UNDEFINED && index >= 0 && index < SEVERAL && !seen[index]++)
            taken++;
        else
            CHECK(index == MPI_UNDEFINED, "plan %d once more", index);
    }
    CHECK(taken == SEVERAL, "%d plans", taken);
}

static void wait_any(struct several *s)
{
    take_each(s, 0);
}

static void test_any(struct several *s)
{
    take_each(s, 1);
}

static void test_all(struct several *s)
{
    for (int done = 0; !done;)
        CHECK(!summand_plan_testall(SEVERAL + 2, s->plans, &done), "testall");
}

/* Ranks wait for the same plans in any way; some of the plans beside the others. */
static void test_several(void)
{
    static void (*const ways[])(struct several * s) = {wait_each, wait_all, wait_any, test_any,
                                                       test_all};
    struct several s;
    make_several(&s);
    for (int turn = 0; turn < 10; turn++) {
        CHECK(!summand_plan_startall(SEVERAL, s.plans), "startall");
        if (turn >= 5) {
            CHECK(!summand_plan_waitall(2, s.plans + 3), "two of them");
            CHECK(summand_plan_start(s.plans[0]) == summand_error_code(SUMMAND_ERR_BUSY),
                  "the others stay active");
        }
        ways[turn >= 5 ? 1 : (turn + harness_rank) % 5](&s);
        check_several(&s, "several");
    }
    free_several(&s);
}

/* MPI's rules for no requests, null requests and inactive ones hold for plans. */
static void test_none(void)
{
    struct several s;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int any = 0, of_mpi = 0, done = 0, of_mpi_done = 0, nothing = 0;
    make_several(&s);
    summand_plan *plans[2] = {NULL, NULL};
    for (int inactive = 0; inactive < 2; inactive++) {
        for (int count = 0; count < 3; count++) {
            any = of_mpi = -5;
            MPI_Waitany(count, requests, &of_mpi, MPI_STATUS_IGNORE);
            CHECK(!summand_plan_waitany(count, plans, &any) && any == of_mpi, "%d", any);
            MPI_Testany(count, requests, &of_mpi, &of_mpi_done, MPI_STATUS_IGNORE);
            CHECK(!summand_plan_testany(count, plans, &any, &done) && any == of_mpi, "%d", any);
            CHECK(done == of_mpi_done, "testany: %d, MPI: %d", done, of_mpi_done);
            MPI_Testall(count, requests, &of_mpi_done, MPI_STATUSES_IGNORE);
            CHECK(!summand_plan_testall(count, plans, &done) && done == of_mpi_done, "%d", done);
            CHECK(!summand_plan_waitall(count, plans), "waitall");
        }
        if (!inactive)
            MPI_Send_init(&nothing, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
        plans[1] = s.plans[0];
    }
    MPI_Request_free(&requests[1]);
    CHECK(!summand_plan_startall(0, NULL), "none to start");
    free_several(&s);
}

static void check_words(int code, enum summand_error error, const char *words)
{
    const char *text = summand_error_text(code);
    CHECK(code == summand_error_code(error) && strstr(text, words), "code %d: %s", code, text);
}

static void test_several_errors(void)
{
    struct several s;
    int index, done;
    make_several(&s);
    summand_plan *hole[3] = {s.plans[0], NULL, s.plans[1]},
                 *twice[3] = {s.plans[2], s.plans[3], s.plans[2]};
    check_words(summand_plan_startall(3, hole), SUMMAND_ERR_ARGUMENT,
                "plans[1] is NULL, and none was started");
    check_words(summand_plan_startall(-1, hole), SUMMAND_ERR_ARGUMENT, "count is -1, not 0");
    check_words(summand_plan_waitall(1, NULL), SUMMAND_ERR_ARGUMENT, "plans is NULL");
    check_words(summand_plan_waitany(3, hole, NULL), SUMMAND_ERR_ARGUMENT, "index is NULL");
    check_words(summand_plan_testany(3, hole, &index, NULL), SUMMAND_ERR_ARGUMENT, "done is NULL");
    CHECK(!summand_plan_testall(3, hole, &done) && done, "none was started");
    check_words(summand_plan_startall(3, twice), SUMMAND_ERR_BUSY, "plans[2] did not start");
    check_words(summand_plan_startall(SEVERAL, s.plans), SUMMAND_ERR_BUSY,
                "plans[2] is active, and none was started");
    CHECK(!summand_plan_waitall(3, hole), "those are not active");
    CHECK(!summand_plan_waitany(3, twice, &index) && index != MPI_UNDEFINED, "%d", index);
    CHECK(!summand_plan_waitall(3, twice), "the rest");
    free_several(&s);
}

TESTS
{
    test_orders();
    test_chained_orders();
    test_concurrent();
    test_crossed_waits();
    test_flat_memory();
    test_communicators();
    test_freed_late();
    test_several();
    test_none();
    test_several_errors();
}
