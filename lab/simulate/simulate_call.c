#include "lab/simulate/simulate_call.h"

#include "algorithm/call.h"

struct task {
    const struct summand__algorithm *algorithm;
    const struct summand__call *call;
};

static bool build(const void *context, int rank, struct summand__schedule *schedule)
{
    const struct task *task = context;
    struct summand__call one = *task->call;
    one.rank = rank;
    one.in_place = task->call->in_place && summand__call_result(task->call, rank);
    return summand__build(task->algorithm, &one, schedule);
}

bool summand__simulate_call(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, struct summand__predict *predict)
{
    struct task task = {algorithm, call};
    predict->ranks = call->ranks;
    predict->build = build;
    predict->context = &task;
    bool good = summand__predict(predict);
    predict->context = NULL;
    return good;
}
