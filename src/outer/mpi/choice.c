/* SPDX-License-Identifier: BSD-3-Clause */
#include "outer/mpi/choice.h"

#include <stdio.h>
#include <string.h>

#include "plan/options.h"
#include "process/error.h"

int summand__outer_check_names(const summand_outer_options *options)
{
    int code =
        summand__algorithm_check_for("options.algorithm", options->algorithm, SUMMAND__COLL_OUTER);
    return code == MPI_SUCCESS
               ? summand__algorithm_check("options.inside.algorithm", options->inside.algorithm)
               : code;
}

/* The refused call. */
struct refused {
    const struct summand__query *query;
    const struct summand__tuning *tuning;
    struct summand__outer_shape *shape;
    const struct summand__outer_part *inside;
    const struct summand__call *call;
    const struct summand__algorithm *algorithm;
};

/* Changes of a call that make an algorithm possible. */
enum change { ANY_ORDER, NO_GAPS, OTHER_RESULT };
static const char *const change_words[OTHER_RESULT] = {
    "options.promise SUMMAND_PROMISE_SAME",
    "results whose rows have no gaps, and are not updated unless replicated"};

/* True if there is a choice for the refused shape, with these collectives inside and promises. */
static bool works(const struct refused *refused, const struct summand__outer_part *inside,
                  unsigned promises, struct summand__choice *choice)
{
    struct summand__query query = *refused->query;
    query.promises = promises;
    *choice = (struct summand__choice){.algorithm = refused->algorithm};
    return summand__select_outer(&query, refused->tuning, refused->shape, inside, refused->call,
                                 choice) == SUMMAND__SELECTED;
}

/* The changes with which the algorithm does the call with this result: bits, or -1 if none do. One
 * choice with all of them says it: the collectives inside depend on the result alone. */
static int changes_for(const struct refused *refused, enum summand__outer_result result)
{
    const struct summand__outer_shape own = *refused->shape;
    struct summand__outer_shape *shape = refused->shape;
    struct summand__choice choice;
    struct summand__call call = *refused->call;
    int changes = -1;
    shape->dense = shape->replicated = true;
    shape->result = result;
    if (works(refused, refused->inside, 0, &choice)) {
        shape->dense = own.dense;
        shape->replicated = own.replicated;
        memcpy(call.parameter, choice.parameter, sizeof call.parameter);
        call.outer = shape;
        changes = !summand__promises_kept(refused->algorithm, SUMMAND__COLL_OUTER,
                                          refused->query->promises)
                      << ANY_ORDER |
                  !summand__algorithm_does(refused->algorithm, &call) << NO_GAPS |
                  (result != own.result) << OTHER_RESULT;
    }
    *shape = own;
    return changes;
}

static void add(char *text, size_t room, const char *more)
{
    const size_t used = strlen(text);
    snprintf(text + used, room - used, "%s%s", used ? "; " : "", more);
}

/* Describes the smallest set of changes that suffices; false if none is known. */
static bool say_changes(const struct refused *refused, char *text, size_t room)
{
    static const char *const results[] = {
        "options.result SUMMAND_OUTER_WHOLE and root SUMMAND_ROOT_ALL",
        "options.result SUMMAND_OUTER_ROWS", "options.result SUMMAND_OUTER_BLOCKS",
        "options.result SUMMAND_OUTER_WHOLE and a rank as root",
        "options.result SUMMAND_OUTER_FACTORS"};
    int result = (int)refused->shape->result,
        changes = changes_for(refused, refused->shape->result);
    for (int other = 0; changes < 0 && other < (int)(sizeof results / sizeof *results); other++)
        changes = changes_for(refused, (enum summand__outer_result)(result = other));
    if (changes < 0)
        return false;
    *text = 0;
    for (int c = 0; c < OTHER_RESULT; c++)
        if (changes & 1 << c)
            add(text, room, change_words[c]);
    if (changes & 1 << OTHER_RESULT)
        add(text, room, results[result]);
    return true;
}

int summand__outer_refuse_choice(const struct summand__query *query,
                                 const struct summand__tuning *tuning,
                                 struct summand__outer_shape *shape,
                                 const struct summand__outer_part *inside,
                                 const struct summand__call *call,
                                 const summand_outer_options *options)
{
    const struct refused refused = {
        query,  tuning, shape,
        inside, call,   options->algorithm ? summand__algorithm_named(options->algorithm) : NULL};
    struct summand__choice choice;
    char text[256];
    if (options->inside.algorithm && works(&refused, NULL, query->promises, &choice))
        return summand__refuse(SUMMAND_ERR_ALGORITHM,
                               "options.inside.algorithm is '%s', which does none of the "
                               "collectives inside %s",
                               options->inside.algorithm,
                               options->algorithm ? options->algorithm : "this call");
    if (options->algorithm && say_changes(&refused, text, sizeof text))
        return summand__refuse(
            SUMMAND_ERR_ALGORITHM,
            "options.algorithm is '%s', which does not do this call: it takes %s",
            options->algorithm, text);
    return summand__algorithm_refuse("options.algorithm", refused.algorithm, call, 0);
}

int summand__outer_refuse_factored(const struct summand__outer_arguments *arguments)
{
    const summand_outer_options *options = &arguments->options;
    const bool parts = arguments->result != SUMMAND__OUTER_ALL;
    if (!options->algorithm || !strcmp(options->algorithm, "outer-gather"))
        return summand__refuse(SUMMAND_ERR_ALGORITHM,
                               "options.inside.algorithm is '%s', which does not gather",
                               options->inside.algorithm ? options->inside.algorithm : "");
    return summand__refuse(SUMMAND_ERR_ALGORITHM,
                           "options.algorithm is '%s'; lists, tiles and pairs of each matrix take "
                           "'outer-gather'%s",
                           options->algorithm,
                           parts ? ", or 'outer-slices' without options.inside.algorithm if the "
                                   "result is in parts or on a root"
                                 : "");
}
