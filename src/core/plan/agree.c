/* SPDX-License-Identifier: BSD-3-Clause */
/* For each argument f we send f and ~f; the maxima give max f and ~min f. Before them go the error
 * and, in the same form, the number of the call and the next tags. After them each rank has two
 * words of its own; the others send the least value there, so the maximum is its pair. If the ranks
 * compare a number instead, it takes the first two of these words.
 *
 * A rank that leaves an agreement does not know if it ended for the others, which may continue.
 * Their next MPI collective would match the agreement that it left. So an agreement is the only
 * collective, always of one size, with the number of its call. */
#include "plan/agree.h"

#include <string.h>

#include "plan/active.h"
#include "plan/mismatch.h"
#include "process/error.h"
#include "transport/route.h"
#include "wait/ballot.h"

/* The words of an argument that matches any other; no value has it. Also sent at the places of
 * other ranks. */
static const int64_t anything = INT64_MIN;

/* Layout: one word, then pairs, then the arguments' pairs, then the pairs that ranks tell. */
enum {
    ERROR = 0,
    CALL = 1,
    CALL_TAG = 3,
    PLAN_TAG = 5,
    FIRST = 7,
    TOLD = FIRST + 2 * SUMMAND__AGREED
};

static void pack_pair(int64_t *words, int64_t value)
{
    words[0] = value;
    words[1] = ~value;
}

static bool is_alike(const int64_t *words)
{
    return words[0] == ~words[1];
}

/* The input of this rank. */
struct said {
    int code;
    const struct summand__signature *signature; /* or NULL */
    const int64_t *pair;                        /* its pair to tell, or NULL */
    const int64_t *number;                      /* to be compared, or NULL */
};

static void pack(const struct summand__state *state, const struct said *said,
                 struct summand__agreement *agreement)
{
    const struct summand__signature *signature = said->signature;
    int64_t *words = agreement->words;
    agreement->calls = state->tags.calls;
    words[ERROR] = (int64_t)summand__cause(state->rank, said->code);
    pack_pair(words + CALL, (int64_t)state->channel.calls);
    pack_pair(words + CALL_TAG, (int64_t)state->tags.calls);
    pack_pair(words + PLAN_TAG, state->tags.next_plan);
    int count = said->code == MPI_SUCCESS && signature ? signature->count : 0;
    for (int i = FIRST; i < SUMMAND__AGREEMENT; i++)
        words[i] = anything;
    for (int i = 0; i < count; i++)
        if (!signature->argument[i].any)
            pack_pair(words + FIRST + 2 * i, signature->argument[i].value);
    if (said->pair)
        memcpy(words + TOLD + 2 * state->rank, said->pair, 2 * sizeof *words);
    if (said->number)
        pack_pair(words + TOLD, *said->number);
}

/* The index of the first argument that differs, or -1. */
static int find_difference(const int64_t *words)
{
    words += FIRST;
    for (int i = 0; i < SUMMAND__AGREED; i++)
        if ((words[2 * i] != anything || words[2 * i + 1] != anything) && !is_alike(words + 2 * i))
            return i;
    return -1;
}

/* Aligns the tags: ranks that made different calls may have taken different ones. Also after an
 * agreement that this rank left, when all ranks have taken more tags since. */
static void align(struct summand__state *state, const struct summand__agreement *agreement)
{
    struct summand__tags *tags = &state->tags;
    const int64_t *words = agreement->words;
    if (!is_alike(words + CALL))
        return;
    tags->calls += (uint64_t)words[CALL_TAG] - agreement->calls;
    if (tags->next_plan < (int)words[PLAN_TAG])
        tags->next_plan = (int)words[PLAN_TAG];
}

/* Announces that this rank joins no more agreements of the call. `notified`: others know it. */
static void say_gone(struct summand__state *state, bool notified, int code)
{
    const uint64_t cause = summand__route_cause(state, state->channel.calls, code);
    unsigned call = (unsigned)(atomic_load(state->channel.entered) & 255);
    uint64_t since = state->left_since ? state->left_since : state->channel.calls;
    uint64_t before = state->channel.calls - since;
    if (state->channel.presence)
        atomic_store(&state->channel.presence->left_agreement,
                     state->channel.calls << 16 | (before < 0xffff ? before : 0xffff));
    if (!notified)
        summand__notices_send(&state->channel, state->channel.calls, call & SUMMAND__ENTERED_INIT,
                              true, cause);
}

void summand__await_none(struct summand__state *state, int code)
{
    if (!state->segment || !state->segment->whole) /* the notice may stay unread */
        state->spoiled = true;
    say_gone(state, false, code);
}

/* Leaves an agreement. An MPI collective cannot be cancelled: it ends if the last rank joins. */
static void leave(struct summand__state *state, MPI_Request request,
                  struct summand__agreement *agreement, bool notified, int code)
{
    state->under_way = request;
    state->left = agreement;
    state->spoiled = true;
    if (!state->left_since)
        state->left_since = state->channel.calls;
    say_gone(state, notified, code);
}

/* Waits for the request, and progresses the active plans of this thread: another rank may need one
 * of them before it joins. */
