/* np: 1 2 3 5; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong arguments of collectives: MPI's error classes, raised once, and the library continues to
 * work. For plans: on every rank. Also two communicators at once, and communicators that come and
 * go. */
#include <pthread.h>
#include <summand/reduce.h>

#include "mpi/harness.h"

static int handled, times;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    handled = *code;
    times++;
}

static void expect(int code, int class, const char *what)
{
    int got = MPI_SUCCESS;
    MPI_Error_class(code, &got);
    CHECK(code == class || got == class, "%s: code %d, not %d", what, code, class);
    CHECK(handled == code && times == 1, "%s: handler saw %d, %d times", what, handled, times);
    handled = times = 0;
}

static void works(MPI_Comm comm)
{
    int one = 1, all = 0;
    int code = summand_allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm, NULL);
    CHECK(code == MPI_SUCCESS && all == harness_ranks && !times, "code %d, sum %d", code, all);
}

static MPI_Op user_op;

static void keep_right(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    (void)in, (void)inout, (void)count, (void)datatype;
}

static void test_reductions(MPI_Comm comm)
{
    int x[4] = {0}, y[4], bad[16] = {0}, none = summand_error_code(SUMMAND_ERR_ALGORITHM);
    MPI_Datatype derived;
    summand_options unknown = {.algorithm = "no such"}, ring = {.algorithm = "ring"};
    summand_options chain = {.algorithm = "chain", .promise = SUMMAND_PROMISE_CANONICAL};
    summand_options odd = {.promise = (enum summand_promise)9}, negative = {.segment = -1};
    bad[harness_ranks - 1] = -1;
    MPI_Type_contiguous(2, MPI_INT, &derived);
    MPI_Type_commit(&derived);
    const struct {
        const char *what;
        int count;
        MPI_Datatype datatype;
        MPI_Op op;
        const summand_options *options;
        int code;
    } rows[] = {
        {"count", -1, MPI_INT, MPI_SUM, NULL, MPI_ERR_COUNT},
        {"datatype", 1, MPI_DATATYPE_NULL, MPI_SUM, NULL, MPI_ERR_TYPE},
        {"op", 1, MPI_INT, MPI_OP_NULL, NULL, MPI_ERR_OP},
        {"op on type", 1, MPI_DOUBLE, MPI_BAND, NULL, MPI_ERR_OP},
        {"op on derived", 1, derived, MPI_SUM, NULL, MPI_ERR_OP},
        {"unknown algorithm", 1, MPI_INT, MPI_SUM, &unknown, none},
        {"algorithm's order", 1, MPI_INT, user_op, &ring, none},
        {"algorithm's promise", 1, MPI_INT, MPI_SUM, &chain, none},
        {"promise", 1, MPI_INT, MPI_SUM, &odd, summand_error_code(SUMMAND_ERR_ARGUMENT)},
        {"segment", 1, MPI_INT, MPI_SUM, &negative, summand_error_code(SUMMAND_ERR_ARGUMENT)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        summand_plan *plan = NULL;
        expect(summand_allreduce(x, y, rows[i].count, rows[i].datatype, rows[i].op, comm,
                                 rows[i].options),
               rows[i].code, rows[i].what);
        /* One rank is wrong: all know. */
        int me = harness_rank == harness_ranks / 2;
        int code = summand_allreduce_init(
            x, y, me ? rows[i].count : 1, me ? rows[i].datatype : MPI_INT,
            me ? rows[i].op : MPI_SUM, comm, me ? rows[i].options : NULL, &plan);
        expect(code, me ? rows[i].code : summand_error_code(SUMMAND_ERR_REMOTE), rows[i].what);
        CHECK(!plan, "%s: a plan was made", rows[i].what);
    }
    expect(summand_reduce_scatter(x, y, bad, MPI_INT, MPI_SUM, comm, NULL), MPI_ERR_COUNT,
           "block count");
    works(comm); /* a repeated call with other buffers is checked again */
    expect(summand_allreduce(x, x, 1, MPI_INT, MPI_SUM, comm, NULL), MPI_ERR_BUFFER, "overlap");
    expect(summand_allreduce(x, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm, NULL), MPI_ERR_BUFFER,
           "recvbuf in place");
    expect(summand_reduce(x, y, 1, MPI_INT, MPI_SUM, harness_ranks, comm, NULL), MPI_ERR_ROOT,
           "root");
    expect(summand_reduce(x, y, 1, MPI_INT, MPI_SUM, -1, comm, NULL), MPI_ERR_ROOT, "root");
    MPI_Type_free(&derived);
    works(comm);
}

/* The first and the other ranks give contradictory arguments to a plan: all ranks get the error. */
static void test_mismatches(MPI_Comm comm)
{
    int x[40] = {0}, y[40], one[16], two[16];
    /* With equal parameters: only the names tell them apart. */
    summand_options fibonacci = {.algorithm = "fibonacci", .segment = 8};
    summand_options binomial = {.algorithm = "binomial", .segment = 8};
    summand_options short_ones = {.algorithm = "chain", .segment = 4};
    summand_options long_ones = {.algorithm = "chain", .segment = 8};
    int first = !harness_rank, mismatch = summand_error_code(SUMMAND_ERR_MISMATCH);
    const struct {
        const char *what;
        const summand_options *options[2];
        int count[2];
    } rows[] = {
        {"algorithms", {&fibonacci, &binomial}, {40, 40}},
        {"segments", {&short_ones, &long_ones}, {40, 40}},
        {"counts", {&binomial, &binomial}, {40, 39}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows && harness_ranks > 1; i++) {
        summand_plan *plan = NULL;
        expect(summand_allreduce_init(x, y, rows[i].count[first], MPI_INT, MPI_SUM, comm,
                                      rows[i].options[first], &plan),
               mismatch, rows[i].what);
        CHECK(!plan, "%s: a plan was made", rows[i].what);
    }
    for (int r = 0; r < harness_ranks; r++) {
        one[r] = 2;
        two[r] = r ? r > 1 ? 2 : 1 : 3; /* as many in all */
    }
    summand_plan *plan = NULL;
    if (harness_ranks > 1)
        expect(summand_reduce_scatter_init(x, y, first ? one : two, MPI_INT, MPI_SUM, comm, NULL,
                                           &plan),
               mismatch, "blocks");
    CHECK(!plan, "blocks: a plan was made");
    works(comm);
}

/* Counts that differ: a rank that receives more than its buffer holds gets an error. The next call
 * of the same shape works on both. */
static void test_broken(MPI_Comm comm)
{
    int x[40], y[40];
    summand_options doubling = {.algorithm = "recursive-doubling"};
    for (int i = 0; i < 40; i++)
        x[i] = i;
    if (harness_ranks != 2)
        return;
    for (int repeat = 0; repeat < 3; repeat++) {
        int code =
            summand_allreduce(x, y, harness_rank ? 40 : 3, MPI_INT, MPI_SUM, comm, &doubling);
        if (harness_rank == 0)
            expect(code, MPI_ERR_TRUNCATE, "more than there is room for");
        CHECK(harness_rank || strstr(summand_error_text(code), "the ranks' counts differ"), "%s",
              summand_error_text(code));
        for (int n = 3; n <= 40; n += 37) {
            code = summand_allreduce(x, y, n, MPI_INT, MPI_SUM, comm, &doubling);
            CHECK(code == MPI_SUCCESS && y[n - 1] == 2 * (n - 1), "%d: code %d", n, code);
        }
    }
    works(comm);
}

/* The library copies a call's options; it does not keep the caller's pointer. */
static void test_options_change(MPI_Comm comm)
{
    char name[16] = "binary";
    summand_options options = {.algorithm = name};
    int x = 1, y = 0, none = summand_error_code(SUMMAND_ERR_ALGORITHM);
    for (int i = 0; i < 3; i++) {
        int code = summand_allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm, &options);
        CHECK(code == MPI_SUCCESS && y == harness_ranks, "call %d: %d, %d", i, code, y);
    }
    memcpy(name, "bonary", sizeof "bonary");
    expect(summand_allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm, &options), none, "another name");
    memcpy(name, "binary", sizeof "binary");
    options.segment = -1;
    expect(summand_allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm, &options),
           summand_error_code(SUMMAND_ERR_ARGUMENT), "another segment");
    options = (summand_options){.algorithm = "ring", .promise = SUMMAND_PROMISE_SAME};
    CHECK(!summand_allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm, &options), "ring");
    options.promise = SUMMAND_PROMISE_CANONICAL;
    expect(summand_allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm, &options), none, "another promise");
    works(comm);
}

