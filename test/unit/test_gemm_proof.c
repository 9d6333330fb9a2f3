/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of matrix products are proved, and broken ones are not. Breakings: products left out,
 * missing an inner element or not starting at zero; pieces not put or not notified; waits for less
 * or for nothing. Some matrices are shared: a read or write in place before its rank has started,
 * or after it has ended, is found too. */
#include "lab/verify/cases.h"
#include "lab/verify/prove.h"
#include "matrix/gemm/build.h"
#include "schedule/compute.h"
#include "unit/unit.h"

enum { MOST_RANKS = 4 };

static const struct summand__step nothing = {.action = SUMMAND__COPY, .peer = -1};

/* Breaks a step; returns false if that changes nothing. */
typedef bool breaking(struct summand__step *step, struct summand__tables *tables);

static bool computes(const struct summand__step *step)
{
    return step->action == SUMMAND__COMPUTE && step->to.count;
}

static bool leave_out_computation(struct summand__step *step, struct summand__tables *tables)
{
    (void)tables;
    if (!computes(step))
        return false;
    *step = nothing;
    return true;
}

static bool leave_out_put(struct summand__step *step, struct summand__tables *tables)
{
    (void)tables;
    if (step->action != SUMMAND__PUT)
        return false;
    *step = nothing;
    return true;
}

static bool leave_out_notification(struct summand__step *step, struct summand__tables *tables)
{
    (void)tables;
    if (step->action != SUMMAND__NOTIFY)
        return false;
    *step = nothing;
    return true;
}

static bool put_elsewhere(struct summand__step *step, struct summand__tables *tables)
{
    (void)tables;
    if (step->action != SUMMAND__PUT || step->from.count < 2)
        return false;
    step->from.count = --step->to.count;
    step->from.first++;
    return true;
}

static bool wait_for_less(struct summand__step *step, struct summand__tables *tables)
{
    (void)tables;
    if (step->action != SUMMAND__WAIT_COUNTER)
        return false;
    step->value--;
    return true;
}

static bool leave_out_wait(struct summand__step *step, struct summand__tables *tables)
{
    (void)tables;
    if (step->action != SUMMAND__WAIT_COUNTER)
        return false;
    *step = nothing;
    return true;
}

static bool begin_elsewhere(struct summand__step *step, struct summand__tables *tables)
{
    if (!computes(step) || tables->computations[step->what].kernel->meaning != SUMMAND__CHAIN)
        return false;
    tables->computations[step->what].begins = !tables->computations[step->what].begins;
    return true;
}

static const struct {
    const char *name;
    breaking *apply;
    /* If false, a missing step may do no harm: another wait may be enough (alternating partners
     * need few credits), or a panel may be left from the job before. */
    bool always;
} breakings[] = {
    {"no computation", leave_out_computation, false},  {"no put", leave_out_put, true},
    {"no notification", leave_out_notification, true}, {"another piece", put_elsewhere, true},
    {"wait for less", wait_for_less, false},           {"no wait", leave_out_wait, false},
    {"begin elsewhere", begin_elsewhere, true}};
enum { BREAKINGS = sizeof breakings / sizeof *breakings };

static size_t made[BREAKINGS], caught[BREAKINGS];

static void break_step(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       struct summand__schedule *schedules, int rank, size_t i)
{
    struct summand__schedule *schedule = &schedules[rank];
    struct summand__step kept = schedule->steps[i];
    bool computing = kept.action == SUMMAND__COMPUTE;
    struct summand__computation before = {0};
    if (computing)
        before = schedule->tables->computations[kept.what];
    for (int b = 0; b < BREAKINGS; b++) {
        struct summand__proof proof;
        if (breakings[b].apply(&schedule->steps[i], schedule->tables)) {
            bool proved = summand__prove_schedules(algorithm, call, NULL, schedules, &proof);
            if (proved && breakings[b].always)
                fail_msg("%s, %d ranks: %s at rank %d's step %zu is not caught", algorithm->name,
                         call->ranks, breakings[b].name, rank, i);
            made[b]++;
            caught[b] += !proved;
        }
        schedule->steps[i] = kept;
        if (computing)
            schedule->tables->computations[kept.what] = before;
    }
}

static bool try_case(const struct summand__algorithm *algorithm, const struct summand__call *call,
                     void *context)
{
    struct summand__schedule schedules[MOST_RANKS];
    struct summand__proof proof;
    (void)context;
    assert_true(summand__placed_schedules(algorithm, call, NULL, schedules));
    if (!summand__prove_schedules(algorithm, call, NULL, schedules, &proof))
        fail_msg("%s, %d ranks: %s", algorithm->name, call->ranks, proof.fault);
    for (int r = 0; r < call->ranks; r++)
        for (size_t i = 0; i < schedules[r].length; i++)
            break_step(algorithm, call, schedules, r, i);
    for (int r = 0; r < call->ranks; r++)
        summand__schedule_free(&schedules[r]);
    return true;
}

TEST(every_breaking)
{
    for (int i = 0; summand__algorithms[i]; i++)
        for (int ranks = 1;
             ranks <= MOST_RANKS && summand__algorithms[i]->build[SUMMAND__COLL_GEMM]; ranks++)
            assert_true(summand__cases(summand__algorithms[i], SUMMAND__COLL_GEMM, ranks,
                                       ranks < 3 ? SUMMAND__MANY_CASES : SUMMAND__FEW_CASES,
                                       try_case, NULL));
    for (int b = 0; b < BREAKINGS; b++) {
        print_message("%-16s %6zu broken schedules, %6zu caught\n", breakings[b].name, made[b],
                      caught[b]);
        assert_true(made[b] > 100 && 2 * caught[b] > made[b]);
    }
}
