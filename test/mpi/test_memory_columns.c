/* np: 3, long: 2 4 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory requests of column sums and of sums of accumulators fail one by one: blocking calls and
 * plans, lanes that travel with the first message and apart. */
#include <stdbool.h>
#include <time.h>

#include "mpi/refusals.h"

enum { MOST = 9100, ROWS = 3 };

struct columns {
    int root, accumulates;
    MPI_Comm comm;
    size_t n;
    double x[ROWS * MOST], y[MOST];
    summand_exact_vector *vector;
};

/* Small integers: any order gives the same sum. A rank has as many rows as its number. */
static double element(int rank, size_t row, size_t j)
{
    return (double)((rank + 2 * row + j) % 7) - 2;
}

static int rows_of(int rank)
{
    return rank < ROWS ? rank : ROWS;
}

static void refill(void *self)
{
    struct columns *c = self;
    for (size_t j = 0; j < c->n; j++)
        c->y[j] = -77;
}

static void reset(void *self, MPI_Comm comm, int turn)
{
    static const size_t lengths[] = {30, 2000, 9000};
    struct columns *c = self;
    c->comm = comm;
    c->n = lengths[turn % 3] + (size_t)(turn / 3 % 90);
    for (int i = 0; i < rows_of(harness_rank); i++)
        for (size_t j = 0; j < c->n; j++)
            c->x[(size_t)i * c->n + j] = element(harness_rank, (size_t)i, j);
    summand_exact_vector_free(&c->vector);
    c->vector = summand_exact_vector_new(c->n);
    CHECK(c->vector &&
              !summand_exact_vector_add(c->vector, (size_t)rows_of(harness_rank), c->n, c->x),
          "an accumulator");
    refill(c);
}

static int call(void *self, summand_plan **plan)
{
    struct columns *c = self;
    const MPI_Count n = (MPI_Count)c->n, rows = rows_of(harness_rank);
    if (c->accumulates)
        return plan ? summand_exact_vector_reduce_init(c->vector, c->y, MPI_DOUBLE, c->root,
                                                       c->comm, NULL, plan)
                    : summand_exact_vector_reduce(c->vector, c->y, MPI_DOUBLE, c->root, c->comm,
                                                  NULL);
    return plan ? summand_column_sums_init(c->x, rows, n, c->y, n, MPI_DOUBLE, c->root, c->comm,
                                           NULL, plan)
                : summand_column_sums(c->x, rows, n, c->y, n, MPI_DOUBLE, c->root, c->comm, NULL);
}

static int right(void *self)
{
    const struct columns *c = self;
    const int receives = c->root == SUMMAND_ROOT_ALL || c->root == harness_rank;
    for (size_t j = 0; j < c->n; j++) {
        double want = receives ? 0 : -77;
        for (int r = 0; receives && r < harness_ranks; r++)
            for (int i = 0; i < rows_of(r); i++)
                want += element(r, (size_t)i, j);
        if (c->y[j] != want)
            return 0;
    }
    return 1;
}

/* An accumulator that ran out of memory on one rank is an error on all, until it is cleared. */
static void test_without_value(void)
{
    double x[4] = {0x1p700, 1, 2, 3}, y[3];
    summand_exact_vector *v = summand_exact_vector_new(3);
    MPI_Comm comm = harness_comm();
    for (int turn = 0; turn < 4; turn++) { /* right and wrong in turn, from cached plans */
        if (turn % 2 && harness_rank == 0)
            scarce_begin(1, 0);
        /* No memory for the digits of the first term. */
        const int status = summand_exact_vector_add(v, 1, 3, turn % 2 ? x : x + 1);
        const int failed = turn % 2 && scarce_end();
        CHECK(status == (failed ? SUMMAND_EXACT_MEMORY : SUMMAND_EXACT_OK), "status %d", status);
        const int code =
            summand_exact_vector_reduce(v, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
        int any = failed;
        MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(code == (failed ? summand_error_code(SUMMAND_ERR_MEMORY)
                       : any  ? summand_error_code(SUMMAND_ERR_REMOTE)
                              : MPI_SUCCESS),
              "turn %d: %s", turn, summand_error_text(code));
        CHECK(any == turn % 2, "a request in turn %d", turn);
        if (failed) {
            CHECK(summand_exact_vector_round(v, y) == SUMMAND_EXACT_MEMORY, "no value");
            CHECK(summand_exact_vector_add(v, 1, 3, x) == SUMMAND_EXACT_MEMORY, "no value");
        }
        if (turn % 2)
            summand_exact_vector_clear(v);
        else
            CHECK(y[0] == harness_ranks * x[1], "%g", y[0]);
    }
    summand_exact_vector_free(&v);
    MPI_Comm_free(&comm);
}

/* Such an accumulator fails a plan, of which other ranks learn in a call on the ranks backwards.
 * The same rank refuses that call: the error names it by its number there. */
static void test_words(void)
{
    const bool bad = harness_rank == harness_ranks - 1;
    const int remote = summand_error_code(SUMMAND_ERR_REMOTE);
    double x[1] = {0x1p700}, y[1], sum;
    summand_exact_vector *v = summand_exact_vector_new(1);
    summand_plan *plan;
    MPI_Comm comm, backwards;
    comm = harness_comm();
    MPI_Comm_split(comm, 0, -harness_rank, &backwards);
    MPI_Comm_set_errhandler(backwards, MPI_ERRORS_RETURN);
    int code = summand_allreduce(x, &sum, 1, MPI_DOUBLE, MPI_SUM, backwards, NULL);
    CHECK(code == MPI_SUCCESS, "backwards: %s", summand_error_text(code));
    code = summand_exact_vector_reduce_init(v, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL, &plan);
    CHECK(code == MPI_SUCCESS, "plan: %s", summand_error_text(code));
    if (bad)
        scarce_begin(1, 0);
    summand_exact_vector_add(v, 1, 1, x);
    CHECK(!bad || scarce_end() == 1, "no request");
    summand_plan_start(plan);
    if (bad) {
        code = summand_plan_wait(plan);
        CHECK(code == summand_error_code(SUMMAND_ERR_MEMORY), "%s", summand_error_text(code));
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    code = summand_allreduce(x, &sum, bad ? -1 : 1, MPI_DOUBLE, MPI_SUM, backwards, NULL);
    CHECK(bad || (code == remote && strstr(summand_error_text(code), ": rank 0: ")), "%s",
          summand_error_text(code));
    if (!bad) {
        code = summand_plan_wait(plan);
        CHECK(code == remote, "%s", summand_error_text(code));
    }
    summand_plan_free(&plan);
    summand_exact_vector_free(&v);
    MPI_Comm_free(&backwards);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    static struct columns columns;
    harness_begin(&argc, &argv);
    refusals_begin();
    for (int accumulates = 0; accumulates < 2; accumulates++)
        for (int root = SUMMAND_ROOT_ALL; root < harness_ranks; root += harness_ranks) {
            columns.accumulates = accumulates;
            columns.root = root;
            const struct operation o = {accumulates ? "accumulators" : "columns",
                                        root < 0 ? "all" : "one",
                                        &columns,
                                        reset,
                                        refill,
                                        call,
                                        right};
            for (int moment = NEW_SHAPE; moment < MOMENTS; moment++)
                refuse(&o, (enum moment)moment, root < 0);
        }
    summand_exact_vector_free(&columns.vector);
    test_without_value();
    test_words();
    return refusals_end(argc, argv);
}
