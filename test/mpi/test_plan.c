/* np: 1 2 3 4 8 */
/* Plans: many sums at once, repeated, non-blocking, several at a time, ranks in any order of
 * displacement, beside the user's own traffic, without growing. */
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

/* One order of the ranks fits all terms, but no term alone tells it: term i lies on ranks i and i +
 * 1 only, in rank order left to the library, or against it with displacements given. */
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

/* Plans of both methods in flight at once, with the user's messages of any tag in between. */
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

/* Ranks wait for the same plans in different orders, and for one in a blocking call: whoever waits
 * moves the others on. */
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

/* A started plan allocates nothing; blocking calls and communicators give back what they take. */
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
    /* MPIs grow their pools once in a while; 16 bytes lost per call would be more. */
    size_t slack = 1 << 20;
    CHECK(after < before + slack, "heap grew from %zu to %zu in %ld calls", before, after, calls);
    summand_plan_free(&plan);
}

/* A communicator's state goes with it: handles do not run out, and a plan outlives the user's
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

/* The last plan of a communicator that the user has freed takes the library's duplicate with it.
 * Our MPIs wait for nobody then: ranks may do it in any order, and one that does it late keeps
 * none. */
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

int main(int argc, char **argv)
{
    harness_begin(&argc, &argv);
    test_orders();
    test_chained_orders();
    test_concurrent();
    test_crossed_waits();
    test_flat_memory();
    test_communicators();
    test_freed_late();
    return harness_end();
}
