/* SPDX-License-Identifier: BSD-3-Clause */
/* The exchange between ranks before a plan can be made. */
#include <stdlib.h>
#include <string.h>

#include "outer/mpi/factored.h"
#include "plan/join.h"
#include "plan/mismatch.h"
#include "process/error.h"

/* True if the rows of all parts of this rank are contiguous. */
static bool dense(const struct summand__outer_arguments *arguments, int rank, int ranks)
{
    for (int m = 0; m < arguments->n; m++) {
        const summand_outer_matrix *matrix = &arguments->matrices[m];
        struct summand__outer_block block = summand__outer_part_of(arguments, m, rank, ranks);
        if (matrix->lead_g && (size_t)matrix->lead_g != block.columns)
            return false;
    }
    return true;
}

static void tell(const struct summand__outer_arguments *arguments, int rank, int ranks,
                 uint64_t *words)
{
    if (summand__outer_is_factored(arguments)) {
        summand__outer_tell(arguments, ranks,
                            words + (size_t)rank * summand__outer_told_words(arguments, ranks));
        return;
    }
    words[rank] = (uint64_t)arguments->pairs;
    if (arguments->options.result == SUMMAND_OUTER_FACTORS)
        words[ranks + 1 + rank] = (uint64_t)arguments->options.room;
    words[ranks] = !dense(arguments, rank, ranks);
}

/* All arguments that must agree on all ranks, hashed to a word. */
static uint64_t form_of(const struct summand__signature *signature)
{
    int64_t form = 0;
    for (int i = 0; i < signature->count; i++)
        form = summand__sign_mix(form, signature->argument[i].value);
    return (uint64_t)form;
}

bool summand__outer_known_begin(struct summand__outer_known *known,
                                const struct summand__outer_arguments *arguments, int ranks)
{
    size_t all = (size_t)ranks;
    known->count = summand__outer_is_factored(arguments)
                       ? all * summand__outer_told_words(arguments, ranks)
                   : arguments->options.result == SUMMAND_OUTER_FACTORS ? 2 * all + 1
                                                                        : all + 1;
    known->words = calloc(known->count, sizeof *known->words);
    return known->words;
}

int summand__outer_meet(struct summand__state *state, int tag,
                        const struct summand__outer_arguments *arguments, const char *call,
                        struct summand__outer_known *known)
{
    struct summand__signature signature;
    if (summand__outer_known_begin(known, arguments, state->ranks))
        tell(arguments, state->rank, state->ranks, known->words);
    if (!known->words && state->ranks == 1)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    summand__outer_sign(arguments, &signature, call);
    int code = summand__join_alike(state, tag, form_of(&signature), known->words,
                                   known->count * sizeof *known->words);
    if (summand_error_of(code) == SUMMAND_ERR_MISMATCH)
        summand__mismatch_find(state, &signature);
    return code;
}

void summand__outer_forget(struct summand__outer_known *known)
{
    free(known->words);
    known->words = NULL;
}

bool summand__outer_known_alike(const struct summand__outer_known *a,
                                const struct summand__outer_known *b)
{
    return a->count == b->count && !memcmp(a->words, b->words, a->count * sizeof *a->words);
}

int summand__outer_check_rooms(const struct summand__outer_arguments *arguments,
                               const struct summand__outer_known *known, int ranks)
{
    const uint64_t *room = known->words + ranks + 1;
    uint64_t all = 0;
    if (arguments->options.result != SUMMAND_OUTER_FACTORS)
        return MPI_SUCCESS;
    for (int r = 0; r < ranks; r++)
        all += known->words[r];
    if ((uint64_t)arguments->options.room < all)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "options.room is %lld; matrices[0] has %llu pairs on all ranks "
                               "together",
                               (long long)arguments->options.room, (unsigned long long)all);
    for (int r = 0; r < ranks; r++)
        if (room[r] < all) {
            summand__error_explain(SUMMAND_ERR_REMOTE,
                                   "rank %d: options.room is %llu, less than the %llu pairs", r,
                                   (unsigned long long)room[r], (unsigned long long)all);
            return summand_error_code(SUMMAND_ERR_REMOTE);
        }
    return MPI_SUCCESS;
}

bool summand__outer_all_refuse(int code)
{
    enum summand_error error = summand_error_of(code);
    return error == SUMMAND_ERR_ALGORITHM || error == SUMMAND_ERR_ARGUMENT ||
           error == SUMMAND_ERR_REMOTE;
}
