/* What the ranks tell each other before a plan can be made. */
#include <stdlib.h>
#include <string.h>

#include "comm/error.h"
#include "outer/outer.h"
#include "plan/join.h"

/* Whether the rows of all parts of this rank lie one behind the other. */
static bool dense(const struct summand__outer_arguments *arguments, int rank, int ranks)
{
    for (int m = 0; m < arguments->n; m++) {
        const summand_outer_matrix *matrix = &arguments->matrices[m];
        struct summand__outer_block block = summand__outer_part_of(arguments, m, rank, ranks);
        if (matrix->ldg && (size_t)matrix->ldg != block.columns)
            return false;
    }
    return true;
}

int summand__outer_meet(struct summand__state *state, int tag,
                        const struct summand__outer_arguments *arguments,
                        struct summand__outer_known *known)
{
    size_t words = (size_t)state->ranks + 1;
    known->words = calloc(words, sizeof *known->words);
    if (known->words) {
        known->words[state->rank] = (uint64_t)arguments->pairs;
        known->words[state->ranks] = !dense(arguments, state->rank, state->ranks);
    }
    if (!known->words && state->ranks == 1)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    return summand__join(state, tag, known->words, words * sizeof *known->words);
}

void summand__outer_forget(struct summand__outer_known *known)
{
    free(known->words);
    known->words = NULL;
}

bool summand__outer_known_alike(const struct summand__outer_known *a,
                                const struct summand__outer_known *b, int ranks)
{
    return !memcmp(a->words, b->words, ((size_t)ranks + 1) * sizeof *a->words);
}