static void test_movements(MPI_Comm comm)
{
    int x[4] = {0}, y[64], bad[16] = {0}, displacements[16] = {0};
    bad[0] = -1;
    expect(summand_bcast(x, -1, MPI_INT, 0, comm, NULL), MPI_ERR_COUNT, "bcast count");
    expect(summand_bcast(x, 1, MPI_DATATYPE_NULL, 0, comm, NULL), MPI_ERR_TYPE, "bcast type");
    expect(summand_bcast(x, 1, MPI_INT, harness_ranks, comm, NULL), MPI_ERR_ROOT, "bcast root");
    expect(summand_bcast(MPI_IN_PLACE, 1, MPI_INT, 0, comm, NULL), MPI_ERR_BUFFER, "bcast buffer");
    expect(summand_allgather(x, -1, MPI_INT, y, 1, MPI_INT, comm, NULL), MPI_ERR_COUNT,
           "sendcount");
    expect(summand_allgather(x, 1, MPI_INT, y, -1, MPI_INT, comm, NULL), MPI_ERR_COUNT,
           "recvcount");
    expect(summand_allgather(x, 1, MPI_DATATYPE_NULL, y, 1, MPI_INT, comm, NULL), MPI_ERR_TYPE,
           "sendtype");
    expect(summand_allgather(x, 2, MPI_INT, y, 1, MPI_INT, comm, NULL), MPI_ERR_TRUNCATE, "sizes");
    expect(summand_allgatherv(x, 1, MPI_INT, y, bad, displacements, MPI_INT, comm, NULL),
           MPI_ERR_COUNT, "block count");
    works(comm);
}

