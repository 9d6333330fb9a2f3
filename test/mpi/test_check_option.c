/* np: 1 2 3 5 8; brief; also: checked/3 corrected/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* options.check of blocking calls and plans, whatever SUMMAND_CHECKED says: a bit of rank 1's first
 * message is flipped, of exact sums also one of each later message. Only calls that are checked
 * notice it, and with correct they are right. Cached plans with and without checks stay apart. */
#include <summand.h>

#include "mpi/harness.h"
#include "process/damaged.h"
#include "transport/injected.h"

enum { MOST = 9000 };

static double x[MOST], y[MOST];
static MPI_Comm comm;
static summand_options said; /* by the plan that was made last */

/* Nothing rounds here. */
static double sum_at(int n, int i)
{
    const double all = harness_ranks;
    (void)n;
    return all * i + all * (all - 1) / 2;
}

static double root_at(int n, int i)
{
    (void)n;
    return i + (harness_ranks > 1);
}

static double sum_of_all(int n, int i)
{
    const double all = harness_ranks;
    (void)i;
    return n * (all * (n - 1) / 2 + all * (all - 1) / 2);
}

static int allreduce(int n, summand_options *o)
{
    return summand_allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, comm, o);
}

static int plan(int n, summand_options *o)
{
    summand_plan *made;
    int code = summand_allreduce_init(x, y, n, MPI_DOUBLE, MPI_SUM, comm, o, &made);
    if (code != MPI_SUCCESS)
        return code;
    summand_plan_describe(made, &said, NULL);
    code = summand_plan_start(made);
    if (code == MPI_SUCCESS)
        code = summand_plan_wait(made);
    summand_plan_free(&made);
    return code;
}

static int bcast(int n, summand_options *o)
{
    memcpy(y, x, (size_t)n * sizeof *x);
    return summand_bcast(y, n, MPI_DOUBLE, harness_ranks > 1, comm, o);
}

static int exact(int n, summand_options *o)
{
    o->promise = SUMMAND_PROMISE_EXACT;
    return allreduce(n, o);
}

static int sum(int n, summand_options *o)
{
    return summand_sum(x, y, n, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, o);
}

static int tree(int n, summand_options *o)
{
    o->promise = SUMMAND_PROMISE_INDEX;
    return sum(n, o);
}

static int ordered(int n, summand_options *o)
{
    return summand_ordered_reduce(x, y, n, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE, MPI_SUM,
                                  SUMMAND_ROOT_ALL, comm, o);
}

static const struct call {
    const char *name;
    int (*make)(int n, summand_options *o);
    double (*at)(int n, int i); /* the result */
    int vector;                 /* of n numbers */
    int open;                   /* may be tried without checks: damage makes no rank wait */
    int messages;               /* of which one is damaged; there may be fewer */
} calls[] = {
    {"allreduce", allreduce, sum_at, 1, 1, 1}, {"plan", plan, sum_at, 1, 1, 1},
    {"bcast", bcast, root_at, 1, 1, 1},        {"exact allreduce", exact, sum_at, 1, 0, 12},
    {"sum", sum, sum_of_all, 0, 0, 1},         {"tree", tree, sum_of_all, 0, 0, 1},
    {"ordered", ordered, sum_of_all, 0, 0, 1},
};

static int is_right(const struct call *call, int n)
{
    int right = 1;
    for (int i = 0; i < (call->vector ? n : 1); i++)
        right = right && y[i] == call->at(n, i);
    return right;
}

/* One call with a fault; `in_use`: the checks that it must have. False if it has no such message.
 */
