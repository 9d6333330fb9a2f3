/* np: 3, long: 2 4 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations behind messages of a plan that their rank has not started yet: these are unexpected
 * messages, whose storage takes memory that fails. */
#include "mpi/methods.h"
#include "mpi/refusals.h"

enum { SHAPES = 11, N = 7 };

enum kind { EXACT, TREE, STUDY, ORDERED, ALLREDUCE, KINDS };
static const char *const kind_names[KINDS] = {"exact sum", "tree sum", "study sum",
                                              "ordered reduce", "all-reduce"};

/* All ranks except the victim start a reduction to it, then all do the operation, then the victim
 * starts too. */
struct behind {
    enum kind kind;
    MPI_Comm comm;
    summand_plan *plan;
    int count;
    double x[N], sums[N], y[SHAPES], result[SHAPES];
};

static void refill(void *self)
{
    struct behind *b = self;
    summand_options linear = {.algorithm = "linear"};
    for (int i = 0; i < SHAPES; i++)
        b->result[i] = -1;
    summand_plan_free(&b->plan);
    int code = summand_reduce_init(b->x, b->sums, N, MPI_DOUBLE, MPI_SUM, refusals.victim, b->comm,
                                   &linear, &b->plan);
    CHECK(code == MPI_SUCCESS, "plan: %d", code);
}

static void reset(void *self, MPI_Comm comm, int turn)
{
    struct behind *b = self;
    b->comm = comm;
    b->count = 1 + turn % SHAPES;
    for (int i = 0; i < N; i++)
        b->x[i] = i;
    for (int i = 0; i < SHAPES; i++)
        b->y[i] = 1;
    refill(b);
}

static int operate(struct behind *b)
{
    switch (b->kind) {
    case ORDERED:
        return summand_ordered_reduce(b->y, b->result, b->count, SUMMAND_DISPLACEMENT_APPEND,
                                      MPI_DOUBLE, MPI_SUM, SUMMAND_ROOT_ALL, b->comm, NULL);
    case ALLREDUCE:
        return summand_allreduce(b->y, b->result, b->count, MPI_DOUBLE, MPI_SUM, b->comm, NULL);
    default:
        return method_sum(b->kind == EXACT  ? EXACT_METHOD
                          : b->kind == TREE ? TREE_METHOD
                                            : STUDY_METHOD,
                          SUMMAND_ROOT_ALL, SUMMAND_KIND_SUM, b->y, NULL, b->result, b->count,
                          MPI_DOUBLE, b->comm);
    }
}

static int call(void *self, summand_plan **plan)
{
    struct behind *b = self;
    int late = harness_rank == refusals.victim;
    (void)plan;
    int started = late ? MPI_SUCCESS : summand_plan_start(b->plan);
    int code = operate(b);
    if (late)
        started = summand_plan_start(b->plan);
    int waited = summand_plan_wait(b->plan);
    CHECK(started == MPI_SUCCESS && waited == MPI_SUCCESS, "plan: %d, %d", started, waited);
    for (int i = 0; late && i < N; i++)
        CHECK(b->sums[i] == harness_ranks * i, "plan: element %d is %g", i, b->sums[i]);
    return code;
}

static int right(void *self)
{
    const struct behind *b = self;
    if (b->kind != ALLREDUCE)
        return b->result[0] == harness_ranks * b->count;
    for (int i = 0; i < b->count; i++)
        if (b->result[i] != harness_ranks)
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    static struct behind behind;
    harness_begin(&argc, &argv);
    refusals_begin();
    for (int kind = 0; kind < KINDS; kind++) {
        behind.kind = (enum kind)kind;
        struct operation o = {
            "behind messages", kind_names[kind], &behind, reset, refill, call, right};
        refuse(&o, NEW_SHAPE, 1);
        refuse(&o, REPEATED, 1);
    }
    summand_plan_free(&behind.plan);
    return refusals_end(argc, argv);
}
