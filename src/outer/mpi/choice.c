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

/* The refused call, and the changes that may be tried. */
struct refused {
    const struct summand__query *query;
    const struct summand__tuning *tuning;
    struct summand__outer_shape *shape;
    const struct summand__outer_part *inside;
    const struct summand__call *call;
    const summand_outer_options *options;
};

/* Changes of a call that make an algorithm possible. */
enum change { ANY_ORDER, NO_GAPS, OTHER_RESULT, CHANGES };
static const char *const change_words[OTHER_RESULT] = {
    "options.promise SUMMAND_PROMISE_SAME",
    "results whose rows have no gaps, and are not updated unless replicated"};

/* True if the algorithm does the call with these changes. */
static bool works(const struct refused *refused, unsigned changes,
                  enum summand__outer_result result, const struct summand__outer_part *inside)
{
    const struct summand__outer_shape own = *refused->shape;
    struct summand__outer_shape *shape = refused->shape;
    struct summand__query query = *refused->query;
    struct summand__choice choice = {.algorithm =
                                         refused->options->algorithm
                                             ? summand__algorithm_named(refused->options->algorithm)
                                             : NULL};
    if (changes & 1u << ANY_ORDER)
        query.promises = 0;
    if (changes & 1u << NO_GAPS)
        shape->dense = shape->replicated = true;
    if (changes & 1u << OTHER_RESULT)
        shape->result = result;
    const bool does = summand__select_outer(&query, refused->tuning, shape, inside, refused->call,
                                            &choice) == SUMMAND__SELECTED;
    *shape = own;
    return does;
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
    unsigned changes = (1u << CHANGES) - 1;
    int result = 0, last = (int)(sizeof results / sizeof *results);
    while (result < last &&
           !works(refused, changes, (enum summand__outer_result)result, refused->inside))
        result++;
    if (result == last)
        return false;
    for (int c = CHANGES - 1; c >= 0; c--)
        if (works(refused, changes & ~(1u << c), (enum summand__outer_result)result,
                  refused->inside))
            changes &= ~(1u << c);
    *text = 0;
    for (int c = 0; c < OTHER_RESULT; c++)
        if (changes & 1u << c)
            add(text, room, change_words[c]);
    if (changes & 1u << OTHER_RESULT)
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
    const struct refused refused = {query, tuning, shape, inside, call, options};
    char text[256];
    if (options->inside.algorithm && works(&refused, 0, SUMMAND__OUTER_ALL, NULL))
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
    return summand__algorithm_refuse(
        "options.algorithm",
        options->algorithm ? summand__algorithm_named(options->algorithm) : NULL, call, 0);
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