static bool try(const struct call *call, int n, int message, enum summand_checked check,
                enum summand_checked in_use)
{
    const struct summand__injection fault = {summand__injection_kinds, 1, (uint64_t)message, 777};
    enum { CHANGED, NOTICED, FAILED, WRONG, REPAIRED, SEEN };
    summand_options o = {.check = check, .timeout = 100};
    int seen[SEEN] = {0}, any[SEEN];
    const uint64_t before = summand__damage_so_far().repaired;
    memset(y, 0, sizeof y);
    said.check = in_use; /* a rank may learn of the damage before it has a plan */
    summand__inject(harness_rank == 1 ? &fault : NULL);
    const int code = call->make(n, &o), error = summand_error_of(code);
    seen[CHANGED] = summand__injected_any();
    seen[NOTICED] = error == SUMMAND_ERR_DAMAGED;
    seen[FAILED] = code != MPI_SUCCESS;
    seen[WRONG] = code == MPI_SUCCESS && !is_right(call, n);
    seen[REPAIRED] = summand__damage_so_far().repaired > before;
    summand__inject(NULL);
    MPI_Allreduce(seen, any, SEEN, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    const int changed = message ? any[CHANGED] : harness_ranks > 1;
    CHECK(any[CHANGED] == changed, "%s, check %d: no fault", call->name, check);
    CHECK(any[NOTICED] == (changed && in_use == SUMMAND_CHECKED_DETECT), "%s of %d, check %d: %s",
          call->name, n, check, any[NOTICED] ? "noticed" : "not noticed");
    CHECK(any[FAILED] == any[NOTICED], "%s of %d, check %d: %s", call->name, n, check,
          code == MPI_SUCCESS ? "an error elsewhere" : summand_error_text(code));
    CHECK(any[WRONG] == (changed && in_use == SUMMAND_CHECKED_OFF), "%s of %d, check %d: %s",
          call->name, n, check, any[WRONG] ? "wrong" : "right");
    CHECK(any[REPAIRED] == (changed && in_use == SUMMAND_CHECKED_CORRECT), "%s of %d, check %d",
          call->name, n, check);
    if (call->make == plan)
        CHECK(said.check == in_use, "the plan says %d, not %d", said.check, in_use);
    return any[CHANGED];
}

static void test_wrong(void)
{
    double one = 1, all;
    for (int wrong = -1; wrong <= 4; wrong += 5) {
        char text[80];
        const summand_options o = {.check = (enum summand_checked)wrong};
        snprintf(text, sizeof text, "options.check is %d, not one of", wrong);
        int code = summand_allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, comm, &o);
        CHECK(summand_error_of(code) == SUMMAND_ERR_ARGUMENT &&
                  strstr(summand_error_text(code), text),
              "%d: %s", wrong, summand_error_text(code));
        code = summand_sum(&one, &all, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &o);
        CHECK(summand_error_of(code) == SUMMAND_ERR_ARGUMENT, "sum, %d: %s", wrong,
              summand_error_text(code));
        /* On one rank: it takes part in the sum without checks, as the others do. */
        const summand_options mine = {.check = harness_rank ? SUMMAND_CHECKED_DEFAULT : o.check,
                                      .timeout = 100};
        code = summand_sum(&one, &all, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &mine);
        CHECK(summand_error_of(code) == (harness_rank ? SUMMAND_ERR_REMOTE : SUMMAND_ERR_ARGUMENT),
              "sum, %d on one rank: %s", wrong, summand_error_text(code));
    }
}

TESTS
{
    static const int sizes[] = {700, MOST};
    const char *set = getenv("SUMMAND_CHECKED");
    const enum summand_checked otherwise = !set                      ? SUMMAND_CHECKED_OFF
                                           : !strcmp(set, "correct") ? SUMMAND_CHECKED_CORRECT
                                                                     : SUMMAND_CHECKED_DETECT;
    summand__inject(NULL); /* links from now on can have a fault */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < MOST; i++)
        x[i] = i + harness_rank;
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        for (size_t s = 0; s < 2; s++)
            for (int round = 0; round < 2; round++)
                for (int check = 0; check <= SUMMAND_CHECKED_CORRECT; check++) {
                    const enum summand_checked in_use =
                        check ? (enum summand_checked)check : otherwise;
                    const bool tried = calls[c].open || in_use != SUMMAND_CHECKED_OFF;
                    for (int m = 0; tried && m < calls[c].messages; m++)
                        if (!try(&calls[c], sizes[s], m, (enum summand_checked)check, in_use))
                            break;
                }
    test_wrong();
    MPI_Comm_free(&comm);
}
