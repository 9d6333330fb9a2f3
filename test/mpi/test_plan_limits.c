/* np: 1 2 */
/* Plans that no user can make: operands beyond an int's bytes, messages that fail. */
#include <limits.h>
#include <stdlib.h>
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

/* More bytes than a message can have are refused when the plan is made, not by one of two ranks
 * later. */
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

/* A plan that the transport failed keeps failing, without piling up the receives that it posted. */
static void test_broken(struct summand__state *state)
{
    summand_plan *plan = NULL;
    struct summand__schedule schedule;
    enum { LONG = 10000 };
    static double data[1 + LONG];
    summand__schedule_init(&schedule);
    summand__recv(&schedule, harness_rank, summand__region(SUMMAND__RECVBUF, 0, LONG));
    summand__send(&schedule, harness_ranks + 5, summand__region(SUMMAND__SENDBUF, 0, 1));
    struct summand__plan_parts parts = {.tag = summand__state_tag(state),
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

int main(int argc, char **argv)
{
    harness_begin(&argc, &argv);
    struct summand__state *state;
    summand__state_of(MPI_COMM_WORLD, &state);
    test_too_large(state);
    test_broken(state);
    return harness_end();
}
