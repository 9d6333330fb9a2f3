/* Of each argument f travel f and ~f, whose maxima over all ranks are max f and ~min f. In front of
 * them the error, and the number of the call like an argument. */
#include "plan/agree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/error.h"
#include "plan/await.h"
#include "plan/mismatch.h"

/* Words of an argument that goes with any other; a value of that size would not. */
static const int64_t anything = INT64_MIN;

/* The lowest rank with an error has the largest word. Codes of errors are a process's own: what
 * travels is the condition of ours, or the class of the MPI's. */
enum { OURS = 1 << 30 };

enum { FIRST = SUMMAND__AGREEMENT - 2 * SUMMAND__AGREED }; /* word of the arguments */

static int64_t error_word(const struct summand__state *state, int code)
{
    enum summand_error error = summand__error_of(code);
    int what = OURS | (int)error;
    if (code == MPI_SUCCESS)
        return 0;
    if (error == SUMMAND_ERR_COUNT && MPI_Error_class(code, &what) != MPI_SUCCESS)
        what = MPI_ERR_UNKNOWN;
    return (int64_t)(state->ranks - state->rank) << 32 | what;
}

static void explain_error(const struct summand__state *state, int64_t word)
{
    char what[MPI_MAX_ERROR_STRING] = "", text[192]; /* MPIs differ: 100 to 512 characters */
    int rank = state->ranks - (int)(word >> 32), code = (int)(word & INT32_MAX), length;
    if (code & OURS)
        snprintf(what, sizeof what, "%s", summand__error_text((enum summand_error)(code & ~OURS)));
    else
        MPI_Error_string(code, what, &length);
    snprintf(text, sizeof text, "rank %d: %.160s", rank, what);
    summand__error_explain(SUMMAND_ERR_REMOTE, text);
}

static void pack(struct summand__state *state, int code, const struct summand__signature *signature)
{
    int64_t *words = state->agreement;
    words[0] = error_word(state, code);
    words[1] = (int64_t)state->calls;
    words[2] = ~words[1];
    words += FIRST;
    for (int i = 0; i < SUMMAND__AGREED; i++) {
        bool has = code == MPI_SUCCESS && signature && i < signature->count;
        bool any = !has || signature->argument[i].any;
        int64_t value = any ? 0 : signature->argument[i].value;
        words[2 * i] = any ? anything : value;
        words[2 * i + 1] = any ? anything : ~value;
    }
}

/* The place of the first argument that differs, or -1. */
static int find_difference(const int64_t *words)
{
    words += FIRST;
    for (int i = 0; i < SUMMAND__AGREED; i++)
        if ((words[2 * i] != anything || words[2 * i + 1] != anything) &&
            words[2 * i] != ~words[2 * i + 1])
            return i;
    return -1;
}

/* Of the first words, which become the largest of all ranks; earlier exchanges are over. */
static int exchange(struct summand__state *state, int words)
{
    MPI_Request request;
    int code = MPI_Iallreduce(MPI_IN_PLACE, state->agreement, words, MPI_INT64_T, MPI_MAX,
                              state->comm, &request);
    if (code == MPI_SUCCESS)
        code = summand__await(state, &request);
    return code == MPI_SUCCESS ? summand__await_aborted(state) : code;
}

/* After ranks have left agreements (plan/await.h), one may still answer those of an earlier call:
 * that call is over, and the others ask again until it has come to theirs. */
static int exchange_all(struct summand__state *state, int code,
                        const struct summand__signature *signature)
{
    const int64_t *words = state->agreement;
    for (;;) {
        int failed = summand__await_earlier(state);
        if (failed != MPI_SUCCESS)
            return failed;
        pack(state, code, signature);
        failed = exchange(state, SUMMAND__AGREEMENT);
        bool alike = words[1] == ~words[2], others_behind = words[1] == (int64_t)state->calls;
        if (failed == MPI_SUCCESS && !alike && others_behind)
            continue;
        bool behind = failed == MPI_SUCCESS && !alike;
        return behind ? summand_error_code(SUMMAND_ERR_REMOTE) : failed;
    }
}

/* Ranks that made different calls have not taken the same tags: the next call begins in step. Also
 * whether each rank has the memory to tell what differs. */
static int realign(struct summand__state *state, bool *memory)
{
    struct summand__tags *tags = &state->tags;
    int64_t *words = state->agreement;
    words[0] = !*memory;
    words[1] = (int64_t)tags->calls;
    words[2] = tags->next_plan;
    int code = exchange(state, SUMMAND__AGREEMENT); /* as long as any: a late rank's may meet it */
    if (code != MPI_SUCCESS)
        return code;
    *memory = !words[0];
    tags->calls = (uint64_t)words[1];
    tags->next_plan = (int)words[2];
    return MPI_SUCCESS;
}

/* All ranks know that one of them has an error. */
static int refuse(struct summand__state *state, int code)
{
    bool memory = true;
    int64_t word = state->agreement[0];
    int failed = realign(state, &memory);
    if (code != MPI_SUCCESS || failed != MPI_SUCCESS)
        return code != MPI_SUCCESS ? code : failed;
    explain_error(state, word);
    return summand_error_code(SUMMAND_ERR_REMOTE);
}

/* All ranks know that they differ in this argument. */
static int tell(struct summand__state *state, const struct summand__argument *argument)
{
    struct summand__mismatch *mismatch = summand__mismatch_new(state);
    bool memory = mismatch != NULL;
    int code = realign(state, &memory);
    if (code == MPI_SUCCESS && memory)
        code = summand__mismatch_explain(state, argument, &mismatch);
    free(mismatch);
    return code != MPI_SUCCESS ? code : summand_error_code(SUMMAND_ERR_MISMATCH);
}

int summand__agree(struct summand__state *state, int code,
                   const struct summand__signature *signature)
{
    const struct summand__argument none = {.name = "", .any = true};
    if (code == MPI_SUCCESS && signature && signature->failed)
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    int failed = exchange_all(state, code, signature);
    if (failed != MPI_SUCCESS)
        return code != MPI_SUCCESS ? code : failed;
    if (state->agreement[0])
        return refuse(state, code);
    int differs = find_difference(state->agreement);
    if (differs < 0)
        return MPI_SUCCESS;
    bool has = signature && differs < signature->count;
    return tell(state, has ? &signature->argument[differs] : &none);
}
