/* SPDX-License-Identifier: BSD-3-Clause */
/* The dissertation's product with barriers and all-reduces: nothing races in any number of starts,
 * and all waits end; without one of its barriers something does race. */
#include "lab/verify/cases.h"
#include "lab/verify/prove_steps.h"
#include "lab/verify/schedules.h"
#include "matrix/gemm/build.h"
#include "unit/unit.h"

enum { MOST_RANKS = 9 };

static size_t cases, races;

/* What the elements are is seen in mpi/test_papers_product.c. */
static uint32_t anything(const void *context, struct summand__expressions *pool, int rank,
                         uint32_t place, size_t i)
{
    (void)context, (void)pool, (void)rank, (void)place, (void)i;
    return SUMMAND__UNDEFINED;
}

static bool proves(const struct summand__call *call, const struct summand__schedule *schedules,
                   struct summand__steps_proof *proof)
{
    *proof = (struct summand__steps_proof){
        .ranks = call->ranks, .schedules = schedules, .expected = anything, .most_starts = 8};
    return summand__prove_steps(proof);
}

/* Takes the barriers out. */
static void break_barriers(const struct summand__call *call, struct summand__schedule *schedules)
{
    const uint32_t first = SUMMAND__GEMM_PASSED * (uint32_t)call->ranks;
    for (int r = 0; r < call->ranks; r++) {
        for (size_t i = 0; i < schedules[r].length; i++) {
            struct summand__step *step = &schedules[r].steps[i];
            if ((step->action == SUMMAND__NOTIFY || step->action == SUMMAND__WAIT_COUNTER) &&
                step->what >= first && step->what < first + (uint32_t)call->ranks)
                *step = (struct summand__step){.action = SUMMAND__COPY, .peer = -1};
        }
        for (int other = 0; other < call->ranks; other++)
            schedules[r].tables->counters[first + (uint32_t)other].per_start = 0;
    }
}

static bool try_case(const struct summand__algorithm *algorithm, const struct summand__call *call,
                     void *context)
{
    struct summand__schedule schedules[MOST_RANKS];
    struct summand__steps_proof proof;
    struct summand__call one = *call;
    (void)context;
    for (one.rank = 0; one.rank < call->ranks; one.rank++)
        assert_true(summand__build(algorithm, &one, &schedules[one.rank]));
    if (!proves(call, schedules, &proof))
        fail_msg("%d ranks: %s", call->ranks, proof.fault);
    break_barriers(call, schedules);
    races += !proves(call, schedules, &proof);
    cases++;
    for (int r = 0; r < call->ranks; r++)
        summand__schedule_free(&schedules[r]);
    return true;
}

TEST(no_races)
{
    const struct summand__algorithm *algorithm = summand__algorithm_named("gemm-barriers");
    assert_non_null(algorithm);
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++)
        assert_true(summand__cases(algorithm, SUMMAND__COLL_GEMM, ranks, SUMMAND__MANY_CASES,
                                   try_case, NULL));
    print_message("%zu cases; %zu race without barriers\n", cases, races);
    assert_true(4 * races > cases);
}
