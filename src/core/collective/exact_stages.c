/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/exact_stages.h"

#include "base/hash.h"

/* Makes a stage in the place of the oldest. */
static int make(struct summand__exact_stages *stages, struct summand__state *state,
                const struct summand__operation *operation, uint64_t key, summand_plan **stage)
{
    const int place = stages->next;
    stages->next = (place + 1) % SUMMAND__EXACT_STAGES;
    summand_plan_free(&stages->made[place].plan);
    int code = summand__collective_stage(state, operation, &stages->made[place].plan);
    stages->made[place].key = code == MPI_SUCCESS ? key : 0;
    *stage = stages->made[place].plan;
    return code;
}

int summand__exact_stage(struct summand__exact_stages *stages, struct summand__state *state,
                         const struct summand__operation *operation, const MPI_Count *counts,
                         int parts, summand_plan **stage)
{
    const uint64_t hash =
        summand__hash(SUMMAND__HASH_BEGIN, counts, (size_t)parts * sizeof *counts);
    const uint64_t key = hash ? hash : 1;
    for (int i = 0; i < SUMMAND__EXACT_STAGES; i++)
        if (stages->made[i].key == key) {
            *stage = stages->made[i].plan;
            return MPI_SUCCESS;
        }
    return make(stages, state, operation, key, stage);
}

size_t summand__exact_stages_count(const struct summand__exact_stages *stages)
{
    size_t count = 0;
    for (int i = 0; i < SUMMAND__EXACT_STAGES; i++)
        count += stages->made[i].plan != NULL;
    return count;
}

void summand__exact_stages_free(struct summand__exact_stages *stages)
{
    for (int i = 0; i < SUMMAND__EXACT_STAGES; i++) {
        summand_plan_free(&stages->made[i].plan);
        stages->made[i].key = 0;
    }
}
