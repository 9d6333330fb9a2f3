/* Of each argument f travel f and ~f, whose maxima over all ranks are max f and ~min f. */
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
    char what[MPI_MAX_ERROR_STRING] = "", text[MPI_MAX_ERROR_STRING];
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
    for (int i = 0; i < SUMMAND__AGREED; i++) {
        bool has = code == MPI_SUCCESS && signature && i < signature->count;
        bool any = !has || signature->argument[i].any;
        int64_t value = any ? 0 : signature->argument[i].value;
        words[1 + 2 * i] = any ? anything : value;
        words[2 + 2 * i] = any ? anything : ~value;
    }
}

/* The place of the first argument that differs, or -1. */
static int find_difference(const int64_t *words)
{
    for (int i = 0; i < SUMMAND__AGREED; i++)
        if ((words[1 + 2 * i] != anything || words[2 + 2 * i] != anything) &&
            words[1 + 2 * i] != ~words[2 + 2 * i])
            return i;
    return -1;
}

int summand__agree(struct summand__state *state, int code,
                   const struct summand__signature *signature)
{
    MPI_Request request;
    if (code == MPI_SUCCESS && signature && signature->failed)
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    pack(state, code, signature);
    int failed = MPI_Iallreduce(MPI_IN_PLACE, state->agreement, SUMMAND__AGREEMENT, MPI_INT64_T,
                                MPI_MAX, state->comm, &request);
    if (failed == MPI_SUCCESS)
        failed = summand__await(state, &request);
    if (code != MPI_SUCCESS || failed != MPI_SUCCESS)
        return code != MPI_SUCCESS ? code : failed;
    if (state->agreement[0]) {
        explain_error(state, state->agreement[0]);
        return summand_error_code(SUMMAND_ERR_REMOTE);
    }
    int differs = find_difference(state->agreement);
    if (differs < 0)
        return MPI_SUCCESS;
    const struct summand__argument none = {.name = "", .any = true};
    bool has = signature && differs < signature->count;
    failed = summand__mismatch_explain(state, has ? &signature->argument[differs] : &none);
    return failed != MPI_SUCCESS ? failed : summand_error_code(SUMMAND_ERR_MISMATCH);
}
