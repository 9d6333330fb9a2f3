/* SPDX-License-Identifier: BSD-3-Clause */
#include "play/simulate_call.h"

#include "algorithm/call.h"
#include "schedule/passes/passes.h"

struct task {
    const struct summand__algorithm *algorithm;
    const struct summand__call *call;
    const struct summand__predict *predict; /* if messages within a node are combined; or NULL */
    int rank;
};

static bool is_near(const void *context, int peer)
{
    const struct task *task = context;
    return summand__predict_reach(task->predict, task->rank, peer) == SUMMAND__WITHIN_NODE;
}

static bool build(const void *context, int rank, struct summand__schedule *schedule)
{
    const struct task *task = context;
    struct summand__call one = *task->call;
    one.rank = rank;
    one.in_place = summand__call_in_place(task->call, rank);
    struct task of_rank = *task;
    of_rank.rank = rank;
    const struct summand__abilities abilities = {.combines = is_near, .context = &of_rank};
    return summand__build(task->algorithm, &one, schedule) &&
           (!task->predict || summand__passes(schedule, &abilities));
}

bool summand__simulate_call(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, struct summand__predict *predict)
{
    struct task task = {algorithm, call, predict->combines ? predict : NULL, 0};
    predict->ranks = call->ranks;
    predict->build = build;
    predict->context = &task;
    bool good = summand__predict(predict);
    predict->context = NULL;
    return good;
}
