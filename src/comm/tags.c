#include "comm/tags.h"

#include <stdbool.h>
#include <summand/error.h>

enum { WORDS = SUMMAND__PLAN_TAGS / 64, QUARTER = SUMMAND__CALL_TAGS / 4 };

static uint64_t bit(int i)
{
    return UINT64_C(1) << i % 64;
}

/* Ranks are at most some calls apart, so bits of half a turn ago are looked at by nobody any more,
 * and those of half a turn ahead by nobody yet. */
static void forget_calls(struct summand__tags *tags)
{
    int first = (tags->next_call + SUMMAND__CALL_TAGS / 2) % SUMMAND__CALL_TAGS;
    for (int i = 0; i < QUARTER && tags->given_up; i += 64)
        atomic_store_explicit(&tags->given_up[(first + i) / 64], 0, memory_order_relaxed);
}

int summand__tags_call(struct summand__tags *tags)
{
    tags->next_call = (tags->next_call + 1) % SUMMAND__CALL_TAGS;
    if (tags->next_call % QUARTER == 0)
        forget_calls(tags);
    return tags->next_call;
}

/* What was taken at the last turn is left out until the next; what has come since is behind us. */
static bool find(struct summand__tags *tags, int *tag)
{
    for (int i = tags->next_plan; i < SUMMAND__PLAN_TAGS; i++)
        if (!(tags->taken[i / 64] & bit(i))) {
            tags->next_plan = i + 1;
            *tag = SUMMAND__CALL_TAGS + i;
            return true;
        }
    return false;
}

int summand__tags_plan(struct summand__tags *tags, MPI_Comm comm, int *tag)
{
    if (find(tags, tag))
        return MPI_SUCCESS;
    tags->next_plan = 0;
    int code = MPI_Allreduce(tags->living, tags->taken, WORDS, MPI_UINT64_T, MPI_BOR, comm);
    if (code != MPI_SUCCESS)
        return code;
    return find(tags, tag) ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MEMORY);
}

void summand__tags_hold(struct summand__tags *tags, int tag)
{
    int i = tag - SUMMAND__CALL_TAGS;
    if (i < 0)
        return;
    tags->living[i / 64] |= bit(i);
    if (tags->given_up)
        atomic_fetch_and(&tags->given_up[tag / 64], ~bit(tag));
}

void summand__tags_release(struct summand__tags *tags, int tag)
{
    int i = tag - SUMMAND__CALL_TAGS;
    if (i >= 0)
        tags->living[i / 64] &= ~bit(i);
}

void summand__tags_give_up(struct summand__tags *tags, int tag)
{
    if (tags->given_up)
        atomic_fetch_or(&tags->given_up[tag / 64], bit(tag));
}