static int await(struct summand__state *state, MPI_Request *request,
                 struct summand__agreement *agreement, int64_t *words)
{
    struct summand__watch watch = {.channel = &state->channel,
                                   .timeout = state->asked.timeout,
                                   .describe = state->asked.describe,
                                   .what = state->asked.what};
    summand__active_take(state);
    int code =
        summand__ballot_request(&watch, request, state->nodes.most > state->nodes.processors);
    if (*request != MPI_REQUEST_NULL) {
        leave(state, *request, agreement, watch.notified, code);
        return code;
    }
    if (code == MPI_SUCCESS) {
        align(state, agreement);
        memcpy(words, agreement->words, sizeof agreement->words);
    }
    summand__agreement_free(agreement);
    return code;
}

int summand__agree_earlier(struct summand__state *state)
{
    int64_t words[SUMMAND__AGREEMENT];
    if (state->under_way == MPI_REQUEST_NULL)
        return MPI_SUCCESS;
    MPI_Request request = state->under_way;
    struct summand__agreement *agreement = state->left;
    state->under_way = MPI_REQUEST_NULL;
    state->left = NULL;
    int code = await(state, &request, agreement, words);
    if (state->under_way == MPI_REQUEST_NULL) /* else it was left again */
        state->left_since = 0;
    return code;
}

/* SUMMAND_ERR_REMOTE if another rank is known to have left the agreement and so will miss the rest
 * of this call. */
static int find_left(struct summand__state *state)
{
    struct summand__watch watch = {.channel = &state->channel};
    return summand__watch_aborted(&watch) ? summand_error_code(SUMMAND_ERR_REMOTE) : MPI_SUCCESS;
}

/* Exchanges once: `words` become the maxima over all ranks. Earlier exchanges must be over. */
static int exchange(struct summand__state *state, const struct said *said, int64_t *words)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (state->astray) {
        summand__error_explain(SUMMAND_ERR_TIMEOUT,
                               "as a window was made: the communicator is of no use for plans now");
        return summand_error_code(SUMMAND_ERR_TIMEOUT);
    }
    struct summand__agreement *agreement = summand__agreement_new();
    if (!agreement)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    pack(state, said, agreement);
    int failed = PMPI_Iallreduce(MPI_IN_PLACE, agreement->words, SUMMAND__AGREEMENT, MPI_INT64_T,
                                 MPI_MAX, state->comm, &request);
    if (failed == MPI_SUCCESS)
        return await(state, &request, agreement, words);
    summand__agreement_free(agreement);
    return failed;
}

/* Exchanges until all ranks are in the same call. After ranks have left agreements, one may still
 * be in an earlier call: that call has failed, and the others repeat until it reaches theirs.
 * `differs`: the index of the first argument that differs, or -1. */
static int exchange_all(struct summand__state *state, const struct said *said, int64_t *words,
                        int *differs)
{
    for (;;) {
        int failed = summand__agree_earlier(state);
        if (failed == MPI_SUCCESS)
            failed = exchange(state, said, words);
        bool in_step = is_alike(words + CALL);
        *differs = failed == MPI_SUCCESS ? find_difference(words) : -1;
        if (failed != MPI_SUCCESS || (in_step && (words[ERROR] || *differs >= 0)))
            return failed; /* all ranks that complete it know the result */
        failed = find_left(state);
        if (failed != MPI_SUCCESS || in_step)
            return failed;
        if (words[CALL] != (int64_t)state->channel.calls)
            return summand_error_code(SUMMAND_ERR_REMOTE);
    }
}

/* `words` must be zero; they become the maxima over all ranks. */
static int agree(struct summand__state *state, struct said said, int64_t *words)
{
    const struct summand__argument none = {.name = "", .any = true};
    const struct summand__signature *signature = said.signature;
    if (said.code == MPI_SUCCESS && signature && signature->failed)
        said.code = summand_error_code(SUMMAND_ERR_MEMORY);
    int code = said.code;
    int differs, failed = exchange_all(state, &said, words, &differs);
    state->parted = failed != MPI_SUCCESS;
    if (failed != MPI_SUCCESS)
        return code != MPI_SUCCESS ? code : failed;
    if (words[ERROR])
        return code != MPI_SUCCESS ? code : summand__cause_explain((uint64_t)words[ERROR]);
    if (differs >= 0) {
        bool has = signature && differs < signature->count;
        summand__mismatch_explain(state, has ? &signature->argument[differs] : &none);
        return summand_error_code(SUMMAND_ERR_MISMATCH);
    }
    /* this call's tags were taken before they were aligned */
    bool in_step = is_alike(words + CALL_TAG) && is_alike(words + PLAN_TAG);
    return in_step ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_REMOTE);
}

int summand__agree(struct summand__state *state, int code,
                   const struct summand__signature *signature)
{
    int64_t words[SUMMAND__AGREEMENT] = {0};
    return agree(state, (struct said){.code = code, .signature = signature}, words);
}

int summand__agree_and_tell(struct summand__state *state, int code,
                            const struct summand__signature *signature, int64_t (*pairs)[2])
{
    int64_t words[SUMMAND__AGREEMENT] = {0};
    const struct said said = {.code = code, .signature = signature, .pair = pairs[state->rank]};
    code = agree(state, said, words);
    memcpy(pairs, words + TOLD, (size_t)state->ranks * sizeof *pairs);
    return code;
}

int summand__agree_and_compare(struct summand__state *state, int code,
                               const struct summand__signature *signature, int64_t number,
                               bool *alike)
{
    int64_t words[SUMMAND__AGREEMENT] = {0};
    const struct said said = {.code = code, .signature = signature, .number = &number};
    code = agree(state, said, words);
    *alike = is_alike(words + TOLD);
    return code;
}