static void test_communicators(MPI_Comm comm)
{
    int x = 0, y;
    MPI_Comm half, inter;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int code = summand_allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL, NULL);
    CHECK(code == MPI_ERR_COMM, "null: %d", code);
    if (harness_ranks == 1)
        return;
    MPI_Comm_split(comm, harness_rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, comm, 1 - harness_rank % 2, 5, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    code = summand_allreduce(&x, &y, 1, MPI_INT, MPI_SUM, inter, NULL);
    CHECK(code == MPI_ERR_COMM, "inter-communicator: %d", code);
    code = summand_bcast(&x, 1, MPI_INT, 0, inter, NULL);
    CHECK(code == MPI_ERR_COMM, "inter-communicator: %d", code);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void test_remade(void)
{
    double x[500], y[500];
    for (int i = 0; i < 500; i++)
        x[i] = i;
    for (int repeat = 0; repeat < 100; repeat++) {
        MPI_Comm comm;
        if (harness_skips())
            continue;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int n = 1; n < 500; n += 40) { /* more shapes than cached plans */
            int code = summand_allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, comm, NULL);
            CHECK(code == MPI_SUCCESS && y[n - 1] == (n - 1.0) * harness_ranks, "n %d", n);
        }
        MPI_Comm_free(&comm);
    }
}

struct thread {
    MPI_Comm comm;
    int bad, base, calls;
};

static void *run_thread(void *context)
{
    struct thread *thread = context;
    for (int i = 0; i < thread->calls; i++) {
        int x[50], y[50];
        for (int k = 0; k < 50; k++)
            x[k] = thread->base + i * k;
        int n = 1 + i % 50;
        summand_allreduce(x, y, n, MPI_INT, MPI_SUM, thread->comm, NULL);
        for (int k = 0; k < n; k++)
            thread->bad += y[k] != harness_ranks * x[k];
    }
    return NULL;
}

static void test_threads(void)
{
    int level;
    pthread_t other;
    struct thread threads[2] = {{.base = 3, .calls = 100}, {.base = 1000, .calls = 100}};
    if (harness_skips())
        threads[0].calls = threads[1].calls = 10;
    MPI_Query_thread(&level);
    CHECK(level == MPI_THREAD_MULTIPLE, "the MPI gives thread level %d only", level);
    if (level < MPI_THREAD_MULTIPLE)
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &threads[0].comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &threads[1].comm);
    for (int i = 0; i < 2; i++) { /* the first use makes the state */
        int one = 1, all;
        summand_allreduce(&one, &all, 1, MPI_INT, MPI_SUM, threads[i].comm, NULL);
    }
    pthread_create(&other, NULL, run_thread, &threads[1]);
    run_thread(&threads[0]);
    pthread_join(other, NULL);
    CHECK(!threads[0].bad && !threads[1].bad, "%d, %d wrong", threads[0].bad, threads[1].bad);
    MPI_Comm_free(&threads[0].comm);
    MPI_Comm_free(&threads[1].comm);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Errhandler handler;
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &harness_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &harness_ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Op_create(keep_right, 0, &user_op);
    test_reductions(comm);
    test_mismatches(comm);
    test_broken(comm);
    test_options_change(comm);
    test_movements(comm);
    test_communicators(comm);
    test_remade();
    test_threads();
    MPI_Op_free(&user_op);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    return harness_end();
}
