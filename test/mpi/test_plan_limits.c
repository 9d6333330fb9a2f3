/* np: 1 2; together brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans at limits that no user reaches: operands beyond an int's bytes, messages that fail. */
#include <limits.h>
#include <summand.h>

#include "mpi/harness.h"
#include "plan/plan.h"

static void before(void *work)
{
    (void)work;
}

static int after(void *work)
{
    (void)work;
    return MPI_SUCCESS;
}

static const struct summand__plan_hooks hooks = {.before = before, .after = after, .drop = before};

static size_t pack(const void *context, const void *from, size_t count, void *bytes)
{
    (void)context, (void)from, (void)count, (void)bytes;
    return 0;
}

/* An operand larger than a message is refused when the plan is made, not later by one of two ranks.
 * */
static void test_too_large(struct summand__state *state)
{
    summand_plan *plan = NULL;
    struct summand__plan_parts parts = {
        .root = 0,
        .hooks = &hooks,
        .operator= {.extent = 8, .packed = (size_t)INT_MAX + 1, .pack = pack} };
    int code = summand__plan_make(state, &parts, &plan);
    CHECK(code == (harness_ranks > 1 ? MPI_ERR_COUNT : MPI_SUCCESS), "code %d", code);
    summand_plan_free(&plan);
}

/* A plan whose transport failed keeps failing, without accumulating the receives that it posted. */
static void test_broken(struct summand__state *state)
{
    summand_plan *plan = NULL;
    struct summand__schedule schedule;
    enum { LONG = 10000 };
    static double data[1 + LONG];
    summand__schedule_init(&schedule);
    summand__recv(&schedule, harness_rank, summand__region(SUMMAND__RECVBUF, 0, LONG));
    summand__send(&schedule, harness_ranks + 5, summand__region(SUMMAND__SENDBUF, 0, 1));
    struct summand__plan_parts parts = {.tag = summand__tags_call(&state->tags),
                                        .hooks = &hooks,
                                        .operator= {.extent = 8},
                                        .datatype = MPI_DOUBLE,
                                        .schedule = &schedule,
                                        .sendbuf = data,
                                        .recvbuf = data + 1};
    CHECK(summand__plan_make(state, &parts, &plan) == MPI_SUCCESS, "make");
    for (int i = 0; plan && i < 20000; i++) {
        int code = summand__plan_run(plan);
        CHECK(code != MPI_SUCCESS, "a message to nobody");
    }
    summand_plan_free(&plan);
}

static summand_plan *make_plan(const int *x, int *sum)
{
    summand_plan *plan = NULL;
    summand_allreduce_init(x, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, NULL, &plan);
    return plan;
}

/* More plans than tags, while some stay alive, different ones on different ranks: no plan gets the
 * tag of a live one, and all ranks choose the same tag. */
static void test_tags(void)
{
    enum { LONG_LIVED = 5 };
    int x = harness_rank + 1, sums[LONG_LIVED] = {0}, sum = 0, total = 0;
    int want = harness_ranks * (harness_ranks + 1) / 2;
    summand_plan *old[LONG_LIVED];
    for (int i = 0; i < LONG_LIVED; i++)
        old[i] = make_plan(&x, &sums[i]);
    if (harness_rank == 0)
        summand_plan_free(&old[1]);
    summand_plan_free(&old[harness_rank % 2 ? 2 : 3]);
    for (int i = 0; i < SUMMAND__PLAN_TAGS + 10; i++) {
        summand_plan *plan = make_plan(&x, &sum);
        int range[2] = {plan->tag, -plan->tag}, most[2];
        bool look = i < 10 || i > SUMMAND__PLAN_TAGS - 20;
        if (look)
            MPI_Allreduce(range, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(!look || most[0] == -most[1], "plan %d: tags %d to %d", i, -most[1], most[0]);
        for (int j = 0; j < LONG_LIVED; j++)
            CHECK(!old[j] || plan->tag != old[j]->tag, "plan %d has the tag of %d", i, j);
        summand_plan_free(&plan);
    }
    summand_plan *plan = make_plan(&x, &sum);
    summand_plan_start(old[0]); /* both active, waited for in the other order */
    summand_plan_start(plan);
    summand_plan_wait(harness_rank % 2 ? plan : old[0]);
    summand_plan_wait(harness_rank % 2 ? old[0] : plan);
    total = sum + sums[0];
    CHECK(total == 2 * want, "%d", total);
    summand_plan_free(&plan);
    for (int i = 0; i < LONG_LIVED; i++)
        summand_plan_free(&old[i]);
}

/* All tags are taken, though no single rank holds them all: refused on all ranks until some are
 * free. */
static void test_no_tag_left(struct summand__state *state)
{
    int x = 1, sum = 0, low = harness_rank * (SUMMAND__PLAN_TAGS / harness_ranks);
    int high = harness_rank + 1 == harness_ranks ? SUMMAND__PLAN_TAGS
                                                 : low + SUMMAND__PLAN_TAGS / harness_ranks;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    state->tags.next_plan = SUMMAND__PLAN_TAGS; /* the next turn begins */
    for (int i = low; i < high; i++)
        summand__tags_hold(&state->tags, SUMMAND__CALL_TAGS + i);
    summand_plan *plan = make_plan(&x, &sum);
    CHECK(!plan, "a plan without a tag");
    for (int i = low; i < high; i++)
        summand__tags_release(&state->tags, SUMMAND__CALL_TAGS + i);
    plan = make_plan(&x, &sum);
    CHECK(plan, "no plan after tags are free again");
    summand_plan_free(&plan);
}

TESTS
{
    struct summand__state *state;
    summand__state_of(MPI_COMM_WORLD, &state);
    test_too_large(state);
    test_broken(state);
    test_tags();
    test_no_tag_left(state);
}
