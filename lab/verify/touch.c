/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/touch.h"

const unsigned char summand__clashes[] = {
    [SUMMAND__MESSAGE_WRITES] = SUMMAND__MESSAGE_WRITES | SUMMAND__MESSAGE_READS |
                                SUMMAND__STEP_WRITES | SUMMAND__STEP_READS |
                                SUMMAND__COMBINE_WRITES | SUMMAND__COMBINE_READS |
                                SUMMAND__RESULT_READS,
    [SUMMAND__MESSAGE_READS] =
        SUMMAND__MESSAGE_WRITES | SUMMAND__STEP_WRITES | SUMMAND__COMBINE_WRITES,
    [SUMMAND__STEP_WRITES] =
        SUMMAND__MESSAGE_WRITES | SUMMAND__MESSAGE_READS | SUMMAND__RESULT_READS,
    [SUMMAND__STEP_READS] = SUMMAND__MESSAGE_WRITES,
    [SUMMAND__COMBINE_WRITES] = SUMMAND__MESSAGE_WRITES | SUMMAND__MESSAGE_READS |
                                SUMMAND__COMBINE_WRITES | SUMMAND__COMBINE_READS,
    [SUMMAND__COMBINE_READS] = SUMMAND__MESSAGE_WRITES | SUMMAND__COMBINE_WRITES,
    [SUMMAND__RESULT_READS] = SUMMAND__MESSAGE_WRITES | SUMMAND__STEP_WRITES};

struct summand__round_steps summand__round_from(const struct summand__schedule *schedule,
                                                size_t begin)
{
    const struct summand__step *steps = schedule->steps;
    struct summand__round_steps round = {begin, begin, false};
    for (; round.end < schedule->length && steps[round.end].action != SUMMAND__ROUND; round.end++)
        round.combines = round.combines || steps[round.end].action == SUMMAND__RECV_REDUCE;
    return round;
}

/* True if a receive in steps [begin, end) combines into that result. */
static bool is_result(const struct summand__step *steps, size_t begin, size_t end,
                      struct summand__region region)
{
    for (size_t i = begin; i < end; i++)
        if (steps[i].action == SUMMAND__RECV_REDUCE && summand__regions_equal(steps[i].to, region))
            return true;
    return false;
}

static int add(struct summand__touched *touched, int count, struct summand__region region,
               enum summand__touch touch)
{
    if (region.count)
        touched[count++] = (struct summand__touched){region, touch};
    return count;
}

/* The message arrives in a place of its own or in the result's place. No earlier receive may use
 * the latter, and no other message. */
static int add_recv_reduce(const struct summand__step *steps, size_t begin, size_t i,
                           struct summand__touched *touched)
{
    const struct summand__step *step = &steps[i];
    bool in_result = summand__regions_equal(step->from, step->to);
    int count = add(touched, 0, step->from, SUMMAND__MESSAGE_WRITES);
    if (!summand__regions_equal(step->with, step->to) && !is_result(steps, begin, i, step->with))
        count = add(touched, count, step->with, SUMMAND__COMBINE_READS);
    if (!in_result && !is_result(steps, begin, i, step->to))
        count = add(touched, count, step->to, SUMMAND__COMBINE_WRITES);
    return count;
}

int summand__touches(const struct summand__play *play, int rank,
                     const struct summand__round_steps *round, size_t i,
                     struct summand__touched *touched)
{
    const struct summand__step *steps = play->schedules[rank].steps, *step = &steps[i];
    if (step->action == SUMMAND__RECV_REDUCE)
        return add_recv_reduce(steps, round->begin, i, touched);
    if (step->action == SUMMAND__COMPUTE || step->action == SUMMAND__NOTIFY ||
        step->action == SUMMAND__WAIT_COUNTER) /* computations row by row: lab/verify/check.c */
        return 0;
    if (step->action == SUMMAND__PUT) /* its place there is the proof's of the clocks */
        return add(touched, 0, step->from, SUMMAND__MESSAGE_READS);
    int count = summand__touches_plain(step, touched);
    if (round->combines && step->action == SUMMAND__SEND && !step->lag && step->from.count &&
        summand__is_near(play, rank, step->peer) &&
        is_result(steps, round->begin, round->end, step->from))
        touched[0].touch = SUMMAND__RESULT_READS;
    return count;
}
