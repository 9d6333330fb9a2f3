/* Proofs of what the executor makes of schedules where ranks share memory. */
#include <stdlib.h>

#include "algorithm/call.h"
#include "lab/verify/prove.h"
#include "schedule/passes/defer.h"

struct place {
    int rank, node;
};

static bool is_near(const void *context, int peer)
{
    const struct place *place = context;
    return peer / place->node == place->rank / place->node;
}

/* The schedule of a rank as it runs, and what of it is joined. */
static bool make_rank(const struct summand__algorithm *algorithm, const struct summand__call *call,
                      int node, struct summand__schedule *schedule, struct summand__fused **fused)
{
    struct summand__schedule built;
    const struct place place = {call->rank, node};
    if (!summand__build(algorithm, call, &built))
        return false;
    summand__defer(&built, is_near, &place, schedule);
    summand__schedule_free(&built);
    *fused = malloc((schedule->length + 1) * sizeof **fused);
    if (schedule->failed || !*fused)
        return false;
    summand__fuse(schedule, is_near, &place, *fused);
    return true;
}

bool summand__prove_joined(const struct summand__algorithm *algorithm,
                           const struct summand__call *call, int node, struct summand__proof *proof)
{
    size_t ranks = (size_t)call->ranks;
    struct summand__schedule *schedules = calloc(ranks, sizeof *schedules);
    struct summand__fused **fused = calloc(ranks, sizeof *fused);
    bool good = schedules && fused;
    struct summand__call one = *call;
    for (one.rank = 0; good && one.rank < call->ranks; one.rank++) {
        one.in_place = call->in_place && summand__call_result(call, one.rank);
        good = make_rank(algorithm, &one, node, &schedules[one.rank], &fused[one.rank]);
    }
    if (good)
        good = summand__prove_fused(algorithm, call, node, schedules,
                                    (const struct summand__fused *const *)fused, proof);
    else
        *proof = (struct summand__proof){.fault = "out of memory"};
    for (size_t r = 0; schedules && fused && r < ranks; r++) {
        summand__schedule_free(&schedules[r]);
        free(fused[r]);
    }
    free(schedules);
    free(fused);
    return good;
}
