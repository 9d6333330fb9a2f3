#include <string.h>

#include "reduce/algorithm.h"

/* Every algorithm once. */
#define ALGORITHMS(X)                                                                              \
    X(binomial)                                                                                    \
    X(recursive_doubling)

#define DECLARE(name) extern const struct summand__algorithm summand__##name;
ALGORITHMS(DECLARE)

#define ENTRY(name) &summand__##name,
const struct summand__algorithm *const summand__algorithms[] = {ALGORITHMS(ENTRY) NULL};

static const char *const collective_names[SUMMAND__COLLECTIVES] = {"reduce", "allreduce", "bcast"};

const struct summand__algorithm *summand__algorithm_named(const char *name)
{
    for (int i = 0; summand__algorithms[i]; i++)
        if (!strcmp(name, summand__algorithms[i]->name))
            return summand__algorithms[i];
    return NULL;
}

const char *summand__collective_name(enum summand__collective collective)
{
    return collective_names[collective];
}

bool summand__algorithm_does(const struct summand__algorithm *algorithm,
                             const struct summand__call *call)
{
    return algorithm->build[call->collective] &&
           (!algorithm->applicable || algorithm->applicable(call));
}

bool summand__build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                    struct summand__schedule *schedule)
{
    summand__schedule_init(schedule);
    algorithm->build[call->collective](call, schedule);
    if (schedule->failed)
        summand__schedule_free(schedule);
    return !schedule->failed;
}
